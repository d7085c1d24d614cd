// Files and workers of a browser.

import { browserWorker } from '../builds/browser-worker.js';
import { errorOf } from '../errors.js';

/**
 * Returns the response with a compiled module.
 * @type {import('../engine.js').Platform['module']}
 */
export async function module(address) {
  const response = await fetch(address);
  if (!response.ok) throw errorOf({ code: 'io', text: `HTTP status ${response.status}` });
  return response;
}

/**
 * @param {URL} address
 * @returns {Worker}
 */
function started(address) {
  try {
    return browserWorker();
  } catch (error) {
    if (address.origin === globalThis.location?.origin) throw error;
    // A page cannot start a worker of another server, such as one that serves npm packages, but its own can import it.
    const code = `import ${JSON.stringify(new URL('chessdb-worker.js', address))};`;
    return new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
  }
}

/** @type {import('../engine.js').Platform} */
export const browser = {
  module,
  startWorker(address) {
    const worker = started(address);
    return {
      listen(hear, fail) {
        worker.onmessage = ({ data }) => hear(data);
        // The event of a worker that could not be loaded has no message.
        worker.onerror = event => fail(errorOf({
          code: 'io', text: event.message || 'the worker was not found; README.md lists what each bundler needs',
        }));
      },
      post: message => worker.postMessage(message),
      end: () => worker.terminate(),
      rest: () => {},
    };
  },
};
