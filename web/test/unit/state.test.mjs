// Fields of the state, their owners, and those who hear of changes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { S, endOf, here, on, own } from '../../src/state.js';
import { isFailure, errorText } from '../../src/failure.js';

test('a field has one owner, who alone changes it', () => {
  const update = own('flipped', 'fast');
  assert.throws(() => own('letters', 'fast'), /fast has an owner already/);
  update({ flipped: true });
  assert.equal(S.flipped, true);
  // Checked by tsc, which reports an error that is expected and missing.
  // @ts-expect-error the fields are read-only
  const write = () => { S.flipped = false; };
  // @ts-expect-error the field is another owner's
  const steal = () => update({ listed: 3 });
  assert.equal(typeof write, typeof steal);
});

test('changes are heard of once they are made, also equal ones', () => {
  const update = own('query', 'listed');
  /** @type {[string, number][]} */
  const heard = [];
  on('listed', () => heard.push([S.query, S.listed]));
  update({ listed: 2, query: 'a' });
  update({ listed: 2 });
  update({ query: 'b' });
  assert.deepEqual(heard, [['a', 2], ['a', 2]]);
});

test('the position on the board', () => {
  const update = own('view', 'line');
  assert.match(here(), /^rnbqkbnr/);
  const line = { start: 'start', moves: [] };
  const move = { san: 'e4', uci: 'e2e4', fen: 'after e4', number: 1, black: false };
  update({ view: 'tree', line });
  assert.equal(here(), 'start');
  update({ line: { ...line, moves: [move] } });
  assert.equal(here(), 'after e4');
  assert.equal(endOf(line), 'start');
});

test('failures of requests are told from errors of the page', () => {
  assert.ok(isFailure({ code: 'trap', text: 'x' }));
  assert.ok(isFailure({ code: 'trap' }, 'query', 'trap'));
  assert.ok(!isFailure({ code: 'other' }, 'query', 'trap'));
  for (const other of [new TypeError('x'), null, undefined, 'trap', { code: 3 }]) assert.ok(!isFailure(other), String(other));
  assert.equal(errorText({ code: 'other', text: 'no file' }), 'no file');
  assert.equal(errorText({ code: 'cancelled', text: '' }), 'cancelled');
  assert.equal(errorText(new Error('oops')), 'oops');
  assert.equal(errorText('plain'), 'plain');
});
