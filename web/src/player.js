// The report on a player in the filtered games.

import { el, foreign, ico, tame } from './dom.js';
import { date, nf, percent, result, t } from './lang.js';
import { bar } from './wdl.js';
import { quoted } from './terms.js';
import { openingName } from './openingname.js';

/** @import { Dialog, PlayerReport, PlayerRow, Progress } from './types.d.ts' */

/** The number of other names that are listed. */
const SHOWN = 6;

/** @param {[string, number]} name */
const withGames = ([name, games]) => `${tame(name)} (${nf(games)})`;

/** Ratings by year as a line.
 * @param {PlayerRow[]} years */
function ratingLine(years) {
  const known = years.filter(year => year.elo);
  if (known.length < 2) return null;
  const [width, height, left] = [560, 120, 40];
  const elos = known.map(year => Number(year.elo));
  const [low, high] = [Math.floor((Math.min(...elos) - 10) / 50) * 50, Math.ceil((Math.max(...elos) + 10) / 50) * 50];
  const [first, last] = [known[0].name, known[known.length - 1].name];
  /** @param {number} year */
  const x = year => left + (year - first) / Math.max(1, last - first) * (width - left - 12);
  /** @param {number} elo */
  const y = elo => height - (elo - low) / (high - low) * height;
  const say = known.map(year => `${year.name}: ${year.elo}`).join(', ');
  /** @type {(at: number, top: number, anchor: string, words: string) => HTMLElement} */
  const text = (at, top, anchor, words) => el('svg:text', { x: at, y: top, 'text-anchor': anchor }, words);
  return el('svg:svg', { class: 'chart', viewBox: `0 -10 ${width} ${height + 32}`, role: 'img', 'aria-label': `${t('pl.ratings')}: ${say}` },
    [low, high].map(elo => [el('svg:line', { class: 'ax', x1: left, x2: width, y1: y(elo), y2: y(elo) }), text(left - 6, y(elo) + 4, 'end', String(elo))]),
    el('svg:polyline', { class: 'ratings', points: known.map(year => `${x(year.name).toFixed(1)},${y(Number(year.elo)).toFixed(1)}`).join(' ') }),
    known.map(year => el('svg:circle', { class: 'bar', cx: x(year.name).toFixed(1), cy: y(Number(year.elo)).toFixed(1), r: 3 }, el('svg:title', {}, `${year.name}: ${year.elo}`))),
    text(left, height + 17, 'start', String(first)), text(width - 12, height + 17, 'end', String(last)));
}

/** `run(also, progress)` makes the report with the games of other names too, `filter(term)` shows the games of a value.
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.listed
 * @param {(also: string[], progress: (state: Progress) => void) => Promise<PlayerReport>} options.run
 * @param {(term: string) => void} options.filter
 * @param {() => void} options.closed
 * @returns {Dialog} */
export function playerDialog({ name, listed, run, filter, closed }) {
  const close = () => { dialog.close(); dialog.remove(); closed(); };
  /** @type {HTMLElement} */
  const body = el('div', { class: 'body plr', tabindex: 0 });
  /** Possible names that the reader added.
   * @type {string[]} */
  const also = [];
  const dialog = el('dialog', { class: 'dlg wide', 'aria-labelledby': 'pt' },
    el('div', { class: 'dh' }, foreign('h2', { id: 'pt' }, t('pl.title', { t: tame(name) })),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: close } }, ico('x'))),
    body);
  dialog.addEventListener('cancel', event => { event.preventDefault(); close(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) close(); });

  /** @type {(text: string, term: string) => HTMLElement} */
  const go = (text, term) => foreign('button', { class: 'tlink', type: 'button', title: t('link.filter', { t: tame(term) }), on: { click: () => { close(); filter(term); } } }, tame(text));
  /** @param {number | null} score */
  const share = score => (score == null ? '–' : percent(score, 0) + '\u00a0%');

  /** @param {string} title
   * @param {any[]} rows
   * @param {(row: any) => HTMLElement} first */
  function table(title, rows, first) {
    if (!rows.length) return null;
    return el('section', {}, el('h3', {}, t(title)), el('div', { class: 'scroll' }, el('table', { class: 'tab' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'vh' }, t(title))),
        [['num', t('tree.games')], ['wdlc', t('st.wdl')], ['num', t('pl.score')], ['num', t('pl.elo')], ['num', t('pl.opp')], ['num', t('pl.perf')]].map(([kind, words]) => el('th', { class: kind, scope: 'col' }, words)))),
      el('tbody', {}, rows.map(row => el('tr', {}, el('th', { scope: 'row' }, first(row)), el('td', { class: 'num', 'data-label': t('tree.games') }, nf(row.games)),
        el('td', {}, bar(row.results, 'wdl.own')), el('td', { class: 'num', 'data-label': t('pl.score') }, share(row.score)),
        [['pl.elo', row.elo], ['pl.opp', row.opponents], ['pl.perf', row.performance]].map(([words, value]) =>
          el('td', { class: 'num mut' + (value == null ? ' unknown' : ''), 'data-label': t(words) }, value ?? '–'))))))));
  }

  /** @param {PlayerReport} answer
   * @returns {HTMLElement[]} */
  function report(answer) {
    const { total, names, best, possible } = answer;
    if (!total.games) return [el('p', {}, t('pl.none'))];
    const me = answer.term ?? quoted(name);
    const sides = [
      { ...answer.white, words: t('col.white'), term: `white:${me}` },
      { ...answer.black, words: t('col.black'), term: `black:${me}` },
    ];
    const line = ratingLine(answer.years);
    const listedNames = answer.part ? names : names.filter(([other]) => other !== name);
    const others = listedNames.slice(0, SHOWN).map(withGames).join('; ') + (listedNames.length > SHOWN ? '; …' : '');
    return [
      el('p', {}, t('pl.of', { n: total.games, m: listed })),
      others ? foreign('p', { class: 'mut' }, t(answer.part ? 'pl.counted' : 'pl.also', { t: others })) : null,
      possible.length ? el('p', { class: 'possible' }, t('pl.perhaps'), possible.map(other => [' ', foreign('button', {
        class: 'chip', type: 'button', title: t('pl.add', { t: tame(other[0]) }), on: { click: () => { also.push(other[0]); start(); } },
      }, withGames(other))])) : null,
      table('pl.score', [...sides, { ...total, words: t('pl.both'), term: `player:${me}` }], row => go(row.words, row.term)),
      line ? el('section', {}, el('h3', {}, t('pl.ratings')), line) : null,
      table('pl.white', answer.whiteOpenings, row => go(openingName(row.name).text, `white:${me} opening:${quoted(row.name)}`)),
      table('pl.black', answer.blackOpenings, row => go(openingName(row.name).text, `black:${me} opening:${quoted(row.name)}`)),
      table('pl.opponents', answer.opponents, row => go(row.name, `(${me} vs ${quoted(row.name)})`)),
      best ? el('section', {}, el('h3', {}, t('pl.best')), foreign('p', {}, tame(`${best.players[0]}\u00a0– ${best.players[1]} ${result(best.result)}, ${best.event}, ${date(best.date)}`))) : null,
      table('pl.years', answer.years, row => go(String(row.name), `player:${me} year:${row.name}`)),
    ].filter(one => one != null);
  }

  function start() {
    const status = el('p', { role: 'status', 'aria-busy': 'true' }, t('running', { n: 0, m: listed }));
    body.replaceChildren(status);
    // The task reads the games twice.
    run(also, state => { status.textContent = t('running', { n: Math.floor(state.seen / 2), m: listed }); })
      .then(answer => { body.replaceChildren(...report(answer)); if (also.length) body.focus(); }, error => { if (error.text) body.replaceChildren(foreign('p', { role: 'alert' }, tame(error.text))); });
  }

  document.body.append(dialog);
  dialog.showModal();
  start();
  return { leave: close };
}
