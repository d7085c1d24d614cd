// Opening books below the tree, names of openings in other languages, games saved as a page.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, becomes, fen, fresh, program, romantics, saved, shown, withPage } from '../common.mjs';

/** @import { Page } from 'playwright-core' */

const LINES = '1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 1/2-1/2\n\n';

/** Makes a Polyglot book of games.
 * @type {(name: string, pgn: string) => string} */
function book(name, pgn) {
  const games = fresh('lines.pgn');
  writeFileSync(games, pgn);
  const path = fresh(name);
  const { status } = spawnSync(program, ['book', 'make', games, path], { stdio: 'ignore' });
  equal(status, 0, 'the book is made');
  return path;
}

/** Drops files on the page, whatever it shows.
 * @type {(page: Page, paths: string[]) => Promise<void>} */
async function dropOn(page, paths) {
  const files = paths.map(path => ({ name: basename(path), bytes: [...readFileSync(path)] }));
  const transfer = await page.evaluateHandle(list => {
    const data = new DataTransfer();
    for (const { name, bytes } of list) data.items.add(new File([new Uint8Array(bytes)], name));
    return data;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

/** The moves of the books, with their shares.
 * @param {Page} page */
const moves = page => page.locator('.book tbody tr').evaluateAll(rows => rows.map(row =>
  [...row.querySelectorAll('td')].slice(0, 2).map(cell => (cell.textContent ?? '').replace(/\s/g, ' ')).join(' ')));

test('an opening book shows its moves below the tree until it is closed', () => withPage(async page => {
  await drop(page, [romantics]);
  await dropOn(page, [book('lines.bin', LINES)]);
  await shown(page, '.book');
  equal(await page.locator('.nav [aria-current=page]').getAttribute('href'), '#view=tree', 'goes to the tree');
  await becomes(page, () => moves(page), ['1.e4 75.0 %', '1.d4 25.0 %'], 'moves');
  ok(/Polyglot, 3 positions/.test(await page.locator('.bookhead').innerText()), 'format and size');
  await page.evaluate(axe);
  equal(await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id)), [], 'axe');
  // By the keyboard: the button of a move plays it.
  await page.locator('.book .san').first().focus();
  await page.keyboard.press('Enter');
  await becomes(page, () => moves(page), ['1…c5 100.0 %'], 'the answer that did not lose');
  ok((await fen(page) ?? '').startsWith('rnbqkbnr/pppppppp/8/8/4P3'), 'played on the board');
  await page.locator('.book .san').first().click();
  await becomes(page, async () => (await page.locator('.book .nothing').allInnerTexts()).length, 1, 'the end of the book');
  // It stays when another database is opened, and beside a second book.
  const other = fresh('other.pgn');
  writeFileSync(other, LINES);
  await dropOn(page, [other, book('second.bin', '1. c4 1-0\n\n')]);
  await becomes(page, () => page.locator('.basename h1').textContent(), 'other.pgn', 'the other database');
  await page.keyboard.press('2');
  await becomes(page, () => page.locator('.book h3').allTextContents(), ['lines.bin', 'second.bin'], 'two books');
  await page.locator('.book .x').first().click();
  await becomes(page, () => page.locator('.book h3').allTextContents(), ['second.bin'], 'closed');
  await page.locator('.book .x').first().click();
  await becomes(page, () => page.locator('.book').count(), 0, 'none');
}));

test('a book before any database waits for one, and outlives the change to the larger module', () => withPage(async page => {
  await page.locator('#files').setInputFiles([book('first.bin', LINES)]);
  await becomes(page, async () => /first\.bin/.test(await page.locator('.note').innerText().catch(() => '')), true, 'said on the first screen');
  await drop(page, [romantics]);
  await page.keyboard.press('2');
  await becomes(page, () => moves(page), ['1.e4 75.0 %', '1.d4 25.0 %'], 'moves');
  // Zstandard needs the larger module, in which everything is opened again.
  const packed = fresh('packed.pgn.zst');
  equal(spawnSync(program, ['convert', '--quiet', romantics, packed], { stdio: 'ignore' }).status, 0, 'packed');
  await dropOn(page, [packed]);
  await becomes(page, () => page.locator('.basename h1').textContent(), 'packed.pgn', 'unpacked');
  // The first book is opened again also if another one comes first.
  await dropOn(page, [book('first.bin', '1. c4 1-0\n\n')]);
  await becomes(page, () => moves(page), ['1.c4 100.0 %', '1.e4 75.0 %', '1.d4 25.0 %'], 'moves again');
  await page.locator('.book .x').first().click();
  await becomes(page, () => moves(page), ['1.e4 75.0 %', '1.d4 25.0 %'], 'the other book of this name is closed');
}));

test('openings have names in the language of the page, and queries keep the English ones', () => withPage(async page => {
  const file = fresh('najdorf.pgn');
  writeFileSync(file, '[White "A"]\n[Black "B"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *\n');
  await drop(page, [file]);
  await shown(page, '.moves .m');
  for (const [language, name] of [['de', 'Sizilianische Verteidigung'], ['ru', 'Сицилианская защита'], ['es', 'Defensa siciliana'], ['en', 'Sicilian Defense']]) {
    await page.locator('.lang').selectOption(language);
    await becomes(page, async () => (await page.locator('.ghead').innerText()).includes(name), true, `${language}: heading of the game`);
  }
  await page.locator('.lang').selectOption('de');
  await page.locator('#board').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('2');
  await becomes(page, () => page.locator('.treelist .thead .tlink').innerText(), 'B90 Sizilianische Verteidigung: Najdorf-Variante', 'heading of the tree');
  await page.keyboard.press('1');
  await page.locator('.ghead .tlink', { hasText: 'Sizilianische Verteidigung' }).click();
  await becomes(page, () => page.inputValue('#query'), 'opening:"Sicilian Defense"', 'the query');
}));

test('the board has the colours that the reader chose, also in a drawing', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  const dark = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--sq-d').trim());
  const before = await dark();
  await page.locator('.lookup').click();
  await page.locator('.look input[name=board][value=wood]').check({ force: true });
  equal(await dark(), '#b08a62', 'wood');
  await page.locator('.look footer .btn').nth(2).click();
  equal(await dark(), before, 'the standard layout');
  ok(await page.locator('.look input[name=board][value=paper]').isChecked(), 'chosen again');
}));

test('games are saved as a page with boards', () => withPage(async page => {
  await drop(page, [romantics]);
  const { path, name } = await saved(page, 'html');
  equal(name, 'romantics.html', 'name');
  const byProgram = fresh('romantics.html');
  equal(spawnSync(program, ['convert', '--quiet', romantics, byProgram], { stdio: 'ignore' }).status, 0, 'by the program');
  equal(readFileSync(path, 'utf8'), readFileSync(byProgram, 'utf8'), 'the bytes of the program');
}));
