// The protocol of chess engines.

import { afterEach, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { makeWorkerEngine, readInfo } from '../../src/uci.js';

test('a line of an engine is read', () => {
  const line = { depth: 20, rank: 2, score: { points: -37 }, nodes: 1185803, speed: 408756, moves: ['e2e4', 'e7e5', 'a7a8q'] };
  /** @type {[text: string, found: object | null][]} */
  const table = [
    ['info depth 20 seldepth 33 multipv 2 score cp -37 nodes 1185803 nps 408756 hashfull 408 time 2901 pv e2e4 e7e5 a7a8q', line],
    ['  info  depth 20 multipv 2 score cp -37 nodes 1185803 nps 408756 pv e2e4 e7e5 a7a8q\r', line],
    ['info depth 3 score mate -4 pv e2e4', { depth: 3, rank: 1, score: { mate: -4 }, nodes: 0, speed: 0, moves: ['e2e4'] }],
    // Bounds, news and ends are no lines.
    ['info depth 21 multipv 3 score cp 25 upperbound nodes 1 nps 1 pv g1f3', null],
    ['info depth 0 score cp 0', null],
    ['info depth 12 currmove e2e4 currmovenumber 1', null],
    ['info string pv e2e4 score cp 1', null],
    ['bestmove e2e4 ponder e7e5', null],
    ['info depth x score cp y pv e2e4', null],
    ['info depth 1 score cp 3 pv <b>e2e4</b>', null],
    ['', null],
  ];
  for (const [text, found] of table) assert.deepEqual(readInfo(text), found, text);
});

/** A worker that records its messages. */
class FakeWorker {
  /** @type {FakeWorker} */
  static last;
  /** @type {string[]} */
  told = [];
  isEnded = false;
  /** @type {(event: { data: unknown }) => void} */
  onmessage = () => {};
  /** @type {(event: object) => void} */
  onerror = () => {};
  constructor() { FakeWorker.last = this; }
  /** @param {string} text */
  postMessage(text) { this.told.push(text); }
  terminate() { this.isEnded = true; }
  /** @param {...unknown} lines */
  say(...lines) { for (const data of lines) this.onmessage({ data }); }
  /** The messages since the last call. */
  take() { return this.told.splice(0); }
}

const question = { fen: '8/8/8/8/8/4k3/8/4K3 w - - 0 1', isChess960: false, lines: 2 };
const other = { ...question, fen: '8/8/8/8/8/4k3/8/3K4 w - - 0 1', isChess960: true };
const info = 'info depth 1 multipv 1 score cp 5 pv e1d1';
const { Worker } = globalThis;
beforeEach(() => { Object.assign(globalThis, { Worker: FakeWorker }); });
afterEach(() => { Object.assign(globalThis, { Worker }); });

function start() {
  /** @type {unknown[]} */
  const heard = [];
  const engine = makeWorkerEngine('', {
    told: ({ score }, of) => heard.push(['told', score.points, of.fen]), named: name => heard.push(['named', name]), failed: text => heard.push(['failed', text]),
  });
  return { engine, heard, worker: FakeWorker.last };
}

test('a position is asked for when the engine is ready, and the next one when the first has ended', () => {
  const { engine, heard, worker } = start();
  engine.think(question);
  assert.deepEqual(worker.take(), ['uci']);
  worker.say('id name Fake 1\nuciok');
  assert.deepEqual(worker.take().slice(-2), [`position fen ${question.fen}`, 'go infinite']);
  worker.say(info, 17, null);
  engine.think(other);
  assert.deepEqual(worker.take(), ['stop']);
  // A late answer about the first position does not count for the second.
  worker.say(info, 'bestmove e1d1');
  assert.deepEqual(worker.take(), ['setoption name UCI_Chess960 value true', 'setoption name MultiPV value 2', `position fen ${other.fen}`, 'go infinite']);
  worker.say(info);
  engine.rest();
  assert.deepEqual(worker.take(), ['stop']);
  worker.say(info, 'bestmove e1d1');
  assert.deepEqual(worker.take(), []);
  engine.think(question);
  assert.equal(worker.take().at(-1), 'go infinite');
  engine.close();
  assert.ok(worker.isEnded);
  assert.deepEqual(heard, [['named', 'Fake 1'], ['told', 5, question.fen], ['told', 5, other.fen]]);
});

test('an engine that dies says so once, and is asked nothing more', () => {
  const { engine, heard, worker } = start();
  worker.say('uciok');
  engine.think(question);
  worker.onerror({ message: 'unreachable', preventDefault() {} });
  worker.onerror({ message: 'again', preventDefault() {} });
  worker.take();
  engine.think(other);
  engine.rest();
  engine.close();
  assert.deepEqual(worker.take(), []);
  assert.ok(worker.isEnded);
  assert.deepEqual(heard, [['failed', 'unreachable']]);
});

test('an engine that refuses a position, or does not stop, is given up', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refusing = start();
  refusing.worker.say('uciok');
  refusing.engine.think(question);
  refusing.worker.say('info string CRITICAL ERROR: Command `go` failed. Reason: Unsupported position.');
  assert.deepEqual(refusing.heard, [['failed', 'CRITICAL ERROR: Command `go` failed. Reason: Unsupported position.']]);
  const deaf = start();
  deaf.worker.say('uciok');
  deaf.engine.think(question);
  t.mock.timers.tick(3_600_000);
  assert.deepEqual(deaf.heard, []);
  deaf.engine.think(other);
  t.mock.timers.tick(60_000);
  assert.deepEqual(deaf.heard, [['failed', 'no answer']]);
});

test('a script that is no engine is given up', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { heard, worker } = start();
  worker.say('hello');
  t.mock.timers.tick(60_000);
  assert.deepEqual(heard, [['failed', 'no answer']]);
  assert.ok(worker.isEnded);
});
