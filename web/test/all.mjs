// Tests of the page in a browser: `node test/all.mjs FOLDER [NAME]`. FOLDER is the output of
// `cargo xtask web`; the variable CHESSDB names the program to compare the page with.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { drop, start, watched } from './browser.mjs';
import { equal, ok, own, runAll, test } from './check.mjs';

const [folder, only] = process.argv.slice(2);
const single = pathToFileURL(join(resolve(folder), 'chessdb.html')).href;
const fixtures = resolve('../fixtures');
const program = process.env.CHESSDB;
const work = mkdtempSync(join(tmpdir(), 'chessdb-web-'));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs a test with a page, and checks that it caused no request, console line or error. */
async function withPage(run, { url = single, quiet = true, allow = [] } = {}) {
  const { page, noted } = await watched(own.getStore().context, url);
  try {
    await run(page, noted);
    if (quiet) {
      equal(noted.errors, [], 'errors');
      equal(noted.lines.filter(line => !allow.some(one => line.includes(one))), [], 'lines on the console');
      equal(noted.requests.filter(request => request !== url.split('#')[0]), [], 'requests');
    }
  } finally {
    await page.close();
  }
}

const count = page => page.locator('#count').textContent();
const fen = page => page.locator('#board').getAttribute('data-fen');
const shown = (page, selector) => page.waitForSelector(selector);

/** Returns the piece placement of the FEN, from the elements of the board. */
const men = page => page.evaluate(() => {
  const letters = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
  const squares = {};
  for (const piece of document.querySelectorAll('cg-board piece')) {
    const [color, role] = piece.cgPiece.split(' ');
    squares[piece.cgKey] = color === 'white' ? letters[role].toUpperCase() : letters[role];
  }
  return Array.from({ length: 8 }, (_, row) => Array.from({ length: 8 }, (_, file) =>
    squares['abcdefgh'[file] + (8 - row)] || '1').join('').replace(/1+/g, ones => ones.length)).join('/');
});

/** Converts this PGN to another format with the program, and returns the files. */
function made(pgn, suffix) {
  const at = mkdtempSync(join(work, 'made-'));
  const { status } = spawnSync(program, ['convert', '--quiet', pgn, join(at, 'base.' + suffix)], { stdio: ['ignore', 'ignore', 'inherit'] });
  // 1: the format cannot hold everything.
  ok(status < 2, `${suffix}: exit code ${status}`);
  return readdirSync(at).map(name => join(at, name));
}

async function saved(page, format) {
  await page.keyboard.press('s');
  await page.locator(`dialog input[value="${format}"]`).check();
  await page.locator('dialog input[value=all]').check({ force: true });
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  const path = join(mkdtempSync(join(work, 'saved-')), download.suggestedFilename());
  await download.saveAs(path);
  await page.locator('dialog .main').click();
  return { path, name: download.suggestedFilename() };
}

const romantics = join(fixtures, 'pgn/clean/romantics.pgn');
// The piece placement at the end of Morphy's Opera game.
const OPERA = '1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5';

// A book has no headers to list, and a table of Parquet is in the larger build only.
const listed = JSON.parse(execFileSync(program, ['formats', '--json'], { encoding: 'utf8' })).formats
  .filter(({ id, reads, writes }) => reads && writes && !['fbk', 'parquet'].includes(id));
for (const suffix of listed.map(({ files }) => files[0])) {
  test(`a base in ${suffix}: listed, filtered, stepped through, saved`, () => withPage(async page => {
    const files = suffix === 'pgn' ? [romantics] : made(romantics, suffix);
    await drop(page, files);
    equal(await count(page), 'All 10 games', 'count');
    await page.fill('#query', 'white:Morphy');
    await page.waitForFunction(() => /^1 of 10/.test(document.querySelector('#count').textContent));
    await page.locator('#query').press('Escape');
    await shown(page, '.moves .m');
    await page.keyboard.press('End');
    await page.locator('#board').focus();
    await page.keyboard.press('End');
    await page.waitForFunction(men => document.querySelector('#board').dataset.fen.startsWith(men), OPERA);
    await page.waitForTimeout(50);
    equal(await men(page), OPERA, 'men on the board');
    const title = await page.locator('.ghead h2').textContent();
    ok(title.startsWith('Morphy'), title);
    const { path } = await saved(page, 'pgn');
    const out = join(work, `cli-${suffix}.pgn`);
    const main = files.find(file => file.endsWith('.' + suffix)) || files[0];
    execFileSync(program, ['convert', '--quiet', main, out], { stdio: ['ignore', 'ignore', 'inherit'] });
    ok(readFileSync(path).equals(readFileSync(out)), `PGN differs from what the program writes: ${path} ${out}`);
  }));
}

test('a set saved as zip is the set that the program writes, and opens again', () => withPage(async page => {
  await drop(page, [romantics]);
  const { path, name } = await saved(page, 'si4');
  equal(name, 'romantics.zip', 'name');
  const at = join(work, 'unzipped');
  mkdirSync(at);
  execFileSync('python3', ['-m', 'zipfile', '-e', path, at]);
  const files = made(romantics, 'si4');
  for (const file of files) {
    const own = readFileSync(join(at, 'romantics.' + file.split('.').pop()));
    ok(own.equals(readFileSync(file)), `${file} differs`);
  }
  await page.locator('.top .mark').click();
  await drop(page, [path]);
  equal(await page.locator('.basename h1').textContent(), 'romantics.si4', 'name');
  equal(await count(page), 'All 10 games', 'count');
}));

test('SQLite and Parquet are saved by the larger module, which keeps query and game', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.fill('#query', 'year:1800..1900');
  await page.waitForFunction(() => / of 10/.test(document.querySelector('#count').textContent));
  const listed = await count(page);
  await page.locator('#query').press('Escape');
  const sqlite = await saved(page, 'jose');
  const [file] = made(romantics, 'sqlite');
  // Ignores the version of SQLite, which differs on the web.
  const rows = path => readFileSync(path).fill(0, 96, 100);
  ok(rows(sqlite.path).equals(rows(file)), 'the SQLite file is not the one of the program');
  equal(await count(page), listed, 'the query stays');
  const { path } = await saved(page, 'parquet');
  await page.locator('.top .mark').click();
  await page.reload();
  await drop(page, [path]);
  equal(await page.locator('.basename span').textContent(), '  ·  Parquet  ·  10', 'format');
  const again = await saved(page, 'pgn');
  const out = join(work, 'plain.pgn');
  execFileSync(program, ['convert', '--quiet', romantics, out], { stdio: ['ignore', 'ignore', 'inherit'] });
  // A table has the tags in a different order.
  const lines = path => readFileSync(path, 'utf8').split('\n').sort();
  equal(lines(again.path), lines(out), 'the games of the table');
}));

test('folders, several bases and a real drop', () => withPage(async page => {
  await page.locator('#folder').setInputFiles(join(fixtures, 'scid'));
  await shown(page, '.bases');
  ok(await page.locator('.bases li').count() > 5, 'bases of the folder');
  await page.locator('.bases button', { hasText: 'annotated.si4' }).click();
  await shown(page, '.listholder');
  equal(await count(page), 'All 70 games', 'count');
  await page.locator('.top .mark').click();
  const text = readFileSync(romantics, 'utf8');
  const transfer = await page.evaluateHandle(text => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.pgn'));
    return transfer;
  }, text);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  ok(await page.locator('.over').isVisible(), 'says that it can be released');
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await shown(page, '.listholder');
  equal(await page.locator('.basename h1').textContent(), 'dropped.pgn', 'name');
}));

test('packed files', () => withPage(async page => {
  for (const suffix of ['gz', 'zst']) {
    const packed = join(work, 'packed.pgn.' + suffix);
    if (suffix === 'gz') execFileSync('python3', ['-c', 'import gzip,sys;open(sys.argv[2],"wb").write(gzip.compress(open(sys.argv[1],"rb").read()))', romantics, packed]);
    else execFileSync(program, ['convert', '--quiet', romantics, packed], { stdio: ['ignore', 'ignore', 'inherit'] });
    await drop(page, [packed]);
    equal(await count(page), 'All 10 games', suffix);
    await page.locator('.top .mark').click();
  }
}));

test('a locked archive asks for its password, by the keyboard alone', () => withPage(async page => {
  await page.locator('#files').setInputFiles(join(fixtures, 'cbh/locked.cbz'));
  await shown(page, '.lockform');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations.filter(one => ['serious', 'critical'].includes(one.impact)).map(one => one.id));
  equal(found, [], 'axe');
  equal(await page.evaluate(() => document.activeElement.id), 'password', 'focus');
  await page.keyboard.type('closed sesame');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /Wrong password/.test(document.querySelector('.wrong').textContent));
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await shown(page, '.listholder');
  // The database is read again, and opens.
  await page.keyboard.press('s');
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.keyboard.press('Escape');
  ok(/games/.test(await count(page)), 'listed');
  await page.locator('.top .mark').click();
  await page.locator('#files').setInputFiles(join(fixtures, 'cbh/locked.cbz'));
  await shown(page, '.lockform');
  await page.locator('.lockform button[type=button]').click();
  ok(await page.getByRole('button', { name: 'Choose files…' }).isVisible(), 'back on the first screen');
}));

test('what a filter and a game would lose is told before saving', () => withPage(async page => {
  const file = join(work, 'losses.pgn');
  writeFileSync(file, '[White "A"]\n\n1. e4 {a word} *\n\n[White "B"]\n[Zebra "stripes"]\n\n1. e4 *\n\n[White "C"]\n\n1. e4 *\n');
  await drop(page, [file]);
  await page.fill('#query', 'white:C');
  await page.waitForFunction(() => /^1 of 3/.test(document.querySelector('#count').textContent));
  await page.locator('#query').press('Escape');
  await page.keyboard.press('s');
  const told = () => page.locator('dialog label', { has: page.locator('input[value=cbf]') }).locator('small').textContent();
  const becomes = async (scope, wanted) => {
    await page.locator(`dialog input[value=${scope}]`).check({ force: true });
    for (let n = 0; n < 100 && !wanted.test(await told()); n++) await page.waitForTimeout(30);
    ok(wanted.test(await told()), `${scope}: ${await told()}`);
  };
  await becomes('view', /nothing/i);
  await becomes('all', /[123] games?/);
  await becomes('view', /nothing/i);
}));

test('a position is put together by keys and by clicks, and found', () => withPage(async page => {
  await drop(page, [romantics]);
  await page.keyboard.press('e');
  await shown(page, '.board.edit');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run(document.querySelector('dialog'), { resultTypes: ['violations'] })).violations.filter(one => ['serious', 'critical'].includes(one.impact)).map(one => one.id));
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
  await page.locator('dialog input[name=whole]').last().check({ force: true });
  equal(await page.locator('dialog .term').textContent(), 'fen:' + OPERA, 'the whole board');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
}));

test('texts beside the games are shown, and their markup is none of the page\'s', () => withPage(async page => {
  const files = made(romantics, 'cbh');
  const [index, games] = ['.cbh', '.cbg'].map(suffix => files.find(file => file.endsWith(suffix)));
  const words = text => Buffer.from(text, 'utf8');
  const short = number => { const bytes = Buffer.alloc(2); bytes.writeUInt16LE(number); return bytes; };
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
  const file = join(work, 'openings.pgn');
  writeFileSync(file, '[White "A"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[White "B"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n');
  await drop(page, [file]);
  await page.waitForFunction(() => /Ruy Lopez/.test(document.querySelector('.ghead')?.textContent));
  await page.locator('#board').focus();
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('2');
  await page.waitForFunction(() => /Ruy Lopez.*Italian Game|Italian Game.*Ruy Lopez/s.test(document.querySelector('.tree tbody')?.textContent));
}));

test('what is no base is refused with words', () => withPage(async page => {
  const empty = join(work, 'empty.si4');
  const letter = join(work, 'letter.doc');
  const sqlite = join(work, 'games.sqlite');
  const table = join(work, 'games.parquet');
  writeFileSync(empty, '');
  writeFileSync(letter, Buffer.from('d0cf11e0a1b11ae1000000', 'hex'));
  writeFileSync(sqlite, 'SQLite format 3\0' + '\0'.repeat(100));
  writeFileSync(table, 'PAR1' + '\0'.repeat(100));
  const lonely = join(fixtures, 'scid/annotated.si4');
  for (const [file, words] of [[empty, /empty\.si4.*is empty/], [letter, /letter\.doc.*not a chess database/], [lonely, /annotated\.s[gn]4.*missing/], [sqlite, /games\.sqlite/], [table, /games\.parquet/]]) {
    await page.locator('#files').setInputFiles(file);
    await page.waitForFunction(source => new RegExp(source).test(document.querySelector('.note')?.textContent || ''), words.source)
      .catch(async () => { throw new Error(`${file}: ${await page.locator('.note').textContent().catch(() => 'no note')}`); });
  }
}));

test('a damaged base shows what can be read', () => withPage(async page => {
  const files = made(romantics, 'si4');
  const moves = files.find(file => file.endsWith('.sg4'));
  const bytes = readFileSync(moves);
  writeFileSync(moves, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
  await drop(page, files);
  equal(await count(page), '10 games', 'count');
  await shown(page, '.r.dam');
  await page.keyboard.press('4');
  await shown(page, '.find.w');
  ok(/damaged/.test(await page.locator('.find.w').first().textContent()), 'says so');
}));

test('hostile texts are text', () => withPage(async page => {
  const file = join(work, 'hostile.pgn');
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
  await page.locator('.empty button').press('Enter');
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
  const file = join(work, 'many.pgn');
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

test('a long conversion can be cancelled, and the base is there again', () => withPage(async page => {
  const file = join(work, 'long.pgn');
  const game = n => `[White "Player ${n}"]\n[Black "B"]\n[Date "1999.01.01"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 1-0\n\n`;
  writeFileSync(file, Array.from({ length: 240_000 }, (_, n) => game(n)).join(''));
  await drop(page, [file]);
  await page.fill('#query', 'white:77');
  // The page shows a running count during the search and announces the number at the end.
  await page.waitForFunction(() => {
    const { textContent } = document.querySelector('#count');
    return / of 240,000/.test(textContent) && document.querySelector('#said').textContent === textContent;
  });
  const found = await count(page);
  await page.locator('#query').press('Escape');
  await page.keyboard.press('s');
  await page.locator('dialog input[value=cdp], dialog input[value=ca]').check();
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.locator('dialog .main').click();
  await shown(page, 'dialog .prog');
  await page.locator('dialog footer .btn').click();
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.waitForFunction(found => document.querySelector('#count')?.textContent === found, found);
  await page.waitForFunction(() => /Cancelled/.test(document.querySelector('#said').textContent));
  await shown(page, '.rows .won');
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
  const file = join(work, 'letters.pgn');
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

/** What is wider or higher than the window, or could be scrolled although it is no pane. */
const overflow = page => page.evaluate(() => {
  const found = [];
  for (const element of [document.documentElement, document.body, document.querySelector('#app.open')]) {
    if (!element) continue;
    const [wide, high] = [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight];
    if (wide > 0 || (high > 0 && document.querySelector('#app.open'))) found.push(`${element.id || element.tagName}: ${wide} × ${high}`);
    element.scrollTop = 99;
    if (document.querySelector('#app.open') && element.scrollTop) found.push(`${element.id || element.tagName} scrolls`);
  }
  for (const pane of document.querySelectorAll('.page, .moves, .left > .list, .inner')) {
    if (pane.scrollWidth > pane.clientWidth) found.push(`${pane.className}: ${pane.scrollWidth - pane.clientWidth} too wide`);
  }
  for (const one of document.querySelectorAll('.ctl button, .nav a, .top button, .board, .strip, .facts-bar')) {
    const box = one.getBoundingClientRect();
    if (box.width && (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1)) {
      found.push(`${one.className || one.getAttribute('aria-label') || one.textContent} is outside`);
    }
  }
  return found;
});

const SIZES = [[1280, 800], [360, 740], [2560, 1440], [390, 844], [768, 1024], [1024, 768], [1366, 768], [1920, 1080], [844, 390]];
for (const [width, height, dark] of SIZES.flatMap(size => [[...size, false], [...size, true]])) {
  const all = [360, 1280, 2560].includes(width) && !dark ? ['en', 'de', 'ru', 'es'] : ['en', 'de'];
  test(`every view at ${width} px, ${dark ? 'dark' : 'light'}, in ${all.length} languages: nothing clipped, axe content`, () => withPage(async page => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    const look = async (what, withAxe) => {
      equal(await overflow(page), [], `${what}: overflow`);
      const keys = await page.evaluate(() => document.body.innerText.match(/\b(col|nav|st|base|save|enc|loss|health|bad|say|tree|game|go|find|none)\.[a-z]+[A-Za-z]*/g));
      equal(keys, null, `${what}: words without translation`);
      if (!withAxe) return;
      await page.evaluate(axe);
      const found = await page.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
        .filter(one => ['serious', 'critical'].includes(one.impact))
        .map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node => node.target.join(' ')).join(' | ')}`));
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

/** The files of a fixture set by its stem. */
const fixture = (stem, ...suffixes) => suffixes.map(suffix => join(fixtures, `${stem}.${suffix}`));

test('only one file of a set: says which are missing, and never that nothing was lost', () => withPage(async page => {
  await drop(page, fixture('cbh/text', 'cbh'));
  await shown(page, '.facts-bar:not([hidden])');
  const bar = await page.locator('.facts-bar').textContent();
  ok(/6 files are missing .*\.cbg.*choose all files named text/.test(bar), bar);
  equal(await count(page), '28 games', 'count');
  const checked = JSON.parse(spawnSync(program, ['check', '--json', join(made(romantics, 'cbh').find(file => file.endsWith('.cbh')))], { encoding: 'utf8' }).stdout);
  equal(checked.bases[0].lost, 0, 'the whole set');
  await page.keyboard.press('s');
  await page.locator('dialog input[value=all]').check({ force: true });
  await page.waitForFunction(() => document.querySelectorAll('.lossbox li').length > 5);
  const before = await page.locator('.lossbox li').allTextContents();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
  await download.cancel();
  await shown(page, 'dialog [role=status] li');
  equal(await page.locator('.lossbox li').allTextContents(), before, 'the same list before and after');
  ok(!/Nothing was lost/.test(await page.locator('dialog').textContent()), 'not fine');
  await page.locator('dialog .main').click();
  await page.keyboard.press('4');
  await shown(page, '.find.w');
  await page.waitForFunction(() => /read 28 of 28/.test(document.querySelector('.c7 small')?.textContent));
  equal(await page.locator('.find.g').count(), 0, 'no green sign');
}));

test('every damaged or incomplete set: a finding of check is a finding of the page', () => withPage(async page => {
  const letter = join(work, 'letter.pgn');
  writeFileSync(letter, 'Dear friend,\n\nhow are you?\n');
  const half = mkdtempSync(join(work, 'half-'));
  for (const [n, file] of fixture('scid/annotated', 'si4', 'sg4', 'sn4').entries()) {
    const bytes = readFileSync(file);
    writeFileSync(join(half, 'annotated.' + ['si4', 'sg4', 'sn4'][n]), n ? bytes : bytes.subarray(0, bytes.length / 2));
  }
  const broken = mkdtempSync(join(work, 'broken-'));
  for (const [n, file] of fixture('scid/annotated', 'si4', 'sg4', 'sn4').entries()) {
    const bytes = readFileSync(file);
    if (n === 2) for (let at = 60; at < bytes.length; at += 7) bytes[at] ^= 0x5a;
    writeFileSync(join(broken, 'annotated.' + ['si4', 'sg4', 'sn4'][n]), bytes);
  }
  const all = folder => ['si4', 'sg4', 'sn4'].map(suffix => join(folder, 'annotated.' + suffix));
  for (const files of [[letter], all(half), all(broken), [romantics]]) {
    const checked = JSON.parse(spawnSync(program, ['check', '--json', files[0]], { encoding: 'utf8' }).stdout).bases[0];
    await drop(page, files);
    if (await page.locator('.note').count()) {
      ok(checked.error, `${files[0]}: opened by the program`);
      continue;
    }
    const damage = checked.lost + checked.repaired > 0;
    await page.waitForTimeout(400);
    equal(await page.locator('.facts-bar:not([hidden])').count(), damage ? 1 : 0, `${files[0]}: bar`);
    equal(/^All/.test(await count(page)), !damage, `${files[0]}: ${await count(page)}`);
    await page.keyboard.press('4');
    await page.waitForFunction(() => document.querySelector('.c7 .hh') && !/Being read/.test(document.querySelector('.c7 .hh').textContent));
    equal(await page.locator('.find.g').count(), checked.findings.length ? 0 : 1, `${files[0]}: green sign`);
    await page.locator('.top .mark').click();
  }
}));

test('a folder with a locked archive opens the rest, and the archive by its password', () => withPage(async page => {
  const at = mkdtempSync(join(work, 'mixed-'));
  writeFileSync(join(at, 'open.pgn'), readFileSync(romantics));
  writeFileSync(join(at, 'locked.cbz'), readFileSync(join(fixtures, 'cbh/locked.cbz')));
  await page.locator('#folder').setInputFiles(at);
  await shown(page, '.bases');
  equal(await page.locator('.bases li').count(), 2, 'both are listed');
  await page.locator('.bases button', { hasText: 'open.pgn' }).click();
  await shown(page, '.listholder');
  equal(await count(page), 'All 10 games', 'count');
  await page.locator('.top .mark').click();
  await page.locator('#folder').setInputFiles(at);
  await page.locator('.bases button', { hasText: 'locked.cbz' }).click();
  await shown(page, '.lockform');
  await page.keyboard.type('open sesame');
  await page.keyboard.press('Enter');
  await shown(page, '.listholder');
}));

test('what will be lost and what was lost are the same list for every target', () => withPage(async page => {
  await drop(page, fixture('scid/annotated', 'si4', 'sg4', 'sn4'));
  for (const format of ['pgn', 'cbh', 'cbf', 'ca', 'si3', 'dcx']) {
    await page.keyboard.press('s');
    await page.locator('dialog input[value=all]').check({ force: true });
    await page.locator(`dialog input[value="${format}"]`).check();
    await page.waitForFunction(() => document.querySelector('.lossbox b') && !/…/.test(document.querySelector('dialog .opt:has(:checked) small').textContent));
    await page.waitForFunction(() => document.querySelector('.lossbox li'));
    const before = await page.locator('.lossbox li').allTextContents();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('dialog .main').click()]);
    await download.cancel();
    await shown(page, 'dialog [role=status]');
    equal(await page.locator('.lossbox li').allTextContents(), before, format);
    await page.locator('dialog .main').click();
  }
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
  const file = join(work, 'rated.pgn');
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

test('a printed game has its board and moves', () => withPage(async page => {
  await drop(page, [romantics]);
  await shown(page, '.moves .m');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const found = await page.evaluate(() => {
    const board = document.querySelector('#board').getBoundingClientRect();
    const inside = [...document.querySelectorAll('cg-board piece')].filter(piece => {
      const box = piece.getBoundingClientRect();
      return box.left >= board.left - 1 && box.right <= board.right + 1 && box.bottom <= board.bottom + 1;
    });
    const shown = selector => document.querySelector(selector).getBoundingClientRect().height > 0;
    return { board: board.width, pieces: inside.length, list: shown('.left'), moves: shown('.moves'), head: shown('.ghead h2'),
      color: getComputedStyle(document.querySelector('cg-board piece')).printColorAdjust };
  });
  equal(found, { board: 352, pieces: 32, list: false, moves: true, head: true, color: 'exact' }, 'print');
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
  const answers = ['dismiss', 'accept'];
  page.on('dialog', dialog => dialog[answers.shift()]());
  await page.goBack();
  await page.waitForTimeout(200);
  await shown(page, '.app.s-list');
  equal(answers.length, 1, 'asked');
  await page.goBack();
  await shown(page, '.dropv');
}));

test('an error that nobody expects is shown', () => withPage(async (page, noted) => {
  await drop(page, [romantics]);
  await page.evaluate(() => { Promise.reject(new Error('the rook is on a rim')); });
  await page.waitForFunction(() => /the rook is on a rim/.test(document.querySelector('.alarm')?.textContent));
  equal(noted.errors.length, 1, 'and on the console');
}, { quiet: false }));

test('hosted, nothing but its own files is asked for, the larger module when it is needed', async () => {
  const server = createServer((request, answer) => {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    const type = { html: 'text/html', css: 'text/css', js: 'text/javascript' }[name.split('.').pop()];
    try {
      const bytes = readFileSync(join(folder, 'site', name));
      answer.writeHead(200, { 'Content-Type': type }).end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
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
    server.close();
  }
});

/** Starts the program with its page. Returns the process, the address and its end. */
async function view(...bases) {
  const child = spawn(program, ['view', '--no-open', '--page', join(folder, 'view.html'), ...bases], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, url: String(line).trim(), ended: once(child, 'exit') };
}

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

const failed = await runAll(only, () => start({ viewport: { width: 1280, height: 800 } }));
rmSync(work, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
