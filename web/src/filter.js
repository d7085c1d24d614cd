// The text field of the query language: coloured words, completion, messages at the place.

import { el, ico, later } from './dom.js';
import { t } from './lang.js';
import { queryText } from './faults.js';

/** @import { QueryCheck, QueryKey } from './types.d.ts' */

/** `check(text)` returns whether it is a query; `run(text)` filters; `help` opens the help.
 * @param {object} of
 * @param {QueryKey[]} of.keys
 * @param {(text: string) => Promise<QueryCheck>} of.check
 * @param {(text: string) => void} of.run
 * @param {() => void} of.help */
export function makeFilter({ keys, check, run, help }) {
  const under = el('div', { class: 'under', 'aria-hidden': 'true' });
  const input = el('input', {
    type: 'text', id: 'query', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', role: 'combobox',
    'aria-expanded': 'false', 'aria-controls': 'sugg', 'aria-autocomplete': 'list', 'aria-label': t('query.label'),
    'aria-describedby': 'qmsg', placeholder: t('query.hint'), maxlength: 2000,
  });
  const clear = el('button', { class: 'clear', type: 'button', 'aria-label': t('clear'), title: t('clear'), on: { click: () => set('') } }, ico('x'));
  const list = el('ul', { class: 'drop-list', id: 'sugg', role: 'listbox', 'aria-label': t('keys'), hidden: true });
  const count = el('output', { class: 'mut', id: 'count' });
  const message = el('span', { class: 'msg', role: 'alert' });
  const helper = el('button', { class: 'link hide-s', type: 'button', on: { click: help } }, 'F1 ' + t('help'));
  const sortMenu = el('select', { class: 'sort show-s', 'aria-label': t('sortby') });
  const form = el('form', { class: 'query', role: 'search', on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); close(); apply.now(); } } },
    el('div', { class: 'field' }, ico('search'), el('div', { class: 'type' }, under, input), clear),
    list,
    el('div', { class: 'under-line', id: 'qmsg' }, count, message, helper, sortMenu));
  /** @type {{ message: string, from: number, to: number } | null} */
  let bad = null;
  /** @type {QueryKey[]} */
  let offered = [];
  let at = 0;
  let isChosen = false;
  let last = '';

  const apply = (() => {
    const act = async () => {
      const text = input.value;
      if (text === last) return;
      last = text;
      const answer = await check(text);
      if (input.value !== text) return;
      bad = answer.ok ? null : answer;
      colour();
      if (answer.ok) run(text);
    };
    const wait = later(150, act);
    return Object.assign(wait, { now: act });
  })();

  input.addEventListener('input', () => { bad = null; colour(); offer(); apply(); });
  input.addEventListener('scroll', () => { under.scrollLeft = input.scrollLeft; });
  input.addEventListener('blur', () => setTimeout(close, 120));
  input.addEventListener('keydown', event => {
    if (list.hidden) {
      if (event.key === 'Escape') input.blur();
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      at = (at + (event.key === 'ArrowDown' ? 1 : -1) + offered.length) % offered.length;
      isChosen = true;
      drawOffer();
    // Enter searches for what was typed, such as "fischer black", unless a key was chosen.
    } else if (event.key === 'Enter' && !isChosen) {
      close();
      return;
    } else if ((event.key === 'Tab' && !event.shiftKey) || event.key === 'Enter') take(at);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  /** The word before the cursor. */
  function word() {
    const before = input.value.slice(0, input.selectionEnd ?? 0);
    const from = Math.max(before.lastIndexOf(' '), before.lastIndexOf('(')) + 1;
    return { from: before[from] === '-' ? from + 1 : from, text: before.slice(before[from] === '-' ? from + 1 : from) };
  }

  function offer() {
    const { text } = word();
    offered = /^[a-z]{2,}$/i.test(text) ? keys.filter(([name]) => name.startsWith(text.toLowerCase())).slice(0, 6) : [];
    at = 0;
    isChosen = false;
    drawOffer();
  }

  function drawOffer() {
    list.hidden = !offered.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(...offered.map(([name, values, asks], n) => el('li', {
      role: 'option', id: 'sugg' + n, 'aria-selected': String(n === at),
      on: { mousedown: (/** @type {Event} */ event) => { event.preventDefault(); take(n); } },
    }, el('b', {}, name + ':'), el('span', {}, queryText(asks)), el('small', { class: 'mono' }, `${name}:${values.split(', ')[0]}`))));
    if (offered.length) input.setAttribute('aria-activedescendant', 'sugg' + at);
    else input.removeAttribute('aria-activedescendant');
  }

  /** @param {number} n */
  function take(n) {
    const { from, text } = word();
    const name = offered[n][0] + ':';
    input.setRangeText(name, from, from + text.length, 'end');
    close();
    bad = null;
    colour();
    input.focus();
  }

  function close() {
    offered = [];
    drawOffer();
  }

  /** The mirror below the letters. */
  function colour() {
    const text = input.value;
    clear.hidden = !text;
    input.toggleAttribute('aria-invalid', Boolean(bad));
    if (bad) input.setAttribute('aria-invalid', 'true');
    message.textContent = bad ? (text.slice(bad.from, bad.to) ? `“${text.slice(bad.from, bad.to)}”: ` : '') + queryText(bad.message) : '';
    count.hidden = helper.hidden = Boolean(bad);
    /** @type {(string | Node)[]} */
    const parts = [];
    /** @type {(from: number, to: number, kind?: string) => void} */
    const paint = (from, to, kind) => {
      if (from >= to) return;
      const part = text.slice(from, to);
      parts.push(kind ? el('span', { class: kind }, part) : part);
    };
    let done = 0;
    for (const found of text.matchAll(/([a-z!]+)(:|>=|<=|=|<|>)/gi)) {
      if (!keys.some(([name]) => name === found[1].toLowerCase())) continue;
      paint(done, found.index);
      paint(found.index, found.index + found[1].length, 'k');
      paint(found.index + found[1].length, found.index + found[0].length, 'o');
      done = found.index + found[0].length;
    }
    paint(done, text.length);
    if (bad) {
      parts.length = 0;
      const to = Math.max(bad.to, Math.min(text.length, bad.from + 1));
      paint(0, bad.from);
      paint(Math.min(bad.from, text.length - 1), to, 'e');
      paint(to, text.length);
    }
    under.replaceChildren(...parts);
    under.scrollLeft = input.scrollLeft;
    form.dispatchEvent(new CustomEvent('querychange'));
  }

  /** Shows a text, as if it were typed; it is applied with the next of these that `isApplied`.
   * @param {string} text
   * @param {boolean} [isApplied] */
  function write(text, isApplied) {
    input.value = text;
    bad = null;
    colour();
    if (isApplied) apply.now();
  }

  /** Fills the field; `quiet` does not filter.
   * @param {string} text
   * @param {boolean} [quiet] */
  function set(text, quiet) {
    input.value = text;
    bad = null;
    if (quiet) last = text;
    colour();
    close();
    if (!quiet) apply.now();
  }

  colour();
  return { form, input, count, sortMenu, set, write, get value() { return input.value; }, get isBad() { return Boolean(bad); } };
}
