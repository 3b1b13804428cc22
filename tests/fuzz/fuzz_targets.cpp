#include "tests/fuzz/fuzz_targets.h"

#include <cstdlib>
#include <span>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/generate/generate.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/npy_header.h"

void try_scene(const std::uint8_t* data, std::size_t size) {
  try {
    const roundel::Scene scene =
        roundel::parse_scene({reinterpret_cast<const char*>(data), size}, "no/such/folder/s.yaml");
    if (roundel::fingerprint(scene).size() != 32) std::abort();
    if (roundel::count_circles(scene) > roundel::kMaxCircles) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

void try_npy(const std::uint8_t* data, std::size_t size) {
  try {
    const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
    const roundel::NpyHeader header = roundel::parse_npy_header(file, "a.npy");
    const std::uint64_t element = header.is_double ? 8 : 4;
    if (header.data_offset + header.rows * header.columns * element != size) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

void try_picture(const std::uint8_t* data, std::size_t size) {
  try {
    const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
    const roundel::Picture picture = roundel::decode_picture("a.png", file);
    const std::size_t samples = static_cast<std::size_t>(picture.width) *
                                static_cast<std::size_t>(picture.height) *
                                static_cast<std::size_t>(picture.channels);
    const bool is_bytes = picture.samples == roundel::Picture::Samples::kBytes;
    if ((is_bytes ? picture.bytes.size() : picture.floats.size()) != samples) std::abort();
    if (roundel::compare_pictures(picture, picture, {}, {}).pixels != 0) std::abort();
  } catch (const roundel::Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}
