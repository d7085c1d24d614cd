// The hosted page, and `chessdb view`.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { OPERA, count, made, program, romantics, saved, shown, view, withPage, work } from '../common.mjs';
import { serveSite } from '../site.mjs';

test('hosted, nothing but its own files is asked for, the larger module when it is needed', async () => {
  const { url, close } = await serveSite();
  try {
    await withPage(async (page, noted) => {
      await page.getByRole('button', { name: 'Look at sample games' }).click();
      await shown(page, '.listholder');
      ok(/games/.test(await count(page)), 'the sample is listed');
      const asked = () => noted.requests.map(request => request.slice(url.length)).sort();
      equal(asked(), ['', 'engine.js', 'page.css', 'page.js'], 'requests');
      await page.locator('.top .mark').click();
      await drop(page, made(romantics, 'sqlite'));
      equal(await count(page), 'All 10 games', 'count');
      equal(asked(), ['', 'engine.js', 'full.js', 'page.css', 'page.js'], 'requests');
      equal([...noted.errors, ...noted.lines], [], 'errors');
    }, { url, quiet: false });
  } finally {
    close();
  }
});

test('chessdb view: listed, filtered, stepped through, saved by the program', async () => {
  const files = made(romantics, 'si4');
  const { url, ended } = await view(files.find(file => file.endsWith('.si4')));
  await withPage(async (page, noted) => {
    await shown(page, '.listholder');
    equal(await count(page), 'All 10 games', 'count');
    equal(await page.locator('.basename h1').textContent(), 'base.si4', 'name');
    await page.fill('#query', 'white:Morphy');
    await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
    await page.locator('#query').press('Escape');
    await page.waitForFunction(() => /^Morphy/.test(document.querySelector('.ghead h2')?.textContent));
    await page.locator('#board').focus();
    await page.keyboard.press('End');
    await page.waitForFunction(men => document.querySelector('#board').dataset.fen.startsWith(men), OPERA);
    await page.keyboard.press('Home');
    for (const number of [2, 3, 4]) {
      await page.keyboard.press(String(number));
      await shown(page, ['.tree tbody tr', '.inner svg', '.loss .ok'][number - 2]);
    }
    await page.keyboard.press('1');
    const { path, name } = await saved(page, 'pgn');
    equal(name, 'base.pgn', 'name');
    execFileSync(program, ['convert', '--quiet', files.find(file => file.endsWith('.si4')), join(work, 'view.pgn')], { stdio: ['ignore', 'ignore', 'inherit'] });
    ok(readFileSync(path).equals(readFileSync(join(work, 'view.pgn'))), 'PGN differs from what the program writes');
    const zipped = await saved(page, 'si4');
    equal(zipped.name, 'base.zip', 'name');
    // This page does not accept files.
    const transfer = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['1. e4 *'], 'dropped.pgn'));
      return transfer;
    });
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    ok(/chessdb view/.test(await page.locator('.alarm').textContent()), 'says how');
    await page.reload();
    await shown(page, '.listholder .won');
    equal([...noted.errors, ...noted.lines], [], 'errors');
    equal(noted.requests.filter(request => !request.startsWith(url)), [], 'requests');
  }, { url, quiet: false });
  equal(await ended, [0, null], 'the program ends with the page');
});

test('chessdb view: changes are saved in the database itself, and that is undone', async () => {
  const files = made(romantics, 'si4');
  const main = files.find(file => file.endsWith('.si4'));
  const before = files.map(file => readFileSync(file));
  const { url, child } = await view(main);
  await withPage(async page => {
    await shown(page, '.moves .m');
    await page.locator('#board').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('m');
    await page.locator('#movefield').fill('--');
    await page.locator('#movefield').press('Enter');
    await shown(page, '.changed:not([hidden])');
    // From the move field too: the browser's own dialog would save the page.
    await page.keyboard.press('Control+s');
    await page.waitForFunction(() => /1 game saved/.test(document.querySelector('#said').textContent));
    await page.waitForSelector('.changed', { state: 'hidden' });
    // The program reads the move in the files, at the end of the game's line.
    const written = join(mkdtempSync(join(work, 'in-place-')), 'out.pgn');
    execFileSync(program, ['convert', '--quiet', main, written], { stdio: ['ignore', 'ignore', 'inherit'] });
    const pgn = readFileSync(written, 'utf8');
    ok(/--\s+(1-0|0-1|1\/2-1\/2|\*)/.test(pgn.split('[Event ')[1]), pgn.slice(0, 900));
    ok(files.some((file, n) => !readFileSync(file).equals(before[n])), 'the files are changed');
    await page.locator('.editbar .more').click();
    await page.locator('dialog [data-act=restore]').click();
    await page.waitForFunction(() => /undone/.test(document.querySelector('#said').textContent));
    equal(files.map((file, n) => readFileSync(file).equals(before[n])), files.map(() => true), 'the files are as before');
  }, { url, quiet: false });
  child.kill();
});

test('chessdb view: a folder, letters, a program that is killed', async () => {
  const at = mkdtempSync(join(work, 'view-'));
  writeFileSync(join(at, 'letters.pgn'), Buffer.concat([Buffer.from('[White "'), Buffer.from('c1eef2e2e8ededE8EA', 'hex'), Buffer.from('"]\n\n1. e4 *\n')]));
  writeFileSync(join(at, 'other.pgn'), '[White "Keres"]\n\n1. d4 *\n');
  const { child, url } = await view(at);
  await withPage(async (page, noted) => {
    await shown(page, '.bases');
    equal(await page.locator('.bases b').allTextContents(), ['letters.pgn', 'other.pgn'], 'bases');
    await page.locator('.bases button', { hasText: 'other.pgn' }).click();
    await shown(page, '.listholder');
    await page.locator('.top .mark').click();
    await page.locator('.bases button', { hasText: 'letters.pgn' }).click();
    await shown(page, '.listholder');
    await page.keyboard.press('4');
    await shown(page, '.enc input');
    await page.locator('.enc label', { hasText: /windows-1251/i }).locator('input').check();
    await page.waitForFunction(() => document.querySelector('.enc td.on')?.textContent.includes('Ботвинник'));
    equal([...noted.errors, ...noted.lines], [], 'errors');
    child.kill('SIGKILL');
    await page.waitForFunction(() => /has ended/.test(document.querySelector('.alarm')?.textContent));
    await page.keyboard.press('1');
    await shown(page, '.listholder');
    equal(noted.errors, [], 'errors');
  }, { url, quiet: false });
});
