#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace roundel {

/// A fixed-size array on the heap whose elements start uninitialised, so that the threads that fill
/// it touch its pages first. Movable; copying is explicit (`clone`).
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(other.size_) {
    other.size_ = 0;
  }
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// Changes the size; the contents are lost unless the size stays the same.
  void resize_discard(std::size_t size) {
    if (size != size_) *this = Buffer(size);
  }
  Buffer clone() const {
    Buffer copy(size_);
    std::copy_n(data_.get(), size_, copy.data_.get());
    return copy;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace roundel
