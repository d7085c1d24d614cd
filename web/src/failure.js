// Failed requests, which are thrown as the session answers them: `{ code, text, detail }`.

/** @import { Failure } from './types.d.ts' */

/** Whether a request failed in one of these ways; without codes, in any.
 * @param {unknown} error
 * @param {...string} codes
 * @returns {error is Failure} */
export function isFailure(error, ...codes) {
  const code = /** @type {Failure | null | undefined} */ (error)?.code;
  return typeof code === 'string' && (!codes.length || codes.includes(code));
}

/** The error, in English.
 * @param {any} error */
export const errorText = error => String(error?.text || error?.message || error?.code || error);
