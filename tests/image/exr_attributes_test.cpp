// The sizes of an EXR's attributes are checked before OpenEXR uses them.
#include <OpenEXR/ImfBoxAttribute.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChannelListAttribute.h>
#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfCompressionAttribute.h>
#include <OpenEXR/ImfDeepImageStateAttribute.h>
#include <OpenEXR/ImfDoubleAttribute.h>
#include <OpenEXR/ImfEnvmapAttribute.h>
#include <OpenEXR/ImfFloatAttribute.h>
#include <OpenEXR/ImfFloatVectorAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfKeyCodeAttribute.h>
#include <OpenEXR/ImfLineOrderAttribute.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfPreviewImageAttribute.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStringVectorAttribute.h>
#include <OpenEXR/ImfTileDescriptionAttribute.h>
#include <OpenEXR/ImfTimeCodeAttribute.h>
#include <OpenEXR/ImfVecAttribute.h>

#include <algorithm>

#include "renderer/image/exr_reader.h"
#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

std::string exr_problem_of(const std::vector<std::uint8_t>& file) {
  const Error error = error_of([&] { decode_exr("a.exr", std::as_bytes(std::span(file))); });
  EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
  return error.what();
}

/// Returns an EXR whose header has an attribute of each type that OpenEXR reads without checking
/// its size.
std::vector<std::uint8_t> exr_of_all_types(const std::string& path,
                                           std::vector<std::string>& types) {
  Imf::Header header(4, 4);
  header.channels().insert("Y", Imf::Channel(Imf::HALF));
  const auto add = [&](const Imf::Attribute& attribute) {
    types.emplace_back(attribute.typeName());
    header.insert("of_" + types.back(), attribute);
  };
  add(Imf::Box2fAttribute()), add(Imf::Box2iAttribute()), add(Imf::ChannelListAttribute());
  add(Imf::ChromaticitiesAttribute()), add(Imf::CompressionAttribute());
  add(Imf::DeepImageStateAttribute()), add(Imf::DoubleAttribute()), add(Imf::EnvmapAttribute());
  add(Imf::FloatAttribute()), add(Imf::FloatVectorAttribute({1, 2})), add(Imf::IntAttribute());
  add(Imf::KeyCodeAttribute()), add(Imf::LineOrderAttribute()), add(Imf::M33dAttribute());
  add(Imf::M33fAttribute()), add(Imf::M44dAttribute()), add(Imf::M44fAttribute());
  add(Imf::PreviewImageAttribute(Imf::PreviewImage(2, 3))), add(Imf::RationalAttribute());
  add(Imf::StringVectorAttribute({"a", "bc"})), add(Imf::TileDescriptionAttribute());
  add(Imf::TimeCodeAttribute()), add(Imf::V2dAttribute()), add(Imf::V2fAttribute());
  add(Imf::V2iAttribute()), add(Imf::V3dAttribute()), add(Imf::V3fAttribute());
  add(Imf::V3iAttribute());
  const std::vector<half> row(4, half(1));
  Imf::FrameBuffer slices;
  slices.insert("Y",
                Imf::Slice(Imf::HALF, const_cast<char*>(reinterpret_cast<const char*>(row.data())),
                           sizeof(half), 0));
  {
    Imf::OutputFile file(path.c_str(), header);
    file.setFrameBuffer(slices);
    file.writePixels(4);
  }
  return read_bytes(path);
}

TEST(ExrAttributes, MustHaveTheSizeOfTheirType) {
  const TemporaryFolder folder;
  std::vector<std::string> types;
  const std::vector<std::uint8_t> file = exr_of_all_types(folder / "a.exr", types);
  EXPECT_EQ(decode_exr("a.exr", std::as_bytes(std::span(file))).samples[0], 1);
  for (const std::string& type : types) {
    const std::string start = "of_" + type + '\0' + type + '\0';
    const auto size = std::search(file.begin(), file.end(), start.begin(), start.end()) +
                      static_cast<std::ptrdiff_t>(start.size());
    ASSERT_LT(size, file.end()) << type;
    for (const int by : {-1, 1}) {
      std::vector<std::uint8_t> damaged = file;
      std::uint8_t& low_byte = damaged[static_cast<std::size_t>(size - file.begin())];
      low_byte = static_cast<std::uint8_t>(low_byte + by);
      EXPECT_EQ(exr_problem_of(damaged).find("a.exr: not a valid EXR: "), 0U) << type << by;
    }
  }
}

TEST(ExrAttributes, RejectsAnIdManifest) {
  std::vector<std::uint8_t> file =
      encode_exr(discs(4, 4, 1, 1), false, ExrValues::kLinear, kMetadata);
  const std::string manifest("a\0idmanifest\0\4\0\0\0\0\0\0\0", 21);
  file.insert(file.begin() + 8, manifest.begin(), manifest.end());
  EXPECT_EQ(exr_problem_of(file), "a.exr: is not supported: a manifest of ids");
}

}  // namespace
}  // namespace roundel
