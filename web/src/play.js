// A game that plays by itself.

import { $ } from './dom.js';
import { setting } from './settings.js';

/** @type {ReturnType<typeof setInterval> | undefined} */
let playing;

/** Calls `step` at the pace that the reader chose until it returns false; stops if it plays already.
 * @param {() => boolean} step */
export function togglePlaying(step) {
  if (playing) return stopPlaying();
  $('[data-go=play]')?.setAttribute('aria-pressed', 'true');
  playing = setInterval(() => { if (!step()) stopPlaying(); }, setting('pace') * 1000);
}

export function stopPlaying() {
  clearInterval(playing);
  playing = undefined;
  $('[data-go=play]')?.removeAttribute('aria-pressed');
}
