// The three ways to use the page: the mouse alone, the keyboard alone, and touch. A task of cases/tasks.mjs is a list
// of steps; each is done by the hand that the test uses, and by nothing else. Text is typed in every way.

import { readFile } from 'node:fs/promises';
import { ok } from './check.mjs';

/** @import { Locator, Page } from 'playwright-core' */
/** @typedef {'mouse' | 'touch' | 'keys'} Way */
/** The action of a way on an element: a click, a tap, or Tab and Enter.
 * @typedef {(page: Page, locator: Locator) => Promise<void>} Hand */
/** A step of a task; `way` names the hand.
 * @typedef {(page: Page, hand: Hand, way: Way) => Promise<unknown>} Step */

/** The most elements that Tab may pass before the wanted one has the focus. */
const TABS = 90;

/** @param {Element} element */
const hasFocus = element => element.contains(document.activeElement) && document.activeElement !== document.body;

/** Moves the focus to an element by Tab, and within a group of radio buttons or a toolbar by the arrow keys.
 * @type {Hand} */
async function reach(page, locator) {
  await locator.waitFor({ state: 'attached' });
  const group = await locator.evaluate(element => {
    // Of these one element is a stop of Tab.
    for (const group of ['[role=toolbar]', '[role=row].h']) if (element.closest(group)) return group;
    return element instanceof HTMLInputElement && element.type === 'radio' ? `input[name="${element.name}"]` : null;
  });
  const inGroup = () => page.evaluate(selector => Boolean(selector && document.activeElement?.closest(selector)), group);
  for (let n = 0; n < TABS; n++) {
    if (await locator.evaluate(hasFocus)) return;
    if (group && await inGroup()) {
      await page.keyboard.press('ArrowRight');
    } else {
      await page.keyboard.press('Tab');
    }
  }
  ok(false, `the keyboard does not reach ${locator}`);
}

/** A tap as the browser gets it from a screen.
 * @type {Hand} */
async function tap(page, locator) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  if (!box) throw new Error(`${locator} is not shown`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const isHit = await locator.evaluate((element, [x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return element.contains(hit) || Boolean(hit?.closest('label')?.contains(element)) || hit?.contains(element);
  }, [x, y]);
  ok(isHit, `${locator} is covered`);
  const client = await page.context().newCDPSession(page);
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await client.detach();
}

/** The visible part of a radio button or check box: its label.
 * @param {Locator} locator */
const visible = async locator => {
  const isHidden = await locator.evaluate(element => element.matches('input[type=radio], input[type=checkbox]') && element.classList.contains('vh'));
  return isHidden ? locator.locator('xpath=ancestor::label[1]') : locator;
};

/** @type {Record<Way, Hand>} */
export const HANDS = {
  async mouse(page, locator) {
    await locator.waitFor({ state: 'attached' });
    await (await visible(locator)).click();
  },
  async touch(page, locator) {
    await locator.waitFor({ state: 'attached' });
    await tap(page, await visible(locator));
  },
  async keys(page, locator) {
    await reach(page, locator);
    const [name, type] = await locator.evaluate(element => [element.localName, element.getAttribute('type')]);
    if (name === 'input' && type === 'radio') return;
    if (name !== 'input' || type === 'checkbox') await page.keyboard.press(type === 'checkbox' || name === 'summary' ? ' ' : 'Enter');
  },
};

/** Prepares a page for a hand.
 * @param {Page} page
 * @param {Way} way */
export async function prepare(page, way) {
  if (way !== 'touch') return;
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
}

// The steps. Each is a function of the page and of what the hand does to an element.

/** Uses an element: a click, a tap, or Tab and Enter.
 * @type {(selector: string, text?: string) => Step} */
export const use = (selector, text) => (page, hand) =>
  hand(page, page.locator(selector, text ? { hasText: text } : {}).filter({ visible: true }).first());
/** @type {(text: string) => Step} */
export const type = text => page => page.keyboard.type(text);
/** @type {(...keys: string[]) => Step} */
export const press = (...keys) => async page => {
  for (const key of keys) await page.keyboard.press(key);
};
/** Waits until something shows.
 * @type {(selector: string) => Step} */
export const see = selector => page => page.locator(selector).filter({ visible: true }).first().waitFor();
/** Chooses from a list that the system draws.
 * @type {(selector: string, value: string) => Step} */
export const select = (selector, value) => async (page, hand, way) => {
  const field = page.locator(selector);
  if (way !== 'keys') {
    await hand(page, field);
    await field.selectOption(value);
    return;
  }
  await reach(page, field);
  for (let n = 0; n < 20 && await field.inputValue() !== value; n++) await page.keyboard.press('ArrowDown');
  if (await field.isVisible().catch(() => false)) ok(await field.inputValue() === value, `${selector} has no ${value}`);
};
/** Uses an element that asks the system for files, and chooses these.
 * @type {(selector: string, files: () => string | string[]) => Step} */
export const chooseFiles = (selector, files) => async (page, hand, way) => {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), use(selector)(page, hand, way)]);
  await chooser.setFiles(files());
};
/** The file that the last `saveBy` of a page saved.
 * @type {WeakMap<Page, { name: string, bytes: Buffer }>} */
export const lastSaved = new WeakMap();
/** Uses an element that saves.
 * @type {(selector: string) => Step} */
export const saveBy = selector => async (page, hand, way) => {
  const [download] = await Promise.all([page.waitForEvent('download'), use(selector)(page, hand, way)]);
  lastSaved.set(page, { name: download.suggestedFilename(), bytes: await readFile(await download.path()) });
};
