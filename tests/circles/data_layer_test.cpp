#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "circles_testing.h"
#include "renderer/base/error.h"
#include "renderer/circles/view.h"
#include "renderer/data/table.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

template <typename T>
void write_array(const std::string& path, const std::vector<std::vector<T>>& rows) {
  std::string header = "{'descr': '<f" + std::to_string(sizeof(T)) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(rows.size()) +
                       ", " + std::to_string(rows.at(0).size()) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header;
  for (const std::vector<T>& row : rows)
    file.write(reinterpret_cast<const char*>(row.data()),
               static_cast<std::streamsize>(row.size() * sizeof(T)));
}

class DataLayer : public testing::Test {
 protected:
  DataLayer()
      : path_((std::filesystem::temp_directory_path() /
               ("roundel_data_layer_" + std::to_string(::getpid()) + ".npy"))
                  .string()) {}
  ~DataLayer() override { std::filesystem::remove(path_); }

  Scene scene(std::vector<DataColumn> columns, std::uint64_t rows) const {
    Layer layer;
    DataSource source{path_, std::move(columns), rows, 0, open_table(path_)};
    source.map = map_of_columns(source.columns);
    layer.source = std::move(source);
    layer.alpha = .25f;
    return scene_of({layer});
  }

  /// Returns the message of the error that generating ends with, without the path in front of each
  /// line.
  std::string error_of(const Scene& broken) const {
    try {
      circles_of(broken);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
      std::string message = error.what();
      for (std::size_t at; (at = message.find(path_ + ": ")) != std::string::npos;)
        message.erase(at, path_.size() + 2);
      return message;
    }
    return "no error";
  }

  const std::string path_;
};

using enum DataColumn;

const std::string kFar =
    "; numbers this large are too coarse for places: subtract a common offset from the data";

TEST_F(DataLayer, RowsBecomeCirclesInOrder) {
  write_array<float>(
      path_, {{9, .5f, .2f, .1f, .75f, 1, 2, 3, .125f}, {9, -.5f, 1e6f, 1e-30f, 1, 0, 1e6f, 0, 1}});
  const Circles c =
      circles_of(scene({kIgnored, kX, kY, kRadius, kZ, kBlue, kGreen, kRed, kAlpha}, 2));
  EXPECT_EQ(rows_of(c), (std::vector<float>{.5f, .2f, .75f, .1f, 3, 2, 1,  //
                                            -.5f, 1e6f, 1, 1e-30f, 0, 1e6f, 0}));
  EXPECT_EQ(c.paints[0].alpha, .125f);
  EXPECT_EQ(c.paints[1].alpha, 1);
}

TEST_F(DataLayer, DoublesAreRoundedAndMissingColumnsHaveDefaults) {
  write_array<double>(path_, {{.1, .2, .3}});
  const Circles c = circles_of(scene({kX, kRadius, kY}, 1));
  EXPECT_EQ(rows_of(c), (std::vector<float>{.1f, .3f, 0, .2f, 0, 0, 0}));
  EXPECT_EQ(c.paints[0].alpha, .25f);
}

TEST_F(DataLayer, ManyRowsKeepTheirOrder) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 50'000; ++i) rows.push_back({static_cast<float>(i), 0, 1});
  write_array(path_, rows);
  const Circles c = circles_of(scene({kX, kY, kRadius}, rows.size()));
  for (std::size_t i = 0; i < c.count(); ++i) ASSERT_EQ(c.shapes[i].x, static_cast<float>(i));
}

TEST_F(DataLayer, ReportsValuesOutOfRange) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    std::size_t column;
    double value;
    std::string message;
  };
  const Case cases[] = {
      {0, kNan, "x: expected a number from -1e15 to 1e15, got nan"},
      {0, -1.5e15, "x: expected a number from -1e15 to 1e15, got -1500000000000000" + kFar},
      {1, kInfinity, "y: expected a number from -1e15 to 1e15, got inf"},
      {2, 1.5, "z: expected a number from 0 to 1, got 1.5"},
      {2, -.25, "z: expected a number from 0 to 1, got -0.25"},
      {3, 0, "radius: expected a number > 0 and <= 1e6, got 0"},
      {3, -1, "radius: expected a number > 0 and <= 1e6, got -1"},
      {3, 1e-60, "radius: expected a number > 0 and <= 1e6, got 1e-60"},
      {3, 2e6, "radius: expected a number > 0 and <= 1e6, got 2000000"},
      {3, kNan, "radius: expected a number > 0 and <= 1e6, got nan"},
      {4, -1e-9, "red: expected a number from 0 to 1e6, got -1e-09"},
      {5, 1e300, "green: expected a number from 0 to 1e6, got 1e+300"},
      {6, -kInfinity, "blue: expected a number from 0 to 1e6, got -inf"},
      {7, 1.0000001, "alpha: expected a number from 0 to 1, got 1.0000001"},
  };
  for (const Case& c : cases) {
    std::vector<std::vector<double>> rows(20, {.5, .5, .5, .1, 0, 0, 0, 1, kNan});
    rows[17][c.column] = c.value;
    write_array(path_, rows);
    EXPECT_EQ(error_of(scene({kX, kY, kZ, kRadius, kRed, kGreen, kBlue, kAlpha, kIgnored}, 20)),
              "row 17: " + c.message);
  }
}

TEST_F(DataLayer, ReportsTheFirstBadRowWithAnyThreads) {
  std::vector<std::vector<float>> rows(60'000, {0, 0, 1});
  rows[59'999] = {0, 0, -1};
  rows[40'000] = {0, 2e15f, -2};
  rows[50'000] = {0, 0, -3};
  write_array(path_, rows);
  for (int repeat = 0; repeat < 5; ++repeat)
    EXPECT_EQ(error_of(scene({kX, kY, kRadius}, rows.size())),
              "row 40000: y: expected a number from -1e15 to 1e15, got 1999999973982208" + kFar +
                  "\n"
                  "row 40000: radius: expected a number > 0 and <= 1e6, got -2\n"
                  "2 more rows (counted from 0) have values out of range");
}

TEST_F(DataLayer, KeepsReadingTheOpenFileAfterReplacement) {
  write_array<float>(path_, {{.25f, 0, 1}});
  const Scene opened = scene({kX, kY, kRadius}, 1);
  write_array<float>(path_ + ".new", {{.75f, 0, 1}});
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_EQ(circles_of(opened).shapes[0].x, .25f);
}

TEST_F(DataLayer, TruncatedFileFailsInEveryFrame) {
  write_array(path_, std::vector<std::vector<float>>(100'000, {0, 0, 1}));
  const Scene opened = scene({kX, kY, kRadius}, 100'000);
  CircleSource source(opened);
  Circles circles;
  source.generate(0, circles);
  std::filesystem::resize_file(path_, 4096);
  for (int repeat = 0; repeat < 2; ++repeat) {
    try {
      source.generate(1, circles);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
      EXPECT_EQ(std::string(error.what()), path_ + ": has changed while it was read");
    }
  }
}

TEST_F(DataLayer, RejectsFileOverwrittenInPlace) {
  write_array<float>(path_, {{.25f, 0, 1}});
  namespace fs = std::filesystem;
  fs::last_write_time(path_, fs::last_write_time(path_) - std::chrono::seconds(10));
  const Scene opened = scene({kX, kY, kRadius}, 1);
  EXPECT_EQ(circles_of(opened).shapes[0].x, .25f);
  write_array<float>(path_, {{.75f, 0, 1}});
  try {
    circles_of(opened);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
    EXPECT_EQ(std::string(error.what()), path_ + ": has changed while it was read");
  }
}

/// Maps a number by the view, in more precision than binary64 has.
float exactly_moved(double value, double center, double zoom, long double middle) {
  return static_cast<float>((static_cast<long double>(value) - center) * zoom + middle);
}

Circles in_frame_space(const Scene& scene) {
  Circles circles;
  CircleSource(scene).generate(0, circles);
  return circles;
}

/// Returns a thousand points in the square of side 1/zoom about (center, center).
std::vector<std::vector<double>> points_about(double center, double zoom) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> within(-.5, .5);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 1000; ++i)
    rows.push_back({center + within(engine) / zoom, center + within(engine) / zoom, .01 / zoom});
  return rows;
}

TEST_F(DataLayer, DoublesAreRoundedAfterTheView) {
  for (const auto& [center, zoom] : {std::pair{900'000.5, 1.0},
                                     {900'000.5, 1000.0},
                                     {.5, 1e6},
                                     {-5'400'000.0, 3.0},
                                     {1e15 - 512, 1.0 / 128}}) {
    for (const auto& [width, height] : {std::pair{512, 512}, {640, 360}, {333, 1000}}) {
      const auto rows = points_about(center, zoom);
      write_array(path_, rows);
      Scene zoomed = scene({kX, kY, kRadius}, rows.size());
      zoomed.view = {center, center, zoom};
      zoomed.image.width = width, zoomed.image.height = height;
      const Circles circles = in_frame_space(zoomed);
      std::set<std::pair<float, float>> positions;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Shape& shape = circles.shapes[i];
        const float x = exactly_moved(rows[i][0], center, zoom, .5L * width / height);
        const float y = exactly_moved(rows[i][1], center, zoom, .5L);
        ASSERT_EQ(shape.x, x) << center << ", zoom " << zoom << ", row " << i;
        ASSERT_EQ(shape.y, y) << center << ", zoom " << zoom << ", row " << i;
        ASSERT_EQ(shape.radius,
                  static_cast<float>(static_cast<double>(static_cast<float>(rows[i][2])) * zoom));
        positions.insert({shape.x, shape.y});
      }
      if (center < 1e9) {
        EXPECT_EQ(positions.size(), 1000U) << center << ", zoom " << zoom;
      }
    }
  }
}

TEST_F(DataLayer, IdentityViewKeepsRoundedDoubles) {
  const auto rows = points_about(.5, 1);
  write_array(path_, rows);
  const Scene plain = scene({kX, kY, kRadius}, rows.size());
  ASSERT_TRUE(is_identity(plain.view, plain.image.width, plain.image.height));
  const Circles circles = in_frame_space(plain);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(circles.shapes[i].x, static_cast<float>(rows[i][0]));
    EXPECT_EQ(circles.shapes[i].y, static_cast<float>(rows[i][1]));
  }
  EXPECT_TRUE(same_bits(circles, circles_of(plain)));
}

/// Floats, and circles without data, are moved in binary32.
TEST_F(DataLayer, FloatsMoveLikeShapes) {
  std::vector<std::vector<float>> rows;
  for (const std::vector<double>& row : points_about(.5, .7))
    rows.push_back({row.begin(), row.end()});
  write_array(path_, rows);
  Scene mixed = scene({kX, kY, kRadius}, rows.size());
  RandomSource random;
  random.count = 1000;
  mixed.layers.push_back({random});
  mixed.layers.push_back({InlineSource{{{.1, .2, .3, .4, {}, {}}}}});
  mixed.layers.push_back(classic_layer("bouncingballs"));
  mixed.image.width = 640, mixed.image.height = 360;
  for (const View& view : {View{}, View{.4, .6, 1}, View{.5, .5, 1.7}, View{900'000, 3, 1e-3}}) {
    mixed.view = view;
    const Circles as_shapes = circles_of(mixed);
    const Circles moved = in_frame_space(mixed);
    for (std::size_t i = 0; i < moved.count(); ++i) {
      const Shape expected = to_frame_space(as_shapes.shapes[i], view, 640, 360);
      ASSERT_EQ(std::memcmp(&moved.shapes[i], &expected, sizeof(Shape)), 0) << i;
    }
  }
}

/// A film that holds its rows has the bits of one that reads them, in any ranges and orders.
TEST_F(DataLayer, HeldRowsMoveLikeReadOnes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-4, 9), share(0.1, 1);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 30'000; ++i)
    rows.push_back({place(random), place(random), place(random), place(random), share(random),
                    share(random), i % 7 == 0 ? std::nan("") : share(random)});
  write_array(path_, rows);
  for (const std::string more :
       {"", ", order: {column: 5}, where: {4: {max: 0.8}}",
        ", invalid: skip, rotate: {keys: {0: 0, 9: 40}}, stroke: {width: 1px}"}) {
    const bool skips = more.starts_with(", invalid");
    const Scene scene =
        parse_scene("version: 1\nview: {fit: data}\nlayers: [{data: " + path_ +
                        ", map: {x: {keys: {0: {column: 0}, 9: {column: 1}}, ease: in-out}, y: "
                        "{keys: {2: {column: 2}, "
                        "8: {to: {column: 3}, ease: out}}, path: spline}, radius: {keys: {0: "
                        "{column: 4}, 5: 2}}, "
                        "alpha: {column: 5}, color: {column: {keys: {0: 4, 9: 6}}" +
                        (skips ? "" : ", missing: 0.5") + "}, start: {column: 4}}" + more + "}]",
                    "s.yaml");
    FilmSource reads(scene), holds(scene);
    holds.keep_circles(std::uint64_t{1} << 30);
    for (const std::int64_t frame : {1, 4, 20, 3}) {
      Circles read, held, some;
      reads.at(frame).circles->generate(frame, read);
      const FilmSource::Frame at = holds.at(frame);
      at.circles->generate(frame, held);
      EXPECT_TRUE(same_bits(read, held)) << more << " frame " << frame;
      at.circles->at(frame, some)
          .fetch(77, held.shapes.span().first(5000), held.paints.span().first(5000));
      EXPECT_EQ(std::memcmp(held.shapes.data(), read.shapes.data() + 77, 5000 * sizeof(Shape)), 0);
    }
    FilmSource too_large(scene);
    too_large.keep_circles(100'000);
    EXPECT_EQ(too_large.at(1).circles->own_memory().held, reads.at(1).circles->own_memory().held);
    EXPECT_NE(holds.at(1).circles->own_memory().held, reads.at(1).circles->own_memory().held);
  }
}

/// Makes on the host what a device makes from the rows: all kinds of numbers, bit for bit.
TEST_F(DataLayer, LawsOfHeldRowsMakeTheSameCircles) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> share(0.1, 1);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 3000; ++i)
    rows.push_back({share(random), share(random) - 0.5, share(random), 9 * share(random),
                    share(random), i % 7 == 0 ? std::nan("") : share(random)});
  write_array(path_, rows);
  const auto keys = [](const std::string& from, const std::string& to, const std::string& more) {
    return "{keys: {0: {column: " + from + "}, 5: 0.4, 9: {column: " + to + "}}" + more + "}";
  };
  const std::string x = "map: {x: " + keys("0", "1", ", repeat: ping-pong, ease: in") +
                        ", y: " + keys("1", "0", ", path: spline, repeat: loop");
  const std::string map = x + ", radius: " + keys("2", "3", ", path: exponential") +
                          ", alpha: " + keys("2", "4", ", ease: hold") + ", start: {column: 3}, ";
  const std::string color = "color: {column: {keys: {0: 4, 9: 5}}, missing: \"#123456\"";
  for (const std::string& layer :
       {map + color + "}}",
        map + "z: {column: 4}, " + color + ", scale: symlog, threshold: 0.3}}, shader: snow",
        map + color + ", scale: log, domain: [0.2, 0.9]}}, opacity: 0.3, rotate: 20",
        map + color + ", colormap: [\"#ff0000\", \"#00ff00\", \"#0000ff\"]}}, shader: soft",
        map + "color: {column: 2, domain: {keys: {0: [0, 1], 9: [0.4, 0.4]}}}}, "
              "radius_limits: [2px, 0.3], blend: add",
        x + ", radius: {keys: {0: 2px, 5: 9px}}, color: \"#336699\"}, opacity: 0.4",
        x + ", radius: {column: 3, range: [1px, 9px], scale: sqrt}, alpha: {column: {keys: {1: 2, "
            "3: 4}}, range: [0.2, 0.7], domain: [0, 1]}, color: \"#336699\"}, scale: 2"}) {
    const Scene scene = parse_scene(
        "version: 1\nview: {center: [0.2, 0.7], zoom: 3, rotate: 15}\n"
        "layers: [{random: {count: 3}}, {data: " +
            path_ + ", " + layer + "}]",
        "s.yaml");
    FilmSource film(scene);
    film.keep_circles(std::uint64_t{1} << 30);
    for (const std::int64_t frame : {0, 1, 5, 7, 12}) {
      CircleSource& source = *film.at(frame).circles;
      Circles expected;
      source.generate(frame, expected);
      const std::vector<CircleRun> runs = source.device_runs();
      ASSERT_EQ(runs.size(), 2U) << layer;
      const auto& run = std::get<RowsRun>(runs[1]);
      EXPECT_EQ(run.first + run.count, expected.count());
      for (std::uint64_t k = 0; k < run.count; ++k) {
        Shape shape;
        Paint paint;
        run.laws.make(k, shape, paint);
        ASSERT_EQ(std::memcmp(&shape, &expected.shapes[run.first + k], sizeof(Shape)), 0)
            << layer << ": frame " << frame << ", row " << k;
        ASSERT_EQ(std::memcmp(&paint, &expected.paints[run.first + k], sizeof(Paint)), 0)
            << layer << ": frame " << frame << ", row " << k;
      }
    }
  }
}

/// Only what many films have: the rest is made on the host.
TEST_F(DataLayer, FewKindsOfHeldRowsHaveNoLaws) {
  write_array(path_, std::vector<std::vector<double>>{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}});
  const auto has_laws = [&](const std::string& radius, const std::string& more) {
    const Scene scene = parse_scene("version: 1\nlayers: [{data: " + path_ +
                                        ", map: {x: {keys: {0: {column: 0}, 9: 0.5}}, y: "
                                        "{column: 1}, radius: " +
                                        radius + "}" + more + "}]",
                                    "s.yaml");
    FilmSource film(scene);
    EXPECT_TRUE(film.at(1).circles->device_runs().empty()) << "rows are not held";
    film.keep_circles(std::uint64_t{1} << 30);
    return !film.at(2).circles->device_runs().empty();
  };
  EXPECT_TRUE(has_laws("0.1", ""));
  EXPECT_TRUE(has_laws("{column: 2, range: [0.1, 0.2], scale: log}", ""));
  EXPECT_FALSE(has_laws("{column: 2, range: [0.1, 0.2], scale: rank}", ""));
  EXPECT_FALSE(has_laws("0.1", ", stroke: {width: 1px}"));
  std::string keys = "{keys: {";
  for (int key = 0; key < 9; ++key) keys += std::to_string(key) + ": 0.1, ";
  EXPECT_FALSE(has_laws(keys + "}}", ""));
}

TEST_F(DataLayer, LaterFramesMoveLikeTheFirst) {
  const auto rows = points_about(900'000.5, 1);
  write_array(path_, rows);
  Scene film = scene({kX, kY, kRadius}, rows.size());
  film.layers.push_back(classic_layer("bouncingballs"));
  film.view = {900'000.5, 900'000.5, 1};
  CircleSource source(film);
  Circles circles;
  const auto generate = [&](std::int64_t frame) { source.generate(frame, circles); };
  generate(0);
  generate(1);
  Circles alone;
  CircleSource(film).generate(1, alone);
  EXPECT_TRUE(same_bits(circles, alone));
}

}  // namespace
}  // namespace roundel
