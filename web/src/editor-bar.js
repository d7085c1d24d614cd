// The row below the moves in which a game is changed, and its keys.

import { $, el, ico, targetOf } from './dom.js';
import { t } from './lang.js';
import { served } from './remote.js';
import { S, here, on, parts } from './state.js';
import { add, canRestore, canStore, changeGame, play, restore, step, store } from './edit.js';
import { annotateDialog } from './editor-annotate.js';
import { menuDialog, pasteDialog } from './editor-menu.js';
import { tagsDialog } from './editor-tags.js';
import { penColor, setPen, toggle } from './movable.js';

/** @import { Action } from './editor-menu.js' */

const PENS = [['G', 'edit.green'], ['R', 'edit.red'], ['Y', 'edit.yellow'], ['B', 'edit.blue']];

/** Whether the row is shown on a phone, which has no height for it while nothing is changed. */
let isOpen = false;

/** @param {boolean} on */
function openBar(on) {
  isOpen = on;
  $('.editbar')?.classList.toggle('open', on);
  $('.edittoggle')?.setAttribute('aria-expanded', String(on));
  // The list of moves has another height.
  if (S.game && S.node) parts.notation.mark(S.node);
}

/** The button that shows the row on a phone. */
export const editToggle = () => el('button', {
  class: 'btn quiet edittoggle', type: 'button', 'aria-expanded': String(isOpen), 'aria-label': t('edit.label'), title: t('edit.label'),
  on: { click: () => { choosePen(null); openBar(!isOpen); } },
}, ico('pen'));

const inGame = () => Boolean(S.game) && S.view !== 'tree';
const isMove = () => inGame() && Boolean(S.node?.prev);
const inVariation = () => isMove() && !S.node?.main;
const always = () => true;

/** Marks the game as deleted, or takes the mark away. */
function mark() {
  const flags = S.game?.flags ?? '';
  return changeGame('tags', { flags: flags.includes('D') ? flags.replace('D', '') : 'D' + flags });
}

/** In the order of the menu.
 * @type {Action[]} */
const ACTIONS = [
  ['comment', 'edit.comment', 'k', inGame, () => annotateDialog('after')],
  ['signs', 'edit.signs', 'i', isMove, () => annotateDialog('nags')],
  ['arrows', 'edit.arrows', 'd', inGame, () => choosePen(penColor() ? null : 'G')],
  ['null', 'edit.null', '', inGame, () => changeGame('move', { text: '--' })],
  ['promote', 'edit.promote', '', inVariation, () => changeGame('promote')],
  ['mainline', 'edit.mainline', '', inVariation, () => changeGame('mainline')],
  ['delete', 'edit.delete', 'Delete', isMove, () => changeGame('delete')],
  ['delvar', 'edit.delvar', '', inVariation, () => changeGame('delete-variation')],
  ['tags', 'edit.tags', 'h', inGame, tagsDialog],
  ['mark', 'edit.mark', '', inGame, mark],
  ['new', 'edit.new', '', always, () => add('')],
  ['newhere', 'edit.newhere', '', always, () => add(here())],
  ['paste', 'edit.paste', 'Ctrl+V', always, pasteDialog],
  ['undo', 'edit.undo', 'Ctrl+Z', () => S.edits.undo, () => step('undo')],
  ['redo', 'edit.redo', 'Ctrl+Shift+Z', () => S.edits.redo, () => step('redo')],
  ['store', 'edit.store', 'Ctrl+S', canStore, store],
  ['restore', 'edit.restore', '', canRestore, restore],
];
/** What only the page of the program can do. */
const STORES = ['store', 'restore'];
const actions = () => ACTIONS.filter(([name]) => S.info?.stores || !STORES.includes(name));

/** The keys for the help. */
export const EDIT_KEYS = [['m', 'edit.moveLabel'], ...ACTIONS.filter(([name, , key]) => key && (served || !STORES.includes(name))).map(([, words, key]) => [key.replaceAll('+', ' '), words])];

/** @param {string} name */
const actionOf = name => /** @type {Action} */ (ACTIONS.find(([known]) => known === name));

/** @param {string} name */
function run(name) {
  const [, , , can, act] = actionOf(name);
  if (can()) act();
}

/** Chooses the pen for arrows and squares, or none.
 * @param {string | null} color */
function choosePen(color) {
  setPen(color);
  if (color) openBar(true);
  const bar = $('.editbar');
  bar?.classList.toggle('pens', Boolean(color));
  $('[data-edit=arrows]', bar)?.setAttribute('aria-pressed', String(Boolean(color)));
  for (const input of bar?.querySelectorAll('.pen input') ?? []) input.checked = input.value === color;
  const field = $('#movefield');
  field.placeholder = t(color ? 'edit.square' : 'edit.move');
  field.setAttribute('aria-label', t(color ? 'edit.squareLabel' : 'edit.moveLabel'));
}

/** Does what was typed: a move, or with a pen a square or an arrow.
 * @param {HTMLInputElement} field */
async function enter(field) {
  const text = field.value.trim();
  if (!text) return;
  const color = penColor();
  const shape = text.toLowerCase().match(/^([a-h][1-8])-?([a-h][1-8])?$/);
  const done = color ? shape && await toggle([color, shape[1], shape[2] ?? null]) : await play(text);
  field.classList.toggle('bad', !done);
  if (done) {
    field.removeAttribute('aria-invalid');
    field.value = '';
  } else {
    field.setAttribute('aria-invalid', 'true');
    field.select();
  }
}

/** @type {(name: string, shown: Element) => HTMLElement} */
function button(name, shown) {
  const [, words, key] = actionOf(name);
  const label = t(words) + (key ? ` (${key})` : '');
  return el('button', { class: 'btn quiet', type: 'button', 'data-edit': name, 'aria-label': label, title: label, on: { click: () => run(name) } }, shown);
}

export function editBar() {
  setPen(null);
  const field = el('input', {
    type: 'text', id: 'movefield', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', maxlength: 20, enterkeyhint: 'go',
    placeholder: t('edit.move'), 'aria-label': t('edit.moveLabel'),
  });
  field.addEventListener('keydown', event => {
    if (event.key === 'Escape') parts.board.holder.focus();
    else if (event.key === 'Enter') enter(field);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const pens = PENS.map(([color, words]) => el('label', { class: 'pen-' + color, title: t(words) },
    el('input', { class: 'vh', type: 'radio', name: 'pen', value: color, 'aria-label': t(words), on: { change: (/** @type {Event} */ event) => choosePen(/** @type {HTMLInputElement} */ (targetOf(event)).value) } })));
  const bar = el('div', { class: 'editbar' + (isOpen ? ' open' : ''), role: 'group', 'aria-label': t('edit.label') },
    field, button('comment', ico('note')), button('signs', el('span', { class: 'sign', 'aria-hidden': 'true' }, '!?')), button('arrows', ico('arrow')),
    el('span', { class: 'pen', role: 'radiogroup', 'aria-label': t('edit.pen') }, pens),
    button('undo', ico('undo')), button('redo', ico('redo')), S.info?.stores ? button('store', ico('check')) : null,
    el('button', { class: 'btn quiet more', type: 'button', 'aria-haspopup': 'dialog', 'aria-label': t('edit.menu'), title: t('edit.menu'), on: { click: () => menuDialog(actions()) } }, ico('more')));
  drawSteps(bar);
  return bar;
}

/** @param {HTMLElement | null} bar */
function drawSteps(bar) {
  for (const name of /** @type {const} */ (['undo', 'redo'])) {
    const one = bar && $(`[data-edit=${name}]`, bar);
    if (one) one.disabled = !S.edits[name];
  }
  const save = bar && $('[data-edit=store]', bar);
  if (save) save.disabled = !canStore();
}
on('edits', () => {
  drawSteps($('.editbar'));
  // A change can be undone there.
  if (S.edits.undo && !isOpen) openBar(true);
});

/** Keys without Ctrl. Returns whether it was one of these.
 * @param {KeyboardEvent} event */
export function onEditKey(event) {
  if (!['games', 'board', 'tree'].includes(S.view)) return false;
  const action = ACTIONS.find(([, , key]) => key === event.key);
  if (event.key === 'm') {
    openBar(true);
    $('#movefield')?.focus();
  } else if (event.key === 'Escape' && penColor()) choosePen(null);
  else if (action) run(action[0]);
  else return false;
  return true;
}
