// Lists the games of any chess database in Node, Deno or Bun: `node list.mjs FILE`

import { open } from 'chessdb';

const db = await open(process.argv[2]);
console.log(`${db.length} games, ${db.format.name}`);
for await (const { number, white, black, result } of db) console.log(`${number}. ${white} – ${black} ${result}`);
db.close();
