// See memory.h.
#include "runtime/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace mlgc::runtime {
namespace {

constexpr mlgc_i64 kPage = 4096;
constexpr mlgc_i64 kHugePage = mlgc_i64{2} << 20;

}  // namespace

mlgc_i32 Error::set(mlgc_i32 status, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

bool Block::reset(mlgc_i64 bytes, const mlgc_device* device, Refusal& why) {
  release();
  if (bytes <= 0) return true;
  if (device != nullptr) {
    void* data = nullptr;
    if (const mlgc_i32 status = device->allocate(bytes, &data, &why.reason); status != MLGC_OK) {
      why.status = status;
      return false;
    }
    data_ = static_cast<char*>(data);
  } else if (bytes < kHugePage) {
    // Aligned as the larger ones: kernels see the same alignment whatever the size.
    void* data = nullptr;
    if (posix_memalign(&data, kPage, static_cast<mlgc_size>(bytes)) != 0) return false;
    data_ = static_cast<char*>(data);
  } else {
    if (bytes > MLGC_I64_MAX - 2 * kHugePage) return false;
    const mlgc_i64 size = (bytes + kPage - 1) / kPage * kPage;
    // One page more, and what stands before the first boundary given back.
    void* const mapped = mmap(nullptr, static_cast<mlgc_size>(size + kHugePage), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return false;
    const auto start = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t page = static_cast<std::uintptr_t>(kHugePage);
    const std::uintptr_t before = (page - start % page) % page;
    data_ = static_cast<char*>(mapped) + before;
    if (before > 0) munmap(mapped, before);
    munmap(data_ + size, page - before);
    // Whole pages only: a last partial one could take up to 2 MiB more than was requested.
    madvise(data_, static_cast<mlgc_size>(size / kHugePage * kHugePage), MADV_HUGEPAGE);
    mapped_ = size;
  }
  bytes_ = bytes;
  device_ = device;
  return true;
}

bool Block::borrow(mlgc_i64 bytes, const mlgc_context_options& options, Refusal& why) {
  release();
  if (bytes <= 0) return true;
  data_ = static_cast<char*>(options.allocate(options.allocator_data, bytes, options.stream));
  if (data_ == nullptr) {
    why = {MLGC_LIMIT, "the allocator of the context gives none"};
    return false;
  }
  bytes_ = bytes;
  lender_ = &options;
  return true;
}

void Block::release() {
  if (lender_ != nullptr)
    lender_->give_back(lender_->allocator_data, data_, lender_->stream);
  else if (mapped_ > 0)
    munmap(data_, static_cast<mlgc_size>(mapped_));
  else if (device_ != nullptr)
    device_->release(data_);
  else
    std::free(data_);
  data_ = nullptr;
  bytes_ = mapped_ = 0;
  device_ = nullptr;
  lender_ = nullptr;
}

void Block::swap(Block& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(device_, other.device_);
  std::swap(lender_, other.lender_);
}

mlgc_i32 FileMapping::open(const char* path, Error& error) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    const int why = errno;
    if (descriptor >= 0) close(descriptor);
    return error.set(MLGC_BAD_INPUT, "`%s`: %s", path, std::strerror(why));
  }
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    close(descriptor);
    return error.set(MLGC_BAD_INPUT, "`%s` is empty or no file", path);
  }
  void* const mapped = mmap(nullptr, static_cast<mlgc_size>(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
  const int why = errno;
  close(descriptor);
  if (mapped == MAP_FAILED) return error.set(MLGC_LIMIT, "`%s` cannot be mapped: %s", path, std::strerror(why));
  data_ = static_cast<char*>(mapped);
  bytes_ = status.st_size;
  return MLGC_OK;
}

void FileMapping::unmap() {
  if (data_ != nullptr) munmap(data_, static_cast<mlgc_size>(bytes_));
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace mlgc::runtime
