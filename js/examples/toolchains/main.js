// Lists the games of any chess database; the engine runs in a worker.

import { open } from 'chessdb';

const input = document.querySelector('#files');
const list = document.querySelector('#games');
input.onchange = async () => {
  try {
    const db = await open(input.files, { worker: true });
    const lines = [`${db.length} games, ${db.format.name}`];
    for await (const { number, white, black, result } of db.games({ query: 'moves:1..' })) {
      lines.push(`${number}. ${white} – ${black} ${result}`);
    }
    list.textContent = lines.join('\n');
    db.close();
  } catch (error) {
    list.textContent = String(error);
  }
};
