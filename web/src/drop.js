// The first screen: what was dropped or chosen becomes a list of names and files.

import { $, dotted, el, foreign, ico, tame } from './dom.js';
import { bytes, lang, t } from './lang.js';
import { aboutButton } from './about.js';
import { errorLine } from './faults.js';

/** @import { Base, NamedFile, Unread } from './types.d.ts' */

const KNOWN = [
  ['ChessBase', '.cbh .cbg .cba .2cbh .2cbg .2cba .2lid .cbv .cbz'], ['ChessBase DOS', '.cbf .cbi .fbk'], ['Scid', '.si3 .si4 .si5'],
  ['Chess Assistant', '.cdp .emb .d00'], ['En Croissant', '.db3'], ['Lucas Chess', '.lcdb'], ['OCGDB', '.ocgdb .db3'], ['jose', '.sqlite .sql .jose'], ['DC*', '.dci .dcg .dcn'], ['PGN', '.pgn .gz .zst .bz2 .xz'], ['Parquet', '.parquet'],
  ['Lichess', '.csv .ndjson .json'], ['EPD', '.epd .fen .fns'],
  ['Scidb', '.sci .scg .scn'],
  ['zip, tar', '.zip .7z .tar .tgz'],
  ['CTG, Polyglot, ABK', '.ctg .bin .abk'],
];
/** Folders hold other things too; no database has this many files. */
const MOST = 20_000;

/** The files of a drop, those in folders too.
 * @param {DataTransfer} transfer
 * @returns {Promise<NamedFile[]>} */
export async function dropped(transfer) {
  const entries = [...transfer.items].filter(item => item.kind === 'file')
    .map(item => item.webkitGetAsEntry?.() ?? item.getAsFile());
  if (!entries.length) return [...transfer.files].map(file => ({ name: file.name, file }));
  /** @type {NamedFile[]} */
  const found = [];
  /** @type {any[]} a file, or an entry, which have no common type */
  const waiting = entries.filter(Boolean);
  while (waiting.length && found.length < MOST) {
    const entry = waiting.shift();
    if (entry instanceof File) found.push({ name: entry.name, file: entry });
    else if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject)).catch(() => null);
      if (file) found.push({ name: entry.fullPath.replace(/^\//, ''), file });
    } else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)).catch(() => []);
        if (!some.length) break;
        waiting.push(...some);
      }
    }
  }
  return found;
}

/** An error with what to do, and the program's text.
 * @param {{ title: string, text?: string, detail?: string }} error */
export const errorNote = ({ title, text, detail }) => el('div', { class: 'note', role: 'alert' },
  foreign('b', {}, tame(title)), text ? foreign('span', {}, tame(text)) : null, detail ? foreign('span', { class: 'en', lang: 'en' }, tame(detail)) : null);

/** The files of a file field.
 * @param {HTMLInputElement} input
 * @returns {NamedFile[]} */
export const picked = input => [...input.files ?? []].map(file => ({ name: file.webkitRelativePath || file.name, file }));

/** The first screen.
 * @param {object} of
 * @param {(list: NamedFile[]) => void} of.open
 * @param {() => Promise<boolean>} of.choose whether the browser's own dialog was shown
 * @param {() => void} of.sample
 * @param {{ title: string, text?: string, detail?: string } | null} of.error
 * @param {string} of.books says which opening books are open; empty if none
 * @param {HTMLElement} of.tools */
export function dropScreen({ open, choose, sample, error, books, tools }) {
  /** @param {boolean} folder */
  const field = folder => {
    const input = el('input', { type: 'file', multiple: true, class: 'vh', tabindex: -1, 'aria-hidden': 'true', id: folder ? 'folder' : 'files', webkitdirectory: folder });
    input.addEventListener('change', () => {
      const list = picked(input);
      input.value = '';
      if (list.length) open(list);
    });
    return input;
  };
  const [files, folder] = [field(false), field(true)];
  return el('div', { class: 'dropv' },
    topline(tools),
    el('main', {},
      el('div', { class: 'say' },
        el('h1', { tabindex: -1 }, t('open.title')),
        el('p', { class: 'lead hide-s' }, t('open.lead')), el('p', { class: 'lead show-s' }, t('open.touch')),
        error && errorNote(error),
        books && foreign('p', { class: 'note' }, books),
        el('div', { class: 'row' },
          el('button', { class: 'btn main', type: 'button', on: { click: async () => { if (!await choose()) files.click(); } } }, t('open.files')),
          el('button', { class: 'btn', type: 'button', on: { click: () => folder.click() } }, t('open.folder')),
          el('button', { class: 'btn quiet', type: 'button', on: { click: sample } }, t('open.sample')),
          files, folder),
        el('p', { class: 'lock' }, ico('lock'), el('span', {}, t('open.private')))),
      el('figure', { class: 'diag' }, diagram(), el('figcaption', {}, t('open.study'))),
      el('dl', { class: 'fmts' }, KNOWN.map(([name, suffixes]) => el('div', {}, el('dt', {}, name), el('dd', {}, suffixes)))),
      el('p', { class: 'about' }, t('about.text'))));
}

/** Réti's study, drawn without the library of the board, which is not loaded yet. */
function diagram() {
  /** @type {Record<number, string>} */
  const men = { 7: 'white king', 16: 'black king', 18: 'white pawn', 31: 'black pawn' };
  return el('div', { class: 'board still', 'aria-hidden': 'true' },
    Array.from({ length: 64 }, (_, n) => el('div', { class: 'sq' + ((n + (n >> 3)) % 2 ? ' d' : '') }, men[n] ? el('div', { class: 'man ' + men[n] }) : null)));
}

/** The head of the screens before a database is open.
 * @param {HTMLElement} [tools] */
const topline = tools => el('header', { class: 'topline' }, el('span', { class: 'mark' }, 'chessdb'), tools ?? aboutButton());

/** The dialog while files are read; `size` and progress are in bytes.
 * @param {string} name
 * @param {number} size
 * @param {(() => void) | null} cancel */
export function openingScreen(name, size, cancel) {
  const bar = el('i');
  const meter = el('div', { role: 'progressbar', 'aria-label': t('reading'), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': 0, class: 'prog' }, bar);
  const words = el('span', { class: 'mut' });
  const screen = el('div', { class: 'dropv opening' }, topline(),
    el('main', {}, foreign('h1', {}, t('opening', { f: tame(name) })), size ? el('p', { class: 'lead' }, bytes(size)) : null, meter,
      el('div', { class: 'progt' }, el('span', {}, t('reading')), words),
      cancel && el('div', { class: 'row' }, el('button', { class: 'btn', type: 'button', on: { click: cancel } }, t('cancel')))));
  return {
    screen,
    /** @param {{ done: number, total: number }} state */
    progress({ done, total }) {
      const share = Math.round(done / Math.max(1, total) * 100);
      bar.style.width = share + '%';
      meter.setAttribute('aria-valuenow', String(share));
      words.textContent = `${bytes(done)} / ${bytes(total)}`;
    },
  };
}

/** Orders files as a reader looks for them: without regard to capitals, numbers by their value.
 * @type {(a: { name: string }, b: { name: string }) => number} */
const byName = (a, b) => a.name.localeCompare(b.name, lang(), { numeric: true });

/** Which of several bases is meant; `unread` are archives that cannot be opened, or only with a password, which
 * `unlock` asks for.
 * @param {Base[]} bases
 * @param {(n: number) => void} open
 * @param {(() => void) | null} back
 * @param {Unread[]} unread
 * @param {(one: Unread) => void} unlock */
export function choiceScreen(bases, open, back, unread, unlock) {
  const sorted = bases.map((base, n) => ({ ...base, n })).sort(byName);
  return el('div', { class: 'dropv opening' }, topline(),
    el('main', {}, el('h1', { tabindex: -1 }, t('several')), el('p', { class: 'lead' }, t('severalText')),
      el('ul', { class: 'bases' }, sorted.map(base => el('li', {}, el('button', { type: 'button', on: { click: () => open(base.n) } },
        foreign('b', {}, tame(base.name)), el('span', { class: 'mut' }, dotted([base.formatName, base.size && bytes(base.size)]))))),
      unread.toSorted(byName).map(one => el('li', {}, one.locked
        ? el('button', { type: 'button', on: { click: () => unlock(one) } }, foreign('b', {}, tame(one.name)), el('span', { class: 'mut' }, ico('lock'), ' ', t('lock.word')))
        : el('p', { class: 'mut' }, foreign('span', {}, tame(errorLine(one, [one.name]))))))),
      back && el('div', { class: 'row' }, el('button', { class: 'btn', type: 'button', on: { click: back } }, t('back')))));
}

/** The password of a locked archive; `open(password)` answers whether it was right.
 * @param {string} name
 * @param {(password: string) => Promise<boolean>} open
 * @param {() => void} back */
export function lockScreen(name, open, back) {
  const wrong = el('p', { class: 'wrong', role: 'alert' });
  const field = el('input', { type: 'password', id: 'password', autocomplete: 'off', 'aria-describedby': 'locktext' });
  const form = el('form', { class: 'lockform' }, el('label', { for: 'password' }, t('lock.word')), field, wrong,
    el('div', { class: 'row' }, el('button', { class: 'btn main', type: 'submit' }, t('lock.open')),
      el('button', { class: 'btn', type: 'button', on: { click: back } }, t('back'))));
  form.addEventListener('submit', async event => {
    event.preventDefault();
    wrong.textContent = '';
    if (field.value && await open(field.value)) return;
    wrong.textContent = t('lock.wrong');
    field.select();
    field.focus();
  });
  return el('div', { class: 'dropv opening' }, topline(),
    el('main', {}, foreign('h1', {}, t('lock.title', { f: tame(name) })), el('p', { class: 'lead', id: 'locktext' }, t('lock.text')), form));
}

export const overlay = () => el('div', { class: 'over', 'aria-hidden': 'true' }, el('p', {}, t('open.over')));

/** @param {HTMLElement} screen */
export const focusFirst = screen => ($('h1[tabindex]', screen) ?? screen).focus({ preventScroll: true });
