// An opening book.

import { errorOf } from './errors.js';

/** @typedef {import('./engine.js').Connection} Connection */

/**
 * A move of a book.
 * @typedef {object} BookMove
 * @property {string} san
 * @property {string} uci
 * @property {string} fen the position after the move
 * @property {string | null} name the name of the opening
 * @property {number} share the share of the weights of all moves, from 0 to 1
 * @property {number | null} games the number of games with the move; null in a format that counts none
 * @property {number} white the number of games that White won
 * @property {number} draws
 * @property {number} black
 * @property {number} nag the sign of the move, as a Numeric Annotation Glyph; 0 if it has none
 * @property {'main' | 'avoid' | 'deleted' | null} mark what the author of the book says about the move
 */

export class Book {
  #connection;
  #isClosed = false;

  /**
   * Use `openBook`.
   * @param {Connection} connection
   * @param {any} info
   */
  constructor(connection, info) {
    this.#connection = connection;
    /** The name of the file. @type {string} */
    this.name = info.name;
    /** @type {'CTG' | 'Polyglot' | 'ABK'} */
    this.format = info.format;
    /** The number of positions, if the format knows it. @type {number | null} */
    this.positions = info.positions;
    /** What is damaged; null for an intact book. @type {string | null} */
    this.problem = info.finding;
  }

  /**
   * Returns the moves of a position, the one with the highest weight first; none if the book does not have the position.
   * @param {string} fen
   * @returns {Promise<BookMove[]>}
   */
  async moves(fen) {
    if (this.#isClosed) throw errorOf({ code: 'closed', text: 'the book is closed' });
    const [{ moves }] = await this.#connection.ask({ op: 'books', fen });
    return moves ?? [];
  }

  /** Frees the memory of the book. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.end();
  }
}
