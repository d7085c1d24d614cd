// The reader's language: words, numbers, dates.

import { WORDS } from './words.js';

export const LANGUAGES = ['en', 'de', 'ru', 'es'];

let language = 0;
let plural = new Intl.PluralRules('en');
let numbers = new Intl.NumberFormat('en-GB');

export const lang = () => LANGUAGES[language];

export function setLang(name) {
  language = Math.max(0, LANGUAGES.indexOf(name));
  const locale = lang() === 'en' ? 'en-GB' : lang();
  plural = new Intl.PluralRules(lang());
  numbers = new Intl.NumberFormat(locale, { useGrouping: 'always' });
  document.documentElement.lang = lang();
}

/** The language that the reader's browser asks for, as far as there is one of ours. */
export const ownLang = () =>
  (navigator.languages || []).map(name => name.slice(0, 2)).find(name => LANGUAGES.includes(name)) || 'en';

export const nf = number => numbers.format(number);

/** The words of a key; numbers among the parameters are written as the language does. */
export function t(key, parameters) {
  let words = WORDS[key]?.[language] ?? key;
  if (typeof words === 'object') {
    words = words[plural.select(Number(parameters?.n ?? 0))] ?? words.other;
  }
  return words.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = parameters?.[name];
    if (value == null) return whole;
    return typeof value === 'number' ? nf(value) : value;
  });
}

export const percent = (share, digits = 1) => new Intl.NumberFormat(lang(), {
  minimumFractionDigits: digits, maximumFractionDigits: digits,
}).format(share * 100);

export function bytes(size) {
  const format = (value, unit) => new Intl.NumberFormat(lang(), { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value) + ' ' + unit;
  if (size < 1e3) return format(size, 'B');
  if (size < 1e6) return format(size / 1e3, 'kB');
  return size < 1e9 ? format(size / 1e6, 'MB') : format(size / 1e9, 'GB');
}

/** `1999.01.20` as the language writes it, as far as it is known. */
export function date(text) {
  const [year, month, day] = text.split('.').map(part => parseInt(part, 10) || 0);
  if (!year) return '';
  if (!month || month > 12) return String(year);
  const when = new Date(Date.UTC(2000, month - 1, day || 1));
  when.setUTCFullYear(year);
  const locale = lang() === 'en' ? 'en-GB' : lang();
  const options = { timeZone: 'UTC', year: 'numeric', month: 'long', ...(day ? { day: 'numeric' } : {}) };
  return new Intl.DateTimeFormat(locale, options).format(when);
}

/** `1999.01.20` as far as it is known. */
export const shortDate = text => text.replace(/(\.(00|\?\?)){1,2}$/, '').replace(/^(0000|\?{4}).*/, '');

export const result = text => ({ '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½', '*': '*' })[text] || text;
