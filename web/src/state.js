// What is open, and the panes that show it.

import { makeGame } from './game.js';

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
export const EMPTY = makeGame({ start: START, tokens: [], white: '', black: '', result: '*' });

export const S = {
  files: null, number: 0, encoding: '', info: null, opened: 0, view: 'games', query: '', listed: 0, order: ['number', false],
  game: null, node: null, flipped: false, line: null, fast: false, found: {}, letters: true, error: null, dialog: null,
};

/** The panes, once a base is open; the worker from the start. */
export const parts = {};

/** Whether one pane fills the screen, as in page.css. */
export const phone = () => innerWidth < 720 || innerHeight < 500;

/** A move as a line keeps it. */
export const keep = ({ san, uci, fen, number, black }) => ({ san, uci, fen, number, black });

/** The position on the board. */
export const here = () => (S.view === 'tree' ? S.line.moves.at(-1)?.fen ?? S.line.start : S.node?.fen ?? START);
