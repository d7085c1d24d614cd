// The menu of everything that changes a game, and the dialog for text to paste.

import { $, el } from './dom.js';
import { t } from './lang.js';
import { add, words } from './edit.js';
import { editDialog } from './editor-dialog.js';

/** Something that can be done to a game: its name, words and key, whether it can be done now, and how.
 * @typedef {[name: string, words: string, key: string, can: () => boolean, act: () => unknown]} Action */

/** @param {Action[]} actions */
export function menuDialog(actions) {
  const dialog = editDialog('menu', t('edit.label'), leave => el('div', { class: 'actions' }, actions.map(([name, words, key, can, act]) => el('button', {
    class: 'btn quiet', type: 'button', 'data-act': name, disabled: !can(), on: { click: () => { leave(); act(); } },
  }, el('span', {}, t(words)), key ? el('kbd', { 'aria-hidden': 'true' }, key) : null))));
  if (!dialog) return;
  const buttons = /** @type {HTMLButtonElement[]} */ ([...dialog.querySelectorAll('.actions button:enabled')]);
  dialog.addEventListener('keydown', event => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = buttons.findIndex(button => button === document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length].focus();
  });
  buttons[0]?.focus();
}

export function pasteDialog() {
  const note = el('p', { class: 'wrong', role: 'alert' });
  const field = el('textarea', { rows: 8, spellcheck: 'false', class: 'mono' });
  const dialog = editDialog('paste', t('edit.paste'), () => [el('label', { class: 'area' }, el('span', {}, t('edit.pasteHelp')), field), note], ['edit.add', async leave => {
    const text = field.value.trim();
    if (!text) return;
    try {
      if (await add(text, ['paste', 'fen'])) leave();
    } catch (error) {
      note.textContent = words(error);
    }
  }]);
  if (dialog) $('textarea', dialog).focus();
}
