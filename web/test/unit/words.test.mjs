// Every word in four languages, with every plural form, and the same placeholders.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { LANGUAGES } from '../../src/lang.js';
import { WORDS } from '../../src/words.js';

const src = new URL('../../src/', import.meta.url);
const sources = readdirSync(src).filter(name => name.endsWith('.js') && name !== 'words.js')
  .map(name => ({ name, text: readFileSync(new URL(name, src), 'utf8') }));

/** The forms of a word in one language.
 * @param {string | Record<string, string>} word */
const forms = word => (typeof word === 'string' ? [word] : Object.values(word));

/** @param {string} text */
const placeholders = text => [...new Set(text.match(/\{\w+\}/g))].sort().join(' ');

for (const [key, words] of Object.entries(WORDS)) {
  test(key, () => {
    assert.equal(words.length, LANGUAGES.length, 'languages');
    const wanted = [...new Set(forms(words[0]).flatMap(form => form.match(/\{\w+\}/g) ?? []))].sort().join(' ');
    for (const [n, word] of words.entries()) {
      const language = LANGUAGES[n];
      if (typeof word === 'object') {
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
        assert.deepEqual(Object.keys(word).sort(), [...pluralCategories].sort(), `plural forms in ${language}`);
      }
      for (const [category, form] of typeof word === 'string' ? [['other', word]] : Object.entries(word)) {
        assert.ok(form.trim(), `an empty text in ${language}`);
        assert.equal(form, form.trim(), `spaces around the text in ${language}`);
        // "one game" need not name the number.
        const found = category === 'one' ? placeholders(form + (form.includes('{n}') || !wanted.includes('{n}') ? '' : '{n}')) : placeholders(form);
        assert.equal(found, wanted, `placeholders in ${language}, ${category}`);
      }
    }
  });
}

test('no key is defined in two files', async () => {
  const folder = new URL('words/', src);
  /** @type {Map<string, string>} */
  const owners = new Map();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    for (const words of Object.values(await import(new URL(name, folder).href))) {
      for (const key of Object.keys(words)) {
        assert.equal(owners.get(key), undefined, `${key} in ${name}`);
        owners.set(key, name);
        assert.ok(WORDS[key], `${key} of ${name} is not among the words`);
      }
    }
  }
  const own = readFileSync(new URL('words.js', src), 'utf8');
  for (const [key, name] of owners) assert.ok(!own.includes(`\n  "${key}":`) && !own.includes(`\n  '${key}':`), `${key} in ${name} and words.js`);
});

test('every key that the page asks for has words', () => {
  for (const { name, text } of sources) {
    for (const [, key] of text.matchAll(/\bt\('([\w.]+)'/g)) {
      // The beginning of a key, to which a name is added.
      if (key.endsWith('.')) assert.ok(Object.keys(WORDS).some(known => known.startsWith(key)), `${key}… in ${name}`);
      else assert.ok(WORDS[key], `${key} in ${name}`);
    }
  }
});

test('every key is asked for', () => {
  const all = sources.map(({ text }) => text).join('\n');
  const begun = [...all.matchAll(/'([a-z.]+\.)'\s*\+/g)].map(([, begin]) => begin);
  const unused = Object.keys(WORDS).filter(key => !all.includes(`'${key}'`) && !begun.some(begin => key.startsWith(begin)));
  assert.deepEqual(unused, []);
});
