// The steps of the history, and the databases that a step can return to.

/** @import { Entry, NamedFile, OpenedBase, StepHow } from './types.d.ts' */

/** Within this time, in milliseconds, typing or running through the list is one step. */
const PAUSE = 1500;

/** @typedef {{ base: string | null, view: string, query: string, game: number | null }} Shown */
/** @type {(keyof Shown)[]} */
const PARTS = ['base', 'view', 'query', 'game'];

/** Decides which changes are steps. */
export function makeSteps(clock = () => performance.now()) {
  /** @type {Shown | null} */
  let last = null;
  let kind = '';
  let when = 0;
  return {
    /** Whether what is shown now is a step after what was shown before. A game that is opened in consequence of
     * something else is `quiet`; a change that follows others of its kind quickly is none if it is `quick`.
     * @param {Shown} shown
     * @param {StepHow} [how] */
    isStep(shown, { quiet = false, quick = false } = {}) {
      const was = last;
      last = shown;
      if (!was || was.base == null) return false;
      const what = PARTS.find(name => was[name] !== shown[name]);
      if (!what || (what === 'game' && (quiet || was.game == null))) return false;
      const now = clock();
      const isSame = (quick || what === 'query') && what === kind && now - when < PAUSE;
      kind = what;
      when = now;
      return !isSame;
    },
    /** The view without a step: at the start, or after Back.
     * @param {Shown} shown */
    start(shown) {
      last = shown;
      kind = '';
    },
  };
}

/** @param {NamedFile[]} files */
const names = files => files.slice(0, 20).map(({ name }) => name);

/** The databases that were open since the page was loaded, so that Back can open them again. The files themselves
 * stay where they are; the browser keeps only where. */
export function makeOpened(prefix = String(Math.round(performance.timeOrigin))) {
  /** @type {OpenedBase[]} */
  const opened = [];
  return {
    /** The name of a database in the history; the same files are the same database.
     * @param {Omit<OpenedBase, 'id'>} now */
    add(now) {
      // The session may use a number again.
      for (const one of opened) if (one.n === now.n) one.n = null;
      const known = opened.find(one => one.files === now.files && one.number === now.number);
      // Where the files come from is known when they are opened, not when a tab is shown.
      if (known) return Object.assign(known, now, now.handles ? {} : { handles: known.handles, sample: known.sample }).id;
      const id = `${prefix}-${opened.length}`;
      opened.push({ id, ...now });
      return id;
    },
    /** @param {string | null | undefined} id */
    at: id => opened.find(one => one.id === id) ?? null,
    /** @param {number | null} n */
    of: n => opened.find(one => n != null && one.n === n) ?? null,
    /** The data of a database in an entry of the history, which survives a reload.
     * @param {string | null} id
     * @returns {Entry} */
    entry(id) {
      const known = this.at(id);
      return { open: true, base: id, number: known?.number, sample: known?.sample, files: names(known?.files ?? []) };
    },
    /** The database of an entry: also of one that was made before a reload, if the files have the same names.
     * @param {Entry | null} entry
     * @returns {OpenedBase | null} */
    find(entry) {
      if (!entry?.open) return null;
      const same = opened.find(one => one.number === entry.number && names(one.files).join('\n') === entry.files?.join('\n'));
      return this.at(entry.base) ?? same ?? null;
    },
  };
}
