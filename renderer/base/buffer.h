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

/// Allocates memory for a Buffer: aligned to a cache line, uninitialised. Large blocks use huge
/// pages if the system has them, since touching millions of small pages takes longer than drawing.
/// Freed by std::free. Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
/// allocate_block() for C: a null pointer if out of memory.
void* try_allocate_block(std::size_t bytes) noexcept;

inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

/// Resident memory of a block of `bytes` after its first `written` bytes were written. Large blocks
/// grow by huge pages.
constexpr std::uint64_t block_memory(std::uint64_t bytes, std::uint64_t written) {
  return bytes < kHugePage ? written : (written + kHugePage - 1) / kHugePage * kHugePage;
}
/// Resident memory of a fully written block.
constexpr std::uint64_t block_memory(std::uint64_t bytes) {
  return block_memory(bytes, bytes);
}

/// Gives the whole pages in this range back to the system; their contents are lost.
void discard_pages(void* begin, std::size_t bytes) noexcept;
/// For programs that make many frames; called at the start. Keeps freed blocks of up to 32 MiB, up
/// to 128 MiB in all, for the next frame, which saves mapping and first touches. All threads then
/// share one malloc arena. Does nothing without glibc.
void keep_freed_blocks();

/// For programs that make a single picture: freed blocks of 1 MiB or more go back to the system at
/// once, so that the memory of stages does not add up.
void keep_no_freed_blocks();

/// Gives all free blocks back to the system.
void give_back_freed_blocks();

/// A heap array of fixed size with uninitialised elements, so that the threads that fill it touch
/// its pages first. Move-only. Aligned to 64 bytes.
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
    *this = Buffer();  // frees first: both may not fit in memory
    *this = Buffer(size);
  }
  /// Drops the elements from `size` on; keeps the memory. `size` is at most size().
  void shrink(std::size_t size) { size_ = size; }
  /// Gives the whole pages of elements [begin, end) back; their values are lost. Memory taken over
  /// is kept: a device that copies to it would still write to the returned pages.
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
