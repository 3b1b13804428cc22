#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "renderer/image/png_chunks.h"

namespace roundel {

enum class PngSamples {
  kPacked,  ///< as in the file
  /// Samples below 8 bits become bytes: grey is scaled to 0..255, palette indices stay. 16-bit
  /// samples get the machine's order. A grey or RGB picture's transparent colour becomes an alpha
  /// channel.
  kWhole
};

/// Decodes rows with libpng, which gets only the chunks that pixels need. Rows of an interlaced
/// picture are those of its passes.
class PngRowReader {
 public:
  /// `file` and `chunks` must outlive the object. `path` is for messages.
  PngRowReader(std::string path, PngChunks::Bytes file, const PngChunks& chunks,
               PngSamples samples);
  /// `row` can hold a row of the whole picture. Calls fail_png for damage.
  void read(std::uint8_t* row);

 private:
  struct Libpng;
  template <typename Step>
  void call(const Step& step);

  std::string path_;
  std::unique_ptr<Libpng, void (*)(Libpng*)> libpng_;
};

}  // namespace roundel
