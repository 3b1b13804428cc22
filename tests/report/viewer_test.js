// Tests pictures in the reports of report_sample: viewer_test.js FOLDER, ROUNDEL_BROWSER=PATH.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ALPHA, choose, colorAt, golden, moveTo, open, pointOf, screenshot, shows} from './browser.js';

const place = page => page.evaluate(() => ({scale: shown.scale, center: {...shown.center}}));
const cursor = page => page.evaluate(() => ({...shown.cursor}));
const readout = page => page.locator('#readout').textContent();

test('zoom and place stay over views and over pictures of the same size', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  const fitted = await place(page);
  await page.keyboard.press('2');  // one pane instead of two: still the whole picture
  assert.ok((await place(page)).scale > fitted.scale);
  await page.keyboard.press('1');
  assert.deepEqual(await place(page), fitted);
  await page.keyboard.press('g');
  await page.keyboard.press('+');
  const position = await place(page);
  for (const key of ['2', '3', '4', '5', '6', '1']) {
    await page.keyboard.press(key);
    assert.deepEqual(await place(page), position, key);
  }
  await choose(page, 'x</script>.png');
  assert.deepEqual(await place(page), position);
  await choose(page, 'shape.png');
  await choose(page, ALPHA);  // another size: begins where it differs
  assert.deepEqual(await cursor(page), {x: 5, y: 7});
});

test('a picture opens at its largest difference, in the view of the last visit', async t => {
  const page = await open(t, 'report', {show: 'spot.png', whole: false, viewport: {width: 860, height: 800}});
  const {scale} = await place(page);
  assert.equal(scale, 8);
  assert.deepEqual(await cursor(page), {x: 40, y: 30});
  assert.equal(await page.locator('#map').isVisible(), true);
  await page.keyboard.press('5');
  await page.reload();
  await shows(page, 'spot.png');
  assert.equal(await page.evaluate(() => shown.view), 'difference');
  await choose(page, 'new.png');  // without a difference
  assert.notEqual(await page.evaluate(() => shown.view), 'difference');
  await choose(page, 'spot.png');
  assert.equal(await page.evaluate(() => shown.view), 'difference');
});

test('places are outlined in every view, and on a map that moves the picture', async t => {
  const page = await open(t, 'values', {show: 'huge.png'});
  const outlined = () => page.evaluate(() => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] === 214 && data[i + 1] === 0 && data[i + 2] === 108) ++found;
    return found;
  });
  for (const key of ['1', '2', '3', '4', '5']) {
    await page.keyboard.press(key);
    assert.ok(await outlined() > 20, key);
  }
  await page.keyboard.press('o');
  assert.equal(await outlined(), 0);
  assert.equal(await page.locator('#map').isVisible(), false);  // the whole picture is in sight
  await page.keyboard.press('g');
  await page.locator('#map').click({position: {x: 10, y: 10}});
  const {center} = await place(page);
  assert.ok(center.x < 500 && center.y < 500);
});

test('controls stay where they are when the view changes', async t => {
  const page = await open(t, 'report', {show: 'spot.png', viewport: {width: 860, height: 800}});
  const positions = () => page.evaluate(() => [canvas, ...document.querySelectorAll('#tools button')].map(one => {
    const {x, y, width} = one.getBoundingClientRect();
    return [x, y, width];
  }));
  const before = await positions();
  for (const key of ['2', '3', '4', '5', '6', '1']) {
    await page.keyboard.press(key);
    assert.deepEqual(await positions(), before, key);
  }
});

test('on a phone golden is above actual', async t => {
  const page = await open(t, 'report', {show: 'spot.png', hasTouch: true, isMobile: true, viewport: {width: 390, height: 844}});
  const [golden, actual] = await page.evaluate(() => panes().map(({left, top, width, height}) => ({left, top, width, height})));
  assert.ok(golden.left === actual.left && golden.top + golden.height < actual.top && golden.width > 340);
  assert.deepEqual(await colorAt(page, ...await pointOf(page, 41, 30, 1)), [255, 120, 129]);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});

test('on a phone the picture is first, with all views, and the list leads to it', async t => {
  const page = await open(t, 'report', {show: 'spot.png', hasTouch: true, isMobile: true, viewport: {width: 390, height: 844}});
  const boxOf = selector => page.locator(selector).boundingBox();
  const canvasBox = await boxOf('#canvas');
  assert.ok(canvasBox.y < 300 && canvasBox.y + canvasBox.height < (await boxOf('#tools')).y && canvasBox.y < (await boxOf('#list')).y);
  for (const view of await page.locator('#views label').all()) {
    const {x, width} = await view.boundingBox();
    assert.ok(x >= 0 && x + width <= 390, await view.textContent());
  }
  await screenshot(page, 'phone');
  await page.locator('#list button', {hasText: 'new.png'}).tap();
  await shows(page, 'new.png');
  assert.ok((await boxOf('#canvas')).y < 300);
});

test('g goes to the largest difference, n and N walk the places', async t => {
  const page = await open(t, 'report', {show: 'spot.png'});
  assert.equal(await page.locator('#place').textContent(), '1 of 2');
  await page.keyboard.press('g');
  assert.deepEqual(await cursor(page), {x: 40, y: 30});
  assert.match(await readout(page), /^x 40, y 30 .*difference 135 0 0$/);
  assert.equal(await page.locator('#place').textContent(), '1 of 2');
  await page.keyboard.press('n');
  assert.deepEqual(await cursor(page), {x: 2, y: 3});
  assert.match(await readout(page), /difference 0 1 0$|difference 1 0 0$/);
  assert.equal(await page.locator('#place').textContent(), '2 of 2');
  assert.match(await page.locator('#pixel').textContent(), /^place 2 of 2, x 2, y 3 /);
  await page.keyboard.press('n');
  assert.deepEqual(await cursor(page), {x: 40, y: 30});
  await page.keyboard.press('N');
  assert.deepEqual(await cursor(page), {x: 2, y: 3});
  await page.click('[data-do=before]');
  assert.equal(await page.locator('#place').textContent(), '1 of 2');
  const [x, y] = await pointOf(page, 40, 30);
  const box = await page.locator('#canvas').boundingBox();
  assert.ok(x > 0 && x < box.width / 2 && y > 0 && y < box.height);
});

test('floats and 16 bits are read in their own values', async t => {
  const page = await open(t, 'values', {show: 'floats.pfm'});
  await page.keyboard.press('g');
  assert.equal(await readout(page), 'x 4, y 3   golden 21.5 0.00012345 NaN   actual 33.125 0.00012345 NaN   difference 11.625 0 0');
  await screenshot(page, 'floats');
  await choose(page, 'words.png');
  await page.keyboard.press('g');
  const [, before, after, delta] = (await readout(page)).match(/golden (\d+) .* actual (\d+) .* difference (\d+) 0 0$/).map(Number);
  assert.ok(before > 255 && Math.abs(before - after) === delta && delta > 0 && delta < 4);
  assert.match(await page.locator('#more').textContent(), /16 bits, 0 to 65535/);
});

test('exposure shows what is brighter than the screen, and darker', async t => {
  const page = await open(t, 'values', {show: 'floats.pfm'});
  const color = async (pane, x, y) => colorAt(page, ...await pointOf(page, x, y, pane));
  assert.deepEqual([await color(0, 4, 3), await color(1, 4, 3)], [[255, 0, 0], [255, 0, 0]]);
  assert.deepEqual(await color(0, 10, 5), [188, 137, 0]);  // 0.5 and 0.25 of linear light
  for (let i = 0; i < 11; ++i) await page.keyboard.press('E');
  assert.equal(await page.locator('#exposure span').textContent(), '−5.5');
  const [[golden], [actual]] = [await color(0, 4, 3), await color(1, 4, 3)];
  assert.ok(golden < actual && actual < 255, `${golden} ${actual}`);
  await page.locator('#exposure input').fill('1');
  assert.deepEqual(await color(0, 10, 5), [255, 188, 0]);
  await page.keyboard.press('e');
  assert.equal(await page.locator('#exposure span').textContent(), '+1.5');
  await choose(page, 'words.png');  // the next picture is shown like this, too
  assert.equal(await page.evaluate(() => surfaceOf(shown.pair.golden, shown.exposure) === shown.pair.golden.surface), true);
});

test('a large picture is shown reduced, with every place that differs', async t => {
  const page = await open(t, 'values', {show: 'huge.png'});
  assert.match(await page.locator('#more').textContent(), /5000×3000 is too large for this page: shown 3 times smaller/);
  assert.equal(await page.locator('#place').textContent(), '1 of 2');
  await page.keyboard.press('o');  // only the pixels themselves
  await page.keyboard.press('5');  // a single red pixel is visible in the whole picture
  const red = await page.evaluate(() => {
    const {width, height} = canvas, data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    let found = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > data[i + 1] + 40) ++found;
    return found;
  });
  assert.ok(red >= 2, `${red} red pixels`);
  await page.keyboard.press('1');
  await page.keyboard.press('g');
  assert.match(await readout(page), /^x 4990, y 2980   no values/);
  await page.keyboard.press('n');
  assert.match(await readout(page), /^x 10, y 200   no values/);
  await screenshot(page, 'huge');
});

test('loading is shown until the pictures are there', async t => {
  const page = await open(t, 'values', {show: 'floats.pfm'});
  const note = page.locator('#loading');
  assert.equal(await note.isVisible(), false);
  await page.evaluate(() => {
    const decode = decodeLayers;
    const disk = new Promise(done => { window.goOn = done; });
    decodeLayers = pictures => disk.then(() => decode(pictures));
  });
  await page.locator('#list button', {hasText: 'words.png'}).click();
  await note.waitFor();
  await page.evaluate(() => goOn());
  await shows(page, 'words.png');
  await note.waitFor({state: 'hidden'});
});

test('the background of transparent pictures is to be chosen', async t => {
  const page = await open(t, 'report', {show: ALPHA, colorScheme: 'dark'});
  const background = page.locator('#background select');
  const at = await pointOf(page, 3, 3);
  assert.equal(await background.inputValue(), 'dark');
  for (const [name, color] of [['white', [255, 255, 255]], ['black', [0, 0, 0]]]) {
    await background.selectOption(name);
    assert.deepEqual(await colorAt(page, ...at), color);
  }
  await background.selectOption('light');
  assert.ok(Math.min(...await colorAt(page, ...at)) > 220);
  await choose(page, 'spot.png');
  assert.equal(await background.isVisible(), false);
});

test('two fingers zoom, one scrolls the page until the picture is zoomed', async t => {
  const page = await open(t, 'report', {show: 'spot.png', hasTouch: true, isMobile: true, viewport: {width: 390, height: 844}});
  const action = () => page.evaluate(() => canvas.style.touchAction);
  assert.equal(await action(), 'pan-y');
  await page.locator('#canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('#canvas').boundingBox();
  const middle = {x: box.x + box.width / 4, y: box.y + box.height / 2};
  const client = await page.context().newCDPSession(page);
  const touch = (type, apart) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: apart === 0 ? [] : [{x: middle.x - apart, y: middle.y, id: 0}, {x: middle.x + apart, y: middle.y, id: 1}]});
  const before = await place(page);
  await touch('touchStart', 20);
  for (let apart = 24; apart <= 60; apart += 4) await touch('touchMove', apart);
  await touch('touchEnd', 0);
  const {scale} = await place(page);
  assert.ok(Math.abs(scale / before.scale - 3) < 0.1, `${scale} after ${before.scale}`);
  assert.equal(await page.evaluate(() => visualViewport.scale), 1);
  assert.equal(await action(), 'none');
  await page.locator('[data-do=fit]').click();
  assert.equal(await action(), 'pan-y');
  await screenshot(page, 'mobile');
});
