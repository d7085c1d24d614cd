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

/** Control and direction characters would act outside their cell; they are shown as visible signs.
 * @param {unknown} text */
export function tame(text) {
  return String(text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '\ufffd');
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
