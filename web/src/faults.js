// Findings, losses and errors in the reader's language. The session gives ids and the English text of the program:
// a text without a translation is shown in English.

import { LANGUAGES, has, lang, nf, t } from './lang.js';
import { baseName } from './dom.js';
import { PROGRAM } from './phrases.js';

/** @import { Exceeded, Failure, Header, Loss } from './types.d.ts' */

/** The texts of the program as patterns, the most specific ones first.
 * @type {{ pattern: RegExp, names: string[], words: string[] }[] | null} */
let patterns = null;

function makePatterns() {
  /** @param {string[]} words */
  const own = ([english]) => english.replace(/\{\w\}/g, '').length;
  return PROGRAM.filter(([english]) => english.includes('{')).sort((a, b) => own(b) - own(a)).map(words => {
    /** @type {string[]} */
    const names = [];
    const source = words[0].split(/\{(\w)\}/).map((part, n) => {
      if (n % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(part);
      return '(.+?)';
    }).join('');
    return { pattern: new RegExp(`^${source}$`, 's'), names, words };
  });
}

/** A text of the program in the reader's language, or null if there are no words for it.
 * @param {string} text
 * @returns {string | null} */
export function fromEnglish(text, depth = 0) {
  const language = LANGUAGES.indexOf(lang());
  const exact = PROGRAM.find(([english]) => english === text);
  if (exact) return exact[language];
  if (depth > 3) return null;
  patterns ??= makePatterns();
  for (const { pattern, names, words } of patterns) {
    const match = pattern.exec(text);
    if (!match) continue;
    return words[language].replace(/\{(\w)\}/g, (whole, name) => {
      const part = match[names.indexOf(name) + 1];
      return part == null ? whole : fromEnglish(part, depth + 1) ?? part;
    });
  }
  return null;
}

/** The message of an error of the query language.
 * @param {string} message */
export const queryText = message => fromEnglish(message) ?? message;

/** @param {string} text */
const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

/** Contradictions about the number of games that the index has. */
const INDEX_COUNTS = [
  'the number of games', 'the number of games in the index', 'the number of index entries', 'the number of index entries that refer to a game',
  'the number of records', 'the number of records in the index',
];

/** Whether a finding is that the index has fewer games than there are.
 * @param {{ code: string, detail: string, text?: string, first?: (string | number)[] }} kind */
export const isIndexCount = kind => indexCount(kind) !== null;

/** @param {{ code: string, detail: string, text?: string, first?: (string | number)[] }} kind
 * @returns {{ n: number, m: number } | null} */
function indexCount({ code, detail, text, first }) {
  const numbers = code === 'mismatch' && INDEX_COUNTS.includes(detail) && / is (\d+), but (\d+) was expected$/.exec(String(text ?? first?.[0]));
  if (!numbers) return null;
  const [stated, counted] = [Number(numbers[1]), Number(numbers[2])];
  // Here the number that the header states is compared with that of the entries.
  const [n, m] = detail === 'the number of games' ? [counted, stated] : [stated, counted];
  return n < m ? { n, m } : null;
}

/** The meaning of a kind of finding; null if it has no words. A collective kind shows its detail.
 * @param {string} code
 * @param {string} detail */
export function faultText(code, detail) {
  const known = ['structure', 'unsupported', 'other'].includes(code) && detail ? fromEnglish(detail) : null;
  if (known) return capital(known);
  if (!has('fault.' + code)) return null;
  if (code === 'unrepresentable' && has('loss.kind.' + detail)) return `${t('fault.' + code)}: ${t('loss.kind.' + detail)}`;
  return t('fault.' + code, { d: detail });
}

/** A finding as `{ words, detail }`: what it means, and the program's text with file, game and byte, in English.
 * @param {{ code: string, detail: string, text?: string, first?: (string | number)[] }} kind */
export function findingText(kind) {
  const detail = String(kind.text ?? kind.first?.[0] ?? kind.code);
  const count = indexCount(kind);
  return { words: count ? t('fault.index', count) : faultText(kind.code, kind.detail) ?? detail, detail };
}

/** The damage in a game.
 * @param {Header} game */
export function gameFaultText(game) {
  const known = (game.faultKinds ?? []).map(([code, detail]) => faultText(code, detail)).filter(Boolean);
  const words = [...new Set(known)].join('; ');
  const isSame = words.toLowerCase() === game.fault?.toLowerCase();
  return words && !isSame ? `${words} (${game.fault})` : game.fault;
}

/** A kind of loss with its number and the first games.
 * @param {Loss} loss */
export function lossText(loss) {
  if (!has('loss.kind.' + loss.code)) return loss.text;
  const words = `${t('loss.kind.' + loss.code)}: ${nf(loss.count)}`;
  if (!loss.first.length) return words;
  const games = loss.first.map(nf).join(', ') + (loss.games > loss.first.length ? ', …' : '');
  return `${words} (${t('loss.in', { n: loss.games, g: games })})`;
}

/** A limit of an old program that the new database exceeds.
 * @param {Exceeded} limit */
export function limitText(limit) {
  return t('limit.text', {
    o: fromEnglish(limit.of) ?? limit.of, m: limit.limit, w: fromEnglish(limit.what) ?? limit.what, n: limit.games, g: limit.first,
  });
}

/** An error as `{ title, text, detail }`: what happened, what to do, and the program's text, which is in English.
 * @param {Failure} error
 * @param {string[]} [names] of the files */
export function explain(error, names = []) {
  const first = error.detail?.file || names[0] || '';
  const f = baseName(first);
  const { code } = error;
  if (code === 'empty') return { title: f ? t('bad.zero', { f }) : t('bad.empty'), text: t('bad.again'), detail: '' };
  if (code === 'trap') return { title: t('bad.trap'), text: '', detail: '' };
  const r = f.replace(/\.[^.]*$/, '') + '.' + (error.detail?.role ?? '');
  const known = has('fail.' + code) ? code : 'other';
  const title = f || !t('fail.' + known).includes('{f}') ? t('fail.' + known, { f, r }) : t('bad.nofile');
  const why = error.detail?.kind ? faultText(error.detail.kind, error.detail.what ?? '') : null;
  /** @type {Record<string, string | null>} */
  const more = { unknown: t('bad.known'), missing: t('bad.again'), broken: why && why + '.' };
  const text = more[known] ?? '';
  // If the words are complete, the program's text would only repeat them.
  const detail = ['unknown', 'missing', 'large', 'cancelled', 'locked'].includes(known) ? '' : error.text ?? '';
  return { title, text, detail };
}

/** An error in one line.
 * @param {Failure} error
 * @param {string[]} [names] of the files */
export function errorLine(error, names) {
  const { title, text, detail } = explain(error, names);
  return [title, text, detail && `(${detail})`].filter(Boolean).join(' ');
}
