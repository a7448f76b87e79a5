// Kinds, the engine, both renderers, suggestions.
#include "diag/diagnostic.h"

#include <set>

#include "diag/kinds.h"
#include "diag/render.h"
#include "diag/suggest.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

inline constexpr DiagKind kSample{
    .id = "sample",
    .message = "op `{op:text}` has {got:int} operands, expected {wanted:list} (`{{`)",
    .remedy = "give `{op}` what it wants, within {share:real}",
    .doc = "For this test.",
};
inline constexpr DiagKind kPlain{.id = "plain", .message = "something {what:text}", .doc = "For this test."};
inline constexpr DiagKind kMild{.id = "mild", .severity = Severity::Warning, .message = "odd", .doc = "For this test."};
inline constexpr DiagKind kLimitHit{
    .id = "limit-hit", .exit = ExitCode::Limit, .message = "too much", .doc = "For this test."};
inline constexpr DiagKind kHere{
    .id = "here", .severity = Severity::Note, .message = "first seen here", .doc = "For this test."};

static_assert(diag_detail::arguments_fit<const char*, int, std::vector<std::string>, double>(kSample));
static_assert(!diag_detail::arguments_fit<int, int, std::vector<std::string>, double>(kSample));
static_assert(!diag_detail::arguments_fit<const char*, int, std::vector<std::string>>(kSample));
static_assert(!diag_detail::arguments_fit<const char*, double, std::vector<std::string>, double>(kSample));
static_assert(!diag_detail::slots_of(DiagKind{.id = "x", .message = "{a}", .doc = ""}).well_formed);
static_assert(!diag_detail::slots_of(DiagKind{.id = "x", .message = "{a:what}", .doc = ""}).well_formed);
static_assert(!diag_detail::slots_of(DiagKind{.id = "x", .message = "{a:int", .doc = ""}).well_formed);

}  // namespace

TEST_CASE("messages render typed arguments") {
  const Diagnostic d = diagnose<kSample>({}, "add", 3, std::vector<std::string>{"1", "2"}, 0.5);
  CHECK(d.message() == "op `add` has 3 operands, expected 1, 2 (`{`)");
  CHECK(d.remedy() == "give `add` what it wants, within 0.5");
}

TEST_CASE("every registered kind is found by its id") {
  REQUIRE_FALSE(all_kinds().empty());
  for (const DiagKind* kind : all_kinds()) CHECK(find_kind(kind->id) == kind);
  CHECK(find_kind("no-such-kind") == nullptr);
}

TEST_CASE("the engine sorts, drops repetitions, counts and limits") {
  LocationTable table;
  const SourceFile& file = table.add_source("f", "line one\nline two\n");
  DiagnosticEngine engine(table, 3);
  CHECK(engine.exit_code() == ExitCode::Ok);
  engine.emit(diagnose<kPlain>({}, "whole"));
  engine.emit(diagnose<kPlain>(table.position_in(file, 12), "b"));
  engine.emit(diagnose<kMild>(table.position_in(file, 9)));
  engine.emit(diagnose<kPlain>(table.position_in(file, 2), "a"));
  CHECK(engine.at_limit());
  engine.emit(diagnose<kLimitHit>(table.position_in(file, 1)));
  CHECK(engine.error_count() == 4);
  CHECK(engine.suppressed() == 1);
  CHECK(engine.warning_count() == 1);
  CHECK(engine.exit_code() == ExitCode::Limit);
  const std::vector<Diagnostic> sorted = engine.sorted();
  REQUIRE(sorted.size() == 4);
  CHECK(sorted[0].message() == "something a");
  CHECK(sorted[1].message() == "odd");
  CHECK(sorted[2].message() == "something b");
  CHECK(sorted[3].message() == "something whole");

  DiagnosticEngine twice(table, 0);
  for (int i = 0; i < 50; ++i) twice.emit(diagnose<kPlain>(table.position_in(file, 2), "a"));
  twice.emit(diagnose<kPlain>(table.position_in(file, 2), "other"));
  CHECK(twice.sorted().size() == 2);
  CHECK(twice.error_count() == 51);
}

TEST_CASE("text rendering shows place, line and caret") {
  LocationTable table;
  const SourceFile& file = table.add_source("f.mlir", "%0 = relu %x\n\t%1 = \xC3\xA9\xC3\xA9 bad\x01\n");
  DiagnosticEngine engine(table);
  engine.emit(diagnose<kPlain>(table.position_in(file, 5), "odd")
                  .with_width(4)
                  .with_note<kHere>(table.position_in(file, 10))
                  .with_note<kHere>({}));
  CHECK(render_text(engine) ==
        "f.mlir:1:6: error: something odd\n"
        "  %0 = relu %x\n"
        "       ^~~~\n"
        "f.mlir:1:11: note: first seen here\n"
        "  %0 = relu %x\n"
        "            ^\n"
        "f.mlir:1:6: note: first seen here\n");
  // Tabs stay, characters of several bytes count once, control characters are shown as `?`.
  CHECK(render_text(diagnose<kPlain>(table.position_in(file, 24), "x").with_width(4), table) ==
        "f.mlir:2:12: error: something x\n"
        "  \t%1 = \xC3\xA9\xC3\xA9 bad?\n"
        "  \t        ^~~~\n");
  CHECK(render_text(diagnose<kPlain>({}, "\x1b[31mred"), table) == "mlgc: error: something ?[31mred\n");
  CHECK(render_text(diagnose<kSample>({}, "o", 1, std::vector<std::string>{}, 1.0), table) ==
        "mlgc: error: op `o` has 1 operands, expected  (`{`)\nmlgc: note: give `o` what it wants, within 1\n");
  const std::string colored = render_text(diagnose<kMild>({}), table, {.color = true});
  CHECK(colored == "\x1b[1mmlgc: \x1b[1;35mwarning: \x1b[0m\x1b[1modd\x1b[0m\n");
}

TEST_CASE("long lines are cut around the caret") {
  LocationTable table;
  const SourceFile& file = table.add_source("f", std::string(5000, 'a') + "!" + std::string(5000, 'b'));
  const std::string text = render_text(diagnose<kPlain>(table.position_in(file, 5000), "x"), table);
  CHECK(text.size() < 500);
  const std::size_t line = text.find("\n  ") + 1;
  const std::size_t marks = text.find("\n  ", line) + 1;
  CHECK(text.find('!') - line == text.find('^') - marks);
}

TEST_CASE("the closing line counts what was cut off") {
  LocationTable table;
  DiagnosticEngine engine(table, 1);
  engine.emit(diagnose<kPlain>({}, "a"));
  engine.emit(diagnose<kPlain>({}, "b"));
  engine.emit(diagnose<kPlain>({}, "c"));
  CHECK(render_text(engine) ==
        "mlgc: error: something a\nmlgc: note: 2 more errors are not shown; see --error-limit\n");
}

TEST_CASE("JSON rendering is one versioned line") {
  LocationTable table;
  const SourceFile& file = table.add_source("f", "abc");
  DiagnosticEngine engine(table);
  engine.emit(diagnose<kPlain>(table.position_in(file, 1), "\"q\"\n\xFF\x02").with_note<kHere>({}));
  CHECK(render_json(engine) ==
        "{\"version\":1,\"errors\":1,\"warnings\":0,\"suppressed\":0,\"diagnostics\":[{\"kind\":\"plain\","
        "\"severity\":\"error\",\"message\":\"something \\\"q\\\"\\n\xEF\xBF\xBD\\u0002\",\"file\":\"f\",\"line\":1,"
        "\"column\":2,\"width\":1,\"notes\":[{\"kind\":\"here\",\"message\":\"first seen here\"}]}]}\n");
}

TEST_CASE("colour follows the mode, the terminal and NO_COLOR") {
  CHECK(want_color(ColorMode::Always, false, "1"));
  CHECK_FALSE(want_color(ColorMode::Never, true, nullptr));
  CHECK(want_color(ColorMode::Auto, true, nullptr));
  CHECK(want_color(ColorMode::Auto, true, ""));
  CHECK_FALSE(want_color(ColorMode::Auto, true, "1"));
  CHECK_FALSE(want_color(ColorMode::Auto, false, nullptr));
}

TEST_CASE("edit distance with a limit") {
  CHECK(edit_distance("relu", "relu", 2) == 0);
  CHECK(edit_distance("rleu", "relu", 2) == 1);
  CHECK(edit_distance("matmul", "matmull", 2) == 1);
  CHECK(edit_distance("kitten", "sitting", 3) == 3);
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("", "abc", 5) == 3);
  CHECK(edit_distance("abc", "", 1) == 2);
}

TEST_CASE("suggestions are near, and the same each time") {
  const std::string_view names[] = {"softmax", "relu", "selu", "matmul", "gelu", "add"};
  CHECK(closest_name("sofmax", names) == "softmax");
  CHECK(closest_name("belu", names) == "gelu");
  CHECK(closest_name("mat_mul", names) == "matmul");
  CHECK(closest_name("ad", names) == "add");
  CHECK_FALSE(closest_name("convolution", names).has_value());
  CHECK_FALSE(closest_name("x", names).has_value());
  CHECK_FALSE(closest_name(std::string(1000, 'a'), names).has_value());
}
