// The frame of the dialogs in which a game is changed.

import { el, ico } from './dom.js';
import { t } from './lang.js';
import { S } from './state.js';
import { openDialog } from './dialog.js';

/** @import { Child } from './dom.js' */
/** @typedef {(leave: () => void) => unknown} Act */

/** Opens a dialog and returns it. `main` are the words of the button that does what the dialog is for, and what that
 * is; Ctrl+Enter does the same.
 * @param {string} kind
 * @param {Child} title
 * @param {(leave: () => void) => Child} body
 * @param {[words: string, act: Act]} [main]
 * @returns {HTMLDialogElement | null} */
export function editDialog(kind, title, body, main) {
  if (S.dialog) return null;
  const dialog = el('dialog', { class: 'dlg editing ' + kind, 'aria-labelledby': 'edt' });
  openDialog(closed => {
    const leave = () => {
      if (!dialog.isConnected) return;
      dialog.close();
      dialog.remove();
      closed();
    };
    const begin = () => main?.[1](leave);
    dialog.append(
      el('div', { class: 'dh' }, el('h2', { id: 'edt' }, title),
        el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: leave } }, ico('x'))),
      el('div', { class: 'body' }, body(leave)));
    if (main) {
      dialog.append(el('footer', {}, el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('cancel')),
        el('button', { class: 'btn main', type: 'button', on: { click: begin } }, t(main[0]))));
    }
    dialog.addEventListener('cancel', event => { event.preventDefault(); leave(); });
    /** A selection of text may end outside.
     * @type {EventTarget | null} */
    let pressed = null;
    dialog.addEventListener('mousedown', event => { pressed = event.target; });
    dialog.addEventListener('click', event => { if (event.target === dialog && pressed === dialog) leave(); });
    dialog.addEventListener('keydown', event => {
      if (!main || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      begin();
    });
    document.body.append(dialog);
    dialog.showModal();
    return { leave };
  });
  return dialog;
}
