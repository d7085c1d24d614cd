// A test runner. A failed test is reported with its stack; the others still run.

import { AsyncLocalStorage } from 'node:async_hooks';

/** @import { BrowserContext } from 'playwright-core' */
/** @import { OtherBrowser } from './drivers.mjs' */
/** @typedef {{ context: BrowserContext, other?: OtherBrowser, close: () => Promise<void> }} Own */

/** The number of concurrent tests, which mostly wait. */
const ABREAST = 2;
/** The resources of the current test: a separate browser, since only the front page is drawn.
 * @type {AsyncLocalStorage<Own>} */
export const own = new AsyncLocalStorage();

/** @type {{ name: string, run: () => Promise<void> }[]} */
const tests = [];

/** @type {(name: string, run: () => Promise<void>) => void} */
export const test = (name, run) => tests.push({ name, run });

/** @type {(found: unknown, wanted: unknown, what: string) => void} */
export function equal(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a?.slice(0, 600)}, wanted ${b?.slice(0, 600)}`);
}

/** @type {(condition: unknown, what: string) => void} */
export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** Runs the tests. `begin` creates the resources of a worker, `close` of these ends them.
 * @param {string | undefined} only
 * @param {() => Promise<Own>} begin */
export async function runAll(only, begin) {
  let failed = 0;
  const waiting = tests.filter(({ name }) => !only || name.includes(only));
  const chosen = waiting.length;
  const work = async () => {
    const mine = await begin();
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, run } = next;
      const before = performance.now();
      try {
        await own.run(mine, run);
        console.log(`  ok      ${name} (${((performance.now() - before) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed += 1;
        console.log(`  FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
      }
    }
    await mine.close();
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  console.log(failed ? `page: ${failed} of ${chosen} tests failed` : `page: ${chosen} tests passed`);
  return failed;
}
