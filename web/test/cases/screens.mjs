// Places where a layout was once too narrow, too coarse or empty.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { fresh, romantics, shown, withPage, work } from '../common.mjs';

/** @import { Page } from 'playwright-core' */

/** A list of rated games with long names.
 * @param {Page} page */
async function dropRated(page) {
  const file = fresh('rated.pgn');
  writeFileSync(file, Array.from({ length: 12 }, (_, n) => `[Event "Linares (${n})"]\n[Date "1981.02.03"]\n[White "Christiansen, Larry"]\n[Black "Kortschnoj, Viktor"]\n[WhiteElo "2475"]\n[BlackElo "2695"]\n[Result "${n % 2 ? '1/2-1/2' : '1-0'}"]\n[ECO "E01"]\n\n1. e4 c5 2. Nf3 d6 *\n\n`).join(''));
  await drop(page, [file]);
  await shown(page, '.rows .wn');
}

test('a printed diagram has no pictures, and a printed list breaks no word', () => withPage(async page => {
  await dropRated(page);
  await page.evaluate(() => { window.print = () => dispatchEvent(new Event('beforeprint')); });
  for (const [what, diagrams] of [['game', 'here'], ['list', '']]) {
    await page.locator('.lookup').click();
    await page.getByRole('button', { name: 'Print…' }).last().click();
    await shown(page, 'dialog[open] input[name=what]');
    await page.locator(`dialog input[name=what][value=${what}]`).check();
    if (diagrams) await page.locator(`dialog input[name=diagrams][value=${diagrams}]`).check();
    await page.getByRole('button', { name: 'Print', exact: true }).click();
    await page.waitForSelector('#paper', { state: 'attached' });
    const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true, printBackground: false })).toString('latin1');
    equal(pdf.match(/\/Subtype\s*\/Image/g), null, `${what}: pictures`);
    await page.emulateMedia({ media: 'print' });
    // As wide as the paper without its margins.
    await page.setViewportSize({ width: 680, height: 900 });
    const broken = await page.evaluate(() => {
      const range = document.createRange();
      return [...document.querySelectorAll('#paper td')].flatMap(cell => {
        const text = /** @type {Text} */ (cell.firstChild);
        return [...text.data.matchAll(/\S+/g)].filter(word => {
          range.setStart(text, word.index);
          range.setEnd(text, word.index + word[0].length);
          return new Set([...range.getClientRects()].map(box => box.top)).size > 1;
        }).map(word => word[0]);
      });
    });
    equal(broken, [], `${what}: words on two lines`);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  }
}));

test('with forced colours the board has squares and the players have colours', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  await page.emulateMedia({ forcedColors: 'active' });
  const found = await page.evaluate(() => {
    const [first, second] = [...document.querySelectorAll('.strip .dot')].map(dot => getComputedStyle(dot).backgroundColor);
    return [/gradient/.test(getComputedStyle(document.querySelector('cg-board')).backgroundImage), first !== second, getComputedStyle(document.querySelector('#board')).forcedColorAdjust];
  });
  equal(found, [true, true, 'none'], 'squares, dots');
}));

test('columns of one’s own are below the board over the whole width, unless they fit next to it', () => withPage(async page => {
  await dropRated(page);
  const place = () => page.evaluate(() => {
    const [list, board] = ['.listholder .list', '#board'].map(name => document.querySelector(name).getBoundingClientRect());
    return { isBelow: list.top >= board.bottom, width: Math.round(list.width), needs: document.querySelector('.headgroup').scrollWidth };
  });
  equal((await place()).isBelow, false, 'the basic columns');
  await page.locator('.headgroup .more').click();
  await shown(page, '.look[open]');
  await page.locator('.colpick [data-id=site] input').click();
  await page.keyboard.press('Escape');
  const own = await place();
  ok(own.isBelow && own.width === 1280 && own.needs <= own.width, JSON.stringify(own));
  await page.locator('.headgroup .more').click();
  await shown(page, '.look[open]');
  for (const id of ['number', 'whiteElo', 'black', 'blackElo', 'result', 'date', 'eco', 'event', 'moves']) await page.locator(`.colpick [data-id="${id}"] input`).click();
  await page.keyboard.press('Escape');
  equal((await place()).isBelow, false, 'two columns fit');
  await page.locator('.lookup').click();
  await page.getByRole('button', { name: 'Standard layout' }).click();
  await page.keyboard.press('Escape');
  equal((await place()).isBelow, false, 'as at first');
}));

test('very large text on a narrow phone: the order is whole, and names have the free place', () => withPage(async page => {
  await page.setViewportSize({ width: 360, height: 740 });
  await dropRated(page);
  await page.locator('.lookup').click();
  await page.locator('.look input[name=text][value="3"]').check({ force: true });
  await page.keyboard.press('Escape');
  await page.waitForTimeout(300);
  const found = await page.evaluate(() => {
    const sort = document.querySelector('.sort');
    return { cut: sort.scrollHeight - sort.clientHeight, line: sort.getBoundingClientRect().height / parseFloat(getComputedStyle(sort).fontSize), name: document.querySelector('.rows .wn').getBoundingClientRect().width };
  });
  ok(found.cut <= 1 && found.line >= 1.1 && found.name > 125, JSON.stringify(found));
}));

test('on a phone the board has coordinates, within the board', () => withPage(async page => {
  await page.setViewportSize({ width: 390, height: 844 });
  await drop(page, [romantics]);
  for (const [width, height] of [[390, 844], [360, 640], [844, 390]]) {
    await page.setViewportSize({ width, height });
    await page.locator('.nav a[href="#view=board"]').click();
    await shown(page, '.app.s-board .ranks span');
    const outside = await page.evaluate(() => {
      const board = document.querySelector('#board').getBoundingClientRect();
      return [...document.querySelectorAll('.ranks span, .files span')].map(label => label.getBoundingClientRect())
        .filter(box => box.left < board.left || box.right > board.right + 1 || box.top < board.top || box.bottom > board.bottom + 1).length;
    });
    equal(outside, 0, `labels at ${width} × ${height}`);
  }
}));

test('the tree at 1280 px has shares and ratings', () => withPage(async page => {
  await dropRated(page);
  await page.keyboard.press('2');
  await shown(page, '.tree tbody tr');
  const row = await page.locator('.tree tbody tr').first().innerText();
  ok(/100\.0/.test(row) && /2475/.test(row), row);
}));

test('the databases of a folder are in the order of their names', () => withPage(async page => {
  const folder = mkdtempSync(join(work, 'folder-'));
  const names = ['game10.pgn', 'Game2.pgn', 'alekhine.pgn', 'Zukertort.pgn', 'game1.pgn'];
  for (const name of names) writeFileSync(join(folder, name), `[White "${name}"]\n\n1. e4 *\n`);
  await drop(page, names.map(name => join(folder, name)));
  await shown(page, '.bases');
  equal(await page.locator('.bases b').allTextContents(), ['alekhine.pgn', 'game1.pgn', 'Game2.pgn', 'game10.pgn', 'Zukertort.pgn'], 'order');
  await page.locator('.bases button', { hasText: 'Game2' }).click();
  await shown(page, '.rows .wn');
  equal(await page.locator('.rows .wn').first().textContent(), 'Game2.pgn', 'the chosen one is opened');
}));
