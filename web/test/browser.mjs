// A browser for the tests: a fresh instance of Debian's Chromium that opens only the page.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** @import { BrowserContext, Page } from 'playwright-core' */
/** @typedef {{ requests: string[], lines: string[], errors: string[] }} Noted */

export const ARGUMENTS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--allow-file-access-from-files',
];

/** Starts a browser with a new profile folder; `close` removes the folder.
 * @param {Parameters<typeof chromium.launchPersistentContext>[1]} options */
export async function start(options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'chessdb-page-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ARGUMENTS, headless: true, acceptDownloads: true, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce',
    ...options,
  });
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, close };
}

/** Opens a page and records its requests, console lines and errors.
 * @param {BrowserContext} context
 * @param {string} url */
export async function watched(context, url) {
  const page = await context.newPage();
  // A headless browser has no one to answer its dialogs: files are chosen through the file field, as in browsers
  // without these dialogs. Tests of them put their own in.
  await page.addInitScript(() => {
    delete globalThis.showOpenFilePicker;
    delete globalThis.showSaveFilePicker;
  });
  /** @type {Noted} */
  const noted = { requests: [], lines: [], errors: [] };
  page.on('request', request => {
    if (!/^(blob:|data:)/.test(request.url())) noted.requests.push(request.url());
  });
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) noted.lines.push(message.text());
  });
  page.on('pageerror', error => noted.errors.push(String(error)));
  page.on('crash', () => noted.errors.push('the page crashed'));
  // Generous, to detect only hanging: a busy machine is slow.
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  return { page, noted };
}

/** Passes files to the file field of the page and waits until the database is shown.
 * @param {Page} page
 * @param {string | string[]} files */
export async function drop(page, files) {
  await page.locator('#files').setInputFiles(files);
  await page.waitForSelector('.listholder, .note[role=alert], .bases', { timeout: 60_000 });
}
