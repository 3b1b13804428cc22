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

/// Adds what is wrong with the option -o of a run over so many scenes: one file for several scenes,
/// or an ending that is no picture's or, with a `format` asked for, another one's.
void check_output_option(const std::optional<std::string>& output, std::size_t scenes,
                         std::vector<std::string>& problems,
                         std::optional<ImageFormat> format = std::nullopt);

/// The end of a message about a name that ends as a video's: the options and the command that make
/// it. Empty for other names.
std::string video_hint(const std::string& name);

/// The format of a picture of the scene: the one asked for, or that of the name. `output`: the name
/// from the command line, if there is one, else the scene's own counts; without any it is a PNG.
/// Throws Error(kUsage) where the scene's name ends as another format's do, Error(kInvalidScene)
/// where nothing says the format of the scene's name, and as format_of().
ImageFormat picture_format(const Scene& scene, const std::optional<std::string>& output,
                           std::optional<ImageFormat> asked);

/// True for an existing folder and for a path that ends in '/'.
bool names_folder(const std::string& path);

/// FOLDER/STEM.png for a scene file of that stem, or with another format's ending.
std::string picture_in_folder(const std::string& folder, const std::string& scene_path,
                              ImageFormat format = ImageFormat::kPng);

/// Throws Error(kOutputRefused) where a picture cannot be written: its folder is not writable, or
/// missing and nowhere to be made by make_folders_of(), or something exists there that is not a
/// writable regular file, or anything at all exists there while `may_replace` is false.
void check_writable(const std::string& path, bool may_replace);
/// The same for the folder alone, of a frame, which replaces a link.
void check_folder_of(const std::string& path);

/// The folders of these files, which are made where they are missing, with those above them. The
/// returned object removes those in which nothing was written. Throws Error(kOutputRefused) for a
/// folder that cannot be made, or that takes no files, see check_takes_names().
NewFolders make_folders_of(const std::vector<std::string>& paths,
                           TakenName rule = TakenName::kFollow);

}  // namespace roundel
