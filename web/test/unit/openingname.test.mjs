// The names of openings in other languages.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { LANGUAGES, setLang } from '../../src/lang.js';
import { openingName } from '../../src/openingname.js';
import { KINDS, OPENINGS, QUALIFIERS } from '../../src/openingtable.js';

Object.assign(globalThis, { document: { documentElement: {} } });

const list = readFileSync(new URL('../../../crates/chessdb-query/src/openings.tsv', import.meta.url), 'utf8');
const NAMES = [...new Set(list.trim().split('\n').map(line => line.split('\t')[1]))];

const CASES = [
  ['Sicilian Defense', 'Sizilianische Verteidigung', 'Сицилианская защита', 'Defensa siciliana'],
  ['Sicilian Defense: Najdorf Variation, English Attack', 'Sizilianische Verteidigung: Najdorf-Variante, Englischer Angriff', 'Сицилианская защита: вариант Найдорфа, английская атака', 'Defensa siciliana: variante Najdorf, ataque inglés'],
  ['French Defense: Advance Variation', 'Französische Verteidigung: Vorstoßvariante', 'Французская защита: закрытый вариант', 'Defensa francesa: variante del avance'],
  ['Ruy Lopez: Berlin Defense', 'Spanische Partie: Berliner Verteidigung', 'Испанская партия: берлинская защита', 'Apertura española: defensa berlinesa'],
  ['Ruy Lopez: Closed', 'Spanische Partie: Geschlossene Variante', 'Испанская партия: закрытый вариант', 'Apertura española: variante cerrada'],
  ['Benko Gambit Accepted', 'Angenommenes Wolga-Gambit', 'Принятый волжский гамбит', 'Gambito Benko aceptado'],
  ['Italian Game: Two Knights Defense', 'Italienische Partie: Zweispringerverteidigung', 'Итальянская партия: защита двух коней', 'Apertura italiana: defensa de los dos caballos'],
  ['C50 Italian Game: Giuoco Piano', 'C50 Italienische Partie: Giuoco Piano', 'C50 Итальянская партия: Джуоко пиано', 'C50 Apertura italiana: Giuoco Piano'],
  ['Bird Opening: Hobbs Gambit', 'Bird-Eröffnung: Hobbs-Gambit', 'Дебют Бёрда: Hobbs Gambit', 'Apertura Bird: gambito Hobbs'],
  ["King's Gambit Accepted: Bishop's Gambit", 'Angenommenes Königsgambit: Läufergambit', 'Принятый королевский гамбит: слоновый гамбит', 'Gambito de rey aceptado: gambito del alfil'],
  // From a tag of a game, in words that no list has.
  ['Sizilianisch', 'Sizilianisch', 'Sizilianisch', 'Sizilianisch'],
  ['', '', '', ''],
];

test('openings are named as players of the language name them', () => {
  for (const [name, ...expected] of CASES) {
    assert.deepEqual(LANGUAGES.map(lang => {
      setLang(lang);
      return openingName(name).text;
    }), [name, ...expected]);
  }
});

test('every opening of the list has a name, in German and Spanish almost always a translated one', () => {
  for (const [lang, most] of /** @type {[string, number][]} */ ([['de', 20], ['es', 20], ['ru', 200]])) {
    setLang(lang);
    const names = NAMES.map(openingName);
    assert.ok(names.every(({ text }) => text && !/(?<!\d)\+|[*|]|undefined|-(?= |$)/.test(text)), lang);
    assert.ok(names.filter(name => name.lang === 'en').length <= most, lang);
    assert.ok(names.every(name => name.lang === 'en' || name.lang === lang));
    // Two openings never become one.
    const first = new Set(NAMES.map(name => name.split(': ')[0]));
    assert.equal(new Set([...first].map(name => openingName(name).text)).size, first.size, lang);
  }
});

test('the tables have a column for each language', () => {
  for (const text of [OPENINGS, KINDS, QUALIFIERS]) {
    const rows = text.trim().split('\n').map(line => line.split('|'));
    assert.deepEqual(rows.filter(row => row.length !== LANGUAGES.length), []);
    assert.equal(new Set(rows.map(row => row[0])).size, rows.length);
  }
});
