#include <algorithm>
#include <bit>

#include "renderer/api/inner.h"

namespace roundel {
inline namespace v0 {

void Column::set_numbers(std::string name, char kind, std::size_t size, const void* first,
                         std::size_t rows, std::size_t stride, std::shared_ptr<const void> owner) {
  constexpr char kOrder = std::endian::native == std::endian::little ? '<' : '>';
  state_ = std::make_shared<const State>(
      State{{std::move(name), fmt::format("{}{}{}", kOrder, kind, size),
             static_cast<const std::byte*>(first), stride, std::move(owner)},
            rows});
}

Column::Column(std::string name, std::span<const std::string> texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  auto copy = std::make_shared<std::vector<char>>(longest * texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(),
              copy->begin() + static_cast<std::ptrdiff_t>(i * longest));
  const auto* const first = reinterpret_cast<const std::byte*>(copy->data());
  state_ = std::make_shared<const State>(
      State{{std::move(name), fmt::format("|S{}", longest), first, longest, std::move(copy)},
            texts.size()});
}

}  // namespace v0
}  // namespace roundel
