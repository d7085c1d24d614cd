// The heads of the list's columns: they sort, and are moved and made wider by mouse and keyboard.

import { $, el, targetOf } from './dom.js';
import { t } from './lang.js';
import { columnName, heading } from './columns.js';
import { change, columnWidth } from './settings.js';

/** @import { Column, Columns, OwnColumn } from './types.d.ts' */

const FAR = 6;

/** `order(column)` hears by which column to sort, `widen(widths)` shows widths while they change, `fit(n)` gives the width of
 * the content of a column, `choose()` opens the choice of columns.
 * @param {{ order: (column: Column) => void, widen: (widths: number[]) => void, fit: (n: number) => number, choose: () => void }} how */
export function makeHead({ order, widen, fit, choose }) {
  const head = el('div', { class: 'r h', role: 'row' });
  const group = el('div', { role: 'rowgroup', class: 'headgroup' }, head);
  /** @type {Column[]} */
  let columns = [];
  /** @type {HTMLElement[]} */
  let cells = [];
  /** @type {[string, boolean] | null} */
  let sorted = null;
  /** @type {{ n: number, isGrip: boolean, x: number, widths: number[], now?: number[], to?: number } | null} */
  let held = null;
  let isDragged = false;

  const widths = () => cells.map(cell => columnWidth(cell.getBoundingClientRect().width));

  /** Keeps these columns in this order, from now on the reader's own.
   * @param {OwnColumn[]} list */
  function keep(list) {
    const focused = cells.findIndex(cell => cell.contains(document.activeElement));
    const id = columns[focused]?.id;
    change('columns', list);
    if (id) $('button', cells[columns.findIndex(column => column.id === id)])?.focus();
  }

  const present = (wide = widths()) => columns.map(({ id }, n) => ({ id, width: wide[n] }));

  /** @type {(n: number, width: number) => void} */
  function resize(n, width) {
    const list = present();
    list[n].width = columnWidth(width);
    keep(list);
  }

  /** @type {(from: number, to: number) => void} */
  function move(from, to) {
    if (to < 0 || to >= columns.length || to === from) return;
    const list = present();
    list.splice(to, 0, ...list.splice(from, 1));
    keep(list);
  }

  /** @param {Columns} layout */
  function draw(layout) {
    columns = layout.columns;
    cells = columns.map((column, n) => el('span', { role: 'columnheader', class: column.kind.replace(/\b(n|mut)\b ?/g, ''), 'data-column': column.id },
      el('button', { type: 'button', tabindex: n ? -1 : 0, title: columnName(column), on: { click: () => order(column) } }, heading(column)),
      el('span', { class: 'grip', 'aria-hidden': 'true' })));
    head.replaceChildren(...cells, el('span', { role: 'columnheader', class: 'marks' },
      el('button', { class: 'more', type: 'button', tabindex: -1, 'aria-label': t('columns.title'), title: t('columns.title'), on: { click: choose } }, '⋯')));
    if (sorted) mark(...sorted);
  }

  /** The columns that fit. */
  const shown = () => cells.filter(cell => cell.offsetWidth);

  /** Tab reaches one column, which is shown; the arrow keys reach the others.
   * @param {HTMLElement} [chosen] */
  function settle(chosen) {
    const all = shown();
    const one = chosen ?? all.find(cell => $('button', cell).tabIndex === 0) ?? all[0];
    for (const cell of cells) $('button', cell).tabIndex = cell === one ? 0 : -1;
  }

  /** @type {(id: string, down: boolean) => void} */
  function mark(id, down) {
    sorted = [id, down];
    cells.forEach((cell, n) => {
      const mine = columns[n].id === id;
      cell.toggleAttribute('aria-sort', mine);
      if (mine) cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      $('button', cell).textContent = heading(columns[n]) + (mine && !(id === 'number' && !down) ? (down ? ' ↓' : ' ↑') : '');
    });
  }

  /** @param {Event} event */
  const at = event => cells.findIndex(cell => cell === targetOf(event).closest('[role=columnheader]'));

  /** Before which column something is let go.
   * @param {number} x */
  function gap(x) {
    const n = cells.findIndex(cell => {
      const box = cell.getBoundingClientRect();
      return x < box.left + box.width / 2;
    });
    return n < 0 ? cells.length : n;
  }

  head.addEventListener('pointerdown', event => {
    const n = at(event);
    isDragged = false;
    if (n < 0 || event.button) return;
    const isGrip = targetOf(event).classList.contains('grip');
    // A finger scrolls; columns move by the choice of columns too.
    if (!isGrip && event.pointerType === 'touch') return;
    held = { n, isGrip, x: event.clientX, widths: widths() };
    if (isGrip) {
      event.preventDefault();
      targetOf(event).setPointerCapture(event.pointerId);
    }
  });
  head.addEventListener('pointermove', event => {
    if (!held) return;
    const { n, isGrip, x } = held;
    const way = event.clientX - x;
    if (!isDragged && Math.abs(way) < (isGrip ? 1 : FAR)) return;
    isDragged = true;
    if (isGrip) {
      held.now = [...held.widths];
      held.now[n] = columnWidth(held.widths[n] + way);
      widen(held.now);
      return;
    }
    head.setPointerCapture(event.pointerId);
    const to = held.to = gap(event.clientX);
    cells.forEach((cell, at) => {
      cell.classList.toggle('into', at === to);
      cell.classList.toggle('after', to === cells.length && at === cells.length - 1);
      cell.classList.toggle('taken', at === n);
    });
  });
  head.addEventListener('pointerup', () => {
    const done = held;
    held = null;
    for (const cell of cells) cell.classList.remove('into', 'after', 'taken');
    if (!done || !isDragged) return;
    if (done.isGrip) keep(present(done.now));
    else if (done.to != null) move(done.n, done.to > done.n ? done.to - 1 : done.to);
  });
  head.addEventListener('pointercancel', () => {
    if (held?.isGrip) widen(held.widths);
    held = null;
  });
  head.addEventListener('click', event => {
    if (isDragged) event.stopPropagation();
    isDragged = false;
  }, true);
  head.addEventListener('dblclick', event => {
    if (targetOf(event).classList.contains('grip')) resize(at(event), fit(at(event)));
  });
  head.addEventListener('contextmenu', event => {
    event.preventDefault();
    choose();
  });
  head.addEventListener('keydown', event => {
    const n = at(event);
    if (n < 0 || event.metaKey || event.altKey) return;
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (step && event.ctrlKey) move(n, n + step);
    else if (step && event.shiftKey) resize(n, widths()[n] + step * 8);
    else if (step) {
      const all = shown();
      const next = all[(all.indexOf(cells[n]) + step + all.length) % all.length];
      settle(next);
      $('button', next).focus();
    } else if (event.key !== 'Enter' && event.key !== ' ') return;
    // Enter and the space bar press the button.
    if (step) event.preventDefault();
    event.stopPropagation();
  });

  return { group, draw, mark, settle };
}
