// The tree of a game, clocks, evaluations, material.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clockText, clocks, evalText, makeGame, material, path, share, sibling } from '../../src/game.js';

/** @import { GameData, Token } from '../../src/types.d.ts' */

/** A move token with an invented position.
 * @param {string} san
 * @param {number} number
 * @returns {Token} */
const move = (san, number = 1, black = false) => ['m', number, black, san, 'a1a2', `after ${san}`];

/** @param {Token[]} tokens */
const game = (...tokens) => makeGame(/** @type {GameData} */ ({ start: 'start', tokens }));

/** @param {{ san: string }[]} nodes */
const sans = nodes => nodes.map(({ san }) => san);

// 1. e4 (1. d4 d5 (1... Nf6) 2. c4) (1. c4) e5 2. Nf3
const branched = () => game(move('e4'), ['o'], move('d4'), move('d5', 1, true), ['o'], move('Nf6', 1, true), ['x'], move('c4', 2), ['x'],
  ['o'], move('c4'), ['x'], move('e5', 1, true), move('Nf3', 2));

test('variations stand beside the moves that they replace', () => {
  const { root, main, nodes } = branched();
  assert.deepEqual(sans(main), ['e4', 'e5', 'Nf3']);
  assert.deepEqual(sans(root.choices), ['e4', 'd4', 'c4']);
  const [, , d4, d5] = nodes;
  assert.deepEqual(sans(d4.choices), ['d5', 'Nf6']);
  assert.deepEqual(sans(d5.choices), ['c4']);
  assert.deepEqual(nodes.map(node => node.main), [true, true, false, false, false, false, false, true, true]);
  assert.deepEqual(main.map(node => node.ply), [1, 2, 3]);
});

test('each variation has a number of its own', () => {
  const { nodes } = branched();
  assert.deepEqual(nodes.map(node => node.line), [0, 0, 1, 1, 2, 1, 3, 0, 0]);
});

test('the way to a node, and the moves beside it', () => {
  const { root, nodes } = branched();
  const nf6 = nodes[4];
  assert.deepEqual(sans(path(nf6)), ['d4', 'Nf6']);
  assert.deepEqual(path(root), []);
  assert.deepEqual(path(null), []);
  assert.equal(sibling(nodes[1], 1), nodes[2]);
  assert.equal(sibling(nodes[1], -1), nodes[6]);
  assert.equal(sibling(nodes[6], 1), nodes[1]);
  assert.equal(sibling(nodes[8], 1), null);
  assert.equal(sibling(root, 1), null);
});

test('variations before the first move, unclosed and closed too often', () => {
  assert.deepEqual(sans(game(['o'], move('d4'), ['x'], move('e4')).root.choices), ['e4', 'd4']);
  assert.deepEqual(sans(game(move('e4'), ['o'], move('d4')).root.choices), ['e4', 'd4']);
  assert.deepEqual(sans(game(['x'], ['x'], move('e4'), ['x'], move('e5', 1, true)).main), ['e4', 'e5']);
});

test('a game nested deeper than any stack', () => {
  const depth = 20_000;
  const tokens = Array.from({ length: depth }, () => /** @type {Token[]} */ ([move('e4'), ['o']])).flat();
  const made = game(...tokens);
  assert.equal(made.nodes.length, depth + 1);
  assert.equal(made.root.choices.length, depth);
});

test('annotations belong to the move before them', () => {
  const { main, root } = game(['s', [['G', 'e4']]], move('e4'), ['n', 1], ['n', 14], ['k', 61_000, false], ['k', 5_000, true], ['e', 25, null],
    move('e5', 1, true), ['e', null, -3]);
  assert.deepEqual(root.shapes, [['G', 'e4']]);
  assert.deepEqual(main[0].nags, [1, 14]);
  assert.deepEqual([main[0].clock, main[0].spent, main[0].eval], [61_000, 5_000, { points: 25 }]);
  assert.deepEqual(main[1].eval, { mate: -3 });
});

test('the last clock of each side', () => {
  const { main } = game(move('e4'), ['k', 9, false], move('e5', 1, true), ['k', 8, false], move('Nf3', 2));
  assert.deepEqual(clocks(main[0]), [9, null]);
  assert.deepEqual(clocks(main[2]), [9, 8]);
});

test('times, evaluations and surplus material in text', () => {
  for (const [milliseconds, text] of /** @type {[number, string][]} */ ([[0, '0:00:00'], [61_999, '0:01:01'], [36_000_000, '10:00:00']])) assert.equal(clockText(milliseconds), text);
  assert.equal(evalText({ points: 25 }), '+0.25');
  assert.equal(evalText({ points: -125 }), '−1.25');
  assert.equal(evalText({ mate: -4 }), '#−4');
  assert.equal(evalText(null), '');
  assert.deepEqual([share(null), share({ points: 0 }), share({ mate: 1 }), share({ mate: -1 })], [50, 50, 100, 0]);
  assert.ok(share({ points: 100 }) > 50 && share({ points: 100_000 }) <= 100);
  assert.deepEqual(material('4k3/8/8/8/8/8/8/QR2K3 w - - 0 1'), ['♛♜', '']);
  assert.deepEqual(material('qq2k3/8/8/8/8/8/8/Q3K3 w - - 0 1'), ['', '♛']);
  assert.deepEqual(material('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'), ['', '']);
});
