// A text field that suggests names of the database, the most frequent first.

import { el, foreign, tame } from './dom.js';
import { nf } from './lang.js';

let made = 0;

/** @typedef {[name: string, games: number | null]} Suggestion */

/** Adds suggestions to an input. `find(text)` gives pairs of name and number of games.
 * @param {HTMLInputElement} input
 * @param {(text: string) => Promise<Suggestion[]>} find */
export function suggesting(input, find) {
  const id = `names${made++}`;
  const list = el('ul', { class: 'names', id, role: 'listbox', 'aria-label': input.getAttribute('aria-label'), hidden: true });
  /** @type {Suggestion[]} */
  let names = [];
  let at = -1;
  let age = 0;
  for (const [key, value] of Object.entries({ role: 'combobox', autocomplete: 'off', 'aria-expanded': 'false', 'aria-controls': id, 'aria-autocomplete': 'list' })) input.setAttribute(key, value);

  const draw = () => {
    list.hidden = !names.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(...names.map(([name, games], n) => el('li', {
      role: 'option', id: `${id}-${n}`, 'aria-selected': String(n === at),
      on: { mousedown: (/** @type {Event} */ event) => { event.preventDefault(); take(n); } },
    }, foreign('span', {}, tame(name)), games == null ? null : el('small', { class: 'mut' }, nf(games)))));
    if (at >= 0) {
      input.setAttribute('aria-activedescendant', `${id}-${at}`);
      list.children[at]?.scrollIntoView({ block: 'nearest' });
    } else input.removeAttribute('aria-activedescendant');
  };
  const close = () => { age += 1; names = []; at = -1; draw(); };
  /** @param {number} n */
  const take = n => {
    [input.value] = names[n];
    close();
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };

  input.addEventListener('input', async () => {
    const mine = ++age;
    const text = input.value.trim();
    const found = text ? await find(text).catch(() => /** @type {Suggestion[]} */ ([])) : [];
    if (mine !== age || document.activeElement !== input) return;
    names = found.filter(([name]) => name !== text);
    at = -1;
    draw();
  });
  input.addEventListener('blur', () => setTimeout(close, 120));
  input.addEventListener('keydown', event => {
    if (list.hidden) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      at = (at + (event.key === 'ArrowDown' ? 1 : names.length + (at < 0 ? 1 : 0) - 1) + names.length) % names.length;
      draw();
    } else if (event.key === 'Enter' && at >= 0) take(at);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return list;
}
