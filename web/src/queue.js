// In front of a session, in the worker or by the network: requests are answered one after another, then one
// step of the oldest task is done; between steps new messages are heard.

import { zip } from './zip.js';

/** @import { Message, NewFile, Reply } from './types.d.ts' */
/** @typedef {Message & { number?: number, most?: number, told?: number }} Queued a task has a number once it has begun */

const PAUSE = 24;
/** Background tasks: they continue when there is no request. */
const BACKGROUND = ['health', 'losses'];

/** `ask(request)` is answered by the session, `read(message)` makes its bases known, `save(message)` writes
 * one; `post` sends a message to the page; `failed(error)` is called when a message came to no answer at all.
 * @param {object} of
 * @param {Promise<unknown>} of.ready
 * @param {(request: object) => any} of.ask
 * @param {(message: Message) => any} of.read
 * @param {(message: Message) => any} of.save
 * @param {(reply: Reply) => void} of.post
 * @param {(error: unknown, message: Message) => void} of.failed */
export function makeQueue({ ready, ask, read, save, post, failed }) {
  /** @type {Queued[]} */
  const queue = [];
  /** @type {Map<string | undefined, number>} */
  const slots = new Map();
  let busy = false;

  /** @param {Message | { stop: string }} message */
  function hear(message) {
    if (!('id' in message)) {
      slots.delete(message.stop);
      return;
    }
    if (message.slot) slots.set(message.slot, message.id);
    queue.push(message);
    if (!busy) work();
  }

  /** @type {(message: Message, answer: unknown) => void} */
  const answer = (message, answer) => post({ id: message.id, answer });

  async function work() {
    busy = true;
    await ready;
    while (queue.length) {
      const at = queue.findIndex(message => !message.task);
      const asked = queue.findIndex(message => !BACKGROUND.includes(message.slot ?? ''));
      const message = queue.splice(at >= 0 ? at : Math.max(0, asked), 1)[0];
      try {
        if (message.call) answer(message, await ask(message.call));
        else if (message.files) answer(message, await read(message));
        else if (message.save) answer(message, await save(message));
        else await step(message);
      } catch (error) {
        failed(error, message);
        return;
      }
      if (message.task) await pause();
    }
    busy = false;
  }

  /** @type {() => Promise<void>} */
  const pause = () => new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

  /** @param {Queued} message */
  async function step(message) {
    if (slots.get(message.slot) !== message.id) {
      if (message.number) await ask({ op: 'stop', task: message.number });
      return;
    }
    if (!message.number) {
      const begun = await ask(message.task ?? {});
      if (begun.error) return answer(message, begun);
      message.number = begun.task;
      message.most = 64;
    }
    const before = performance.now();
    const state = await ask({ op: 'step', task: message.number, most: message.most });
    const took = performance.now() - before;
    if (state.error || state.done) {
      if (slots.get(message.slot) === message.id) slots.delete(message.slot);
      return answer(message, state.error ? state : state.result);
    }
    const { most = 64 } = message;
    if (took < PAUSE / 2) message.most = Math.min(1 << 20, most * 2);
    else if (took > PAUSE * 2) message.most = Math.max(16, most >> 1);
    if (!message.told || before - message.told > 100) {
      message.told = before;
      post({ id: message.id, progress: { seen: state.seen, total: state.total, soFar: state.soFar } });
    }
    queue.push(message);
  }

  return hear;
}

/** Takes the files of a new base piece by piece, as they come, so that no copy of the whole is made.
 * @param {(state: { games: number, lost: number }) => void} tell */
export function makeReceiver(tell) {
  /** @type {NewFile[]} */
  const files = [];
  let told = performance.now();
  /** @type {Record<string, (...words: any[]) => void>} */
  const receive = {
    create: suffix => files.push({ suffix, pieces: [], size: 0 }),
    write: (file, bytes) => {
      files[file].pieces.push(bytes);
      files[file].size += bytes.length;
    },
    patch: (file, offset, bytes) => {
      let at = 0;
      for (const piece of files[file].pieces) {
        const from = Math.max(offset, at);
        const to = Math.min(offset + bytes.length, at + piece.length);
        if (from < to) piece.set(bytes.subarray(from - offset, to - offset), from - at);
        at += piece.length;
      }
    },
    progress: (games, lost) => {
      if (performance.now() - told < 100) return;
      told = performance.now();
      tell({ games, lost });
    },
  };
  return {
    /** @type {(word: string, ...rest: unknown[]) => void} */
    take: (word, ...rest) => receive[word](...rest),
    /** The report, with the pieces of one file or of a zip of several.
     * @param {any} report
     * @param {string} stem */
    done(report, stem) {
      if (report.error) return report;
      const named = files.map(({ suffix, pieces, size }) => ({ name: stem + '.' + suffix, pieces, size }));
      const one = named.length === 1;
      return { ...report, name: one ? named[0].name : stem + '.zip', pieces: one ? named[0].pieces : zip(named) };
    },
  };
}
