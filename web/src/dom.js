// Making elements. Texts of a base reach the document through `append` alone, as text.

const SVG = 'http://www.w3.org/2000/svg';

export const $ = (selector, root = document) => root.querySelector(selector);

/** An element with attributes and children. `on` holds listeners, `style` goes past the policy's ban
 * on style attributes, `svg:` before the name makes a drawing. */
export function el(name, attributes, ...children) {
  const element = name.startsWith('svg:')
    ? document.createElementNS(SVG, name.slice(4))
    : document.createElement(name);
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
  for (const child of children.flat(9)) {
    if (child != null && child !== false) element.append(child);
  }
  return element;
}

/** One of the drawings in index.html. */
export const ico = name =>
  el('svg:svg', { class: 'ico', 'aria-hidden': 'true', viewBox: '0 0 24 24' },
    el('svg:use', { href: '#i-' + name }));

/** Says something to those who listen to the page. */
export function say(text) {
  const region = $('#said');
  region.textContent = '';
  // The same words twice are heard twice.
  requestAnimationFrame(() => { region.textContent = text; });
}

/** Text that comes from a base: any direction, never translated. */
export const foreign = (name, attributes, text) =>
  el(name, { translate: 'no', dir: 'auto', ...attributes }, text);

/** Control and direction characters would act outside their cell; they are shown for what they are. */
export function tame(text) {
  return String(text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '\ufffd');
}

/** Calls `act` once things have been quiet for a while. */
export function later(wait, act) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), wait);
  };
}

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
