// The worker of `open(…, { worker: true })`: an engine that answers messages.

import { connect } from './engine.js';

/** @typedef {{ id: number, method: 'start' | 'ask' | 'add' | 'save', args: any[] }} Call */

/** @type {import('./engine.js').Connection | undefined} */
let engine;

/**
 * @param {Call} call
 * @returns {Promise<unknown>}
 */
async function run({ method, args }) {
  if (method === 'start') {
    const { build } = await import(`./builds/${args[0]}.js`);
    engine = await connect(build);
    return null;
  }
  if (!engine) throw new Error('the engine has not been started');
  if (method === 'ask') return engine.ask(args[0]);
  if (method === 'add') return engine.add(args[0], args[1]);
  return engine.save(args[0]);
}

/**
 * @param {Call} call
 * @returns {Promise<object>}
 */
async function answer(call) {
  try {
    return { id: call.id, answer: await run(call) };
  } catch (error) {
    const { code = 'other', message = String(error), file, game, ply, role } = /** @type {any} */ (error);
    return { id: call.id, failure: { code, text: message, detail: { file, game, ply, role } } };
  }
}

if (globalThis.process?.versions?.node != null && !('Deno' in globalThis)) {
  const { parentPort } = await import('node:worker_threads');
  parentPort?.on('message', async call => parentPort.postMessage(await answer(call)));
} else {
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(await answer(data));
}
