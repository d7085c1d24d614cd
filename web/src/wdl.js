// Won, drawn and lost games as a bar.

import { el } from './dom.js';
import { percent, t } from './lang.js';

/** The least share of a bar in which its number has room. */
const ROOM = 0.24;

/** Won, drawn, lost as paper, hatching, ink; with numbers where these fit.
 * @param {readonly number[]} score
 * @param {string} [words]
 * @param {boolean} [withNumbers] */
export function bar(score, words = 'wdl', withNumbers = false) {
  const [white, draws, black] = score;
  const all = white + draws + black;
  /** @param {number} count */
  const share = count => (all ? count / all : 0);
  const label = t(words, { w: percent(share(white), 0), d: percent(share(draws), 0), b: percent(share(black), 0) });
  return el('div', { class: 'wdl' + (all ? '' : ' none'), role: 'img', 'aria-label': label, title: label },
    all ? /** @type {[string, number][]} */ ([['w', white], ['d', draws], ['b', black]]).map(([kind, count]) => el('i', { class: kind, style: { width: share(count) * 100 + '%' } }, withNumbers && share(count) >= ROOM ? el('b', { 'aria-hidden': 'true' }, percent(share(count), 0)) : null)) : null);
}
