// chessdb/lean in Node, Deno and Bun: lean.js with their files and workers.

import { platform } from './platform/current.js';
import { node } from './platform/node.js';

export * from './lean.js';

Object.assign(platform, node);
