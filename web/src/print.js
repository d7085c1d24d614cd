// The printed page: a game with diagrams, a position, or a list of games. It exists only for the printer.

import { $, dotted, el, foreign, ico, tame } from './dom.js';
import { date, nf, result, t } from './lang.js';
import { makeNotation } from './notation.js';
import { columnName, heading, shownColumns } from './columns.js';
import { openingName } from './openingname.js';

/** @import { Dialog, Game, GameNode, Printable, Rows } from './types.d.ts' */

/** The most games of a printed list: some forty pages. */
const MOST_GAMES = 2000;
const PIECE = 500;
/** A word that may be broken, as it would make its column too wide. */
const LONG_WORD = /\S{25}/;
const EVERY = [5, 8, 10, 15];
/** Numeric annotation glyphs that ask for a diagram: of PGN and of ChessBase. */
const DIAGRAM_NAGS = [201, 220, 221];

/** @type {Record<string, string>} */
const NAMES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** A diagram of a position, with the coordinates outside.
 * @type {(fen: string, flipped: boolean, caption?: string | null) => HTMLElement} */
function diagram(fen, flipped, caption) {
  /** @type {(string | null)[]} */
  const squares = [...fen.split(' ')[0]].flatMap(letter => {
    if (/[1-8]/.test(letter)) return Array(Number(letter)).fill(null);
    return /[a-z]/i.test(letter) ? [letter] : [];
  }).slice(0, 64);
  while (squares.length < 64) squares.push(null);
  const order = [...squares.keys()];
  if (flipped) order.reverse();
  const [files, ranks] = [[...'abcdefgh'], [...'87654321']];
  if (flipped) for (const list of [files, ranks]) list.reverse();
  return el('figure', { class: 'dia' },
    el('div', { class: 'diagrid' },
      el('div', { class: 'ranks' }, ranks.map(rank => el('span', {}, rank))),
      el('div', { class: 'still' }, order.map(n => {
        const man = squares[n];
        const color = man && (man === man.toLowerCase() ? 'black' : 'white');
        return el('div', { class: 'sq' + ((n % 8 + (n >> 3)) % 2 ? ' d' : '') }, man && el('i', { class: `man ${NAMES[man.toLowerCase()] ?? ''} ${color}` }));
      })),
      el('div', { class: 'files' }, files.map(file => el('span', {}, file)))),
    caption && el('figcaption', {}, caption));
}

/** The positions that the game itself marks: by arrows, squares or a sign for a diagram.
 * @param {Game} game */
const markedNodes = game => game.nodes.filter(node => node.shapes.length || node.nags.some(nag => DIAGRAM_NAGS.includes(nag)));

/** @param {GameNode} node */
const caption = node => (node.prev ? t('print.after', { t: `${node.number}${node.black ? '…' : '.'}${node.san}` }) : t('print.start'));

/** @param {Game} game */
function gameHead(game) {
  /** @type {(name: string, elo: number | null) => string} */
  const side = (name, elo) => [tame(name) || t('unknown'), elo && `(${elo})`].filter(Boolean).join(' ');
  const event = [tame(game.event), game.round && game.round !== '?' ? `(${tame(game.round)})` : ''].filter(Boolean).join(' ');
  return el('header', {},
    foreign('h1', {}, `${side(game.white, game.whiteElo)}\u00a0– ${side(game.black, game.blackElo)}  ${result(game.result)}`),
    foreign('p', {}, [event, tame(game.site), date(game.date)].filter(Boolean).join(', ')),
    el('p', {}, [game.eco, tame(game.opening && openingName(game.opening).text)].filter(Boolean).join(' ')));
}

/** A game with all its moves, with diagrams after these nodes.
 * @type {(game: Game, nodes: GameNode[], flipped: boolean) => HTMLElement} */
function printedGame(game, nodes, flipped) {
  const { pane, show, fold, isFolded } = makeNotation(() => {});
  show(game);
  if (isFolded()) fold('all');
  const moves = el('div', { class: 'moves ml' }, [...pane.childNodes]);
  const [root, later] = [nodes.filter(node => !node.prev), nodes.filter(node => node.prev)];
  for (const node of later) {
    const button = $(`[data-n="${node.n}"]`, moves);
    const paragraph = button?.closest('p');
    if (!paragraph) continue;
    const rest = paragraph.cloneNode(false);
    while (button.nextSibling) rest.append(button.nextSibling);
    const next = $('[data-n]', rest);
    const black = next && game.nodes[Number(next.dataset.n)];
    if (black?.prev === node && black.black) $('span:not(.vh)', next).before(el('span', { class: 'no' }, `${black.number}…`));
    paragraph.after(diagram(node.fen, flipped, caption(node)), rest.textContent.trim() ? rest : '');
  }
  // Nothing on paper can be pressed: long comments are whole.
  for (const rest of /** @type {Iterable<HTMLElement>} */ (moves.querySelectorAll('[data-more]'))) rest.replaceWith(foreign('span', { class: 'c' }, rest.dataset.more ?? ''));
  for (const button of moves.querySelectorAll('button')) button.replaceWith(el('span', { class: button.className }, [...button.childNodes].filter(one => !(one instanceof Element && one.classList.contains('vh')))));
  return el('article', {}, gameHead(game), root.map(node => diagram(node.fen, flipped, caption(node))), moves);
}

/** @type {(game: Game | null, node: GameNode | null, fen: string, flipped: boolean) => HTMLElement} */
function printedPosition(game, node, fen, flipped) {
  return el('article', { class: 'alone' }, game && gameHead(game), diagram(fen, flipped, node ? caption(node) : null),
    el('p', { class: 'mono' }, fen));
}

/** The listed games, with the columns of the list. `rows(from, count, columns)` brings them.
 * @param {(from: number, count: number, columns: string[]) => Promise<Rows>} rows
 * @param {string} name
 * @param {string} query
 * @param {number} listed */
async function printedList(rows, name, query, listed) {
  const { columns, asked } = shownColumns();
  const body = el('tbody');
  const most = Math.min(listed, MOST_GAMES);
  for (let from = 0; from < most; from += PIECE) {
    const answer = await rows(from, Math.min(PIECE, most - from), asked);
    for (const row of answer.rows) {
      body.append(el('tr', {}, columns.map(column => {
        const { text, more = '' } = column.cell(row);
        return (column.isForeign ? foreign : el)('td', { class: column.kind + more + (LONG_WORD.test(String(text)) ? ' long' : '') }, String(text));
      })));
    }
  }
  const count = most < listed ? `${t('print.first', { n: most })} / ${nf(listed)}` : t('games', { n: listed });
  return el('article', {},
    el('header', {}, foreign('h1', {}, tame(name)), el('p', {}, dotted([query, count]))),
    el('table', {}, el('thead', {}, el('tr', {}, columns.map(column =>
      el('th', { scope: 'col', class: column.kind, title: columnName(column) }, heading(column))))), body));
}

let isAsked = false;

/** Puts something onto the paper instead of the page until it is printed.
 * @param {HTMLElement} content */
function onPaper(content) {
  $('#paper')?.remove();
  document.body.append(el('div', { id: 'paper' }, content));
  document.documentElement.classList.add('printing');
}

/** Fills the paper if the browser prints without having been asked here: with the game, or with what `state()` has
 * instead. Without either the page is printed as it is.
 * @param {() => Printable | null} state */
export function onPrinting(state) {
  addEventListener('beforeprint', () => {
    const now = isAsked ? null : state();
    if (!now) return;
    const { game, node, fen, flipped } = now;
    onPaper(game && node ? printedGame(game, [node], flipped) : printedPosition(null, null, fen, flipped));
  });
  addEventListener('afterprint', () => {
    isAsked = false;
    $('#paper')?.remove();
    document.documentElement.classList.remove('printing');
  });
}

/** Asks what to print.
 * @param {{ state: Printable, rows: (from: number, count: number, columns: string[]) => Promise<Rows>, closed: () => void }} how
 * @returns {Dialog} */
export function printDialog({ state, rows, closed }) {
  const { game, node, fen, flipped, listed } = state;
  const marked = game ? markedNodes(game) : [];
  /** @type {Record<'what' | 'diagrams', string>} */
  const choice = { what: game ? 'game' : listed ? 'list' : 'position', diagrams: marked.length ? 'marked' : 'none' };
  const close = () => { dialog.close(); dialog.remove(); closed(); };
  /** @type {(group: 'what' | 'diagrams', id: string, words: string) => HTMLElement} */
  const radio = (group, id, words) => el('label', { class: 'opt' },
    el('input', { type: 'radio', name: group, value: id, checked: choice[group] === id, on: { change: () => { choice[group] = id; draw(); } } }), el('span', {}, words));
  const diagrams = el('fieldset', {}, el('legend', {}, t('print.diagrams')),
    radio('diagrams', 'none', t('print.none')),
    marked.length ? radio('diagrams', 'marked', t('print.marked', { n: marked.length })) : null,
    radio('diagrams', 'here', t('print.here')),
    EVERY.map(n => radio('diagrams', String(n), t('print.every', { n }))));
  const draw = () => { diagrams.hidden = choice.what !== 'game'; };

  async function content() {
    if (choice.what === 'position') return printedPosition(game, game ? node : null, fen, flipped);
    if (choice.what === 'list' || !game || !node) return printedList(rows, state.name, state.query, listed);
    const every = Number(choice.diagrams);
    const nodes = choice.diagrams === 'marked' ? marked : choice.diagrams === 'here' ? [node]
      : every ? game.main.filter(one => one.ply % (2 * every) === 0) : [];
    return printedGame(game, nodes, flipped);
  }

  const dialog = el('dialog', { class: 'dlg', 'aria-labelledby': 'pt' },
    el('div', { class: 'dh' }, el('h2', { id: 'pt' }, t('print.title').replace('…', '')),
      el('button', { class: 'btn quiet x', type: 'button', 'aria-label': t('close'), on: { click: close } }, ico('x'))),
    el('div', { class: 'body' },
      el('fieldset', {}, el('legend', {}, t('print.what')),
        game && radio('what', 'game', t('print.game')), radio('what', 'position', t('print.position')),
        listed ? radio('what', 'list', `${t('print.list')} (${listed > MOST_GAMES ? t('print.first', { n: MOST_GAMES }) : t('games', { n: listed })})`) : null),
      diagrams),
    el('footer', {}, el('button', { class: 'btn', type: 'button', on: { click: close } }, t('cancel')),
      el('button', { class: 'btn main', type: 'button', on: { click: async () => {
        const paper = await content();
        close();
        onPaper(paper);
        isAsked = true;
        print();
      } } }, t('print.do'))));
  dialog.addEventListener('cancel', event => { event.preventDefault(); close(); });
  dialog.addEventListener('click', event => { if (event.target === dialog) close(); });
  draw();
  document.body.append(dialog);
  dialog.showModal();
  return { leave: close };
}
