// chessdb for JavaScript: opens, searches and converts chess databases in Node, Deno and browsers.

import { build as engine } from './builds/engine.js';
import { build as full } from './builds/full.js';
import { openWith } from './open.js';

export { Database } from './database.js';
export {
  ChessdbError, DamagedError, LeanError, MissingFileError, PasswordError, QueryError, UnknownFormatError,
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
/** @typedef {import('./open.js').OpenOptions} OpenOptions */

/**
 * Opens a database.
 *
 * @param {Source} source
 * @param {OpenOptions} [options]
 * @returns {Promise<import('./database.js').Database>}
 * @throws {import('./errors.js').ChessdbError} if it cannot be opened
 * @example
 * const db = await open('games.cbh');
 * for await (const game of db.games({ query: 'white:carlsen' })) {
 *   console.log(game.number, game.white, game.black, game.result, game.sans().join(' '));
 * }
 */
export function open(source, options = {}) {
  return openWith([engine, full], source, options);
}

/**
 * Writes all games of a database in another format.
 * @param {import('./database.js').Database} database
 * @param {string} format the id of the format, such as `si4`
 * @param {{ name?: string }} [options]
 * @returns {Promise<Conversion>}
 */
export function convert(database, format, options) {
  return database.convert(format, options);
}
