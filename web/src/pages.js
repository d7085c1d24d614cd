// The pages of numbers and of the base, and saving.

import { $, copy, el, say } from './dom.js';
import { t } from './lang.js';
import { S, here, parts, phone } from './state.js';
import { statistics } from './stats.js';
import { encodings, facts, guides, health, losses, writable } from './basepage.js';
import { saveDialog } from './save.js';
import { findings } from './report.js';
import { again, drawFindings, hasOther, other, show } from './app.js';
import { openGame, title } from './games.js';

export async function showStats(inner) {
  if (!S.found.stats) {
    inner.replaceChildren(el('p', { class: 'mut', role: 'status' }, t('running', { n: 0, m: S.listed })));
    const answer = await parts.engine.task('stats', {}, state => { if (inner.isConnected && inner.firstChild) inner.firstChild.textContent = t('running', { n: state.seen, m: state.total }); }).catch(() => null);
    if (!answer || !inner.isConnected) return;
    S.found.stats = answer;
  }
  inner.replaceChildren(statistics(S.found.stats, innerWidth));
}

export async function showBase(inner) {
  const { info } = S;
  const memory = remember(info);
  const states = {};
  const makers = {
    facts: () => facts(info, S.opened, hasOther() ? other : null),
    health: () => health(info, memory.health, states.health, ({ game, query }) => {
      show('games');
      if (query) parts.filter.set(query);
      else openGame(game, { toBoard: phone() }).then(() => parts.engine.call('place', { game })).then(({ place }) => parts.list.select(place));
    }),
    guides: () => guides(memory.guides) ?? new Text(),
    encodings: () => encodings(info, memory.preview, S.encoding, page => again(page)),
    losses: () => losses(info, id => memory.reports.get('all ' + id), states.losses, format => openSave(format)),
  };
  const sections = Object.fromEntries(Object.entries(makers).map(([name, make]) => [name, make()]));
  inner.replaceChildren(el('div', { class: 'cols' }, Object.values(sections)));
  // One section at a time: an opened text stays open, and a button keeps the focus, while others come in.
  const draw = name => {
    const made = makers[name]();
    sections[name].replaceWith(made);
    sections[name] = made;
  };
  const asked = async (name, key, question) => {
    if (memory[key]) return;
    memory[key] = await parts.engine.call(question);
    draw(name);
  };
  await asked('guides', 'guides', 'texts');
  await asked('encodings', 'preview', 'encodings');
  const run = async (task, count) => {
    if (memory[task]) return;
    // A newer one ends the one that began with the database.
    const small = state => {
      states[task] = state;
      const old = $('small', sections[task]);
      if (old) old.textContent = t(count, { n: state.seen, m: state.total });
    };
    memory[task] = await parts.engine.task(task, {}, small).catch(() => undefined);
    drawFindings();
    draw(task);
  };
  memory.drawHealth = () => inner.isConnected && draw('health');
  await run('health', 'health.done');
  // Format by format, since each is a conversion.
  const formats = writable(info).filter(format => !format.lacking);
  for (const [n, format] of formats.entries()) {
    if (!inner.isConnected) return;
    states.losses = { seen: n, total: formats.length };
    await assess('all', format.id, 'losses').catch(() => null);
    if (inner.isConnected) draw('losses');
  }
}

/** Checks the database, once it shows and as long as nothing else is to be done. */
export async function checkHealth() {
  const { info } = S;
  const memory = remember(info);
  const answer = await parts.engine.task('health', {}, null, 'health').catch(() => null);
  if (!answer || S.info !== info) return;
  memory.health = answer;
  drawFindings();
  memory.drawHealth?.();
}

/** What was found out about this database. */
const remember = info => (S.memory?.info === info ? S.memory : (S.memory = { info, reports: new Map() }));

export function openSave(format) {
  if (S.dialog) return;
  const back = document.activeElement;
  const { info, game } = S;
  S.dialog = saveDialog({
    chosen: format,
    state: {
      game: game && { title: title(game) }, isFiltered: Boolean(S.query), listed: S.listed, total: info.games,
      formats: writable(info), findings: () => findings(info, S.memory?.health).any,
    },
    assess,
    grow: async () => {
      parts.engine.grow();
      await again(S.encoding);
      return writable(S.info);
    },
    run: (choice, progress) => parts.engine.save({
      ...choice, game: game?.game ?? 0, stem: info.name.split('/').pop().replace(/\.[^.]*$/, '') || 'games',
    }, progress),
    cancel: async () => {
      if (parts.engine.cancel()) await again(S.encoding);
      say(t('save.cancelled'));
    },
    // Of a large base it takes its time, and nobody waits for it any more.
    closed: () => { S.dialog = null; parts.engine.stop('assess'); if (back?.isConnected) back.focus(); },
  });
}

/** The report that saving these games would end with; remembered as long as it holds. */
async function assess(scope, format, slot = 'assess') {
  const { info, game } = S;
  const { reports } = remember(info);
  const number = game?.game ?? 0;
  const key = (scope === 'game' ? `game ${number}` : scope === 'view' ? `view ${S.query}` : scope) + ' ' + format;
  const known = reports.get(key);
  if (known) return known;
  const report = await parts.engine.task('losses', { scope, game: number, format }, null, slot);
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
