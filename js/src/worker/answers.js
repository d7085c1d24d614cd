// The engine in a worker: answers the messages of a connection (engine.js).

import { connect } from '../engine.js';

/** @typedef {{ id: number, method: 'start' | 'ask' | 'add' | 'save', args: any[] }} Call */

/**
 * The bindings of all builds. Their modules have addresses that only the starting thread knows.
 * @type {Record<string, () => Promise<any>>}
 */
const GLUE = {
  engine: () => import('../builds/engine-glue.js'),
  full: () => import('../builds/full-glue.js'),
  lean: () => import('../builds/lean-glue.js'),
};

/**
 * Returns a function that answers messages with an engine of its own.
 * @param {import('../engine.js').Platform['module']} module
 * @returns {(call: Call) => Promise<object>}
 */
export function answering(module) {
  /** @type {import('../engine.js').Connection | undefined} */
  let engine;
  /** @type {(call: Call) => Promise<unknown>} */
  const run = async ({ method, args: [first, second] }) => {
    if (method === 'start') {
      engine = await connect(module, { name: first, glue: GLUE[first], address: () => new URL(second) });
      return null;
    }
    if (!engine) throw new Error('the engine has not been started');
    if (method === 'ask') return engine.ask(first);
    if (method === 'add') return engine.add(first, second);
    return engine.save(first);
  };
  return async call => {
    try {
      return { id: call.id, answer: await run(call) };
    } catch (error) {
      const { code = 'other', message = String(error), file, game, ply, role } = /** @type {any} */ (error);
      return { id: call.id, failure: { code, text: message, detail: { file, game, ply, role } } };
    }
  };
}
