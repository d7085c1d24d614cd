// Tests in order, each with a name; the first that fails is told with its stack, the rest still run.

const tests = [];

export const test = (name, run) => tests.push({ name, run });

export function equal(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: found ${a?.slice(0, 600)}, wanted ${b?.slice(0, 600)}`);
}

export function ok(condition, what) {
  if (!condition) throw new Error(what);
}

export async function runAll(only) {
  let failed = 0;
  for (const { name, run } of tests) {
    if (only && !name.includes(only)) continue;
    const before = performance.now();
    try {
      await run();
      console.log(`  ok      ${name} (${((performance.now() - before) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`  FAILED  ${name}\n${error.stack}`);
    }
  }
  console.log(failed ? `page: ${failed} of ${tests.length} tests failed` : `page: ${tests.length} tests passed`);
  return failed;
}
