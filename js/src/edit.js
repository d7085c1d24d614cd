// Changes of a database that are made together.

import { Game } from './game.js';
import { pgnOf } from './pgn.js';

/** @typedef {import('./database.js').Finding} Finding */
/** @typedef {import('./pgn.js').NewGame} NewGame */

/** @typedef {string | Game | NewGame} GameSource a game of a database or a new one; a text may contain several games */
/** @typedef {GameSource | Iterable<GameSource> | AsyncIterable<GameSource>} GameSources games, such as a `Database` */

/**
 * The result of changes.
 * @typedef {object} Change
 * @property {number} changed the number of changed games
 * @property {number} added the number of new games
 * @property {Finding[]} problems what was found in the new games. With the severity `lost`, something is missing
 */

/** Changes of a database, which `Database.edit` makes together. Games have their numbers from before. */
export class Edit {
  /** The edits in the order of the calls; texts of games may still be on their way. @type {Promise<unknown[][]>[]} */
  #edits = [];
  /** @type {Finding[]} */
  #problems = [];
  #indexOf;
  #isEnded = false;

  /**
   * Use `Database.edit`.
   * @param {(number: number) => number} indexOf
   */
  constructor(indexOf) {
    this.#indexOf = indexOf;
  }

  /**
   * Ends an edit, also the calls for which the program does not wait. Returns the edits as the engine reads them, and
   * what was found in their games.
   * @param {Edit} edit
   */
  static async end(edit) {
    edit.#isEnded = true;
    return { edits: (await Promise.all(edit.#edits)).flat(), problems: edit.#problems };
  }

  /**
   * Adds edits in their place, before they are complete.
   * @param {Promise<unknown[][]>} edits
   */
  #add(edits) {
    const added = edits.then(() => {});
    // `end` reports the error of a call for which the program does not wait.
    added.catch(() => {});
    if (this.#isEnded) throw new TypeError('the edit has ended; call `db.edit` again');
    this.#edits.push(edits);
    return added;
  }

  /**
   * Sets tags of a game. A tag with the value null is removed.
   * @param {number} number
   * @param {Record<string, string | number | null>} tags
   */
  tag(number, tags) {
    const pairs = Object.entries(tags).map(([name, value]) => [name, value == null ? null : String(value)]);
    this.#add(Promise.resolve([['tags', this.#indexOf(number), pairs]]));
  }

  /**
   * Sets and removes flags of a game.
   * @param {number} number
   * @param {string} set names with commas between them, such as `brilliancy,endgame`
   * @param {{ remove?: string }} [options]
   */
  flag(number, set, { remove = '' } = {}) {
    this.#add(Promise.resolve([['flags', this.#indexOf(number), set, remove]]));
  }

  /**
   * Marks a game as deleted.
   * @param {number} number
   */
  delete(number) {
    this.flag(number, 'deleted');
  }

  /**
   * Removes the mark of a deleted game.
   * @param {number} number
   */
  undelete(number) {
    this.flag(number, '', { remove: 'deleted' });
  }

  /**
   * Replaces a game. The new one must be intact. What was found in the old one remains among its problems until the
   * database is written and opened again.
   * @param {number} number
   * @param {GameSource} game
   * @returns {Promise<void>}
   */
  replace(number, game) {
    const index = this.#indexOf(number);
    return this.#add(this.#textOf(game).then(text => [['replace', index, text]]));
  }

  /**
   * Appends games. Games in PGN text may be damaged; other ones must be intact.
   * @param {GameSources} games
   * @returns {Promise<void>}
   */
  append(games) {
    return this.#add(this.#appended(games));
  }

  /**
   * @param {GameSources} games
   * @returns {Promise<unknown[][]>}
   */
  async #appended(games) {
    if (isOne(games)) {
      const isText = typeof games === 'string' || games instanceof Game;
      return [[isText ? 'append' : 'append-one', await this.#textOf(games)]];
    }
    if (!(Symbol.iterator in Object(games)) && !(Symbol.asyncIterator in Object(games))) throw refused(games);
    const edits = [];
    for await (const game of games) edits.push(...await this.#appended(game));
    return edits;
  }

  /** @param {GameSource} game */
  async #textOf(game) {
    if (typeof game === 'string') return game;
    if (!(game instanceof Game)) {
      if (isOne(game)) return pgnOf(game);
      throw refused(game);
    }
    for (const { severity, code, detail, text } of game.problems) {
      if (severity === 'note' || severity === 'repaired') continue;
      this.#problems.push({ severity: 'lost', code, detail, count: 1, first: [], text: `game ${game.number} of its database: ${text}` });
    }
    return game.toPgn();
  }
}

/**
 * @param {any} value
 * @returns {value is GameSource}
 */
function isOne(value) {
  return typeof value === 'string' || value instanceof Game || value != null && 'moves' in Object(value);
}

/** @param {unknown} value */
function refused(value) {
  return new TypeError(`${value === null ? 'null' : typeof value} is no game; a game is PGN text, a Game, or an object such as { moves: ['e4', 'e5'], headers: { White: 'Tal' } }`);
}
