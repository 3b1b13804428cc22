// The mouse, a pen or a finger on the canvas: reading pixels, panning, zooming, moving the slider.
let drag = null;  // {x, y, isSlider} while a button is down

function dividerIsNear(event) {
  const divider = shown.amounts.slider / 100 * canvas.clientWidth;
  return shown.view === 'slider' && Math.abs(event.offsetX - divider) < 12;
}

canvas.addEventListener('pointerdown', event => {
  if (!shown.pair) return;
  canvas.setPointerCapture(event.pointerId);
  drag = {x: event.offsetX, y: event.offsetY, isSlider: dividerIsNear(event)};
});

canvas.addEventListener('pointermove', event => {
  if (!shown.pair) return;
  if (drag?.isSlider) {
    setAmount(100 * event.offsetX / canvas.clientWidth);
  } else if (drag) {
    shown.center.x -= (event.offsetX - drag.x) / shown.scale;
    shown.center.y -= (event.offsetY - drag.y) / shown.scale;
    drag.x = event.offsetX;
    drag.y = event.offsetY;
  }
  shown.cursor = pixelAt(event);
  canvas.style.cursor = dividerIsNear(event) ? 'ew-resize' : '';
  paint();
});

for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { drag = null; });

// Zooms about the point under the pointer, which stays where it is.
canvas.addEventListener('wheel', event => {
  if (!shown.pair) return;
  event.preventDefault();
  const pane = panes().find(one => event.offsetX <= one.left + one.width) ?? panes()[0];
  const at = {x: event.offsetX - pane.left - pane.width / 2, y: event.offsetY - canvas.clientHeight / 2};
  const point = {x: shown.center.x + at.x / shown.scale, y: shown.center.y + at.y / shown.scale};
  const scale = Math.min(MAX_SCALE, Math.max(0.02, shown.scale * Math.exp(-event.deltaY / 400)));
  setScale(scale, {x: point.x - at.x / scale, y: point.y - at.y / scale});
}, {passive: false});

canvas.addEventListener('dblclick', event => {
  const pixel = shown.pair && pixelAt(event);
  if (pixel) setScale(WRITES_VALUES_FROM + 10, {x: pixel.x + 0.5, y: pixel.y + 0.5});
});
