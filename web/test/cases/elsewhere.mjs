// Cases for every browser, from a disk and hosted: databases of every kind are opened, searched, stepped through,
// counted and saved with the same bytes that the program writes. `elsewhere` runs it in a browser of drivers.mjs.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equal, ok, own, runAll, test } from '../check.mjs';
import { OPERA, folder, made, only, program, romantics, single, work } from '../common.mjs';
import { serveSite } from '../site.mjs';

/** @import { OtherBrowser } from '../drivers.mjs' */

const board = () => /** @type {HTMLElement} */ (document.querySelector('#board')).dataset.fen;

/** @param {OtherBrowser} page
 * @param {string[]} files */
async function opened(page, files) {
  await page.shown('h1');
  await page.setFiles('#files', files);
  await page.shown('.listholder');
  await page.shown('.moves .m');
}

/** Opens the page again.
 * @param {OtherBrowser} page
 * @param {string} url */
async function fresh(page, url) {
  await page.goto('about:blank');
  await page.goto(url);
}

/** The output of the program for the same files.
 * @param {string} file
 * @param {string} to */
function converted(file, to) {
  const at = mkdtempSync(join(work, 'program-'));
  execFileSync(program, ['convert', '--quiet', file, join(at, to)], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(join(at, to));
}

/** @param {OtherBrowser} page
 * @param {string} format */
async function save(page, format) {
  await page.press('s');
  await page.shown('dialog');
  // The losses that come in meanwhile draw the choices again.
  await page.waitFor(values => values.every(value => {
    const choice = /** @type {HTMLInputElement | null} */ (document.querySelector(`dialog input[value="${value}"]`));
    if (!choice?.checked) choice?.click();
    return choice?.checked;
  }), [format, 'all']);
  const found = await page.saved(() => page.click('dialog .main'));
  await page.shown('dialog [role=status]');
  await page.click('dialog .main');
  await page.waitFor(() => !document.querySelector('dialog'));
  return found;
}

/** A zip of the files, as an owner packs them.
 * @param {string[]} files */
function zipped(files) {
  const path = join(mkdtempSync(join(work, 'zip-')), 'set.zip');
  execFileSync('python3', ['-m', 'zipfile', '-c', path, ...files]);
  return [path];
}

const kinds = {
  si4: () => made(romantics, 'si4'), CBH: () => made(romantics, 'cbh'), PGN: () => [romantics], zip: () => zipped(made(romantics, 'si4')),
};

/** The browser of this test. */
const mine = () => /** @type {OtherBrowser} */ (own.getStore()?.other);

/** @param {string} where
 * @param {() => string} address */
function each(where, address) {
  for (const [kind, files] of Object.entries(kinds)) {
    test(`${where}: ${kind} is opened, filtered, stepped through and saved`, async () => {
      const page = mine();
      const set = files();
      await fresh(page, address());
      await opened(page, set);
      equal(await page.text('#count'), 'All 10 games', 'count');
      await page.press('/');
      await page.type('white:Morphy');
      await page.waitFor(() => /^1 of 10/.test(document.querySelector('#count')?.textContent ?? ''));
      await page.press('Escape');
      await page.waitFor(() => /^Morphy/.test(document.querySelector('.ghead h2')?.textContent ?? ''));
      await page.click('#board');
      await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('#board')).focus());
      await page.press('End');
      await page.waitFor(men => /** @type {HTMLElement} */ (document.querySelector('#board')).dataset.fen?.startsWith(men), OPERA);
      await page.press('Home');
      await page.press('ArrowRight');
      await page.waitFor(() => /** @type {HTMLElement} */ (document.querySelector('#board')).dataset.fen?.includes('4P3'));
      const { bytes } = await save(page, 'pgn');
      const main = set.find(file => /\.(si4|cbh|pgn|zip)$/.test(file)) ?? '';
      ok(bytes.equals(converted(main, 'out.pgn')), 'the PGN is what the program writes');
      await silent(page);
    });
  }

  test(`${where}: tree, statistics, database page, and a set saved as zip that opens again`, async () => {
    const page = mine();
    await fresh(page, address());
    await opened(page, [romantics]);
    await page.press('2');
    await page.shown('.tree tbody tr');
    const before = await page.evaluate(board);
    await page.click('.tree tbody .san');
    await page.waitFor(before => /** @type {HTMLElement} */ (document.querySelector('#board')).dataset.fen !== before, before);
    await page.press('3');
    await page.shown('.inner svg');
    await page.press('4');
    await page.waitFor(() => document.querySelector('.c7 .hh') && !/Being read/.test(document.querySelector('.c7 .hh')?.textContent ?? ''));
    await page.press('1');
    const { name, bytes } = await save(page, 'si4');
    ok(name.endsWith('.zip'), name);
    for (const file of made(romantics, 'si4')) {
      ok(bytes.includes(readFileSync(file)), `${file} is in the zip as the program writes it`);
    }
    await silent(page);
  });

  test(`${where}: the engine analyses`, async () => {
    const page = mine();
    await fresh(page, address());
    await opened(page, [romantics]);
    await page.press('a');
    await page.shown('.analysis');
    if (await page.evaluate(() => Boolean(document.getElementById('engine')))) {
      await page.shown('.analysis .trouble button');
      await page.setFiles('#enginefile', [join(folder, 'site/stockfish.js')]);
    }
    await page.shown('.analysis .pv');
    ok(/^Stockfish/.test(await page.text('.analysis .name') ?? ''), 'named');
    await page.press('a');
    await page.waitFor(() => /** @type {HTMLElement} */ (document.querySelector('.analysis')).hidden);
    await silent(page);
  });
}

/** Nothing is reported as an error, by the browser or the page.
 * @param {OtherBrowser} page */
async function silent(page) {
  equal(await page.evaluate(() => [/** @type {any} */ (globalThis).keptErrors ?? [], document.querySelector('.alarm:not([hidden])')?.textContent ?? null]), [[], null], 'errors');
  equal(page.lines.splice(0), [], 'lines on the console');
}

/** Runs these tests in a browser and returns the number of failed ones.
 * @param {() => Promise<OtherBrowser>} start */
export async function elsewhere(start) {
  const site = await serveSite();
  each('from a disk', () => single);
  each('hosted', () => site.url);
  const failed = await runAll(only, async () => {
    const other = await start();
    return /** @type {import('../check.mjs').Own} */ ({ other, close: () => other.close() });
  });
  site.close();
  return failed;
}
