// The worker: all bytes of the base are here. It comes behind the glue of wasm-bindgen and the module `WASM`,
// packed with xz and in base64.

import { XzReadableStream } from 'xz-decompress';

import { makeQueue, makeReceiver } from './queue.js';

let engine;
const ready = start();

async function start() {
  const binary = atob(WASM);
  const packed = Uint8Array.from(binary, letter => letter.charCodeAt(0));
  const module = await new Response(new XzReadableStream(new Blob([packed]).stream())).arrayBuffer();
  await wasm_bindgen({ module_or_path: module });
  engine = new wasm_bindgen.Engine();
}

const ask = request => JSON.parse(engine.call(JSON.stringify(request)));

/** The files of a base into the module, one after another, and what bases there are. */
async function read(message) {
  ask({ op: 'clear' });
  let done = 0;
  const total = message.files.list.reduce((sum, { file }) => sum + file.size, 0);
  for (const { name, file } of message.files.list) {
    engine.add(name, new Uint8Array(await file.arrayBuffer()));
    done += file.size;
    postMessage({ id: message.id, progress: { done, total } });
  }
  return ask({ op: 'bases', password: message.files.password || '' });
}

function save(message) {
  const receiver = makeReceiver(progress => postMessage({ id: message.id, progress }));
  const report = JSON.parse(engine.save(JSON.stringify(message.save), receiver.take));
  return receiver.done(report, message.save.stem);
}

const hear = makeQueue({
  ready, ask, read, save,
  post: message => postMessage(message),
  failed(error, message) {
    console.warn(String(error && error.stack || error));
    postMessage({ id: message.id, trap: true });
  },
});
onmessage = ({ data }) => hear(data);
