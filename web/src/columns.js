// The columns of the list: the ones of every row, and the requested ones (`columns` of crates/chessdb-web).

import { tame } from './dom.js';
import { nf, result, shortDate, t } from './lang.js';
import { phone } from './state.js';
import { WORDS } from './words.js';
import { columnWidth, setting } from './settings.js';
import { openingName } from './openingname.js';

/** @import { Column, Columns, MoreColumn, Row } from './types.d.ts' */

/** @type {(shown: string | number, title?: string) => { text: string | number, title: string }} */
const text = (shown, title) => ({ text: shown, title: title ?? String(shown) });

/** @type {(n: 1 | 3, won: string) => (row: Row) => { text: string, title: string, more: string }} */
const player = (n, won) => row => {
  const name = tame(row[n]) || t('unknown');
  return { text: name, title: name, more: (row[5] === won ? ' won' : '') + (row[n] ? '' : ' mut') };
};

/** @type {Column[]} */
const BASIC = [
  { id: 'number', words: 'col.no', kind: 'id num', width: 52, cell: row => text(nf(row[0] + 1), '') },
  { id: 'white', words: 'col.white', kind: 'n wn', width: 150, isForeign: true, cell: player(1, '1-0') },
  { id: 'whiteElo', words: 'Elo', full: 'col.whiteElo', kind: 'we num mut', width: 40, isDown: true, cell: row => text(row[2] ?? '', '') },
  { id: 'black', words: 'col.black', kind: 'n bn', width: 150, isForeign: true, cell: player(3, '0-1') },
  { id: 'blackElo', words: 'Elo', full: 'col.blackElo', kind: 'be num mut', width: 40, isDown: true, cell: row => text(row[4] ?? '', '') },
  { id: 'result', words: '1–0', full: 'col.result', kind: 'res', width: 40, cell: row => text(result(row[5]), '') },
  { id: 'date', words: 'col.date', kind: 'yr mut', width: 80, isDown: true, cell: row => text(shortDate(row[6]) || '–', '') },
  { id: 'eco', words: 'ECO', kind: 'eco mut', width: 40, cell: row => text((row[7] || '–').slice(0, 3), '') },
  {
    id: 'event', words: 'col.event', kind: 'ev mut', width: 150, isForeign: true, cell: row => {
      const where = [row[8], row[13] && !shows('round') && `(${row[13]})`].filter(Boolean).map(tame).join(' ');
      return text(where || '–', where);
    },
  },
  { id: 'moves', words: 'col.moves', kind: 'mv num mut', width: 44, isDown: true, cell: row => text(nf(row[9]), '') },
];

const MOST_WIDE = 320;
const LETTER = 8;

/** @type {Column[]} */
let more = [];

/** Takes the further columns that the session knows: `[name, title, width in letters, isNumber]`.
 * @param {MoreColumn[]} list */
export function learnColumns(list) {
  more = list.map(([id, title, letters, isNumber]) => ({
    id, isMore: true, words: 'col.' + id in WORDS ? 'col.' + id : title, kind: isNumber ? 'x num mut' : 'x mut', isForeign: !isNumber,
    width: columnWidth(Math.min(MOST_WIDE, Math.max(5, letters) * LETTER)), isDown: isNumber, cell: () => text(''),
  }));
}

export const allColumns = () => [...BASIC, ...more];

/** @param {string} key */
const words = key => (key.includes('.') ? t(key) : key);
/** The heading of a column.
 * @param {Column} column */
export const heading = column => words(column.words);
/** The name of a column without its neighbours.
 * @param {Column} column */
export const columnName = column => words(column.full ?? column.words);

const chosen = () => (phone() ? null : setting('columns'));

/** @param {string} id */
const shows = id => Boolean(chosen()?.some(one => one.id === id));

/** Which columns are shown: those that the reader chose, a line each game and as wide as they are, or else the basic ones
 * as the width of the list allows.
 * @returns {Columns} */
export function shownColumns() {
  const known = allColumns();
  const own = (chosen() ?? []).flatMap(({ id, width }) => {
    const column = known.find(one => one.id === id);
    return column ? [{ ...column, width }] : [];
  });
  const isOwn = own.length > 0;
  const columns = isOwn ? own : BASIC;
  const asked = columns.filter(column => column.isMore).map(column => column.id);
  for (const column of columns) {
    if (!column.isMore) continue;
    const at = asked.indexOf(column.id);
    column.cell = row => {
      const value = tame(row[14]?.[at] ?? '');
      return text(column.id === 'openingname' ? openingName(value).text : value);
    };
  }
  return { isOwn, columns, asked };
}
