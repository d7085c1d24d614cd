// The state: the open database and the shown view. A module owns some of the fields and alone changes them; the others read them here, and
// may hear of changes.

import { makeGame } from './game.js';

/** @import { GameData, Line, LineMove, Parts, State } from './types.d.ts' */

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
export const EMPTY = makeGame(/** @type {GameData} */ (/** @type {unknown} */ ({ start: START, tokens: [], white: '', black: '', result: '*' })));

/** Fields that are read by all, and changed only through the function that `own` returns to their owner.
 * @template {object} F
 * @param {F} fields */
function makeStore(fields) {
  /** @type {Set<keyof F>} */
  const owned = new Set();
  /** @type {Map<keyof F, (() => void)[]>} */
  const hearers = new Map();
  /** Returns the function that changes these fields. A field has one owner.
   * @template {keyof F} K
   * @param {...K} names
   * @returns {(changes: { [N in K]?: F[N] }) => void} */
  function own(...names) {
    for (const name of names) {
      if (owned.has(name)) throw new Error(`${String(name)} has an owner already`);
      owned.add(name);
    }
    return changes => {
      Object.assign(fields, changes);
      for (const name of /** @type {K[]} */ (Object.keys(changes))) for (const act of hearers.get(name) ?? []) act();
    };
  }
  /** Calls `act` after each assignment to a field, also of an equal value.
   * @param {keyof F} name
   * @param {() => void} act */
  function on(name, act) {
    hearers.set(name, [...hearers.get(name) ?? [], act]);
  }
  return { fields: /** @type {Readonly<F>} */ (fields), own, on };
}

const state = makeStore(/** @type {State} */ ({
  // Owned by opening.js: the database.
  files: null, password: '', bases: [], number: 0, encoding: '', info: null, opened: 0, keys: [], error: null,
  // By frame.js.
  view: 'games',
  // By games.js: the filtered games, the game, its position, and the line of the tree.
  query: '', listed: 0, counting: false, order: ['number', false], game: null, node: null, line: null,
  // By keys.js.
  flipped: false, fast: false, letters: true,
  // By dialog.js and pages.js: the open dialog, and the answer of the check.
  dialog: null, health: null,
  // By edit.js: the edited copy.
  edits: { unsaved: 0, first: [], edited: false, undo: false, redo: false, games: 0, listed: 0 },
}));
export const S = state.fields;
export const { own, on } = state;

/** The panes of frame.js, once a database is open; the worker of opening.js, from the start. */
const panes = makeStore(/** @type {Parts} */ ({}));
export const parts = panes.fields;
export const ownParts = panes.own;

/** Whether one pane fills the screen, as in frame.css. */
export const phone = () => innerWidth < 720 || innerHeight < 500;

/** A move as a line keeps it.
 * @param {LineMove} move
 * @returns {LineMove} */
export const keep = ({ san, uci, fen, number, black }) => ({ san, uci, fen, number, black });

/** The last position of a line.
 * @param {Line} line */
export const endOf = line => line.moves.at(-1)?.fen ?? line.start;

/** The position on the board. */
export const here = () => (S.view === 'tree' ? endOf(/** @type {Line} */ (S.line)) : S.node?.fen ?? START);
