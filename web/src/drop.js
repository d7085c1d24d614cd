// The first screen: what was dropped or chosen becomes a list of names and files.

import { $, el, foreign, ico, tame } from './dom.js';
import { bytes, t } from './lang.js';

const KNOWN = [
  ['ChessBase', '.cbh .cbg .cba .cbv .cbz'], ['ChessBase DOS', '.cbf .cbi .fbk'], ['Scid', '.si3 .si4 .si5'],
  ['Chess Assistant', '.cdp .emb .d00'], ['jose', '.sqlite .sql .jose'], ['DC*', '.dci .dcg .dcn'], ['PGN', '.pgn .gz .zst .bz2 .xz'], ['Parquet', '.parquet'],
  ['zip, tar', '.zip .tar .tgz'],
];
/** Folders hold other things too; no base has so many files. */
const MOST = 20_000;

/** The files of a drop, those in folders too. */
export async function dropped(transfer) {
  const entries = [...transfer.items].filter(item => item.kind === 'file')
    .map(item => item.webkitGetAsEntry?.() ?? item.getAsFile());
  if (!entries.length) return [...transfer.files].map(file => ({ name: file.name, file }));
  const found = [];
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

/** The files of a file field. */
export const picked = input => [...input.files].map(file => ({ name: file.webkitRelativePath || file.name, file }));

/** The first screen; `error` is `{ title, text }` or none. */
export function dropScreen({ open, sample, error, tools }) {
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
    el('header', { class: 'topline' }, el('span', { class: 'mark' }, 'chessdb'), tools),
    el('main', {},
      el('div', { class: 'say' },
        el('h1', { tabindex: -1 }, t('open.title')),
        el('p', { class: 'lead hide-s' }, t('open.lead')), el('p', { class: 'lead show-s' }, t('open.touch')),
        error && el('div', { class: 'note', role: 'alert' }, foreign('b', {}, tame(error.title)), foreign('span', {}, tame(error.text || ''))),
        el('div', { class: 'row' },
          el('button', { class: 'btn main', type: 'button', on: { click: () => files.click() } }, t('open.files')),
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
  const men = { 7: 'white king', 16: 'black king', 18: 'white pawn', 31: 'black pawn' };
  return el('div', { class: 'board still', 'aria-hidden': 'true' },
    Array.from({ length: 64 }, (_, n) => el('div', { class: 'sq' + ((n + (n >> 3)) % 2 ? ' d' : '') }, men[n] ? el('div', { class: 'man ' + men[n] }) : null)));
}

/** What shows while files are read; `state` is `{ done, total }` in bytes. */
export function openingScreen(name, size, cancel) {
  const bar = el('i');
  const meter = el('div', { role: 'progressbar', 'aria-label': t('reading'), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': 0, class: 'prog' }, bar);
  const words = el('span', { class: 'mut' });
  const screen = el('div', { class: 'dropv opening' }, el('header', { class: 'topline' }, el('span', { class: 'mark' }, 'chessdb')),
    el('main', {}, foreign('h1', {}, t('opening', { f: tame(name) })), size ? el('p', { class: 'lead' }, bytes(size)) : null, meter,
      el('div', { class: 'progt' }, el('span', {}, t('reading')), words),
      cancel && el('div', { class: 'row' }, el('button', { class: 'btn', type: 'button', on: { click: cancel } }, t('cancel')))));
  return {
    screen,
    progress({ done, total }) {
      const share = Math.round(done / Math.max(1, total) * 100);
      bar.style.width = share + '%';
      meter.setAttribute('aria-valuenow', share);
      words.textContent = `${bytes(done)} / ${bytes(total)}`;
    },
  };
}

/** Which of several bases is meant; `unread` are archives that cannot be opened, or only with a password, which
 * `unlock` asks for. */
export function choiceScreen(bases, open, back, unread = [], unlock = null) {
  return el('div', { class: 'dropv opening' }, el('header', { class: 'topline' }, el('span', { class: 'mark' }, 'chessdb')),
    el('main', {}, el('h1', { tabindex: -1 }, t('several')), el('p', { class: 'lead' }, t('severalText')),
      el('ul', { class: 'bases' }, bases.map((base, n) => el('li', {}, el('button', { type: 'button', on: { click: () => open(n) } },
        foreign('b', {}, tame(base.name)), el('span', { class: 'mut' }, [base.formatName, base.size && bytes(base.size)].filter(Boolean).join(' · '))))),
      unread.map(one => el('li', {}, one.locked
        ? el('button', { type: 'button', on: { click: () => unlock(one) } }, foreign('b', {}, tame(one.name)), el('span', { class: 'mut' }, ico('lock'), ' ', t('lock.word')))
        : el('p', { class: 'mut' }, foreign('span', {}, tame(one.text)))))),
      back && el('div', { class: 'row' }, el('button', { class: 'btn', type: 'button', on: { click: back } }, t('back')))));
}

/** The password of a locked archive; `open(password)` answers whether it was right. */
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
  return el('div', { class: 'dropv opening' }, el('header', { class: 'topline' }, el('span', { class: 'mark' }, 'chessdb')),
    el('main', {}, foreign('h1', {}, t('lock.title', { f: tame(name) })), el('p', { class: 'lead', id: 'locktext' }, t('lock.text')), form));
}

/** An error of the library in the reader's words. */
export function explain(error, names) {
  const first = error.detail?.file || names[0] || '';
  const file = first.split('/').pop();
  switch (error.code) {
    case 'unknown': return { title: t('bad.unknown', { f: file }), text: t('bad.known') };
    case 'missing': {
      const stem = file.replace(/\.[^.]*$/, '');
      return { title: t('bad.missing', { f: stem + '.' + error.detail.role }), text: t('bad.again') };
    }
    case 'large': return { title: t('bad.large', { f: file }) };
    case 'empty': return { title: file ? t('bad.zero', { f: file }) : t('bad.empty'), text: t('bad.again') };
    case 'trap': return { title: t('bad.trap') };
    default: return { title: t('bad.broken', { f: file }), text: error.text };
  }
}

export const overlay = () => el('div', { class: 'over', 'aria-hidden': 'true' }, el('p', {}, t('open.over')));

export const focusFirst = screen => ($('h1[tabindex]', screen) ?? screen).focus({ preventScroll: true });
