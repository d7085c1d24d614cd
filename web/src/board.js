// The board with its strips, keys and the line of evaluations.

/*! chessground 9, Thibault Duplessis, GPL-3.0-or-later, https://github.com/lichess-org/chessground */
import { Chessground } from 'chessground';

import { $, el, ico, foreign, tame } from './dom.js';
import { t } from './lang.js';
import { clocks, clockText, evalText, material, share, turn } from './game.js';

const FILES = [...'abcdefgh'];

/** Makes the middle pane. `go` acts on the keys below the board: first, prev, play, next, last, flip,
 * find, fen, and `goTo` on a click into the line of evaluations. */
export function makeBoard(go, goTo) {
  const holder = el('div', { class: 'board', tabindex: 0, role: 'img', id: 'board' });
  const ranks = el('div', { class: 'ranks', 'aria-hidden': 'true' });
  const files = el('div', { class: 'files', 'aria-hidden': 'true' });
  const bar = el('div', { class: 'evalbar', role: 'img' }, el('i'));
  const strips = [el('div', { class: 'strip' }), el('div', { class: 'strip' })];
  const graph = el('div', { class: 'evg' });
  const button = (name, words, key) => el('button', {
    type: 'button', 'data-go': name, 'aria-label': t(words) + (key ? ` (${key})` : ''), title: t(words) + (key ? ` (${key})` : ''),
    on: { click: () => go(name) },
  }, ico(name));
  const keys = el('div', { class: 'ctl', role: 'toolbar', 'aria-label': t('nav.board'), on: { keydown: roam } },
    el('div', {},
      button('first', 'go.first', 'Home'), button('prev', 'go.prev', '←'), button('play', 'play', t('key.space')),
      button('next', 'go.next', '→'), button('last', 'go.last', 'End')),
    el('div', {},
      button('flip', 'flip', 'f'), button('find', 'find.position'), button('edit', 'pat.title', 'e'), button('copy', 'copy.fen', 'C')));
  keys.querySelectorAll('button').forEach((one, n) => { one.tabIndex = n === 2 ? 0 : -1; });
  const pane = el('section', { class: 'mid', 'aria-label': t('nav.board') },
    el('div', { class: 'wrap' }, strips[0], el('div', { class: 'boardrow' }, ranks, files, holder, bar),
      el('div', { class: 'below' }, strips[1])),
    keys, graph);
  // A notch of a mouse, or as much of a touchpad.
  let turned = 0;
  const row = $('.wrap', pane);
  row.addEventListener('wheel', event => {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    const scale = event.deltaMode ? 40 : 1;
    if (turned * event.deltaY < 0) turned = 0;
    turned += event.deltaY * scale;
    for (; Math.abs(turned) >= 40; turned = 0) go(turned > 0 ? 'next' : 'prev');
  }, { passive: false });
  graph.addEventListener('click', event => {
    const box = graph.getBoundingClientRect();
    goTo((event.clientX - box.left) / box.width);
  });
  let ground = null;
  let drawn = '';

  function roam(event) {
    const all = [...keys.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 }[event.key];
    if (to == null || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = all[(to + all.length) % all.length];
    all.forEach(one => { one.tabIndex = one === next ? 0 : -1; });
    next.focus();
  }

  /** Shows a position. */
  function show(state) {
    const { fen, uci, flipped, shapes, fast, game, node, free } = state;
    const config = {
      fen: fen.split(' ')[0],
      orientation: flipped ? 'black' : 'white',
      lastMove: uci && /^[a-h][1-8][a-h][1-8]/.test(uci) ? [uci.slice(0, 2), uci.slice(2, 4)] : [],
      animation: { enabled: !fast && !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 120 },
      drawable: { enabled: false, visible: true, autoShapes: shapes.map(drawing) },
    };
    if (!ground) {
      ground = Chessground(holder, {
        viewOnly: true, coordinates: false, disableContextMenu: false, addPieceZIndex: false, ...config,
        drawable: { ...config.drawable, brushes: BRUSHES },
      });
    } else {
      ground.set(config);
    }
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
      ].filter(Boolean);
    };
    strips[0].replaceChildren(...strip(flipped ? 0 : 1));
    strips[1].replaceChildren(...strip(flipped ? 1 : 0));
    const judged = !free && game.hasEvals;
    bar.classList.toggle('off', !judged);
    graph.classList.toggle('off', !judged);
    if (judged) {
      const now = lastEval(node);
      bar.style.setProperty('--ev', share(now) + '%');
      bar.classList.toggle('turned', flipped);
      bar.title = evalText(now);
      bar.setAttribute('aria-label', t('eval', { t: evalText(now) }));
      line(game, node);
    }
  }

  function lastEval(node) {
    for (; node; node = node.prev) if (node.eval) return node.eval;
    return null;
  }

  let lineOf = null;
  function line(game, node) {
    const W = 400, H = 44, n = Math.max(1, game.main.length);
    if (lineOf !== game) {
      lineOf = game;
      let last = 50;
      const points = game.main.map((one, at) => {
        if (one.eval) last = share(one.eval);
        return `${((at + 1) / n * W).toFixed(1)} ${(H - last / 100 * H).toFixed(1)}`;
      });
      graph.replaceChildren(el('svg:svg', { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': t('eval', { t: '' }) },
        el('svg:path', { class: 'ar', d: `M0 ${H / 2}L${points.join('L')}L${W} ${H / 2}Z` }),
        el('svg:line', { class: 'z', x1: 0, x2: W, y1: H / 2, y2: H / 2 }),
        el('svg:path', { class: 'ln', d: 'M' + points.join('L') }),
        el('svg:line', { class: 'cu', y1: 0, y2: H })));
    }
    let onMain = node;
    while (!onMain.main) onMain = onMain.prev;
    const x = onMain.ply / n * W;
    const cursor = $('.cu', graph);
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
  }

  return { pane, show, holder, redraw: () => ground?.redrawAll() };
}

const BRUSHES = Object.fromEntries(Object.entries({
  G: '#1c5a49', R: '#a3261d', Y: '#9a6a00', B: '#1f4f8f',
}).map(([key, color]) => [key, { key, color, opacity: 0.9, lineWidth: 9 }]));

/** An arrow or square as chessground draws it. */
function drawing([color, from, to, width]) {
  const shape = { orig: from, brush: BRUSHES[color] ? color : 'G' };
  if (to) shape.dest = to;
  if (width) shape.modifiers = { lineWidth: width };
  return shape;
}
