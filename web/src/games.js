// The list, the game beside it and the tree: what happens when the reader chooses.

import { el, foreign, ico, later, say, tame } from './dom.js';
import { date, result, t } from './lang.js';
import { EMPTY, S, START, here, keep, parts, phone } from './state.js';
import { makeGame, path } from './game.js';
import { findings } from './report.js';
import { spoken } from './notation.js';
import { treeTable } from './tree.js';
import { terms } from './filter.js';
import { patternDialog } from './pattern.js';
import { alarm, fragment, show } from './app.js';
import { showStats } from './pages.js';
import { stopPlaying } from './keys.js';

export function countWords(growing) {
  const n = growing ?? S.listed;
  const isAll = n === S.info.games && !S.query;
  // Of a damaged database nobody knows whether these are all.
  const damaged = findings(S.info, S.memory?.info === S.info ? S.memory.health : null).damage.length;
  parts.filter.count.textContent = isAll ? t(damaged || !n ? 'games' : 'all', { n }) : t('count', { n, m: S.info.games });
}

export async function filter(text, still) {
  const { list } = parts;
  S.query = text.trim();
  const begun = S.query;
  try {
    const { found } = await parts.engine.task('filter', { query: begun }, state => countWords(state.soFar?.found ?? 0));
    if (begun !== S.query) return;
    S.listed = found;
    S.found = {};
    list.reset(found);
    countWords();
    parts.holder.replaceChildren(found ? list.pane : emptyNote(begun));
    say(t('count', { n: found, m: S.info.games }));
    if (S.view === 'tree') showLine();
    if (S.view === 'stats') showStats(parts.body.querySelector('.inner'));
    else if (found) {
      const place = S.game && (await parts.engine.call('place', { game: S.game.game })).place;
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
      if (!(await parts.engine.call('query', { text: rest })).ok) continue;
      const answer = await parts.engine.task('filter', { query: rest, count: true }, null, 'without').catch(() => null);
      if (answer?.found && (!best || answer.found < best.found)) best = { term, rest, found: answer.found };
    }
    if (!best || !note.isConnected) return;
    note.append(foreign('p', {}, t('none.help', { t: best.term, n: best.found })),
      el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set(best.rest) } }, t('none.do', { t: best.term })));
  })();
  return note;
}

export async function sort(column, down) {
  const { list } = parts;
  S.order = [column, down];
  list.setOrder(column, down);
  await parts.engine.task('sort', { column, down });
  const place = S.game && (await parts.engine.call('place', { game: S.game.game })).place;
  list.reset(S.listed);
  // Whoever sorts wants to see the beginning.
  if (place != null) list.select(place, true);
}


/** Games that were read. */
const games = new Map();

export const forget = () => games.clear();

export const soon = later(70, act => act());

async function fetchGame(index) {
  const known = games.get(index);
  if (known) return known;
  const made = parts.engine.call('game', { game: index }).then(makeGame);
  games.set(index, made);
  made.catch(() => games.delete(index));
  if (games.size > 24) games.delete(games.keys().next().value);
  return made;
}

let wanted = -1;
export async function openGame(index, { quiet, toBoard, ply, nodeNumber } = {}) {
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

export async function openFromTree(index) {
  const fen = S.line.moves.at(-1)?.fen ?? S.line.start;
  await openGame(index, {});
  const board = text => text.split(' ').slice(0, 2).join(' ');
  const there = [S.game.root, ...S.game.main].find(node => board(node.fen) === board(fen));
  if (there) go(there);
  const { place } = await parts.engine.call('place', { game: index });
  parts.list.select(place);
  if (phone()) show('board');
}

export function title(game) {
  const family = name => tame(name.split(',')[0].trim() || t('unknown'));
  return `${family(game.white)} – ${family(game.black)}`;
}

export function foldWords() {
  parts.foldButton.replaceChildren(ico('foldi'), parts.notation.isFolded() ? t('unfold') : t('foldall'));
}

/** The game and its position, in the view of games. */
export function showGame() {
  const { game } = S;
  if (!parts.list || S.view === 'tree') return;
  if (!game) {
    parts.gameHead.replaceChildren(el('h2', {}, t('game.none')), el('p', {}, '\u00a0'), el('p', {}, '\u00a0'));
    parts.notation.show(null);
    foldWords();
    parts.board.show({ fen: START, flipped: S.flipped, shapes: [], fast: true, game: EMPTY, node: EMPTY.root, free: true });
    return;
  }
  const event = [tame(game.event), game.round && game.round !== '?' && game.event ? `(${tame(game.round)})` : ''].filter(Boolean).join(' ');
  const where = [event, tame(game.site), date(game.date)].filter(Boolean).join(', ');
  // The opening first; what does not fit is told by the title.
  const opening = [game.eco, game.opening].filter(Boolean).join(' ');
  const what = [opening, `${result(game.result)}, ${t('moves', { n: game.moves })}`, t('game.no', { n: game.game + 1 })].filter(Boolean).join(' · ');
  parts.gameHead.replaceChildren(foreign('h2', { title: tame(`${game.white} – ${game.black}`) }, title(game)), foreign('p', {}, where || '\u00a0'), el('p', { title: what }, what));
  if (parts.shown !== game) {
    parts.shown = game;
    parts.notation.show(game);
    foldWords();
  }
  showNode();
}

export function showNode() {
  const { game, node } = S;
  parts.board.show({ fen: node.fen, uci: node.uci, flipped: S.flipped, shapes: node.shapes, fast: S.fast, game, node });
  parts.notation.mark(node);
  if (innerWidth >= 1920 && S.view !== 'tree') smallTree();
}

export function go(node) {
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
  const memory = `tree ${node.fen}`;
  const answer = S.found[memory] ?? await parts.engine.task('tree', { fen: node.fen }, null, 'rtree').catch(() => null);
  if (!answer || S.node !== node) return;
  S.found[memory] = answer;
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



export function playMove(move) {
  const fen = S.line.moves.at(-1)?.fen ?? S.line.start;
  const [, side, , , , number] = fen.split(' ');
  S.line.moves.push({ san: move.san, uci: move.uci, fen: move.fen, name: move.name, number: Number(number) || 1, black: side === 'b' });
  showLine();
}

export async function showLine() {
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
    const answer = await parts.engine.task('tree', { fen }, state => {
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


export function filterByPosition() {
  const [men, side] = here().split(' ');
  filterByTerm(`fen:"${men} ${side}"`);
}

/** What is asked of positions stands in one place of the filter. */
function filterByTerm(term) {
  const rest = terms(parts.filter.value).filter(one => !/^(fen|pattern):/.test(one)).join(' ');
  show('games');
  parts.filter.set(`${rest} ${term}`.trim());
}

export function editPosition() {
  const back = document.activeElement;
  S.dialog = patternDialog({
    fen: here(), flipped: S.flipped, search: filterByTerm,
    closed: () => { S.dialog = null; if (back?.isConnected) back.focus(); },
  });
}
