// Shared by the tests of the page: the browser, pages of the reports of report_sample, and
// positions on them. Needs the folder as the first argument, and ROUNDEL_BROWSER=PATH.
import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const folder = resolve(process.argv[2]);
const screenshots = process.env.ROUNDEL_SCREENSHOTS;
export const ALPHA = 'alpha α "quoted" & \'more\'.png';

let browser;
before(async () => {
  browser = await chromium.launch({executablePath: process.env.ROUNDEL_BROWSER, args: ['--no-sandbox', '--force-color-profile=srgb']});
});
after(() => browser?.close());

// A page of a report; it must print nothing on the console and contact no server. `whole`: pictures
// are shown as a whole, instead of their largest differences.
export async function open(t, name, {show = '', whole = true, colorScheme = 'light', ...more} = {}) {
  const context = await browser.newContext({colorScheme, viewport: {width: 1280, height: 860}, offline: true, ...more});
  const page = await context.newPage();
  const problems = [];
  page.on('console', message => {  // a remark caused by this test's reads of the canvas
    if (!message.text().includes('willReadFrequently')) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', error => problems.push(`error: ${error.message}`));
  page.on('request', request => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(problems, []);
  });
  await page.goto(pathToFileURL(join(folder, name, 'index.html')).href + (show && '#' + encodeURIComponent(show)));
  if (show) await shows(page, show);
  if (whole && show) await page.keyboard.press('0');
  return page;
}

export const shows = (page, name) => page.waitForSelector(`#canvas[data-shows="${CSS_escape(name)}"]`);
const CSS_escape = text => text.replace(/["\\]/g, '\\$&');

export async function choose(page, name) {
  await page.locator('#list button', {has: page.locator('.name', {hasText: name})}).first().click();
  await shows(page, name);
}

// Returns the colour of the canvas at a point, in CSS pixels from its top left.
export const colorAt = (page, x, y) => page.evaluate(([px, py]) => {
  const canvas = document.getElementById('canvas');
  const ratio = devicePixelRatio;
  return [...canvas.getContext('2d').getImageData(px * ratio, py * ratio, 1, 1).data].slice(0, 3);
}, [x, y]);

// Returns the position on the canvas of the middle of a picture's pixel, in one of the existing
// panes. A view with other controls resizes the canvas, which the page notices after a frame.
export const pointOf = (page, x, y, pane = 0) => page.evaluate(async ([px, py, index]) => {
  for (let i = 0; i < 2; ++i) await new Promise(requestAnimationFrame);
  const one = panes()[index];
  return [screenX(one, px + 0.5), screenY(one, py + 0.5)];
}, [x, y, pane]);

export async function moveTo(page, [x, y]) {
  const {left, top} = await page.evaluate(() => {
    const box = canvas.getBoundingClientRect();
    return {left: box.left + canvas.clientLeft, top: box.top + canvas.clientTop};
  });
  await page.mouse.move(left + x, top + y);
}

// The gradient that report_sample paints; alpha is its own there.
export const golden = (x, y) => [3 * x, 4 * y, 200 - x - y];

export async function screenshot(page, name) {
  if (!screenshots) return;
  mkdirSync(screenshots, {recursive: true});
  await page.screenshot({path: join(screenshots, name + '.png')});
}

