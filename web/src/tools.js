// Work on whole databases: games copied from one to another, databases merged, duplicates, the order,
// names and damage.

import { $, baseName, el, foreign, say, tame } from './dom.js';
import { bytes, nf, t } from './lang.js';
import { findingText, lossText } from './faults.js';
import { S, here, on, parts } from './state.js';
import { pictureOf, positionDrawing } from './image.js';
import { saveName } from './names.js';
import { download } from './places.js';
import { again, alarm, recover, show, turnTo } from './commands.js';
import { filter, title as gameTitle, relist } from './games.js';
import { whenCounted } from './counted.js';
import { openSave } from './pages.js';
import { findings, verdict } from './report.js';
import { button, dialog, during, runTask, tell } from './toolframe.js';
import * as tabs from './tabs.js';

// A query replaces the list of duplicates.
on('query', () => $('.dupbar')?.remove());

const RULES = ['strict', 'sure', 'likely'];
const KINDS = [['players', 'names.players'], ['events', 'names.events'], ['sites', 'names.sites'], ['annotators', 'names.annotators']];

/** @import { Part, Scope, Tab, Tasks } from './types.d.ts' */
/** @import { Frame } from './toolframe.js' */

// ---------------------------------------------------------------- the list of tools

export const openTools = () => whenCounted(() => {
  const { info, game } = S;
  if (!info) return;
  dialog(t('tools'), frame => {
    const isPart = S.listed < info.games;
    const damaged = findings(info, S.health).damage.length;
    const target = el('select', { 'aria-label': t('copy.to') }, el('option', { value: '' }, t('copy.new')),
      tabs.others().filter(tab => tab.isNew).map(tab => foreign('option', { value: tab.n }, tabs.title(tab))));
    // A tool closes this dialog and may open its own.
    /** @param {() => unknown} act */
    const go = act => () => { frame.leave(); act(); };
    /** @param {Scope} scope
     * @param {number} games */
    const copy = (scope, games) => () => {
      const to = tabs.at(Number(target.value));
      frame.leave();
      copyGames(scope, games, to);
    };
    /** @param {string} words
     * @param {string} more
     * @param {() => unknown} act
     * @param {boolean} [disabled] */
    const item = (words, more, act, disabled) => el('li', {}, el('button', { class: 'opt', type: 'button', disabled, on: { click: act } },
      el('b', {}, t(words)), foreign('small', {}, more)));
    frame.body.replaceChildren(
      el('section', {}, el('h3', {}, t('tools.several')), el('label', { class: 'to' }, t('copy.to') + ' ', target),
        el('ul', { class: 'toollist' },
          game && item('copy.game', gameTitle(game), copy('game', 1)),
          isPart && item('copy.view', t('games', { n: S.listed }), copy('view', S.listed), !S.listed),
          item('copy.all', t('games', { n: info.games }), copy('all', info.games), !info.games),
          item('merge', tabs.list.length > 1 ? t('merge.help') : t('merge.one'), go(openMerge), tabs.list.length < 2))),
      el('section', {}, el('h3', {}, t('print.position')), el('ul', { class: 'toollist' },
        item('image.svg', t('image.svgHelp'), go(() => saveImage(false))),
        item('image.png', t('image.pngHelp'), go(() => saveImage(true))))),
      el('section', {}, el('h3', {}, t('tools.base')), el('ul', { class: 'toollist' },
        info.salvages && damaged ? item('salvage.do', t('salvage.help'), go(recover)) : null,
        item('dup', t('dup.help'), go(openDuplicates), !info.games),
        item('order', S.order[0] === 'number' && !S.order[1] ? t('order.none') : t('order.help'), go(saveOrdered), S.order[0] === 'number' && !S.order[1]),
        item('names', t('names.help'), go(openNames), !info.games),
        item('base.close', tame(baseName(info.name)), go(tabs.closeShown)))),
      el('p', { class: 'mut', id: 'memory' }, ''));
    frame.foot.replaceChildren(button(t('close'), frame.leave, true));
    parts.engine.call('opened').then(({ open, bytes: used, most }) => {
      $('#memory', frame.body).textContent = used ? t('tools.memory', { n: open.length, b: bytes(used), m: bytes(most) }) : '';
    }, () => {});
  });
});

/** Saves the position on the board as a drawing or a picture.
 * @param {boolean} isPicture */
async function saveImage(isPicture) {
  const drawing = positionDrawing(here(), S.flipped);
  const blob = isPicture ? await pictureOf(drawing) : new Blob([drawing], { type: 'image/svg+xml' });
  const game = S.game && S.view !== 'tree' ? gameTitle(S.game) : t('name.position');
  download(blob, `${saveName({ source: S.info?.name ?? '', scope: 'game', game })}.${isPicture ? 'png' : 'svg'}`);
}

// ---------------------------------------------------------------- several databases

/** Joins parts of open databases in a new one, or in the one of tab `to`. Returns the answer and the tab.
 * @param {Frame} frame
 * @param {Part[]} from
 * @param {number} total of the games
 * @param {Tab | null | undefined} to
 * @param {{ dedupe?: string }} [more] */
async function collect(frame, from, total, to, more = {}) {
  const { engine } = parts;
  const names = new Set(tabs.list.map(tabs.title));
  let name = t('new.name') + '.pgn';
  for (let n = 2; names.has(name); n++) name = `${t('new.name')} ${n}.pgn`;
  for (const n of [...from.map(part => part.in), to?.n]) {
    const tab = tabs.at(n);
    if (tab) await tabs.revive(tab);
  }
  const into = { ...(to ? { in: to.n } : { name }), bytes: tabs.keepsBytes };
  const answer = await during(frame, total, progress => engine.save({ from, into, stem: 'new', ...more }, progress), async () => {
    if (engine.cancel()) await again(S.encoding);
    say(t('save.cancelled'));
  });
  if (!answer) return null;
  return { answer, tab: tabs.made(answer.info, tabs.keepsBytes ? answer.blob : null) };
}

/** The number of games that are copied without showing progress. */
const FEW = 2000;

/** @param {Scope} scope
 * @param {number} games
 * @param {Tab | undefined} to */
function copyGames(scope, games, to) {
  const total = games + (to ? tabs.gamesOf(to) : 0);
  /** @param {Frame} frame */
  const run = async frame => {
    const done = await collect(frame, [{ in: S.info?.in ?? 0, scope, game: S.game?.game ?? 0 }], total, to);
    if (!frame.failed) frame.leave();
    if (!done) return;
    const { report } = done.answer;
    tell(t('copy.done', { n: games, f: tabs.title(done.tab) }));
    const { kind, games: lossy } = verdict(report);
    if (kind === 'games') alarm(t('copy.lost', { n: lossy, t: report.losses.map(lossText).slice(0, 3).join('; ') }));
  };
  if (total > FEW) return dialog(t('copy'), run);
  /** @type {Frame} */
  const unseen = { body: el('div'), foot: el('footer'), leave() {}, stopped() {}, failed: '' };
  run(unseen).then(() => { if (unseen.failed) alarm(unseen.failed); });
}

/** @param {string} chosen
 * @param {boolean} none whether no rule is a choice */
function rules(chosen, none) {
  const all = none ? ['', ...RULES] : RULES;
  return el('fieldset', { class: 'rules' }, el('legend', {}, t('dup.rule')), all.map(rule => el('label', { class: 'opt' },
    el('input', { type: 'radio', name: 'rule', value: rule, checked: rule === chosen }), el('span', {}, t('dup.' + (rule || 'keep'))))));
}

function openMerge() {
  dialog(t('merge'), frame => {
    /** @param {Tab} tab */
    const box = tab => el('input', { type: 'checkbox', value: tab.n, checked: true });
    frame.body.replaceChildren(
      el('fieldset', {}, el('legend', {}, t('merge.which')), tabs.list.map(tab => el('label', { class: 'opt' }, box(tab),
        foreign('span', {}, tabs.title(tab)), el('small', {}, t('games', { n: tabs.gamesOf(tab) }))))),
      rules('sure', true));
    const run = async () => {
      const chosen = tabs.list.filter(tab => $(`[type=checkbox][value="${tab.n}"]`, frame.body).checked);
      const dedupe = $('[name=rule]:checked', frame.body).value;
      if (chosen.length < 2) {
        say(t('merge.two'));
        $('[type=checkbox]', frame.body).focus();
        return;
      }
      const total = chosen.reduce((sum, tab) => sum + tabs.gamesOf(tab), 0);
      const done = await collect(frame, chosen.map(tab => ({ in: tab.n, scope: 'all' })), total, null, { dedupe });
      if (!done) return;
      frame.leave();
      await turnTo(done.tab);
      tell(t('merge.done', { n: done.answer.games }) + ' ' + (dedupe ? t('merge.left', { n: done.answer.removed }) : ''));
    };
    frame.foot.replaceChildren(button(t('cancel'), frame.leave), button(t('merge.do'), run, true));
  });
}

// ---------------------------------------------------------------- one database

function openDuplicates() {
  dialog(t('dup'), frame => {
    frame.body.replaceChildren(rules('sure', false));
    const run = async () => {
      const rule = $('[name=rule]:checked', frame.body).value;
      const answer = await runTask(frame, 'duplicates', { rule });
      if (!answer) return;
      if (!answer.removed) {
        frame.body.replaceChildren(el('p', { role: 'status' }, t('dup.none')));
        frame.foot.replaceChildren(button(t('close'), frame.leave, true));
        return;
      }
      frame.leave();
      showDuplicates(answer);
    };
    frame.foot.replaceChildren(button(t('cancel'), frame.leave), button(t('dup.do'), run, true));
  });
}

/** Lists the games of each group next to each other, and offers what can be done.
 * @param {Tasks['duplicates']} answer */
function showDuplicates({ groups, removed, found }) {
  show('games');
  relist(found);
  $('.dupbar')?.remove();
  const words = t('dup.found', { n: removed, g: nf(groups) });
  const rest = (S.info?.games ?? 0) - removed;
  const bar = el('aside', { class: 'facts-bar dupbar', 'aria-label': t('dup') }, el('p', {}, words),
    button(t('dup.save'), () => openSave(undefined, { only: ['unique', 'dup.rest', t('games', { n: rest })] })),
    button(t('dup.all'), () => filter('')));
  parts.bar.after(bar);
  say(words);
}

function saveOrdered() {
  openSave(undefined, { only: ['view', 'order.games', t('games', { n: S.listed })], more: { order: true } });
}

function openNames() {
  dialog(t('names'), frame => {
    const kind = el('select', { 'aria-label': t('names.kind') }, KINDS.map(([id, words]) => el('option', { value: id }, t(words))));
    frame.body.replaceChildren(el('label', { class: 'to' }, t('names.kind') + ' ', kind), el('p', { class: 'mut' }, t('names.help')));
    const run = async () => {
      const of = kind.value;
      const answer = await runTask(frame, 'names', { of });
      if (answer) chooseNames(frame, of, answer);
    };
    frame.foot.replaceChildren(button(t('cancel'), frame.leave), button(t('names.do'), run, true));
  });
}

/** The suggestions. The reader keeps some; they are applied to the saved file.
 * @param {Frame} frame
 * @param {string} of the kind of names
 * @param {Tasks['names']} answer */
function chooseNames(frame, of, { suggestions, found }) {
  if (!suggestions.length) {
    frame.body.replaceChildren(el('p', { role: 'status' }, t('names.none')));
    frame.foot.replaceChildren(button(t('close'), frame.leave, true));
    return;
  }
  /** @param {[number, number]} years */
  const years = ([first, last]) => (first ? (first === last ? `, ${first}` : `, ${first}–${last}`) : '');
  const boxes = suggestions.map(one => el('input', { type: 'checkbox', checked: !one.ambiguous }));
  /** @param {boolean} value */
  const all = value => () => boxes.forEach((box, n) => { box.checked = value && !suggestions[n].ambiguous; });
  frame.body.replaceChildren(
    el('p', { role: 'status' }, t('names.found', { n: found })),
    el('div', { class: 'row' }, button(t('names.all'), all(true)), button(t('names.nothing'), all(false))),
    el('ul', { class: 'namelist', tabindex: 0, 'aria-label': t('names') }, suggestions.map((one, n) => el('li', {}, el('label', {}, boxes[n],
      el('span', {}, foreign('s', {}, tame(one.name)), el('small', {}, ` ${nf(one.games)}${years(one.years)}`), ' → ',
        foreign('b', {}, tame(one.better)), el('small', {}, ` ${nf(one.betterGames)}${years(one.betterYears)}`),
        one.ambiguous ? el('small', { class: 'some' }, ' ' + t('names.unsure')) : null))))));
  frame.foot.replaceChildren(button(t('cancel'), frame.leave), button(t('names.save'), () => {
    const pairs = suggestions.filter((_, n) => boxes[n].checked).map(one => [one.name, one.better]);
    frame.leave();
    if (pairs.length) openSave(undefined, { more: { names: [{ of, pairs }] } });
  }, true));
}

const FOUND = ['exact', 'carved', 'incomplete', 'head-unknown', 'moves-up-to-fault'];

/** How the games of a recovered database were found; `before` is the number of games without the search.
 * @param {number | null} before */
export function salvageReport(before) {
  dialog(t('salvage'), async frame => {
    const answer = await runTask(frame, 'salvage', {});
    const { info } = S;
    if (!answer || !info) return;
    /** @type {[string, number][]} */
    const counts = FOUND.map(code => [t('salvage.' + code), answer.counts[code]]);
    counts.push([t('salvage.left'), answer.leftOut]);
    const rows = counts.filter(([, n]) => n);
    const name = tame(baseName(info.name));
    // Of what opening has found there are words; of the rest only the program's text.
    const known = info.faults.filter(kind => kind.severity === 'lost');
    const lost = [...known.map(findingText), ...answer.faults.filter(text => !known.some(kind => text.endsWith(kind.text))).map(text => ({ words: text, detail: text }))];
    frame.body.replaceChildren(...[
      el('div', { class: 'lossbox' + (answer.whole ? '' : ' some'), role: 'status' },
        foreign('b', {}, before == null ? t('salvage.now', { f: name, n: answer.games }) : t('salvage.was', { f: name, n: answer.games, m: before })),
        el('p', { class: 'mut' }, t('salvage.next'))),
      el('table', { class: 'tab found' }, el('caption', {}, t('salvage.how')), el('tbody', {}, rows.map(([words, n]) =>
        el('tr', {}, el('th', { scope: 'row' }, words), el('td', { class: 'num' }, nf(n)))))),
      answer.barrenPlaces && el('p', {}, t('salvage.barren', { n: answer.barrenPlaces, b: bytes(answer.barrenBytes) })),
      lost.length && el('ul', { class: 'report', tabindex: 0 }, lost.map(({ words, detail }) => foreign('li', {}, tame(words), words === detail ? null : el('span', { class: 'en', lang: 'en' }, tame(detail))))),
    ].filter(one => typeof one === 'object'));
    frame.foot.replaceChildren(button(t('close'), frame.leave), button(t('save'), () => { frame.leave(); openSave(); }, true));
    $('.main', frame.foot).focus();
  });
}
