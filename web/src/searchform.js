// The form next to the query line. It writes the query as fields change, and reads the query back.

import { el, ico, later, tame } from './dom.js';
import { t } from './lang.js';
import { suggesting } from './suggest.js';
import { ENDINGS, emptyFields, readFields, writeFields } from './terms.js';

const NUMBERS = { inputmode: 'numeric', maxlength: 4 };

/** @import { SearchFields } from './types.d.ts' */
/** @import { Child } from './dom.js' */

/** `filter` is the query line; `count()` counts the names of the database, `suggest(field, text)` returns some of them.
 * @param {object} from
 * @param {ReturnType<typeof import('./filter.js').makeFilter>} from.filter
 * @param {() => Promise<unknown>} from.count
 * @param {(field: string, text: string) => Promise<[string, number | null][]>} from.suggest */
export function makeSearchForm({ filter, count, suggest }) {
  /** @type {string[]} */
  let rest = [];
  /** @type {SearchFields} */
  let fields = emptyFields();
  /** @type {Promise<unknown> | null} */
  let isCounted = null;
  /** @type {Record<string, any>} */
  const inputs = {};

  /** @type {(words: string, ...controls: Child[]) => HTMLElement} */
  const label = (words, ...controls) => el('label', { class: 'ff' }, el('span', {}, t(words)), ...controls);
  /** @type {(name: string, words: string, field?: string) => HTMLElement} */
  const text = (name, words, field) => {
    const input = inputs[name] = el('input', { type: 'text', name, 'aria-label': t(words), spellcheck: 'false', maxlength: 200 });
    if (!field) return label(words, input);
    const list = suggesting(input, async typed => {
      if (field !== 'opening') await (isCounted ??= count().catch(error => { isCounted = null; throw error; }));
      return suggest(field, typed);
    });
    return el('div', { class: 'ff' }, el('span', { 'aria-hidden': 'true' }, t(words)), input, list);
  };
  /** @type {(name: string, words: string) => HTMLElement} */
  const range = (name, words) => {
    const [from, to] = [`${name}From`, `${name}To`];
    inputs[from] = el('input', { type: 'text', name: from, 'aria-label': t(words), ...NUMBERS });
    inputs[to] = el('input', { type: 'text', name: to, 'aria-label': `${t(words)} … ${t('form.to')}`, ...NUMBERS });
    return el('div', { class: 'ff' }, el('span', { 'aria-hidden': 'true' }, t(words)), el('div', { class: 'two' }, inputs[from], el('span', { 'aria-hidden': 'true' }, t('form.to')), inputs[to]));
  };
  /** @type {(name: string, words: string, options: [string, string][]) => HTMLElement} */
  const select = (name, words, options) => {
    inputs[name] = el('select', { name }, options.map(([value, shown]) => el('option', { value }, shown)));
    return label(words, inputs[name]);
  };
  /** @type {(name: string, words: string) => HTMLElement} */
  const check = (name, words) => {
    inputs[name] = el('input', { type: 'checkbox', name });
    return el('label', { class: 'opt' }, inputs[name], el('span', {}, t(words)));
  };

  const kept = el('p', { class: 'mut kept', translate: 'no' });
  const panel = el('fieldset', { class: 'sform', id: 'sform', hidden: true, 'aria-label': t('form.open') },
    text('player', 'form.player', 'player'),
    select('colour', 'form.colour', [['', t('form.either')], ['white', t('col.white')], ['black', t('col.black')]]),
    text('opponent', 'form.opponent', 'player'),
    text('event', 'form.event', 'event'),
    text('site', 'form.site'),
    range('year', 'form.yearFrom'),
    text('opening', 'form.opening', 'opening'),
    select('result', 'form.result', [['', t('form.any')], ['1-0', '1–0'], ['0-1', '0–1'], ['1/2-1/2', '½–½'], ['*', '*']]),
    range('elo', 'form.eloFrom'),
    select('ending', 'form.ending', [['', t('form.any')], ...ENDINGS.map(ending => /** @type {[string, string]} */ ([ending, t('end.' + ending)]))]),
    range('moves', 'form.movesFrom'),
    text('words', 'form.words'),
    el('div', { class: 'checks' }, check('comments', 'form.comments'), check('variations', 'form.variations'),
      el('button', { class: 'btn quiet', type: 'button', on: { click: () => { rest = []; fields = emptyFields(); fill(); write(); } } }, t('form.clear'))),
    kept);
  const toggle = el('button', {
    class: 'clear ftoggle', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'sform', 'aria-label': t('form.open'), title: t('form.open'),
    on: { click: () => show(Boolean(panel.hidden)) },
  }, ico('sliders'));

  /** @param {boolean} isOpen */
  function show(isOpen) {
    panel.hidden = !isOpen;
    toggle.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    read();
    inputs.player.focus();
  }

  function fill() {
    const values = /** @type {Record<string, any>} */ (fields);
    for (const [name, input] of Object.entries(inputs)) {
      if (input.type === 'checkbox') input.checked = values[name];
      else if (input.value !== values[name]) input.value = values[name];
    }
    kept.hidden = !rest.length;
    kept.textContent = rest.length ? t('form.rest', { t: tame(rest.join(' ')) }) : '';
  }

  function read() {
    ({ fields, rest } = readFields(filter.value));
    fill();
  }

  const run = later(250, () => filter.write(writeFields(fields, rest), true));
  function write() {
    filter.write(writeFields(fields, rest));
    run();
  }

  /** @param {any} event */
  function changed(event) {
    const { name, type, checked, value } = event.target;
    if (!(name in inputs)) return;
    // A number that is being typed would be another year.
    const isPart = /^(year|elo)/.test(name) && /^\d{1,3}$/.test(value) && event.type === 'input';
    const isBad = /(From|To)$/.test(name) && !/^\d*$/.test(value);
    event.target.toggleAttribute('aria-invalid', isBad);
    if (isBad || isPart) return;
    fields = { ...fields, [name]: type === 'checkbox' ? checked : value };
    write();
  }
  panel.addEventListener('input', changed);
  panel.addEventListener('change', changed);
  panel.addEventListener('keydown', event => {
    if (event.key === 'Escape') { show(false); toggle.focus(); event.stopPropagation(); }
  });
  filter.form.addEventListener('querychange', () => {
    if (!panel.hidden && !panel.contains(document.activeElement)) read();
  });
  return { panel, toggle };
}
