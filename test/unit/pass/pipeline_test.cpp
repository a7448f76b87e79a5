// Pipeline text: what is read, what is printed, and what each error says and where.
#include "pass/pipeline.h"

#include <array>
#include <map>
#include <string>

#include "diag/render.h"
#include "pass/reference.h"
#include "support_catch.h"
#include "test_passes.h"

namespace mlgc {
namespace {

using test::kPasses;

std::string printed(std::string_view text, bool defaults = false) {
  auto pipeline = parse_pipeline(text, kPasses);
  REQUIRE(pipeline.ok());
  return pipeline->print(defaults);
}

std::string error(std::string_view text) {
  LocationTable locations;
  auto pipeline = parse_pipeline(text, kPasses, &locations, "passes");
  REQUIRE_FALSE(pipeline.ok());
  CHECK(pipeline.error().kind->exit == ExitCode::BadUsage);
  return render_text(pipeline.error(), locations, {.source_lines = false});
}

TEST_CASE("pipelines print as canonical text that reads back") {
  CHECK(printed("") == "");
  CHECK(printed(" rename , count\n") == "rename,count");
  CHECK(printed("count{}") == "count");
  CHECK(printed("count{limit=12}") == "count");
  CHECK(printed("count{limit=13}") == "count{limit=13}");
  CHECK(printed("count", true) == "count{limit=12 deep=false ratio=0.5 name= list=}");
  for (const std::string_view text :
       {"count{limit=-3 deep=true ratio=1e-09 name=a,b list=x,y}", "count{name={a = 1, b = [2, 3]}}",
        "count{name=\"a } b\" list=p}", "rename,count{deep=true},rename"})
    CHECK(printed(text) == text);
  CHECK(printed("count{limit=1, deep=true,}") == "count{limit=1 deep=true}");
  // Quotes go where a value stands alone without them, and stay where it does not.
  CHECK(printed(R"(count{name="a" list="x","y"})") == "count{name=a list=x,y}");
  for (const std::string_view text :
       {R"(count{name="my f, {x}"})", R"(count{name="\"a\" \\ b"})", R"(count{name="a\nb"})", R"(count{name="a,"})",
        R"(count{name="a["})", R"(count{list="a b",c,"d,e","","}"})", R"(count{name="\"a\""})"})
    CHECK(printed(text) == text);
  CHECK(printed("count{deep}") == "count{deep=true}");
}

TEST_CASE("errors in pipelines are located and say what to do") {
  const std::map<std::string_view, std::string_view> cases{
      {"cout", "passes:1:1: error: unknown pass `cout`\npasses:1:1: note: did you mean `count`?\n"},
      {"rename,", "passes:1:8: error: expected the name of a pass in the pipeline, found the end of the text\n"},
      {",rename", "passes:1:1: error: expected the name of a pass in the pipeline, found `,`\n"},
      {"rename count", "passes:1:8: error: expected `,` or `{` in the pipeline, found `c`\n"},
      {"count{limit=1", "passes:1:14: error: expected `}` in the pipeline, found the end of the text\n"},
      {"count{limit}", "passes:1:12: error: expected `=` in the pipeline, found `}`\n"},
      {"count{name=[a}",
       "passes:1:15: error: expected the end of a quoted or bracketed value in the pipeline, found the end of the "
       "text\n"},
      {R"(count{name="a"b})", "passes:1:12: error: option `name` of pass `count`: `b` follows the closing quote\n"},
      {R"(count{list=a,"b"c,d})", "passes:1:12: error: option `list` of pass `count`: `c` follows the closing quote\n"},
      {R"(count{name="a})",
       "passes:1:15: error: expected the end of a quoted or bracketed value in the pipeline, found the end of the "
       "text\n"},
      {"count{=1}", "passes:1:7: error: expected the name of an option in the pipeline, found `=`\n"},
      {"count{limt=1}",
       "passes:1:7: error: pass `count` has no option `limt`\npasses:1:7: note: did you mean `limit`?\n"},
      {"count{limit=1 limit=2}", "passes:1:15: error: option `limit` of pass `count` is given twice\n"},
      {"count{limit=x}", "passes:1:13: error: option `limit` of pass `count`: expected an integer, found `x`\n"},
      {"count{limit=99999999999999999999}",
       "passes:1:13: error: option `limit` of pass `count`: `99999999999999999999` is out of range\n"},
      {"count{deep=1}", "passes:1:12: error: option `deep` of pass `count`: expected true or false, found `1`\n"},
      {"count{ratio=1x}", "passes:1:13: error: option `ratio` of pass `count`: expected a number, found `1x`\n"},
      {"count{list=a,,b}", "passes:1:12: error: option `list` of pass `count`: a list has an empty item\n"},
      {"lower,rename", "passes:1:7: error: pass `rename` works on graph, but the module is at loops there\n"},
  };
  for (const auto& [text, message] : cases) {
    INFO(text);
    std::string found = error(text);
    // A note without a place of its own has none in the text.
    for (std::size_t at; (at = found.find("\nmlgc: note")) != std::string::npos;) found.replace(at, 6, "\npasses:1:");
    CHECK(found.substr(0, found.find('\n')) == message.substr(0, message.find('\n')));
    if (message.find("did you mean") != std::string_view::npos)
      CHECK(found.find(message.substr(message.find("did you mean"))) != std::string::npos);
  }
}

TEST_CASE("order facts are checked, with their reasons") {
  constexpr std::array kFacts{
      OrderFact{"rename", "count", OrderStrength::Required, "names are counted"},
      OrderFact{"count", "touch", OrderStrength::Advised, "counting leaves things to touch"},
  };
  const auto check = [&](std::string_view text, Pipeline& pipeline) {
    pipeline = parse_pipeline(text, kPasses).value();
    return check_pipeline(pipeline, kFacts);
  };
  Pipeline pipeline;
  CHECK(check("rename,count", pipeline).ok());
  CHECK(check("count", pipeline).ok());
  const auto wrong = check("count,rename", pipeline);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message() ==
        "pass `count` is before `rename`, but must come after it, because names are counted");

  CHECK(check("touch,count", pipeline).ok());
  REQUIRE(pipeline.warnings.size() == 1);
  CHECK(pipeline.warnings[0].message() ==
        "pass `touch` should come again after `count`, because counting leaves things to touch");
  for (const std::string_view text : {"touch,count,touch", "count,count", "touch,touch"}) {
    CHECK(check(text, pipeline).ok());
    CHECK(pipeline.warnings.empty());
  }
}

TEST_CASE("one pass can be made from its options alone") {
  CHECK(print(make_step(*kPasses[0], "limit=3 deep").value()) == "count{limit=3 deep=true}");
  CHECK_FALSE(make_step(*kPasses[0], "limit=3}").ok());
}

TEST_CASE("the reference lists passes with options, defaults and examples") {
  CHECK(passes_reference(kPasses, ReferenceFormat::Text).find("count   Counts ops.") == 0);
  const std::string markdown = passes_reference(kPasses, ReferenceFormat::Markdown);
  CHECK(markdown.find("| `limit` | int | `12` | at most |") != std::string::npos);
  CHECK(markdown.find("Leaves the module at: loops.") != std::string::npos);
  const std::string json = passes_reference(kPasses, ReferenceFormat::Json);
  CHECK(json.find(R"({"name":"limit","type":"int","default":"12","help":"at most"})") != std::string::npos);
}

}  // namespace
}  // namespace mlgc
