// Won, drawn and lost games as a bar.

import { el } from './dom.js';
import { percent, t } from './lang.js';

/** Won, drawn, lost as paper, hatching, ink.
 * @param {readonly number[]} score */
export function bar(score, words = 'wdl') {
  const [white, draws, black] = score;
  const all = white + draws + black;
  /** @param {number} count */
  const share = count => (all ? count / all : 0);
  const label = t(words, { w: percent(share(white), 0), d: percent(share(draws), 0), b: percent(share(black), 0) });
  return el('div', { class: 'wdl' + (all ? '' : ' none'), role: 'img', 'aria-label': label, title: label },
    all ? /** @type {[string, number][]} */ ([['w', white], ['d', draws], ['b', black]]).map(([kind, count]) => el('i', { class: kind, style: { width: share(count) * 100 + '%' } })) : null);
}
