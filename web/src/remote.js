// In the page of `chessdb view` the program answers instead of a worker, by the network of this machine.

import { makeQueue, makeReceiver } from './queue.js';

/** Whether this is that page. */
export const served = 'served' in document.documentElement.dataset;

/** Like a worker: takes messages and gives some to `onmessage`. When the program has gone, `gone` is called,
 * and nothing is answered any more. */
export function makeRemote(gone) {
  let page = '';
  let leaving = false;
  let current = null;
  addEventListener('pagehide', () => { leaving = true; });
  const lost = () => {
    if (!leaving) gone();
    leaving = true;
    return new Promise(() => {});
  };

  /** The program serves as long as this connection is there. */
  async function arrive() {
    try {
      const reader = (await fetch('alive')).body.getReader();
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

  async function ask(request) {
    try {
      const answer = await fetch('call?' + page, { method: 'POST', body: JSON.stringify(request) });
      return await answer.json();
    } catch {
      return lost();
    }
  }

  /** Each piece: the lengths of its words and its bytes, the words, the bytes. */
  async function save(message) {
    const receiver = makeReceiver(progress => remote.onmessage({ data: { id: message.id, progress } }));
    current = new AbortController();
    try {
      const answer = await fetch('save?' + page, { method: 'POST', body: JSON.stringify(message.save), signal: current.signal });
      const take = pieces(answer.body.getReader());
      for (;;) {
        const lengths = new DataView((await take(8)).buffer);
        const words = JSON.parse(new TextDecoder().decode(await take(lengths.getUint32(0, true))));
        const bytes = await take(lengths.getUint32(4, true));
        if (words[0] === 'done') return receiver.done(JSON.parse(new TextDecoder().decode(bytes)), message.save.stem);
        receiver.take(...words, bytes);
      }
    } catch {
      return current.signal.aborted ? { error: { code: 'cancelled', text: '' } } : lost();
    }
  }

  const remote = {
    onmessage: null,
    postMessage: makeQueue({
      ready: arrive(), ask, save, read: () => ask({ op: 'bases' }),
      post: data => remote.onmessage({ data }),
      failed(error) { throw error; },
    }),
    /** Ends what is being saved; the base stays open. */
    cancel: () => current?.abort(),
  };
  return remote;
}

/** A function that reads so many bytes. */
function pieces(reader) {
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
