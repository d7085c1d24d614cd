// Reads a PGN file with this package, chessops and chess.js, and prints a table:
// `npm install --no-save chessops chess.js`, then `node bench/compare.mjs FILE`. Each reads all moves of the main
// lines as SAN and checks that they are legal. Each runs three times, in turns, and the least CPU time counts.

import { readFileSync } from 'node:fs';
import { Chess } from 'chess.js';
import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { open } from 'chessdb';
import { open as openLean } from 'chessdb/lean';

const bytes = new Uint8Array(readFileSync(process.argv[2]));
const text = new TextDecoder().decode(bytes);

/** @type {(openFile: typeof open, options?: object) => () => Promise<[number, number]>} */
const withChessdb = (openFile, options) => async () => {
  const db = await openFile({ 'games.pgn': bytes });
  let [games, moves] = [0, 0];
  for await (const game of db.games(options)) {
    games += 1;
    moves += game.moves.length;
  }
  db.close();
  return [games, moves];
};

function withChessops() {
  let [games, moves] = [0, 0];
  for (const game of parsePgn(text)) {
    games += 1;
    const position = startingPosition(game.headers).unwrap();
    for (const { san } of game.moves.mainline()) {
      const move = parseSan(position, san);
      if (!move) break;
      position.play(move);
      moves += 1;
    }
  }
  return [games, moves];
}

function withChessJs() {
  let [games, moves] = [0, 0];
  for (const part of text.split(/\n(?=\[Event )/).filter(part => part.trim())) {
    const chess = new Chess();
    chess.loadPgn(part);
    games += 1;
    moves += chess.history().length;
  }
  return [games, moves];
}

/** @type {Record<string, () => [number, number] | Promise<[number, number]>>} */
const READERS = {
  chessdb: withChessdb(open),
  'chessdb, with the position after each move': withChessdb(open, { positions: true }),
  'chessdb/lean': withChessdb(openLean),
  chessops: withChessops,
  'chess.js': withChessJs,
};

/** @type {Record<string, number>} */
const best = {};
for (let round = 0; round < 3; round += 1) {
  for (const [name, read] of Object.entries(READERS)) {
    const start = process.cpuUsage();
    const [games, moves] = await read();
    const { user, system } = process.cpuUsage(start);
    const seconds = (user + system) / 1e6;
    best[name] = Math.min(best[name] ?? Infinity, seconds);
    if (!round) console.error(`${name}: ${games} games, ${moves} half-moves`);
  }
}
const slowest = Math.max(...Object.values(best));
const games = text.match(/^\[Event /gm)?.length ?? 0;
for (const [name, seconds] of Object.entries(best)) {
  console.log(`| ${name} | ${Math.round(games / seconds)} games / CPU s | ${(slowest / seconds).toFixed(1)} |`);
}
