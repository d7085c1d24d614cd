// The page: what is open, which view shows, what the keys do.

import { $, copy, el, foreign, ico, later, say, tame } from './dom.js';
import { LANGUAGES, date, lang, nf, ownLang, result, setLang, t } from './lang.js';
import { Engine, piece } from './engine.js';
import { choiceScreen, dropped, dropScreen, explain, focusFirst, openingScreen, overlay } from './drop.js';
import { makeFilter, terms } from './filter.js';
import { makeGame, path, sibling } from './game.js';
import { makeBoard } from './board.js';
import { makeList } from './list.js';
import { figures, makeNotation, spoken } from './notation.js';
import { makeTree, treeTable } from './tree.js';
import { statistics } from './stats.js';
import { encodings, facts, health, losses, writable } from './basepage.js';
import { saveDialog } from './save.js';
import { helpDialog } from './help.js';

const VIEWS = [['games', 'list'], ['board', 'board'], ['tree', 'tree'], ['stats', 'stats'], ['base', 'base']];
const phone = () => innerWidth < 720;

const S = {
  files: null, number: 0, encoding: '', info: null, opened: 0, view: 'games', query: '', listed: 0, order: ['number', false],
  game: null, node: null, flipped: false, line: null, fast: false, found: {}, letters: true, error: null,
};
let theme = null;
let parts = null;
let playing = 0;
let dialog = null;
const root = $('#app');
const engine = new Engine(trapped);
const games = new Map();

// ---------------------------------------------------------------- opening

async function openFiles(list) {
  S.error = null;
  const total = list.reduce((sum, { file }) => sum + file.size, 0);
  const names = list.map(({ name }) => name);
  const first = names[0] ?? '';
  if (total > 1.5e9) return refuse({ code: 'large', detail: { file: first } }, names);
  if (!total) return refuse({ code: 'empty' }, names);
  const opening = openingScreen(first.split('/')[0], total, () => { engine.restart({ code: 'cancelled' }); showDrop(); });
  // What takes no time shows no progress.
  const wait = setTimeout(() => root.replaceChildren(opening.screen), 200);
  try {
    const { bases } = await engine.send({ files: { list } }, opening.progress);
    clearTimeout(wait);
    S.files = list;
    if (!bases.length) throw { code: 'unknown', detail: { file: first } };
    if (bases.length === 1) await openBase(0, '');
    else {
      const screen = choiceScreen(bases, n => openBase(n, '').catch(error => refuse(error, names)), () => showDrop());
      root.replaceChildren(screen);
      focusFirst(screen);
    }
  } catch (error) {
    clearTimeout(wait);
    if (error.code !== 'cancelled') refuse(error, names);
  }
}

function refuse(error, names) {
  if (!error.code) throw error;
  S.error = { error, names };
  showDrop();
}

async function openBase(number, encoding) {
  const before = performance.now();
  const info = await engine.call('open', { base: number, encoding });
  Object.assign(S, {
    info, number, encoding, opened: performance.now() - before, query: '', listed: info.games, order: ['number', false],
    game: null, node: null, line: null, found: {}, view: 'games', error: null,
  });
  games.clear();
  const asked = location.hash;
  S.keys ??= await engine.call('keys');
  build();
  await applyFragment(asked);
  if (!S.game && info.games) parts.list.pick(0, 'quiet');
  parts.list.pane.focus({ preventScroll: true });
  say(`${info.name.split('/').pop()}, ${info.format.name}, ${t('games', { n: info.games })}`);
}

/** The same files once more, in other letters or after an accident. */
async function again(encoding) {
  const { view, query, order } = S;
  const at = S.game?.game;
  await engine.send({ files: { list: S.files } });
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

function showDrop() {
  S.info = null;
  const why = S.error;
  const screen = dropScreen({
    open: openFiles, sample, tools: tools(),
    error: why && explain(why.error, why.names),
  });
  root.replaceChildren(screen);
  document.title = 'chessdb';
  history.replaceState(null, '', location.pathname + location.search);
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
    keys: S.keys, check: text => engine.call('query', { text }), run: filter, help: () => { dialog = helpDialog(S.keys, S, () => { dialog = null; }); },
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
  const holder = el('div', { class: 'listholder' }, list.pane);
  const foot = el('div', { class: 'foot' }, [['note', 'leg.note'], ['fork', 'leg.fork'], ['trash', 'leg.del'], ['warn', 'leg.dam']].map(([picture, words]) => el('span', {}, ico(picture), t(words))));
  const left = el('section', { class: 'left', 'aria-label': t('nav.games') }, filterField.form, holder, foot);
  const alert = el('div', { class: 'alarm', role: 'alert', hidden: true });
  const body = el('div', { class: 'body' });
  const head = el('header', { class: 'top' });
  parts = { list, filter: filterField, board, notation, tree, gameHead, rtree, right, holder, foot, left, alert, body, head, foldButton };
  root.replaceChildren(
    el('nav', { class: 'skips', 'aria-label': t('views') }, [['#list', 'skip.games'], ['#board', 'skip.board'], ['#moves', 'skip.moves']].map(([to, words]) =>
      el('a', { href: to, on: { click: event => { event.preventDefault(); show('games'); $(to)?.focus(); } } }, t(words)))),
    head, alert, body);
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
    el('button', { class: 'mark', type: 'button', title: t('base.other'), 'aria-label': 'chessdb – ' + t('base.other'), on: { click: () => showDrop() } }, 'chessdb'),
    el('div', { class: 'basename' }, foreign('h1', {}, tame(name)), el('span', { class: 'mut hide-s' }, `  ·  ${info.format.name}  ·  ${nf(info.games)}`)),
    el('nav', { class: 'nav', 'aria-label': t('views') }, VIEWS.map(([view, picture]) => el('a', {
      href: '#view=' + view, class: view === 'board' ? 'only-s' : null, 'aria-current': current(view) ? 'page' : null,
      on: { click: event => { event.preventDefault(); show(view); } },
    }, ico(picture), t('nav.' + view)))),
    tools());
  document.title = `${tame(name)} – chessdb`;
}

/** Puts the panes of a view in their places. */
function show(view) {
  S.view = view;
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
  fragment();
}

function alarm(text) {
  parts.alert.hidden = false;
  parts.alert.replaceChildren(el('span', {}, text), el('button', { class: 'btn quiet', type: 'button', 'aria-label': t('close'), on: { click: () => { parts.alert.hidden = true; } } }, ico('x')));
}

// ---------------------------------------------------------------- the list

function countWords(growing) {
  const n = growing ?? S.listed;
  const all = n === S.info.games && !S.query;
  parts.filter.count.textContent = all ? t('all', { n }) : t('count', { n, m: S.info.games });
}

async function filter(text, still) {
  const { list } = parts;
  S.query = text.trim();
  const begun = S.query;
  try {
    const { found } = await engine.task('filter', { query: begun }, state => countWords(state.soFar?.found ?? 0));
    if (begun !== S.query) return;
    S.listed = found;
    S.found = {};
    list.reset(found);
    countWords();
    parts.holder.replaceChildren(found ? list.pane : emptyNote(begun));
    say(t('count', { n: found, m: S.info.games }));
    if (S.view === 'tree') showLine();
    if (S.view === 'stats') showStats($('.inner', parts.body));
    else if (found) {
      const place = S.game && (await engine.call('place', { game: S.game.game })).place;
      if (place != null) list.select(place);
      else if (!phone() && still !== true) list.pick(0, 'quiet');
    }
    fragment();
  } catch (error) {
    if (error.code !== 'query' && error.code !== 'trap' && error.code !== 'stopped') throw error;
  }
}

/** Which term to drop, and what would remain. */
function emptyNote(text) {
  const note = el('div', { class: 'empty' }, el('h2', {}, t('none.title')));
  const all = terms(text);
  if (all.length < 2) {
    note.append(el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set('') } }, t('clear')));
    return note;
  }
  (async () => {
    let best = null;
    for (const term of all.slice(0, 5)) {
      const rest = text.replace(term, ' ').replace(/\s+/g, ' ').trim();
      if (!(await engine.call('query', { text: rest })).ok) continue;
      const answer = await engine.task('filter', { query: rest, count: true }, null, 'without').catch(() => null);
      if (answer?.found && (!best || answer.found < best.found)) best = { term, rest, found: answer.found };
    }
    if (!best || !note.isConnected) return;
    note.append(foreign('p', {}, t('none.help', { t: best.term, n: best.found })),
      el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set(best.rest) } }, t('none.do', { t: best.term })));
  })();
  return note;
}

async function sort(column, down) {
  const { list } = parts;
  S.order = [column, down];
  list.setOrder(column, down);
  await engine.task('sort', { column, down });
  const place = S.game && (await engine.call('place', { game: S.game.game })).place;
  list.reset(S.listed);
  // Whoever sorts wants to see the beginning.
  if (place != null) list.select(place, true);
}

// ---------------------------------------------------------------- games

const soon = later(70, act => act());

async function fetchGame(index) {
  const known = games.get(index);
  if (known) return known;
  const made = engine.call('game', { game: index }).then(makeGame);
  games.set(index, made);
  made.catch(() => games.delete(index));
  if (games.size > 24) games.delete(games.keys().next().value);
  return made;
}

let wanted = -1;
async function openGame(index, { quiet, toBoard, ply, nodeNumber } = {}) {
  wanted = index;
  stopPlaying();
  try {
    const game = await fetchGame(index);
    if (wanted !== index) return;
    S.game = game;
    const at = ply ?? game.hit;
    S.node = (nodeNumber != null && game.nodes[nodeNumber]) || (at ? game.main[Math.min(at, game.main.length) - 1] : null) || game.root;
    S.line = null;
    if (S.view === 'tree') show('games');
    parts.notation.show(game);
    if (toBoard) show('board');
    else showGame();
    fragment();
    if (!quiet) say(`${game.white} – ${game.black}`);
  } catch (error) {
    if (wanted !== index || error.code === 'trap') return;
    alarm(error.text || String(error));
  }
}

async function openFromTree(index) {
  const fen = S.line.moves.at(-1)?.fen ?? S.line.start;
  await openGame(index, {});
  const board = text => text.split(' ').slice(0, 2).join(' ');
  const there = [S.game.root, ...S.game.main].find(node => board(node.fen) === board(fen));
  if (there) go(there);
  const { place } = await engine.call('place', { game: index });
  parts.list.select(place);
  if (phone()) show('board');
}

function title(game) {
  const family = name => tame(name.split(',')[0].trim() || t('unknown'));
  return `${family(game.white)} – ${family(game.black)}`;
}

function foldWords() {
  parts.foldButton.replaceChildren(ico('foldi'), parts.notation.isFolded() ? t('unfold') : t('foldall'));
}

/** The game and its position, in the view of games. */
function showGame() {
  const { game } = S;
  if (!parts || S.view === 'tree') return;
  if (!game) {
    parts.gameHead.replaceChildren(el('h2', {}, t('game.none')), el('p', {}, '\u00a0'), el('p', {}, '\u00a0'));
    parts.notation.show(null);
    foldWords();
    parts.board.show({ fen: START, flipped: S.flipped, shapes: [], fast: true, game: EMPTY, node: EMPTY.root, free: true });
    return;
  }
  const event = [tame(game.event), game.round && game.round !== '?' && game.event ? `(${tame(game.round)})` : ''].filter(Boolean).join(' ');
  const where = [event, tame(game.site), date(game.date)].filter(Boolean).join(', ');
  const what = [game.eco, `${result(game.result)}, ${t('moves', { n: game.moves })}`, t('game.no', { n: game.game + 1 })].filter(Boolean).join(' · ');
  parts.gameHead.replaceChildren(foreign('h2', { title: tame(`${game.white} – ${game.black}`) }, title(game)), foreign('p', {}, where || '\u00a0'), el('p', {}, what));
  if (parts.shown !== game) {
    parts.shown = game;
    parts.notation.show(game);
    foldWords();
  }
  showNode();
}

function showNode() {
  const { game, node } = S;
  parts.board.show({ fen: node.fen, uci: node.uci, flipped: S.flipped, shapes: node.shapes, fast: S.fast, game, node });
  parts.notation.mark(node);
  if (innerWidth >= 1920 && S.view !== 'tree') smallTree();
}

function go(node) {
  if (!node) return;
  S.node = node;
  showNode();
  fragment();
  if (node.prev) sayMove(node);
}

const sayMove = later(250, node => say(spoken(node)));

const smallTree = later(200, async () => {
  const { node } = S;
  if (!node || S.view === 'tree') return;
  const answer = await engine.task('tree', { fen: node.fen }, null, 'rtree').catch(() => null);
  if (!answer || S.node !== node) return;
  parts.rtree.replaceChildren(
    el('div', { class: 'thead' }, el('h2', {}, t('nav.tree')), el('p', { class: 'mut' }, t('tree.reach', { n: answer.reached }))),
    answer.moves.length ? treeTable({ ...answer, moves: answer.moves.slice(0, 5) }, node.fen, move => {
      const next = node.choices.find(one => one.uci === move.uci);
      if (next) go(next);
      else {
        S.line = { start: S.game.start, moves: path(node).map(keep) };
        show('tree');
        playMove(move);
      }
    }, true) : el('p', { class: 'nothing mut' }, t('tree.end')));
});

// ---------------------------------------------------------------- tree

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const EMPTY = makeGame({ start: START, tokens: [], white: '', black: '', result: '*' });
const keep = ({ san, uci, fen, number, black }) => ({ san, uci, fen, number, black });

function playMove(move) {
  const fen = S.line.moves.at(-1)?.fen ?? S.line.start;
  const [, side, , , , number] = fen.split(' ');
  S.line.moves.push({ san: move.san, uci: move.uci, fen: move.fen, number: Number(number) || 1, black: side === 'b' });
  showLine();
}

async function showLine() {
  const { line } = S;
  const fen = line.moves.at(-1)?.fen ?? line.start;
  const uci = line.moves.at(-1)?.uci;
  const draw = answer => {
    const [first, second] = answer?.moves ?? [];
    const total = answer?.moves.reduce((sum, move) => sum + move.games, 0) || 1;
    const shapes = [first, second].filter(move => move && /^[a-h]/.test(move.uci)).map(move =>
      ['G', move.uci.slice(0, 2), move.uci.slice(2, 4), 3 + Math.round(move.games / total * 7)]);
    parts.board.show({ fen, uci, flipped: S.flipped, shapes, fast: S.fast, game: EMPTY, node: EMPTY.root, free: true });
  };
  const memory = `tree ${fen}`;
  draw(S.found[memory]);
  parts.tree.show(line.moves, fen, S.found[memory]);
  fragment();
  if (S.found[memory]) {
    parts.answer = S.found[memory];
    return;
  }
  try {
    const answer = await engine.task('tree', { fen }, state => {
      if (S.line === line) parts.tree.show(line.moves, fen, state.soFar, state);
    });
    S.found[memory] = answer;
    if (S.view !== 'tree' || (S.line?.moves.at(-1)?.fen ?? S.line?.start) !== fen) return;
    parts.answer = answer;
    parts.tree.show(line.moves, fen, answer);
    draw(answer);
  } catch (error) {
    if (error.code !== 'trap' && error.code !== 'stopped') throw error;
  }
}

const here = () => (S.view === 'tree' ? S.line.moves.at(-1)?.fen ?? S.line.start : S.node?.fen ?? START);

function filterByPosition() {
  const [men, side] = here().split(' ');
  const rest = terms(parts.filter.value).filter(term => !term.startsWith('fen:')).join(' ');
  const text = `${rest} fen:"${men} ${side}"`.trim();
  show('games');
  parts.filter.set(text);
}

// ---------------------------------------------------------------- numbers and base

async function showStats(inner) {
  if (!S.found.stats) {
    inner.replaceChildren(el('p', { class: 'mut', role: 'status' }, t('running', { n: 0, m: S.listed })));
    const answer = await engine.task('stats', {}, state => { if (inner.isConnected && inner.firstChild) inner.firstChild.textContent = t('running', { n: state.seen, m: state.total }); }).catch(() => null);
    if (!answer || !inner.isConnected) return;
    S.found.stats = answer;
  }
  inner.replaceChildren(statistics(S.found.stats, innerWidth));
}

async function showBase(inner) {
  const { info } = S;
  const memory = (parts.memory = S.memory?.info === info ? S.memory : (S.memory = { info }));
  const columns = el('div', { class: 'cols' });
  inner.replaceChildren(columns);
  let states = {};
  const draw = () => {
    if (!columns.isConnected) return;
    columns.replaceChildren(
      facts(info, S.opened, () => showDrop()),
      health(info, memory.health, states.health, ({ game, query }) => {
        show('games');
        if (query) parts.filter.set(query);
        else openGame(game, { toBoard: phone() }).then(() => engine.call('place', { game })).then(({ place }) => parts.list.select(place));
      }),
      encodings(info, memory.preview, S.encoding, page => again(page)),
      losses(info, memory.losses, states.losses, format => openSave(format)));
  };
  draw();
  memory.preview ??= await engine.call('encodings');
  draw();
  const run = async task => {
    if (memory[task]) return;
    const small = state => {
      states[task] = state;
      const old = $('.' + (task === 'health' ? 'c7' : 'c12:last-child') + ' small', columns);
      if (old) old.textContent = t(task === 'health' ? 'health.done' : 'loss.count', { n: state.seen, m: state.total });
    };
    memory[task] = await engine.task(task, {}, small).catch(() => undefined);
    draw();
  };
  await run('health');
  await run('losses');
}

function openSave(format) {
  if (dialog) return;
  const back = document.activeElement;
  const { info, game } = S;
  dialog = saveDialog({
    chosen: format,
    state: {
      game: game && { title: title(game) }, isFiltered: Boolean(S.query), listed: S.listed, total: info.games,
      formats: writable(info), losses: S.memory?.info === info ? S.memory.losses : null,
    },
    run: (choice, progress) => engine.save({
      ...choice, game: game?.game ?? 0, stem: info.name.split('/').pop().replace(/\.[^.]*$/, '') || 'games',
    }, progress),
    // The module is at work and hears nothing; a new one reads the base again.
    cancel: () => { engine.restart({ code: 'cancelled' }); again(S.encoding).then(() => say(t('save.cancelled'))); },
    closed: () => { dialog = null; if (back?.isConnected) back.focus(); },
  });
}

async function copyPgn() {
  if (!S.game) return;
  await copy((await engine.call('pgn', { game: S.game.game })).text);
  say(t('copied'));
  toast();
}

async function copyFen() {
  await copy(here());
  say(t('copied'));
  toast();
}

function toast() {
  $('.toast')?.remove();
  const note = el('div', { class: 'toast', 'aria-hidden': 'true' }, t('copied'));
  document.body.append(note);
  setTimeout(() => note.remove(), 1200);
}

// ---------------------------------------------------------------- keys

function act(name) {
  if (name === 'play') return S.view === 'tree' ? null : togglePlay();
  stopPlaying();
  if (name === 'flip') {
    S.flipped = !S.flipped;
    if (S.view === 'tree') showLine();
    else showGame();
    return;
  }
  if (name === 'find') return filterByPosition();
  if (name === 'copy') return copyFen();
  if (S.view === 'tree') {
    const { moves } = S.line;
    if (name === 'prev') moves.pop();
    else if (name === 'first') moves.length = 0;
    else if (name === 'next' && parts.answer?.moves[0]) return playMove(parts.answer.moves[0]);
    return showLine();
  }
  const { node, game } = S;
  if (!game) return;
  if (name === 'next') go(node.choices[0]);
  else if (name === 'prev') go(node.prev);
  else if (name === 'first') go(game.root);
  else if (name === 'last') {
    let end = node;
    while (end.next) end = end.next;
    go(end);
  } else if (name === 'down' || name === 'up') go(sibling(node, name === 'down' ? 1 : -1));
}

function togglePlay() {
  if (playing) return stopPlaying();
  $('[data-go=play]')?.setAttribute('aria-pressed', 'true');
  playing = setInterval(() => {
    if (S.node?.next) go(S.node.next);
    else stopPlaying();
  }, 1000);
}

function stopPlaying() {
  clearInterval(playing);
  playing = 0;
  $('[data-go=play]')?.removeAttribute('aria-pressed');
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || dialog) return;
  if (!S.info) return;
  const { target } = event;
  const inField = target.matches?.('input, select, textarea');
  if (event.key === 'F1') {
    event.preventDefault();
    dialog = helpDialog(S.keys, S, () => { dialog = null; });
    return;
  }
  if (inField) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const onBoardView = ['games', 'board', 'tree'].includes(S.view);
  const moves = { ArrowLeft: 'prev', ArrowRight: 'next', ...(target.closest?.('.list') ? {} : { ArrowUp: 'up', ArrowDown: 'down', Home: 'first', End: 'last' }) };
  const inPage = target.closest?.('.page, .tree');
  let done = true;
  S.fast = event.repeat;
  if (onBoardView && moves[event.key] && !(inPage && /Up|Down|Home|End/.test(event.key))) act(moves[event.key]);
  else if (onBoardView && event.key === ' ' && !target.matches?.('button, a, summary')) act('play');
  else if (!S.letters && event.key.length === 1) done = false;
  else {
    switch (event.key) {
      case '/': parts.filter.input.focus(); break;
      case 'n': case 'p': {
        if (!['games', 'board'].includes(S.view)) { done = false; break; }
        const to = parts.list.chosen + (event.key === 'n' ? 1 : -1);
        if (to >= 0 && to < S.listed) parts.list.pick(to, 'step');
        break;
      }
      case 'f': act('flip'); break;
      case '[': parts.notation.fold(true, S.node); break;
      case ']': parts.notation.fold(false, S.node); break;
      case 'c': copyPgn(); break;
      case 'C': copyFen(); break;
      case 's': openSave(); break;
      case '?': dialog = helpDialog(S.keys, S, () => { dialog = null; }); break;
      case '1': show('games'); break;
      case '2': show('tree'); break;
      case '3': show('stats'); break;
      case '4': show('base'); break;
      default: done = false;
    }
  }
  S.fast = false;
  if (done) event.preventDefault();
}

// ---------------------------------------------------------------- the address

function fragment() {
  if (!S.info) return;
  const words = new URLSearchParams();
  if (S.view !== 'games') words.set('view', S.view);
  if (S.game) words.set('game', S.game.game + 1);
  if (S.node?.n) words.set(S.node.main ? 'ply' : 'node', S.node.main ? S.node.ply : S.node.n);
  if (S.query) words.set('query', S.query);
  const text = words.toString();
  try {
    history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
  } catch {
    // Some browsers forbid it for pages from a disk.
  }
}

/** Goes where the address says. */
async function applyFragment(asked) {
  const words = new URLSearchParams(asked.slice(1));
  const number = name => (words.has(name) ? Math.max(0, parseInt(words.get(name), 10) || 0) : null);
  const query = words.get('query');
  if (query && (await engine.call('query', { text: query })).ok) {
    parts.filter.set(query, true);
    await filter(query, true);
  }
  const game = number('game');
  if (game && game <= S.info.games) {
    await openGame(game - 1, { quiet: true, ply: number('ply'), nodeNumber: number('node') });
    const { place } = await engine.call('place', { game: game - 1 });
    if (place != null) parts.list.select(place);
  }
  const view = words.get('view');
  if (VIEWS.some(([name]) => name === view)) show(view);
}

// ---------------------------------------------------------------- start

function begin() {
  setLang(ownLang());
  paintTheme();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintTheme);
  if (!globalThis.DecompressionStream || !globalThis.WebAssembly) {
    root.replaceChildren(el('p', { class: 'note', role: 'alert' }, t('bad.old')));
    return;
  }
  const asked = location.hash;
  showDrop();
  if (asked) history.replaceState(null, '', asked);
  addEventListener('keydown', onKey);
  let over = null;
  addEventListener('dragover', event => {
    event.preventDefault();
    if (!over) document.body.append((over = overlay()));
  });
  const leave = () => { over?.remove(); over = null; };
  addEventListener('dragleave', event => { if (!event.relatedTarget) leave(); });
  addEventListener('drop', async event => {
    event.preventDefault();
    leave();
    const list = await dropped(event.dataTransfer);
    if (list.length) openFiles(list);
    else refuse({ code: 'empty' }, []);
  });
  addEventListener('hashchange', () => { if (S.info) applyFragment(location.hash); });
  let width = innerWidth;
  addEventListener('resize', later(150, () => {
    if (!S.info) return;
    const crossed = [720, 960, 1900].some(edge => (width < edge) !== (innerWidth < edge));
    width = innerWidth;
    if (crossed) show(S.view === 'board' && !phone() ? 'games' : S.view);
    else if (parts.board.pane.isConnected) parts.board.redraw();
  }));
}

begin();
