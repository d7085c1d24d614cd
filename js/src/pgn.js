// Games that a program makes, as PGN.

/** @typedef {import('./game.js').Annotation} Annotation */
/** @typedef {import('./game.js').Move} Move */

/**
 * A move of a new game: SAN or UCI, or an object with one of both and any of the values of a `Move`.
 * @typedef {string | (Partial<Move> & ({ san: string } | { uci: string }))} NewMove
 */

/**
 * A game that a program makes. A changed copy of a `Game` is one: `{ ...game, headers: { ...game.headers, Round: '3' } }`.
 * @typedef {object} NewGame
 * @property {string | NewMove[]} moves the main line
 * @property {Record<string, string | number>} [headers] the tags
 * @property {string} [startFen] the start position, if it is not that of chess
 * @property {'1-0' | '0-1' | '1/2-1/2' | '*'} [result] the result, if neither the headers nor a text of moves has it
 * @property {Partial<Annotation>} [start] the annotations before the first move
 */

const STANDARD = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/**
 * Returns a game as PGN.
 * @param {NewGame} game
 */
export function pgnOf({ moves, headers = {}, startFen = STANDARD, result, start }) {
  const setup = startFen === STANDARD || headers.FEN ? {} : { SetUp: '1', FEN: startFen };
  // A text of moves may end with the result.
  const [line, ending] = typeof moves === 'string' ? divided(moves) : [lineOf(moves).join(' '), ''];
  const end = result ?? (ending || headers.Result || '*');
  const tags = { Result: end, ...headers, ...setup };
  const lines = Object.entries(tags).map(([name, value]) => {
    if (!/^[^\s"[\]]+$/.test(name)) throw new TypeError(`"${name}" is no name of a tag`);
    return `[${name} "${String(value).replace(/[\r\n]+/g, ' ').replace(/["\\]/g, '\\$&')}"]\n`;
  });
  return `${lines.join('')}\n${[...commentsOf(start), line, end].join(' ')}\n`;
}

/**
 * Divides a text of moves from the result at its end.
 * @param {string} text
 */
function divided(text) {
  const [ending = ''] = /(?<!\S)(1-0|0-1|1\/2-1\/2|\*)\s*$/.exec(text) ?? [];
  return [text.slice(0, text.length - ending.length), ending.trim()];
}

/**
 * Returns the parts of a line. Each variation follows the move that it replaces.
 * @param {NewMove[]} moves
 * @returns {string[]}
 */
function lineOf(moves) {
  const parts = [];
  // A recursion could not follow deeply nested variations.
  /** @type {{ line: NewMove[], next: number }[]} */
  const open = [{ line: moves, next: 0 }];
  for (let last = open.at(-1); last; last = open.at(-1)) {
    if (last.next === last.line.length) {
      open.pop();
      if (open.length) parts.push(')');
      continue;
    }
    if (!last.next && open.length > 1) parts.push('(');
    const move = last.line[last.next];
    last.next += 1;
    if (typeof move === 'string') {
      parts.push(move);
      continue;
    }
    const { san, uci, commentsBefore = [], nags = [], variations = [] } = move;
    parts.push(...commentsBefore.map(commentOf), san ?? uci ?? '', ...nags.map(nag => `$${nag}`), ...commentsOf(move));
    // The first one must be the last that is open.
    for (const line of variations.filter(line => line.length).reverse()) open.push({ line, next: 0 });
  }
  return parts;
}

/**
 * @param {Partial<Annotation>} [annotation]
 * @returns {string[]}
 */
function commentsOf({ comments = [], clock, elapsed, evaluation, shapes = [] } = {}) {
  const squares = (/** @type {boolean} */ isArrow) => shapes.filter(shape => (shape.to != null) === isArrow)
    .map(({ color, from, to }) => color + from + (to ?? '')).join(',');
  const { centipawns, mate, depth } = evaluation ?? {};
  const value = mate != null ? `#${mate}` : centipawns != null ? (centipawns / 100).toFixed(2) : '';
  const commands = Object.entries({
    eval: value && depth != null ? `${value},${depth}` : value,
    clk: timeOf(clock),
    emt: timeOf(elapsed),
    csl: squares(false),
    cal: squares(true),
  }).filter(([, text]) => text).map(([name, text]) => `[%${name} ${text}]`);
  if (!commands.length) return comments.map(commentOf);
  const [first, ...more] = comments;
  return [[...commands, ...(first == null ? [] : [first])].join(' '), ...more].map(commentOf);
}

/** @param {string} text */
function commentOf(text) {
  if (text.includes('}')) throw new TypeError(`PGN has no comments with a closing brace: ${text}`);
  return `{${text}}`;
}

/** @param {number | null} [milliseconds] */
function timeOf(milliseconds) {
  if (milliseconds == null) return '';
  const [hours, minutes] = [Math.trunc(milliseconds / 3_600_000), Math.trunc(milliseconds / 60_000) % 60];
  const seconds = (milliseconds % 60_000) / 1000;
  return `${hours}:${String(minutes).padStart(2, '0')}:${seconds < 10 ? '0' : ''}${seconds}`;
}
