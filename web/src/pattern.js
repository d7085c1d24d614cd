// The dialog in which a position to look for is put together.

import { $, el, ico, targetOf } from './dom.js';
import { t } from './lang.js';

const MEN = [...'KQRBNPkqrbnp'];
/** Other conditions on a square: any piece of White, any of Black, none; '' has no condition. */
const OTHERS = [['A', 'pat.ours'], ['a', 'pat.theirs'], ['_', 'pat.empty'], ['', 'pat.any']];
/** @type {Record<string, string>} */
const ROLES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
/** @param {string} man */
const isWhite = man => man < 'a';

/** @param {string} man */
const manName = man => `${t(isWhite(man) ? 'col.white' : 'col.black')}, ${t('man.' + man.toUpperCase())}`;

/** @param {string} what */
function nameOf(what) {
  const other = OTHERS.find(([sign]) => sign === what);
  return other ? t(other[1]) : manName(what);
}

/** How a square or a choice looks.
 * @param {string} what */
function drawn(what) {
  if (ROLES[what.toLowerCase()]) return el('span', { class: `man ${isWhite(what) ? 'white' : 'black'} ${ROLES[what.toLowerCase()]}`, 'aria-hidden': 'true' });
  return what ? el('span', { class: 'any ' + (what === 'A' ? 'w' : what === 'a' ? 'b' : 'e'), 'aria-hidden': 'true' }) : null;
}

/** What a search compares: the given squares, the whole board, or only the numbers of the pieces.
 * @typedef {'part' | 'whole' | 'material'} Extent */
/** @typedef {{ extent: Extent, turn: '' | 'w' | 'b', mirrored: boolean, swapped: boolean }} Conditions */

/** @type {Record<Conditions['turn'], Conditions['turn']>} */
const OTHER_TURN = { '': '', w: 'b', b: 'w' };

/** A piece or condition of the other colour.
 * @param {string} man */
const recoloured = man => (isWhite(man) ? man.toLowerCase() : man.toUpperCase());

/** The term of the query language, or nothing if no square matters.
 * @param {string[]} squares from a8 to h1, rank after rank
 * @param {Conditions} conditions */
export function patternTerm(squares, { extent, turn, mirrored, swapped }) {
  if (!squares.some(Boolean)) return '';
  if (extent === 'material') {
    const side = (/** @type {boolean} */ isOfWhite) => MEN.filter(man => isWhite(man) === isOfWhite).map(man => man.repeat(squares.filter(one => one === man).length)).join('');
    const [white, black] = [side(true), side(false)];
    // Black in capitals means either colour.
    return /K/.test(white) && /k/.test(black) ? `material:${white}${swapped ? black.toUpperCase() : black}` : '';
  }
  const ranks = Array.from({ length: 8 }, (_, rank) => squares.slice(rank * 8, rank * 8 + 8));
  const boards = [{ ranks, turn }];
  if (mirrored) boards.push({ ranks: ranks.map(rank => rank.toReversed()), turn });
  if (swapped) boards.push(...boards.map(board => ({ ranks: board.ranks.toReversed().map(rank => rank.map(recoloured)), turn: OTHER_TURN[board.turn] })));
  const written = boards.map(board => {
    const placement = board.ranks.map(rank => (extent === 'whole'
      ? rank.map(man => (MEN.includes(man) ? man : '1')).join('').replace(/1+/g, ones => String(ones.length))
      // `?` is anything, `*` what is left of a rank.
      : rank.map(man => man || '?').join('').replace(/\?+$/, '*'))).join('/');
    return board.turn ? `"${placement} ${board.turn}"` : placement;
  });
  return `${extent === 'whole' ? 'fen' : 'pattern'}:${[...new Set(written)].join(',')}`;
}

/** The pieces of a position, rank after rank from above.
 * @param {string} fen */
function squaresOf(fen) {
  return [...fen.split(' ')[0].replaceAll('/', '').replace(/\d/g, digit => ' '.repeat(Number(digit)))].map(letter => letter.trim());
}

/** `fen` is the position on the board, `search(term)` looks for what was put together.
 * @param {{ fen: string, flipped: boolean, search: (term: string) => void, closed: () => void }} of */
export function patternDialog({ fen, flipped, search, closed }) {
  /** @type {string[]} */
  let squares = Array(64).fill('');
  let chosen = 'N';
  /** @type {Conditions} */
  const conditions = { extent: 'part', turn: '', mirrored: false, swapped: false };
  let at = 28;
  const cells = squares.map((_, n) => el('div', { class: 'sq' + ((n + (n >> 3)) % 2 ? ' d' : ''), role: 'gridcell', tabindex: n === at ? 0 : -1, 'data-n': n }));
  const order = flipped ? [...cells].reverse() : cells;
  const board = el('div', { class: 'board edit', role: 'grid', 'aria-label': t('pat.title'), 'aria-describedby': 'pathelp' },
    Array.from({ length: 8 }, (_, row) => el('div', { role: 'row' }, order.slice(row * 8, row * 8 + 8))));
  const note = el('p', { class: 'wrong', role: 'alert' });
  const term = el('code', { class: 'term', translate: 'no' });

  function draw() {
    cells.forEach((cell, n) => {
      const what = squares[n];
      cell.replaceChildren(drawn(what) ?? '');
      cell.setAttribute('aria-label', `${'abcdefgh'[n % 8]}${8 - (n >> 3)}: ${nameOf(what)}`);
    });
    term.textContent = patternTerm(squares, conditions) || '\u00a0';
    note.textContent = '';
  }

  /** @type {(n: number, what: string) => void} */
  function put(n, what) {
    squares[n] = what;
    draw();
  }

  /** @param {number} to */
  function move(to) {
    cells[at].tabIndex = -1;
    at = to;
    cells[at].tabIndex = 0;
    cells[at].focus();
  }

  board.addEventListener('click', event => {
    const cell = /** @type {HTMLElement | null} */ (targetOf(event).closest('[data-n]'));
    if (!cell) return;
    const n = Number(cell.dataset.n);
    move(n);
    // Choosing it again removes it.
    put(n, squares[n] === chosen ? '' : chosen);
  });
  board.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = flipped ? -1 : 1;
    const [file, rank] = [at % 8, at >> 3];
    /** @type {Record<string, number[]>} */
    const steps = { ArrowLeft: [-turn, 0], ArrowRight: [turn, 0], ArrowUp: [0, -turn], ArrowDown: [0, turn] };
    const step = steps[event.key];
    if (step) {
      const [x, y] = [file + step[0], rank + step[1]];
      if (x >= 0 && x < 8 && y >= 0 && y < 8) move(y * 8 + x);
    } else if (MEN.includes(event.key) || ['A', 'a', '_'].includes(event.key)) put(at, event.key);
    else if (['Delete', 'Backspace'].includes(event.key)) put(at, '');
    else if (['Enter', ' '].includes(event.key)) put(at, squares[at] === chosen ? '' : chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  /** @param {string} what */
  const choice = what => el('label', { class: 'pick', title: nameOf(what) },
    el('input', { class: 'vh', type: 'radio', name: 'man', value: what, checked: what === chosen, 'aria-label': nameOf(what), on: { change: () => { chosen = what; } } }),
    drawn(what) ?? ico('x'));
  /** @type {<K extends 'extent' | 'turn'>(name: K, value: Conditions[K], words: string) => HTMLElement} */
  const radio = (name, value, words) => el('label', {},
    el('input', { class: 'vh', type: 'radio', name, value, checked: value === conditions[name], on: { change: () => { conditions[name] = value; draw(); } } }), el('span', {}, t(words)));
  /** @type {(name: 'mirrored' | 'swapped') => HTMLElement} */
  const check = name => el('label', { class: 'opt' },
    el('input', { type: 'checkbox', name, on: { change: (/** @type {any} */ event) => { conditions[name] = event.target.checked; draw(); } } }), el('span', {}, t('pat.' + name)));
  /** @type {(words: string, make: () => string[]) => HTMLElement} */
  const set = (words, make) => el('button', { class: 'btn small', type: 'button', on: { click: () => { squares = make(); draw(); } } }, t(words));

  const leave = () => {
    dialog.close();
    dialog.remove();
    closed();
  };
  const begin = () => {
    const found = patternTerm(squares, conditions);
    if (!found) {
      note.textContent = t(squares.some(Boolean) ? 'pat.kings' : 'pat.none');
      return;
    }
    leave();
    search(found);
  };
  const dialog = el('dialog', { class: 'dlg pattern', 'aria-labelledby': 'pt' },
    el('div', { class: 'dh' }, el('h2', { id: 'pt' }, t('pat.title')),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: leave } }, ico('x'))),
    el('div', { class: 'body' },
      el('p', { class: 'mut', id: 'pathelp' }, t('pat.help')),
      el('div', { class: 'patrow' }, board,
        el('div', { class: 'patside' },
          el('fieldset', { class: 'picks' }, el('legend', {}, t('pat.men')), el('div', {}, MEN.map(choice), OTHERS.map(([sign]) => choice(sign)))),
          el('div', { class: 'row' }, set('pat.now', () => squaresOf(fen)), set('pat.clear', () => Array(64).fill(''))),
          el('fieldset', {}, el('legend', {}, t('pat.others')),
            el('div', { class: 'seg' }, radio('extent', 'part', 'pat.part'), radio('extent', 'whole', 'pat.whole'), radio('extent', 'material', 'pat.material'))),
          el('fieldset', {}, el('legend', {}, t('pat.turn')),
            el('div', { class: 'seg' }, radio('turn', '', 'form.either'), radio('turn', 'w', 'col.white'), radio('turn', 'b', 'col.black'))),
          el('div', { class: 'checks' }, check('mirrored'), check('swapped')))),
      el('div', {}, term, note)),
    el('footer', {}, el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('cancel')),
      el('button', { class: 'btn main', type: 'button', on: { click: begin } }, t('pat.search'))));
  dialog.addEventListener('cancel', event => { event.preventDefault(); leave(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) leave(); });
  draw();
  document.body.append(dialog);
  dialog.showModal();
  $('[tabindex="0"]', board).focus();
  return { leave };
}
