// Hostile texts, the policy of the page, and errors.

import { writeFileSync } from 'node:fs';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { fresh, romantics, shown, withPage } from '../common.mjs';

test('hostile texts are text', () => withPage(async page => {
  const file = fresh('hostile.pgn');
  const evil = '<img src=x onerror="window.evil=1"><script>window.evil=1</script>';
  const name = evil.replaceAll('"', '\\"');
  writeFileSync(file, [
    `[Event "${name}"]\n[Site "javascript:window.evil=1"]\n[White "${name}"]\n[Black "\u202eelpmaxe\u0007\u001b[2J"]\n[Result "1-0"]\n\n1. e4 {${evil.replaceAll('}', '')}} e5 (1... c5 {${evil}}) 1-0\n`,
    `[White "${'W'.repeat(4000)}"]\n[Black "مسابقة"]\n\n1. e4 {${'x'.repeat(1 << 20)}} *\n`,
    `[White "deep"]\n\n1. e4 ${'(1. d4 '.repeat(3000)}${')'.repeat(3000)} *\n`,
  ].join('\n'));
  await drop(page, [file]);
  await shown(page, '.moves .c');
  ok((await page.locator('.moves').textContent()).includes('<script>'), 'markup shows as text');
  ok((await page.locator('.ghead').textContent()).includes('<img'), 'the event too');
  ok((await page.locator('.strip').first().textContent()).includes('\ufffd'), 'control characters are shown');
  for (const key of ['n', 'n']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    ok(wide <= 0, `nothing widens the page (${wide})`);
  }
  for (const view of ['2', '3', '4']) {
    await page.keyboard.press(view);
    await page.waitForTimeout(300);
  }
  equal(await page.evaluate(() => window.evil), undefined, 'nothing ran');
}));

test('the policy forbids connections', () => withPage(async page => {
  const tried = await page.evaluate(async () => {
    const results = [];
    results.push(await fetch('https://example.org/').then(() => 'open', () => 'shut'));
    const image = new Image();
    results.push(await new Promise(resolve => { image.onload = () => resolve('open'); image.onerror = () => resolve('shut'); image.src = 'https://example.org/x.png'; }));
    return results;
  });
  equal(tried, ['shut', 'shut'], 'connections');
}, { quiet: false }));

test('an error that nobody expects is shown', () => withPage(async (page, noted) => {
  await drop(page, [romantics]);
  await page.evaluate(() => { Promise.reject(new Error('the rook is on a rim')); });
  await page.waitForFunction(() => /the rook is on a rim/.test(document.querySelector('.alarm')?.textContent));
  equal(noted.errors.length, 1, 'and on the console');
}, { quiet: false }));
