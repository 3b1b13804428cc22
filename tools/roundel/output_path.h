#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Adds what is wrong with the option -o of a run over so many scenes: an ending that is no
/// picture's, or one file for several scenes.
void check_output_option(const std::optional<std::string>& output, std::size_t scenes,
                         std::vector<std::string>& problems);

/// Format of the picture that a scene asks for with its key `output`, or of a PNG. Throws
/// Error(kInvalidScene) for an ending that is no picture's.
ImageFormat output_format(const Scene& scene);

/// True for an existing folder and for a path that ends in '/'.
bool names_folder(const std::string& path);

/// FOLDER/STEM.png for a scene file of that stem.
std::string picture_in_folder(const std::string& folder, const std::string& scene_path);

/// Throws Error(kOutputRefused) where a picture cannot be written: its folder is missing or not
/// writable, or something exists there that is not a writable regular file, or anything at all
/// exists there while `may_replace` is false.
void check_writable(const std::string& path, bool may_replace);

/// The files that drawing the scenes reads: the scene files and their data.
std::vector<std::string> files_read(const std::vector<Scene>& scenes);

/// Throws Error(`refusal`) where writing to `output` would replace one of the files in `inputs`, by
/// whatever name or link it is reached. Files that do not exist are no inputs.
void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs,
                             ExitCode refusal);

}  // namespace roundel
