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

/** @type {import('../engine.js').Platform} */
export const browser = {
  module,
  startWorker() {
    const worker = browserWorker();
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
