// Gestures on the board and its keys.

const FAR = 40;
const SOON = 700;

/** Calls `go('next')` or `go('prev')` when a finger moves to the left or to the right over `pane`. A finger that begins on
 * anything that `mayDrag(event)` allows is dragged instead.
 * @param {HTMLElement} pane
 * @param {(name: string) => void} go
 * @param {(event: TouchEvent) => boolean} mayDrag */
export function stepBySwipe(pane, go, mayDrag = () => false) {
  /** @type {{ x: number, y: number, time: number } | null} */
  let from = null;
  pane.addEventListener('touchstart', event => {
    const [finger] = event.touches;
    from = event.touches.length === 1 && !mayDrag(event) ? { x: finger.clientX, y: finger.clientY, time: event.timeStamp } : null;
  }, { passive: true });
  pane.addEventListener('touchend', event => {
    const [finger] = event.changedTouches;
    if (!from || event.touches.length || event.timeStamp - from.time > SOON) return;
    const [x, y] = [finger.clientX - from.x, finger.clientY - from.y];
    from = null;
    if (Math.abs(x) >= FAR && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 'next' : 'prev');
  }, { passive: true });
  pane.addEventListener('touchcancel', () => { from = null; }, { passive: true });
}

/** A key that is held down acts again and again, the longer the faster.
 * @param {HTMLElement} button
 * @param {() => void} act */
export function repeatWhileHeld(button, act) {
  let timer = /** @type {import('./dom.js').Timer} */ (undefined);
  let held = false;
  const stop = () => clearTimeout(timer);
  button.addEventListener('pointerdown', event => {
    if (event.button) return;
    held = false;
    let wait = 320;
    const again = () => {
      if (!button.isConnected) return;
      held = true;
      act();
      wait = Math.max(60, wait * 0.85);
      timer = setTimeout(again, wait);
    };
    stop();
    timer = setTimeout(again, 450);
  });
  for (const kind of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(kind, stop);
  button.addEventListener('contextmenu', event => { if (held) event.preventDefault(); });
  // The click at the end of a long press is not a further step.
  button.addEventListener('click', event => {
    if (held) event.stopImmediatePropagation();
    held = false;
  }, true);
}
