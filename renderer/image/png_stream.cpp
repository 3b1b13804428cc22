#include "renderer/image/png_stream.h"

#include <spng.h>

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/image/metadata_text.h"

namespace roundel {
namespace {

using Write = std::function<void(std::span<const std::uint8_t>)>;

/// Gathers libspng's many small writes, and carries exceptions around it, as it is C.
class Output {
 public:
  explicit Output(const Write& write) : write_(write) { buffer_.reserve(kBuffer); }

  static int append(spng_ctx* /*context*/, void* self, void* bytes, std::size_t size) {
    auto& output = *static_cast<Output*>(self);
    const auto* begin = static_cast<const std::uint8_t*>(bytes);
    output.buffer_.insert(output.buffer_.end(), begin, begin + size);
    if (output.buffer_.size() < kBuffer) return 0;
    try {
      output.flush();
    } catch (...) {
      output.error_ = std::current_exception();
      return SPNG_IO_ERROR;
    }
    return 0;
  }
  void flush() {
    write_(buffer_);
    buffer_.clear();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;
  const Write& write_;
  std::vector<std::uint8_t> buffer_;
  std::exception_ptr error_;
};

}  // namespace

void stream_png(const Image& image, const ImageMetadata& metadata, const Write& write) {
  Output output(write);
  const auto check = [&output](int result) {
    if (result == SPNG_OK || result == SPNG_EOI) return;
    output.rethrow();
    throw Error(ExitCode::kRuntimeFailure,
                std::string("cannot encode PNG: ") + spng_strerror(result));
  };
  const std::unique_ptr<spng_ctx, void (*)(spng_ctx*)> owner(spng_ctx_new(SPNG_CTX_ENCODER),
                                                             spng_ctx_free);
  spng_ctx* const context = owner.get();
  if (context == nullptr)
    throw Error(ExitCode::kRuntimeFailure, "cannot encode PNG: out of memory");
  check(spng_set_png_stream(context, Output::append, &output));

  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(image.width);
  header.height = static_cast<std::uint32_t>(image.height);
  header.bit_depth = 8;
  header.color_type = static_cast<std::uint8_t>(
      image.channels == 4 ? SPNG_COLOR_TYPE_TRUECOLOR_ALPHA : SPNG_COLOR_TYPE_TRUECOLOR);
  check(spng_set_ihdr(context, &header));
  check(spng_set_srgb(context, 0));  // rendering intent: perceptual
  auto values = metadata_texts(metadata);
  spng_text texts[4] = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::strncpy(texts[i].keyword, kMetadataKeywords[i], sizeof(texts[i].keyword) - 1);
    texts[i].type = SPNG_TEXT;
    texts[i].text = values[i].data();
    texts[i].length = values[i].size();
  }
  check(spng_set_text(context, texts, 4));
  // As for smaller pictures: fast, and the filter Up.
  check(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 1));
  check(spng_set_option(context, SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_UP));

  check(spng_encode_image(context, nullptr, 0, SPNG_FMT_PNG,
                          SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE));
  const std::size_t row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y) {
    check(spng_encode_row(context, image.bytes.data() + y * row_bytes, row_bytes));
  }
  output.flush();
}

}  // namespace roundel
