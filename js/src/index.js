// chessdb for JavaScript: opens, searches and converts chess databases in Node, Deno and browsers.

import { Database } from './database.js';
import { connect, connectWorker } from './engine.js';
import { errorOf } from './errors.js';
import { filesOf } from './files.js';

export { Database } from './database.js';
export {
  ChessdbError, DamagedError, MissingFileError, PasswordError, QueryError, UnknownFormatError,
} from './errors.js';
export { Game } from './game.js';

/** @typedef {import('./files.js').Source} Source */
/** @typedef {import('./files.js').NamedBytes} NamedBytes */
/** @typedef {import('./database.js').Conversion} Conversion */
/** @typedef {import('./database.js').Finding} Finding */
/** @typedef {import('./database.js').Loss} Loss */
/** @typedef {import('./database.js').Tree} Tree */
/** @typedef {import('./database.js').TreeMove} TreeMove */
/** @typedef {import('./game.js').Annotation} Annotation */
/** @typedef {import('./game.js').Evaluation} Evaluation */
/** @typedef {import('./game.js').Move} Move */
/** @typedef {import('./game.js').MoveFields} MoveFields */
/** @typedef {import('./game.js').Problem} Problem */
/** @typedef {import('./game.js').Shape} Shape */
/** @typedef {import('./receiver.js').NewFile} NewFile */
/** @typedef {import('./errors.js').FailureDetail} FailureDetail */

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
 * Opens a database.
 *
 * @param {Source} source
 * @param {OpenOptions} [options]
 * @returns {Promise<Database>}
 * @throws {import('./errors.js').ChessdbError} if it cannot be opened
 * @example
 * const db = await open('games.cbh');
 * for await (const game of db.games({ query: 'white:carlsen' })) {
 *   console.log(game.number, game.white, game.black, game.result, game.sans().join(' '));
 * }
 */
export async function open(source, { database, encoding, password, salvage, worker } = {}) {
  const { files, main } = await filesOf(source);
  const start = worker ? connectWorker : connect;
  let connection = await start('engine');
  try {
    let answer = await offer(connection, files, password);
    if (answer.lacking) {
      // Formats in SQLite and Parquet files need the larger engine.
      connection.end();
      connection = await start('full');
      answer = await offer(connection, files, password);
    }
    if (answer.locked) {
      const text = password ? `${answer.locked}: wrong password` : `${answer.locked}: a password is required`;
      throw errorOf({ code: 'locked', text, detail: { file: answer.locked } });
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
 * Writes all games of a database in another format.
 * @param {Database} database
 * @param {string} format the id of the format, such as `si4`
 * @param {{ name?: string }} [options]
 * @returns {Promise<Conversion>}
 */
export function convert(database, format, options) {
  return database.convert(format, options);
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
 * @param {boolean} isRequired whether the name must be that of a database
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
