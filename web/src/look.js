// The dialog of the layout: size of the text, columns of the list, and whether it is remembered.

import { $, el, ico } from './dom.js';
import { t } from './lang.js';
import { allColumns, columnName, shownColumns } from './columns.js';
import { BOARDS, NOTATIONS, PACES, TEXT_SIZES, canRemember, change, onSetting, remember, remembers, resetLayout, setting } from './settings.js';

/** @import { Column, Dialog, OwnColumn } from './types.d.ts' */

/** Passes the size of the text and the colours of the board to the styles. */
export function applyLook() {
  document.documentElement.style.setProperty('--zoom', String(TEXT_SIZES[setting('text')]));
  document.documentElement.dataset.board = setting('board');
}

onSetting(name => { if (name === 'text' || name === 'board') applyLook(); });

/** A choice among a few values of a setting.
 * @template {'pace' | 'notation' | 'board'} K
 * @param {K} name
 * @param {string} title
 * @param {readonly import('./settings.js').Settings[K][]} values
 * @param {(value: any) => string} words */
const segments = (name, title, values, words) => el('fieldset', {}, el('legend', {}, t(title)), el('div', { class: 'seg' }, values.map(value => el('label', {},
  el('input', { type: 'radio', class: 'vh', name, value, checked: value === setting(name), on: { change: () => change(name, value, true) } }), el('span', {}, words(value))))));

function textSizes() {
  return el('fieldset', {}, el('legend', {}, t('text.size')), el('div', { class: 'seg sizes' }, TEXT_SIZES.map((share, n) => el('label', {},
    el('input', { type: 'radio', class: 'vh', name: 'text', value: n, checked: n === setting('text'), 'aria-label': t('text.' + n), on: { change: () => change('text', n, true) } }),
    el('span', { style: { 'font-size': `${share}rem` }, 'aria-hidden': 'true' }, 'A'), el('small', { 'aria-hidden': 'true' }, t('text.' + n))))));
}

/** The columns, those that are shown first and in their order. */
function columnList() {
  const list = el('ul', { class: 'colpick', tabindex: -1 });
  const own = () => shownColumns().columns.map(({ id, width }) => ({ id, width }));
  /** @type {(columns: OwnColumn[], id: string, part: string) => void} */
  const put = (columns, id, part) => {
    change('columns', columns, true);
    draw();
    $(`[data-id="${CSS.escape(id)}"] ${part}:not(:disabled)`, list)?.focus();
  };
  function draw() {
    const shown = shownColumns().columns;
    const rest = allColumns().filter(column => !shown.some(one => one.id === column.id));
    /** @type {(column: Column, n: number) => HTMLElement} */
    const row = (column, n) => {
      const isShown = n < shown.length;
      const toggle = () => put(isShown ? own().filter(one => one.id !== column.id) : [...own(), { id: column.id, width: column.width }], column.id, 'input');
      /** @param {number} step */
      const move = step => {
        const columns = own();
        columns.splice(n + step, 0, ...columns.splice(n, 1));
        put(columns, column.id, step < 0 ? '.up' : '.down');
      };
      /** @type {(kind: string, words: string, step: number, off: boolean) => HTMLElement} */
      const arrow = (kind, words, step, off) => el('button', {
        class: `btn quiet small ${kind}`, type: 'button', disabled: off, 'aria-label': `${columnName(column)}: ${t(words)}`, title: t(words), on: { click: () => move(step) },
      }, step < 0 ? '↑' : '↓');
      return el('li', { 'data-id': column.id },
        el('label', { class: 'opt' }, el('input', { type: 'checkbox', checked: isShown, disabled: isShown && shown.length === 1, on: { change: toggle } }), el('span', {}, columnName(column))),
        isShown && [arrow('up', 'columns.up', -1, n === 0), arrow('down', 'columns.down', 1, n === shown.length - 1)]);
    };
    list.replaceChildren(...[...shown, ...rest].map(row));
  }
  draw();
  return { list, draw };
}

/** `print` opens the dialog that prints, `turnTheme` changes between light and dark, whose button a narrow head lacks.
 * @param {{ print: () => void, turnTheme: () => void, closed: () => void }} how
 * @returns {Dialog} */
export function lookDialog({ print, turnTheme, closed }) {
  const close = () => { dialog.close(); dialog.remove(); closed(); };
  const { list, draw } = columnList();
  const box = el('input', {
    type: 'checkbox', checked: remembers(), disabled: !canRemember(),
    on: { change: () => { box.checked = remember(box.checked); } },
  });
  const dialog = el('dialog', { class: 'dlg look', 'aria-labelledby': 'lt' },
    el('div', { class: 'dh' }, el('h2', { id: 'lt' }, t('layout.title')),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: close } }, ico('x'))),
    el('div', { class: 'body' },
      textSizes(),
      segments('board', 'squares.title', BOARDS, value => t('squares.' + value)),
      segments('notation', 'notation.title', NOTATIONS, value => t('notation.' + value)),
      segments('pace', 'pace.title', PACES, value => t('pace.of', { n: value })),
      el('fieldset', {}, el('legend', {}, t('columns.title')), el('p', { class: 'mut' }, t('columns.help')), list),
      el('label', { class: 'opt' }, box, el('span', {}, t('layout.remember'))),
      el('p', { class: 'mut' }, t(canRemember() ? 'layout.stored' : 'layout.cannot'))),
    el('footer', {},
      el('button', { class: 'btn', type: 'button', on: { click: () => { close(); print(); } } }, t('print.title')),
      el('button', { class: 'btn', type: 'button', on: { click: turnTheme } }, t('theme')),
      el('button', { class: 'btn', type: 'button', on: { click: () => {
        resetLayout();
        draw();
        for (const one of /** @type {NodeListOf<HTMLInputElement>} */ (dialog.querySelectorAll('[type=radio]'))) one.checked = one.value === String(setting(/** @type {'text'} */ (one.name)));
      } } }, t('layout.reset')),
      el('button', { class: 'btn main', type: 'button', on: { click: close } }, t('close'))));
  dialog.addEventListener('cancel', event => { event.preventDefault(); close(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) close(); });
  document.body.append(dialog);
  dialog.showModal();
  return { leave: close };
}
