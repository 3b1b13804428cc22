#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// Rows first..end − 1 of a frame, counted from the bottom.
struct RowBand {
  int first, end;
  bool operator==(const RowBand&) const = default;
};

/// The band of part `index` (from 0) of `count`: together all rows of `whole`, each once, and as
/// many in each part, give or take one.
RowBand part_of(const RowBand& whole, int index, int count);

/// The circles that may cover a pixel of the band, in paint order: those of the band's pixels are
/// all there, so drawing them gives these pixels the same bits as drawing all circles.
void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected);

/// The bytes of a band in a picture, in the picture's own order of rows.
std::span<std::uint8_t> band_bytes(const FrameTarget& out, const RowBand& band);

/// Draws a band of a frame on several rasterizers at once, each a part of it. They draw whole
/// frames: outside of its part a rasterizer has no circles to paint, only background.
class BandPainter {
 public:
  explicit BandPainter(std::vector<std::unique_ptr<Rasterizer>> rasterizers);
  ~BandPainter();

  /// `out` gets the image's size; the rows of the band are set, all others undefined. Throws what
  /// the rasterizers throw.
  void draw(const Circles& circles, const ImageSettings& image, const RowBand& band,
            const FrameTarget& out, StageStats& stats);

 private:
  struct Part;
  std::vector<std::unique_ptr<Part>> parts_;
};

/// The bands of a frame that others draw; the first band is this process's own.
class BandExchange {
 public:
  virtual ~BandExchange() = default;
  /// Bands of a frame, with the first one.
  virtual int count() const = 0;
  /// Has the others draw theirs of the next frame.
  virtual void order() = 0;
  /// Waits for the bytes of another's band. Throws Error where it could not make it.
  virtual void receive(int index, std::span<std::uint8_t> bytes) = 0;
};

/// One frame on several rasterizers: each draws a band of it, or of the first band where there are
/// others. Keeps a reference.
std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers, BandExchange* others = nullptr);

}  // namespace roundel
