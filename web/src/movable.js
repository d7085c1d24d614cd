// A board that accepts moves by dragging and clicks, and arrows by the right button or in a separate mode.

import { el } from './dom.js';
import { t } from './lang.js';
import { S, here, parts } from './state.js';
import { openDialog } from './dialog.js';
import { changeGame, play } from './edit.js';

/** @import { Api } from 'chessground/api' */
/** @import { Config } from 'chessground/config' */
/** @import { DrawShape } from 'chessground/draw' */
/** @import { Key } from 'chessground/types' */
/** @import { LegalMove, Shape } from './types.d.ts' */

/** @type {Record<string, string>} */
const ROLES = { q: 'queen', r: 'rook', b: 'bishop', n: 'knight' };
/** The colours of chessground's keys: none, Shift, Alt, both.
 * @type {Record<string, string>} */
const COLORS = { green: 'G', red: 'R', blue: 'B', yellow: 'Y' };

/** The colour in which squares and arrows are drawn instead of moving; null moves.
 * @type {string | null} */
let pen = null;
export const penColor = () => pen;
/** @param {string | null} color */
export function setPen(color) {
  pen = color;
  parts.board?.holder.classList.toggle('drawing', Boolean(pen));
  parts.board?.refresh();
}

/** The legal moves of the positions shown last.
 * @type {Map<string, LegalMove[]>} */
const known = new Map();

/** @param {string} fen */
async function legal(fen) {
  const moves = known.get(fen) ?? (await parts.engine.call('moves', { fen })).moves;
  known.set(fen, moves);
  if (known.size > 64) known.delete(/** @type {string} */ (known.keys().next().value));
  return moves;
}

/** Makes a board movable. `ground` gives chessground once it is there.
 * @param {HTMLElement} holder
 * @param {() => Api} ground */
export function makeMovable(holder, ground) {
  let fen = '';
  /** @type {import('./dom.js').Timer} */
  let wait;

  /** @type {Config} */
  const config = {
    viewOnly: false, disableContextMenu: true, autoCastle: false,
    highlight: { lastMove: true, check: false },
    premovable: { enabled: false },
    draggable: { showGhost: false },
    movable: { free: false, color: undefined, rookCastle: false, events: { after: moved } },
  };
  const drawable = { enabled: true, eraseOnClick: false, defaultSnapToValidMove: false, onChange: drawn };

  /** The board shows a position; its moves come a moment later, so that fast steps ask for nothing.
   * @param {string} next */
  function shown(next) {
    fen = next;
    clearTimeout(wait);
    // The position is shown again after a move that was not played; it has no moves until they are requested.
    delete holder.dataset.ready;
    ground().set({ turnColor: next.split(' ')[1] === 'b' ? 'black' : 'white', movable: { color: undefined, dests: new Map() } });
    if (!S.info || pen) return;
    wait = setTimeout(async () => {
      const moves = await legal(next).catch(() => []);
      if (fen !== next || pen) return;
      /** @type {Map<Key, Key[]>} */
      const dests = new Map();
      for (const { from, to } of moves) dests.set(from, [...(dests.get(from) ?? []), ...to]);
      ground().set({ movable: { color: 'both', dests } });
      holder.dataset.ready = next;
    }, 30);
  }

  /** @param {Key} from
   * @param {Key} to */
  async function moved(from, to) {
    const before = fen;
    const fits = (await legal(before)).filter(move => move.from === from && move.to.includes(to));
    const move = fits.length > 1 ? await choosePromotion(fits) : fits[0];
    if (move && fen === before && await play(move.san, move)) return;
    // Back to the position of the game.
    ground().set({ fen: fen.split(' ')[0] });
    shown(fen);
  }

  /** @param {DrawShape[]} shapes */
  function drawn(shapes) {
    const shape = shapes.at(-1);
    if (!shape || S.view === 'tree' || !S.game) return;
    ground().setShapes([]);
    toggle([COLORS[shape.brush ?? ''] ?? 'G', shape.orig, shape.dest ?? null]);
  }

  // With a pen a finger or the left button draws.
  /** @type {Key | undefined} */
  let from;
  /** @param {any} event */
  const square = event => {
    const at = event.changedTouches?.[0] ?? event;
    return ground().getKeyAtDomPos([at.clientX, at.clientY]);
  };
  for (const kind of ['mousedown', 'touchstart']) {
    holder.addEventListener(kind, (/** @type {any} */ event) => {
      if (!pen || event.button > 0) return;
      event.stopPropagation();
      event.preventDefault();
      from = square(event);
    }, { capture: true, passive: false });
  }
  for (const kind of ['mouseup', 'touchend']) {
    holder.addEventListener(kind, event => {
      const to = square(event);
      if (pen && from && to && S.view !== 'tree') toggle([pen, from, to === from ? null : to]);
      from = undefined;
    });
  }
  return { config, drawable, shown };
}

/** Adds a shape, or takes it away if it is there.
 * @param {Shape} shape */
export async function toggle([color, from, to]) {
  const shapes = S.node?.shapes ?? [];
  /** @param {Shape} one */
  const isSame = one => one[1] === from && (one[2] ?? null) === (to ?? null);
  const old = shapes.find(isSame);
  const rest = shapes.filter(one => !isSame(one));
  return changeGame('shapes', { shapes: old?.[0] === color ? rest : [...rest, [color, from, to]] });
}

/** Asks into what a pawn turns.
 * @param {LegalMove[]} moves
 * @returns {Promise<LegalMove | undefined>} */
function choosePromotion(moves) {
  const side = here().split(' ')[1] === 'b' ? 'black' : 'white';
  /** @param {LegalMove} move */
  const kind = move => (move.promotion ?? '').toLowerCase();
  const sorted = [...moves].sort((a, b) => 'qrbn'.indexOf(kind(a)) - 'qrbn'.indexOf(kind(b)));
  return new Promise(done => openDialog(closed => {
    /** @param {LegalMove} [move] */
    const end = move => {
      dialog.close();
      dialog.remove();
      closed();
      done(move);
    };
    const buttons = sorted.map(move => {
      const name = t('man.' + kind(move).toUpperCase());
      return el('button', { class: 'btn', type: 'button', 'data-to': kind(move), 'aria-label': name, title: name, on: { click: () => end(move) } },
        el('span', { class: `man ${side} ${ROLES[kind(move)]}`, 'aria-hidden': 'true' }));
    });
    const dialog = el('dialog', { class: 'dlg promotion', 'aria-label': t('edit.promotion') }, el('div', { class: 'promos' }, buttons));
    dialog.addEventListener('cancel', event => { event.preventDefault(); end(); });
    dialog.addEventListener('click', event => { if (event.target === dialog) end(); });
    dialog.addEventListener('keydown', event => {
      const found = sorted.find(move => kind(move) === event.key.toLowerCase());
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const at = buttons.findIndex(button => button === document.activeElement);
      if (found) end(found);
      else if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
      else return;
      event.preventDefault();
    });
    document.body.append(dialog);
    dialog.showModal();
    buttons[0].focus();
    return { leave: () => end() };
  }));
}
