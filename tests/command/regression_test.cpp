// Two backends that should draw equal pictures: errors of one of them are reported with its name.
#include "tools/roundel/commands/regress_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "renderer/render.h"
#include "renderer/scene/load_scene.h"
#include "tests/testing.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Draws like the CPU backend, except for one pixel of all pictures, or of the first of every few.
class OnePixelOff final : public Rasterizer {
 public:
  explicit OnePixelOff(const RasterOptions& options, int every = 1)
      : sound_(make_cpu_rasterizer(options)), every_(every) {}
  void draw_circles(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                    StageStats& stats) override {
    sound_->draw(circles, image, out, stats);
    if (drawn_++ % every_ == 0) out.image->bytes[0] ^= 1U;
  }

 private:
  std::unique_ptr<Rasterizer> sound_;
  int every_, drawn_ = 0;
};

std::unique_ptr<Rasterizer> make_cpu(Backend /*backend*/, const RasterOptions& options) {
  return make_cpu_rasterizer(options);
}
std::unique_ptr<Rasterizer> make_faulty_cuda(Backend backend, const RasterOptions& options) {
  if (backend == Backend::kCpu) return make_cpu_rasterizer(options);
  return std::make_unique<OnePixelOff>(options);
}

class BothBackends : public ::testing::Test {
 protected:
  BothBackends() {
    options_.goldens = folder_ / "goldens";
    options_.output = folder_ / "output";
    fs::create_directory(options_.goldens);
  }

  void store_golden(Rasterizer& rasterizer) {
    StageStats stats;
    render_to_file(scene_, 0, rasterizer, options_.goldens + "/a.png", stats);
  }

  PairResult result(decltype(RegressMachine::make) make) {
    Problems problems;
    const RegressMachine machine{{Backend::kCpu, Backend::kCuda}, std::move(make)};
    const ComparisonRun run = draw_and_compare({{&scene_, 0, "a.png"}}, options_, rules_,
                                               find_goldens(options_.goldens), machine, problems);
    EXPECT_TRUE(problems.empty());
    return run.results.at(0);
  }

  const TemporaryFolder folder_;
  Scene scene_ = parse_scene(
      "version: 1\nimage: {width: 8, height: 8}\nlayers:\n  - circles:\n      - {x: 0.5, y: 0.5, "
      "radius: 0.3}\n",
      "a.yaml");
  GoldenRules rules_ = rules_without_manifest({});
  RegressOptions options_;
};

using Texts = std::vector<std::string>;

TEST_F(BothBackends, PassIfBothMatchTheGolden) {
  store_golden(*make_cpu_rasterizer({}));
  const PairResult same = result(make_cpu);
  EXPECT_EQ(same.state, PairState::kSame);
  EXPECT_EQ(same.reasons, Texts());
  EXPECT_TRUE(same.actual_path.empty());
}

TEST_F(BothBackends, ReportTheDifferingBackendAndKeepItsPicture) {
  store_golden(*make_cpu_rasterizer({}));
  const PairResult other = result(make_faulty_cuda);
  EXPECT_EQ(other.state, PairState::kDiffers);
  EXPECT_EQ(other.reasons, Texts{"on cuda: 1 pixel differs, at most 0 may"});
  EXPECT_EQ(compare_files(other.golden_path, other.actual_path, {}, {}).difference.pixels, 1U);

  OnePixelOff faulty({});
  store_golden(faulty);
  const PairResult first = result(make_faulty_cuda);
  EXPECT_EQ(first.state, PairState::kDiffers);
  EXPECT_EQ(first.reasons, Texts{"on cpu: 1 pixel differs, at most 0 may"});
  EXPECT_EQ(compare_files(first.golden_path, first.actual_path, {}, {}).difference.pixels, 1U);
}

TEST_F(BothBackends, RedrawDifferingPicturesOnRequest) {
  const auto make_unsteady = [](Backend backend, const RasterOptions& options) {
    if (backend == Backend::kCpu) return make_cpu_rasterizer(options);
    return std::unique_ptr<Rasterizer>(std::make_unique<OnePixelOff>(options, 2));
  };
  store_golden(*make_cpu_rasterizer({}));
  EXPECT_EQ(result(make_unsteady).state, PairState::kDiffers);
  options_.retries = 1;
  const PairResult same = result(make_unsteady);
  EXPECT_EQ(same.state, PairState::kSame);
  EXPECT_EQ(same.reasons, Texts{"drawn 2 times; the earlier ones differed"});
  EXPECT_TRUE(same.actual_path.empty());
  options_.retries = 3;
  EXPECT_EQ(result(make_faulty_cuda).reasons, Texts{"on cuda: 1 pixel differs, at most 0 may"});
}

TEST_F(BothBackends, ReportEachDifference) {
  scene_.image.background = parse_scene(
                                "version: 1\nimage: {background: \"#ff0000\"}\n"
                                "layers: [{circles: []}]\n",
                                "b.yaml")
                                .image.background;
  store_golden(*make_cpu_rasterizer({}));
  scene_.image.background = {};
  const PairResult both = result(make_faulty_cuda);
  ASSERT_EQ(both.reasons.size(), 2U);
  EXPECT_TRUE(both.reasons[0].starts_with("on cpu: ")) << both.reasons[0];
  EXPECT_TRUE(both.reasons[1].starts_with("on cuda: ")) << both.reasons[1];
}

TEST_F(BothBackends, ReportADifferenceWithoutAGolden) {
  const PairResult fresh = result(make_faulty_cuda);
  EXPECT_EQ(fresh.state, PairState::kNew);
  ASSERT_EQ(fresh.reasons.size(), 2U);
  EXPECT_EQ(fresh.reasons[1], "cpu and cuda have drawn different pixels");
  EXPECT_EQ(result(make_cpu).reasons.size(), 1U);
}

}  // namespace
}  // namespace roundel
