// An open database.

import { Edit } from './edit.js';
import { errorOf, QueryError } from './errors.js';
import { Game } from './game.js';

/** @typedef {import('./engine.js').Connection} Connection */
/** @typedef {import('./edit.js').Change} Change */
/** @typedef {import('./edit.js').GameSource} GameSource */
/** @typedef {import('./edit.js').GameSources} GameSources */
/** @typedef {import('./receiver.js').NewFile} NewFile */

/**
 * A kind of finding about a database or a conversion.
 * @typedef {object} Finding
 * @property {'note' | 'repaired' | 'lost'} severity
 * @property {string} code a stable identifier of the kind
 * @property {string} detail
 * @property {number} count how often it was found
 * @property {string} [text] the first finding of the kind
 * @property {number[]} first the numbers of the first games with it, from 1
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

/** @typedef {'strict' | 'sure' | 'likely'} DuplicateRule how certain it is that two games are one */

/**
 * The games to convert.
 * @typedef {object} Selection
 * @property {string} [query] only the games that match
 * @property {Iterable<number>} [numbers] only these games, in this order
 * @property {DuplicateRule} [dedupe] without the duplicates among all games by this rule
 * @property {AbortSignal} [signal] ends the searches
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
    this.problems = info.faults.map(numbered);
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
    let matches = query == null ? null : await this.matches(query, { signal });
    matches = matches && matches.filter(({ number }) => number >= from);
    const last = matches ? matches.length : this.length;
    let next = matches ? 0 : Math.max(0, from - 1);
    while (next < last) {
      signal?.throwIfAborted();
      const batch = matches?.slice(next, next + BATCH);
      const what = batch ? { games: batch.map(({ number }) => number - 1) } : { from: next, count: Math.min(BATCH, last - next) };
      const answer = await this.#ask({ op: 'games', ...what, positions });
      if (!answer.games.length) return;
      for (const [place, data] of answer.games.entries()) yield new Game(this, data, batch?.[place].ply);
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
  async find(query, options) {
    return (await this.matches(query, options)).map(({ number }) => number);
  }

  /**
   * Returns the games that match a query. If it is about a position, `ply` is the number of half-moves before the
   * first position that matches.
   * @param {string} query
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ number: number, ply: number | null }[]>}
   * @throws {QueryError} if the query cannot be parsed
   */
  async matches(query, { signal } = {}) {
    this.#needsMoreThanReading('a search');
    const check = await this.#ask({ op: 'query', text: query });
    if (!check.ok) throw new QueryError(check.message, check.from, check.to);
    if (check.empty) return Array.from({ length: this.length }, (_, n) => ({ number: n + 1, ply: null }));
    const { games, plies } = await this.#run({ task: 'filter', query, indices: true }, signal);
    return games.map((/** @type {number} */ index, /** @type {number} */ n) => ({ number: index + 1, ply: plies[n] }));
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
   * @param {{ query?: string, signal?: AbortSignal }} [options] `query` restricts the games
   * @returns {Promise<Tree>}
   */
  async tree(fen = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1', { query, signal } = {}) {
    this.#needsMoreThanReading('a tree');
    const games = await this.#chosen({ query, signal });
    const { reached, moves, opening } = await this.#run({ task: 'tree', fen, ...games }, signal);
    return { games: reached, moves, eco: opening?.[0] ?? null, opening: opening?.[1] ?? null };
  }

  /**
   * Returns the games that others make unnecessary, with the numbers of the games that stay.
   * @param {DuplicateRule} [by]
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ number: number, kept: number }[]>}
   */
  async duplicates(by = 'sure', { signal } = {}) {
    this.#needsMoreThanReading('a search for duplicates');
    /** @type {{ groups: number[][] }} */
    const { groups } = await this.#run({ task: 'duplicates', rule: by, indices: true }, signal);
    return groups.flatMap(([kept, ...others]) => others.map(index => ({ number: index + 1, kept: kept + 1 })));
  }

  /**
   * Returns the games of a selection, as a member of a request.
   * @param {Selection} selection
   * @returns {Promise<{ games?: number[] }>}
   */
  async #chosen({ query, numbers, dedupe, signal }) {
    if (query == null && numbers == null && dedupe == null) return {};
    let games = [...numbers ?? Array.from({ length: this.length }, (_, n) => n + 1)];
    if (query != null) {
      const matching = new Set(await this.find(query, { signal }));
      games = games.filter(number => matching.has(number));
    }
    if (dedupe != null) {
      const removed = new Set((await this.duplicates(dedupe, { signal })).map(({ number }) => number));
      games = games.filter(number => !removed.has(number));
    }
    return { games: games.map(number => this.#index(number)) };
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
   * Makes changes in memory, all of them or, if one is impossible, none. `convert` writes them.
   *
   * Other games keep their numbers; new ones are the last.
   * @param {(edit: Edit) => void | Promise<void>} change
   * @returns {Promise<Change>}
   * @example
   * await db.edit(async edit => {
   *   edit.tag(3, { White: 'Tal, Mihail', Annotator: null });
   *   await edit.append({ moves: ['e4', 'c5'], headers: { White: 'Tal' }, result: '1-0' });
   * });
   */
  async edit(change) {
    this.#needsMoreThanReading('a change');
    const edit = new Edit(number => this.#index(number));
    await change(edit);
    const { edits, problems } = await Edit.end(edit);
    const { changed, added, found, edits: { games } } = await this.#ask({ op: 'change', edits });
    this.length = games;
    return { changed, added, problems: [...problems, ...found.map(numbered)] };
  }

  /**
   * Appends games in memory. Games in PGN text may be damaged: the result lists what is missing.
   * @param {GameSources} games PGN text, games of a database, new games, or several of these
   * @returns {Promise<Change>}
   */
  append(games) {
    return this.edit(edit => edit.append(games));
  }

  /**
   * Replaces a game in memory. The new game must be intact.
   * @param {number} number
   * @param {GameSource} game
   * @returns {Promise<Change>}
   */
  replace(number, game) {
    return this.edit(edit => edit.replace(number, game));
  }

  /**
   * Takes back the last change. Returns whether there was one.
   * @returns {Promise<boolean>}
   */
  undo() {
    return this.#step('undo');
  }

  /**
   * Repeats the last change that was taken back. Returns whether there was one.
   * @returns {Promise<boolean>}
   */
  redo() {
    return this.#step('redo');
  }

  /** @param {'undo' | 'redo'} op */
  async #step(op) {
    this.#needsMoreThanReading('a change');
    const { same, edits } = await this.#ask({ op });
    this.length = edits.games;
    return !same;
  }

  /**
   * Writes games in another format, or in the same one with all changes.
   * @param {string} format the id of the format, one of `targets`
   * @param {{ name?: string } & Selection} [options] `name` is the name of the new files without suffix; by default that
   *   of this database
   * @returns {Promise<Conversion>}
   */
  async convert(format, { name = stem(this.name), ...selection } = {}) {
    if (this.#isClosed) throw errorOf({ code: 'closed', text: 'the database is closed' });
    this.#needsMoreThanReading('a conversion');
    const games = await this.#chosen(selection);
    const { answer, files } = await this.#connection.save({ format, ...games, scope: 'all', in: this.#in });
    const { report } = answer;
    return {
      files: files.map(({ name: suffix, bytes }) => ({ name: `${name}.${suffix}`, bytes })),
      games: report.written,
      lossyGames: report.lossy,
      losses: report.losses,
      problems: report.found.map(numbered),
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

/**
 * Returns a finding with the numbers of games in place of their indexes.
 * @param {any} finding
 * @returns {Finding}
 */
function numbered({ severity, code, detail, count, text, first }) {
  const numbers = first.filter(Number.isInteger).map((/** @type {number} */ index) => index + 1);
  return { severity, code, detail, count, first: numbers, text: text ?? first[0] };
}

/** @param {string} name */
function stem(name) {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  return last.replace(/\.[^.]*$/, '') || 'games';
}
