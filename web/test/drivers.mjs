// Browsers other than Chromium, by their own protocols: Firefox by WebDriver BiDi, WebKitGTK by WebDriver. Both
// start with a new profile folder and offer the same few functions.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

export const FIREFOX = process.env.FIREFOX || '/usr/bin/firefox-esr';
export const WEBKIT_DRIVER = process.env.WEBKIT_DRIVER || '/usr/bin/WebKitWebDriver';
/** A machine under load is slow; this only detects hanging. */
const PATIENCE = 60_000;
/** Key names in the private range of WebDriver. */
/** @type {Record<string, string>} */
const KEYS = {
  Tab: '\ue004', Enter: '\ue007', Escape: '\ue00c', ' ': ' ', End: '\ue010', Home: '\ue011', ArrowLeft: '\ue012', ArrowUp: '\ue013',
  ArrowRight: '\ue014', ArrowDown: '\ue015', Backspace: '\ue003', Control: '\ue009', Shift: '\ue008',
};

/** The answers of a browser's protocol. `lines` are the lines of its console that the protocol reports.
 * @typedef {object} Driver
 * @property {string} name
 * @property {string[]} lines
 * @property {(url: string) => Promise<unknown>} goto
 * @property {(source: string) => Promise<any>} run evaluates an expression of JavaScript
 * @property {(actions: object[]) => Promise<unknown>} actions performs the actions of WebDriver
 * @property {(selector: string, files: string[]) => Promise<unknown>} setFiles
 * @property {(act: () => Promise<unknown>) => Promise<{ name: string, bytes: Buffer }>} saved
 * @property {(path: string) => Promise<void>} screenshot
 * @property {() => Promise<void>} close */

/** @typedef {ReturnType<typeof withHelpers>} OtherBrowser */

/** Functions that both browsers offer.
 * @param {Driver} driver */
function withHelpers(driver) {
  /** Calls a function in the page and returns what it returns, which JSON can hold.
   * @template {any[]} A
   * @template R
   * @param {(...args: A) => R} act
   * @param {A} args
   * @returns {Promise<Awaited<R>>} */
  const evaluate = (act, ...args) => driver.run(`(${act})(...${JSON.stringify(args)})`);
  /** Waits until a function in the page returns something true, and returns that.
   * @template {any[]} A
   * @template R
   * @param {(...args: A) => R} act
   * @param {A} args
   * @returns {Promise<NonNullable<Awaited<R>>>} */
  const waitFor = async (act, ...args) => {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const found = await evaluate(act, ...args).catch(error => { if (Date.now() > end) throw error; });
      if (found) return /** @type {any} */ (found);
      if (Date.now() > end) throw new Error(`waited in vain for ${act} ${JSON.stringify(args)}`);
      await sleep(40);
    }
  };
  /** @param {string} text */
  const keys = text => [...text].flatMap(value => [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
  return {
    ...driver, evaluate, waitFor,
    /** @param {string} selector */
    shown: selector => waitFor(css => [...document.querySelectorAll(css)].some(one => one.getClientRects().length), selector),
    /** @param {string} selector */
    text: selector => evaluate(css => document.querySelector(css)?.textContent ?? null, selector),
    /** @param {string} name */
    press: name => driver.actions([{ type: 'key', id: 'keys', actions: keys(KEYS[name] ?? name) }]),
    /** @param {string} text */
    type: text => driver.actions([{ type: 'key', id: 'keys', actions: keys(text) }]),
    /** @param {string} selector */
    async click(selector) {
      const [x, y] = await waitFor(css => {
        const element = [...document.querySelectorAll(css)].find(one => one.getClientRects().length);
        element?.scrollIntoView({ block: 'nearest' });
        const box = element?.getBoundingClientRect();
        return box && [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
      }, selector);
      await driver.actions([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [
        { type: 'pointerMove', x, y, duration: 0 }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 },
      ] }]);
    },
  };
}

/** A process, ended with `stop`; `said(pattern)` waits for a line of its.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options] */
function start(program, args, options = {}) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  // In any case, nothing of it remains.
  process.once('exit', () => child.kill('SIGKILL'));
  let words = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', some => { words += some; });
  return {
    /** @param {RegExp} pattern */
    async said(pattern) {
      for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(20)) {
        const found = words.match(pattern);
        if (found) return found[1];
        if (child.exitCode != null) break;
      }
      throw new Error(`${program} did not start: ${words.slice(-2000)}`);
    },
    async stop() {
      if (child.exitCode != null || child.signalCode) return;
      child.kill();
      await Promise.race([once(child, 'exit'), sleep(5000)]);
      child.kill('SIGKILL');
    },
  };
}

/** The file that the browser saves into a folder, as soon as it is complete.
 * @param {string} folder
 * @param {() => Promise<unknown>} act */
async function downloaded(folder, act) {
  const before = new Set(readdirSync(folder));
  await act();
  let size = 0;
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(40)) {
    const added = readdirSync(folder).filter(name => !before.has(name));
    if (!added.length || added.some(name => name.endsWith('.part'))) continue;
    // The browser first makes an empty file of the name.
    const [name] = added;
    const bytes = readFileSync(join(folder, name));
    if (bytes.length && bytes.length === size) return { name, bytes };
    size = bytes.length;
  }
  throw new Error('nothing was saved');
}

const PREFERENCES = {
  'browser.download.folderList': 2, 'browser.download.useDownloadDir': true, 'browser.download.always_ask_before_handling_new_types': false,
  'browser.helperApps.neverAsk.saveToDisk': 'application/octet-stream,application/zip,text/plain', 'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false, 'toolkit.telemetry.enabled': false, 'app.update.enabled': false,
  'intl.accept_languages': 'en-GB', 'intl.locale.requested': 'en-GB', 'ui.prefersReducedMotion': 1, 'dom.disable_beforeunload': true,
  'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false, 'services.settings.server': 'http://127.0.0.1:9/',
};

/** @returns {Promise<OtherBrowser>} */
export async function startFirefox() {
  const profile = mkdtempSync(join(tmpdir(), 'chessdb-firefox-'));
  const folder = mkdtempSync(join(profile, 'saved-'));
  const preferences = { ...PREFERENCES, 'browser.download.dir': folder };
  writeFileSync(join(profile, 'user.js'), Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
  const browser = start(FIREFOX, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']);
  const address = await browser.said(/WebDriver BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(address + '/session');
  await once(socket, 'open');
  /** @type {Map<number, { resolve: (found: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  /** @type {string[]} */
  const lines = [];
  let last = 0;
  socket.on('message', data => {
    const message = JSON.parse(String(data));
    if (message.method === 'log.entryAdded') {
      const { level, text } = message.params;
      if (['error', 'warn'].includes(level)) lines.push(text);
    }
    const waits = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.type === 'error') waits?.reject(new Error(message.message));
    else waits?.resolve(message.result);
  });
  /** @type {(method: string, params?: object) => Promise<any>} */
  const send = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts: [{ context }] } = await send('browsingContext.getTree');
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } });
  return withHelpers({
    name: 'Firefox', lines,
    goto: url => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async run(source) {
      const answer = await send('script.evaluate', {
        expression: `Promise.resolve(${source}).then(found => JSON.stringify(found) ?? 'null')`, target: { context }, awaitPromise: true,
      });
      if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
      return JSON.parse(answer.result.value);
    },
    actions: actions => send('input.performActions', { context, actions }),
    async setFiles(selector, files) {
      const { nodes: [{ sharedId }] } = await send('browsingContext.locateNodes', { context, locator: { type: 'css', value: selector } });
      await send('input.setFiles', { context, element: { sharedId }, files });
    },
    saved: act => downloaded(folder, act),
    async screenshot(path) {
      const { data } = await send('browsingContext.captureScreenshot', { context });
      writeFileSync(path, Buffer.from(data, 'base64'));
    },
    async close() {
      socket.terminate();
      await browser.stop();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return port;
};

/** The browser of WebKitGTK, which has no separate package. */
export const miniBrowser = () => ['4.1', '6.0', '4.0'].flatMap(version => ['x86_64', 'aarch64'].map(machine =>
  `/usr/lib/${machine}-linux-gnu/webkit2gtk${version === '6.0' ? 'gtk' : ''}-${version}/MiniBrowser`)).find(existsSync);

/** A display that is not shown. Two that start at once take the same number, and one of them ends. */
async function startDisplay(tries = 5) {
  const screen = start('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp']);
  try {
    return { display: ':' + await screen.said(/^(\d+)\n/m), stop: screen.stop };
  } catch (error) {
    await screen.stop();
    if (tries < 2) throw error;
    await sleep(500 * Math.random());
    return startDisplay(tries - 1);
  }
}

/** @returns {Promise<OtherBrowser>} */
export async function startWebKit() {
  const { display, stop } = await startDisplay();
  const profile = mkdtempSync(join(tmpdir(), 'chessdb-webkit-'));
  const port = await freePort();
  const environment = { ...process.env, DISPLAY: display, HOME: profile, XDG_CACHE_HOME: profile, XDG_CONFIG_HOME: profile, XDG_DATA_HOME: profile,
    GDK_BACKEND: 'x11', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1', NO_AT_BRIDGE: '1', LC_ALL: 'C.UTF-8', LANGUAGE: 'en' };
  const driver = start(WEBKIT_DRIVER, [`--port=${port}`, '--host=127.0.0.1'], { env: environment });
  /** @type {(method: string, path: string, body?: object) => Promise<any>} */
  const ask = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value.error} ${value.message}`);
    return value;
  };
  for (const end = Date.now() + PATIENCE; ; await sleep(50)) {
    if (await ask('GET', '/status').catch(() => {})) break;
    if (Date.now() > end) throw new Error('WebKitWebDriver does not answer');
  }
  const { sessionId } = await ask('POST', '/session', { capabilities: { alwaysMatch: {
    'webkitgtk:browserOptions': { binary: miniBrowser(), args: ['--automation'] }, timeouts: { script: PATIENCE, pageLoad: PATIENCE },
  } } });
  /** @type {(method: string, path: string, body?: object) => Promise<any>} */
  const session = (method, path, body) => ask(method, `/session/${sessionId}${path}`, body);
  await session('POST', '/window/rect', { width: 1280, height: 880 }).catch(() => {});
  /** @type {string[]} */
  const lines = [];
  /** @param {string} source */
  const run = async source => {
    const answer = await session('POST', '/execute/async', {
      script: `const done = arguments[0]; Promise.resolve().then(() => ${source}).then(found => done(JSON.stringify(found) ?? 'null'), error => done(JSON.stringify({ failed: String(error) })));`, args: [],
    });
    const found = JSON.parse(answer);
    if (found?.failed) throw new Error(found.failed);
    return found;
  };
  /** @param {() => Promise<unknown>} act */
  const saved = async act => {
    await run('(globalThis.keptBlobs = null)');
    await act();
    for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(40)) {
      const found = await run(`globalThis.keptBlobs && new Promise(done => {
        const reader = new FileReader();
        reader.onload = () => done([globalThis.keptBlobs.name, reader.result.split(',')[1]]);
        reader.readAsDataURL(globalThis.keptBlobs.blob);
      })`);
      if (found) return { name: found[0], bytes: Buffer.from(found[1], 'base64') };
    }
    throw new Error('nothing was saved');
  };
  return withHelpers({
    name: 'WebKitGTK', lines, run, saved,
    async goto(url) {
      await session('POST', '/url', { url });
      // The driver cannot save files, so what the page gives to the browser is kept.
      await run(`(() => {
        addEventListener('error', event => { (globalThis.keptErrors ??= []).push(event.message); });
        addEventListener('unhandledrejection', event => { (globalThis.keptErrors ??= []).push(String(event.reason)); });
        const blobs = new Map();
        const make = URL.createObjectURL;
        URL.createObjectURL = blob => { const url = make.call(URL, blob); blobs.set(url, blob); return url; };
        HTMLAnchorElement.prototype.click = function () { globalThis.keptBlobs = { name: this.download, blob: blobs.get(this.href) }; };
      })()`);
    },
    actions: actions => session('POST', '/actions', { actions }),
    async setFiles(selector, files) {
      const element = await session('POST', '/element', { using: 'css selector', value: selector });
      await session('POST', `/element/${Object.values(element)[0]}/value`, { text: files.join('\n') });
    },
    async screenshot(path) {
      writeFileSync(path, Buffer.from(await session('GET', '/screenshot'), 'base64'));
    },
    async close() {
      await ask('DELETE', `/session/${sessionId}`).catch(() => {});
      await driver.stop();
      await stop();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}
