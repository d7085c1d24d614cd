// A game that plays by itself.

import { $ } from './dom.js';

/** @type {ReturnType<typeof setInterval> | undefined} */
let playing;

/** Calls `step` again and again until it returns false; stops if it plays already.
 * @param {() => boolean} step
 * @param {number} seconds between two calls */
export function togglePlaying(step, seconds) {
  if (playing) return stopPlaying();
  $('[data-go=play]')?.setAttribute('aria-pressed', 'true');
  playing = setInterval(() => { if (!step()) stopPlaying(); }, seconds * 1000);
}

export function stopPlaying() {
  clearInterval(playing);
  playing = undefined;
  $('[data-go=play]')?.removeAttribute('aria-pressed');
}
