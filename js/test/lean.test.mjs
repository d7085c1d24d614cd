// The lean build in Node: the same games as the other builds, and what it refuses.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open as openFull } from 'chessdb';
import { LeanError, MissingFileError, open, UnknownFormatError } from 'chessdb/lean';

const fixtures = process.env.CHESSDB_FIXTURES ?? '';
/** The suffixes of the files that name a database which the lean build reads. */
const READ = /\.(pgn|si3|si4|si5|cbh|2cbh|cbf|fbk)$/;
/** The suffixes of databases and archives that it does not read. */
const OTHER = /\.(d00|dci|db3|lcdb|ocgdb|jose|sql|sci|epd|fen|ndjson|csv|cbv|cbz|gz|zip)$/;

const names = readdirSync(fixtures, { recursive: true }).filter(name => !name.startsWith('fuzz'));

/**
 * Returns the moves of a tree as one list, since a recursion cannot compare deeply nested variations.
 * @param {import('chessdb').Move[]} moves
 */
function flat(moves) {
  const list = [];
  for (const waiting = [moves]; waiting.length;) {
    for (const { variations, ...move } of waiting.pop()) {
      list.push({ ...move, variations: variations.length });
      waiting.push(...variations);
    }
    list.push('end');
  }
  return list;
}

/**
 * Returns everything that a program sees of a database, with at most 200 games.
 * @param {import('chessdb').Database} db
 */
async function contentOf(db) {
  const { name, format, length, title, problems, missing, charset } = db;
  const games = [];
  for await (const game of db.games({ positions: true })) {
    if (games.length === 200) break;
    games.push({ ...game, moves: flat(game.moves), pgn: await game.toPgn() });
  }
  return { name, format, length, title, problems, missing, charset, games };
}

/**
 * Returns the database, or the code of the failure.
 * @param {typeof openFull | typeof open} open
 * @param {import('chessdb').Source} source
 * @param {object} options
 */
async function outcome(open, source, options) {
  try {
    const db = await open(source, options);
    const content = await contentOf(db);
    db.close();
    return content;
  } catch (error) {
    return { code: error.code, Class: error.constructor.name };
  }
}

test('every game is the same as with the other builds', async t => {
  const read = names.filter(name => READ.test(name));
  const formats = new Set();
  let games = 0;
  for (const name of read) {
    for (const options of [{}, { salvage: true }, { encoding: 'windows-1251' }]) {
      const path = join(fixtures, name);
      const [lean, full] = [await outcome(open, path, options), await outcome(openFull, path, options)];
      assert.deepEqual(lean, full, `${name} ${JSON.stringify(options)}`);
      if (lean.format) formats.add(lean.format.id);
      games += lean.games?.length ?? 0;
    }
  }
  for (const id of ['pgn', 'si3', 'si4', 'si5', 'cbh', '2cbh', 'cbf', 'fbk']) assert.ok(formats.has(id), id);
  t.diagnostic(`${read.length} databases, ${games} games compared`);
});

test('other formats are refused, with the import that reads them', async () => {
  const others = names.filter(name => OTHER.test(name));
  assert.ok(others.length > 10);
  for (const name of others) {
    await assert.rejects(open(join(fixtures, name)), error => {
      assert.ok(error instanceof LeanError, `${name}: ${error}`);
      assert.match(error.message, /the import chessdb reads all formats/, name);
      return true;
    });
  }
  const letter = { 'letter.bin': new TextEncoder().encode('this is no chess database') };
  await assert.rejects(open(letter), UnknownFormatError);
  await assert.rejects(open(join(fixtures, 'no/such.pgn')), { code: 'gone' });
});

test('what needs another build is refused', async () => {
  const db = await open(join(fixtures, 'cbh/headers.cbh'));
  assert.deepEqual(db.targets, []);
  const refused = [db.find('white:a'), db.count('white:a'), db.tree(), db.convert('pgn'), db.games({ query: 'white:a' }).next()];
  for (const request of refused) {
    await assert.rejects(request, error => {
      assert.ok(error instanceof LeanError);
      assert.equal(error.code, 'lean');
      assert.match(error.message, /needs the import chessdb$/);
      return true;
    });
  }
  await assert.rejects(db.game(db.length + 1), RangeError);
  db.close();
  await assert.rejects(db.game(1), { code: 'closed' });
});

test('a worker reads the same', async () => {
  const path = join(fixtures, 'cbh/commands.cbh');
  const [here, there] = [await open(path), await open(path, { worker: true })];
  assert.deepEqual(await contentOf(there), await contentOf(here));
  await assert.rejects(there.tree(), LeanError);
  const bytes = { 'a.si4': new Uint8Array(9) };
  await assert.rejects(open(bytes, { worker: true }), error => error instanceof MissingFileError || error.code === 'broken');
  here.close();
  there.close();
});
