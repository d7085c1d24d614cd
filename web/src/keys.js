// What the keys and the buttons below the board do.

import { $ } from './dom.js';
import { S, parts } from './state.js';
import { sibling } from './game.js';
import { helpDialog } from './help.js';
import { show } from './app.js';
import { editPosition, filterByPosition, go, playMove, showGame, showLine } from './games.js';
import { copyFen, copyPgn, openSave } from './pages.js';

let playing = 0;

export function act(name) {
  if (name === 'play') return S.view === 'tree' ? null : togglePlay();
  stopPlaying();
  if (name === 'flip') {
    S.flipped = !S.flipped;
    if (S.view === 'tree') showLine();
    else showGame();
    return;
  }
  if (name === 'find') return filterByPosition();
  if (name === 'edit') return editPosition();
  if (name === 'copy') return copyFen();
  if (S.view === 'tree') {
    const { moves } = S.line;
    if (name === 'prev') moves.pop();
    else if (name === 'first') moves.length = 0;
    else if (name === 'next' && parts.answer?.moves[0]) return playMove(parts.answer.moves[0]);
    return showLine();
  }
  const { node, game } = S;
  if (!game) return;
  if (name === 'next') go(node.choices[0]);
  else if (name === 'prev') go(node.prev);
  else if (name === 'first') go(game.root);
  else if (name === 'last') {
    let end = node;
    while (end.next) end = end.next;
    go(end);
  } else if (name === 'down' || name === 'up') go(sibling(node, name === 'down' ? 1 : -1));
}

function togglePlay() {
  if (playing) return stopPlaying();
  $('[data-go=play]')?.setAttribute('aria-pressed', 'true');
  playing = setInterval(() => {
    if (S.node?.next) go(S.node.next);
    else stopPlaying();
  }, 1000);
}

export function stopPlaying() {
  clearInterval(playing);
  playing = 0;
  $('[data-go=play]')?.removeAttribute('aria-pressed');
}

export function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || S.dialog) return;
  if (!S.info) return;
  const { target } = event;
  const inField = target.matches?.('input, select, textarea');
  if (event.key === 'F1') {
    event.preventDefault();
    S.dialog = helpDialog(S.keys, S, () => { S.dialog = null; });
    return;
  }
  if (inField) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const onBoardView = ['games', 'board', 'tree'].includes(S.view);
  const moves = { ArrowLeft: 'prev', ArrowRight: 'next', ...(target.closest?.('.list') ? {} : { ArrowUp: 'up', ArrowDown: 'down', Home: 'first', End: 'last' }) };
  const inPage = target.closest?.('.page, .tree');
  let done = true;
  S.fast = event.repeat;
  if (onBoardView && moves[event.key] && !(inPage && /Up|Down|Home|End/.test(event.key))) act(moves[event.key]);
  else if (onBoardView && event.key === ' ' && !target.matches?.('button, a, summary')) act('play');
  else if (!S.letters && event.key.length === 1) done = false;
  else {
    switch (event.key) {
      case '/': parts.filter.input.focus(); break;
      case 'n': case 'p': {
        if (!['games', 'board'].includes(S.view)) { done = false; break; }
        const to = parts.list.chosen + (event.key === 'n' ? 1 : -1);
        if (to >= 0 && to < S.listed) parts.list.pick(to, 'step');
        break;
      }
      case 'f': act('flip'); break;
      case '[': parts.notation.fold(true, S.node); break;
      case ']': parts.notation.fold(false, S.node); break;
      case 'e': if (onBoardView) act('edit'); else done = false; break;
      case 'c': copyPgn(); break;
      case 'C': copyFen(); break;
      case 's': openSave(); break;
      case '?': S.dialog = helpDialog(S.keys, S, () => { S.dialog = null; }); break;
      case '1': show('games'); break;
      case '2': show('tree'); break;
      case '3': show('stats'); break;
      case '4': show('base'); break;
      default: done = false;
    }
  }
  S.fast = false;
  if (done) event.preventDefault();
}
