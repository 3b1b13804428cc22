// The module roundel_jpeg: JPEG files, decoded by libjpeg-turbo.
#include <csetjmp>
#include <cstdio>
// jpeglib.h needs stdio.h before it.
#include <jpeglib.h>
// jerror.h needs jpeglib.h before it.
#include <jerror.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/module.h"
#include "renderer/image/photo.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1, kProfileMarker = JPEG_APP0 + 2;
constexpr std::string_view kExifStart("Exif\0\0", 6);

/// libjpeg's errors return by longjmp: its callers must not have objects with destructors.
class JpegDecoder {
 public:
  JpegDecoder(const std::string& path, std::span<const std::byte> file) : path_(path) {
    info_.err = jpeg_std_error(&errors_);
    info_.client_data = this;
    errors_.error_exit = leave;
    // Level -1 is a corrupt file, whose missing data libjpeg invents.
    errors_.emit_message = [](j_common_ptr info, int level) {
      if (level < 0) leave(info);
    };
    progress_.progress_monitor = check_scans;
    call([&] {
      jpeg_create_decompress(&info_);
      info_.progress = &progress_;
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
      jpeg_save_markers(&info_, kExifMarker, 0xffff);
      jpeg_save_markers(&info_, kProfileMarker, 0xffff);
      jpeg_read_header(&info_, TRUE);
    });
    check_header(file.size());
  }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  PhotoPixels decode(DecodedPart part) {
    PhotoPixels photo;
    photo.width = static_cast<int>(info_.image_width);
    photo.height = static_cast<int>(info_.image_height);
    photo.channels = info_.num_components;
    read_texts(photo);
    if (part == DecodedPart::kHeader) return photo;
    photo.bytes = Buffer<std::uint8_t>(samples());
    std::uint8_t* const bytes = photo.bytes.data();
    call([&] {
      info_.out_color_space = info_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
      jpeg_start_decompress(&info_);
      const std::size_t row_bytes =
          std::size_t{info_.output_width} * static_cast<unsigned>(info_.output_components);
      while (info_.output_scanline < info_.output_height) {
        JSAMPROW row = bytes + info_.output_scanline * row_bytes;
        jpeg_read_scanlines(&info_, &row, 1);
      }
      jpeg_finish_decompress(&info_);
    });
    return photo;
  }

 private:
  [[noreturn]] static void leave(j_common_ptr info) {
    auto* const decoder = static_cast<JpegDecoder*>(info->client_data);
    info->err->format_message(info, decoder->message_);
    std::longjmp(decoder->back_, 1);
  }

  /// Each of thousands of scans, of a few bytes, takes the time of a whole picture.
  static void check_scans(j_common_ptr info) {
    constexpr int kMaxScans = 100;
    constexpr char kProblem[] = "it has over 100 scans";
    auto* const decoder = static_cast<JpegDecoder*>(info->client_data);
    if (decoder->info_.input_scan_number <= kMaxScans) return;
    std::copy(std::begin(kProblem), std::end(kProblem), decoder->message_);
    std::longjmp(decoder->back_, 1);
  }

  template <typename Step>
  void call(const Step& step) {
    if (setjmp(back_) != 0) {
      if (errors_.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
      fail("not a valid JPEG", message_);
    }
    step();
  }

  void check_header(std::size_t file_size) const {
    if (info_.num_components != 1 && info_.num_components != 3)
      fail("is not supported", "expected grey or colours of three channels, got " +
                                   std::to_string(info_.num_components));
    if (info_.arith_code != 0) fail("is not supported", "arithmetic coding");
    if (info_.image_width > kMaxImageSide || info_.image_height > kMaxImageSide)
      fail("is not supported", "it is too large");
    // Eight by eight samples take at least a bit, and stand for at most 32 by 32 pixels.
    const std::size_t pixels = std::size_t{info_.image_width} * info_.image_height;
    if (pixels / (std::size_t{32} * 32 * 8) > file_size)
      fail("not a valid JPEG", "the pixels are cut off");
    // For files with several scans libjpeg keeps the coefficients, two bytes each.
    check_fits_memory(path_, "pixels", samples() * 3);
  }

  std::size_t samples() const {
    return std::size_t{info_.image_width} * info_.image_height *
           static_cast<std::size_t>(info_.num_components);
  }

  void read_texts(PhotoPixels& photo) {
    for (auto* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const std::string_view text(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kExifMarker && text.starts_with(kExifStart) && photo.exif.empty())
        photo.exif.assign(text.begin(), text.end());
    }
    JOCTET* profile = nullptr;
    unsigned size = 0;
    call([&] { jpeg_read_icc_profile(&info_, &profile, &size); });
    if (profile != nullptr) photo.profile.assign(profile, profile + size);
    std::free(profile);
  }

  [[noreturn]] void fail(const char* verdict, const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, path_ + ": " + verdict + ": " + problem);
  }

  struct Decompress : jpeg_decompress_struct {
    Decompress() : jpeg_decompress_struct{} {}
    Decompress(const Decompress&) = delete;
    Decompress& operator=(const Decompress&) = delete;
    ~Decompress() { jpeg_destroy_decompress(this); }
  };

  const std::string& path_;
  Decompress info_;
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf back_{};
  char message_[JMSG_LENGTH_MAX] = "";
};

}  // namespace

ROUNDEL_MODULE_FUNCTION void roundel_decode_photo(const std::string& path,
                                                  std::span<const std::byte> file, DecodedPart part,
                                                  PhotoPixels& photo) {
  photo = JpegDecoder(path, file).decode(part);
}

}  // namespace roundel
