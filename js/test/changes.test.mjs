// Writing new games, changing databases in memory, and converting a part of them.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { convert, create, Edit, open } from 'chessdb';
import { LeanError, open as openLean } from 'chessdb/lean';

const fixtures = process.env.CHESSDB_FIXTURES ?? '';
const GAMES = `[White "Tal"]
[Result "1-0"]

1. e4 e5 2. Nf3 1-0

[White "Keres"]
[Result "*"]

{start} 1. d4 $1 {[%clk 0:01:00.5] [%eval 0.25,20] [%csl Yd4] good} (1. c4 {other} e5 (1... c5)) 1... d5 {[%emt 0:00:02]} *
`;
const text = file => new TextDecoder().decode(file.bytes);
const whites = async db => {
  const names = [];
  for await (const { white } of db) names.push(white);
  return names;
};

test('a selection is converted, counted in a tree, and has the ply of its match', async () => {
  const db = await open(GAMES);
  assert.deepEqual(await db.matches('line:"1.e4 e5"'), [{ number: 1, ply: 2 }]);
  assert.deepEqual(await db.matches('white:tal'), [{ number: 1, ply: null }]);
  assert.deepEqual(await db.matches(''), [{ number: 1, ply: null }, { number: 2, ply: null }]);
  for await (const game of db.games({ query: 'line:1.d4' })) assert.deepEqual([game.number, game.ply], [2, 1]);
  assert.equal((await db.game(2)).ply, null);
  const moves = async options => (await db.tree(undefined, options)).moves.map(({ san }) => san).sort();
  assert.deepEqual(await moves(), ['d4', 'e4']);
  assert.deepEqual(await moves({ query: 'white:keres' }), ['d4']);
  assert.deepEqual(await moves({ query: 'white:nobody' }), []);
  for (const [options, expected] of [
    [{ query: 'white:keres' }, ['Keres']], [{ numbers: [2, 1] }, ['Keres', 'Tal']], [{ numbers: [2, 1], query: 'white:tal' }, ['Tal']],
    [{}, ['Tal', 'Keres']],
  ]) {
    const { files, games } = await db.convert('si4', options);
    const written = await open(files);
    assert.equal(games, expected.length);
    assert.deepEqual(await whites(written), expected);
    written.close();
  }
  await assert.rejects(db.convert('pgn', { query: 'white:nobody' }), { code: 'refused' });
  await assert.rejects(db.convert('pgn', { numbers: [3] }), RangeError);
  await assert.rejects(db.convert('pgn', { query: 'white:(' }), { code: 'query' });
  db.close();
});

test('duplicates are found and left out', async () => {
  const once = readFileSync(join(fixtures, 'pgn/clean/romantics.pgn'), 'utf8');
  const single = await open(once);
  const db = await open(`${once}\n${once}`);
  const numbers = Array.from({ length: single.length }, (_, n) => n + 1);
  assert.deepEqual(await db.duplicates(), numbers.map(kept => ({ number: single.length + kept, kept })));
  assert.deepEqual(await single.duplicates('likely'), []);
  const { files, games } = await db.convert('pgn', { dedupe: 'sure' });
  assert.equal(games, single.length);
  const written = await open(files);
  assert.deepEqual(await whites(written), await whites(single));
  assert.equal((await db.convert('pgn', { dedupe: 'strict', numbers: [db.length, 1] })).games, 1);
  await assert.rejects(db.duplicates('nonsense'), { code: 'request' });
  for (const database of [written, single, db]) database.close();
});

test('changes in memory are made together and taken back', async () => {
  const db = await open(GAMES);
  const before = [await db.pgn(1), await db.pgn(2)];
  const { changed, added, problems } = await db.edit(async edit => {
    assert.ok(edit instanceof Edit);
    edit.tag(1, { White: 'Tal, Mihail', WhiteElo: 2700, Result: null });
    edit.flag(1, 'brilliancy,endgame');
    edit.delete(2);
    await edit.append('[White "New"]\n\n1. Nf3 *\n\n[White "Damaged"]\n\n1. e4 Ke4 *\n');
  });
  assert.deepEqual([changed, added, db.length], [2, 2, 4]);
  assert.deepEqual(problems.map(({ severity, first }) => [severity, first]), [['lost', [4]]]);
  const game = await db.game(1);
  assert.deepEqual([game.white, game.headers.WhiteElo, game.headers.Result], ['Tal, Mihail', '2700', '*']);
  assert.deepEqual(await db.find('flag:deleted'), [2]);
  assert.deepEqual(await db.find('white:new'), [3]);
  assert.ok(await db.undo());
  assert.equal(db.length, 2);
  assert.deepEqual([await db.pgn(1), await db.pgn(2)], before);
  assert.ok(!await db.undo());
  assert.ok(await db.redo());
  assert.ok(!await db.redo());
  assert.deepEqual(await whites(db), ['Tal, Mihail', 'Keres', 'New', 'Damaged']);
  await db.edit(edit => edit.undelete(2));
  assert.deepEqual(await db.find('flag:deleted'), []);
  const { files } = await db.convert('si5');
  const written = await open(files);
  assert.deepEqual(await whites(written), await whites(db));
  written.close();
  db.close();
  await assert.rejects(db.undo(), { code: 'closed' });
});

test('edits keep the order of the calls, also of those for which nobody waits', async () => {
  const db = await open(GAMES);
  const copy = await db.game(2);
  let later;
  await db.edit(edit => {
    later = edit;
    edit.replace(1, copy);
    edit.tag(1, { White: 'Last' });
    edit.append(copy);
    edit.append({ moves: ['a3'], headers: { White: 'New' } });
  });
  assert.deepEqual(await whites(db), ['Last', 'Keres', 'Keres', 'New']);
  assert.throws(() => later.tag(1, { White: 'too late' }), /the edit has ended/);
  assert.throws(() => later.append('1. e4 *'), /the edit has ended/);
  await assert.rejects(db.edit(edit => { edit.append(null); }), TypeError);
  assert.equal(db.length, 4);
  db.close();
});

test('an impossible change prevents all', async () => {
  const db = await open(GAMES);
  const before = await db.pgn(1);
  for (const change of [
    edit => edit.tag(3, { White: 'x' }),
    edit => edit.tag(1, { Date: 'never' }),
    edit => edit.flag(1, 'unknown'),
    edit => edit.replace(1, '1. e4 Ke4 *'),
    edit => edit.replace(1, '1. e4 * 1. d4 *'),
    edit => edit.append({ moves: ['e4', 'Ke4'] }),
    edit => edit.append({ moves: ['e4'], headers: { 'no name': 'x' } }),
    edit => edit.append({ moves: [{ san: 'e4', comments: ['a } b'] }] }),
    edit => edit.append(null),
    edit => edit.append(5),
    edit => edit.append({}),
    edit => edit.append([undefined]),
    () => Promise.reject(new RangeError('of the program')),
  ]) {
    await assert.rejects(db.edit(async edit => {
      edit.tag(1, { White: 'changed' });
      await change(edit);
    }), Error, String(change));
    assert.equal(await db.pgn(1), before, String(change));
    assert.equal(db.length, 2);
  }
  assert.ok(!await db.undo());
  db.close();
});

test('new games have moves in any notation, tags and annotations', async () => {
  const db = await create();
  assert.equal(db.length, 0);
  const headers = { White: 'A "quoted" \\ name', WhiteElo: 2700, Round: 3 };
  const same = [
    { moves: ['e4', 'c5', 'Nf3'], headers, result: '1-0' },
    { moves: ['e2e4', 'c7c5', 'g1f3'], headers: { ...headers, Result: '1-0' } },
    { moves: '1. e4 c5 2. Nf3', headers, result: '1-0' },
    { moves: '1. e4 c5 2. Nf3 1-0', headers },
    { moves: 'e4 c5 Nf3 *\n', headers, result: '1-0' },
    { moves: [{ san: 'e4' }, { uci: 'c7c5' }, 'Nf3'], headers, result: '1-0' },
  ];
  assert.deepEqual(await db.append(same), { changed: 0, added: 6, problems: [] });
  const pgns = await Promise.all(same.map((_, n) => db.pgn(n + 1)));
  assert.equal(new Set(pgns).size, 1);
  assert.match(pgns[0], /\[White "A \\"quoted\\" \\\\ name"\]\n/);
  assert.match(pgns[0], /\n\n1\. e4 c5 2\. Nf3 1-0\n/);
  await db.append({ moves: ['O-O-O'], startFen: '8/8/8/8/8/4k3/8/R3K3 w Q - 0 1' });
  const setup = await db.game(7);
  assert.ok(setup.isSetup);
  assert.deepEqual(setup.ucis(), ['e1c1']);
  db.close();
});

test('copies of games keep everything', async () => {
  const db = await open(GAMES);
  const [first, second] = [await db.game(1), await db.game(2)];
  const copy = await create();
  // A game of a database, a changed copy, and all games of a database.
  await copy.append([second, { ...second, headers: { ...second.headers, Round: '7' } }]);
  await copy.append(db);
  await copy.append(db.games({ query: 'white:tal' }));
  assert.deepEqual(await whites(copy), ['Keres', 'Keres', 'Tal', 'Keres', 'Tal']);
  const same = await copy.game(1);
  const changed = await copy.game(2);
  assert.deepEqual(same.moves, second.moves);
  assert.deepEqual(changed.moves, second.moves);
  assert.deepEqual(changed.start, second.start);
  assert.deepEqual(changed.headers, { ...second.headers, Round: '7' });
  assert.equal(await copy.pgn(3), await first.toPgn());
  await copy.replace(1, { ...first, moves: [...first.moves, 'Nc6'] });
  assert.deepEqual((await copy.game(1)).sans(), ['e4', 'e5', 'Nf3', 'Nc6']);
  // What is missing in a damaged game is reported again.
  const damaged = await open('1. e4 Ke4 *');
  const { problems } = await copy.append(damaged);
  assert.deepEqual(problems.map(({ severity, code }) => [severity, code]), [['lost', 'bad-move']]);
  for (const database of [db, copy, damaged]) database.close();
});

test('every intact game of the fixtures is the same when it is written as an object', async t => {
  // What PGN cannot express is refused.
  const refused = /closing brace|move "exd6"/;
  const copy = await create();
  let games = 0;
  for (const name of readdirSync(fixtures, { recursive: true }).filter(name => /^(pgn|cbh|cbf|ca)\W.*\.(pgn|cbh|cbf|d00)$/.test(name))) {
    const db = await open(join(fixtures, name)).catch(() => create());
    for await (const game of db.games({ positions: true })) {
      if (game.number > 60) break;
      if (game.problems.some(({ severity }) => severity === 'lost' || severity === 'error')) continue;
      try {
        await copy.append({ ...game });
      } catch (error) {
        assert.match(error.message, refused, `${name}, game ${game.number}`);
        continue;
      }
      games += 1;
      const same = await copy.game(copy.length);
      assert.deepEqual(flat(same), flat(game), `${name}, game ${game.number}`);
    }
    db.close();
  }
  assert.ok(games > 500);
  t.diagnostic(`${games} games compared`);
  copy.close();
});

/**
 * Returns a game with its moves as one list, since a recursion cannot compare deeply nested variations. Tags, arrows
 * and squares have no order, and PGN does not keep the layout of comments.
 * @param {import('chessdb').Game} game
 */
function flat({ headers, result, startFen, start, moves }) {
  const list = [];
  for (const waiting = [moves]; waiting.length;) {
    for (const { variations, shapes, comments, commentsBefore, ...move } of waiting.pop()) {
      const unordered = shapes.map(({ color, from, to }) => `${color}${from}${to ?? ''}`).sort();
      const texts = [commentsBefore, comments].map(all => all.map(text => text.replace(/\s+/g, ' ').trim()));
      list.push({ ...move, texts, shapes: unordered, variations: variations.length });
      waiting.push(...variations);
    }
    list.push('end');
  }
  const tags = Object.entries(headers).sort();
  return { tags, result, startFen, comments: start.comments, list };
}

test('games are converted without a database, to formats of both builds', async () => {
  for (const format of ['pgn', 'si4', 'cbh', 'parquet', 'ocgdb']) {
    const { files, games } = await convert(['1. e4 *', { moves: ['d4', 'd5'] }], format, { name: 'new' });
    assert.equal(games, 2);
    assert.ok(files.every(({ name }) => name.startsWith('new.')));
    const db = await open(files);
    assert.deepEqual((await db.game(2)).sans(), ['d4', 'd5'], format);
    db.close();
  }
  await assert.rejects(convert('1. e4 *', 'nonsense'), { code: 'request' });
  const { problems } = await convert('1. e4 Ke4 *', 'pgn');
  assert.equal(problems[0].severity, 'lost');
  const db = await open(GAMES, { full: true });
  assert.ok(db.targets.includes('parquet'));
  assert.equal((await db.convert('parquet')).games, 2);
  db.close();
});

test('a worker changes and writes the same', async () => {
  const outcomes = [];
  for (const worker of [false, true]) {
    const db = await open(GAMES, { worker });
    await db.append({ moves: ['e4'], headers: { White: 'Z' } });
    await assert.rejects(db.append({ moves: ['e5'] }), { code: 'edit' });
    const { files } = await db.convert('pgn', { query: 'white:z' });
    outcomes.push([files.map(text), await db.matches('line:1.e4'), await db.tree(undefined, { query: 'white:z' }), await db.undo(), db.length]);
    db.close();
  }
  assert.deepEqual(outcomes[0], outcomes[1]);
});

test('the lean build changes nothing', async () => {
  const db = await openLean(GAMES);
  for (const attempt of [db.append('1. e4 *'), db.replace(1, '1. e4 *'), db.undo(), db.redo(), db.edit(() => {}), db.matches('x')]) {
    await assert.rejects(attempt, LeanError);
  }
  db.close();
});
