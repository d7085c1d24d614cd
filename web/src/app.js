// The page: how a base is opened, the frame around the views, the address.

import { $, el, foreign, ico, later, say, tame } from './dom.js';
import { LANGUAGES, lang, nf, ownLang, setLang, t } from './lang.js';
import { S, START, keep, parts, phone } from './state.js';
import { Engine, piece } from './engine.js';
import { served } from './remote.js';
import { choiceScreen, dropped, dropScreen, explain, focusFirst, lockScreen, openingScreen, overlay } from './drop.js';
import { makeFilter } from './filter.js';
import { path } from './game.js';
import { makeBoard } from './board.js';
import { makeList } from './list.js';
import { makeNotation } from './notation.js';
import { makeTree } from './tree.js';
import { helpDialog } from './help.js';
import { countWords, filter, filterByPosition, foldWords, forget, go, openFromTree, openGame, playMove, showGame, showLine, soon, sort } from './games.js';
import { checkHealth, copyFen, copyPgn, openSave, showBase, showStats } from './pages.js';
import { act, onKey, stopPlaying } from './keys.js';
import { findings } from './report.js';

const VIEWS = [['games', 'list'], ['board', 'board'], ['tree', 'tree'], ['stats', 'stats'], ['base', 'base']];

let theme = null;
const root = $('#app');
parts.engine = new Engine(trapped, () => alarm(t('view.gone')));
const engine = parts.engine;

// ---------------------------------------------------------------- opening

async function openFiles(list) {
  S.error = null;
  const total = list.reduce((sum, { file }) => sum + file.size, 0);
  const names = list.map(({ name }) => name);
  const first = names[0] ?? '';
  if (total > 1.5e9) return refuse({ code: 'large', detail: { file: first } }, names);
  if (!total) return refuse({ code: 'empty' }, names);
  const opening = openingScreen(first.split('/')[0], total, () => { engine.cancel(); showDrop(); });
  // What takes no time shows no progress.
  const wait = setTimeout(() => root.replaceChildren(opening.screen), 200);
  try {
    const found = await bring(list, '', opening.progress);
    clearTimeout(wait);
    S.files = list;
    S.password = '';
    const bases = found.locked ? await unlock(found, list) : found.bases;
    if (!bases) return;
    if (!bases.length) throw { code: 'unknown', detail: { file: first } };
    const unread = found.unread ?? [];
    if (bases.length > 1 || unread.some(one => one.locked)) return choose(bases, names, unread, list);
    await openBase(0, '');
    if (unread.length) alarm(unread.map(one => one.text).join('; '));
  } catch (error) {
    clearTimeout(wait);
    if (error.code !== 'cancelled') refuse(error, names);
  }
}

/** Files into the module, or into the one with every format if these want it: the bases among them. */
async function bring(list, password, progress) {
  const found = await engine.open({ list, password }, progress);
  if (!found.lacking || engine.full) return found;
  engine.grow();
  return bring(list, password, progress);
}

/** Asks for the password of an archive until it is right: then the bases, or nothing if the reader turns back. */
function unlock({ locked }, list) {
  return new Promise(done => {
    const screen = lockScreen(locked.split('/').pop(), async password => {
      const found = await bring(list, password);
      if (found.locked) return false;
      S.password = password;
      done(found.bases);
      return true;
    }, () => { done(null); showDrop(); });
    root.replaceChildren(screen);
    $('input', screen).focus();
  });
}

/** Which of several bases is meant. */
function choose(bases, names, unread = [], list = []) {
  const failed = error => refuse(error, names);
  const open = n => openBase(n, '').catch(failed);
  // The others are dropped, as only one password is known at a time.
  const unlockOne = async ({ name }) => {
    const mine = list.filter(file => file.name === name);
    const opened = await unlock({ locked: name }, mine).catch(failed);
    if (!opened) return;
    S.files = mine;
    if (opened.length === 1) open(0);
    else choose(opened, names);
  };
  const screen = choiceScreen(bases, open, served ? null : () => showDrop(), unread, unlockOne);
  root.replaceChildren(screen);
  focusFirst(screen);
}

/** In the page of `chessdb view`: the bases that were named there. */
async function openServed() {
  S.info = null;
  S.files = [];
  const { bases } = await engine.open({});
  S.bases = bases;
  if (bases.length > 1) return choose(bases, bases.map(base => base.name));
  S.wait = setTimeout(() => root.replaceChildren(openingScreen(bases[0].name, 0, null).screen), 200);
  await openBase(0, '').catch(error => refuse(error, [bases[0].name]));
}

/** Whether there is more to open than what is open. */
export const hasOther = () => !served || S.bases.length > 1;

/** Another base: another choice. */
export const other = () => (served ? openServed() : showDrop());

function refuse(error, names) {
  if (!error.code) throw error;
  clearTimeout(S.wait);
  if (served) {
    const { title, text } = explain(error, names);
    root.replaceChildren(el('main', { class: 'note', role: 'alert' }, foreign('b', {}, tame(title)), foreign('span', {}, tame(text || ''))));
    return;
  }
  S.error = { error, names };
  showDrop();
}

async function openBase(number, encoding) {
  const wasOpen = Boolean(S.info);
  const before = performance.now();
  const info = await engine.call('open', { base: number, encoding });
  Object.assign(S, {
    info, number, encoding, opened: performance.now() - before, query: '', listed: info.games, order: ['number', false],
    game: null, node: null, line: null, found: {}, view: 'games', error: null,
  });
  forget();
  const asked = location.hash;
  S.keys ??= await engine.call('keys');
  clearTimeout(S.wait);
  // Back leads here, where it asks before the database is closed.
  if (!wasOpen && !served) record('pushState', asked);
  build();
  await applyFragment(asked);
  if (!S.game && info.games) parts.list.pick(0, 'quiet');
  parts.list.pane.focus({ preventScroll: true });
  say(`${info.name.split('/').pop()}, ${info.format.name}, ${t('games', { n: info.games })}`);
  checkHealth();
}

/** What is wrong with the database and what to do about it, above every view. */
export function drawFindings() {
  const { info } = S;
  const { bar } = parts;
  const health = S.memory?.info === info ? S.memory.health : null;
  const { damage } = findings(info, health);
  const missing = info.missing.length;
  bar.hidden = !damage.length;
  if (bar.hidden) return;
  const stem = tame(info.name.split('/').pop().replace(/\.[^.]*$/, ''));
  const damaged = health?.damaged ? t('health.damaged', { n: health.damaged }) : '';
  const words = missing ? t(served ? 'find.gone' : 'find.missing', { n: missing, f: stem, l: info.missing.map(role => '.' + role).join(', ') })
    : [t('find.damage', { t: tame(damage[0].text) }), damaged].filter(Boolean).join(' ');
  bar.replaceChildren(ico('warn'), el('p', {}, words),
    missing && !served ? el('button', { class: 'btn', type: 'button', on: { click: other } }, t('open.files')) : '',
    el('button', { class: 'btn', type: 'button', on: { click: () => show('base') } }, t('show')));
  countWords();
}

/** The same files once more, in other letters or after an accident. */
export async function again(encoding) {
  const { view, query, order } = S;
  const at = S.game?.game;
  await bring(S.files, S.password);
  await openBase(S.number, encoding);
  if (query) {
    parts.filter.set(query, true);
    await filter(query, true);
  }
  if (order[0] !== 'number' || order[1]) await sort(...order);
  if (at != null) await openGame(at, { quiet: true });
  show(view);
}

function trapped() {
  if (!S.info) return;
  S.error = null;
  again(S.encoding).then(() => alarm(t('bad.trap')), error => refuse(error, S.files.map(({ name }) => name)));
}

export function showDrop() {
  S.info = null;
  root.classList.remove('open');
  const why = S.error;
  const screen = dropScreen({
    open: openFiles, sample, tools: tools(),
    error: why && explain(why.error, why.names),
  });
  root.replaceChildren(screen);
  document.title = 'chessdb';
  record('replaceState', '', { start: true });
  focusFirst(screen);
}

async function sample() {
  const text = await piece('sample');
  openFiles([{ name: 'sample.pgn', file: new File([text.trimStart()], 'sample.pgn') }]);
}

// ---------------------------------------------------------------- the frame

function tools() {
  const select = el('select', { class: 'lang', 'aria-label': t('lang'), on: { change: event => {
    setLang(event.target.value);
    if (S.info) rebuild();
    else showDrop();
    $('.lang').focus();
  } } }, LANGUAGES.map(one => el('option', { value: one, selected: one === lang() }, one.toUpperCase())));
  const dark = el('button', { class: 'btn quiet theme', type: 'button', 'aria-label': t('theme'), title: t('theme'), on: { click: () => {
    theme = isDark() ? 'light' : 'dark';
    paintTheme();
  } } }, ico('moon'));
  return el('div', { class: 'acts' },
    S.info && el('button', { class: 'btn save', type: 'button', on: { click: () => openSave() } }, t('save')), select, dark);
}

const isDark = () => (theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);

function paintTheme() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
}

/** Makes all panes for the base that is open. */
function build() {
  const list = makeList((from, count) => engine.call('rows', { from, count }), (place, row, how) => {
    const quiet = how === 'quiet';
    const load = () => openGame(row[0], { quiet, row, toBoard: phone() && how !== 'key' && !quiet });
    if (how === 'key') soon(load);
    else load();
  }, (column, down) => sort(column, down));
  const filterField = makeFilter({
    keys: S.keys, check: text => engine.call('query', { text }), run: filter, help: () => { S.dialog = helpDialog(S.keys, S, () => { S.dialog = null; }); },
  });
  for (const [words, column, down] of [['sort.number', 'number', false], ['sort.new', 'date', true], ['sort.old', 'date', false], ['col.white', 'white', false], ['col.black', 'black', false], ['Elo', 'whiteElo', true]]) {
    filterField.sortMenu.append(el('option', { value: `${column} ${down ? 1 : 0}` }, words === 'Elo' ? words : t(words)));
  }
  filterField.sortMenu.addEventListener('change', event => {
    const [column, down] = event.target.value.split(' ');
    sort(column, down === '1');
  });
  const board = makeBoard(act, share => {
    const at = Math.max(0, Math.min(S.game.main.length, Math.round(share * S.game.main.length)));
    go(at ? S.game.main[at - 1] : S.game.root);
  });
  const notation = makeNotation(node => go(node));
  const tree = makeTree({
    play: move => playMove(move), choose: index => openFromTree(index), filterBy: filterByPosition, copyFen, ico,
  });
  const gameHead = el('div', { class: 'ghead', id: 'game', tabindex: -1 });
  const rtree = el('div', { class: 'rtree' });
  const foldButton = el('button', { class: 'btn quiet', type: 'button', on: { click: () => { notation.fold('all'); foldWords(); } } });
  const right = el('section', { class: 'right', 'aria-label': t('moves.label') }, gameHead, notation.pane,
    el('div', { class: 'tools' },
      el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('copy.pgn'), title: t('copy.pgn') + ' (c)', on: { click: copyPgn } }, ico('copy'), 'PGN'),
      el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('copy.fen'), title: t('copy.fen') + ' (C)', on: { click: copyFen } }, ico('copy'), 'FEN'),
      foldButton), rtree);
  const holder = el('div', { class: 'listholder' }, S.info.games ? list.pane : el('div', { class: 'empty' }, el('h2', {}, t('none.games'))));
  const foot = el('div', { class: 'foot' }, [['note', 'leg.note'], ['fork', 'leg.fork'], ['trash', 'leg.del'], ['warn', 'leg.dam']].map(([picture, words]) => el('span', {}, ico(picture), t(words))));
  const left = el('section', { class: 'left', 'aria-label': t('nav.games') }, filterField.form, holder, foot);
  const alert = el('div', { class: 'alarm', role: 'alert', hidden: true });
  const bar = el('aside', { class: 'facts-bar', role: 'status', 'aria-label': t('find.label'), hidden: true });
  const body = el('div', { class: 'body' });
  const head = el('header', { class: 'top' });
  Object.assign(parts, { list, filter: filterField, board, notation, tree, gameHead, rtree, right, holder, foot, left, alert, bar, body, head, foldButton, shown: null, answer: null });
  root.replaceChildren(
    el('nav', { class: 'skips', 'aria-label': t('views') }, [['#list', 'skip.games'], ['#board', 'skip.board'], ['#moves', 'skip.moves']].map(([to, words]) =>
      el('a', { href: to, on: { click: event => { event.preventDefault(); show('games'); $(to)?.focus(); } } }, t(words)))),
    head, alert, bar, body);
  root.classList.add('open');
  drawFindings();
  list.reset(S.listed);
  list.setOrder(...S.order);
  show(S.view);
  countWords();
  showGame();
}

/** In another language: everything anew, at the same place. */
function rebuild() {
  const place = parts.list.chosen;
  const query = parts.filter.value;
  build();
  parts.filter.set(query, true);
  parts.list.select(place);
}

function drawHead() {
  const { info } = S;
  const name = info.name.split('/').pop();
  const current = view => view === S.view || (S.view === 'board' && view === 'games' && !phone());
  parts.head.replaceChildren(
    hasOther() ? el('button', { class: 'mark', type: 'button', title: t('base.other'), 'aria-label': 'chessdb – ' + t('base.other'), on: { click: other } }, 'chessdb') : el('span', { class: 'mark' }, 'chessdb'),
    el('div', { class: 'basename' }, foreign('h1', {}, tame(name)), el('span', { class: 'mut hide-s' }, `  ·  ${info.format.name}  ·  ${nf(info.games)}`)),
    el('nav', { class: 'nav', 'aria-label': t('views') }, VIEWS.map(([view, picture]) => el('a', {
      href: '#view=' + view, class: view === 'board' ? 'only-s' : null, 'aria-current': current(view) ? 'page' : null,
      on: { click: event => { event.preventDefault(); show(view); } },
    }, ico(picture), t('nav.' + view)))),
    tools());
  document.title = `${tame(name)} – chessdb`;
}

/** Puts the panes of a view in their places. */
export function show(view) {
  const isOther = view !== S.view;
  S.view = view;
  // First of all, as what follows notes its address in the place of this one.
  fragment(isOther);
  stopPlaying();
  drawHead();
  const { left, board, right, tree, filter: field, holder, foot, body } = parts;
  if (view === 'stats' || view === 'base') {
    const inner = el('div', { class: 'inner' });
    body.replaceChildren(el('main', { class: 'page', 'aria-label': t('nav.' + view) }, view === 'stats' ? field.form : null, inner));
    if (view === 'stats') showStats(inner);
    else showBase(inner);
  } else if (view === 'tree') {
    S.line ??= { start: S.game?.start ?? START, moves: S.game ? path(S.node).map(keep) : [] };
    left.replaceChildren(field.form, tree.body);
    body.replaceChildren(el('main', { class: 'app s-tree' }, left, board.pane, tree.right));
    showLine();
  } else {
    S.line = null;
    left.replaceChildren(field.form, holder, foot);
    body.replaceChildren(el('main', { class: 'app ' + (view === 'board' ? 's-board' : 's-list') }, left, board.pane, right));
    parts.list.refresh();
    showGame();
  }
  if (view !== 'stats' && view !== 'base') board.redraw();
}

export function alarm(text) {
  if (!parts.alert?.isConnected) {
    root.prepend(el('p', { class: 'note', role: 'alert' }, text));
    return;
  }
  parts.alert.hidden = false;
  parts.alert.replaceChildren(el('span', {}, text), el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('close'), on: { click: () => { parts.alert.hidden = true; } } }, ico('x')));
}

// ---------------------------------------------------------------- the address

export function fragment(isStep) {
  if (!S.info || S.going) return;
  const words = new URLSearchParams();
  if (S.view !== 'games') words.set('view', S.view);
  if (S.game) words.set('game', S.game.game + 1);
  if (S.node?.n) words.set(S.node.main ? 'ply' : 'node', S.node.main ? S.node.ply : S.node.n);
  if (S.query) words.set('query', S.query);
  const text = words.toString();
  record(isStep ? 'pushState' : 'replaceState', text ? '#' + text : '');
}

/** Notes an address, as a step to which Back leads or instead of the present one. */
function record(how, address, state = { open: true }) {
  try {
    history[how](state, '', address || location.pathname + location.search);
  } catch {
    // Some browsers forbid it for pages from a disk.
  }
}

/** Back and Forward walk through what was looked at; before the first of it the database is closed, if the reader
 * wants that. */
async function travel(event) {
  if (!S.info || served) return;
  if (event.state?.start) {
    if (confirm(t('leave'))) return showDrop();
    record('pushState', '');
    return fragment();
  }
  S.dialog?.leave?.();
  S.going = true;
  try {
    // An address that was typed has no state, and what it does not name stays.
    await applyFragment(location.hash, Boolean(event.state));
  } finally {
    S.going = false;
  }
}

/** Goes where the address says. */
async function applyFragment(asked, isBack) {
  const words = new URLSearchParams(asked.slice(1));
  const number = name => (words.has(name) ? Math.max(0, parseInt(words.get(name), 10) || 0) : null);
  const query = words.get('query') ?? (isBack ? '' : null);
  if (query != null && query !== S.query && (await engine.call('query', { text: query })).ok) {
    parts.filter.set(query, true);
    await filter(query, true);
  }
  const game = number('game');
  if (game && game <= S.info.games && !(isBack && S.game?.game === game - 1 && !words.has('node') && !words.has('ply'))) {
    await openGame(game - 1, { quiet: true, ply: number('ply'), nodeNumber: number('node') });
    const { place } = await engine.call('place', { game: game - 1 });
    if (place != null) parts.list.select(place);
  }
  const view = words.get('view') ?? (isBack ? 'games' : null);
  if (view !== S.view && VIEWS.some(([name]) => name === view)) show(view);
}

// ---------------------------------------------------------------- start

function begin() {
  setLang(ownLang());
  paintTheme();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintTheme);
  if (!served && !globalThis.WebAssembly) {
    root.replaceChildren(el('p', { class: 'note', role: 'alert' }, t('bad.old')));
    return;
  }
  const asked = location.hash;
  if (served) openServed();
  else showDrop();
  if (asked) record('replaceState', asked, { start: true });
  addEventListener('keydown', onKey);
  for (const kind of ['unhandledrejection', 'error']) {
    addEventListener(kind, event => {
      const error = event.reason ?? event.error;
      // A trap and an end on request are told where they happen.
      if (['cancelled', 'trap', 'stopped', 'closed'].includes(error?.code)) event.preventDefault();
      else if (error) alarm(t('bad.internal', { t: tame(error.text ?? error.message ?? String(error)) }));
    });
  }
  addEventListener('popstate', travel);
  addEventListener('beforeunload', event => { if (S.info && !served) event.preventDefault(); });
  for (const kind of ['beforeprint', 'afterprint']) {
    addEventListener(kind, () => {
      document.documentElement.classList.toggle('printing', kind === 'beforeprint');
      if (S.info) parts.board.redraw();
    });
  }
  let over = null;
  addEventListener('dragover', event => {
    event.preventDefault();
    if (!over && !served) document.body.append((over = overlay()));
  });
  const leave = () => { over?.remove(); over = null; };
  addEventListener('dragleave', event => { if (!event.relatedTarget) leave(); });
  addEventListener('drop', async event => {
    event.preventDefault();
    leave();
    if (served) {
      alarm(t('view.drop'));
      return;
    }
    const list = await dropped(event.dataTransfer);
    if (list.length) openFiles(list);
    else refuse({ code: 'empty' }, []);
  });
  addEventListener('hashchange', () => { if (S.info && served) applyFragment(location.hash); });
  let width = innerWidth;
  let narrow = phone();
  addEventListener('resize', later(150, () => {
    if (!S.info) return;
    const crossed = narrow !== phone() || [960, 1900].some(edge => (width < edge) !== (innerWidth < edge));
    width = innerWidth;
    narrow = phone();
    if (crossed) show(S.view === 'board' && !phone() ? 'games' : S.view);
    else if (parts.board.pane.isConnected) parts.board.redraw();
  }));
}

begin();
