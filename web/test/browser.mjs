// A browser for the tests: Debian's Chromium, started afresh, which may open nothing but the page.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const ARGUMENTS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--allow-file-access-from-files',
];

/** A browser in a folder of its own; `close` removes it. */
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

/** A page whose every request, console line and error is noted. */
export async function watched(context, url) {
  const page = await context.newPage();
  const noted = { requests: [], lines: [], errors: [] };
  page.on('request', request => {
    if (!/^(blob:|data:)/.test(request.url())) noted.requests.push(request.url());
  });
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) noted.lines.push(message.text());
  });
  page.on('pageerror', error => noted.errors.push(String(error)));
  page.on('crash', () => noted.errors.push('the page crashed'));
  // Against hanging alone: a busy machine takes its time.
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  return { page, noted };
}

/** Gives files to the page as its file field does, and waits until the base shows. */
export async function drop(page, files) {
  await page.locator('#files').setInputFiles(files);
  await page.waitForSelector('.listholder, .note[role=alert], .bases', { timeout: 60_000 });
}
