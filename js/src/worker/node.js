// The worker of Node, Deno and Bun.

import { parentPort } from 'node:worker_threads';
import { module } from '../platform/node-module.js';
import { answering } from './answers.js';

const answer = answering(module);
parentPort?.on('message', async call => parentPort?.postMessage(await answer(call)));
