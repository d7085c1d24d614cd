// A game as the page walks through it: nodes with links to the previous, next and alternative ones.

/** @import { Evaluation, Game, GameData, GameNode, Item } from './types.d.ts' */

/** A node that nothing follows yet.
 * @param {Pick<GameNode, 'n' | 'number' | 'black' | 'san' | 'uci' | 'fen' | 'prev' | 'ply' | 'main' | 'line'>} of
 * @returns {GameNode} */
const makeNode = of => ({ ...of, next: null, beside: [], choices: [], nags: [], shapes: [], clock: null, spent: null, eval: null });

/** Reads the tokens of crates/chessdb-web/src/page/game.rs. Node 0 is the position at the start. No call goes
 * deeper than the nesting of a game: lines wait in a list.
 * @param {GameData} data
 * @returns {Game} */
export function makeGame(data) {
  const root = makeNode({ n: 0, fen: data.start, prev: null, ply: 0, main: true, line: 0, number: 0, black: false, san: '', uci: '' });
  const nodes = [root];
  /** @type {Item[]} */
  const items = [];
  /** @type {{ at: GameNode, line: number, fresh: boolean }[]} */
  const stack = [];
  let at = root;
  let fresh = true;
  let depth = 0;
  let lines = 0;
  let line = 0;
  for (const token of data.tokens) {
    if (token[0] === 'm') {
      const [, number, black, san, uci, fen] = token;
      const node = makeNode({ n: nodes.length, number, black, san, uci, fen, prev: at, ply: at.ply + 1, main: depth === 0, line });
      if (fresh && depth) at.beside.push(node);
      else at.next = node;
      nodes.push(node);
      items.push({ move: node });
      at = node;
      fresh = false;
    } else if (token[0] === 'n') {
      at.nags.push(token[1]);
    } else if (token[0] === 'c') {
      const text = token[1].trim();
      if (text) items.push({ text, before: token[2] });
    } else if (token[0] === 'o') {
      items.push({ open: true, line: ++lines, depth: depth + 1 });
      stack.push({ at, line, fresh });
      depth += 1;
      line = lines;
      // A variation that replaces no move is an alternative to the first one.
      if (!fresh && at.prev) at = at.prev;
      fresh = true;
    } else if (token[0] === 'x') {
      items.push({ close: true, line });
      const back = stack.pop();
      if (back) {
        ({ at, line, fresh } = back);
        depth -= 1;
      }
    } else if (token[0] === 'k') {
      at[token[2] ? 'spent' : 'clock'] = token[1];
    } else if (token[0] === 'e') {
      at.eval = token[1] == null ? { mate: token[2] ?? 0 } : { points: token[1] };
    } else if (token[0] === 's') {
      at.shapes.push(...token[1]);
    } else if (token[0] === 'f') {
      items.push({ fault: token[1], of: at });
    }
  }
  for (const node of nodes) {
    // The alternatives of a move, its own line first.
    if (node.next) node.choices = [node.next, ...node.beside];
    else node.choices = [...node.beside];
  }
  const main = [];
  for (let node = root.next; node; node = node.next) main.push(node);
  const { tokens: _, ...header } = data;
  return {
    ...header, nodes, items, main, root,
    hasEvals: main.some(node => node.eval), hasClocks: main.some(node => node.clock != null),
  };
}

/** The other move of the same place, below or above.
 * @param {GameNode} node
 * @param {number} step */
export function sibling(node, step) {
  const choices = node.prev?.choices;
  if (!choices || choices.length < 2) return null;
  const at = choices.indexOf(node);
  return choices[(at + step + choices.length) % choices.length];
}

/** The moves that lead to a node, the first one first.
 * @param {GameNode | null} node */
export function path(node) {
  const moves = [];
  for (; node?.prev; node = node.prev) moves.push(node);
  return moves.reverse();
}

/** The last clock of each side at a node: White's, Black's.
 * @param {GameNode} from */
export function clocks(from) {
  /** @type {(number | null)[]} */
  const found = [null, null];
  for (let node = /** @type {GameNode | null} */ (from); node?.prev && (found[0] == null || found[1] == null); node = node.prev) {
    const side = node.black ? 1 : 0;
    if (found[side] == null && node.clock != null) found[side] = node.clock;
  }
  return found;
}

/** The side to move.
 * @param {string} fen */
export const turn = fen => (fen.split(' ')[1] === 'b' ? 'b' : 'w');

/** Surplus pieces of each side, as symbols.
 * @param {string} fen */
export function material(fen) {
  /** @type {Record<string, number>} */
  const count = {};
  for (const letter of fen.split(' ')[0]) {
    if (/[a-z]/i.test(letter)) count[letter] = (count[letter] || 0) + 1;
  }
  const sides = ['', ''];
  const signs = { q: '♛', r: '♜', b: '♝', n: '♞', p: '♟\ufe0e' };
  for (const [man, sign] of Object.entries(signs)) {
    const more = (count[man.toUpperCase()] || 0) - (count[man] || 0);
    if (more) sides[more > 0 ? 0 : 1] += sign.repeat(Math.min(16, Math.abs(more)));
  }
  return sides;
}

/** @param {number} milliseconds */
export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  /** @param {number} number */
  const two = number => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** White's share of the bar, from 0 to 100.
 * @param {Evaluation | null} evaluation */
export function share(evaluation) {
  if (!evaluation) return 50;
  if (evaluation.mate != null) return evaluation.mate > 0 ? 100 : 0;
  return 50 + 50 * (2 / (1 + Math.exp(-0.0045 * (evaluation.points ?? 0))) - 1);
}

/** @param {Evaluation | null} evaluation */
export function evalText(evaluation) {
  if (!evaluation) return '';
  if (evaluation.mate != null) return `#${evaluation.mate < 0 ? '−' : ''}${Math.abs(evaluation.mate)}`;
  const points = (evaluation.points ?? 0) / 100;
  return (points >= 0 ? '+' : '−') + Math.abs(points).toFixed(2);
}
