// Opening a database with one of the builds of the engine.

import { Database } from './database.js';
import { connect, connectWorker } from './engine.js';
import { errorOf } from './errors.js';
import { filesOf } from './files.js';

/**
 * Options of `open`.
 * @typedef {object} OpenOptions
 * @property {string} [database] the name of the main file, if the files contain several databases
 * @property {string} [encoding] the code page of the texts, such as `windows-1252`; otherwise it is guessed
 * @property {string} [password] the password of a ChessBase archive
 * @property {boolean} [salvage] whether to search damaged files for games that their index does not list
 * @property {boolean} [worker] whether to read in a worker, so that this thread stays free
 */

/**
 * Opens a database with the first build; if that lacks its format, with the larger one.
 * @param {import('./engine.js').Build[]} builds the builds, the smaller one first
 * @param {import('./files.js').Source} source
 * @param {OpenOptions} options
 * @returns {Promise<Database>}
 */
export async function openWith([first, larger], source, { database, encoding, password, salvage, worker }) {
  const { files, main } = await filesOf(source);
  const start = worker ? connectWorker : connect;
  let connection = await start(first);
  try {
    let answer = await offer(connection, files, password);
    if (answer.lacking && larger) {
      connection.end();
      connection = await start(larger);
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
    const info = await connection.ask({ op: 'open', base, encoding: encoding ?? '', salvage: salvage ?? false });
    return new Database(connection, info);
  } catch (error) {
    connection.end();
    throw error;
  }
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
function chosen({ bases, unread }, name, isRequired) {
  const wanted = name?.toLowerCase();
  const index = bases.findIndex((/** @type {any} */ base) => base.name?.toLowerCase() === wanted
    || base.files.some((/** @type {any} */ file) => file.name.toLowerCase() === wanted));
  if (index >= 0) return index;
  const names = bases.map((/** @type {any} */ base) => base.name).join(', ');
  if (isRequired) throw errorOf({ code: 'gone', text: `no database ${name} among ${names || 'the files'}` });
  if (!bases.length) {
    const failure = unread?.[0] ?? { code: 'unknown', text: 'the files contain no database' };
    throw errorOf(failure);
  }
  if (bases.length > 1) {
    throw errorOf({ code: 'several', text: `several databases: ${names}; choose one with the option \`database\`` });
  }
  return 0;
}
