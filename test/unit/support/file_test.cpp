// Reading and atomic writing of files.
#include "support/file.h"

#include <sys/stat.h>

#include <filesystem>

#include "support/temporary_folder.h"
#include "support_catch.h"

using mlgc::AtomicFile;

TEST_CASE("what is written is read back, by copy and by mapping") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  const std::string content("one\0two", 7);
  REQUIRE(mlgc::write_file(path, content).ok());
  CHECK(*mlgc::read_file(path) == content);
  CHECK(mlgc::as_text(mlgc::map_file(path)->bytes) == content);
  REQUIRE(mlgc::write_file(path, "").ok());
  CHECK(mlgc::map_file(path)->size() == 0);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a mapping outlives the file's name") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  REQUIRE(mlgc::write_file(path, "content").ok());
  const mlgc::SharedBytes bytes = *mlgc::map_file(path);
  std::filesystem::remove(path);
  CHECK(mlgc::as_text(bytes.slice(3, 4).bytes) == "tent");
}

TEST_CASE("without commit the old content stays and nothing is left behind") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  REQUIRE(mlgc::write_file(path, "old").ok());
  {
    mlgc::Result<AtomicFile> file = AtomicFile::open(path);
    REQUIRE(file.ok());
    REQUIRE(file->write("half of the new").ok());
    CHECK(*mlgc::read_file(path) == "old");
    CHECK(folder.entries() == 2);
  }
  CHECK(*mlgc::read_file(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("permissions and symbolic links survive a replacement") {
  const TemporaryFolder folder;
  const std::string target = folder.file("target");
  const std::string link = folder.file("link");
  REQUIRE(mlgc::write_file(target, "old").ok());
  REQUIRE(::chmod(target.c_str(), 0640) == 0);
  std::filesystem::create_symlink(target, link);
  REQUIRE(mlgc::write_file(link, "new").ok());
  CHECK(std::filesystem::is_symlink(link));
  CHECK(*mlgc::read_file(target) == "new");
  CHECK((std::filesystem::status(target).permissions() & std::filesystem::perms::mask) ==
        static_cast<std::filesystem::perms>(0640));
}

TEST_CASE("devices are written, not replaced") {
  REQUIRE(mlgc::write_file("/dev/null", "gone").ok());
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("errors name the path and the reason") {
  const TemporaryFolder folder;
  CHECK(mlgc::read_file(folder.file("none")).error() ==
        folder.file("none") + ": cannot open for reading: No such file or directory");
  CHECK(mlgc::map_file(folder.file("none")).error() ==
        folder.file("none") + ": cannot open for reading: No such file or directory");
  CHECK(mlgc::map_file(folder.file("")).error() == folder.file("") + ": cannot read: Is a directory");
  CHECK(mlgc::write_file(folder.file("no/such"), "x").error() ==
        folder.file("no/such") + ": cannot open for writing: No such file or directory");
  CHECK(mlgc::write_file(folder.file(""), "x").error() ==
        folder.file("") + ": cannot open for writing: Is a directory");
  CHECK(mlgc::write_file("/dev/full", "x").error() == "/dev/full: cannot write: No space left on device");
  REQUIRE(mlgc::write_file(folder.file("big"), "12345").ok());
  CHECK(mlgc::read_file(folder.file("big"), 4).error() == folder.file("big") + ": has 5 bytes, at most 4 are read");
  CHECK(mlgc::read_file("/dev/zero", 1000).error() ==
        "/dev/zero: is a device with more than 1000 bytes, which is the most that is read");
}
