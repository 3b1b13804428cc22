#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/image/exr_module.h"
#include "renderer/image/exr_open.h"
#include "renderer/image/metadata_text.h"

namespace roundel::openexr {
namespace {

std::optional<ImageMetadata> metadata_of(const Imf::Header& header) {
  return parse_metadata([&header](const char* keyword) -> const std::string* {
    const auto* attribute =
        header.findTypedAttribute<Imf::StringAttribute>(attribute_name(keyword));
    return attribute == nullptr ? nullptr : &attribute->value();
  });
}

/// Reads one row at a time.
void check_rows(OpenExr& exr, int number) {
  Imf::InputPart part(exr.parts, number);
  const ExrWindow window = data_window(part.header());
  std::vector<float> row(static_cast<std::size_t>(window.width));
  char* const base = address_before(row.data(), std::int64_t{window.left} * 4);
  Imf::FrameBuffer slices;
  const Imf::ChannelList& channels = part.header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    slices.insert(channel.name(), Imf::Slice(Imf::FLOAT, base, sizeof(float), 0));
  }
  part.setFrameBuffer(slices);
  for (int y = 0; y < window.height; ++y) part.readPixels(window.top + y);
}

void check_pixels(const std::string& path, OpenExr& exr) {
  bool are_lines = true;
  for (int part = 0; part < exr.parts.parts(); ++part)
    are_lines &= !has_levels(exr.parts.header(part));
  if (!are_lines) {
    read_levels(path, exr, DecodedPart::kAll);
    return;
  }
  check_memory(path, exr, 0);
  for (int part = 0; part < exr.parts.parts(); ++part) check_rows(exr, part);
}

/// Returns a plain picture's channels in its order; none for other files.
std::vector<std::string> plain_channels(const OpenExr& exr) {
  const Imf::Header& header = exr.parts.header(0);
  if (exr.parts.parts() > 1 || has_levels(header)) return {};
  std::vector<std::string> names;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel) {
    if (channel.channel().type == Imf::UINT) return {};
    names.emplace_back(channel.name());
  }
  const std::size_t dot = names.front().rfind('.');
  const std::string layer = dot == std::string::npos ? "" : names.front().substr(0, dot + 1);
  for (const char* const known : {"Y", "YA", "RGB", "RGBA"}) {
    std::vector<std::string> ordered;
    for (const char* name = known; *name != '\0'; ++name) ordered.push_back(layer + *name);
    if (std::is_permutation(names.begin(), names.end(), ordered.begin(), ordered.end())) {
      return ordered;
    }
  }
  return {};
}

std::string chromaticities_text(const Imf::Chromaticities& values) {
  return fmt::format("red ({}, {}), green ({}, {}), blue ({}, {}), white ({}, {})", values.red.x,
                     values.red.y, values.green.x, values.green.y, values.blue.x, values.blue.y,
                     values.white.x, values.white.y);
}

ExrDisplay display_of(const Imf::Header& header) {
  ExrDisplay display;
  if (Imf::hasChromaticities(header)) {
    const std::string text = chromaticities_text(Imf::chromaticities(header));
    if (text != chromaticities_text(Imf::Chromaticities())) display.chromaticities = text;
  }
  const Imath::Box2i& window = header.displayWindow();
  display.left = window.min.x, display.top = window.min.y;
  display.width = std::int64_t{window.max.x} - window.min.x + 1;
  display.height = std::int64_t{window.max.y} - window.min.y + 1;
  display.is_data_window = window == header.dataWindow();
  display.pixel_aspect = header.pixelAspectRatio();
  return display;
}

void read_plain(const std::string& path, OpenExr& exr, const std::vector<std::string>& names,
                DecodedPart part, ExrPixels& pixels) {
  const ExrWindow window = data_window(exr.parts.header(0));
  pixels.width = window.width, pixels.height = window.height;
  pixels.left = window.left, pixels.top = window.top;
  pixels.channels = static_cast<int>(names.size());
  pixels.layer = names.front().substr(0, names.front().size() - 1);
  const std::size_t pixel_bytes = names.size() * sizeof(float);
  const std::size_t row_bytes = pixel_bytes * static_cast<std::size_t>(window.width);
  const std::size_t size = row_bytes * static_cast<std::size_t>(window.height);
  check_memory(path, exr, size);
  if (part == DecodedPart::kHeader) return;
  pixels.samples = Buffer<float>(size / sizeof(float));
  Imf::FrameBuffer slices;
  char* const base =
      address_before(pixels.samples.data(),
                     std::int64_t{window.top} * static_cast<std::int64_t>(row_bytes) +
                         std::int64_t{window.left} * static_cast<std::int64_t>(pixel_bytes));
  for (std::size_t c = 0; c < names.size(); ++c) {
    slices.insert(names[c],
                  Imf::Slice(Imf::FLOAT, base + c * sizeof(float), pixel_bytes, row_bytes));
  }
  Imf::InputPart input(exr.parts, 0);
  input.setFrameBuffer(slices);
  // Reads in pieces, so that a truncated file touches no more memory than it fills.
  constexpr int kRows = 256;
  for (int y = 0; y < window.height; y += kRows) {
    input.readPixels(window.top + y, window.top + std::min(y + kRows, window.height) - 1);
  }
}

ExrPixels read_pixels(const std::string& path, OpenExr& exr, DecodedPart part) {
  ExrPixels pixels;
  pixels.display = display_of(exr.parts.header(0));
  pixels.metadata = metadata_of(exr.parts.header(0));
  const std::vector<std::string> names = plain_channels(exr);
  if (names.empty()) {
    pixels.levels = read_levels(path, exr, part);
  } else {
    read_plain(path, exr, names, part, pixels);
  }
  return pixels;
}

/// Calls read() and adds the path to its errors.
template <typename Read>
auto read_or_fail(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const UnsupportedExr& error) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: is not supported: {}", path, error.what()));
  } catch (const std::exception& error) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: not a valid EXR: {}", path, error.what()));
  }
}

}  // namespace

ExrPixels decode_exr(const std::string& path, std::span<const std::byte> file, DecodedPart part) {
  return read_or_fail(path, [&] {
    OpenExr exr(file);
    return read_pixels(path, exr, part);
  });
}

ExrInfo read_exr_info(const std::string& path) {
  const Buffer<std::byte> file = InputFile(path).read_all();
  return read_or_fail(path, [&] {
    OpenExr exr(file.span());
    check_pixels(path, exr);
    const Imf::Header& header = exr.parts.header(0);
    const ExrWindow window = data_window(header);
    ExrInfo info{window.width, window.height, display_of(header), {}, 1, {}, metadata_of(header)};
    constexpr const char* kTypes[] = {"integer", "half", "float"};
    for (const ExrLevel& level : read_levels(path, exr, DecodedPart::kHeader)) {
      info.levels = std::max({info.levels, level.level_x + 1, level.level_y + 1});
    }
    for (int part = 0; part < exr.parts.parts(); ++part) {
      const Imf::ChannelList& channels = exr.parts.header(part).channels();
      for (auto channel = channels.begin(); channel != channels.end(); ++channel)
        info.channels.push_back(fmt::format("{} {}",
                                            channel_label(part_name(exr, part), channel.name()),
                                            kTypes[channel.channel().type]));
    }
    if (const auto* const values =
            header.findTypedAttribute<Imf::StringAttribute>(kExrValuesAttribute))
      info.values = values->value();
    return info;
  });
}

}  // namespace roundel::openexr
