// Scratch folders go with what stands in them, and say why they cannot be made.
#include "support/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/file.h"
#include "support/temporary_folder.h"
#include "support_catch.h"

namespace mlgc {
namespace {

// TMPDIR for one test, then as it was.
class TmpDir {
 public:
  explicit TmpDir(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  TmpDir(const TmpDir&) = delete;
  TmpDir& operator=(const TmpDir&) = delete;
  ~TmpDir() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_;
};

TEST_CASE("a scratch folder goes with what stands in it") {
  const TemporaryFolder outer;
  const TmpDir set(outer.file("").substr(0, outer.file("").size() - 1));
  {
    Result<ScratchFolder> made = ScratchFolder::make("here-");
    REQUIRE(made);
    const ScratchFolder folder = std::move(made).value();
    CHECK(folder.path().starts_with(outer.file("here-")));
    REQUIRE(write_file(folder.file("a.txt"), "a"));
    std::filesystem::create_directories(folder.file("b/c"));
    REQUIRE(write_file(folder.file("b/c/d.txt"), "d"));
    CHECK(outer.entries() == 1);
  }
  CHECK(outer.entries() == 0);
}

TEST_CASE("an empty TMPDIR is none, and a folder that is not there is an error") {
  {
    const TmpDir set("");
    CHECK(temporary_folder() == "/tmp");
  }
  const TmpDir set("/nowhere/at/all");
  CHECK(temporary_folder() == "/nowhere/at/all");
  const Result<ScratchFolder> made = ScratchFolder::make("here-");
  REQUIRE(!made);
  CHECK(made.error() == "/nowhere/at/all: cannot make a folder: No such file or directory");
}

}  // namespace
}  // namespace mlgc
