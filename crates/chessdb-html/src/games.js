// The boards follow the moves: a click on a move, the buttons, or the arrow keys for the game used last.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const COLORS = { R: '#b3261e', G: '#2f6b3c', B: '#2456a6', Y: '#b58900', O: '#c25a00', C: '#0f7c86' };
const viewers = new Map();
let used = null;

/** Returns the viewer of a game, made when it is first used. */
function viewerOf(article) {
  if (!viewers.has(article)) viewers.set(article, new Viewer(article));
  used = viewers.get(article);
  return used;
}

class Viewer {
  constructor(article) {
    this.side = article.querySelector('.side');
    this.board = this.side.querySelector('svg');
    this.moves = [...article.querySelectorAll('.m')];
    this.shapes = new Map();
    for (const mark of article.querySelectorAll('[data-s]')) this.shapes.set(Number(mark.dataset.n), mark.dataset.s);
    this.isFlipped = false;
    this.now = this.end();
  }

  /** Returns the number of the move before a move. */
  before(number) {
    return Number(this.moves[number - 1]?.dataset.b ?? number - 1);
  }

  /** Returns the number of the next move in the line of a move: the first that follows it. */
  after(number) {
    const next = this.moves.findIndex((_, n) => this.before(n + 1) === number);
    return next < 0 ? number : next + 1;
  }

  /** Returns the number of the last move of the mainline; 0 without moves. */
  end() {
    return this.moves.findLastIndex((move) => move.parentElement.className !== 'v') + 1;
  }

  /** Goes to a position by the name of a button. */
  go(where) {
    if (where === 'flip') this.isFlipped = !this.isFlipped;
    this.show({ first: 0, back: this.before(this.now), on: this.after(this.now), last: this.end(), flip: this.now }[where]);
  }

  /** Shows the position after a move; 0 is the start. */
  show(number) {
    this.moves[this.now - 1]?.classList.remove('now');
    this.now = Math.max(0, number);
    const move = this.moves[this.now - 1];
    move?.classList.add('now');
    move?.scrollIntoView({ block: 'nearest' });
    this.board.replaceChildren(...[...this.board.children].slice(0, 2));
    for (const square of move?.dataset.m.match(/../g) ?? []) this.mark(square, { class: 'last' });
    this.draw(move?.dataset.p ?? this.side.dataset.start);
    for (const shape of this.shapes.get(this.now)?.split(',') ?? []) this.shape(shape);
    this.board.setAttribute('aria-label', move ? `the position after ${move.textContent}` : 'the start');
    this.side.querySelector('output').textContent = move?.textContent ?? '';
  }

  /** Places the pieces. */
  draw(placement) {
    placement.split('/').forEach((rank, row) => {
      let column = 0;
      for (const letter of rank) {
        if (letter >= '1' && letter <= '8') column += Number(letter);
        else {
          const [x, y] = this.at(column, row);
          const color = letter < 'a' ? 'w' : 'b';
          this.add('use', { href: `#${letter.toLowerCase()}`, class: color, x, y, width: 100, height: 100 });
          column += 1;
        }
      }
    });
  }

  /** Draws `Ge4` or `Ge2e4`: the colour, a square, or the ends of an arrow. */
  shape(text) {
    const color = COLORS[text[0]] ?? COLORS.G;
    const from = text.slice(1, 3);
    const to = text.slice(3, 5);
    if (!to) return this.mark(from, { class: 'square', style: `fill:${color}` });
    const [a, b] = [from, to].map((name) => this.at(...numbers(name)).map((corner) => corner + 50));
    const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
    const wing = (turn) => [b[0] - 38 * Math.cos(angle + turn), b[1] - 38 * Math.sin(angle + turn)];
    const path = `M${a}L${b}M${wing(0.6)}L${b}L${wing(-0.6)}`;
    this.add('path', { class: 'arrow', d: path, style: `stroke:${color}` });
  }

  mark(square, attributes) {
    const [x, y] = this.at(...numbers(square));
    this.add('rect', { x, y, width: 100, height: 100, ...attributes });
  }

  /** Returns the corner of a square as it is drawn. */
  at(column, row) {
    return [column, row].map((n) => 100 * (this.isFlipped ? 7 - n : n));
  }

  add(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    this.board.append(element);
  }
}

/** Returns the column and the row of a square, from the upper left corner. */
function numbers(square) {
  return [square.charCodeAt(0) - 97, 56 - square.charCodeAt(1)];
}

const BUTTONS = [['first', '|◀', 'Start'], ['back', '◀', 'Back'], ['on', '▶', 'Forward'], ['last', '▶|', 'End'],
  ['flip', '⇅', 'Turn the board']];

document.documentElement.classList.add('scripted');
for (const side of document.querySelectorAll('.side')) {
  const buttons = BUTTONS.map(([where, sign, label]) =>
    `<button type="button" data-go="${where}" aria-label="${label}" title="${label}">${sign}</button>`);
  side.insertAdjacentHTML('beforeend', `<div class="buttons">${buttons.join('')}</div><output class="quiet"></output>`);
}

const texts = [...document.querySelectorAll('pre')];
if (texts.length) {
  const link = document.createElement('a');
  link.textContent = 'Save as PGN';
  link.href = '#';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const pgn = new Blob(texts.map((text) => text.textContent), { type: 'application/x-chess-pgn' });
    const save = document.createElement('a');
    save.href = URL.createObjectURL(pgn);
    save.download = `${document.title}.pgn`;
    save.click();
    URL.revokeObjectURL(save.href);
  });
  document.querySelector('.tools').append(' · ', link);
}

document.addEventListener('click', (event) => {
  const article = event.target.closest('article');
  if (!article?.querySelector('.side')) return;
  const move = event.target.closest('.m');
  const button = event.target.closest('[data-go]');
  const viewer = viewerOf(article);
  if (move) viewer.show(viewer.moves.indexOf(move) + 1);
  else if (button) viewer.go(button.dataset.go);
});

document.addEventListener('keydown', (event) => {
  const where = { ArrowLeft: 'back', ArrowRight: 'on' }[event.key];
  if (!where || event.altKey || event.ctrlKey || event.metaKey) return;
  const article = event.target.closest('article');
  const viewer = article?.querySelector('.side') ? viewerOf(article) : used;
  if (!viewer) return;
  event.preventDefault();
  viewer.go(where);
});
