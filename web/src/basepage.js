// The page about the database: its kind, its state, its encoding, and the losses in each format.

import { baseName, dotted, el, foreign, ico, tame, together } from './dom.js';
import { bytes, has, lang, nf, t } from './lang.js';
import { findings, verdict } from './report.js';
import { findingText } from './faults.js';
import { prose } from './markdown.js';

/** @import { Encodings, Finding, Format, Health, Info, Report, Texts } from './types.d.ts' */
/** @import { Child } from './dom.js' */

/** How people call the formats, the suffix that names a base, in the order in which they are offered. */
const FORMATS = [
  ['pgn', 'PGN', 'pgn'], ['si5', 'SCID 5', 'si5'], ['si4', 'SCID 4', 'si4'], ['cbh', 'ChessBase', 'cbh'],
  ['cbf', 'ChessBase DOS', 'cbf'], ['ca', 'Chess Assistant', 'cdp'], ['encroissant', 'En Croissant', 'db3'], ['lucaschess', 'Lucas Chess', 'lcdb'], ['ocgdb', 'OCGDB', 'ocgdb'], ['jose-sql', 'jose', 'sql'], ['jose', 'jose, SQLite', 'sqlite'], ['dcx', 'DC*', 'dci'],
  ['si3', 'SCID 3', 'si3'], ['scidb', 'Scidb', 'sci'], ['fbk', 'format.fbk', 'fbk'], ['parquet', 'Parquet', 'parquet'], ['html', 'format.html', 'html'],
];

/** The formats that this build writes.
 * @param {Info} info
 * @returns {Format[]} */
export function writable(info) {
  /** @param {string} id */
  const place = id => {
    const at = FORMATS.findIndex(([known]) => known === id);
    return at < 0 ? FORMATS.length : at;
  };
  return info.abilities.formats.map(format => {
    const [, name, suffix] = FORMATS[place(format.id)] ?? [];
    return { ...format, name: name && has(name) ? t(name) : name ?? format.name, suffix: suffix ?? format.suffix };
  }).sort((a, b) => place(a.id) - place(b.id));
}

/** @type {(kind: string, picture: string, title: string, text?: Child, act?: Child) => HTMLElement} */
const finding = (kind, picture, title, text, act) => el('div', { class: 'find ' + kind }, ico(picture), el('b', {}, title),
  act || el('span'), text ? el('p', { class: 'mut' }, text) : null);

/** @param {Info} info
 * @param {number} milliseconds that opening took
 * @param {(() => void) | null} other */
export function facts(info, milliseconds, other) {
  /** @type {([string, Child] | null | '' | false)[]} */
  const all = [
    ['base.format', info.format.name],
    info.title && ['base.title', foreign('span', {}, tame(info.title))],
    info.description && ['base.about', foreign('span', {}, tame(info.description))],
    ['base.games', nf(info.games)],
    info.names.players != null && ['base.names', t('base.namesText', { p: info.names.players, e: info.names.events ?? 0, s: info.names.sites ?? 0 })],
    info.texts > 0 && ['base.texts', t('base.textsText', { n: info.texts })],
    ['base.files', el('ul', {}, info.files.filter(file => file.there).map(file => el('li', {}, foreign('span', { title: tame(file.name) }, tame(baseName(file.name.replaceAll('\\', '/')))), ', ' + bytes(file.size))))],
    ['base.opened', t('base.openedText', { n: Math.max(1, Math.round(milliseconds)) })],
  ];
  const rows = all.filter(row => row !== null && row !== '' && row !== false);
  return el('section', { class: 'c5' }, foreign('h2', { class: 'h1' }, tame(baseName(info.name))),
    el('dl', { class: 'facts' }, rows.map(([words, value]) => [el('dt', {}, t(words)), el('dd', {}, value)])),
    other && el('p', { class: 'otherbase' }, el('button', { class: 'btn', type: 'button', on: { click: other } }, t('base.other'))));
}

/** `answer` is the answer of the task `health`, or none while it runs.
 * @param {Info} info
 * @param {Health | null} answer
 * @param {{ seen: number } | undefined} state
 * @param {(what: { game: number, query?: undefined } | { query: string, game?: undefined }) => void} show */
export function health(info, answer, state, show) {
  const section = el('section', { class: 'c7' });
  /** @type {HTMLElement[]} */
  const found = [];
  /** @param {() => void} act */
  const link = act => el('button', { class: 'link', type: 'button', on: { click: act } }, t('show'));
  /** @type {(list: number[]) => Child[]} */
  const numbers = list => list.map(index => el('button', { class: 'link', type: 'button', on: { click: () => show({ game: index }) } }, nf(index + 1))).flatMap((one, n, all) => (n + 1 < all.length ? [together(one, ','), ' '] : [one]));
  /** @param {Finding} kind */
  const some = kind => el('span', {}, numbers(kind.first), kind.count > kind.first.length ? ', …' : '');
  /** @param {Finding} kind */
  const times = kind => (kind.count > 1 ? ` (${nf(kind.count)} ×)` : '');
  /** @type {(kind: Finding, title: string, act?: Child) => void} */
  const add = (kind, title, act) => {
    const isNote = kind.severity === 'note';
    const { words, detail } = findingText(kind);
    const text = [tame(words) + times(kind), words === detail ? null : foreign('span', { class: 'en', lang: 'en' }, tame(detail))];
    found.push(finding(isNote ? 'i' : 'w', isNote ? 'text' : 'warn', title, text, act));
  };
  for (const kind of answer?.ofBase ?? info.faults) add(kind, t('health.base'));
  if (answer) {
    const { damaged, deleted, dropped, ofGames } = answer;
    if (damaged) found.push(finding('w', 'warn', t('health.damaged', { n: damaged }), t('health.damagedText')));
    for (const kind of ofGames) add(kind, t('health.odd', { n: kind.count }), some(kind));
    if (dropped) found.push(finding('i', 'text', t('health.more', { n: dropped })));
    if (deleted) found.push(finding('i', 'trash', t('health.deleted', { n: deleted }), t('health.deletedText'), link(() => show({ query: 'deleted:yes' }))));
    if (!findings(info, answer).any) found.push(finding('g', 'check', t('health.fine'), t('health.fineText')));
  }
  const { damage, notes } = findings(info, answer);
  // Each entry below the heading counts, unless it is the good news.
  const title = !answer ? t('health.run') : damage.length ? t('health', { n: found.length }) : notes.length ? t('health.notes', { n: found.length }) : t('health.none');
  const seen = answer ? info.games : state?.seen ?? 0;
  if (!answer) section.setAttribute('aria-busy', 'true');
  section.append(el('h2', { class: 't hh' }, title, el('small', {}, t('health.done', { n: seen, m: info.games }))), ...found);
  return section;
}

/** The texts of the database besides its games, each in the reader's language if available; null if there are none.
 * @param {Texts | undefined} found */
export function guides(found) {
  if (!found?.texts.length) return null;
  /** @param {[string, string][]} list */
  const mine = list => list.find(([language]) => language === lang()) ?? list.find(([language]) => language === 'en') ?? list[0];
  const shown = found.texts.map(text => {
    const [titleIn, title] = mine(text.titles.filter(([, title]) => title)) ?? ['', t('guides.none')];
    const [language, words] = mine(text.contents) ?? ['', ''];
    const body = foreign('div', { class: 'guide', lang: language || null });
    const details = el('details', {}, foreign('summary', { lang: titleIn || null }, tame(title)), body);
    // Made when it is opened for the first time.
    details.addEventListener('toggle', () => { if (!body.firstChild) body.append(...prose(tame(words))); }, { once: true });
    return details;
  });
  return el('section', { class: 'c12 guides' }, el('h2', { class: 't' }, t('guides.title'), el('small', {}, nf(found.all))), shown);
}

/** The doubtful names in several charsets; `choose(page)` reads the base again.
 * @param {Info} info
 * @param {Encodings | undefined} preview
 * @param {string} chosen
 * @param {(page: string) => void} choose */
export function encodings(info, preview, chosen, choose) {
  const section = el('section', { class: 'c12' }, el('h2', { class: 't' }, t('enc.title'), preview?.judged ? el('small', {}, t('enc.help')) : null));
  if (!preview) return section;
  if (!preview.judged) {
    section.append(el('p', { class: 'mut' }, t(preview.hasNames ? 'enc.none' : 'enc.nonames')));
    return section;
  }
  const now = chosen || info.charset?.page || preview.pages[0]?.page;
  /** @param {string} page */
  const isNow = page => page.toLowerCase() === (now || '').toLowerCase();
  /** @param {string} page */
  const label = page => page + (!chosen && isNow(page) ? ` (${t('enc.auto')})` : '');
  /** @type {(page: string, group: string) => HTMLElement} */
  const radio = (page, group) => el('input', { type: 'radio', name: group, checked: isNow(page), on: { change: () => choose(page) } });
  /** @param {Encodings['pages'][number]} page */
  const good = page => t('enc.of', { n: preview.judged - page.odd, m: preview.judged });
  /** @type {(page: Encodings['pages'][number], kind: string | null) => string | null} */
  const on = (page, kind) => (isNow(page.page) ? 'on' : kind);
  section.append(
    el('fieldset', { class: 'enc-s show-b' }, el('legend', { class: 'vh' }, t('enc.title')),
      preview.pages.map(page => el('label', {}, radio(page.page, 'encs'), label(page.page), el('small', {}, good(page)),
        foreign('span', { class: 'n' }, dotted(page.names.slice(0, 3).map(tame)))))),
    el('div', { class: 'scroll hide-b', tabindex: 0, role: 'region', 'aria-label': t('enc.title') },
      el('table', { class: 'tab enc' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('enc.bytes')), preview.pages.map(page =>
          el('th', { class: on(page, null), scope: 'col' }, el('label', {}, radio(page.page, 'enc'), label(page.page)))))),
        el('tbody', {}, preview.names.map((hex, n) => el('tr', {}, el('td', {}, el('code', {}, hex)),
          preview.pages.map(page => foreign('td', { class: on(page, 'x') }, tame(page.names[n]))))),
        el('tr', {}, el('td', { class: 'mut' }, t('enc.good')), preview.pages.map(page => el('td', { class: on(page, 'x') }, good(page))))))),
    el('p', { class: 'otherpage' }, el('label', {}, t('enc.other') + ' ',
      el('select', { on: { change: (/** @type {any} */ event) => event.target.value && choose(event.target.value) } },
        el('option', { value: '' }, '…'), info.abilities.charsets.map(name => el('option', { value: name, selected: isNow(name) && !preview.pages.some(page => isNow(page.page)) }, name))))));
  return section;
}

/** The columns of the table of losses. */
const COLUMNS = ['tags', 'comments', 'lines', 'signs', 'clocks', 'arrows', 'names', 'other', 'whole'];

/** The number of games that lose something of each column; in the last one, the losses that belong to no game.
 * @param {Report} report */
function columns(report) {
  const whole = report.losses.filter(loss => !loss.games).reduce((sum, loss) => sum + loss.count, 0);
  return COLUMNS.map(column => (column === 'whole' ? whole : report.columns?.[column] ?? 0));
}

/** `reportOf(id)` is the report of a conversion into this format, as far as it is known; `grow()` loads the formats that
 * are lacking.
 * @param {Info} info
 * @param {(id: string) => Report | undefined} reportOf
 * @param {(format: string) => void} save
 * @param {() => void} grow */
export function losses(info, reportOf, save, grow) {
  const formats = writable(info).filter(format => !format.isExport);
  const known = formats.filter(format => !format.lacking && reportOf(format.id)).length;
  const all = formats.filter(format => !format.lacking).length;
  const section = el('section', { class: 'c12', 'aria-busy': String(known < all) }, el('h2', { class: 't' }, t('loss.title'),
    el('small', {}, known === all ? t('loss.games') : t('loss.count', { n: known, m: all }))));
  const found = new Map(formats.map(format => [format.id, reportOf(format.id)]));
  const half = info.games / 2;
  /** @type {(format: Format, report: Report | undefined) => Child} */
  const words = (format, report) => {
    if (format.lacking) return [t('loss.unloaded'), ' ', el('button', { class: 'link', type: 'button', 'aria-label': `${t('loss.load')}: ${format.name}`, on: { click: grow } }, t('loss.load'))];
    if (!report) return el('span', { 'aria-busy': 'true' }, t('loss.waits'));
    const { kind, games } = verdict(report);
    return { games: t('games', { n: games }), base: t('loss.baseShort'), source: t('loss.sourceShort'),
      nothing: el('span', { class: 'ok' }, ico('check'), t('loss.none')) }[kind];
  };
  /** @type {(format: Format, small?: boolean) => HTMLElement} */
  const button = (format, small) => el('button', {
    class: 'btn' + (small ? ' small' : ''), type: 'button', 'aria-label': `${t('save')} ${format.name}`, on: { click: () => save(format.id) },
  }, t('save'));
  section.append(
    el('ul', { class: 'loss-s show-b' }, formats.map(format => {
      const report = found.get(format.id);
      const parts = report && dotted(columns(report).map((count, n) => count && `${t('loss.' + COLUMNS[n])} ${nf(count)}`));
      return el('li', {}, el('b', {}, format.name), button(format), el('p', {}, parts || words(format, report)));
    })),
    el('div', { class: 'scroll hide-b', tabindex: 0, role: 'region', 'aria-label': t('loss.title') },
      el('table', { class: 'tab loss' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('loss.format')), el('th', { scope: 'col' }, t('loss.verdict')),
          COLUMNS.map(column => el('th', { class: 'num', scope: 'col' }, t('loss.' + column))), el('th', {}, el('span', { class: 'vh' }, t('save.do'))))),
        el('tbody', {}, formats.map(format => {
          const report = found.get(format.id);
          const counts = report && columns(report);
          return el('tr', {},
            el('th', { scope: 'row' }, format.name, ' ', el('span', { class: 'mono' }, '.' + format.suffix)),
            el('td', { class: 'v' + (report && verdict(report).games > half ? ' all' : '') + (format.lacking ? ' z' : '') }, words(format, report)),
            COLUMNS.map((_, n) => {
              const count = counts ? counts[n] : 0;
              return el('td', { class: 'num ' + (count === 0 ? 'z' : count > half ? 'lo' : 'pa') }, counts ? nf(count) : '');
            }),
            el('td', { class: 'num' }, button(format, true)));
        })))),
    el('p', { class: 'mut lossfoot' }, t('loss.foot')));
  return section;
}
