// Reads a PGN file with this package and with chess.js, and prints the times:
// `npm install --no-save chess.js`, then `node bench/compare.mjs FILE`.

import { readFileSync } from 'node:fs';
import { Chess } from 'chess.js';
import { open } from 'chessdb';

const path = process.argv[2];
const text = readFileSync(path, 'utf8');

/** @type {(what: string, read: () => Promise<[number, number]> | [number, number]) => Promise<number>} */
async function timed(what, read) {
  const start = performance.now();
  const [games, moves] = await read();
  const seconds = (performance.now() - start) / 1000;
  console.log(`${what}: ${games} games, ${moves} half-moves, ${seconds.toFixed(2)} s`);
  return seconds;
}

const bytes = new Uint8Array(readFileSync(path));
const ours = await timed('chessdb', async () => {
  const db = await open({ 'games.pgn': bytes });
  let games = 0;
  let moves = 0;
  for await (const game of db) {
    games += 1;
    moves += game.moves.length;
  }
  db.close();
  return [games, moves];
});
const theirs = await timed('chess.js', () => {
  const parts = text.split(/\n(?=\[Event )/).filter(part => part.trim());
  let moves = 0;
  for (const part of parts) {
    const chess = new Chess();
    chess.loadPgn(part);
    moves += chess.history().length;
  }
  return [parts.length, moves];
});
console.log(`${(theirs / ours).toFixed(0)} times faster`);
