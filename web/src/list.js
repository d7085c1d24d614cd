// The list of games: a few dozen rows that move under a scrollbar over millions.

import { $, el, ico, foreign, tame } from './dom.js';
import { nf, result, shortDate, t } from './lang.js';

const CHUNK = 60;
const KEPT = 40;
/** Browsers cut heights somewhere above 16 million pixels. */
const TALLEST = 12e6;
const [DELETED, DAMAGED, VARIATIONS, COMMENTS] = [1, 2, 4, 8];

const COLUMNS = [
  ['number', 'col.no', 'id num'], ['white', 'col.white', 'wn'], ['whiteElo', 'Elo', 'we num'],
  ['black', 'col.black', 'bn'], ['blackElo', 'Elo', 'be num'], ['result', '1–0', 'res'],
  ['date', 'col.date', 'yr'], ['eco', 'ECO', 'eco'], ['event', 'col.event', 'ev'],
  ['moves', 'col.moves', 'mv num'],
];

export const rowNames = row => ({ white: row[1], black: row[3] });

/** `fetch(from, count)` brings rows, `choose(place, row, how)` hears which one is meant, `sort(column, down)`
 * which order is wanted. */
export function makeList(fetch, choose, sort) {
  const space = el('div', { class: 'space', role: 'rowgroup' });
  const body = el('div', { class: 'rows' });
  const headers = COLUMNS.map(([column, words, kind]) => {
    const cell = el('span', { role: 'columnheader', class: kind, 'data-column': column },
      el('button', { type: 'button', tabindex: -1, on: { click: () => order(column) } }, words.includes('.') ? t(words) : words));
    return cell;
  });
  const head = el('div', { class: 'r h', role: 'row' }, headers,
    el('span', { role: 'columnheader', class: 'marks' }, el('span', { class: 'vh' }, t('col.marks'))));
  const headGroup = el('div', { role: 'rowgroup', class: 'headgroup' }, head);
  const pane = el('div', { class: 'list', id: 'list', role: 'grid', tabindex: 0, 'aria-label': t('nav.games') }, headGroup, space);
  space.append(body);
  let total = 0;
  let chosen = -1;
  let rowHeight = 30;
  let chunks = new Map();
  let asked = new Set();
  let age = 0;
  let pool = [];
  let made = 0;
  let shownFrom = null;
  let sorted = { column: 'number', down: false };
  let painting = false;

  pane.addEventListener('scroll', paint, { passive: true });
  new ResizeObserver(() => { measure(); paint(); }).observe(pane);
  body.addEventListener('click', event => {
    const row = event.target.closest('[data-place]');
    if (row) pick(Number(row.dataset.place), 'click');
  });
  pane.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((pane.clientHeight - headGroup.offsetHeight) / rowHeight) - 1);
    const to = {
      ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page,
      Home: 0, End: total - 1,
    }[event.key];
    if (to == null) {
      if (event.key === 'Enter' && chosen >= 0) pick(chosen, 'enter');
      else return;
    } else if (total) pick(Math.max(0, Math.min(total - 1, to)), 'key');
    event.preventDefault();
    event.stopPropagation();
  });

  function order(column) {
    const same = sorted.column === column;
    // Dates and ratings are looked for from above.
    const down = same ? !sorted.down : /date|Elo|moves/.test(column);
    sort(column, down);
  }

  function setOrder(column, down) {
    sorted = { column, down };
    for (const cell of headers) {
      const mine = cell.dataset.column === column;
      cell.toggleAttribute('aria-sort', mine);
      if (mine) cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const button = $('button', cell);
      const words = COLUMNS.find(([name]) => name === cell.dataset.column)[1];
      button.textContent = (words.includes('.') ? t(words) : words) + (mine && !(column === 'number' && !down) ? (down ? ' ↓' : ' ↑') : '');
    }
  }

  function measure() {
    const own = parseFloat(getComputedStyle(pane).getPropertyValue('--row'));
    rowHeight = own || 30;
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
        pool.push(row);
        body.append(row.element);
      }
      for (let n = 0; n > moved; n--) {
        const row = pool.pop();
        pool.unshift(row);
        body.prepend(row.element);
      }
    }
    shownFrom = from;
    for (let n = 0; n < pool.length; n++) fill(pool[n], from + n);
    need(from, from + pool.length);
  }

  /** Asks for what shows, and a screen before and behind. */
  function need(from, to) {
    const around = [from, to, from - pool.length, to + pool.length];
    for (const place of around) {
      const chunk = Math.floor(Math.max(0, Math.min(total - 1, place)) / CHUNK);
      if (!total || chunks.has(chunk) || asked.has(chunk) || asked.size > 3) continue;
      asked.add(chunk);
      const then = age;
      fetch(chunk * CHUNK, CHUNK).then(answer => {
        if (then !== age) return;
        asked.delete(chunk);
        chunks.set(chunk, answer.rows);
        if (chunks.size > KEPT) chunks.delete(chunks.keys().next().value);
        paint();
      }, () => { if (then === age) asked.delete(chunk); });
    }
  }

  const at = place => chunks.get(Math.floor(place / CHUNK))?.[place % CHUNK];

  /** A row with empty cells, which are filled again and again. */
  function makeRow() {
    const cell = (kind, isForeign) => {
      const words = document.createTextNode('');
      const element = (isForeign ? foreign : el)('span', { class: kind, role: 'gridcell' }, words);
      return { element, words, kind };
    };
    const cells = {
      id: cell('id'), white: cell('n wn', true), whiteElo: cell('we num mut'), black: cell('n bn', true), blackElo: cell('be num mut'),
      res: cell('res'), date: cell('yr mut'), eco: cell('eco mut'), event: cell('ev mut', true), moves: cell('mv num mut'),
    };
    const marks = el('span', { class: 'marks', role: 'gridcell' });
    const element = el('div', { class: 'r', role: 'row', id: 'row' + made++ }, Object.values(cells).map(one => one.element), marks);
    return { element, cells, marks, key: '', marked: '' };
  }

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

  function fill(row, place) {
    const data = place < total ? at(place) : null;
    const key = place >= total ? 'none' : `${age}:${place}:${data ? 1 : 0}:${place === chosen}`;
    if (row.key === key) return;
    row.key = key;
    const { element, cells } = row;
    element.hidden = place >= total;
    if (element.hidden) return;
    element.dataset.place = place;
    element.setAttribute('aria-rowindex', place + 2);
    element.setAttribute('aria-selected', String(place === chosen));
    if (place === chosen) pane.setAttribute('aria-activedescendant', element.id);
    const marks = data ? data[10] : 0;
    const kind = 'r' + (marks & DELETED ? ' del' : '') + (marks & DAMAGED ? ' dam' : '') + (data ? '' : ' wait');
    if (element.className !== kind) element.className = kind;
    const fault = marks & DAMAGED ? t('row.fault', { t: tame(data[11] || '') }) : '';
    const title = marks & DELETED ? t('row.deleted') : fault;
    if (element.title !== title) element.title = title;
    const marked = `${marks & (DELETED | DAMAGED | VARIATIONS | COMMENTS)} ${fault}`;
    if (row.marked !== marked) {
      row.marked = marked;
      const mark = (bit, picture, words) => (marks & bit ? [ico(picture), el('span', { class: 'vh' }, words)] : []);
      row.marks.replaceChildren(...mark(DELETED, 'trash', t('row.deleted')), ...mark(DAMAGED, 'warn', fault), ...mark(VARIATIONS, 'fork', t('leg.fork')),
        ...(marks & (DELETED | DAMAGED) ? [] : mark(COMMENTS, 'note', t('leg.note'))));
    }
    if (!data) {
      for (const cell of Object.values(cells)) put(cell, '', '');
      return;
    }
    const [index, white, whiteElo, black, blackElo, won, when, eco, event, moves, , , , round] = data;
    const name = (cell, text, isWon) => {
      const shown = tame(text) || t('unknown');
      put(cell, shown, shown, (isWon ? ' won' : '') + (text ? '' : ' mut'));
    };
    put(cells.id, nf(index + 1));
    name(cells.white, white, won === '1-0');
    put(cells.whiteElo, whiteElo ?? '');
    name(cells.black, black, won === '0-1');
    put(cells.blackElo, blackElo ?? '');
    put(cells.res, result(won));
    put(cells.date, shortDate(when) || '–');
    put(cells.eco, (eco || '–').slice(0, 3));
    const where = [event, round && `(${round})`].filter(Boolean).map(tame).join(' ');
    put(cells.event, where || '–', where);
    put(cells.moves, nf(moves));
  }

  function pick(place, how) {
    chosen = place;
    reveal(place);
    paint();
    const data = at(place);
    if (data) choose(place, data, how);
    else fetch(place, 1).then(answer => { if (chosen === place && answer.rows[0]) choose(place, answer.rows[0], how); }, () => {});
  }

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

  /** Another list; what was fetched of the old one is forgotten. */
  function reset(length) {
    age += 1;
    total = length;
    chunks = new Map();
    asked = new Set();
    chosen = -1;
    pane.removeAttribute('aria-activedescendant');
    pane.setAttribute('aria-rowcount', total + 1);
    pane.scrollTop = 0;
    measure();
    paint();
  }

  /** Marks a row without saying that it was chosen. */
  function select(place, still) {
    chosen = place ?? -1;
    if (chosen >= 0 && !still) reveal(chosen);
    paint();
  }

  return {
    pane, reset, select, pick, setOrder, order,
    get length() { return total; }, get chosen() { return chosen; }, get sorted() { return sorted; },
    refresh() { age += 1; asked = new Set(); measure(); paint(); },
  };
}
