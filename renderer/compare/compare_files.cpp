#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/compare/picture_shapes.h"

namespace roundel {
namespace {

MemoryBudget::Share take(MemoryBudget* budget, std::uint64_t bytes) {
  return budget == nullptr ? MemoryBudget::Share() : budget->take(bytes);
}

/// Piece by piece, in little memory.
bool equal_pieces(const InputFile& a, const InputFile& b) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;  // two fit in a core's L2
  constexpr std::size_t kPiecesPerTask = 8;
  std::atomic<bool> equal = true;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, (a.size() + kPiece - 1) / kPiece, kPiecesPerTask),
      [&](const tbb::blocked_range<std::size_t>& pieces) {
        Buffer<std::byte> of_a(kPiece), of_b(kPiece);
        for (std::size_t piece = pieces.begin(); equal && piece < pieces.end(); ++piece) {
          const std::size_t begin = piece * kPiece;
          const std::size_t size = std::min<std::size_t>(kPiece, a.size() - begin);
          a.read_at(begin, of_a.span().first(size));
          b.read_at(begin, of_b.span().first(size));
          if (std::memcmp(of_a.data(), of_b.data(), size) != 0) equal = false;
        }
      });
  a.check_unchanged();
  b.check_unchanged();
  return equal;
}

/// Throws an Error for equal files of an unsupported kind or with a damaged header, since a
/// difference could not have been found.
bool equal_files(const InputFile& a, const InputFile& b, MemoryBudget* budget) {
  if (a.size() != b.size()) return false;
  constexpr std::uint64_t kMaxSmallFile = std::uint64_t{1} << 20;  // read once
  if (a.size() <= kMaxSmallFile) {
    const Buffer<std::byte> of_a = a.read_all(), of_b = b.read_all();
    if (a.size() > 0 && std::memcmp(of_a.data(), of_b.data(), of_a.size()) != 0) return false;
    decode_picture_header(a.path(), of_a.span());
    return true;
  }
  if (!equal_pieces(a, b)) return false;
  const MemoryBudget::Share memory = take(budget, a.size());
  read_picture_header(a);
  return true;
}

/// Throws the problems of both. `at_once`: on two threads, whose start takes longer than reading a
/// small file.
template <typename WorkA, typename WorkB>
void do_both(bool at_once, const WorkA& work_a, const WorkB& work_b) {
  std::optional<Error> problem_a, problem_b;
  const auto attempt = [](const auto& work, std::optional<Error>& problem) {
    try {
      work();
    } catch (const Error& error) {
      problem = error;
    }
  };
  if (at_once) {
    tbb::parallel_invoke([&] { attempt(work_a, problem_a); }, [&] { attempt(work_b, problem_b); });
  } else {
    attempt(work_a, problem_a);
    attempt(work_b, problem_b);
  }
  if (problem_a && problem_b && std::string_view(problem_a->what()) != problem_b->what()) {
    throw Error(problem_a->exit_code(), problem_a->lines() + problem_b->lines());
  }
  for (const auto& problem : {problem_a, problem_b})
    if (problem) throw Error(*problem);
}

/// True if reading either takes longer than starting a thread.
bool are_large(const InputFile& a, const InputFile& b) {
  constexpr std::uint64_t kMaxSmallFile = 1 << 16, kMaxSmallPicture = 1 << 20;  // bytes
  if (std::max(a.size(), b.size()) > kMaxSmallFile) return true;
  try {
    return std::max(read_picture_header(a).memory, read_picture_header(b).memory) >
           kMaxSmallPicture;
  } catch (const Error&) {
    return false;  // reading reports it
  }
}

PictureDifference no_difference(const Measures& measures) {
  PictureDifference difference;
  difference.kind = PictureDifference::Kind::kEqualBytes;
  if (measures.flip) difference.flip = FlipStatistics{};
  if (measures.ssim) difference.ssim = 1;
  difference.psnr = std::numeric_limits<double>::infinity();
  return difference;
}

/// Upper bound, in bytes.
std::uint64_t memory_to_compare(const PictureHeader& a, const PictureHeader& b,
                                const Tolerance& tolerance) {
  constexpr std::uint64_t kSets = 1, kFlip = 8;        // bytes a pixel
  constexpr std::uint64_t kAlike = 8 * sizeof(float);  // both as RGBA
  std::uint64_t for_pixel = kSets + kFlip;
  if (tolerance.is_shape_tolerant && !same_shape(a.shape, b.shape)) for_pixel += kAlike;
  if (differ_in_size_only(a.shape, b.shape)) for_pixel += 4 * sizeof(float);
  if (!tolerance.ignore.empty() || tolerance.mask) for_pixel += 4 * sizeof(float);
  std::uint64_t bytes =
      a.memory + b.memory + for_pixel * std::max(a.shape.pixels(), b.shape.pixels());
  const std::uint64_t before = a.shape.memory_of_samples() + b.shape.memory_of_samples();
  Picture like_a = copy_of(a.shape), like_b = copy_of(b.shape);
  make_comparable(like_a, like_b, false);
  if (like_a.memory_of_samples() + like_b.memory_of_samples() != before)
    bytes += like_a.memory_of_samples() + like_b.memory_of_samples();
  return bytes;
}

/// Includes the files' bytes.
std::uint64_t memory_to_compare(const InputFile& a, const InputFile& b,
                                const Tolerance& tolerance) {
  PictureHeader header_a, header_b;
  do_both(
      false, [&] { header_a = read_picture_header(a); },
      [&] { header_b = read_picture_header(b); });
  return memory_to_compare(header_a, header_b, tolerance);
}

}  // namespace

ComparedFiles compare_files(const std::string& path_a, const std::string& path_b,
                            const Tolerance& tolerance, const Measures& measures,
                            MemoryBudget* budget) {
  std::optional<InputFile> file_a, file_b;
  do_both(
      false, [&] { file_a.emplace(path_a); }, [&] { file_b.emplace(path_b); });
  ComparedFiles compared;
  if (equal_files(*file_a, *file_b, budget)) {
    compared.difference = no_difference(measures);
    return compared;
  }
  std::uint64_t bytes = 0;
  if (budget != nullptr) {
    const MemoryBudget::Share memory = take(budget, file_a->size() + file_b->size());
    bytes = memory_to_compare(*file_a, *file_b, tolerance);
  }
  compared.memory = take(budget, bytes);
  try {
    do_both(
        are_large(*file_a, *file_b), [&] { compared.a = read_picture(*file_a); },
        [&] { compared.b = read_picture(*file_b); });
    make_comparable(*compared.a, *compared.b, tolerance.is_shape_tolerant);
    compared.difference = compare_pictures(*compared.a, *compared.b, tolerance, measures);
  } catch (const std::bad_alloc&) {
    compared.a.reset(), compared.b.reset();
    bytes = memory_to_compare(*file_a, *file_b, tolerance);
    throw Error(
        ExitCode::kRuntimeFailure,
        fmt::format(
            "{} and {}: comparing them needs about {} of memory, more than this process gets",
            path_a, path_b, memory_text(static_cast<double>(bytes))));
  }
  return compared;
}

}  // namespace roundel
