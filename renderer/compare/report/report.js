// The list of failures, the choice among them, and the keyboard.
const run = JSON.parse(document.getElementById('data').textContent);
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const byId = id => document.getElementById(id);
const KEPT_PAIRS = 4;  // decoded pairs kept in memory
const ROW = 46;        // height of a row of the list in CSS pixels
let listed = [];       // the failures that the filter lets through, by number
const pairs = new Map();
let current = -1;
let blinking = 0;

// ---- Pictures: scripts, because pages opened from the file system may read nothing else.
const arrivals = new Map();
window.roundelPictures = (index, pictures) => arrivals.set(index, pictures);

function loadScript(path) {
  return new Promise((resolve, reject) => {
    const script = element('script', {src: path, onload: resolve, onerror: () => reject(new Error('cannot load ' + path))});
    document.head.append(script);
  }).finally(() => document.head.querySelector(`script[src="${path}"]`)?.remove());
}

async function loadPair(index) {
  const failure = run.failures[index];
  await loadScript(failure.pictures.file);
  const pictures = arrivals.get(index);
  arrivals.delete(index);
  const pair = {golden: null, actual: null, difference: null, flip: null};
  for (const [name, base64] of Object.entries(pictures)) pair[name] = makeLayer(await decodePng(base64));
  return pair;
}

function pairOf(index) {
  if (!pairs.has(index)) pairs.set(index, loadPair(index));
  const pair = pairs.get(index);
  pairs.delete(index);  // to the end: the most recent
  pairs.set(index, pair);
  for (const old of [...pairs.keys()].slice(0, -KEPT_PAIRS)) pairs.delete(old);
  return pair;
}

// ---- What is said about a failure.
function number(value, digits = 4) {
  return value === null || value === undefined ? '∞' : Number(value.toPrecision(digits)).toString();
}

function measureTexts(difference) {
  if (!difference || !difference.channels) return [];
  const {box, densest} = difference;
  const place = at => `${at.width}×${at.height} at (${at.x}, ${at.y})`;
  const texts = [['size', `${difference.width}×${difference.height}`], ['differing pixels', String(difference.pixels_over)]];
  if (difference.pixels !== difference.pixels_over) texts.push(['… at all', String(difference.pixels)]);
  if (difference.antialiased) texts.push(['by antialiasing', String(difference.antialiased)]);
  if (difference.ignored) texts.push(['ignored', `${difference.ignored.pixels}, of which ${difference.ignored.different} differ`]);
  for (const [name, channel] of Object.entries(difference.channels)) {
    texts.push([name, `largest ${number(channel.largest)}, mean ${number(channel.mean)}`]);
  }
  texts.push(['RMSE', number(difference.rmse)], ['PSNR', number(difference.psnr_db) + ' dB']);
  if (box) texts.push(['within', place(box)], ['densest', `${densest.pixels} in ${place(densest)}`]);
  if (difference.not_finite > 0) texts.push(['NaN or infinity', String(difference.not_finite)]);
  if (difference.flip) texts.push(['ꟻLIP', 'mean ' + number(difference.flip.mean)]);
  if (difference.ssim !== undefined) texts.push(['SSIM', number(difference.ssim)]);
  return texts;
}

function describe(failure) {
  const paragraph = (text, className = '') => element('p', {className}, text);
  const parts = [element('h2', {}, failure.name, ' ', element('span', {className: 'state ' + failure.state.replace(' ', '-')}, failure.state))];
  for (const reason of failure.reasons) parts.push(paragraph(reason, 'reason'));
  if (failure.origin) parts.push(paragraph(failure.origin, 'origin'));
  if (failure.rule) parts.push(paragraph('rule: ' + failure.rule));
  if (failure.accept) parts.push(element('p', {}, 'to accept: ', element('code', {}, failure.accept)));
  if (failure.pictures?.part) parts.push(paragraph('shown is the part around the densest difference'));
  if (failure.pictures?.rounded) parts.push(paragraph('shown, and read, in 8 bits; the measures are of the files\' own values'));
  if (failure.left_out) parts.push(paragraph('the pictures are left out: ' + failure.left_out));
  byId('about').replaceChildren(...parts);
  byId('measures').replaceChildren(...measureTexts(failure.difference).map(
      ([name, text]) => element('span', {}, name + ' ', element('b', {}, text))));
}

// ---- The list: of thousands of rows only those in sight are there.
const list = byId('list');

function rowOf(index, top) {
  const failure = run.failures[index];
  const state = element('span', {className: failure.state.replace(' ', '-')}, failure.state);
  const button = element('button', {onclick: () => select(index), title: failure.name},
                         element('span', {className: 'name'}, failure.name),
                         element('small', {}, state, ...failure.reasons.slice(0, 1).map(reason => ' · ' + reason)));
  button.dataset.index = index;
  const row = element('li', {}, button);
  row.style.top = top + 'px';
  return row;
}

function drawList() {
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const inSight = listed.slice(first, first + Math.ceil(list.clientHeight / ROW) + 10);
  list.firstElementChild.style.height = listed.length * ROW + 'px';
  list.firstElementChild.replaceChildren(...inSight.map((index, i) => rowOf(index, (first + i) * ROW)));
  markCurrent();
}

function markCurrent() {
  for (const button of list.querySelectorAll('button')) {
    button.toggleAttribute('aria-current', Number(button.dataset.index) === current);
  }
}

function scrollToCurrent() {
  const top = listed.indexOf(current) * ROW;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = failure => failure.text ??=
      `${failure.name} ${failure.state} ${failure.reasons.join(' ')} ${failure.origin ?? ''}`.toLowerCase();
  listed = [...run.failures.keys()].filter(index => words.every(word => textOf(run.failures[index]).includes(word)));
  list.scrollTop = 0;
  drawList();
}

// ---- Choosing.
async function select(index) {
  if (index === undefined || index === current) return;
  current = index;
  const failure = run.failures[index];
  scrollToCurrent();
  markCurrent();
  history.replaceState(null, '', '#' + encodeURIComponent(failure.name));
  describe(failure);
  Object.assign(shown, {pair: null, cursor: null, isActual: false, origin: failure.pictures?.part ?? {x: 0, y: 0}});
  delete canvas.dataset.shows;
  showView();
  if (!failure.pictures) return;
  try {
    const pair = await pairOf(index);
    if (current !== index) return;  // another one was chosen meanwhile
    shown.pair = pair;
    if (!canShow(shown.view)) shown.view = 'side';
    showView();
    fit();
    canvas.dataset.shows = failure.name;
  } catch (error) {
    pairs.delete(index);
    byId('about').append(element('p', {className: 'reason'}, error.message));
  }
}

// The next one in this direction that the filter lets through.
function step(direction) {
  select(direction > 0 ? listed.find(index => index > current) : listed.findLast(index => index < current));
}

// ---- Views.
function setView(view) {
  shown.view = view;
  showView();
  if (shown.pair) fit();
}

// Pictures of different shapes have no difference in pixels; ꟻLIP is there where it was measured.
function canShow(view) {
  const needs = {difference: shown.pair?.difference, flip: shown.pair?.flip};
  return Boolean(shown.pair?.golden && shown.pair?.actual && (!(view in needs) || needs[view]));
}

function showView() {
  const hasBoth = canShow('side');
  for (const button of document.querySelectorAll('[data-view]')) {
    button.setAttribute('role', 'radio');
    button.setAttribute('aria-checked', String(button.dataset.view === shown.view));
    button.disabled = !canShow(button.dataset.view);
    button.hidden = button.dataset.view === 'flip' && !shown.pair?.flip;
  }
  for (const button of document.querySelectorAll('[data-zoom]')) button.disabled = !shown.pair;
  document.querySelector('[data-zoom=densest]').disabled = !hasBoth || !run.failures[current]?.difference?.densest;
  const words = {slider: 'divider', blend: 'actual', blink: 'speed'}[shown.view];
  byId('amount').hidden = !words || !hasBoth;
  byId('amount').firstElementChild.textContent = words ?? '';
  byId('amount').lastElementChild.value = shown.amounts[shown.view] ?? 0;
  clearInterval(blinking);
  if (shown.view === 'blink' && hasBoth) blinking = setInterval(flip, 1500 - 14 * shown.amounts.blink);
  paint();
}

function setAmount(value) {
  if (!(shown.view in shown.amounts)) return;
  shown.amounts[shown.view] = Math.min(100, Math.max(0, Math.round(value)));
  showView();
}

function flip() {
  shown.isActual = !shown.isActual;
  paint();
}

function flipByHand() {
  if (shown.view !== 'blink') setView('blink');
  clearInterval(blinking);
  flip();
}

function goToDensest() {
  const densest = run.failures[current]?.difference?.densest;
  if (shown.pair && densest) goTo(densest);
}

// ---- Keyboard.
const VIEWS = ['side', 'slider', 'blend', 'blink', 'difference', 'flip'];
const KEYS = {
  j: () => step(1), n: () => step(1), k: () => step(-1), p: () => step(-1),
  '[': () => setAmount(shown.amounts[shown.view] - 5), ']': () => setAmount(shown.amounts[shown.view] + 5),
  ' ': flipByHand, g: goToDensest, '/': () => byId('filter').focus(),
  '+': () => setScale(shown.scale * 1.5), '=': () => setScale(shown.scale * 1.5), '-': () => setScale(shown.scale / 1.5),
  0: fit,
};
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const NEEDS_NO_PAIR = 'jnkp/';

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.type === 'search') {
    if (event.key === 'Escape' || event.key === 'Enter') event.target.blur();
    return;
  }
  if (!shown.pair && !NEEDS_NO_PAIR.includes(event.key)) return;
  const hasFocus = event.target !== document.body && event.target !== canvas;
  if (event.key in ARROWS) {
    if (event.target.type === 'range') return;  // its own
    const steps = event.shiftKey ? 10 : 1;
    moveCursor(steps * ARROWS[event.key][0], steps * ARROWS[event.key][1]);
  } else if (VIEWS[event.key - 1]) {
    if (canShow(VIEWS[event.key - 1])) setView(VIEWS[event.key - 1]);
  } else if (KEYS[event.key] && !(event.key === ' ' && hasFocus)) {
    KEYS[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});

// ---- The page.
function listPasses() {
  const passes = byId('passes');
  passes.firstElementChild.textContent = run.passes.length === 1 ? '1 picture is the same' : `${run.passes.length} pictures are the same`;
  passes.addEventListener('toggle', () => {
    passes.lastElementChild.textContent = run.passes.map(([name, note]) => note ? `${name} (${note})` : name).join('\n');
  });
}

function showCounts() {
  const names = {differ: 'differ', new: 'new', missing: 'missing', not_compared: 'not compared', same: 'same'};
  const classes = {differ: 'differs', not_compared: 'not-compared'};
  for (const [key, name] of Object.entries(names)) {
    if (run.counts[key] > 0) byId('counts').append(element('span', {className: 'state ' + (classes[key] ?? key)}, `${run.counts[key]} ${name}`));
  }
}

for (const button of document.querySelectorAll('[data-view]')) button.onclick = () => setView(button.dataset.view);
const ZOOMS = {out: KEYS['-'], in: KEYS['+'], fit, densest: goToDensest};
for (const button of document.querySelectorAll('[data-zoom]')) button.onclick = ZOOMS[button.dataset.zoom];
byId('amount').lastElementChild.oninput = event => setAmount(Number(event.target.value));
byId('filter').oninput = filter;
window.addEventListener('resize', paint);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
window.addEventListener('resize', drawList);
list.addEventListener('scroll', drawList);
showCounts();
filter();
listPasses();
const wanted = run.failures.findIndex(failure => '#' + encodeURIComponent(failure.name) === location.hash);
if (run.failures.length > 0) select(Math.max(0, wanted));
else byId('about').append(element('h2', {}, 'All pictures are the same.'));
showView();
performance.mark('interactive');
