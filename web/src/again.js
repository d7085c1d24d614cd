// Opening the same files again: the note on the first screen, and the question whether to remember where they are.

import { $, el, foreign, ico, say } from './dom.js';
import { t } from './lang.js';
import { fileNames } from './about.js';
import { canRemember, forget, isRemembered, mayRead, remember, remembered } from './remember.js';

/** @import { Entry } from './types.d.ts' */

/** Asks no more than once for the same files.
 * @type {FileSystemHandle[][]} */
const refused = [];

/** On the first screen: what was open before the page was loaded again, or the last time. `was` is the entry of the
 * history that the page was loaded with; `open(handles)` and `sample()` open. Where the browser allows it after a
 * reload, the files are opened at once.
 * @param {HTMLElement} screen
 * @param {Entry | null} was
 * @param {(handles: FileSystemHandle[]) => void} open
 * @param {() => void} sample */
export async function againNote(screen, was, open, sample) {
  if (was?.sample) return sample();
  const names = was?.files ?? [];
  const known = await remembered();
  if (!screen.isConnected) return;
  const isSame = known != null && (!names.length || known.names.join('\n') === names.join('\n'));
  if (isSame && names.length && await mayRead(known.handles, false)) {
    if (screen.isConnected) open(known.handles);
    return;
  }
  if (!names.length && !known) return;
  const note = el('section', { class: 'again', 'aria-labelledby': 'again' },
    foreign('p', { id: 'again' }, el('b', {}, t(names.length ? 'again.title' : 'again.last', { f: fileNames(names.length ? names : known?.names ?? []) }))));
  const said = el('p', { role: 'alert' });
  if (isSame) {
    note.append(said, el('div', { class: 'row' },
      el('button', { class: 'btn', type: 'button', on: { click: async () => {
        if (await mayRead(known.handles, true)) open(known.handles);
        else said.textContent = t('again.denied');
      } } }, t('again.open')),
      el('button', { class: 'btn quiet', type: 'button', on: { click: async () => {
        await forget();
        note.remove();
        say(t('keep.forgotten'));
      } } }, t('keep.forget'))));
  } else note.append(el('p', {}, t('again.choose')));
  $('.say .row', screen).before(note);
}

/** Above the views, once: whether to remember where the files are. Nothing is stored before the reader agrees.
 * @param {FileSystemHandle[] | null} handles
 * @param {string[]} names
 * @param {HTMLElement} bar */
export async function keepBar(handles, names, bar) {
  if (!handles || !canRemember() || refused.includes(handles) || await isRemembered(handles) || !bar.isConnected) return;
  const leave = () => {
    refused.push(handles);
    question.remove();
    $('#list')?.focus({ preventScroll: true });
  };
  const agree = async () => {
    // In the order in which the history names them.
    const stored = await remember(handles, names.slice(0, 20)).then(() => true, () => false);
    leave();
    say(t(stored ? 'keep.done' : 'keep.failed'));
  };
  const question = el('aside', { class: 'keep-bar', role: 'region', 'aria-label': t('keep.ask') },
    el('p', {}, ico('base'), ' ', el('b', {}, t('keep.ask')), ' ', el('span', { class: 'mut' }, t('keep.why'))),
    el('div', {}, el('button', { class: 'btn', type: 'button', on: { click: agree } }, t('keep.yes')),
      el('button', { class: 'btn quiet', type: 'button', on: { click: leave } }, t('keep.no'))));
  bar.after(question);
}
