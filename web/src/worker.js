// The worker: all bytes of the base are here. It follows the glue of wasm-bindgen and the module `WASM`,
// packed with xz and in base64.

import { XzReadableStream } from 'xz-decompress';

import { makeQueue, makeReceiver } from './queue.js';

/** @import { Message } from './types.d.ts' */

/** @type {wasm_bindgen.Engine} */
let engine;
const ready = start();

async function start() {
  const binary = atob(WASM);
  const packed = Uint8Array.from(binary, letter => letter.charCodeAt(0));
  // Not through a Blob: a worker of WebKitGTK cannot read one in a page from a disk.
  const source = new ReadableStream({ start(stream) { stream.enqueue(packed); stream.close(); } });
  const module = await new Response(new XzReadableStream(source)).arrayBuffer();
  await wasm_bindgen({ module_or_path: module });
  engine = new wasm_bindgen.Engine();
}

/** @param {object} request */
const ask = request => JSON.parse(engine.call(JSON.stringify(request)));

/** A file into the module, in pieces that the page has read; the last of them all asks which bases there are.
 * @type {Uint8Array | null} */
let bytes = null;
/** @param {Message} message */
function read({ files: { name, size, from = 0, piece = new ArrayBuffer(0), password } = {} }) {
  if (name == null) return ask({ op: 'bases', password: password || '' });
  if (size == null) return ask({ op: 'unload' });
  if (!bytes || from === 0) bytes = new Uint8Array(size);
  bytes.set(new Uint8Array(piece), from);
  if (from + piece.byteLength < size) return null;
  engine.add(name, bytes);
  bytes = null;
  return null;
}

/** @param {Message} message */
function save(message) {
  const receiver = makeReceiver(progress => postMessage({ id: message.id, progress }));
  const report = JSON.parse(engine.save(JSON.stringify(message.save), receiver.take));
  return receiver.done(report, message.save?.stem ?? '');
}

const hear = makeQueue({
  ready, ask, read, save,
  post: message => postMessage(message, { transfer: [...new Set(/** @type {ArrayBuffer[]} */ (message.answer?.pieces?.map((/** @type {Uint8Array} */ piece) => piece.buffer) ?? []))] }),
  failed(error, message) {
    console.warn(String(error instanceof Error && error.stack || error));
    postMessage({ id: message.id, trap: true });
  },
});
onmessage = ({ data }) => hear(data);
