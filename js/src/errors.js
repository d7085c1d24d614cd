// The errors of the package. A class for each cause that a program handles differently.

/**
 * Details of a failure as the engine reports it.
 * @typedef {object} FailureDetail
 * @property {string | null} [file] the path or name of the file
 * @property {string} [role] the suffix of a missing file
 * @property {string[]} [roles] the suffixes of all missing files
 * @property {number | null} [game] the number of the game, from 1
 * @property {number | null} [ply] the number of half-moves before the place
 */

/** An error of chessdb. */
export class ChessdbError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {FailureDetail | null} [detail]
   */
  constructor(code, message, detail) {
    super(message);
    this.name = new.target.name;
    /** A stable identifier of the cause, such as `unknown` or `broken`. */
    this.code = code;
    /** The file with the fault, if known. @type {string | null} */
    this.file = detail?.file ?? null;
    /** The number of the game, from 1, if known. @type {number | null} */
    this.game = detail?.game ?? null;
    /** The number of half-moves before the fault, if known. @type {number | null} */
    this.ply = detail?.ply ?? null;
  }
}

/** The files are in no known format. */
export class UnknownFormatError extends ChessdbError {}

/** Files of the database were not given. */
export class MissingFileError extends ChessdbError {
  /**
   * @param {string} code
   * @param {string} message
   * @param {FailureDetail | null} [detail]
   */
  constructor(code, message, detail) {
    super(code, message, detail);
    /** The suffix of the first missing file. */
    this.role = detail?.role ?? '';
    /** The suffixes of all missing files that are known. */
    this.roles = detail?.roles ?? [this.role];
  }
}

/** The database is locked; the option `password` is missing or wrong. */
export class PasswordError extends ChessdbError {}

/** The database or the game is damaged. */
export class DamagedError extends ChessdbError {}

/** The lean build, `chessdb/lean`, lacks what was asked for; `chessdb` has it. */
export class LeanError extends ChessdbError {}

/** The query cannot be parsed. `from` and `to` are positions in it, in UTF-16 code units. */
export class QueryError extends ChessdbError {
  /**
   * @param {string} message
   * @param {number} from
   * @param {number} to
   */
  constructor(message, from, to) {
    super('query', message);
    this.from = from;
    this.to = to;
  }
}

/** @type {Record<string, typeof ChessdbError>} */
const CLASSES = {
  unknown: UnknownFormatError,
  missing: MissingFileError,
  locked: PasswordError,
  broken: DamagedError,
  lean: LeanError,
};

/**
 * Returns the error for a failure that the engine reported.
 * @param {{ code: string, text?: string, detail?: FailureDetail | null }} failure
 * @returns {ChessdbError}
 */
export function errorOf({ code, text, detail }) {
  const Class = CLASSES[code] ?? ChessdbError;
  return new Class(code, text ?? code, detail);
}
