#include "renderer/raster/cuda/cuda_backend.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "renderer/raster/cuda/cuda_module.h"
#include "renderer/raster/cuda/device_pixels.h"
#include "renderer/raster/cuda/locked_pages.h"

namespace roundel::cuda {
namespace {

/// Overlaps of a list that several blocks share.
constexpr std::uint32_t kLongList = 8192;
constexpr std::uint64_t kSchedulersPerProcessor = 4;  // each issues one warp at a time
/// Up to this many circles every tile's block tests all of them, which is faster than lists. With
/// more, tiles that are done late are slower.
constexpr std::uint64_t kMaxUnlisted = 2048;
constexpr std::uint64_t kMaxUnlistedTests = kMaxUnlisted * 1024;  // circles · tiles
/// Maximum circles · regions for which each region's block tests all circles.
constexpr std::uint64_t kMaxRegionTests = std::uint64_t{kMaxRegionCircles} * 1024;

std::uint64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<std::uint64_t>(value);
}

PngShape png_shape(const ImageSettings& image) {
  return {image.width, image.height, image.channels(), image.bits};
}

/// Call first: another thread may have drawn the previous frame.
int set_device(int device) {
  ROUNDEL_CUDA_CHECK(cudaSetDevice(device));
  return device;
}

}  // namespace

CudaBackend::CudaBackend(const RasterOptions& options)
    : options_(options),
      num_processors_(attribute(cudaDevAttrMultiProcessorCount, set_device(options.device))),
      block_memory_(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, options.device)),
      can_begin_early_(roundel::cuda::can_begin_early()) {
  if (options.block_memory > 0) block_memory_ = std::min(block_memory_, options.block_memory);
  bin_.max_slab_overlaps = fitting_slab_overlaps(block_memory_);
}

void CudaBackend::use_device() const {
  set_device(options_.device);
}

ChunkPlan CudaBackend::plan(const CircleStream& circles, const ImageSettings& image,
                            const FrameTarget& out, StageStats& /*stats*/) {
  use_device();
  ++frames_;
  is_delivered_ = false;
  FrameTarget target = out;
  if (!packs(image, out)) {
    target.png = nullptr;
    prepare(image, out);
  }
  circles_ = &circles;
  // Joins stages if the host neither copies nor measures in between.
  graph_.begin(device_circles_.has_all(circles) && !options_.times_stages);
  set_frame(image, target);
  estimate_ = estimate(circles, image);
  needed_overlaps_ = 0;
  const std::uint64_t count = circles.count();
  ChunkPolicy policy = cuda_chunks(image);
  policy.largest = largest_chunk(count);
  device_circles_.limit_rows(budget_ / 4);  // the rest is for lists
  if (options_.chunk_circles > 0) return ChunkPlan::of_equal_chunks(count, options_.chunk_circles);
  if (!device_circles_.has_all(circles)) return {count, policy.sizes(estimate_)};
  // Polling costs more than empty kernels. We launch as many chunks as the last frame needed, then
  // ask.
  policy.growth = 0;
  return {count, policy.sizes(estimate_), last_chunk_};
}

/// Samples circles that the device makes on the host, by stepping these few. Not for every frame,
/// since that takes as long as launching its kernels.
FrameEstimate CudaBackend::estimate(const CircleStream& circles, const ImageSettings& image) {
  if (circles.recipe() == nullptr || !circles.recipe()->film)
    return estimate_frame(circles, image, kTileSize, cuda_chunks(image).saturation_factor);
  const CircleRecipe& recipe = *circles.recipe();
  if (recipe.film->number == estimated_film_ && bin_.grid == estimated_grid_) return estimate_;
  estimated_film_ = recipe.film->number;
  estimated_grid_ = bin_.grid;
  estimated_overlaps_.reset();
  const std::vector<std::size_t> indices = sampled_indices(circles.count());
  const std::span<const Shape> shapes = sampled_.at(recipe, indices);
  std::size_t next = 0;
  const CircleStream samples(circles.count(), [&](std::size_t first, std::span<Shape> some_shapes,
                                                  std::span<Paint> some_paints) {
    some_shapes[0] = shapes[next++];
    some_paints[0] = recipe.film->circles.paints[first];
  });
  return estimate_frame(samples, image, kTileSize, cuda_chunks(image).saturation_factor);
}

/// Decides whether the next frame keeps the estimate.
void CudaBackend::compare_with_estimate(const FrameProgress& progress) {
  if (!estimated_overlaps_) estimated_overlaps_ = progress.overlaps;
  // By value: CUDA's counters have a type of their own, so references would be to temporaries.
  const auto [least, most] = std::minmax<std::uint64_t>({*estimated_overlaps_, progress.overlaps});
  const std::uint64_t kept = least + least / 4 + kExtraOverlaps;  // well within kCapacityMargin
  if (progress.overflow != 0 || most > kept) estimated_film_ = 0;
}

/// True if the device packs the file, without a picture in main memory.
bool CudaBackend::packs(const ImageSettings& image, const FrameTarget& out) const {
  if (out.png == nullptr) return false;
  const PngShape shape = png_shape(image);
  // If memory is short, the host packs.
  constexpr std::uint64_t kShare = 8;
  return PngEncoder::can_encode(shape) &&
         (options_.memory_budget == 0 ||
          PngEncoder::needed_bytes(shape) <= options_.memory_budget / kShare);
}

/// Resizes the output in locked memory, which the device copies to directly. The first picture has
/// ordinary memory, since locking takes longer than it saves; huge ones, too, since they would take
/// memory from others.
void CudaBackend::prepare(const ImageSettings& image, const FrameTarget& out) const {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  const std::size_t size = png_shape(image).row_bytes() * static_cast<std::size_t>(image.height);
  if (out.image != nullptr && frames_ > 1 && size <= kMaxBytes) {
    Buffer<std::uint8_t>& bytes = out.image->bytes;
    if (bytes.size() != size || !is_locked(bytes.data())) {
      bytes = {};  // frees first: both may not fit at once
      bytes = locked_pages<std::uint8_t>(size);
    }
  }
  out.resize(image);
}

void CudaBackend::set_frame(const ImageSettings& image, const FrameTarget& out) {
  const TileGrid grid = TileGrid::make(image, kTileSize);
  out_ = out;
  shape_ = png_shape(image);
  const bool has_floats =
      out.framebuffer != nullptr || (out.device != nullptr && out.device->is_float);
  if (has_floats || has_mean()) framebuffer_.reserve_discard(image.pixels());
  if (out.image != nullptr) {
    // The encoder reads whole words.
    bytes_.reserve_discard((shape_.row_bytes() * static_cast<std::size_t>(image.height) + 3) / 4 *
                           4);
  }
  bin_.grid = blend_.grid = grid;
  blend_.ramp = snow_ramp(image.blend_space);
  blend_.styles = image.styles;
  blend_.samples = SampleFormat(image);
  blend_.framebuffer = has_floats || has_mean() ? framebuffer_.data() : nullptr;
  blend_.bytes = out.image != nullptr ? bytes_.data() : nullptr;
  if (out.device != nullptr && out.sample == 0) {
    const std::size_t size = has_floats ? static_cast<std::size_t>(image.channels()) * sizeof(float)
                                        : shape_.pixel_bytes();
    out.device->samples = allocate_on_device(options_.device, image.pixels() * size);
  }
  if (out.device != nullptr && !has_floats)
    blend_.bytes = static_cast<std::uint8_t*>(out.device->samples.get());
  if (has_mean()) set_mean(image);
  const BackgroundRows background(image);
  blend_.background = nullptr;
  blend_.flat_background = background.row(0);
  if (!background.is_flat()) {
    if (const std::pair rows(background, image.height); filled_background_ != rows) {
      filled_background_.reset();  // until filled: allocation may fail
      background_.reserve_discard(static_cast<std::size_t>(image.height));
      fill_background(background, image.height, background_.data(), stream_);
      filled_background_ = rows;
    }
    blend_.background = background_.data();
  }
  if (const std::size_t words = (static_cast<std::size_t>(grid.num_tiles()) + 3) / 4;
      active_subtiles_.size() < words * 4) {
    active_subtiles_.reserve_discard(words * 4);
    // Blocks set a tile's bits one by one.
    ROUNDEL_CUDA_CHECK(
        cudaMemsetAsync(active_subtiles_.data(), 0, active_subtiles_.bytes(), stream_));
  }
  bin_.active_subtiles = blend_.active_subtiles = active_subtiles_.data();
  progress_.reserve_discard(1);
  bin_.progress = blend_.progress = progress_.data();
}

/// Samples are drawn as floats.
void CudaBackend::set_mean(const ImageSettings& image) {
  sums_.reserve_discard(image.pixels());
  changes_.reserve_discard(image.pixels());
  mean_ = {MeanFormat(image), image.width, image.height, sums_.data(), changes_.data()};
  blend_.bytes = nullptr;
}

/// Adds the sample that was drawn; after the last one makes the output.
void CudaBackend::add_to_mean(StageStats& stats) {
  graph_.launch();
  record(before_mean_);
  add_sample(mean_, framebuffer_.data(), static_cast<std::uint32_t>(out_.sample), stream_);
  if (out_.sample + 1 == out_.samples) {
    if (display_curve_.size() == 0)
      copy_to_device<float>(DisplayCurve::make_table(), display_curve_, stream_);
    const bool has_bytes =
        out_.image != nullptr || (out_.device != nullptr && !out_.device->is_float);
    std::uint8_t* const bytes = !has_bytes ? nullptr
                                : out_.device != nullptr
                                    ? static_cast<std::uint8_t*>(out_.device->samples.get())
                                    : bytes_.data();
    divide_samples(mean_, static_cast<std::uint32_t>(out_.samples), display_curve_.data(),
                   blend_.samples, bytes, stream_);
  }
  if (!options_.times_stages) return;
  record(after_mean_);
  stream_.wait();
  stats.stage("mean", StageResource::kCuda).milliseconds += after_mean_.since(before_mean_);
}

void CudaBackend::bin(const Chunk& chunk, StageStats& stats) {
  const ProfilerRange range("bin");
  const bool is_listed = !is_unlisted(chunk);
  if (!is_capturing_) {
    if (chunk.number == 0) {
      if (!is_progress_clear_) {
        stream_.wait();  // for an incomplete frame
        clear_progress();
      }
      is_progress_clear_ = false;  // in case the frame fails or starts again
      num_timed_ = 0;
    }
    if (options_.times_stages && ++num_timed_ > chunk_events_.size()) chunk_events_.emplace_back();
    record(&ChunkEvents::before_generate);
    device_circles_.put(*circles_, chunk, graph_, stats);
    record(&ChunkEvents::before_bin);
  }
  blend_.chunk_number = bin_.chunk_number = chunk.number;
  blend_.is_last_chunk = chunk.is_last();
  // Later chunks are mostly empty. Only possible without a copy in between.
  bin_.begins_early = blend_.begins_early =
      can_begin_early_ && chunk.number > 0 && device_circles_.has_all(*circles_);
  bin_.continues_early = can_begin_early_;
  blend_.shapes = bin_.shapes = device_circles_.shapes(chunk);
  blend_.paints = device_circles_.paints(chunk);
  blend_.count = bin_.count = static_cast<std::uint32_t>(chunk.count());
  if (!chunk.is_last()) {
    reserve(states_, num_pixels());
    if (blend_.styles.any()) reserve(other_transmittances_, num_pixels());
  }
  blend_.lists = nullptr;
  blend_.tile_order = nullptr;
  // Crowded tiles take longest: if they begin first, the others run at the same time.
  blend_.first_row = static_cast<int>(estimate_.densest_height * blend_.grid.height / kTileSize);
  if (is_listed) {
    reserve_lists(chunk);
    graph_.put(fits_regions(chunk) ? bin_regions : bin_circles, bin_);
    blend_.lists = lists_.data();
    blend_.tile_order = bin_.tile_order;
    blend_.overlaps = overlaps_.data();
  }
  blend_.states = states_.data();
  blend_.other_transmittances = other_transmittances_.data();
  record(&ChunkEvents::after_bin);
}

void CudaBackend::blend(const Chunk& chunk, StageStats& /*stats*/) {
  const ProfilerRange range("blend");
  // Long lists get several blocks each, if the sample shows any; or if there are fewer subtiles
  // than warps that run at once, and lists are long on average.
  const auto num_tiles = static_cast<std::uint64_t>(blend_.grid.num_tiles());
  double longest_list = estimate_.longest_list;
  if (num_tiles * kSubtilesPerTile <= num_processors_ * kSchedulersPerProcessor)
    longest_list =
        std::max(longest_list, static_cast<double>(chunk.count()) * tiles_per_circle(chunk) /
                                   static_cast<double>(num_tiles));
  const bool has_long_lists =
      !blend_.grid.is_antialiased() && !blend_.styles.any() && blend_.lists != nullptr &&
      longest_list >= static_cast<double>(kLongList) && long_list_memory() <= block_memory_;
  blend_.long_list = has_long_lists ? kLongList : ~0u;
  graph_.put(blend_tiles, blend_);
  if (has_long_lists) graph_.put(blend_long_lists, blend_);
  record(&ChunkEvents::after_blend);
}

ChunkResult CudaBackend::result(const Chunk& chunk, StageStats& stats) {
  using Next = ChunkResult::Next;
  if (is_capturing_) return {Next::kAdvance, 0};
  const bool delivers_early = chunk.number == last_chunk_ && !has_mean();
  if (delivers_early) pack();
  if (progress_copy_.empty()) progress_copy_ = locked_pages<FrameProgress>(1);
  graph_.put(copy, {progress_copy_.data(), progress_.data(), progress_.bytes()});
  graph_.launch();
  if (delivers_early) copy_back();
  stream_.wait();
  FrameProgress& progress = progress_copy_[0];
  for (std::size_t i = 0; i < num_timed_; ++i) add_times(chunk_events_[i], stats);
  num_timed_ = 0;
  compare_with_estimate(progress);
  if (progress.overflow == 0) {
    stats.chunks = progress.chunks;
    stats.overlaps = progress.overlaps;
    stats.largest_chunk = std::max(stats.largest_chunk, chunk.count());
    const std::uint64_t active_tiles = progress.active_subtiles[chunk.number % 2];
    if (active_tiles == 0 || chunk.is_last()) {
      last_chunk_ = progress.chunks - 1;
      is_delivered_ = delivers_early;
      is_progress_clear_ = true;
    }
    return {Next::kAdvance, active_tiles};
  }
  // Repeats the chunk if the needed capacity is available, else halves it. Tiles that earlier
  // chunks left active stay active.
  needed_overlaps_ = progress.listed;
  progress.listed = progress.num_slab_overlaps = progress.overflow = 0;
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(progress_.data(), &progress, sizeof(progress),
                                     cudaMemcpyHostToDevice, stream_));
  if (needed_overlaps_ <= overlap_capacity()) return {Next::kRepeat, 0};
  if (chunk.count() == 1)
    throw Error(ExitCode::kRuntimeFailure,
                "device memory: the lists of a single circle do not fit; raise --memory");
  return {Next::kHalve, 0};
}

/// Records an event if stage times are measured.
void CudaBackend::record(Event& event) {
  if (options_.times_stages) event.record(stream_);
}

void CudaBackend::record(Event ChunkEvents::*event) {
  if (num_timed_ > 0) record(chunk_events_[num_timed_ - 1].*event);
}

void CudaBackend::add_times(const ChunkEvents& events, StageStats& stats) const {
  const double circles_took = events.before_bin.since(events.before_generate);
  if (device_circles_.makes())
    stats.stage("generate", StageResource::kCuda).milliseconds += circles_took;
  else if (!device_circles_.has_all(*circles_))
    stats.stage("copy", StageResource::kBus).milliseconds += circles_took;
  stats.stage("bin", StageResource::kCuda).milliseconds +=
      events.after_bin.since(events.before_bin);
  stats.stage("blend", StageResource::kCuda).milliseconds +=
      events.after_blend.since(events.after_bin);
}

/// Packs a file. The host waits once for drawing, packing and copy_back(), since each wait takes
/// time.
void CudaBackend::pack() {
  if (out_.png == nullptr) return;
  record(before_pack_);
  graph_.put(pack_png, png_encoder_.prepare(bytes_.data(), shape_, stream_));
}

void CudaBackend::copy_back() {
  if (out_.device != nullptr) {
    if (out_.device->is_float)
      copy_samples(has_mean() ? sums_.data() : framebuffer_.data(), shape_,
                   static_cast<float*>(out_.device->samples.get()), stream_);
    return;
  }
  record(before_copy_);
  const auto copy = [&](auto& to, const auto& from) {
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.size() * sizeof(to[0]),
                                       cudaMemcpyDeviceToHost, stream_));
  };
  if (out_.png != nullptr) {
    png_encoder_.copy_ahead(*out_.png, stream_);
  } else {
    if (out_.framebuffer != nullptr)
      copy(out_.framebuffer->pixels, has_mean() ? sums_ : framebuffer_);
    if (out_.image != nullptr) copy(out_.image->bytes, bytes_);
  }
  record(after_copy_);
}

void CudaBackend::finish(StageStats& stats) {
  const ProfilerRange range("finish");
  stats.stage("bin", StageResource::kCuda).bytes = stats.overlaps * sizeof(Overlap);
  if (has_mean()) add_to_mean(stats);
  if (out_.sample + 1 < out_.samples) return;
  if (!is_delivered_) {
    pack();
    graph_.launch();
    copy_back();
    stream_.wait();
  }
  if (out_.device != nullptr) return;
  if (out_.png != nullptr && png_encoder_.finish(*out_.png, stream_)) {
    record(after_copy_);
    stream_.wait();
  }
  Stage& copy = stats.stage("copy", StageResource::kBus);
  if (options_.times_stages) copy.milliseconds += after_copy_.since(before_copy_);
  if (out_.png != nullptr) {
    Stage& encode = stats.stage("encode", StageResource::kCuda);
    if (options_.times_stages) encode.milliseconds += before_copy_.since(before_pack_);
    encode.bytes += out_.png->bytes.size();
    copy.bytes += out_.png->bytes.size();
    return;
  }
  if (out_.framebuffer != nullptr) copy.bytes += out_.framebuffer->pixels.size() * sizeof(Pixel);
  if (out_.image != nullptr) copy.bytes += out_.image->bytes.size();
}

void CudaBackend::keep_on_device(const Circles& circles) {
  use_device();
  device_circles_.keep(circles, stream_);
}

/// True if a film's circles leave three quarters of the memory to lists.
bool CudaBackend::makes_circles(std::uint64_t count) {
  use_device();
  compute_budget(count);
  return DeviceCircles::bytes_of_film(count) <= budget_ / 4;
}

void CudaBackend::begin_capture() {
  is_capturing_ = true;
  graph_.begin(true);
}

cudaGraph_t CudaBackend::end_capture() {
  is_capturing_ = false;
  return graph_.take();
}

/// True for few circles in the front chunk. Later chunks have few active tiles, so their lists are
/// short.
bool CudaBackend::is_unlisted(const Chunk& chunk) const {
  return chunk.number == 0 && chunk.count() <= kMaxUnlisted &&
         chunk.count() * static_cast<std::uint64_t>(bin_.grid.num_tiles()) <= kMaxUnlistedTests;
}

/// True if each region's block may test all circles, and each list can hold them all.
bool CudaBackend::fits_regions(const Chunk& chunk) const {
  const auto num_tiles = static_cast<std::uint64_t>(bin_.grid.num_tiles());
  return chunk.count() <= kMaxRegionCircles && region_memory(chunk.count()) <= block_memory_ &&
         chunk.count() * static_cast<std::uint64_t>(num_regions(bin_.grid)) <= kMaxRegionTests &&
         chunk.count() * num_tiles * sizeof(Overlap) <= budget_ / 4;
}

void CudaBackend::clear_progress() {
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(progress_.data(), 0, progress_.bytes(), stream_));
}

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options) {
  int count = 0;
  ROUNDEL_CUDA_CHECK(cudaGetDeviceCount(&count));
  if (options.device < 0 || options.device >= count)
    throw Error(ExitCode::kRuntimeFailure, "CUDA: device " + std::to_string(options.device) +
                                               " not found; this machine has " +
                                               std::to_string(count) + " usable CUDA device(s)");
  return std::make_unique<CudaBackend>(options);
}

}  // namespace roundel::cuda
