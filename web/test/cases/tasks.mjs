// The tasks of an owner (docs/page-tasks.md), each by the mouse alone, by the keyboard alone, and by touch.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { OPERA, fixture, fixtures, folder, fresh, made, romantics, withPage } from '../common.mjs';
import { HANDS, chooseFiles, lastSaved, prepare, press, saveBy, see, select, type, use } from '../hands.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Step, Way } from '../hands.mjs' */

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR';
const letters = fresh('letters.pgn');
writeFileSync(letters, Buffer.concat([Buffer.from('[White "'), Buffer.from('c1eef2e2e8ededE8EA', 'hex'), Buffer.from('"]\n\n1. e4 *\n')]));

/** @param {string} view */
const nav = view => `.nav a[href="#view=${view}"]`;
/** @param {string} name */
const go = name => `[data-go=${name}]`;
/** @param {string} selector */
const dialog = selector => 'dialog ' + selector;

// Checks for the end of a task.

/** @type {(pattern: RegExp) => Step} */
const counted = pattern => page =>
  page.waitForFunction(source => new RegExp(source).test(document.querySelector('#count')?.textContent ?? ''), pattern.source);
/** @type {(men: string) => Step} */
const position = men => page => page.waitForFunction(men => document.querySelector('#board')?.getAttribute('data-fen')?.startsWith(men), men);
/** @type {(pattern: RegExp) => Step} */
const address = pattern => page => page.waitForFunction(source => new RegExp(source).test(location.hash), pattern.source);
/** @type {(selector: string) => Step} */
const gone = selector => page => page.locator(selector).filter({ visible: true }).waitFor({ state: 'detached' });
/** @type {(selector: string, pattern: RegExp) => Step} */
const shows = (selector, pattern) => page => page.waitForFunction(([selector, source]) =>
  [...document.querySelectorAll(selector)].some(one => one.getClientRects().length && new RegExp(source).test(one.textContent ?? '')), [selector, pattern.source]);
/** @type {(pattern: RegExp) => Step} */
const clipboard = pattern => async page => {
  await page.waitForFunction(() => document.querySelector('.toast'));
  const text = await page.evaluate(() => navigator.clipboard.readText());
  ok(pattern.test(text), text);
};
/** @type {(suffix: string, pattern: RegExp) => Step} */
const savedAs = (suffix, pattern) => async page => {
  const saved = lastSaved.get(page);
  ok(saved?.name.startsWith('romantics') && saved.name.endsWith(suffix), `name: ${saved?.name}`);
  ok(pattern.test(saved?.bytes.toString('latin1') ?? ''), 'content');
};

/** The list of the tasks: what is open at first (nothing if null), the steps, and what must be so at the end. `steps`
 * are for all hands; `keys`, `mouse` and `touch` are other steps of one of them.
 * @type {({ name: string, open?: string[] | null, steps: Step[], done: Step } & { [W in Way]?: Step[] })[]} */
const TASKS = [
  { name: 'open a file', open: null, steps: [chooseFiles('.btn.main', () => [romantics])], done: counted(/^All 10 games/) },
  { name: 'open a database of several files', open: null, steps: [chooseFiles('.btn.main', () => made(romantics, 'cbh'))], done: counted(/^All 10 games/) },
  { name: 'open one database of a folder', open: null, steps: [chooseFiles('.row .btn:nth-of-type(2)', () => join(fixtures, 'scid')), use('.bases button', 'annotated.si4')], done: counted(/^All 70 games/) },
  { name: 'open a locked archive', open: null, steps: [chooseFiles('.btn.main', () => [join(fixtures, 'cbh/locked.cbz')]), see('#password'), use('#password'), type('open sesame'), use('.lockform .main')], done: counted(/games/) },
  { name: 'look at sample games', open: null, steps: [use('.row .btn.quiet')], done: counted(/games/) },
  { name: 'find my games against a player', steps: [use('#query'), type('white:Morphy')], keys: [press('/'), type('white:Morphy')], done: counted(/^1 of 10/) },
  { name: 'find the games of some years', steps: [use('#query'), type('year:1850..1860')], keys: [press('/'), type('year:1850..1860')], done: counted(/^\d of 10/) },
  { name: 'see all games again', steps: [use('#query'), type('white:Morphy'), counted(/^1 of 10/), use('.clear')], keys: [press('/'), type('white:Morphy'), counted(/^1 of 10/), press('ControlOrMeta+a', 'Delete')], done: counted(/^All 10 games/) },
  { name: 'sort the games by White', steps: [use('.r.h [data-column=white] button')], keys: [use('.r.h [data-column=white] button')], done: shows('.rows .r', /Anderssen/) },
  { name: 'open the third game', steps: [use('.rows [data-place="2"]')], keys: [use('#list'), press('ArrowDown', 'ArrowDown')], done: address(/game=3/) },
  { name: 'step through a game', steps: [use(go('next')), use(go('next')), use(go('prev'))], keys: [use('#board'), press('ArrowRight', 'ArrowRight', 'ArrowLeft')], done: address(/ply=1\b/) },
  { name: 'jump to the end of a game', open: ['white:Morphy'], steps: [use(go('last'))], keys: [use('#board'), press('End')], done: position(OPERA) },
  { name: 'return to the start of a game', steps: [use(go('last')), use(go('first'))], keys: [use('#board'), press('End', 'Home')], done: position(START) },
  { name: 'jump to a move in the text', steps: [use('.moves .m >> nth=9')], keys: [use('#moves'), press(...Array(10).fill('ArrowRight'))], done: address(/(ply|node)=10\b/) },
  { name: 'let a game play, and stop it', steps: [use(go('play')), address(/ply=2\b/), use(go('play'))], keys: [use('#board'), press(' '), address(/ply=2\b/), press(' ')], done: gone('[data-go=play][aria-pressed]') },
  { name: 'see the board from the side of Black', steps: [use(go('flip'))], keys: [press('f')], done: see('.orientation-black') },
  { name: 'fold the variations', open: ['annotated'], steps: [use('.tools .fold')], done: shows('.tools .fold', /[Uu]nfold|Show/) },
  { name: 'see what was played in a position, and play it', steps: [use(nav('tree')), use('.tree .san')], keys: [press('2'), use('.tree .san')], done: page => page.waitForFunction(start => !document.querySelector('#board')?.getAttribute('data-fen')?.startsWith(start), START) },
  { name: 'take a move of the tree back', steps: [use(nav('tree')), use('.tree .san'), see('.tree .san'), use(go('prev'))], keys: [press('2'), use('.tree .san'), use('#board'), press('ArrowLeft')], done: position(START) },
  { name: 'open a game from the tree', steps: [use(nav('tree')), see('.through button'), use('.through button >> nth=1')], keys: [press('2'), see('.through button'), use('.through button >> nth=1')], done: shows('.ghead h2', /–/) },
  { name: 'find the games with the position on the board', steps: [use(go('next')), use(go('next')), use(go('find'))], keys: [use('#board'), press('ArrowRight', 'ArrowRight'), use(go('find'))], done: counted(/^\d of 10/) },
  { name: 'put a position together and find it', steps: [use(go('edit')), use('.pick input[value=k]'), use('.board.edit [data-n="4"]'), use(dialog('.main'))], keys: [press('e'), use('.board.edit .sq[tabindex="0"]'), press('ArrowUp', 'ArrowUp', 'ArrowUp', 'k'), use(dialog('.main'))], done: counted(/^10 of 10|^All 10|of 10/) },
  { name: 'see the statistics', steps: [use(nav('stats'))], keys: [press('3')], done: see('.inner svg') },
  { name: 'see whether the database is damaged', steps: [use(nav('base'))], keys: [press('4')], done: shows('.c7', /Every game can be read|No damage/) },
  { name: 'read names in the right letters', open: [letters], steps: [use(nav('base')), see('.enc input'), use('.enc label:has-text("windows-1251") input')], keys: [press('4'), see('.enc input'), use('.enc label:has-text("windows-1251") input')], done: shows('.enc td.on', /Ботвинник/) },
  { name: 'save all games as PGN', steps: [use('.save'), use(dialog('input[value=pgn]')), use(dialog('input[value=all]')), saveBy(dialog('.main'))], keys: [press('s'), use(dialog('input[value=all]')), use(dialog('input[value=pgn]')), saveBy(dialog('.main'))], done: savedAs('.pgn', /Morphy/) },
  { name: 'save one game', open: ['white:Morphy'], steps: [use('.save'), use(dialog('input[value=game]')), use(dialog('input[value=pgn]')), saveBy(dialog('.main'))], done: savedAs('.pgn', /^\[Event(?![\s\S]*\[Event )/) },
  { name: 'save what was found for ChessBase', open: ['white:Morphy'], steps: [use('.save'), use(dialog('input[value=view]')), use(dialog('input[value=cbh]')), saveBy(dialog('.main'))], done: savedAs('.zip', /^PK/) },
  { name: 'see what a conversion loses', open: ['annotated'], steps: [use('.save'), use(dialog('input[value=cbf]')), see(dialog('.report li')), use(dialog('.x'))], done: gone('dialog') },
  { name: 'copy the position as FEN', steps: [use(go('copy'))], keys: [press('C')], done: clipboard(/^rnbqkbnr\/pppppppp/) },
  { name: 'copy the game as PGN', steps: [use('.tools .btn:first-of-type')], keys: [press('c')], done: clipboard(/^\[Event/) },
  { name: 'change the language', steps: [select('.lang', 'de')], done: shows('.nav a', /Statistik/) },
  { name: 'change between light and dark', steps: [use('.theme')], done: page => page.waitForFunction(() => document.documentElement.dataset.theme === 'dark') },
  { name: 'set the moves in two columns', steps: [use('.lookup'), use(dialog('input[name=notation][value=columns]')), use(dialog('.main'))], done: see('.moves.pairs') },
  { name: 'search for a position in both colours', steps: [use(go('edit')), use('.pick input[value=k]'), use('.board.edit [data-n="4"]'), use(dialog('input[name=swapped]')), use(dialog('.main'))], keys: [press('e'), use('.board.edit .sq[tabindex="0"]'), press('ArrowUp', 'ArrowUp', 'ArrowUp', 'k'), use(dialog('input[name=swapped]')), use(dialog('.main'))], done: counted(/^10 of 10|^All 10|of 10/) },
  { name: 'save the position as a picture', steps: [use('.acts .more'), saveBy('.tool .toollist button:has-text("PNG")')], keys: [press('t'), saveBy('.tool .toollist button:has-text("PNG")')], done: savedAs('.png', /^.PNG/s) },
  { name: 'see the keys', steps: [use('.under-line .link')], keys: [press('?')], done: see('.keys') },
  { name: 'analyse a position with an engine, and stop it', steps: [use(go('engine')), chooseFiles('.analysis .trouble .btn', () => [join(folder, 'site/stockfish.js')]), see('.analysis .pv'), use('.analysis .x')], keys: [press('a'), chooseFiles('.analysis .trouble .btn', () => [join(folder, 'site/stockfish.js')]), see('.analysis .pv'), press('a')], done: gone('.analysis') },
  { name: 'go on with a line of the engine', steps: [use(go('engine')), chooseFiles('.analysis .trouble .btn', () => [join(folder, 'site/stockfish.js')]), see('.analysis .pv'), use('.analysis .pv')], keys: [press('a'), chooseFiles('.analysis .trouble .btn', () => [join(folder, 'site/stockfish.js')]), see('.analysis .pv'), use('.analysis .pv')], done: see('.s-tree') },
  { name: 'open another database', steps: [use('.top .mark'), chooseFiles('.btn.main', () => made(romantics, 'si4'))], done: shows('.basename', /base\.si4/) },
];

test('docs/page-tasks.md lists the tasks', async () => {
  const listed = readFileSync('../docs/page-tasks.md', 'utf8').match(/^\d+\. .*$/gm);
  equal(listed, TASKS.map(({ name }, n) => `${n + 1}. ${name[0].toUpperCase()}${name.slice(1)}`), 'tasks');
});

/** Opens what is open at the beginning: the romantics, with a query, or other files.
 * @param {Page} page
 * @param {string[] | null} [open] */
async function begin(page, open = [romantics]) {
  if (!open) return;
  const [first] = open;
  if (first === 'annotated') return drop(page, fixture('scid/annotated', 'si4', 'sg4', 'sn4'));
  if (first.startsWith('/')) return drop(page, open);
  await drop(page, [romantics]);
  await page.fill('#query', first);
  await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count')?.textContent ?? ''));
  await page.locator('#query').press('Escape');
  await page.waitForFunction(() => /^Morphy/.test(document.querySelector('.ghead h2')?.textContent ?? ''));
}

for (const { name, open, steps, done, ...ways } of TASKS) {
  for (const way of /** @type {Way[]} */ (Object.keys(HANDS))) {
    const hand = HANDS[way];
    test(`task by ${way}: ${name}`, () => withPage(async page => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await prepare(page, way);
      await begin(page, open);
      // Work that continues after the database is shown is no part of the task.
      await page.waitForTimeout(50);
      for (const step of ways[way] ?? steps) await step(page, hand, way);
      await done(page, hand, way);
    }));
  }
}
