// The names of saved files: their content, in letters that every file system allows.

import { stemOf } from './dom.js';
import { t } from './lang.js';

/** Characters that some file system forbids, and characters without width. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;
/** Names of devices under Windows, with any suffix. */
const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i;
/** The most bytes of a name in UTF-8: file systems allow 255, with suffix and the number of a second copy. */
const MOST = 200;

/** @param {string} text */
const size = text => new TextEncoder().encode(text).length;

/** Shortens a text to this number of bytes, at a blank if there is one near the end.
 * @param {string} text
 * @param {number} most */
function shortened(text, most) {
  if (size(text) <= most) return text;
  let cut = '';
  let bytes = 0;
  for (const letter of text) {
    bytes += size(letter);
    if (bytes > most) break;
    cut += letter;
  }
  const blank = cut.lastIndexOf(' ');
  return blank > cut.length * 0.6 ? cut.slice(0, blank) : cut;
}

/** A name without suffix that every file system allows; never empty.
 * @param {string} text
 * @param {number} [most] bytes */
export function safeName(text, most = MOST) {
  const plain = shortened(String(text).replace(/[\ud800-\udfff]/gu, ' ').normalize('NFC').replace(FORBIDDEN, ' ').replace(/\s+/g, ' ').trim(), most);
  const name = plain.replace(/^[. ]+|[. ]+$/g, '').replace(DEVICES, '$1_');
  return name || 'games';
}

/** Keys with values that explain themselves. */
const PLAIN = ['player', 'white', 'black', 'event', 'site', 'opening', 'eco', 'date', 'year', 'annotator', 'title', 'source', 'text'];
const POSITIONS = ['fen', 'fen!', 'pattern', 'sub'];
const TERM = /([-!]?)(?:([a-z]+!?)\s*([:=<>]+))?("(?:\\.|[^"\\])*"?|\/(?:\\.|[^/\\])*\/?|[^\s()]+)/gi;

/** The words of a query, for a name.
 * @param {string} query */
export function queryWords(query) {
  const words = [];
  for (const [, not, key = '', sign = '', text] of query.matchAll(TERM)) {
    const name = key.toLowerCase();
    if (!name && /^(and|&+|\|+)$/i.test(text)) continue;
    if (POSITIONS.includes(name)) {
      words.push(t('name.position'));
      continue;
    }
    let value = text.replace(/^["/]|["/]$/g, '').replace(/(\d)\.\.(?=\d)/g, '$1-').replace(/(\d)\.\.$/, '$1+').replace(/^\.\.(\d)/, '-$1');
    if (sign.startsWith('>')) value += '+';
    if (sign.startsWith('<')) value = '-' + value;
    words.push([not && 'not', !name || PLAIN.includes(name) ? '' : name, value].filter(Boolean).join(' '));
  }
  return words.join(' ');
}

/** The name of a saved database without its suffix: `source` is the file that names the database that is open,
 * `scope` what is saved of it.
 * @param {{ source: string, scope: string, query?: string, game?: string }} of */
export function saveName({ source, scope, query = '', game = '' }) {
  const stem = safeName(stemOf(source.replaceAll('\\', '/')), MOST / 2);
  const more = scope === 'view' ? queryWords(query) : scope === 'game' ? game.replace(/\s*[–—]\s*/g, ' - ') : '';
  return safeName(more ? `${stem} ${more}` : stem);
}
