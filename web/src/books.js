// Opening books that were opened besides a database: their moves are shown below the tree.

import { baseName, el, foreign, ico, say, tame } from './dom.js';
import { nf, percent, t } from './lang.js';
import { figures, sign } from './notation.js';
import { parts } from './state.js';
import { countOf, sanButton } from './tree.js';
import { bar } from './wdl.js';

/** @import { BookMove, NamedFile, OpeningBook, PlayedMove } from './types.d.ts' */

const SUFFIX = /\.(bin|abk|ct[gob])$/i;

/** An open book: its number in the module, the files that it was found in, and the age of the module.
 * @typedef {{ name: string, number: number, files: NamedFile[], age: number }} OpenBook */

/** @type {OpenBook[]} */
let open = [];
/** Ends when all books are open in the present module. */
let ready = Promise.resolve();

/** The names of the open books. */
export const bookNames = () => open.map(({ name }) => baseName(name));

/** Notes the books that the module has found among these files.
 * @param {OpeningBook[]} found
 * @param {NamedFile[]} files */
export function noteBooks(found, files) {
  const own = files.filter(({ name }) => SUFFIX.test(name));
  // Those in an archive are found in it again.
  for (const book of found) note(book, own.length ? own : files);
}

/** @type {(book: OpeningBook, files: NamedFile[]) => void} */
const note = ({ name, book }, files) => { open.push({ name, number: book, files, age: parts.engine.age }); };

/** Opens the books again that were lost when the module was started again. The open databases must be opened before. */
async function openLost() {
  const lost = open.filter(({ age }) => age !== parts.engine.age);
  open = open.filter(book => !lost.includes(book));
  for (const files of new Set(lost.map(book => book.files))) {
    const { books = [] } = await parts.engine.open({ list: files });
    for (const book of books) {
      if (lost.some(one => one.files === files && one.name === book.name)) note(book, files);
      // The reader has closed it.
      else await parts.engine.call('closebook', { book: book.book });
    }
  }
}

/** Shows the moves of all books in a position. `isCurrent` tells whether the reader still looks at it.
 * @param {HTMLElement} place
 * @param {string} fen
 * @param {(move: PlayedMove) => void} play
 * @param {() => boolean} isCurrent */
export async function showBooks(place, fen, play, isCurrent) {
  if (!open.length) return;
  ready = ready.then(openLost);
  await ready;
  const books = await parts.engine.call('books', { fen });
  if (isCurrent()) place.replaceChildren(...books.map(book => section(book, fen, play, place)));
}

/** @type {(book: OpeningBook, fen: string, play: (move: PlayedMove) => void, place: HTMLElement) => HTMLElement} */
function section(book, fen, play, place) {
  const name = baseName(book.name);
  const close = async () => {
    await parts.engine.call('closebook', { book: book.book });
    open = open.filter(({ number }) => number !== book.book);
    box.remove();
    /** @type {HTMLElement | null} */ (place.closest('[tabindex]'))?.focus();
    say(t('book.closed', { f: tame(name) }));
  };
  const box = el('section', { class: 'book', 'aria-label': t('book.of', { f: tame(name) }) },
    el('div', { class: 'bookhead' },
      foreign('h3', {}, tame(name)), el('span', { class: 'mut' }, t('book.size', { f: book.format, n: book.positions })),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('book.close', { f: tame(name) }), title: t('book.close', { f: tame(name) }), on: { click: close } }, ico('x'))),
    book.finding && foreign('p', { class: 'mut nothing', lang: 'en' }, tame(book.finding)),
    book.moves?.length ? table(book.moves, fen, play) : el('p', { class: 'nothing mut' }, t(book.moves ? 'book.end' : 'book.none')));
  return box;
}

/** @type {(moves: BookMove[], fen: string, play: (move: PlayedMove) => void) => HTMLElement} */
function table(moves, fen, play) {
  const count = countOf(fen);
  const hasGames = moves.some(move => move.games != null);
  const rows = moves.map(move => el('tr', { on: { click: () => play(move) } },
    el('td', { class: 'mv' },
      sanButton(() => play(move), count, figures(move.san), move.nag ? sign(move.nag) : ''),
      move.mark ? el('span', { class: 'nm' }, t('book.' + move.mark)) : null),
    el('td', { class: 'num' }, percent(move.share) + '\u00a0%'),
    hasGames && el('td', { class: 'num mut' }, move.games == null ? '–' : nf(move.games)),
    hasGames && el('td', {}, bar([move.white, move.draws, move.black], 'wdl', true))));
  const heads = [['mv', 'tree.move'], ['num', 'book.share'], ...(hasGames ? [['num', 'tree.games'], ['', 'tree.result']] : [])];
  return el('table', { class: 'tree' },
    el('colgroup', {}, heads.map((_, n) => el('col', { class: ['', 'l', 'l', 'w'][n] || null }))),
    el('thead', {}, el('tr', {}, heads.map(([kind, words]) => el('th', { class: kind || null, scope: 'col' }, t(words))))),
    el('tbody', {}, rows));
}
