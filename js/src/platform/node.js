// Files and workers of Node, Deno and Bun.

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { errorOf } from '../errors.js';
import { module } from './node-module.js';

/** @type {import('../engine.js').Platform} */
export const node = {
  module,
  startWorker() {
    const worker = new Worker(new URL('../worker/node.js', import.meta.url));
    // Only a running call keeps the process alive, not a forgotten database.
    worker.unref();
    return {
      listen(hear, fail) {
        worker.on('message', hear);
        worker.on('error', fail);
        worker.on('exit', () => fail(errorOf({ code: 'closed', text: 'the worker has ended' })));
      },
      post(message) {
        worker.ref();
        worker.postMessage(message);
      },
      end: () => void worker.terminate(),
      rest: () => worker.unref(),
    };
  },
  async readPath(path) {
    const given = path instanceof URL ? fileURLToPath(path) : path;
    try {
      const isFolder = (await stat(given)).isDirectory();
      const folder = isFolder ? given : dirname(given);
      const main = isFolder ? null : basename(given);
      const entries = await readdir(folder, { withFileTypes: true });
      const isPart = (/** @type {string} */ name) => main == null || name === main || stem(name) === stem(main);
      const names = entries.filter(entry => !entry.isDirectory() && isPart(entry.name)).map(entry => entry.name);
      const files = await Promise.all(names.map(async name => {
        const place = resolve(folder, name);
        return { name, bytes: new Uint8Array(await readFile(join(folder, name))), place };
      }));
      return { files, main };
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      // A text with line breaks may be longer than any path, and contain characters that paths cannot.
      if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code ?? '')) return null;
      throw errorOf({ code: 'io', text: message, detail: { file: given } });
    }
  },
};

/** @param {string} name */
function stem(name) {
  return name.replace(/\.[^.]*$/, '').toLowerCase();
}
