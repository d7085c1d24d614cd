// The start of the page: its first screen, and what acts on the whole window.

import { el, later, tame } from './dom.js';
import { ownLang, setLang, t } from './lang.js';
import { errorText, isFailure } from './failure.js';
import { S, on, parts, phone } from './state.js';
import { provide } from './commands.js';
import { served } from './remote.js';
import { dropped, overlay } from './drop.js';
import { errorLine } from './faults.js';
import { handlesOfDrop } from './remember.js';
import { onKey } from './keys.js';
import { anyUnsaved, onPaste } from './edit.js';
import { applyLook } from './look.js';
import { onPrinting } from './print.js';
import { onSetting, readSettings } from './settings.js';
import * as tabs from './tabs.js';
import { alarm, analyse, fill, paintTheme, printState, show, arrangeMoves, stack } from './frame.js';
import { again, closeCurrent, hasOther, journey, openFiles, openServed, other, recover, showDrop, turnTo, warn } from './opening.js';

provide({ show, alarm, fragment: journey.fragment, again, hasOther, other, recover, turnTo, closeCurrent, analyse });
on('edits', () => tabs.markEdited(S.edits.unsaved > 0));

function begin() {
  setLang(ownLang());
  readSettings();
  applyLook();
  paintTheme();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintTheme);
  if (!served && !globalThis.WebAssembly) {
    fill(el('p', { class: 'note', role: 'alert' }, t('bad.wasm')));
    return;
  }
  const asked = location.hash;
  if (served) openServed();
  else showDrop('replaceState', asked);
  addEventListener('keydown', onKey);
  for (const kind of ['unhandledrejection', 'error']) {
    addEventListener(kind, (/** @type {any} */ event) => {
      const error = event.reason ?? event.error;
      // A trap and a cancelled task are reported where they happen.
      if (isFailure(error, 'cancelled', 'trap', 'stopped', 'closed')) event.preventDefault();
      else if (error) alarm(t('bad.internal', { t: tame(isFailure(error) ? errorLine(error) : errorText(error)) }));
    });
  }
  addEventListener('popstate', journey.travel);
  addEventListener('beforeunload', event => { if (served ? tabs.isUnsaved() || anyUnsaved() : tabs.list.length) event.preventDefault(); });
  addEventListener('paste', onPaste);
  onPrinting(() => (S.info && ['games', 'board', 'tree'].includes(S.view) ? printState() : null));
  onSetting(name => {
    if (!S.info) return;
    if (name === 'notation') arrangeMoves();
    if (name !== 'columns') return;
    parts.list.arrange();
    if (parts.left.isConnected) stack();
  });
  /** @type {HTMLElement | null} */
  let over = null;
  addEventListener('dragover', event => {
    event.preventDefault();
    if (!over && !served) document.body.append((over = overlay()));
  });
  const leave = () => { over?.remove(); over = null; };
  addEventListener('dragleave', event => { if (!event.relatedTarget) leave(); });
  addEventListener('drop', async event => {
    event.preventDefault();
    leave();
    if (served) {
      alarm(t('view.drop'));
      return;
    }
    const { dataTransfer } = event;
    if (!dataTransfer) return;
    const handles = handlesOfDrop(dataTransfer);
    const list = await dropped(dataTransfer);
    if (list.length) openFiles(list, { handles: await handles });
    else warn({ code: 'empty' }, []);
  });
  addEventListener('resize', () => { if (S.info && parts.left.isConnected) stack(); });
  let width = innerWidth;
  let narrow = phone();
  addEventListener('resize', later(150, () => {
    if (!S.info) return;
    const crossed = narrow !== phone() || [960, 1900].some(edge => (width < edge) !== (innerWidth < edge));
    width = innerWidth;
    narrow = phone();
    if (crossed) show(S.view === 'board' && !phone() ? 'games' : S.view);
    else if (parts.board.pane.isConnected) parts.board.redraw();
  }));
}

begin();
