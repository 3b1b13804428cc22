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

/// Allocates uninitialised memory, aligned to a cache line. Large blocks use huge pages: touching
/// millions of small pages takes longer than drawing. Freed by std::free. Throws
/// std::bad_alloc.
void* allocate_block(std::size_t bytes);
/// Allocates for C: null if out of memory.
void* try_allocate_block(std::size_t bytes) noexcept;

inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

/// Resident bytes of a block after `written` bytes were written.
constexpr std::uint64_t block_memory(std::uint64_t bytes, std::uint64_t written) {
  return bytes < kHugePage ? written : (written + kHugePage - 1) / kHugePage * kHugePage;
}
constexpr std::uint64_t block_memory(std::uint64_t bytes) {
  return block_memory(bytes, bytes);
}

/// Returns the whole pages of this range to the system; their contents are lost.
void discard_pages(void* begin, std::size_t bytes) noexcept;
/// Keeps freed blocks of up to 32 MiB, 128 MiB in all, for the next frame: for programs that make
/// many frames, at their start. All threads then share one malloc arena. Only with glibc.
void keep_freed_blocks();

/// Returns freed blocks of 1 MiB or more at once, so that the memory of stages does not add up: for
/// programs that make one picture.
void release_large_blocks_on_free();

/// Returns all free blocks to the system.
void trim_heap();

/// A heap array of fixed size, aligned to 64 bytes, move-only. Elements start uninitialised: the
/// threads that fill it touch its pages first.
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

  /// Takes over `size` elements, aligned to 64 bytes, which `release` frees.
  Buffer(T* data, std::size_t size, void (*release)(void*)) : data_(data, {release}), size_(size) {}

  /// Changes the size; a new size loses the contents.
  void resize_discard(std::size_t size) {
    if (size == size_) return;
    *this = Buffer();  // both may not fit in memory
    *this = Buffer(size);
  }
  /// Drops elements from `size` on, at most size(); keeps the memory.
  void shrink(std::size_t size) { size_ = size; }
  /// Returns the whole pages of elements [begin, end) to the system. Keeps adopted memory:
  /// a device may still write to it.
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
