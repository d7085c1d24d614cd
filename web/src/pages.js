// The pages of numbers and of the base, and saving.

import { $, copy, el, say } from './dom.js';
import { t } from './lang.js';
import { S, here, parts, phone } from './state.js';
import { statistics } from './stats.js';
import { encodings, facts, guides, health, losses, writable } from './basepage.js';
import { saveDialog } from './save.js';
import { again, hasOther, other, show } from './app.js';
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
  const memory = (parts.memory = S.memory?.info === info ? S.memory : (S.memory = { info }));
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
    losses: () => losses(info, memory.losses, states.losses, format => openSave(format)),
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
    const small = state => {
      states[task] = state;
      const old = $('small', sections[task]);
      if (old) old.textContent = t(count, { n: state.seen, m: state.total });
    };
    memory[task] = await parts.engine.task(task, {}, small).catch(() => undefined);
    draw(task);
  };
  await run('health', 'health.done');
  await run('losses', 'loss.count');
}

export function openSave(format) {
  if (S.dialog) return;
  const back = document.activeElement;
  const { info, game } = S;
  S.dialog = saveDialog({
    chosen: format,
    state: {
      game: game && { title: title(game) }, isFiltered: Boolean(S.query), listed: S.listed, total: info.games,
      formats: writable(info),
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

/** What saving these games would lose, per format; remembered as long as it holds. */
async function assess(scope) {
  const { info, game } = S;
  const memory = S.memory?.info === info ? S.memory : (S.memory = { info });
  if (scope === 'all' && memory.losses) return memory.losses;
  const number = game?.game ?? 0;
  const key = scope === 'game' ? `game ${number}` : scope === 'view' ? `view ${S.query}` : scope;
  if (memory.assessed?.key === key) return memory.assessed.answer;
  const answer = await parts.engine.task('losses', { scope, game: number }, null, 'assess');
  if (scope === 'all') memory.losses = answer;
  memory.assessed = { key, answer };
  return answer;
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
