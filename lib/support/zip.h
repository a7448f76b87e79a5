// Zip archives: reading members that are stored (as views into the mapped file) or deflated, and writing stored ones.
//
// The reader trusts nothing: every offset and size is checked against the file, sizes come from the central directory
// (local headers may leave them to a data descriptor), members may not overlap, names are relative UTF-8 paths without
// "..", and what deflated members may inflate to is bounded before any of them is inflated. zip64 is understood;
// encryption, several disks and other methods are refused by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/file.h"
#include "support/result.h"

namespace mlgc {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t stored_size = 0;  // bytes in the file
  std::uint64_t size = 0;         // bytes of the content
  std::uint64_t offset = 0;       // of the first stored byte, from the start of the file
};

class ZipReader {
 public:
  // Bound on the sum of the sizes that deflated members declare.
  static constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{1} << 34;

  [[nodiscard]] static Result<ZipReader> open(const std::string& path);
  // `name` stands for the file in messages.
  [[nodiscard]] static Result<ZipReader> parse(SharedBytes file, std::string name,
                                               std::uint64_t max_inflated_bytes = kMaxInflatedBytes);

  // In the order of the central directory; folders are left out.
  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  [[nodiscard]] const ZipMember* find(std::string_view name) const;  // null when there is none

  // The member's content with its checksum verified: a view for stored members, a new buffer for deflated ones.
  [[nodiscard]] Result<SharedBytes> read(const ZipMember& member) const;
  // The first bytes of the content, at most `count`, and no checksum: what a member is, before all of it is inflated.
  [[nodiscard]] Result<SharedBytes> read_start(const ZipMember& member, std::uint64_t count) const;
  [[nodiscard]] const std::string& file_name() const { return file_name_; }

 private:
  [[nodiscard]] std::string who(const ZipMember& member) const;  // in messages

  SharedBytes file_;
  std::string file_name_;
  std::vector<ZipMember> members_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

// Writes stored members whose payloads start at multiples of 64 bytes, so that they can be used in place when mapped.
// Equal calls give equal bytes: there are no time stamps. The file appears at finish(), complete.
class ZipWriter {
 public:
  static constexpr std::uint64_t kAlignment = 64;
  enum class Zip64 { WhenNeeded, Always };

  [[nodiscard]] static Result<ZipWriter> create(const std::string& path, Zip64 zip64 = Zip64::WhenNeeded);
  // Adds a member whose content is the pieces one after the other. Error: a name that the reader would refuse, a
  // duplicate, or a failed write.
  [[nodiscard]] Status<> add(std::string_view name, std::span<const std::span<const std::byte>> pieces);
  [[nodiscard]] Status<> add(std::string_view name, std::span<const std::byte> content) {
    return add(name, std::span<const std::span<const std::byte>>(&content, 1));
  }
  [[nodiscard]] Status<> finish();

 private:
  struct Entry {
    std::uint32_t crc;
    std::uint64_t size;
    std::uint64_t header_offset;
    std::string name;
  };
  ZipWriter(AtomicFile file, Zip64 zip64) : file_(std::move(file)), zip64_(zip64) {}

  AtomicFile file_;
  Zip64 zip64_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace mlgc
