// The compiled engine: loaded once per thread, or running in a worker.

import { errorOf } from './errors.js';
import { Receiver } from './receiver.js';

/**
 * A build of the engine, from the folder builds.
 * @typedef {object} Build
 * @property {string} name
 * @property {() => Promise<any>} glue imports its bindings
 * @property {() => URL} address the address of its module
 */
/** @typedef {Record<string, any>} Request a request of the engine, with the operation in `op` */

/**
 * A connection to one engine.
 * @typedef {object} Connection
 * @property {(request: Request) => Promise<any>} ask answers a request, or throws its error
 * @property {(name: string, bytes: Uint8Array) => Promise<void>} add adds a file
 * @property {(request: Request) => Promise<{ answer: any, files: import('./receiver.js').NewFile[] }>} save writes a database
 * @property {() => void} end frees the engine
 */

const isNode = globalThis.process?.versions?.node != null && !('Deno' in globalThis);

/** @type {Map<string, Promise<any>>} */
const modules = new Map();

/**
 * Returns the bindings of a build. It is loaded once.
 * @param {Build} build
 * @returns {Promise<any>}
 */
function load(build) {
  const known = modules.get(build.name);
  if (known) return known;
  const loaded = loadNow(build);
  modules.set(build.name, loaded);
  // A failed download may succeed later.
  loaded.catch(() => modules.delete(build.name));
  return loaded;
}

/** @param {Build} build */
async function loadNow(build) {
  const bindings = await build.glue();
  const address = build.address();
  if (isNode) {
    // The fetch of Node does not read files.
    const { readFile } = await import('node:fs/promises');
    await bindings.default({ module_or_path: await readFile(address) });
  } else {
    await bindings.default({ module_or_path: address });
  }
  return bindings;
}

/**
 * Returns a connection to a new engine in this thread.
 * @param {Build} build
 * @returns {Promise<Connection>}
 */
export async function connect(build) {
  const { Engine } = await load(build);
  const engine = new Engine();
  return {
    ask: async request => checked(engine.call(JSON.stringify(request))),
    add: async (name, bytes) => engine.add(name, bytes),
    async save(request) {
      const receiver = new Receiver();
      const answer = checked(engine.save(JSON.stringify(request), receiver.take));
      return { answer, files: receiver.files() };
    },
    end: () => engine.free(),
  };
}

/**
 * Returns an answer, or throws its error.
 * @param {string} text
 */
function checked(text) {
  const answer = JSON.parse(text);
  if (answer?.error) throw errorOf(answer.error);
  return answer;
}

/**
 * Returns a connection to a new engine in a worker.
 * @param {Build} build
 * @returns {Promise<Connection>}
 */
export async function connectWorker(build) {
  const worker = await startWorker();
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: unknown) => void }>} */
  const waiting = new Map();
  let last = 0;
  worker.listen(({ id, answer, failure }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (!waiting.size) worker.rest();
    if (failure) call?.reject(errorOf(failure));
    else call?.resolve(answer);
  }, error => {
    for (const call of waiting.values()) call.reject(error);
    waiting.clear();
  });
  /** @type {(method: string, args: unknown[], transfer?: ArrayBuffer[]) => Promise<any>} */
  const call = (method, args, transfer = []) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    worker.post({ id: last, method, args }, transfer);
  });
  await call('start', [build.name]);
  return {
    ask: request => call('ask', [request]),
    // Copied, not transferred: the caller keeps its bytes.
    add: (name, bytes) => call('add', [name, bytes]),
    save: request => call('save', [request]),
    end() {
      worker.end();
      for (const { reject } of waiting.values()) reject(errorOf({ code: 'closed', text: 'the database was closed' }));
      waiting.clear();
    },
  };
}

async function startWorker() {
  const address = new URL('./worker.js', import.meta.url);
  if (isNode) {
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(address);
    // Only a running call keeps the process alive, not a forgotten database.
    worker.unref();
    return {
      /** @type {(hear: (message: any) => void, fail: (error: unknown) => void) => void} */
      listen(hear, fail) {
        worker.on('message', hear);
        worker.on('error', fail);
        worker.on('exit', () => fail(errorOf({ code: 'closed', text: 'the worker has ended' })));
      },
      /** @type {(message: object, transfer: ArrayBuffer[]) => void} */
      post(message, transfer) {
        worker.ref();
        worker.postMessage(message, transfer);
      },
      end: () => void worker.terminate(),
      rest: () => worker.unref(),
    };
  }
  const worker = new Worker(address, { type: 'module' });
  return {
    /** @type {(hear: (message: any) => void, fail: (error: unknown) => void) => void} */
    listen(hear, fail) {
      worker.onmessage = ({ data }) => hear(data);
      worker.onerror = event => fail(new Error(event.message || 'the worker could not be started'));
    },
    /** @type {(message: object, transfer: ArrayBuffer[]) => void} */
    post: (message, transfer) => worker.postMessage(message, transfer),
    end: () => worker.terminate(),
    rest: () => {},
  };
}
