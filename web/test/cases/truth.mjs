// What the page states is true: numbers, names, verdicts, and the language they are in.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { becomes, count, fixture, fresh, shown, withPage, work } from '../common.mjs';

/** @import { Page } from 'playwright-core' */

/** @type {(white: string, black: string, moves?: string) => string} */
const game = (white, black, moves = '1. e4 e5') => `[Event "Club"]\n[White "${white}"]\n[Black "${black}"]\n[Result "1-0"]\n\n${moves} 1-0\n\n`;

/** Opens a PGN database with these games.
 * @param {Page} page
 * @param {...string} games */
async function dropGames(page, ...games) {
  const file = fresh('games.pgn');
  writeFileSync(file, games.join(''));
  await drop(page, [file]);
  await shown(page, '.rows .wn');
}

/** Opens a set of SCID files of which one is changed.
 * @param {Page} page
 * @param {string} suffix of the changed file
 * @param {(bytes: Buffer) => Buffer} change */
async function dropChanged(page, suffix, change) {
  const folder = mkdtempSync(join(work, 'changed-'));
  await drop(page, fixture('scid/annotated', 'si4', 'sg4', 'sn4').map(path => {
    const to = join(folder, 'a.' + path.split('.').pop());
    const bytes = readFileSync(path);
    writeFileSync(to, path.endsWith(suffix) ? change(bytes) : bytes);
    return to;
  }));
}

/** @param {Page} page */
const chips = page => page.locator('.kinds .chip').allTextContents();

test('the report on a player counts one person and offers the other names', () => withPage(async page => {
  await dropGames(page, game('Birch,N', 'Cedar, Ann'), game('Birch, Nils', 'Dogwood, Tom'), game('Birch, Nora', 'Elder, Kim'));
  await page.locator('.ghead .tlink', { hasText: 'Birch' }).first().click();
  await page.locator('.vmenu button', { hasText: 'Report on Birch,N' }).click();
  await shown(page, '.plr table');
  const text = await page.locator('.plr').innerText();
  ok(/1 of 3 filtered games/.test(text) && !/Also written/.test(text), text);
  equal((await page.locator('.possible .chip').allTextContents()).sort(), ['Birch, Nils (1)', 'Birch, Nora (1)'], 'possible names');
  await page.keyboard.press('Escape');
  await page.locator('.ghead .tlink', { hasText: 'Birch' }).first().click();
  await page.locator('.vmenu button', { hasText: 'Games of Birch,N' }).click();
  await becomes(page, () => count(page), '3 of 3 games', 'an abbreviated name finds whole ones');
  ok(/stands for/.test(await page.locator('.kinds').innerText()), 'which are listed');
  await page.locator('.kinds .chip', { hasText: 'Birch,N' }).first().click();
  await becomes(page, () => count(page), '1 of 3 games', 'one spelling alone');
}));

test('a query that finds few games shows similar names that have more', () => withPage(async page => {
  await dropGames(page, game('Kasparov, Garry', 'A'), ...Array.from({ length: 5 }, () => game('Kasparov, Gary', 'B')), game('Petrosian, T', 'C'));
  await page.fill('#query', 'Kasparov, Garry');
  await becomes(page, async () => (await chips(page)).some(text => /Kasparov, Gary\s+5/.test(text)), true, 'the other spelling');
  await page.fill('#query', 'Petrosian');
  await becomes(page, () => count(page), '1 of 7 games', 'another query');
  await page.waitForTimeout(300);
  ok(!(await chips(page)).some(text => /Gary/.test(text)), 'the names before are gone');
}));

test('while games are counted nothing looks like a result, and what is asked for waits', () => withPage(async page => {
  await dropGames(page, ...Array.from({ length: 6 }, (_, n) => game(`Tal, ${'ABCDEF'[n]}`, 'Keres', n < 3 ? '1. e4 c5' : '1. d4 d5')));
  await page.fill('#query', 'Tal');
  await becomes(page, () => count(page), '6 of 6 games', 'counted');
  ok((await chips(page)).length > 0, 'kinds of the word');
  // The next answer is held back, as if the database were large.
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any} */ transfer) {
      const hear = this.onmessage;
      if (message.task?.task === 'filter') {
        this.onmessage = event => {
          if (event.data.id !== message.id) return hear.call(this, event);
          // On a busy machine the worker reports progress too, and the page shows only one report in a while.
          if (event.data.progress) return undefined;
          hear.call(this, new MessageEvent('message', { data: { id: message.id, progress: { seen: 3, total: 6, soFar: { found: 2 } } } }));
          this.onmessage = hear;
          globalThis.release = () => hear.call(this, event);
        };
      }
      post.call(this, message, transfer);
    };
  });
  await page.fill('#query', 'Sicilian');
  await becomes(page, () => count(page), 'Counting: 2 of 6 so far…', 'a number that grows');
  equal(await page.locator('#count').getAttribute('aria-busy'), 'true', 'busy');
  equal(await page.locator('.listholder').getAttribute('aria-busy'), 'true', 'the list is busy');
  equal(await chips(page), [], 'the chips of the query before');
  await page.locator('#query').press('Escape');
  await page.keyboard.press('s');
  await page.waitForTimeout(200);
  equal(await page.locator('dialog').count(), 0, 'the games to save are not known');
  await page.evaluate(() => globalThis.release());
  await shown(page, 'dialog input[value=view]');
  equal(await count(page), '3 of 6 games', 'the result');
  equal(await page.locator('#count').getAttribute('aria-busy'), 'false', 'not busy');
  ok(/3 games/.test(await page.locator('dialog label:has(input[value=view])').innerText()), 'the dialog has the new number');
}));

test('half an index: the bar says how many games are in it, and what to do', () => withPage(async page => {
  await dropChanged(page, 'si4', bytes => bytes.subarray(0, bytes.length >> 1));
  await shown(page, '.facts-bar:not([hidden])');
  const bar = page.locator('.facts-bar');
  for (const [language, wanted] of /** @type {[string, RegExp][]} */ ([
    ['en', /\d+ of \d+ games are in the index.*Recover games/], ['de', /\d+ von \d+ Partien stehen im Index.*Partien retten/],
    ['ru', /В индексе \d+ из \d+ партий/], ['es', /\d+ de \d+ partidas están en el índice/],
  ])) {
    await page.locator('.lang').selectOption(language);
    ok(wanted.test(await bar.textContent()), `${language}: ${await bar.textContent()}`);
  }
  await page.locator('.lang').selectOption('de');
  await bar.locator('button', { hasText: 'Partien retten' }).click();
  await shown(page, '.tool .report');
  ok(/Partien stehen im Index/.test(await page.locator('.tool .report').innerText()), 'the dialog explains the loss');
}));

test('the number in the heading of the findings is the number of entries', () => withPage(async page => {
  for (const [suffix, change] of /** @type {[string, (bytes: Buffer) => Buffer][]} */ ([
    ['si4', bytes => bytes.subarray(0, bytes.length >> 1)],
    ['sg4', bytes => { for (let at = 40; at < bytes.length; at += 97) bytes[at] ^= 0x5a; return bytes; }],
    ['sn4', bytes => { for (let at = 60; at < bytes.length; at += 7) bytes[at] ^= 0x5a; return bytes; }],
  ])) {
    await dropChanged(page, suffix, change);
    await page.keyboard.press('4');
    await page.waitForFunction(() => document.querySelector('.c7 .hh') && !document.querySelector('.c7[aria-busy]'));
    const [heading, entries] = [await page.locator('.c7 .hh').innerText(), await page.locator('.c7 .find').count()];
    ok(entries > 0 && heading.startsWith(`${entries} finding`), `${suffix}: ${heading}, ${entries} entries`);
    await page.locator('.top .mark').click();
  }
}));

test('without readable names the page does not say that all can be read', () => withPage(async page => {
  await dropChanged(page, 'sn4', bytes => bytes.subarray(0, 40));
  await page.keyboard.press('4');
  await page.waitForFunction(() => /No name can be read/.test(document.querySelector('.inner').textContent));
  ok(!/All names can be read/.test(await page.locator('.inner').innerText()), 'not both');
}));

test('one damaged game is no damaged database, and the bar can be closed', () => withPage(async page => {
  await dropGames(page, ...Array.from({ length: 40 }, (_, n) => game(`Player ${n}`, 'B', n === 7 ? '1. e4 e5 2. Ke5' : '1. e4 e5')));
  await shown(page, '.facts-bar:not([hidden])');
  const text = await page.locator('.facts-bar').innerText();
  ok(/1 of 40 games is damaged/.test(text) && !/database is damaged/.test(text), text);
  await page.locator('.facts-bar .x').click();
  await page.keyboard.press('2');
  await shown(page, '.tree tbody tr');
  equal(await page.locator('.facts-bar:not([hidden])').count(), 0, 'in every view');
}));

test('the table of losses counts games, and has words for formats that are not loaded', () => withPage(async page => {
  // The second game loses two kinds of one column, each of the others one.
  await dropGames(page, game('A', 'B', '1. e4 {one} e5'), game('C', 'D', '1. e4 {one} (1. d4 {two}) e5'), game('E', 'F'));
  await page.keyboard.press('4');
  await page.waitForFunction(() => /number of games affected/.test(document.querySelector('.loss')?.closest('section').textContent));
  const rows = await page.locator('.tab.loss tbody tr').evaluateAll(rows => rows.map(row => [...row.querySelectorAll('th, td')].map(cell => cell.textContent.trim())));
  for (const [name, verdict, ...cells] of rows) {
    ok(!/…/.test(verdict), `${name}: ${verdict}`);
    const games = Number(/^(\d+) game/.exec(verdict)?.[1] ?? 0);
    for (const cell of cells.slice(0, 8)) ok(Number(cell || 0) <= games, `${name}: ${cell} of ${games}`);
  }
  const parquet = page.locator('.tab.loss tr', { hasText: 'Parquet' });
  ok(/not loaded yet/.test(await parquet.innerText()), await parquet.innerText());
  await parquet.locator('.link').click();
  await page.waitForFunction(() => [...document.querySelectorAll('.tab.loss tr')].some(row => /Parquet/.test(row.textContent) && /game|Nothing/.test(row.textContent)), null, { timeout: 60_000 });
}));

test('the count of folded moves is that of all', () => withPage(async page => {
  const depth = 300;
  const nested = `${Array.from({ length: depth }, (_, n) => (n % 2 ? '(1. d4 ' : '(1. e4 ')).join('')}${')'.repeat(depth)}`;
  await dropGames(page, game('A', 'B', `1. c4 ${nested} e5`));
  await becomes(page, async () => /(\d+) moves? folded/.exec(await page.locator('.moves').innerText())?.[1], String(depth - 1), 'moves');
}));

/** The texts in sight, without those of the database, of the query language and of other languages.
 * @param {Page} page
 * @returns {Promise<string[]>} */
const texts = page => page.evaluate(() => {
  const found = new Set();
  const walker = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent.getClientRects().length || parent.closest('[translate=no], [lang=en]:not(html), code, kbd, .mono, script, style, .lang')) continue;
    found.add(node.nodeValue.trim());
  }
  for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]')) {
    if (!element.getClientRects().length || element.closest('[translate=no], [lang=en]:not(html)')) continue;
    for (const name of ['title', 'aria-label', 'placeholder']) found.add(element.getAttribute(name) ?? '');
  }
  return [...found];
});

test('no text of the bar, the dialogs and the hints stays English in another language', () => withPage(async page => {
  await dropChanged(page, 'si4', bytes => bytes.subarray(0, bytes.length >> 1));
  await shown(page, '.facts-bar:not([hidden])');
  const escape = async () => {
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  };
  /** @type {(open: () => Promise<unknown>) => () => Promise<() => Promise<void>>} */
  const dialog = open => async () => {
    await open();
    await shown(page, 'dialog[open]');
    return escape;
  };
  /** @type {(query: string, selector: string) => () => Promise<() => Promise<void>>} */
  const typed = (query, selector) => async () => {
    await page.fill('#query', query);
    await shown(page, selector);
    return async () => {
      await page.fill('#query', '');
      await page.locator('#query').press('Escape');
      await page.locator('#query').press('Escape');
      // A field that is left closes its list of keys a moment later.
      await page.waitForTimeout(200);
    };
  };
  /** @type {Record<string, () => Promise<() => Promise<void>>>} */
  const states = {
    games: async () => async () => {},
    keys: dialog(() => page.keyboard.press('?')),
    layout: dialog(() => page.locator('.lookup').click()),
    tools: dialog(() => page.keyboard.press('t')),
    position: dialog(() => page.keyboard.press('e')),
    save: dialog(() => page.keyboard.press('s')),
    tags: dialog(() => page.keyboard.press('h')),
    hint: typed('Kasparov - Topalov', '.kinds p'),
    completion: typed('op', '.drop-list li'),
    error: typed('elo:x', '.msg:not(:empty)'),
    base: async () => {
      await page.keyboard.press('4');
      await page.waitForFunction(() => document.querySelector('.c7 .hh') && !document.querySelector('.c7[aria-busy]'));
      return async () => { await page.keyboard.press('1'); };
    },
  };
  /** @type {Record<string, string[]>} */
  const english = {};
  for (const language of ['en', 'de', 'ru', 'es']) {
    await page.locator('.lang').selectOption(language);
    await page.locator('#board').focus();
    for (const [state, enter] of Object.entries(states)) {
      const leave = await enter();
      const seen = await texts(page);
      if (language === 'en') english[state] = seen;
      // Single words may be equal, and so are names of formats.
      else equal(seen.filter(text => /[a-z]{2,} [a-z]{2,}/.test(text) && english[state].includes(text)), [], `${state}, ${language}`);
      await leave();
    }
  }
}));
