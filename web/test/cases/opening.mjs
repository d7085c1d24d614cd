// Files, folders, archives, and what is no database.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, count, fixtures, fresh, made, program, romantics, shown, withPage, work } from '../common.mjs';

test('folders, several bases and a real drop', () => withPage(async page => {
  await page.locator('#folder').setInputFiles(join(fixtures, 'scid'));
  await shown(page, '.bases');
  ok(await page.locator('.bases li').count() > 5, 'bases of the folder');
  await page.locator('.bases button', { hasText: 'annotated.si4' }).click();
  await shown(page, '.listholder');
  equal(await count(page), 'All 70 games', 'count');
  await page.locator('.top .mark').click();
  const text = readFileSync(romantics, 'utf8');
  const transfer = await page.evaluateHandle(text => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.pgn'));
    return transfer;
  }, text);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  ok(await page.locator('.over').isVisible(), 'says that it can be released');
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await shown(page, '.listholder');
  equal(await page.locator('.basename h1').textContent(), 'dropped.pgn', 'name');
}));

test('packed files', () => withPage(async page => {
  for (const suffix of ['gz', 'zst']) {
    const packed = join(work, 'packed.pgn.' + suffix);
    if (suffix === 'gz') execFileSync('python3', ['-c', 'import gzip,sys;open(sys.argv[2],"wb").write(gzip.compress(open(sys.argv[1],"rb").read()))', romantics, packed]);
    else execFileSync(program, ['convert', '--quiet', romantics, packed], { stdio: ['ignore', 'ignore', 'inherit'] });
    await drop(page, [packed]);
    equal(await count(page), 'All 10 games', suffix);
    await page.locator('.top .mark').click();
  }
}));

test('a locked archive asks for its password, by the keyboard alone', () => withPage(async page => {
  await page.locator('#files').setInputFiles(join(fixtures, 'cbh/locked.cbz'));
  await shown(page, '.lockform');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  equal(await page.evaluate(() => document.activeElement.id), 'password', 'focus');
  await page.keyboard.type('closed sesame');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /Wrong password/.test(document.querySelector('.wrong').textContent));
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await shown(page, '.listholder');
  // The database is read again, and opens.
  await page.keyboard.press('s');
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.keyboard.press('Escape');
  ok(/games/.test(await count(page)), 'listed');
  await page.locator('.top .mark').click();
  await page.locator('#files').setInputFiles(join(fixtures, 'cbh/locked.cbz'));
  await shown(page, '.lockform');
  await page.locator('.lockform button[type=button]').click();
  ok(await page.getByRole('button', { name: 'Choose files…' }).isVisible(), 'back on the first screen');
}));

test('what is no base is refused with words', () => withPage(async page => {
  const empty = fresh('empty.si4');
  const letter = fresh('letter.doc');
  const sqlite = join(work, 'games.sqlite');
  const table = join(work, 'games.parquet');
  writeFileSync(empty, '');
  writeFileSync(letter, Buffer.from('d0cf11e0a1b11ae1000000', 'hex'));
  writeFileSync(sqlite, 'SQLite format 3\0' + '\0'.repeat(100));
  writeFileSync(table, 'PAR1' + '\0'.repeat(100));
  const lonely = join(fixtures, 'scid/annotated.si4');
  /** @type {[string, RegExp][]} */
  const cases = [[empty, /empty\.si4.*is empty/], [letter, /letter\.doc.*not a chess database/], [lonely, /annotated\.s[gn]4.*missing/], [sqlite, /games\.sqlite/], [table, /games\.parquet/]];
  for (const [file, words] of cases) {
    await page.locator('#files').setInputFiles(file);
    await page.waitForFunction(source => new RegExp(source).test(document.querySelector('.note')?.textContent || ''), words.source)
      .catch(async () => { throw new Error(`${file}: ${await page.locator('.note').textContent().catch(() => 'no note')}`); });
  }
}));

test('a damaged base shows what can be read', () => withPage(async page => {
  const files = made(romantics, 'si4');
  const moves = files.find(file => file.endsWith('.sg4'));
  const bytes = readFileSync(moves);
  writeFileSync(moves, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
  await drop(page, files);
  equal(await count(page), '10 games', 'count');
  await shown(page, '.r.dam');
  await page.keyboard.press('4');
  await shown(page, '.find.w');
  ok(/damaged/.test(await page.locator('.find.w').first().textContent()), 'says so');
}));

test('a folder with a locked archive opens the rest, and the archive by its password', () => withPage(async page => {
  const at = mkdtempSync(join(work, 'mixed-'));
  writeFileSync(join(at, 'open.pgn'), readFileSync(romantics));
  writeFileSync(join(at, 'locked.cbz'), readFileSync(join(fixtures, 'cbh/locked.cbz')));
  await page.locator('#folder').setInputFiles(at);
  await shown(page, '.bases');
  equal(await page.locator('.bases li').count(), 2, 'both are listed');
  await page.locator('.bases button', { hasText: 'open.pgn' }).click();
  await shown(page, '.listholder');
  equal(await count(page), 'All 10 games', 'count');
  await page.locator('.top .mark').click();
  await page.locator('#folder').setInputFiles(at);
  await page.locator('.bases button', { hasText: 'locked.cbz' }).click();
  await shown(page, '.lockform');
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await shown(page, '.listholder');
}));
