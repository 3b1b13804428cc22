// Small pictures in the list: the new picture, with the places that differ. They are made of the
// pictures themselves, one after the other, of those in sight.
const THUMB = {width: 56, height: 42};     // CSS pixels
const MAX_THUMB_BYTES = 2 << 20;           // larger files wait until they are selected
const MAX_THUMBS = 400;                    // limit of those that are kept
const thumbs = new Map();                  // canvases by index; dataset.done: has its picture

function thumbOf(index) {
  const thumb = thumbs.get(index) ?? element('canvas', {className: 'thumb', width: 2 * THUMB.width, height: 2 * THUMB.height});
  thumb.setAttribute('aria-hidden', 'true');
  thumbs.delete(index);  // moves it to the end, as the most recent
  thumbs.set(index, thumb);
  for (const old of [...thumbs.keys()].slice(0, -MAX_THUMBS)) thumbs.delete(old);
  return thumb;
}

function drawThumb(thumb, pair) {
  const surface = surfaceOf((pair.actual ?? pair.golden), 0), context = thumb.getContext('2d');
  const scale = Math.min((thumb.width - 4) / pair.width, (thumb.height - 4) / pair.height);
  const sides = [Math.max(2, pair.width * scale), Math.max(2, pair.height * scale)];
  context.translate((thumb.width - sides[0]) / 2, (thumb.height - sides[1]) / 2);
  context.imageSmoothingEnabled = scale < 1;
  context.imageSmoothingQuality = 'high';
  context.drawImage(surface, 0, 0, surface.width * pair.factor * scale, surface.height * pair.factor * scale);
  context.strokeStyle = styleOf('--edge');
  context.strokeRect(0, 0, ...sides);
  markPlaces(context, pair.places.slice(0, 50), scale);
  thumb.dataset.done = '';
}

let isFilling = false;
async function fillThumbs() {
  if (isFilling || (current >= 0 && run.failures[current].pictures && !shown.pair)) return;  // the large picture comes first
  isFilling = true;
  for (let thumb; (thumb = nextThumb());) {
    const index = Number(thumb.parentElement.dataset.index);
    try {
      drawThumb(thumb, await (index === current ? pairOf(index) : loadPair(index)));
    } catch {  // selecting it tells the problem
      thumb.dataset.done = '';
    }
    await new Promise(requestAnimationFrame);
  }
  isFilling = false;
}

function nextThumb() {
  return [...list.querySelectorAll('.thumb:not([data-done])')].find(thumb => {
    const index = Number(thumb.parentElement.dataset.index), {pictures} = run.failures[index];
    return pictures && (index === current || pictures.bytes <= MAX_THUMB_BYTES);
  });
}
