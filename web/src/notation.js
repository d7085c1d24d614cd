// The moves of a game with comments, signs and variations.

import { $, el, foreign, tame } from './dom.js';
import { t } from './lang.js';

const FIGURES = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘' };
/** What a sign looks like and of which kind it is. */
const SIGNS = {
  1: ['!', 'good'], 2: ['?', 'bad'], 3: ['!!', 'good'], 4: ['??', 'bad'], 5: ['!?', 'good'], 6: ['?!', 'dub'],
  7: ['□', 's'], 8: ['□', 's'], 10: ['=', 's'], 11: ['=', 's'], 12: ['=', 's'], 13: ['∞', 's'],
  14: ['#n-pe', 's'], 15: ['#n-ep', 's'], 16: ['±', 's'], 17: ['∓', 's'], 18: ['+−', 's'], 19: ['−+', 's'],
  22: ['⨀', 's'], 23: ['⨀', 's'], 32: ['⟳', 's'], 33: ['⟳', 's'], 36: ['↑', 's'], 37: ['↑', 's'],
  40: ['→', 's'], 41: ['→', 's'], 44: ['=∞', 's'], 45: ['=∞', 's'], 132: ['⇆', 's'], 133: ['⇆', 's'],
  138: ['⊕', 's'], 139: ['⊕', 's'], 140: ['△', 's'], 142: ['⌓', 's'], 146: ['N', 's'],
};
const LONG = 2000;

/** A move in letters, its men as figures. */
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

const count = node => `${node.number}${node.black ? '…' : '.'}`;

/** A move in words. */
export function spoken(node) {
  const san = node.san;
  const words = [t('say.no', { n: String(node.number) }) + ', ' + t(node.black ? 'col.black' : 'col.white')];
  if (/^O-O-O/.test(san)) words.push(t('say.long'));
  else if (/^O-O/.test(san)) words.push(t('say.short'));
  else {
    const man = /^[KQRBN]/.test(san) ? t('man.' + san[0]) : '';
    const rest = san.replace(/^[KQRBN]/, '').replace(/[+#]$/, '').replace('x', ` ${t('say.takes')} `).replace(/=(.)/, (_, to) => ' ' + t('man.' + to));
    words.push(`${man} ${rest}`.trim());
  }
  if (san.endsWith('#')) words.push(t('say.mate'));
  else if (san.endsWith('+')) words.push(t('say.check'));
  for (const nag of node.nags) words.push(SIGNS[nag] && t('nag.' + nag) !== 'nag.' + nag ? t('nag.' + nag) : t('nag.other', { n: String(nag) }));
  return words.join(', ');
}

function sign(nag) {
  const [look, kind] = SIGNS[nag] || ['$' + nag, 's'];
  const drawn = look.startsWith('#')
    ? el('svg:svg', { class: 'nsvg', viewBox: '0 0 16 16' }, el('svg:use', { href: look }))
    : look;
  return el('span', { class: 'nag ' + kind, 'aria-hidden': 'true' }, drawn);
}

export function makeNotation(choose) {
  const pane = el('div', { class: 'moves ml', id: 'moves', tabindex: 0, role: 'group', 'aria-label': t('moves.label') });
  let game = null;
  let folded = new Set();
  let buttons = new Map();
  let current = null;
  pane.addEventListener('click', event => {
    const button = event.target.closest('[data-n], [data-fold], [data-more]');
    if (!button) return;
    if (button.dataset.n) choose(game.nodes[Number(button.dataset.n)]);
    else if (button.dataset.fold) unfold(Number(button.dataset.fold));
    else more(button);
  });

  function more(button) {
    button.replaceWith(foreign('span', {}, tame(button.dataset.more)));
  }

  /** How many moves each variation has and where it ends; which are folded at first. */
  function survey() {
    const open = [];
    folded = new Set();
    game.lines = new Map();
    game.items.forEach((item, at) => {
      if (item.open) {
        open.push(item);
        item.moves = 0;
        game.lines.set(item.line, item);
      } else if (item.close) {
        const begun = open.pop();
        if (begun) {
          begun.end = at;
          if (begun.moves > 40 || begun.depth > 3) folded.add(begun.line);
        }
      } else if (item.move) for (const begun of open.slice(-64)) begun.moves += 1;
    });
    for (const begun of open) begun.end = game.items.length;
  }

  function show(next) {
    game = next;
    current = null;
    if (game) survey();
    draw();
    pane.scrollTop = 0;
  }

  function move(node, isFirst) {
    const numbered = !node.black || isFirst;
    const button = el('button', { class: 'm', type: 'button', tabindex: -1, 'data-n': node.n },
      el('span', { class: 'vh' }, spoken(node)),
      numbered && el('span', { class: 'no', 'aria-hidden': 'true' }, count(node)),
      el('span', { 'aria-hidden': 'true' }, figures(node.san), node.nags.map(sign)));
    buttons.set(node, button);
    return button;
  }

  function comment(text) {
    const tamed = tame(text);
    if (tamed.length <= LONG) return [foreign('span', { class: 'c' }, tamed), ' '];
    const rest = el('button', { class: 'fold', type: 'button' }, t('more'));
    rest.dataset.more = tamed.slice(LONG);
    return [foreign('span', { class: 'c' }, tamed.slice(0, LONG)), rest, ' '];
  }

  function draw() {
    buttons = new Map();
    if (!game) {
      pane.replaceChildren(el('p', { class: 'mut' }, t('game.none')));
      return;
    }
    const root = document.createDocumentFragment();
    let p = el('p');
    let box = null;
    root.append(p);
    let fresh = true;
    const items = game.items;
    const notes = [game.fault && t('game.damaged', { t: tame(game.fault) }), game.isCut && t('game.cut')].filter(Boolean);
    for (const note of notes) root.prepend(el('p', { class: 'faulty', role: 'note' }, note));
    let depth = 0;
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
        p.append(one, ' ');
        fresh = false;
      } else if (item.text != null) {
        if (depth === 0 && item.text.length > 60) {
          p = el('p', {}, comment(item.text));
          root.append(p);
          p = el('p');
          root.append(p);
        } else p.append(...comment(item.text));
        fresh = true;
      } else if (item.fault != null) {
        p.append(foreign('span', { class: 'nag bad' }, tame(item.fault)), ' ');
      } else if (item.open) {
        depth += 1;
        if (depth === 1) {
          if (!box) {
            box = el('div', { class: 'vars' });
            root.append(box);
          }
          p = el('p', { class: 'v' });
          box.append(p);
        } else p.append('(');
        fresh = true;
        if (folded.has(item.line) && item.end != null) {
          const first = items[at + 1]?.move;
          if (first) p.append(move(first, true), ' ');
          p.append(el('button', { class: 'fold', type: 'button', 'aria-expanded': 'false', 'data-fold': item.line },
            t('fold', { n: Math.max(0, item.moves - (first ? 1 : 0)) })), ' ');
          at = item.end - 1;
        }
      } else if (item.close) {
        depth = Math.max(0, depth - 1);
        if (depth > 0) {
          while (p.lastChild && p.lastChild.nodeValue === ' ') p.lastChild.remove();
          p.append(') ');
        }
        fresh = true;
      }
    }
    if (box) {
      p = el('p');
      root.append(p);
    }
    p.append(el('span', { class: 'res-end' }, { '1-0': '1–0', '0-1': '0–1', '1/2-1/2': '½–½' }[game.result] || '*'));
    for (const one of root.querySelectorAll('p')) if (!one.textContent) one.remove();
    pane.replaceChildren(root);
    if (current) mark(current, false);
  }

  function unfold(line) {
    folded.delete(line);
    draw();
  }

  /** Folds or unfolds all, or the lines that a node stands in. */
  function fold(how, node) {
    if (!game) return;
    if (how === 'all') folded = new Set(folded.size ? [] : game.lines.keys());
    else {
      const line = node && node.line;
      if (!line) return;
      if (how) folded.add(line);
      else folded.delete(line);
    }
    draw();
  }

  /** Shows which move stands on the board; what is folded around it opens. */
  function mark(node, scroll = true) {
    current = node;
    $('[aria-current]', pane)?.removeAttribute('aria-current');
    if (!node || !node.prev) {
      if (scroll) pane.scrollTop = 0;
      return;
    }
    if (!buttons.has(node)) {
      for (let one = node; one; one = one.prev) folded.delete(one.line);
      draw();
      return;
    }
    const button = buttons.get(node);
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

  return { pane, show, mark, fold, redraw: draw, isFolded: () => folded.size > 0 };
}
