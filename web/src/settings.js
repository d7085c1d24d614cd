// How the reader has arranged the page. It is stored on this device only after the reader agreed to that.

import { el } from './dom.js';
import { t } from './lang.js';
import { served } from './remote.js';

const KEY = 'chessdb.layout';
/** The sizes of text, as shares of the browser's own. */
export const TEXT_SIZES = [0.875, 1, 1.15, 1.3];
/** The seconds for a move of a game that plays by itself. */
export const PACES = [0.5, 1, 2, 4, 8];
/** How the moves are set: as text, or in two columns. */
export const NOTATIONS = /** @type {const} */ (['text', 'columns']);
/** The colours of the board. */
export const BOARDS = /** @type {const} */ (['paper', 'wood', 'blue', 'green', 'grey']);
export const SIDES = /** @type {const} */ (['l', 'r', 't']);
const NARROWEST = 24;
const WIDEST = 1200;

/** @import { OwnColumn } from './types.d.ts' */
/** @typedef {{ text: number, columns: OwnColumn[] | null, sides: Partial<Record<'l' | 'r' | 't', number>>, pace: number, notation: typeof NOTATIONS[number], board: typeof BOARDS[number] }} Settings */

/** @type {(value: any, least: number, most: number) => boolean} */
const isWithin = (value, least, most) => Number.isFinite(value) && value >= least && value <= most;

/** Whether a value of a setting is possible; anything may be in the browser's store.
 * @type {Record<keyof Settings, (value: any) => boolean>} */
const POSSIBLE = {
  text: value => Number.isInteger(value) && isWithin(value, 0, TEXT_SIZES.length - 1),
  columns: value => value === null || (Array.isArray(value) && value.length > 0 && value.length <= 64 && value.every(one =>
    typeof one?.id === 'string' && one.id.length < 100 && isWithin(one.width, NARROWEST, WIDEST))),
  sides: value => value && typeof value === 'object' && Object.entries(value).every(([side, share]) =>
    SIDES.some(one => one === side) && isWithin(share, 0.05, 0.9)),
  pace: value => PACES.includes(value),
  notation: value => NOTATIONS.includes(value),
  board: value => BOARDS.includes(value),
};
/** @type {Settings} */
const DEFAULTS = { text: 1, columns: null, sides: {}, pace: 1, notation: 'text', board: 'paper' };

const NAMES = /** @type {(keyof Settings)[]} */ (Object.keys(DEFAULTS));

const values = { ...DEFAULTS };
/** @type {((name: keyof Settings) => void)[]} */
const hearers = [];
let isRemembered = false;
let wasAsked = false;

/** The width of a column in pixels, within what is possible.
 * @param {number} width */
export const columnWidth = width => Math.round(Math.max(NARROWEST, Math.min(WIDEST, width)));

/** @type {<K extends keyof Settings>(name: K) => Settings[K]} */
export const setting = name => values[name];
export const remembers = () => isRemembered;

/** The browser's store, unless it forbids that. The program's page has another address every time. */
function store() {
  if (served) return null;
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}

export const canRemember = () => store() != null;

/** Calls `act(name)` after each change.
 * @param {(name: keyof Settings) => void} act */
export const onSetting = act => { hearers.push(act); };

function write() {
  try {
    store()?.setItem(KEY, JSON.stringify(values));
    return true;
  } catch {
    return false;
  }
}

/** Changes a setting. Unless `quiet`, the first change asks whether to store the layout.
 * @template {keyof Settings} K
 * @param {K} name
 * @param {Settings[K]} value
 * @param {boolean} [quiet] */
export function change(name, value, quiet) {
  if (!POSSIBLE[name](value)) return;
  values[name] = value;
  for (const act of hearers) act(name);
  if (isRemembered) write();
  else if (!quiet) ask();
}

/** Stores the layout from now on, or forgets it.
 * @param {boolean} wanted */
export function remember(wanted) {
  isRemembered = wanted && store() != null && write();
  if (!isRemembered) {
    try {
      store()?.removeItem(KEY);
    } catch {
      // If the storage is not accessible, nothing was stored either.
    }
  }
  wasAsked = true;
  return isRemembered;
}

/** Everything as at the first visit. */
export function resetLayout() {
  for (const name of NAMES) change(name, DEFAULTS[name], true);
}

function ask() {
  if (wasAsked || !canRemember()) return;
  wasAsked = true;
  /** @param {boolean} wanted */
  const answer = wanted => { if (wanted) remember(true); box.remove(); };
  const box = el('div', { class: 'ask', role: 'group', 'aria-label': t('layout.ask') },
    el('p', { role: 'status' }, t('layout.ask')),
    el('button', { class: 'btn main', type: 'button', on: { click: () => answer(true) } }, t('layout.yes')),
    el('button', { class: 'btn', type: 'button', on: { click: () => answer(false) } }, t('layout.no')));
  box.addEventListener('keydown', event => {
    if (event.key === 'Escape') answer(false);
    event.stopPropagation();
  });
  document.body.append(box);
}

/** Reads what an earlier visit stored. */
export function readSettings() {
  try {
    const known = JSON.parse(store()?.getItem(KEY) ?? 'null');
    if (!known || typeof known !== 'object') return;
    isRemembered = true;
    for (const name of NAMES) if (name in known && POSSIBLE[name](known[name])) Object.assign(values, { [name]: known[name] });
  } catch {
    // Damaged or forbidden: as at the first visit.
  }
}
