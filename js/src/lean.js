// chessdb/lean: reads databases of the most common formats, with an engine of a quarter of the size.

import { build } from './builds/lean.js';
import { errorOf } from './errors.js';
import { openWith } from './open.js';

export { Database } from './database.js';
export {
  ChessdbError, DamagedError, LeanError, MissingFileError, PasswordError, UnknownFormatError,
} from './errors.js';
export { Game } from './game.js';

/** @typedef {import('./files.js').Source} Source */
/** @typedef {import('./files.js').NamedBytes} NamedBytes */
/** @typedef {import('./database.js').Finding} Finding */
/** @typedef {import('./game.js').Annotation} Annotation */
/** @typedef {import('./game.js').Evaluation} Evaluation */
/** @typedef {import('./game.js').Move} Move */
/** @typedef {import('./game.js').MoveFields} MoveFields */
/** @typedef {import('./game.js').Problem} Problem */
/** @typedef {import('./game.js').Shape} Shape */
/** @typedef {import('./errors.js').FailureDetail} FailureDetail */
/** @typedef {Omit<import('./open.js').OpenOptions, 'password' | 'full'>} OpenOptions */

const FORMATS = 'chessdb/lean reads PGN, SCID, CBH, 2CBH and CBF; the import chessdb reads all formats';

/** The codes of failures to open a database that another build can open. */
const OTHER_FORMAT = new Set(['feature', 'locked', 'packed']);

/**
 * Opens a database of PGN, SCID, CBH, 2CBH or CBF for reading.
 *
 * The database has the games as `open` of `chessdb` returns them. Searches, trees and conversions
 * throw a `LeanError`.
 *
 * @param {Source} source
 * @param {OpenOptions} [options]
 * @returns {Promise<import('./database.js').Database>}
 * @throws {import('./errors.js').LeanError} if it has a format that only `chessdb` reads
 * @throws {import('./errors.js').ChessdbError} if it cannot be opened for another reason
 * @example
 * const db = await open('games.cbh');
 * for await (const game of db) console.log(game.number, game.white, game.black, game.sans().join(' '));
 */
export async function open(source, options = {}) {
  try {
    return await openWith([build], source, options);
  } catch (error) {
    const { code, message, file } = /** @type {import('./errors.js').ChessdbError} */ (error);
    if (!OTHER_FORMAT.has(code) && code !== 'unknown') throw error;
    throw errorOf({
      code: code === 'unknown' ? code : 'lean', text: `${message}; ${FORMATS}`, detail: { file },
    });
  }
}
