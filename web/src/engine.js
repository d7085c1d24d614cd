// The page's side of the session, in a worker or a program: requests are answered one after another, tasks step by step.

import { makeRemote, served } from './remote.js';

/** @import { Bases, Calls, Channel, Collected, CollectRequest, Failure, Message, NamedFile, Progress, Reply, Saved, SaveRequest, Tasks } from './types.d.ts' */

/** A worker's text or the sample games: a page of one file contains them, otherwise scripts bring them:
 * engine.js, which is loaded while the first screen shows already, full.js when a base needs it, and stockfish.js
 * when the reader asks for it.
 * @param {string} name
 * @returns {Promise<string>} */
export async function piece(name) {
  const inside = document.getElementById(name);
  if (inside) return inside.textContent ?? '';
  const brought = () => globalThis.CHESSDB?.[name];
  if (!brought()) {
    const file = name === 'full' || name === 'stockfish' ? name + '.js' : 'engine.js';
    const script = /** @type {HTMLScriptElement | null} */ (document.querySelector(`script[src="${file}"]`)) ?? Object.assign(document.createElement('script'), { src: file });
    await new Promise((resolve, reject) => {
      script.addEventListener('load', resolve);
      script.addEventListener('error', () => reject({ code: 'other', text: file + ' could not be loaded' }));
      if (!script.isConnected) document.head.append(script);
    });
  }
  return brought() ?? '';
}

/** The bytes that are read at once. */
const READ = 16 << 20;

/** @typedef {{ resolve: (value: any) => void, reject: (why: unknown) => void, progress?: ((state: any) => void) | null, hears: boolean, slot: string | null }} Waiting */

export class Engine {
  /** @type {Channel | null} */
  worker = null;
  /** @type {Promise<void>} */
  ready = Promise.resolve();

  /** `onTrap` hears that the module stopped and was started again, `onGone` that the program has ended.
   * @param {() => void} onTrap
   * @param {() => void} onGone */
  constructor(onTrap, onGone) {
    this.onTrap = onTrap;
    this.onGone = onGone;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.next = 1;
    this.age = 0;
    /** The number of the database that requests are about.
     * @type {number | null} */
    this.base = null;
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
    // The caller gets the error.
    this.ready.catch(() => {});
  }

  /** @param {string} text */
  begin(text) {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    const worker = new Worker(url);
    this.worker = /** @type {Channel} */ (worker);
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = event => {
      event.preventDefault();
      this.trap();
    };
  }

  /** @param {Reply} message */
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
      this.worker?.cancel?.();
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
   * newer one, has no answer.
   * @param {Failure} why */
  restart(why) {
    this.age += 1;
    this.worker?.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const waits of waiting) if (why.code !== 'cancelled' || waits.hears) waits.reject(why);
  }

  /** @param {Omit<Message, 'id'>} message
   * @param {((state: any) => void) | null} [progress]
   * @param {Transferable[]} [transfer]
   * @returns {Promise<any>} */
  send(message, progress, transfer = []) {
    const id = this.next++;
    const label = message.slot ?? (message.save ? 'save' : message.call?.op === 'open' ? 'open' : null);
    const begun = performance.now();
    const slot = message.slot ?? null;
    return new Promise((answer, reject) => {
      /** @param {unknown} value */
      const resolve = value => {
        // test/times.mjs reads them.
        if (label) performance.measure(label, { start: begun });
        answer(value);
      };
      const hears = Boolean(message.files || message.save || message.call?.op === 'open');
      this.waiting.set(id, { resolve, reject, progress, hears, slot });
      this.ready.then(() => this.worker?.postMessage({ id, ...message }, transfer), reject);
    });
  }

  /** @template {keyof Calls} K
   * @param {K} op
   * @param {object} [parameters]
   * @returns {Promise<Calls[K]>} */
  call(op, parameters = {}) {
    return this.send({ call: { op, ...(op === 'open' ? null : this.about()), ...parameters } });
  }

  /** The member of a request that names its database. */
  about() {
    return this.base ? { in: this.base } : null;
  }

  /** From now on requests are about this database. What was asked about the other one has no answer.
   * @param {number | null} base */
  turnTo(base) {
    if (this.base !== base) {
      for (const [id, { hears, slot }] of this.waiting) {
        if (hears) continue;
        this.waiting.delete(id);
        if (slot) this.stop(slot);
      }
    }
    this.base = base;
  }

  /** Work of many steps. A new one with the same `slot` ends the older, which then never answers.
   * @template {keyof Tasks} K
   * @param {K} task
   * @param {object} parameters
   * @param {((state: Progress<Tasks[K]>) => void) | null} [progress]
   * @param {string} [slot]
   * @returns {Promise<Tasks[K]>} */
  task(task, parameters, progress, slot = task) {
    return this.send({ slot, task: { op: 'start', task, ...this.about(), ...parameters } }, progress);
  }

  /** Ends the task of a slot.
   * @param {string} slot */
  stop(slot) {
    this.ready.then(() => this.worker?.postMessage({ stop: slot }));
  }

  /** The files of a base into the module, piece by piece, and what bases there are. Read here, since a worker of
   * WebKitGTK waits forever for a file of a page from a disk.
   * @param {{ list?: NamedFile[], password?: string }} of
   * @param {((state: { done: number, total: number }) => void) | null} [progress]
   * @returns {Promise<Bases>} */
  async open({ list = [], password }, progress) {
    if (served) return this.send({ files: {} });
    const begun = performance.now();
    const { age } = this;
    await this.send({ files: { name: '' } });
    const total = list.reduce((sum, { file }) => sum + file.size, 0);
    let done = 0;
    for (const { name, file } of list) {
      let from = 0;
      do {
        const piece = await file.slice(from, from + READ).arrayBuffer().catch(error => {
          throw { code: error.name === 'NotFoundError' ? 'gone' : 'io', text: error.message, detail: { file: name } };
        });
        if (age !== this.age) throw { code: 'cancelled' };
        // A buffer that was passed on is empty here afterwards.
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

  /** @template {SaveRequest | CollectRequest} R
   * @param {R} parameters
   * @param {(state: { games: number }) => void} progress
   * @returns {Promise<R extends CollectRequest ? Collected : Saved>} */
  save(parameters, progress) {
    return this.send({ save: { ...this.about(), ...parameters } }, progress);
  }
}
