// The open dialog, at most one.

import { own } from './state.js';

/** @import { Dialog } from './types.d.ts' */

const update = own('dialog');

/** Opens the dialog that `make(closed)` returns; it calls `closed` at its end, and the focus returns to where it was.
 * @param {(closed: () => void) => Dialog} make */
export function openDialog(make) {
  const back = /** @type {HTMLElement | null} */ (document.activeElement);
  update({ dialog: make(() => {
    update({ dialog: null });
    if (back?.isConnected) back.focus();
  }) });
}
