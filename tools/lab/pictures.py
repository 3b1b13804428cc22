"""Reads pictures written by Roundel into arrays, without Roundel: PNG (8 or 16 bits) and EXR (float32).

png(path) and exr(path) return the contents; any other kind of PNG or EXR raises ValueError.
"""

import struct
import zlib

import numpy

# Texts of a PNG about the scene, without those about the program.
FINGERPRINT = "Fingerprint"


def png(path):
    """Returns (samples, texts): samples is an array [height, width, channels] of uint8 or uint16, texts a dict of the
    tEXt chunks.
    """
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path}: expected a PNG")
    position, packed, texts = 8, [], {}
    while position < len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8:position + 8 + size]
        if kind == b"IHDR":
            width, height, bits, color, _, _, interlace = struct.unpack(">IIBBBBB", body)
            if color not in (0, 2, 4, 6) or bits not in (8, 16) or interlace:
                raise ValueError(f"{path}: expected plain samples of 8 or 16 bits")
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"tEXt":
            key, _, text = body.partition(b"\0")
            texts[key.decode("latin-1")] = text.decode("latin-1")
        position += size + 12
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    step = channels * bits // 8
    rows = numpy.frombuffer(zlib.decompress(b"".join(packed)), numpy.uint8).reshape(height, 1 + width * step)
    pixels = numpy.zeros((height + 1, width * step), numpy.uint8)
    for row in range(height):
        pixels[row + 1] = _unfilter(int(rows[row, 0]), rows[row, 1:], pixels[row], step)
    samples = numpy.ascontiguousarray(pixels[1:]).view(">u2" if bits == 16 else numpy.uint8)
    return samples.reshape(height, width, channels), texts


def _unfilter(kind, row, above, step):
    """Returns the bytes of a row, whose filter is `kind` (PNG specification, 9.2)."""
    if kind == 0:
        return row
    if kind == 2:
        return row + above
    if kind == 1:
        return numpy.cumsum(row.reshape(-1, step), axis=0, dtype=numpy.uint8).reshape(-1)
    result, over = row.astype(int), above.astype(int)
    for i in range(len(row)):
        left = result[i - step] if i >= step else 0
        corner = over[i - step] if i >= step else 0
        if kind == 3:
            guess = (left + over[i]) // 2
        else:
            distances = [abs(over[i] - corner), abs(left - corner), abs(left + over[i] - 2 * corner)]
            guess = (left, over[i], corner)[distances.index(min(distances))]
        result[i] = (result[i] + guess) & 255
    return result.astype(numpy.uint8)


def exr(path):
    """Returns {channel: array [height, width] of float32} of a file of scanlines, uncompressed or with ZIP."""
    data = path.read_bytes()
    if struct.unpack_from("<II", data) != (20000630, 2):
        raise ValueError(f"{path}: expected an EXR of one part of scanlines")
    position, attributes = 8, {}
    while data[position]:
        name, position = _text(data, position)
        _, position = _text(data, position)
        size = struct.unpack_from("<I", data, position)[0]
        attributes[name] = data[position + 4:position + 4 + size]
        position += 4 + size
    left, bottom, right, top = struct.unpack("<4i", attributes["dataWindow"])
    width, height = right - left + 1, top - bottom + 1
    names, at = [], 0
    while attributes["channels"][at]:
        name, at = _text(attributes["channels"], at)
        if struct.unpack_from("<I", attributes["channels"], at)[0] != 2:
            raise ValueError(f"{path}: expected float32 channels")
        names.append(name)
        at += 16
    compression = attributes["compression"][0]
    lines = {0: 1, 2: 1, 3: 16}.get(compression)
    if lines is None:
        raise ValueError(f"{path}: expected no compression or ZIP")
    samples = numpy.zeros((height, len(names), width), numpy.float32)
    blocks = -(-height // lines)
    for offset in struct.unpack_from(f"<{blocks}Q", data, position + 1):
        row, size = struct.unpack_from("<iI", data, offset)
        count = min(lines, height - (row - bottom))
        block = data[offset + 8:offset + 8 + size]
        if compression and size < count * len(names) * width * 4:
            block = _unpack_zip(block)
        samples[row - bottom:row - bottom + count] = numpy.frombuffer(block, "<f4").reshape(count, len(names), width)
    return {name: samples[:, number] for number, name in enumerate(names)}


def _text(data, position):
    end = data.index(b"\0", position)
    return data[position:end].decode(), end + 1


def _unpack_zip(block):
    """Undoes OpenEXR's ZIP: deflate, differences of bytes, and two interleaved halves."""
    raw = numpy.frombuffer(zlib.decompress(block), numpy.uint8)
    raw = (numpy.cumsum(raw.astype(numpy.int64)) - 128 * numpy.arange(len(raw))).astype(numpy.uint8)
    result = numpy.empty_like(raw)
    half = (len(raw) + 1) // 2
    result[0::2], result[1::2] = raw[:half], raw[half:]
    return result.tobytes()
