// The moves that were played in the position on the board.

import { $, el, foreign, ico, tame } from './dom.js';
import { bytes, nf, percent, result, t } from './lang.js';
import { figures } from './notation.js';
import { connectList, openingButton } from './connect.js';
import { bar } from './wdl.js';
import { openingName } from './openingname.js';

/** @import { Child } from './dom.js' */
/** @import { LineMove, Progress, Score, Tree, TreeMove } from './types.d.ts' */

export const key = () => el('span', { class: 'key' }, [['w', 'key.white'], ['d', 'key.draw'], ['b', 'key.black']].map(([kind, words]) =>
  el('span', {}, el('span', { class: 'wdl', 'aria-hidden': 'true' }, el('i', { class: kind })), t(words))));

/** The moves before a position, in one line.
 * @param {readonly LineMove[]} moves */
export function lineOf(moves) {
  if (!moves.length) return [t('start')];
  return moves.flatMap((move, n) => [
    n ? ' ' : '', move.black ? (n ? '' : `${move.number}…`) : `${move.number}.`, ...figures(move.san),
  ]);
}

/** The name of the opening that a move leads to; the title has it in English.
 * @param {string} name */
function nameOf(name) {
  const { text, lang } = openingName(name);
  return el('span', { class: 'nm', lang, title: name }, text);
}

/** The number of the next move, as it stands before the move.
 * @param {string} fen */
export function countOf(fen) {
  const [, side, , , , number] = fen.split(' ');
  return side === 'b' ? `${number || 1}…` : `${number || 1}.`;
}

/** The button of a move in a row of a table. The row hears clicks as well, but not this one.
 * @param {() => void} act
 * @param {...Child} words */
export const sanButton = (act, ...words) => el('button', {
  class: 'san', type: 'button', on: { click: (/** @type {Event} */ event) => { event.stopPropagation(); act(); } },
}, ...words);

/** The table of moves; `play(move)` plays one. `fen` contains the side to move.
 * @param {Tree} answer
 * @param {string} fen
 * @param {(move: TreeMove) => void} play
 * @param {boolean} [compact] */
export function treeTable(answer, fen, play, compact) {
  const count = countOf(fen);
  const total = answer.moves.reduce((sum, move) => sum + move.games, 0);
  /** @param {TreeMove} move */
  const share = move => percent(total ? move.games / total : 0);
  const rows = answer.moves.map(move => {
    const act = () => play(move);
    return el('tr', { on: { click: act } },
      el('td', { class: 'mv' }, sanButton(act, count, figures(move.san)),
        move.name && !compact ? nameOf(move.name) : null),
      el('td', { class: 'num' }, nf(move.games), el('small', { class: 'below share' }, share(move) + '\u00a0%')),
      el('td', { class: 'num mut' }, share(move)),
      el('td', {}, bar([move.white, move.draws, move.black], 'wdl', true)),
      el('td', { class: 'num' }, move.score == null ? '–' : percent(move.score, 0), compact || !move.elo ? null : el('small', { class: 'below elo' }, move.elo)),
      compact ? null : el('td', { class: 'num mut hw' }, move.elo ?? '–'),
      compact ? null : el('td', { class: 'num mut hw' }, move.last || '–'));
  });
  const columns = [['', ''], ['n', ''], ['n', ''], ['w', ''], ['l', ''], ...(compact ? [] : [['n hw', ''], ['l hw', '']])];
  const heads = [['mv', 'tree.move'], ['num', 'tree.games'], ['num', '%'], ['', 'tree.result'], ['num', 'tree.score'],
    ...(compact ? [] : [['num hw', 'Elo'], ['num hw', 'tree.last']])];
  return el('table', { class: 'tree' },
    el('caption', { class: 'vh' }, t('nav.tree')),
    el('colgroup', {}, columns.map(([kind]) => el('col', { class: kind || null }))),
    el('thead', {}, el('tr', {}, heads.map(([kind, words]) => el('th', { class: kind || null, scope: 'col' }, words.includes('.') ? t(words) : words)))),
    el('tbody', {}, rows));
}

/** The left and right pane of the view.
 * @param {object} acts
 * @param {(move: TreeMove) => void} acts.play
 * @param {(game: number) => void} acts.choose
 * @param {() => void} acts.filterBy
 * @param {() => void} acts.copyFen */
export function makeTree({ play, choose, filterBy, copyFen }) {
  const title = el('div', { class: 'thead' }, el('h2'), el('p'));
  const table = el('div', { class: 'holder' });
  const foot = el('p', { class: 'mut treefoot', role: 'status' });
  const books = el('div');
  const body = el('div', { class: 'list treelist', tabindex: 0, role: 'region', 'aria-label': t('nav.tree') }, title, table, el('div', { class: 'keyline' }, key()), foot, books);
  const head = el('div', { class: 'ghead' }, el('h2'), el('p', {}, t('tree.through')));
  const games = el('ul', { class: 'list through', 'aria-label': t('tree.through'), tabindex: 0 });
  const right = el('section', { class: 'right', 'aria-label': t('tree.through') }, head, games,
    el('div', { class: 'tools' },
      el('button', { class: 'btn quiet', type: 'button', on: { click: copyFen } }, ico('copy'), 'FEN'),
      el('button', { class: 'btn quiet', type: 'button', on: { click: filterBy } }, ico('find'), t('tree.filter'))));

  /** `answer` may be incomplete; `state` is there while the task runs.
   * @param {readonly LineMove[]} moves
   * @param {string} fen
   * @param {Tree | null} [answer]
   * @param {Progress} [state] */
  function show(moves, fen, answer, state) {
    $('h2', head).replaceChildren(moves.length > 8 ? '… ' : '', ...lineOf(moves.slice(-8)));
    const opening = answer?.opening?.join(' ') ?? moves.findLast(move => move.name)?.name;
    const heading = $('h2', title);
    heading.replaceChildren(opening ? openingButton(opening) : t('nav.tree'));
    heading.title = opening ?? '';
    $('p', title).replaceChildren(...lineOf(moves));
    if (!answer) {
      table.classList.add('wait');
      foot.textContent = state ? t('tree.run', { n: state.seen, m: state.total }) : '';
      body.setAttribute('aria-busy', 'true');
      return;
    }
    table.classList.toggle('wait', !answer.games);
    table.replaceChildren(answer.moves.length
      ? treeTable(answer, fen, play)
      : el('p', { class: 'nothing' }, answer.reached ? t('tree.end') : t('tree.none')));
    foot.title = answer.kept ? t('tree.kept', { s: bytes(answer.kept) }) : '';
    foot.textContent = answer.games || !state ? t('tree.reach', { n: answer.reached }) : t('tree.run', { n: state.seen, m: state.total });
    body.setAttribute('aria-busy', String(!answer.games));
    if (answer.unusedFile) foot.append(' ', t('tree.unused'));
    if (!answer.games) return;
    games.replaceChildren(...answer.games.map(row => {
      const [index, white, , black, , won, when, eco] = row;
      /** @type {(text: string, isWon: boolean) => HTMLElement} */
      const name = (text, isWon) => foreign('span', { class: isWon ? 'won' : null }, tame(text) || t('unknown'));
      return el('li', {}, el('button', { class: 'r thr', type: 'button', 'data-game': index, on: { click: () => choose(index) } },
        name(white, won === '1-0'), name(black, won === '0-1'), el('span', { class: 'res' }, result(won)),
        el('span', { class: 'num' }, /^[1-9]/.test(when) ? when.slice(0, 4) : '–'), el('span', { class: 'num mut e' }, (eco || '').slice(0, 3))));
    }));
  }

  connectList(games, target => target.closest('[data-game]')?.getAttribute('data-game') ?? undefined);
  return { body, head, right, books, show };
}
