#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/scene/scene.h"
#include "renderer/survey.h"

/// Sentences about what hardly anybody means in a valid picture.
namespace roundel {

/// About how the scene at a frame looks in a format: most circles under a pixel, colours far above
/// 1 where 8 or 16 bits show them, alpha in a format without, palettes that begin again.
std::vector<std::string> remarks_on_look(const Scene& scene, ImageFormat format,
                                         const CircleSample& sample);

/// True where none of a frame's circles touches the picture, unless there are none and that is
/// meant. False where only a look at more than millions of them could tell.
bool shows_nothing(const Scene& scene, const CircleStream& circles);

/// About a frame in which hardly anything is to be seen, empty for all others. `overlaps`: those of
/// the frame; where it has none, or the sample hardly touches the picture, all circles are made to
/// say where they are.
std::string nothing_to_see(const Scene& scene, ImageFormat format, const CircleSample& sample,
                           std::int64_t frame, std::uint64_t overlaps);

/// Circles of a film's first frame, or none where they would take long beside so many frames, or
/// where nobody chose what they are like. They may be faint, and fade in later.
CircleSample sample_film(const Scene& scene, std::size_t frames);

/// Rows of the scene as it stands, or those that all frames of a film share.
enum class RowsOf { kScene, kFilm };
/// About rows that "invalid: skip" leaves out, a sentence a file.
std::vector<std::string> skipped_rows(const Scene& scene, RowsOf whose);

}  // namespace roundel
