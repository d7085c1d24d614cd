// The comments that belong to a move, as the dialog for them shows.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { makeGame } from '../../src/game.js';
import { commentsOf } from '../../src/editor-annotate.js';

/** @import { GameData, Token } from '../../src/types.d.ts' */

/** @param {Token[]} tokens */
const game = tokens => makeGame(/** @type {GameData} */ (/** @type {unknown} */ ({ start: 'start', tokens })));
/** @type {(san: string) => Token} */
const move = san => ['m', 1, false, san, '', ''];

test('comments before and after a move', () => {
  const { nodes, ...rest } = game([
    ['c', 'start', true], move('e4'), ['c', 'a', false], ['o'], ['c', 'or', true], move('d4'), ['c', 'inner', false], ['x'], ['c', 'b', false],
    ['c', 'now', true], move('e5'),
  ]);
  const made = /** @type {any} */ ({ nodes, ...rest });
  const all = nodes.map(node => commentsOf(made, node));
  assert.deepEqual(all, [
    { before: '', after: 'start' },
    { before: 'start', after: 'a b' },
    { before: 'or', after: 'inner' },
    { before: 'now', after: '' },
  ]);
});

test('a game without moves has a comment', () => {
  const made = game([['c', 'only', true]]);
  assert.deepEqual(commentsOf(made, made.root), { before: '', after: 'only' });
});
