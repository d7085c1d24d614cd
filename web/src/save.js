// The dialog that saves games.

import { $, el, ico, foreign, tame } from './dom.js';
/** @import { Child } from './dom.js' */
import { has, t } from './lang.js';
import { errorText, isFailure } from './failure.js';
import { errorLine } from './faults.js';
import { saveName } from './names.js';
import { canChoose, choosePlace, download, mayWrite, samePlace, writeTo } from './places.js';
import { reportLines, reportText, verdict } from './report.js';
import { grouped } from './targets.js';

/** @import { Dialog, Format, Report, Saved, SaveRequest, Scope } from './types.d.ts' */
/** @typedef {Pick<SaveRequest, 'scope' | 'format'>} Choice */

/** All losses, equal before and after: `words` are the first line.
 * @param {Report} report
 * @param {string} words
 * @param {Child} more */
function note(report, words, more) {
  const lines = reportLines(report);
  return [
    el('b', {}, words),
    el('p', { class: 'mut' }, more),
    lines.length ? el('ul', { class: 'report', tabindex: 0 }, lines.map(text => foreign('li', {}, tame(text)))) : null,
  ].filter(one => one != null);
}

/** `state` has what can be saved and whether the database has `findings`; `assess(scope, format)` gives the
 * report that saving would end with; `grow()` brings the formats that are still lacking and gives all;
 * `run(choice, progress)` saves and gives the report, `cancel` ends it; `source` is the file that names the database.
 * @param {object} of
 * @param {{ game: { title: string } | null, isFiltered: boolean, listed: number, total: number, source: string, query: string, formats: Format[], findings: () => boolean, only?: [Scope, string, string] | null }} of.state
 * @param {string} [of.chosen] format
 * @param {(scope: Scope, format: string) => Promise<Report>} of.assess
 * @param {() => Promise<Format[]>} of.grow
 * @param {(choice: Choice & { stem: string }, progress: (state: { games: number }) => void) => Promise<Saved>} of.run
 * @param {() => void} of.cancel
 * @param {() => void} of.closed
 * @returns {Dialog} */
export function saveDialog({ state, chosen, assess, grow, run, cancel, closed }) {
  const dialog = el('dialog', { class: 'dlg savedlg', 'aria-labelledby': 'dt' });
  const body = el('div', { class: 'body' });
  const title = el('h2', { id: 'dt' }, t('save.title'));
  const foot = el('footer');
  dialog.append(
    el('div', { class: 'dh' }, title, el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: leave } }, ico('x'))),
    body, foot);
  let running = false;
  dialog.addEventListener('cancel', event => {
    event.preventDefault();
    leave();
  });
  dialog.addEventListener('click', event => { if (event.target === dialog) leave(); });

  function leave() {
    if (running) {
      running = false;
      cancel();
    }
    dialog.close();
    dialog.remove();
    closed();
  }

  /** @type {Choice} */
  const choice = { scope: state.game ? (state.isFiltered ? 'view' : 'all') : 'all', format: chosen || 'pgn' };

  function form() {
    /** @type {([Scope, string, string] | null | false)[]} */
    const offered = state.only ? [state.only] : [
      state.game && ['game', 'save.game', tame(state.game.title)],
      state.isFiltered && ['view', 'save.view', t('games', { n: state.listed })],
      ['all', 'save.all', t('games', { n: state.total })],
    ];
    const scopes = offered.filter(one => one !== null && one !== false);
    if (!scopes.some(([id]) => id === choice.scope)) choice.scope = scopes[scopes.length - 1]?.[0] ?? 'all';
    /** @type {Map<string, Report | null>} */
    let reports = new Map();
    const box = el('div', { class: 'lossbox', 'aria-live': 'polite' });
    const told = () => {
      const format = state.formats.find(one => one.id === choice.format);
      const report = reports.get(choice.format);
      if (!format) return;
      const zip = format.files > 1 ? t('save.zip') : '';
      box.classList.toggle('some', !report || verdict(report).kind !== 'nothing');
      if (report) box.replaceChildren(...note(report, before(report), zip));
      else box.replaceChildren(el('b', {}, t('save.format') + ': ' + format.name), el('p', { class: 'mut' }, [report === null ? '' : t('loss.wait'), zip].filter(Boolean).join(' ')));
    };
    /** @param {Report} report */
    const before = report => {
      const { kind, games } = verdict(report);
      return { games: t('save.some', { n: games }), base: t('loss.base'), source: t('loss.source'), nothing: t('loss.none') }[kind];
    };
    /** @param {Report} report */
    const short = report => {
      const { kind, games } = verdict(report);
      return { games: t('save.inGames', { n: games }), base: t('loss.baseShort'), source: t('loss.sourceShort'), nothing: t('save.nothing') }[kind];
    };
    const smalls = new Map(state.formats.filter(format => !format.lacking).map(format => [format.id, el('small')]));
    /** The losses of the chosen games, as soon as they are counted. */
    const judge = async () => {
      const { scope } = choice;
      const mine = (reports = new Map());
      const draw = () => {
        for (const [id, small] of smalls) {
          const report = reports.get(id);
          small.className = report && verdict(report).kind !== 'nothing' ? 'some' : '';
          small.textContent = report ? short(report) : report === null ? '–' : '…';
        }
        told();
      };
      draw();
      const open = new Set(smalls.keys());
      // The format that is chosen by then comes first.
      while (open.size && mine === reports && dialog.isConnected && !running) {
        const id = open.has(choice.format) ? choice.format : [...open][0];
        open.delete(id);
        const report = await assess(scope, id).catch(() => null);
        if (mine !== reports || !dialog.isConnected) return;
        reports.set(id, report);
        if (!running) draw();
      }
    };
    /** @param {Format} format */
    const option = format => el('label', { class: 'opt tgt' },
      el('input', { type: 'radio', name: 'fmt', value: format.id, checked: format.id === choice.format, on: { change: () => pick(format) } }),
      el('span', {}, format.name, ' ', el('span', { class: 'mono' }, '.' + format.suffix)),
      smalls.get(format.id),
      has('target.' + format.id) && el('span', { class: 'why' }, t('target.' + format.id)));
    body.replaceChildren(
      el('fieldset', {}, el('legend', {}, t('save.which')), el('div', { class: 'seg' }, scopes.map(([id, words, more]) => el('label', {},
        el('input', { class: 'vh', type: 'radio', name: 'scope', value: id, checked: id === choice.scope, on: { change: () => { choice.scope = id; judge(); } } }),
        el('span', {}, t(words)), foreign('small', {}, more))))),
      el('fieldset', {}, el('legend', {}, t('save.format')), grouped(state.formats).map(({ id, formats }) =>
        el('div', { class: 'tgroup', role: 'group', 'aria-labelledby': 'tg-' + id }, el('h3', { id: 'tg-' + id }, t('target.group.' + id)),
          el('div', { class: 'fgrid' }, formats.map(option))))), box);
    /** @param {Format} format */
    const pick = async format => {
      choice.format = format.id;
      told();
      drawFoot();
      if (!format.lacking) return;
      box.replaceChildren(el('b', {}, t('reading')));
      $('.main', foot).disabled = true;
      state.formats = await grow();
      form();
      $('input[name=fmt]:checked', body).focus();
    };
    judge();
    drawFoot();
  }

  /** The suffix of the file that is saved: several files come in a zip. */
  const suffix = () => {
    const format = state.formats.find(one => one.id === choice.format);
    return !format || format.files > 1 ? 'zip' : format.suffix;
  };
  const named = () => saveName({ source: state.source, scope: choice.scope, query: state.query, game: state.game?.title });

  function drawFoot() {
    const same = samePlace(suffix());
    foot.replaceChildren(el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('cancel')));
    if (same) foot.append(el('button', { class: 'btn same', type: 'button', on: { click: () => elsewhere(async () => (await mayWrite(same) ? same : null)) } }, t('where.same', { f: tame(same.name) })));
    if (canChoose()) foot.append(el('button', { class: 'btn', type: 'button', on: { click: () => elsewhere(() => choosePlace(`${named()}.${suffix()}`)) } }, t('where.choose')));
    foot.append(el('button', { class: 'btn main', type: 'button', on: { click: () => begin() } }, t('save.do')));
  }

  /** Saves to the place that the reader gives; nothing happens if the reader turns back.
   * @param {() => Promise<FileSystemFileHandle | null>} ask */
  async function elsewhere(ask) {
    try {
      const place = await ask();
      if (place) await begin(place);
    } catch (error) {
      failed(errorText(error));
    }
  }

  /** @param {string} words */
  function failed(words) {
    title.textContent = t('save.title');
    body.replaceChildren(el('div', { class: 'note', role: 'alert' }, tame(words)));
    foot.replaceChildren(el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('close')));
  }

  /** @param {FileSystemFileHandle | null} [place] instead of the folder of downloads */
  async function begin(place = null) {
    running = true;
    const total = choice.scope === 'game' ? 1 : choice.scope === 'view' ? state.listed : state.total;
    const bar = el('i');
    const meter = el('div', { role: 'progressbar', 'aria-label': t('save.running'), 'aria-valuenow': 0, 'aria-valuemin': 0, 'aria-valuemax': 100, class: 'prog' }, bar);
    const words = el('span');
    // Under 300 ms nothing is shown.
    const wait = setTimeout(() => {
      if (!running) return;
      title.textContent = t('save.running');
      body.replaceChildren(meter, el('div', { class: 'progt' }, words));
      foot.replaceChildren(el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('cancel')));
      $('button', foot).focus();
    }, 300);
    /** @param {{ games: number }} state */
    const progress = ({ games }) => {
      const share = Math.min(100, Math.round(games / Math.max(1, total) * 100));
      bar.style.width = share + '%';
      meter.setAttribute('aria-valuenow', String(share));
      words.textContent = t('save.run', { n: games, m: total });
    };
    progress({ games: 0 });
    try {
      const answer = await run({ ...choice, stem: named() }, progress);
      if (!running) return;
      if (place) {
        await writeTo(place, answer.pieces ?? [answer.blob]).catch(error => {
          throw new Error(t('where.failed', { f: place.name, t: errorText(error) }));
        });
        // The reader may have chosen another name.
        answer.name = place.name;
      }
      clearTimeout(wait);
      if (!running) return;
      running = false;
      done(answer, place);
    } catch (error) {
      clearTimeout(wait);
      if (!running) return;
      running = false;
      failed(isFailure(error) ? errorLine(error, [state.source]) : errorText(error));
    }
  }

  /** @param {Saved} answer
   * @param {FileSystemFileHandle | null} place */
  function done(answer, place) {
    if (!place) download(answer.blob, answer.name);
    const { report } = answer;
    const { kind, games } = verdict(report);
    const words = {
      games: t('save.lost', { n: games }), base: t('save.base'), source: t('save.source'),
      nothing: state.findings() ? t('save.findings') : t('save.good'),
    }[kind];
    title.textContent = t('save.title');
    body.replaceChildren(
      el('div', { class: 'lossbox' + (kind !== 'nothing' || state.findings() ? ' some' : ''), role: 'status' },
        ...note(report, words, [foreign('span', { class: 'mono' }, tame(answer.name)), '\u00a0· ' + t('games', { n: report.written }),
          el('span', { class: 'where' }, t(place ? 'where.chosen' : 'where.download'))])));
    foot.replaceChildren(
      el('button', { class: 'btn', type: 'button', on: { click: () => download(new Blob([reportText(answer)], { type: 'text/plain' }), answer.name + '.report.txt') } }, t('save.report')),
      el('button', { class: 'btn main', type: 'button', on: { click: leave } }, t('close')));
    $('.main', foot).focus();
  }

  document.body.append(dialog);
  form();
  dialog.showModal();
  $('input:checked', dialog)?.focus();
  return { leave };
}
