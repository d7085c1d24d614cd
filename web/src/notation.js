// The moves of a game with comments, signs and variations.

import { $, el, foreign, tame, targetOf, together } from './dom.js';
import { result, t } from './lang.js';
import { gameFaultText } from './faults.js';

/** @import { Game, GameNode, Item } from './types.d.ts' */

/** @type {Record<string, string>} */
const FIGURES = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘' };
/** The look of a NAG and its kind.
 * @type {Record<number, [look: string, kind: string]>} */
const SIGNS = {
  1: ['!', 'good'], 2: ['?', 'bad'], 3: ['!!', 'good'], 4: ['??', 'bad'], 5: ['!?', 'good'], 6: ['?!', 'dub'],
  7: ['□', 's'], 8: ['□', 's'], 10: ['=', 's'], 11: ['=', 's'], 12: ['=', 's'], 13: ['∞', 's'],
  14: ['#n-pe', 's'], 15: ['#n-ep', 's'], 16: ['±', 's'], 17: ['∓', 's'], 18: ['+−', 's'], 19: ['−+', 's'],
  22: ['⨀', 's'], 23: ['⨀', 's'], 32: ['⟳', 's'], 33: ['⟳', 's'], 36: ['↑', 's'], 37: ['↑', 's'],
  40: ['→', 's'], 41: ['→', 's'], 44: ['=∞', 's'], 45: ['=∞', 's'], 132: ['⇆', 's'], 133: ['⇆', 's'],
  138: ['⊕', 's'], 139: ['⊕', 's'], 140: ['△', 's'], 142: ['⌓', 's'], 146: ['N', 's'],
};
const LONG = 2000;

/** A move in letters, its pieces as figurines.
 * @param {string} san */
export function figures(san) {
  const parts = [];
  let plain = '';
  for (const letter of san) {
    if (FIGURES[letter]) {
      if (plain) parts.push(plain);
      plain = '';
      parts.push(el('span', { class: 'fig' }, FIGURES[letter]));
    } else plain += letter;
  }
  if (plain) parts.push(plain);
  return parts;
}

/** @param {GameNode} node */
const count = node => `${node.number}${node.black ? '…' : '.'}`;

/** A move in words.
 * @param {GameNode} node */
export function spoken(node) {
  const san = node.san;
  const words = [t('say.no', { n: String(node.number) }) + ', ' + t(node.black ? 'col.black' : 'col.white')];
  if (/^O-O-O/.test(san)) words.push(t('say.long'));
  else if (/^O-O/.test(san)) words.push(t('say.short'));
  else {
    const man = /^[KQRBN]/.test(san) ? t('man.' + san[0]) : '';
    const rest = san.replace(/^[KQRBN]/, '').replace(/[+#]$/, '').replace('x', ` ${t('say.takes')} `).replace(/=(.)/, (_, to) => ' ' + t('man.' + to));
    words.push(`${man} ${rest.trim()}`.trim());
  }
  if (san.endsWith('#')) words.push(t('say.mate'));
  else if (san.endsWith('+')) words.push(t('say.check'));
  for (const nag of node.nags) words.push(SIGNS[nag] && t('nag.' + nag) !== 'nag.' + nag ? t('nag.' + nag) : t('nag.other', { n: String(nag) }));
  return words.join(', ');
}

/** The sign of a move that judges it, and its kind, for the board: `!`, `??` and the like.
 * @param {GameNode} node */
export const judgement = node => node.nags.filter(nag => nag <= 6).map(nag => SIGNS[nag]).find(Boolean);

/** @param {number} nag */
export function sign(nag) {
  const [look, kind] = SIGNS[nag] || ['$' + nag, 's'];
  const drawn = look.startsWith('#')
    ? el('svg:svg', { class: 'nsvg', viewBox: '0 0 16 16' }, el('svg:use', { href: look }))
    : look;
  return el('span', { class: 'nag ' + kind, 'aria-hidden': 'true' }, drawn);
}

/** Ends a variation within a line.
 * @param {HTMLElement} line
 * @param {string} open brackets without a move, which a damaged game may have */
function closeBracket(line, open) {
  while (line.lastChild?.nodeValue === ' ') line.lastChild.remove();
  const last = /** @type {HTMLElement | null} */ (line.lastElementChild);
  if (open || !last) line.append(together(open + ')'), ' ');
  else {
    // Brackets in a row share one element, so that a file does not decide how deep elements are nested.
    const kept = last.className === 'nb' && last.lastChild?.nodeValue?.startsWith(')') ? last : together();
    if (kept !== last) {
      last.before(kept);
      kept.append(last);
    }
    kept.append(')');
    kept.normalize();
    line.append(' ');
  }
}

/** `choose(node)` hears which move was clicked.
 * @param {(node: GameNode) => void} choose */
export function makeNotation(choose) {
  const pane = el('div', { class: 'moves ml', id: 'moves', tabindex: 0, role: 'group', 'aria-label': t('moves.label') });
  /** @type {Game | null} */
  let game = null;
  /** @type {Set<number>} */
  let folded = new Set();
  /** Where each variation begins, how many moves it has (while it is open: how many precede it) and where it ends.
   * @type {Map<Item, { line: number, depth: number, moves: number, end: number }>} */
  let lines = new Map();
  /** @type {Map<GameNode, HTMLElement>} */
  let buttons = new Map();
  /** @type {GameNode | null} */
  let current = null;
  pane.addEventListener('click', event => {
    const button = /** @type {HTMLElement | null} */ (targetOf(event).closest('[data-n], [data-fold], [data-more]'));
    if (!button) return;
    if (button.dataset.n && game) choose(game.nodes[Number(button.dataset.n)]);
    else if (button.dataset.fold) unfold(Number(button.dataset.fold));
    else more(button);
  });

  /** @param {HTMLElement} button */
  function more(button) {
    button.replaceWith(foreign('span', { class: 'c' }, button.dataset.more));
  }

  /** Finds the variations, and which are folded at first.
   * @param {Item[]} items */
  function survey(items) {
    /** @type {{ line: number, depth: number, moves: number, end: number }[]} */
    const open = [];
    let moves = 0;
    folded = new Set();
    lines = new Map();
    for (const [at, item] of items.entries()) {
      if (item.open) {
        const begun = { line: item.line ?? 0, depth: item.depth ?? 0, moves, end: items.length };
        open.push(begun);
        lines.set(item, begun);
      } else if (item.close) {
        const begun = open.pop();
        if (begun) {
          begun.end = at;
          begun.moves = moves - begun.moves;
          if (begun.moves > 40 || begun.depth > 3) folded.add(begun.line);
        }
      } else if (item.move) moves += 1;
    }
    for (const begun of open) begun.moves = moves - begun.moves;
  }

  /** @param {Game | null} next */
  function show(next) {
    game = next;
    current = null;
    if (game) survey(game.items);
    draw();
    pane.scrollTop = 0;
  }

  /** @type {(node: GameNode, isFirst: boolean) => HTMLElement} */
  function move(node, isFirst) {
    const numbered = !node.black || isFirst;
    const button = el('button', { class: node.black ? 'm b' : 'm', type: 'button', tabindex: -1, 'data-n': node.n },
      el('span', { class: 'vh' }, spoken(node)),
      numbered && el('span', { class: 'no', 'aria-hidden': 'true' }, count(node)),
      el('span', { 'aria-hidden': 'true' }, figures(node.san), node.nags.map(sign)));
    buttons.set(node, button);
    return button;
  }

  /** @param {string} text */
  function comment(text) {
    const tamed = tame(text);
    if (tamed.length <= LONG) return [foreign('span', { class: 'c' }, tamed)];
    const rest = el('button', { class: 'fold', type: 'button' }, t('more'));
    rest.dataset.more = tamed.slice(LONG);
    return [foreign('span', { class: 'c' }, tamed.slice(0, LONG)), rest];
  }

  function draw() {
    buttons = new Map();
    if (!game) {
      pane.replaceChildren(el('p', { class: 'mut' }, t('game.none')));
      return;
    }
    const root = document.createDocumentFragment();
    let p = el('p');
    /** @type {HTMLElement | null} */
    let box = null;
    root.append(p);
    let fresh = true;
    const items = game.items;
    const notes = [game.fault && t('game.damaged', { t: tame(gameFaultText(game)) }), game.isCut && t('game.cut')].filter(Boolean);
    for (const note of notes) root.prepend(el('p', { class: 'faulty', role: 'note' }, note));
    let depth = 0;
    // A bracket waits for the move that it precedes.
    let bracket = '';
    /** @param {...(Node | string)} parts */
    const put = (...parts) => {
      if (bracket) parts.unshift(together(bracket, parts.shift()));
      bracket = '';
      p.append(...parts, ' ');
    };
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (item.move) {
        if (depth === 0 && box) {
          box = null;
          p = el('p');
          root.append(p);
        }
        const one = move(item.move, fresh);
        if (depth > 1) one.classList.add('sub');
        put(one);
        fresh = false;
      } else if (item.text != null) {
        if (depth === 0 && item.text.length > 60) {
          p = el('p', {}, comment(item.text));
          root.append(p);
          p = el('p');
          root.append(p);
        } else put(...comment(item.text));
        fresh = true;
      } else if (item.fault != null) {
        put(foreign('span', { class: 'nag bad' }, tame(item.fault)));
      } else if (item.open) {
        depth += 1;
        if (depth === 1) {
          if (!box) {
            box = el('div', { class: 'vars' });
            root.append(box);
          }
          p = el('p', { class: 'v' });
          box.append(p);
        } else bracket += '(';
        fresh = true;
        const begun = lines.get(item);
        if (begun && folded.has(begun.line)) {
          const first = items[at + 1]?.move;
          if (first) put(move(first, true));
          put(el('button', { class: 'fold', type: 'button', 'aria-expanded': 'false', 'data-fold': begun.line },
            t('fold', { n: Math.max(0, begun.moves - (first ? 1 : 0)) })));
          at = begun.end - 1;
        }
      } else if (item.close) {
        depth = Math.max(0, depth - 1);
        if (depth > 0) {
          closeBracket(p, bracket);
          bracket = '';
        }
        fresh = true;
      }
    }
    if (box) {
      p = el('p');
      root.append(p);
    }
    p.append(el('span', { class: 'res-end' }, result(game.result)));
    for (const one of root.querySelectorAll('p')) if (!one.textContent) one.remove();
    pane.replaceChildren(root);
    if (current) mark(current, false);
  }

  /** @param {number} line */
  function unfold(line) {
    folded.delete(line);
    draw();
  }

  /** Folds or unfolds all, or the lines around a node.
   * @param {boolean | 'all'} how
   * @param {GameNode | null} [node] */
  function fold(how, node) {
    if (!game) return;
    if (how === 'all') folded = new Set(folded.size ? [] : [...lines.values()].map(one => one.line));
    else {
      const line = node && node.line;
      if (!line) return;
      if (how) folded.add(line);
      else folded.delete(line);
    }
    draw();
  }

  /** Marks the move on the board; folded lines around it open.
   * @param {GameNode | null} node */
  function mark(node, scroll = true) {
    current = node;
    $('[aria-current]', pane)?.removeAttribute('aria-current');
    if (!node || !node.prev) {
      if (scroll) pane.scrollTop = 0;
      return;
    }
    const button = buttons.get(node);
    if (!button) {
      for (let one = /** @type {GameNode | null} */ (node); one; one = one.prev) folded.delete(one.line);
      draw();
      return;
    }
    button.setAttribute('aria-current', 'true');
    if (!scroll) return;
    const top = button.offsetTop;
    const height = pane.clientHeight;
    const y = top - pane.scrollTop;
    if (y < 24 || y > height * 0.8) {
      const line = 24;
      const want = Math.max(0, top - height * 0.45);
      pane.scrollTop = want < line ? 0 : Math.round((want - 12) / line) * line + 9;
    }
  }

  return {
    pane, show, mark, fold,
    /** Sets the moves in two columns or as text.
     * @param {boolean} inColumns */
    arrange: inColumns => pane.classList.toggle('pairs', inColumns),
    redraw: draw, isFolded: () => folded.size > 0, get game() { return game; },
  };
}
