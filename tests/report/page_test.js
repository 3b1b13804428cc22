// Tests reports besides their pictures: on paper, without scripts, for screen readers and
// keyboards: page_test.js FOLDER, ROUNDEL_BROWSER=PATH.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readFileSync} from 'node:fs';
import {choose, open, screenshot, shows} from './browser.js';

const AXE = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

// Counts the pages of a PDF as Chromium writes it.
const pagesOf = pdf => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;

test('on paper each failure has a page, and pictures keep their proportions', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.evaluate(() => {
    window.print = () => { window.isPrinting = true; };
  });
  await page.keyboard.press('Control+p');
  await page.waitForFunction(() => window.isPrinting);
  assert.equal(await page.locator('#paper section').count(), 9);
  assert.match(await page.locator('#paper section').nth(4).textContent(), /^spot\.png differs.*5 pixels differ.*goldenactualdifference.*RMSE/);
  assert.deepEqual(await page.locator('#paper section').nth(1).locator('figcaption').allTextContents(), ['golden']);  // the torn pair's
  await page.emulateMedia({media: 'print'});
  const shapes = await page.evaluate(() => [...document.querySelectorAll('#paper canvas')].map(one => {
    const box = one.getBoundingClientRect();
    return {width: one.width, height: one.height, ratio: (box.width - 2) / (box.height - 2)};
  }));
  assert.ok(shapes.length > 10);
  for (const {width, height, ratio} of shapes) assert.ok(Math.abs(ratio / (width / height) - 1) < 0.02, `${width}×${height}: ${ratio}`);
  await screenshot(page, 'paper');
  assert.equal(await page.locator('main').isVisible(), false);
  assert.equal(pagesOf(await page.pdf({format: 'A4'})), 9);
});

test('printed by the browser itself there is all that is at hand', async t => {
  const page = await open(t, 'values', {show: 'floats.pfm'});
  assert.equal(pagesOf(await page.pdf({format: 'A4'})), 4);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.deepEqual(await page.locator('#paper figcaption').allTextContents(), ['golden', 'actual', 'difference']);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('#paper section').count(), 0);
});

test('axe finds nothing, light and dark, wide and narrow', async t => {
  for (const colorScheme of ['light', 'dark']) for (const width of [390, 860, 1600]) {
    const page = await open(t, 'report', {show: 'spot.png', colorScheme, viewport: {width, height: 844}});
    await page.evaluate(() => {
      run.failures.find(one => one.name === 'gone.png').explanation = ['seed 7 -> 8', '  circle 12'];
    });
    await choose(page, 'gone.png');
    await page.locator('#counts button').first().click();
    await page.locator('#tick').click();
    await page.evaluate(AXE);
    const {violations} = await page.evaluate(() => axe.run());
    assert.deepEqual(violations.map(one => `${one.id}: ${one.nodes.map(node => node.html).join(' ')}`), [], `${colorScheme} ${width}`);
  }
});

test('without scripts there is a table', async t => {
  const page = await open(t, 'report', {javaScriptEnabled: false});
  const rows = await page.locator('table.plain tr').allTextContents();
  assert.equal(rows.length, 9);
  assert.match(rows.find(row => row.startsWith('spot.png')), /differs.*5 pixels differ, at most 0 may.*the renderer changed/);
  assert.ok(rows.some(row => row.startsWith('film <b>/<!--<script>.png')));
  assert.match(await page.locator('table.plain caption').textContent(), /^12 pictures: 4 same, 5 differ, 1 new, 1 missing, 1 not compared/);
  assert.equal(await page.locator('main').isVisible(), false);
  await screenshot(page, 'no-script');
});

test('views are one stop of the tabulator, and arrows move among them', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  const focused = () => page.evaluate(() => document.activeElement.dataset.view);
  await page.locator('#order').focus();
  while (!await focused()) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'side');
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), 'slider');
  assert.equal(await page.evaluate(() => shown.view), 'slider');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), undefined);
  await page.click('[data-view=blend]');  // by the mouse: arrows move the pixel
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => shown.view), 'blend');
  assert.ok(await page.evaluate(() => shown.cursor !== null));
});

test('verdict and pixel are told to those who listen', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  const statusOf = id => page.locator(`#${id}[role=status]`).textContent();
  assert.match(await statusOf('verdict'), /^spot\.png, differs, 5 pixels by up to 135, 5 pixels differ/);
  await page.keyboard.press('g');
  await page.keyboard.press('ArrowRight');
  assert.match(await statusOf('pixel'), /^x 41, y 30 .*golden 123 120 129/);
  await choose(page, 'new.png');
  assert.match(await statusOf('verdict'), /^new\.png, new/);
});

test('the keys below are those that there are', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  assert.equal(await page.locator('#last-view').textContent(), '6');
  await choose(page, 'shape.png');  // without ꟻLIP
  assert.equal(await page.locator('#last-view').textContent(), '5');
  await shows(page, 'shape.png');
});

test('an explanation shows its first line, and the rest on request', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.evaluate(() => {
    run.failures.find(one => one.name === 'gone.png').explanation = ['seed 7 -> 8', '  circle 12 <b>'];
  });
  await choose(page, 'gone.png');
  const rest = page.locator('#about .explanation pre');
  assert.equal(await page.locator('#about .explanation summary').textContent(), 'seed 7 -> 8');
  assert.equal(await rest.isVisible(), false);
  await page.locator('#about .explanation summary').click();
  assert.equal(await rest.textContent(), '  circle 12 <b>');
  assert.equal(await rest.isVisible(), true);
});
