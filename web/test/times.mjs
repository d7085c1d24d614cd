// Measures the page with one database: `node test/times.mjs FOLDER FILE...`. After each time is the processor time of
// the worker for the task, where /proc gives it: on a busy machine only these can be compared.

import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start, watched } from './browser.mjs';

const [folder, ...files] = process.argv.slice(2);
const url = pathToFileURL(join(resolve(folder), 'chessdb.html')).href;
const { context, close } = await start({ viewport: { width: 1280, height: 800 } });
const { page, noted } = await watched(context, url);
page.setDefaultTimeout(180_000);
/** @type {Record<string, number>} */
const report = {};
/** @type {Record<string, number>} */
const worked = {};

/** The processor time so far of the workers of processes that this one started, in milliseconds. */
function workerTime() {
  try {
    const parents = new Map(readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
      try {
        return [[pid, readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ')[1]]];
      } catch {
        return []; // it has ended
      }
    }));
    /** @param {string | undefined} pid */
    const isOurs = pid => {
      for (let depth = 0; pid && depth < 64; depth += 1, pid = parents.get(pid)) if (pid === String(process.pid)) return true;
      return false;
    };
    let time = 0;
    for (const pid of [...parents.keys()].filter(isOurs)) {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const at = `/proc/${pid}/task/${thread}`;
        if (readFileSync(`${at}/comm`, 'utf8').startsWith('DedicatedWorker')) time += Number(readFileSync(`${at}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      }
    }
    return time;
  } catch {
    return NaN;
  }
}
/** @param {number} number */
const round = number => Math.round(number * 10) / 10;
report['first paint'] = await page.evaluate(() => new Promise(done => {
  const look = () => {
    const entry = performance.getEntriesByName('first-contentful-paint')[0];
    if (entry) done(entry.startTime);
    else setTimeout(look, 20);
  };
  look();
}));
/** Records the duration of a task from the performance entry of the page.
 * @type {(name: string, label: string, act: () => Promise<unknown>) => Promise<void>} */
async function task(name, label, act) {
  const before = await page.evaluate(label => performance.getEntriesByName(label).length, label);
  const begun = workerTime();
  await act();
  await page.waitForFunction(({ label, before }) => performance.getEntriesByName(label).length > before, { label, before });
  worked[name] = workerTime() - begun;
  report[name] = await page.evaluate(label => performance.getEntriesByName(label).at(-1).duration, label);
}
const begun = performance.now();
await page.locator('#files').setInputFiles(files);
await page.waitForSelector('.rows .wn');
report['until the first rows'] = performance.now() - begun;
worked['until the first rows'] = workerTime();
for (const label of ['read', 'open']) report[label] = await page.evaluate(label => performance.getEntriesByName(label)[0].duration, label);
report.games = Number((await page.locator('#list').getAttribute('aria-rowcount'))) - 1;
// Begun with the database, and done when nothing else is asked. It would count as time of the tasks below.
await page.waitForFunction(() => performance.getEntriesByName('health').length);
report.health = await page.evaluate(() => performance.getEntriesByName('health').at(-1).duration);
const frames = await page.evaluate(async () => {
  const list = document.querySelector('#list');
  const frame = () => new Promise(requestAnimationFrame);
  /** @type {{ scroll: number[], jump: number[] }} */
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
  /** @type {(list: number[], share: number) => number} */
  const part = (list, share) => list.sort((a, b) => a - b)[Math.floor(list.length * share)];
  return { p95: part(took.scroll, 0.95), jump: part(took.jump, 0.5), jump95: part(took.jump, 0.95) };
});
Object.assign(report, { 'frame while scrolling, p95': frames.p95, 'jump until drawn, median': frames.jump, 'jump, p95': frames.jump95 });
await task('filter by heads', 'filter', () => page.fill('#query', 'player:Ivanchuk'));
await task('filter by moves', 'filter', () => page.fill('#query', 'material:KRPKR'));
await page.fill('#query', '');
await page.waitForFunction(() => !/ of /.test(document.querySelector('#count').textContent));
await task('sort by White', 'sort', () => page.locator('.r.h [data-column=white] button').click());
await task('tree', 'tree', () => page.locator('.nav a[href="#view=tree"]').click());
await task('statistics', 'stats', () => page.locator('.nav a[href="#view=stats"]').click());
await page.locator('.nav a[href="#view=base"]').click();
// Each format is a conversion, which takes minutes for a million games.
if (report.games < 200_000) {
  await page.waitForFunction(() => /games affected/.test([...document.querySelectorAll('.c12 small')].at(-1)?.textContent));
  report.losses = await page.evaluate(() => performance.getEntriesByName('losses').reduce((sum, { duration }) => sum + duration, 0));
}
await page.locator('.nav a[href="#view=games"]').click();
await page.keyboard.press('s');
await page.waitForSelector('dialog .main');
await task('all as PGN', 'save', () => page.locator('dialog .main').click());
const memory = await page.evaluate(() => performance.memory?.usedJSHeapSize);
for (const [name, took] of Object.entries(report)) console.log(`${name.padEnd(28)} ${String(round(took)).padStart(8)} ${worked[name] ? String(round(worked[name])).padStart(8) : ''}`);
console.log(`heap of the page, MB         ${round(memory / 1e6)}`);
if (noted.errors.length || noted.lines.length) console.log(noted);
await close();
