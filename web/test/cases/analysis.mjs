// The chess engine in the page.

import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, folder, fresh, overflow, romantics, shown, view, withPage, work } from '../common.mjs';
import { serveSite } from '../site.mjs';

/** @import { Page } from 'playwright-core' */

const file = join(folder, 'site/stockfish.js');

/** Starts the engine in the single page.
 * @param {Page} page */
async function start(page, script = file) {
  await page.keyboard.press('a');
  await shown(page, '.analysis .trouble button');
  await page.setInputFiles('#enginefile', script);
}

/** @param {Page} page */
const first = page => page.locator('.analysis .pv b').first().textContent();

/** A position in a file.
 * @param {string} name
 * @param {string} fen
 * @param {string} moves */
function position(name, fen, moves) {
  const path = fresh(name);
  writeFileSync(path, `[White "A"]\n[SetUp "1"]\n[FEN "${fen}"]\n\n${moves} *\n`);
  return path;
}

test('the engine of the single page is a file: it analyses, follows, plays a line, and ends', () => withPage(async page => {
  await drop(page, [position('mate.pgn', 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4', '4. Qxf7# (4. d3 Nxh5)')]);
  await start(page);
  await shown(page, '.analysis .pv');
  await page.waitForFunction(() => document.querySelector('.analysis .value')?.textContent === '#1');
  ok(/^#1/.test(await first(page)), 'the best line first');
  equal(await page.locator('.analysis .pv .vh').first().textContent(), ': Qxf7#', 'label');
  equal(await page.locator('.analysis li:not([hidden])').count(), 3, 'lines');
  ok(/^depth \d+\s· \d+ kN\/s$/.test(await page.locator('.analysis .depth').textContent()), await page.locator('.analysis .depth').textContent());
  ok(/GNU GPL 3/.test(await page.locator('.analysis .licence').textContent()), 'licence');
  equal(await page.locator('.evalbar').getAttribute('aria-label'), 'Evaluation #1', 'bar');
  ok(await page.locator('.cg-shapes line').count() > 0, 'arrow');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  equal(await overflow(page), [], 'overflow');
  // One line, the mated position, and back.
  await page.locator('.analysis select').selectOption('1');
  await page.waitForFunction(() => document.querySelectorAll('.analysis li:not([hidden])').length === 1);
  await page.locator('#board').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /mate or stalemate/.test(document.querySelector('.analysis .depth')?.textContent ?? ''));
  equal(await page.locator('.analysis li:not([hidden])').count(), 0, 'no line');
  equal(await page.locator('.cg-shapes line').count(), 0, 'no arrow');
  await page.keyboard.press('ArrowLeft');
  await shown(page, '.analysis .pv');
  await page.locator('.analysis .pv').first().click();
  await shown(page, '.s-tree .analysis');
  await page.waitForFunction(() => document.querySelector('#board')?.getAttribute('data-fen')?.includes('pppp1Qpp'));
  // Other views need no engine; it continues when the board is back.
  await page.keyboard.press('3');
  await shown(page, '.inner');
  await page.keyboard.press('1');
  await shown(page, '.analysis .pv');
  // In another language, it is still there.
  await page.locator('.lang').selectOption('de');
  await page.waitForFunction(() => /^Tiefe/.test(document.querySelector('.analysis .depth')?.textContent ?? ''));
  equal(await page.locator('[data-go=engine]').getAttribute('aria-pressed'), 'true', 'button');
  await page.locator('.analysis .x').click();
  await page.locator('.analysis').waitFor({ state: 'hidden' });
  equal(await page.locator('.cg-shapes line').count(), 0, 'no arrow');
  equal(await page.locator('[data-go=engine]').getAttribute('aria-pressed'), 'false', 'button');
}));

test('positions that chess does not allow are not given to the engine', () => withPage(async page => {
  const games = [
    ['no kings', '8/8/8/8/8/8/8/8 w - - 0 1'], ['two kings', '4k3/8/8/8/8/8/8/K3K3 w - - 0 1'], ['the king can be taken', '4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1'],
    ['a pawn on the last rank', 'P3k3/8/8/8/8/8/8/4K3 w - - 0 1'],
  ].map(([name, fen]) => `[White "${name}"]\n[SetUp "1"]\n[FEN "${fen}"]\n\n*\n`);
  const path = join(work, 'impossible.pgn');
  writeFileSync(path, games.join('\n') + '\n[White "possible"]\n\n1. e4 *\n');
  await drop(page, [path]);
  await start(page);
  for (let n = 0; n < games.length; n++) {
    await page.waitForFunction(n => location.hash.includes(`game=${n}`), n + 1);
    await page.waitForFunction(() => /rules of chess/.test(document.querySelector('.analysis .depth')?.textContent ?? ''));
    equal(await page.locator('.analysis li:not([hidden])').count(), 0, 'no line');
    await page.keyboard.press('n');
  }
  await shown(page, '.analysis .pv');
  equal(await page.locator('.analysis .trouble').textContent(), '', 'no trouble');
}));

test('a file that is no engine, and an engine that crashes, are messages', () => withPage(async page => {
  await drop(page, [romantics]);
  /** @param {string} name
   * @param {string} text */
  const written = (name, text) => {
    const path = fresh(name);
    writeFileSync(path, text);
    return path;
  };
  await start(page, written('letter.txt', 'Dear friend'));
  await page.waitForFunction(() => /is no engine/.test(document.querySelector('.analysis .trouble')?.textContent ?? ''));
  await page.setInputFiles('#enginefile', written('syntax.js', 'this is no script'));
  await page.waitForFunction(() => /stopped/.test(document.querySelector('.analysis .trouble')?.textContent ?? ''));
  // It crashes when it has to stop, so that its line is there for as long as the test looks at it.
  const crashes = "onmessage = ({ data }) => { if (data === 'uci') { postMessage('id name <b>Evil</b>'); postMessage('uciok'); } if (data === 'stop') throw new Error('unreachable'); if (data === 'go infinite') { postMessage('info depth 1 score cp 20 pv e2e4 e2e4 e7e5'); } };";
  await page.setInputFiles('#enginefile', written('crash.js', crashes));
  await shown(page, '.analysis .pv');
  // Its moves are played as far as they are legal, and its name is text.
  ok(/e4/.test(await page.locator('.analysis .pv').first().textContent()) && !/e5/.test(await page.locator('.analysis .pv').first().textContent()), 'legal moves only');
  equal(await page.locator('.analysis .name').textContent(), '<b>Evil</b>', 'name');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /unreachable/.test(document.querySelector('.analysis .trouble')?.textContent ?? ''));
  equal(await page.locator('.cg-shapes line').count(), 0, 'no arrow');
  // The page works, and the right file too.
  await page.keyboard.press('2');
  await shown(page, '.tree .san');
  await page.setInputFiles('#enginefile', file);
  await shown(page, '.analysis .pv');
}, { allow: ['unreachable'] }));

test('hosted, the engine is loaded when it is asked for', async () => {
  const { url, close } = await serveSite();
  try {
    await withPage(async (page, noted) => {
      await drop(page, [romantics]);
      const asked = () => noted.requests.map(request => request.slice(url.length)).filter(name => name === 'stockfish.js').length;
      equal(asked(), 0, 'before');
      for (let n = 0; n < 2; n++) {
        await page.locator('[data-go=engine]').click();
        await shown(page, '.analysis .pv');
        await page.locator('[data-go=engine]').click();
        await page.locator('.analysis').waitFor({ state: 'hidden' });
      }
      equal(asked(), 1, 'once');
      equal([...noted.errors, ...noted.lines], [], 'errors');
    }, { url, quiet: false });
  } finally {
    close();
  }
});

test('chessdb view: the engine is a program of the user, or the page says how', async () => {
  const program = join(mkdtempSync(join(work, 'engine-')), 'engine');
  writeFileSync(program, '#!/bin/sh\necho id name Fake 7\necho uciok\nwhile read -r line; do case "$line" in go*) echo "info depth 9 multipv 1 score cp 31 nodes 5 nps 7000 pv e2e4 e7e5";; esac; done\n');
  chmodSync(program, 0o755);
  for (const [args, check] of /** @type {[string[], (page: Page) => Promise<void>][]} */ ([
    [['--engine', program], async page => {
      await shown(page, '.analysis .pv');
      equal(await page.locator('.analysis .name').textContent(), 'Fake 7', 'name');
      equal(await page.locator('.analysis .value').textContent(), '+0.31', 'value');
      equal(await page.locator('.analysis .licence').textContent(), '', 'no licence is claimed');
    }],
    [[], async page => {
      await page.waitForFunction(() => /chessdb view --engine/.test(document.querySelector('.analysis .trouble')?.textContent ?? ''));
    }],
    [['--engine', program + '-none'], async page => {
      await page.waitForFunction(() => /The engine stopped: .*engine-none/.test(document.querySelector('.analysis .trouble')?.textContent ?? ''));
    }],
  ])) {
    const { url, ended } = await view(romantics, ...args);
    await withPage(async (page, noted) => {
      await shown(page, '.moves .m');
      await page.keyboard.press('Home');
      await page.keyboard.press('a');
      await check(page);
      equal(noted.errors, [], 'errors');
    }, { url, quiet: false });
    await ended;
  }
});
