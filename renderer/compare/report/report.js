// Selection of failures, controls and keyboard.
let current = -1;
let blinking = 0;

async function select(index) {
  if (index === undefined || index === current) return;
  current = index;
  const failure = run.failures[index];
  scrollToCurrent();
  markCurrent();
  history.replaceState(null, '', '#' + encodeURIComponent(failure.name));
  byId('about').replaceChildren(...describe(failure));
  byId('more').replaceChildren(...describeMore(failure));
  byId('measures').replaceChildren(...measures(failure));
  announce('verdict', verdictOf(failure));
  Object.assign(shown, {pair: null, isActual: false, place: -1});
  delete canvas.dataset.shows;
  showControls();
  if (!failure.pictures) return;
  try {
    const wanted = pairOf(index);
    showLoading(wanted);
    const pair = await wanted;
    if (current !== index) return;  // another failure was selected in the meantime
    arrive(pair);
    canvas.dataset.shows = failure.name;
    fillThumbs();
    performance.mark('pictured');
  } catch (error) {
    tellProblem(error);
  }
}

let lastSize = '';
// Pictures of one size stay where a person has moved them.
function arrive(pair) {
  const size = `${pair.width}×${pair.height}`;
  const stays = size === lastSize && shown.start === 'hand';
  lastSize = size;
  shown.pair = pair;
  shown.view = canShow(shown.wantedView) ? shown.wantedView : 'side';
  byId('more').append(...describePair(pair));
  if (!stays) {
    shown.cursor = null;
    if (shown.start === 'hand') shown.start = 'place';
    if (shown.start === 'whole') fit();
    else beginAtDifference();
  }
  showControls();
}

// ---- Controls.
// Pictures of different channels have no pixel difference. ꟻLIP exists if it was measured.
function canShow(view) {
  const {golden, actual, difference, flip} = shown.pair ?? {};
  return Boolean(golden && actual && (view !== 'difference' || difference) && (view !== 'flip' || flip));
}

// The view is remembered, also for the next report.
const VIEW_KEY = 'roundel-view';
function rememberedView() {
  try {
    return VIEWS.find(view => view === localStorage.getItem(VIEW_KEY)) ?? 'side';
  } catch {  // a browser may keep nothing for files
    return 'side';
  }
}

function setView(view) {
  shown.view = shown.wantedView = view;
  try {
    localStorage.setItem(VIEW_KEY, view);
  } catch {  // as above
  }
  if (shown.pair && shown.isFitted) fit();
  showControls();
}

function showControls() {
  const {pair, view} = shown;
  for (const radio of document.querySelectorAll('[data-view]')) {
    radio.checked = radio.dataset.view === view;
    radio.disabled = !canShow(radio.dataset.view);
    if (radio.dataset.view === 'flip') radio.parentElement.hidden = !pair?.flip;
  }
  byId('last-view').textContent = pair?.flip ? '6' : '5';
  for (const button of document.querySelectorAll('[data-do]')) button.disabled = !pair;
  for (const name of ['peak', 'before', 'next']) document.querySelector(`[data-do=${name}]`).disabled = !pair?.places.length;
  byId('outlines').firstElementChild.disabled = !pair?.places.length;
  byId('exposure').hidden = shown.exposure === 0 && (!pair || [pair.golden, pair.actual].every(one => !one || one.samples === 'bytes'));
  byId('background').hidden = !pair || [pair.golden, pair.actual].every(one => !one || one.channels % 2 === 1);
  const words = {slider: 'divider', blend: 'actual', blink: 'speed'}[view];
  byId('amount').hidden = !words || !canShow('side');
  byId('amount').firstElementChild.textContent = words ?? '';
  byId('amount').lastElementChild.value = shown.amounts[view] ?? 0;
  clearInterval(blinking);
  if (view === 'blink' && canShow('side')) blinking = setInterval(flip, 1500 - 14 * shown.amounts.blink);
  showPlace();
  paint();
}

function showPlace() {
  const {pair, place} = shown;
  if (!pair?.places.length) return announce('place', '');
  const all = pair.allPlaces;
  const text = place < 0 ? plural(all, 'place') : `${grouped(place + 1)} of ${grouped(all)}`;
  announce('place', text);
  if (place >= 0) announce('pixel', `place ${text}, ${readout()}`);
}

function setAmount(value) {
  if (!(shown.view in shown.amounts)) return;
  shown.amounts[shown.view] = Math.min(100, Math.max(0, Math.round(value)));
  showControls();
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

function setExposure(stops) {
  shown.exposure = Math.min(10, Math.max(-10, stops));
  const [range, text] = byId('exposure').children;
  range.value = shown.exposure;
  text.textContent = shown.exposure > 0 ? '+' + shown.exposure : String(shown.exposure).replace('-', '−');
  showControls();
}

function setOutlines(isOutlined) {
  shown.isOutlined = byId('outlines').firstElementChild.checked = isOutlined;
  paint();
}

// Moves the picture by a control or key; the next one begins in the same way.
function move(start, go) {
  shown.start = start;
  go();
  showPlace();
}

const ACTIONS = {
  out: () => move('hand', () => setScale(shown.scale / 1.5)), in: () => move('hand', () => setScale(shown.scale * 1.5)),
  fit: () => move('whole', fit), peak: () => move('place', goToPeak),
  next: () => move('place', () => stepPlace(1)), before: () => move('place', () => stepPlace(-1)),
};
for (const button of document.querySelectorAll('[data-do]')) button.onclick = ACTIONS[button.dataset.do];
for (const radio of document.querySelectorAll('[data-view]')) {
  radio.onchange = () => setView(radio.dataset.view);
  radio.onclick = event => {  // mouse, not arrow keys, which then belong to the pixel
    if (event.detail > 0) canvas.focus({preventScroll: true});
  };
}
byId('amount').lastElementChild.oninput = event => setAmount(Number(event.target.value));
byId('outlines').firstElementChild.onchange = event => setOutlines(event.target.checked);
byId('exposure').firstElementChild.oninput = event => setExposure(Number(event.target.value));
byId('background').firstElementChild.value = shown.background;
byId('background').firstElementChild.onchange = event => {
  shown.background = event.target.value;
  paint();
};

// ---- Keyboard.
const VIEWS = ['side', 'slider', 'blend', 'blink', 'difference', 'flip'];
const KEYS = {
  j: () => step(1), k: () => step(-1), '/': () => byId('filter').focus(),
  '[': () => setAmount(shown.amounts[shown.view] - 5), ']': () => setAmount(shown.amounts[shown.view] + 5),
  ' ': flipByHand, g: ACTIONS.peak, n: ACTIONS.next, N: ACTIONS.before,
  e: () => setExposure(shown.exposure + 0.5), E: () => setExposure(shown.exposure - 0.5),
  '+': ACTIONS.in, '=': ACTIONS.in, '-': ACTIONS.out, 0: ACTIONS.fit, o: () => setOutlines(!shown.isOutlined),
};
const NEEDS_NO_PAIR = 'jk/';
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

function filterKey(event) {
  if (event.key !== 'Escape' && event.key !== 'Enter') return;
  if (event.key === 'Escape') {
    event.target.value = '';
    filter();
    event.preventDefault();
  }
  event.target.blur();
}

function moveByArrow(event) {
  const [dx, dy] = ARROWS[event.key], steps = event.shiftKey ? 10 : 1;
  moveCursor(steps * dx, steps * dy);
  announce('pixel', readout());
}

document.addEventListener('keydown', event => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'p') {
    event.preventDefault();
    printAll();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const {type, tagName} = event.target;
  if (type === 'search') return filterKey(event);
  if (tagName === 'SELECT') return;  // letters select in it
  if (!shown.pair && !NEEDS_NO_PAIR.includes(event.key)) return;
  const hasOwnKeys = event.target !== document.body && event.target !== canvas;
  if (event.key in ARROWS) {
    if (type === 'range' || type === 'radio' || tagName === 'SUMMARY') return;
    moveByArrow(event);
  } else if (VIEWS[event.key - 1]) {
    if (canShow(VIEWS[event.key - 1])) setView(VIEWS[event.key - 1]);
  } else if (KEYS[event.key] && !(event.key === ' ' && hasOwnKeys)) {
    KEYS[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});

// ---- The page.
// The counts in the head choose what the list shows.
function showCounts() {
  for (const [key, state] of Object.entries({differ: 'differs', new: 'new', missing: 'missing', not_compared: 'not compared', same: 'same'})) {
    const count = run.counts[key];
    if (count === 0) continue;
    const button = element('button', {className: 'state ' + state.replace(' ', '-')}, `${grouped(count)} ${key.replace('_', ' ')}`);
    if (state === 'same') {
      button.title = 'Show the names of these pictures';
      button.onclick = () => { byId('passes').open = !byId('passes').open; };
    } else {
      button.title = 'List only these; again: all';
      button.dataset.state = state;
      button.setAttribute('aria-pressed', 'false');
      button.onclick = () => chooseState(chosenState === state ? '' : state);
    }
    byId('counts').append(button);
  }
}

new ResizeObserver(() => {
  if (shown.pair && shown.isFitted) fit();
  else paint();
}).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
shown.wantedView = shown.view = rememberedView();
showCounts();
filter();
listPasses();
setExposure(0);
const wanted = run.failures.findIndex(failure => '#' + encodeURIComponent(failure.name) === location.hash);
if (run.failures.length > 0) {
  select(wanted >= 0 ? wanted : listed[0]);
} else {
  byId('about').append(element('h2', {}, 'All pictures are the same.'));
  document.body.classList.add('nothing-failed');
  showControls();
}
performance.mark('interactive');
