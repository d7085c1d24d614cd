// The databases that are open next to each other: what each looked like when it was left, and how to get there.

import { $, baseName, el, foreign, ico, tame } from './dom.js';
import { nf, t } from './lang.js';
import { S } from './state.js';
import { closeCurrent, other, turnTo } from './commands.js';
import { served } from './remote.js';
import { dropEdits, redoEdits } from './edit.js';

/** @import { Bases, Info, NamedFile, State, Tab } from './types.d.ts' */
/** @import { Engine } from './engine.js' */
/** @typedef {(list: NamedFile[], password: string) => Promise<Bases>} Bring */

/** @type {(keyof State)[]} */
const DATABASE = ['files', 'password', 'number', 'encoding', 'info', 'opened', 'view'];
/** @type {(keyof State)[]} */
const GAMES = ['query', 'listed', 'counting', 'order', 'game', 'node', 'line'];
/** @param {(keyof State)[]} names
 * @returns {any} */
const pick = names => Object.fromEntries(names.map(name => [name, S[name]]));

/** Each tab: `n`, the number of its database in the session; `age` of the module that has it open; `database` and
 * `games`, the state when it was left; whether it was made here, and changed since it was saved.
 * @type {Tab[]} */
export const list = [];
/** @type {Tab | null} */
let current = null;
/** @type {Engine} */
let engine;
/** @type {Bring} */
let bring;
/** @type {HTMLElement} */
let pane;

/** Called by app.js before anything is opened.
 * @param {{ engine: Engine, bring: Bring }} given */
export function connect(given) {
  ({ engine, bring } = given);
}

/** Whether a tab has games that are nowhere else.
 * @param {Tab} tab */
const isChanged = tab => tab.unsaved || tab.isEdited;
/** @param {Tab} tab */
const infoOf = tab => (tab === current && S.info ? S.info : tab.database.info);
/** @param {Tab} tab */
const nameOf = tab => tame(baseName(infoOf(tab).name));

/** The number of the database that is shown. */
export const number = () => current?.n ?? null;
/** @param {number | null | undefined} n */
export const at = n => list.find(tab => tab.n === n);
export const others = () => list.filter(tab => tab !== current);
export const title = nameOf;
/** @param {Tab} tab */
export const gamesOf = tab => infoOf(tab).games;
/** @param {number | null} n */
export const isNew = n => Boolean(at(n)?.isNew);
export const isUnsaved = () => list.some(isChanged);

/** The tab of the database with this number among those that the program offers.
 * @param {number} offered */
export const of = offered => list.find(tab => !tab.isNew && tab.database?.number === offered);

/** Notes the state of the database that is shown. */
export function begin() {
  if (current && S.info) Object.assign(current, { database: pick(DATABASE), games: pick(GAMES) });
}

/** No database is shown any more; all stay open. */
export function leave() {
  begin();
  current = null;
}

/** A database was opened, or opened again, and is shown.
 * @param {Info} info */
export function opened(info) {
  current = at(info.in) ?? added(info);
  current.age = engine.age;
  draw();
}

/** @param {Info} info
 * @param {NamedFile[]} [files]
 * @returns {Tab} */
function added(info, files = []) {
  /** @type {Tab} */
  const tab = {
    n: info.in, age: engine.age, isNew: info.isNew, unsaved: false, isEdited: false,
    database: { files, password: '', number: 0, encoding: '', info, opened: 1, view: 'games' },
    games: { query: '', listed: info.games, counting: false, order: ['number', false], game: null, node: null, line: null },
  };
  const place = list.findIndex(one => one.n === tab.n);
  list.splice(place < 0 ? list.length : place, place < 0 ? 0 : 1, tab);
  return tab;
}

/** Another tab is shown.
 * @param {Tab} tab */
export function turned(tab) {
  current = tab;
  draw();
}

/** Closes the database that is shown. Returns the tab next to it. */
export function forgetCurrent() {
  if (!current) return null;
  const place = list.indexOf(current);
  engine.call('close', { in: current.n });
  engine.turnTo(null);
  list.splice(place, 1);
  current = null;
  return list[Math.min(place, list.length - 1)] ?? null;
}

/** A database that was made from others, or that got more games. `blob` has its bytes, if the module may lose it.
 * @param {Info} info
 * @param {Blob | null} blob */
export function made(info, blob) {
  const { name } = info;
  dropEdits(info.in);
  const tab = added(info, blob ? [{ name, file: new File([blob], name) }] : []);
  tab.unsaved = true;
  draw();
  return tab;
}

export function markSaved() {
  if (current) current.unsaved = false;
  draw();
}

/** Notes whether the database that is shown has changed games that are not saved.
 * @param {boolean} isEdited */
export function markEdited(isEdited) {
  if (!current || current.isEdited === isEdited) return;
  current.isEdited = isEdited;
  draw();
}

/** Opens a database again that was lost with its module.
 * @param {Tab} tab */
export async function revive(tab) {
  if (tab.age === engine.age) return;
  const { files, password, number: base, encoding, info } = tab === current ? pick(DATABASE) : tab.database;
  await bring(files, password);
  await engine.call('open', { base, encoding, in: tab.n, isNew: tab.isNew, salvage: info.isSalvaged });
  await redoEdits(tab.n);
  tab.age = engine.age;
}

/** Closes a tab, after a question if its games are nowhere else.
 * @param {Tab} tab */
export async function close(tab) {
  if (isChanged(tab) && !confirm(t('tabs.unsaved', { f: nameOf(tab) }))) return;
  if (tab === current) {
    await closeCurrent();
    return;
  }
  engine.call('close', { in: tab.n });
  list.splice(list.indexOf(tab), 1);
  draw();
  $('.dbtab [aria-current]')?.focus();
}

/** Closes the database that is shown. */
export const closeShown = () => current && close(current);

/** The row of open databases, or on a phone the menu; hidden as long as there is one. */
export function bar() {
  pane = el('nav', { class: 'tabs', 'aria-label': t('tabs') });
  draw();
  return pane;
}

function draw() {
  if (!pane) return;
  pane.hidden = list.length < 2;
  if (pane.hidden) return;
  /** @param {Tab} tab */
  const choose = tab => { if (tab !== current) turnTo(tab); };
  /** @param {Tab} tab */
  const words = tab => `${nameOf(tab)}${isChanged(tab) ? ' *' : ''}`;
  /** @param {Tab} tab */
  const shut = tab => el('button', { class: 'shut', type: 'button', 'aria-label': t('tabs.close', { f: nameOf(tab) }), title: t('close'), on: { click: () => close(tab) } }, ico('x'));
  const row = el('ul', {}, list.map(tab => el('li', { class: 'dbtab' + (tab === current ? ' on' : '') },
    el('button', { type: 'button', 'aria-current': tab === current ? 'page' : null, title: `${words(tab)} · ${t('games', { n: gamesOf(tab) })}`, on: { click: () => choose(tab) } },
      foreign('span', {}, words(tab)), el('small', {}, nf(gamesOf(tab)))),
    shut(tab))));
  const menu = el('div', { class: 'tabmenu' },
    el('select', { 'aria-label': t('tabs'), on: { change: (/** @type {{ target: HTMLSelectElement }} */ event) => choose(list[event.target.selectedIndex]) } },
      list.map(tab => foreign('option', { selected: tab === current }, `${words(tab)} (${nf(gamesOf(tab))})`))),
    current && shut(current));
  pane.replaceChildren(row, menu, el('button', { class: 'btn quiet plus', type: 'button', 'aria-label': t('tabs.more'), title: t('tabs.more'), on: { click: other } }, '+'));
  $('.dbtab.on', pane)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** On a screen without a database: the way back to those that are open.
 * @param {HTMLElement} screen */
export function offerOpen(screen) {
  if (!list.length) return;
  ($('.say', screen) ?? $('main', screen) ?? screen).append(el('section', { class: 'openones' }, el('h2', {}, t('tabs')),
    el('div', { class: 'row' }, list.map(tab => el('button', { class: 'btn', type: 'button', on: { click: () => turnTo(tab) } },
      ico('base'), foreign('span', {}, nameOf(tab)), el('small', { class: 'mut' }, nf(gamesOf(tab))))))));
}

/** On the screen with several databases: all of them at once.
 * @param {HTMLElement} screen
 * @param {number} count
 * @param {() => void} act */
export function offerAll(screen, count, act) {
  const most = 16 - list.length;
  if (count > most) return;
  $('.bases', screen).before(el('div', { class: 'row' },
    el('button', { class: 'btn main', type: 'button', on: { click: act } }, t('tabs.all', { n: count }))));
}

/** Whether the bytes of new databases are needed here, since the module may be started again. */
export const keepsBytes = !served;
