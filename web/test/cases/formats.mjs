// Every format that is written: opened, searched, stepped through, saved.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { becomes, OPERA, count, made, men, program, romantics, saved, shown, withPage, work } from '../common.mjs';

// A book has no headers to list, a table of Parquet is in the larger build only, and lists of positions have no games.
/** @type {{ id: string, reads: boolean, writes: boolean, files: string[] }[]} */
const formats = JSON.parse(execFileSync(program, ['formats', '--json'], { encoding: 'utf8' })).formats;
const listed = formats.filter(({ id, reads, writes }) => reads && writes && !['fbk', 'parquet', 'epd', 'fen'].includes(id));
for (const suffix of listed.map(({ files }) => files[0])) {
  test(`a base in ${suffix}: listed, filtered, stepped through, saved`, () => withPage(async page => {
    const files = suffix === 'pgn' ? [romantics] : made(romantics, suffix);
    await drop(page, files);
    equal(await count(page), 'All 10 games', 'count');
    await page.fill('#query', 'white:Morphy');
    await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
    await page.locator('#query').press('Escape');
    await shown(page, '.moves .m');
    await page.keyboard.press('End');
    await page.locator('#board').focus();
    await page.keyboard.press('End');
    await page.waitForFunction(men => document.querySelector('#board').dataset.fen.startsWith(men), OPERA);
    await becomes(page, () => men(page), OPERA, 'men on the board');
    const title = await page.locator('.ghead h2').textContent();
    ok(title.startsWith('Morphy'), title);
    const { path } = await saved(page, 'pgn');
    const out = join(work, `cli-${suffix}.pgn`);
    const main = files.find(file => file.endsWith('.' + suffix)) || files[0];
    execFileSync(program, ['convert', '--quiet', main, out], { stdio: ['ignore', 'ignore', 'inherit'] });
    ok(readFileSync(path).equals(readFileSync(out)), `PGN differs from what the program writes: ${path} ${out}`);
  }));
}

test('a set saved as zip is the set that the program writes, and opens again', () => withPage(async page => {
  await drop(page, [romantics]);
  const { path, name } = await saved(page, 'si4');
  equal(name, 'romantics.zip', 'name');
  const at = join(work, 'unzipped');
  mkdirSync(at);
  execFileSync('python3', ['-m', 'zipfile', '-e', path, at]);
  const files = made(romantics, 'si4');
  for (const file of files) {
    const own = readFileSync(join(at, 'romantics.' + file.split('.').pop()));
    ok(own.equals(readFileSync(file)), `${file} differs`);
  }
  await page.locator('.top .mark').click();
  await drop(page, [path]);
  equal(await page.locator('.basename h1').textContent(), 'romantics.si4', 'name');
  equal(await count(page), 'All 10 games', 'count');
}));

test('SQLite and Parquet are saved by the larger module, which keeps query and game', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.fill('#query', 'year:1800..1900');
  await page.waitForFunction(() => / of 10/.test(document.querySelector('#count').textContent));
  const listed = await count(page);
  await page.locator('#query').press('Escape');
  const sqlite = await saved(page, 'jose');
  const [file] = made(romantics, 'sqlite');
  // Ignores the version of SQLite, which differs on the web.
  /** @param {string} path */
  const rows = path => readFileSync(path).fill(0, 96, 100);
  ok(rows(sqlite.path).equals(rows(file)), 'the SQLite file is not the one of the program');
  equal(await count(page), listed, 'the query stays');
  const { path } = await saved(page, 'parquet');
  await page.locator('.top .mark').click();
  await page.reload();
  await drop(page, [path]);
  equal(await page.locator('.basename span').textContent(), ' \u00a0· Parquet\u00a0· 10', 'format');
  const again = await saved(page, 'pgn');
  const out = join(work, 'plain.pgn');
  execFileSync(program, ['convert', '--quiet', romantics, out], { stdio: ['ignore', 'ignore', 'inherit'] });
  // A table has the tags in a different order.
  /** @param {string} path */
  const lines = path => readFileSync(path, 'utf8').split('\n').sort();
  equal(lines(again.path), lines(out), 'the games of the table');
}));
