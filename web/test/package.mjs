// The npm package in Chromium: its example opens a CBH database, a worker answers, also with the package on another
// server, and the lean build reads the same games without loading another build.
// `node test/package.mjs PACKAGE [PICTURE]`

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { start, watched } from './browser.mjs';

const [folder, picture] = process.argv.slice(2);
const fixtures = join(import.meta.dirname, '../../fixtures/cbh');
/** @type {Record<string, string>} */
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', wasm: 'application/wasm' };

/** Serves the example next to its two packages.
 * @param {string} path */
function fileOf(path) {
  const [, , name, ...rest] = path.split('/');
  if (!path.startsWith('/node_modules/')) return join(folder, 'examples', path);
  return name === 'chessdb' ? join(folder, ...rest) : join(import.meta.dirname, '../node_modules', name, ...rest);
}

const server = createServer((request, answer) => {
  try {
    const path = request.url ?? '/';
    const bytes = readFileSync(fileOf(path));
    const type = TYPES[path.split('.').pop() ?? ''] ?? 'text/plain';
    answer.writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' }).end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const { context, close } = await start({ viewport: { width: 1000, height: 520 } });
try {
  const { page, noted } = await watched(context, `http://127.0.0.1:${port}/viewer.html`);
  const files = readdirSync(fixtures).filter(name => name.startsWith('commands.'));
  await page.setInputFiles('#files', files.map(name => join(fixtures, name)));
  await page.waitForSelector('.move');
  assert.ok(await page.locator('#games option').count() > 0);
  // A game with arrows.
  const number = await page.evaluate(async () => {
    // @ts-expect-error: only the page can resolve it
    const { open } = await import('chessdb');
    const db = await open(/** @type {HTMLInputElement} */ (document.querySelector('#files')).files ?? [], { worker: true });
    for await (const game of db.games()) if (game.moves.some((/** @type {any} */ move) => move.shapes.length && move.comments.length)) return game.number;
    return 0;
  });
  assert.ok(number > 0, 'no game has arrows');
  /** @type {string[]} */
  const requested = [];
  page.on('request', request => requested.push(new URL(request.url()).pathname));
  const lean = await page.evaluate(async () => {
    const read = async (/** @type {string} */ module, worker = false) => {
      const { open } = await import(module);
      const db = await open(/** @type {HTMLInputElement} */ (document.querySelector('#files')).files ?? [], { worker });
      const games = [];
      for await (const game of db.games({ positions: true })) games.push({ ...game, pgn: await game.toPgn() });
      db.close();
      return JSON.stringify(games);
    };
    const modules = '/node_modules/chessdb/src/';
    const games = [await read(`${modules}lean.js`), await read(`${modules}lean.js`, true)];
    return { games, expected: await read(`${modules}index.js`) };
  });
  assert.ok(lean.expected.length > 1000);
  for (const games of lean.games) assert.equal(games, lean.expected);
  assert.ok(requested.some(path => path.endsWith('/chessdb-lean.wasm')));
  assert.deepEqual(requested.filter(path => /(engine|full)(-glue\.js|\.wasm)$/.test(path)), []);
  // `localhost` is another origin.
  const elsewhere = await page.evaluate(async address => {
    const { open } = await import(address);
    const db = await open('1. e4 e5 *', { worker: true });
    return (await db.game(1)).sans();
  }, `http://localhost:${port}/node_modules/chessdb/src/index.js`);
  assert.deepEqual(elsewhere, ['e4', 'e5']);
  await page.selectOption('#games', String(number));
  let drawn = 0;
  // The chosen game comes a moment later, and the board draws arrows after the piece has moved.
  for (const end = Date.now() + 20_000; !drawn && Date.now() < end;) {
    for (const move of await page.locator('.move').all()) {
      await move.click();
      await page.waitForTimeout(500);
      drawn = await page.locator('.cg-shapes > g > *').count();
      if (drawn) break;
    }
  }
  if (picture) await page.screenshot({ path: picture });
  assert.ok(drawn > 0, 'no arrow is drawn');
  assert.deepEqual(noted.errors, []);
  console.log('the npm package in Chromium: passed');
} finally {
  await close();
  server.close();
}
