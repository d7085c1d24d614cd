// What the base is, how it is, in which letters it is read and what each format would lose of it.

import { el, foreign, ico, tame } from './dom.js';
import { bytes, lang, nf, percent, t } from './lang.js';
import { prose } from './markdown.js';

/** How people call the formats, the suffix that names a base, in the order in which they are offered. */
const FORMATS = [
  ['pgn', 'PGN', 'pgn'], ['si5', 'SCID 5', 'si5'], ['si4', 'SCID 4', 'si4'], ['cbh', 'ChessBase', 'cbh'],
  ['cbf', 'ChessBase DOS', 'cbf'], ['ca', 'Chess Assistant', 'cdp'], ['jose-sql', 'jose', 'sql'], ['jose', 'jose, SQLite', 'sqlite'], ['dcx', 'DC*', 'dci'],
  ['si3', 'SCID 3', 'si3'], ['fbk', 'ChessBase book', 'fbk'], ['parquet', 'Parquet', 'parquet'],
];

/** The formats that this build writes. */
export function writable(info) {
  const place = id => {
    const at = FORMATS.findIndex(([known]) => known === id);
    return at < 0 ? FORMATS.length : at;
  };
  return info.abilities.formats.map(format => {
    const [, name, suffix] = FORMATS[place(format.id)] ?? [];
    return { ...format, name: name ?? format.name, suffix: suffix ?? format.suffix };
  }).sort((a, b) => place(a.id) - place(b.id));
}

const finding = (kind, picture, title, text, act) => el('div', { class: 'find ' + kind }, ico(picture), el('b', {}, title),
  act || el('span'), text ? el('p', { class: 'mut' }, text) : null);

export function facts(info, milliseconds, other) {
  const rows = [
    ['base.format', info.format.name],
    info.title && ['base.title', tame(info.title)],
    info.description && ['base.about', tame(info.description)],
    ['base.games', nf(info.games)],
    info.names.players != null && ['base.names', t('base.namesText', { p: info.names.players, e: info.names.events ?? 0, s: info.names.sites ?? 0 })],
    info.texts > 0 && ['base.texts', t('base.textsText', { n: info.texts })],
    ['base.files', el('ul', {}, info.files.filter(file => file.there).map(file => el('li', {}, foreign('span', { title: tame(file.name) }, tame(file.name.split(/[/\\]/).pop())), ', ' + bytes(file.size))))],
    ['base.opened', t('base.openedText', { n: Math.max(1, Math.round(milliseconds)) })],
  ].filter(Boolean);
  return el('section', { class: 'c5' }, foreign('h2', { class: 'h1' }, tame(info.name.split('/').pop())),
    el('dl', { class: 'facts' }, rows.map(([words, value]) => [el('dt', {}, t(words)), el('dd', {}, value)])),
    other && el('p', { class: 'otherbase' }, el('button', { class: 'btn', type: 'button', on: { click: other } }, t('base.other'))));
}

/** `answer` is that of the task `health`, or none while it runs. */
export function health(info, answer, state, show) {
  const section = el('section', { class: 'c7' });
  const found = [];
  const link = act => el('button', { class: 'link', type: 'button', on: { click: act } }, t('show'));
  const faults = answer?.base ?? info.faults;
  for (const fault of faults) {
    found.push(finding(fault.lost ? 'w' : 'i', fault.lost ? 'warn' : 'text', t('health.base'), tame(fault.text)));
  }
  if (answer) {
    const { damaged, deleted, odd } = answer;
    const numbers = list => list.map(index => el('button', { class: 'link', type: 'button', on: { click: () => show({ game: index }) } }, nf(index + 1))).flatMap((one, n) => (n ? [', ', one] : [one]));
    const some = kind => el('span', {}, numbers(kind.first), kind.count > kind.first.length ? ', …' : '');
    if (damaged.count) found.push(finding('w', 'warn', t('health.damaged', { n: damaged.count }), t('health.damagedText', { t: tame(damaged.text) }), some(damaged)));
    for (const kind of odd) found.push(finding('i', 'text', t('health.odd', { n: kind.count }), tame(kind.text), some(kind)));
    if (deleted) found.push(finding('i', 'trash', t('health.deleted', { n: deleted }), t('health.deletedText'), link(() => show({ query: 'deleted:yes' }))));
    if (!damaged.count && !faults.some(fault => fault.lost)) found.push(finding('g', 'check', t('health.fine'), t('health.fineText')));
  }
  const bad = found.filter(one => !one.classList.contains('g')).length;
  const title = answer ? (bad ? t('health', { n: bad }) : t('health.none')) : t('health.run');
  const seen = answer ? info.games : state?.seen ?? 0;
  section.append(el('h2', { class: 't hh' }, title, el('small', {}, t('health.done', { n: seen, m: info.games }))), ...found);
  return section;
}

/** The texts that stand beside the games, each in the reader's language if it has it; null if there are none. */
export function guides(found) {
  if (!found?.texts.length) return null;
  const mine = list => list.find(([language]) => language === lang()) ?? list.find(([language]) => language === 'en') ?? list[0];
  const shown = found.texts.map(text => {
    const [titleIn, title] = mine(text.titles.filter(([, title]) => title)) ?? ['', t('guides.none')];
    const [language, words] = mine(text.contents) ?? ['', ''];
    const body = foreign('div', { class: 'guide', lang: language || null });
    const details = el('details', {}, foreign('summary', { lang: titleIn || null }, tame(title)), body);
    // What nobody opens is not made.
    details.addEventListener('toggle', () => { if (!body.firstChild) body.append(...prose(tame(words))); }, { once: true });
    return details;
  });
  return el('section', { class: 'c12 guides' }, el('h2', { class: 't' }, t('guides.title'), el('small', {}, nf(found.all))), shown);
}

/** The doubtful names in several charsets; `choose(page)` reads the base again. */
export function encodings(info, preview, chosen, choose) {
  const section = el('section', { class: 'c12' }, el('h2', { class: 't' }, t('enc.title'), preview?.judged ? el('small', {}, t('enc.help')) : null));
  if (!preview) return section;
  if (!preview.judged) {
    section.append(el('p', { class: 'mut' }, t('enc.none')));
    return section;
  }
  const now = chosen || info.charset?.page || preview.pages[0]?.page;
  const isNow = page => page.toLowerCase() === (now || '').toLowerCase();
  const label = page => page + (!chosen && isNow(page) ? ` (${t('enc.auto')})` : '');
  const radio = (page, group) => el('input', { type: 'radio', name: group, checked: isNow(page), on: { change: () => choose(page) } });
  const good = page => t('enc.of', { n: preview.judged - page.odd, m: preview.judged });
  const on = (page, kind) => (isNow(page.page) ? 'on' : kind);
  section.append(
    el('fieldset', { class: 'enc-s show-b' }, el('legend', { class: 'vh' }, t('enc.title')),
      preview.pages.map(page => el('label', {}, radio(page.page, 'encs'), label(page.page), el('small', {}, good(page)),
        foreign('span', { class: 'n' }, page.names.slice(0, 3).map(tame).join(' · '))))),
    el('div', { class: 'scroll hide-b', tabindex: 0, role: 'region', 'aria-label': t('enc.title') },
      el('table', { class: 'tab enc' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('enc.bytes')), preview.pages.map(page =>
          el('th', { class: on(page.page ? page : {}, null), scope: 'col' }, el('label', {}, radio(page.page, 'enc'), label(page.page)))))),
        el('tbody', {}, preview.names.map((hex, n) => el('tr', {}, el('td', {}, el('code', {}, hex)),
          preview.pages.map(page => foreign('td', { class: on(page, 'x') }, tame(page.names[n]))))),
        el('tr', {}, el('td', { class: 'mut' }, t('enc.good')), preview.pages.map(page => el('td', { class: on(page, 'x') }, good(page))))))),
    el('p', { class: 'otherpage' }, el('label', {}, t('enc.other') + ' ',
      el('select', { on: { change: event => event.target.value && choose(event.target.value) } },
        el('option', { value: '' }, '…'), info.abilities.charsets.map(name => el('option', { value: name, selected: isNow(name) && !preview.pages.some(page => isNow(page.page)) }, name))))));
  return section;
}

/** The columns of the table of losses, and which kinds are in each. */
const KINDS = [
  ['loss.tags', /^(tag|empty-tag|title|fide|rating|round|date|event-date|eco|result|annotator|source|site|flags|deleted)/],
  ['loss.comments', /^comment/],
  ['loss.lines', /^(game$|moves-cut|null-move|ghost|illegal|promotion|unnumbered|variation|start|chess960|fault|move-result)/],
  ['loss.signs', /^nag/],
  ['loss.clocks', /^(clock|eval)/],
  ['loss.arrows', /^shapes/],
  ['loss.names', /^(name|transliterated)/],
  ['loss.other', /./],
];

/** Games concerned per column; a game that loses two kinds of one column is counted once at least. */
function columns(kinds) {
  const counts = KINDS.map(() => 0);
  for (const kind of kinds) {
    const at = KINDS.findIndex(([, pattern]) => pattern.test(kind.code));
    counts[at] = Math.max(counts[at], kind.games);
  }
  return counts;
}

export function losses(info, answer, state, save) {
  const section = el('section', { class: 'c12' }, el('h2', { class: 't' }, t('loss.title'),
    el('small', {}, answer ? t('loss.games') : t('loss.count', { n: state?.seen ?? 0, m: info.games }))));
  const formats = writable(info);
  const found = new Map((answer?.formats || []).map(one => [one.id, { ...one, columns: columns(one.kinds) }]));
  const half = info.games / 2;
  const verdict = one => (!one ? '…' : one.games ? t('games', { n: one.games }) : el('span', { class: 'ok' }, ico('check'), t('loss.none')));
  const button = (format, small) => el('button', {
    class: 'btn' + (small ? ' small' : ''), type: 'button', 'aria-label': `${t('save')} ${format.name}`, on: { click: () => save(format.id) },
  }, t('save'));
  section.append(
    el('ul', { class: 'loss-s show-b' }, formats.map(format => {
      const one = found.get(format.id);
      const parts = one?.games ? one.columns.map((count, n) => count && `${t(KINDS[n][0])} ${nf(count)}`).filter(Boolean).join(' · ') : verdict(one);
      return el('li', {}, el('b', {}, format.name), button(format), el('p', {}, parts));
    })),
    el('div', { class: 'scroll hide-b', tabindex: 0, role: 'region', 'aria-label': t('loss.title') },
      el('table', { class: 'tab loss' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('loss.format')), el('th', { scope: 'col' }, t('loss.verdict')),
          KINDS.map(([words]) => el('th', { class: 'num', scope: 'col' }, t(words))), el('th', {}, el('span', { class: 'vh' }, t('save.do'))))),
        el('tbody', {}, formats.map(format => {
          const one = found.get(format.id);
          return el('tr', {},
            el('th', { scope: 'row' }, format.name, ' ', el('span', { class: 'mono' }, '.' + format.suffix)),
            el('td', { class: 'v' + (one && one.games > half ? ' all' : '') }, verdict(one)),
            KINDS.map((_, n) => {
              const count = one ? one.columns[n] : 0;
              return el('td', { class: 'num ' + (count === 0 ? 'z' : count > half ? 'lo' : 'pa') }, one ? nf(count) : '');
            }),
            el('td', { class: 'num' }, button(format, true)));
        })))),
    el('p', { class: 'mut lossfoot' }, t('loss.foot')));
  return section;
}

export const confidence = charset => percent(charset.confidence, 0);
