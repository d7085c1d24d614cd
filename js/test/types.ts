// A program that uses the whole interface, compiled against the declarations of the package.

import {
  type Change, ChessdbError, convert, create, Database, Game, MissingFileError, type NewGame, open, openBook, PasswordError, QueryError,
  type Source,
} from 'chessdb';
import { LeanError, open as openLean, type OpenOptions } from 'chessdb/lean';

async function use(bytes: Uint8Array, file: File): Promise<string[]> {
  const db: Database = await open({ 'games.pgn': bytes }, { encoding: 'windows-1252', worker: true });
  await open([file]);
  const sources: Source[] = [
    '1. e4 *', bytes, bytes.buffer, new Blob([]), new Response(''), fetch('games.pgn'), new URL('games.pgn', 'http://localhost'),
    { 'a.pgn': '1. e4 *', 'b.pgn': fetch('b.pgn') }, new Map([['a.pgn', bytes]]), { name: 'a.pgn', bytes: '1. e4 *' },
  ];
  for (const source of sources) (await open(source)).close();
  // @ts-expect-error: no source
  await open(5);
  await open('games.cbh', { password: 'secret', salvage: true, database: 'games.cbh' });
  const id: string = db.format.id;
  const count: number = await db.count('result:1-0');
  const numbers: number[] = await db.find('white:carlsen', { signal: AbortSignal.timeout(1000) });
  const lines: string[] = [id, `${count} ${numbers.length} ${db.length}`];
  for await (const game of db.games({ query: 'year:2013..', from: 2, positions: true })) {
    const one: Game = game;
    const elapsed: number | null = one.moves[0]?.elapsed ?? null;
    const [first] = one.moves;
    const line: string = first?.variations[0]?.[0]?.san ?? '';
    const ply: number | null = one.ply;
    lines.push(String(ply), one.headers.White ?? '', String(elapsed), line, await one.toPgn(), ...one.sans());
    for (const { severity, text } of one.problems) lines.push(severity === 'error' ? text : severity);
  }
  for (const { number, ply } of await db.matches('line:1.e4')) lines.push(`${number} ${ply ?? ''}`);
  const made: NewGame = { moves: ['e4', { uci: 'e7e5', nags: [1], comments: ['x'] }], headers: { White: 'Tal', WhiteElo: 2700 }, result: '1-0' };
  const change: Change = await db.edit(async edit => {
    edit.tag(1, { White: 'Tal', Annotator: null });
    edit.flag(1, 'brilliancy', { remove: 'user' });
    edit.delete(2);
    edit.undelete(2);
    await edit.replace(3, '1. e4 *');
    await edit.append([made, '1. d4 *']);
  });
  const game: Game = await db.game(1);
  await db.append(db.games({ query: 'white:tal' }));
  await db.replace(1, { ...game, moves: [...game.moves, 'Nc6'] });
  // @ts-expect-error: no game
  await db.append({ headers: {} });
  const undone: boolean = await db.undo() && await db.redo();
  const empty: Database = await create({ worker: true, full: true });
  await empty.append(db);
  await empty.convert('si4', { numbers: [2, 1], query: 'white:tal', dedupe: 'sure', name: 'new' });
  for (const { number, kept } of await empty.duplicates()) lines.push(`${number} ${kept}`);
  await convert(made, 'pgn');
  const book = await openBook([file], { worker: true });
  for (const { san, share, games } of await book.moves(game.startFen)) lines.push(san, String(share), String(games));
  book.close();
  lines.push(`${change.added} ${undone}`);
  const tree = await db.tree(undefined, { query: 'white:tal' });
  const elo: number | null = tree.moves[0]?.elo ?? null;
  const conversion = await convert(db, 'si4', { name: 'new' });
  for (const { name, bytes: written } of conversion.files) lines.push(name, String(written.byteLength + (elo ?? 0)));
  for (const loss of conversion.losses) lines.push(`${loss.code}: ${loss.count}`);
  db.close();
  return lines;
}

/** The lean build has the same games, and no option for archives. */
async function read(bytes: Uint8Array): Promise<Game> {
  const options: OpenOptions = { encoding: 'windows-1252', worker: true };
  const db: Database = await openLean({ 'games.pgn': bytes }, options);
  // @ts-expect-error: it opens no archive
  await openLean({}, { password: 'secret' });
  return db.game(1);
}

read(new Uint8Array()).catch((error: unknown) => {
  if (error instanceof LeanError) return error.code;
  throw error;
});
use(new Uint8Array(), new File([], 'x.pgn')).catch((error: unknown) => {
  if (error instanceof QueryError) return error.from + error.to;
  if (error instanceof PasswordError) return error.file;
  if (error instanceof MissingFileError) return error.roles.join();
  if (error instanceof ChessdbError) return error.game ?? error.ply;
  // @ts-expect-error: an unknown error has no code
  return error.code;
});
