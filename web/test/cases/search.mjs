// Search as people type: words by kind, advice, the form, and values that lead to their games.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { drop } from '../browser.mjs';
import { equal, ok, test } from '../check.mjs';
import { axe, fixture, fresh, overflow, program, shown, withPage } from '../common.mjs';

// Not followed by the checks of types, which are others for the page.
const { readFields, split, withTerm, writeFields } = await import(new URL('../../src/terms.js', import.meta.url).href);

/** Games in which the words of the searches have several meanings.
 * @type {any[][]} */
const GAMES = [
  ['Kasparov, Garry', 'Karpov, Anatoly', 'Linares', 'Linares ESP', '1993.02.23', '1-0', 2805, 2760, '1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 1-0', ''],
  ['Karpov, Anatoly', 'Kasparov, Garry', 'World-ch', 'Moscow URS', '1985.11.09', '0-1', 2720, 2700, '1. e4 c5 2. Nf3 e6 0-1', '[ECO "B44"]\n'],
  ['Spassky, Boris', 'Fischer, Robert James', 'World-ch28 Fischer-Spassky', 'Reykjavik ISL', '1972.07.11', '1-0', 2660, 2785, '1. d4 Nf6 2. c4 e6 1-0', ''],
  ['Fischer, Robert James', 'Spassky, Boris', 'World-ch28 Fischer-Spassky', 'Reykjavik ISL', '1972.07.23', '1-0', 2785, 2660, '1. c4 e6 {a quiet start} 2. Nf3 d5 1-0', '[ECO "D59"]\n'],
  ['Carlsen, Magnus', 'Anand, Viswanathan', 'Kasparov Cup', 'Oslo NOR', '2010.05.01', '1/2-1/2', 2813, 2787, '1. e4 e5 (1... c5) 2. Nf3 1/2-1/2', ''],
  ['Linares, Jose', 'Black, Joe', 'Open', 'Madrid ESP', '1999.??.??', '1-0', 2100, 1900, '1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0', '[Annotator "Kasparov"]\n'],
];
const PGN = GAMES.map(([white, black, event, site, date, result, whiteElo, blackElo, moves, more]) =>
  `[Event "${event}"]\n[Site "${site}"]\n[Date "${date}"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n[WhiteElo "${whiteElo}"]\n[BlackElo "${blackElo}"]\n${more}\n${moves}\n\n`).join('');

/** @param {import('playwright-core').Page} page */
function open(page) {
  const file = fresh('search.pgn');
  writeFileSync(file, PGN);
  return drop(page, [file]).then(() => file);
}

/** @param {import('playwright-core').Page} page
 * @param {string} query */
async function type(page, query) {
  await page.fill('#query', query);
  await page.keyboard.press('Enter');
}

/** @param {import('playwright-core').Page} page */
const chips = page => page.locator('.kinds .chip[data-term]').allTextContents();

/** Queries, and the numbers of the games that match. */
const SEARCHES = [
  ['kasparov', '1,2,5,6'], ['Kasparov,G', '1,2'], ['Kasparov, Garry', '1,2'], ['Kasparov - Karpov', '1,2'], ['Carlsen, Magnus', '5'],
  ['1972', '3,4'], ['Linares', '1,6'], ['Sicilian', '1,2'], ['Najdorf', '1'], ['B44', '2'], ['Reykjavik 1972', '3,4'], ['kasparov linares 1993', '1'],
  ['fischer black', '3'], ['white fischer', '4'], ['spassky vs fischer', '3,4'], ['karpov 1-0', '1'], ['"World-ch28 Fischer-Spassky"', '3,4'],
  ['Kasparow', ''], ['Sicillian', ''], ['rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w', '1,2'], ['KRPvKR', ''], ['Ruy Lopez', '6'], ['not kasparov', '3,4'], ['anand or black', '5,6'],
];

test('searches as people type them find what is meant, in the page as in the program', () => withPage(async page => {
  const file = await open(page);
  for (const [typed, wanted] of SEARCHES) {
    await type(page, typed);
    const number = wanted ? wanted.split(',').length : 0;
    await page.waitForFunction(number => new RegExp(`^${number} of 6`).test(document.querySelector('#count').textContent), number);
    if (number) {
      await page.waitForFunction(wanted => [...document.querySelectorAll('#list .rows .r:not([hidden]) .id')].map(cell => cell.textContent).filter(Boolean).join() === wanted, wanted)
        .catch(async () => equal(await page.locator('#list .rows .r:not([hidden]) .id').allTextContents(), wanted.split(','), typed));
    }
    const said = spawnSync(program, ['find', file, typed, '--ids'], { encoding: 'utf8' });
    equal(said.stdout.trim().split(/\s+/).filter(Boolean).join(), wanted, `program: ${typed}`);
  }
}));

test('a word shows its kinds with counts, which narrow the query', () => withPage(async page => {
  await open(page);
  await type(page, 'kasparov');
  await page.waitForFunction(() => document.querySelectorAll('.kinds .chip[data-term]').length === 3);
  equal(await chips(page), ['Player 2', 'Event 1', 'Annotator 1'], 'kinds');
  await page.locator('.kinds .chip', { hasText: 'Event' }).click();
  await page.waitForFunction(() => /^1 of 6/.test(document.querySelector('#count').textContent));
  equal(await page.inputValue('#query'), 'event:kasparov', 'query');
  await type(page, 'linares 1993');
  await page.waitForFunction(() => /Event 1.*Year 1/s.test(document.querySelector('.kinds').textContent));
  await page.locator('.kinds .chip', { hasText: 'Event' }).click();
  await page.waitForFunction(() => document.querySelector('#query').value === 'event:linares 1993');
  // Each kind finds the stated number of games.
  for (const word of ['kasparov', 'linares', 'Sicilian', 'spassky']) {
    await type(page, word);
    await page.waitForFunction(word => document.querySelector('.kinds .chip[data-term]')?.dataset.term.endsWith(word), word);
    const kinds = await page.locator('.kinds .chip[data-term]').evaluateAll(all => all.map(one => [one.dataset.term, one.querySelector('b').textContent]));
    for (const [term, games] of kinds) {
      await type(page, term);
      await page.waitForFunction(games => document.querySelector('#count').textContent.startsWith(`${games} of`), games);
    }
  }
}));

test('nothing found: similar names, other meanings, the term to drop', () => withPage(async page => {
  await open(page);
  await type(page, 'Karpow');
  await page.locator('.empty .choices button', { hasText: 'Karpov, Anatoly' }).click();
  await page.waitForFunction(() => /^2 of 6/.test(document.querySelector('#count').textContent));
  await type(page, 'karpov 1994');
  await page.waitForFunction(() => /Without “year:1994” there are 2/.test(document.querySelector('.empty')?.textContent));
  await page.locator('.empty button', { hasText: 'Remove' }).click();
  await page.waitForFunction(() => /^2 of 6/.test(document.querySelector('#count').textContent));
  await type(page, 'Najdrof');
  await page.locator('.empty .choices button', { hasText: 'Najdorf' }).click();
  await page.waitForFunction(() => /^1 of 6/.test(document.querySelector('#count').textContent));
}));

test('the form writes the query, and reads one back', () => withPage(async page => {
  await open(page);
  await page.locator('.ftoggle').click();
  await page.locator('.sform [name=player]').pressSequentially('kaspa');
  await shown(page, '.sform .names:not([hidden]) li');
  equal(await page.locator('.sform .names:not([hidden]) li').allTextContents(), ['Kasparov, Garry2'], 'suggestions');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#query').value === 'player:"Kasparov, Garry"');
  await page.locator('.sform [name=colour]').selectOption('black');
  await page.locator('.sform [name=yearFrom]').fill('1980');
  await page.locator('.sform [name=yearTo]').fill('1989');
  await page.waitForFunction(() => document.querySelector('#query').value === 'black:"Kasparov, Garry" year:1980..1989');
  await page.waitForFunction(() => /^1 of 6/.test(document.querySelector('#count').textContent));
  await page.locator('.sform button', { hasText: 'Clear form' }).click();
  await page.locator('.sform [name=comments]').check();
  await page.waitForFunction(() => document.querySelector('#query').value === 'has:comments' && /^1 of 6/.test(document.querySelector('#count').textContent));
  await page.fill('#query', 'white:Fischer event:World-ch28 elo:2600.. -blitz');
  await page.waitForFunction(() => /** @type {any} */ (document.querySelector('.sform [name=player]')).value === 'Fischer');
  equal(await page.locator('.sform :is([name=colour], [name=event], [name=eloFrom])').evaluateAll((/** @type {any[]} */ all) => all.map(one => one.value)), ['white', 'World-ch28', '2600'], 'fields');
  ok((await page.locator('.kept').textContent()).includes('-blitz'), 'the rest is kept');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document.querySelector('.query'), { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForTimeout(300);
    equal(await overflow(page), [], `overflow at ${width}`);
    const inside = await page.locator('.sform').evaluate(form => form.scrollWidth - form.clientWidth);
    ok(inside <= 0, `the form is ${inside} px too wide at ${width}`);
  }
}));

test('values lead to their games, from the heading, the list, statistics and the tree', () => withPage(async page => {
  await open(page);
  await shown(page, '.ghead .tlink');
  await page.locator('.ghead .tlink', { hasText: 'Kasparov' }).click();
  await page.locator('.vmenu button', { hasText: 'with Black' }).click();
  await page.waitForFunction(() => document.querySelector('#query').value === 'black:"Kasparov, Garry"');
  await page.waitForFunction(() => /^1 of 6/.test(document.querySelector('#count').textContent));
  await page.locator('.clear:not(.ftoggle)').click();
  await page.locator('#list .rows .r').nth(3).click({ button: 'right' });
  await page.locator('.vmenu button', { hasText: 'Reykjavik' }).click();
  await page.waitForFunction(() => /^2 of 6/.test(document.querySelector('#count').textContent));
  await page.locator('#list').focus();
  await page.keyboard.press('Shift+F10');
  await shown(page, '.vmenu');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.vmenu', { state: 'detached' });
  await page.locator('.clear:not(.ftoggle)').click();
  await page.waitForFunction(() => /6 games/.test(document.querySelector('#count').textContent));
  await page.keyboard.press('3');
  await page.locator('.page .tlink', { hasText: 'White, 4' }).click();
  await page.waitForFunction(() => document.querySelector('#query').value === 'result:1-0' && /^4 of 6/.test(document.querySelector('#count').textContent));
  await page.locator('.chart .bar[data-term^="year:1972"]').first().click();
  await page.waitForFunction(() => document.querySelector('#query').value === 'result:1-0 year:1972');
  await page.locator('.clear:not(.ftoggle)').click();
  await page.waitForFunction(() => /6 games/.test(document.querySelector('#count').textContent));
  await page.keyboard.press('1');
  await page.locator('#board').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('2');
  await shown(page, '.through .thr');
  // The strongest first, by the average of both ratings.
  const ratings = GAMES.map((game, n) => [n, game[6] + game[7]]).sort((a, b) => b[1] - a[1]).map(([n]) => String(n));
  await page.waitForFunction(() => document.querySelectorAll('.through .thr').length === 6);
  equal(await page.locator('.through .thr').evaluateAll(all => all.map(one => one.dataset.game)), ratings, 'order');
}));

test('the report on a player', () => withPage(async page => {
  await drop(page, fixture('scid/masters', 'si4', 'sg4', 'sn4'));
  await type(page, 'player:kasparov');
  await page.locator('.kinds .chip', { hasText: 'Report on' }).click();
  await shown(page, 'dialog.wide .tab');
  const text = await page.locator('dialog.wide').textContent();
  ok(/Topalov/.test(text) && /Openings with White/.test(text), text);
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(found, [], 'axe');
  await page.locator('dialog .tlink', { hasText: 'Topalov' }).click();
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.waitForFunction(() => /Topalov/.test(document.querySelector('#query').value) && /^1 of/.test(document.querySelector('#count').textContent));
}));

test('the report counts one person and offers others', () => withPage(async page => {
  const file = fresh('alike.pgn');
  const names = ['Maple,S', 'Maple, Sue', 'S. Maple', 'Maple, Sam', 'Maple, Sue'];
  writeFileSync(file, names.map((name, n) => `[White "${name}"]\n[Black "Cedar, Ann"]\n[Round "${n}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n`).join(''));
  await drop(page, [file]);
  await page.locator('.gmenu').click();
  await page.locator('.vmenu button', { hasText: 'Report on Maple,S' }).click();
  const text = () => page.locator('dialog .plr').textContent();
  await shown(page, 'dialog .possible');
  ok(/^2 of 5/.test(await text()) && /Also written: S\. Maple \(1\)Perhaps/.test(await text()), await text());
  equal(await page.locator('dialog .possible .chip').allTextContents(), ['Maple, Sue (2)', 'Maple, Sam (1)'], 'offered');
  await page.evaluate(axe);
  const wrong = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations.filter((/** @type {any} */ one) => ['serious', 'critical'].includes(one.impact)).map((/** @type {any} */ one) => one.id));
  equal(wrong, [], 'axe');
  await page.locator('dialog .possible .chip', { hasText: 'Sue' }).click();
  await page.waitForFunction(() => /^4 of 5/.test(document.querySelector('dialog .plr').textContent));
  equal(await page.locator('dialog .possible .chip').allTextContents(), ['Maple, Sam (1)'], 'still offered');
  // The games of the report are those that it counted.
  await page.locator('dialog .tlink', { hasText: 'Cedar' }).click();
  await page.waitForFunction(() => /^4 of 5/.test(document.querySelector('#count').textContent));
}));

test('the search form keeps the meaning of every query', async () => {
  const file = fresh('search.pgn');
  writeFileSync(file, PGN);
  /** @param {string} query */
  const ask = query => spawnSync(program, ['find', file, query, '--ids'], { encoding: 'utf8' }).stdout;
  for (const [typed] of SEARCHES) {
    const { fields, rest } = readFields(typed);
    const written = writeFields(fields, rest);
    const again = readFields(written);
    equal([again.fields, again.rest], [fields, rest], `${typed} → ${written}`);
    equal(ask(written), ask(typed), `${typed} → ${written}`);
  }
  for (const [typed, wanted] of /** @type {[string, object][]} */ ([
    ['player:Tal year:1957..1961', { player: 'Tal', yearFrom: '1957', yearTo: '1961' }],
    ['white:"Kasparov, Garry" black:Karpov', { player: 'Kasparov, Garry', colour: 'white', opponent: 'Karpov' }],
    ['(Tal vs Keres) linares', { player: 'Tal', opponent: 'Keres', words: 'linares' }],
    ['eco:B90-B99 has:comments has:variations', { opening: 'B90-B99', comments: true, variations: true }],
    ['elo>=2500 moves:..20 ending:mate', { eloFrom: '2500', movesTo: '20', ending: 'mate' }],
    ['opening:"Sicilian, Najdorf" result:1/2-1/2', { opening: 'Sicilian, Najdorf', result: '1/2-1/2' }],
  ])) {
    const { fields, rest } = readFields(typed);
    const set = Object.entries(fields).filter(([, value]) => value);
    equal(set.sort(), Object.entries(wanted).sort(), typed);
    equal(rest, [], typed);
  }
  for (const kept of ['white:/^tal/', 'event:paris,london', '-player:Tal', 'a or b', 'fen:"8/8/8/8/8/8/8/8 w"', 'elo:2500,2600', 'material:KRPKR']) {
    const { fields, rest } = readFields(kept);
    equal(writeFields(fields, rest), kept, kept);
  }
  equal(withTerm('a or b', 'year:1990'), '(a or b) year:1990', 'alternatives');
  equal(withTerm('year:1990 Tal', 'year:1991'), 'Tal year:1991', 'the same key');
  equal(split('event:"a b" (x or y) -z'), ['event:"a b"', '(x or y)', '-z'], 'split');
});
