// Tests, each with a name; one that fails is told with its stack, the rest still run.

import { AsyncLocalStorage } from 'node:async_hooks';

/** So many at a time, since much of each is waiting. */
const ABREAST = 2;
/** What belongs to the one at hand: a browser of its own, since only the page in front is drawn. */
export const own = new AsyncLocalStorage();

const tests = [];

export const test = (name, run) => tests.push({ name, run });

export function equal(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a?.slice(0, 600)}, wanted ${b?.slice(0, 600)}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

/** `begin` makes what belongs to each of those that run at a time; `close` of it ends it. */
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
        console.log(`  FAILED  ${name}\n${error.stack}`);
      }
    }
    await mine.close();
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  console.log(failed ? `page: ${failed} of ${chosen} tests failed` : `page: ${chosen} tests passed`);
  return failed;
}
