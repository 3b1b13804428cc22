#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cassert>

#include "renderer/base/error.h"
#include "renderer/circles/layer_source.h"
#include "renderer/circles/row_order.h"
#include "renderer/circles/view.h"
#include "renderer/data/table.h"
#include "renderer/map/mapped_rows.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

class DataLayer final : public LayerSource {
 public:
  DataLayer(const DataSource& source, const Layer& layer, const Scene& scene, CircleUse use,
            std::shared_ptr<const HeldRows> held)
      : source_(source),
        table_(*source.table),
        layer_(layer),
        scene_(scene),
        map_(source.map),
        mapper_(table_, map_),
        held_(std::move(held)) {
    if (source.facts) {
      facts_ = *source.facts;
    } else {
      facts_.rows = facts_.kept = source.rows;
      facts_.block_rows = block_rows_of(table_, map_.columns);
    }
    assert(table_.rows() == source.rows);
    traits_.is_cheap = use == CircleUse::kDraw && source.facts &&
                       count_circles(scene) > max_circles_in_memory(scene, table_, map_);
    // Numbers that are binary32 in the file are rounded before the view.
    traits_.is_moved = !(map_.is_plain && table_.fits_float() && layer_.move.is_identity());
    is_in_frame_ = use != CircleUse::kList && traits_.is_moved;
    set_traits();
  }

  void prepare(std::int64_t /*steps*/) override {
    if (has_data_categories(map_.color)) check_categories(scene_, table_.path(), facts_);
    if (held_ || !traits_.is_cheap || !map_.order || !order_.empty()) return;
    order_ = sorted();
  }

  void fill(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    const CircleSpans out{shapes, paints};
    if (held_) return fill_held(first, out);
    if (!traits_.is_cheap) return fill_all(out);
    if (map_.order) return fill_in_order(order_.span().subspan(first, shapes.size()), out);
    if (facts_.kept_rows_before.empty()) return fill_rows(first, out);
    fill_kept_rows(first, out);
  }

  void hold(std::uint64_t bytes) override {
    if (held_ || held_bytes() == 0 || held_bytes() > bytes) return;
    auto held = std::make_shared<HeldRows>(mapper_.make_held(facts_.kept));
    const RowNumbers place_of = map_.order ? places_by_row(sorted()) : RowNumbers();
    for_each_block(RowUse::kCircles, [&](std::uint64_t block, MappedRun& run) {
      const std::uint64_t first = facts_.kept_before_block(block);
      mapper_.hold(run, *held, [&](std::size_t j) {
        return place_of.empty() ? first + j : place_of[first + j];
      });
    });
    held_ = std::move(held);
    set_traits();
  }
  std::uint64_t held_bytes() const override {
    return map_.motion && !map_.motion->is_still ? mapper_.held_bytes(facts_.kept) : 0;
  }
  std::shared_ptr<const HeldRows> held() const override { return held_; }
  std::optional<RowLaws> row_laws() const override {
    const ColorMap& color = map_.color;
    const bool has_scale = held_ && !held_->gradient.colors.empty();
    if (!held_ || !is_in_frame_ || (has_scale && !color.scale.has_curve())) return std::nullopt;
    const Units units = this->units();
    const SizeMap constant{{}, {static_cast<double>(layer_.alpha), false}, {}, {}, {}, {}};
    const auto x = mapper_.held_number(map_.x, *held_), y = mapper_.held_number(map_.y, *held_),
               z = mapper_.held_number(map_.z, *held_),
               value =
                   mapper_.held_number({has_scale ? color.slot : std::optional<Slot>()}, *held_);
    const auto radius = mapper_.held_size(map_.radius, units.radii, *held_),
               alpha = mapper_.held_size(map_.alpha.value_or(constant), {1, 0}, *held_);
    if (!x || !y || !z || !radius || !alpha || !value) return std::nullopt;
    RowLaws laws;
    laws.x = *x;
    laws.y = *y;
    laws.z = *z;
    laws.radius = *radius;
    laws.alpha = *alpha;
    if (map_.radius_limits) {
      laws.has_limits = true;
      laws.least = units.limits.of((*map_.radius_limits)[0]);
      laws.most = units.limits.of((*map_.radius_limits)[1]);
    }
    laws.constant = color.constant;
    if (has_scale) {
      laws.has_scale = true;
      laws.value = *value;
      laws.curve = color.scale.curve();
      laws.gradient = view_of(held_->gradient);
      laws.has_missing = color.missing.has_value();
      laws.missing = color.missing.value_or(DisplayColor{});
    } else if (held_->colors.size() > 0) {
      laws.colors = held_->colors.data();
    }
    if (held_->starts.size() > 0) laws.starts = held_->starts.data();
    laws.frame = map_.motion->frame - map_.motion->start.constant;
    laws.circle = RowCircle(scene_, layer_, false, true);
    return laws;
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

  void set_traits() {
    traits_.is_cheap |= held_ != nullptr;
    traits_.is_parallel = !held_ && (!traits_.is_cheap || map_.order);
    // A chunk takes a few bytes for each of all rows; with an order it reads all rows.
    constexpr std::size_t kMaxChunk = std::size_t{1} << 22, kMaxSortedChunk = std::size_t{1} << 24;
    traits_.largest_chunk = held_ ? 0 : map_.order ? kMaxSortedChunk : kMaxChunk;
    traits_.memory = own_memory();
  }

  SourceMemory own_memory() const {
    if (held_) {
      const std::uint64_t bytes =
          table_.memory_bytes() + held_bytes() + core_count() * thread_bytes();
      return {.peak = bytes, .held = bytes};
    }
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
    const std::span<const double> x = mapper_.x(run), y = mapper_.y(run), z = mapper_.z(run);
    const Units units = this->units();
    const std::span<const double> radii = mapper_.radii(run, units.radii, units.limits);
    const std::span<const DisplayColor> colors = mapper_.colors(run);
    const std::span<const double> alphas = mapper_.alphas(run, static_cast<double>(layer_.alpha));
    const RowCircle circle(scene_, layer_, map_.is_plain, is_in_frame_);
    for (std::size_t j = begin; j < end; ++j) {
      const std::uint32_t i = run.kept[j];
      const std::size_t place = place_of(j);
      circle.make(x[i], y[i], z[i], radii[i], alphas[i], colors[i], out.shapes[place],
                  out.paints[place]);
    }
  }
  struct Units {
    LengthUnits radii, limits;
  };
  Units units() const {
    if (map_.is_plain) return {{1, 0}, {1, 0}};
    const double pixel = scene_.image.px / static_cast<double>(scene_.image.frame_height());
    return {{layer_.move.scale * scene_.view.zoom, pixel}, {scene_.view.zoom, pixel}};
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

  /// From rows in memory, in paint order.
  void fill_held(std::size_t first, const CircleSpans& out) const {
    constexpr std::size_t kRowsInCache = 2048;
    MappedRun& run = runs_.local();
    for (std::size_t done = 0, size = 0; done < out.size(); done += size) {
      size = std::min(out.size() - done, kRowsInCache);
      RowMapper::take(*held_, first + done, size, run);
      write(run, 0, size, out.from(done), [](std::size_t j) { return j; });
    }
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
  std::shared_ptr<const HeldRows> held_;  ///< replaces reading, if not null
  DataFacts facts_;
  bool is_in_frame_ = false;  ///< else fill() writes scene space
  RowNumbers order_;          ///< the kept rows in paint order, if needed
  mutable tbb::enumerable_thread_specific<MappedRun> runs_;
};

}  // namespace

std::unique_ptr<LayerSource> make_data_layer(const DataSource& source, const Layer& layer,
                                             const Scene& scene, CircleUse use,
                                             std::shared_ptr<const HeldRows> held) {
  return std::make_unique<DataLayer>(source, layer, scene, use, std::move(held));
}

}  // namespace roundel
