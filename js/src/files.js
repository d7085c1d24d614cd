// The files that `open` is given, in any form.

import { errorOf } from './errors.js';

/** @typedef {{ name: string, bytes: Uint8Array | ArrayBuffer }} NamedBytes */

/**
 * The files of a database: its path (in Node and Deno: the other files of the database are found), `File` objects
 * of a browser, names with bytes, or one `Blob` with a name.
 * @typedef {string | URL | File | NamedBytes | Iterable<string | URL | File | NamedBytes> | Record<string, Uint8Array | ArrayBuffer>} Source
 */

/**
 * Returns the files with their bytes. If a path was given, also the name of the file that it names.
 * @param {Source} source
 * @returns {Promise<{ files: { name: string, bytes: Uint8Array }[], main: string | null }>}
 */
export async function filesOf(source) {
  if (isOne(source)) return ofOne(source);
  if (Symbol.iterator in source) {
    /** @type {{ name: string, bytes: Uint8Array }[]} */
    const files = [];
    let main = null;
    for (const one of /** @type {Iterable<string | URL | File | NamedBytes>} */ (source)) {
      const read = await ofOne(one);
      main ??= read.main;
      for (const file of read.files) {
        if (!files.some(known => known.name === file.name)) files.push(file);
      }
    }
    return { files, main };
  }
  const files = Object.entries(source).map(([name, bytes]) => ({ name, bytes: bytesOf(bytes) }));
  return { files, main: null };
}

/**
 * @param {Source} source
 * @returns {source is string | URL | File | NamedBytes}
 */
function isOne(source) {
  return typeof source === 'string' || source instanceof URL || isBlob(source)
    || 'name' in source && 'bytes' in source && typeof source.name === 'string';
}

/**
 * @param {unknown} value
 * @returns {value is File}
 */
function isBlob(value) {
  return typeof Blob !== 'undefined' && value instanceof Blob;
}

/**
 * @param {string | URL | File | NamedBytes} one
 * @returns {Promise<{ files: { name: string, bytes: Uint8Array }[], main: string | null }>}
 */
async function ofOne(one) {
  if (typeof one === 'string') return ofPath(one);
  if (one instanceof URL) return one.protocol === 'file:' ? ofPath(one) : ofAddress(one);
  if (isBlob(one)) {
    const name = one.webkitRelativePath || one.name || 'database';
    return { files: [{ name, bytes: new Uint8Array(await one.arrayBuffer()) }], main: null };
  }
  return { files: [{ name: one.name, bytes: bytesOf(one.bytes) }], main: null };
}

/** @param {Uint8Array | ArrayBuffer} bytes */
function bytesOf(bytes) {
  if (bytes instanceof Uint8Array) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw new TypeError('the bytes of a file must be a Uint8Array or an ArrayBuffer');
}

/** @param {URL} address */
async function ofAddress(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw errorOf({ code: 'io', text: `${address}: ${answer.status} ${answer.statusText}` });
  const name = decodeURIComponent(address.pathname.slice(address.pathname.lastIndexOf('/') + 1));
  return { files: [{ name: name || 'database', bytes: new Uint8Array(await answer.arrayBuffer()) }], main: null };
}

/**
 * Reads a file and the files next to it with the same name and another suffix, or all files of a folder.
 * @param {string | URL} path
 */
async function ofPath(path) {
  if (typeof globalThis.process?.versions?.node !== 'string') {
    throw new TypeError('a browser opens File objects, names with bytes, or a URL object, no path');
  }
  const [fs, { basename, dirname, join }, { fileURLToPath }] = await Promise.all([
    import('node:fs/promises'), import('node:path'), import('node:url'),
  ]);
  const given = path instanceof URL ? fileURLToPath(path) : path;
  try {
    const isFolder = (await fs.stat(given)).isDirectory();
    const folder = isFolder ? given : dirname(given);
    const main = isFolder ? null : basename(given);
    const entries = await fs.readdir(folder, { withFileTypes: true });
    const wanted = main && stem(main);
    const names = entries
      .filter(entry => !entry.isDirectory() && (main == null || entry.name === main || stem(entry.name) === wanted))
      .map(entry => entry.name);
    const files = await Promise.all(names.map(async name => ({ name, bytes: new Uint8Array(await fs.readFile(join(folder, name))) })));
    return { files, main };
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const text = code === 'ENOENT' ? `${given}: no such file` : message;
    throw errorOf({ code: code === 'ENOENT' ? 'gone' : 'io', text, detail: { file: given } });
  }
}

/** @param {string} name */
function stem(name) {
  return name.replace(/\.[^.]*$/, '').toLowerCase();
}
