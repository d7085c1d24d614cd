// The keys of the page and of the filter.

import { el, ico } from './dom.js';
import { t } from './lang.js';
import { EDIT_KEYS } from './editor-bar.js';
import { queryText } from './faults.js';

/** @import { Dialog, QueryKey } from './types.d.ts' */

const KEYS = [
  ['← →', 'k.move'], ['↑ ↓', 'k.row'], ['Home End', 'k.ends'], ['Space', 'play'], ['n p', 'k.np'], ['f', 'flip'],
  ['[ ]', 'k.fold'], ['e', 'pat.title'], ['a', 'engine.toggle'], ['c', 'copy.pgn'], ['C', 'copy.fen'], ['1 2 3 4', 'views'], ['/', 'query.label'], ['s', 'save.do'], ['t', 'tools'],
];

/** `letters`: whether letters are keys.
 * @param {QueryKey[]} keys of the query language
 * @param {boolean} letters
 * @param {(letters: boolean) => void} setLetters
 * @param {() => void} closed
 * @returns {Dialog} */
export function helpDialog(keys, letters, setLetters, closed) {
  const close = () => { dialog.close(); dialog.remove(); closed(); };
  const dialog = el('dialog', { class: 'dlg', 'aria-labelledby': 'ht' },
    el('div', { class: 'dh' }, el('h2', { id: 'ht' }, t('help.title')),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: close } }, ico('x'))),
    el('div', { class: 'body', tabindex: 0 },
      el('dl', { class: 'keys' }, [...KEYS, ...EDIT_KEYS].map(([key, words]) => el('div', {}, el('dt', {}, key.split(' ').map(one => el('kbd', {}, one === 'Space' ? t('key.space') : one))), el('dd', {}, t(words))))),
      el('label', { class: 'opt' }, el('input', { type: 'checkbox', checked: letters, on: { change: (/** @type {any} */ event) => setLetters(event.target.checked) } }), el('span', {}, t('help.letters'))),
      el('p', {}, t('help.filter')),
      el('table', { class: 'tab' }, el('tbody', {}, keys.map(([name, values, asks]) => el('tr', {},
        el('th', { scope: 'row' }, name), el('td', {}, queryText(asks)), el('td', {}, el('span', { class: 'mono' }, `${name}:${values.split(', ')[0]}`)))))),
      el('p', { class: 'mut' }, t('about.text'))));
  dialog.addEventListener('cancel', event => { event.preventDefault(); close(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) close(); });
  document.body.append(dialog);
  dialog.showModal();
  return { leave: close };
}
