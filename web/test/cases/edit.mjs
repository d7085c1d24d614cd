// Changing games: by mouse, by the keyboard alone, by touch.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, becomes, fresh, men, romantics, saved, shown, withPage, work } from '../common.mjs';

const GAMES = '[White "Tal"]\n[Black "Botvinnik"]\n[Result "*"]\n\n1. e4 e5 *\n\n[White "Smyslov"]\n[Result "*"]\n\n1. d4 *\n';

/** @import { Page } from 'playwright-core' */
/** A piece of the board.
 * @typedef {HTMLElement & { cgKey: string }} Piece */

/** Writes a database and returns its path.
 * @param {string} name
 * @param {string | Buffer} [text] */
function file(name, text = GAMES) {
  const path = fresh(name);
  writeFileSync(path, text);
  return path;
}

/** @param {Page} page */
const moves = page => page.locator('#moves [data-n]').count();
/** @param {Page} page */
const notation = page => page.locator('#moves').innerText();
/** Waits until the head shows this number of changed games: the session may not have answered yet.
 * @type {(page: Page, count: number) => Promise<unknown>} */
const unsaved = (page, count) => page.waitForFunction(count => {
  const note = /** @type {HTMLElement} */ (document.querySelector('.changed'));
  return (note.hidden ? 0 : Number(note.querySelector('b')?.textContent)) === count;
}, count);
/** Waits until the board can be moved on.
 * @param {Page} page */
const ready = page => page.waitForFunction(() => {
  const board = /** @type {HTMLElement | null} */ (document.querySelector('#board'));
  return board && board.dataset.ready === board.dataset.fen;
});
/** @type {(page: Page, placement: string) => Promise<unknown>} */
const turnTo = (page, placement) => page.waitForFunction(wanted => /** @type {HTMLElement} */ (document.querySelector('#board')).dataset.fen?.startsWith(wanted), placement);

/** The middle of a square of the board.
 * @type {(page: Page, name: string) => Promise<{ x: number, y: number }>} */
async function square(page, name) {
  const box = /** @type {{ x: number, y: number, width: number }} */ (await page.locator('#board').boundingBox());
  const size = box.width / 8;
  return { x: box.x + ('abcdefgh'.indexOf(name[0]) + 0.5) * size, y: box.y + (8.5 - Number(name[1])) * size };
}

/** @type {(page: Page, from: string, to: string, button?: 'left' | 'right') => Promise<void>} */
async function drag(page, from, to, button = 'left') {
  const [a, b] = [await square(page, from), await square(page, to)];
  await page.mouse.move(a.x, a.y);
  await page.mouse.down({ button });
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
  await page.mouse.move(b.x, b.y);
  await page.mouse.up({ button });
}

/** @type {(page: Page, name: string) => Promise<void>} */
async function click(page, name) {
  const { x, y } = await square(page, name);
  await page.mouse.click(x, y);
}

test('moves are played with the mouse, undone, redone and saved', () => withPage(async page => {
  await drop(page, [file('mouse.pgn')]);
  await ready(page);
  // A known move is only gone to.
  await drag(page, 'e2', 'e4');
  await turnTo(page, 'rnbqkbnr/pppppppp/8/8/4P3');
  await unsaved(page, 0);
  await ready(page);
  await click(page, 'c7');
  await click(page, 'c5');
  await turnTo(page, 'rnbqkbnr/pp1ppppp/8/2p5/4P3');
  await unsaved(page, 1);
  ok((await notation(page)).includes('1…c5'), await notation(page));
  await ready(page);
  await drag(page, 'g1', 'f3');
  await turnTo(page, 'rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2');
  await becomes(page, () => men(page), 'rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R', 'on the board');
  // An illegal move goes nowhere.
  await ready(page);
  await drag(page, 'a7', 'a2');
  equal(await men(page), 'rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R', 'unchanged');
  await page.locator('.editbar .more').click();
  await page.locator('[data-act=mainline]').click();
  await page.waitForFunction(() => document.querySelector('#moves p').textContent.includes('c5'));
  equal(await page.locator('.vars [data-n]').count(), 1, 'e5 is the variation');
  await page.locator('[data-edit=undo]').click();
  await page.waitForFunction(() => document.querySelectorAll('.vars [data-n]').length === 2);
  await page.locator('[data-edit=redo]').click();
  await page.waitForFunction(() => document.querySelectorAll('.vars [data-n]').length === 1);
  ok(await page.locator('.r[aria-selected=true] .marks').textContent(), 'marked in the list');
  const { path, name } = await saved(page, 'pgn');
  equal(name, 'mouse-edited.pgn', 'a new name');
  ok(readFileSync(path, 'utf8').includes('1. e4 c5 (1... e5) 2. Nf3 *'), readFileSync(path, 'utf8'));
  await unsaved(page, 0);
}));

test('promotion, castling in two ways and a null move', () => withPage(async page => {
  await drop(page, [file('special.pgn', '[SetUp "1"]\n[FEN "r3k2r/P7/8/8/8/8/8/R3K2R w KQkq - 0 1"]\n\n*\n')]);
  await ready(page);
  await drag(page, 'a7', 'a8');
  equal(await page.locator('.promos button').count(), 0, 'the rook is in the way');
  await drag(page, 'e1', 'h1');
  await turnTo(page, 'r3k2r/P7/8/8/8/8/8/R4RK1');
  await ready(page);
  await drag(page, 'e8', 'c8');
  await turnTo(page, '2kr3r/P7/8/8/8/8/8/R4RK1');
  await ready(page);
  await drag(page, 'a7', 'a8');
  await shown(page, '.promos');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => [.../** @type {NodeListOf<Piece>} */ (document.querySelectorAll('cg-board piece'))].some(one => one.cgKey === 'a7'));
  await ready(page);
  await drag(page, 'a7', 'a8');
  await page.locator('.promos [data-to=n]').click();
  await turnTo(page, 'N1kr3r');
  await page.locator('#movefield').fill('--');
  await page.locator('#movefield').press('Enter');
  await page.waitForFunction(() => document.querySelector('#board').dataset.fen.startsWith('N1kr3r') && document.querySelector('#board').dataset.fen.includes(' w '));
}));

test('a game is entered by the keyboard alone', () => withPage(async page => {
  await drop(page, [file('keys.pgn')]);
  await shown(page, '#movefield');
  await page.locator('#board').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('m');
  for (const move of ['Nf3', 'b8c6', 'Bb5']) {
    await page.keyboard.type(move);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#movefield').value === '');
  }
  await page.keyboard.type('Kd8');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#movefield').classList.contains('bad'));
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await shown(page, 'dialog.annotate textarea');
  await page.keyboard.type('The <b>Spanish</b>');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => document.querySelector('#moves').textContent.includes('The <b>Spanish</b>'));
  await page.keyboard.press('i');
  await shown(page, 'dialog.annotate .nags');
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(() => document.querySelector('#moves .nag')?.textContent === '!');
  // A square and an arrow.
  await page.keyboard.press('d');
  await page.keyboard.press('m');
  for (const shape of ['e5', 'f3e5']) {
    await page.keyboard.type(shape);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#movefield').value === '');
  }
  await page.waitForFunction(() => document.querySelectorAll('.cg-shapes g g').length === 2);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('h');
  await shown(page, 'dialog.tags');
  await page.locator('dialog [name=Date]').focus();
  await page.keyboard.type('1960.13.01');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('dialog [name=Date]').getAttribute('aria-invalid') === 'true');
  ok((await page.locator('dialog .wrong').textContent()).includes('1999.12.31'), 'what is expected');
  await page.locator('dialog [name=Date]').fill('1960.03.15');
  await page.locator('dialog [name=WhiteElo]').fill('2650');
  await page.locator('dialog [name=flag][value=D]').check();
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.r[aria-selected=true]').classList.contains('del'));
  const { path } = await saved(page, 'pgn');
  const text = readFileSync(path, 'utf8');
  for (const part of ['[Date "1960.03.15"]', '[WhiteElo "2650"]', '[ScidFlags "D"]', '2. Nf3 Nc6 3. Bb5 $1', '[%csl Ge5]', '[%cal Gf3e5]', 'The <b>Spanish</b>']) ok(text.includes(part), `${part} in ${text}`);
  // Back to the beginning, and forward again.
  for (let n = 0; n < 12; n++) await page.keyboard.press('Control+z');
  await page.waitForFunction(() => document.querySelector('[data-edit=undo]').disabled);
  equal(await moves(page), 2, 'as it was');
  await page.keyboard.press('Control+Shift+z');
  await page.waitForFunction(() => document.querySelectorAll('#moves [data-n]').length === 3);
}));

test('arrows by the right button, deleting and pasting', () => withPage(async page => {
  await drop(page, [file('arrows.pgn')]);
  await ready(page);
  await drag(page, 'g1', 'f3', 'right');
  await page.waitForFunction(() => document.querySelectorAll('.cg-shapes g g').length === 1);
  await unsaved(page, 1);
  await drag(page, 'g1', 'f3', 'right');
  await page.waitForFunction(() => document.querySelectorAll('.cg-shapes g g').length === 0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Delete');
  await page.waitForFunction(() => !document.querySelector('#moves [data-n]'));
  /** @param {string} text */
  const paste = text => page.evaluate(text => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await paste('[White "Anand"]\n\n1. e4 c5 *\n\n[White "Carlsen"]\n\n1. c4 *\n');
  await page.waitForFunction(() => document.querySelector('#count').textContent.includes('4'));
  await page.waitForFunction(() => document.querySelector('.ghead h2').textContent.startsWith('Anand'));
  await paste('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
  await turnTo(page, '4k3/8/8/8/8/8/4P3/4K3');
  await unsaved(page, 4);
  await paste('neither games nor a position');
  await page.waitForFunction(() => !document.querySelector('.alarm').hidden);
  // Filter, sort and tree see them.
  await page.locator('#query').fill('Anand');
  await page.waitForFunction(() => document.querySelector('#count').textContent.startsWith('1 of 5'));
  await page.locator('#query').fill('');
  await page.locator('#query').blur();
  await page.keyboard.press('2');
  await page.waitForFunction(() => document.querySelectorAll('table.tree tbody tr').length === 3 || document.querySelector('.treelist .nothing'));
}));

test('in the tree a move continues the line', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('2');
  await shown(page, 'table.tree');
  await ready(page);
  await drag(page, 'b2', 'b4');
  await turnTo(page, 'rnbqkbnr/pppppppp/8/8/1P6');
  ok((await page.locator('.thead p').first().textContent()).includes('b4'), 'the line');
  await unsaved(page, 0);
  await page.keyboard.press('ArrowLeft');
  await turnTo(page, 'rnbqkbnr/pppppppp/8/8/8');
}));

test('what is not saved is not lost without a question', () => withPage(async page => {
  // A name in windows-1251, so that there are encodings to choose from.
  await drop(page, [file('leave.pgn', Buffer.from(GAMES.replace('Botvinnik', '\u00c1\u00ee\u00f2\u00e2\u00e8\u00ed\u00ed\u00e8\u00ea'), 'latin1'))]);
  await ready(page);
  await drag(page, 'd2', 'd4');
  await page.waitForFunction(() => !document.querySelector('.changed').hidden);
  /** @type {string[]} */
  const asked = [];
  page.on('dialog', dialog => { asked.push(dialog.message()); dialog.dismiss(); });
  await page.evaluate(() => history.back());
  await becomes(page, async () => asked.length > 0, true, 'a question');
  ok(asked[0]?.startsWith('1 changed game'), String(asked));
  ok(await page.locator('#moves').isVisible(), 'still open');
  // Another encoding reads the file again and keeps the changes.
  await page.keyboard.press('4');
  await page.locator('.otherpage').evaluate(one => { one.dataset.before = 'yes'; });
  await page.locator('.otherpage select').selectOption({ index: 3 });
  // The view is made again when everything is read.
  await page.waitForSelector('.otherpage:not([data-before])');
  await page.waitForFunction(() => !document.querySelector('.changed').hidden);
  await page.keyboard.press('1');
  await page.waitForFunction(() => document.querySelectorAll('.vars [data-n]').length === 1);
}));

test('the dialogs are accessible and fit a phone', () => withPage(async page => {
  await drop(page, [file('phone.pgn')]);
  for (const [width, height] of [[360, 640], [1280, 800]]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => document.querySelector('.nav [href="#view=board"]').click());
    if (width < 720) await page.locator('.edittoggle').click();
    await shown(page, '.editbar');
    for (const act of ['comment', 'tags', 'paste']) {
      await page.locator('.editbar .more').click();
      await shown(page, '.actions');
      await page.evaluate(axe);
      await page.locator(`[data-act=${act}]`).click();
      await shown(page, 'dialog.editing');
      const found = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations
        .filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact))
        .map((/** @type {any} */ one) => `${one.id} ${one.nodes[0].html}`));
      equal(found, [], `axe ${act} ${width}`);
      const wide = await page.evaluate(() => document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth);
      equal(wide, 0, `${act} ${width}`);
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
    }
  }
}));

test('a phone: a move and an arrow by touch', async () => {
  await withPage(async page => {
    await page.setViewportSize({ width: 390, height: 844 });
    await drop(page, [file('touch.pgn')]);
    await page.evaluate(() => document.querySelector('.nav [href="#view=board"]').click());
    await ready(page);
    const client = await page.context().newCDPSession(page);
    /** @type {(from: string, to: string) => Promise<void>} */
    const touch = async (from, to) => {
      const [a, b] = [await square(page, from), await square(page, to)];
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [a] });
      await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }] });
      await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [b] });
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await touch('b1', 'c3');
    await turnTo(page, 'rnbqkbnr/pppppppp/8/8/8/2N5');
    await page.locator('[data-edit=arrows]').click();
    await page.locator('.pen-R').click();
    await touch('c3', 'd5');
    await page.waitForFunction(() => document.querySelectorAll('.cg-shapes g g').length === 1);
    await touch('e4', 'e4');
    await page.waitForFunction(() => document.querySelectorAll('.cg-shapes g g').length === 2);
    await page.locator('[data-edit=arrows]').click();
    const { path } = await (async () => {
      await page.locator('.btn.save').click();
      await page.locator('dialog input[value=pgn]').check({ force: true });
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
      const at = join(work, 'touch-saved.pgn');
      await download.saveAs(at);
      return { path: at };
    })();
    const text = readFileSync(path, 'utf8');
    ok(/\(1\. Nc3 \{.*\[%cal Rc3d5\].*\}\)/.test(text.replaceAll('\n', ' ')) && text.includes('[%csl Re4]'), text);
  });
});
