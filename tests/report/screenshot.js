// Takes the picture of docs/report.png: screenshot.js REPORT_FOLDER NAME OUTPUT,
// ROUNDEL_BROWSER=PATH.
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [folder, name, output] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: process.env.ROUNDEL_BROWSER, args: ['--no-sandbox']});
const page = await browser.newPage({viewport: {width: 1200, height: 780}});
await page.goto(pathToFileURL(join(resolve(folder), 'index.html')).href + '#' + encodeURIComponent(name));
await page.waitForSelector('#canvas[data-shows]');
await page.keyboard.press('2');  // the slider
await page.mouse.move(780, 430);  // a differing pixel
await page.screenshot({path: output});
await browser.close();
