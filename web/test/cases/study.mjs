// What helps to study: how moves are set and judged, games that play by themselves, searches for positions, images.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { becomes, count, fen, fresh, program, romantics, shown, withPage } from '../common.mjs';

/** @import { Page } from 'playwright-core' */

/** Makes a choice in the dialog of the layout.
 * @type {(page: Page, name: string, value: string) => Promise<void>} */
async function choose(page, name, value) {
  await page.locator('.lookup').click();
  await page.locator(`.look input[name=${name}][value="${value}"]`).check({ force: true });
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
}

test('the moves are set in two columns or as text', () => withPage(async page => {
  const file = fresh('pairs.pgn');
  writeFileSync(file, '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 {a note} Nc6 (2... d6 3. d4) 3. Bb5 a6 *\n');
  await drop(page, [file]);
  await shown(page, '.moves .m');
  /** The left edges of the moves of the game, without those of variations. */
  const edges = () => page.locator('.moves > p > .m').evaluateAll(moves => moves.map(move => [Math.round(move.getBoundingClientRect().left), Math.round(move.getBoundingClientRect().top)]));
  const tops = new Set((await edges()).slice(0, 3).map(([, top]) => top));
  equal(tops.size, 1, 'as text, on one line');
  await choose(page, 'notation', 'columns');
  const columns = await edges();
  equal(columns.length, 6, 'moves');
  const lefts = columns.map(([left]) => left);
  equal([new Set(lefts.filter((_, n) => n % 2 === 0)).size, new Set(lefts.filter((_, n) => n % 2)).size], [1, 1], `two columns: ${lefts}`);
  ok(lefts[1] > lefts[0] + 40 && columns[0][1] === columns[1][1] && columns[2][1] > columns[1][1], `rows: ${JSON.stringify(columns)}`);
  await choose(page, 'notation', 'text');
  equal(new Set((await edges()).slice(0, 3).map(([, top]) => top)).size, 1, 'as text again');
}));

test('the sign of a move is on the board', () => withPage(async page => {
  const file = fresh('signs.pgn');
  writeFileSync(file, '[White "A"]\n[Black "B"]\n\n1. e4! e5 $4 2. Nf3 $14 Nc6 *\n');
  await drop(page, [file]);
  await shown(page, '.moves .m');
  await page.locator('#board').focus();
  const sign = () => page.locator('#board .cg-custom-svgs text').allTextContents();
  for (const wanted of [['!'], ['??'], [], []]) {
    await page.keyboard.press('ArrowRight');
    await becomes(page, sign, wanted, JSON.stringify(wanted));
  }
}));

test('a game plays by itself at the pace that the reader chose', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  const ply = () => page.evaluate(() => Number(new URLSearchParams(location.hash.slice(1)).get('ply') ?? 0));
  for (const [pace, least, most] of [['0.5', 3, 9], ['8', 0, 0]]) {
    await choose(page, 'pace', String(pace));
    await page.locator('#board').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press(' ');
    await page.waitForTimeout(3000);
    const moves = await ply();
    await page.keyboard.press(' ');
    ok(moves >= Number(least) && moves <= Number(most), `${pace} s: ${moves} moves in three seconds`);
  }
}));

test('the bars of the tree have numbers', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('2');
  await shown(page, '.tree .wdl b');
  for (const [numbers, label] of await page.locator('.tree tbody tr').evaluateAll(rows => rows.map(row => [
    [...row.querySelectorAll('.wdl b')].map(one => one.textContent).join(' '), row.querySelector('.wdl').getAttribute('aria-label'),
  ]))) for (const number of numbers.split(' ').filter(Boolean)) ok(label.includes(`${number} %`), `${number} in ${label}`);
}));

test('a search for a position mirrors it, swaps its colours, and takes either side or one', () => withPage(async page => {
  const file = fresh('positions.pgn');
  const game = (/** @type {string} */ moves) => `[White "A"]\n[Black "B"]\n\n${moves} *\n\n`;
  writeFileSync(file, [
    '1. e4 c5 2. Nf3 Nc6', '1. d4 f5 2. Nc3 Nf6', '1. c4 e5 2. Nc3 Nf6 3. g3', '1. f4 d5 2. Nf3', '1. e3 c5 2. e4', '1. a3 a6',
  ].map(game).join(''));
  await drop(page, [file]);
  await shown(page, '.rows .wn');
  const ask = (/** @type {string[]} */ ...options) => spawnSync(program, ['find', file, ...options, '--count'], { encoding: 'utf8' }).stdout.match(/\d+/)?.[0];
  const pattern = 'pattern:*/*/*/??p*/????P*/*/*/*';
  /** @type {[string[], string | undefined][]} */
  const cases = [
    [[], ask(pattern)], [['mirrored'], ask(pattern, '--mirror')], [['swapped'], ask(pattern, '--flip')], [['mirrored', 'swapped'], ask(pattern, '--mirror', '--flip')],
  ];
  ok(new Set(cases.map(([, wanted]) => wanted)).size >= 3, JSON.stringify(cases));
  for (const [checked, wanted] of cases) {
    await page.locator('#board').focus();
    await page.keyboard.press('e');
    await shown(page, '.pattern[open]');
    for (const [man, square] of [['p', 26], ['P', 36]]) {
      await page.locator(`.pick input[value=${man}]`).check({ force: true });
      await page.locator(`.board.edit [data-n="${square}"]`).click();
    }
    for (const name of checked) await page.locator(`.pattern input[name=${name}]`).check();
    await page.locator('.pattern .main').click();
    await becomes(page, () => count(page), `${wanted} of 6 games`, checked.join(' and ') || 'as it is');
  }
  for (const [turn, wanted] of [['w', ask('pattern:"*/*/*/??p*/????P*/*/*/* w"')], ['b', ask('pattern:"*/*/*/??p*/????P*/*/*/* b"')]]) {
    await page.locator('#board').focus();
    await page.keyboard.press('e');
    await shown(page, '.pattern[open]');
    for (const [man, square] of [['p', 26], ['P', 36]]) {
      await page.locator(`.pick input[value=${man}]`).check({ force: true });
      await page.locator(`.board.edit [data-n="${square}"]`).click();
    }
    await page.locator(`.pattern input[name=turn][value=${turn}]`).check({ force: true });
    await page.locator('.pattern .main').click();
    await becomes(page, () => count(page), `${wanted} of 6 games`, `${turn} to move`);
  }
  await page.locator('#board').focus();
  await page.keyboard.press('e');
  await page.locator('.pattern button', { hasText: 'As on the board' }).click();
  await page.locator('.pattern input[name=extent][value=material]').check({ force: true });
  await page.locator('.pattern .main').click();
  await becomes(page, () => count(page), '6 of 6 games', 'by material');
}));

test('the position is saved as a drawing and as a picture', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  await page.locator('#board').focus();
  await page.keyboard.press('ArrowRight');
  const men = (await fen(page))?.split(' ')[0].replace(/[^a-z]/gi, '').length;
  /** @param {string} words */
  const saved = async words => {
    await page.keyboard.press('t');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.tool button', { hasText: words }).click()]);
    const path = fresh(download.suggestedFilename());
    await download.saveAs(path);
    return { name: download.suggestedFilename(), bytes: readFileSync(path) };
  };
  const drawing = await saved('SVG');
  ok(/^romantics Anderssen.*\.svg$/.test(drawing.name), drawing.name);
  const found = await page.evaluate(text => {
    const image = new DOMParser().parseFromString(text, 'image/svg+xml');
    return [image.querySelector('parsererror') === null, image.querySelectorAll('rect').length, image.querySelectorAll('svg svg').length, image.querySelectorAll('text').length];
  }, drawing.bytes.toString());
  equal(found, [true, 64, men, 16], 'squares, pieces, coordinates');
  const picture = await saved('PNG');
  equal(picture.bytes.subarray(1, 4).toString(), 'PNG', 'format');
  equal([picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)], [960, 960], 'size');
}));
