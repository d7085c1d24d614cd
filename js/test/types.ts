// A program that uses the whole interface, compiled against the declarations of the package.

import {
  ChessdbError, convert, Database, Game, open, PasswordError, QueryError,
} from 'chessdb';
import { LeanError, open as openLean, type OpenOptions } from 'chessdb/lean';

async function use(bytes: Uint8Array, file: File): Promise<string[]> {
  const db: Database = await open({ 'games.pgn': bytes }, { encoding: 'windows-1252', worker: true });
  await open([file]);
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
    lines.push(one.headers.White ?? '', String(elapsed), line, await one.toPgn(), ...one.sans());
    for (const { severity, text } of one.problems) lines.push(severity === 'error' ? text : severity);
  }
  const tree = await db.tree();
  const elo: number | null = tree.moves[0]?.elo ?? null;
  const conversion = await convert(db, 'si4', { name: 'new' });
  for (const { name, bytes: made } of conversion.files) lines.push(name, String(made.byteLength + (elo ?? 0)));
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
  if (error instanceof ChessdbError) return error.game ?? error.ply;
  // @ts-expect-error: an unknown error has no code
  return error.code;
});
