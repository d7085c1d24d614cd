// Where the words of a query were found, whose names it found, and other queries if nothing or little was found.

import { el, foreign, tame } from './dom.js';
import { nf, t } from './lang.js';
import { S, parts } from './state.js';
import { queryText } from './faults.js';
import { openReport } from './connect.js';
import { readFields, withTerm } from './terms.js';

/** @import { Filtered, Proposal } from './types.d.ts' */

/** The number of games up to which similar names are looked for, and the number of names that are shown. */
const FEW = 10;
const NAMES = 6;

/** Shows the kinds of each word as buttons that narrow the query, and how doubtful parts were read.
 * @param {string} query
 * @param {Partial<Filtered>} [answer] */
export function showKinds(query, { words = [], notes = [], spellings = [] } = {}) {
  const several = words.length > 1;
  const chips = words.filter(word => word.kinds.length).map(({ word, from, to, kinds }) => el('span', { class: 'chips' },
    several ? foreign('span', { class: 'mut' }, tame(word)) : null,
    kinds.map(([kind, games, term]) => {
      const name = t('kind.' + kind);
      const rest = `${query.slice(0, from)}${term}${query.slice(to)}`;
      return el('button', {
        class: 'chip', type: 'button', title: t('kind.only', { k: name, t: tame(term) }), 'data-term': term,
        on: { click: () => { parts.filter.set(rest); parts.filter.input.focus(); } },
      }, `${name} `, el('b', {}, nf(games)));
    })));
  const { player } = readFields(query).fields;
  const report = player ? el('button', { class: 'chip', type: 'button', on: { click: () => openReport(player, false) } }, t('menu.report', { t: tame(player) })) : null;
  const stands = spellings.map(({ written, names }) => el('span', { class: 'chips' },
    foreign('span', { class: 'mut' }, t('kinds.stands', { t: tame(written) })),
    names.slice(0, NAMES).map(([name, games, term]) => nameChip(name, games, withTerm(query, term))),
    names.length > NAMES ? el('span', { class: 'mut' }, t('again.more', { n: names.length - NAMES })) : null));
  parts.kinds.replaceChildren(...chips, ...stands, ...(report ? [report] : []), ...notes.map(note => foreign('p', { class: 'mut' }, tame(queryText(note)))));
  parts.kinds.hidden = !parts.kinds.firstChild;
}

/** A name as a button that runs a query.
 * @type {(name: string, games: number, query: string) => HTMLElement} */
const nameChip = (name, games, query) => el('button', { class: 'chip', type: 'button', title: t('link.filter', { t: tame(name) }), on: { click: () => parts.filter.set(query) } },
  foreign('span', {}, tame(name)), ' ', el('b', {}, nf(games)));

/** Looks for names that are spelled almost like those of a query that found few games, and shows those with more games.
 * @param {string} query
 * @param {number} found */
export async function showSimilar(query, found) {
  if (!query || found > FEW) return;
  const { engine } = parts;
  const isLast = () => S.query === query && !S.counting;
  const proposals = await engine.task('advice', { query, rare: true }, null, 'advice').catch(() => /** @type {Proposal[]} */ ([]));
  const chips = [];
  for (const { text, query: other } of proposals.filter(({ kind, query: other }) => kind === 'spelling' && other).slice(0, NAMES)) {
    if (!isLast()) return;
    const { found: games } = await engine.task('filter', { query: other, count: true }, null, 'similar');
    if (games > found) chips.push(nameChip(text, games, other));
  }
  if (!isLast() || !chips.length) return;
  parts.kinds.append(el('span', { class: 'chips', role: 'status' }, el('span', { class: 'mut' }, t('adv.similar')), chips));
  parts.kinds.hidden = false;
}

/** The proposals if no game matches: similar names, other meanings, and the term to drop.
 * @param {string} query */
export function emptyNote(query) {
  const look = el('p', { role: 'status' }, t('adv.look'));
  const note = el('div', { class: 'empty' }, el('h2', {}, t('none.title')), look,
    el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set('') } }, t('clear')));
  /** @type {(proposal: Proposal, text: string) => HTMLElement} */
  const choice = ({ query: other, games }, text) => el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set(other) } },
    foreign('span', {}, tame(text)), games == null ? null : el('small', { class: 'mut' }, t('games', { n: games })));
  (async () => {
    const proposals = await parts.engine.task('advice', { query }, null, 'advice').catch(() => /** @type {Proposal[]} */ ([]));
    if (!note.isConnected) return;
    /** @type {HTMLElement[]} */
    const made = [];
    const like = proposals.filter(one => one.kind === 'spelling' && one.query);
    for (const term of new Set(like.map(one => one.term))) {
      made.push(foreign('p', {}, t('adv.mean', { t: tame(term) })),
        el('div', { class: 'choices' }, like.filter(one => one.term === term).map(one => choice(one, one.text))));
    }
    const others = proposals.filter(one => one.kind === 'meaning');
    if (others.length) made.push(el('p', {}, t('adv.other')), el('div', { class: 'choices' }, others.map(one => choice(one, one.text))));
    for (const one of proposals.filter(one => one.kind === 'without')) {
      made.push(foreign('p', {}, t('none.help', { t: tame(one.term), n: one.games ?? 0 })),
        el('button', { class: 'btn', type: 'button', on: { click: () => parts.filter.set(one.query) } }, t('none.do', { t: tame(one.term) })));
    }
    look.replaceWith(...made);
  })();
  return note;
}
