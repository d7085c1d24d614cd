// Texts that the page makes: terms of a query, patterns, moves in words, dates, numbers, names of files.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { baseName, stemOf, tame } from '../../src/dom.js';
import { bytes, date, nf, percent, result, setLang, shortDate, t } from '../../src/lang.js';
import { spoken } from '../../src/notation.js';
import { patternTerm } from '../../src/pattern.js';
import { bins } from '../../src/stats.js';
import { split } from '../../src/terms.js';

/** @import { GameNode } from '../../src/types.d.ts' */

// The element that setLang changes.
Object.assign(globalThis, { document: { documentElement: {} } });
setLang('en');

test('the terms of a query', () => {
  for (const [text, wanted] of /** @type {[string, string[]][]} */ ([
    ['', []], ['  ', []], ['Kasparov', ['Kasparov']],
    ['player:Kasparov year:1999', ['player:Kasparov', 'year:1999']],
    ['player:"Kasparov, G"  year:1999', ['player:"Kasparov, G"', 'year:1999']],
    ['a or b OR c', ['a', 'or', 'b', 'OR', 'c']],
    ['-white:x -(a or b) c', ['-white:x', '-(a or b)', 'c']],
    ['event:/lin.* open/ x', ['event:/lin.* open/', 'x']],
    ['"not closed', ['"not closed']],
  ])) assert.deepEqual(split(text), wanted, text);
});

test('a position as a term', () => {
  const squares = Array(64).fill('');
  /** @param {Partial<Parameters<typeof patternTerm>[1]>} changes */
  const term = changes => patternTerm(squares, { extent: 'part', turn: '', mirrored: false, swapped: false, ...changes });
  assert.equal(term({}), '');
  assert.equal(term({ extent: 'whole' }), '');
  squares[4] = 'k';
  assert.equal(term({ extent: 'material' }), '', 'a king is missing');
  squares[63] = 'K';
  assert.equal(term({}), 'pattern:????k*/*/*/*/*/*/*/???????K');
  assert.equal(term({ extent: 'whole' }), 'fen:4k3/8/8/8/8/8/8/7K');
  assert.equal(term({ extent: 'whole', turn: 'w' }), 'fen:"4k3/8/8/8/8/8/8/7K w"');
  assert.equal(term({ extent: 'whole', mirrored: true }), 'fen:4k3/8/8/8/8/8/8/7K,3k4/8/8/8/8/8/8/K7');
  assert.equal(term({ extent: 'whole', turn: 'b', swapped: true }), 'fen:"4k3/8/8/8/8/8/8/7K b","7k/8/8/8/8/8/8/4K3 w"');
  assert.equal(term({ mirrored: true, swapped: true }).split(',').length, 4);
  squares[0] = '_';
  squares[1] = 'A';
  assert.equal(term({}), 'pattern:_A??k*/*/*/*/*/*/*/???????K');
  assert.equal(term({ swapped: true }), 'pattern:_A??k*/*/*/*/*/*/*/???????K,???????k/*/*/*/*/*/*/_a??K*');
  squares[9] = 'R';
  assert.equal(term({ extent: 'material' }), 'material:KRk');
  assert.equal(term({ extent: 'material', swapped: true }), 'material:KRK');
});

test('a move in words', () => {
  /** @type {(san: string, nags?: number[], black?: boolean) => string} */
  const words = (san, nags = [], black = false) => spoken(/** @type {GameNode} */ ({ san, nags, number: 12, black }));
  for (const [san, wanted] of [['e4', /e4$/], ['Nxf7+', /knight takes f7.*check/i], ['O-O', /short|kingside/i], ['O-O-O#', /long|queenside.*mate/i], ['e8=Q', /e8 queen/i]]) {
    assert.match(words(String(san)), /** @type {RegExp} */ (wanted));
  }
  assert.notEqual(words('e4', [1]), words('e4'));
  assert.match(words('e4', [200]), /200/);
  assert.notEqual(words('e4', [], true), words('e4'));
  assert.doesNotMatch(words('Nxf7+') + words('O-O-O#') + words('e8=Q', [1, 2, 3, 4, 5, 6]), /\b(man|say|nag)\./);
});

test('words with numbers, in the forms of each language', () => {
  for (const [language, number, wanted] of /** @type {[string, number, string][]} */ ([
    ['en', 1, '1 game'], ['en', 1234, '1,234 games'], ['de', 1, '1 Partie'], ['de', 1234, '1.234 Partien'],
    ['ru', 1, '1 партия'], ['ru', 2, '2 партии'], ['ru', 5, '5 партий'], ['ru', 21, '21 партия'], ['es', 1, '1 partida'], ['es', 2, '2 partidas'],
  ])) {
    setLang(language);
    assert.equal(t('games', { n: number }), wanted);
  }
  setLang('klingon');
  assert.equal(t('games', { n: 2 }), '2 games');
  assert.equal(t('no.such.key'), 'no.such.key');
  // A parameter that is missing stays visible, and its text is not searched for others.
  assert.equal(t('count', { n: 1 }), '1 of {m} games');
  assert.equal(t('enc.of', { n: '{m}', m: 2 }), '{m} of 2');
});

test('numbers, sizes, dates and results', () => {
  setLang('en');
  assert.equal(nf(1234567), '1,234,567');
  assert.equal(percent(0.1234), '12.3');
  assert.equal(percent(0.5, 0), '50');
  assert.deepEqual([999, 1500, 25_000, 3e6, 1.5e9].map(bytes), ['999 B', '1.5 kB', '25 kB', '3 MB', '1.5 GB']);
  assert.deepEqual(['1999.01.20', '1999.01.??', '1999.??.??', '????.??.??', '1999.13.40', '0000.00.00'].map(date),
    ['20 January 1999', 'January 1999', '1999', '', '1999', '']);
  assert.deepEqual(['1999.01.20', '1999.01.??', '1999.??.??', '????.??.??', '0000.00.00'].map(shortDate), ['1999.01.20', '1999.01', '1999', '', '']);
  assert.deepEqual(['1-0', '1/2-1/2', '*', 'odd'].map(result), ['1–0', '½–½', '*', 'odd']);
});

test('names of files', () => {
  assert.equal(baseName('folder/sub/games.pgn'), 'games.pgn');
  assert.equal(baseName('games.pgn'), 'games.pgn');
  for (const [name, stem] of [['folder/games.pgn', 'games'], ['a.b.si4', 'a.b'], ['v1.2/games', 'games'], ['.pgn', 'games'], ['games', 'games'], ['', 'games']]) {
    assert.equal(stemOf(name), stem, name);
  }
});

test('control and direction characters are shown', () => {
  assert.equal(tame('a\u0007b\u202ec\u001b[2J\nd\te'), 'a\ufffdb\ufffdc\ufffd[2J\nd\te');
  assert.equal(tame(null), '');
  assert.equal(tame(12), '12');
});

test('counts in steps', () => {
  assert.deepEqual(bins([], [1], 5), []);
  assert.deepEqual(bins([[1999, 2], [2001, 3]], [1, 10], 5).map(({ label, count }) => [label, count]), [['1999', 2], ['2000', 0], ['2001', 3]]);
  const decades = bins([[1851, 1], [1859, 2], [1870, 4]], [1, 10], 5);
  assert.deepEqual(decades.map(({ label, count }) => [label, count]), [['1850–1859', 3], ['1860–1869', 0], ['1870–1879', 4]]);
  assert.equal(bins([[0, 1], [65_535, 1]], [1], 10).length, 2000);
});

test('line breaks and marks of direction are no damage; what could disguise a text is visible', () => {
  for (const [text, wanted] of [
    ['first\r\nsecond\rthird\nfourth', 'first\nsecond\nthird\nfourth'],
    ['\u200e(e4)\u200e \u200fKd2', '\u200e(e4)\u200e \u200fKd2'],
    ['\u061c\u200c\u200d', '\u061c\u200c\u200d'],
    ['\u202bשלום\u202c', '\u202bשלום\u202c'],
    // A direction that a text leaves open ends with it.
    ['\u202aabc', '\u202aabc\u202c'],
    ['\u202b\u202aabc\u202c', '\u202b\u202aabc\u202c\u202c'],
    ['\u2067abc\u2066def', '\u2067abc\u2066def\u2069\u2069'],
    ['\u202c\u2069abc', '\u202c\u2069abc'],
    ['exe\u202egpj', 'exe\ufffdgpj'],
    ['a\u0000b\u001bc\u0085d\ufeff', 'a\ufffdb\ufffdc\ufffdd\ufffd'],
  ]) assert.equal(tame(text), wanted, JSON.stringify(text));
});
