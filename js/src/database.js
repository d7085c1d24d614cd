// An open database.

import { errorOf, QueryError } from './errors.js';
import { Game } from './game.js';

/** @typedef {import('./engine.js').Connection} Connection */
/** @typedef {import('./receiver.js').NewFile} NewFile */

/**
 * A kind of finding about a database or a conversion.
 * @typedef {object} Finding
 * @property {'note' | 'repaired' | 'lost'} severity
 * @property {string} code a stable identifier of the kind
 * @property {string} detail
 * @property {number} count how often it was found
 * @property {string} [text] the first finding of the kind
 */

/**
 * A kind of loss: what the target format cannot hold.
 * @typedef {object} Loss
 * @property {string} code a stable identifier of the kind
 * @property {string} text
 * @property {number} count how often it occurred
 * @property {number} games in how many games
 * @property {number[]} first the numbers of the first games, from 1
 */

/**
 * A written database and what was lost.
 * @typedef {object} Conversion
 * @property {NewFile[]} files the files, with names
 * @property {number} games the number of games written
 * @property {number} lossyGames the number of games with a loss
 * @property {Loss[]} losses what the target format cannot hold
 * @property {Finding[]} problems what was found while reading
 * @property {boolean} isIncomplete whether games or parts of games could not be read or written
 */

/**
 * A move in a tree.
 * @typedef {object} TreeMove
 * @property {string} san
 * @property {string} uci
 * @property {string} fen the position after the move
 * @property {string | null} name the name of the opening
 * @property {number} games
 * @property {number} white the number of games that White won
 * @property {number} draws
 * @property {number} black
 * @property {number | null} score the share of points of the side to move, from 0 to 1
 * @property {number | null} elo the average rating of the side to move
 * @property {number | null} last the last year
 */

/** @typedef {{ games: number, moves: TreeMove[], eco: string | null, opening: string | null }} Tree */

/** The number of games that are read at a time; the engine may answer with fewer. */
const BATCH = 256;
/** The number of milliseconds after which other code gets a turn. */
const TURN = 24;

export class Database {
  #connection;
  #in;
  #isClosed = false;
  #onlyReads;

  /**
   * Use `open`.
   * @param {Connection} connection
   * @param {any} info
   */
  constructor(connection, info) {
    this.#connection = connection;
    this.#in = info.in;
    /** The name of the main file. @type {string} */
    this.name = info.name;
    /** The format: its id, such as `cbh`, and its name. @type {{ id: string, name: string }} */
    this.format = { id: info.format.id, name: info.format.name };
    /** The number of games. @type {number} */
    this.length = info.games;
    /** @type {string | null} */
    this.title = info.title;
    /** The findings while the database was opened. @type {Finding[]} */
    this.problems = info.faults;
    /** The suffixes of files that belong to the database and were not given. @type {string[]} */
    this.missing = info.missing;
    /** The code page of its texts; null if they are in UTF-8. @type {{ page: string, confidence: number, doubtful: boolean } | null} */
    this.charset = info.charset && {
      page: info.charset.page, confidence: info.charset.confidence, doubtful: info.charset.doubtful,
    };
    /** The ids of the formats that `convert` writes. @type {string[]} */
    this.targets = (info.abilities?.formats ?? [])
      .filter((/** @type {any} */ format) => !format.lacking)
      .map((/** @type {any} */ format) => format.id);
    this.#onlyReads = !info.abilities;
  }

  /**
   * Throws an error if the engine is the lean build.
   * @param {string} what
   */
  #needsMoreThanReading(what) {
    if (this.#onlyReads) throw errorOf({ code: 'lean', text: `chessdb/lean only reads; ${what} needs the import chessdb` });
  }

  /** @param {Record<string, unknown>} request */
  async #ask(request) {
    if (this.#isClosed) throw errorOf({ code: 'closed', text: 'the database is closed' });
    return this.#connection.ask({ ...request, in: this.#in });
  }

  /**
   * Runs a task of the engine in steps, between which other code gets a turn.
   * @param {Record<string, unknown>} request
   * @param {AbortSignal} [signal]
   */
  async #run(request, signal) {
    const { task } = await this.#ask({ op: 'start', ...request });
    let most = 64;
    while (true) {
      if (signal?.aborted) {
        await this.#ask({ op: 'stop', task });
        throw signal.reason;
      }
      const before = performance.now();
      const state = await this.#ask({ op: 'step', task, most });
      if (state.done) return state.result;
      const took = performance.now() - before;
      if (took < TURN / 2) most = Math.min(1 << 20, most * 2);
      else if (took > TURN * 2) most = Math.max(16, most >> 1);
      await new Promise(resolve => setTimeout(resolve));
    }
  }

  /** @param {number} number */
  #index(number) {
    if (!Number.isInteger(number) || number < 1 || number > this.length) {
      throw new RangeError(`game ${number}: the database has games 1 to ${this.length}`);
    }
    return number - 1;
  }

  /**
   * Returns a game, with the position after each move.
   * @param {number} number from 1
   * @returns {Promise<Game>}
   */
  async game(number) {
    const answer = await this.#ask({ op: 'games', from: this.#index(number), count: 1, positions: true });
    return new Game(this, answer.games[0]);
  }

  /**
   * Iterates over the games, or over those that match a query. A damaged game is not skipped: its
   * `problems` list what is missing.
   * @param {object} [options]
   * @param {string} [options.query] such as `white:carlsen year:2013..`
   * @param {number} [options.from] the number of the first game, from 1
   * @param {boolean} [options.positions] whether each move has the position after it
   * @param {AbortSignal} [options.signal]
   * @returns {AsyncGenerator<Game, void, void>}
   */
  async *games({ query, from = 1, positions = false, signal } = {}) {
    let numbers = query == null ? null : await this.find(query, { signal });
    numbers = numbers && numbers.filter(number => number >= from);
    const last = numbers ? numbers.length : this.length;
    let next = numbers ? 0 : Math.max(0, from - 1);
    while (next < last) {
      signal?.throwIfAborted();
      const games = numbers && numbers.slice(next, next + BATCH).map(number => number - 1);
      const what = games ? { games } : { from: next, count: Math.min(BATCH, last - next) };
      const answer = await this.#ask({ op: 'games', ...what, positions });
      if (!answer.games.length) return;
      for (const data of answer.games) yield new Game(this, data);
      next += answer.games.length;
    }
  }

  [Symbol.asyncIterator]() {
    return this.games();
  }

  /**
   * Returns the numbers of the games that match a query.
   * @param {string} query
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number[]>}
   * @throws {QueryError} if the query cannot be parsed
   */
  async find(query, { signal } = {}) {
    this.#needsMoreThanReading('a search');
    const check = await this.#ask({ op: 'query', text: query });
    if (!check.ok) throw new QueryError(check.message, check.from, check.to);
    if (check.empty) return Array.from({ length: this.length }, (_, n) => n + 1);
    const { games } = await this.#run({ task: 'filter', query, indices: true }, signal);
    return games.map((/** @type {number} */ index) => index + 1);
  }

  /**
   * Returns the number of games that match a query.
   * @param {string} query
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>}
   */
  async count(query, options) {
    return (await this.find(query, options)).length;
  }

  /**
   * Returns the moves that were played in a position.
   * @param {string} [fen] the position; by default the start position of chess
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Tree>}
   */
  async tree(fen = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', { signal } = {}) {
    this.#needsMoreThanReading('a tree');
    const { reached, moves, opening } = await this.#run({ task: 'tree', fen }, signal);
    return { games: reached, moves, eco: opening?.[0] ?? null, opening: opening?.[1] ?? null };
  }

  /**
   * Returns a game as PGN.
   * @param {number} number from 1
   * @returns {Promise<string>}
   */
  async pgn(number) {
    const { text } = await this.#ask({ op: 'pgn', game: this.#index(number) });
    return text;
  }

  /**
   * Writes all games in another format.
   * @param {string} format the id of the format, one of `targets`
   * @param {object} [options]
   * @param {string} [options.name] the name of the new files without suffix; by default the name of this database
   * @returns {Promise<Conversion>}
   */
  async convert(format, { name = stem(this.name) } = {}) {
    if (this.#isClosed) throw errorOf({ code: 'closed', text: 'the database is closed' });
    this.#needsMoreThanReading('a conversion');
    const { answer, files } = await this.#connection.save({ format, scope: 'all', in: this.#in });
    const { report } = answer;
    return {
      files: files.map(({ name: suffix, bytes }) => ({ name: `${name}.${suffix}`, bytes })),
      games: report.written,
      lossyGames: report.lossy,
      losses: report.losses,
      problems: report.found,
      isIncomplete: report.incomplete,
    };
  }

  /** Frees the memory of the database. Its games stay usable. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.end();
  }
}

/** @param {string} name */
function stem(name) {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  return last.replace(/\.[^.]*$/, '') || 'games';
}
