// About this page: version, licence, source, libraries, and what it stored on this device.

import { $, el, foreign, ico, say, tame } from './dom.js';
import { t } from './lang.js';
import { openDialog } from './dialog.js';
import { canRemember, forget, remembered } from './remember.js';

/** @import { Dialog } from './types.d.ts' */

/** Put in by `cargo xtask web`. */
const about = typeof ABOUT === 'undefined' ? { version: '', repository: '', libraries: [] } : ABOUT;

/** The names of some files in one line.
 * @param {string[]} names */
export function fileNames(names) {
  const shown = names.slice(0, 4).map(name => tame(name.split('/').pop())).join(', ');
  return names.length > 4 ? `${shown} ${t('again.more', { n: names.length - 4 })}` : shown;
}

/** The data stored on this device, and a button to delete it. */
function device() {
  const place = el('dd', {}, canRemember() ? t('about.nothing') : t('about.nodevice'));
  remembered().then(known => {
    if (!known) return;
    place.replaceChildren(foreign('span', {}, t('about.remembered', { f: fileNames(known.names) })), ' ',
      el('button', { class: 'btn small', type: 'button', on: { click: async () => {
        await forget();
        place.replaceChildren(t('about.nothing'));
        say(t('keep.forgotten'));
      } } }, t('keep.forget')));
  });
  return place;
}

/** @param {() => void} closed
 * @returns {Dialog} */
export function aboutDialog(closed) {
  const leave = () => {
    dialog.close();
    dialog.remove();
    closed();
  };
  /** @type {(address: string, words: string) => HTMLElement} */
  const link = (address, words) => el('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, words);
  /** @type {[string, import('./dom.js').Child][]} */
  const facts = [
    ['about.licence', [t('about.free'), ' ', link('https://www.gnu.org/licenses/gpl-3.0.html', 'GNU GPL 3+')]],
    ['about.source', about.repository ? link(about.repository, about.repository.replace(/^https?:\/\//, '')) : t('about.sourceHere')],
  ];
  const dialog = el('dialog', { class: 'dlg about-dlg', 'aria-labelledby': 'at' },
    el('div', { class: 'dh' }, el('h2', { id: 'at' }, t('about')),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: leave } }, ico('x'))),
    el('div', { class: 'body', tabindex: 0 },
      el('p', {}, el('b', {}, 'chessdb'), about.version ? '\u00a0· ' + t('about.version', { v: about.version }) : ''),
      el('p', { class: 'lock' }, ico('lock'), el('span', {}, t('open.private'))),
      el('dl', { class: 'facts' }, facts.map(([words, value]) => [el('dt', {}, t(words)), el('dd', {}, value)]),
        el('dt', {}, t('about.device')), device()),
      el('details', {}, el('summary', {}, `${t('about.libraries')} (${about.libraries.length})`),
        el('ul', { class: 'libs', lang: 'en' }, about.libraries.map(([name, licence]) =>
          el('li', { translate: 'no' }, el('b', {}, name), ' ', el('span', { class: 'mut' }, licence)))))));
  dialog.addEventListener('cancel', event => { event.preventDefault(); leave(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) leave(); });
  document.body.append(dialog);
  dialog.showModal();
  $('.x', dialog).focus();
  return { leave };
}

/** The button that opens it, for the head of every screen. */
export const aboutButton = () => el('button', {
  class: 'btn quiet about-button', type: 'button', 'aria-label': t('about'), title: t('about'), on: { click: () => openDialog(aboutDialog) },
}, ico('info'));
