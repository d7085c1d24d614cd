// Words in four languages, Back and Forward, files that are opened again, names and places of saved files.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
/** @import { Page } from 'playwright-core' */
import { equal, ok, test } from '../check.mjs';
import { axe, becomes, count, fixture, fixtures, fresh, program, romantics, shown, view, withPage, work } from '../common.mjs';
import { LANGUAGES } from '../../src/lang.js';

const masters = join(fixtures, 'pgn/clean/masters.pgn');

/** The texts of the page.
 * @param {Page} page */
const state = page => page.evaluate(() => ({
  base: document.querySelector('.basename h1')?.textContent ?? '', query: document.querySelector('#query')?.value ?? '',
  view: document.querySelector('.nav [aria-current]')?.getAttribute('href').slice(6) ?? '', game: document.querySelector('.ghead h2')?.textContent ?? '',
}));

test('Back and Forward walk through all that was done, and through two databases', () => withPage(async page => {
  page.on('dialog', dialog => dialog.accept());
  await drop(page, [romantics]);
  await shown(page, '.ghead h2');
  /** @type {Awaited<ReturnType<typeof state>>[]} */
  const done = [];
  const settle = async () => {
    // A busy machine takes its time to filter.
    let before = null;
    for (let now = await state(page); JSON.stringify(now) !== JSON.stringify(before); now = await state(page)) {
      before = now;
      await page.waitForTimeout(700);
    }
    done.push(await state(page));
  };
  await settle();
  for (const act of [
    () => page.locator('.rows .r:not([hidden])').nth(3).click(),
    () => page.locator('.rows .r:not([hidden])').nth(5).click(),
    () => page.fill('#query', 'white:Morphy'),
    () => page.locator('#query').press('Escape').then(() => page.keyboard.press('2')),
    () => page.keyboard.press('3'),
    () => page.keyboard.press('4'),
    () => page.keyboard.press('1'),
    // Two steps, which a slow machine could join if they were not awaited one by one.
    () => page.locator('.query .clear:not(.ftoggle)').click(),
    () => page.locator('.rows .r:not([hidden])').nth(1).click(),
  ]) {
    await act();
    await settle();
  }
  ok(new Set(done.map(one => JSON.stringify(one))).size > 7, JSON.stringify(done));
  // Another database, by the first screen.
  await page.locator('.top .mark').click();
  await shown(page, '.dropv');
  await drop(page, [masters]);
  await shown(page, '.ghead h2');
  await page.waitForTimeout(300);
  const other = await state(page);
  equal(other.base, 'masters.pgn', 'the other database');
  await page.goBack();
  await shown(page, '.dropv');
  for (let n = done.length - 1; n >= 0; n--) {
    await page.goBack();
    await becomes(page, () => state(page), done[n], `back to ${n}`);
  }
  for (let n = 1; n < done.length; n++) {
    await page.goForward();
    await becomes(page, () => state(page), done[n], `forward to ${n}`);
  }
  // To the first screen is a step, and to the other database one more.
  await page.evaluate(() => history.go(2));
  await becomes(page, () => state(page), other, 'the other database again');
  // Quickly there and back: the last one counts.
  await page.evaluate(() => { history.go(-2); });
  await page.evaluate(() => { history.go(2); });
  await becomes(page, () => state(page), other, 'after a quick walk');
}));

test('chessdb view: Back and Forward', async () => {
  const { child, url } = await view(romantics);
  try {
    await withPage(async page => {
      await shown(page, '.ghead h2');
      await page.waitForTimeout(500);
      const first = await state(page);
      await page.locator('.rows .r:not([hidden])').nth(3).click();
      await page.waitForTimeout(500);
      const second = await state(page);
      ok(second.game !== first.game, 'another game');
      await page.keyboard.press('3');
      await shown(page, '.inner svg');
      await page.goBack();
      await becomes(page, () => state(page), second, 'back from the statistics');
      await page.goBack();
      await becomes(page, () => state(page), first, 'back to the first game');
      await page.goForward();
      await becomes(page, () => state(page), second, 'forward');
    }, { url, quiet: false });
  } finally {
    child.kill();
  }
});

test('what cannot be opened does not close what is open', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.fill('#query', 'white:Morphy');
  await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
  const transfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['\u0001\u0002 nothing'], 'letter.doc'));
    return transfer;
  });
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await page.waitForFunction(() => /letter\.doc.*not a chess database/.test(document.querySelector('.alarm:not([hidden])')?.textContent));
  equal(await page.locator('.basename h1').textContent(), 'romantics.pgn', 'name');
  equal(await count(page), '1 of 10 games', 'the query stays');
}));

test('after a reload, a browser without handles says which files were open', () => withPage(async page => {
  page.on('dialog', dialog => dialog.accept());
  await drop(page, [romantics]);
  await page.locator('.rows .r:not([hidden])').nth(2).click();
  await page.waitForTimeout(300);
  const before = await state(page);
  await page.reload();
  await shown(page, '.again');
  ok(/romantics\.pgn/.test(await page.locator('.again').textContent()), 'the name');
  equal(await page.evaluate(async () => (await indexedDB.databases()).length), 0, 'nothing is stored');
  equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0, 'nothing is stored');
  await drop(page, [romantics]);
  await becomes(page, () => state(page), before, 'at the same place');
  await page.locator('.top .mark').click();
  await page.getByRole('button', { name: 'Look at sample games' }).click();
  await shown(page, '.listholder');
  await page.reload();
  await shown(page, '.listholder');
}));

/** Files in the private storage of the page. Their handles work like handles of the disk.
 * @param {Page} page
 * @param {[name: string, text: string][]} files */
const withHandles = (page, files) => page.evaluate(async files => {
  const folder = await navigator.storage.getDirectory();
  /** @type {FileSystemHandle[]} */
  const handles = [];
  for (const [name, text] of files) {
    const handle = await folder.getFileHandle(name, { create: true });
    const stream = await handle.createWritable();
    await stream.write(text);
    await stream.close();
    handles.push(handle);
  }
  globalThis.showOpenFilePicker = async () => handles;
  globalThis.showSaveFilePicker = async (/** @type {{ suggestedName: string }} */ { suggestedName }) => {
    globalThis.suggested = suggestedName;
    return folder.getFileHandle('saved-' + suggestedName, { create: true });
  };
}, files);

test('files are remembered once the reader agrees, opened again, and forgotten', () => withPage(async page => {
  page.on('dialog', dialog => dialog.accept());
  const stored = () => page.evaluate(async () => (await indexedDB.databases()).length);
  await withHandles(page, [['kept.pgn', readFileSync(romantics, 'utf8')]]);
  const open = async () => {
    await page.getByRole('button', { name: 'Choose files…' }).click();
    await shown(page, '.keep-bar');
  };
  await open();
  equal(await stored(), 0, 'nothing is stored before');
  await page.locator('.keep-bar').getByRole('button', { name: 'No' }).click();
  equal(await page.locator('.keep-bar').count(), 0, 'the question goes');
  equal(await stored(), 0, 'nothing is stored after No');
  await page.locator('.top .mark').click();
  await withHandles(page, [['kept.pgn', readFileSync(romantics, 'utf8')]]);
  await open();
  await page.locator('.keep-bar').getByRole('button', { name: 'Remember' }).click();
  await page.waitForFunction(() => !document.querySelector('.keep-bar'));
  equal(await stored(), 1, 'stored');
  await page.locator('.rows .r:not([hidden])').nth(4).click();
  await page.waitForTimeout(400);
  const before = await state(page);
  await page.reload();
  await becomes(page, () => state(page), before, 'opened by itself at the same place');
  equal(await page.locator('.keep-bar').count(), 0, 'does not ask again');
  // A browser that asks the reader first.
  await page.addInitScript(() => {
    /** @type {any} */ (FileSystemHandle.prototype).queryPermission = async () => 'prompt';
    /** @type {any} */ (FileSystemHandle.prototype).requestPermission = async () => globalThis.permission ?? 'granted';
  });
  await page.reload();
  await shown(page, '.again');
  await page.evaluate(() => { globalThis.permission = 'denied'; });
  await page.getByRole('button', { name: 'Open again' }).click();
  ok(/did not give access/.test(await page.locator('.again').textContent()), 'says why');
  await page.evaluate(() => { globalThis.permission = 'granted'; });
  await page.getByRole('button', { name: 'Open again' }).click();
  await becomes(page, () => state(page), before, 'opened after the question');
  await page.locator('.about-button').click();
  ok(/kept\.pgn/.test(await page.locator('dialog').textContent()), 'told in About');
  await page.locator('dialog').getByRole('button', { name: 'Forget' }).click();
  await page.waitForFunction(() => /Nothing is remembered/.test(document.querySelector('dialog').textContent));
  equal(await stored(), 0, 'forgotten');
  await page.reload();
  await shown(page, '.again');
  equal(await page.getByRole('button', { name: 'Open again' }).count(), 0, 'to be chosen again');
}));

test('saved in a place of one’s own, in pieces, and again; and where it went', () => withPage(async page => {
  page.on('dialog', dialog => dialog.accept());
  await drop(page, [romantics]);
  await withHandles(page, []);
  await page.fill('#query', 'white:Morphy');
  await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
  await page.locator('#query').press('Escape');
  await page.keyboard.press('s');
  await page.locator('dialog input[value=view]').check({ force: true });
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  equal(download.suggestedFilename(), 'romantics Morphy.pgn', 'name of a filter');
  ok(/downloads folder/.test(await page.locator('dialog [role=status]').textContent()), 'where');
  await page.locator('dialog .main').click();
  await page.keyboard.press('s');
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.locator('dialog').getByRole('button', { name: 'Choose a place…' }).click();
  await page.waitForFunction(() => /file that you chose/.test(document.querySelector('dialog [role=status]')?.textContent));
  equal(await page.evaluate(() => globalThis.suggested), 'romantics.pgn', 'suggested');
  const out = join(work, 'place.pgn');
  execFileSync(program, ['convert', '--quiet', romantics, out], { stdio: ['ignore', 'ignore', 'inherit'] });
  const kept = () => page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle('saved-romantics.pgn')).getFile()).text());
  equal(await kept(), readFileSync(out, 'utf8'), 'bytes');
  await page.locator('dialog .main').click();
  await page.keyboard.press('s');
  await page.locator('dialog input[value=view]').check({ force: true });
  await page.locator('dialog .same').click();
  await page.waitForFunction(() => /file that you chose/.test(document.querySelector('dialog [role=status]')?.textContent));
  ok((await kept()).split('[White ').length === 2, 'one game now');
  await page.locator('dialog .main').click();
  // Cancelling saves nothing, and a failed write is reported.
  await page.evaluate(() => { globalThis.showSaveFilePicker = async () => { throw new DOMException('', 'AbortError'); }; });
  await page.keyboard.press('s');
  await page.locator('dialog').getByRole('button', { name: 'Choose a place…' }).click();
  ok(await page.locator('dialog input[value=pgn]').isVisible(), 'the form stays');
  await page.evaluate(() => { globalThis.showSaveFilePicker = async () => ({ name: 'full.pgn', createWritable: async () => { throw new Error('the disk is full'); } }); });
  await page.locator('dialog').getByRole('button', { name: 'Choose a place…' }).click();
  await page.waitForFunction(() => /full\.pgn.*the disk is full/.test(document.querySelector('dialog .note')?.textContent));
}));

test('the twelve targets are grouped, each with a sentence', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('s');
  equal(await page.locator('.tgroup h3').allTextContents(), ['For every program', 'ChessBase', 'Scid', 'More formats'], 'groups');
  equal(await page.locator('.tgt').count(), await page.locator('.tgt .why').count(), 'sentences');
  equal(await page.locator('.tgt input').first().getAttribute('value'), 'pgn', 'the first');
}));

test('about: version, licence, source and libraries, from every screen and in every language', () => withPage(async page => {
  const see = async () => {
    await page.locator('.about-button').click();
    const text = await page.locator('.about-dlg').innerText();
    for (const wanted of ['chessdb', 'GNU GPL 3']) ok(text.includes(wanted), `${wanted}: ${text}`);
    await page.locator('.about-dlg summary').click();
    const libraries = await page.locator('.libs li').allTextContents();
    ok(libraries.some(one => /^chessground .*GPL/.test(one)) && libraries.length > 30, `libraries: ${libraries.length}`);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
    equal(found, [], 'axe');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  };
  for (const language of LANGUAGES) {
    await page.locator('.lang').selectOption(language);
    await see();
  }
  await page.locator('.lang').selectOption('en');
  await page.locator('#folder').setInputFiles(join(fixtures, 'scid'));
  await shown(page, '.bases');
  await see();
  await page.locator('.bases button', { hasText: 'annotated.si4' }).click();
  await shown(page, '.listholder');
  for (const view of ['1', '2', '3', '4']) {
    await page.keyboard.press(view);
    await see();
  }
  await page.locator('.top .mark').click();
  await page.locator('#files').setInputFiles(join(fixtures, 'cbh/locked.cbz'));
  await shown(page, '.lockform');
  await see();
}));

test('findings, losses and errors in German, Russian and Spanish; what is English is marked so', () => withPage(async page => {
  const half = mkdtempSync(join(work, 'words-'));
  const files = fixture('scid/annotated', 'si4', 'sg4', 'sn4').map((file, n) => {
    const bytes = readFileSync(file);
    const to = join(half, 'annotated.' + ['si4', 'sg4', 'sn4'][n]);
    writeFileSync(to, n === 1 ? bytes.subarray(0, bytes.length / 2) : bytes);
    return to;
  });
  await page.locator('.lang').selectOption('de');
  const letter = fresh('brief.doc');
  writeFileSync(letter, Buffer.from('d0cf11e0a1b11ae1000000', 'hex'));
  /** @type {[string, RegExp][]} */
  const letters = [['de', /keine Schachdatenbank/], ['ru', /не шахматная база/], ['es', /no es una base de ajedrez/]];
  for (const [language, wanted] of letters) {
    await page.locator('.lang').selectOption(language);
    await page.locator('#files').setInputFiles(letter);
    await page.waitForFunction(source => new RegExp(source).test(document.querySelector('.note')?.textContent), wanted.source);
  }
  await drop(page, files);
  /** @type {[string, RegExp, RegExp, RegExp][]} */
  const said = [
    ['de', /endet zu früh|passen nicht|nicht spielbar/, /erwartet wird eine Zahl/, /weggelassen: \d/], ['ru', /обрываются|не сходятся|нельзя сыграть/, /ожидается число/, /пропущены: \d/],
    ['es', /acaba demasiado pronto|no encajan|no se puede hacer/, /se espera un número/, /omitid[oa]s: \d/],
  ];
  for (const [language, found, query, loss] of said) {
    await page.locator('.lang').selectOption(language);
    await page.locator('.nav a[href="#view=base"]').click();
    await page.waitForFunction(() => document.querySelectorAll('.find.w .en').length);
    const own = await page.evaluate(() => [...document.querySelectorAll('.find p')].map(one => {
      const copy = /** @type {Element} */ (one.cloneNode(true));
      for (const part of copy.querySelectorAll('[lang=en]')) part.remove();
      return copy.textContent;
    }).join(' '));
    ok(found.test(own), `${language}: ${own}`);
    ok(!/\b(the|file|byte|needs|bytes|game|moves)\b/i.test(own), `${language}: English in ${own}`);
    await page.keyboard.press('1');
    await page.fill('#query', 'elo:x');
    await page.waitForFunction(source => new RegExp(source).test(document.querySelector('.msg').textContent), query.source);
    await page.fill('#query', '');
    await page.locator('#query').press('Escape');
    await page.keyboard.press('s');
    await page.locator('dialog input[value=all]').check({ force: true });
    await page.locator('dialog input[value=cbf]').check();
    await page.waitForFunction(source => [...document.querySelectorAll('.lossbox li')].some(line => new RegExp(source).test(line.textContent)), loss.source);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  }
}));
