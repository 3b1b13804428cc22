// Tests the reports of report_sample in a browser: report_test.js FOLDER, ROUNDEL_BROWSER=PATH.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ALPHA, choose, colorAt, golden, moveTo, open, pointOf, screenshot, shows} from './browser.js';

// With 2 busy cores; a page takes a fraction of it.
const SECONDS_TO_INTERACTIVE = 5;

test('counts and lists are right: failures first, passes in one line', async t => {
  const page = await open(t, 'report');
  assert.equal(await page.title(), 'goldens & <actual>');
  assert.equal(await page.locator('h1').textContent(), 'goldens & <actual>');
  assert.deepEqual(await page.locator('#counts .state').allTextContents(),
                   ['5 differ', '1 new', '1 missing', '1 not compared', '4 same']);
  assert.deepEqual(await page.locator('#list .name').allTextContents(),
                   ['broken.png', 'gone.png', 'shape.png', 'spot.png', ALPHA, 'new.png', 'film <b>/<!--<script>.png', 'x</script>.png']);
  assert.deepEqual(await page.locator('#list .folder').allTextContents(), ['outside of folders 6', 'film <b>/ 1', 'x</ 1']);
  const notes = await page.locator('#list button small').allTextContents();
  const expected = [/^not compared · .*broken\.png: not a valid PNG/, /^missing · /, /^differs · they are 64x48 RGB and 64x47 RGB; [\d,]+ of 3,008 shared pixels differ$/,
                    /^differs · 5 pixels by up to 135$/, /^differs · 1 pixel by up to 179$/, /^new · /, ...Array(2).fill(/^differs · 5 pixels by up to 135$/)];
  notes.forEach((note, i) => assert.match(note, expected[i]));
  await page.locator('#order').selectOption('name');
  assert.deepEqual(await page.locator('#list .name').allTextContents(),
                   [ALPHA, 'broken.png', 'gone.png', 'new.png', 'shape.png', 'spot.png', 'film <b>/<!--<script>.png', 'x</script>.png']);
  const passes = page.locator('#passes');
  assert.equal(await passes.locator('summary').textContent(), '4 pictures are the same');
  assert.equal(await passes.locator('pre').isVisible(), false);
  await passes.locator('summary').click();
  await passes.locator('pre', {hasText: 'same 1.png'}).waitFor();
  assert.deepEqual((await passes.locator('pre').textContent()).split('\n'),
                   ['same 1.png', 'same 2.png', 'same 3.png', 'tolerated.png (5 pixels differ within goldens.yaml:3 "tol*")']);
});

test('every kind of failure says what it is, whatever its name', async t => {
  const page = await open(t, 'report', {show: ALPHA});
  const about = page.locator('#about');
  assert.match(await about.textContent(), /the scene changed/);
  await choose(page, 'spot.png');
  assert.match(await about.textContent(), /differs.*5 pixels.*the renderer changed/);
  const more = page.locator('#more');
  assert.match(await more.textContent(), /rule: default.*roundel accept spot\.png/);
  assert.match(await page.locator('#measures').textContent(), /size 64×48.*differing pixels 5 \(0\.163 %\).*red largest 135/);
  await choose(page, 'film <b>/<!--<script>.png');
  assert.match(await more.textContent(), /roundel accept 'film <b>\/<!--<script>\.png'/);
  await choose(page, 'x</script>.png');
  await choose(page, 'shape.png');
  assert.match(await about.textContent(), /64x48.*64x47/);
  for (const [name, label] of [['new.png', 'new'], ['gone.png', 'missing']]) {
    await choose(page, name);
    assert.equal(await about.locator('.state').textContent(), label);
    assert.ok(await page.locator('[data-view=slider]').isDisabled());
    assert.deepEqual(await colorAt(page, ...await pointOf(page, 20, 20)), golden(20, 20));
  }
  await page.locator('#list button', {hasText: 'broken.png'}).click();
  await page.waitForFunction(() => document.querySelector('#about h2').textContent.startsWith('broken.png'));
  assert.match(await about.textContent(), /not compared.*broken\.png/);
});

test('side by side shows both pictures', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  assert.deepEqual(await colorAt(page, ...await pointOf(page, 41, 30, 0)), golden(41, 30));
  assert.deepEqual(await colorAt(page, ...await pointOf(page, 41, 30, 1)), [255, 120, 129]);
  await screenshot(page, 'side');
});

test('the slider moves, by the mouse, the range and the keyboard', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.click('[data-view=slider]');
  const at = await pointOf(page, 41, 30);
  const isActual = async () => (await colorAt(page, ...at))[0] === 255;
  const slider = page.locator('#amount input');
  assert.equal(await slider.inputValue(), '50');
  assert.equal(await isActual(), true);  // right of the middle
  await slider.fill('100');
  assert.equal(await isActual(), false);
  await slider.fill('0');
  assert.equal(await isActual(), true);
  await page.locator('#canvas').focus();
  for (let i = 0; i < 20; ++i) await page.keyboard.press(']');
  assert.equal(await slider.inputValue(), '100');
  assert.equal(await isActual(), false);
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + box.width - 3, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 200, {steps: 4});
  await page.mouse.up();
  assert.ok(Math.abs(Number(await slider.inputValue()) - 25) <= 1);
  assert.equal(await isActual(), true);
});

test('blending mixes the two', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.keyboard.press('3');
  const at = await pointOf(page, 41, 30);
  const red = async () => (await colorAt(page, ...at))[0];
  assert.ok(Math.abs(await red() - (123 + 255) / 2) <= 2);
  await page.locator('#amount input').fill('0');
  assert.equal(await red(), 123);
  await page.locator('#amount input').fill('100');
  assert.equal(await red(), 255);
});

test('blinking shows one and the other, by itself and by hand', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.click('[data-view=blink]');
  await page.locator('#amount input').fill('100');
  const at = await pointOf(page, 41, 30);
  const seen = new Set();
  for (let i = 0; i < 100 && seen.size < 2; ++i) {
    seen.add((await colorAt(page, ...at))[0]);
    await page.waitForTimeout(20);
  }
  assert.deepEqual([...seen].sort(), [123, 255]);
  await page.locator('#canvas').focus();
  await page.keyboard.press(' ');  // from here on by hand
  const first = (await colorAt(page, ...at))[0];
  await page.waitForTimeout(400);
  assert.equal((await colorAt(page, ...at))[0], first);
  await page.keyboard.press(' ');
  assert.notEqual((await colorAt(page, ...at))[0], first);
});

test('the difference view marks the differing pixels', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  await page.keyboard.press('5');
  await page.keyboard.press('o');  // without outlines
  for (const [x, y] of [[40, 30], [43, 30], [2, 3]]) {
    assert.deepEqual(await colorAt(page, ...await pointOf(page, x, y)), [255, 0, 0]);
  }
  for (const [x, y] of [[39, 30], [44, 30], [40, 31], [3, 3]]) {
    const [red, green, blue] = await colorAt(page, ...await pointOf(page, x, y));
    const [r, g, b] = golden(x, y);
    assert.ok(red === green && green === blue && Math.abs(red - 153 - 0.4 * (0.3 * r + 0.59 * g + 0.11 * b)) < 2);
  }
  await screenshot(page, 'difference');
  await page.keyboard.press('6');  // bright under it, black far from it
  assert.ok(Math.max(...await colorAt(page, ...await pointOf(page, 41, 30))) > 150);
  assert.ok(Math.max(...await colorAt(page, ...await pointOf(page, 20, 45))) < 20);
  await screenshot(page, 'flip');
  await choose(page, 'shape.png');
  assert.equal(await page.locator('[data-view=flip]').isVisible(), false);
  assert.equal(await page.locator('[data-view]:checked').getAttribute('data-view'), 'side');
  await page.keyboard.press('5');  // the golden has one more row
  assert.deepEqual(await colorAt(page, ...await pointOf(page, 1, 47)), [150, 60, 200]);
});

test('pixels are read with their exact values, also where they are transparent', async t => {
  const page = await open(t, 'report', {show: ALPHA});
  const readout = page.locator('#readout');
  for (const pane of [0, 1]) {
    await moveTo(page, await pointOf(page, 5, 7, pane));
    assert.equal(await readout.textContent(), 'x 5, y 7   golden 15 28 188 0   actual 15 28 9 0   difference 0 0 179 0');
  }
  await choose(page, 'spot.png');
  await moveTo(page, await pointOf(page, 42, 30, 1));
  assert.equal(await readout.textContent(), 'x 42, y 30   golden 126 120 128   actual 255 120 128   difference 129 0 0');
});

test('zooming goes to the pixels and writes their values', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  const scale = () => page.evaluate(() => shown.scale);
  const fitted = await scale();
  await page.keyboard.press('+');
  assert.ok(await scale() > fitted);
  await page.keyboard.press('-');
  await page.keyboard.press('0');
  assert.equal(await scale(), fitted);
  await page.click('[data-do=peak]');
  assert.ok(await page.evaluate(() => shown.cursor.x > 30 && shown.cursor.y > 20));
  const [x, y] = await pointOf(page, 41, 30);
  await moveTo(page, [x, y]);
  await page.mouse.wheel(0, -600);
  await page.waitForFunction(() => shown.scale >= 60);
  const [newX, newY] = await pointOf(page, 41, 30);  // the point under the mouse stayed
  assert.ok(Math.abs(newX - x) < 4 && Math.abs(newY - y) < 4);  // the mouse moves by whole pixels
  const inks = await page.evaluate(() => {  // a cell holds its colour and the text's
    const one = panes()[0], cell = canvas.getContext('2d').getImageData(
        screenX(one, 42) + 4, screenY(one, 30) + 4, shown.scale - 8, shown.scale - 8).data;
    return new Set(Array.from({length: cell.length / 4}, (_, i) => cell[4 * i])).size;
  });
  assert.ok(inks > 1);
  assert.match(await page.locator('#readout').textContent(), /^x 41, y 30 /);
  await screenshot(page, 'values');
});

test('the keyboard reaches everything', async t => {
  const page = await open(t, 'report');
  await shows(page, 'broken.png');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await shows(page, 'shape.png');
  await page.keyboard.press('k');
  await shows(page, 'gone.png');
  for (let i = 0; i < 6; ++i) await page.keyboard.press('j');
  await shows(page, 'x</script>.png');
  const views = ['side', 'slider', 'blend', 'blink', 'difference', 'flip'];
  for (let i = 0; i < views.length; ++i) {
    await page.keyboard.press(String(i + 1));
    assert.equal(await page.locator('[data-view]:checked').getAttribute('data-view'), views[i]);
  }
  await page.keyboard.press('g');
  const before = await page.evaluate(() => ({...shown.cursor}));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  assert.deepEqual(await page.evaluate(() => shown.cursor), {x: before.x + 1, y: before.y + 10});
  await page.keyboard.press('/');
  await page.keyboard.type('spot');
  assert.deepEqual(await page.locator('#list .name').allTextContents(), ['spot.png']);
  await page.keyboard.press('Enter');
  await page.keyboard.press('k');
  await shows(page, 'spot.png');
  assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)), '#spot.png');
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#filter').inputValue(), '');
  assert.equal(await page.locator('#list button').count(), 8);
  await page.keyboard.press('j');
  await shows(page, ALPHA);
  await page.locator('#filter').fill('missing');
  assert.deepEqual(await page.locator('#list .name').allTextContents(), ['gone.png']);
});

test('counts in the head choose what is listed', async t => {
  const page = await open(t, 'report');
  const isNew = page.locator('#counts button', {hasText: '1 new'});
  await isNew.click();
  assert.equal(await isNew.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(await page.locator('#list .name').allTextContents(), ['new.png']);
  await isNew.click();
  assert.equal(await page.locator('#list .name').count(), 8);
  await page.locator('#counts button', {hasText: '4 same'}).click();
  await page.locator('#passes pre', {hasText: 'same 1.png'}).waitFor();
});

test('ticked pictures become one command, which can be copied', async t => {
  const page = await open(t, 'report');
  const command = page.locator('#command');
  assert.equal(await command.isVisible(), false);
  assert.ok(await page.locator('[aria-label="Accept gone.png"]').isDisabled());
  await page.locator('[aria-label="Accept spot.png"]').check();
  await page.locator('[aria-label="Accept film <b>/<!--<script>.png"]').check();
  assert.equal(await command.textContent(), "roundel accept 'film <b>/<!--<script>.png' spot.png");
  await page.locator('#copy').click();
  await page.waitForFunction(() => byId('ticked').textContent === 'Copied');
  await page.locator('#filter').click();
  await page.keyboard.press('Control+v');
  assert.equal(await page.locator('#filter').inputValue(), "roundel accept 'film <b>/<!--<script>.png' spot.png");
  await page.locator('#filter').fill('new');
  await page.locator('#tick').click();
  assert.match(await command.textContent(), / new\.png spot\.png$/);
  await page.locator('#untick').click();
  assert.equal(await command.isVisible(), false);
});

test('pictures in sight have small ones in the list', async t => {
  const page = await open(t, 'report');
  await page.waitForFunction(() => document.querySelectorAll('.thumb[data-done]').length === 8);
  const colors = await page.evaluate(() => [...document.querySelectorAll('.thumb')].map(thumb =>
      thumb.getContext('2d').getImageData(thumb.width / 2, thumb.height / 2, 1, 1).data[3]));
  assert.ok(colors.every(alpha => alpha > 0), colors.join(' '));
});

test('a link leads to its picture', async t => {
  const page = await open(t, 'report', {show: 'new.png'});
  assert.match(await page.locator('#about h2').textContent(), /^new\.png/);
});

test('light and dark follow the system', async t => {
  for (const [colorScheme, isDark] of [['light', false], ['dark', true]]) {
    const page = await open(t, 'report', {colorScheme, show: ALPHA});
    const [background, text] = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.backgroundColor, style.color].map(color => Number(color.match(/\d+/)[0]));
    });
    assert.equal(background < 128, isDark);
    assert.equal(text > 128, isDark);
    const [panel] = await colorAt(page, 3, (await page.locator('#canvas').boundingBox()).height - 3);
    assert.equal(panel < 128, isDark);
    await choose(page, 'spot.png');
    await screenshot(page, colorScheme);
  }
});

test('a report without failures says so', async t => {
  const page = await open(t, 'same');
  assert.equal(await page.locator('#about h2').textContent(), 'All pictures are the same.');
  assert.equal(await page.locator('#passes summary').textContent(), '4 pictures are the same');
});

test('ten thousand failures stay usable, and only the pictures looked at are loaded', async t => {
  const page = await open(t, 'large');
  await shows(page, 'film 0/frame 00000.png');
  const times = await page.evaluate(() => ({
    interactive: performance.getEntriesByName('interactive')[0].startTime,
    loaded: performance.getEntriesByType('resource').filter(entry => entry.name.includes('/pictures/')).length,
  }));
  assert.equal(await page.locator('#counts').textContent(), '10,000 differ');
  const rows = await page.locator('#list li').count();
  assert.ok(rows > 5 && rows < 100, `${rows} rows`);
  assert.ok(times.loaded <= rows, `${times.loaded} loaded`);
  assert.ok(times.interactive < 1000 * SECONDS_TO_INTERACTIVE, `${times.interactive} ms`);
  const timed = async action => {
    const start = performance.now();
    await action();
    return Math.round(performance.now() - start);
  };
  const next = await timed(async () => {
    await page.keyboard.press('j');
    await shows(page, 'film 0/frame 00001.png');
  });
  const filtered = await timed(async () => {
    await page.locator('#filter').fill('frame 09999');
    assert.equal(await page.locator('#list button').count(), 1);
  });
  await page.locator('#list button').click();
  await shows(page, 'film 9/frame 09999.png');
  await page.locator('#filter').fill('');
  await page.evaluate(() => { list.scrollTop = list.scrollHeight / 2; });
  await page.locator('#list .name', {hasText: 'frame 05000.png'}).click();
  await shows(page, 'film 5/frame 05000.png');
  t.diagnostic(`interactive after ${Math.round(times.interactive)} ms, next picture ${next} ms, filter ${filtered} ms`);
  assert.ok(next < 2000 && filtered < 3000, `next picture ${next} ms, filter ${filtered} ms`);
});
