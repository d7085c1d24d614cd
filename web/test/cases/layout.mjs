// Every view at every size, printed and on a phone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, becomes, fen, fixtures, fresh, overflow, romantics, shown, withPage } from '../common.mjs';

/** @type {[number, number][]} */
const SIZES = [[1280, 800], [360, 740], [2560, 1440], [390, 844], [768, 1024], [1024, 768], [1366, 768], [1920, 1080], [844, 390]];
for (const [width, height] of SIZES) {
  const all = [360, 1280, 2560].includes(width) ? ['en', 'de', 'ru', 'es'] : ['en', 'de'];
  test(`every view at ${width} px, light and dark, in ${all.length} languages: nothing clipped, axe content`, () => withPage(async page => {
    await page.setViewportSize({ width, height });
    /** @type {(what: string, withAxe: boolean) => Promise<void>} */
    const look = async (what, withAxe) => {
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.waitForFunction(theme => document.documentElement.dataset.theme === theme, colorScheme);
        await lookAt(`${what}, ${colorScheme}`, withAxe);
      }
    };
    /** @type {(what: string, withAxe: boolean) => Promise<void>} */
    const lookAt = async (what, withAxe) => {
      equal(await overflow(page), [], `${what}: overflow`);
      const keys = await page.evaluate(() => document.body.innerText.match(/\b(col|nav|st|base|save|enc|loss|health|bad|say|tree|game|go|find|none)\.[a-z]+[A-Za-z]*/g));
      equal(keys, null, `${what}: words without translation`);
      if (!withAxe) return;
      await page.evaluate(axe);
      const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
        .filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact))
        .map((/** @type {any} */ one) => `${one.id}: ${one.nodes.slice(0, 3).map((/** @type {any} */ node) => node.target.join(' ')).join(' | ')}`));
      equal(found, [], `${what}: axe`);
    };
    await look('first screen', true);
    await drop(page, [join(fixtures, 'scid/annotated.si4'), join(fixtures, 'scid/annotated.sg4'), join(fixtures, 'scid/annotated.sn4')]);
    for (const language of all) {
      await page.locator('.lang').selectOption(language);
      for (const view of width < 720 || height < 500 ? ['games', 'board', 'tree', 'stats', 'base'] : ['games', 'tree', 'stats', 'base']) {
        await page.locator(`.nav a[href="#view=${view}"]`).click();
        await page.waitForTimeout(view === 'base' || view === 'stats' || view === 'tree' ? 350 : 150);
        await look(`${view}, ${language}`, language === 'en');
      }
      await page.locator('.save').click();
      await shown(page, 'dialog[open]');
      await look(`saving, ${language}`, language === 'en');
      await page.keyboard.press('Escape');
    }
  }));
}

test('a browser without round() has a board', () => withPage(async page => {
  await drop(page, [romantics]);
  const size = await page.evaluate(() => {
    for (const sheet of document.styleSheets) {
      for (let n = sheet.cssRules.length - 1; n >= 0; n--) if (sheet.cssRules[n] instanceof CSSSupportsRule || /round\(/.test(sheet.cssRules[n].cssText)) sheet.deleteRule(n);
    }
    return document.querySelector('#board').getBoundingClientRect().width;
  });
  ok(size > 300, `${size} px`);
}));

test('at 1280 px the list has event, date, round, ECO and Elo, and whole names', () => withPage(async page => {
  const file = fresh('rated.pgn');
  writeFileSync(file, '[Event "Candidates"]\n[Round "12.1"]\n[Date "1985.11.09"]\n[White "Beliavsky, Alexander"]\n[Black "Kasparov, Garry"]\n[WhiteElo "2640"]\n[BlackElo "2700"]\n[ECO "B44"]\n\n1. e4 c5 *\n');
  await drop(page, [file]);
  await shown(page, '.rows .wn');
  for (const [selector, words] of [['ev', 'Candidates (12.1)'], ['yr', '1985.11.09'], ['eco', 'B44'], ['we', '2640'], ['be', '2700']]) {
    const cell = page.locator('.rows .r:not([hidden]) .' + selector);
    equal(await cell.textContent(), words, selector);
    ok(await cell.isVisible(), selector);
  }
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(300);
    const cut = await page.evaluate(() => [...document.querySelectorAll('.rows .r:not([hidden]) .n')].map(cell => cell.scrollWidth - cell.clientWidth));
    ok(cut.every(pixels => pixels <= 0), `names cut at ${width}: ${cut}`);
  }
}));

test('on a phone the tree goes back, and the game names its event', () => withPage(async page => {
  await page.setViewportSize({ width: 390, height: 844 });
  await drop(page, [romantics]);
  await page.locator('.rows .r').first().click();
  await shown(page, '.app.s-board .ghead');
  ok(/1851|London/.test(await page.locator('.ghead').innerText()), 'event and date');
  await page.locator('.nav a[href="#view=tree"]').click();
  await shown(page, '.tree tbody tr');
  await page.locator('.tree .san').first().click();
  await page.waitForFunction(() => !document.querySelector('#board').dataset.fen.startsWith('rnbqkbnr/pppppppp/8/8/8/8'));
  await page.locator('.ctl [data-go=prev]').click();
  await page.waitForFunction(() => document.querySelector('#board').dataset.fen.startsWith('rnbqkbnr/pppppppp/8/8/8/8'));
}));

/** A game with brackets in its variations, and an event with a place and a round. */
const BRACKETS = '[Event "Casual games of the summer"]\n[Site "Reykjavik"]\n[Date "1992.??.??"]\n[Round "3.1"]\n[White "Anderssen, Adolf"]\n[Black "Kieseritzky, Lionel"]\n[ECO "C33"]\n[Annotator "Dufresne"]\n\n' +
  '1. e4 e5 2. f4 exf4 3. Bc4 (3. Nf3 d5 (3... g5 4. h4 (4. Bc4 Bg7 (4... g4 5. O-O (5. d4 {bold} ) ) 5. h4 h6) 4... g4 5. Ne5 {the old line} ) 4. exd5) (3. d4 (3. Nc3 (3. Be2))) 3... Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 *\n';

test('no line begins with punctuation that follows a button, or ends with a bracket before one', () => withPage(async page => {
  const file = fresh('brackets.pgn');
  writeFileSync(file, BRACKETS);
  await drop(page, [file]);
  await shown(page, '.moves .m');
  let seen = 0;
  for (let width = 240; width < 420; width += 9) {
    const [found, count] = await page.evaluate(width => {
      const right = /** @type {HTMLElement} */ (document.querySelector('.right'));
      right.style.width = width + 'px';
      /** @type {string[]} */
      const parted = [];
      let count = 0;
      const walker = document.createTreeWalker(right, NodeFilter.SHOW_TEXT);
      /** @type {(node: Node, at: number) => DOMRect} */
      const place = (node, at) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
      };
      /** @type {Text | null} */
      let last = null;
      for (let node = /** @type {Text} */ (walker.nextNode()); node; node = /** @type {Text} */ (walker.nextNode())) {
        if (!node.data || !node.parentElement.getClientRects().length || node.parentElement.closest('.vh')) continue;
        if (last && (/^[,.;:)·–]/.test(node.data) || last.data.endsWith('('))) {
          const [a, b] = [place(last, last.data.length - 1), place(node, 0)];
          count += 1;
          if (a.height && b.height && (b.top > a.bottom - 2 || b.bottom < a.top + 2)) parted.push(`${last.data.slice(-20)}|${node.data.slice(0, 20)}`);
        }
        last = node;
      }
      return /** @type {[string[], number]} */ ([parted, count]);
    }, width);
    equal(found, [], `at ${width} px`);
    seen += count;
  }
  ok(seen > 200, `${seen} places were looked at`);
}));

test('dialogs are not clipped, and nothing in them overlaps', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  /** @type {[string, () => Promise<unknown>][]} */
  const dialogs = [
    ['keys', () => page.keyboard.press('?')],
    ['about', () => page.locator('.about-button').click()],
    ['layout', () => page.locator('.lookup').click()],
    ['tools', () => page.keyboard.press('t')],
    ['position', () => page.keyboard.press('e')],
    ['player', async () => {
      await page.locator('.gmenu').click();
      await page.locator('.vmenu button').nth(3).click();
      await shown(page, '.plr table');
    }],
  ];
  for (const language of ['en', 'de', 'ru', 'es']) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.lang').selectOption(language);
    for (const [width, height] of language === 'en' ? [[1280, 800], [360, 640], [844, 390]] : [[360, 640]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => document.querySelector('.nav [href="#view=board"]').click());
      await shown(page, '.gmenu');
      for (const [what, open] of dialogs) {
        await open();
        await shown(page, 'dialog[open]');
        const found = await page.evaluate(() => {
          const dialog = document.querySelector('dialog[open]');
          const box = dialog.getBoundingClientRect();
          const wide = [dialog, ...dialog.querySelectorAll('.body, .scroll')].filter(one => one.scrollWidth > one.clientWidth + 1).map(one => `${one.className} is ${one.scrollWidth - one.clientWidth} too wide`);
          if (box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) wide.push(`outside: ${box.left} to ${box.right}`);
          const over = [...dialog.querySelectorAll('kbd')].filter(key => key.getBoundingClientRect().right > key.closest('div').querySelector('dd').getBoundingClientRect().left);
          return [...wide, ...over.map(key => `${key.parentElement.textContent} covers its words`)];
        });
        equal(found, [], `${what} at ${width}, ${language}`);
        await page.keyboard.press('Escape');
        await page.waitForSelector('dialog', { state: 'detached' });
      }
    }
  }
}));

test('on a phone at least four lines of moves are in sight, and the row for editing on demand', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('End');
  for (const [width, height] of [[390, 844], [360, 640], [844, 390]]) {
    await page.setViewportSize({ width, height });
    await page.locator('.nav a[href="#view=board"]').click();
    await shown(page, '.app.s-board .moves .m');
    const lines = () => page.evaluate(() => {
      const moves = document.querySelector('.moves');
      return moves.clientHeight / parseFloat(getComputedStyle(moves).lineHeight);
    });
    const roomy = await lines();
    ok(roomy >= 4, `${roomy} lines at ${width} × ${height}`);
    ok(!await page.locator('.editbar').isVisible(), 'hidden');
    await page.locator('.edittoggle').click();
    await shown(page, '.editbar #movefield');
    equal(await overflow(page), [], `editing at ${width} × ${height}`);
    await page.locator('.edittoggle').click();
    await page.waitForSelector('.editbar', { state: 'hidden' });
    await page.keyboard.press('m');
    equal(await page.evaluate(() => document.activeElement.id), 'movefield', 'm');
    await page.locator('.edittoggle').click();
  }
}));

test('Back walks through the views, and asks before the database is closed', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('2');
  await shown(page, '.tree tbody tr');
  await page.keyboard.press('3');
  await shown(page, '.inner svg');
  await page.goBack();
  await shown(page, '.app.s-tree');
  await page.goBack();
  await shown(page, '.app.s-list');
  const answers = [false, true];
  page.on('dialog', dialog => (answers.shift() ? dialog.accept() : dialog.dismiss()));
  await page.goBack();
  await page.waitForTimeout(200);
  await shown(page, '.app.s-list');
  equal(answers.length, 1, 'asked');
  await page.goBack();
  await shown(page, '.dropv');
}));

test('a view that is chosen before the first game is there stays', () => withPage(async page => {
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.listholder')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '2', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.locator('#files').setInputFiles(romantics);
  await page.waitForFunction(() => location.hash.includes('game=1'));
  await shown(page, '.app.s-tree .tree tbody tr');
  await page.keyboard.press('1');
  await page.locator('.app.s-list .ghead h2', { hasText: 'Anderssen' }).waitFor();
}));

test('the name of the database and the row for editing have one line at every width', () => withPage(async page => {
  const file = fresh('games of-the-club 2024.pgn');
  writeFileSync(file, BRACKETS);
  await drop(page, [file]);
  await shown(page, '.moves .m');
  for (const [width, height] of [[720, 1000], [768, 1024], [959, 800], [960, 700], [1024, 768], [1280, 800], [1366, 768], [1440, 900], [1920, 1080], [2560, 1440]]) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(width => innerWidth === width, width);
    const found = await page.evaluate(() => {
      /** @param {string} selector */
      const height = selector => document.querySelector(selector).getBoundingClientRect().height;
      const tops = new Set([...document.querySelector('.basename h1').getClientRects()].map(one => one.top));
      return [tops.size, document.querySelector('.basename').clientWidth >= 80, Math.round(height('.editbar') / height('#movefield'))];
    });
    equal(found, [1, true, 1], `lines at ${width} px`);
  }
}));

/** The board of lichess.org's analysis at its standard zoom, with its two side panes (ui/lib/css/abstract/_uniboard.scss).
 * @type {(width: number, height: number) => number} */
const lichess = (width, height) => Math.min(width - 250 - 240 - 13 - 20, height - 60 - 16) * (0.85 * 0.75 + 0.25);
/** @import { Page } from 'playwright-core' */

/** @param {Page} page */
const board = page => page.evaluate(() => document.querySelector('#board').getBoundingClientRect().width);

test('the board is at least as large as that of lichess, with list and moves beside it', () => withPage(async page => {
  await drop(page, [romantics]);
  for (const [width, height] of [[1280, 800], [1366, 768], [1440, 900], [1920, 1080], [2560, 1440]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    const size = await board(page);
    ok(size >= Math.floor(lichess(width, height) / 8) * 8, `${width} × ${height}: ${size}, lichess ${lichess(width, height)}`);
    const panes = await page.evaluate(() => ['.left', '.right'].map(name => document.querySelector(name).getBoundingClientRect().width));
    ok(panes[0] >= 330 && panes[1] >= 250, `${width}: panes ${panes}`);
  }
}));

test('the borders between list, board and moves move by mouse and keyboard', () => withPage(async page => {
  await drop(page, [romantics]);
  const widths = () => page.evaluate(() => ['.left', '#board', '.right'].map(name => document.querySelector(name).getBoundingClientRect().width));
  const first = await widths();
  const box = await page.locator('.border.l').boundingBox();
  await page.mouse.move(box.x + 4, 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 104, 300, { steps: 5 });
  await page.mouse.up();
  const dragged = await widths();
  ok(Math.abs(dragged[0] - first[0] - 100) < 3 && dragged[1] < first[1] && Math.abs(dragged[2] - first[2]) < 2, `dragged: ${first} to ${dragged}`);
  const pieces = await page.evaluate(() => {
    const outer = document.querySelector('#board').getBoundingClientRect();
    return [...document.querySelectorAll('cg-board piece')].every(piece => piece.getBoundingClientRect().right <= outer.right + 1);
  });
  ok(pieces, 'the pieces follow the board');
  await page.locator('.border.r').focus();
  await page.keyboard.press('ArrowLeft');
  ok((await widths())[2] > dragged[2], 'by keyboard');
  await page.keyboard.press('Home');
  await page.locator('.border.l').focus();
  await page.keyboard.press('End');
  ok((await widths()).every(width => width >= 160), `extreme: ${await widths()}`);
  equal(await overflow(page), [], 'overflow');
  await page.keyboard.press('Enter');
  equal(await widths(), first, 'standard');
  equal(await fen(page), await page.evaluate(() => document.querySelector('#board').dataset.fen), 'no move was made');
  await page.setViewportSize({ width: 800, height: 1000 });
  await page.waitForTimeout(300);
  await page.locator('.border.t').focus();
  const before = await board(page);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  ok(await board(page) < before, 'lower');
}));

test('the text has four sizes, and nothing is clipped in any', () => withPage(async page => {
  await drop(page, [romantics]);
  for (const size of [0, 2, 3]) {
    await page.locator('.lookup').click();
    await page.locator(`.look input[name=text][value="${size}"]`).check({ force: true });
    await page.keyboard.press('Escape');
    for (const [width, height] of [[1280, 800], [1920, 1080], [360, 740]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(300);
      equal(await overflow(page), [], `size ${size} at ${width}`);
      const rows = await page.evaluate(() => [...document.querySelectorAll('.rows .r:not([hidden])')].slice(0, 2).map(row => row.getBoundingClientRect()).map(box => [box.top, box.height]));
      ok(Math.abs(rows[1][0] - rows[0][0] - rows[0][1]) < 1, `rows at size ${size}: ${rows}`);
    }
  }
  const figures = await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector('.moves')).fontSize));
  ok(figures > 19, `moves: ${figures}`);
}));

/** A game with clocks, evaluations and a marked position. */
const JUDGED = '[Event "Rapid"]\n[Site "?"]\n[White "Anna"]\n[Black "Bert"]\n[Result "1-0"]\n[ECO "C50"]\n\n' +
  '1. e4 {[%eval 0.3] [%clk 0:05:00]} e5 {[%eval 0.2] [%clk 0:04:58]} 2. Nf3 {[%eval 0.4] [%clk 0:04:50]} Nc6 {[%eval 0.35] [%clk 0:04:40]} ' +
  '3. Bc4 {[%eval 0.1] [%clk 0:04:30] [%cal Gc4f7]} h6 {[%eval 1.25] [%clk 0:04:00]} 4. O-O {[%eval 1.1] [%clk 0:04:10]} Nf6 {[%eval -2.5] [%clk 0:03:00]} 1-0\n';

/** @param {Page} page */
async function judged(page) {
  const file = fresh('judged.pgn');
  writeFileSync(file, JUDGED);
  await drop(page, [file]);
  await shown(page, '.rows .wn');
}

test('evaluations are a number and charts, and a click into a chart goes there', () => withPage(async page => {
  await judged(page);
  equal(await page.locator('.evg').count(), 2, 'evaluations and clocks');
  const box = await page.locator('.evg.ev').boundingBox();
  await page.mouse.click(box.x + box.width * 6 / 8, box.y + 10);
  await page.waitForFunction(() => document.querySelector('.evn:not(.blank)').textContent === '+1.25');
  const clocks = await page.locator('.evg.ck').boundingBox();
  await page.mouse.click(clocks.x + clocks.width - 1, clocks.y + 10);
  await page.waitForFunction(() => document.querySelector('.evn:not(.blank)').textContent === '−2.50');
  equal(await page.locator('.evg .cw, .evg .cb').count(), 2, 'a line for each side');
}));

test('a swipe over the board steps through the game, and a key that is held repeats', () => withPage(async page => {
  await page.setViewportSize({ width: 390, height: 844 });
  await judged(page);
  await page.locator('.nav a[href="#view=board"]').click();
  const client = await page.context().newCDPSession(page);
  /** @param {number} dx */
  const swipe = async (dx, dy = 0) => {
    const box = await page.locator('#board').boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // The events have set times: on a busy machine a swipe would be too slow to be one.
    let timestamp = Date.now() / 1000;
    /** @type {(type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number[]) => Promise<unknown>} */
    const touch = (type, at) => client.send('Input.dispatchTouchEvent', { type, timestamp: timestamp += 0.05, touchPoints: at ? [{ x: at[0], y: at[1] }] : [] });
    await touch('touchStart', [x, y]);
    await touch('touchMove', [x + dx / 2, y + dy / 2]);
    await touch('touchMove', [x + dx, y + dy]);
    await touch('touchEnd');
  };
  const ply = () => page.evaluate(() => Number(new URLSearchParams(location.hash.slice(1)).get('ply') ?? 0));
  await swipe(-120);
  await becomes(page, ply, 1, 'to the left: next');
  await swipe(-120);
  await becomes(page, ply, 2, 'to the left again');
  await swipe(120);
  await becomes(page, ply, 1, 'to the right: back');
  await swipe(-10);
  await swipe(-60, 120);
  equal(await ply(), 1, 'short or downwards: nothing');
  const key = await page.locator('[data-go=next]').boundingBox();
  await page.mouse.move(key.x + 10, key.y + 10);
  await page.mouse.down();
  await becomes(page, async () => await ply() >= 4, true, 'held');
  await page.mouse.up();
}));

/** Prints by the dialog. Returns the number of pages and the text on the paper.
 * @type {(page: Page, choice: Record<string, string>) => Promise<{ diagrams: number, buttons: number, text: string, pages: number }>} */
async function printed(page, choice) {
  await page.evaluate(() => { window.print = () => { document.body.dataset.asked = ''; dispatchEvent(new Event('beforeprint')); }; });
  await page.locator('.lookup').click();
  await page.getByRole('button', { name: 'Print…' }).last().click();
  await shown(page, 'dialog[open] input[name=what]');
  for (const [name, value] of Object.entries(choice)) await page.locator(`dialog input[name=${name}][value="${value}"]`).check();
  await page.getByRole('button', { name: 'Print', exact: true }).click();
  await page.waitForFunction(() => 'asked' in document.body.dataset && document.querySelector('#paper'));
  const found = await page.evaluate(() => ({
    diagrams: document.querySelectorAll('#paper .dia').length, text: document.querySelector('#paper').textContent, buttons: document.querySelectorAll('#paper button').length,
  }));
  const pdf = (await page.pdf({ format: 'A4', preferCSSPageSize: true, printBackground: false })).toString('latin1');
  await page.evaluate(() => { delete document.body.dataset.asked; dispatchEvent(new Event('afterprint')); });
  equal(await page.locator('#paper').count(), 0, 'the paper is put away');
  return { ...found, pages: pdf.match(/\/Type\s*\/Page\b(?!s)/g).length };
}

test('a game is printed with diagrams, a position alone, and a list, without an empty page', () => withPage(async page => {
  await judged(page);
  for (const { choice, diagrams, words } of [
    { choice: { what: 'game', diagrams: 'none' }, diagrams: 0, words: /Anna\s– Bert\s+1–0.*4\.O-O/s },
    { choice: { what: 'game', diagrams: 'marked' }, diagrams: 1, words: /After 3\.Bc4/ },
    { choice: { what: 'game', diagrams: 'here' }, diagrams: 1, words: /Start position/ },
    { choice: { what: 'position' }, diagrams: 1, words: /rnbqkbnr\/pppppppp/ },
    { choice: { what: 'list' }, diagrams: 0, words: /Anna.*Bert.*1–0/s },
  ]) {
    const found = await printed(page, choice);
    equal([found.diagrams, found.buttons, found.pages], [diagrams, 0, 1], JSON.stringify(choice));
    ok(words.test(found.text), `${JSON.stringify(choice)}: ${found.text}`);
  }
  await openMorphy(page);
  const every = await printed(page, { what: 'game', diagrams: '5' });
  equal(every.diagrams, 3, 'every five moves of seventeen');
  const list = await printed(page, { what: 'list' });
  ok(list.text.includes('Anderssen') && list.pages <= 2, `list: ${list.pages} pages`);
}));

test('a comment that the page folds is printed whole', () => withPage(async page => {
  const path = fresh('long.pgn');
  writeFileSync(path, `[White "A"]\n[Black "B"]\n\n1. e4 {${'Sentence after sentence. '.repeat(300)}The end.} e5 *\n`);
  await drop(page, [path]);
  await shown(page, '.moves [data-more]');
  const { text, buttons } = await printed(page, { what: 'game', diagrams: 'none' });
  ok(text.includes('The end.') && !text.includes('more'), text.slice(-100));
  equal(buttons, 0, 'buttons');
}));

/** Opens Morphy's game of seventeen moves.
 * @param {Page} page */
async function openMorphy(page) {
  await page.evaluate(() => { window.onbeforeunload = null; });
  await page.locator('.mark').click();
  await drop(page, [romantics]);
  const row = page.locator('.rows .r', { hasText: 'Morphy' }).first();
  await row.click();
  await page.waitForFunction(() => /Morphy/.test(document.querySelector('.ghead').textContent));
}

test('without the dialog the browser prints the game', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const found = await page.evaluate(() => {
    /** @param {string} selector */
    const shown = selector => (document.querySelector(selector)?.getBoundingClientRect().height ?? 0) > 0;
    const board = document.querySelector('#paper .still').getBoundingClientRect();
    const pieces = [...document.querySelectorAll('#paper .man')].map(piece => piece.getBoundingClientRect());
    return { page: shown('#app'), moves: shown('#paper .moves'), head: shown('#paper h1'),
      square: Math.abs(board.width - board.height) < 2, pieces: pieces.length, inside: pieces.every(box => box.left >= board.left - 1 && box.right <= board.right + 1 && box.width > 10),
      color: getComputedStyle(document.querySelector('#paper .man')).printColorAdjust };
  });
  equal(found, { page: false, moves: true, head: true, square: true, pieces: 32, inside: true, color: 'exact' }, 'print');
}));
