// Everything that `open` takes, and the message for everything else.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { open } from 'chessdb';
import { open as openLean } from 'chessdb/lean';

const fixtures = process.env.CHESSDB_FIXTURES ?? '';
const PGN = '[White "Müller"]\n[Black "b"]\n\n1. e4 e5 *\n';
const bytes = new TextEncoder().encode(PGN);
const buffer = bytes.buffer.slice(0, bytes.byteLength);

const folder = mkdtempSync(join(tmpdir(), 'chessdb-'));
const path = join(folder, '1. e4 games.pgn');
writeFileSync(path, PGN);
const server = createServer((request, answer) => answer.writeHead(request.url?.startsWith('/games') ? 200 : 404).end(PGN));
await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(null)));
const address = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/games.pgn`;
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Sources of the same game, each with the name of the database. @type {Record<string, [() => any, string]>} */
const SOURCES = {
  'PGN text': [() => PGN, 'games.pgn'],
  'PGN text with a mark of the byte order': [() => `\ufeff${PGN}`, 'games.pgn'],
  'PGN text with other ends of lines': [() => PGN.replaceAll('\n', '\r\n'), 'games.pgn'],
  'a path that begins like PGN': [() => path, '1. e4 games.pgn'],
  'names with text': [() => ({ 'a.pgn': PGN }), 'a.pgn'],
  'names with bytes': [() => ({ 'a.pgn': bytes }), 'a.pgn'],
  'names with a Buffer': [() => ({ 'a.pgn': Buffer.from(PGN) }), 'a.pgn'],
  'names with a promise': [() => ({ 'a.pgn': Promise.resolve(bytes) }), 'a.pgn'],
  'names with a Blob': [() => ({ 'a.pgn': new Blob([PGN]) }), 'a.pgn'],
  'names with a Response': [() => ({ 'a.pgn': new Response(PGN) }), 'a.pgn'],
  'a Map': [() => new Map([['a.pgn', PGN]]), 'a.pgn'],
  'a name with bytes': [() => ({ name: 'a.pgn', bytes }), 'a.pgn'],
  'a list of names with bytes': [() => [{ name: 'a.pgn', bytes }], 'a.pgn'],
  'a Buffer': [() => Buffer.from(PGN), 'database'],
  'a Uint8Array': [() => bytes, 'database'],
  'a part of a buffer': [() => new Uint8Array(Buffer.from(`xx${PGN}`)).subarray(2), 'database'],
  'a DataView': [() => new DataView(buffer), 'database'],
  'an ArrayBuffer': [() => buffer, 'database'],
  'a SharedArrayBuffer': [() => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  }, 'database'],
  'an ArrayBuffer of another realm': [() => {
    const other = runInNewContext('size => new ArrayBuffer(size)')(bytes.length);
    new Uint8Array(other).set(bytes);
    return other;
  }, 'database'],
  'a Uint8Array of another realm': [() => runInNewContext('bytes => Uint8Array.from(bytes)')([...bytes]), 'database'],
  'a Blob': [() => new Blob([PGN]), 'database'],
  'a File': [() => new File([PGN], 'a.pgn'), 'a.pgn'],
  'a list of a File': [() => [new File([PGN], 'a.pgn')], 'a.pgn'],
  'a promise': [() => Promise.resolve(bytes), 'database'],
  'a Response': [() => fetch(address), 'games.pgn'],
  'a Response without an address': [() => new Response(PGN), 'database'],
  'an address': [() => new URL(address), 'games.pgn'],
  'an address as text': [() => address, 'games.pgn'],
};

for (const [what, [make, name]] of Object.entries(SOURCES)) {
  test(what, async () => {
    for (const openWith of [open, openLean]) {
      const db = await openWith(make());
      assert.equal(db.length, 1);
      assert.equal(db.format.id, 'pgn');
      assert.equal(db.name, name);
      const game = await db.game(1);
      assert.equal(game.white, 'Müller');
      assert.deepEqual(game.sans(), ['e4', 'e5']);
      db.close();
    }
  });
}

test('moves without tags are PGN, and other short texts are paths', async () => {
  for (const text of ['1. e4 *', '1.e4 e5', '  1... Kd7', '[White "x"]', '[White "x"]\n', '1. O-O']) {
    const db = await open(text);
    assert.equal(db.length, 1, text);
    db.close();
  }
  for (const text of ['', 'e4 e5', 'games.cbh', '[2020] games.pgn', '1 game.pgn', '\0']) {
    await assert.rejects(open(text), { code: 'gone' }, text);
  }
});

test('anything else is refused with an example', async () => {
  const wrong = [undefined, null, 5, true, Symbol('x'), () => bytes, {}, [], [5], [null], new Map(), { 'a.pgn': undefined }, { 'a.pgn': 5 },
    { 'a.pgn': [91, 87] }, { name: 'a.pgn', bytes: {} }, new Date(), [[bytes]]];
  for (const source of wrong) {
    await assert.rejects(open(source), error => {
      assert.ok(error instanceof TypeError, String(error));
      assert.match(error.message, /open\(\{ 'games\.pgn': bytes \}\)$/);
      return true;
    });
  }
  await assert.rejects(open({ 'a.pgn': null }), /^TypeError: a\.pgn: null is neither/);
  await assert.rejects(open(new URL('/no', address)), { code: 'io', message: /HTTP status 404/ });
  await assert.rejects(open([PGN, PGN]), { code: 'several', message: /two files have the name games\.pgn/ });
});

test('several paths of a database bring each file once, and equal names of others are refused', async () => {
  const files = ['cbh/headers.cbh', 'cbh/headers.cbg'].map(name => join(fixtures, name));
  const db = await open(files);
  assert.ok(db.length > 0);
  db.close();
  const copy = join(folder, 'headers.cbh');
  writeFileSync(copy, readFileSync(files[0]));
  await assert.rejects(open([files[0], copy]), { code: 'several' });
});

test('an error names the missing files of a database', async () => {
  const read = name => readFileSync(join(fixtures, name));
  for (const [file, given, missing] of [
    ['games.cbh', 'cbh/headers.cbh', ['cbg', 'cbp', 'cbt', 'cbc', 'cbs']],
    ['games.si4', 'scid/annotated.si4', ['sg4', 'sn4']],
    ['games.sg4', 'scid/annotated.sg4', ['si4', 'sn4']],
  ]) {
    await assert.rejects(open({ [file]: read(given) }), error => {
      assert.equal(error.constructor.name, 'MissingFileError');
      assert.deepEqual([error.file, error.role, error.roles], [file, missing[0], missing]);
      for (const suffix of missing) assert.match(error.message, new RegExp(`games\\.${suffix}\\b`));
      return true;
    });
  }
  const without = { 'games.cbh': read('cbh/headers.cbh'), 'games.cbp': read('cbh/headers.cbp') };
  await assert.rejects(open(without), { code: 'missing', role: 'cbg' });
  await assert.rejects(openLean(without), { code: 'missing', role: 'cbg' });
  // Names alone may be missing: the games are there.
  const db = await open({ 'games.cbh': read('cbh/headers.cbh'), 'games.cbg': read('cbh/headers.cbg') });
  assert.deepEqual(db.missing, ['cbp', 'cbt', 'cbc', 'cbs']);
  db.close();
  const rescued = await open({ 'games.cbh': read('cbh/headers.cbh') }, { salvage: true });
  assert.ok(rescued.length > 0);
  rescued.close();
});
