#include "renderer/compare/golden_lock.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/base/frame_name.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/format/form.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/validate.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxLocked = 1'000'000;

std::string lock_path(const std::string& folder) {
  return (fs::path(folder) / kLockName).string();
}

const ObjectForm<LockedGolden>& golden_form() {
  static const auto kForm = object<LockedGolden>(
      "{picture: NAME, pixels: HASH, fingerprint: HEX, frame: N}",
      {required("picture", text("a picture's path", StringSpec{false, true})),
       required("pixels", &LockedGolden::pixels, text("a hash")),
       required("fingerprint", &LockedGolden::fingerprint, text("a fingerprint")),
       required("frame", &LockedGolden::frame, integer(kMinFrame, kMaxFrame))});
  return kForm;
}
SpecPtr lock_format() {
  return object("{version: 1, goldens: [...]}",
                {required("version", integer(1, 1)),
                 required("goldens", list_of(golden_form(), 0, kMaxLocked, "a list of goldens"))});
}

bool is_pixel_hash(std::string_view text) {
  const std::size_t space = text.find(' ');
  return space != std::string_view::npos && space > 0 && is_fingerprint(text.substr(space + 1)) &&
         text.substr(0, space).find_first_not_of("0123456789x") == std::string_view::npos;
}

void read_golden(ValidNode node, std::size_t index, FormatErrors& errors, GoldenLock& lock) {
  const std::string name(node.find("picture").value().text());
  LockedGolden golden = golden_form().read(node);
  golden.line = node.place().line;
  const auto expect = [&](bool holds, const char* key, const char* expected) {
    if (holds) return;
    const ValidNode value = node.find(key).value();
    errors.add(value.place(), fmt::format("goldens[{}].{}", index, key),
               fmt::format("expected {}, got {}", expected, roundel::quoted(value.text())));
  };
  expect(is_acceptable(name), "picture", "a picture's path within the folder");
  expect(lock.count(name) == 0, "picture", "each picture once");
  expect(is_pixel_hash(golden.pixels), "pixels", "WIDTHxHEIGHT and 32 hex digits");
  expect(is_fingerprint(golden.fingerprint), "fingerprint", "32 hex digits");
  lock.emplace(name, std::move(golden));
}

}  // namespace

bool is_fingerprint(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string pixel_hash(const Picture& picture) {
  const auto of_samples = [](const auto& samples) {
    return XXH3_128bits(samples.data(), samples.size() * sizeof samples[0]);
  };
  const bool is_bytes = picture.samples == Picture::Samples::kBytes;
  XXH128_hash_t hash = is_bytes ? of_samples(picture.bytes) : of_samples(picture.floats);
  for (const ExrLevel& level : picture.levels) {
    const XXH128_hash_t more = of_samples(level.samples);
    const std::uint64_t both[] = {hash.low64, hash.high64, more.low64, more.high64};
    hash = XXH3_128bits(both, sizeof both);
  }
  return fmt::format("{}x{} {:016x}{:016x}", picture.width, picture.height, hash.high64,
                     hash.low64);
}

GoldenLock read_golden_lock(const std::string& folder) {
  const std::string path = lock_path(folder);
  std::error_code ignored;
  GoldenLock lock;
  if (!fs::exists(path, ignored)) return lock;
  const std::string text = InputFile(path).read(YamlTree::kMaxFileBytes + 1);
  check_git_text(path, text);
  YamlTree tree(text, path, "lock");
  FormatErrors errors(path);
  const std::optional<PartlyValidNode> root = validate(tree.root(), *lock_format(), errors);
  errors.throw_if_any();
  std::size_t index = 0;
  for (const ValidNode& golden : root.value().find("goldens").value().items())
    read_golden(golden, index++, errors, lock);
  errors.throw_if_any();
  return lock;
}

void write_golden_lock(const std::string& folder, const GoldenLock& lock) {
  std::string text =
      "# Goldens without pictures. \"roundel accept\" stores in this folder; docs/compare.md.\n"
      "version: 1\ngoldens:";
  text += lock.empty() ? " []\n" : "\n";
  for (const auto& [name, golden] : lock)
    text += fmt::format("  - {{picture: {}, pixels: \"{}\", fingerprint: \"{}\", frame: {}}}\n",
                        json_for_yaml(nlohmann::json(name).dump()), golden.pixels,
                        golden.fingerprint, golden.frame);
  write_text_atomically(lock_path(folder), text);
}

bool has_golden_lock(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(lock_path(folder), ignored));
}

void confirm_golden_folder(const std::string& folder) {
  std::error_code ignored;
  const auto is_taken = [&] { return fs::exists(fs::symlink_status(lock_path(folder), ignored)); };
  if (is_taken() || !fs::is_directory(folder, ignored)) return;
  catch_error([&] {
    const FolderClaim claim(folder);
    if (!is_taken()) write_golden_lock(folder, {});
  });
}

}  // namespace roundel
