// Back and Forward walk through what was done: queries, games, views and databases. An entry of the history has an
// address, and the names of the files of its database.

import { t } from './lang.js';
import { S } from './state.js';
import { served } from './remote.js';
import { isFailure } from './failure.js';
import { makeOpened, makeSteps } from './travel.js';

/** @import { Entry, OpenedBase, StepHow } from './types.d.ts' */

/** @param {object} of
 * @param {(before: OpenedBase, asked: string) => Promise<void>} of.reopen shows a database that is or was open
 * @param {(asked: string, isBack: boolean) => Promise<void>} of.apply goes to an address in the open database
 * @param {(how?: 'pushState' | 'replaceState') => void} of.showDrop shows the first screen
 * @param {() => void} of.close closes the database that is shown
 * @param {() => boolean} of.mayClose asks the reader whether it may be closed
 * @param {(text: string) => void} of.alarm
 * @param {(error: unknown) => void} of.failed */
export function makeJourney({ reopen, apply, showDrop, close, mayClose, alarm, failed }) {
  const steps = makeSteps();
  const opened = makeOpened();
  /** The database that is open, as the history calls it.
   * @type {string | null} */
  let base = null;
  /** How many times something is being shown that must not change the history meanwhile. */
  let going = 0;
  /** Whether a database is being opened, which is one step. */
  let opening = false;
  /** The entry with which the page was loaded, until a database is open.
   * @type {Entry | null} */
  let before = history.state;
  let latest = 0;
  let travelling = Promise.resolve();

  const shown = () => ({ base, view: S.view, query: S.query, game: S.game?.game ?? null });

  /** Notes an address, as a step to which Back leads or instead of the present one.
   * @param {'pushState' | 'replaceState'} how
   * @param {string} address
   * @param {Entry} [entry] */
  function record(how, address, entry = opened.entry(base)) {
    try {
      history[how](entry, '', address || location.pathname + location.search);
    } catch {
      // Some browsers forbid it for pages from a disk.
    }
  }

  /** Notes what is shown in the address, as a step if it is one.
   * @param {StepHow} [how] */
  function fragment(how) {
    if (!S.info || going) return;
    const words = new URLSearchParams();
    if (S.view !== 'games') words.set('view', S.view);
    if (S.game) words.set('game', String(S.game.game + 1));
    if (S.node?.n) words.set(S.node.main ? 'ply' : 'node', String(S.node.main ? S.node.ply : S.node.n));
    if (S.query) words.set('query', S.query);
    const text = words.toString();
    record(!opening && steps.isStep(shown(), how) ? 'pushState' : 'replaceState', text ? '#' + text : '');
  }

  /** Does something that is no step.
   * @param {() => Promise<void>} act */
  async function quietly(act) {
    going += 1;
    try {
      await act();
    } finally {
      going -= 1;
      opening = false;
    }
    steps.start(shown());
  }

  /** Goes to an entry; before the first of them the database is closed, if the reader wants that.
   * @param {Entry | null} entry
   * @param {string} asked the address */
  async function arrive(entry, asked) {
    if (!S.info && !entry?.open) return;
    if (entry?.start) {
      if (mayClose()) {
        close();
        return showDrop('replaceState');
      }
      record('pushState', '');
      return fragment();
    }
    S.dialog?.leave();
    const there = opened.find(entry);
    await quietly(async () => {
      if (there && there.id !== base) await reopen(there, asked);
      // An address that was typed has no entry, and what it does not name stays.
      else if (there || !entry) await apply(asked, Boolean(entry));
      else if (S.info) alarm(t('again.choose'));
      else {
        before = entry;
        showDrop();
      }
    });
  }

  return {
    fragment, quietly,
    /** Several steps in a row are done one after another; only the last of them is shown.
     * @param {PopStateEvent} event */
    travel({ state }) {
      const mine = ++latest;
      travelling = travelling.then(() => (mine === latest ? arrive(state, location.hash) : undefined))
        .catch(error => { if (!isFailure(error, 'cancelled')) failed(error); });
    },
    /** The first screen is shown.
     * @param {'pushState' | 'replaceState'} how
     * @param {string} [asked] an address for the database that will be opened */
    start(how, asked = '') {
      base = null;
      if (!going) record(how, asked, { start: true, sample: before?.sample, files: before?.files });
    },
    /** A database was opened. Back leads to what was before, where the page asks before it closes the database.
     * @param {Omit<OpenedBase, 'id'>} now
     * @param {string} asked the address */
    open(now, asked) {
      const last = base;
      base = opened.add(now);
      before = null;
      opening = true;
      // The page of `chessdb view` has no first screen to return to.
      if (last !== base && !going) record(served && last == null ? 'replaceState' : 'pushState', asked);
    },
    /** The present view belongs to opening. */
    settle() {
      opening = false;
      steps.start(shown());
    },
    /** The record of the database with this number in the session.
     * @param {number | null} n */
    of: n => opened.of(n),
    /** The entry with which the page was loaded. */
    before: () => before,
  };
}
