// Decodes the PNG files that roundel writes: RGB or RGBA of 8 or 16 bits, rows filtered by None or
// Up. A canvas cannot: it premultiplies alpha, which loses values, may manage colours, and has 8
// bits.
async function decodePng(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const parts = [];
  let shape = null;
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at);
    const kind = text.slice(at + 4, at + 8);
    if (kind === 'IHDR') {
      shape = {width: view.getUint32(at + 8), height: view.getUint32(at + 12),
               bits: bytes[at + 16], channels: bytes[at + 17] === 6 ? 4 : 3};
    }
    if (kind === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const rows = new Uint8Array(await new Response(stream).arrayBuffer());
  unfilter(rows, shape);
  return {width: shape.width, height: shape.height, values: spread(rows, shape)};
}

function strideOf({width, channels, bits}) {
  return width * channels * bits / 8 + 1;
}

function unfilter(rows, shape) {
  const stride = strideOf(shape);
  for (let from = 0; from < rows.length; from += stride) {
    const filter = rows[from];
    if (filter !== 0 && filter !== 2) throw new Error('a PNG row with filter ' + filter);
    if (filter === 0 || from === 0) continue;
    for (let i = from + 1; i < from + stride; ++i) rows[i] += rows[i - stride];
  }
}

// Returns RGBA, four values per pixel.
function spread(rows, shape) {
  const {width, height, channels, bits} = shape;
  const isWide = bits === 16;
  const values = new (isWide ? Uint16Array : Uint8ClampedArray)(width * height * 4);
  const stride = strideOf(shape);
  for (let y = 0, to = 0; y < height; ++y) {
    for (let x = 0, at = y * stride + 1; x < width; ++x, to += 4) {
      for (let c = 0; c < channels; ++c) {
        values[to + c] = isWide ? rows[at] << 8 | rows[at + 1] : rows[at];
        at += bits / 8;
      }
      if (channels === 3) values[to + 3] = isWide ? 65535 : 255;
    }
  }
  return values;
}
