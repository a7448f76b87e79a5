// The manager: what it checks, counts, measures and keeps.
#include "pass/pass_manager.h"

#include "diag/render.h"
#include "ir/structural_hash.h"
#include "support_catch.h"
#include "test_passes.h"

namespace mlgc {
namespace {

struct Outcome {
  bool ok;
  std::string messages;
  ExitCode exit;
};

class Fixture {
 public:
  explicit Fixture(PassManagerOptions options = {}) : manager(*context, std::move(options)) {}
  Outcome run(std::string_view text) {
    DiagnosticEngine diagnostics(context->locations());
    auto pipeline = parse_pipeline(text, test::kPasses);
    REQUIRE(pipeline.ok());
    const bool ok = manager.run(module, *pipeline, diagnostics);
    return {ok, render_text(diagnostics), diagnostics.exit_code()};
  }
  std::shared_ptr<Context> context = test::make_context();
  Module module{context};
  PassManager manager;
};

PassManagerOptions checked() {
  PassManagerOptions options;
  options.check_changed = true;
  return options;
}

TEST_CASE("what a pass says about having changed the module is checked, both ways") {
  Fixture fixture(checked());
  CHECK(fixture.run("touch,count").ok);
  const Outcome boast = fixture.run("boast");
  CHECK_FALSE(boast.ok);
  CHECK(boast.exit == ExitCode::Internal);
  CHECK(boast.messages.find("pass `boast` says that it changed the module, but the module is the same as before") !=
        std::string::npos);
  CHECK(fixture.run("hide").messages.find("pass `hide` says that it changed nothing, but the module is another one") !=
        std::string::npos);
  Fixture unchecked;
  CHECK(unchecked.run("boast,hide").ok);
}

TEST_CASE("a broken invariant is a diagnostic that names the pass, and the reproducer starts there") {
  PassManagerOptions options;
  options.snapshots = true;
  Fixture fixture(options);
  const Outcome outcome = fixture.run("touch,crash,count{limit=3}");
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.exit == ExitCode::Internal);
  CHECK(outcome.messages.find("internal error in pass `crash`: it crashed") != std::string::npos);
  REQUIRE(fixture.manager.reproducer().has_value());
  CHECK(fixture.manager.reproducer()->pipeline == "crash,count{limit=3}");
  CHECK(fixture.manager.reproducer()->module.op_count() == 3);
  CHECK(fixture.run("count").ok);
  CHECK_FALSE(fixture.manager.reproducer().has_value());
}

TEST_CASE("a module that does not verify after a pass stops the pipeline") {
  int calls = 0;
  PassManagerOptions options;
  options.verify = [&](const Module& module, DiagnosticEngine&) {
    ++calls;
    return module.op_count() < 5;
  };
  Fixture fixture(options);
  CHECK(fixture.run("touch,count").ok);
  CHECK(calls == 1);  // what changed nothing is not verified again
  const Outcome outcome = fixture.run("touch");
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.messages.find("pass `touch` left a module that is not valid") != std::string::npos);
  options.verify_each = false;
  Fixture trusting(options);
  CHECK(trusting.run("touch,touch").ok);
}

TEST_CASE("statistics hold counts before and after, counters, and print as text and JSON") {
  PassManagerOptions options;
  options.statistics = true;
  Fixture fixture(options);
  REQUIRE(fixture.run("touch,count").ok);
  const std::string text = fixture.manager.statistics_text();
  CHECK(text.find("touch: changed\n") == 0);
  CHECK(text.find("ops                           0 ->        2  (+2)\n") != std::string::npos);
  CHECK(text.find("count: unchanged\n") != std::string::npos);
  CHECK(text.find("    ops: 3\n") != std::string::npos);
  const std::string json = fixture.manager.statistics_json();
  CHECK(json.find(R"({"pass":"touch","result":"changed","ops":{"before":0,"after":2})") != std::string::npos);
  CHECK(json.find(R"("opcodes":{"func":{"before":0,"after":1},"return":{"before":0,"after":1}})") != std::string::npos);
  CHECK(json.find(R"("counters":{"ops":3})") != std::string::npos);
}

TEST_CASE("times form a tree") {
  PassManagerOptions options;
  options.timing = true;
  Fixture fixture(options);
  {
    const TimingTree::Scope scope(fixture.manager.timing(), "all passes");
    REQUIRE(fixture.run("touch,count").ok);
  }
  const TimingNode& root = fixture.manager.timing().root();
  REQUIRE(root.children.size() == 1);
  REQUIRE(root.children[0]->children.size() == 2);
  CHECK(root.children[0]->children[0]->name == "touch");
  CHECK(root.children[0]->children[0]->children[0]->name == "verify");
  CHECK(root.children[0]->wall_seconds >= root.children[0]->children[0]->wall_seconds);
  const std::string text = fixture.manager.timing().text();
  CHECK(text.find("... Execution time report ...") != std::string::npos);
  CHECK(text.find("  ----User Time----   ----Wall Time----   ----Name----\n") != std::string::npos);
  CHECK(text.find("    touch\n") != std::string::npos);
  CHECK(fixture.manager.timing().json().find(R"("scopes":[{"name":"all passes",)") != std::string::npos);
  Fixture quiet;
  REQUIRE(quiet.run("touch").ok);
  CHECK(quiet.manager.timing().root().children.empty());
}

TEST_CASE("the module is compacted between passes when most of it is dead") {
  Fixture fixture;
  REQUIRE(fixture.run("touch,touch,clear").ok);
  CHECK(fixture.module.dead_op_count() > 0);
  CHECK(fixture.module.generation() == 0);
  REQUIRE(fixture.run("count,touch").ok);
  CHECK(fixture.module.generation() == 1);
}

std::vector<std::string> dumps(PrintIrOptions options, std::string_view pipeline) {
  std::vector<std::string> headers;
  PrintIr print_ir(
      std::move(options), [](const Module&) { return std::string("program"); },
      [&](std::string_view text) {
        CHECK(text.substr(text.find('\n')) == "\nprogram\n");
        headers.emplace_back(text.substr(0, text.find('\n')));
      });
  Fixture fixture;
  fixture.manager.add(print_ir);
  fixture.run(pipeline);
  return headers;
}

TEST_CASE("the program is printed around passes") {
  using Headers = std::vector<std::string>;
  const auto header = [](std::string_view what) { return "// -----// IR Dump " + std::string(what) + " //----- //"; };
  PrintIrOptions options;
  options.after_all = true;
  CHECK(dumps(options, "touch,count") == Headers{header("After touch"), header("After count")});
  options = {};
  options.after_change = true;
  CHECK(dumps(options, "touch,count") == Headers{header("After touch")});
  options.after = {"count"};
  CHECK(dumps(options, "touch,count").empty());
  options = {};
  options.before = {"count"};
  options.after_failure = true;
  CHECK(dumps(options, "touch,count,crash") == Headers{header("Before count"), header("After crash Failed")});
}

}  // namespace
}  // namespace mlgc
