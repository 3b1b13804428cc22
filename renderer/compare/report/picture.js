// Pictures with the values of their files, and their display on a screen of 8 bits.

// Returns {width, height, channels, samples, values, columns}. Values are RGBA: bytes 0 to 255,
// words 0 to 65535, floats linear and premultiplied. A reduced picture has fewer values than width
// and height.
async function decodePicture({width, height, channels, samples, png}) {
  const image = await decodePng(png);
  const picture = {width, height, channels, samples, values: image.values, columns: image.width, exposure: null};
  return samples === 'floats' ? {...picture, values: floatsOf(image, width), columns: width} : picture;
}

// The four bytes of a float arrive as a pixel.
function floatsOf(image, width) {
  const floats = new Float32Array(image.values.buffer);
  if (image.width === 4 * width) return floats;
  const values = new Float32Array(floats.length / 3 * 4);
  for (let from = 0, to = 0; from < floats.length; from += 3, to += 4) {
    values.set(floats.subarray(from, from + 3), to);
    values[to + 3] = 1;
  }
  return values;
}

// Returns the values of a pixel inside the picture, one per channel of the file.
function valuesOf(picture, x, y) {
  const at = 4 * (y * picture.columns + x);
  const all = Array.from(picture.values.subarray(at, at + 4));
  return picture.channels < 3 ? [all[0], ...(picture.channels === 2 ? [all[3]] : [])] : all.slice(0, picture.channels);
}

// ---- From values to the screen.
const encode = light => light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
const decode = shade => shade <= 0.04045 ? shade / 12.92 : ((shade + 0.055) / 1.055) ** 2.4;
const UNITS = {bytes: 255, words: 65535, floats: 1};

// Returns the 255 smallest values that are shown as levels 1 to 255.
function levelStarts(samples, exposure) {
  return Array.from({length: 255}, (_, i) => {
    const shade = (i + 0.5) / 255;
    if (samples === 'floats') return decode(shade) / 2 ** exposure;
    return UNITS[samples] * (exposure === 0 ? shade : encode(decode(shade) / 2 ** exposure));
  });
}

// NaN is black.
function levelOf(value, starts) {
  let low = 0, high = 255;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value >= starts[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Returns 8-bit RGBA with straight alpha.
function levelsOf(picture, exposure) {
  const {values, samples} = picture;
  if (samples === 'bytes' && exposure === 0) return values;
  const starts = levelStarts(samples, exposure), unit = UNITS[samples];
  const table = samples === 'floats' ? null : Uint8Array.from({length: unit + 1}, (_, value) => levelOf(value, starts));
  const levels = new Uint8ClampedArray(values.length);
  for (let i = 0; i < values.length; i += 4) {
    const alpha = values[i + 3] / unit;  // the clamped array rounds
    levels[i + 3] = 255 * alpha;
    for (let c = i; c < i + 3; ++c) {
      levels[c] = table ? table[values[c]] : levelOf(alpha > 0 ? values[c] / alpha : values[c], starts);
    }
  }
  return levels;
}

// Returns a canvas of the picture at this exposure.
function surfaceOf(picture, exposure) {
  if (picture.exposure === exposure) return picture.surface;
  const rows = picture.values.length / 4 / picture.columns;
  picture.surface ??= Object.assign(document.createElement('canvas'), {width: picture.columns, height: rows});
  picture.levels = levelsOf(picture, exposure);
  picture.surface.getContext('2d').putImageData(new ImageData(picture.levels, picture.columns, rows), 0, 0);
  picture.exposure = exposure;
  return picture.surface;
}

// Returns the brightness of a pixel of that canvas, 0 to 255.
function lumaOf({levels, columns}, x, y) {
  const at = 4 * (y * columns + x);
  return 0.3 * levels[at] + 0.6 * levels[at + 1] + 0.1 * levels[at + 2];
}

// Returns the difference of two pictures of bytes on white: red over the limit, else yellow.
function marksOf(golden, actual, limit) {
  const {width, height, columns} = golden, a = golden.values, b = actual.values;
  const values = new Uint8ClampedArray(a.length).fill(255);
  for (let i = 0; i < a.length; i += 4) {
    let delta = 0;
    for (let c = i; c < i + 4; ++c) delta = Math.max(delta, Math.abs(a[c] - b[c]));
    if (delta === 0) continue;
    values[i + 1] = delta > limit ? 0 : 200;
    values[i + 2] = 0;
  }
  return {width, height, channels: 3, samples: 'bytes', values, columns, exposure: null};
}

// Replaces the white of a difference by the golden in light greys.
function putFaded(golden, difference) {
  surfaceOf(golden, 0);
  const {levels} = golden, {values} = difference;
  for (let i = 0; i < values.length; i += 4) {
    if (values[i + 2] < 255) continue;  // marks have less blue
    const luma = (77 * levels[i] + 150 * levels[i + 1] + 29 * levels[i + 2]) / 256;
    values.fill(153 + luma * 0.4, i, i + 3);
  }
}

// ---- Values as text.
function valueText(value, digits = 6) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '−inf' : 'inf';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
}

// |a − b| as in roundel: NaN equals NaN.
function deltaOf(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Math.abs(a - b);
}
