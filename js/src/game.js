// A game: tags, and the moves as a tree.

/** @typedef {import('./database.js').Database} Database */

/**
 * An arrow, or a marked square if `to` is null. `color` is `G`, `R`, `Y`, `B`, `C` or another letter
 * of PGN's `[%cal]`.
 * @typedef {{ color: string, from: string, to: string | null }} Shape
 */

/**
 * An engine's evaluation from White's point of view: either centipawns or moves to mate, and the
 * depth of the search in half-moves, if known.
 * @typedef {{ centipawns: number | null, mate: number | null, depth: number | null }} Evaluation
 */

/**
 * The annotations of a move, or before the first one.
 * @typedef {object} Annotation
 * @property {string[]} comments the comments after the move, without the values below
 * @property {number[]} nags Numeric Annotation Glyphs: 1 is `!`
 * @property {number | null} clock milliseconds left on the player's clock
 * @property {number | null} elapsed milliseconds spent on the move
 * @property {Evaluation | null} evaluation
 * @property {Shape[]} shapes arrows and squares
 */

/**
 * A move.
 * @typedef {object} MoveFields
 * @property {string} san the move in Standard Algebraic Notation
 * @property {string} uci the move as engines write it; castling of Chess960 as king takes rook
 * @property {number} ply the number of half-moves from the start of the game, from 1
 * @property {string | null} fen the position after the move; null if positions were not requested
 * @property {string[]} commentsBefore the comments before the move
 * @property {Move[][]} variations other moves instead of this one, each with its continuation
 */

/** @typedef {MoveFields & Annotation} Move */

/**
 * Something that was found while the game was read. With the severity `lost`, something is missing;
 * with `error`, all moves are.
 * @typedef {object} Problem
 * @property {'note' | 'repaired' | 'lost' | 'error'} severity
 * @property {string} code a stable identifier of the kind
 * @property {string} detail
 * @property {string} text
 * @property {number | null} ply the number of half-moves before the place
 */

/** @typedef {{ game: number, tags: [string, string][], result: string, start: string, isSetup: boolean, tokens: any[][], problems: Problem[] }} GameData */

/** A game of a database. It keeps its values when the database is closed. */
export class Game {
  /** @type {Database} */
  #database;

  /**
   * @param {Database} database
   * @param {GameData} data
   * @param {number | null} [ply]
   */
  constructor(database, data, ply = null) {
    this.#database = database;
    /** The number of half-moves before the first position that matches the query, if that is about positions. */
    this.ply = ply;
    /** The number of the game, from 1. */
    this.number = data.game + 1;
    /** All tags in the order of PGN, such as `['White', 'Carlsen, Magnus']`. */
    this.tags = data.tags;
    /** The tags as an object. @type {Record<string, string>} */
    this.headers = Object.fromEntries(data.tags);
    /** @type {'1-0' | '0-1' | '1/2-1/2' | '*'} */
    this.result = /** @type {any} */ (data.result);
    /** The start position as FEN. */
    this.startFen = data.start;
    /** Whether the game has its own start position. */
    this.isSetup = data.isSetup;
    /** The findings while the game was read. Empty for an intact game. */
    this.problems = data.problems;
    const { start, moves } = treeOf(data.tokens);
    /** The annotations before the first move. @type {Annotation} */
    this.start = start;
    /** The main line. @type {Move[]} */
    this.moves = moves;
  }

  /** The name of the player with the white pieces; `?` if unknown. */
  get white() {
    return this.headers.White ?? '?';
  }

  /** The name of the player with the black pieces; `?` if unknown. */
  get black() {
    return this.headers.Black ?? '?';
  }

  /** The date as in PGN, such as `2013.11.??`. */
  get date() {
    return this.headers.Date ?? '????.??.??';
  }

  /** Returns the moves of the main line in SAN. */
  sans() {
    return this.moves.map(move => move.san);
  }

  /** Returns the moves of the main line as engines write them. */
  ucis() {
    return this.moves.map(move => move.uci);
  }

  /**
   * Returns the game as PGN, with everything that PGN can express.
   * @returns {Promise<string>}
   */
  toPgn() {
    return this.#database.pgn(this.number);
  }
}

/** @returns {Annotation} */
function annotation() {
  return { comments: [], nags: [], clock: null, elapsed: null, evaluation: null, shapes: [] };
}

/**
 * A line that is being built: `ply` is the number of half-moves before its next move.
 * @typedef {{ moves: Move[], at: Annotation, ply: number, before: string[] }} OpenLine
 */

/**
 * Adds a move to a line: its SAN, its UCI and perhaps the position after it, separated by commas.
 * @param {OpenLine} line
 * @param {string} text
 */
function addMove(line, text) {
  const [san, uci, fen = null] = text.split(',');
  line.ply += 1;
  /** @type {Move} */
  const move = {
    san, uci, ply: line.ply, fen, commentsBefore: line.before, variations: [],
    // Spelled out, because copying `annotation()` takes longer than all else.
    comments: [], nags: [], clock: null, elapsed: null, evaluation: null, shapes: [],
  };
  line.before = [];
  line.moves.push(move);
  line.at = move;
}

/**
 * Returns the tree of moves that the engine's tokens describe (crates/chessdb-web/src/tokens.rs).
 * @param {any[][]} tokens
 * @returns {{ start: Annotation, moves: Move[] }}
 */
function treeOf(tokens) {
  const start = annotation();
  /** @type {OpenLine} */
  let line = { moves: [], at: start, ply: 0, before: [] };
  /** @type {OpenLine[]} */
  const outer = [];
  for (const [kind, first, second, third] of tokens) {
    switch (kind) {
      case 'm':
        for (const move of first.split('|')) addMove(line, move);
        break;
      case 'o':
        outer.push(line);
        line = { moves: [], at: annotation(), ply: Math.max(0, line.ply - 1), before: [] };
        break;
      case 'x': {
        const { moves } = line;
        line = outer.pop() ?? line;
        const replaced = line.moves.at(-1);
        if (replaced && moves.length) replaced.variations.push(moves);
        break;
      }
      case 'n': line.at.nags.push(first); break;
      case 'c':
        // Nothing precedes the first move of a variation.
        if (second || outer.length && !line.moves.length) line.before.push(first);
        else line.at.comments.push(first);
        break;
      case 'k':
        if (second) line.at.elapsed = first;
        else line.at.clock = first;
        break;
      case 'e': line.at.evaluation = { centipawns: first, mate: second, depth: third }; break;
      case 's':
        for (const [color, from, to] of first) line.at.shapes.push({ color, from, to });
        break;
      // Text that is no move is also among the problems.
      case 'f': line.at.comments.push(first); break;
    }
  }
  // A comment before a move that is missing.
  line.at.comments.push(...line.before);
  return { start, moves: line.moves };
}
