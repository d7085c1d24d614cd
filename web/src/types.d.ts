// The JSON that the session answers (crates/chessdb-web), and what the modules of the page pass one another.

/** A failed request: a code for the page, an English text, and details. */
export interface Failure {
  code: string;
  text?: string;
  detail?: { file?: string | null; role?: string; game?: number | null; kind?: string; what?: string } | null;
}

/** A file and the name by which it was chosen, which may contain folders. */
export interface NamedFile { name: string; file: File }

// ------------------------------------------------------------------ opening

/** A database that can be opened. */
export interface Base { name: string; format?: string | null; formatName?: string | null; size?: number | null; salvages?: boolean }

/** An archive that cannot be opened, or only with a password. */
export interface Unread extends Failure { name: string; locked: boolean }

/** The answer to `bases`. */
export interface Bases { bases: Base[]; books?: OpeningBook[]; lacking?: string | null; locked?: string | null; unread?: Unread[] }

export type Severity = 'note' | 'repaired' | 'lost';

/** A kind of finding: its count, the first games with it, the text of the first one. `code` and `detail` are ids. */
export interface Finding { severity: Severity; code: string; detail: string; count: number; first: number[]; text: string }

/** A format that can be written. `lacking`: only the larger module has it; `isExport`: no program reads it as games. */
export interface Format { id: string; name: string; suffix: string; files: number; lacking?: boolean; isExport?: boolean }

/** The answer to `open`. */
export interface Info {
  name: string;
  format: { id: string; name: string };
  games: number;
  title: string | null;
  description: string | null;
  names: { players: number | null; events: number | null; sites: number | null };
  texts: number;
  files: { name: string; role: string; size: number; there: boolean }[];
  missing: string[];
  faults: Finding[];
  charset: { page: string; confidence: number; witnesses: number; doubtful: boolean; second: string | null } | null;
  hasPage: boolean;
  /** Whether a search for games can find more; whether it was done. */
  salvages: boolean; isSalvaged: boolean;
  /** Whether changes can be saved in the files. */
  stores: boolean;
  /** The number among the open databases, the bytes in memory, whether it was made here. */
  in: number; bytes: number; isNew: boolean;
  abilities: { formats: Format[]; charsets: string[]; columns?: MoreColumn[] };
}

/** A key of the query language: name, values, meaning. */
export type QueryKey = [name: string, values: string, asks: string];

/** The answer to `query`; `from` and `to` are positions in UTF-16 code units. */
export type QueryCheck = { ok: true; empty: boolean } | { ok: false; message: string; from: number; to: number };

export type Order = [column: string, down: boolean];

// -------------------------------------------------------------------- games

/** A row of the list; `marks` as in crates/chessdb-web/src/page/rows.rs. */
export type Row = [
  game: number, white: string, whiteElo: number | null, black: string, blackElo: number | null, result: string,
  date: string, eco: string | null, event: string, moves: number, marks: number, fault: string | null,
  hit: number | null, round: string, more: string[],
];

/** A column that a row may have: name, title, width in letters, whether it is a number. */
export type MoreColumn = [name: string, title: string, letters: number, isNumber: boolean];

/** A column of the list: key of its words (`full` without its neighbours), classes of its cells, width in pixels, whether the first
 * click sorts from above, what a cell shows. */
export interface Column {
  id: string; words: string; full?: string; kind: string; width: number;
  isForeign?: boolean; isDown?: boolean; isMore?: boolean;
  cell: (row: Row) => { text: string | number; title?: string; more?: string };
}

/** The shown columns; `asked` are those that rows are asked for. */
export interface Columns { isOwn: boolean; columns: Column[]; asked: string[] }

/** A column that the reader chose, and its width in pixels. */
export interface OwnColumn { id: string; width: number }

/** The content to print. */
export interface Printable { game: Game | null; node: GameNode | null; fen: string; flipped: boolean; listed: number; name: string; query: string }

export interface Rows { from: number; listed: number; rows: Row[] }

/** An arrow, or a square without `to`. `width` is not from the session. */
export type Shape = [color: string, from: string, to?: string | null, width?: number];

export type Token =
  | ['m', number: number, black: boolean, san: string, uci: string, fen: string]
  | ['n', nag: number]
  | ['c', text: string, before: boolean]
  | ['o'] | ['x']
  | ['k', milliseconds: number, spent: boolean]
  | ['e', points: number | null, mate: number | null, depth?: number | null]
  | ['s', shapes: Shape[]]
  | ['f', text: string];

/** The header of a game. */
export interface Header {
  game: number;
  white: string; black: string; whiteElo: number | null; blackElo: number | null;
  event: string; site: string; round: string; date: string;
  eco: string | null; opening: string | null; result: string; annotator: string;
  moves: number;
  /** The start position, as FEN. */
  start: string;
  isSetup: boolean;
  tags: [name: string, value: string][];
  fault: string | null;
  /** The codes and details of what is damaged. */
  faultKinds?: [code: string, detail: string][];
  isCut: boolean;
  /** The half-move at which the filter found its position. */
  hit: number | null;
  /** The letters of its marks, as in the tag ScidFlags. */
  flags: string;
  /** Whether it was changed or added since the last save. */
  isUnsaved: boolean;
}

/** The answer to `game`. */
export interface GameData extends Header { tokens: Token[] }

export interface Evaluation { points?: number; mate?: number }

/** A position of a game. Node 0 is the start and has no move. */
export interface GameNode {
  n: number;
  fen: string;
  prev: GameNode | null;
  next: GameNode | null;
  /** The alternatives to `next`. */
  beside: GameNode[];
  /** `next` and its alternatives. */
  choices: GameNode[];
  ply: number;
  /** Whether it is in the mainline. */
  main: boolean;
  /** The number of its variation; 0 is the mainline. */
  line: number;
  nags: number[];
  shapes: Shape[];
  number: number; black: boolean; san: string; uci: string;
  clock: number | null; spent: number | null; eval: Evaluation | null;
}

/** A part of the movetext, in order. */
export interface Item {
  move?: GameNode;
  text?: string;
  /** Whether a comment is before the move. */
  before?: boolean;
  open?: boolean; close?: boolean; line?: number; depth?: number;
  fault?: string; of?: GameNode;
}

export interface Game extends Header {
  nodes: GameNode[]; items: Item[]; main: GameNode[]; root: GameNode;
  hasEvals: boolean; hasClocks: boolean;
}

/** A move of the tree's line. */
export interface LineMove { san: string; uci: string; fen: string; number: number; black: boolean; name?: string | null }

/** The answer to `line`: an engine's moves, up to the first that is not legal, and whether an engine may be asked. */
export interface EngineMoves { isValid: boolean; hasMove: boolean; isChess960: boolean; fen: string; moves: LineMove[] }

/** A line of an engine about a position. `rank` counts its lines from 1. */
export interface EngineInfo { depth: number; rank: number; score: Evaluation; nodes: number; speed: number; moves: string[] }

/** A request to an engine. */
export interface EngineQuestion { fen: string; isChess960: boolean; lines: number }

/** `told` gets the lines, `named` the name, `failed` is called at most once, when the engine is dead. */
export interface EngineHearer {
  told: (info: EngineInfo, of: EngineQuestion) => void;
  named: (name: string) => void;
  failed: (text: string) => void;
}

/** `rest` ends the present question, `close` the engine. */
export interface ChessEngine { think: (question: EngineQuestion) => void; rest: () => void; close: () => void }

export interface Line { readonly start: string; readonly moves: readonly LineMove[] }

// -------------------------------------------------------------------- edits

/** The state of the edited copy: `unsaved` games differ from the last save; `first` is the lowest of them. */
/** `edited` is whether any game differs from the files. */
export interface Edits { unsaved: number; first: number[]; edited: boolean; undo: boolean; redo: boolean; games: number; listed: number }

/** The answer to a change: the game and its current node, whether the list must be sorted, or nothing changed. */
export interface Edited { game?: number | null; node?: number; same?: boolean; sort?: boolean; added?: number; damaged?: number; edits: Edits }

/** A legal move. `to` are the squares to which the piece can be dragged. */
export interface LegalMove extends PlayedMove {
  from: import('chessground/types').Key; to: import('chessground/types').Key[]; promotion: string | null;
}

/** A move that the tree can play. */
export interface PlayedMove { san: string; uci: string; fen: string; name: string | null }

// -------------------------------------------------------------------- tasks

/** How far a task is. */
export interface Progress<T = unknown> { seen: number; total: number; soFar: T }

export type Score = [white: number, draws: number, black: number];

export interface TreeMove {
  san: string; uci: string; fen: string; name: string | null;
  games: number; white: number; draws: number; black: number;
  score: number | null; elo: number | null; last: number | null;
}

/** A move of an opening book: its share of all weights, its games if the book counts them, and what the author says. */
export interface BookMove {
  san: string; uci: string; fen: string; name: string | null; share: number;
  games: number | null; white: number; draws: number; black: number; nag: number; mark: 'main' | 'avoid' | 'deleted' | null;
}

/** An opening book, and its moves in a position; null if it does not have the position. */
export interface OpeningBook { book: number; name: string; format: string; positions: number; finding: string | null; moves: BookMove[] | null }

/** The answer of `tree`; `games` and `opening` come at its end. */
export interface Tree { moves: TreeMove[]; reached: number; kept?: number; unusedFile?: boolean; games?: Row[]; opening?: [eco: string, name: string] | null }

/** A word of a query and its games by kind; positions are in UTF-16 code units. */
export interface FoundWord { word: string; from: number; to: number; kinds: [kind: string, games: number, term: string][] }

/** The answer of `filter`. */
export interface Filtered { found: number; words?: FoundWord[]; notes?: string[]; spellings?: Spelling[] }

/** The names of the games found for which an abbreviated name of the query stands. */
export interface Spelling { written: string; names: [name: string, games: number, term: string][] }

/** Another query for one that matches nothing. */
export interface Proposal { kind: 'spelling' | 'meaning' | 'without'; term: string; text: string; query: string; games: number | null }

/** A row of the report on a player. */
export interface PlayerRow {
  name: any; games: number; results: Score; score: number | null; elo: number | null; opponents: number | null; performance: number | null;
}

/** The answer of `player`: `part` if all names with a part are counted; `term` is the value that finds the counted
 * names, if that is not the name itself. */
export interface PlayerReport {
  names: [name: string, games: number][];
  part: boolean; term: string | null;
  possible: [name: string, games: number][];
  total: PlayerRow; white: PlayerRow; black: PlayerRow;
  whiteOpenings: PlayerRow[]; blackOpenings: PlayerRow[]; opponents: PlayerRow[]; years: PlayerRow[];
  best: { game: number; players: [string, string]; result: string; date: string; event: string } | null;
}

/** The fields of the search form. */
export interface SearchFields {
  words: string; player: string; colour: string; opponent: string; event: string; site: string; yearFrom: string; yearTo: string;
  opening: string; result: string; eloFrom: string; eloTo: string; ending: string; movesFrom: string; movesTo: string;
  comments: boolean; variations: boolean;
}

/** The answer of `stats`. */
export interface Stats {
  games: number; deleted: number;
  /** Unknown, White, Black, draws. */
  results: [number, number, number, number];
  years: [number, number][]; ratings: [number, number][]; lengths: [number, number][];
  rated: number;
  openings: [code: number, games: number, score: Score | null][];
  players: [name: string, games: number, score: Score, years: [number, number] | null][];
  names: { players: number; events: number };
  annotations: [name: string, games: number, all: number][];
}

/** The answer of `health`. */
export interface Health {
  games: number; notes: number; repaired: number; lost: number; dropped: number; hasProblems: boolean;
  damaged: number; deleted: number; ofBase: Finding[]; ofGames: Finding[];
}

/** A kind of loss. */
export interface Loss { code: string; text: string; count: number; games: number; first: number[] }

/** A kind of finding of a conversion, with its first texts. */
export interface FoundKind { severity: Severity; code: string; detail: string; count: number; first: string[] }

/** A limit of an old program that a new database exceeds. */
export interface Exceeded { text: string; of: string; what: string; limit: number; games: number; first: number }

/** The report of a conversion. */
export interface Report {
  read: number; written: number; cut: number; skipped: number; lossy: number;
  hasLosses: boolean; incomplete: boolean;
  page: string | null;
  losses: Loss[];
  found: FoundKind[];
  dropped: number;
  exceeded: Exceeded[];
  extras: { what: string; count: number }[];
  /** The number of games that lose something, by column of the table of losses; only of the task `losses`. */
  columns?: Record<string, number>;
}

export type Scope = 'game' | 'view' | 'unique' | 'all';

/** The games to save, and their format. */
export interface SaveRequest { scope: Scope; format: string; game: number; stem: string }

/** The saved file, or a zip of several. */
export interface Saved {
  name: string; blob: Blob; pieces?: Uint8Array<ArrayBuffer>[]; games: number; stem: string; suffixes: string[]; report: Report;
  /** The changed games that it has, by number: `[first, last]`. */
  settled: [number, number][];
  edits: Edits;
}

/** A part of a new database: games of an open one. */
export interface Part { in: number; scope: Scope; game?: number }

/** Games of several databases for a new one, or for one that was made so (`into.in`). */
export interface CollectRequest {
  from: Part[]; into: { in?: number; name?: string; bytes: boolean }; dedupe?: string; stem: string;
}

/** The answer to a request with `into`. */
export interface Collected { info: Info; games: number; removed: number; report: Report; blob: Blob }

/** The answer to `opened` and `close`. */
export interface Opened { open: { in: number; name: string; games: number; bytes: number; isNew: boolean }[]; current: number | null; bytes: number; most: number }

/** The answer to `encodings`. */
export interface Encodings { names: string[]; pages: { page: string; names: string[]; odd: number }[]; judged: number; hasNames: boolean }

/** The answer to `texts`. */
export interface Texts { texts: { titles: [string, string][]; contents: [string, string][] }[]; all: number }

/** The operations of a session and their answers. */
export interface Calls {
  open: Info; rows: Rows; place: { place: number | null }; game: GameData; pgn: { text: string };
  moves: { moves: LegalMove[] }; edit: Edited; add: Edited; undo: Edited; redo: Edited; settle: Edited;
  store: { games: number; report: Report; edits: Edits }; restore: { undone: boolean; command: string | null; games: number | null };
  query: QueryCheck; line: EngineMoves; keys: QueryKey[]; suggest: [name: string, games: number | null][]; encodings: Encodings; texts: Texts; close: Opened; opened: Opened; books: OpeningBook[]; closebook: null;
}

export interface NameSuggestion {
  name: string; better: string; ambiguous: boolean;
  games: number; years: [number, number]; betterGames: number; betterYears: [number, number];
}

/** How the games of a salvaged database were found. */
export interface Salvage {
  games: number; whole: boolean; counts: Record<string, number>; leftOut: number;
  barrenPlaces: number; barrenBytes: number; faults: string[];
}

/** The tasks of a session and their answers. */
export interface Tasks {
  filter: Filtered; advice: Proposal[]; namecounts: null; player: PlayerReport; sort: { found: number }; tree: Tree; stats: Stats; health: Health; losses: Report;
  duplicates: { groups: number; removed: number; found: number };
  names: { names: number; found: number; suggestions: NameSuggestion[] };
  salvage: Salvage;
}

// ---------------------------------------------------- between page and session

/** A message to the worker. */
export interface Message {
  id: number;
  call?: { op: string };
  task?: { op: string; task: string };
  slot?: string;
  files?: { name?: string; size?: number; from?: number; piece?: ArrayBuffer; password?: string };
  save?: SaveRequest | CollectRequest;
  stop?: string;
}

/** A message of the worker. */
export interface Reply { id: number; answer?: any; progress?: any; trap?: boolean }

/** A worker, or its replacement. */
export interface Channel {
  onmessage: ((event: { data: Reply }) => void) | null;
  postMessage(message: Message | { stop: string }, transfer?: Transferable[]): void;
  terminate(): void;
  cancel?(): void;
}

/** A file of a new database. */
export interface NewFile { suffix: string; pieces: Uint8Array[]; size: number }

// ---------------------------------------------------------------- the page

export type View = 'games' | 'board' | 'tree' | 'stats' | 'base';

/** The fields of state.js, with their owners. */
export interface State {
  files: NamedFile[] | null; password: string; bases: Base[]; number: number; encoding: string;
  info: Info | null; opened: number; keys: QueryKey[];
  error: { error: Failure; names: string[] } | null;
  view: View;
  query: string; listed: number; counting: boolean; order: Order; game: Game | null; node: GameNode | null; line: Line | null;
  flipped: boolean; fast: boolean; letters: boolean;
  dialog: Dialog | null; health: Health | null; edits: Edits;
}

export interface Dialog { leave(): void }

/** A database that was open since the page was loaded. */
export interface OpenedBase {
  id: string; files: NamedFile[]; number: number; encoding: string; password: string;
  handles: FileSystemHandle[] | null; sample: boolean;
  /** Its number in the session, as long as it is open there. */
  n: number | null;
}

/** An entry of the history: the first screen, or a database. */
export interface Entry { start?: boolean; open?: boolean; base?: string | null; number?: number; sample?: boolean; files?: string[] }

/** How something came to be shown: in consequence of something else, or as one of many in a row. */
export interface StepHow { quiet?: boolean; quick?: boolean }

/** The data about the page from `cargo xtask web`. */
export interface About { version: string; repository: string; libraries: [name: string, licence: string][] }

/** An open database: its number, the age of the module that has it open, and its state when it was left. */
export interface Tab {
  n: number; age: number; isNew: boolean; unsaved: boolean; isEdited: boolean;
  database: Pick<State, 'files' | 'password' | 'number' | 'encoding' | 'opened' | 'view'> & { info: Info };
  games: Pick<State, 'query' | 'listed' | 'counting' | 'order' | 'game' | 'node' | 'line'>;
}

/** The panes of an open database. */
export interface Parts {
  engine: import('./engine.js').Engine;
  list: ReturnType<typeof import('./list.js').makeList>;
  filter: ReturnType<typeof import('./filter.js').makeFilter>;
  board: ReturnType<typeof import('./board.js').makeBoard>;
  notation: ReturnType<typeof import('./notation.js').makeNotation>;
  tree: ReturnType<typeof import('./tree.js').makeTree>;
  kinds: HTMLElement;
  gameHead: HTMLElement; rtree: HTMLElement; right: HTMLElement; holder: HTMLElement; foot: HTMLElement; left: HTMLElement;
  alert: HTMLElement; bar: HTMLElement; body: HTMLElement; head: HTMLElement; foldButton: HTMLElement;
}

/** The pieces that scripts bring to a hosted page, and the worker's glue. */
declare global {
  /** The texts of the scripts; of the chess engine, the function that a worker runs. */
  var CHESSDB: Record<string, string> | undefined;
  const WASM: string;
  const ABOUT: About | undefined;
  // The types of the browser lack them.
  var showOpenFilePicker: ((options: object) => Promise<FileSystemFileHandle[]>) | undefined;
  var showSaveFilePicker: ((options: object) => Promise<FileSystemFileHandle>) | undefined;
  interface FileSystemHandle {
    queryPermission?(options: object): Promise<string>;
    requestPermission?(options: object): Promise<string>;
  }
  interface DataTransferItem { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }
  function wasm_bindgen(options: { module_or_path: ArrayBuffer }): Promise<unknown>;
  namespace wasm_bindgen {
    class Engine {
      add(name: string, bytes: Uint8Array): void;
      call(request: string): string;
      save(request: string, to: (...words: any[]) => void): string;
    }
  }
}
