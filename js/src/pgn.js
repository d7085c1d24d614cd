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
 * @property {'1-0' | '0-1' | '1/2-1/2' | '*'} [result] the result, if it is not in the headers
 * @property {Partial<Annotation>} [start] the annotations before the first move
 */

const STANDARD = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/**
 * Returns a game as PGN.
 * @param {NewGame} game
 */
export function pgnOf({ moves, headers = {}, startFen = STANDARD, result, start }) {
  const { SetUp, FEN = startFen, Result = result ?? '*', ...others } = headers;
  /** @type {Record<string, string | number>} */
  const tags = { ...others, Result, ...(FEN === STANDARD ? {} : { SetUp: '1', FEN }) };
  const lines = Object.entries(tags).map(([name, value]) => {
    if (!/^\w+$/.test(name)) throw new TypeError(`"${name}" is no name of a tag`);
    return `[${name} "${String(value).replace(/\s+/g, ' ').replace(/["\\]/g, '\\$&')}"]\n`;
  });
  const text = typeof moves === 'string' ? [moves] : lineOf(moves);
  return `${lines.join('')}\n${[...commentsOf(start), ...text, Result].join(' ')}\n`;
}

/**
 * Returns the parts of a line. Each variation follows the move that it replaces.
 * @param {NewMove[]} moves
 * @returns {string[]}
 */
function lineOf(moves) {
  return moves.flatMap(move => {
    if (typeof move === 'string') return [move];
    const { san, uci, commentsBefore = [], nags = [], variations = [] } = move;
    return [
      ...commentsBefore.map(commentOf), san ?? uci ?? '', ...nags.map(nag => `$${nag}`), ...commentsOf(move),
      ...variations.flatMap(line => ['(', ...lineOf(line), ')']),
    ];
  });
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
  const [first, ...more] = comments;
  return [[...commands, first ?? ''].join(' ').trim(), ...more].filter(Boolean).map(commentOf);
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
