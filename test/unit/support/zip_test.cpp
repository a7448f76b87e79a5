// Zip archives: what the writer writes, and everything that the reader must refuse.
#include "support/zip.h"

#include <zlib.h>

#include <random>
#include <vector>

#include "support/temporary_folder.h"
#include "support_catch.h"

using mlgc::SharedBytes;
using mlgc::ZipReader;
using mlgc::ZipWriter;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string two_members(ZipWriter::Zip64 zip64 = ZipWriter::Zip64::WhenNeeded) {
  const TemporaryFolder folder;
  mlgc::Result<ZipWriter> writer = ZipWriter::create(folder.file("a.zip"), zip64);
  REQUIRE(writer.ok());
  REQUIRE(writer->add("first.txt", bytes_of("hello")).ok());
  const std::span<const std::byte> pieces[] = {bytes_of("in "), bytes_of("two pieces")};
  REQUIRE(writer->add("folder/second", pieces).ok());
  REQUIRE(writer->finish().ok());
  return *mlgc::read_file(folder.file("a.zip"));
}

mlgc::Result<ZipReader> parse(std::string archive) {
  return ZipReader::parse(SharedBytes::from_string(std::move(archive)), "t.zip");
}

std::string text_of(const ZipReader& reader, std::string_view name) {
  const mlgc::ZipMember* member = reader.find(name);
  REQUIRE(member != nullptr);
  const mlgc::Result<SharedBytes> content = reader.read(*member);
  return content ? std::string(mlgc::as_text(content->bytes)) : content.error();
}

struct RawMember {
  std::string name;
  std::string packed;
  std::uint32_t size = 0;
  std::uint16_t method = 0;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
};

// An archive with any field wrong that a test wants wrong.
std::string raw_archive(const std::vector<RawMember>& members) {
  std::string file;
  std::string directory;
  for (const RawMember& m : members) {
    const auto offset = static_cast<std::uint32_t>(file.size());
    std::string common;
    mlgc::append_little_endian<std::uint16_t>(common, 20);
    mlgc::append_little_endian(common, m.flags);
    mlgc::append_little_endian(common, m.method);
    mlgc::append_little_endian<std::uint32_t>(common, 0x00210000);
    mlgc::append_little_endian(common, m.crc);
    mlgc::append_little_endian(common, static_cast<std::uint32_t>(m.packed.size()));
    mlgc::append_little_endian(common, m.size);
    mlgc::append_little_endian(common, static_cast<std::uint16_t>(m.name.size()));
    mlgc::append_little_endian<std::uint16_t>(common, 0);
    (file += "PK\3\4").append(common).append(m.name).append(m.packed);
    (directory += "PK\1\2").append({20, 0}).append(common).append(10, '\0');
    mlgc::append_little_endian(directory, offset);
    directory += m.name;
  }
  const auto at = static_cast<std::uint32_t>(file.size());
  file += directory;
  file.append("PK\5\6").append(4, '\0');
  for (int i = 0; i < 2; ++i) mlgc::append_little_endian(file, static_cast<std::uint16_t>(members.size()));
  mlgc::append_little_endian(file, static_cast<std::uint32_t>(directory.size()));
  mlgc::append_little_endian(file, at);
  return file.append(2, '\0');
}

RawMember deflated(std::string name, const std::string& content) {
  RawMember member{
      std::move(name), std::string(content.size() + 100, '\0'), static_cast<std::uint32_t>(content.size()), 8, 0, 0};
  member.crc = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string input = content;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.packed.data());
  stream.avail_out = static_cast<uInt>(member.packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  member.packed.resize(stream.total_out);
  deflateEnd(&stream);
  return member;
}

}  // namespace

TEST_CASE("a written archive is read back with aligned payloads and equal bytes every time") {
  for (const ZipWriter::Zip64 zip64 : {ZipWriter::Zip64::WhenNeeded, ZipWriter::Zip64::Always}) {
    const std::string archive = two_members(zip64);
    CHECK(archive == two_members(zip64));
    const mlgc::Result<ZipReader> reader = parse(archive);
    REQUIRE(reader.ok());
    REQUIRE(reader->members().size() == 2);
    for (const mlgc::ZipMember& member : reader->members()) CHECK(member.offset % 64 == 0);
    CHECK(text_of(*reader, "first.txt") == "hello");
    CHECK(text_of(*reader, "folder/second") == "in two pieces");
    CHECK(reader->find("third") == nullptr);
  }
  CHECK(two_members(ZipWriter::Zip64::Always).size() > two_members().size());
}

TEST_CASE("the checksum of a member of many bytes is that of all of them") {
  std::string text(std::size_t{9} << 20U, '\0');
  std::mt19937 draw(3);
  for (char& c : text) c = static_cast<char>(draw());
  const TemporaryFolder folder;
  mlgc::Result<ZipWriter> writer = ZipWriter::create(folder.file("a.zip"));
  REQUIRE(writer.ok());
  REQUIRE(writer->add("large", bytes_of(text)).ok());
  REQUIRE(writer->finish().ok());
  std::string archive = *mlgc::read_file(folder.file("a.zip"));
  const mlgc::Result<ZipReader> reader = parse(archive);
  REQUIRE(reader.ok());
  const mlgc::ZipMember* const member = reader->find("large");
  REQUIRE(member != nullptr);
  CHECK(member->crc == crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  CHECK(reader->read(*member).ok());
  archive[member->offset + text.size() - 2] ^= 1;
  CHECK(text_of(*parse(archive), "large").find("is damaged: its checksum is") != std::string::npos);
}

TEST_CASE("the writer refuses names that the reader refuses") {
  const TemporaryFolder folder;
  mlgc::Result<ZipWriter> writer = ZipWriter::create(folder.file("a.zip"));
  REQUIRE(writer.ok());
  REQUIRE(writer->add("a", bytes_of("")).ok());
  CHECK(writer->add("a", bytes_of("")).error() == folder.file("a.zip") + ": two members would be called \"a\"");
  CHECK(writer->add("../a", bytes_of("")).error() ==
        folder.file("a.zip") + ": the member name \"../a\" leaves the archive with \"..\"");
}

TEST_CASE("deflated members are inflated") {
  const std::string zeros(100000, '\0');
  const mlgc::Result<ZipReader> reader = parse(raw_archive({deflated("z", zeros), deflated("e", "")}));
  REQUIRE(reader.ok());
  CHECK(text_of(*reader, "z") == zeros);
  CHECK(text_of(*reader, "e").empty());
}

TEST_CASE("the start of a member is read without the rest") {
  std::mt19937 random(7);
  std::string noise(100000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  RawMember damaged = deflated("z", noise);
  for (std::size_t i = damaged.packed.size() / 2; i < damaged.packed.size(); ++i) damaged.packed[i] = '\xFF';
  const mlgc::Result<ZipReader> reader = parse(raw_archive({damaged, deflated("s", "short")}));
  REQUIRE(reader.ok());
  const auto start = [&](std::string_view name, std::uint64_t count) {
    const mlgc::Result<SharedBytes> read = reader->read_start(*reader->find(name), count);
    return read ? std::string(mlgc::as_text(read->bytes)) : read.error();
  };
  CHECK(start("z", 1000) == noise.substr(0, 1000));
  CHECK(start("z", 0).empty());
  CHECK(start("s", 3) == "sho");
  CHECK(start("s", 1000) == "short");
  CHECK_THAT(text_of(*reader, "z"), Contains("cannot be inflated"));
}

TEST_CASE("deflated data that does not match its sizes is refused") {
  RawMember shorter = deflated("z", std::string(1000, 'x'));
  shorter.size = 999;
  CHECK(text_of(*parse(raw_archive({shorter})), "z") ==
        "t.zip: byte 31: member \"z\" cannot be inflated: its data does not end where its size says");
  shorter.size = 1001;
  CHECK_THAT(text_of(*parse(raw_archive({shorter})), "z"), Contains("cannot be inflated"));
  shorter.packed = "\x07garbage";
  CHECK_THAT(text_of(*parse(raw_archive({shorter})), "z"), Contains("cannot be inflated: invalid block type"));
}

TEST_CASE("zip bombs are refused before inflating") {
  RawMember bomb = deflated("z", "x");
  bomb.size = 4000000000U;
  CHECK(parse(raw_archive({bomb})).error() ==
        "t.zip: byte 34: member \"z\" declares 4000000000 bytes from 3, more than deflate can pack");
  const std::string archive = raw_archive({deflated("a", std::string(600, 'x')), deflated("b", std::string(600, 'x'))});
  CHECK_THAT(ZipReader::parse(SharedBytes::from_string(archive), "t.zip", 1000).error(),
             Contains("deflated members declare more than 1000 bytes in total"));
  CHECK(ZipReader::parse(SharedBytes::from_string(archive), "t.zip", 1200).ok());
}

TEST_CASE("members that share bytes are refused") {
  // The content of "a" is itself a local header, and the entry of "b" is made to point to it.
  const std::string inner = raw_archive({{"b", "", 0}}).substr(0, 31);
  RawMember outer{"a", inner, 31};
  std::string archive = raw_archive({outer, {"b", "", 0}});
  const std::size_t offset_of_b = archive.size() - 22 - 5;
  REQUIRE(archive[offset_of_b] == 31 + 31);
  REQUIRE(parse(archive).ok());
  archive[offset_of_b] = 31;
  CHECK(parse(archive).error() == "t.zip: byte 31: members \"a\" and \"b\" overlap");
  archive[offset_of_b] = 0;
  CHECK_THAT(parse(archive).error(), Contains("member \"b\" has another name in its local header"));
}

TEST_CASE("names that could escape or deceive are refused") {
  const auto error = [](const std::string& name) { return parse(raw_archive({{name, "", 0}})).error(); };
  CHECK_THAT(error("../x"), Contains("the member name \"../x\" leaves the archive with \"..\""));
  CHECK_THAT(error("a/.."), Contains("leaves the archive"));
  CHECK_THAT(error("/etc/x"), Contains("is an absolute path"));
  CHECK_THAT(error("a\\b"), Contains("contains a backslash"));
  CHECK_THAT(error(std::string("a\0b", 3)), Contains("\"a\\x00b\" contains a control character"));
  CHECK_THAT(error("\xC0\xAE"), Contains("is not UTF-8"));
  CHECK_THAT(error(""), Contains("is empty"));
  CHECK(parse(raw_archive({{"a..b/\xC3\xA4", "", 0}})).ok());
  CHECK(parse(raw_archive({{"a", "", 0}, {"a", "", 0}})).error() == "t.zip: two members are called \"a\"");
}

TEST_CASE("what is not supported is refused by name") {
  CHECK_THAT(parse(raw_archive({{"a", "x", 1, 12}})).error(),
             Contains("member \"a\" uses compression method 12, expected 0 (stored) or 8 (deflated)"));
  CHECK_THAT(parse(raw_archive({{"a", "x", 1, 0, 1}})).error(), Contains("member \"a\" is encrypted"));
  CHECK_THAT(parse(raw_archive({{"a", "x", 2}})).error(), Contains("is stored, but its two sizes differ: 1 and 2"));
  CHECK_THAT(parse(raw_archive({{"a/", "x", 1}})).error(), Contains("is a folder, but has content"));
  CHECK(parse("").error() == "t.zip: is not a zip archive: no end-of-central-directory record in the last 0 bytes");
}

TEST_CASE("a wrong checksum is an error") {
  CHECK(text_of(*parse(raw_archive({{"a", "hello", 5, 0, 0, 7}})), "a") ==
        "t.zip: byte 31: member \"a\" is damaged: its checksum is 907060870, expected 7");
}

TEST_CASE("every truncation is an error and no corruption is a crash") {
  for (const std::string& archive :
       {two_members(), two_members(ZipWriter::Zip64::Always), raw_archive({deflated("z", std::string(300, 'x'))})}) {
    for (std::size_t size = 0; size < archive.size(); ++size) CHECK_FALSE(parse(archive.substr(0, size)).ok());
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
      std::string garbled = archive;
      for (std::uint32_t flips = 1 + random() % 3; flips > 0; --flips)
        garbled[random() % garbled.size()] = static_cast<char>(random() % 256);
      const mlgc::Result<ZipReader> reader = parse(std::move(garbled));
      refused += !reader.ok();
      if (reader)
        for (const mlgc::ZipMember& member : reader->members()) refused += !reader->read(member).ok();
    }
    CHECK(refused > 1000);
  }
}
