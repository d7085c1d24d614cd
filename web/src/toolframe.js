// The dialogs of the tools: a frame, the progress of long work in it, and a note at the end.

import { $, el, ico, say, tame } from './dom.js';
import { t } from './lang.js';
import { errorLine } from './faults.js';
import { S, parts } from './state.js';
import { openDialog } from './dialog.js';
import { errorText, isFailure } from './failure.js';

/** @import { Tasks } from './types.d.ts' */
/** @typedef {{ body: HTMLElement, foot: HTMLElement, leave: () => void, stopped: () => void, failed: string }} Frame */
/** @typedef {(state: { seen?: number, games?: number }) => void} Tell */

/** A dialog with this title; `fill(frame)` puts things into `body` and `foot` and may call `leave`.
 * @param {string} title
 * @param {(frame: Frame) => unknown} fill */
export function dialog(title, fill) {
  if (S.dialog) return;
  openDialog(closed => {
    const body = el('div', { class: 'body' });
    const foot = el('footer');
    const frame = el('dialog', { class: 'dlg tool', 'aria-labelledby': 'toolt' },
      el('div', { class: 'dh' }, el('h2', { id: 'toolt' }, title),
        el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: () => leave() } }, ico('x'))),
      body, foot);
    let isOpen = true;
    /** @type {Frame} */
    const made = { body, foot, leave, stopped: () => {}, failed: '' };
    function leave() {
      if (!isOpen) return;
      isOpen = false;
      frame.close();
      frame.remove();
      closed();
      made.stopped();
    }
    frame.addEventListener('cancel', event => { event.preventDefault(); leave(); });
    frame.addEventListener('click', (/** @type {Event} */ event) => { if (event.target === frame) leave(); });
    document.body.append(frame);
    fill(made);
    frame.showModal();
    return { leave };
  });
}

/** @param {string} words
 * @param {() => unknown} act
 * @param {boolean} [main] */
export const button = (words, act, main) => el('button', { class: 'btn' + (main ? ' main' : ''), type: 'button', on: { click: act } }, words);

/** In an open dialog: shows the progress of `work(progress)`, which `stop` ends, and then closes. Returns its answer, or
 * nothing if it was stopped or failed.
 * @template T
 * @param {Frame} frame
 * @param {number} total of the games
 * @param {(tell: Tell) => Promise<T>} work
 * @param {() => unknown} stop
 * @returns {Promise<T | null>} */
export async function during(frame, total, work, stop) {
  const words = el('span', {}, t('running', { n: 0, m: total }));
  const line = el('i');
  const meter = el('div', { role: 'progressbar', 'aria-label': t('tools.runs'), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': 0, class: 'prog' }, line);
  let isStopped = false;
  frame.stopped = () => { isStopped = true; stop(); };
  frame.body.replaceChildren(meter, el('div', { class: 'progt' }, words));
  frame.foot.replaceChildren(button(t('cancel'), frame.leave));
  const done = () => { frame.stopped = () => {}; };
  try {
    const answer = await work(({ seen, games }) => {
      const n = seen ?? games ?? 0;
      const share = Math.min(100, Math.round(n / Math.max(1, total) * 100));
      line.style.width = share + '%';
      meter.setAttribute('aria-valuenow', String(share));
      words.textContent = t('running', { n: Math.min(n, total), m: total });
    });
    done();
    return isStopped ? null : answer;
  } catch (caught) {
    done();
    if (isStopped) return null;
    frame.failed = isFailure(caught, 'full') ? t('tools.full') : isFailure(caught) ? errorLine(caught) : errorText(caught);
    frame.body.replaceChildren(el('div', { class: 'note', role: 'alert' }, tame(frame.failed)));
    frame.foot.replaceChildren(button(t('close'), frame.leave, true));
    return null;
  }
}

/** Shows the progress of a task of the session.
 * @template {keyof Tasks} K
 * @param {Frame} frame
 * @param {K} name
 * @param {object} parameters */
export const runTask = (frame, name, parameters) => during(frame, S.info?.games ?? 0,
  tell => parts.engine.task(name, parameters, tell, name), () => parts.engine.stop(name));

/** Shows the result, and announces it to a screen reader.
 * @param {string} words */
export function tell(words) {
  say(words);
  $('.toast')?.remove();
  const note = el('div', { class: 'toast', 'aria-hidden': 'true' }, words);
  document.body.append(note);
  setTimeout(() => note.remove(), 2500);
}
