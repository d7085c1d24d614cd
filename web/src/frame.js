// The frame around the views: its head with the tools, the panes of a database, dialogs and messages.

import { $, baseName, dotted, el, foreign, ico, stemOf, tame } from './dom.js';
import { LANGUAGES, lang, nf, setLang, t } from './lang.js';
import { S, here, on, own, ownParts, parts, phone } from './state.js';
import { fragment, hasOther, other, recover } from './commands.js';
import { served } from './remote.js';
import { findingText, isIndexCount } from './faults.js';
import { aboutButton } from './about.js';
import { makeAnalysis } from './analysis.js';
import { makeFilter } from './filter.js';
import { makeSearchForm } from './searchform.js';
import { connectList, gameOfRow } from './connect.js';
import { makeBoard } from './board.js';
import { makeList } from './list.js';
import { makeNotation } from './notation.js';
import { makeTree } from './tree.js';
import { beginLine, continueLine, countWords, endLine, filter, filterByPosition, foldWords, go, openFromTree, openGame, playMove, showGame, showLine, soon, sort } from './games.js';
import { whenCounted } from './counted.js';
import { copyFen, copyPgn, openSave, showBase, showStats } from './pages.js';
import { act, openHelp } from './keys.js';
import { stopPlaying } from './play.js';
import { findings } from './report.js';
import { changedNote } from './edit.js';
import { editBar, editToggle } from './editor-bar.js';
import { openDialog } from './dialog.js';
import { lookDialog } from './look.js';
import { printDialog } from './print.js';
import { setting } from './settings.js';
import { sideBorders } from './sides.js';
import * as tabs from './tabs.js';
import { openTools } from './tools.js';

/** @import { Finding, View } from './types.d.ts' */

/** The views, each with its symbol.
 * @type {[View, string][]} */
export const VIEWS = [['games', 'list'], ['board', 'board'], ['tree', 'tree'], ['stats', 'stats'], ['base', 'base']];

/** The share of the window that the list has next to the board in the usual shapes of windows. */
const BESIDE = 0.28;

/** @type {'light' | 'dark' | null} */
let theme = null;
const root = $('#app');
const update = own('view');
const updateParts = ownParts('kinds', 'list', 'filter', 'board', 'notation', 'tree', 'gameHead', 'rtree', 'right', 'holder', 'foot', 'left', 'alert', 'bar', 'body', 'head', 'foldButton');
const analysis = makeAnalysis({
  line: (fen, moves) => parts.engine.call('line', { fen, moves }), board: () => parts.board,
  play: (moves, fen) => { if (here() === fen) continueLine(moves); },
});
export const analyse = analysis.toggle;
on('health', drawFindings);

/** Notes the view of the database that will be built.
 * @param {View} view */
export const noteView = view => update({ view });

/** Ends what only an open database has. */
export function endFrame() {
  root.classList.remove('open');
  if (analysis.isOn()) analysis.toggle();
}

/** Puts a screen in the place of the views.
 * @param {HTMLElement} screen */
export function fill(screen) {
  root.replaceChildren(screen);
}

/** The tools in the head of every screen. */
export function tools() {
  /** @type {HTMLSelectElement} */
  const select = el('select', { class: 'lang', 'aria-label': t('lang'), on: { change: () => {
    setLang(select.value);
    if (S.info) rebuild();
    else other();
    $('.lang').focus();
  } } }, LANGUAGES.map(one => el('option', { value: one, selected: one === lang() }, one.toUpperCase())));
  const dark = el('button', { class: 'btn quiet theme', type: 'button', 'aria-label': t('theme'), title: t('theme'), on: { click: turnTheme } }, ico('moon'));
  return el('div', { class: 'acts' },
    S.info && el('button', { class: 'btn quiet more', type: 'button', 'aria-label': t('tools'), title: t('tools') + ' (t)', on: { click: openTools } }, '⋯'),
    S.info && el('button', { class: 'btn save', type: 'button', on: { click: () => openSave() } }, t('save')), select,
    S.info && el('button', { class: 'btn quiet lookup', type: 'button', 'aria-label': t('layout.title'), title: t('layout.title'), on: { click: openLook } }, ico('look')), dark, aboutButton());
}

/** Light instead of dark, or the reverse. */
function turnTheme() {
  theme = isDark() ? 'light' : 'dark';
  paintTheme();
}

const isDark = () => (theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);

export function paintTheme() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
}

/** @type {(from: number, count: number, columns: string[]) => Promise<import('./types.d.ts').Rows>} */
const rows = (from, count, columns) => parts.engine.call('rows', { from, count, columns });

const openPrint = () => whenCounted(() => openDialog(closed => printDialog({ state: printState(), rows, closed })));
const openLook = () => openDialog(closed => lookDialog({ print: () => setTimeout(openPrint), turnTheme, closed }));

/** The content to print.
 * @returns {import('./types.d.ts').Printable} */
export function printState() {
  return {
    game: S.view === 'tree' ? null : S.game, node: S.node, fen: here(), flipped: S.flipped, listed: S.listed,
    name: baseName(S.info?.name ?? ''), query: S.query,
  };
}

/** Makes all panes for the base that is open. */
export function build() {
  const list = makeList(rows, (place, row, how) => {
    const quiet = how === 'quiet';
    const load = () => openGame(row[0], { quiet, quick: how === 'key' || how === 'step', toBoard: phone() && how !== 'key' && !quiet });
    if (how === 'key') soon(load);
    else load();
  }, (column, down) => sort(column, down), openLook);
  const filterField = makeFilter({
    keys: S.keys, check: text => parts.engine.call('query', { text }), run: filter, help: openHelp,
  });
  const searchForm = makeSearchForm({
    filter: filterField, count: () => parts.engine.task('namecounts', {}, null, 'namecounts'), suggest: (field, text) => parts.engine.call('suggest', { field, text }),
  });
  const kinds = el('div', { class: 'kinds', role: 'group', 'aria-label': t('kinds.label'), hidden: true });
  $('.field', filterField.form).append(searchForm.toggle);
  filterField.form.append(kinds, searchForm.panel);
  connectList(list.pane, gameOfRow);
  for (const [words, order] of [['sort.number', 'number 0'], ['sort.new', 'date 1'], ['sort.old', 'date 0'], ['col.white', 'white 0'], ['col.black', 'black 0'], ['Elo', 'whiteElo 1']]) {
    filterField.sortMenu.append(el('option', { value: order }, words === 'Elo' ? words : t(words)));
  }
  filterField.sortMenu.addEventListener('change', () => {
    const [column, down] = filterField.sortMenu.value.split(' ');
    sort(column, down === '1');
  });
  const board = makeBoard(act, share => {
    if (!S.game) return;
    const at = Math.max(0, Math.min(S.game.main.length, Math.round(share * S.game.main.length)));
    go(at ? S.game.main[at - 1] : S.game.root);
  }, fen => analysis.follow(fen));
  const notation = makeNotation(node => go(node));
  const tree = makeTree({
    play: move => playMove(move), choose: index => openFromTree(index), filterBy: filterByPosition, copyFen,
  });
  /** @type {(picture: string, words: string, click: () => void) => HTMLElement} */
  const button = (picture, words, click) => el('button', { class: 'btn quiet small', type: 'button', 'aria-label': t(words), title: t(words), on: { click } }, ico(picture));
  const gameHead = el('div', { class: 'ghead', id: 'game', tabindex: -1 });
  const rtree = el('div', { class: 'rtree' });
  const foldButton = el('button', { class: 'btn quiet fold', type: 'button', on: { click: () => { notation.fold('all'); foldWords(); } } });
  const right = el('section', { class: 'right', 'aria-label': t('moves.label') }, gameHead, editToggle(), notation.pane, editBar(),
    el('div', { class: 'tools' },
      el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('copy.pgn'), title: t('copy.pgn') + ' (c)', on: { click: copyPgn } }, ico('copy'), 'PGN'),
      el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('copy.fen'), title: t('copy.fen') + ' (C)', on: { click: copyFen } }, ico('copy'), 'FEN'),
      foldButton, button('print', 'print.title', openPrint)), rtree);
  const holder = el('div', { class: 'listholder' }, S.info?.games ? list.pane : el('div', { class: 'empty' }, el('h2', {}, t('none.games'))));
  const foot = el('div', { class: 'foot' }, [['note', 'leg.note'], ['fork', 'leg.fork'], ['trash', 'leg.del'], ['warn', 'leg.dam']].map(([picture, words]) => el('span', {}, ico(picture), t(words))));
  const left = el('section', { class: 'left', 'aria-label': t('nav.games') }, filterField.form, holder, foot);
  const alert = el('div', { class: 'alarm', role: 'alert', hidden: true });
  const bar = el('aside', { class: 'facts-bar', role: 'status', 'aria-label': t('find.label'), hidden: true });
  const body = el('div', { class: 'body' });
  const head = el('header', { class: 'top' });
  updateParts({ kinds, list, filter: filterField, board, notation, tree, gameHead, rtree, right, holder, foot, left, alert, bar, body, head, foldButton });
  root.replaceChildren(
    el('nav', { class: 'skips', 'aria-label': t('views') }, [['#list', 'skip.games'], ['#board', 'skip.board'], ['#moves', 'skip.moves']].map(([to, words]) =>
      el('a', { href: to, on: { click: (/** @type {Event} */ event) => { event.preventDefault(); show('games'); $(to)?.focus(); } } }, t(words)))),
    head, tabs.bar(), alert, bar, body);
  root.classList.add('open');
  arrangeMoves();
  drawFindings();
  analysis.draw();
  list.reset(S.listed);
  list.setOrder(...S.order);
  show(S.view);
  countWords();
  showGame();
}

/** Draws everything again in another language, at the same place. */
function rebuild() {
  const place = parts.list.chosen;
  const query = parts.filter.value;
  build();
  parts.filter.set(query, true);
  parts.list.select(place);
}

function drawHead() {
  const { info } = S;
  if (!info) return;
  const name = baseName(info.name);
  /** @param {View} view */
  const current = view => view === S.view || (S.view === 'board' && view === 'games' && !phone());
  parts.head.replaceChildren(
    hasOther() ? el('button', { class: 'mark', type: 'button', title: t('base.other'), 'aria-label': 'chessdb – ' + t('base.other'), on: { click: other } }, 'chessdb') : el('span', { class: 'mark' }, 'chessdb'),
    el('div', { class: 'basename' }, foreign('h1', {}, tame(name)), el('span', { class: 'mut hide-s' }, dotted([' ', info.format.name, nf(info.games)]))),
    changedNote(),
    el('nav', { class: 'nav', 'aria-label': t('views') }, VIEWS.map(([view, picture]) => el('a', {
      href: '#view=' + view, class: view === 'board' ? 'only-s' : null, 'aria-current': current(view) ? 'page' : null,
      on: { click: (/** @type {Event} */ event) => { event.preventDefault(); show(view); } },
    }, ico(picture), t('nav.' + view)))),
    tools());
  document.title = `${tame(name)} – chessdb`;
}

/** Puts the panes of a view in their places.
 * @param {View} view */
export function show(view) {
  update({ view });
  // First of all, as what follows notes its address in the place of this one.
  fragment();
  stopPlaying();
  drawHead();
  const { left, board, right, tree, filter: field, holder, foot, body } = parts;
  if (view === 'stats' || view === 'base') {
    const inner = el('div', { class: 'inner' });
    body.replaceChildren(el('main', { class: 'page', 'aria-label': t('nav.' + view) }, view === 'stats' ? field.form : null, inner));
    if (view === 'stats') showStats(inner);
    else showBase(inner);
  } else if (view === 'tree') {
    beginLine();
    left.replaceChildren(field.form, tree.body);
    body.replaceChildren(el('main', { class: 'app s-tree' }, left, board.pane, tree.right, sideBorders()));
    stack();
    showLine();
  } else {
    endLine();
    left.replaceChildren(field.form, holder, foot);
    body.replaceChildren(el('main', { class: 'app ' + (view === 'board' ? 's-board' : 's-list') }, left, board.pane, right, sideBorders()));
    parts.list.refresh();
    stack();
    showGame();
  }
  if (view === 'stats' || view === 'base') return analysis.follow(null);
  const above = view !== 'tree' ? parts.gameHead : phone() ? field.form : tree.head;
  above.after(analysis.pane);
  board.redraw();
}

/** Sets the moves in two columns or as text, as the reader chose. */
export const arrangeMoves = () => parts.notation.arrange(setting('notation') === 'columns');

/** Puts the list below the board if the window is narrow, or if the columns that the reader chose do not fit next to it. */
export function stack() {
  const { list, left } = parts;
  const isTooWide = S.view !== 'tree' && list.needs > innerWidth * (setting('sides').l ?? BESIDE);
  left.parentElement?.classList.toggle('stacked', !phone() && (innerWidth < 960 || isTooWide));
}

/** @param {string} text */
export function alarm(text) {
  if (!parts.alert?.isConnected) {
    root.prepend(el('p', { class: 'note', role: 'alert' }, text));
    return;
  }
  parts.alert.hidden = false;
  parts.alert.replaceChildren(el('span', {}, text), el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('close'), on: { click: () => { parts.alert.hidden = true; } } }, ico('x')));
}

/** The findings that the reader has put away, by database.
 * @type {WeakMap<import('./types.d.ts').Info, string>} */
const closedFindings = new WeakMap();

/** The damage of the database and the remedy, above every view until it is closed. */
function drawFindings() {
  const { info, health } = S;
  const { bar } = parts;
  if (!info || !bar) return;
  const { damage } = findings(info, health);
  const state = JSON.stringify([damage.map(kind => [kind.code, kind.detail, kind.count]), health?.damaged]);
  bar.hidden = !damage.length || closedFindings.get(info) === state;
  countWords();
  if (bar.hidden) return;
  const missing = info.missing.length;
  const close = () => {
    closedFindings.set(info, state);
    bar.hidden = true;
  };
  bar.replaceChildren(ico('warn'), el('p', {}, missing
    ? t(served ? 'find.gone' : 'find.missing', { n: missing, f: tame(stemOf(info.name)), l: info.missing.map(role => '.' + role).join(', ') })
    : damageWords(damage, health?.ofBase ?? info.faults, health?.damaged ?? 0, info.games)),
    missing && !served ? el('button', { class: 'btn', type: 'button', on: { click: other } }, t('open.files')) : '',
    info.salvages && !missing ? el('button', { class: 'btn', type: 'button', on: { click: recover } }, t('salvage.do')) : '',
    el('button', { class: 'btn', type: 'button', on: { click: () => show('base') } }, t('show')),
    el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), title: t('close'), on: { click: close } }, ico('x')));
}

/** The damage in a sentence or two: of the database, or only of games.
 * @param {Finding[]} damage
 * @param {Finding[]} ofBase
 * @param {number} games that are damaged
 * @param {number} all games */
function damageWords(damage, ofBase, games, all) {
  const first = damage.find(kind => isIndexCount(kind)) ?? damage[0];
  const { words } = findingText(first);
  if (!games && damage.every(kind => kind.severity === 'repaired')) return t('find.repaired', { t: tame(words) });
  const damaged = games ? t('find.games', { n: games, m: all }) : '';
  if (ofBase.every(kind => kind.severity === 'note')) return damaged || t('find.damage', { t: tame(words) });
  return [t('find.damage', { t: tame(words) }), damaged].filter(Boolean).join(' ');
}
