// Modules import one another in one direction.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { build } from 'esbuild';

/** Returns the modules of a bundle, each with the modules it imports.
 * @param {string[]} entryPoints */
async function imports(entryPoints) {
  const { metafile } = await build({ entryPoints, bundle: true, write: false, metafile: true, packages: 'external', platform: 'node', format: 'esm', outdir: 'none' });
  return new Map(Object.entries(metafile.inputs).map(([path, { imports }]) => [path, imports.filter(one => !one.external).map(one => one.path)]));
}

/** Returns a loop of imports, or null.
 * @param {Map<string, string[]>} modules */
function loop(modules) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {(path: string, above: string[]) => string[] | null} */
  const visit = (path, above) => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const next of modules.get(path) ?? []) {
      const found = visit(next, [...above, path]);
      if (found) return found;
    }
    done.add(path);
    return null;
  };
  for (const path of modules.keys()) {
    const found = visit(path, []);
    if (found) return found;
  }
  return null;
}

test('a loop is found', () => {
  assert.deepEqual(loop(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]])), ['b', 'c', 'b']);
  assert.equal(loop(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), null);
});

test('no modules import one another', async () => {
  for (const entry of ['src/app.js', 'src/worker.js', 'test/all.mjs']) {
    const modules = await imports([entry]);
    assert.ok(modules.size > 2, entry);
    assert.equal(loop(modules)?.join(' → '), undefined);
  }
});
