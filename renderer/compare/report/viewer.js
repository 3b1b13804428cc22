// One pair of pictures on a canvas: every view, at any zoom. `shown` is the state, and only paint()
// draws it.
const MIN_VALUES_SCALE = 30;  // CSS pixels per pixel
const MIN_SCALE = 0.005, MAX_SCALE = 96;
const MAX_PLACE_SCALE = 24;   // upper limit when showing a place
const BACKGROUNDS = {light: ['#ffffff', '#e3e6ea'], dark: ['#2a3038', '#22272e'], white: ['#ffffff'], black: ['#000000']};
const canvas = document.getElementById('canvas');
const shown = {
  view: 'side',
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

// Returns the panes of the view: {left, width, label, layers}, layers from bottom to top.
function panes() {
  const {golden, actual} = shown.pair;
  const width = canvas.clientWidth;
  const whole = (label, ...layers) => [{left: 0, width, label, layers}];
  const layer = (name, more) => ({name, alpha: 1, from: 0, to: width, ...more});
  if (!golden || !actual) {
    return whole(golden ? 'golden (no picture to compare)' : 'actual (no golden)', layer(golden ? 'golden' : 'actual'));
  }
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
    default: {
      const half = (width - 8) / 2;
      return [{left: 0, width: half, label: 'golden', layers: [layer('golden')]},
              {left: half + 8, width: half, label: 'actual', layers: [layer('actual')]}];
    }
  }
}

const screenX = (pane, x) => pane.left + pane.width / 2 + (x - shown.center.x) * shown.scale;
const screenY = y => canvas.clientHeight / 2 + (y - shown.center.y) * shown.scale;

// Returns the picture's point at a point of the canvas.
function pointAt({x, y}) {
  const pane = panes().find(one => x <= one.left + one.width) ?? panes()[0];
  return {x: (x - pane.left - pane.width / 2) / shown.scale + shown.center.x,
          y: (y - canvas.clientHeight / 2) / shown.scale + shown.center.y};
}

function pixelAt(at) {
  const {x, y} = pointAt(at);
  return {x: Math.floor(x), y: Math.floor(y)};
}

// Returns the visible pixels of a pane, and a few around: {x0, y0, x1, y1}.
function inSight(pane) {
  const half = {x: pane.width / 2 / shown.scale, y: canvas.clientHeight / 2 / shown.scale};
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
  document.getElementById('scale').textContent = `${Number((100 * shown.scale).toPrecision(3))} %`;
  document.getElementById('readout').textContent = readout();
  // One finger scrolls the page until the picture can be moved; two fingers always zoom.
  canvas.style.touchAction = shown.pair && !shown.isFitted ? 'none' : 'pan-y';
}

const styleOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function clipTo(context, left, width) {
  context.beginPath();
  context.rect(left, 0, width, canvas.clientHeight);
  context.clip();
}

function paintPane(context, pane) {
  context.save();
  clipTo(context, pane.left, pane.width);
  for (const layer of pane.layers) paintLayer(context, pane, layer);
  if (shown.scale >= MIN_VALUES_SCALE) writeValues(context, pane);
  if (shown.cursor && shown.scale >= 4) {
    context.strokeStyle = styleOf('--accent');
    context.lineWidth = 2;
    context.strokeRect(screenX(pane, shown.cursor.x), screenY(shown.cursor.y), shown.scale, shown.scale);
  }
  if (shown.view === 'slider' && pane.layers.length > 1) {
    context.fillStyle = styleOf('--accent');
    context.fillRect(pane.layers[1].from - 1, 0, 2, canvas.clientHeight);
  }
  context.font = '12px system-ui, sans-serif';
  const labelWidth = context.measureText(pane.label).width + 12;
  context.fillStyle = styleOf('--panel');
  context.fillRect(pane.left, 0, labelWidth, 20);
  context.fillStyle = styleOf('--text');
  context.textAlign = 'left';
  context.fillText(pane.label, pane.left + 6, 14);
  context.restore();
}

// Colours of difference and ꟻLIP are a scale, not light.
const isOwn = name => name === 'golden' || name === 'actual';

function paintLayer(context, pane, {name, alpha, from, to}) {
  const picture = shown.pair[name], {factor} = shown.pair;
  const left = screenX(pane, 0), top = screenY(0);
  context.save();
  clipTo(context, from, to - from);
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
      texts.forEach((text, i) => context.fillText(text, middle, screenY(y) + (i + 1.1) * line));
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

function fit() {
  const {width, height} = shown.pair;
  const scale = Math.min(panes()[0].width / width, canvas.clientHeight / height);
  setScale(scale > 1 ? Math.floor(scale) : scale, {x: width / 2, y: height / 2}, true);
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
  const scale = 0.8 * Math.min(panes()[0].width / place.width, canvas.clientHeight / place.height);
  setScale(Math.min(MAX_PLACE_SCALE, scale), {x: place.x + place.width / 2, y: place.y + place.height / 2});
}

function moveCursor(dx, dy) {
  const {width, height} = shown.pair;
  const from = shown.cursor ?? {x: Math.floor(shown.center.x), y: Math.floor(shown.center.y)};
  shown.cursor = {x: Math.min(width - 1, Math.max(0, from.x + dx)), y: Math.min(height - 1, Math.max(0, from.y + dy))};
  const pane = panes()[0], reach = {x: pane.width / 2 / shown.scale - 2, y: canvas.clientHeight / 2 / shown.scale - 2};
  const follow = (center, at, half) => half < 1 ? at + 0.5 : Math.min(at + half, Math.max(at - half, center));
  if (!shown.isFitted) {
    shown.center = {x: follow(shown.center.x, shown.cursor.x, reach.x), y: follow(shown.center.y, shown.cursor.y, reach.y)};
  }
  paint();
}
