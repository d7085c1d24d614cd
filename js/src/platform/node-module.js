// Compiled modules in Node, Deno and Bun, whose `fetch` may not read files.

import { readFile } from 'node:fs/promises';

/** @type {import('../engine.js').Platform['module']} */
export const module = address => readFile(address);
