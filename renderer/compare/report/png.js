// Decodes the PNG files that roundel writes: 8-bit RGB or RGBA, rows filtered by None or Up.
// A canvas would not do: it premultiplies alpha, which loses values, and may manage colours.
async function decodePng(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const parts = [];
  let width = 0, height = 0, channels = 3;
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at);
    const kind = text.slice(at + 4, at + 8);
    if (kind === 'IHDR') {
      width = view.getUint32(at + 8);
      height = view.getUint32(at + 12);
      channels = bytes[at + 17] === 6 ? 4 : 3;
    }
    if (kind === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const rows = new Uint8Array(await new Response(stream).arrayBuffer());
  return {width, height, channels, values: unfilter(rows, width, height, channels)};
}

// RGBA, four values a pixel.
function unfilter(rows, width, height, channels) {
  const stride = width * channels + 1;
  const values = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, to = 0; y < height; ++y) {
    const from = y * stride + 1;
    const filter = rows[from - 1];
    if (filter !== 0 && filter !== 2) throw new Error('a PNG row with filter ' + filter);
    if (filter === 2 && y > 0) {
      for (let i = 0; i < stride - 1; ++i) rows[from + i] += rows[from + i - stride];
    }
    for (let x = 0, at = from; x < width; ++x, at += channels, to += 4) {
      values[to] = rows[at];
      values[to + 1] = rows[at + 1];
      values[to + 2] = rows[at + 2];
      values[to + 3] = channels === 4 ? rows[at + 3] : 255;
    }
  }
  return values;
}
