// EXR files as renderers write them: any channels, parts and levels.
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "renderer/compare/compare_levels.h"
#include "renderer/compare/difference_image.h"
#include "tests/compare/compare_test_support.h"
#include "tests/compare/exr_writer.h"

namespace roundel {
namespace {

using Kind = PictureDifference::Kind;

constexpr std::pair<const char*, Imf::PixelType> kRed = {"R", Imf::HALF}, kGreen = {"G", Imf::HALF},
                                                 kBlue = {"B", Imf::HALF}, kZ = {"Z", Imf::FLOAT},
                                                 kId = {"id", Imf::UINT};

double constant(const std::string& /*channel*/, int /*x*/, int /*y*/, int /*level*/) {
  return 1;
}

/// 1 everywhere but in a pixel of a channel in a level.
auto changed(std::string name, int at_x, int at_y, double value, int at_level = 0) {
  return [name = std::move(name), at_x, at_y, value, at_level](const std::string& channel, int x,
                                                               int y, int level) {
    return channel == name && x == at_x && y == at_y && level == at_level ? value : 1;
  };
}

class CompareLevels : public testing::Test {
 protected:
  PictureDifference difference(const std::vector<TestPart>& a, const std::vector<TestPart>& b,
                               const Tolerance& tolerance = {}, const Measures& measures = {}) {
    write_parts(folder_ / "a.exr", a);
    write_parts(folder_ / "b.exr", b);
    return compare_files(folder_ / "a.exr", folder_ / "b.exr", tolerance, measures).difference;
  }
  Picture picture(const std::vector<TestPart>& parts) {
    write_parts(folder_ / "c.exr", parts);
    return read_picture(folder_ / "c.exr");
  }
  std::string problem(const std::vector<TestPart>& parts, const Tolerance& tolerance) {
    const Picture a = picture(parts);
    const Error error = error_of([&] { compare_pictures(a, a, tolerance, {}); });
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
    return error.what();
  }

  const TemporaryFolder folder_;
};

TEST_F(CompareLevels, ReadsEveryTypeChannelPartAndLevel) {
  const auto value = [](const std::string& channel, int x, int y, int level) {
    const double place = 100 * level + 10 * y + x;
    return channel == "id" ? 4294967295 - place : channel == "Z" ? place / 3 : place / 4;
  };
  const Picture file = picture({{{kRed, kId}, value, "b", {{-2, 3}, {1, 4}}, Imf::MIPMAP_LEVELS},
                                {{kZ}, value, "a", {{0, 0}, {2, 1}}, Imf::RIPMAP_LEVELS}});
  const int expected[][6] = {{0, 0, 3, 2, 0, 0}, {1, 0, 1, 2, 0, 0},  {0, 1, 3, 1, 0, 0},
                             {1, 1, 1, 1, 0, 0}, {0, 0, 4, 2, -2, 3}, {1, 1, 2, 1, -2, 3},
                             {2, 2, 1, 1, -2, 3}};
  ASSERT_EQ(file.levels.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const ExrLevel& level = file.levels[i];
    const auto [level_x, level_y, width, height, left, top] = expected[i];
    EXPECT_EQ(level.part, i < 4 ? "a" : "b");
    EXPECT_EQ(
        std::tie(level.level_x, level.level_y, level.width, level.height, level.left, level.top),
        std::tie(level_x, level_y, width, height, left, top));
    ASSERT_EQ(level.channels.size(), i < 4 ? 1U : 2U);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (std::size_t c = 0; c < level.channels.size(); ++c) {
          const double stored =
              value(level.channels[c].name, x, y, 10 * level.level_x + level.level_y);
          const auto pixel = static_cast<std::size_t>(y * width + x);
          ASSERT_EQ(level.value(pixel, c), level.channels[c].is_integer
                                               ? stored
                                               : static_cast<double>(static_cast<float>(stored)));
        }
  }
}

TEST_F(CompareLevels, NamesEachChannelThatDiffers) {
  const std::vector<TestPart> a = {{{kRed, kGreen, kBlue, kZ, kId}, constant}};
  const auto measured = difference(a, {{{kRed, kGreen, kBlue, kZ, kId}, changed("Z", 5, 2, 1.5)}});
  EXPECT_EQ(measured.kind, Kind::kDifferent);
  EXPECT_EQ(measured.pixels, 1U);
  ASSERT_EQ(measured.channels.size(), 5U);
  for (const PictureDifference::Channel& channel : measured.channels)
    EXPECT_EQ(channel.largest, channel.name == "Z" ? 0.5 : 0) << channel.name;
  EXPECT_EQ(channel_places_text(measured), ", Z 0.5 at (5, 2) in 1 pixel");
  EXPECT_EQ(measured.box.x, 5);
  EXPECT_EQ(measured.box.y, 2);
  EXPECT_DOUBLE_EQ(measured.rmse, std::sqrt(0.25 / (5 * 48)));
  const auto of_id = difference(a, {{{kRed, kGreen, kBlue, kZ, kId}, changed("id", 0, 0, 4e9)}});
  EXPECT_EQ(channel_places_text(of_id), ", id 4e+09 at (0, 0) in 1 pixel");
}

TEST_F(CompareLevels, LargeIntegersAreExact) {
  const auto measured = difference({{{kId}, changed("id", 1, 1, 4294967295)}},
                                   {{{kId}, changed("id", 1, 1, 4294967294)}});
  EXPECT_EQ(measured.channels[0].largest, 1);
}

TEST_F(CompareLevels, TypesAndTilesDoNotMatter) {
  for (const Imf::PixelType type : {Imf::UINT, Imf::HALF, Imf::FLOAT}) {
    EXPECT_EQ(difference({{{{"Y", Imf::HALF}}, constant}}, {{{{"Y", type}}, constant}}).pixels, 0U);
    EXPECT_EQ(difference({{{kZ}, constant}},
                         {{{{"Z", type}}, constant, "", {{0, 0}, {7, 5}}, Imf::ONE_LEVEL}})
                  .kind,
              Kind::kEqualPixels);
  }
  EXPECT_EQ(
      difference({{{{"Y", Imf::HALF}}, constant}}, {{{{"Y", Imf::UINT}}, changed("Y", 3, 0, 9)}})
          .pixels,
      1U);
}

TEST_F(CompareLevels, OtherNamesDiffer) {
  const auto shape = [this](const std::vector<TestPart>& a, const std::vector<TestPart>& b) {
    const PictureDifference measured = difference(a, b, {.is_shape_tolerant = true});
    EXPECT_EQ(measured.kind, Kind::kOtherShape);
    EXPECT_FALSE(measured.can_unify_shapes);
    EXPECT_FALSE(apply_tolerance(measured, {.max_pixels = 100, .pixels_in_percent = true}).same);
    return measured.shape;
  };
  const TestPart rgb = {{kRed, kGreen, kBlue}, constant}, z = {{kZ}, constant};
  const TestPart rgbz = {{kRed, kGreen, kBlue, kZ}, constant};
  EXPECT_EQ(shape({rgb}, {rgbz}), "pictures of different channels: Z only in the second");
  EXPECT_EQ(shape({z}, {{{{"depth", Imf::FLOAT}}, constant}}),
            "pictures of different channels: Z only in the first; depth only in the second");
  EXPECT_EQ(
      shape({rgb}, {{{{"x.R", Imf::HALF}, {"x.G", Imf::HALF}, {"x.B", Imf::HALF}}, constant}}),
      "pictures of different channels: B, G, R only in the first; x.B, x.G, x.R only in the "
      "second");
  const auto named = [](TestPart part, const char* name) {
    part.name = name;
    return part;
  };
  EXPECT_EQ(shape({named(rgb, "a"), named(z, "b")}, {named(rgb, "a"), named(z, "c")}),
            "pictures of different channels: b/Z only in the first; c/Z only in the second");
  EXPECT_EQ(difference({named(rgb, "a"), named(z, "b")}, {named(z, "b"), named(rgb, "a")}).kind,
            Kind::kEqualPixels);
  // The labels are the same: a/b/c, a/x, a/b/y.
  const std::pair<std::string, Imf::PixelType> c = {"c", Imf::HALF}, x = {"x", Imf::HALF},
                                               y = {"y", Imf::HALF}, b_c = {"b/c", Imf::HALF};
  EXPECT_EQ(
      shape({{{b_c, x}, constant, "a"}, {{y}, constant, "a/b"}},
            {{{x}, constant, "a"}, {{c, y}, constant, "a/b"}}),
      "pictures of different sizes or levels: levels that are rounded, or channels in parts, in "
      "different ways");
  TestPart mip = rgb, rip = rgb, one = rgb;
  mip.levels = Imf::MIPMAP_LEVELS, rip.levels = Imf::RIPMAP_LEVELS, one.levels = Imf::ONE_LEVEL;
  EXPECT_EQ(shape({mip}, {one}), "pictures of different sizes or levels: 8x6 with 4 levels; 8x6");
  EXPECT_EQ(shape({mip}, {rip}),
            "pictures of different sizes or levels: 8x6 with 4 levels; 8x6 with 12 levels");
}

TEST_F(CompareLevels, FindsADifferenceInOneLevel) {
  for (const Imf::LevelMode mode : {Imf::MIPMAP_LEVELS, Imf::RIPMAP_LEVELS}) {
    const int level = mode == Imf::MIPMAP_LEVELS ? 11 : 21;
    const auto measured =
        difference({{{kRed}, constant, "", {{0, 0}, {7, 5}}, mode}},
                   {{{kRed}, changed("R", 1, 2, 3, level), "", {{0, 0}, {7, 5}}, mode}});
    EXPECT_EQ(channel_places_text(measured), mode == Imf::MIPMAP_LEVELS
                                                 ? ", R 2 at (1, 2) of level 1 in 1 pixel"
                                                 : ", R 2 at (1, 2) of level 2x1 in 1 pixel");
    EXPECT_EQ(measured.compared_pixels(),
              mode == Imf::MIPMAP_LEVELS ? 48U + 12 + 2 + 1 : 15U * (6 + 3 + 1));
  }
}

TEST_F(CompareLevels, LimitsFitChannelsByPattern) {
  const auto parts = [](const char* channel, double value) {
    return std::vector<TestPart>{{{kRed, kZ}, changed(channel, 4, 4, value), "left"},
                                 {{kRed, kZ}, constant, "right"}};
  };
  const auto same = [&](const char* channel, double value,
                        std::vector<Tolerance::ChannelDelta> limits) {
    const Tolerance tolerance{.max_delta = 0.25, .channel_deltas = std::move(limits)};
    const auto measured = difference(parts("", 0), parts(channel, value), tolerance);
    EXPECT_EQ(measured.pixels, 1U);
    return apply_tolerance(measured, tolerance).same;
  };
  EXPECT_TRUE(same("R", 1.25, {}));
  EXPECT_FALSE(same("Z", 1.5, {}));
  EXPECT_TRUE(same("Z", 1.5, {{"Z", 0.5}}));
  EXPECT_FALSE(same("Z", 1.5, {{"Z", 0.4}}));
  EXPECT_FALSE(same("R", 1.5, {{"Z", 0.5}}));
  EXPECT_TRUE(same("Z", 1.5, {{"left/*", 0.5}}));
  EXPECT_FALSE(same("Z", 1.5, {{"right/*", 0.5}}));
  EXPECT_FALSE(same("Z", 1.5, {{"*", 0.1}, {"Z", 0.5}}));  // the first counts
}

TEST_F(CompareLevels, LimitsFitAPlainPicturesChannelsToo) {
  const std::vector<TestPart> a = {{{kRed, kGreen, kBlue}, constant}},
                              b = {{{kRed, kGreen, kBlue}, changed("G", 2, 3, 1.5)}};
  const auto red_pixels = [&](const Tolerance& tolerance) {
    const Image image = difference_image(picture(a), picture(b), tolerance);
    const std::uint8_t* const rgb = &image.bytes[3 * (3 * 8 + 2)];
    EXPECT_EQ(rgb[2], 0);
    return rgb[1] == 0;  // else yellow
  };
  for (const auto& [pattern, is_same] : {std::pair{"G", true}, {"R", false}}) {
    const Tolerance tolerance{.channel_deltas = {{pattern, 0.5}}};
    EXPECT_EQ(apply_tolerance(difference(a, b, tolerance), tolerance).same, is_same);
    EXPECT_EQ(red_pixels(tolerance), !is_same);
  }
}

TEST_F(CompareLevels, NanOnOneSideAlwaysDiffers) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tolerance any{.channel_deltas = {{"*", 1e9}}, .max_pixels = 48};
  for (const double value : {kNan, kInfinity}) {
    const std::vector<TestPart> odd = {{{kZ}, changed("Z", 1, 0, value)}};
    const auto measured = difference({{{kZ}, constant}}, odd, any);
    EXPECT_EQ(measured.not_finite, 1U);
    EXPECT_EQ(measured.channels[0].largest, 0);
    EXPECT_FALSE(apply_tolerance(measured, any).same);
    EXPECT_EQ(channel_places_text(measured), ", Z by NaN or infinity at (1, 0) in 1 pixel");
    EXPECT_EQ(difference(odd, {{{{"Z", Imf::HALF}}, changed("Z", 1, 0, value)}}).kind,
              Kind::kEqualPixels);
  }
}

TEST_F(CompareLevels, MissingPixelsOfADataWindowAreZero) {
  const auto inner = [](int left, int top) {
    return [left, top](const std::string&, int x, int y, int) {
      return x + left >= 2 && x + left <= 4 && y + top >= 1 && y + top <= 3 ? 1.0 : 0.0;
    };
  };
  for (const auto& channels :
       {std::vector<std::pair<std::string, Imf::PixelType>>{kRed, kGreen, kBlue},
        std::vector<std::pair<std::string, Imf::PixelType>>{kRed, kZ}}) {
    const std::vector<TestPart> whole = {{channels, inner(0, 0)}};
    const auto trimmed = [&](Imath::Box2i window) {
      return std::vector<TestPart>{{channels, inner(window.min.x, window.min.y), "", window}};
    };
    for (const Imath::Box2i& window : {Imath::Box2i{{2, 1}, {4, 3}}, {{-3, 1}, {4, 9}}})
      EXPECT_EQ(difference(whole, trimmed(window)).kind, Kind::kEqualPixels);
    EXPECT_EQ(difference(trimmed({{2, 0}, {4, 3}}), trimmed({{0, 1}, {9, 3}})).kind,
              Kind::kEqualPixels);
    const auto cut = difference(whole, trimmed({{3, 1}, {4, 3}}));
    EXPECT_EQ(cut.pixels, 3U);
    EXPECT_EQ(cut.box.x, 2);
    const Picture a = picture(whole), b = picture(trimmed({{3, 1}, {4, 3}}));
    EXPECT_EQ(compare_pictures(a, b, {}, {}).pixels, 3U);
  }
}

TEST_F(CompareLevels, IgnoresBoxesInAllParts) {
  const std::vector<TestPart> a = {{{kRed}, constant, "a"}, {{kZ}, constant, "b"}};
  const auto measured = difference(a, {{{kRed}, constant, "a"}, {{kZ}, changed("Z", 4, 4, 3), "b"}},
                                   {.ignore = {{4, 4, 1, 1}}});
  EXPECT_EQ(measured.pixels, 0U);
  EXPECT_EQ(measured.ignored_different, 1U);
  EXPECT_EQ(measured.kind, Kind::kDifferent);
  EXPECT_EQ(difference(a, {{{kRed}, constant, "a"}, {{kZ}, changed("Z", 4, 5, 3), "b"}},
                       {.ignore = {{4, 4, 1, 1}}})
                .pixels,
            1U);
}

TEST_F(CompareLevels, RefusesLimitsOfPlainPictures) {
  const std::vector<TestPart> rgbz = {{{kRed, kGreen, kBlue, kZ}, constant}};
  const std::string plain =
      ": works with EXR files of R, G, B or Y, with or without A, in one part and level, not with "
      "these";
  EXPECT_EQ(problem(rgbz, {.ignores_antialiasing = true}), "ignore-antialiasing" + plain);
  EXPECT_EQ(problem(rgbz, {.flip_mean = 0.5}), "flip-mean" + plain);
  EXPECT_EQ(problem({{{kRed}, constant, "", {{0, 0}, {7, 5}}, Imf::MIPMAP_LEVELS}},
                    {.ignore = {{0, 0, 1, 1}}}),
            "ignore and mask: works with EXR files of one level, whose parts have one data window, "
            "not with these");
}

TEST_F(CompareLevels, MeasuresAndMarksTheLayerThatIsShown) {
  const std::vector<TestPart> a = {{{kRed, kGreen, kBlue, kZ}, constant}},
                              b = {{{kRed, kGreen, kBlue, kZ}, changed("Z", 6, 5, 2)}};
  EXPECT_EQ(difference(a, b, {}, {.flip = true}).flip->max, 0);
  EXPECT_FALSE(difference({{{kZ}, constant}}, {{{kZ}, changed("Z", 0, 0, 2)}}, {}, {.flip = true})
                   .flip.has_value());
  const Picture shown = picture(a);
  EXPECT_EQ(shown.channels, 3);
  const Image image = difference_image(shown, picture(b), {});
  for (std::size_t p = 0; p < 48; ++p)
    EXPECT_EQ(image.bytes[3 * p] == 255 && image.bytes[3 * p + 1] == 0, p == 5 * 8 + 6) << p;
}

TEST_F(CompareLevels, RejectsEveryTruncatedFile) {
  picture(
      {{{kRed, kId}, constant, "a", {{0, 0}, {7, 5}}, Imf::MIPMAP_LEVELS}, {{kZ}, constant, "b"}});
  std::ifstream stream(folder_ / "c.exr", std::ios::binary);
  const std::vector<char> file((std::istreambuf_iterator<char>(stream)),
                               std::istreambuf_iterator<char>());
  EXPECT_EQ(decode_picture("c.exr", std::as_bytes(std::span(file))).levels.size(), 5U);
  for (std::size_t size = 4; size < file.size(); size += 3) {
    const Error error =
        error_of([&] { decode_picture("c.exr", std::as_bytes(std::span(file).first(size))); });
    ASSERT_EQ(error.exit_code(), ExitCode::kInvalidScene) << size;
  }
}

}  // namespace
}  // namespace roundel
