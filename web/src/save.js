// The dialog that saves games.

import { $, el, ico, foreign, tame } from './dom.js';
import { nf, t } from './lang.js';

/** `state` says what there is to save, `assess(scope)` what that would lose; `grow()` brings the
 * formats that are still lacking and gives all; `run(choice, progress)` saves and gives the report, `cancel` ends it. */
export function saveDialog({ state, chosen, assess, grow, run, cancel, closed }) {
  const dialog = el('dialog', { class: 'dlg', 'aria-labelledby': 'dt' });
  const body = el('div', { class: 'body' });
  const title = el('h2', { id: 'dt' }, t('save.title'));
  const foot = el('footer');
  dialog.append(
    el('div', { class: 'dh' }, title, el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: leave } }, ico('x'))),
    body, foot);
  let running = false;
  let address = null;
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
    if (address) setTimeout(() => URL.revokeObjectURL(address), 60_000);
    closed();
  }

  const choice = { scope: state.game ? (state.isFiltered ? 'view' : 'all') : 'all', format: chosen || 'pgn' };

  function form() {
    const scopes = [
      state.game && ['game', 'save.game', tame(state.game.title)],
      state.isFiltered && ['view', 'save.view', t('games', { n: state.listed })],
      ['all', 'save.all', t('games', { n: state.total })],
    ].filter(Boolean);
    if (!scopes.some(([id]) => id === choice.scope)) choice.scope = 'all';
    let losses = new Map();
    const note = el('div', { class: 'lossbox', 'aria-live': 'polite' });
    const told = () => {
      const format = state.formats.find(one => one.id === choice.format);
      const loss = losses.get(choice.format);
      const zip = format.files > 1 ? t('save.zip') : '';
      note.classList.toggle('some', Boolean(loss?.games));
      note.replaceChildren(
        el('b', {}, loss?.games ? t('save.some', { n: loss.games }) : loss ? t('loss.none') : t('save.format') + ': ' + format.name),
        el('p', { class: 'mut' }, [loss?.games ? loss.kinds.slice(0, 4).map(kind => `${kind.text} (${nf(kind.games)})`).join('; ') + '.' : '', zip].filter(Boolean).join(' ')));
    };
    const smalls = new Map(state.formats.filter(format => !format.lacking).map(format => [format.id, el('small')]));
    /** What the chosen games would lose, as soon as it is known. */
    const judge = async () => {
      const { scope } = choice;
      losses = new Map();
      const draw = () => {
        for (const [id, small] of smalls) {
          const loss = losses.get(id);
          small.className = loss?.games ? 'some' : '';
          small.textContent = loss ? (loss.games ? t('games', { n: loss.games }) : t('save.nothing')) : '…';
        }
        told();
      };
      draw();
      const answer = await Promise.resolve(assess(scope)).catch(() => null);
      if (!answer || choice.scope !== scope) return;
      losses = new Map(answer.formats.map(one => [one.id, one]));
      draw();
    };
    body.replaceChildren(
      el('fieldset', {}, el('legend', {}, t('save.which')), el('div', { class: 'seg' }, scopes.map(([id, words, more]) => el('label', {},
        el('input', { class: 'vh', type: 'radio', name: 'scope', value: id, checked: id === choice.scope, on: { change: () => { choice.scope = id; judge(); } } }),
        el('span', {}, t(words)), foreign('small', {}, more))))),
      el('fieldset', {}, el('legend', {}, t('save.format')), el('div', { class: 'fgrid' }, state.formats.map(format => {
        return el('label', { class: 'opt' },
          el('input', { type: 'radio', name: 'fmt', value: format.id, checked: format.id === choice.format, on: { change: () => pick(format) } }),
          el('span', {}, format.name, ' ', el('span', { class: 'mono' }, '.' + format.suffix)),
          smalls.get(format.id));
      }))), note);
    const pick = async format => {
      choice.format = format.id;
      told();
      if (!format.lacking) return;
      note.replaceChildren(el('b', {}, t('reading')));
      $('.main', foot).disabled = true;
      state.formats = await grow();
      form();
      $('input[name=fmt]:checked', body).focus();
    };
    judge();
    foot.replaceChildren(el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('cancel')),
      el('button', { class: 'btn main', type: 'button', on: { click: begin } }, t('save.do')));
  }

  async function begin() {
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
    const progress = ({ games }) => {
      const share = Math.min(100, Math.round(games / Math.max(1, total) * 100));
      bar.style.width = share + '%';
      meter.setAttribute('aria-valuenow', share);
      words.textContent = t('save.run', { n: games, m: total });
    };
    progress({ games: 0 });
    try {
      const answer = await run(choice, progress);
      clearTimeout(wait);
      if (!running) return;
      running = false;
      done(answer);
    } catch (error) {
      clearTimeout(wait);
      if (!running) return;
      running = false;
      title.textContent = t('save.title');
      body.replaceChildren(el('div', { class: 'note', role: 'alert' }, tame(error.text || String(error))));
      foot.replaceChildren(el('button', { class: 'btn', type: 'button', on: { click: leave } }, t('close')));
    }
  }

  function download(blob, name) {
    address = URL.createObjectURL(blob);
    el('a', { href: address, download: name }).click();
  }

  function done(answer) {
    download(answer.blob, answer.name);
    const { report } = answer;
    const games = Math.max(0, ...report.losses.map(loss => loss.games));
    const unfit = report.losses.length > 0 || report.skipped > 0 || report.cut > 0;
    const lost = unfit || report.incomplete;
    title.textContent = t('save.title');
    body.replaceChildren(
      el('div', { class: 'lossbox' + (lost ? ' some' : ''), role: 'status' },
        el('b', {}, unfit ? t('save.lost', { n: Math.max(games, report.skipped + report.cut, 1) }) : lost ? t('save.source') : t('save.good')),
        el('p', { class: 'mut' }, foreign('span', { class: 'mono' }, tame(answer.name)), ' · ' + t('games', { n: report.written }))),
      ...(lost ? [el('ul', { class: 'report' }, [...report.losses.map(loss => loss.text), ...report.found.filter(kind => kind.lost).map(kind => tame(kind.first[0] ?? ''))].slice(0, 12).map(text => el('li', {}, text)))] : []));
    foot.replaceChildren(
      el('button', { class: 'btn', type: 'button', on: { click: () => download(new Blob([reportText(answer)], { type: 'text/plain' }), answer.name + '.report.txt') } }, t('save.report')),
      el('button', { class: 'btn main', type: 'button', on: { click: leave } }, t('close')));
    $('.main', foot).focus();
  }

  form();
  document.body.append(dialog);
  dialog.showModal();
  $('input:checked', dialog)?.focus();
  return { leave };
}

/** The report in the words of the library, which are English. */
export function reportText({ name, report }) {
  const lines = [`${name}: ${report.read} games read, ${report.written} written`];
  if (report.cut) lines.push(`${report.cut} games lack moves`);
  if (report.skipped) lines.push(`${report.skipped} games left out`);
  if (report.page) lines.push(`texts in ${report.page}`);
  for (const loss of report.losses) lines.push('lost: ' + loss.text);
  for (const extra of report.extras) lines.push(`  of that ${extra.count} × ${extra.what}`);
  for (const text of report.exceeded) lines.push('limit: ' + text);
  for (const kind of report.found) {
    lines.push(`source: ${kind.count} × such as`);
    for (const text of kind.first) lines.push('  ' + text);
  }
  if (lines.length === 1) lines.push('nothing was lost');
  return lines.join('\n') + '\n';
}
