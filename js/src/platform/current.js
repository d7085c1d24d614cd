// The platform of this program: a browser, unless node.js has replaced it.

import { browser } from './browser.js';

/** @type {import('../engine.js').Platform} */
export const platform = { ...browser };
