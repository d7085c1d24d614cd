// The filtered games in numbers, drawn.

import { dotted, el, foreign } from './dom.js';
import { nf, percent, t } from './lang.js';
import { bar } from './wdl.js';
import { filterBy, playerButton, termButton } from './connect.js';

/** @import { Score, Stats } from './types.d.ts' */
/** @typedef {{ from: number, to: number, count: number, label: string, short?: string, term?: string }} Bar */

/** Steps of an axis that people count in.
 * @param {number} most */
function ticks(most) {
  const rough = most / 3;
  const size = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map(n => n * size).find(n => n >= rough) || size;
  const list = [];
  for (let at = Math.max(1, step); at <= most; at += Math.max(1, step)) list.push(at);
  return list;
}

/** A chart of bars, and the same as a table.
 * @param {Bar[]} bars
 * @param {{ width: number, height: number, say: string, every: number }} options */
export function chart(bars, { width, height, say, every }) {
  const most = Math.max(1, ...bars.map(one => one.count));
  const left = Math.max(34, nf(most).length * 7 + 10);
  const each = (width - left) / Math.max(1, bars.length);
  /** @param {number} count */
  const y = count => height - count / most * height;
  const picture = el('svg:svg', { class: 'chart', viewBox: `0 -10 ${width} ${height + 32}`, role: 'img', 'aria-label': say });
  for (const tick of ticks(most)) {
    picture.append(el('svg:line', { class: 'ax', x1: left, x2: width, y1: y(tick), y2: y(tick) }),
      el('svg:text', { x: left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, nf(tick)));
  }
  const gap = each > 6 ? 2 : each > 3 ? 1 : 0;
  bars.forEach((one, n) => picture.append(el('svg:rect', {
    class: 'bar', 'data-term': one.term, x: (left + n * each + gap / 2).toFixed(1), y: y(one.count).toFixed(1),
    width: Math.max(0.5, each - gap).toFixed(1), height: (one.count ? Math.max(1, height - y(one.count)) : 0).toFixed(1),
  }, el('svg:title', {}, `${one.label}: ${nf(one.count)}`))));
  picture.append(el('svg:line', { class: 'base', x1: left, x2: width, y1: height, y2: height }));
  bars.forEach((one, n) => {
    if (n % every && n !== bars.length - 1) return;
    if (n !== bars.length - 1 && bars.length - 1 - n < every * 0.6) return;
    const anchor = n === 0 ? 'start' : n === bars.length - 1 ? 'end' : 'middle';
    const x = n === 0 ? left : n === bars.length - 1 ? width : left + n * each + each / 2;
    picture.append(el('svg:text', { x: x.toFixed(1), y: height + 17, 'text-anchor': anchor }, one.short ?? one.label));
  });
  return [picture, el('details', { class: 'astable' }, el('summary', {}, t('table')),
    el('table', { class: 'tab' }, el('tbody', {}, bars.filter(one => one.count).map(one =>
      el('tr', {}, el('th', { scope: 'row' }, one.term ? termButton(one.label, one.term) : one.label), el('td', { class: 'num' }, nf(one.count)))))))];
}

/** Bars that filter by their range of values.
 * @type {(key: string, bars: Bar[]) => Bar[]} */
const withTerms = (key, bars) => bars.map(one => ({ ...one, term: `${key}:${one.from === one.to ? one.from : `${one.from}..${one.to}`}` }));

/** Kinds of annotation by the names that the query language has for them.
 * @type {Record<string, string>} */
const CONTENTS = { symbols: 'nags', evaluations: 'evals' };

/** Counts in steps: `pairs` of value and count, from the first to the last value there is.
 * @param {[number, number][]} pairs
 * @param {number[]} steps
 * @param {number} most
 * @returns {Bar[]} */
export function bins(pairs, steps, most) {
  if (!pairs.length) return [];
  const [low, high] = [pairs[0][0], pairs[pairs.length - 1][0]];
  const step = steps.find(size => Math.floor(high / size) - Math.floor(low / size) < most) ?? steps[steps.length - 1];
  const from = Math.floor(low / step);
  /** @type {Bar[]} */
  const list = Array.from({ length: Math.min(2000, Math.floor(high / step) - from + 1) }, (_, n) => ({
    from: (from + n) * step, to: (from + n) * step + step - 1, count: 0, label: '',
  }));
  for (const [value, count] of pairs) {
    const one = list[Math.floor(value / step) - from];
    if (one) one.count += count;
  }
  for (const one of list) {
    one.label = step === 1 ? String(one.from) : `${one.from}–${one.to}`;
    one.short = String(one.from);
  }
  if (list.length) list[list.length - 1].short = String(Math.min(high, list[list.length - 1].to));
  return list;
}

/** @type {(words: string, more?: string) => HTMLElement} */
const heading = (words, more) => el('h2', { class: 't' }, t(words), more ? el('small', {}, more) : null);

/** The opening codes in groups of ten: B90–99.
 * @param {Stats['openings']} openings */
function groups(openings) {
  /** @type {Map<number, { group: number, games: number, score: Score }>} */
  const map = new Map();
  for (const [code, games, score] of openings) {
    const group = Math.floor(code / 10);
    const one = map.get(group) ?? { group, games: 0, score: /** @type {Score} */ ([0, 0, 0]) };
    one.games += games;
    (score || []).forEach((count, n) => { one.score[n] += count; });
    map.set(group, one);
  }
  /** @param {number} group */
  const ten = group => `${'ABCDE'[Math.floor(group / 10)] ?? '?'}${group % 10}`;
  return [...map.values()].sort((a, b) => b.games - a.games).slice(0, 12).map(one => ({ ...one, name: `${ten(one.group)}0–${one.group % 10}9`, term: `eco:${ten(one.group)}0-${ten(one.group)}9` }));
}

/** The page of statistics.
 * @param {Stats} answer
 * @param {number} width of the window */
export function statistics(answer, width) {
  const narrow = width < 720;
  const wide = width >= 1900;
  /** @param {boolean} big */
  const size = big => ({ width: narrow ? 328 : big ? (wide ? 1640 : 1200) : (wide ? 800 : 560), height: narrow ? 110 : big ? 150 : 130 });
  /** @type {(list: Bar[], big: boolean) => number} */
  const every = (list, big) => Math.max(1, Math.ceil(list.length / (narrow ? 4 : big ? 10 : 6)));
  const [unknown, white, black, draws] = answer.results;
  const known = white + draws + black;
  /** @param {number} count */
  const share = count => (known ? count / known : 0);
  const years = answer.years.filter(([year]) => year > 0);
  const noYear = answer.years.find(([year]) => year === 0)?.[1] || 0;
  const yearBins = withTerms('year', bins(years, [1, 2, 5, 10, 50, 100], narrow ? 40 : 80));
  const lengths = withTerms('moves', bins(answer.lengths, [1, 2, 5, 10, 20, 50, 100, 500], 30));
  const ratings = withTerms('elo', bins(answer.ratings, [10, 25, 50, 100, 200], 40));
  /** @type {(list: Bar[], big: boolean, words: string) => HTMLElement[]} */
  const draw = (list, big, words) => chart(list, { ...size(big), every: every(list, big), say: `${t(words)}: ${list.length ? `${list[0].label} – ${list[list.length - 1].label}` : ''}` });
  const openings = groups(answer.openings);
  /** @type {(count: number, words: string, won: string) => HTMLElement} */
  const column = (count, words, won) => el('span', {}, el('b', {}, percent(share(count)) + '\u00a0%'), termButton(t(words, { n: count }), `result:${won}`));
  /** @param {any} event */
  const choose = event => { if (event.target.dataset.term) filterBy(event.target.dataset.term); };
  return el('div', { class: 'cols', on: { click: choose } },
    el('section', { class: 'c12 big' }, heading('st.results', unknown ? t('st.noresult', { n: unknown }) : ''),
      bar([white, draws, black]),
      el('div', { class: 'legend' }, column(white, 'st.white', '1-0'), column(draws, 'st.draws', '1/2-1/2'), column(black, 'st.black', '0-1'))),
    el('section', { class: 'c12' }, heading('st.years', dotted([years.length ? `${years[0][0]}–${years[years.length - 1][0]}` : '', noYear ? t('st.noyear', { n: noYear }) : ''])),
      years.length ? draw(yearBins, true, 'st.years') : el('p', { class: 'mut' }, t('st.noyear', { n: noYear }))),
    el('section', { class: 'c6' }, heading('st.openings', t('st.byGames')),
      openings.length ? el('table', { class: 'tab' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'ECO'), el('th', { class: 'num', scope: 'col' }, t('tree.games')), el('th', { class: 'half', scope: 'col' }, t('tree.result')))),
        el('tbody', {}, openings.map(one => el('tr', {}, el('th', { scope: 'row' }, termButton(one.name, one.term)), el('td', { class: 'num' }, nf(one.games)), el('td', {}, bar(one.score))))))
        : el('p', { class: 'mut' }, t('st.noeco'))),
    el('section', { class: 'c6' }, heading('st.players'),
      el('table', { class: 'tab fixed' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('st.player')), el('th', { class: 'hide-s years', scope: 'col' }, t('st.years')), el('th', { class: 'num games', scope: 'col' }, t('tree.games')), el('th', { class: 'third', scope: 'col' }, t('st.wdl')))),
        el('tbody', {}, answer.players.map(([name, games, score, span]) => el('tr', {},
          foreign('th', { scope: 'row', class: 'cut' }, playerButton(name)),
          el('td', { class: 'mut hide-s' }, span ? (span[0] === span[1] ? span[0] : `${span[0]}–${span[1]}`) : '–'),
          el('td', { class: 'num' }, nf(games)), el('td', {}, bar(score, 'wdl.own'))))))),
    el('section', { class: 'c6' }, heading('st.ratings', answer.rated ? t('st.rated', { n: answer.rated }) : ''),
      ratings.length ? draw(ratings, false, 'st.ratings') : el('p', { class: 'mut' }, t('st.norating'))),
    el('section', { class: 'c6' }, heading('st.length', t('st.perGame')), draw(lengths, false, 'st.length')),
    el('section', { class: 'c12' }, heading('st.notes'),
      el('table', { class: 'tab' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('st.with')), el('th', { class: 'num', scope: 'col' }, t('tree.games')), el('th', { class: 'num', scope: 'col' }, t('st.share')), el('th', { class: 'sixty' }, el('span', { class: 'vh' }, t('st.share'))))),
        el('tbody', {}, answer.annotations.map(([name, games]) => el('tr', {},
          el('th', { scope: 'row' }, termButton(t('an.' + name), `has:${CONTENTS[name] ?? name}`)), el('td', { class: 'num' }, nf(games)),
          el('td', { class: 'num mut' }, percent(answer.games ? games / answer.games : 0) + '\u00a0%'),
          el('td', {}, el('span', { class: 'hb', style: { width: (answer.games ? games / answer.games * 100 : 0) + '%' } }))))))));
}
