// chessdb for JavaScript: opens, searches and converts chess databases in Node, Deno and browsers.

import { build as engine } from './builds/engine.js';
import { build as full } from './builds/full.js';
import { Database } from './database.js';
import { openBookWith, openWith } from './open.js';

export { Book } from './book.js';
export { Database };
export { Edit } from './edit.js';
export {
  ChessdbError, DamagedError, LeanError, MissingFileError, PasswordError, QueryError, UnknownFormatError,
} from './errors.js';
export { Game } from './game.js';

/** @typedef {import('./files.js').Source} Source */
/** @typedef {import('./files.js').NamedBytes} NamedBytes */
/** @typedef {import('./files.js').Content} Content */
/** @typedef {import('./book.js').BookMove} BookMove */
/** @typedef {import('./database.js').Conversion} Conversion */
/** @typedef {import('./database.js').Finding} Finding */
/** @typedef {import('./database.js').Loss} Loss */
/** @typedef {import('./database.js').Selection} Selection */
/** @typedef {import('./database.js').Tree} Tree */
/** @typedef {import('./database.js').TreeMove} TreeMove */
/** @typedef {import('./edit.js').Change} Change */
/** @typedef {import('./edit.js').GameSource} GameSource */
/** @typedef {import('./edit.js').GameSources} GameSources */
/** @typedef {import('./pgn.js').NewGame} NewGame */
/** @typedef {import('./pgn.js').NewMove} NewMove */
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
 * @returns {Promise<Database>}
 * @throws {import('./errors.js').ChessdbError} if it cannot be opened
 * @example
 * const db = await open('games.cbh');
 * for await (const game of db.games({ query: 'white:carlsen' })) {
 *   console.log(game.number, game.white, game.black, game.result, game.sans().join(' '));
 * }
 */
export function open(source, options = {}) {
  return openWith(options.full ? [full] : [engine, full], source, options);
}

/**
 * Opens an opening book: CTG, Polyglot or ABK.
 * @param {Source} source
 * @param {Pick<OpenOptions, 'worker'>} [options]
 * @returns {Promise<import('./book.js').Book>}
 * @throws {import('./errors.js').ChessdbError} if it is not a book
 * @example
 * const book = await openBook('book.bin');
 * for (const { san, share } of await book.moves(game.startFen)) console.log(san, share);
 */
export function openBook(source, options = {}) {
  return openBookWith(engine, source, options);
}

/**
 * Creates a database without games, to which games can be appended.
 * @param {Pick<OpenOptions, 'worker' | 'full'>} [options]
 * @returns {Promise<Database>}
 */
export function create(options) {
  return open({ 'games.pgn': '' }, options);
}

/**
 * Writes games in a format: those of a database, or any others.
 * @param {Database | import('./edit.js').GameSources} games
 * @param {string} format the id of the format, such as `si4`
 * @param {Parameters<Database['convert']>[1]} [options]
 * @returns {Promise<Conversion>}
 * @example
 * const { files } = await convert([{ moves: ['e4', 'e5'], headers: { White: 'Tal' } }], 'si4');
 */
export async function convert(games, format, options) {
  if (games instanceof Database) return games.convert(format, options);
  let database = await create();
  if (!database.targets.includes(format)) {
    database.close();
    database = await create({ full: true });
  }
  try {
    const { problems } = await database.append(games);
    const conversion = await database.convert(format, options);
    return { ...conversion, problems: [...problems, ...conversion.problems] };
  } finally {
    database.close();
  }
}
