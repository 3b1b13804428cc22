#include "renderer/image/png_row_reader.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace roundel {

struct PngRowReader::Libpng {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<std::uint8_t, 18> transparency{};  ///< a tRNS chunk
  std::array<PngChunks::Bytes, 5> input;        ///< unread parts of the stream
  bool is_out_of_memory = false;
  char problem[256] = "";

  [[noreturn]] static void leave(png_structp png, const char* problem) {
    auto& libpng = *static_cast<Libpng*>(png_get_error_ptr(png));
    std::snprintf(libpng.problem, sizeof libpng.problem, "%s", problem);
    png_longjmp(png, 1);
  }
  static void leave_at_warning(png_structp png, const char* problem) { leave(png, problem); }

  static void* allocate(png_structp png, png_alloc_size_t size) {
    void* const memory = std::malloc(size);
    static_cast<Libpng*>(png_get_mem_ptr(png))->is_out_of_memory |= memory == nullptr;
    return memory;
  }
  static void release(png_structp, void* memory) { std::free(memory); }

  static void read_input(png_structp png, std::uint8_t* out, std::size_t size) {
    for (PngChunks::Bytes& part : static_cast<Libpng*>(png_get_io_ptr(png))->input) {
      const std::size_t count = std::min(size, part.size());
      if (count > 0) std::memcpy(out, part.data(), count);
      part = part.subspan(count);
      out += count;
      size -= count;
    }
    if (size > 0) png_error(png, "the pixels are cut off");
  }

  static void destroy(Libpng* libpng) {
    png_destroy_read_struct(&libpng->png, &libpng->info, nullptr);
    delete libpng;
  }
};

namespace {

/// From the chunk with the contents `first` to the one with `last`.
PngChunks::Bytes whole_chunks(PngChunks::Bytes first, PngChunks::Bytes last) {
  return {first.data() - 8, last.data() + last.size() + 4};
}

/// A grey or RGB picture's tRNS chunk in libpng's form, masked to the picture's bits. Its checksum
/// stays zero, since it is not checked.
PngChunks::Bytes transparency_chunk(const PngChunks& chunks, std::array<std::uint8_t, 18>& out) {
  if (chunks.header().color == PngColor::kIndexed) return {};
  constexpr std::size_t kMaxSize = 6;  // three samples
  const std::size_t size = std::min(chunks.transparency().size(), kMaxSize);
  if (size == 0) return {};
  const unsigned largest = (1U << chunks.header().bit_depth) - 1;
  out[3] = static_cast<std::uint8_t>(size);
  std::memcpy(&out[4], "tRNS", 4);
  for (std::size_t k = 0; k < size; ++k) {
    const unsigned mask = k % 2 == 0 ? largest >> 8 : largest;
    out[8 + k] = static_cast<std::uint8_t>(chunks.transparency()[k] & mask);
  }
  return PngChunks::Bytes(out).first(12 + size);
}

void expand_samples(png_structp png, bool is_indexed) {
  if (is_indexed) {
    png_set_packing(png);
  } else {
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_tRNS_to_alpha(png);
  }
  if constexpr (std::endian::native == std::endian::little) png_set_swap(png);
}

}  // namespace

PngRowReader::PngRowReader(std::string path, PngChunks::Bytes file, const PngChunks& chunks,
                           PngSamples samples)
    : path_(std::move(path)), libpng_(new Libpng, Libpng::destroy) {
  Libpng& libpng = *libpng_;
  constexpr std::size_t kStart = 33, kEnd = 12;  // the signature with IHDR, and IEND
  const PngChunks::Bytes palette = chunks.palette();
  const bool is_indexed = chunks.header().color == PngColor::kIndexed;
  libpng.input = {file.first(kStart),
                  is_indexed ? whole_chunks(palette, palette) : PngChunks::Bytes(),
                  transparency_chunk(chunks, libpng.transparency),
                  whole_chunks(chunks.pixels().front(), chunks.pixels().back()), file.last(kEnd)};
  libpng.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &libpng, Libpng::leave,
                                        Libpng::leave_at_warning, &libpng, Libpng::allocate,
                                        Libpng::release);
  if (libpng.png == nullptr) throw std::bad_alloc();
  call([&libpng, samples, is_indexed] {
    png_struct* const png = libpng.png;
    libpng.info = png_create_info_struct(png);
    png_set_read_fn(png, &libpng, Libpng::read_input);
    // PngChunks has checked the checksums.
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    // Some programs write a smaller window into zlib's header than they use.
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, libpng.info);
    if (samples == PngSamples::kWhole) expand_samples(png, is_indexed);
    png_read_update_info(png, libpng.info);
  });
}

/// Errors and warnings of libpng leave `step` by longjmp, so it must not have objects with
/// destructors.
template <typename Step>
void PngRowReader::call(const Step& step) {
  if (setjmp(png_jmpbuf(libpng_->png)) != 0) {
    if (libpng_->is_out_of_memory) throw std::bad_alloc();
    fail_png(path_, libpng_->problem);
  }
  step();
}

void PngRowReader::read(std::uint8_t* row) {
  png_struct* const png = libpng_->png;
  call([png, row] { png_read_row(png, row, nullptr); });
}

}  // namespace roundel
