// The board with its strips, keys and the line of evaluations.

/*! chessground 9, Thibault Duplessis, GPL-3.0-or-later, https://github.com/lichess-org/chessground */
import { Chessground } from 'chessground';

import { $, el, ico, foreign, tame } from './dom.js';
import { makeCharts } from './chart.js';
import { repeatWhileHeld, stepBySwipe } from './touch.js';
import { t } from './lang.js';
import { makeMovable } from './movable.js';
import { judgement } from './notation.js';
import { clocks, clockText, evalText, material, share, turn } from './game.js';

/** @import { Config } from 'chessground/config' */
/** @import { Api } from 'chessground/api' */
/** @import { DrawShape } from 'chessground/draw' */
/** @import { Key } from 'chessground/types' */
/** @import { Evaluation, Game, GameNode, Shape } from './types.d.ts' */

const FILES = [...'abcdefgh'];

/** @typedef {{ fen: string, uci?: string, flipped: boolean, shapes: Shape[], fast: boolean, game: Game, node: GameNode, free?: boolean }} Shown */
/** @typedef {{ fen: string, evaluation?: Evaluation, shapes: Shape[] }} Analysed */

/** Makes the middle pane. `go` acts on the keys below the board: first, prev, play, next, last, flip,
 * find, fen, `goTo` on a click into the line of evaluations, with its place from 0 to 1; `shown(fen)` hears of every
 * position.
 * @param {(name: string) => void} go
 * @param {(share: number) => void} goTo
 * @param {(fen: string) => void} shown */
export function makeBoard(go, goTo, shown) {
  const holder = el('div', { class: 'board', tabindex: 0, role: 'img', id: 'board' });
  const ranks = el('div', { class: 'ranks', 'aria-hidden': 'true' });
  const files = el('div', { class: 'files', 'aria-hidden': 'true' });
  const bar = el('div', { class: 'evalbar', role: 'img' }, el('i'));
  const strips = [el('div', { class: 'strip' }), el('div', { class: 'strip' })];
  // Over the bar, with the same space on the other side, so that the clocks stay one above the other.
  const numbers = ['evn', 'evn blank'].map(kind => el('span', { class: kind, 'aria-hidden': 'true', hidden: true }));
  const charts = makeCharts(goTo);
  /** @type {(name: string, words: string, key?: string) => HTMLElement} */
  const button = (name, words, key) => el('button', {
    type: 'button', 'data-go': name, 'aria-label': t(words) + (key ? ` (${key})` : ''), title: t(words) + (key ? ` (${key})` : ''),
    on: { click: () => go(name) },
  }, ico(name));
  const keys = el('div', { class: 'ctl', role: 'toolbar', 'aria-label': t('nav.board'), on: { keydown: roam } },
    el('div', {},
      button('first', 'go.first', 'Home'), button('prev', 'go.prev', '←'), button('play', 'play', t('key.space')),
      button('next', 'go.next', '→'), button('last', 'go.last', 'End')),
    el('div', {},
      button('flip', 'flip', 'f'), button('find', 'find.position'), button('edit', 'pat.title', 'e'), button('engine', 'engine.toggle', 'a'), button('copy', 'copy.fen', 'C')));
  for (const name of ['prev', 'next']) repeatWhileHeld($(`[data-go=${name}]`, keys), () => go(name));
  keys.querySelectorAll('button').forEach((one, n) => { one.tabIndex = n === 2 ? 0 : -1; });
  const pane = el('section', { class: 'mid', 'aria-label': t('nav.board') },
    el('div', { class: 'wrap' }, strips[0], el('div', { class: 'boardrow' }, ranks, files, holder, bar),
      el('div', { class: 'below' }, strips[1])),
    keys, charts.pane);
  // A notch of a mouse, or as much of a touchpad.
  let turned = 0;
  const row = $('.wrap', pane);
  row.addEventListener('wheel', (/** @type {WheelEvent} */ event) => {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    const scale = event.deltaMode ? 40 : 1;
    if (turned * event.deltaY < 0) turned = 0;
    turned += event.deltaY * scale;
    for (; Math.abs(turned) >= 40; turned = 0) go(turned > 0 ? 'next' : 'prev');
  }, { passive: false });
  stepBySwipe(holder, go, ({ touches: [finger] }) => {
    const key = ground?.getKeyAtDomPos([finger.clientX, finger.clientY]);
    return Boolean(key && ground?.state.movable.dests?.has(key));
  });
  /** @type {Api | null} */
  let ground = null;
  // Pieces are placed by pixels, and arrows on a board without any have no place.
  new ResizeObserver(redraw).observe(holder);
  let drawn = '';
  /** @type {Shown | null} */
  let last = null;
  /** The engine's evaluation of the position.
   * @type {Analysed | null} */
  let analysed = null;
  const movable = makeMovable(holder, () => /** @type {Api} */ (ground));

  /** @param {KeyboardEvent} event */
  function roam(event) {
    const all = [...keys.querySelectorAll('button')];
    const at = all.findIndex(one => one === document.activeElement);
    const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1 : null;
    if (to == null || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = all[(to + all.length) % all.length];
    all.forEach(one => { one.tabIndex = one === next ? 0 : -1; });
    next.focus();
  }

  function redraw() {
    if (!ground || !holder.offsetWidth) return;
    ground.setAutoShapes(drawings());
    ground.redrawAll();
    keepSize(ground.state.dom);
  }

  /** Shows a position; `free` is one of no game.
   * @param {Shown} state */
  function show(state) {
    const { fen, uci, flipped, fast, game, node, free } = state;
    last = state;
    if (analysed?.fen !== fen) analysed = null;
    /** @type {Config} */
    const config = {
      fen: fen.split(' ')[0],
      orientation: flipped ? 'black' : 'white',
      lastMove: uci && /^[a-h][1-8][a-h][1-8]/.test(uci) ? /** @type {Key[]} */ ([uci.slice(0, 2), uci.slice(2, 4)]) : [],
      animation: { enabled: !fast && !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 120 },
      drawable: { ...movable.drawable, visible: true, shapes: [], autoShapes: drawings() },
    };
    if (!ground) {
      ground = Chessground(holder, {
        ...movable.config, coordinates: false, addPieceZIndex: false, ...config,
        drawable: { ...config.drawable, autoShapes: [], brushes: /** @type {any} */ (BRUSHES) },
      });
      keepSize(ground.state.dom);
      ground.setAutoShapes(drawings());
    } else {
      ground.set(config);
    }
    movable.shown(fen);
    holder.dataset.fen = fen;
    const order = flipped ? [...FILES].reverse() : FILES;
    if (drawn !== String(flipped)) {
      drawn = String(flipped);
      files.replaceChildren(...order.map(file => el('span', {}, file)));
      const down = [...'87654321'];
      ranks.replaceChildren(...(flipped ? down.reverse() : down).map(rank => el('span', {}, rank)));
    }
    holder.setAttribute('aria-label', t('board.label', {
      t: t(turn(fen) === 'w' ? 'col.white' : 'col.black'), n: t('men', { n: fen.split(' ')[0].replace(/[^a-z]/gi, '').length }),
    }));
    const [white, black] = material(fen);
    const times = free ? [null, null] : clocks(node);
    const onTurn = turn(fen);
    /** @param {number} side */
    const strip = side => {
      const isBlack = side === 1;
      const name = free ? t(isBlack ? 'col.black' : 'col.white') : (isBlack ? game.black : game.white);
      const elo = free ? null : (isBlack ? game.blackElo : game.whiteElo);
      const time = times[side];
      return [
        el('span', { class: 'dot' + (isBlack ? ' b' : ''), role: 'img', 'aria-label': t(isBlack ? 'col.black' : 'col.white') }),
        foreign('span', { class: 'who' }, tame(name === '?' || !name ? t('unknown') : name)),
        elo ? el('span', { class: 'mut' }, elo) : null,
        el('span', { class: 'mat', 'aria-hidden': 'true' }, isBlack ? black : white),
        time != null && el('span', { class: 'clk' + ((onTurn === 'b') === isBlack ? ' on' : ''), 'aria-label': t('clock', { t: clockText(time) }) }, clockText(time)),
      ].filter(one => one instanceof Node);
    };
    strips[0].replaceChildren(...strip(flipped ? 0 : 1), numbers[0]);
    strips[1].replaceChildren(...strip(flipped ? 1 : 0), numbers[1]);
    charts.show(free ? null : game, node);
    judge();
    shown(fen);
  }

  /** Draws arrows and circles, unless the board has no size yet. */
  function drawings() {
    if (!holder.offsetWidth) return [];
    // The board remembers its size, which was none while it was not shown.
    ground?.state.dom.bounds.clear();
    return [...[...last?.shapes ?? [], ...analysed?.shapes ?? []].map(drawing), ...judged()];
  }

  /** The sign of the last move, at the corner of its square.
   * @returns {DrawShape[]} */
  function judged() {
    const { node, uci, free } = last ?? {};
    const found = !free && node && judgement(node);
    if (!found || !/^[a-h][1-8][a-h][1-8]/.test(uci ?? '')) return [];
    const [text, kind] = found;
    return [{ orig: /** @type {Key} */ (uci?.slice(2, 4)), label: { text, fill: SIGN_COLOURS[kind] } }];
  }

  /** The evaluation of the engine or of the game. */
  function judge() {
    if (!last) return;
    const { game, node, free, flipped } = last;
    const now = analysed?.evaluation ?? (!free && game.hasEvals ? lastEval(node) : null);
    const isOff = !now && (free || !game.hasEvals);
    bar.classList.toggle('off', isOff);
    for (const number of numbers) {
      number.hidden = isOff;
      number.textContent = evalText(now) || '–';
    }
    bar.style.setProperty('--ev', share(now) + '%');
    bar.classList.toggle('turned', flipped);
    bar.title = evalText(now);
    bar.setAttribute('aria-label', t('eval', { t: evalText(now) }));
  }

  /** Shows what the engine thinks of a position, as long as it is on the board; nothing of it if null.
   * @param {Analysed | null} found */
  function analyse(found) {
    if (!last) return;
    analysed = found?.fen === last.fen ? found : null;
    judge();
    ground?.setAutoShapes(drawings());
  }

  /** @param {GameNode | null} from */
  function lastEval(from) {
    for (let node = from; node; node = node.prev) if (node.eval) return node.eval;
    return null;
  }

  return { pane, show, holder, redraw, refresh: () => last && show(last), analyse };
}

/** Makes a board draw with its last size when it is not shown, as the places of arrows are no numbers without one.
 * @param {{ bounds: { (): DOMRectReadOnly, clear: () => void } }} dom */
function keepSize(dom) {
  const measure = dom.bounds;
  let size = new DOMRectReadOnly(0, 0, 8, 8);
  dom.bounds = Object.assign(() => {
    const now = measure();
    if (now.width) size = now;
    return size;
  }, { clear: measure.clear });
}

const BRUSHES = Object.fromEntries(Object.entries({
  G: '#1c5a49', R: '#a3261d', Y: '#9a6a00', B: '#1f4f8f',
}).map(([key, color]) => [key, { key, color, opacity: 0.9, lineWidth: 9 }]));

/** The colours of the signs of good, bad and doubtful moves.
 * @type {Record<string, string>} */
const SIGN_COLOURS = { good: '#1c5a49', bad: '#a3261d', dub: '#7a5000' };

/** An arrow or square as chessground draws it.
 * @param {Shape} shape
 * @returns {DrawShape} */
function drawing([color, from, to, width]) {
  /** @type {DrawShape} */
  const shape = { orig: /** @type {Key} */ (from), brush: BRUSHES[color] ? color : 'G' };
  if (to) shape.dest = /** @type {Key} */ (to);
  if (width) shape.modifiers = { lineWidth: width };
  return shape;
}
