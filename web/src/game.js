// A game as the page walks through it: nodes that know what comes before, after and beside them.

/** Reads the tokens of crates/chessdb-web/src/game.rs. Node 0 is the position at the start. No call goes
 * deeper than the nesting of a game: lines wait in a list. */
export function makeGame(data) {
  const root = {
    n: 0, fen: data.start, prev: null, next: null, beside: [], ply: 0, main: true, line: 0, nags: [], shapes: [],
  };
  const nodes = [root];
  const items = [];
  const stack = [];
  let at = root;
  let fresh = true;
  let depth = 0;
  let lines = 0;
  let line = 0;
  for (const token of data.tokens) {
    const [kind, first, second, san, uci, fen] = token;
    if (kind === 'm') {
      const node = {
        n: nodes.length, number: first, black: second, san, uci, fen, prev: at, next: null, beside: [],
        ply: at.ply + 1, main: depth === 0, line, nags: [], shapes: [], clock: null, spent: null, eval: null,
      };
      if (fresh && depth) at.beside.push(node);
      else at.next = node;
      nodes.push(node);
      items.push({ move: node });
      at = node;
      fresh = false;
    } else if (kind === 'n') {
      at.nags.push(first);
    } else if (kind === 'c') {
      const text = loose(first, at);
      if (text) items.push({ text });
    } else if (kind === 'o') {
      items.push({ open: true, line: ++lines, depth: depth + 1 });
      stack.push({ at, line, fresh });
      depth += 1;
      line = lines;
      // What replaces no move stands beside the first one.
      at = fresh ? at : at.prev;
      fresh = true;
    } else if (kind === 'x') {
      items.push({ close: true, line });
      const back = stack.pop();
      if (back) {
        ({ at, line, fresh } = back);
        depth -= 1;
      }
    } else if (kind === 'k') {
      at[second ? 'spent' : 'clock'] = first;
    } else if (kind === 'e') {
      at.eval = first == null ? { mate: second } : { points: first };
    } else if (kind === 's') {
      at.shapes.push(...first);
    } else if (kind === 'f') {
      items.push({ fault: first, of: at });
    }
  }
  for (const node of nodes) {
    // The alternatives of a move, the one of the line it stands in first.
    if (node.next) node.choices = [node.next, ...node.beside];
    else node.choices = [...node.beside];
  }
  const main = [];
  for (let node = root.next; node; node = node.next) main.push(node);
  return {
    ...data, tokens: null, nodes, items, main, root,
    hasEvals: main.some(node => node.eval), hasClocks: main.some(node => node.clock != null),
  };
}

/** Takes out of a comment what commands it holds in spellings that the library leaves as they are. */
function loose(text, node) {
  return text.replace(/\[%(clk|emt|eval|csl|cal)\s+([^\]]{1,800})\]\s*/g, (whole, word, value) => {
    if (word === 'clk' || word === 'emt') {
      const time = value.match(/^(\d+):(\d\d):(\d\d)/);
      if (!time) return whole;
      node[word === 'clk' ? 'clock' : 'spent'] = ((Number(time[1]) * 60 + Number(time[2])) * 60 + Number(time[3])) * 1000;
    } else if (word === 'eval') {
      const mate = value.match(/^#([+-]?\d+)/);
      const points = Number.parseFloat(value);
      if (!mate && Number.isNaN(points)) return whole;
      node.eval = mate ? { mate: Number(mate[1]) } : { points: Math.round(points * 100) };
    } else {
      const shapes = value.match(/[A-Z][a-h][1-8](?:[a-h][1-8])?/g) || [];
      node.shapes.push(...shapes.map(shape => [shape[0], shape.slice(1, 3), shape.slice(3) || null]));
    }
    return '';
  }).trim();
}

/** The other move of the same place, below or above. */
export function sibling(node, step) {
  const choices = node.prev?.choices;
  if (!choices || choices.length < 2) return null;
  const at = choices.indexOf(node);
  return choices[(at + step + choices.length) % choices.length];
}

/** The moves that lead to a node, the first one first. */
export function path(node) {
  const moves = [];
  for (; node?.prev; node = node.prev) moves.push(node);
  return moves.reverse();
}

/** The last clock of each side at a node: White's, Black's. */
export function clocks(node) {
  const found = [null, null];
  for (; node?.prev && (found[0] == null || found[1] == null); node = node.prev) {
    const side = node.black ? 1 : 0;
    if (found[side] == null && node.clock != null) found[side] = node.clock;
  }
  return found;
}

export const turn = fen => (fen.split(' ')[1] === 'b' ? 'b' : 'w');

/** Surplus men of each side, as signs. */
export function material(fen) {
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

export function clockText(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  const two = number => String(number).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** White's share of the bar, from 0 to 100. */
export function share(evaluation) {
  if (!evaluation) return 50;
  if (evaluation.mate != null) return evaluation.mate > 0 ? 100 : 0;
  return 50 + 50 * (2 / (1 + Math.exp(-0.0045 * evaluation.points)) - 1);
}

export function evalText(evaluation) {
  if (!evaluation) return '';
  if (evaluation.mate != null) return `#${evaluation.mate < 0 ? '−' : ''}${Math.abs(evaluation.mate)}`;
  const points = evaluation.points / 100;
  return (points >= 0 ? '+' : '−') + Math.abs(points).toFixed(2);
}
