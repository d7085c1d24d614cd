// A server of the hosted page.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { folder } from './common.mjs';

/** @type {Record<string, string>} */
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** Returns its address, and `close`. */
export async function serveSite() {
  const server = createServer((request, answer) => {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    try {
      const bytes = readFileSync(join(folder, 'site', name));
      answer.writeHead(200, { 'Content-Type': TYPES[name.split('.').pop() ?? ''] }).end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`, close: () => server.close() };
}
