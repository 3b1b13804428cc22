// Compares the PNG decoder with png_verdicts.txt: which files it accepts, and their pixels. Willem
// van Schaik's PngSuite, files of every kind, chunks in odd places, and damage.
#include <fmt/format.h>
#include <libdeflate.h>

#include <map>
#include <utility>

#include "tests/compare/png_writer.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

using Case = std::pair<std::string, PngBytes>;

PngBytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

PngBytes joined(std::initializer_list<PngBytes> parts) {
  PngBytes all;
  for (const PngBytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

PngBytes words(std::initializer_list<std::size_t> values) {
  PngBytes out;
  for (const std::size_t value : values) {
    out.resize(out.size() + 4);
    put_word(out, out.size() - 4, value);
  }
  return out;
}

/// Returns a zlib stream of stored blocks, whose bytes do not depend on a compressor.
PngBytes zlib_stored(const PngBytes& data) {
  constexpr std::size_t kMaxBlock = 65535;
  PngBytes out = {0x78, 0x01};
  for (std::size_t at = 0; at == 0 || at < data.size(); at += kMaxBlock) {
    const std::size_t size = std::min(kMaxBlock, data.size() - at);
    const bool is_last = at + size == data.size();
    for (const std::size_t byte : {std::size_t{is_last}, size, size >> 8, ~size, ~size >> 8})
      out.push_back(static_cast<std::uint8_t>(byte));
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(size));
  }
  return joined({out, words({libdeflate_adler32(1, data.data(), data.size())})});
}

unsigned hashed(int x, int y, int c, int bits) {
  const auto u = [](int value) { return static_cast<unsigned>(value); };
  const unsigned h = (u(x) * 73856093U ^ u(y) * 19349663U ^ u(c) * 83492791U) * 2654435761U;
  return (h >> 7) & ((1U << bits) - 1);
}

PngBytes palette(std::size_t colors) {
  PngBytes data;
  for (std::size_t k = 0; k < 3 * colors; ++k)
    data.push_back(static_cast<std::uint8_t>(k * 37 + 11));
  return png_chunk("PLTE", data);
}

/// Returns a tRNS chunk that makes some pixels of a writer's picture transparent; empty for color
/// types with alpha.
PngBytes transparency(const PngWriter& png) {
  if (png.color_type == 3) return png_chunk("tRNS", {0, 200});
  if (png.color_type != 0 && png.color_type != 2) return {};
  PngBytes data;
  for (int c = 0; c < png.channels(); ++c) {
    const unsigned value = png.sample(0, 0, c);
    data.push_back(static_cast<std::uint8_t>(value >> 8));
    data.push_back(static_cast<std::uint8_t>(value));
  }
  return png_chunk("tRNS", data);
}

PngWriter writer(int color_type, int bit_depth, int width = 9, int height = 7) {
  return {.width = width,
          .height = height,
          .bit_depth = bit_depth,
          .color_type = color_type,
          .sample = [bit_depth](int x, int y, int c) { return hashed(x, y, c, bit_depth); }};
}

/// Corrects the checksums of a file's chunks, as far as their lengths are right.
void repair_checksums(PngBytes& file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4; ++k) size = size << 8 | file[at + k];
    if (size > file.size() - at - 12) return;
    put_word(file, at + 8 + size, libdeflate_crc32(0, &file[at + 4], size + 4));
    at += 12 + size;
  }
}

constexpr std::pair<int, int> kKinds[] = {{0, 1}, {0, 2},  {0, 4},  {0, 8}, {0, 16},
                                          {2, 8}, {2, 16}, {3, 1},  {3, 2}, {3, 4},
                                          {3, 8}, {4, 8},  {4, 16}, {6, 8}, {6, 16}};

void add_suite(std::vector<Case>& cases) {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROUNDEL_SOURCE_DIR "/tests/image/pngsuite"))
    if (entry.path().extension() == ".png") files[entry.path().stem()] = entry.path();
  for (const auto& [name, path] : files) cases.emplace_back("suite/" + name, read_bytes(path));
}

void add_kinds(std::vector<Case>& cases) {
  for (const auto& [type, depth] : kKinds) {
    for (const bool is_interlaced : {false, true}) {
      for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {5, 9}, {33, 17}}) {
        for (const bool is_transparent : {false, true}) {
          PngWriter png = writer(type, depth, width, height);
          png.is_interlaced = is_interlaced;
          png.pieces = static_cast<std::size_t>(width % 4);
          if (is_transparent && transparency(png).empty()) continue;
          if (type == 3) png.chunks_before = palette(std::size_t{1} << depth);
          if (is_transparent) png.chunks_before = joined({png.chunks_before, transparency(png)});
          cases.emplace_back(
              fmt::format("kind/type{}-{}bit-{}x{}{}{}", type, depth, width, height,
                          is_interlaced ? "-interlaced" : "", is_transparent ? "-transparent" : ""),
              png.file());
        }
      }
    }
  }
}

/// Sound pictures whose similar rows are far apart, with a zlib header that claims a window of 256
/// bytes, as some programs write it.
void add_small_windows(std::vector<Case>& cases) {
  for (const auto& [type, depth] : {std::pair{0, 16}, {2, 8}, {2, 16}, {6, 8}}) {
    PngWriter png = writer(type, depth, 200, 20);
    png.sample = [depth = depth](int x, int y, int c) { return hashed(x, y % 2, c, depth); };
    png.filter = [](int) { return 0; };
    PngBytes file = png.file();
    const std::size_t zlib_header = 33 + 8;
    file[zlib_header] = 0x08, file[zlib_header + 1] = 0x1d;
    repair_checksums(file);
    cases.emplace_back(fmt::format("window/type{}-{}bit", type, depth), file);
  }
}

/// Returns a file of chunks.
PngBytes png_of(std::initializer_list<PngBytes> chunks) {
  return joined({bytes_of("\x89PNG\r\n\x1a\n"), joined(chunks)});
}

/// Chunks of a minimal picture of 4x4.
struct Parts {
  PngBytes header, pixels, end = png_chunk("IEND", {});
  PngBytes rows;  ///< `pixels` before compression
};

Parts parts_of(int color_type, int bit_depth) {
  Parts parts;
  PngBytes data = words({4, 4});
  for (const int byte : {bit_depth, color_type, 0, 0, 0})
    data.push_back(static_cast<std::uint8_t>(byte));
  parts.header = png_chunk("IHDR", data);
  const PngWriter png = writer(color_type, bit_depth);
  const int row_bytes = 4 * png.channels() * bit_depth / 8;
  for (int y = 0; y < 4; ++y) {
    parts.rows.push_back(static_cast<std::uint8_t>(y));
    for (int k = 0; k < row_bytes; ++k)
      parts.rows.push_back(static_cast<std::uint8_t>(hashed(k, y, 0, 8)));
  }
  parts.pixels = png_chunk("IDAT", zlib_stored(parts.rows));
  return parts;
}

/// Returns the header of a picture with one of its 13 bytes changed.
PngBytes header_with(const PngBytes& header, std::size_t at, std::uint8_t value) {
  PngBytes data(header.begin() + 8, header.end() - 4);
  data[at] = value;
  return png_chunk("IHDR", data);
}

/// Headers, palettes and compressed pixels with errors, in each kind.
void add_critical_chunks(std::vector<Case>& cases) {
  for (const auto& [type, depth] : {std::pair{0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 8}, {6, 8}}) {
    const Parts parts = parts_of(type, depth);
    const auto& [header, pixels, end, rows] = parts;
    const PngBytes colors = type == 3 ? palette(256) : PngBytes{};
    const std::string kind = fmt::format("-type{}-{}bit", type, depth);
    const auto add = [&](const char* name, const PngBytes& file) {
      cases.emplace_back(name + kind, file);
    };
    const auto add_pixels = [&](const char* name, const PngBytes& packed) {
      add(name, png_of({parts.header, colors, png_chunk("IDAT", packed), parts.end}));
    };
    const PngBytes packed = zlib_stored(rows);
    const auto cut = [](const PngBytes& bytes, std::size_t size) {
      return PngBytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    };
    const auto rest = [](const PngBytes& bytes, std::size_t at) {
      return PngBytes(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
    };
    add("chunks/sound", png_of({header, colors, pixels, end}));
    add("chunks/no-header", png_of({colors, pixels, end}));
    add("chunks/two-headers", png_of({header, header, colors, pixels, end}));
    add("chunks/header-after-pixels", png_of({header, colors, pixels, header, end}));
    add("chunks/no-pixels", png_of({header, colors, end}));
    add("chunks/no-end", png_of({header, colors, pixels}));
    add("chunks/two-ends", png_of({header, colors, pixels, end, end}));
    add("chunks/bytes-after-end", png_of({header, colors, pixels, end, {0}}));
    add("chunks/end-with-content", png_of({header, colors, pixels, png_chunk("IEND", {0})}));
    add("chunks/end-first", png_of({header, end, colors, pixels, end}));
    add("chunks/unknown-critical", png_of({header, colors, png_chunk("ABCD", {1}), pixels, end}));
    add("chunks/unknown-critical-after-pixels",
        png_of({header, colors, pixels, png_chunk("ABCD", {1}), end}));
    add("chunks/unknown-ancillary",
        png_of({header, png_chunk("abCd", {1}), colors, pixels, png_chunk("abCd", {}), end}));
    add("chunks/empty-pixels-first", png_of({header, colors, png_chunk("IDAT", {}), pixels, end}));
    add("chunks/empty-pixels-last", png_of({header, colors, pixels, png_chunk("IDAT", {}), end}));
    add("chunks/only-empty-pixels", png_of({header, colors, png_chunk("IDAT", {}), end}));
    add("chunks/pixels-apart",
        png_of({header, colors, png_chunk("IDAT", cut(packed, 10)), png_chunk("abCd", {}),
                png_chunk("IDAT", rest(packed, 10)), end}));
    add("chunks/pixels-again", png_of({header, colors, pixels, pixels, end}));
    add("chunks/palette", png_of({header, palette(4), pixels, end}));
    add("chunks/two-palettes", png_of({header, palette(4), palette(256), pixels, end}));
    add("chunks/palette-after-pixels", png_of({header, colors, pixels, palette(3), end}));
    add("chunks/palette-of-nothing", png_of({header, png_chunk("PLTE", {}), pixels, end}));
    add("chunks/palette-of-5-bytes", png_of({header, png_chunk("PLTE", PngBytes(5)), pixels, end}));
    add("chunks/palette-of-257", png_of({header, palette(257), pixels, end}));
    for (std::size_t at = 0; at < 13; ++at) {
      for (const std::uint8_t value : PngBytes{0x00, 0x01, 0x03, 0x05, 0x08, 0x10, 0x80}) {
        if (type != 3 && depth != 16) continue;
        cases.emplace_back(fmt::format("header/byte{}-is-{}{}", at, value, kind),
                           png_of({header_with(header, at, value), colors, pixels, end}));
      }
    }

    add_pixels("pixels/cut-in-the-last-row", cut(packed, packed.size() - 6));
    add_pixels("pixels/without-checksum", cut(packed, packed.size() - 4));
    add_pixels("pixels/cut-in-checksum", cut(packed, packed.size() - 2));
    add_pixels("pixels/bytes-after-stream", joined({packed, {1, 2, 3}}));
    add_pixels("pixels/one-row-less", zlib_stored(cut(rows, rows.size() - rows.size() / 4)));
    add_pixels("pixels/one-byte-less", zlib_stored(cut(rows, rows.size() - 1)));
    add_pixels("pixels/one-byte-more", zlib_stored(joined({rows, {0}})));
    add_pixels("pixels/one-row-more", zlib_stored(joined({rows, PngBytes(rows.size() / 4)})));
    PngBytes wrong = packed;
    wrong.back() ^= 1;
    add_pixels("pixels/wrong-checksum", wrong);
    add("pixels/wrong-checksum-in-a-chunk-of-its-own",
        png_of({header, colors, png_chunk("IDAT", cut(wrong, wrong.size() - 4)),
                png_chunk("IDAT", rest(wrong, wrong.size() - 4)), end}));
    for (const auto& [name, first, second] : {std::tuple{"pixels/window-of-256", 0x08, 0x1d},
                                              {"pixels/window-of-64k", 0x88, 0x1c},
                                              {"pixels/other-method", 0x79, 0x1d},
                                              {"pixels/wrong-zlib-header", 0x78, 0x02},
                                              {"pixels/preset-dictionary", 0x78, 0x20}}) {
      wrong = packed;
      wrong[0] = static_cast<std::uint8_t>(first), wrong[1] = static_cast<std::uint8_t>(second);
      add_pixels(name, wrong);
    }
    wrong = rows;
    wrong[rows.size() / 2] = 5;
    add_pixels("pixels/unknown-filter", zlib_stored(wrong));
    wrong = packed;
    wrong[2] = 7;
    add_pixels("pixels/unknown-block", wrong);
    wrong = png_of({header, colors, pixels, end});
    wrong[wrong.size() - 14] ^= 1;
    add("chunks/wrong-checksum", wrong);
    wrong = png_of({header, colors, pixels, end});
    wrong[3] = 'M';
    add("chunks/wrong-signature", wrong);
  }
}

/// Ancillary chunks, sound and damaged, at all places.
void add_ancillary_chunks(std::vector<Case>& cases) {
  const auto with_content = [](std::string_view start, const PngBytes& content) {
    return joined({bytes_of(start), content});
  };
  const std::string_view kName("name\0\0", 6);
  const PngBytes packed_profile = zlib_stored(PngBytes(300, 7));
  const PngBytes big = zlib_packed(PngBytes(3 << 20)), medium = zlib_packed(PngBytes(400000, 'm'));
  const PngBytes srgb_primaries = words({31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000});
  struct Chunk {
    std::string name;
    PngBytes chunk;
  };
  const auto text = [](std::string_view type, std::string_view content) {
    return png_chunk(type, bytes_of(content));
  };
  const std::vector<Chunk> chunks = {
      {"iCCP", png_chunk("iCCP", with_content(kName, packed_profile))},
      {"iCCP-cut", png_chunk("iCCP", with_content(kName, {0x78, 0x01, 0}))},
      {"iCCP-of-nothing", png_chunk("iCCP", with_content(kName, zlib_stored({})))},
      {"iCCP-with-rest", png_chunk("iCCP", joined({bytes_of(kName), packed_profile, {1, 2}}))},
      {"iCCP-other-method",
       png_chunk("iCCP", with_content(std::string_view("name\0\1", 6), packed_profile))},
      {"iCCP-without-name",
       png_chunk("iCCP", with_content(std::string_view("\0\0", 2), packed_profile))},
      {"iCCP-blank-first",
       png_chunk("iCCP", with_content(std::string_view(" a\0\0", 4), packed_profile))},
      {"iCCP-name-of-80",
       png_chunk("iCCP", joined({PngBytes(80, 'a'), PngBytes(2), packed_profile}))},
      {"iCCP-name-of-79",
       png_chunk("iCCP", joined({PngBytes(79, 'a'), PngBytes(2), packed_profile}))},
      {"iCCP-empty", png_chunk("iCCP", {})},
      {"iCCP-big", png_chunk("iCCP", with_content(kName, big))},
      {"sRGB", png_chunk("sRGB", {1})},
      {"sRGB-of-5", png_chunk("sRGB", {5})},
      {"sRGB-long", png_chunk("sRGB", {1, 1})},
      {"sRGB-empty", png_chunk("sRGB", {})},
      {"gAMA", png_chunk("gAMA", words({100000}))},
      {"gAMA-of-sRGB", png_chunk("gAMA", words({45455}))},
      {"gAMA-of-0", png_chunk("gAMA", words({0}))},
      {"gAMA-of-2^31", png_chunk("gAMA", words({0x80000000}))},
      {"gAMA-long", png_chunk("gAMA", words({100000, 0}))},
      {"cHRM", png_chunk("cHRM", words({31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000}))},
      {"cHRM-of-sRGB", png_chunk("cHRM", srgb_primaries)},
      {"cHRM-of-2^31",
       png_chunk("cHRM", words({0x80000000, 32900, 68000, 32000, 26500, 69000, 15000, 6000}))},
      {"cHRM-short", png_chunk("cHRM", words({31270, 32900}))},
      {"cICP", png_chunk("cICP", {9, 16, 0, 1})},
      {"cICP-short", png_chunk("cICP", {9, 16})},
      {"eXIf", png_chunk("eXIf", {'M',  'M', 0, 42, 0, 0, 0, 8, 0, 1, 1,
                                  0x12, 0,   3, 0,  0, 0, 1, 0, 6, 0, 0})},
      {"eXIf-short", png_chunk("eXIf", {'M'})},
      {"tRNS-6", png_chunk("tRNS", {0, 1, 0, 2, 0, 3})},
      {"tRNS-2", png_chunk("tRNS", {0, 1})},
      {"tRNS-out-of-range", png_chunk("tRNS", {9, 1, 9, 2, 9, 3})},
      {"tRNS-empty", png_chunk("tRNS", {})},
      {"bKGD-6", png_chunk("bKGD", {0, 1, 0, 2, 0, 3})},
      {"bKGD-1", png_chunk("bKGD", {1})},
      {"hIST", png_chunk("hIST", PngBytes(8))},
      {"sBIT", png_chunk("sBIT", {5, 6, 5})},
      {"sBIT-of-0", png_chunk("sBIT", {0, 0, 0})},
      {"pHYs", png_chunk("pHYs", {0, 0, 1, 0, 0, 0, 1, 0, 1})},
      {"tIME-of-month-13", png_chunk("tIME", {7, 208, 13, 1, 1, 1, 1})},
      {"sPLT", png_chunk("sPLT", bytes_of(std::string_view("a\0\10rgba\0\1", 9)))},
      {"sPLT-wrong", png_chunk("sPLT", bytes_of("a"))},
      {"acTL-of-1", png_chunk("acTL", words({1, 0}))},
      {"tEXt", text("tEXt", std::string_view("Title\0a text", 12))},
      {"tEXt-empty", text("tEXt", std::string_view("Title\0", 6))},
      {"tEXt-with-zero", text("tEXt", std::string_view("Title\0a\0b", 9))},
      {"tEXt-without-zero", text("tEXt", "Title")},
      {"tEXt-without-key", text("tEXt", std::string_view("\0a", 2))},
      {"tEXt-two-blanks", text("tEXt", std::string_view("A  b\0a", 6))},
      {"tEXt-blank-last", text("tEXt", std::string_view("Ab \0a", 5))},
      {"tEXt-control", text("tEXt", std::string_view("A\tb\0a", 5))},
      {"tEXt-latin-1", text("tEXt", std::string_view("A\xe4\0\xe4", 4))},
      {"tEXt-of-200-kB", png_chunk("tEXt", joined({{'A', 0}, PngBytes(200000, 'x')}))},
      {"zTXt", png_chunk("zTXt", with_content(std::string_view("Key\0\0", 5),
                                              zlib_stored(bytes_of("packed"))))},
      {"zTXt-cut", png_chunk("zTXt", with_content(std::string_view("Key\0\0", 5), {0x78, 1, 0}))},
      {"zTXt-other-method", png_chunk("zTXt", with_content(std::string_view("Key\0\1", 5),
                                                           zlib_stored(bytes_of("packed"))))},
      {"zTXt-empty", text("zTXt", std::string_view("Key\0\0", 5))},
      {"zTXt-of-nothing",
       png_chunk("zTXt", with_content(std::string_view("Key\0\0", 5), zlib_stored({})))},
      {"zTXt-of-400-kB", png_chunk("zTXt", with_content(std::string_view("Key\0\0", 5), medium))},
      {"zTXt-of-3-MB", png_chunk("zTXt", with_content(std::string_view("Key\0\0", 5), big))},
      {"iTXt", text("iTXt", std::string_view("Key\0\0\0en\0Schl\xc3\xbcssel\0text", 23))},
      {"iTXt-empty", text("iTXt", std::string_view("Key\0\0\0\0\0", 8))},
      {"iTXt-packed", png_chunk("iTXt", with_content(std::string_view("Key\0\1\0\0\0", 8),
                                                     zlib_stored(bytes_of("packed"))))},
      {"iTXt-packed-3-MB",
       png_chunk("iTXt", with_content(std::string_view("Key\0\1\0\0\0", 8), big))},
      {"iTXt-flag-2", text("iTXt", std::string_view("Key\0\2\0\0\0text", 12))},
      {"iTXt-method-1", text("iTXt", std::string_view("Key\0\0\1\0\0text", 12))},
      {"iTXt-without-language", text("iTXt", std::string_view("Key\0\0\0enx", 9))},
      {"iTXt-without-translation", text("iTXt", std::string_view("Key\0\0\0en\0xyz", 12))},
  };
  for (const auto& [type, depth] : {std::pair{0, 16}, {2, 8}, {3, 8}}) {
    const Parts parts = parts_of(type, depth);
    const auto& [header, pixels, end, rows] = parts;
    const std::string kind = fmt::format("-type{}-{}bit", type, depth);
    const PngBytes colors = type == 0 ? PngBytes{} : palette(256);
    for (const auto& [name, chunk] : chunks) {
      const auto add = [&, &name = name](const char* place, const PngBytes& file) {
        cases.emplace_back(fmt::format("{}/{}{}", place, name, kind), file);
      };
      add("before-palette", png_of({header, chunk, colors, pixels, end}));
      if (type != 0) add("after-palette", png_of({header, colors, chunk, pixels, end}));
      add("after-pixels", png_of({header, colors, pixels, chunk, end}));
      add("twice", png_of({header, chunk, chunk, colors, pixels, end}));
    }
  }
  const Parts parts = parts_of(2, 16);
  const auto& [header, pixels, end, rows] = parts;
  const auto find = [&chunks](std::string_view name) {
    return std::find_if(chunks.begin(), chunks.end(),
                        [name](const Chunk& chunk) { return chunk.name == name; })
        ->chunk;
  };
  const auto many = [](const PngBytes& chunk, std::size_t count) {
    PngBytes all;
    for (std::size_t k = 0; k < count; ++k) all.insert(all.end(), chunk.begin(), chunk.end());
    return all;
  };
  for (const auto& [first, second] : {std::pair{"iCCP-cut", "iCCP"},
                                      {"iCCP", "iCCP-cut"},
                                      {"iCCP-empty", "iCCP"},
                                      {"gAMA-of-0", "gAMA"},
                                      {"gAMA", "gAMA-of-sRGB"},
                                      {"sRGB-of-5", "sRGB"},
                                      {"gAMA", "cHRM"},
                                      {"cICP", "iCCP"},
                                      {"tRNS-2", "tRNS-6"},
                                      {"tRNS-6", "tRNS-out-of-range"},
                                      {"tEXt", "zTXt"},
                                      {"tEXt-two-blanks", "iTXt"},
                                      {"sRGB", "iCCP"}})
    cases.emplace_back(fmt::format("two/{}-{}", first, second),
                       png_of({header, find(first), find(second), pixels, end}));
  cases.emplace_back("many/1000-texts", png_of({header, many(find("tEXt"), 1000), pixels, end}));
  cases.emplace_back("many/1001-texts", png_of({header, many(find("tEXt"), 1001), pixels, end}));
  cases.emplace_back("many/38-texts-of-200-kB",
                     png_of({header, many(find("tEXt-of-200-kB"), 38), pixels, end}));
  cases.emplace_back("many/45-texts-of-200-kB",
                     png_of({header, many(find("tEXt-of-200-kB"), 45), pixels, end}));
  cases.emplace_back("many/18-texts-of-400-kB",
                     png_of({header, many(find("zTXt-of-400-kB"), 18), pixels, end}));
  cases.emplace_back("many/22-texts-of-400-kB",
                     png_of({header, many(find("zTXt-of-400-kB"), 22), pixels, end}));
}

/// Files of the suite with one to three bytes changed after the header, and right checksums.
void add_damage(std::vector<Case>& cases) {
  std::mt19937 random(20240229);
  std::vector<Case> suite;
  add_suite(suite);
  for (const auto& [name, file] : suite) {
    for (int round = 0; round < 3; ++round) {
      PngBytes damaged = file;
      const std::size_t first = std::min<std::size_t>(33, file.size() - 1);
      for (std::size_t k = 0, count = 1 + random() % 3; k < count; ++k)
        damaged[first + random() % (file.size() - first)] ^=
            static_cast<std::uint8_t>(1U << random() % 8);
      repair_checksums(damaged);
      cases.emplace_back(fmt::format("damage{}/{}", round, name.substr(6)), damaged);
    }
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_suite(cases);
  add_kinds(cases);
  add_small_windows(cases);
  add_critical_chunks(cases);
  add_ancillary_chunks(cases);
  add_damage(cases);
  return cases;
}

template <typename Describe>
std::string described_or_refused(const Describe& describe) {
  try {
    return describe();
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kInvalidScene) throw;
    return "refused";
  }
}

/// Returns the results of decode() and then of check_pixels(): "4x4x3x8 1a2b3c4d (gamma 1), 2 texts
/// 1a2b3c4d".
std::string verdict(const PngBytes& file) {
  const auto bytes = std::as_bytes(std::span(file));
  std::string text = described_or_refused([&] {
    PngDecoder decoder("a.png", bytes);
    const PngDecoder::Pixels pixels = decoder.decode();
    return fmt::format("{}x{}x{}x{} {:08x} ({})", decoder.header().width, decoder.header().height,
                       pixels.channels, pixels.bit_depth,
                       libdeflate_crc32(0, pixels.data.data(), pixels.data.size()),
                       decoder.color_space());
  });
  return text + ", " + described_or_refused([&] {
           PngDecoder decoder("a.png", bytes);
           decoder.check_pixels();
           std::string all;
           const auto texts = decoder.text();
           for (const auto& [key, value] : texts) all += key + '\0' + value + '\0';
           return fmt::format("{} texts {:08x}{}", texts.size(),
                              libdeflate_crc32(0, all.data(), all.size()),
                              decoder.orientation() == 1 ? "" : " turned");
         });
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// Each line of the table is a file's name and libspng's verdict. If libpng's differs it follows,
/// with the reason.
TEST(PngVerdicts, MatchTheTable) {
  std::ifstream table(ROUNDEL_SOURCE_DIR "/tests/image/png_verdicts.txt");
  std::string line;
  for (const auto& [name, file] : all_cases()) {
    ASSERT_TRUE(std::getline(table, line)) << name;
    const std::vector<std::string> fields = fields_of(line);
    ASSERT_TRUE(fields.size() == 2 || fields.size() == 4) << line;
    ASSERT_EQ(fields[0], name);
    if (fields.size() == 4) {
      EXPECT_NE(fields[1], fields[2]) << line;
      EXPECT_FALSE(fields[3].empty()) << line;
    }
    EXPECT_EQ(verdict(file), fields[fields.size() == 4 ? 2 : 1]) << name;
  }
  EXPECT_FALSE(std::getline(table, line)) << line;
}

}  // namespace
}  // namespace roundel
