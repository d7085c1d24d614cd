// The list of games: a few dozen rows that move under a scrollbar over millions.

import { el, ico, foreign, targetOf } from './dom.js';
import { t } from './lang.js';
import { shownColumns } from './columns.js';
import { makeHead } from './columnhead.js';

/** @import { Row, Rows } from './types.d.ts' */
/** @typedef {'click' | 'enter' | 'key' | 'step' | 'quiet'} How how a row was chosen */
/** @typedef {{ element: HTMLElement, words: Text, kind: string, title?: string }} Cell */

const CHUNK = 60;
const KEPT = 40;
/** Browsers cut heights somewhere above 16 million pixels. */
const TALLEST = 12e6;
const [DELETED, DAMAGED, VARIATIONS, COMMENTS, UNSAVED] = [1, 2, 4, 8, 32];

/** The width of the marks at the end of a row, and the space between two columns. */
const [MARKS, GAP] = [34, 7];

/** `fetch(from, count, columns)` brings rows with the values of these columns, `choose(place, row, how)` hears which one is
 * meant, `sort(column, down)` which order is wanted, `columns()` opens the choice of columns.
 * @param {(from: number, count: number, columns: string[]) => Promise<Rows>} fetch
 * @param {(place: number, row: Row, how: How) => void} choose
 * @param {(column: string, down: boolean) => void} sort
 * @param {() => void} columns */
export function makeList(fetch, choose, sort, columns) {
  const space = el('div', { class: 'space', role: 'rowgroup' });
  const body = el('div', { class: 'rows' });
  const head = makeHead({ order: column => order(column.id, Boolean(column.isDown)), widen: setWidths, fit, choose: columns });
  const headGroup = head.group;
  const pane = el('div', { class: 'list', id: 'list', role: 'grid', tabindex: 0, 'aria-label': t('nav.games') }, headGroup, space);
  space.append(body);
  let total = 0;
  let chosen = -1;
  let rowHeight = 30;
  /** @type {Map<number, Row[]>} */
  let chunks = new Map();
  /** Rows as they were before a reload, shown until the new ones are there.
   * @type {Map<number, Row[]>} */
  let stale = new Map();
  /** @type {Set<number>} */
  let asked = new Set();
  let age = 0;
  /** @type {ReturnType<typeof makeRow>[]} */
  let pool = [];
  let made = 0;
  /** @type {number | null} */
  let shownFrom = null;
  let sorted = { column: 'number', down: false };
  let painting = false;
  let layout = shownColumns();
  let wide = 0;

  pane.addEventListener('scroll', paint, { passive: true });
  new ResizeObserver(() => { measure(); paint(); }).observe(pane);
  body.addEventListener('click', event => {
    const row = /** @type {HTMLElement | null} */ (targetOf(event).closest('[data-place]'));
    if (row) pick(Number(row.dataset.place), 'click');
  });
  pane.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((pane.clientHeight - headGroup.offsetHeight) / rowHeight) - 1);
    /** @type {Record<string, number>} */
    const places = {
      ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page,
      Home: 0, End: total - 1,
    };
    const to = places[event.key];
    if (to == null) {
      if (event.key === 'Enter' && chosen >= 0) pick(chosen, 'enter');
      else return;
    } else if (total) pick(Math.max(0, Math.min(total - 1, to)), 'key');
    event.preventDefault();
    event.stopPropagation();
  });

  /** Dates and ratings are looked for from above.
   * @type {(column: string, isDown: boolean) => void} */
  function order(column, isDown) {
    sort(column, sorted.column === column ? !sorted.down : isDown);
  }

  /** @type {(column: string, down: boolean) => void} */
  function setOrder(column, down) {
    sorted = { column, down };
    head.mark(column, down);
  }

  /** @param {number[]} widths */
  function setWidths(widths) {
    pane.style.setProperty('--cols', [...widths, MARKS].map(width => `${width}px`).join(' '));
    wide = widths.reduce((sum, width) => sum + width + GAP, MARKS + 28);
    pane.style.setProperty('--wide', `${wide}px`);
  }

  /** Puts the chosen columns into their places, with new rows. */
  function lay() {
    layout = shownColumns();
    pane.classList.toggle('own', layout.isOwn);
    if (layout.isOwn) setWidths(layout.columns.map(column => column.width));
    head.draw(layout);
    pane.setAttribute('aria-colcount', String(layout.columns.length + 1));
    for (const row of pool) row.element.remove();
    pool = [];
    forget();
  }

  /** Drops what was fetched. */
  function forget() {
    age += 1;
    chunks = new Map();
    stale = new Map();
    asked = new Set();
  }

  /** The width of the widest text that a column shows.
   * @param {number} n */
  function fit(n) {
    const range = document.createRange();
    const cells = pool.filter(row => !row.element.hidden).map(row => row.cells[n].element);
    const wide = [...cells, headGroup.querySelectorAll('[role=columnheader] button')[n]].map(element => {
      range.selectNodeContents(element);
      return range.getBoundingClientRect().width;
    });
    return Math.ceil(Math.max(...wide)) + 4;
  }

  function measure() {
    head.settle();
    rowHeight = parseFloat(getComputedStyle(body).scrollMarginTop) || 30;
    const height = Math.min(total * rowHeight, TALLEST);
    space.style.height = height + 'px';
    const visible = Math.ceil(pane.clientHeight / rowHeight) + 2;
    while (pool.length < Math.min(visible, 200)) {
      const row = makeRow();
      pool.push(row);
      body.append(row.element);
    }
    // Those that are there may show anything.
    shownFrom = null;
  }

  /** The first row that shows. Where the list is taller than a browser can be, it is in proportion. */
  function first() {
    const height = total * rowHeight;
    const shown = Math.max(1, pane.clientHeight - headGroup.offsetHeight);
    if (height <= TALLEST) return { row: Math.floor(pane.scrollTop / rowHeight), shift: pane.scrollTop % rowHeight };
    const share = pane.scrollTop / Math.max(1, TALLEST - shown);
    const exact = share * Math.max(0, total - shown / rowHeight);
    return { row: Math.floor(exact), shift: (exact % 1) * rowHeight };
  }

  function paint() {
    if (painting) return;
    painting = true;
    requestAnimationFrame(draw);
  }

  function draw() {
    painting = false;
    const { row: from, shift } = first();
    body.style.transform = `translateY(${Math.max(0, pane.scrollTop - shift)}px)`;
    // Rows that show on stay as they are; those that left on one side come in on the other.
    const moved = shownFrom == null ? 0 : from - shownFrom;
    if (Math.abs(moved) < pool.length) {
      for (let n = 0; n < moved; n++) {
        const row = pool.shift();
        if (!row) break;
        pool.push(row);
        body.append(row.element);
      }
      for (let n = 0; n > moved; n--) {
        const row = pool.pop();
        if (!row) break;
        pool.unshift(row);
        body.prepend(row.element);
      }
    }
    shownFrom = from;
    for (let n = 0; n < pool.length; n++) fill(pool[n], from + n);
    need(from, from + pool.length);
  }

  /** Requests the visible rows, and a screen before and after.
   * @type {(from: number, to: number) => void} */
  function need(from, to) {
    const around = [from, to, from - pool.length, to + pool.length];
    for (const place of around) {
      const chunk = Math.floor(Math.max(0, Math.min(total - 1, place)) / CHUNK);
      if (!total || chunks.has(chunk) || asked.has(chunk) || asked.size > 3) continue;
      asked.add(chunk);
      const then = age;
      fetch(chunk * CHUNK, CHUNK, layout.asked).then(answer => {
        if (then !== age) return;
        asked.delete(chunk);
        chunks.set(chunk, answer.rows);
        if (chunks.size > KEPT) chunks.delete(/** @type {number} */ (chunks.keys().next().value));
        paint();
      }, () => { if (then === age) asked.delete(chunk); });
    }
  }

  /** @param {number} place */
  const at = place => chunks.get(Math.floor(place / CHUNK))?.[place % CHUNK];
  /** @param {number} place */
  const before = place => stale.get(Math.floor(place / CHUNK))?.[place % CHUNK];

  /** A row with empty cells, which are filled again and again. */
  function makeRow() {
    /** @type {(kind: string, isForeign?: boolean) => Cell} */
    const cell = (kind, isForeign) => {
      const words = document.createTextNode('');
      const element = (isForeign ? foreign : el)('span', { class: kind, role: 'gridcell' }, words);
      return { element, words, kind };
    };
    const cells = layout.columns.map(column => cell(column.kind, column.isForeign));
    const marks = el('span', { class: 'marks', role: 'gridcell' });
    const element = el('div', { class: 'r', role: 'row', id: 'row' + made++ }, cells.map(one => one.element), marks);
    return { element, cells, marks, key: '', marked: '' };
  }

  /** @type {(cell: Cell, text: unknown, title?: string, more?: string) => void} */
  function put(cell, text, title, more = '') {
    const words = String(text ?? '');
    if (cell.words.data !== words) cell.words.data = words;
    if (title != null && cell.title !== title) {
      cell.title = title;
      cell.element.title = title;
    }
    const kind = cell.kind + more;
    if (cell.element.className !== kind) cell.element.className = kind;
  }

  /** @type {(row: ReturnType<typeof makeRow>, place: number) => void} */
  function fill(row, place) {
    const fresh = place < total ? at(place) : null;
    const data = fresh ?? (place < total ? before(place) : null);
    const key = place >= total ? 'none' : `${age}:${place}:${fresh ? 2 : data ? 1 : 0}:${place === chosen}`;
    if (row.key === key) return;
    row.key = key;
    const { element, cells } = row;
    element.hidden = place >= total;
    if (element.hidden) return;
    element.dataset.place = String(place);
    element.setAttribute('aria-rowindex', String(place + 2));
    element.setAttribute('aria-selected', String(place === chosen));
    if (place === chosen) pane.setAttribute('aria-activedescendant', element.id);
    const marks = data?.[10] ?? 0;
    const kind = 'r' + (marks & DELETED ? ' del' : '') + (marks & DAMAGED ? ' dam' : '') + (data ? '' : ' wait');
    if (element.className !== kind) element.className = kind;
    const fault = marks & DAMAGED ? t('row.fault') : '';
    const title = [marks & DELETED && t('row.deleted'), fault, marks & UNSAVED && t('edit.mark.changed')].filter(Boolean).join(', ');
    if (element.title !== title) element.title = title;
    const marked = `${marks & (DELETED | DAMAGED | VARIATIONS | COMMENTS | UNSAVED)} ${fault}`;
    if (row.marked !== marked) {
      row.marked = marked;
      /** @type {(bit: number, picture: string, words: string) => Node[]} */
      const mark = (bit, picture, words) => (marks & bit ? [ico(picture), el('span', { class: 'vh' }, words)] : []);
      row.marks.replaceChildren(...mark(UNSAVED, 'pen', t('edit.mark.changed')), ...mark(DELETED, 'trash', t('row.deleted')), ...mark(DAMAGED, 'warn', fault), ...mark(VARIATIONS, 'fork', t('leg.fork')),
        ...(marks & (DELETED | DAMAGED | UNSAVED) ? [] : mark(COMMENTS, 'note', t('leg.note'))));
    }
    if (!data) {
      for (const cell of cells) put(cell, '', '');
      return;
    }
    layout.columns.forEach((column, n) => {
      const { text, title, more } = column.cell(data);
      put(cells[n], text, title, more);
    });
  }

  /** @type {(place: number, how: How) => void} */
  function pick(place, how) {
    chosen = place;
    reveal(place);
    paint();
    const data = at(place);
    if (data) choose(place, data, how);
    else fetch(place, 1, layout.asked).then(answer => { if (chosen === place && answer.rows[0]) choose(place, answer.rows[0], how); }, () => {});
  }

  /** @param {number} place */
  function reveal(place) {
    const height = total * rowHeight;
    const shown = Math.max(rowHeight, pane.clientHeight - headGroup.offsetHeight);
    if (height <= TALLEST) {
      const top = place * rowHeight;
      if (top < pane.scrollTop) pane.scrollTop = top;
      else if (top + rowHeight > pane.scrollTop + shown) pane.scrollTop = top + rowHeight - shown;
      return;
    }
    const { row } = first();
    const rows = Math.floor(shown / rowHeight);
    if (place >= row && place < row + rows - 1) return;
    pane.scrollTop = Math.max(0, place - (place < row ? 0 : rows - 1)) / Math.max(1, total - shown / rowHeight) * (TALLEST - shown);
  }

  /** Other games in the same list, which stays where it is; what was fetched is forgotten.
   * @param {number} length */
  function reload(length) {
    age += 1;
    total = length;
    stale = chunks;
    chunks = new Map();
    asked = new Set();
    pane.setAttribute('aria-rowcount', String(total + 1));
    measure();
    paint();
  }

  /** Another list.
   * @param {number} length */
  function reset(length) {
    chosen = -1;
    pane.removeAttribute('aria-activedescendant');
    pane.scrollTop = 0;
    chunks = new Map();
    reload(length);
  }

  /** Marks a row without saying that it was chosen.
   * @param {number | null} [place]
   * @param {boolean} [still] whether the list stays where it is */
  function select(place, still) {
    chosen = place ?? -1;
    if (chosen >= 0 && !still) reveal(chosen);
    paint();
  }

  lay();

  return {
    pane, reset, reload, select, pick, setOrder,
    /** The width in pixels that the columns need that the reader chose; 0 for the basic ones, which fit any width. */
    get needs() { return layout.isOwn ? wide : 0; },
    get length() { return total; }, get chosen() { return chosen; }, get sorted() { return sorted; },
    /** Shows the columns that the reader has chosen. */
    arrange() { lay(); measure(); paint(); },
    /** Shows the list again, which may have another width. */
    refresh() {
      if (layout.isOwn !== shownColumns().isOwn) lay();
      age += 1;
      asked = new Set();
      measure();
      paint();
    },
  };
}
