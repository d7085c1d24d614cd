// chessdb for JavaScript in Node, Deno and Bun: index.js with their files and workers.

import { platform } from './platform/current.js';
import { node } from './platform/node.js';

export * from './index.js';

Object.assign(platform, node);
