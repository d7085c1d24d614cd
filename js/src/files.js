// The files that `open` is given, in any form.

import { errorOf } from './errors.js';

/** @typedef {import('./engine.js').Platform} Platform */
/** @typedef {import('./engine.js').PathFile} PathFile */

/**
 * The content of a file: its bytes, or the text of a PGN file.
 * @typedef {ArrayBufferView | ArrayBufferLike | Blob | Response | string} Content
 */

/** @typedef {{ name: string, bytes: Content }} NamedBytes */

/** @typedef {string | URL | Content | NamedBytes} OneSource */

/**
 * The files of a database: PGN text, bytes, a `Response`, `File` objects of a browser, names with content, or, in
 * Node, Deno and Bun, a path, for which the other files of the database are found. Of bytes without a name, the format
 * is that of their content. Promises of all these are waited for.
 * @typedef {OneSource | Promise<OneSource> | Iterable<OneSource | Promise<OneSource>> | Map<string, Content>
 *   | { [name: string]: Content | Promise<Content> }} Source
 */

/** @typedef {{ files: PathFile[], main: string | null }} Files the files, and the name that a path ends with */

const EXAMPLE = "open({ 'games.pgn': bytes })";
/** The name of bytes that have none. Without a suffix, the content alone determines the format. */
const NAMELESS = 'database';
/** The beginning of a PGN: a tag, or the first move with its number. */
const PGN = /^\s*(\[\s*\w+\s*"|1\s*\.+\s*[a-hKQRBNO])/;

/**
 * Returns the files with their bytes. If a path was given, also the name of the file that it names.
 * @param {Platform} platform
 * @param {Source} source
 * @returns {Promise<Files>}
 */
export async function readSource(platform, source) {
  const given = await source;
  const one = await readOne(platform, given);
  if (one) return one;
  if (typeof given !== 'object' || given === null) throw refused(given);
  if (given instanceof Map || !(Symbol.iterator in given)) {
    const entries = given instanceof Map ? [...given] : Object.entries(given);
    if (!entries.length) throw refused(given);
    return { files: await Promise.all(entries.map(([name, content]) => toFile(String(name), content))), main: null };
  }
  /** @type {Map<string, PathFile>} */
  const files = new Map();
  /** @type {string | null} */
  let main = null;
  for (const element of /** @type {Iterable<OneSource>} */ (given)) {
    const value = await element;
    const read = await readOne(platform, value);
    if (!read) throw refused(value);
    main ??= read.main;
    for (const file of read.files) {
      const other = files.get(file.name);
      // The paths of a database bring the same files again.
      if (other && (!file.place || file.place !== other.place)) {
        throw errorOf({ code: 'several', text: `two files have the name ${file.name}; open them one after the other` });
      }
      files.set(file.name, file);
    }
  }
  if (!files.size) throw new TypeError(`no files were given; an example: ${EXAMPLE}`);
  return { files: [...files.values()], main };
}

/**
 * Returns the files of a source that is not a collection; null for anything else.
 * @param {Platform} platform
 * @param {any} source
 * @returns {Promise<Files | null>}
 */
async function readOne(platform, source) {
  if (typeof source === 'string') return readText(platform, source);
  if (source instanceof URL) return readAddress(platform, source);
  // Blobs have a method `bytes`.
  if (isContent(source)) return { files: [await toFile(contentName(source), source)], main: null };
  const { name, bytes } = Object(source);
  if (typeof name !== 'string' || bytes == null) return null;
  return { files: [await toFile(name, bytes)], main: null };
}

/**
 * Reads a path or an address, or takes the text of a PGN file.
 * @param {Platform} platform
 * @param {string} text
 * @returns {Promise<Files>}
 */
async function readText(platform, text) {
  if (/^https?:/i.test(text) && URL.canParse(text)) return readAddress(platform, new URL(text));
  // A name may begin like a PGN.
  const files = text ? await platform.readPath?.(text) : null;
  if (files) return files;
  if (text.includes('\n') || PGN.test(text)) return { files: [await toFile('games.pgn', text)], main: null };
  const what = platform.readPath ? 'no such file' : 'a browser opens no paths';
  throw errorOf({ code: 'gone', text: `${text || 'an empty text'}: ${what}; to open bytes or PGN text: ${EXAMPLE}`, detail: { file: text } });
}

/**
 * @param {Platform} platform
 * @param {URL} address
 * @returns {Promise<Files>}
 */
async function readAddress(platform, address) {
  if (address.protocol !== 'file:') return { files: [await toFile(addressName(address.href), await fetch(address))], main: null };
  const files = await platform.readPath?.(address);
  return files ?? Promise.reject(errorOf({ code: 'gone', text: `${address}: no such file`, detail: { file: address.href } }));
}

/**
 * @param {string} name
 * @param {unknown} content
 * @returns {Promise<PathFile>}
 */
async function toFile(name, content) {
  const given = await content;
  if (!isContent(given)) throw refused(given, `${name}: `);
  return { name, bytes: await toBytes(given) };
}

/**
 * Returns the bytes of content, without a copy if possible.
 * @param {Content} content
 */
async function toBytes(content) {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content;
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  if (className(content).endsWith('ArrayBuffer')) return new Uint8Array(/** @type {ArrayBuffer} */ (content));
  const readable = /** @type {Blob | Response} */ (content);
  if ('ok' in readable && !readable.ok) {
    throw errorOf({ code: 'io', text: `${readable.url || 'the response'}: HTTP status ${readable.status} ${readable.statusText}`.trimEnd() });
  }
  return new Uint8Array(await readable.arrayBuffer());
}

/**
 * Returns whether a value is content of a file. Values of another realm, such as that of a test, have other classes.
 * @param {unknown} value
 * @returns {value is Content}
 */
function isContent(value) {
  return typeof value === 'string' || ArrayBuffer.isView(value)
    || ['ArrayBuffer', 'SharedArrayBuffer', 'Blob', 'File', 'Response'].includes(className(value));
}

/** @param {unknown} value */
function className(value) {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/**
 * Returns the name of a file, or that of the address of a response.
 * @param {any} content
 */
function contentName(content) {
  if (className(content) === 'Response') return addressName(content.url);
  return content.webkitRelativePath || content.name || NAMELESS;
}

/** @param {string} address */
function addressName(address) {
  const path = URL.canParse(address) ? new URL(address).pathname : '';
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)) || NAMELESS;
}

/**
 * Returns the error for a value that is no source.
 * @param {unknown} value
 * @param {string} [place]
 */
function refused(value, place = '') {
  const kind = value === null || value === undefined ? String(value) : className(value).toLowerCase();
  const what = typeof value === 'object' && value && !Object.keys(value).length ? `an empty ${kind}` : kind;
  return new TypeError(`${place}${what} is neither bytes nor PGN text, a path, a File or a Response; an example: ${EXAMPLE}`);
}
