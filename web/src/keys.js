// The actions of the keys and of the buttons below the board.

import { targetOf } from './dom.js';
import { S, own, parts } from './state.js';
import { sibling } from './game.js';
import { helpDialog } from './help.js';
import { analyse, show } from './commands.js';
import { openDialog } from './dialog.js';
import { editPosition, filterByPosition, go, playMove, shortenLine, showGame, showLine, treeAnswer } from './games.js';
import { copyFen, copyPgn, openSave } from './pages.js';
import { openTools } from './tools.js';
import { stopPlaying, togglePlaying } from './play.js';
import { setting } from './settings.js';
import { onStepKey } from './edit.js';
import { onEditKey } from './editor-bar.js';

const update = own('flipped', 'fast', 'letters');

export const openHelp = () => openDialog(closed => helpDialog(S.keys, S.letters, letters => update({ letters }), closed));

const playOn = () => {
  if (!S.node?.next) return false;
  go(S.node.next);
  return true;
};

/** Does what a button below the board does.
 * @param {string} name */
export function act(name) {
  if (name === 'play') return S.view === 'tree' ? null : togglePlaying(playOn, setting('pace'));
  stopPlaying();
  if (name === 'flip') {
    update({ flipped: !S.flipped });
    if (S.view === 'tree') showLine();
    else showGame();
    return;
  }
  if (name === 'find') return filterByPosition();
  if (name === 'edit') return editPosition();
  if (name === 'copy') return copyFen();
  if (name === 'engine') return analyse();
  if (S.view === 'tree') {
    const length = S.line?.moves.length ?? 0;
    const [next] = treeAnswer()?.moves ?? [];
    if (name === 'prev') return shortenLine(length - 1);
    if (name === 'first') return shortenLine(0);
    return name === 'next' && next ? playMove(next) : showLine();
  }
  const { node, game } = S;
  if (!game || !node) return;
  if (name === 'next') go(node.choices[0]);
  else if (name === 'prev') go(node.prev);
  else if (name === 'first') go(game.root);
  else if (name === 'last') {
    let end = node;
    while (end.next) end = end.next;
    go(end);
  } else if (name === 'down' || name === 'up') go(sibling(node, name === 'down' ? 1 : -1));
}

/** @param {KeyboardEvent} event */
export function onKey(event) {
  if (onStepKey(event)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || S.dialog) return;
  if (!S.info) return;
  const target = targetOf(event);
  const inField = target.matches?.('input, select, textarea');
  if (event.key === 'F1') {
    event.preventDefault();
    openHelp();
    return;
  }
  if (inField) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const onBoardView = ['games', 'board', 'tree'].includes(S.view);
  /** @type {Record<string, string>} */
  const moves = { ArrowLeft: 'prev', ArrowRight: 'next', ...(target.closest?.('.list') ? {} : { ArrowUp: 'up', ArrowDown: 'down', Home: 'first', End: 'last' }) };
  const inPage = target.closest?.('.page, .tree');
  let done = true;
  update({ fast: event.repeat });
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
      case 'a': if (onBoardView) act('engine'); else done = false; break;
      case 'e': if (onBoardView) act('edit'); else done = false; break;
      case 'c': copyPgn(); break;
      case 'C': copyFen(); break;
      case 's': openSave(); break;
      case 't': openTools(); break;
      case '?': openHelp(); break;
      case '1': show('games'); break;
      case '2': show('tree'); break;
      case '3': show('stats'); break;
      case '4': show('base'); break;
      default: done = onEditKey(event);
    }
  }
  update({ fast: false });
  if (done) event.preventDefault();
}
