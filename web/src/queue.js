// In front of a session, in the worker or by the network: requests are answered one after another, then one
// step of the oldest task is done; between steps new messages are heard.

import { zip } from './zip.js';

const PAUSE = 24;
/** Tasks that nobody waits for: they go on when nothing else is asked. */
const BACKGROUND = ['health', 'losses'];

/** `ask(request)` is answered by the session, `read(message)` makes its bases known, `save(message)` writes
 * one; `post` tells the page; `failed(error)` is called when a message came to no answer at all. */
export function makeQueue({ ready, ask, read, save, post, failed }) {
  const queue = [];
  const slots = new Map();
  let busy = false;

  function hear(message) {
    if (message.stop) {
      slots.delete(message.stop);
      return;
    }
    if (message.slot) slots.set(message.slot, message.id);
    queue.push(message);
    if (!busy) work();
  }

  const answer = (message, answer) => post({ id: message.id, answer });

  async function work() {
    busy = true;
    await ready;
    while (queue.length) {
      const at = queue.findIndex(message => !message.task);
      const asked = queue.findIndex(message => !BACKGROUND.includes(message.slot));
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

  const pause = () => new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(0);
  });

  async function step(message) {
    if (slots.get(message.slot) !== message.id) {
      if (message.number) await ask({ op: 'stop', task: message.number });
      return;
    }
    if (!message.number) {
      const begun = await ask(message.task);
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
    if (took < PAUSE / 2) message.most = Math.min(1 << 20, message.most * 2);
    else if (took > PAUSE * 2) message.most = Math.max(16, message.most >> 1);
    if (!message.told || before - message.told > 100) {
      message.told = before;
      post({ id: message.id, progress: { seen: state.seen, total: state.total, soFar: state.soFar } });
    }
    queue.push(message);
  }

  return hear;
}

/** Takes the files of a new base piece by piece, as they come, so that no copy of the whole is made. */
export function makeReceiver(tell) {
  const files = [];
  let told = performance.now();
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
    take: (word, ...rest) => receive[word](...rest),
    /** The report, with the pieces of one file or of a zip of several. */
    done(report, stem) {
      if (report.error) return report;
      const named = files.map(({ suffix, pieces, size }) => ({ name: stem + '.' + suffix, pieces, size }));
      const one = named.length === 1;
      return { ...report, name: one ? named[0].name : stem + '.zip', pieces: one ? named[0].pieces : zip(named) };
    },
  };
}
