// Several open databases, and the tools for whole databases.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, count, fixture, overflow, program, shown, view, withPage, work } from '../common.mjs';

/** @import { Page } from 'playwright-core' */

/** @param {string} white
 * @param {string} moves */
const game = (white, moves) => `[White "${white}"]\n[Black "B"]\n[Date "1985.01.01"]\n\n${moves} *\n\n`;
const TAL = game('Tal', '1. e4 c6 2. d3 d5 3. Nd2 {deep}');
const TAL_BARE = game('Tal', '1. e4 c6 2. d3 d5 3. Nd2');
const KERES = game('Keres', '1. d4 d5 2. c4 e6 3. Nc3');
const SHORT = game('Short', '1. c4 e5 2. g3');

/** Writes PGN files, named by the keys.
 * @param {Record<string, string>} given */
function files(given) {
  const at = mkdtempSync(join(work, 'bases-'));
  return Object.entries(given).map(([name, text]) => {
    writeFileSync(join(at, name), text);
    return join(at, name);
  });
}

/** @param {Page} page */
const tabs = page => page.locator('.dbtab span').allTextContents();
/** @param {Page} page */
const current = page => page.locator('.basename h1').textContent();
/** @param {Page} page
 * @param {string} words */
const counted = (page, words) => page.waitForFunction(words => document.querySelector('#count')?.textContent === words, words);
/** @param {Page} page
 * @param {string} name */
const tool = async (page, name) => {
  await page.keyboard.press('t');
  await page.locator('.tool .opt', { hasText: name }).click();
};

/** Opens files next to what is open.
 * @param {Page} page
 * @param {string[]} paths
 * @param {string} name */
async function another(page, paths, name) {
  await page.locator('.top .mark').click();
  await shown(page, '.dropv');
  await page.locator('#files').setInputFiles(paths);
  await page.waitForFunction(name => document.querySelector('.basename h1')?.textContent === name, name);
}

test('two databases open side by side, each with its filter, order and game', () => withPage(async page => {
  const [a, b] = files({ 'a.pgn': TAL + KERES + SHORT, 'b.pgn': KERES });
  await drop(page, [a]);
  equal(await page.locator('.tabs').isHidden(), true, 'one database has no tabs');
  await page.fill('#query', 'Tal');
  await counted(page, '1 of 3 games');
  await page.locator('#query').press('Escape');
  await another(page, [b], 'b.pgn');
  equal(await tabs(page), ['a.pgn', 'b.pgn'], 'tabs');
  equal(await count(page), '1 game', 'count');
  await page.locator('.dbtab button', { hasText: 'a.pgn' }).click();
  await counted(page, '1 of 3 games');
  equal([await current(page), await page.locator('#query').inputValue()], ['a.pgn', 'Tal'], 'as it was left');
  await page.waitForFunction(() => /^Tal/.test(document.querySelector('.ghead h2')?.textContent));
  await page.keyboard.press('3');
  await shown(page, '.inner svg');
  // The other one, by keyboard, and back again.
  await page.locator('.dbtab button', { hasText: 'b.pgn' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /^Keres/.test(document.querySelector('.ghead h2')?.textContent));
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.basename h1')?.textContent === 'a.pgn');
  await shown(page, '.inner svg');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  await page.keyboard.press('1');
  await page.locator('.dbtab .shut').first().click();
  await page.waitForFunction(() => document.querySelector('.basename h1')?.textContent === 'b.pgn');
  equal(await page.locator('.tabs').isHidden(), true, 'one is left');
  await counted(page, '1 game');
  // The first screen leads back.
  await page.locator('.top .mark').click();
  await page.locator('.openones button').click();
  await counted(page, '1 game');
}));

test('a folder of databases is opened at once', () => withPage(async page => {
  const given = files({ 'a.pgn': TAL, 'b.pgn': KERES + SHORT, 'c.pgn': SHORT });
  await page.locator('#files').setInputFiles(given);
  await page.getByRole('button', { name: 'Open all 3 databases' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 3 && document.querySelector('.rows .won, .rows .r'));
  equal(await tabs(page), ['a.pgn', 'b.pgn', 'c.pgn'], 'tabs');
  await page.locator('.dbtab button', { hasText: 'b.pgn' }).click();
  await counted(page, 'All 2 games');
}));

test('games are copied into a new database, which survives an ended worker and is saved', () => withPage(async page => {
  const [a, b] = files({ 'a.pgn': TAL + KERES + SHORT, 'b.pgn': SHORT });
  await drop(page, [a]);
  await page.fill('#query', 'Keres or Short');
  await counted(page, '2 of 3 games');
  await page.locator('#query').press('Escape');
  await tool(page, 'Copy the listed games');
  await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 2);
  equal([await tabs(page), await current(page)], [['a.pgn', 'New database.pgn *'], 'a.pgn'], 'tabs');
  await page.fill('#query', 'Tal');
  await counted(page, '1 of 3 games');
  await page.locator('#query').press('Escape');
  await page.waitForFunction(() => /^Tal/.test(document.querySelector('.ghead h2')?.textContent));
  await page.keyboard.press('t');
  await page.locator('.tool .to select').selectOption({ label: 'New database.pgn' });
  await page.locator('.tool .opt', { hasText: 'Copy this game' }).click();
  await page.waitForFunction(() => /copied/.test(document.querySelector('.toast')?.textContent));
  await page.locator('.dbtab button', { hasText: 'New' }).click();
  await counted(page, 'All 3 games');
  // The larger module replaces the worker; the new database is still there.
  await another(page, [b], 'b.pgn');
  await page.keyboard.press('s');
  await page.locator('dialog input[value=parquet]').check();
  await page.waitForFunction(() => !document.querySelector('dialog .main').disabled && document.querySelector('dialog input[value=parquet]:checked'), null, { timeout: 60_000 });
  await page.keyboard.press('Escape');
  await page.locator('.dbtab button', { hasText: 'New' }).click();
  await counted(page, 'All 3 games');
  await page.keyboard.press('s');
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  const path = join(work, 'collected.pgn');
  await download.saveAs(path);
  equal(download.suggestedFilename(), 'New database.pgn', 'name');
  equal(readFileSync(path, 'utf8').match(/\[White "(\w+)"/g), ['[White "Keres"', '[White "Short"', '[White "Tal"'], 'games');
  await page.locator('dialog .main').click();
  equal(await tabs(page), ['a.pgn', 'New database.pgn', 'b.pgn'], 'saved');
}));

test('merged without duplicates, as the program merges', () => withPage(async page => {
  const [a, b] = files({ 'a.pgn': TAL_BARE + KERES, 'b.pgn': TAL + SHORT + KERES });
  await drop(page, [a]);
  await page.keyboard.press('t');
  equal(await page.locator('.tool .opt', { hasText: 'Merge' }).isDisabled(), true, 'one is not enough');
  await page.keyboard.press('Escape');
  await another(page, [b], 'b.pgn');
  await tool(page, 'Merge databases');
  await page.locator('.tool footer .main').click();
  await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 3);
  await counted(page, 'All 3 games');
  ok(/2 duplicates left out/.test(await page.locator('#said').textContent()), await page.locator('#said').textContent());
  execFileSync(program, ['merge', '--quiet', '--dedupe=sure', a, b, join(work, 'merged.pgn')]);
  await page.keyboard.press('s');
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await download.saveAs(join(work, 'page.pgn'));
  equal(readFileSync(join(work, 'page.pgn'), 'utf8'), readFileSync(join(work, 'merged.pgn'), 'utf8'), 'games');
}));

test('duplicates are listed and left out; the order and the names of a copy', () => withPage(async page => {
  const [a] = files({ 'a.pgn': TAL_BARE + KERES + TAL + game('Keres, Paul', '1. d4 Nf6') + game('Keres, Paul', '1. e4 e5') + game('Keres, P', '1. e4 e5 2. f4') });
  await drop(page, [a]);
  await tool(page, 'Find duplicates');
  await page.locator('.tool footer .main').click();
  await shown(page, '.dupbar');
  equal(await count(page), '2 of 6 games', 'count');
  await page.locator('.dupbar .btn').first().click();
  const [unique] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await unique.saveAs(join(work, 'unique.pgn'));
  equal(readFileSync(join(work, 'unique.pgn'), 'utf8').match(/\[White "Tal"/g).length, 1, 'one is left');
  await page.locator('dialog .main').click();
  await page.locator('.dupbar .btn').last().click();
  await counted(page, 'All 6 games');
  equal(await page.locator('.dupbar').count(), 0, 'the note is gone');

  await page.locator('.list [data-column=white] button').click();
  await page.waitForFunction(() => /Keres/.test(document.querySelector('.rows .r')?.textContent));
  await tool(page, 'Save in this order');
  const [ordered] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await ordered.saveAs(join(work, 'ordered.pgn'));
  const white = readFileSync(join(work, 'ordered.pgn'), 'utf8').match(/\[White "[^"]*"/g);
  equal(white, [...white].sort(), 'order');
  await page.locator('dialog .main').click();

  await tool(page, 'Unify spellings');
  await page.locator('.tool footer .main').click();
  await shown(page, '.namelist li');
  await page.locator('.namelist label', { hasText: /^\s*Keres, P\b.*Keres, Paul/s }).first().locator('input').check();
  await page.locator('.tool footer .main').click();
  const [named] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await named.saveAs(join(work, 'named.pgn'));
  ok(!readFileSync(join(work, 'named.pgn'), 'utf8').includes('"Keres, P"'), 'unified');
}));

test('a damaged database is searched for games, with the counts of the program', () => withPage(async page => {
  const at = mkdtempSync(join(work, 'damaged-'));
  const paths = fixture('scid/annotated', 'si4', 'sg4', 'sn4').map((path, n) => {
    const bytes = readFileSync(path);
    const to = join(at, 'a.' + path.split('.').pop());
    writeFileSync(to, n ? bytes : bytes.subarray(0, bytes.length >> 1));
    return to;
  });
  await drop(page, paths);
  await shown(page, '.facts-bar:not([hidden])');
  await page.locator('.facts-bar button', { hasText: 'Recover games' }).click();
  await shown(page, '.tool .found');
  const wanted = JSON.parse(spawnSync(program, ['salvage', '--json', '--quiet', paths[0], join(at, 'out.pgn')], { encoding: 'utf8' }).stdout).salvage;
  const counts = (await page.locator('.tool .found td').allTextContents()).map(Number);
  equal(counts, [...Object.values(wanted.counts), wanted.left_out].filter(Boolean), 'counts');
  await page.locator('.tool footer .main').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await download.saveAs(join(at, 'page.pgn'));
  equal(readFileSync(join(at, 'page.pgn'), 'utf8'), readFileSync(join(at, 'out.pgn'), 'utf8'), 'games');
}));

test('a database that cannot be opened is searched for games', () => withPage(async page => {
  const at = mkdtempSync(join(work, 'broken-'));
  const paths = fixture('scid/annotated', 'si4', 'sg4', 'sn4').map(path => {
    const bytes = readFileSync(path);
    const to = join(at, 'a.' + path.split('.').pop());
    writeFileSync(to, path.endsWith('si4') ? bytes.subarray(0, 20) : bytes);
    return to;
  });
  await drop(page, paths);
  await page.locator('.note button', { hasText: 'Recover games' }).click();
  await shown(page, '.tool .found');
  ok(/^a.si4: [1-9]/.test(await page.locator('.tool .lossbox').textContent()), 'games are found');
  await page.keyboard.press('Escape');
  await shown(page, '.rows .r');
}));

test('tabs and tools fit a phone and a large screen', () => withPage(async page => {
  const [a, b] = files({ 'a database with quite a long name that does not fit.pgn': TAL + KERES, 'b.pgn': SHORT });
  await drop(page, [a]);
  await another(page, [b], 'b.pgn');
  for (const [width, height] of [[360, 740], [390, 844], [844, 390], [1024, 700], [1920, 1080]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(250);
    equal(await overflow(page), [], `${width} × ${height}`);
    await page.keyboard.press('t');
    const box = await page.locator('.tool').boundingBox();
    ok(box.x >= 0 && box.x + box.width <= width && box.y >= -1 && box.y + box.height <= height + 1, `${width}: ${JSON.stringify(box)}`);
    const wide = await page.locator('.tool').evaluate(dialog => dialog.scrollWidth - dialog.clientWidth);
    equal(wide, 0, `${width}: scrolls sideways`);
    await page.keyboard.press('Escape');
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator('.tabmenu select').selectOption({ index: 0 });
  await counted(page, 'All 2 games');
}));

test('chessdb view: two databases side by side, copied and saved by the program', async () => {
  const [a, b] = files({ 'a.pgn': TAL + KERES, 'b.pgn': SHORT });
  const { url, ended } = await view(a, b);
  await withPage(async (page, noted) => {
    await shown(page, '.bases');
    await page.getByRole('button', { name: 'Open all 2 databases' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 2 && document.querySelector('.basename h1').textContent === 'b.pgn');
    await tool(page, 'Copy all games');
    await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 3);
    await page.locator('.dbtab button', { hasText: 'a.pgn' }).click();
    await counted(page, 'All 2 games');
    await tool(page, 'Merge databases');
    await page.locator('.tool footer .main').click();
    await page.waitForFunction(() => document.querySelectorAll('.dbtab').length === 4);
    await counted(page, 'All 3 games');
    // One that is open is shown, not opened twice.
    await page.locator('.top .mark').click();
    await page.locator('.bases button', { hasText: 'a.pgn' }).click();
    await counted(page, 'All 2 games');
    equal(await page.locator('.dbtab').count(), 4, 'tabs');
    equal([...noted.errors, ...noted.lines], [], 'errors');
  }, { url, quiet: false });
  equal(await ended, [0, null], 'the program ends with the page');
});
