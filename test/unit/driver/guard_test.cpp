// Exceptions become exit code 70 with a reproducer, whatever was thrown.
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "driver/driver.h"
#include "support/file.h"
#include "support/reproducer.h"
#include "support/result.h"
#include "support/temporary_folder.h"
#include "support_catch.h"
#include "tensor/too_large.h"

namespace mlgc {
namespace {

TEST_CASE("a body that ends well keeps its code") {
  const std::vector<std::string> words{"opt"};
  CHECK(guard(words, [] { return ExitCode::Mismatch; }) == ExitCode::Mismatch);
}

TEST_CASE("every exception is an internal error") {
  const TemporaryFolder folder;
  setenv("TMPDIR", folder.file("").c_str(), 1);
  const std::vector<std::string> words{"opt", "a b.mlir"};
  CHECK(guard(words, []() -> ExitCode { throw InternalError("broken"); }) == ExitCode::Internal);
  CHECK(guard(words, []() -> ExitCode { throw 1; }) == ExitCode::Internal);
  unsetenv("TMPDIR");
}

TEST_CASE("memory that does not suffice is a limit, and no bug") {
  const TemporaryFolder folder;
  setenv("TMPDIR", folder.file("").c_str(), 1);
  const std::vector<std::string> words{"opt", "a.mlir"};
  CHECK(guard(words, []() -> ExitCode { throw std::bad_alloc(); }) == ExitCode::Limit);
  CHECK(guard(words, []() -> ExitCode { throw TensorTooLarge("4x4xf32"); }) == ExitCode::Limit);
  unsetenv("TMPDIR");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a reproducer holds the command, the error and the text") {
  remember_input("a.mlir", "module {\n}\n");
  const std::vector<std::string> words{"opt", "a b.mlir", "--pass-pipeline=it's"};
  const std::string path = write_reproducer(words, "internal-error:\nbroken");
  REQUIRE(path.find("/mlgc-reproducer-") != std::string::npos);
  CHECK(path == write_reproducer(words, "internal-error:\nbroken"));
  const Result<std::string> text = read_file(path);
  REQUIRE(text);
  CHECK(*text ==
        "// mlgc opt 'a b.mlir' '--pass-pipeline=it'\\''s'\n// internal error: internal-error: broken\n"
        "// read from a.mlir\nmodule {\n}\n");
  std::remove(path.c_str());
}

TEST_CASE("without a place to write, the command is what remains") {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  const std::vector<std::string> words{"opt", "a.mlir"};
  CHECK(write_reproducer(words, "broken") == "mlgc opt a.mlir");
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace mlgc
