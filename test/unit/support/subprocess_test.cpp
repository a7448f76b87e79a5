// Exit codes, output and programs that are not there.
#include "support/subprocess.h"

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("a program's output and exit code come back") {
  const auto result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  REQUIRE(result.ok());
  CHECK(result->exit_code == 3);
  CHECK(result->output == "out\nerr\n");
  const auto killed = run_process({"sh", "-c", "kill -9 $$"});
  REQUIRE(killed.ok());
  CHECK(killed->exit_code == 137);
}

TEST_CASE("a program that is not there is an error") {
  const auto result = run_process({"no-such-program-anywhere"});
  REQUIRE(!result.ok());
  CHECK(result.error().find("cannot run `no-such-program-anywhere`") == 0);
}
