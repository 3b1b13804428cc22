// One pair of pictures on a canvas: every view, at any zoom. What is shown is in `shown`, and
// paint() draws it; nothing else does.
const WRITES_VALUES_FROM = 30;  // CSS pixels that a pixel must take to have its values written in it
const MAX_SCALE = 96;
const canvas = document.getElementById('canvas');
const shown = {
  view: 'side',
  amounts: {slider: 50, blend: 50, blink: 50},
  isActual: false,          // which of the two blinking shows
  pair: null,               // {golden, actual, difference, flip}: layers, or null where there is none
  origin: {x: 0, y: 0},     // of a part that stands for a large picture
  scale: 1,                 // CSS pixels a pixel
  center: {x: 0, y: 0},     // the point of the picture in the middle of a pane
  cursor: null,             // the pixel that is read
};

// A decoded picture with the canvas that it is drawn from.
function makeLayer(picture) {
  const surface = document.createElement('canvas');
  surface.width = picture.width;
  surface.height = picture.height;
  surface.getContext('2d').putImageData(
      new ImageData(picture.values, picture.width, picture.height), 0, 0);
  return {...picture, surface};
}

function valuesAt(picture, x, y) {
  if (!picture || x < 0 || y < 0 || x >= picture.width || y >= picture.height) return null;
  const at = 4 * (y * picture.width + x);
  return picture.values.slice(at, at + picture.channels);
}

// The panes of the view: {left, width, label, layers}, layers from the bottom to the top.
function panes() {
  const {golden, actual, difference} = shown.pair;
  const width = canvas.clientWidth;
  const whole = (label, ...layers) => [{left: 0, width, label, layers}];
  const layer = (picture, more) => ({picture, alpha: 1, from: 0, to: width, ...more});
  if (!golden || !actual) {
    return whole(golden ? 'golden (no picture to compare)' : 'actual (no golden)', layer(golden || actual));
  }
  const part = shown.amounts[shown.view] / 100;
  switch (shown.view) {
    case 'slider':
      return whole('golden | actual', layer(golden, {to: part * width}), layer(actual, {from: part * width}));
    case 'blend':
      return whole(`actual ${Math.round(100 * part)} % over golden`, layer(golden), layer(actual, {alpha: part}));
    case 'blink':
      return shown.isActual ? whole('actual', layer(actual)) : whole('golden', layer(golden));
    case 'difference':
      return whole('differing pixels', layer(difference));
    case 'flip':
      return whole('ꟻLIP, black where the pictures look the same', layer(shown.pair.flip));
    default: {
      const half = (width - 8) / 2;
      return [{left: 0, width: half, label: 'golden', layers: [layer(golden)]},
              {left: half + 8, width: half, label: 'actual', layers: [layer(actual)]}];
    }
  }
}

function size() {
  const {golden, actual} = shown.pair;
  return {width: Math.max(golden?.width ?? 0, actual?.width ?? 0),
          height: Math.max(golden?.height ?? 0, actual?.height ?? 0)};
}

const screenX = (pane, x) => pane.left + pane.width / 2 + (x - shown.center.x) * shown.scale;
const screenY = y => canvas.clientHeight / 2 + (y - shown.center.y) * shown.scale;

function pixelAt(event) {
  const at = {x: event.offsetX, y: event.offsetY};
  const pane = panes().find(one => at.x >= one.left && at.x <= one.left + one.width);
  if (!pane) return null;
  return {x: Math.floor((at.x - pane.left - pane.width / 2) / shown.scale + shown.center.x),
          y: Math.floor((at.y - canvas.clientHeight / 2) / shown.scale + shown.center.y)};
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
  if (shown.scale >= WRITES_VALUES_FROM) writeValues(context, pane);
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

function paintLayer(context, pane, {picture, alpha, from, to}) {
  const left = screenX(pane, 0), top = screenY(0);
  const width = picture.width * shown.scale, height = picture.height * shown.scale;
  context.save();
  clipTo(context, from, to - from);
  if (picture.channels === 4 && alpha === 1) paintChecks(context, left, top, width, height);
  context.globalAlpha = alpha;
  context.imageSmoothingEnabled = shown.scale < 1;
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture.surface, left, top, width, height);
  context.restore();
}

// What shows through transparent pixels; on the screen, not on the picture.
function paintChecks(context, left, top, width, height) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 16;
  const squares = tile.getContext('2d');
  squares.fillStyle = styleOf('--check-a');
  squares.fillRect(0, 0, 16, 16);
  squares.fillStyle = styleOf('--check-b');
  squares.fillRect(0, 0, 8, 8);
  squares.fillRect(8, 8, 8, 8);
  context.fillStyle = context.createPattern(tile, 'repeat');
  context.fillRect(left, top, width, height);
}

// The values of every pixel in sight, in the pixel.
function writeValues(context, pane) {
  const {golden, actual} = shown.pair;
  const first = {x: Math.floor(shown.center.x - pane.width / 2 / shown.scale),
                 y: Math.floor(shown.center.y - canvas.clientHeight / 2 / shown.scale)};
  const count = {x: pane.width / shown.scale + 2, y: canvas.clientHeight / shown.scale + 2};
  context.textAlign = 'center';
  for (let y = first.y; y < first.y + count.y; ++y) {
    for (let x = first.x; x < first.x + count.x; ++x) {
      const middle = screenX(pane, x + 0.5);
      const layer = pane.layers.findLast(one => middle >= one.from && middle < one.to);
      if (!layer || layer.alpha < 1) continue;
      const back = valuesAt(layer.picture, x, y);
      if (!back) continue;
      const isOwn = layer.picture === golden || layer.picture === actual;
      const values = isOwn ? back : deltaAt(x, y) ?? [];
      const line = shown.scale / (values.length + 1);
      context.font = `${Math.min(line, shown.scale / 3)}px ui-monospace, monospace`;
      context.fillStyle = 0.3 * back[0] + 0.6 * back[1] + 0.1 * back[2] > 128 ? '#000' : '#fff';
      values.forEach((value, i) => context.fillText(value, middle, screenY(y) + (i + 1.1) * line));
    }
  }
}

function deltaAt(x, y) {
  const golden = valuesAt(shown.pair.golden, x, y), actual = valuesAt(shown.pair.actual, x, y);
  if (!golden || !actual || golden.length !== actual.length) return null;
  return Array.from(golden, (value, i) => Math.abs(value - actual[i]));
}

function readout() {
  if (!shown.pair || !shown.cursor) return '';
  const {x, y} = shown.cursor;
  const list = values => values ? Array.from(values).join(' ') : 'none';
  return `x ${x + shown.origin.x}, y ${y + shown.origin.y}   golden ${list(valuesAt(shown.pair.golden, x, y))}` +
      `   actual ${list(valuesAt(shown.pair.actual, x, y))}   difference ${list(deltaAt(x, y))}`;
}

function setScale(scale, center = shown.center) {
  shown.scale = Math.min(MAX_SCALE, Math.max(0.02, scale));
  shown.center = center;
  paint();
}

function fit() {
  const {width, height} = size();
  const scale = Math.min(panes()[0].width / width, canvas.clientHeight / height);
  setScale(scale > 1 ? Math.floor(scale) : scale, {x: width / 2, y: height / 2});
}

// Centres a box of pixels, large enough for the eye.
function goTo(box) {
  const center = {x: box.x + box.width / 2 - shown.origin.x, y: box.y + box.height / 2 - shown.origin.y};
  shown.cursor = {x: Math.floor(center.x), y: Math.floor(center.y)};
  setScale(Math.max(2, Math.min(panes()[0].width / box.width, canvas.clientHeight / box.height) * 0.9), center);
}

function moveCursor(dx, dy) {
  const {width, height} = size();
  const from = shown.cursor ?? {x: Math.floor(shown.center.x), y: Math.floor(shown.center.y)};
  shown.cursor = {x: Math.min(width - 1, Math.max(0, from.x + dx)), y: Math.min(height - 1, Math.max(0, from.y + dy))};
  const pane = panes()[0], reach = {x: pane.width / 2 / shown.scale - 2, y: canvas.clientHeight / 2 / shown.scale - 2};
  const follow = (center, at, half) => half < 1 ? at + 0.5 : Math.min(at + half, Math.max(at - half, center));
  shown.center = {x: follow(shown.center.x, shown.cursor.x, reach.x), y: follow(shown.center.y, shown.cursor.y, reach.y)};
  paint();
}
