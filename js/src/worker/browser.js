// The worker of browsers. `cargo xtask npm` makes one file without imports of it, src/builds/chessdb-worker.js, which
// also works where a bundler only copies it.

import { module } from '../platform/browser.js';
import { answering } from './answers.js';

const answer = answering(module);
globalThis.onmessage = async ({ data }) => globalThis.postMessage(await answer(data));
