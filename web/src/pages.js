// The pages of numbers and of the base, and saving.

import { $, copy, el, say, stemOf } from './dom.js';
import { t } from './lang.js';
import { S, here, on, own, parts, phone } from './state.js';
import { statistics } from './stats.js';
import { encodings, facts, guides, health, losses, writable } from './basepage.js';
import { saveDialog } from './save.js';
import { findings } from './report.js';
import { again, hasOther, other, show } from './commands.js';
import { openDialog } from './dialog.js';
import { markSaved } from './tabs.js';
import { openGame, title } from './games.js';
import { whenCounted } from './counted.js';
import { onChange, savedStem, settled } from './edit.js';

/** @import { Encodings, Health, Info, Report, Scope, Stats, Texts } from './types.d.ts' */
/** @typedef {{ reports: Map<string, Report>, texts?: Texts, encodings?: Encodings, health?: Health | null }} Memory */

const update = own('health');
/** The statistics of the filtered games.
 * @type {Stats | null} */
let stats = null;
/** The answers about the open database; `reports` are of conversions.
 * @type {Memory} */
let memory = { reports: new Map() };
/** @type {WeakMap<Info, Memory>} */
const memories = new WeakMap();
/** Draws the findings of the page of the database, while it shows. */
let drawHealth = () => {};
on('info', () => {
  memory = (S.info && memories.get(S.info)) ?? { reports: new Map(), health: null };
  if (S.info) memories.set(S.info, memory);
  update({ health: memory.health ?? null });
});
/** Whether games were changed since the check. */
let isStale = false;
onChange(() => {
  memory.reports = new Map();
  memory.encodings = undefined;
  isStale = true;
});
on('listed', () => {
  stats = null;
  if (S.view === 'stats') showStats($('.inner', parts.body));
});

/** @param {HTMLElement} inner */
export async function showStats(inner) {
  // The other games come when they are counted.
  if (S.counting) {
    inner.replaceChildren(el('p', { class: 'mut', role: 'status', 'aria-busy': 'true' }, t('counting.wait')));
    return;
  }
  if (!stats) {
    inner.replaceChildren(el('p', { class: 'mut', role: 'status', 'aria-busy': 'true' }, t('running', { n: 0, m: S.listed })));
    const answer = await parts.engine.task('stats', {}, state => { if (inner.isConnected && inner.firstChild) inner.firstChild.textContent = t('running', { n: state.seen, m: state.total }); }).catch(() => null);
    if (!answer || !inner.isConnected) return;
    stats = answer;
  }
  inner.replaceChildren(statistics(stats, innerWidth));
}

/** @param {HTMLElement} inner */
export async function showBase(inner) {
  const { info } = S;
  if (!info) return;
  const mine = memory;
  if (isStale) update({ health: null });
  /** @type {{ seen: number } | undefined} */
  let checked;
  const makers = {
    facts: () => facts(info, S.opened, hasOther() ? other : null),
    health: () => health(info, S.health, checked, ({ game, query }) => {
      show('games');
      if (query != null) parts.filter.set(query);
      else openGame(game, { toBoard: phone() }).then(() => parts.engine.call('place', { game })).then(({ place }) => parts.list.select(place));
    }),
    guides: () => guides(mine.texts) ?? new Text(),
    encodings: () => encodings(info, mine.encodings, S.encoding, again),
    losses: () => losses(info, id => mine.reports.get('all ' + id), format => openSave(format), () => {
      parts.engine.grow();
      again(S.encoding);
    }),
  };
  const sections = /** @type {Record<keyof typeof makers, any>} */ (Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()])));
  inner.replaceChildren(el('div', { class: 'cols' }, Object.values(sections)));
  // One section at a time: an opened text stays open, and a button keeps the focus, while others come in.
  /** @param {keyof typeof makers} name */
  const draw = name => {
    const made = makers[name]();
    sections[name].replaceWith(made);
    sections[name] = made;
  };
  if (!mine.texts) {
    mine.texts = await parts.engine.call('texts');
    draw('guides');
  }
  if (!mine.encodings) {
    mine.encodings = await parts.engine.call('encodings');
    draw('encodings');
  }
  drawHealth = () => { if (inner.isConnected) draw('health'); };
  // This one ends the one that began with the database.
  await checkHealth(state => {
    checked = state;
    const old = $('small', sections.health);
    if (old) old.textContent = t('health.done', { n: state.seen, m: state.total });
  });
  // Format by format, since each is a conversion.
  const formats = writable(info).filter(format => !format.lacking && !format.isExport);
  for (const format of formats) {
    if (!inner.isConnected) return;
    await assess('all', format.id, 'losses').catch(() => null);
    if (inner.isConnected) draw('losses');
  }
}

/** Checks the database, while there is no other task; `progress` hears how far it is.
 * @param {(state: { seen: number, total: number }) => void} [progress] */
export async function checkHealth(progress) {
  const { info } = S;
  if (S.health) return;
  isStale = false;
  const answer = await parts.engine.task('health', {}, progress).catch(() => null);
  if (!answer || S.info !== info) return;
  memory.health = answer;
  update({ health: answer });
  drawHealth();
}

/** Opens the dialog that saves. `only` is the one choice of games, if there is no other: its scope, words and number.
 * `more` are further members of the request.
 * @param {string} [format]
 * @param {{ only?: [Scope, string, string] | null, more?: object }} [what] */
export function openSave(format, { only = null, more = {} } = {}) {
  whenCounted(() => openSaveOf(format, only, more));
}

/** @param {string | undefined} format
 * @param {[Scope, string, string] | null} only
 * @param {object} more */
function openSaveOf(format, only, more) {
  const { info, game } = S;
  if (S.dialog || !info) return;
  openDialog(closed => saveDialog({
    chosen: format,
    state: {
      only,
      game: game && { title: title(game) }, isFiltered: Boolean(S.query), listed: S.listed, total: info.games,
      source: `${savedStem(stemOf(info.name))}.db`, query: S.query, formats: writable(info), findings: () => findings(info, S.health).any,
    },
    assess: (scope, format) => assess(scope, format, 'assess', more),
    grow: async () => {
      parts.engine.grow();
      await again(S.encoding);
      return writable(S.info ?? info);
    },
    run: (choice, progress) => parts.engine.save({
      ...choice, ...more, game: game?.game ?? 0,
    }, progress).then(answer => {
      if (choice.scope === 'all') markSaved();
      return settled(answer);
    }),
    cancel: async () => {
      if (parts.engine.cancel()) await again(S.encoding);
      say(t('save.cancelled'));
    },
    // It takes long for a large database, and is no longer needed.
    closed: () => { parts.engine.stop('assess'); closed(); },
  }));
}

/** The report that saving these games would end with; remembered as long as it holds.
 * @param {Scope} scope
 * @param {string} format
 * @param {string} [slot]
 * @param {object} [more] further members of the request */
async function assess(scope, format, slot = 'assess', more = {}) {
  const { game } = S;
  const { reports } = memory;
  const number = game?.game ?? 0;
  const key = (scope === 'game' ? `game ${number}` : scope === 'view' ? `view ${S.query}` : scope) + ' ' + format + (Object.keys(more).length ? JSON.stringify(more) : '');
  const known = reports.get(key);
  if (known) return known;
  const report = await parts.engine.task('losses', { ...more, scope, game: number, format }, null, slot);
  reports.set(key, report);
  return report;
}

export async function copyPgn() {
  if (!S.game) return;
  await copy((await parts.engine.call('pgn', { game: S.game.game })).text);
  say(t('copied'));
  toast();
}

export async function copyFen() {
  await copy(here());
  say(t('copied'));
  toast();
}

function toast() {
  $('.toast')?.remove();
  const note = el('div', { class: 'toast', 'aria-hidden': 'true' }, t('copied'));
  document.body.append(note);
  setTimeout(() => note.remove(), 1200);
}
