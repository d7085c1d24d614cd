// Changing games in memory: requests to the session, undo and redo, and what the page shows afterwards.

import { $, el, ico, say, targetOf } from './dom.js';
import { nf, t } from './lang.js';
import { S, here, on, own, parts } from './state.js';
import { again, alarm, show } from './commands.js';
import { errorText, isFailure } from './failure.js';
import { changedGames, countWords, go, openGame, playMove, showLine, sort } from './games.js';

/** @import { Edited, Edits, LegalMove, Saved } from './types.d.ts' */
/** @typedef {'edit' | 'add' | 'undo' | 'redo' | 'settle'} EditCall */

/** The edited copy before anything is changed.
 * @type {Edits} */
const NONE = { unsaved: 0, first: [], edited: false, undo: false, redo: false, games: 0, listed: 0 };
const update = own('edits');
update({ edits: NONE });
/** The edited copy of an open database: the requests that made it, for a session that has to start again.
 * @typedef {{ edits: Edits, journal: { op: EditCall, [name: string]: unknown }[] }} EditedCopy */
/** @returns {EditedCopy} */
const fresh = () => ({ edits: NONE, journal: [] });
/** By the number of the database in the session.
 * @type {Map<number | null, EditedCopy>} */
const copies = new Map();
/** The edited copy of the shown database. */
let mine = fresh();
/** Called after every change.
 * @type {(() => void)[]} */
const hearers = [];
/** @param {() => void} act */
export const onChange = act => hearers.push(act);
/** One request after another: each depends on the numbers that the one before gave.
 * @type {Promise<unknown>} */
let last = Promise.resolve();

/** A database was opened, again or for the first time.
 * @param {number | null} n */
export function beginEdits(n) {
  copies.delete(n);
  turnEdits(n);
}

/** Another open database is shown.
 * @param {number | null} n */
export function turnEdits(n) {
  mine = copies.get(n) ?? fresh();
  copies.set(n, mine);
  update({ edits: mine.edits });
}

/** A database was replaced by one that contains its changes.
 * @param {number} n */
export const dropEdits = n => copies.delete(n);

export const anyUnsaved = () => [...copies.values()].some(({ edits }) => edits.unsaved);

/** Whether what is open may be left: nothing is unsaved, or the reader gives it up. */
export const mayLeave = () => !S.edits.unsaved || confirm(t('edit.leave', { n: S.edits.unsaved }));

/** Keeps the changes while the files are read again. Returns the function that makes them once more. */
export function keepEdits() {
  const kept = mine.journal;
  return async () => {
    let answer = null;
    for (const { op, ...request } of kept) answer = await parts.engine.call(op, request);
    // Only now: a request that stops the session is not made again and again.
    mine.journal = kept;
    if (!answer) return;
    takeNumbers(answer.edits);
    parts.list.reset(S.listed);
    showList();
  };
}

/** Makes the changes of a database once more that was read again without being shown.
 * @param {number} n */
export async function redoEdits(n) {
  for (const { op, ...request } of copies.get(n)?.journal ?? []) await parts.engine.call(op, { in: n, ...request });
}

/** @param {Edits} edits */
function takeNumbers(edits) {
  if (S.info) S.info.games = edits.games;
  mine.edits = edits;
  changedGames(edits.listed);
  update({ edits });
  for (const act of hearers) act();
}

/** A list that was empty has games, or the reverse. */
function showList() {
  if (S.listed && !parts.holder.contains(parts.list.pane)) parts.holder.replaceChildren(parts.list.pane);
  countWords();
}

/** Sends a change. Returns the answer, or null after an error that was shown; errors with one of the codes `own` are
 * thrown.
 * @param {EditCall} op
 * @param {Record<string, unknown>} [request]
 * @param {string[]} [own]
 * @returns {Promise<Edited | null>} */
export function change(op, request = {}, own = []) {
  const run = async () => {
    try {
      const answer = await parts.engine.call(op, request);
      if (!answer.same) mine.journal.push({ op, ...request });
      await showChanged(answer);
      return answer;
    } catch (error) {
      if (isFailure(error, ...own) && own.length) throw error;
      if (!isFailure(error, 'trap', 'cancelled')) alarm(words(error));
      return null;
    }
  };
  const answered = last.then(run);
  last = answered.catch(() => {});
  return answered;
}

/** The reason why a change is refused, in the reader's language.
 * @param {any} error */
export function words(error) {
  const key = 'refused.' + error?.code;
  const text = t(key, { t: error?.detail?.text ?? errorText(error) });
  return text === key ? errorText(error) : text;
}

/** @param {Edited} answer */
async function showChanged(answer) {
  if (answer.same) {
    if (S.game && S.game.game === answer.game) go(S.game.nodes[answer.node ?? 0]);
    return;
  }
  takeNumbers(answer.edits);
  parts.list.reload(S.listed);
  showList();
  if (answer.sort) await sort(...S.order);
  if (S.view === 'tree') return showLine();
  if (!S.info?.games) return;
  const index = Math.min(answer.game ?? S.game?.game ?? 0, S.info.games - 1);
  await openGame(index, { quiet: true, nodeNumber: index === answer.game ? answer.node ?? 0 : 0 });
  const { place } = await parts.engine.call('place', { game: index });
  parts.list.select(place);
}

/** Changes the game on the board, at its current position.
 * @param {string} how
 * @param {Record<string, unknown>} [request]
 * @param {string[]} [own] */
export async function changeGame(how, request, own) {
  if (!S.game || !S.node) return null;
  return change('edit', { game: S.game.game, node: S.node.n, change: how, ...request }, own);
}

/** Plays a move, in SAN or coordinates, in the game or in the tree. Returns whether it was one.
 * @param {string} text
 * @param {LegalMove} [known] */
export async function play(text, known) {
  try {
    if (S.view === 'tree') {
      playMove(known ?? (await parts.engine.call('moves', { fen: here(), text })).moves[0]);
      return true;
    }
    const next = S.node?.choices.find(one => one.san === (known?.san ?? text));
    if (next) go(next);
    return Boolean(next || await changeGame('move', { text: known?.san ?? text }, ['move']));
  } catch (error) {
    say(words(error));
    return false;
  }
}

/** @param {'undo' | 'redo'} name */
export async function step(name) {
  if (S.edits[name] && await change(name)) say(t('stepped.' + name));
}

/** Whether changes can be saved in the database itself: the program can, the page alone cannot. */
export const canStore = () => Boolean(S.info?.stores && S.edits.edited);
/** Whether the last saved change can be taken back: nothing else is changed. */
export const canRestore = () => Boolean(S.info?.stores && !S.edits.edited);

/** After the changes that are under way.
 * @template T
 * @param {() => Promise<T>} act
 * @returns {Promise<T | null>} */
function inTurn(act) {
  const done = last.then(act).catch(error => {
    if (!isFailure(error, 'trap', 'cancelled')) alarm(words(error));
    return null;
  });
  last = done;
  return done;
}

/** Saves all changes in the database itself, as one. */
export const store = () => inTurn(async () => {
  if (!canStore()) return;
  const answer = await parts.engine.call('store');
  mine.journal = [];
  takeNumbers(answer.edits);
  parts.list.reload(S.listed);
  say(t('edit.stored', { n: answer.games }));
});

/** Takes the last saved change back, or makes it once more. */
export const restore = () => inTurn(async () => {
  if (!canRestore()) return;
  const change = await parts.engine.call('restore');
  await again(S.encoding);
  say(t(change.undone ? 'edit.restored' : 'edit.repeated', { n: change.games ?? 0 }));
});

/** Adds a new game, or the games of a text in PGN or FEN.
 * @param {string} text
 * @param {string[]} [own] */
export async function add(text, own) {
  if (S.view !== 'games' && S.view !== 'board') show('games');
  let [added, damaged] = [0, 0];
  for (const [n, piece] of pieces(text).entries()) {
    const answer = await change('add', { text: piece, join: n > 0 }, own);
    if (!answer) return false;
    added += answer.added ?? 0;
    damaged += answer.damaged ?? 0;
  }
  say(t('edit.added', { n: added }));
  if (damaged) alarm(`${t('edit.added', { n: added })}. ${t('edit.damaged', { n: damaged })}`);
  return true;
}

/** The program takes no request of more than a megabyte; games are kept whole.
 * @param {string} text */
function pieces(text, most = 250_000) {
  const found = [];
  let rest = text;
  while (rest.length > most) {
    const at = rest.lastIndexOf('\n[Event ', most);
    if (at <= 0) break;
    found.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...found, rest];
}

/** After a save: what of it was changed is no longer unsaved.
 * @template {Saved} T
 * @param {T} answer */
export function settled(answer) {
  if (answer.settled?.length) {
    mine.journal.push({ op: 'settle', games: answer.settled });
    takeNumbers(answer.edits);
    parts.list.reload(S.listed);
  }
  return answer;
}

/** The name of a new file: another one than the original's if something was changed.
 * @param {string} stem */
export const savedStem = stem => (mine.journal.some(({ op }) => op !== 'settle') ? stem + '-edited' : stem);

/** How many games are changed, in the head; a click shows the next of them. */
export function changedNote() {
  const { unsaved, first } = S.edits;
  const next = () => {
    const index = first.find(index => index > (S.game?.game ?? -1)) ?? first[0];
    if (S.view !== 'games' && S.view !== 'board') show('games');
    openGame(index).then(() => parts.engine.call('place', { game: index })).then(({ place }) => parts.list.select(place));
  };
  return el('button', { class: 'btn quiet changed', type: 'button', hidden: !unsaved, title: t('edit.next'), on: { click: next } },
    ico('pen'), el('span', {}, t('edit.changed', { n: unsaved })), el('b', { 'aria-hidden': 'true' }, nf(unsaved)));
}
on('edits', () => $('.changed')?.replaceWith(changedNote()));

const FIELDS = 'input, textarea, select';

/** Pasted text that is no field's: games or a position.
 * @param {ClipboardEvent} event */
export function onPaste(event) {
  if (!S.info || S.dialog || targetOf(event).closest?.(FIELDS)) return;
  const text = event.clipboardData?.getData('text/plain')?.trim();
  if (!text) return;
  event.preventDefault();
  add(text);
}

/** Undo, redo and saving by Ctrl. Returns whether it was one of these keys.
 * @param {KeyboardEvent} event */
export function onStepKey(event) {
  if (!S.info || S.dialog || !(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  // Also from a field, such as the one in which moves are typed.
  if (key === 's' && S.info.stores) {
    event.preventDefault();
    store();
    return true;
  }
  if (targetOf(event).closest?.(FIELDS) || (key !== 'z' && key !== 'y')) return false;
  event.preventDefault();
  step(key === 'y' || event.shiftKey ? 'redo' : 'undo');
  return true;
}
