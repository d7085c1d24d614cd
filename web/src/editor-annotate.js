// The dialog for comments and signs of a move.

import { $, el } from './dom.js';
import { t } from './lang.js';
import { S } from './state.js';
import { changeGame } from './edit.js';
import { editDialog } from './editor-dialog.js';
import { figures, sign } from './notation.js';

/** @import { Game, GameNode } from './types.d.ts' */

/** The signs that are offered, in groups; of the first two, one at most is meant: of the move, of the position.
 * @type {[nags: number[], isChoice: boolean][]} */
const GROUPS = [
  [[1, 2, 3, 4, 5, 6], true],
  [[10, 13, 14, 15, 16, 17, 18, 19], true],
  [[7, 22, 32, 36, 40, 44, 132, 138, 140, 146], false],
];

/** The comments around a move, as the notation shows them: before it and after it.
 * @param {Game} game
 * @param {GameNode} node */
export function commentsOf({ items }, node) {
  const at = node.prev ? items.findIndex(item => item.move === node) : -1;
  const before = [];
  for (let n = at - 1; items[n]?.before && items[n].text != null; n--) before.unshift(items[n].text);
  const after = [];
  let depth = 0;
  for (const item of items.slice(at + 1)) {
    if (item.open) depth += 1;
    else if (item.close && depth-- === 0) break;
    else if (item.move && depth === 0) break;
    // The comment at the start of a game is before its first move.
    else if (depth === 0 && item.text != null && (!item.before || !node.prev)) after.push(item.text);
  }
  return { before: before.join(' '), after: after.join(' ') };
}

/** @param {Set<number>} chosen */
function palette(chosen) {
  return GROUPS.map(([nags, isChoice]) => {
    const buttons = nags.map(nag => el('button', {
      class: 'btn', type: 'button', 'data-nag': nag, 'aria-label': t('nag.' + nag), title: t('nag.' + nag), on: { click: () => press(nag) },
    }, sign(nag)));
    const draw = () => buttons.forEach((button, n) => button.setAttribute('aria-pressed', String(chosen.has(nags[n]))));
    /** @param {number} nag */
    const press = nag => {
      const isOn = !chosen.has(nag);
      for (const other of isChoice ? nags : [nag]) chosen.delete(other);
      if (isOn) chosen.add(nag);
      draw();
    };
    draw();
    return el('div', { class: 'nags', role: 'group', 'aria-label': t('edit.signs') }, buttons);
  });
}

/** @param {'after' | 'nags'} focus */
export function annotateDialog(focus) {
  const { game, node } = S;
  if (!game || !node) return;
  const old = commentsOf(game, node);
  const isMove = Boolean(node.prev);
  const chosen = new Set(node.nags);
  /** @type {(text: string, words: string, rows: number) => [HTMLElement, HTMLTextAreaElement]} */
  const area = (text, words, rows) => {
    const field = el('textarea', { rows, maxlength: 30_000, dir: 'auto' });
    field.value = text;
    return [el('label', { class: 'area' }, el('span', {}, t(words)), field), field];
  };
  const [afterLabel, after] = area(old.after, isMove ? 'edit.after' : 'edit.comment', 5);
  const [beforeLabel, before] = area(old.before, 'edit.before', 2);
  /** @param {() => void} leave */
  const save = async leave => {
    /** @type {Record<string, unknown>} */
    const request = {};
    if (after.value.trim() !== old.after) request.after = after.value;
    if (isMove && before.value.trim() !== old.before) request.before = before.value;
    if (isMove && [...chosen].join() !== node.nags.join()) request.nags = [...chosen];
    leave();
    if (Object.keys(request).length) await changeGame('annotate', request);
  };
  const title = isMove ? [`${node.number}${node.black ? '…' : '.'} `, figures(node.san)] : t('edit.start');
  const dialog = editDialog('annotate', title, () => [
    afterLabel,
    isMove && el('fieldset', { class: 'palette' }, el('legend', {}, t('edit.signs')), palette(chosen)),
    isMove && beforeLabel,
  ], ['edit.apply', save]);
  if (!dialog) return;
  (focus === 'nags' ? $('.nags button', dialog) ?? after : after).focus();
}
