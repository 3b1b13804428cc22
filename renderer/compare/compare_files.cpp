#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/compare/picture_difference.h"

namespace roundel {
namespace {

bool equal_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  if (a.size() <= kPiece) return std::memcmp(a.data(), b.data(), a.size()) == 0;
  std::atomic<bool> equal = true;
  tbb::parallel_for(std::size_t{0}, (a.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t begin = piece * kPiece, size = std::min(kPiece, a.size() - begin);
    if (equal && std::memcmp(a.data() + begin, b.data() + begin, size) != 0) equal = false;
  });
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
    throw Error(problem_a->exit_code(), std::string(problem_a->what()) + "\n" + problem_b->what());
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
  std::optional<MappedFile> file_a, file_b;
  do_both([&] { file_a.emplace(path_a); }, [&] { file_b.emplace(path_b); });
  const std::span<const std::byte> bytes_a = file_a->bytes(), bytes_b = file_b->bytes();
  ComparedFiles compared;
  if (is_picture(bytes_a) && equal_bytes(bytes_a, bytes_b)) {
    compared.difference = no_difference(measures);
    return compared;
  }
  do_both([&] { compared.a = decode_picture(path_a, bytes_a); },
          [&] { compared.b = decode_picture(path_b, bytes_b); });
  compared.difference = compare_pictures(*compared.a, *compared.b, tolerance, measures);
  return compared;
}

}  // namespace roundel
