// In the page of `chessdb view` the program answers instead of a worker, by the network of this machine.

import { makeQueue, makeReceiver } from './queue.js';

/** @import { Channel, Message, Reply } from './types.d.ts' */

/** Whether this is that page. */
export const served = 'served' in document.documentElement.dataset;

let page = '';
/** The program's name for this page. */
export const pageNumber = () => page;

/** Like a worker: takes messages and gives some to `onmessage`. When the program has gone, `gone` is called,
 * and nothing is answered any more.
 * @param {() => void} gone
 * @returns {Channel} */
export function makeRemote(gone) {
  let leaving = false;
  /** @type {AbortController | null} */
  let current = null;
  addEventListener('pagehide', () => { leaving = true; });
  /** @type {() => Promise<any>} */
  const lost = () => {
    if (!leaving) gone();
    leaving = true;
    return new Promise(() => {});
  };

  /** The program serves as long as this connection is there. */
  async function arrive() {
    try {
      const reader = bodyOf(await fetch('alive'));
      const text = new TextDecoder();
      while (!page.endsWith('\n')) {
        const { done, value } = await reader.read();
        if (done) return lost();
        page += text.decode(value, { stream: true });
      }
      page = page.trim();
      reader.read().then(lost, lost);
    } catch {
      return lost();
    }
  }

  /** @param {object} request */
  async function ask(request) {
    try {
      const answer = await fetch('call?' + page, { method: 'POST', body: JSON.stringify(request) });
      return await answer.json();
    } catch {
      return lost();
    }
  }

  /** Each piece: the lengths of its words and its bytes, the words, the bytes.
   * @param {Message} message */
  async function save(message) {
    const receiver = makeReceiver(progress => hear({ id: message.id, progress }));
    const { signal } = (current = new AbortController());
    try {
      const answer = await fetch('save?' + page, { method: 'POST', body: JSON.stringify(message.save), signal });
      const take = pieces(bodyOf(answer));
      for (;;) {
        const lengths = new DataView((await take(8)).buffer);
        const words = JSON.parse(new TextDecoder().decode(await take(lengths.getUint32(0, true))));
        const bytes = await take(lengths.getUint32(4, true));
        if (words[0] === 'done') return receiver.done(JSON.parse(new TextDecoder().decode(bytes)), message.save?.stem ?? '');
        const [word, ...rest] = words;
        receiver.take(word, ...rest, bytes);
      }
    } catch {
      return signal.aborted ? { error: { code: 'cancelled', text: '' } } : lost();
    }
  }

  /** @param {Reply} data */
  const hear = data => remote.onmessage?.({ data });
  /** @type {Channel} */
  const remote = {
    onmessage: null,
    terminate() {},
    postMessage: makeQueue({
      ready: arrive(), ask, save, read: () => ask({ op: 'bases' }),
      post: hear,
      failed(error) { throw error; },
    }),
    /** Ends what is being saved; the base stays open. */
    cancel: () => current?.abort(),
  };
  return remote;
}

/** @param {Response} answer */
const bodyOf = answer => /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();

/** A function that reads a number of bytes.
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @returns {(length: number) => Promise<Uint8Array>} */
function pieces(reader) {
  /** @type {Uint8Array} */
  let rest = new Uint8Array(0);
  return async length => {
    const whole = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      if (!rest.length) {
        const { done, value } = await reader.read();
        if (done) throw new Error('the end came too early');
        rest = value;
      }
      const some = rest.subarray(0, length - filled);
      whole.set(some, filled);
      filled += some.length;
      rest = rest.subarray(some.length);
    }
    return whole;
  };
}
