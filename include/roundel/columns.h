#pragma once
/// Columns of numbers or texts in memory, as data of a scene's layers.
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace roundel {
inline namespace v0 {

template <typename T>
concept Number = std::is_arithmetic_v<T> && sizeof(T) <= 8;
template <typename T>
concept NumberRange = std::ranges::contiguous_range<T> && Number<std::ranges::range_value_t<T>>;
template <typename T>
concept StructRange = std::ranges::contiguous_range<T> && std::ranges::borrowed_range<T>;

/// A column [rows] of a table. Numbers are not copied: they must stay unchanged at their address as
/// long as a scene that uses them, or a copy of it, lives. Copies of a column are cheap.
class Column {
 public:
  /// Takes contiguous numbers: a std::vector, std::array, std::span … A container that is moved
  /// into the column lives as long as the column.
  template <NumberRange Numbers>
  Column(std::string name, Numbers&& numbers) {
    if constexpr (std::ranges::borrowed_range<Numbers>) {
      set(std::move(name), std::ranges::data(numbers), std::ranges::size(numbers));
    } else {
      auto kept =
          std::make_shared<const std::remove_cvref_t<Numbers>>(std::forward<Numbers>(numbers));
      set(std::move(name), std::ranges::data(*kept), std::ranges::size(*kept), kept);
    }
  }
  /// Takes a member of an array of structs: Column("mass", stars, &Star::mass).
  template <StructRange Structs, Number T>
  Column(std::string name, Structs&& structs, T std::ranges::range_value_t<Structs>::*member)
      : Column(std::move(name),
               std::ranges::empty(structs) ? nullptr : &(std::ranges::data(structs)->*member),
               std::ranges::size(structs), sizeof(*std::ranges::data(structs))) {}
  /// Takes numbers `stride` bytes apart, the first of them at `first`. `owner` is kept.
  template <Number T>
  Column(std::string name, const T* first, std::size_t rows, std::size_t stride,
         std::shared_ptr<const void> owner = nullptr) {
    set(std::move(name), first, rows, std::move(owner), stride);
  }
  /// Copies texts in UTF-8: for categories, and for conditions in `where`.
  Column(std::string name, std::span<const std::string> texts);

 private:
  friend struct Access;
  struct State;

  template <Number T>
  void set(std::string name, const T* first, std::size_t rows,
           std::shared_ptr<const void> owner = nullptr, std::size_t stride = sizeof(T)) {
    constexpr char kKind = std::same_as<std::remove_cv_t<T>, bool> ? 'b'
                           : std::floating_point<T>                ? 'f'
                           : std::signed_integral<T>               ? 'i'
                                                                   : 'u';
    set_numbers(std::move(name), kKind, sizeof(T), first, rows, stride, std::move(owner));
  }
  void set_numbers(std::string name, char kind, std::size_t size, const void* first,
                   std::size_t rows, std::size_t stride, std::shared_ptr<const void> owner);

  std::shared_ptr<const State> state_;
};

}  // namespace v0
}  // namespace roundel
