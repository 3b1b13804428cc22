// Opens the report of 10,000 pairs, which report_sample --many has made in FOLDER, five times:
// many_test.js FOLDER, ROUNDEL_BROWSER=PATH. Fails if the median until the page is usable is a
// second or more.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {open} from './browser.js';

const OPENED = 5, MAX_MILLISECONDS = 1000;  // times; milliseconds
const median = numbers => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

test('a report of ten thousand pairs opens in under a second', async t => {
  const interactive = [], pictured = [];
  for (let i = 0; i < OPENED; ++i) {
    const page = await open(t, 'report');
    await page.waitForSelector('#canvas[data-shows]');
    const times = await page.evaluate(() => ({
      interactive: performance.getEntriesByName('interactive')[0].startTime,
      pictured: performance.getEntriesByName('pictured')[0].startTime,
      failures: run.failures.length,
    }));
    assert.equal(times.failures, 10000);
    interactive.push(times.interactive);
    pictured.push(times.pictured);
  }
  t.diagnostic(`list and keys there after ${Math.round(median(interactive))} ms (${interactive.map(Math.round).join(', ')}), ` +
      `the first pictures after ${Math.round(median(pictured))} ms`);
  assert.ok(median(interactive) < MAX_MILLISECONDS && median(pictured) < MAX_MILLISECONDS);
});
