// Names of saved files, steps of the history, groups of targets, and texts of the program.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setLang } from '../../src/lang.js';
import { fromEnglish, limitText, lossText } from '../../src/faults.js';
import { queryWords, safeName, saveName } from '../../src/names.js';
import { makeSteps } from '../../src/travel.js';
import { grouped } from '../../src/targets.js';

/** Parts of a browser that the modules of the page use, for tests without one.
 * @param {string} language */
const inNode = language => {
  globalThis.document ??= /** @type {any} */ ({ documentElement: {} });
  setLang(language);
};

test('names of saved files hold what is saved, in letters that every file system allows', () => {
  inNode('en');
  for (const [query, words] of [
    ['Kasparov', 'Kasparov'], ['white:Tal year:1958..1961', 'Tal 1958-1961'], ['elo:2600..', 'elo 2600+'], ['year:..1900', '-1900'],
    ['"Carlsen, Magnus"', 'Carlsen, Magnus'], ['-player:Tal', 'not Tal'], ['result:1-0 or eco:B90-B99', 'result 1-0 or B90-B99'],
    ['fen:"8/8/8/8/8/8/8/K1k5 w"', 'position'], ['player:/^Tal,/', '^Tal,'], ['(Tal and Keres)', 'Tal Keres'], ['elo>=2600', 'elo 2600+'], ['', ''],
  ]) assert.deepEqual(queryWords(query), words, query);
  for (const [text, name] of [
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j'], ['..', 'games'], ['.hidden', 'hidden'], ['name. ', 'name'], ['CON', 'CON_'], ['nul.pgn', 'nul_.pgn'],
    ['Com1', 'Com1_'], ['console', 'console'], ['a\u0000b\u202ec', 'a b c'], ['Карпов', 'Карпов'], ['e\u0301', 'é'], ['\ud800x', 'x'], ['', 'games'],
  ]) assert.deepEqual(safeName(text), name, JSON.stringify(text));
  assert.deepEqual(saveName({ source: 'folder/games-100k.si4', scope: 'view', query: 'Kasparov' }), 'games-100k Kasparov', 'a filter');
  assert.deepEqual(saveName({ source: 'games-100k.si4', scope: 'all', query: 'Kasparov' }), 'games-100k', 'all games');
  assert.deepEqual(saveName({ source: 'C:\\bases\\old.cbh', scope: 'game', game: 'Anderssen – Kieseritzky' }), 'old Anderssen - Kieseritzky', 'one game');
  // Any text gives a name that is allowed.
  let state = 7;
  /** @param {number} most */
  const random = most => (state = Math.imul(state, 1103515245) + 12345 >>> 0) % most;
  for (let n = 0; n < 3000; n++) {
    const source = Array.from({ length: random(40) }, () => String.fromCharCode(random(8) ? random(128) : random(65536))).join('');
    const query = Array.from({ length: random(200) }, () => String.fromCharCode(random(3) ? 32 + random(96) : random(65536))).join('');
    const name = saveName({ source, scope: 'view', query });
    assert.ok(name.length && new TextEncoder().encode(name).length <= 201, `length of ${JSON.stringify(name)}`);
    assert.ok(!/[\u0000-\u001f\u007f<>:"/\\|?*]|^[. ]|[. ]$|^(con|nul)(\.|$)/i.test(name), JSON.stringify(name));
    assert.deepEqual(name, safeName(name), 'a name stays as it is');
  }
});

test('what is a step of the history, and what belongs to the step before', () => {
  // Time, what is shown, how it came, whether Back leads to what was before.
  const start = { base: 'a', view: 'games', query: '', game: 0 };
  /** @type {Record<string, [time: number, change: object, how: object, isStep: boolean][]>} */
  const table = {
    'views and games': [[0, { view: 'tree' }, {}, true], [10, { view: 'games' }, {}, true], [20, { game: 4 }, {}, true], [30, { game: 5 }, {}, true], [40, {}, {}, false]],
    'typing a query': [[0, { query: 'T' }, {}, true], [300, { query: 'Ta' }, {}, false], [1500, { query: 'Tal' }, {}, false], [9000, { query: 'Tal e' }, {}, true]],
    'the first game of a filter': [[0, { query: 'Tal', game: 0 }, {}, true], [50, { game: 7 }, { quiet: true }, false], [60, { game: 8 }, {}, true]],
    'running through the list': [[0, { game: 1 }, { quick: true }, true], [100, { game: 2 }, { quick: true }, false], [200, { game: 3 }, { quick: true }, false], [5000, { game: 4 }, { quick: true }, true]],
    'another database': [[0, { base: 'b' }, {}, true]],
  };
  for (const [what, list] of Object.entries(table)) {
    let now = 0;
    const steps = makeSteps(() => now);
    let shows = start;
    steps.start(shows);
    for (const [time, change, how, wanted] of list) {
      now = time;
      shows = { ...shows, ...change };
      assert.deepEqual(steps.isStep(shows, how), wanted, `${what}: ${JSON.stringify(change)} at ${time}`);
    }
  }
});

test('targets are in groups, none is left out', () => {
  const ids = ['si4', 'pgn', 'cbh', 'ca', 'new', 'si5', 'fbk'];
  const groups = grouped(ids.map(id => ({ id })));
  assert.deepEqual(groups.map(({ id }) => id), ['pgn', 'chessbase', 'scid', 'more'], 'groups');
  assert.deepEqual(groups.flatMap(({ formats }) => formats.map(({ id }) => id)), ['pgn', 'cbh', 'fbk', 'si5', 'si4', 'ca', 'new'], 'formats');
});

test('texts of the program are in the language of the reader', () => {
  /** @type {(language: string, text: string) => string | null} */
  const said = (language, text) => { inNode(language); return fromEnglish(text); };
  assert.deepEqual(said('de', 'expected a number or a range such as 20..40'), 'erwartet wird eine Zahl oder ein Bereich wie 20..40', 'an expectation');
  assert.deepEqual(said('ru', 'unknown key; did you mean player?'), 'такого ключа нет; может быть, player?', 'a proposal');
  assert.deepEqual(said('es', 'this range is reversed; write 1..9'), 'el intervalo está al revés; escriba 1..9', 'an example');
  assert.deepEqual(said('de', 'text that no one has ever written'), null, 'no words');
  assert.deepEqual(said('en', 'a value is missing'), 'a value is missing', 'English');
  inNode('de');
  assert.deepEqual(lossText({ code: 'comment', text: '', count: 1200, games: 7, first: [3, 9] }), 'Kommentare weggelassen: 1.200 (Partien 3, 9, …)', 'a loss');
  assert.deepEqual(lossText({ code: 'not-yet-known', text: '3 things left out', count: 3, games: 0, first: [] }), '3 things left out', 'an unknown loss');
  assert.ok(/höchstens 250/.test(limitText({ text: '', of: 'Scid', what: 'games', limit: 250, games: 2, first: 9 })), 'a limit');
  inNode('en');
});

