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

/** @typedef {{ name: string, bytes: Uint8Array, place?: string }} PathFile a file; `place` is its whole path, if it was read from one */

/**
 * A worker with the engine.
 * @typedef {object} Port
 * @property {(hear: (message: any) => void, fail: (error: unknown) => void) => void} listen
 * @property {(message: object) => void} post
 * @property {() => void} end
 * @property {() => void} rest called when no call is running
 */

/**
 * What differs between browsers and Node, Deno and Bun.
 * @typedef {object} Platform
 * @property {(address: URL) => Promise<Uint8Array | Response>} module reads a compiled module
 * @property {(address: URL) => Port} startWorker starts a worker for the module with this address
 * @property {(path: string | URL) => Promise<{ files: PathFile[], main: string | null } | null>} [readPath] reads a
 *   file and the files next to it with the same name and another suffix, or all files of a folder; null if there is none
 */

/** @type {Map<string, Promise<any>>} */
const modules = new Map();

/**
 * Returns the bindings of a build. It is loaded once.
 * @param {Platform['module']} module
 * @param {Build} build
 * @returns {Promise<any>}
 */
function load(module, build) {
  const before = modules.get(build.name);
  if (before) return before;
  const loaded = loadNow(module, build);
  modules.set(build.name, loaded);
  // A failed download may succeed later.
  loaded.catch(() => modules.delete(build.name));
  return loaded;
}

/**
 * @param {Platform['module']} module
 * @param {Build} build
 */
async function loadNow(module, build) {
  const address = build.address();
  try {
    const bindings = await build.glue();
    await bindings.default({ module_or_path: module(address) });
    return bindings;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw errorOf({ code: 'io', text: `the engine could not be loaded from ${address}: ${message}; README.md lists what each bundler needs` });
  }
}

/**
 * Returns a connection to a new engine in this thread.
 * @param {Platform['module']} module
 * @param {Build} build
 * @returns {Promise<Connection>}
 */
export async function connect(module, build) {
  const { Engine } = await load(module, build);
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
 * @param {Platform} platform
 * @param {Build} build
 * @returns {Promise<Connection>}
 */
export async function connectWorker(platform, build) {
  const address = build.address();
  const worker = platform.startWorker(address);
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: unknown) => void }>} */
  const waiting = new Map();
  let last = 0;
  /** @type {unknown} */
  let ended;
  const end = (/** @type {unknown} */ error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.listen(({ id, answer, failure }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (!waiting.size) worker.rest();
    if (failure) call?.reject(errorOf(failure));
    else call?.resolve(answer);
  }, end);
  /** @type {(method: string, args: unknown[]) => Promise<any>} */
  const call = (method, args) => new Promise((resolve, reject) => {
    if (ended) throw ended;
    last += 1;
    waiting.set(last, { resolve, reject });
    worker.post({ id: last, method, args });
  });
  try {
    await call('start', [build.name, address.href]);
  } catch (error) {
    worker.end();
    throw error;
  }
  return {
    ask: request => call('ask', [request]),
    // Copied, not transferred: the caller keeps its bytes.
    add: (name, bytes) => call('add', [name, bytes]),
    save: request => call('save', [request]),
    end() {
      worker.end();
      end(errorOf({ code: 'closed', text: 'the database was closed' }));
    },
  };
}
