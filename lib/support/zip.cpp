// The zip format, after PKWARE's application note (sections 4.3 to 4.5).
#include "support/zip.h"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "support/activity.h"
#include "support/parts.h"

namespace mlgc {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034B50;
constexpr std::uint32_t kCentralSignature = 0x02014B50;
constexpr std::uint32_t kEndSignature = 0x06054B50;
constexpr std::uint32_t kEnd64Signature = 0x06064B50;
constexpr std::uint32_t kEnd64LocatorSignature = 0x07064B50;
constexpr std::size_t kLocalSize = 30;
constexpr std::size_t kCentralSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kEnd64LocatorSize = 20;
constexpr std::size_t kMaxCommentSize = 0xFFFF;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint16_t kPaddingExtra = 0x4D47;  // ours; readers skip extra fields that they do not know
constexpr std::uint32_t kInZip64 = 0xFFFFFFFF;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFlagEncrypted = 0x0001;
constexpr std::uint16_t kFlagUtf8 = 0x0800;
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint16_t kDosDate1980 = 0x0021;  // 1 January 1980, the first day the format can name
// Deflate cannot do better: 258 bytes from two bits.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || text.size() - i < length) return false;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0U) != 0x80U) return false;
      code = (code << 6) | (next & 0x3FU);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    i += length;
  }
  return true;
}

// Why a member may not be called this; null when it may.
const char* name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > 0xFFFF) return "is longer than 65535 bytes";
  if (name.front() == '/') return "is an absolute path";
  for (const char c : name) {
    if (c == '\\') return "contains a backslash";
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "contains a control character";
  }
  if (!is_utf8(name)) return "is not UTF-8";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return "leaves the archive with \"..\"";
    begin = end + 1;
  }
  return nullptr;
}

// A name for a message, with what could garble a terminal made visible.
std::string in_quotes(std::string_view name) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : name.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\')
      text += c;
    else
      (text += "\\x") += {kHex[byte >> 4], kHex[byte & 0xF]};
  }
  return text += name.size() > 200 ? "...\"" : "\"";
}

// Of many bytes in parts, by threads: of the weights of a model it is what takes longest to read.
std::uint32_t crc_of(std::span<const std::byte> bytes, std::uint32_t crc = 0) {
  constexpr std::size_t kLeast = std::size_t{4} << 20U;
  const std::vector<Part> parts = parts_of(bytes.size(), kLeast);
  std::vector<uLong> of_parts(parts.size());
  for_each_part(parts, [&](std::size_t i, Part part) {
    of_parts[i] = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()) + part.begin, part.size());
  });
  uLong all = crc;
  for (std::size_t i = 0; i < parts.size(); ++i)
    all = crc32_combine(all, of_parts[i], static_cast<z_off_t>(parts[i].size()));
  return static_cast<std::uint32_t>(all);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

// Reads one archive's directory; every member function returns an error text or nothing.
class DirectoryParser {
 public:
  DirectoryParser(std::span<const std::byte> file, const std::string& name, std::uint64_t max_inflated)
      : file_(file), name_(name), max_inflated_(max_inflated) {}

  Result<std::vector<ZipMember>> run() {
    const Result<Directory> directory = find_directory();
    if (!directory) return Failure{directory.error()};
    std::vector<ZipMember> members;
    std::uint64_t position = directory->offset;
    const std::uint64_t end = directory->offset + directory->size;
    std::uint64_t count = 0;
    for (; position < end; ++count) {
      if (Status<> status = parse_entry(position, end, directory->offset, members); !status)
        return Failure{status.error()};
    }
    if (count != directory->entries)
      return fail(directory->offset, "the central directory has " + std::to_string(count) + " entries, expected " +
                                         std::to_string(directory->entries));
    if (Status<> status = check_overlaps(); !status) return Failure{status.error()};
    return members;
  }

 private:
  struct Range {
    std::uint64_t begin, end;
    std::string name;
  };

  [[nodiscard]] Failure<std::string> fail(std::uint64_t offset, const std::string& message) const {
    return Failure{name_ + ": byte " + std::to_string(offset) + ": " + message};
  }
  [[nodiscard]] std::uint16_t u16(std::uint64_t at) const { return load_little_endian<std::uint16_t>(file_, at); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t at) const { return load_little_endian<std::uint32_t>(file_, at); }
  [[nodiscard]] std::uint64_t u64(std::uint64_t at) const { return load_little_endian<std::uint64_t>(file_, at); }
  // Whether [offset, offset + size) lies below `limit`, without overflow.
  [[nodiscard]] static bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
    return offset <= limit && size <= limit - offset;
  }

  [[nodiscard]] Result<Directory> find_directory() const {
    std::optional<std::uint64_t> end;
    if (file_.size() >= kEndSize) {
      const std::uint64_t last = file_.size() - kEndSize;
      for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, kMaxCommentSize) && !end; ++back)
        if (u32(last - back) == kEndSignature && u16(last - back + 20) == back) end = last - back;
    }
    if (!end)
      return Failure{name_ + ": is not a zip archive: no end-of-central-directory record in the last " +
                     std::to_string(std::min(file_.size(), kEndSize + kMaxCommentSize)) + " bytes"};
    Directory directory{u32(*end + 16), u32(*end + 12), u16(*end + 10)};
    if (u16(*end + 4) != 0 || u16(*end + 6) != 0 || u16(*end + 8) != u16(*end + 10))
      return fail(*end, "the archive spans several disks, which is not supported");
    std::uint64_t limit = *end;
    if (*end >= kEnd64LocatorSize && u32(*end - kEnd64LocatorSize) == kEnd64LocatorSignature) {
      const std::uint64_t locator = *end - kEnd64LocatorSize;
      const std::uint64_t at = u64(locator + 8);
      if (!within(at, kEnd64Size, locator) || u32(at) != kEnd64Signature)
        return fail(locator, "the zip64 locator points to byte " + std::to_string(at) +
                                 ", where no zip64 end-of-central-directory record is");
      directory = {u64(at + 48), u64(at + 40), u64(at + 32)};
      limit = at;
    } else if (directory.offset == kInZip64 || directory.size == kInZip64) {
      return fail(*end, "the central directory is in zip64 form, but the zip64 locator is missing");
    }
    if (!within(directory.offset, directory.size, limit))
      return fail(*end, "the central directory (offset " + std::to_string(directory.offset) + ", " +
                            std::to_string(directory.size) + " bytes) does not lie before its end record");
    return directory;
  }

  // Parses the entry at `position` and moves it to the next one.
  [[nodiscard]] Status<> parse_entry(std::uint64_t& position, std::uint64_t end, std::uint64_t data_end,
                                     std::vector<ZipMember>& members) {
    const std::uint64_t entry = position;
    if (!within(entry, kCentralSize, end) || u32(entry) != kCentralSignature)
      return fail(entry, "expected an entry of the central directory");
    const std::uint64_t name_size = u16(entry + 28);
    const std::uint64_t extra_size = u16(entry + 30);
    const std::uint64_t tail = name_size + extra_size + u16(entry + 32);
    if (!within(entry + kCentralSize, tail, end)) return fail(entry, "the entry reaches beyond the central directory");
    position = entry + kCentralSize + tail;

    ZipMember member;
    member.name = as_text(file_.subspan(entry + kCentralSize, name_size));
    if (const char* fault = name_fault(member.name))
      return fail(entry, "the member name " + in_quotes(member.name) + " " + fault);
    const std::string who = "member " + in_quotes(member.name) + " ";
    const std::uint16_t flags = u16(entry + 8);
    const std::uint16_t method = u16(entry + 10);
    if ((flags & kFlagEncrypted) != 0) return fail(entry, who + "is encrypted, which is not supported");
    if (method != kStored && method != kDeflated)
      return fail(entry,
                  who + "uses compression method " + std::to_string(method) + ", expected 0 (stored) or 8 (deflated)");
    member.deflated = method == kDeflated;
    member.crc = u32(entry + 16);
    member.stored_size = u32(entry + 20);
    member.size = u32(entry + 24);
    std::uint64_t header = u32(entry + 42);
    if (Status<> status = apply_zip64(entry, entry + kCentralSize + name_size, extra_size, who, member, header);
        !status)
      return status;
    if (Status<> status = locate(entry, header, data_end, who, member); !status) return status;
    if (!member.deflated && member.stored_size != member.size)
      return fail(entry, who + "is stored, but its two sizes differ: " + std::to_string(member.stored_size) + " and " +
                             std::to_string(member.size));
    if (member.deflated) {
      // stored_size is at most the file's size, so the product cannot overflow.
      if (member.size > member.stored_size * kMaxDeflateRatio)
        return fail(entry, who + "declares " + std::to_string(member.size) + " bytes from " +
                               std::to_string(member.stored_size) + ", more than deflate can pack");
      inflated_ += member.size;
      if (inflated_ > max_inflated_)
        return fail(entry, "deflated members declare more than " + std::to_string(max_inflated_) + " bytes in total");
    }
    ranges_.push_back({header, member.offset + member.stored_size, member.name});
    if (member.name.back() == '/') {
      if (member.size != 0) return fail(entry, who + "is a folder, but has content");
      return {};
    }
    members.push_back(std::move(member));
    return {};
  }

  // Takes the fields that did not fit into 32 bits from the zip64 extra field.
  [[nodiscard]] Status<> apply_zip64(std::uint64_t entry, std::uint64_t extra, std::uint64_t extra_size,
                                     const std::string& who, ZipMember& member, std::uint64_t& header) const {
    const std::uint64_t end = extra + extra_size;
    while (end - extra >= 4) {
      const std::uint64_t size = u16(extra + 2);
      if (!within(extra + 4, size, end)) return fail(extra, who + "has an extra field that reaches beyond its entry");
      if (u16(extra) == kZip64Extra) {
        std::uint64_t at = extra + 4;
        for (std::uint64_t* field : {&member.size, &member.stored_size, &header}) {
          if (*field != kInZip64) continue;
          if (!within(at, 8, extra + 4 + size)) return fail(extra, who + "has a zip64 field that is too short");
          *field = u64(at);
          at += 8;
        }
        return {};
      }
      extra += 4 + size;
    }
    if (member.size == kInZip64 || member.stored_size == kInZip64 || header == kInZip64)
      return fail(entry, who + "needs a zip64 field, which is missing");
    return {};
  }

  // Finds the payload after the local header at `header`.
  [[nodiscard]] Status<> locate(std::uint64_t entry, std::uint64_t header, std::uint64_t data_end,
                                const std::string& who, ZipMember& member) const {
    if (!within(header, kLocalSize, data_end) || u32(header) != kLocalSignature)
      return fail(entry, who + "points to byte " + std::to_string(header) + ", where no local header is");
    const std::uint64_t name_size = u16(header + 26);
    member.offset = header + kLocalSize + name_size + u16(header + 28);
    if (!within(member.offset, member.stored_size, data_end))
      return fail(entry, who + "(offset " + std::to_string(member.offset) + ", " + std::to_string(member.stored_size) +
                             " bytes) reaches beyond byte " + std::to_string(data_end) +
                             ", where the central directory starts");
    if (as_text(file_.subspan(header + kLocalSize, name_size)) != member.name)
      return fail(header, who + "has another name in its local header");
    return {};
  }

  // Members that share bytes are how small files blow up; duplicate names are refused by the caller.
  [[nodiscard]] Status<> check_overlaps() {
    std::ranges::sort(ranges_, {}, [](const Range& r) { return std::pair(r.begin, r.end); });
    for (std::size_t i = 1; i < ranges_.size(); ++i)
      if (ranges_[i].begin < ranges_[i - 1].end && ranges_[i].name != ranges_[i - 1].name)
        return fail(ranges_[i].begin,
                    "members " + in_quotes(ranges_[i - 1].name) + " and " + in_quotes(ranges_[i].name) + " overlap");
    return {};
  }

  std::span<const std::byte> file_;
  const std::string& name_;
  std::uint64_t max_inflated_;
  std::uint64_t inflated_ = 0;
  std::vector<Range> ranges_;
};

// All of the `size` bytes of the content; with `only_start` the first `size` of what may be more.
Result<SharedBytes> inflate_member(std::span<const std::byte> packed, std::uint64_t size, const std::string& who,
                                   bool only_start = false) {
  const Activity inflating(who + "inflating " + std::to_string(size) + " bytes");
  auto content = std::make_shared<std::string>();
  content->resize(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib counts in 32 bits
  // zlib does not write through next_in, but its pointer is not const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(content->data());
  std::size_t in_left = packed.size();
  std::size_t out_left = content->size();
  int code = Z_OK;
  while (code == Z_OK) {
    if (stream.avail_in == 0) in_left -= stream.avail_in = static_cast<uInt>(std::min(in_left, kStep));
    if (stream.avail_out == 0) out_left -= stream.avail_out = static_cast<uInt>(std::min(out_left, kStep));
    code = inflate(&stream, Z_NO_FLUSH);
    if (only_start && out_left + stream.avail_out == 0) break;
  }
  const bool started = only_start && (code == Z_OK || code == Z_STREAM_END) && out_left + stream.avail_out == 0;
  const bool complete =
      started || (code == Z_STREAM_END && in_left + stream.avail_in == 0 && out_left + stream.avail_out == 0);
  const std::string reason = stream.msg != nullptr ? stream.msg : "its data does not end where its size says";
  inflateEnd(&stream);
  if (!complete) return Failure{who + "cannot be inflated: " + reason};
  return SharedBytes{std::as_bytes(std::span<const char>(*content)), content};
}

}  // namespace

Result<ZipReader> ZipReader::open(const std::string& path) {
  Result<SharedBytes> file = map_file(path);
  if (!file) return Failure{file.error()};
  return parse(std::move(file).value(), path);
}

Result<ZipReader> ZipReader::parse(SharedBytes file, std::string name, std::uint64_t max_inflated_bytes) {
  Result<std::vector<ZipMember>> members = DirectoryParser(file.bytes, name, max_inflated_bytes).run();
  if (!members) return Failure{members.error()};
  ZipReader reader;
  reader.file_ = std::move(file);
  reader.members_ = std::move(members).value();
  for (std::size_t i = 0; i < reader.members_.size(); ++i)
    if (!reader.by_name_.emplace(reader.members_[i].name, i).second)
      return Failure{name + ": two members are called " + in_quotes(reader.members_[i].name)};
  reader.file_name_ = std::move(name);
  return reader;
}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &members_[found->second];
}

std::string ZipReader::who(const ZipMember& member) const {
  return file_name_ + ": byte " + std::to_string(member.offset) + ": member " + in_quotes(member.name) + " ";
}

Result<SharedBytes> ZipReader::read(const ZipMember& member) const {
  SharedBytes content = file_.slice(member.offset, member.stored_size);
  if (member.deflated) {
    Result<SharedBytes> inflated = inflate_member(content.bytes, member.size, who(member));
    if (!inflated) return inflated;
    content = std::move(inflated).value();
  }
  if (crc_of(content.bytes) != member.crc)
    return Failure{who(member) + "is damaged: its checksum is " + std::to_string(crc_of(content.bytes)) +
                   ", expected " + std::to_string(member.crc)};
  return content;
}

Result<SharedBytes> ZipReader::read_start(const ZipMember& member, std::uint64_t count) const {
  count = std::min(count, member.size);
  const SharedBytes content = file_.slice(member.offset, member.stored_size);
  if (!member.deflated) return content.slice(0, count);
  return inflate_member(content.bytes, count, who(member), true);
}

Result<ZipWriter> ZipWriter::create(const std::string& path, Zip64 zip64) {
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return Failure{file.error()};
  return ZipWriter(std::move(file).value(), zip64);
}

Status<> ZipWriter::add(std::string_view name, std::span<const std::span<const std::byte>> pieces) {
  if (const char* fault = name_fault(name))
    return Failure{file_.path() + ": the member name " + in_quotes(name) + " " + fault};
  if (!by_name_.emplace(name, entries_.size()).second)
    return Failure{file_.path() + ": two members would be called " + in_quotes(name)};
  Entry entry{0, 0, file_.written(), std::string(name)};
  for (const std::span<const std::byte> piece : pieces) {
    entry.crc = crc_of(piece, entry.crc);
    entry.size += piece.size();
  }
  const bool zip64 = zip64_ == Zip64::Always || entry.size >= kInZip64;
  std::string extra;
  if (zip64) {
    append_little_endian<std::uint16_t>(extra, kZip64Extra);
    append_little_endian<std::uint16_t>(extra, 16);
    append_little_endian<std::uint64_t>(extra, entry.size);
    append_little_endian<std::uint64_t>(extra, entry.size);
  }
  // An extra field takes at least four bytes, so a gap of one to three becomes one of more than 64.
  const std::uint64_t payload = entry.header_offset + kLocalSize + name.size() + extra.size() + 4;
  const std::uint64_t padding = (kAlignment - payload % kAlignment) % kAlignment;
  append_little_endian<std::uint16_t>(extra, kPaddingExtra);
  append_little_endian(extra, static_cast<std::uint16_t>(padding));
  extra.append(padding, '\0');

  std::string header;
  append_little_endian(header, kLocalSignature);
  append_little_endian<std::uint16_t>(header, zip64 ? kVersionZip64 : 20);
  append_little_endian(header, kFlagUtf8);
  append_little_endian(header, kStored);
  append_little_endian<std::uint16_t>(header, 0);
  append_little_endian(header, kDosDate1980);
  append_little_endian(header, entry.crc);
  const std::uint32_t size32 = zip64 ? kInZip64 : static_cast<std::uint32_t>(entry.size);
  append_little_endian(header, size32);
  append_little_endian(header, size32);
  append_little_endian(header, static_cast<std::uint16_t>(name.size()));
  append_little_endian(header, static_cast<std::uint16_t>(extra.size()));
  header.append(name).append(extra);
  if (Status<> status = file_.write(header); !status) return status;
  for (const std::span<const std::byte> piece : pieces)
    if (Status<> status = file_.write(piece); !status) return status;
  entries_.push_back(std::move(entry));
  return {};
}

Status<> ZipWriter::finish() {
  const std::uint64_t directory = file_.written();
  std::string out;
  for (const Entry& entry : entries_) {
    const bool zip64 = zip64_ == Zip64::Always || entry.size >= kInZip64 || entry.header_offset >= kInZip64;
    append_little_endian(out, kCentralSignature);
    append_little_endian<std::uint16_t>(out, zip64 ? kVersionZip64 : 20);
    append_little_endian<std::uint16_t>(out, zip64 ? kVersionZip64 : 20);
    append_little_endian(out, kFlagUtf8);
    append_little_endian(out, kStored);
    append_little_endian<std::uint16_t>(out, 0);
    append_little_endian(out, kDosDate1980);
    append_little_endian(out, entry.crc);
    const std::uint32_t size32 = zip64 ? kInZip64 : static_cast<std::uint32_t>(entry.size);
    append_little_endian(out, size32);
    append_little_endian(out, size32);
    append_little_endian(out, static_cast<std::uint16_t>(entry.name.size()));
    append_little_endian<std::uint16_t>(out, zip64 ? 28 : 0);
    out.append(10, '\0');  // no comment, first disk, no attributes
    append_little_endian(out, zip64 ? kInZip64 : static_cast<std::uint32_t>(entry.header_offset));
    out.append(entry.name);
    if (zip64) {
      append_little_endian<std::uint16_t>(out, kZip64Extra);
      append_little_endian<std::uint16_t>(out, 24);
      append_little_endian(out, entry.size);
      append_little_endian(out, entry.size);
      append_little_endian(out, entry.header_offset);
    }
  }
  const std::uint64_t size = out.size();
  const std::uint64_t count = entries_.size();
  const bool zip64 = zip64_ == Zip64::Always || directory >= kInZip64 || size >= kInZip64 || count >= 0xFFFF;
  if (zip64) {
    append_little_endian(out, kEnd64Signature);
    append_little_endian<std::uint64_t>(out, kEnd64Size - 12);
    append_little_endian(out, kVersionZip64);
    append_little_endian(out, kVersionZip64);
    out.append(8, '\0');
    for (const std::uint64_t value : {count, count, size, directory}) append_little_endian(out, value);
    append_little_endian(out, kEnd64LocatorSignature);
    append_little_endian<std::uint32_t>(out, 0);
    append_little_endian<std::uint64_t>(out, directory + size);
    append_little_endian<std::uint32_t>(out, 1);
  }
  append_little_endian(out, kEndSignature);
  out.append(4, '\0');
  append_little_endian(out, zip64 ? std::uint16_t{0xFFFF} : static_cast<std::uint16_t>(count));
  append_little_endian(out, zip64 ? std::uint16_t{0xFFFF} : static_cast<std::uint16_t>(count));
  append_little_endian(out, zip64 ? kInZip64 : static_cast<std::uint32_t>(size));
  append_little_endian(out, zip64 ? kInZip64 : static_cast<std::uint32_t>(directory));
  append_little_endian<std::uint16_t>(out, 0);
  if (Status<> status = file_.write(out); !status) return status;
  return file_.commit();
}

}  // namespace mlgc
