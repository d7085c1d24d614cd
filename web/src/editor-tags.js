// The dialog for the tags and marks of a game.

import { $, el, targetOf } from './dom.js';
import { t } from './lang.js';
import { S } from './state.js';
import { isFailure } from './failure.js';
import { changeGame } from './edit.js';
import { editDialog } from './editor-dialog.js';

/** The tags with their own field. */
const FIELDS = [
  ['White', 'col.white'], ['WhiteElo', 'edit.whiteElo'], ['Black', 'col.black'], ['BlackElo', 'edit.blackElo'], ['Event', 'col.event'], ['Site', 'edit.site'],
  ['Date', 'col.date'], ['Round', 'edit.round'], ['Result', 'edit.result'], ['ECO', 'edit.eco'], ['Annotator', 'edit.annotator'],
];
const RESULTS = ['*', '1-0', '1/2-1/2', '0-1'];
/** The letters of the marks, as SCID calls them. */
const FLAGS = [...'DWBMENPTKQ!?U123456'];
/** Tags that follow from other data. */
const DERIVED = ['FEN', 'SetUp', 'ScidFlags'];

/** @typedef {{ name: () => string, field: HTMLInputElement | HTMLSelectElement, old: string }} TagField */

export function tagsDialog() {
  const { game } = S;
  if (!game) return;
  const old = new Map(game.tags);
  /** @type {TagField[]} */
  const fields = [];

  /** @param {string[]} tag */
  const field = ([name, words]) => {
    const known = old.get(name) ?? '';
    const value = name === 'Result' ? known || '*' : ['?', '????.??.??'].includes(known) ? '' : known;
    const input = name === 'Result'
      ? el('select', { name }, RESULTS.map(result => el('option', { value: result, selected: result === value }, result)))
      : el('input', {
        type: 'text', name, value, maxlength: 2000, dir: 'auto', autocomplete: 'off', spellcheck: 'false',
        inputmode: name.endsWith('Elo') ? 'numeric' : null, placeholder: name === 'Date' ? '1999.12.31' : null,
      });
    fields.push({ name: () => name, field: input, old: value });
    return el('label', { class: 'field-' + name }, el('span', {}, t(words)), input);
  };
  const row = (name = '', value = '') => {
    const key = el('input', { type: 'text', class: 'tagname mono', value: name, readonly: Boolean(name), maxlength: 255, 'aria-label': t('edit.tagName'), placeholder: t('edit.tagName'), spellcheck: 'false', autocomplete: 'off' });
    const input = el('input', { type: 'text', class: 'tagvalue', value, maxlength: 30_000, dir: 'auto', 'aria-label': `${t('edit.tagValue')} ${name}`, placeholder: t('edit.tagValue'), autocomplete: 'off' });
    fields.push({ name: () => key.value.trim(), field: input, old: value });
    return el('div', { class: 'tagrow' }, key, input);
  };
  const names = FIELDS.map(([name]) => name);
  const main = el('div', { class: 'fields' }, FIELDS.map(field));
  const rows = el('div', {}, game.tags.filter(([name]) => !names.includes(name) && !DERIVED.includes(name)).map(([name, value]) => row(name, value)));
  const more = () => {
    rows.append(row());
    $('.tagrow:last-child input', rows).focus();
  };
  const boxes = FLAGS.map(letter => el('input', { type: 'checkbox', name: 'flag', value: letter, checked: game.flags.includes(letter) }));
  const labels = boxes.map(box => el('label', { class: 'opt' }, box, el('span', {}, /\d/.test(box.value) ? t('flag.n', { n: Number(box.value) }) : t('flag.' + box.value))));
  const note = el('p', { class: 'wrong', role: 'alert' });

  /** @param {() => void} leave */
  const save = async leave => {
    const tags = fields.filter(({ name, field, old }) => name() && field.value.trim() !== old).map(({ name, field }) => [name(), field.value.trim()]);
    const flags = boxes.filter(box => box.checked).map(box => box.value).join('');
    if (!tags.length && flags === game.flags) return leave();
    try {
      if (await changeGame('tags', { tags, ...(flags === game.flags ? {} : { flags }) }, ['tag'])) leave();
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { tag, expected } = /** @type {{ tag: string, expected: string }} */ (/** @type {unknown} */ (error.detail));
      note.textContent = t('edit.tagBad', { t: tag, e: t('wanted.' + expected) });
      const wrong = fields.find(({ name }) => name() === tag)?.field;
      wrong?.setAttribute('aria-invalid', 'true');
      wrong?.focus();
    }
  };
  const dialog = editDialog('tags', t('edit.tags'), () => [
    main,
    el('fieldset', {}, el('legend', {}, t('edit.others')), rows, el('button', { class: 'btn small', type: 'button', on: { click: more } }, t('edit.addTag'))),
    el('fieldset', {}, el('legend', {}, t('edit.flags')), labels[0],
      el('details', {}, el('summary', {}, t('edit.moreFlags')), el('div', { class: 'flags' }, labels.slice(1)))),
    note,
  ], ['edit.apply', save]);
  if (!dialog) return;
  dialog.addEventListener('input', event => targetOf(event).removeAttribute('aria-invalid'));
  dialog.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || !targetOf(event).matches('input[type=text]')) return;
    event.preventDefault();
    save(() => S.dialog?.leave());
  });
  $('[name=White]', dialog).focus();
}
