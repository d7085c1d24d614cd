// The page of games that the program writes (docs/formats/html.md).

import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { equal, ok, test } from '../check.mjs';
import { axe, fixtures, program, withPage, work } from '../common.mjs';

/** Returns the pieces on the board of a game, in order of their squares, as in the first field of FEN.
 * @param {import('playwright-core').Locator} game */
const pieces = game => game.locator('.side use').evaluateAll(uses => {
  const rows = Array.from({ length: 8 }, () => Array(8).fill(''));
  for (const use of uses) {
    const letter = use.getAttribute('href').slice(1);
    const [column, row] = [use.getAttribute('x'), use.getAttribute('y')].map(n => Number(n) / 100);
    rows[row][column] = use.getAttribute('class') === 'w' ? letter.toUpperCase() : letter;
  }
  return rows.map(row => row.map(letter => letter || ' ').join('').replace(/ +/g, run => String(run.length))).join('/');
});

test('a page of games: the boards follow the moves', async () => {
  const file = join(mkdtempSync(join(work, 'written-')), 'games.html');
  execFileSync(program, ['convert', '--quiet', join(fixtures, 'scid/annotated.si4'), file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = pathToFileURL(file).href;
  await withPage(async page => {
    const game = page.locator('article').nth(3);
    const moves = game.locator('.m');
    const shownPieces = () => pieces(game);
    // Without a click the board has the final position of the mainline.
    equal(await shownPieces(), await moves.last().getAttribute('data-p'), 'end');
    for (let n = 0; n < await moves.count(); n += 1) {
      await moves.nth(n).click();
      equal(await shownPieces(), await moves.nth(n).getAttribute('data-p'), `move ${n + 1}`);
    }
    await game.getByRole('button', { name: 'Start' }).click();
    equal(await shownPieces(), 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR', 'start');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    equal(await shownPieces(), await moves.nth(1).getAttribute('data-p'), 'two steps');
    await page.keyboard.press('ArrowLeft');
    await game.getByRole('button', { name: 'Turn the board' }).click();
    const placement = await moves.first().getAttribute('data-p');
    equal(await shownPieces(), [...placement].reverse().join(''), 'turned');
    // From a variation back into the line that it leaves.
    const first = game.locator('p.v .m').first();
    await first.click();
    await page.keyboard.press('ArrowLeft');
    const before = Number(await first.getAttribute('data-b'));
    ok(await moves.nth(before - 1).evaluate(move => move.classList.contains('now')), 'the move before the variation');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save as PGN' }).click()]);
    equal(download.suggestedFilename(), 'Games.pgn', 'name');
    await page.addScriptTag({ content: axe });
    const found = await page.evaluate('axe.run()');
    equal(found.violations.map((/** @type {any} */ rule) => `${rule.id}: ${rule.nodes[0].html.slice(0, 80)}`), [], 'violations');
  }, { url });
});
