// One pair of pictures on a canvas: every view, at any zoom. `shown` is the state, and only paint()
// draws it.
const MIN_VALUES_SCALE = 30;  // CSS pixels per pixel
const MIN_SCALE = 0.005, MAX_SCALE = 96;
const MAX_PLACE_SCALE = 24;   // upper limit when showing a place
const OPENING_SCALE = 8;      // … when a failure is opened at its largest difference
const LABEL_HEIGHT = 22, GAP = 8, MARGIN = 6;  // CSS pixels: above a pane, between two, around a whole picture
const NARROW = 640;           // CSS pixels: narrower canvases may show golden above actual
const MAP_SIDES = {wide: [150, 110], narrow: [96, 72]};  // CSS pixels, of the small map
const BACKGROUNDS = {light: ['#ffffff', '#e3e6ea'], dark: ['#2a3038', '#22272e'], white: ['#ffffff'], black: ['#000000']};
const canvas = document.getElementById('canvas'), map = document.getElementById('map');
const shown = {
  view: 'side',             // differs from wantedView for a picture that cannot be shown like that
  wantedView: 'side',
  start: 'place',           // start of the next picture: 'place', 'whole', or 'hand' (stays where it is)
  isOutlined: true,
  amounts: {slider: 50, blend: 50, blink: 50},
  isActual: false,          // the visible one of the two blinking pictures
  pair: null,               // from loadPair()
  place: -1,                // index of the last visited place
  isFitted: true,           // the whole picture is visible, whatever the canvas's size
  scale: 1,                 // CSS pixels per pixel
  center: {x: 0, y: 0},     // point of the picture in the middle of a pane
  cursor: null,             // the pixel whose values are shown
  exposure: 0,              // stops
  background: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
};

// Returns the values of a layer's pixel; null outside of the picture, and for a reduced picture.
function valuesAt(name, x, y) {
  const picture = shown.pair[name];
  if (!picture || shown.pair.factor > 1 || x < 0 || y < 0 || x >= picture.width || y >= picture.height) return null;
  return valuesOf(picture, x, y);
}

// Returns true if both pictures are larger one above the other.
function isStacked() {
  const {clientWidth: width, clientHeight: height} = canvas, {pair} = shown;
  const scaleIn = (paneWidth, paneHeight) => Math.min(paneWidth / pair.width, paneHeight / pair.height);
  return width < NARROW && scaleIn(width, (height - GAP) / 2 - LABEL_HEIGHT) > scaleIn((width - GAP) / 2, height - LABEL_HEIGHT);
}

// Returns why there is one picture only.
function singleLabel() {
  const isBroken = run.failures[current].state === 'not compared';
  if (shown.pair.golden) return isBroken ? 'golden (actual cannot be shown)' : 'golden (there is no picture to compare)';
  return isBroken ? 'actual (the golden cannot be shown)' : 'actual (there is no golden)';
}

// Returns the panes of the view: {left, top, width, height, label, layers}, layers from bottom to top.
function panes() {
  const {golden, actual} = shown.pair;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const box = (label, layers, more) => ({left: 0, top: LABEL_HEIGHT, width, height: height - LABEL_HEIGHT, label, layers, ...more});
  const whole = (label, ...layers) => [box(label, layers)];
  const layer = (name, more) => ({name, alpha: 1, from: 0, to: width, ...more});
  if (!golden || !actual) return whole(singleLabel(), layer(golden ? 'golden' : 'actual'));
  const part = shown.amounts[shown.view] / 100;
  switch (shown.view) {
    case 'slider':
      return whole('golden | actual', layer('golden', {to: part * width}), layer('actual', {from: part * width}));
    case 'blend':
      return whole(`actual ${Math.round(100 * part)} % over golden`, layer('golden'), layer('actual', {alpha: part}));
    case 'blink':
      return shown.isActual ? whole('actual', layer('actual')) : whole('golden', layer('golden'));
    case 'difference':
      return whole('differing pixels', layer('difference'));
    case 'flip':
      return whole('ꟻLIP, black where the pictures look the same', layer('flip'));
  }
  const both = [box('golden', [layer('golden')]), box('actual', [layer('actual')])];
  if (isStacked()) {
    const half = (height - GAP) / 2;
    both.forEach((pane, i) => Object.assign(pane, {top: i * (half + GAP) + LABEL_HEIGHT, height: half - LABEL_HEIGHT}));
  } else {
    const half = (width - GAP) / 2;
    both.forEach((pane, i) => Object.assign(pane, {left: i * (half + GAP), width: half}));
  }
  return both;
}

const screenX = (pane, x) => pane.left + pane.width / 2 + (x - shown.center.x) * shown.scale;
const screenY = (pane, y) => pane.top + pane.height / 2 + (y - shown.center.y) * shown.scale;

function paneAt({x, y}) {
  const all = panes();
  return all.findLast(one => x >= one.left && y >= one.top - LABEL_HEIGHT) ?? all[0];
}

// Returns the picture's point at a point of the canvas.
function pointAt(at) {
  const pane = paneAt(at);
  return {x: (at.x - pane.left - pane.width / 2) / shown.scale + shown.center.x,
          y: (at.y - pane.top - pane.height / 2) / shown.scale + shown.center.y};
}

function pixelAt(at) {
  const {x, y} = pointAt(at);
  return {x: Math.floor(x), y: Math.floor(y)};
}

// Returns the visible pixels of a pane, and a few around: {x0, y0, x1, y1}.
function inSight(pane) {
  const half = {x: pane.width / 2 / shown.scale, y: pane.height / 2 / shown.scale};
  return {x0: Math.max(0, Math.floor(shown.center.x - half.x)), y0: Math.max(0, Math.floor(shown.center.y - half.y)),
          x1: Math.min(shown.pair.width, Math.ceil(shown.center.x + half.x) + 1),
          y1: Math.min(shown.pair.height, Math.ceil(shown.center.y + half.y) + 1)};
}

function paint() {
  const ratio = window.devicePixelRatio;
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = styleOf('--panel');
  context.fillRect(0, 0, width, height);
  if (shown.pair) for (const pane of panes()) paintPane(context, pane);
  paintMap();
  document.getElementById('scale').textContent = `${Number((100 * shown.scale).toPrecision(3))} %`;
  document.getElementById('readout').textContent = readout();
  // One finger scrolls the page until the picture can be moved; two fingers always zoom.
  canvas.style.touchAction = shown.pair && !shown.isFitted ? 'none' : 'pan-y';
}

const styleOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function clipTo(context, {left, top, width, height}) {
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
}

function paintPane(context, pane) {
  context.font = '12px system-ui, sans-serif';
  context.fillStyle = styleOf('--text');
  context.textAlign = 'left';
  context.fillText(pane.label, pane.left + 6, pane.top - 7, pane.width - 12);
  context.save();
  clipTo(context, pane);
  context.fillStyle = styleOf('--mat');
  context.fillRect(pane.left, pane.top, pane.width, pane.height);
  for (const layer of pane.layers) paintLayer(context, pane, layer);
  if (shown.scale >= MIN_VALUES_SCALE) writeValues(context, pane);
  if (shown.isOutlined) outlinePlaces(context, pane);
  if (shown.cursor && shown.scale >= 4) {
    context.strokeStyle = styleOf('--accent');
    context.lineWidth = 2;
    context.strokeRect(screenX(pane, shown.cursor.x), screenY(pane, shown.cursor.y), shown.scale, shown.scale);
  }
  if (shown.view === 'slider' && pane.layers.length > 1) {
    context.fillStyle = styleOf('--accent');
    context.fillRect(pane.layers[1].from - 1, pane.top, 2, pane.height);
  }
  context.restore();
}

// Draws a box around each place; a place of one pixel has a box, too, that catches the eye.
function outlinePlaces(context, pane) {
  const strokes = [[4, 'rgb(255 255 255 / .75)'], [2, styleOf('--outline')]];
  for (const place of shown.pair.places) {
    const sides = ['width', 'height'].map(side => Math.max(12, place[side] * shown.scale + 8));
    const left = screenX(pane, place.x + place.width / 2) - sides[0] / 2, top = screenY(pane, place.y + place.height / 2) - sides[1] / 2;
    for (const [width, color] of strokes) {
      context.lineWidth = width;
      context.strokeStyle = color;
      context.strokeRect(Math.round(left), Math.round(top), ...sides.map(Math.round));
    }
  }
}

// Draws a small map of a picture that is not in sight as a whole, with its places and the part in sight.
function paintMap() {
  map.hidden = !shown.pair || shown.isFitted;
  if (map.hidden) return;
  const {pair, center} = shown, [width, height] = MAP_SIDES[canvas.clientWidth < NARROW ? 'narrow' : 'wide'];
  const scale = Math.min(width / pair.width, height / pair.height), ratio = window.devicePixelRatio;
  const sides = [Math.max(4, pair.width * scale), Math.max(4, pair.height * scale)];
  [map.width, map.height] = sides.map(side => Math.round(side * ratio));
  [map.style.width, map.style.height] = sides.map(side => side + 'px');
  const context = map.getContext('2d'), pane = panes()[0];
  context.scale(ratio, ratio);
  context.drawImage(surfaceOf(pair.actual ?? pair.golden, shown.exposure), 0, 0, ...sides);
  markPlaces(context, pair.places, scale);
  const seen = [pane.width * scale / shown.scale, pane.height * scale / shown.scale];
  for (const [line, color] of [[3, '#fff'], [1.5, styleOf('--accent')]]) {
    context.lineWidth = line;
    context.strokeStyle = color;
    context.strokeRect(center.x * scale - seen[0] / 2, center.y * scale - seen[1] / 2, ...seen);
  }
}

// Fills every place on a picture that was reduced to this scale.
function markPlaces(context, places, scale) {
  context.strokeStyle = styleOf('--outline');
  context.lineWidth = 1.5;
  for (const {x, y, width, height} of places) {
    const sides = [Math.max(4, width * scale), Math.max(4, height * scale)];
    context.strokeRect((x + width / 2) * scale - sides[0] / 2, (y + height / 2) * scale - sides[1] / 2, ...sides);
  }
}

// Colours of difference and ꟻLIP are a scale, not light.
const isOwn = name => name === 'golden' || name === 'actual';

function paintLayer(context, pane, {name, alpha, from, to}) {
  const picture = shown.pair[name], {factor} = shown.pair;
  const left = screenX(pane, 0), top = screenY(pane, 0);
  context.save();
  clipTo(context, {left: from, top: pane.top, width: to - from, height: pane.height});
  context.strokeStyle = styleOf('--edge');
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, picture.width * shown.scale + 1, picture.height * shown.scale + 1);
  if (picture.channels % 2 === 0 && alpha === 1) {
    paintBackground(context, left, top, picture.width * shown.scale, picture.height * shown.scale);
  }
  context.globalAlpha = alpha;
  const surface = surfaceOf(picture, isOwn(name) ? shown.exposure : 0), unit = factor * shown.scale;
  context.imageSmoothingEnabled = unit < 1;
  context.imageSmoothingQuality = 'high';
  context.drawImage(surface, left, top, surface.width * unit, surface.height * unit);
  context.restore();
}

// Paints what shows through transparent pixels; chequers are fixed to the screen.
function paintBackground(context, left, top, width, height) {
  const [first, second = first] = BACKGROUNDS[shown.background];
  const tile = document.createElement('canvas');
  tile.width = tile.height = 16;
  const squares = tile.getContext('2d');
  squares.fillStyle = first;
  squares.fillRect(0, 0, 16, 16);
  squares.fillStyle = second;
  squares.fillRect(0, 0, 8, 8);
  squares.fillRect(8, 8, 8, 8);
  context.fillStyle = context.createPattern(tile, 'repeat');
  context.fillRect(left, top, width, height);
}

// Writes the values of every visible pixel into it.
function writeValues(context, pane) {
  const {x0, y0, x1, y1} = inSight(pane);
  context.textAlign = 'center';
  for (let y = y0; y < y1; ++y) {
    for (let x = x0; x < x1; ++x) {
      const middle = screenX(pane, x + 0.5);
      const layer = pane.layers.findLast(one => middle >= one.from && middle < one.to);
      if (!layer || layer.alpha < 1) continue;
      const values = isOwn(layer.name) ? valuesAt(layer.name, x, y) : deltaAt(x, y);
      if (!values) continue;
      const line = shown.scale / (values.length + 1);
      const texts = values.map(value => valueText(value, 4));
      const longest = Math.max(3, ...texts.map(text => text.length));
      context.font = `${Math.min(line, 1.2 * shown.scale / longest)}px ui-monospace, monospace`;
      context.fillStyle = lumaOf(shown.pair[layer.name], x, y) > 128 ? '#000' : '#fff';
      texts.forEach((text, i) => context.fillText(text, middle, screenY(pane, y) + (i + 1.1) * line));
    }
  }
}

function deltaAt(x, y) {
  const golden = valuesAt('golden', x, y), actual = valuesAt('actual', x, y);
  if (!golden || !actual || golden.length !== actual.length) return null;
  return golden.map((value, i) => deltaOf(value, actual[i]));
}

function readout() {
  if (!shown.pair || !shown.cursor) return '';
  const {x, y} = shown.cursor;
  const list = values => values ? values.map(value => valueText(value)).join(' ') : 'none';
  if (shown.pair.factor > 1) return `x ${x}, y ${y}   no values: the picture is too large, it is shown reduced`;
  return `x ${x}, y ${y}   golden ${list(valuesAt('golden', x, y))}` +
      `   actual ${list(valuesAt('actual', x, y))}   difference ${list(deltaAt(x, y))}`;
}

const inLimits = scale => Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));

function setScale(scale, center = shown.center, isFitted = false) {
  Object.assign(shown, {scale: inLimits(scale), center, isFitted});
  paint();
}

// Zooms about a point of the canvas, which stays in place.
function zoomAt(at, factor) {
  const point = pointAt(at);
  const scale = inLimits(shown.scale * factor);
  const ratio = shown.scale / scale;
  setScale(scale, {x: point.x + (shown.center.x - point.x) * ratio, y: point.y + (shown.center.y - point.y) * ratio});
}

// Shows the whole picture, with a margin if that makes it smaller than in the files.
function fit() {
  const {width, height} = shown.pair, [pane] = panes();
  const scale = Math.min((pane.width - 2 * MARGIN) / width, (pane.height - 2 * MARGIN) / height);
  setScale(scale > 1 ? Math.floor(scale) : scale, {x: width / 2, y: height / 2}, true);
}

// Returns the point nearest to `center` at which the picture, if it is large enough, fills the pane.
function filling(center, scale) {
  const {pair} = shown, [pane] = panes();
  const along = (at, side, paneSide) => {
    const half = paneSide / 2 / scale;
    return 2 * half >= side ? side / 2 : Math.min(side - half, Math.max(half, at));
  };
  return {x: along(center.x, pair.width, pane.width), y: along(center.y, pair.height, pane.height)};
}

const middleOf = place => ({x: place.x + place.width / 2, y: place.y + place.height / 2});

function scaleOf(place, part) {
  const [pane] = panes();
  return part * Math.min(pane.width / place.width, pane.height / place.height);
}

// Shows a picture that was just opened at its largest difference, and what is around it.
function beginAtDifference() {
  fit();
  const [place] = shown.pair.places;
  if (!place) return;
  shown.place = 0;
  shown.cursor = {...place.peak};
  const scale = Math.min(OPENING_SCALE, scaleOf(place, 0.5));
  if (scale > 1.25 * shown.scale) setScale(scale, filling(middleOf(place), scale));
  else paint();
}

// Moves to the pixel with the largest difference.
function goToPeak() {
  if (shown.pair.places.length === 0) return;
  const {peak} = shown.pair.places[0];
  shown.place = 0;
  shown.cursor = {...peak};
  setScale(Math.max(shown.scale, MAX_PLACE_SCALE), {x: peak.x + 0.5, y: peak.y + 0.5});
}

// Shows the next place where pixels differ, as a whole.
function stepPlace(direction) {
  const {places} = shown.pair;
  if (places.length === 0) return;
  shown.place = shown.place < 0 && direction < 0 ? places.length - 1 : (shown.place + direction + places.length) % places.length;
  const place = places[shown.place];
  shown.cursor = {...place.peak};
  setScale(Math.min(MAX_PLACE_SCALE, scaleOf(place, 0.8)), middleOf(place));
}

function moveCursor(dx, dy) {
  const {width, height} = shown.pair;
  const from = shown.cursor ?? {x: Math.floor(shown.center.x), y: Math.floor(shown.center.y)};
  shown.cursor = {x: Math.min(width - 1, Math.max(0, from.x + dx)), y: Math.min(height - 1, Math.max(0, from.y + dy))};
  const pane = panes()[0], reach = {x: pane.width / 2 / shown.scale - 2, y: pane.height / 2 / shown.scale - 2};
  const follow = (center, at, half) => half < 1 ? at + 0.5 : Math.min(at + half, Math.max(at - half, center));
  if (!shown.isFitted) {
    shown.center = {x: follow(shown.center.x, shown.cursor.x, reach.x), y: follow(shown.center.y, shown.cursor.y, reach.y)};
  }
  paint();
}
