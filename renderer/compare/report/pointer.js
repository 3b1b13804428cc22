// Mouse, pen or fingers on the canvas: read pixels, pan, zoom, move the slider.
const pointers = new Map();  // pressed pointers and their positions
let isSliding = false;

const placeOf = event => ({x: event.offsetX, y: event.offsetY});

function dividerIsNear({x}) {
  return shown.view === 'slider' && Math.abs(x - shown.amounts.slider / 100 * canvas.clientWidth) < 12;
}

// Returns the middle of two fingers and their distance.
function spanOf([a, b]) {
  return {middle: {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2}, distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y))};
}

function panBy(dx, dy) {
  shown.start = 'hand';
  setScale(shown.scale, {x: shown.center.x - dx / shown.scale, y: shown.center.y - dy / shown.scale});
}

canvas.addEventListener('pointerdown', event => {
  if (!shown.pair) return;
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, placeOf(event));
  isSliding = pointers.size === 1 && dividerIsNear(placeOf(event));
});

canvas.addEventListener('pointermove', event => {
  if (!shown.pair) return;
  const at = placeOf(event), before = pointers.get(event.pointerId);
  if (before && pointers.size === 2) {
    const from = spanOf([...pointers.values()]);
    pointers.set(event.pointerId, at);
    const to = spanOf([...pointers.values()]);
    zoomAt(from.middle, to.distance / from.distance);
    panBy(to.middle.x - from.middle.x, to.middle.y - from.middle.y);
  } else if (before) {
    pointers.set(event.pointerId, at);
    if (isSliding) setAmount(100 * at.x / canvas.clientWidth);
    else panBy(at.x - before.x, at.y - before.y);
  }
  shown.cursor = pixelAt(at);
  canvas.style.cursor = dividerIsNear(at) ? 'ew-resize' : '';
  paint();
});

for (const end of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(end, event => pointers.delete(event.pointerId));
}

// Two fingers zoom the picture, not the page.
for (const touch of ['touchstart', 'touchmove']) {
  canvas.addEventListener(touch, event => {
    if (event.touches.length > 1) event.preventDefault();
  }, {passive: false});
}

canvas.addEventListener('wheel', event => {
  if (!shown.pair) return;
  event.preventDefault();
  shown.start = 'hand';
  zoomAt(placeOf(event), Math.exp(-event.deltaY / 400));
}, {passive: false});

canvas.addEventListener('dblclick', event => {
  if (!shown.pair) return;
  const pixel = pixelAt(placeOf(event));
  shown.start = 'hand';
  setScale(MIN_VALUES_SCALE + 10, {x: pixel.x + 0.5, y: pixel.y + 0.5});
});

// A press on the map shows the picture there.
for (const type of ['pointerdown', 'pointermove']) {
  map.addEventListener(type, event => {
    if (!shown.pair || event.buttons === 0) return;
    map.setPointerCapture(event.pointerId);
    shown.start = 'hand';
    const {width, height} = shown.pair;
    setScale(shown.scale, {x: event.offsetX / map.clientWidth * width, y: event.offsetY / map.clientHeight * height});
  });
}
