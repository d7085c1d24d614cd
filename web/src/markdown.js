// Texts in Markdown as elements: headings, lists, paragraphs, bold and italic letters. Links and pictures are
// words: the page goes nowhere.

import { el } from './dom.js';

/** Bounds keep what is not closed from being looked for to the end again and again. */
const INLINE = /\\([!-/:-@[-`{-~])|\*\*([^*]{1,2000})\*\*|\*([^*]{1,2000})\*|!?\[([^\]]{0,500})\]\([^)]{0,2000}\)/g;

/** @param {string} text */
function inline(text) {
  /** @type {(string | Node)[]} */
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(at, found.index));
    const [, sign, bold, italic, link] = found;
    parts.push(sign ?? (bold ? el('b', {}, bold) : italic ? el('i', {}, italic) : link));
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return parts.filter(Boolean);
}

/** @param {string} markdown */
export function prose(markdown) {
  return markdown.split(/\n{2,}/).filter(block => block.trim()).map(block => {
    const heading = block.match(/^#{1,6} (.*)/);
    if (heading) return el('h4', {}, inline(heading[1]));
    const lines = block.split('\n');
    if (lines.every(line => /^\s*([-*]|\d+\.) /.test(line))) return el('ul', {}, lines.map(line => el('li', {}, inline(line.replace(/^\s*([-*]|\d+\.) /, '')))));
    return el('p', {}, lines.flatMap((line, n) => (n ? [el('br'), ...inline(line)] : inline(line))));
  });
}
