// The page of js/examples/toolchains in Chromium, as each bundler made it: it opens databases in a worker.
// `node test/bundlers.mjs FOLDER…`, each with index.html

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { start, watched } from './browser.mjs';

const fixtures = join(import.meta.dirname, '../../fixtures');
/** The files of databases, and the text that the page shows. The second one needs the larger build.
 * @type {[string[], RegExp][]} */
const DATABASES = [
  [['cbh', 'cbg', 'cba', 'cbp', 'cbt', 'cbc', 'cbs', 'cbe'].map(suffix => `cbh/commands.${suffix}`), /^\d+ games, ChessBase CBH\n1\. \S/],
  [['encroissant/headers.db3'], /^\d+ games, En Croissant\n/],
];
/** @type {Record<string, string>} */
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };

const { context, close } = await start();
try {
  for (const folder of process.argv.slice(2)) {
    const server = createServer((request, answer) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      try {
        const bytes = readFileSync(join(folder, path === '/' ? 'index.html' : path));
        answer.writeHead(200, { 'Content-Type': TYPES[path.split('.').pop() ?? ''] ?? 'text/html' }).end(bytes);
      } catch {
        answer.writeHead(404).end();
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const { page, noted } = await watched(context, `http://127.0.0.1:${port}/`);
    for (const [files, expected] of DATABASES) {
      const before = await page.textContent('#games');
      await page.setInputFiles('#files', files.map(file => join(fixtures, file)));
      await page.waitForFunction(text => document.querySelector('#games')?.textContent !== text, before);
      assert.match(await page.textContent('#games') ?? '', expected, folder);
    }
    assert.deepEqual(noted.errors, [], folder);
    await page.close();
    server.close();
    console.log(`${folder}: passed`);
  }
} finally {
  await close();
}
