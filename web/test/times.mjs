// Measures the page with one database: `node test/times.mjs FOLDER FILE...`.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start, watched } from './browser.mjs';

const [folder, ...files] = process.argv.slice(2);
const url = pathToFileURL(join(resolve(folder), 'chessdb.html')).href;
const { context, close } = await start({ viewport: { width: 1280, height: 800 } });
const { page, noted } = await watched(context, url);
page.setDefaultTimeout(180_000);
const report = {};
const round = number => Math.round(number * 10) / 10;
report['first paint'] = await page.evaluate(() => new Promise(done => {
  const look = () => {
    const entry = performance.getEntriesByName('first-contentful-paint')[0];
    if (entry) done(entry.startTime);
    else setTimeout(look, 20);
  };
  look();
}));
/** Records the duration of a task from the performance entry of the page. */
async function task(name, label, act) {
  const before = await page.evaluate(label => performance.getEntriesByName(label).length, label);
  await act();
  await page.waitForFunction(([label, before]) => performance.getEntriesByName(label).length > before, [label, before]);
  report[name] = await page.evaluate(label => performance.getEntriesByName(label).at(-1).duration, label);
}
const begun = performance.now();
await page.locator('#files').setInputFiles(files);
await page.waitForSelector('.rows .wn');
report['until the first rows'] = performance.now() - begun;
for (const label of ['read', 'open']) report[label] = await page.evaluate(label => performance.getEntriesByName(label)[0].duration, label);
report.games = Number((await page.locator('#list').getAttribute('aria-rowcount'))) - 1;
const frames = await page.evaluate(async () => {
  const list = document.querySelector('#list');
  const frame = () => new Promise(requestAnimationFrame);
  const took = { scroll: [], jump: [] };
  for (let n = 0; n < 200; n++) {
    list.scrollTop += 400;
    const at = performance.now();
    await frame();
    took.scroll.push(performance.now() - at);
  }
  for (let n = 0; n < 60; n++) {
    const at = performance.now();
    list.scrollTop = Math.random() * list.scrollHeight;
    await frame();
    await frame();
    while (document.querySelector('.rows .wait:not([hidden])')) await frame();
    took.jump.push(performance.now() - at);
  }
  const part = (list, share) => list.sort((a, b) => a - b)[Math.floor(list.length * share)];
  return { p95: part(took.scroll, 0.95), jump: part(took.jump, 0.5), jump95: part(took.jump, 0.95) };
});
Object.assign(report, { 'frame while scrolling, p95': frames.p95, 'jump until drawn, median': frames.jump, 'jump, p95': frames.jump95 });
await task('filter by heads', 'filter', () => page.fill('#query', 'player:Ivanchuk'));
await task('filter by moves', 'filter', () => page.fill('#query', 'material:KRPKR'));
await page.fill('#query', '');
await page.waitForFunction(() => /^All/.test(document.querySelector('#count').textContent));
await task('sort by White', 'sort', () => page.locator('.r.h [data-column=white] button').click());
await task('tree', 'tree', () => page.locator('.nav a[href="#view=tree"]').click());
await task('statistics', 'stats', () => page.locator('.nav a[href="#view=stats"]').click());
// Begun with the database, and done when nothing else is asked.
await page.waitForFunction(() => performance.getEntriesByName('health').length);
report.health = await page.evaluate(() => performance.getEntriesByName('health').at(-1).duration);
await page.locator('.nav a[href="#view=base"]').click();
// Each format is a conversion, which takes minutes for a million games.
if (report.games < 200_000) {
  await page.waitForFunction(() => /games affected/.test([...document.querySelectorAll('.c12 small')].at(-1)?.textContent));
  report.losses = await page.evaluate(() => performance.getEntriesByName('losses').reduce((sum, { duration }) => sum + duration, 0));
}
await page.locator('.nav a[href="#view=games"]').click();
await task('all as PGN', 'save', async () => {
  await page.keyboard.press('s');
  await page.locator('dialog .main').click();
});
const memory = await page.evaluate(() => performance.memory?.usedJSHeapSize);
for (const [name, took] of Object.entries(report)) console.log(`${name.padEnd(28)} ${round(took)}`);
console.log(`heap of the page, MB         ${round(memory / 1e6)}`);
if (noted.errors.length || noted.lines.length) console.log(noted);
await close();
