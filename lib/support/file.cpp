// File access through POSIX calls, each repeated when interrupted and checked.
#include "support/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "support/activity.h"

namespace mlgc {
namespace {

std::string system_error(const std::string& path, const char* action, int error) {
  return path + ": " + action + ": " + std::generic_category().message(error);
}

// Closes what it holds; standard streams are never held.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

int open_retrying(const std::string& path, int flags, mode_t mode = 0) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

Result<std::string> read_all(int descriptor, const std::string& path, std::uint64_t limit) {
  const Activity reading("reading", path == "-" ? "standard input" : path);
  std::string content;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    if (static_cast<std::uint64_t>(status.st_size) > limit)
      return Failure{path + ": has " + std::to_string(status.st_size) + " bytes, at most " + std::to_string(limit) +
                     " are read"};
    content.reserve(static_cast<std::size_t>(status.st_size));
  } else if (S_ISCHR(status.st_mode) && ::isatty(descriptor) == 0) {
    limit = std::min(limit, kMaxDeviceBytes);
  }
  std::string chunk(1 << 16, '\0');
  for (;;) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return content;
    if (count < 0) {
      if (errno == EINTR) continue;
      return Failure{system_error(path, "cannot read", errno)};
    }
    if (content.size() + static_cast<std::size_t>(count) > limit)
      return Failure{path + ": " + (S_ISCHR(status.st_mode) ? "is a device with" : "has") + " more than " +
                     std::to_string(limit) + " bytes, which is the most that is read"};
    content.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input", limit);
  const Descriptor file(open_retrying(path, O_RDONLY));
  if (file.get() < 0) return Failure{system_error(path, "cannot open for reading", errno)};
  return read_all(file.get(), path, limit);
}

Result<SharedBytes> map_file(const std::string& path) {
  if (path != "-") {
    const Descriptor file(open_retrying(path, O_RDONLY));
    if (file.get() < 0) return Failure{system_error(path, "cannot open for reading", errno)};
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return Failure{system_error(path, "cannot inspect", errno)};
    const auto size = static_cast<std::size_t>(status.st_size);
    if (S_ISREG(status.st_mode) && size > 0) {
      void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
      if (address != MAP_FAILED) {
        std::shared_ptr<const void> owner(address, [size](void* mapped) { ::munmap(mapped, size); });
        return SharedBytes{{static_cast<const std::byte*>(address), size}, std::move(owner)};
      }
    }
  }
  // Not mappable (a pipe, an empty file, a folder): read it, which also gives the right message.
  Result<std::string> content = read_file(path);
  if (!content) return Failure{content.error()};
  return SharedBytes::from_string(std::move(content).value());
}

Result<AtomicFile> AtomicFile::open(const std::string& path) {
  AtomicFile file;
  file.path_ = path;
  if (path == "-") {
    file.path_ = "standard output";
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  file.target_ = path;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return Failure{system_error(path, "cannot open for writing", EISDIR)};
  if (exists && !S_ISREG(status.st_mode)) {
    file.descriptor_ = open_retrying(path, O_WRONLY);
    if (file.descriptor_ < 0) return Failure{system_error(path, "cannot open for writing", errno)};
    return file;
  }
  if (exists) {
    // A file that its owner protected from writing stays as it is, although a rename could replace it.
    if (::access(path.c_str(), W_OK) != 0) return Failure{system_error(path, "cannot open for writing", errno)};
    const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
    if (resolved) file.target_ = resolved.get();
  }
  const std::size_t slash = file.target_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : file.target_.substr(0, slash + 1);
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; file.descriptor_ < 0; ++attempt) {
    // A short name of its own: the target's name plus a suffix could exceed the system's limit.
    int error = 0;
    file.temporary_ = TemporaryPath([&] {
      std::string name = folder + ".mlgc-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
      file.descriptor_ = open_retrying(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
      error = errno;
      return file.descriptor_ < 0 ? std::string() : name;
    });
    if (file.descriptor_ < 0 && (error != EEXIST || attempt == 100))
      return Failure{system_error(path, "cannot open for writing", error)};
  }
  if (exists && ::fchmod(file.descriptor_, status.st_mode & 07777) != 0)
    return Failure{system_error(path, "cannot set permissions", errno)};
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(other.written_) {}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  temporary_.remove();
}

Status<> AtomicFile::write(std::span<const std::byte> bytes) {
  MLGC_ASSERT(descriptor_ >= 0, "write after commit: " + path_);
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return Failure{system_error(path_, "cannot write", errno)};
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    written_ += static_cast<std::uint64_t>(count);
  }
  return {};
}

Status<> AtomicFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Status<> AtomicFile::commit() {
  MLGC_ASSERT(descriptor_ >= 0, "commit twice: " + path_);
  const int descriptor = std::exchange(descriptor_, -1);
  // Some file systems report a full disk only here.
  if (descriptor > STDERR_FILENO && ::close(descriptor) != 0 && errno != EINTR) {
    const int error = errno;
    discard();
    return Failure{system_error(path_, "cannot write", error)};
  }
  if (temporary_.path().empty()) return {};
  if (::rename(temporary_.path().c_str(), target_.c_str()) != 0) {
    const int error = errno;
    discard();
    return Failure{system_error(path_, "cannot replace", error)};
  }
  (void)temporary_.release();
  return {};
}

Status<> write_file(const std::string& path, std::string_view content) {
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return Failure{file.error()};
  if (Status<> status = file->write(content); !status) return status;
  return file->commit();
}

}  // namespace mlgc
