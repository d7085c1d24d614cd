// The page's side of whoever answers: requests are answered one after another, tasks step by step.

import { makeRemote, served } from './remote.js';

/** A worker's text or the sample games: in a page of one file they stand in it, otherwise scripts bring them:
 * engine.js, which is loaded while the first screen shows already, and full.js when a base needs it. */
export async function piece(name) {
  const inside = document.getElementById(name);
  if (inside) return inside.textContent;
  const brought = () => globalThis.CHESSDB?.[name];
  if (!brought()) {
    const file = name === 'full' ? 'full.js' : 'engine.js';
    const script = document.querySelector(`script[src="${file}"]`) ?? Object.assign(document.createElement('script'), { src: file });
    await new Promise((resolve, reject) => {
      script.addEventListener('load', resolve);
      script.addEventListener('error', () => reject({ code: 'other', text: file + ' could not be loaded' }));
      if (!script.isConnected) document.head.append(script);
    });
  }
  return brought();
}

/** The bytes that are read at once. */
const READ = 16 << 20;

export class Engine {
  constructor(onTrap, onGone) {
    this.onTrap = onTrap;
    this.onGone = onGone;
    this.waiting = new Map();
    this.next = 1;
    this.age = 0;
    // The module that has every format is more than twice as large: it comes when it is needed.
    this.full = served;
    this.start();
  }

  start() {
    this.worker = null;
    if (served) {
      this.worker = makeRemote(this.onGone);
      this.worker.onmessage = ({ data }) => this.hear(data);
      this.ready = Promise.resolve();
      return;
    }
    this.ready = piece(this.full ? 'full' : 'engine').then(text => this.begin(text));
    // Whoever asks hears of it.
    this.ready.catch(() => {});
  }

  begin(text) {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    this.worker = new Worker(url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = event => {
      event.preventDefault();
      this.trap();
    };
  }

  hear(message) {
    const waits = this.waiting.get(message.id);
    if (!waits) return;
    if (message.progress) {
      waits.progress?.(message.progress);
      return;
    }
    if (message.trap) {
      this.trap();
      return;
    }
    this.waiting.delete(message.id);
    // Made here, as a worker of some browsers cannot pass a Blob.
    if (message.answer?.pieces) message.answer.blob = new Blob(message.answer.pieces);
    if (message.answer?.error) waits.reject(message.answer.error);
    else waits.resolve(message.answer);
  }

  /** The module is dead. Everything that waits hears it, and a new one starts. */
  trap() {
    this.restart({ code: 'trap', text: 'the reader stopped' });
    this.onTrap();
  }

  /** Ends what is being opened or saved. A module at work hears nothing, so that a new one has to begin; the
   * answer is whether it must read the base again. */
  cancel() {
    if (served) {
      this.worker.cancel();
      return false;
    }
    this.restart({ code: 'cancelled' });
    return true;
  }

  /** From now on the module with every format, which has to read the base again. */
  grow() {
    this.full = true;
    this.restart({ code: 'cancelled' });
  }

  /** Of a cancelled one only those hear it that opened or saved; the rest, like a task that is ended by a
   * newer one, has no answer. */
  restart(why) {
    this.age += 1;
    this.worker?.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const waits of waiting) if (why.code !== 'cancelled' || waits.hears) waits.reject(why);
  }

  send(message, progress, transfer = []) {
    const id = this.next++;
    const label = message.slot ?? (message.save ? 'save' : message.call?.op === 'open' ? 'open' : null);
    const begun = performance.now();
    return new Promise((answer, reject) => {
      const resolve = value => {
        // test/times.mjs reads them.
        if (label) performance.measure(label, { start: begun });
        answer(value);
      };
      const hears = message.files || message.save || message.call?.op === 'open';
      this.waiting.set(id, { resolve, reject, progress, hears });
      this.ready.then(() => this.worker.postMessage({ id, ...message }, transfer), reject);
    });
  }

  call(op, parameters = {}) {
    return this.send({ call: { op, ...parameters } });
  }

  /** Work of many steps. A new one with the same `slot` ends the older, which then never answers. */
  task(task, parameters, progress, slot = task) {
    return this.send({ slot, task: { op: 'start', task, ...parameters } }, progress);
  }

  stop(slot) {
    this.ready.then(() => this.worker.postMessage({ stop: slot }));
  }

  /** The files of a base into the module, piece by piece, and what bases there are. Read here, since a worker of
   * WebKitGTK waits forever for a file of a page from a disk. */
  async open({ list, password }, progress) {
    if (served) return this.send({ files: {} });
    const begun = performance.now();
    const { age } = this;
    await this.send({ files: { name: '' } });
    const total = list.reduce((sum, { file }) => sum + file.size, 0);
    let done = 0;
    for (const { name, file } of list) {
      let from = 0;
      do {
        const piece = await file.slice(from, from + READ).arrayBuffer();
        if (age !== this.age) throw { code: 'cancelled' };
        // What is passed on is empty here afterwards.
        const { byteLength } = piece;
        await this.send({ files: { name, size: file.size, from, piece } }, null, [piece]);
        from += byteLength;
        done += byteLength;
        progress?.({ done, total });
        if (!byteLength) break;
      } while (from < file.size);
      if (from < file.size) throw { code: 'broken', text: 'the file became shorter', detail: { file: name } };
    }
    const found = await this.send({ files: { password } });
    performance.measure('read', { start: begun });
    return found;
  }

  save(parameters, progress) {
    return this.send({ save: parameters }, progress);
  }
}
