// Evaluations and clock times of a game, drawn under the board.

import { $, el, targetOf } from './dom.js';
import { t } from './lang.js';
import { clockText, evalText, share } from './game.js';

/** @import { Game, GameNode } from './types.d.ts' */

const [W, H] = [400, 44];

/** @type {(kind: string, points: string[]) => Element} */
const line = (kind, points) => el('svg:path', { class: kind, d: 'M' + points.join('L') });
/** @type {(ply: number, plies: number, level: number) => string} */
const at = (ply, plies, level) => `${(ply / plies * W).toFixed(1)} ${(H - level * H).toFixed(1)}`;

/** White's share after each move; a move without an evaluation keeps the last one.
 * @param {Game} game */
function evaluations({ main }) {
  let last = 50;
  const points = main.map((node, n) => {
    if (node.eval) last = share(node.eval);
    return at(n + 1, main.length, last / 100);
  });
  return [
    el('svg:path', { class: 'ar', d: `M0 ${H / 2}L${points.join('L')}L${W} ${H / 2}Z` }),
    el('svg:line', { class: 'z', x1: 0, x2: W, y1: H / 2, y2: H / 2 }),
    line('ln', points),
  ];
}

/** The time that each side has left, between the least and the most that either had.
 * @param {Game} game */
function times({ main }) {
  let [least, most] = [Infinity, 0];
  for (const { clock } of main) if (clock != null) [least, most] = [Math.min(least, clock), Math.max(most, clock)];
  const span = Math.max(1, most - least);
  return [false, true].map(black => {
    /** @type {string[]} */
    const points = [];
    main.forEach((node, n) => { if (node.black === black && node.clock != null) points.push(at(n + 1, main.length, (node.clock - least) / span)); });
    return points.length ? line(black ? 'cb' : 'cw', points) : null;
  });
}

/** Makes the charts. `goTo(share)` hears which part of the game was chosen.
 * @param {(share: number) => void} goTo */
export function makeCharts(goTo) {
  const pane = el('div', { class: 'charts off' });
  const { classList } = document.documentElement;
  classList.remove('charted');
  /** @type {Game | null} */
  let drawn = null;
  /** @param {MouseEvent} event */
  const place = event => {
    const chart = targetOf(event).closest('.evg');
    if (!chart) return null;
    const box = chart.getBoundingClientRect();
    return (event.clientX - box.left) / box.width;
  };
  pane.addEventListener('click', event => {
    const share = place(event);
    if (share != null) goTo(share);
  });
  pane.addEventListener('pointermove', event => {
    const share = place(event);
    const node = share == null ? null : drawn?.main[Math.round(share * drawn.main.length) - 1];
    pane.title = node ? [`${node.number}${node.black ? '…' : '.'} ${node.san}`, evalText(node.eval), node.clock == null ? '' : clockText(node.clock)].filter(Boolean).join('  ') : '';
  });

  /** @type {(kind: string, words: string, shapes: (Element | null)[]) => HTMLElement} */
  function chart(kind, words, shapes) {
    return el('div', { class: 'evg ' + kind }, el('span', { class: 'what', 'aria-hidden': 'true' }, words),
      el('svg:svg', { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
        shapes, el('svg:line', { class: 'cu', y1: 0, y2: H })));
  }

  /** Shows the charts of a game and where in it a position is; none of either if `game` is none.
   * @param {Game | null} game
   * @param {GameNode} node */
  function show(game, node) {
    const isEmpty = !game || !(game.hasEvals || game.hasClocks);
    pane.classList.toggle('off', isEmpty);
    if (isEmpty) return;
    // From the first game with a chart on they have their place, so that the board keeps its size.
    classList.add('charted');
    if (drawn !== game) {
      drawn = game;
      pane.title = '';
      pane.replaceChildren(game.hasEvals ? chart('ev', t('chart.eval'), evaluations(game)) : '', game.hasClocks ? chart('ck', t('chart.clock'), times(game)) : '');
    }
    let onMain = node;
    while (!onMain.main && onMain.prev) onMain = onMain.prev;
    const x = onMain.ply / Math.max(1, game.main.length) * W;
    for (const one of pane.children) {
      const cursor = $('.cu', one);
      cursor.setAttribute('x1', x);
      cursor.setAttribute('x2', x);
    }
  }

  return { pane, show };
}
