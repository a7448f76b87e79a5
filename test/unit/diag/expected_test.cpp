// Checking diagnostics against comments.
#include "diag/expected.h"

#include "diag/kinds.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

inline constexpr DiagKind kBad{.id = "bad", .message = "bad {what:text}", .remedy = "mend it", .doc = "For this test."};
inline constexpr DiagKind kOdd{.id = "odd", .severity = Severity::Warning, .message = "odd", .doc = "For this test."};
inline constexpr DiagKind kSee{.id = "see", .severity = Severity::Note, .message = "see", .doc = "For this test."};

std::vector<std::string> problems(const LocationTable& table, const SourceFile& file, std::vector<Diagnostic> got) {
  std::vector<std::string> result;
  for (const Diagnostic& d : check_expected(file, got, table)) {
    const auto place = table.primary_position(d.at);
    result.push_back((place ? std::to_string(place->line) : std::string("?")) + ": " + d.message());
  }
  return result;
}

}  // namespace

TEST_CASE("what is expected is accepted") {
  LocationTable table;
  const SourceFile& file = table.add_source("f",
                                            "a // expected-error {{bad {{a}}}}\n"
                                            "// expected-error@+1 {{bad b}} expected-warning@+1 {{odd}}\n"
                                            "b\n"
                                            "// expected-note@-1 {{see}} expected-note@-1 {{mend it}}\n"
                                            "// expected-error@unknown {{bad whole}}\n"
                                            "text expected-error is no comment\n");
  const auto at = [&](std::uint32_t line) { return table.position_in(file, *file.offset_of({line, 1})); };
  CHECK(problems(table, file,
                 {diagnose<kBad>(at(1), "{{a}}"), diagnose<kBad>(at(3), "b").with_note<kSee>({}), diagnose<kOdd>(at(3)),
                  diagnose<kBad>({}, "whole")})
            .empty());
}

TEST_CASE("what is unexpected, missing, twice or elsewhere is reported") {
  LocationTable table;
  const SourceFile& file = table.add_source("f",
                                            "a // expected-error {{bad a}}\n"
                                            "b // expected-error {{bad}}\n"
                                            "c // expected-warning {{bad c}}\n");
  const auto at = [&](std::uint32_t line) { return table.position_in(file, *file.offset_of({line, 1})); };
  using Lines = std::vector<std::string>;
  CHECK(problems(table, file, {diagnose<kBad>(at(1), "a"), diagnose<kBad>(at(1), "a")}) ==
        Lines{"1: unexpected error: bad a", "2: expected error was not reported: bad",
              "3: expected warning was not reported: bad c"});
  CHECK(problems(table, file, {diagnose<kBad>(at(2), "a"), diagnose<kBad>(at(2), "b"), diagnose<kBad>(at(3), "c")}) ==
        Lines{"1: expected error was not reported: bad a", "2: unexpected error: bad a", "2: unexpected error: bad b",
              "2: expected error was not reported: bad", "3: unexpected error: bad c",
              "3: expected warning was not reported: bad c"});
}

TEST_CASE("an expectation may state the kind") {
  LocationTable table;
  const SourceFile& file = table.add_source("f", "a // expected-error [did-you-mean] {{bad a}}\n");
  const Location at = table.position_in(file, 0);
  CHECK(problems(table, file, {diagnose<kBad>(at, "a")}).size() == 2);
}

TEST_CASE("malformed expectations are problems") {
  LocationTable table;
  const auto only = [&](const char* text) {
    const SourceFile& file = table.add_source("f", text);
    const auto found = check_expected(file, {}, table);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == &kBadExpectation);
    return found[0].message();
  };
  CHECK(only("// expected-eror {{x}}") == "malformed expectation: `expected-eror` is not a directive");
  CHECK(only("// expected-error x") == "malformed expectation: no `{{` after the directive");
  CHECK(only("// expected-error {{x}\n}}") == "malformed expectation: no closing braces");
  CHECK(only("// expected-error@1 {{x}}") == "malformed expectation: `@1` is not a line");
  CHECK(only("// expected-error@-1 {{x}}") == "malformed expectation: `@-1` is not a line");
  CHECK(only("// expected-error [no-such] {{x}}") == "malformed expectation: no kind has the id `no-such`");
  CHECK(only("// expected-error [bad {{x}}") == "malformed expectation: `[` without `]`");
}
