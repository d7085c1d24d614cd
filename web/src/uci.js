// A chess engine that speaks UCI, in a worker or as a program of `chessdb view`: it gets a position and returns
// lines until it is given another one or stopped.

import { errorText } from './failure.js';

/** @import { ChessEngine, EngineHearer, EngineInfo, EngineQuestion } from './types.d.ts' */

/** The longest time until the first answer, and until a search that is stopped has ended. */
const PATIENCE = 20_000;
/** The memory for positions, in MB. */
const HASH = 32;

/** The numbers of a line, by their words.
 * @type {Map<string, 'depth' | 'rank' | 'nodes' | 'speed'>} */
const NUMBERS = new Map([['depth', 'depth'], ['multipv', 'rank'], ['nodes', 'nodes'], ['nps', 'speed']]);

/** Reads a line such as `info depth 20 multipv 2 score cp -37 nodes 9 nps 8 pv e2e4 e7e5`. The score is as engines
 * write it, for the side to move; null if there is no line or only a bound of its score.
 * @param {string} text
 * @returns {EngineInfo | null} */
export function readInfo(text) {
  const words = text.trim().split(/\s+/);
  if (words.shift() !== 'info') return null;
  const info = { depth: 0, rank: 1, nodes: 0, speed: 0 };
  /** @type {import('./types.d.ts').Evaluation | null} */
  let score = null;
  /** @type {string[]} */
  let moves = [];
  for (let word = words.shift(); word != null; word = words.shift()) {
    if (word === 'string' || word.endsWith('bound')) return null;
    if (word === 'pv') {
      moves = words.splice(0).filter(move => /^([a-h][1-8]){2}[qrbn]?$/.test(move));
    } else if (word === 'score') {
      const kind = words.shift();
      const value = Number.parseInt(words.shift() ?? '', 10);
      if (Number.isNaN(value)) return null;
      score = kind === 'mate' ? { mate: value } : { points: value };
    } else {
      const name = NUMBERS.get(word);
      if (name) info[name] = Number.parseInt(words.shift() ?? '', 10) || 0;
    }
  }
  return score && moves.length ? { ...info, score, moves } : null;
}

/** The commands that make an engine think about a position.
 * @param {EngineQuestion} question */
const commands = ({ fen, isChess960, lines }) => [
  `setoption name UCI_Chess960 value ${Boolean(isChess960)}`, `setoption name MultiPV value ${lines}`,
  `position fen ${fen}`, 'go infinite',
];

/** An engine in a worker that runs this script.
 * @param {string} text
 * @param {EngineHearer} hearer
 * @returns {ChessEngine} */
export function makeWorkerEngine(text, { told, named, failed }) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  /** @type {Worker | null} */
  let worker = null;
  let isReady = false;
  /** The position it thinks about, and the requested one.
   * @type {EngineQuestion | null} */
  let current = null;
  /** @type {EngineQuestion | null} */
  let wanted = null;
  let timer = setTimeout(() => die('no answer'), PATIENCE);

  /** @param {string} words */
  function die(words) {
    if (!worker) return;
    close();
    failed(words);
  }

  function close() {
    clearTimeout(timer);
    worker?.terminate();
    worker = null;
    URL.revokeObjectURL(address);
  }

  function begin() {
    current = wanted;
    if (current) for (const command of commands(current)) worker?.postMessage(command);
  }

  function stop() {
    worker?.postMessage('stop');
    clearTimeout(timer);
    timer = setTimeout(() => die('no answer'), PATIENCE);
  }

  /** @param {string} line */
  function hear(line) {
    if (line.startsWith('id name ')) named(line.slice(8));
    else if (line === 'uciok') {
      clearTimeout(timer);
      isReady = true;
      worker?.postMessage(`setoption name Hash value ${HASH}`);
      if (wanted) begin();
    } else if (line.startsWith('bestmove')) {
      clearTimeout(timer);
      const done = current;
      current = null;
      if (wanted && wanted !== done) begin();
    } else if (/^info string CRITICAL ERROR/.test(line)) {
      // Stockfish refuses the position, and the search never ends.
      die(line.slice('info string '.length));
    } else if (current && current === wanted) {
      const info = readInfo(line);
      if (info) told(info, current);
    }
  }

  try {
    worker = new Worker(address);
    worker.onerror = event => {
      event.preventDefault();
      die(event.message || 'error');
    };
    worker.onmessage = ({ data }) => {
      if (typeof data !== 'string') return;
      for (const line of data.split('\n')) if (worker) hear(line.trim());
    };
    worker.postMessage('uci');
  } catch (error) {
    clearTimeout(timer);
    setTimeout(() => failed(errorText(error)));
  }
  return {
    think(question) {
      wanted = question;
      if (!worker || !isReady) return;
      if (current) stop();
      else begin();
    },
    rest() {
      wanted = null;
      if (worker && current) stop();
    },
    close,
  };
}
