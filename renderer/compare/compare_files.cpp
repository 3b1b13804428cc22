#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/compare/alike_pictures.h"
#include "renderer/compare/picture_difference.h"

namespace roundel {
namespace {

/// Piece by piece, so that equal files take no memory.
bool equal_bytes(const InputFile& a, const InputFile& b) {
  if (a.size() != b.size()) return false;
  constexpr std::size_t kPiece = std::size_t{1} << 18;  // two stay in a core's L2
  constexpr std::size_t kPiecesOfTask = 8;
  std::atomic<bool> equal = true;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, (a.size() + kPiece - 1) / kPiece, kPiecesOfTask),
      [&](const tbb::blocked_range<std::size_t>& pieces) {
        const std::size_t most = std::min<std::size_t>(kPiece, a.size());
        Buffer<std::byte> of_a(most), of_b(most);
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

/// Collects the problems of two pieces of work that run at once.
template <typename WorkA, typename WorkB>
void do_both(const WorkA& work_a, const WorkB& work_b) {
  std::optional<Error> problem_a, problem_b;
  const auto attempt = [](const auto& work, std::optional<Error>& problem) {
    try {
      work();
    } catch (const Error& error) {
      problem = error;
    }
  };
  tbb::parallel_invoke([&] { attempt(work_a, problem_a); }, [&] { attempt(work_b, problem_b); });
  if (problem_a && problem_b && std::string_view(problem_a->what()) != problem_b->what()) {
    throw Error(problem_a->exit_code(), problem_a->lines() + problem_b->lines());
  }
  for (const auto& problem : {problem_a, problem_b})
    if (problem) throw Error(*problem);
}

PictureDifference no_difference(const Measures& measures) {
  PictureDifference difference;
  difference.kind = PictureDifference::Kind::kEqualBytes;
  if (measures.flip) difference.flip = FlipStatistics{};
  if (measures.ssim) difference.ssim = 1;
  difference.psnr = std::numeric_limits<double>::infinity();
  return difference;
}

}  // namespace

ComparedFiles compare_files(const std::string& path_a, const std::string& path_b,
                            const Tolerance& tolerance, const Measures& measures) {
  std::optional<InputFile> file_a, file_b;
  do_both([&] { file_a.emplace(path_a); }, [&] { file_b.emplace(path_b); });
  ComparedFiles compared;
  if (is_picture(*file_a) && equal_bytes(*file_a, *file_b)) {
    compared.difference = no_difference(measures);
    return compared;
  }
  do_both([&] { compared.a = read_picture(*file_a); }, [&] { compared.b = read_picture(*file_b); });
  if (tolerance.is_shape_tolerant) make_alike(*compared.a, *compared.b);
  compared.difference = compare_pictures(*compared.a, *compared.b, tolerance, measures);
  return compared;
}

}  // namespace roundel
