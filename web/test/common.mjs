// Shared by the tests of the page: the fixtures, the program, and what is read from a page.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watched } from './browser.mjs';
import { equal, ok, own } from './check.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Noted } from './browser.mjs' */
/** @import { Own } from './check.mjs' */

export const [folder, only] = process.argv.slice(2);
export const single = pathToFileURL(join(resolve(folder), 'chessdb.html')).href;
export const fixtures = resolve('../fixtures');
export const program = process.env.CHESSDB ?? 'chessdb';
export const work = mkdtempSync(join(tmpdir(), 'chessdb-web-'));
/** The script that defines `axe` in a page.
 * @type {any} */
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs a test with a page, and checks that it caused no request, console line or error.
 * @param {(page: Page, noted: Noted) => Promise<void>} run
 * @param {{ url?: string, quiet?: boolean, allow?: string[] }} [how] */
export async function withPage(run, { url = single, quiet = true, allow = [] } = {}) {
  const { page, noted } = await watched(/** @type {Own} */ (own.getStore()).context, url);
  try {
    await run(page, noted).catch(async error => {
      // The cause is often not in the test's own words, so what the page shows is added.
      const text = await page.evaluate(() => document.body.innerText.slice(0, 600)).catch(String);
      throw new Error(`${error instanceof Error ? error.stack : error}\n  noted ${JSON.stringify(noted)}\n  the page says ${JSON.stringify(text)}`);
    });
    if (quiet) {
      equal(noted.errors, [], 'errors');
      equal(noted.lines.filter(line => !allow.some(one => line.includes(one))), [], 'lines on the console');
      equal(noted.requests.filter(request => request !== url.split('#')[0]), [], 'requests');
    }
  } finally {
    await page.close();
  }
}

/** Waits until `read` returns this, as long as every other wait of a page.
 * @template T
 * @param {Page} page
 * @param {() => Promise<T>} read
 * @param {T} wanted
 * @param {string} what */
export async function becomes(page, read, wanted, what) {
  let found = await read();
  for (const end = performance.now() + 30_000; JSON.stringify(found) !== JSON.stringify(wanted) && performance.now() < end;) {
    await page.waitForTimeout(50);
    found = await read();
  }
  equal(found, wanted, what);
}

/** @param {Page} page */
export const count = page => page.locator('#count').textContent();
/** @param {Page} page */
export const fen = page => page.locator('#board').getAttribute('data-fen');
/** @type {(page: Page, selector: string) => Promise<unknown>} */
export const shown = (page, selector) => page.waitForSelector(selector);

/** Returns the piece placement of the FEN, from the elements of the board.
 * @param {Page} page
 * @returns {Promise<string>} */
export const men = page => page.evaluate(() => {
  /** @type {Record<string, string>} */
  const letters = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
  /** @type {Record<string, string>} */
  const squares = {};
  for (const piece of /** @type {Iterable<any>} */ (document.querySelectorAll('cg-board piece'))) {
    const [color, role] = piece.cgPiece.split(' ');
    squares[piece.cgKey] = color === 'white' ? letters[role].toUpperCase() : letters[role];
  }
  return Array.from({ length: 8 }, (_, row) => Array.from({ length: 8 }, (_, file) =>
    squares['abcdefgh'[file] + (8 - row)] || '1').join('').replace(/1+/g, ones => String(ones.length))).join('/');
});

/** Returns a path that no other test uses: they run side by side, and a browser refuses a file that has changed since
 * it was chosen.
 * @param {string} name */
export const fresh = name => join(mkdtempSync(join(work, 'own-')), name);

/** Converts this PGN to another format with the program, and returns the files.
 * @param {string} pgn
 * @param {string} suffix */
export function made(pgn, suffix) {
  const at = mkdtempSync(join(work, 'made-'));
  const { status } = spawnSync(program, ['convert', '--quiet', pgn, join(at, 'base.' + suffix)], { stdio: ['ignore', 'ignore', 'inherit'] });
  // 1: the format cannot hold everything.
  ok(status != null && status < 2, `${suffix}: exit code ${status}`);
  return readdirSync(at).map(name => join(at, name));
}

/** Saves all games in this format, and returns the download.
 * @param {Page} page
 * @param {string} format */
export async function saved(page, format) {
  await page.keyboard.press('s');
  await page.locator(`dialog input[value="${format}"]`).check();
  await page.locator('dialog input[value=all]').check({ force: true });
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  const path = join(mkdtempSync(join(work, 'saved-')), download.suggestedFilename());
  await download.saveAs(path);
  await page.locator('dialog .main').click();
  return { path, name: download.suggestedFilename() };
}

export const romantics = join(fixtures, 'pgn/clean/romantics.pgn');
// The piece placement at the end of Morphy's Opera game.
export const OPERA = '1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5';

/** Elements that are wider or higher than the window, or that scroll although they are no panes.
 * @param {Page} page
 * @returns {Promise<string[]>} */
export const overflow = page => page.evaluate(() => {
  const found = [];
  for (const element of [document.documentElement, document.body, document.querySelector('#app.open')]) {
    if (!element) continue;
    const [wide, high] = [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight];
    if (wide > 0 || (high > 0 && document.querySelector('#app.open'))) found.push(`${element.id || element.tagName}: ${wide} × ${high}`);
    element.scrollTop = 99;
    if (document.querySelector('#app.open') && element.scrollTop) found.push(`${element.id || element.tagName} scrolls`);
  }
  for (const pane of document.querySelectorAll('.page, .moves, .left > .list, .inner')) {
    if (pane.scrollWidth > pane.clientWidth) found.push(`${pane.className}: ${pane.scrollWidth - pane.clientWidth} too wide`);
  }
  for (const one of document.querySelectorAll('.ctl button, .nav a, .top button, .board, .strip, .facts-bar')) {
    const box = one.getBoundingClientRect();
    if (box.width && (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1)) {
      found.push(`${one.className || one.getAttribute('aria-label') || one.textContent} is outside`);
    }
  }
  return found;
});

/** The files of a fixture set by its stem.
 * @param {string} stem
 * @param {...string} suffixes */
export const fixture = (stem, ...suffixes) => suffixes.map(suffix => join(fixtures, `${stem}.${suffix}`));

/** Starts the program with its page. Returns the process, the address and its end.
 * @param {...string} bases */
export async function view(...bases) {
  const child = spawn(program, ['view', '--no-open', '--page', join(folder, 'view.html'), ...bases], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim(), ended: once(child, 'exit') };
}
