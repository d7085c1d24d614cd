// How a database is opened, shown again and closed.

import { $, baseName, el, say } from './dom.js';
import { t } from './lang.js';
import { errorText, isFailure } from './failure.js';
import { S, own, ownParts, parts } from './state.js';
import { Engine, piece } from './engine.js';
import { served } from './remote.js';
import { bookNames, noteBooks } from './books.js';
import { choiceScreen, dropScreen, errorNote, focusFirst, lockScreen, openingScreen } from './drop.js';
import { errorLine, explain } from './faults.js';
import { aboutButton, fileNames } from './about.js';
import { chooseHandles, filesOf } from './remember.js';
import { againNote, keepBar } from './again.js';
import { makeJourney } from './journey.js';
import { filter, forget, openGame, recall, sort } from './games.js';
import { checkHealth } from './pages.js';
import { stopPlaying } from './play.js';
import { beginEdits, keepEdits, mayLeave, turnEdits } from './edit.js';
import { learnColumns } from './columns.js';
import * as tabs from './tabs.js';
import { salvageReport } from './tools.js';
import { alarm, build, endFrame, fill, noteView, show, tools } from './frame.js';
import { applyFragment } from './address.js';

/** @import { Base, Bases, Failure, NamedFile, OpenedBase, OpeningBook, Tab, Unread } from './types.d.ts' */
/** @import { Timer } from './dom.js' */

/** Shows that a database is opened, if that takes a while. */
let wait = /** @type {Timer} */ (undefined);
/** The files that are being opened.
 * @type {Pick<OpenedBase, 'files' | 'password' | 'handles' | 'sample'>} */
let source = { files: [], password: '', handles: null, sample: false };
/** Searches a database that cannot be opened for games.
 * @type {(() => Promise<void>) | null} */
let rescue = null;
const engine = new Engine(trapped, () => alarm(t('view.gone')));
const update = own('files', 'password', 'bases', 'number', 'encoding', 'info', 'opened', 'keys', 'error');
ownParts('engine')({ engine });
export const journey = makeJourney({
  reopen, apply: applyFragment, showDrop, alarm, close: () => { tabs.forgetCurrent(); },
  mayClose: () => (S.edits.unsaved ? mayLeave() : confirm(t('leave'))), failed: error => refuse(error, []),
});
tabs.connect({ engine, bring });

/** @param {NamedFile[]} list
 * @param {{ handles?: FileSystemHandle[] | null, sample?: boolean }} [from] */
export async function openFiles(list, { handles = null, sample = false } = {}) {
  update({ error: null });
  rescue = null;
  const total = list.reduce((sum, { file }) => sum + file.size, 0);
  const names = list.map(({ name }) => name);
  const first = names[0] ?? '';
  if (total > 1.5e9) return warn({ code: 'large', detail: { file: first } }, names);
  if (!total) return warn({ code: 'empty' }, names);
  const opening = openingScreen(first.split('/')[0], total, () => { engine.cancel(); turnBack(); });
  // A short task shows no progress.
  const wait = setTimeout(() => fill(opening.screen), 200);
  try {
    const found = await bring(list, '', opening.progress);
    clearTimeout(wait);
    source = { files: list, password: '', handles, sample };
    const bases = found.locked ? await unlock(found.locked, list) : found.bases;
    if (!bases) return;
    const books = found.books ?? [];
    noteBooks(books, list);
    if (!bases.length && books.length) return showBookMoves(books);
    if (!bases.length) throw { code: 'unknown', detail: { file: first } };
    const unread = found.unread ?? [];
    if (bases.length > 1 || unread.some(one => one.locked)) return chooseBase(bases, names, unread, list);
    await openBase(0, '').catch(error => canRescue(error, bases, 0));
    if (unread.length) alarm(unread.map(one => errorLine(one, [one.name])).join(' '));
  } catch (error) {
    clearTimeout(wait);
    if (!isFailure(error, 'cancelled')) refuse(error, names);
  }
}

/** After opening books alone: their moves below the tree, or a note on the first screen if no database is open.
 * @param {OpeningBook[]} books */
async function showBookMoves(books) {
  await turnBack();
  const opened = t('book.opened', { f: fileNames(books.map(({ name }) => name)) });
  say(opened);
  if (S.info) show('tree');
}

/** Files into the module, or into the one with every format if these want it: the bases among them.
 * @param {NamedFile[]} list
 * @param {string} password
 * @param {(state: { done: number, total: number }) => void} [progress]
 * @returns {Promise<Bases>} */
async function bring(list, password, progress) {
  const found = await engine.open({ list, password }, progress);
  if (!found.lacking || engine.full) return found;
  engine.grow();
  return bring(list, password, progress);
}

/** Notes that the files of a database that cannot be opened can be searched for games, which is offered next to the error.
 * @param {unknown} error
 * @param {Base[]} bases
 * @param {number} n
 * @returns {never} */
function canRescue(error, bases, n) {
  const from = source;
  if (!served && isFailure(error, 'broken') && bases[n].salvages) {
    rescue = async () => {
      await bring(from.files, from.password);
      source = from;
      await openBase(n, '', { salvage: true });
      salvageReport(null);
    };
  }
  throw error;
}

/** Asks for the password of an archive until it is right: then the bases, or nothing if the reader turns back.
 * @param {string} locked the name of the archive
 * @param {NamedFile[]} list
 * @returns {Promise<Base[] | null>} */
function unlock(locked, list) {
  return new Promise(done => {
    const screen = lockScreen(baseName(locked), async password => {
      const found = await bring(list, password);
      if (found.locked) return false;
      source = { ...source, password };
      done(found.bases);
      return true;
    }, () => { done(null); turnBack(); });
    fill(screen);
    $('input', screen).focus();
  });
}

/** Which of several bases is meant.
 * @param {Base[]} bases
 * @param {string[]} names of the files
 * @param {Unread[]} [unread]
 * @param {NamedFile[]} [list] */
function chooseBase(bases, names, unread = [], list = []) {
  /** @param {unknown} error */
  const failed = error => refuse(error, names);
  /** @param {number} n */
  const open = n => openBase(n, '').catch(error => canRescue(error, bases, n)).catch(failed);
  const openAll = async () => {
    for (const n of bases.keys()) await openBase(n, '', { keep: n + 1 < bases.length }).catch(failed);
  };
  // The others are dropped, as only one password is known at a time.
  /** @param {Unread} one */
  const unlockOne = async ({ name }) => {
    const mine = list.filter(file => file.name === name);
    const found = await unlock(name, mine).catch(failed);
    if (!found) return;
    source = { ...source, files: mine };
    if (found.length === 1) open(0);
    else chooseBase(found, names);
  };
  const screen = choiceScreen(bases, open, served ? null : turnBack, unread, unlockOne);
  if (bases.length > 1) tabs.offerAll(screen, bases.length, openAll);
  tabs.offerOpen(screen);
  fill(screen);
  focusFirst(screen);
}

/** In the page of `chessdb view`: the bases that were named there. */
export async function openServed() {
  tabs.leave();
  update({ info: null });
  source = { files: [], password: '', handles: null, sample: false };
  const { bases } = await engine.open({});
  update({ bases });
  if (bases.length > 1) return chooseBase(bases, bases.map(base => base.name));
  wait = setTimeout(() => fill(openingScreen(bases[0].name, 0, null).screen), 200);
  await openBase(0, '').catch(error => refuse(error, [bases[0].name]));
}

/** Whether there is more to open than what is open. */
export function hasOther() {
  return !served || S.bases.length > 1;
}

/** Another base: another choice. */
export function other() {
  return served ? openServed() : showDrop();
}

/** Shows why files cannot be opened.
 * @param {unknown} error
 * @param {string[]} names of the files */
function refuse(error, names) {
  if (!isFailure(error)) throw error;
  clearTimeout(wait);
  // A database that cannot be opened does not close the open one. The first screen offers to search it for games.
  if (S.info && tabs.number() != null && error.code !== 'trap' && !rescue) return turnBack().then(() => alarm(errorLine(error, names)));
  if (served) {
    const note = el('main', {}, errorNote(explain(error, names)), aboutButton());
    tabs.offerOpen(note);
    fill(note);
    return;
  }
  update({ error: { error, names } });
  showDrop();
}

/** An error that leaves what is open untouched.
 * @param {Failure} error
 * @param {string[]} names of the files */
export const warn = (error, names) => (S.info ? alarm(errorLine(error, names)) : refuse(error, names));

/** Back to what was shown before a choice of files. */
async function turnBack() {
  const tab = S.info && tabs.at(tabs.number());
  if (tab) await journey.quietly(() => turnTo(tab));
  else showDrop();
}

/** Shows a database of the history: one that is open, or one that was, from the files that the browser still has.
 * @param {OpenedBase} before
 * @param {string} asked the address */
async function reopen({ n, files, number, encoding, password, handles, sample }, asked) {
  const tab = tabs.at(n);
  if (tab) {
    await turnTo(tab);
    return applyFragment(asked, true);
  }
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  const opening = openingScreen(files[0]?.name.split('/')[0] ?? '', size, null);
  const wait = setTimeout(() => fill(opening.screen), 200);
  try {
    const found = await bring(files, password, opening.progress);
    source = { files, password, handles, sample };
    if (!found.bases[number]) throw { code: 'gone', detail: { file: files[0]?.name } };
    await openBase(number, encoding, { asked });
  } finally {
    clearTimeout(wait);
  }
}

/** Opens a database. `place` is the number of the open one that it replaces; with `keep`, others of the same files
 * can be opened afterwards; `asked` is the address to go to.
 * @param {number} number
 * @param {string} encoding or nothing, to detect it
 * @param {{ place?: number | null, salvage?: boolean, keep?: boolean, asked?: string }} [how]
 * @returns {Promise<void>} */
async function openBase(number, encoding, { place = null, salvage = false, keep = false, asked = tabs.list.length ? '' : location.hash } = {}) {
  const known = served && place == null && !encoding && !salvage && tabs.of(number);
  if (known) return turnTo(known);
  if (place == null) tabs.begin();
  const before = performance.now();
  const info = await engine.call('open', { base: number, encoding, salvage, keep, in: place, isNew: tabs.isNew(place) });
  engine.turnTo(info.in);
  const { files, password, handles, sample } = source;
  update({ info, number, encoding, files, password, opened: performance.now() - before, error: null });
  noteView('games');
  forget(info);
  beginEdits(info.in);
  tabs.opened(info);
  learnColumns(info.abilities.columns ?? []);
  // Back leads to what was before, where it asks before the database is closed.
  journey.open({ files, number, encoding, password, handles, sample, n: info.in }, asked);
  if (!S.keys.length) update({ keys: await engine.call('keys') });
  clearTimeout(wait);
  build();
  await applyFragment(asked);
  journey.settle();
  if (!S.game && info.games) parts.list.pick(0, 'quiet');
  parts.list.pane.focus({ preventScroll: true });
  say(`${baseName(info.name)}, ${info.format.name}, ${t('games', { n: info.games })}`);
  checkHealth();
  if (!served) keepBar(handles, files.map(({ name }) => name), parts.bar);
}

/** Shows another open database as it was left.
 * @param {Tab} tab
 * @returns {Promise<void>} */
export async function turnTo(tab) {
  tabs.begin();
  stopPlaying();
  engine.turnTo(tab.n);
  const { view, ...database } = tab.database;
  update({ ...database, error: null });
  noteView('games');
  recall(tab.games);
  turnEdits(tab.n);
  tabs.turned(tab);
  const { files, password, number, encoding } = database;
  journey.open({ files: files ?? [], password, number, encoding, handles: null, sample: false, n: tab.n }, '');
  // The module was started again since.
  if (tab.age !== engine.age) {
    noteView(view);
    return again(S.encoding).catch(error => {
      // Not here again and again.
      update({ info: null });
      refuse(error, [database.info.name]);
    });
  }
  build();
  parts.filter.set(S.query, true);
  show(view);
  // It was left before its games were counted.
  if (S.counting) filter(S.query, true);
  say(`${baseName(database.info.name)}, ${t('games', { n: database.info.games })}`);
  checkHealth();
  const { place } = S.game ? await engine.call('place', { game: S.game.game }) : { place: null };
  if (place != null) parts.list.select(place);
  else if (S.listed && !S.game) parts.list.pick(0, 'quiet');
  journey.settle();
}

/** Closes the database that is shown. */
export async function closeCurrent() {
  const next = tabs.forgetCurrent();
  update({ info: null });
  if (next) return turnTo(next);
  return other();
}

/** Reads the database again, searching its files for games, and shows how they were found. */
export async function recover() {
  const before = S.info?.games ?? null;
  await again(S.encoding, true);
  salvageReport(before);
}

/** Opens the files again, in another encoding or after a crash.
 * @param {string} encoding
 * @param {boolean} [salvage] */
export async function again(encoding, salvage = S.info?.isSalvaged) {
  const { view, query, order } = S;
  const at = S.game?.game;
  const redo = keepEdits();
  await journey.quietly(async () => {
    await bring(S.files ?? [], S.password);
    source = { handles: null, sample: false, ...journey.of(tabs.number()), files: S.files ?? [], password: S.password };
    await openBase(S.number, encoding, { place: tabs.number(), salvage, asked: '' });
    await redo();
    if (query) {
      parts.filter.set(query, true);
      await filter(query, true);
    }
    if (order[0] !== 'number' || order[1]) await sort(...order);
    if (at != null) await openGame(at, { quiet: true });
    show(view);
  });
  journey.fragment();
}

function trapped() {
  if (!S.info) return;
  update({ error: null });
  again(S.encoding).then(() => alarm(t('bad.trap')), error => refuse(error, (S.files ?? []).map(({ name }) => name)));
}

/** The first screen. It is a new step of the history if a database was open, so that Back returns to that.
 * @param {'pushState' | 'replaceState'} [how]
 * @param {string} [asked] the address for the database that will be opened */
export function showDrop(how = S.info ? 'pushState' : 'replaceState', asked = '') {
  tabs.leave();
  update({ info: null });
  endFrame();
  const why = S.error;
  const screen = dropScreen({
    open: openFiles, choose, sample, tools: tools(),
    error: why && explain(why.error, why.names),
    books: bookNames().length ? t('book.opened', { f: fileNames(bookNames()) }) : '',
  });
  if (why && rescue) {
    const act = rescue;
    $('.note', screen).append(el('button', { class: 'btn', type: 'button', on: { click: () => act().catch(error => refuse(error, why.names)) } }, t('salvage.do')));
  }
  rescue = null;
  tabs.offerOpen(screen);
  fill(screen);
  document.title = 'chessdb';
  journey.start(how, asked);
  focusFirst(screen);
  againNote(screen, journey.before(), openHandles, sample);
}

/** Lets the reader choose files where the browser gives handles; otherwise the answer is false. */
async function choose() {
  const handles = await chooseHandles();
  if (handles) openHandles(handles);
  return handles !== undefined;
}

/** @param {FileSystemHandle[]} handles */
async function openHandles(handles) {
  try {
    await openFiles(await filesOf(handles), { handles });
  } catch (error) {
    refuse({ code: 'gone', text: errorText(error), detail: { file: handles[0].name } }, []);
  }
}

async function sample() {
  const text = await piece('sample');
  openFiles([{ name: 'sample.pgn', file: new File([text.trimStart()], 'sample.pgn') }], { sample: true });
}
