// How many of the wrong passes and rules of test/faults numeric verification finds, and whether it blames the right
// pass and the right rewrite. Each fault runs between right passes on every program; the table is printed.
#include <cstdio>
#include <map>

#include "check/numeric_checker.h"
#include "diag/kinds_check.h"
#include "fault_programs.h"
#include "faults/faults.h"
#include "transforms/program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

struct Verdict {
  std::size_t applied = 0, caught = 0, pass = 0, rewrite = 0;  // programs
  std::string refused;                                         // the module did not verify, or the pass failed
};

std::string text(const DiagArgument& argument) {
  const auto* string = std::get_if<std::string>(&argument);
  return string != nullptr ? *string : "";
}

void check(const PassDef& fault, std::string_view program, Verdict& verdict) {
  const std::shared_ptr<Context> context = make_context();
  Module module = test::parse(context, program);
  NumericChecker checker({.seed = 1});
  bool wrong_step = false;
  PassManager manager(*context, {.check =
                                     [&](const PassedStep& passed, DiagnosticEngine& diagnostics) {
                                       if (passed.step.pass == &fault) wrong_step = true;
                                       return checker.check(passed, diagnostics);
                                     },
                                 .verify = verify});
  Pipeline pipeline;
  for (const PassDef* pass : {find_pass(all_passes(), "cse"), &fault, find_pass(all_passes(), "dce")})
    pipeline.steps.push_back(*make_step(*pass, ""));
  DiagnosticEngine diagnostics(context->locations());
  manager.run(module, pipeline, diagnostics);
  verdict.applied += wrong_step ? 1 : 0;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (diagnostic.kind->severity != Severity::Error) continue;
    if (diagnostic.kind != &kPassChangesResults && diagnostic.kind != &kPassMakesFail) {
      verdict.refused = diagnostic.message();
      continue;
    }
    ++verdict.caught;
    verdict.pass += text(diagnostic.args[0]) == fault.name ? 1 : 0;
    for (const DiagNote& note : diagnostic.notes)
      if (note.kind == &kRewriteAtFault && text(note.args[1]).starts_with("wrong-")) ++verdict.rewrite;
    break;
  }
}

TEST_CASE("wrong passes and rules are found, and the right ones blamed") {
  std::size_t caught = 0, pass = 0, rewrite = 0;
  std::string table = "fault                          changed  caught  pass  rewrite\n";
  for (const PassDef* fault : test::faulty_passes()) {
    Verdict verdict;
    for (const std::string_view program : test::kFaultPrograms) check(*fault, program, verdict);
    INFO(fault->name << ": " << fault->summary);
    CHECK(verdict.refused == "");
    CHECK(verdict.applied > 0);
    caught += verdict.caught > 0 ? 1 : 0;
    pass += verdict.caught > 0 && verdict.pass == verdict.caught ? 1 : 0;
    rewrite += verdict.caught > 0 && verdict.rewrite == verdict.caught ? 1 : 0;
    char line[128];
    std::snprintf(line, sizeof line, "%-30s %7zu %7zu %5zu %8zu\n", std::string(fault->name).c_str(), verdict.applied,
                  verdict.caught, verdict.pass, verdict.rewrite);
    table += line;
  }
  const std::size_t all = test::faulty_passes().size();
  table += std::to_string(all) + " faults: " + std::to_string(caught) + " caught, " + std::to_string(pass) +
           " with the right pass blamed, " + std::to_string(rewrite) + " with the right rewrite\n";
  std::fputs(table.c_str(), stdout);
  // What was measured; a lower figure is a loss.
  CHECK(all >= 88);
  CHECK(caught == all);
  CHECK(pass == all);
  CHECK(rewrite == all);
}

TEST_CASE("right passes are not accused") {
  for (const std::string_view program : test::kFaultPrograms)
    for (const Numerics mode : {Numerics::Exact, Numerics::LikeEager, Numerics::Fast}) {
      const std::shared_ptr<Context> context = make_context();
      Module module = test::parse(context, program);
      NumericChecker checker({.seed = 2, .numerics = mode});
      PassManager manager(*context, {.numerics = mode, .check = [&](const PassedStep& passed, DiagnosticEngine& d) {
                                       return checker.check(passed, d);
                                     }});
      auto pipeline = parse_pipeline("inline,canonicalize,constant-fold,cse,expand,dce", all_passes());
      REQUIRE(pipeline.ok());
      DiagnosticEngine diagnostics(context->locations());
      const bool ok = manager.run(module, *pipeline, diagnostics);
      INFO(program);
      INFO(render_text(diagnostics));
      CHECK(ok);
      CHECK(checker.counts().text().find("all agree") != std::string::npos);
    }
}

}  // namespace
}  // namespace mlgc
