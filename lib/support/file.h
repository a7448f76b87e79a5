// Whole files in and out. Reading is complete or an error; writing is atomic: the file has its old content or all of
// its new content, whenever the process ends and whoever reads at the same time. (Power loss is the file system's
// business: nothing is synced.) Every error names the path and says what the system said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/bytes.h"
#include "support/interruption.h"
#include "support/result.h"

namespace mlgc {

inline constexpr std::uint64_t kMaxReadBytes = std::uint64_t{1} << 32;
// Of a device, which may have no end; terminals are none.
inline constexpr std::uint64_t kMaxDeviceBytes = std::uint64_t{1} << 24;

// The bytes of a file, pipe or device; "-" is standard input. More than `limit` bytes, or more than kMaxDeviceBytes of
// a device, are an error.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::uint64_t limit = kMaxReadBytes);

// The same as a read-only mapping where the file can be mapped; the mapping lives as long as the result's owner.
// Another process that truncates the file meanwhile can make an access fault, as with every mapping.
[[nodiscard]] Result<SharedBytes> map_file(const std::string& path);

// Writes a file under a temporary name in the target's folder and renames it on commit(). Without commit() nothing is
// left behind. A symbolic link keeps pointing to its target, which is replaced; an existing file's permissions are
// kept.
// "-" (standard output) and existing devices and pipes are written directly, since they cannot be replaced.
class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> open(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  [[nodiscard]] Status<> write(std::span<const std::byte> bytes);
  [[nodiscard]] Status<> write(std::string_view text);
  [[nodiscard]] Status<> commit();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  AtomicFile() = default;
  void discard();

  std::string path_;         // as the user wrote it, for messages
  std::string target_;       // what is replaced: path_ with symbolic links resolved
  TemporaryPath temporary_;  // none where the target is written directly
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

[[nodiscard]] Status<> write_file(const std::string& path, std::string_view content);

}  // namespace mlgc
