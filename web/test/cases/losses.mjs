// Findings and losses, against the program.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { becomes, count, fixture, fresh, made, program, romantics, shown, withPage, work } from '../common.mjs';

test('what a filter and a game would lose is told before saving', () => withPage(async page => {
  const file = fresh('losses.pgn');
  writeFileSync(file, '[White "A"]\n\n1. e4 {a word} *\n\n[White "B"]\n[Zebra "stripes"]\n\n1. e4 *\n\n[White "C"]\n\n1. e4 *\n');
  await drop(page, [file]);
  await page.fill('#query', 'white:C');
  await page.waitForFunction(() => /^1 of 3/.test(document.querySelector('#count').textContent));
  await page.locator('#query').press('Escape');
  await page.keyboard.press('s');
  const told = () => page.locator('dialog label', { has: page.locator('input[value=cbf]') }).locator('small').textContent();
  for (const [scope, wanted] of /** @type {[string, RegExp][]} */ ([['view', /nothing/i], ['all', /[123] games?/], ['view', /nothing/i]])) {
    await page.locator(`dialog input[value=${scope}]`).check({ force: true });
    await becomes(page, async () => wanted.test(await told()), true, `${scope}: ${wanted}`);
  }
}));

test('a long conversion can be cancelled, and the base is there again', () => withPage(async page => {
  const file = fresh('long.pgn');
  /** @param {number} n */
  const game = n => `[White "Player ${n}"]\n[Black "B"]\n[Date "1999.01.01"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0\n\n`;
  writeFileSync(file, Array.from({ length: 24_000 }, (_, n) => game(n)).join(''));
  await drop(page, [file]);
  await page.fill('#query', 'white:77');
  // The page shows a running count during the search and announces the number at the end.
  await page.waitForFunction(() => {
    const { textContent } = document.querySelector('#count');
    return / of 24,000/.test(textContent) && document.querySelector('#said').textContent === textContent;
  });
  const found = await count(page);
  await page.locator('#query').press('Escape');
  // The conversion runs, but its answer never comes: otherwise a fast machine would be done before Cancel.
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      const hear = this.onmessage;
      if (message.save) this.onmessage = event => { if (event.data.id !== message.id || event.data.progress) hear.call(this, event); };
      post.call(this, message, transfer);
    };
  });
  await page.keyboard.press('s');
  await page.locator('dialog input[value=cdp], dialog input[value=ca]').check();
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.locator('dialog .main').click();
  await shown(page, 'dialog .prog');
  await page.locator('dialog footer .btn').click();
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.waitForFunction(found => document.querySelector('#count')?.textContent === found, found);
  await page.waitForFunction(() => /Cancelled/.test(document.querySelector('#said').textContent));
  await shown(page, '.rows .won');
}));

test('only one file of a set: says which are missing, and never that nothing was lost', () => withPage(async page => {
  await drop(page, fixture('cbh/text', 'cbh'));
  await shown(page, '.facts-bar:not([hidden])');
  const bar = await page.locator('.facts-bar').textContent();
  ok(/6 files are missing .*\.cbg.*choose all files named text/.test(bar), bar);
  equal(await count(page), '28 games', 'count');
  const checked = JSON.parse(spawnSync(program, ['check', '--json', join(made(romantics, 'cbh').find(file => file.endsWith('.cbh')))], { encoding: 'utf8' }).stdout);
  equal(checked.bases[0].lost, 0, 'the whole set');
  await page.keyboard.press('s');
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.waitForFunction(() => document.querySelectorAll('.lossbox li').length > 5);
  const before = await page.locator('.lossbox li').allTextContents();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await download.cancel();
  await shown(page, 'dialog [role=status] li');
  equal(await page.locator('.lossbox li').allTextContents(), before, 'the same list before and after');
  ok(!/Nothing was lost/.test(await page.locator('dialog').textContent()), 'not fine');
  await page.locator('dialog .main').click();
  await page.keyboard.press('4');
  await shown(page, '.find.w');
  await page.waitForFunction(() => /read 28 of 28/.test(document.querySelector('.c7 small')?.textContent));
  equal(await page.locator('.find.g').count(), 0, 'no green sign');
}));

test('every damaged or incomplete set: a finding of check is a finding of the page', () => withPage(async page => {
  const letter = fresh('letter.pgn');
  writeFileSync(letter, 'Dear friend,\n\nhow are you?\n');
  const half = mkdtempSync(join(work, 'half-'));
  for (const [n, file] of fixture('scid/annotated', 'si4', 'sg4', 'sn4').entries()) {
    const bytes = readFileSync(file);
    writeFileSync(join(half, 'annotated.' + ['si4', 'sg4', 'sn4'][n]), n ? bytes : bytes.subarray(0, bytes.length / 2));
  }
  const broken = mkdtempSync(join(work, 'broken-'));
  for (const [n, file] of fixture('scid/annotated', 'si4', 'sg4', 'sn4').entries()) {
    const bytes = readFileSync(file);
    if (n === 2) for (let at = 60; at < bytes.length; at += 7) bytes[at] ^= 0x5a;
    writeFileSync(join(broken, 'annotated.' + ['si4', 'sg4', 'sn4'][n]), bytes);
  }
  /** @param {string} folder */
  const all = folder => ['si4', 'sg4', 'sn4'].map(suffix => join(folder, 'annotated.' + suffix));
  for (const files of [[letter], all(half), all(broken), [romantics]]) {
    const checked = JSON.parse(spawnSync(program, ['check', '--json', files[0]], { encoding: 'utf8' }).stdout).bases[0];
    await drop(page, files);
    if (await page.locator('.note').count()) {
      ok(checked.error, `${files[0]}: opened by the program`);
      continue;
    }
    const damage = checked.lost + checked.repaired > 0;
    await page.waitForTimeout(400);
    equal(await page.locator('.facts-bar:not([hidden])').count(), damage ? 1 : 0, `${files[0]}: bar`);
    equal(/^All/.test(await count(page)), !damage, `${files[0]}: ${await count(page)}`);
    await page.keyboard.press('4');
    await page.waitForFunction(() => document.querySelector('.c7 .hh') && !/Being read/.test(document.querySelector('.c7 .hh').textContent));
    equal(await page.locator('.find.g').count(), checked.findings.length ? 0 : 1, `${files[0]}: green sign`);
    await page.locator('.top .mark').click();
  }
}));

test('what will be lost and what was lost are the same list for every target', () => withPage(async page => {
  await drop(page, fixture('scid/annotated', 'si4', 'sg4', 'sn4'));
  for (const format of ['pgn', 'cbh', 'cbf', 'ca', 'si3', 'dcx']) {
    await page.keyboard.press('s');
    await page.locator('dialog input[value=all]').check({ force: true });
    await page.locator(`dialog input[value="${format}"]`).check();
    await page.waitForFunction(() => document.querySelector('.lossbox b') && !/…/.test(document.querySelector('dialog .opt:has(:checked) small').textContent));
    await page.waitForFunction(() => document.querySelector('.lossbox li'));
    const before = await page.locator('.lossbox li').allTextContents();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
    await download.cancel();
    await shown(page, 'dialog [role=status]');
    equal(await page.locator('.lossbox li').allTextContents(), before, format);
    await page.locator('dialog .main').click();
  }
}));
