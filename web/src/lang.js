// The reader's language: words, numbers, dates.

import { WORDS } from './words.js';

export const LANGUAGES = ['en', 'de', 'ru', 'es'];

let language = 0;
let plural = new Intl.PluralRules('en');
let numbers = new Intl.NumberFormat('en-GB');

export const lang = () => LANGUAGES[language];

/** @param {string} name */
export function setLang(name) {
  language = Math.max(0, LANGUAGES.indexOf(name));
  const locale = lang() === 'en' ? 'en-GB' : lang();
  plural = new Intl.PluralRules(lang());
  numbers = new Intl.NumberFormat(locale, { useGrouping: 'always' });
  document.documentElement.lang = lang();
}

/** The language that the reader's browser asks for, if the page has it. */
export const ownLang = () =>
  (navigator.languages || []).map(name => name.slice(0, 2)).find(name => LANGUAGES.includes(name)) || 'en';

/** @param {number} number */
export const nf = number => numbers.format(number);

/** Whether there are words for a key.
 * @param {string} key */
export const has = key => Object.hasOwn(WORDS, key);

/** The words of a key; numbers among the parameters are written as the language does.
 * @param {string} key
 * @param {Record<string, string | number | null | undefined>} [parameters]
 * @returns {string} */
export function t(key, parameters) {
  const found = WORDS[key]?.[language] ?? key;
  const words = typeof found === 'string' ? found : found[plural.select(Number(parameters?.n ?? 0))] ?? found.other;
  return words.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = parameters?.[name];
    if (value == null) return whole;
    return typeof value === 'number' ? nf(value) : value;
  });
}

/** @param {number} share from 0 to 1 */
export const percent = (share, digits = 1) => new Intl.NumberFormat(lang(), {
  minimumFractionDigits: digits, maximumFractionDigits: digits,
}).format(share * 100);

/** @param {number} size in bytes */
export function bytes(size) {
  /** @type {(value: number, unit: string) => string} */
  const format = (value, unit) => new Intl.NumberFormat(lang(), { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value) + ' ' + unit;
  if (size < 1e3) return format(size, 'B');
  if (size < 1e6) return format(size / 1e3, 'kB');
  return size < 1e9 ? format(size / 1e6, 'MB') : format(size / 1e9, 'GB');
}

/** `1999.01.20` as the language writes it, as far as it is known.
 * @param {string} text */
export function date(text) {
  const [year, month, day] = text.split('.').map(part => parseInt(part, 10) || 0);
  if (!year) return '';
  if (!month || month > 12) return String(year);
  const when = new Date(Date.UTC(2000, month - 1, day || 1));
  when.setUTCFullYear(year);
  const locale = lang() === 'en' ? 'en-GB' : lang();
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { timeZone: 'UTC', year: 'numeric', month: 'long', ...(day ? { day: 'numeric' } : {}) };
  return new Intl.DateTimeFormat(locale, options).format(when);
}

/** `1999.01.20` as far as it is known.
 * @param {string} text */
export const shortDate = text => text.replace(/(\.(00|\?\?)){1,2}$/, '').replace(/^(0000|\?{4}).*/, '');

/** @type {Record<string, string>} */
const RESULTS = { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½', '*': '*' };

/** A result as books print it.
 * @param {string} text */
export const result = text => RESULTS[text] ?? text;
