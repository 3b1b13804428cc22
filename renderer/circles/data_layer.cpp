#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cassert>

#include "renderer/base/error.h"
#include "renderer/circles/layer_source.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/row_order.h"
#include "renderer/circles/view.h"
#include "renderer/data/table.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

class DataLayer final : public LayerSource {
 public:
  DataLayer(const DataSource& source, const Layer& layer, const Scene& scene, CircleUse use)
      : source_(source),
        table_(*source.table),
        layer_(layer),
        scene_(scene),
        map_(source.map),
        mapper_(table_, map_) {
    if (source.facts) {
      facts_ = *source.facts;
    } else {
      facts_.rows = facts_.kept = source.rows;
      facts_.block_rows = block_rows_of(table_, map_.columns);
    }
    assert(table_.rows() == source.rows);
    traits_.is_cheap = use == CircleUse::kDraw && source.facts &&
                       count_circles(scene) > max_circles_in_memory(scene, table_, map_);
    traits_.is_parallel = !traits_.is_cheap || map_.order;
    // Numbers that are binary32 in the file are rounded before the view.
    traits_.is_moved = !(map_.is_plain && table_.fits_float() && layer_.move.is_identity());
    is_in_frame_ = use != CircleUse::kList && traits_.is_moved;
    // A chunk takes a few bytes for each of all rows; with an order it reads all rows.
    constexpr std::size_t kMaxChunk = std::size_t{1} << 22, kMaxSortedChunk = std::size_t{1} << 24;
    traits_.largest_chunk = map_.order ? kMaxSortedChunk : kMaxChunk;
    traits_.memory = own_memory();
  }

  void prepare(std::int64_t /*steps*/) override {
    if (has_data_categories(map_.color)) check_categories(scene_, table_.path(), facts_);
    if (!traits_.is_cheap || !map_.order || !order_.empty()) return;
    order_ = sorted();
  }

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    const CircleSpans out{shapes, paints};
    if (!traits_.is_cheap) return fill_all(out);
    if (map_.order) return fill_in_order(order_.span().subspan(first, shapes.size()), out);
    if (facts_.kept_rows_before.empty()) return fill_rows(first, out);
    fill_kept_rows(first, out);
  }

  std::vector<std::uint64_t> rows_of(std::span<const std::uint64_t> circles) override {
    std::vector<std::uint64_t> rows(circles.begin(), circles.end());  // among the kept ones
    if (map_.order) {
      if (order_.empty()) order_ = sorted();
      for (std::uint64_t& row : rows) row = order_[row];
    }
    if (facts_.kept_rows_before.empty()) return rows;
    const std::vector<std::uint64_t>& before = facts_.kept_rows_before;
    MappedRun& run = runs_.local();
    for (std::uint64_t& row : rows) {
      const std::uint64_t block = facts_.block_of(row);
      mapper_.read(block * facts_.block_rows, rows_of_block(block), RowUse::kCircles, run);
      check_kept(run, block);
      row = block * facts_.block_rows + run.kept[row - before[block]];
    }
    return rows;
  }

  void write_centers(std::size_t /*first*/, std::span<ScenePoint> centers) const override {
    const RowNumbers place_of = map_.order ? places_by_row(sorted()) : RowNumbers();
    for_each_block(RowUse::kCircles, [&](std::uint64_t block, MappedRun& run) {
      const std::span<const double> x = mapper_.x(run), y = mapper_.y(run);
      const std::uint64_t first = facts_.kept_before_block(block);
      for (std::size_t j = 0; j < run.kept.size(); ++j)
        centers[map_.order ? place_of[first + j] : first + j] = {x[run.kept[j]], y[run.kept[j]]};
    });
  }

 private:
  /// Output.
  struct CircleSpans {
    std::span<Shape> shapes;
    std::span<Paint> paints;

    std::size_t size() const { return shapes.size(); }
    CircleSpans from(std::size_t i) const { return {shapes.subspan(i), paints.subspan(i)}; }
  };

  SourceMemory own_memory() const {
    const std::uint64_t order = order_bytes();
    const std::uint64_t opened = table_.memory_bytes_within(max_data_bytes(scene_)) +
                                 facts_.category_bytes +
                                 facts_.kept_rows_before.size() * sizeof(std::uint64_t);
    const std::uint64_t reading = core_count() * thread_bytes();
    const std::uint64_t held = traits_.is_cheap ? drawing_bytes() + order : reading;
    const PercentileMemory percentiles(facts_.rows, facts_.percentile_scales, scene_.memory);
    const std::uint64_t before =
        reading + std::max({percentiles.bytes, sorting_bytes(), 2 * order});
    return {.peak = opened + std::max({before, held + places_bytes(), table_.opening_bytes()}),
            .held = opened + held};
  }
  static std::uint64_t thread_count() {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  }
  /// Memory of a thread that reads and makes circles.
  std::uint64_t thread_bytes() const {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;  // buffer to read or unpack the file
    const std::uint64_t rows = std::min(facts_.block_rows, facts_.rows);
    const std::uint64_t columns = map_.columns.size() * sizeof(double) * rows;
    // Texts in a temporary file are read in blocks of the table.
    const std::uint64_t texts = table_.keeps_columns() ? table_.text_bytes(map_.columns, rows) : 0;
    return kPiece + std::max(facts_.reading_bytes, columns) + texts + (map_.order ? columns : 0) +
           rows * mapper_.bytes_of_row();
  }
  static std::uint64_t core_count() {
    return std::min<std::uint64_t>(
        static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency()), thread_count());
  }
  /// Memory of the threads that draw: machines with fewer cores have a few threads more.
  std::uint64_t drawing_bytes() const {
    const std::uint64_t tasks =
        map_.order ? core_count() + facts_.blocks() : facts_.kept / kTaskCircles + 1;
    return std::min(thread_count(), tasks) * thread_bytes();
  }
  std::uint64_t order_bytes() const {
    return map_.order ? block_memory(facts_.kept * sizeof(std::uint32_t)) : 0;
  }
  /// Memory of a chunk's places in paint order, by block of the file.
  std::uint64_t places_bytes() const {
    return map_.order ? block_memory(std::min<std::uint64_t>(facts_.kept, traits_.largest_chunk) *
                                     sizeof(std::uint32_t))
                      : 0;
  }
  /// Peak, with the order.
  std::uint64_t sorting_bytes() const {
    if (!map_.order) return 0;
    if (!is_text(map_.order->slot)) return NumberOrder::memory_bytes(facts_.kept, thread_count());
    return order_bytes() + TextOrder::memory_bytes(facts_.kept, facts_.order_text_bytes);
  }
  bool is_text(Slot slot) const { return table_.columns()[map_.columns[slot]].is_text; }

  /// Makes circles from kept rows begin to end − 1; circle j goes to place_of(j).
  template <typename PlaceOf>
  void write(MappedRun& run, std::size_t begin, std::size_t end, const CircleSpans& out,
             const PlaceOf& place_of) const {
    const auto& [shapes, paints] = out;
    const View& view = scene_.view;
    const int height = scene_.image.frame_height();
    const double pixel = scene_.image.px / static_cast<double>(height);
    const double scale = layer_.move.scale, opacity = layer_.opacity;
    const LengthUnits in_scene{view.zoom, pixel}, in_layer{scale * view.zoom, pixel};
    const std::span<const double> x = mapper_.x(run), y = mapper_.y(run), z = mapper_.z(run);
    const std::span<const double> radii =
        map_.is_plain ? mapper_.radii(run, {1, 0}, {1, 0}) : mapper_.radii(run, in_layer, in_scene);
    const std::span<const DisplayColor> colors = mapper_.colors(run);
    const std::span<const double> alphas = mapper_.alphas(run, static_cast<double>(layer_.alpha));
    const PointMove to_scene =
        is_in_frame_ ? turned_move(layer_.move, view) : PointMove(layer_.move);
    const FrameMove to_frame =
        is_in_frame_ ? FrameMove(view, scene_.image.frame_width(), height) : FrameMove();
    for (std::size_t j = begin; j < end; ++j) {
      const std::uint32_t i = run.kept[j];
      const std::size_t place = place_of(j);
      const auto [scene_x, scene_y] = to_scene(x[i], y[i]);
      double wide = radii[i];
      if (map_.is_plain)  // rounded first, for compatibility
        wide = static_cast<double>(static_cast<float>(wide)) *
               (is_in_frame_ ? scale * view.zoom : scale);
      else if (!is_in_frame_)
        wide /= view.zoom;
      const float radius = static_cast<float>(std::min(wide, kMaxFrameRadius));
      shapes[place] = {to_frame.x(scene_x), to_frame.y(scene_y), static_cast<float>(z[i]), radius};
      paints[place] = {colors[i].red, colors[i].green, colors[i].blue,
                       static_cast<float>(alphas[i] * opacity) + 0.0f};  // -0 would be snow
      if (!map_.is_plain &&
          !(radius > kEmptyRadius)) {  // the low end of a range, or below the smallest float
        shapes[place].radius = kEmptyRadius;
        paints[place].alpha = 0;
      }
    }
  }

  [[noreturn]] void fail_as_changed() const {
    throw Error(ExitCode::kRuntimeFailure, source_.path + ": has changed while it was read");
  }

  /// Throws if the rows have changed.
  void check_kept(const MappedRun& run, std::uint64_t block) const {
    if (run.bad > 0 && !map_.skips_invalid) return;  // the caller reports all of them
    if (run.kept.size() != facts_.kept_before_block(block + 1) - facts_.kept_before_block(block))
      fail_as_changed();
  }

  std::size_t rows_of_block(std::uint64_t block) const {
    return std::min(facts_.block_rows, facts_.rows - block * facts_.block_rows);
  }

  template <typename Visit>
  void for_each_block(RowUse use, const Visit& visit) const {
    std::atomic<std::uint64_t> bad = 0, first_bad = std::numeric_limits<std::uint64_t>::max();
    tbb::parallel_for(std::uint64_t{0}, facts_.blocks(), [&](std::uint64_t block) {
      MappedRun& run = runs_.local();
      mapper_.read(block * facts_.block_rows, rows_of_block(block), use, run);
      if (run.bad > 0) {
        bad += run.bad;
        std::uint64_t first = first_bad;
        while (run.first_bad < first && !first_bad.compare_exchange_weak(first, run.first_bad)) {
        }
      }
      check_kept(run, block);
      if (run.bad == 0 || map_.skips_invalid) visit(block, run);
    });
    table_.check_unchanged();
    if (bad > 0 && !map_.skips_invalid) mapper_.fail_for(first_bad, bad);
  }

  void fill_all(const CircleSpans& out) const {
    assert(out.size() == facts_.kept);
    const RowNumbers place_of = map_.order ? places_by_row(sorted()) : RowNumbers();
    for_each_block(RowUse::kCircles, [&](std::uint64_t block, MappedRun& run) {
      const std::uint64_t first = facts_.kept_before_block(block);
      write(run, 0, run.kept.size(), out, [&place_of, first](std::size_t j) {
        return place_of.empty() ? first + j : place_of[first + j];
      });
    });
  }

  /// Block by block of the file.
  void fill_in_order(std::span<const std::uint32_t> rows, const CircleSpans& out) const {
    const PlacesByBlock places(rows, facts_.blocks(),
                               [this](std::uint32_t row) { return facts_.block_of(row); });
    tbb::parallel_for(std::uint64_t{0}, facts_.blocks(), [&](std::uint64_t block) {
      fill_places(block, places.of(block), rows, out);
    });
    table_.check_unchanged();
  }

  /// The rows at these places lie in one block.
  void fill_places(std::uint64_t block, std::span<const std::uint32_t> places,
                   std::span<const std::uint32_t> rows, const CircleSpans& out) const {
    if (places.empty()) return;
    MappedRun& run = runs_.local();
    run.selected.clear();
    for (const std::uint32_t place : places) run.selected.push_back(rows[place]);
    std::uint64_t first = block * facts_.block_rows, count = rows_of_block(block);
    std::uint64_t before = facts_.kept_before_block(block);
    std::uint64_t kept = facts_.kept_before_block(block + 1) - before;
    if (facts_.kept_rows_before.empty()) {  // reads the rows in between, too
      const auto [lowest, highest] = std::minmax_element(run.selected.begin(), run.selected.end());
      first = before = *lowest;
      count = kept = *highest - before + 1;
    }
    for (std::uint32_t& row : run.selected) row -= static_cast<std::uint32_t>(before);
    if (!mapper_.read_some(first, count, kept, run)) fail_as_changed();
    write(run, 0, places.size(), out, [places](std::size_t j) { return places[j]; });
  }

  /// Kept rows sorted by `order`.
  RowNumbers sorted() const {
    const Order& order = *map_.order;
    if (is_text(order.slot)) {
      TextOrder texts(facts_.kept);
      for_each_block(RowUse::kOrder, [&](std::uint64_t block, MappedRun& run) {
        texts.add(facts_.kept_before_block(block), run.texts(order.slot), run.kept);
      });
      return texts.sorted(order.descending);
    }
    const std::size_t column = map_.columns[order.slot];
    const bool has_keys =  // only needed for rounded numbers
        table_.columns()[column].has_order_keys &&
        (table_.is_in_memory() || table_.rounding_of(column));
    NumberOrder numbers(facts_.kept);
    for_each_block(RowUse::kOrder, [&](std::uint64_t block, MappedRun& run) {
      const std::uint64_t first = facts_.kept_before_block(block);
      if (!has_keys) return numbers.add(first, run.numbers(order.slot), run.kept, order.descending);
      run.keys.resize(run.count);
      table_.read_order_keys(column, run.first, order.descending, run.keys);
      numbers.add_keys(first, run.keys, run.kept);
    });
    return numbers.sorted();
  }

  /// Reads single rows: if all are kept, circles are rows.
  void fill_rows(std::size_t first, const CircleSpans& out) const {
    MappedRun& run = runs_.local();
    for (std::size_t done = 0, size = 0; done < out.size(); done += size) {
      size = std::min<std::size_t>(out.size() - done, facts_.block_rows);
      mapper_.read(first + done, size, RowUse::kCircles, run);
      table_.check_unchanged();
      if (run.kept.size() != size) fail_as_changed();
      write(run, 0, size, out.from(done), [](std::size_t j) { return j; });
    }
  }

  /// Reads whole blocks, whose numbers of kept rows are known: for maps that drop rows.
  void fill_kept_rows(std::size_t first, const CircleSpans& out) const {
    MappedRun& run = runs_.local();
    const std::vector<std::uint64_t>& before = facts_.kept_rows_before;
    std::size_t done = 0;
    for (std::uint64_t block = facts_.block_of(first); done < out.size(); ++block) {
      const std::size_t begin = first + done - before[block];
      const std::size_t size =
          std::min(out.size() - done, before[block + 1] - before[block] - begin);
      if (size == 0) continue;
      mapper_.read(block * facts_.block_rows, rows_of_block(block), RowUse::kCircles, run);
      table_.check_unchanged();
      check_kept(run, block);
      write(run, begin, begin + size, out.from(done), [begin](std::size_t j) { return j - begin; });
      done += size;
    }
  }

  const DataSource& source_;
  const Table& table_;
  const Layer& layer_;
  const Scene& scene_;
  const DataMap& map_;
  RowMapper mapper_;
  DataFacts facts_;
  bool is_in_frame_ = false;  ///< else fill() writes scene space
  RowNumbers order_;          ///< the kept rows in paint order, if needed
  mutable tbb::enumerable_thread_specific<MappedRun> runs_;
};

}  // namespace

std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene, CircleUse use) {
  return std::make_unique<DataLayer>(source, layer, scene, use);
}

}  // namespace roundel
