#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace roundel {

/// Memory for a Buffer: aligned to a cache line, uninitialised; large blocks in huge pages where
/// the system has them, because the first touch of millions of small pages takes longer than
/// drawing. Freed by std::free. Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
/// The same for C: a null pointer where there is no memory.
void* try_allocate_block(std::size_t bytes) noexcept;

inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

/// Main memory that a block of so many bytes has once its first `written` ones have been written
/// to: large blocks come in huge pages.
constexpr std::uint64_t block_memory(std::uint64_t bytes, std::uint64_t written) {
  return bytes < kHugePage ? written : (written + kHugePage - 1) / kHugePage * kHugePage;
}
/// Once all have been.
constexpr std::uint64_t block_memory(std::uint64_t bytes) {
  return block_memory(bytes, bytes);
}

/// Gives the whole pages among these bytes back to the system; what they held is lost.
void discard_pages(void* begin, std::size_t bytes) noexcept;
/// For programs that make frame after frame, at their start: freed blocks of up to 32 MiB, up to
/// 128 MiB of them, stay with the process for the next frame instead of being unmapped and touched
/// for the first time again. All threads then share one arena of malloc. Does nothing without
/// glibc.
void keep_freed_blocks();

/// The opposite, for programs that make a single picture: from now on blocks of a MiB or more go
/// back to the system at once, so that what the next stage takes does not come on top of them.
void keep_no_freed_blocks();

/// Blocks that are free now go back to the system.
void give_back_freed_blocks();

/// A fixed-size array on the heap whose elements start uninitialised, so that the threads that fill
/// it touch its pages first. Movable, not copied. Aligned to 64 bytes.
template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    if (size > 0) data_.reset(static_cast<T*>(allocate_block(size * sizeof(T))));
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// Takes over memory of `size` elements, aligned to 64 bytes, that `release` frees.
  Buffer(T* data, std::size_t size, void (*release)(void*)) : data_(data, {release}), size_(size) {}

  /// Changes the size; the contents are lost unless the size stays the same.
  void resize_discard(std::size_t size) {
    if (size == size_) return;
    *this = Buffer();  // frees first: both need not fit at once
    *this = Buffer(size);
  }
  /// Gives up the elements from `size` on; the memory stays as it is. `size` is at most size().
  void shrink(std::size_t size) { size_ = size; }
  /// Gives the memory of elements [begin, end) back, but for parts of pages; they are lost. Memory
  /// taken over stays as it is: where a device copies to it, it would go on to write to the pages
  /// that were given back.
  void discard(std::size_t begin, std::size_t end) {
    if (data_.get_deleter().release == std::free)
      discard_pages(data() + begin, (end - begin) * sizeof(T));
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void (*release)(void*) = std::free;
    void operator()(T* pointer) const { release(pointer); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace roundel
