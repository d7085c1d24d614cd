// The programs of README.md, each run as a file of a program that has installed the package.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const fixtures = join(process.env.CHESSDB_FIXTURES ?? '', 'cbh');
const library = join(import.meta.dirname, '..');

test('the programs of README.md run', t => {
  const folder = mkdtempSync(join(tmpdir(), 'chessdb-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(library, join(folder, 'node_modules/chessdb'), 'junction');
    for (const name of readdirSync(fixtures).filter(name => name.startsWith('commands.'))) {
      copyFileSync(join(fixtures, name), join(folder, name.replace('commands', 'games')));
    }
    const text = readFileSync(join(library, 'README.md'), 'utf8');
    const programs = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program]) => program);
    assert.ok(programs.length >= 3);
    for (const [number, program] of programs.entries()) {
      const file = join(folder, `${number}.mjs`);
      writeFileSync(file, program);
      const output = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
      if (number === 0) assert.match(output, /^3 ChessBase CBH\n/);
      t.diagnostic(program.split('\n')[0]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
