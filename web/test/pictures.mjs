// Makes the pictures of docs/page.md from our own fixtures: `node test/pictures.mjs FOLDER`.

import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { drop, start, watched } from './browser.mjs';

const [folder] = process.argv.slice(2);
const url = pathToFileURL(join(resolve(folder), 'chessdb.html')).href;
const out = resolve('../docs/page');
const work = mkdtempSync(join(tmpdir(), 'chessdb-pictures-'));

/** @import { Page } from 'playwright-core' */

/** Makes a picture of the sample games, or of `files`, after `act`; or of the first screen.
 * @param {string} name
 * @param {{ width?: number, height?: number, dark?: boolean, files?: string[], act?: (page: Page) => Promise<unknown>, first?: boolean }} how */
async function picture(name, { width = 1280, height = 800, dark, files, act, first }) {
  const { context, close } = await start({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  const { page } = await watched(context, url);
  if (!first) {
    if (files) await drop(page, files);
    else {
      await page.getByRole('button', { name: 'Look at sample games' }).click();
      await page.waitForSelector('.listholder');
    }
  }
  await page.waitForTimeout(500);
  await act?.(page);
  await page.waitForTimeout(700);
  await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
  await page.screenshot({ path: join(out, name + '.png') });
  await close();
}

/** @type {(page: Page, games: number, plies: number) => Promise<void>} */
const step = async (page, games, plies) => {
  for (let n = 0; n < games; n++) await page.keyboard.press('n');
  await page.waitForTimeout(500);
  await page.locator('#board').focus();
  for (let n = 0; n < plies; n++) await page.keyboard.press('ArrowRight');
};
/** @type {(name: string) => (page: Page) => Promise<void>} */
const view = name => page => page.locator(`.nav a[href="#view=${name}"]`).click();

await picture('first', { first: true });
await picture('games', { act: page => step(page, 0, 9) });
await picture('dark', { dark: true, act: page => step(page, 3, 24) });
await picture('phone', { width: 360, height: 740, act: async page => {
  await view('board')(page);
  await step(page, 0, 9);
} });
await picture('tree', { act: async page => {
  await step(page, 3, 2);
  await view('tree')(page);
} });
await picture('statistics', { act: view('stats') });
await picture('position', { act: async page => {
  await page.keyboard.press('e');
  await page.locator('.board.edit [tabindex="0"]').focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowLeft', 'R', 'ArrowRight', 'k', 'ArrowRight', 'a']) await page.keyboard.press(key);
} });
await picture('wide', { width: 2560, height: 1440, act: page => step(page, 0, 9) });
const letters = join(work, 'tournament.pgn');
const names = ['c1eef2e2e8edede8ea', 'd1ecfbf1ebeee2', 'cfe5f2f0eef1ffed', 'd2e0ebfc', 'caeef0f7ede5e9', 'd1effdf1f1eae8e9'].map(hex => Buffer.from(hex, 'hex'));
writeFileSync(letters, Buffer.concat(names.flatMap((name, n) => [
  Buffer.from('[White "'), name, Buffer.from('"]\n[Black "'), names[(n + 1) % names.length], Buffer.from('"]\n[Date "1959.09.07"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n\n'),
])));
await picture('encoding', { files: [letters], height: 900, act: async page => {
  await view('base')(page);
  await page.waitForSelector('.loss .ok');
} });
rmSync(work, { recursive: true, force: true });
