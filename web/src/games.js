// The list, the game next to it and the tree: the reader's choices.

import { dotted, el, foreign, ico, later, say, tame } from './dom.js';
import { date, result, t } from './lang.js';
import { errorText, isFailure } from './failure.js';
import { EMPTY, S, START, endOf, here, keep, own, parts, phone } from './state.js';
import { makeGame, path } from './game.js';
import { findings } from './report.js';
import { errorLine } from './faults.js';
import { spoken } from './notation.js';
import { openingName } from './openingname.js';
import { showBooks } from './books.js';
import { treeTable } from './tree.js';
import { linkHeading } from './connect.js';
import { split } from './terms.js';
import { emptyNote, showKinds, showSimilar } from './wordkinds.js';
import { patternDialog } from './pattern.js';
import { alarm, fragment, show } from './commands.js';
import { openDialog } from './dialog.js';
import { stopPlaying } from './play.js';

/** @import { Game, GameNode, Info, LineMove, PlayedMove, Shape, Tree } from './types.d.ts' */

const update = own('query', 'listed', 'counting', 'order', 'game', 'node', 'line');
/** The answers of the tree about the filtered games, by position.
 * @type {Map<string, Tree>} */
let answers = new Map();

/** Shows how many games are filtered; while they are counted, `growing` of them.
 * @param {number} [growing] */
export function countWords(growing = 0) {
  if (!S.info) return;
  const { counting, listed, query, info } = S;
  // A damaged database may have had more.
  const damaged = findings(info, S.health).damage.length;
  parts.filter.count.textContent = counting ? t('counting', { n: growing, m: info.games })
    : listed === info.games && !query ? t(damaged || !listed ? 'games' : 'all', { n: listed }) : t('count', { n: listed, m: info.games });
  for (const element of [parts.filter.count, parts.holder]) element.setAttribute('aria-busy', String(counting));
}

/** Filters; `still` chooses no game.
 * @param {string} text
 * @param {boolean} [still] */
export async function filter(text, still) {
  const { list } = parts;
  const { info } = S;
  if (!info) return;
  update({ query: text.trim(), counting: true });
  const begun = S.query;
  const showCounting = later(150, () => {
    if (!S.counting || S.query !== begun) return;
    countWords();
    // They are about the query before.
    showKinds('');
  });
  showCounting();
  try {
    const answer = await parts.engine.task('filter', { query: begun }, state => {
      countWords(state.soFar?.found ?? 0);
      showKinds('');
    });
    if (begun !== S.query) return;
    const { found } = answer;
    answers = new Map();
    update({ listed: found, counting: false });
    list.reset(found);
    countWords();
    showKinds(begun, answer);
    if (found) showSimilar(begun, found);
    parts.holder.replaceChildren(found ? list.pane : emptyNote(begun));
    say(t('count', { n: found, m: info.games }));
    if (S.view === 'tree') showLine();
    if (S.view !== 'stats' && found) {
      const place = S.game && (await parts.engine.call('place', { game: S.game.game })).place;
      if (place != null) {
        list.select(place);
        // The tree next to the game is about the listed games.
        if (innerWidth >= 1920) smallTree();
      } else if (!phone() && still !== true) list.pick(0, 'quiet');
    }
    fragment();
  } catch (error) {
    const isLast = begun === S.query;
    // A change of games ended it.
    if (isLast && isFailure(error, 'stopped')) return filter(text, still);
    if (isLast) {
      update({ counting: false });
      countWords();
    }
    if (!isFailure(error, 'query', 'trap', 'stopped')) throw error;
  }
}

/** @type {(column: string, down: boolean) => Promise<void>} */
export async function sort(column, down) {
  const { list } = parts;
  update({ order: [column, down] });
  list.setOrder(column, down);
  await parts.engine.task('sort', { column, down });
  const place = S.game && (await parts.engine.call('place', { game: S.game.game })).place;
  list.reset(S.listed);
  // After sorting, the reader wants to see the beginning.
  if (place != null) list.select(place, true);
}


/** Games that were read, by number.
 * @type {Map<number, Promise<Game>>} */
const games = new Map();

/** Of a database that was opened, nothing is filtered, sorted or chosen.
 * @param {Info} info */
export function forget(info) {
  games.clear();
  answers = new Map();
  update({ query: '', listed: info.games, counting: false, order: ['number', false], game: null, node: null, line: null });
}

/** Games were changed in memory: `listed` are in the list now, and what was read of them is forgotten.
 * @param {number} listed */
export function changedGames(listed) {
  games.clear();
  answers = new Map();
  update({ listed });
}

/** Of a database that is shown again, what was filtered, sorted and chosen.
 * @param {Partial<import('./types.d.ts').State>} state */
export function recall(state) {
  games.clear();
  answers = new Map();
  update(state);
}

/** Lists games that no query describes.
 * @param {number} found */
export function relist(found) {
  answers = new Map();
  update({ query: '', listed: found, counting: false, order: ['number', false] });
  parts.filter.set('', true);
  parts.list.setOrder('number', false);
  parts.list.reset(found);
  parts.holder.replaceChildren(parts.list.pane);
  countWords();
  if (found && !phone()) parts.list.pick(0, 'quiet');
}

export const soon = later(70, (/** @type {() => void} */ act) => act());

/** @param {number} index */
async function fetchGame(index) {
  const known = games.get(index);
  if (known) return known;
  const made = parts.engine.call('game', { game: index }).then(makeGame);
  games.set(index, made);
  made.catch(() => games.delete(index));
  if (games.size > 24) games.delete(/** @type {number} */ (games.keys().next().value));
  return made;
}

let wanted = -1;
/** Opens a game, at a half-move of its mainline or at a node; `toBoard` shows the board where one pane fills the screen.
 * @param {number} index
 * @param {{ quiet?: boolean, quick?: boolean, toBoard?: boolean, ply?: number | null, nodeNumber?: number | null }} [how] */
export async function openGame(index, { quiet, quick, toBoard, ply, nodeNumber } = {}) {
  wanted = index;
  stopPlaying();
  try {
    const game = await fetchGame(index);
    if (wanted !== index) return;
    const at = ply ?? game.hit;
    const node = (nodeNumber != null && game.nodes[nodeNumber]) || (at ? game.main[Math.min(at, game.main.length) - 1] : null) || game.root;
    // A game that opens by itself, as the first of a database, does not close the tree.
    if (quiet && S.view === 'tree') {
      update({ game, node });
      return fragment({ quiet });
    }
    update({ game, node, line: null });
    if (S.view === 'tree') show('games');
    if (toBoard) show('board');
    else showGame();
    fragment({ quiet, quick });
    if (!quiet) say(`${game.white} – ${game.black}`);
  } catch (error) {
    if (wanted !== index || isFailure(error, 'trap')) return;
    alarm(isFailure(error) ? errorLine(error) : errorText(error));
  }
}

/** @param {number} index */
export async function openFromTree(index) {
  const fen = here();
  await openGame(index);
  if (!S.game) return;
  /** @param {string} text */
  const board = text => text.split(' ').slice(0, 2).join(' ');
  const there = [S.game.root, ...S.game.main].find(node => board(node.fen) === board(fen));
  if (there) go(there);
  const { place } = await parts.engine.call('place', { game: index });
  parts.list.select(place);
  if (phone()) show('board');
}

/** @param {Game} game */
export function title(game) {
  /** @param {string} name */
  const family = name => tame(name.split(',')[0].trim() || t('unknown'));
  // No line begins with the dash.
  return `${family(game.white)}\u00a0– ${family(game.black)}`;
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
  // The opening first; the title contains what does not fit.
  const opening = [game.eco, game.opening && openingName(game.opening).text].filter(Boolean).join(' ');
  const what = dotted([opening, `${result(game.result)}, ${t('moves', { n: game.moves })}`, t('game.no', { n: game.game + 1 })]);
  parts.gameHead.replaceChildren(foreign('h2', { title: tame(`${game.white} – ${game.black}`) }, title(game)), el('p', { title: what }, what), foreign('p', {}, where || '\u00a0'));
  linkHeading(parts.gameHead, game);
  if (parts.notation.game !== game) {
    parts.notation.show(game);
    foldWords();
  }
  showNode();
}

export function showNode() {
  const { game, node } = S;
  if (!game || !node) return;
  parts.board.show({ fen: node.fen, uci: node.uci, flipped: S.flipped, shapes: node.shapes, fast: S.fast, game, node });
  parts.notation.mark(node);
  if (innerWidth >= 1920 && S.view !== 'tree') smallTree();
}

/** Goes to a position of the game.
 * @param {GameNode | null | undefined} node */
export function go(node) {
  if (!node) return;
  update({ node });
  showNode();
  fragment();
  if (node.prev) sayMove(node);
}

const sayMove = later(250, (/** @type {GameNode} */ node) => say(spoken(node)));

const smallTree = later(200, async () => {
  const { node } = S;
  if (!node || S.view === 'tree') return;
  const known = answers;
  const answer = known.get(node.fen) ?? await parts.engine.task('tree', { fen: node.fen }, null, 'rtree').catch(() => null);
  if (!answer || S.node !== node) return;
  known.set(node.fen, answer);
  parts.rtree.replaceChildren(
    el('div', { class: 'thead' }, el('h2', {}, t('nav.tree')), el('p', { class: 'mut' }, t('tree.reach', { n: answer.reached }))),
    answer.moves.length ? treeTable({ ...answer, moves: answer.moves.slice(0, 5) }, node.fen, move => {
      const next = node.choices.find(one => one.uci === move.uci);
      if (next) go(next);
      else {
        update({ line: lineTo(node) });
        show('tree');
        playMove(move);
      }
    }, true) : el('p', { class: 'nothing mut' }, t('tree.end')));
});

/** @param {GameNode | null} node */
const lineTo = node => ({ start: S.game?.start ?? START, moves: path(node).map(keep) });

/** The line of the tree begins as the one to the position of the game. */
export function beginLine() {
  if (!S.line) update({ line: lineTo(S.node) });
}

export const endLine = () => update({ line: null });

/** Plays a move in the line of the tree.
 * @param {PlayedMove} move */
export function playMove(move) {
  if (!S.line) return;
  const [, side, , , , number] = endOf(S.line).split(' ');
  const added = { san: move.san, uci: move.uci, fen: move.fen, name: move.name, number: Number(number) || 1, black: side === 'b' };
  update({ line: { ...S.line, moves: [...S.line.moves, added] } });
  showLine();
}

/** Goes back in the line of the tree, to its first moves.
 * @param {number} length */
export function shortenLine(length) {
  if (!S.line) return;
  update({ line: { ...S.line, moves: S.line.moves.slice(0, Math.max(0, length)) } });
  showLine();
}

/** Shows these moves from the position on the board in the tree.
 * @param {LineMove[]} moves */
export function continueLine(moves) {
  const line = (S.view === 'tree' && S.line) || lineTo(S.node);
  update({ line: { ...line, moves: [...line.moves, ...moves] } });
  if (S.view === 'tree') showLine();
  else show('tree');
}

/** The answer of the tree about the position on the board. */
export const treeAnswer = () => answers.get(here());

export async function showLine() {
  const { line } = S;
  if (!line) return;
  const fen = endOf(line);
  const uci = line.moves.at(-1)?.uci;
  /** @param {Tree | undefined} answer */
  const draw = answer => {
    const moves = answer?.moves ?? [];
    const total = moves.reduce((sum, move) => sum + move.games, 0) || 1;
    const shapes = moves.slice(0, 2).filter(move => /^[a-h]/.test(move.uci)).map(move => /** @type {Shape} */
      (['G', move.uci.slice(0, 2), move.uci.slice(2, 4), 3 + Math.round(move.games / total * 7)]));
    parts.board.show({ fen, uci, flipped: S.flipped, shapes, fast: S.fast, game: EMPTY, node: EMPTY.root, free: true });
  };
  const known = answers;
  draw(known.get(fen));
  parts.tree.show(line.moves, fen, known.get(fen));
  showBooks(parts.tree.books, fen, playMove, () => S.line === line).catch(error => { if (!isFailure(error, 'trap', 'stopped', 'cancelled')) throw error; });
  fragment();
  if (known.has(fen)) return;
  // The tree of the games before would be shown as that of the new ones.
  if (S.counting) return;
  try {
    const answer = await parts.engine.task('tree', { fen }, state => {
      if (S.line === line) parts.tree.show(line.moves, fen, state.soFar, state);
    });
    known.set(fen, answer);
    if (S.view !== 'tree' || here() !== fen) return;
    parts.tree.show(line.moves, fen, answer);
    draw(answer);
  } catch (error) {
    if (!isFailure(error, 'trap', 'stopped')) throw error;
  }
}


export function filterByPosition() {
  const [men, side] = here().split(' ');
  filterByTerm(`fen:"${men} ${side}"`);
}

/** The terms about positions are in one place of the filter.
 * @param {string} term */
function filterByTerm(term) {
  const rest = split(parts.filter.value).filter(one => !/^(fen|pattern|material):/.test(one)).join(' ');
  show('games');
  parts.filter.set(`${rest} ${term}`.trim());
}

export function editPosition() {
  openDialog(closed => patternDialog({ fen: here(), flipped: S.flipped, search: filterByTerm, closed }));
}
