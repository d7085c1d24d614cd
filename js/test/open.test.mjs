// The package in Node: opening, reading, searching, converting.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  ChessdbError, DamagedError, MissingFileError, open, openBook, PasswordError, QueryError, UnknownFormatError, convert,
} from 'chessdb';

const fixtures = process.env.CHESSDB_FIXTURES ?? '';
const fixture = name => join(fixtures, name);
const bytesOf = name => new Uint8Array(readFileSync(fixture(name)));

const SMALL = `[Event "Small"]
[White "Müller, Karl"]
[Black "b"]
[Result "1-0"]

{before} 1. e4! {[%clk 0:10:00] [%cal Ge2e4,Rd7d5] good} (1. d4 {other} d5 (1... Nf6) 2. c4) 1... e5 $2 2. Nf3 {[%eval 0.31]} 1-0

[White "x"]
[Black "y"]
[Result "*"]
[SetUp "1"]
[FEN "8/8/8/8/8/4k3/8/R3K3 w Q - 0 1"]

1. O-O-O *
`;
const small = () => open({ 'small.pgn': new TextEncoder().encode(SMALL) });

test('a path finds the files beside it', async () => {
  const db = await open(fixture('cbh/headers.cbh'));
  assert.equal(db.format.id, 'cbh');
  assert.ok(db.length > 0);
  const same = await open(pathToFileURL(fixture('cbh/headers.cbh')));
  assert.equal(same.length, db.length);
  db.close();
  same.close();
});

test('files are given with their bytes', async () => {
  const files = readdirSync(fixture('cbh')).filter(name => name.startsWith('headers.'));
  const named = files.map(name => ({ name, bytes: bytesOf(`cbh/${name}`) }));
  const asFiles = named.map(({ name, bytes }) => new File([bytes], name));
  const asObject = Object.fromEntries(named.map(({ name, bytes }) => [name, bytes.buffer]));
  const whites = [];
  for (const source of [named, asFiles, asObject]) {
    const db = await open(source);
    whites.push((await db.game(1)).white);
    db.close();
  }
  assert.equal(new Set(whites).size, 1);
});

test('the tree of a game', async () => {
  const db = await small();
  const game = await db.game(1);
  assert.deepEqual(game.sans(), ['e4', 'e5', 'Nf3']);
  assert.deepEqual(game.ucis(), ['e2e4', 'e7e5', 'g1f3']);
  assert.equal(game.white, 'Müller, Karl');
  const [e4, e5, nf3] = game.moves;
  assert.deepEqual([...game.start.comments, ...e4.commentsBefore], ['before']);
  assert.deepEqual(e4.nags, [1]);
  assert.deepEqual(e4.comments, ['good']);
  assert.equal(e4.clock, 600_000);
  assert.deepEqual(e4.shapes, [{ color: 'G', from: 'e2', to: 'e4' }, { color: 'R', from: 'd7', to: 'd5' }]);
  assert.equal(e4.fen, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1');
  const [variation] = e4.variations;
  assert.deepEqual(variation.map(move => move.san), ['d4', 'd5', 'c4']);
  assert.deepEqual(variation.map(move => move.ply), [1, 2, 3]);
  assert.deepEqual(variation[0].comments, ['other']);
  assert.deepEqual(variation[1].variations.map(line => line.map(move => move.san)), [['Nf6']]);
  assert.deepEqual(e5.nags, [2]);
  assert.deepEqual(nf3.evaluation, { centipawns: 31, mate: null, depth: null });
  assert.match(await game.toPgn(), /1\. e4/);
  const second = await db.game(2);
  assert.ok(second.isSetup);
  assert.equal(second.moves[0].uci, 'e1c1');
  db.close();
  assert.deepEqual(game.sans(), ['e4', 'e5', 'Nf3']);
  await assert.rejects(game.toPgn(), { code: 'closed' });
});

test('all spellings of clocks, evaluations and shapes', async () => {
  const table = join(fixtures, '../crates/chessdb-core/tests/values.json');
  for (const { after, clock = null, elapsed = null, eval: centipawns = null, mate = null, depth = null, shapes = '', text = '' } of JSON.parse(readFileSync(table, 'utf8'))) {
    const db = await open({ 'one.pgn': new TextEncoder().encode(`[White "x"]\n\n1. e4 ${after} e5 *\n`) });
    const [move] = (await db.game(1)).moves;
    assert.deepEqual([move.clock, move.elapsed], [clock, elapsed], after);
    const hasEvaluation = centipawns !== null || mate !== null;
    assert.deepEqual(move.evaluation, hasEvaluation ? { centipawns, mate, depth } : null, after);
    assert.equal(move.shapes.map(({ color, from, to }) => color + from + (to ?? '')).join(' '), shapes, after);
    assert.equal(move.comments.join(' '), text, after);
    db.close();
  }
});

test('a database is iterated completely and in order', async () => {
  const one = SMALL.slice(0, SMALL.indexOf('[White "x"]'));
  const count = 3_000;
  const db = await open({ 'many.pgn': new TextEncoder().encode(one.repeat(count)) });
  let last = 0;
  for await (const game of db) {
    assert.equal(game.number, last + 1);
    assert.equal(game.moves[0].fen, null);
    last = game.number;
  }
  assert.equal(last, count);
  const numbers = [];
  for await (const { number } of db.games({ from: 2_999 })) numbers.push(number);
  assert.deepEqual(numbers, [2_999, 3_000]);
  const found = [];
  for await (const game of db.games({ query: 'white:müller', from: 2_000, positions: true })) {
    found.push(game.number);
    assert.notEqual(game.moves[0].fen, null);
  }
  assert.equal(found.length, 1_001);
  db.close();
});

test('searching and counting', async () => {
  const db = await small();
  assert.deepEqual(await db.find('white:müller'), [1]);
  assert.deepEqual(await db.find(''), [1, 2]);
  assert.equal(await db.count('result:*'), 1);
  await assert.rejects(db.find('white:('), error => {
    assert.ok(error instanceof QueryError);
    assert.ok(error.from <= error.to);
    return true;
  });
  const tree = await db.tree();
  assert.equal(tree.games, 1);
  assert.deepEqual(tree.moves.map(({ san, games, white }) => [san, games, white]), [['e4', 1, 1]]);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(db.find('white:müller', { signal: stopped }), /stopped/);
  db.close();
});

test('converting counts what is lost', async () => {
  const db = await small();
  for (const format of ['si4', 'cbh', 'pgn']) {
    const { files, games, isIncomplete } = await db.convert(format, { name: 'new' });
    assert.equal(games, 2, format);
    assert.ok(!isIncomplete);
    const again = await open(files);
    assert.equal(again.length, 2);
    assert.deepEqual((await again.game(1)).sans(), ['e4', 'e5', 'Nf3']);
    again.close();
  }
  const { losses, lossyGames } = await convert(db, 'fbk');
  assert.ok(losses.some(({ code, count, games }) => code && count > 0 && games > 0));
  assert.ok(lossyGames > 0);
  await assert.rejects(db.convert('nonsense'), ChessdbError);
  db.close();
});

test('every failure has its class', async () => {
  const text = new TextEncoder().encode('this is no chess database');
  await assert.rejects(open({ 'letter.bin': text }), UnknownFormatError);
  await assert.rejects(open({ 'a.si4': bytesOf('scid/annotated.si4') }), error => {
    assert.ok(error instanceof MissingFileError, String(error));
    assert.deepEqual(error.roles, ['sg4', 'sn4']);
    return true;
  });
  await assert.rejects(open(fixture('cbh/locked.cbz')), PasswordError);
  await assert.rejects(open(fixture('no/such.pgn')), { code: 'gone' });
  await assert.rejects(open(fixture('cbh/headers.cbh'), { database: 'other.cbh' }), { code: 'gone' });
  assert.equal(new DamagedError('broken', 'x', { game: 3, ply: 4, file: 'f' }).ply, 4);
  const db = await small();
  await assert.rejects(db.game(0), RangeError);
  await assert.rejects(db.game(3), RangeError);
  db.close();
  await assert.rejects(db.find('x'), { code: 'closed' });
});

test('damaged games come with their problems', async () => {
  const text = new TextEncoder().encode('[White "a"]\n\n1. e4 e5 2. Ke5 Nc6 *\n\n[White "b"]\n\n1. d4 *\n');
  const db = await open({ 'damaged.pgn': text });
  const [first, second] = await Array.fromAsync?.(db) ?? [await db.game(1), await db.game(2)];
  assert.ok(first.problems.some(({ severity }) => severity === 'lost' || severity === 'error'));
  assert.deepEqual(first.sans().slice(0, 2), ['e4', 'e5']);
  assert.deepEqual(second.problems, []);
  db.close();
});

test('databases in SQLite files', async () => {
  const name = readdirSync(fixture('encroissant')).find(name => name.endsWith('.db3'));
  const db = await open(fixture(`encroissant/${name}`));
  assert.equal(db.format.id, 'encroissant');
  assert.ok((await db.game(1)).tags.length > 0);
  db.close();
});

test('an opening book has moves with weights', async () => {
  // Two entries for the start position (docs/formats/polyglot.md): the key, the move, the weight and four more bytes.
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  [[0x31c, 3], [0x2db, 1]].forEach(([move, weight], entry) => {
    view.setBigUint64(16 * entry, 0x463b96181691fc9cn);
    view.setUint16(16 * entry + 8, move);
    view.setUint16(16 * entry + 10, weight);
  });
  const start = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
  for (const worker of [false, true]) {
    const book = await openBook({ 'book.bin': bytes }, { worker });
    assert.deepEqual([book.name, book.format, book.problem], ['book.bin', 'Polyglot', null]);
    const moves = await book.moves(start);
    assert.deepEqual(moves.map(({ san, share }) => [san, share]), [['e4', 0.75], ['d4', 0.25]]);
    assert.deepEqual(await book.moves(moves[0].fen), []);
    await assert.rejects(book.moves('no position'), { code: 'request' });
    book.close();
    await assert.rejects(book.moves(start), { code: 'closed' });
  }
  await assert.rejects(openBook({ 'small.pgn': SMALL }), UnknownFormatError);
  await assert.rejects(open({ 'book.bin': bytes }), { code: 'unknown', message: /is an opening book \(Polyglot\); use `openBook`$/ });
});

test('a worker answers the same', async () => {
  const text = new TextEncoder().encode(SMALL);
  const db = await open({ 'small.pgn': text }, { worker: true });
  assert.equal(text.length, new TextEncoder().encode(SMALL).length);
  assert.deepEqual((await db.game(1)).moves, (await (await small()).game(1)).moves);
  assert.deepEqual(await db.find('white:müller'), [1]);
  const { files } = await db.convert('si4');
  assert.equal(files.length, 3);
  await assert.rejects(open({ 'letter.bin': new Uint8Array(9) }, { worker: true }), UnknownFormatError);
  db.close();
});
