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

TEST_CASE("a quoted word reaches a program as it was") {
  CHECK(shell_word("a-b_1=./c,d:@%+") == "a-b_1=./c,d:@%+");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("it's") == "'it'\\''s'");
  for (const std::string word : {"", "two words", "it's", "$HOME `x` \"y\" \\ * ;", "line\nline"}) {
    const auto result = run_process({"sh", "-c", "printf %s " + shell_word(word)});
    REQUIRE(result.ok());
    CHECK(result->output == word);
  }
}
