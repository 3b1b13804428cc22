// Decodes PNG files of 8 bits, or 16 in those that roundel writes, without interlacing and palette.
// A canvas cannot: it premultiplies alpha, which loses values, may manage colours, and has 8 bits.
const PNG_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4};  // by colour type

async function decodePng(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const parts = [];
  let shape = null, kind = '';
  for (let at = 8; kind !== 'IEND';) {
    const length = view.getUint32(at);
    kind = text.slice(at + 4, at + 8);
    if (kind === 'IHDR') {
      shape = {width: view.getUint32(at + 8), height: view.getUint32(at + 12),
               bits: bytes[at + 16], channels: PNG_CHANNELS[bytes[at + 17]]};
    }
    if (kind === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const rows = await inflate(new Blob(parts), shape.height * strideOf(shape));
  unfilter(rows, shape);
  return {width: shape.width, height: shape.height, values: spread(rows, shape)};
}

// Returns this many bytes; a stream may have more after them.
async function inflate(blob, size) {
  const rows = new Uint8Array(size);
  const reader = blob.stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  for (let at = 0; at < size;) {
    const {done, value} = await reader.read();
    if (done) throw new Error('a PNG with too few rows');
    rows.set(value.subarray(0, size - at), at);
    at += value.length;
  }
  reader.cancel().catch(() => {});
  return rows;
}

function strideOf({width, channels, bits}) {
  return width * channels * bits / 8 + 1;
}

function paeth(left, above, corner) {
  const byLeft = Math.abs(above - corner), byAbove = Math.abs(left - corner), byCorner = Math.abs(left + above - 2 * corner);
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

function unfilter(rows, shape) {
  const stride = strideOf(shape), pixel = shape.channels * shape.bits / 8;
  const noRow = new Uint8Array(stride);
  for (let from = 0; from < rows.length; from += stride) {
    const row = rows.subarray(from + 1, from + stride);
    const above = from === 0 ? noRow : rows.subarray(from - stride + 1, from);
    switch (rows[from]) {
      case 0:
        break;
      case 1:
        for (let i = pixel; i < row.length; ++i) row[i] += row[i - pixel];
        break;
      case 2:
        for (let i = 0; i < row.length; ++i) row[i] += above[i];
        break;
      case 3:
        for (let i = 0; i < row.length; ++i) row[i] += ((i < pixel ? 0 : row[i - pixel]) + above[i]) >> 1;
        break;
      case 4:
        for (let i = 0; i < row.length; ++i) {
          row[i] += i < pixel ? above[i] : paeth(row[i - pixel], above[i], above[i - pixel]);
        }
        break;
      default:
        throw new Error('a PNG row with filter ' + rows[from]);
    }
  }
}

// Returns RGBA, four values per pixel.
function spread(rows, shape) {
  const {width, height, channels, bits} = shape;
  const isWide = bits === 16, hasAlpha = channels % 2 === 0;
  const values = new (isWide ? Uint16Array : Uint8ClampedArray)(width * height * 4);
  const stride = strideOf(shape);
  const sampleAt = at => isWide ? rows[at] << 8 | rows[at + 1] : rows[at];
  const step = bits / 8, ownStep = channels < 3 ? 0 : step;  // grey fills three
  for (let y = 0, to = 0; y < height; ++y) {
    for (let x = 0, at = y * stride + 1; x < width; ++x, to += 4, at += channels * step) {
      for (let c = 0; c < 3; ++c) values[to + c] = sampleAt(at + c * ownStep);
      values[to + 3] = hasAlpha ? sampleAt(at + (channels - 1) * step) : isWide ? 65535 : 255;
    }
  }
  return values;
}
