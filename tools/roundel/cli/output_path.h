#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/scene/input_files.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Adds the problems of option -o for a run over `scenes` scenes: one file for several scenes, an
/// unknown extension, or an extension that does not match `format`.
void check_output_option(const std::optional<std::string>& output, std::size_t scenes,
                         std::vector<std::string>& problems,
                         std::optional<ImageFormat> format = std::nullopt);

/// Returns the end of a message about a name with the extension of a video that Roundel does not
/// make: what to type. Empty for other names.
std::string video_hint(const std::string& name);

/// Returns `format`, else that of the name: `output` from the command line, else the scene's own,
/// else PNG. Throws Error(kUsage) if the scene's name has the extension of another format,
/// Error(kInvalidScene) if its extension is unknown and `format` is absent, and what format_of()
/// throws.
ImageFormat picture_format(const Scene& scene, const std::optional<std::string>& output,
                           std::optional<ImageFormat> requested);

/// Returns true for an existing folder and for a path that ends in '/'.
bool names_folder(const std::string& path);

/// Returns FOLDER/STEM.png for a scene file of that stem, or another format's extension.
std::string picture_in_folder(const std::string& folder, const std::string& scene_path,
                              ImageFormat format = ImageFormat::kPng);

/// Throws Error(kOutputRefused) if a picture cannot be written: its folder is read-only or cannot
/// be made; the path is no writable regular file, or exists at all while `may_replace` is false.
void check_writable(const std::string& path, bool may_replace);
/// Like check_writable(), but for the folder of a frame alone: the frame replaces a link.
void check_folder_of(const std::string& path);

/// Makes the missing folders of these files. The returned object removes those that stay empty.
/// Throws Error(kOutputRefused) for a folder that cannot be made or cannot hold the files, see
/// check_renames().
NewFolders make_folders_of(const std::vector<std::string>& paths,
                           OverwriteRule rule = OverwriteRule::kFollow);

}  // namespace roundel
