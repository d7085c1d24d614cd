// The engine that analyses the position on the board, once it is asked for.

import { $, dotted, el, foreign, ico, later, say, tame } from './dom.js';
import { t } from './lang.js';
import { isFailure } from './failure.js';
import { evalText, turn } from './game.js';
import { piece } from './engine.js';
import { phone } from './state.js';
import { served } from './remote.js';
import { figures } from './notation.js';
import { makeProgramEngine } from './program.js';
import { makeWorkerEngine } from './uci.js';

/** @import { ChessEngine, EngineInfo, EngineMoves, EngineQuestion, Evaluation, LineMove, Shape } from './types.d.ts' */

/** The most lines that are shown, and moves of each. */
const LINES = 3;
const MOVES = 14;
/** The time between two pictures of what the engine found, in milliseconds. */
const PAUSE = 200;
/** The largest engine file, in bytes. */
const LARGEST = 300e6;

/** The page of one file has no engine in it, since that is twice as large as all else. */
const isSingle = () => Boolean(document.getElementById('engine'));

/** `line(fen, moves)` asks the session for an engine's moves in SAN; `board()` is the board, which shows the
 * evaluation and the best move; `play(moves, fen)` shows a line in the tree.
 * @param {{
 *   line: (fen: string, moves: string) => Promise<EngineMoves>,
 *   board: () => ReturnType<typeof import('./board.js').makeBoard> | undefined,
 *   play: (moves: LineMove[], fen: string) => void }} page */
export function makeAnalysis({ line, board, play }) {
  const pane = el('section', { class: 'analysis', hidden: true });
  /** @type {ChessEngine | null} */
  let engine = null;
  let isOn = false;
  /** The error, and whether a file can help.
   * @type {[words: string, wantsFile: boolean] | null} */
  let trouble = null;
  let name = '';
  // A phone shows the board and the moves too.
  let count = phone() ? 1 : LINES;
  /** The script of the engine.
   * @type {string | null} */
  let text = null;
  /** The position on the board, the request to the engine, and why there is none.
   * @type {{ fen: string, asked: EngineQuestion | null, words: string | null } | null} */
  let position = null;
  /** The lines from the engine, and the ones shown. Scores are White's.
   * @type {EngineInfo[]} */
  let infos = [];
  /** @type {{ key: string, score: Evaluation, moves: LineMove[] }[]} */
  let shown = [];
  const parts = {
    value: el('b', { class: 'value' }),
    name: foreign('span', { class: 'name' }),
    depth: el('span', { class: 'mut depth' }),
    note: el('div', { class: 'trouble', role: 'alert' }),
    licence: el('p', { class: 'mut licence' }),
    rows: Array.from({ length: LINES }, (_, n) => {
      const button = el('button', { type: 'button', class: 'pv', on: { click: (/** @type {Event} */ event) => choose(n, event) } });
      return { button, item: el('li', { hidden: true }, button) };
    }),
  };

  /** The pane in the language of the page. */
  function draw() {
    const select = el('select', { 'aria-label': t('engine.lines'), title: t('engine.lines'), on: { change: (/** @type {Event} */ event) => {
      count = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      think();
    } } }, Array.from({ length: LINES }, (_, n) => el('option', { value: n + 1, selected: n + 1 === count }, n + 1)));
    pane.setAttribute('aria-label', t('engine'));
    pane.replaceChildren(
      el('div', { class: 'head' }, parts.value, el('div', { class: 'who' }, parts.name, parts.depth), select,
        el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('engine.stop'), title: t('engine.stop') + ' (a)', on: { click: toggle } }, ico('x'))),
      parts.note, el('ol', {}, parts.rows.map(row => row.item)), parts.licence);
    drawTrouble();
    paint();
    press();
  }

  const press = () => $('[data-go=engine]', board()?.pane)?.setAttribute('aria-pressed', String(isOn));

  function drawTrouble() {
    parts.note.replaceChildren();
    if (!trouble) return;
    const [words, wantsFile] = trouble;
    parts.note.append(el('p', {}, words));
    if (wantsFile) {
      const input = el('input', { type: 'file', accept: '.js,text/javascript', class: 'vh', tabindex: -1, 'aria-hidden': 'true', id: 'enginefile', on: { change: () => take(input.files?.[0]) } });
      parts.note.append(el('button', { class: 'btn', type: 'button', on: { click: () => input.click() } }, t('engine.choose')), input);
    } else if (!served) {
      parts.note.append(el('button', { class: 'btn', type: 'button', on: { click: restart } }, t('engine.again')));
    }
  }

  /** The lines so far. */
  function paint() {
    const best = infos[0];
    const isLive = isOn && !trouble;
    parts.value.textContent = isLive && best ? evalText(best.score) : '';
    parts.name.textContent = tame(name) || t('engine');
    parts.depth.textContent = !isLive ? '' : position?.words ?? (best
      ? dotted([t('engine.depth', { n: best.depth }), best.speed ? t('engine.speed', { n: Math.round(best.speed / 1000) }) : ''])
      : t('engine.wait'));
    // A program of the user's is named, but its licence is not known here.
    parts.licence.replaceChildren(...(/^stockfish/i.test(name) ? [t('engine.licence'), ' ',
      el('a', { href: 'https://github.com/nmrugg/stockfish.js', rel: 'noreferrer', target: '_blank' }, t('engine.source'))] : []));
    parts.rows.forEach(({ button, item }, n) => {
      const row = isLive && n < count ? shown[n] : null;
      item.hidden = !row;
      if (!row) return;
      const words = row.moves.map((move, at) => el('span', { 'data-at': at }, at && move.black ? '' : `${move.number}${move.black ? '…' : '.'}\u2009`, figures(move.san), ' '));
      button.replaceChildren(el('b', {}, evalText(row.score)), el('span', { class: 'moves-of', 'aria-hidden': 'true' }, words),
        el('span', { class: 'vh' }, ': ' + row.moves.map(move => move.san).join(' ')));
      button.title = t('engine.play');
    });
  }

  /** Lines in SAN, and arrows, a few times a second. The session may be busy, so only one question is asked at a
   * time. */
  /** @type {import('./dom.js').Timer} */
  let timer;
  let isAsking = false;
  const refresh = () => { timer ??= setTimeout(() => { timer = undefined; show(); }, PAUSE); };
  async function show() {
    if (!isOn || !position) return;
    if (isAsking) return refresh();
    isAsking = true;
    const asked = position;
    const mine = infos.slice(0, count);
    try {
      const rows = await Promise.all(mine.map(async (info, n) => {
        const key = info.moves.slice(0, MOVES).join(' ');
        const moves = shown[n]?.key === key ? shown[n].moves : (await line(asked.fen, key)).moves;
        return { key, score: info.score, moves };
      }));
      if (asked !== position || !isOn || trouble) return;
      shown = rows;
      const [best] = rows[0]?.moves ?? [];
      /** @type {Shape | undefined} */
      const arrow = best && ['B', best.uci.slice(0, 2), best.uci.slice(2, 4), 9];
      board()?.analyse({ fen: asked.fen, evaluation: rows[0]?.score, shapes: arrow ? [arrow] : [] });
      paint();
    } catch (error) {
      if (!isFailure(error)) throw error;
    } finally {
      isAsking = false;
    }
  }

  /** @param {EngineInfo} info
   * @param {EngineQuestion} of */
  function told(info, of) {
    if (!position || of !== position.asked || info.rank > count) return;
    const isBlack = turn(position.fen) === 'b';
    const { mate, points = 0 } = info.score;
    const score = mate == null ? { points: isBlack ? -points : points } : { mate: isBlack ? -mate : mate };
    infos[info.rank - 1] = { ...info, score };
    refresh();
  }

  /** @param {string} words */
  function fail(words, wantsFile = false) {
    trouble = [words, wantsFile];
    engine?.close();
    engine = null;
    board()?.analyse(null);
    draw();
  }

  /** Begins with the position on the board. */
  const think = later(150, async () => {
    if (!isOn || !position || trouble || document.hidden) return;
    const mine = position;
    infos = [];
    shown = [];
    const known = await line(mine.fen, '').catch(() => null);
    if (mine !== position || !isOn || trouble) return;
    mine.words = known?.isValid ? (known.hasMove ? null : t('engine.over')) : t('engine.cannot');
    paint();
    if (mine.words || !known) return engine?.rest();
    mine.asked = { fen: known.fen, isChess960: known.isChess960, lines: count };
    engine?.think(mine.asked);
  });

  /** Plays a line, up to the move that was clicked.
   * @param {number} n
   * @param {Event} event */
  function choose(n, event) {
    const row = shown[n];
    const move = /** @type {Element} */ (event.target).closest('[data-at]');
    const at = move && /** @type {HTMLElement} */ (move).dataset.at;
    if (row?.moves.length && position) play(row.moves.slice(0, at == null ? undefined : Number(at) + 1), position.fen);
  }

  /** @param {File} [file] */
  async function take(file) {
    if (!file) return;
    const isScript = /\.js$/i.test(file.name) && file.size < LARGEST;
    // Read here: a worker of WebKitGTK cannot read a file of a page from a disk.
    const bytes = isScript ? await file.arrayBuffer().catch(() => null) : null;
    if (!bytes) return fail(t('engine.wrong', { f: tame(file.name) }), true);
    text = new TextDecoder().decode(bytes);
    restart();
  }

  async function load() {
    /** @type {import('./types.d.ts').EngineHearer} */
    const heard = {
      told, named(words) { name = words; paint(); },
      failed: words => fail(t('engine.failed', { t: tame(words) }), isSingle()),
    };
    if (served) {
      engine = makeProgramEngine({ ...heard, lacking: () => fail(t('engine.view')) });
      return;
    }
    if (!text) {
      if (isSingle()) return fail(t('engine.file'), true);
      const brought = await piece('stockfish').catch(() => null);
      if (!isOn) return;
      if (!brought) return fail(t('engine.lacking'), true);
      text = `(${brought})()`;
    }
    engine = makeWorkerEngine(text, heard);
  }

  async function restart() {
    trouble = null;
    engine?.close();
    engine = null;
    draw();
    await load();
    think();
  }

  function toggle() {
    isOn = !isOn;
    pane.hidden = !isOn;
    press();
    say(t(isOn ? 'engine.on' : 'engine.off'));
    if (isOn) return restart();
    // Ended, so that it uses neither memory nor battery.
    const hadFocus = pane.contains(document.activeElement);
    engine?.close();
    engine = null;
    infos = [];
    shown = [];
    board()?.analyse(null);
    if (hadFocus) $('#board')?.focus({ preventScroll: true });
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) engine?.rest();
    else think();
  });

  return {
    pane, toggle, draw,
    isOn: () => isOn,
    /** Another position is on the board, or none.
     * @param {string | null} fen */
    follow(fen) {
      if (position?.fen === fen) return;
      position = fen ? { fen, asked: null, words: null } : null;
      infos = [];
      shown = [];
      if (!isOn) return;
      paint();
      if (position) think();
      else engine?.rest();
    },
  };
}
