// Opening a database with one of the builds of the engine.

import { Book } from './book.js';
import { Database } from './database.js';
import { connect, connectWorker } from './engine.js';
import { errorOf, MissingFileError } from './errors.js';
import { readSource } from './files.js';
import { platform } from './platform/current.js';

/**
 * Options of `open`.
 * @typedef {object} OpenOptions
 * @property {string} [database] the name of the main file, if the files contain several databases
 * @property {string} [encoding] the code page of the texts, such as `windows-1252`; otherwise it is guessed
 * @property {string} [password] the password of a ChessBase archive
 * @property {boolean} [salvage] whether to search damaged files for games that their index does not list
 * @property {boolean} [worker] whether to read in a worker, so that this thread stays free
 * @property {boolean} [full] whether to load the larger build also if the database does not need it, to write SQLite
 *   and Parquet files
 */

/**
 * Opens a database with the first build; if that lacks its format, with the larger one.
 * @param {import('./engine.js').Build[]} builds the builds, the smaller one first
 * @param {import('./files.js').Source} source
 * @param {OpenOptions} options
 * @returns {Promise<Database>}
 */
export async function openWith([first, larger], source, { database, encoding, password, salvage, worker }) {
  const { files, main } = await readSource(platform, source);
  let connection = await start(first, worker);
  try {
    let answer = await offer(connection, files, password);
    if (answer.lacking && larger) {
      connection.end();
      connection = await start(larger, worker);
      answer = await offer(connection, files, password);
    }
    if (answer.locked) {
      const text = password ? `${answer.locked}: wrong password` : `${answer.locked}: a password is required`;
      throw errorOf({ code: 'locked', text, detail: { file: answer.locked } });
    }
    if (answer.lacking && answer.bases.every((/** @type {any} */ base) => base.format == null)) {
      throw errorOf({ code: 'feature', text: 'a format that this build does not read', detail: { file: main } });
    }
    const base = chosen(answer, database ?? main, database != null);
    const { name, missing } = answer.bases[base];
    const info = await connection.ask({ op: 'open', base, encoding: encoding ?? '', salvage: salvage ?? false })
      .catch(error => Promise.reject(error instanceof MissingFileError && missing?.length ? missingFiles(name, missing) : error));
    if (info.missing.some((/** @type {string} */ suffix) => WITH_MOVES.has(suffix)) && !salvage) {
      throw missingFiles(name, info.missing, '; the option `salvage` opens the headers alone');
    }
    return new Database(connection, info);
  } catch (error) {
    connection.end();
    throw error;
  }
}

/**
 * Opens an opening book.
 * @param {import('./engine.js').Build} build
 * @param {import('./files.js').Source} source
 * @param {Pick<OpenOptions, 'worker'>} options
 * @returns {Promise<Book>}
 */
export async function openBookWith(build, source, { worker }) {
  const { files, main } = await readSource(platform, source);
  const connection = await start(build, worker);
  try {
    const { books, unread } = await offer(connection, files);
    if (!books) throw errorOf(unread?.[0] ?? { code: 'unknown', text: `${main ?? files[0].name}: not an opening book` });
    if (books.length > 1) throw errorOf({ code: 'several', text: 'several opening books; open them one after the other' });
    return new Book(connection, books[0]);
  } catch (error) {
    connection.end();
    throw error;
  }
}

/**
 * @param {import('./engine.js').Build} build
 * @param {boolean} [worker]
 */
function start(build, worker) {
  return worker ? connectWorker(platform, build) : connect(platform.module, build);
}

/** The files with the moves, of formats that open without them. All games would be empty. */
const WITH_MOVES = new Set(['cbg', '2cbg', 'dcg', 'scg']);

/**
 * @param {string} name the name of a file of the database
 * @param {string[]} suffixes
 * @param {string} [advice]
 */
function missingFiles(name, suffixes, advice = '') {
  const stem = name.replace(/[^.]*$/, '');
  const names = suffixes.map(suffix => (suffix.includes('.') ? suffix : stem + suffix));
  const text = `${name} is one of several files; also give ${names.join(', ')}, as in `
    + `open({ '${name}': bytes, '${names[0]}': bytes })${advice}`;
  return new MissingFileError('missing', text, { file: name, role: suffixes[0], roles: suffixes });
}

/**
 * Adds files to an engine, and returns the databases among them.
 * @param {import('./engine.js').Connection} connection
 * @param {{ name: string, bytes: Uint8Array }[]} files
 * @param {string} [password]
 */
async function offer(connection, files, password = '') {
  for (const { name, bytes } of files) await connection.add(name, bytes);
  return connection.ask({ op: 'bases', password });
}

/**
 * Returns the index of the database to open.
 * @param {any} answer the answer to `bases`
 * @param {string | null} name the name of a file
 * @param {boolean} isRequired whether a database must have this name
 */
function chosen({ bases, books, unread }, name, isRequired) {
  const wanted = name?.toLowerCase();
  const index = bases.findIndex((/** @type {any} */ base) => base.name?.toLowerCase() === wanted
    || base.files.some((/** @type {any} */ file) => file.name.toLowerCase() === wanted));
  if (index >= 0) return index;
  const names = bases.map((/** @type {any} */ base) => base.name).join(', ');
  if (isRequired) throw errorOf({ code: 'gone', text: `no database ${name} among ${names || 'the files'}` });
  if (!bases.length) {
    const text = books ? `${books[0].name} is an opening book (${books[0].format}); use \`openBook\`` : 'the files contain no database';
    throw errorOf(unread?.[0] ?? { code: 'unknown', text });
  }
  if (bases.length > 1) {
    throw errorOf({ code: 'several', text: `several databases: ${names}; choose one with the option \`database\`` });
  }
  return 0;
}
