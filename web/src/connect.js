// Values that lead to their games: names, openings, years and results anywhere on the page.

import { $, el, foreign, ico, tame, targetOf, together } from './dom.js';
import { openDialog } from './dialog.js';
import { date, t } from './lang.js';
import { openingName } from './openingname.js';
import { S, parts } from './state.js';
import { quoted, withTerm } from './terms.js';
import { playerDialog } from './player.js';
import { whenCounted } from './counted.js';

/** @import { Game, Header } from './types.d.ts' */
/** @typedef {[text: string, act: () => void]} MenuItem */

/** Adds a term to the query and filters by it.
 * @param {string} term */
export const filterBy = term => parts.filter.set(withTerm(parts.filter.value, term));

/** A value that filters by a term.
 * @param {string} text
 * @param {string} term */
export const termButton = (text, term) => el('button', {
  class: 'tlink', type: 'button', title: t('link.filter', { t: tame(term) }),
  on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); filterBy(term); } },
}, text);

/** The name of an opening, with or without its code, that filters by the opening.
 * @param {string} text */
export function openingButton(text) {
  const { text: shown, lang } = openingName(text);
  return el('span', { lang }, termButton(shown, `opening:${quoted(text.replace(/^[A-E]\d\d[a-z]?\d? /, ''))}`));
}

/** The choices about a player: games, colours, report.
 * @param {string} name
 * @returns {MenuItem[]} */
function aboutPlayer(name) {
  const shown = tame(name);
  return [
    [t('menu.all', { t: shown }), () => filterBy(`player:${quoted(name)}`)],
    [t('menu.white', { t: shown }), () => filterBy(`white:${quoted(name)}`)],
    [t('menu.black', { t: shown }), () => filterBy(`black:${quoted(name)}`)],
    [t('menu.report', { t: shown }), () => openReport(name)],
  ];
}

/** A player's name that offers games and the report.
 * @param {string} name
 * @param {string} [text] */
export const playerButton = (name, text = name) => el('button', {
  class: 'tlink', type: 'button', 'aria-haspopup': 'menu',
  on: { click: (/** @type {any} */ event) => { event.stopPropagation(); openMenu(event.currentTarget, aboutPlayer(name)); } },
}, tame(text));

/** Opens the report on a player in the filtered games. A name that is not whole may be a part of several.
 * @param {string} name
 * @param {boolean} [whole] */
export function openReport(name, whole = true) {
  whenCounted(() => {
    if (S.dialog) return;
    openDialog(closed => playerDialog({
      name, listed: S.listed,
      run: (also, progress) => parts.engine.task('player', { name, also, whole }, progress, 'player'),
      filter: filterBy,
      closed: () => { parts.engine.stop('player'); closed(); },
    }));
  });
}

/** @param {string | null | undefined} text */
const isKnown = text => !/^[?\s-]*$/.test(text ?? '');

/** The terms that a game offers: `[kind, shown text, term]`.
 * @param {Header} game
 * @returns {[string, string, string][]} */
function termsOf(game) {
  const year = /^[1-9]\d{3}/.exec(game.date ?? '')?.[0];
  const values = {
    event: game.event, site: game.site, year, annotator: game.annotator, eco: game.eco?.slice(0, 3), opening: game.opening?.split(':')[0],
  };
  return Object.entries(values).flatMap(([kind, text]) => (text && isKnown(text)
    ? [[kind, kind === 'opening' ? openingName(text).text : text, `${kind}:${quoted(text)}`]] : []));
}

/** The menu of a game: players, event, site, year, opening.
 * @param {Header} game
 * @param {Element | { x: number, y: number }} at */
export function gameMenu(game, at) {
  const players = [game.white, game.black].filter(isKnown);
  /** @type {MenuItem[]} */
  const items = players.flatMap(aboutPlayer);
  if (players.length === 2) {
    const [a, b] = players;
    items.push([t('menu.both', { a: tame(a), b: tame(b) }), () => filterBy(`(${quoted(a)} vs ${quoted(b)})`)]);
  }
  for (const [kind, text, term] of termsOf(game)) {
    items.push([t('menu.value', { k: t('kind.' + kind), t: tame(text) }), () => filterBy(term)]);
  }
  openMenu(at, items);
}

/** @type {{ close: () => void } | null} */
let open = null;

/** Opens a menu at an element or a point; the arrow keys move in it.
 * @param {Element | { x: number, y: number }} at
 * @param {MenuItem[]} items */
export function openMenu(at, items) {
  open?.close();
  if (!items.length) return;
  const back = /** @type {HTMLElement | null} */ (document.activeElement);
  const list = el('ul', { class: 'vmenu', role: 'menu', 'aria-label': t('menu.label') }, items.map(([text, act], n) =>
    el('li', { role: 'none' }, foreign('button', { type: 'button', role: 'menuitem', tabindex: n ? -1 : 0, on: { click: () => { close(); act(); } } }, text))));
  /** @param {boolean} [isKey] */
  const close = isKey => {
    list.remove();
    removeEventListener('pointerdown', outside, true);
    open = null;
    if (isKey && back?.isConnected) back.focus();
  };
  /** @param {Event} event */
  const outside = event => { if (!list.contains(targetOf(event))) close(); };
  list.addEventListener('keydown', event => {
    const buttons = [...list.querySelectorAll('button')];
    const now = buttons.findIndex(button => button === document.activeElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') close(true);
    else if (to != null) buttons[(to + buttons.length) % buttons.length].focus();
    else if (event.key === 'Enter' || event.key === ' ') buttons[now]?.click();
    event.preventDefault();
    event.stopPropagation();
  });
  document.body.append(list);
  const box = at instanceof Element ? at.getBoundingClientRect() : { left: at.x, bottom: at.y, top: at.y };
  const { offsetWidth: width, offsetHeight: height } = list;
  list.style.left = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
  list.style.top = `${box.bottom + height + 8 > innerHeight ? Math.max(8, Math.min(box.top, innerHeight - 8) - height) : box.bottom}px`;
  open = { close };
  $('button', list).focus({ preventScroll: true });
  addEventListener('pointerdown', outside, true);
}

/** Puts `make(text)` in the place of the first `text` below an element that is not yet a button.
 * @param {HTMLElement} root
 * @param {string | undefined} text
 * @param {(text: string) => HTMLElement} make */
function wrap(root, text, make) {
  if (!text || !isKnown(text)) return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = /** @type {Text} */ (node);
    const at = words.data.indexOf(text);
    if (at < 0 || node.parentElement?.closest('button')) continue;
    const before = words.data.slice(0, at).match(/\p{P}*$/u)?.[0] ?? '';
    const after = words.data.slice(at + text.length).match(/^\p{P}*/u)?.[0] ?? '';
    const found = words.splitText(at - before.length);
    found.splitText(before.length + text.length + after.length);
    found.replaceWith(together(before, make(text), after));
    return;
  }
}

/** Makes the values in the heading of a game buttons.
 * @param {HTMLElement} root
 * @param {Game} game */
export function linkHeading(root, game) {
  for (const name of [game.white, game.black]) {
    const family = tame(name.split(',')[0].trim());
    if (isKnown(name)) wrap(root, root.textContent.includes(tame(name)) ? tame(name) : family, text => playerButton(name, text));
  }
  const shownYear = date(game.date ?? '').match(/\d{4}/)?.[0];
  for (const [kind, text, term] of termsOf(game)) {
    wrap(root, kind === 'year' ? shownYear : tame(text), shown => termButton(shown, term));
  }
  root.append(el('button', {
    class: 'btn quiet gmenu', type: 'button', 'aria-haspopup': 'menu', 'aria-label': t('menu.label'), title: t('menu.label'),
    on: { click: (/** @type {any} */ event) => gameMenu(game, event.currentTarget) },
  }, ico('search')));
}

/** Opens this menu for a row of a list, by the secondary button, a long press or the menu key.
 * @param {HTMLElement} pane
 * @param {(target: HTMLElement) => Promise<number | null> | string | undefined} gameOf */
export function connectList(pane, gameOf) {
  pane.addEventListener('contextmenu', async event => {
    event.preventDefault();
    const index = await gameOf(targetOf(event));
    if (index == null) return;
    const game = await parts.engine.call('game', { game: Number(index) }).catch(() => null);
    if (game) gameMenu(game, event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : pane);
  });
}

/** The game of a row of the list, or of the chosen row if the key was pressed.
 * @param {HTMLElement} target
 * @returns {Promise<number | null>} */
export async function gameOfRow(target) {
  const row = /** @type {HTMLElement | null} */ (target.closest('[data-place]'));
  const place = row ? Number(row.dataset.place) : parts.list.chosen;
  if (!(place >= 0)) return null;
  return (await parts.engine.call('rows', { from: place, count: 1 })).rows[0]?.[0] ?? null;
}
