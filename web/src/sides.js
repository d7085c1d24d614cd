// The borders between list, board and moves, which can be moved.

import { $, el } from './dom.js';
import { t } from './lang.js';
import { SIDES, change, onSetting, setting } from './settings.js';

/** The least share of each pane, and the most of two panes next to the board. */
const LEAST = 0.14;
const MOST = 0.72;

/** Passes the shares to the styles; a side without one has its share from frame.css. */
function apply() {
  const { style } = document.documentElement;
  for (const side of SIDES) {
    const share = setting('sides')[side];
    if (share == null) style.removeProperty(`--${side}-own`);
    else style.setProperty(`--${side}-own`, `${(share * 100).toFixed(2)}cq${side === 't' ? 'h' : 'w'}`);
  }
}

onSetting(name => { if (name === 'sides') apply(); });

/** Returns the borders for a view with panes. They are on top of it, between its panes. */
export function sideBorders() {
  apply();
  return SIDES.map(side => {
    const isLevel = side === 't';
    const border = el('div', {
      class: `border ${side}`, role: 'separator', tabindex: 0, 'aria-orientation': isLevel ? 'horizontal' : 'vertical',
      'aria-label': t('border.' + side), title: t('border.help'), 'aria-valuemin': LEAST * 100, 'aria-valuemax': MOST * 100,
    });
    /** The present shares, as they are on the screen. */
    const present = () => {
      const panes = /** @type {HTMLElement} */ (border.parentElement);
      const box = panes.getBoundingClientRect();
      const [left, right] = ['.left', '.right'].map(name => $(name, panes).getBoundingClientRect());
      return { box, l: left.width / box.width, r: right.width / box.width, t: (left.top - box.top) / box.height };
    };
    const tell = () => { if (border.isConnected) border.setAttribute('aria-valuenow', String(Math.round(present()[side] * 100))); };
    /** @param {number} share */
    const set = share => {
      const now = present();
      const sides = { ...setting('sides') };
      if (isLevel) sides.t = Math.max(0.3, Math.min(0.85, share));
      else {
        const isStacked = getComputedStyle($('.border.t', /** @type {HTMLElement} */ (border.parentElement))).display !== 'none';
        const other = side === 'l' ? 'r' : 'l';
        // The pane on the other side of the board keeps its width.
        if (!isStacked) sides[other] = now[other];
        const most = isStacked ? 0.6 : MOST - Math.min(now[other], MOST - LEAST);
        sides[side] = Math.max(LEAST, Math.min(most, share));
      }
      change('sides', sides);
      tell();
    };
    const reset = () => { change('sides', {}); tell(); };
    border.addEventListener('pointerdown', event => {
      if (event.button) return;
      event.preventDefault();
      border.focus();
      border.setPointerCapture(event.pointerId);
      border.classList.add('held');
    });
    border.addEventListener('pointermove', event => {
      if (!border.hasPointerCapture(event.pointerId)) return;
      const { box } = present();
      if (isLevel) set((event.clientY - box.top) / box.height);
      else set((side === 'l' ? event.clientX - box.left : box.right - event.clientX) / box.width);
    });
    for (const kind of ['pointerup', 'pointercancel']) border.addEventListener(kind, () => border.classList.remove('held'));
    border.addEventListener('dblclick', reset);
    border.addEventListener('focus', tell);
    border.addEventListener('keydown', event => {
      const forth = side === 'r' ? -1 : 1;
      /** @type {Record<string, number>} */
      const steps = isLevel ? { ArrowUp: -0.02, ArrowDown: 0.02 } : { ArrowLeft: -0.02 * forth, ArrowRight: 0.02 * forth };
      const step = steps[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (step) set(present()[side] + step);
      else if (event.key === 'Home') set(0);
      else if (event.key === 'End') set(1);
      else if (event.key === 'Enter') reset();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    requestAnimationFrame(tell);
    return border;
  });
}
