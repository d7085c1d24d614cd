// The columns of the list: chosen, ordered, made wider, sorted by, and remembered only if the reader agrees.

import { writeFileSync } from 'node:fs';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { becomes, fresh, overflow, shown, withPage } from '../common.mjs';

const PGN = [['10', 'Zürich', 'Zukertort', 'Bernstein, Ossip'], ['9', 'Aachen', 'Lasker', 'Marshall, Frank James'], ['2', 'Monte Carlo', 'Anderssen', 'Mieses, Jacques']]
  .map(([round, site, annotator, white], n) => `[Event "Match"]\n[Site "${site}"]\n[Date "19${20 + n}.01.02"]\n[Round "${round}"]\n[White "${white}"]\n[Black "Tarrasch, Siegbert"]\n[Result "1-0"]\n[Annotator "${annotator}"]\n\n1. e4 e5 2. Nf3 1-0\n`).join('\n');

/** @import { Page } from 'playwright-core' */

/** @param {Page} page */
async function open(page) {
  const file = fresh('columns.pgn');
  writeFileSync(file, PGN);
  await drop(page, [file]);
  await shown(page, '.rows .wn');
}

/** @param {Page} page */
const heads = page => page.locator('.headgroup [data-column]').evaluateAll(all => all.map(one => one.getAttribute('data-column')));
/** @type {(page: Page, n: number) => Promise<(string | null)[]>} */
const cells = (page, n) => page.locator('.rows .r:not([hidden])').evaluateAll((rows, at) => rows.map(row => row.children[at].textContent), n);
/** @param {Page} page */
const stored = page => page.evaluate(() => localStorage.getItem('chessdb.layout'));
/** @param {Page} page */
const clean = async page => page.evaluate(() => localStorage.clear());

/** Chooses columns in the dialog.
 * @type {(page: Page, ...ids: string[]) => Promise<void>} */
async function choose(page, ...ids) {
  await page.locator('.headgroup .more').click();
  await shown(page, '.look[open]');
  for (const id of ids) await page.locator(`.colpick [data-id="${id}"] input`).click();
}

test('columns are chosen, ordered and sorted by', () => withPage(async page => {
  await open(page);
  equal(await heads(page), ['number', 'white', 'whiteElo', 'black', 'blackElo', 'result', 'date', 'eco', 'event', 'moves'], 'at first');
  await choose(page, 'site', 'round', 'Annotator', 'whiteElo', 'blackElo', 'eco', 'moves');
  await page.locator('.colpick [data-id=round] .up').click();
  equal(await page.evaluate(() => document.activeElement.className.includes('up')), true, 'the focus stays');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  equal(await heads(page), ['number', 'white', 'black', 'result', 'date', 'round', 'event', 'site', 'Annotator'], 'order');
  await page.waitForFunction(() => document.querySelector('.rows .r').children[7].textContent === 'Zürich');
  equal(await cells(page, 8), ['Zukertort', 'Lasker', 'Anderssen'], 'annotators');
  for (const { column, n, wanted } of [
    { column: 'site', n: 7, wanted: ['Aachen', 'Monte Carlo', 'Zürich'] },
    { column: 'round', n: 5, wanted: ['2', '9', '10'] },
    { column: 'Annotator', n: 8, wanted: ['Anderssen', 'Lasker', 'Zukertort'] },
  ]) {
    await page.locator(`.headgroup [data-column=${column}] button`).click();
    // The first row may be the same in both orders, so all are awaited.
    await becomes(page, () => cells(page, n), wanted, `by ${column}`);
    equal(await page.locator(`.headgroup [data-column=${column}]`).getAttribute('aria-sort'), 'ascending', column);
  }
  equal(await overflow(page), [], 'overflow');
}));

test('columns are moved and made wider by mouse and keyboard, and scroll inside their pane', () => withPage(async page => {
  await open(page);
  await choose(page, 'site', 'round', 'Annotator', 'Source', 'year', 'openingname');
  await page.keyboard.press('Escape');
  const state = () => page.evaluate(() => {
    const list = document.querySelector('#list');
    return { wide: list.scrollWidth > list.clientWidth + 50, page: document.documentElement.scrollWidth - innerWidth };
  });
  equal(await state(), { wide: true, page: 0 }, 'scrolls inside');
  /** @param {string} id */
  const box = id => page.locator(`.headgroup [data-column=${id}]`).boundingBox();
  const from = await box('white');
  const to = await box('black');
  await page.mouse.move(from.x + 30, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 10);
  await page.mouse.move(to.x + to.width - 10, to.y + 10);
  await page.mouse.up();
  equal((await heads(page)).slice(0, 4), ['number', 'whiteElo', 'black', 'white'], 'dragged');
  equal(await page.locator('.headgroup [data-column=white]').getAttribute('aria-sort'), null, 'a drag does not sort');
  const black = await box('black');
  await page.mouse.move(black.x + black.width + 1, black.y + 10);
  await page.mouse.down();
  await page.mouse.move(black.x + black.width + 61, black.y + 10, { steps: 4 });
  await page.mouse.up();
  ok(Math.abs((await box('black')).width - black.width - 60) < 3, `wider: ${(await box('black')).width} after ${black.width}`);
  const wide = await box('black');
  await page.mouse.dblclick(wide.x + wide.width + 1, wide.y + 10);
  const fitted = await page.evaluate(() => {
    const n = [...document.querySelectorAll('.headgroup [data-column]')].findIndex(cell => cell.getAttribute('data-column') === 'black');
    return [...document.querySelectorAll('.rows .r:not([hidden])')].map(row => row.children[n].scrollWidth - row.children[n].clientWidth);
  });
  ok(fitted.every(cut => cut <= 0), `fits: ${fitted}`);
  ok((await box('black')).width < wide.width, 'narrower');
  await page.locator('.headgroup [data-column=number] button').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+ArrowLeft');
  equal((await heads(page)).slice(0, 3), ['number', 'black', 'whiteElo'], 'moved by keyboard');
  const before = (await box('black')).width;
  await page.keyboard.press('Shift+ArrowRight');
  ok((await box('black')).width > before, 'wider by keyboard');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.headgroup [data-column=black]').getAttribute('aria-sort') === 'ascending');
}));

test('the layout is stored only after the reader agreed, and forgotten on request', async () => {
  await withPage(async page => {
    await clean(page);
    await open(page);
    await page.locator('.border.l').focus();
    await page.keyboard.press('ArrowRight');
    await shown(page, '.ask');
    equal(await stored(page), null, 'asked');
    await page.locator('.ask button').last().click();
    await page.locator('.border.l').focus();
    await page.keyboard.press('ArrowRight');
    equal([await stored(page), await page.locator('.ask').count()], [null, 0], 'refused');
  });
  try {
    await withPage(async page => {
      await open(page);
      equal(await page.evaluate(() => document.documentElement.style.getPropertyValue('--l-own')), '', 'nothing was kept');
      await choose(page, 'site', 'event');
      await page.locator('.look input[name=text][value="2"]').check({ force: true });
      equal(await stored(page), null, 'not yet');
      await page.getByLabel('Remember the layout on this device').check();
      ok(await stored(page), 'agreed');
      await page.keyboard.press('Escape');
    });
    await withPage(async page => {
      await open(page);
      ok((await heads(page)).includes('site') && !(await heads(page)).includes('event'), 'the columns of the last visit');
      equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '18.4px', 'the size of the last visit');
      await choose(page);
      await page.getByLabel('Remember the layout on this device').uncheck();
      equal(await stored(page), null, 'forgotten');
      await page.getByRole('button', { name: 'Standard layout' }).click();
      await page.keyboard.press('Escape');
      equal((await heads(page))[1], 'white', 'standard');
      equal((await heads(page)).length, 10, 'standard');
    });
    await withPage(async page => {
      await page.evaluate(() => localStorage.setItem('chessdb.layout', '{"text":99,"columns":[{"id":"nonsense","width":50},{"id":7}],"sides":{"l":-3}}'));
      await page.reload();
      await open(page);
      equal((await heads(page)).length, 10, 'what is stored may be anything');
    });
  } finally {
    await withPage(clean);
  }
});
