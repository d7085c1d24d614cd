// Making elements. Texts of a base reach the document through `append` alone, as text.

const SVG = 'http://www.w3.org/2000/svg';

/** The first element of a selector. Where it may be missing, the caller uses `?.`.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {any} */
export const $ = (selector, root = document) => root.querySelector(selector);

/** The element of an event.
 * @param {Event} event */
export const targetOf = event => /** @type {HTMLElement} */ (event.target);

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */
/** @typedef {Record<string, any>} Attributes */
/** @typedef {ReturnType<typeof setTimeout> | undefined} Timer */


/** An element with attributes and children. `on` holds listeners, `style` goes past the policy's ban
 * on style attributes, `svg:` before the name makes a drawing.
 * @template {string} K
 * @param {K} name
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement} */
export function el(name, attributes, ...children) {
  const element = /** @type {any} */ (name.startsWith('svg:')
    ? document.createElementNS(SVG, name.slice(4))
    : document.createElement(name));
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === false || value == null) continue;
    if (key === 'on') {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else if (key === 'style') {
      for (const [property, to] of Object.entries(value)) element.style.setProperty(property, to);
    } else {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  for (const child of /** @type {any[]} */ (children).flat(9)) {
    if (child != null && child !== false) element.append(child);
  }
  return element;
}

/** One of the drawings in index.html.
 * @param {string} name */
export const ico = name =>
  el('svg:svg', { class: 'ico', 'aria-hidden': 'true', viewBox: '0 0 24 24' },
    el('svg:use', { href: '#i-' + name }));

/** Announces a text to screen readers.
 * @param {string} text */
export function say(text) {
  const region = $('#said');
  region.textContent = '';
  // A repeated text is announced again.
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Text that comes from a base: any direction, never translated.
 * @template {string} K
 * @param {K} name
 * @param {Attributes} attributes
 * @param {...Child} text */
export const foreign = (name, attributes, ...text) =>
  el(name, { translate: 'no', dir: 'auto', ...attributes }, ...text);

/** Characters that open or close a direction, which old programs write around Hebrew and Arabic words. */
const EMBEDDINGS = /[\u202a\u202b]|(\u202c)/g;
const ISOLATES = /[\u2066-\u2068]|(\u2069)/g;

/** Closes the directions that a text leaves open, which would act on what follows it.
 * @type {(text: string, pattern: RegExp, close: string) => string} */
function closed(text, pattern, close) {
  let open = 0;
  for (const [, end] of text.matchAll(pattern)) open = end ? Math.max(0, open - 1) : open + 1;
  return text + close.repeat(open);
}

/** A text of a database for the page: every kind of line break is one, marks of direction end with the text, and control
 * characters and overrides of the direction, which could disguise it, are visible signs.
 * @param {unknown} text */
export function tame(text) {
  const plain = String(text ?? '').replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e\ufeff]/g, '\ufffd');
  return /[\u202a\u202b\u2066-\u2068]/.test(plain) ? closed(closed(plain, EMBEDDINGS, '\u202c'), ISOLATES, '\u2069') : plain;
}

/** Keeps punctuation on the line of its word, from which browsers would part it next to a button.
 * @param {...Child} parts */
export const together = (...parts) => el('span', { class: 'nb' }, ...parts);

/** Joins texts by a dot that never begins a line.
 * @param {(string | number | null | undefined | false)[]} texts */
export const dotted = texts => texts.filter(Boolean).join('\u00a0· ');

/** The name of a file without its folders.
 * @param {string} path */
export const baseName = path => path.slice(path.lastIndexOf('/') + 1);

/** The name of a file without folders and suffix, as new files are named after it.
 * @param {string} path */
export const stemOf = path => baseName(path).replace(/\.[^.]*$/, '') || 'games';

/** Calls `act` once things have been quiet for a while.
 * @template {any[]} A
 * @param {number} wait in milliseconds
 * @param {(...args: A) => void} act
 * @returns {(...args: A) => void} */
export function later(wait, act) {
  /** @type {Timer} */
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), wait);
  };
}

/** Copies to the clipboard.
 * @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from a disk may not use the clipboard directly.
    const area = el('textarea', { class: 'vh', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
