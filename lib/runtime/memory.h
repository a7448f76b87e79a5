/* Private to the runtime: memory and messages without the C++ library, which a model's shared object does not link.
 *
 * Guarantees
 *   - Nothing throws; what fails says so and leaves the object as it was, or empty where it says so.
 *   - Memory of 2 MiB and more is aligned to 2 MiB and asks for huge pages: a first touch by 4 KiB pages costs more
 * than most kernels. */
#ifndef MLGC_RUNTIME_MEMORY_H
#define MLGC_RUNTIME_MEMORY_H

#include <cstdlib>
#include <new>

#include "runtime/unit.h"

namespace mlgc::runtime {

// The reason of a failure, cut where it does not fit.
struct Error {
  char text[1024] = "";
  // Sets the text as printf does and returns `status`.
  [[gnu::format(printf, 3, 4)]] mlgc_i32 set(mlgc_i32 status, const char* format, ...);
};

// Why there is no memory: MLGC_LIMIT, or what a device says.
struct Refusal {
  mlgc_i32 status = MLGC_LIMIT;
  const char* reason = "no memory";
};

// Elements that are zero bytes at first, which must be a value of theirs; they are not destroyed.
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { std::free(data_); }
  // The old elements are lost. False: no memory; then it is empty.
  [[nodiscard]] bool reset(mlgc_i64 count) {
    std::free(data_);
    constexpr mlgc_size kWidth = sizeof(T);  // NOLINT(bugprone-sizeof-expression): elements may be pointers
    data_ = static_cast<T*>(std::calloc(static_cast<mlgc_size>(count > 0 ? count : 1), kWidth));
    size_ = data_ != nullptr ? count : 0;
    return data_ != nullptr;
  }
  [[nodiscard]] mlgc_i64 size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](mlgc_i64 i) { return data_[i]; }
  const T& operator[](mlgc_i64 i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  mlgc_i64 size_ = 0;
};

// new and delete; null when there is no memory.
template <class T>
T* create() {
  void* const memory = std::aligned_alloc(alignof(T), (sizeof(T) + alignof(T) - 1) / alignof(T) * alignof(T));
  return memory == nullptr ? nullptr : new (memory) T();
}
template <class T>
void destroy(T* object) {
  if (object == nullptr) return;
  object->~T();
  std::free(object);
}

// Memory of the host, or of a device, aligned to 64 bytes at least; what it holds at first is anything.
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { release(); }
  // At least `bytes`, the content lost; false: there are none, and then it is empty. `device` null: the host.
  [[nodiscard]] bool reset(mlgc_i64 bytes, const mlgc_device* device, Refusal& why);
  // The same of the host's allocator for a device, whose options outlive the block.
  [[nodiscard]] bool borrow(mlgc_i64 bytes, const mlgc_context_options& options, Refusal& why);
  void release();
  void swap(Block& other);
  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] mlgc_i64 bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  mlgc_i64 bytes_ = 0;
  mlgc_i64 mapped_ = 0;  // 0: malloc's, or the device's
  const mlgc_device* device_ = nullptr;
  const mlgc_context_options* lender_ = nullptr;
};

// A file, mapped read-only and shared with every process that maps it.
class FileMapping {
 public:
  FileMapping() = default;
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping() { unmap(); }
  void unmap();
  [[nodiscard]] mlgc_i32 open(const char* path, Error& error);
  [[nodiscard]] const char* data() const { return data_; }
  [[nodiscard]] mlgc_i64 bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  mlgc_i64 bytes_ = 0;
};

}  // namespace mlgc::runtime

#endif
