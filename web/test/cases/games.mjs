// Searches, the list, the game and the address.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { OPERA, axe, count, fixture, fixtures, fresh, made, romantics, shown, single, withPage } from '../common.mjs';

test('a position is put together by keys and by clicks, and found', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('e');
  await shown(page, '.board.edit');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  await page.locator('dialog .main').click();
  ok((await page.locator('dialog .wrong').textContent()).length > 5, 'an empty board is no question');
  // From e5 to d8, where the rook of the Opera game mates.
  await page.locator('.board.edit [tabindex="0"]').focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowLeft', 'R', 'ArrowRight', 'k']) await page.keyboard.press(key);
  equal(await page.locator('dialog .term').textContent(), 'pattern:???Rk*/*/*/*/*/*/*/*', 'term');
  equal(await page.locator('.board.edit [tabindex="0"]').getAttribute('aria-label'), 'e8: Black, king', 'label');
  await page.locator('.pick input[value="B"]').check({ force: true });
  await page.locator('.board.edit [data-n="30"]').click();
  equal(await page.locator('dialog .term').textContent(), 'pattern:???Rk*/*/*/??????B*/*/*/*/*', 'term');
  await page.locator('dialog .main').click();
  await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
  await page.waitForFunction(() => /^Morphy/.test(document.querySelector('.ghead h2').textContent));
  await page.waitForFunction(men => document.querySelector('#board').dataset.fen.startsWith(men), OPERA);
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await page.locator('dialog .btn.small').first().click();
  await page.locator('dialog input[name=extent][value=whole]').check({ force: true });
  equal(await page.locator('dialog .term').textContent(), 'fen:' + OPERA, 'the whole board');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
}));

test('texts beside the games are shown, and their markup is none of the page\'s', () => withPage(async page => {
  const files = made(romantics, 'cbh');
  const [index, games] = ['.cbh', '.cbg'].map(suffix => files.find(file => file.endsWith(suffix)));
  /** @param {string} text */
  const words = text => Buffer.from(text, 'utf8');
  /** @param {number} number */
  const short = number => { const bytes = Buffer.alloc(2); bytes.writeUInt16LE(number); return bytes; };
  /** @param {number} number */
  const long = number => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(number); return bytes; };
  const html = words('<html><body><h1>First</h1><p>The <b>King</b> and &lt;img src=x onerror=window.evil=1&gt;</p><script>window.evil=1</script></body></html>');
  const title = words('How to begin');
  const body = Buffer.concat([short(3), short(1), short(0), short(title.length), title, Buffer.from([1]), short(1), short(0), long(html.length), html, long(0)]);
  const [records, moves] = [readFileSync(index), readFileSync(games)];
  const record = Buffer.alloc(46);
  record[0] = 3;
  record.writeUInt32BE(moves.length, 1);
  const all = Buffer.concat([records, record]);
  const next = all.length / 46;
  all.writeUInt32BE(next, 6);
  all.writeUInt32BE(next, 40);
  const size = body.length + 4;
  const more = Buffer.concat([moves, Buffer.from([0x80, size >> 16, size >> 8 & 255, size & 255]), body]);
  more.writeUInt32BE(more.length, 2);
  more.writeBigUInt64BE(BigInt(more.length), 10);
  writeFileSync(index, all);
  writeFileSync(games, more);
  await drop(page, files);
  equal(await count(page), 'All 10 games', 'count');
  await page.keyboard.press('4');
  await shown(page, '.guides summary');
  equal(await page.locator('.guides summary').allTextContents(), ['How to begin'], 'titles');
  await page.locator('.guides summary').press('Enter');
  await shown(page, '.guide b');
  const text = await page.locator('.guide').textContent();
  ok(text.includes('<img src=x') && text.includes('The King'), text);
  equal(await page.evaluate(() => window.evil), undefined, 'nothing ran');
  await shown(page, 'table.loss td.z');
  equal(await page.locator('.guide b').count(), 1, 'open, with all else counted');
}));

test('openings have names', () => withPage(async page => {
  const file = fresh('openings.pgn');
  writeFileSync(file, '[White "A"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[White "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n');
  await drop(page, [file]);
  await page.waitForFunction(() => /Ruy Lopez/.test(document.querySelector('.ghead')?.textContent));
  await page.locator('#board').focus();
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('2');
  await page.waitForFunction(() => /Ruy Lopez.*Italian Game|Italian Game.*Ruy Lopez/s.test(document.querySelector('.tree tbody')?.textContent));
}));

test('by the keyboard alone', () => withPage(async page => {
  await drop(page, [join(fixtures, 'scid/annotated.si4'), join(fixtures, 'scid/annotated.sg4'), join(fixtures, 'scid/annotated.sn4')]);
  const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName);
  equal(await focus(), 'list', 'focus after opening');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.querySelector('.ghead')?.textContent.includes('Dufresne'));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.m[aria-current]'));
  await page.waitForFunction(() => /Move 1/.test(document.querySelector('#said').textContent));
  await page.keyboard.press('/');
  equal(await focus(), 'query', 'focus of the filter');
  await page.keyboard.type('ye');
  await shown(page, '#sugg li[aria-selected=true]');
  await page.keyboard.press('Tab');
  equal(await page.inputValue('#query'), 'year:', 'completed');
  await page.keyboard.type('x');
  await page.waitForFunction(() => document.querySelector('.msg').textContent.length > 5);
  equal(await page.getAttribute('#query', 'aria-invalid'), 'true', 'marked as wrong');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('1851');
  await page.waitForFunction(() => /^1 of 70/.test(document.querySelector('#count').textContent));
  await page.keyboard.type(' Nobody');
  await shown(page, '.empty button');
  await page.waitForFunction(() => /Without “Nobody” there/.test(document.querySelector('.empty').textContent));
  await page.keyboard.press('Escape');
  await page.locator('.empty button', { hasText: 'Remove' }).press('Enter');
  await page.waitForFunction(() => /^1 of 70/.test(document.querySelector('#count').textContent));
  await page.keyboard.press('Escape');
  await page.keyboard.press('s');
  await shown(page, 'dialog[open]');
  for (let n = 0; n < 12; n++) await page.keyboard.press('Tab');
  ok(await page.evaluate(() => document.querySelector('dialog').contains(document.activeElement) || document.activeElement === document.body), 'the dialog holds the focus');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.keyboard.press('?');
  await shown(page, 'dialog[open] .keys');
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  await shown(page, '.tree tbody tr');
  await page.locator('.tree .san').first().press('Enter');
  await page.waitForFunction(() => !document.querySelector('#board').dataset.fen.startsWith('rnbqkbnr/pppppppp/8/8/8/8'));
  await page.keyboard.press('p');
}));

test('sorted by a column, and a list of many thousands', () => withPage(async page => {
  const file = fresh('many.pgn');
  const games = Array.from({ length: 20_000 }, (_, n) => `[White "Player ${(n * 7919) % 20_000}"]\n[Black "B"]\n[Date "${1900 + n % 100}.01.01"]\n[Result "1-0"]\n\n1. e4 1-0\n\n`);
  writeFileSync(file, games.join(''));
  await drop(page, [file]);
  equal(await count(page), 'All 20,000 games', 'count');
  await page.locator('.r.h [data-column=date] button').click();
  await page.waitForFunction(() => document.querySelector('.rows .r:not([hidden]) .yr')?.textContent === '1999.01.01');
  equal(await page.getAttribute('.r.h [data-column=date]', 'aria-sort'), 'descending', 'aria-sort');
  await page.locator('#list').focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => [...document.querySelectorAll('.rows .r:not([hidden]) .yr')].some(cell => cell.textContent === '1900.01.01'));
  equal(await page.getAttribute('#list', 'aria-rowcount'), '20001', 'aria-rowcount');
  ok(await page.locator('.rows .r').count() < 80, 'only some rows are there');
}));

test('the state stands in the address', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('n');
  await page.waitForFunction(() => /game=2/.test(location.hash));
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /ply=1/.test(location.hash));
}));

test('an address is gone to once the base is there', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.waitForFunction(() => /year%3A1858|year:1858/.test(location.hash) && /game=3/.test(location.hash));
  equal(await count(page), '1 of 10 games', 'count');
  await page.waitForFunction(() => document.querySelector('#board').dataset.fen.includes('4P3'));
}, { url: single + '#game=3&ply=1&query=year:1858', allow: [] }));

test('names in other letters', () => withPage(async page => {
  const file = fresh('letters.pgn');
  const names = ['c1eef2e2e8ededE8EA', 'd1ecfbf1ebeee2', 'cfe5f2f0eef1ffed', 'd2e0ebfc'].map(hex => Buffer.from(hex, 'hex'));
  writeFileSync(file, Buffer.concat(names.flatMap(name => [Buffer.from('[White "'), name, Buffer.from('"]\n\n1. e4 *\n\n')])));
  await drop(page, [file]);
  await page.keyboard.press('4');
  await shown(page, '.enc input');
  await page.locator('.otherpage select').selectOption('IBM866');
  await page.waitForFunction(() => /[╨-╬]|┴/.test(document.querySelector('.enc td.on')?.textContent || ''));
  await page.locator('.enc input').first().waitFor();
  await page.locator('.enc label', { hasText: /windows-1251/i }).locator('input').check();
  await page.waitForFunction(() => document.querySelector('.enc td.on')?.textContent.includes('Ботвинник'));
  await page.keyboard.press('1');
  await page.waitForFunction(() => document.querySelector('.rows')?.textContent.includes('Смыслов'));
}));

test('the wheel over the board steps moves, and nothing scrolls the page', () => withPage(async page => {
  await drop(page, fixture('scid/annotated', 'si4', 'sg4', 'sn4'));
  await shown(page, '.moves .m');
  const box = await page.locator('#board').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(() => document.querySelector('#board').dataset.fen.includes('4P3'));
  await page.mouse.wheel(0, -120);
  await page.waitForFunction(() => document.querySelector('#board').dataset.fen.startsWith('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP'));
  for (const view of ['3', '4', '1']) {
    await page.keyboard.press(view);
    await page.waitForTimeout(300);
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 5000);
    await page.waitForTimeout(100);
    equal(await page.evaluate(() => [scrollY, document.querySelector('#app').scrollTop, document.querySelector('.top').getBoundingClientRect().top]), [0, 0, 0], `view ${view}`);
  }
}));
