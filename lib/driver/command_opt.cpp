// mlgc opt: reads a module, runs passes over it, prints it.
#include <algorithm>

#include "check/numeric_checker.h"
#include "diag/expected.h"
#include "diag/kinds_check.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/arguments.h"
#include "driver/explain_value.h"
#include "driver/load.h"
#include "driver/log.h"
#include "driver/machine_flag.h"
#include "driver/model_flags.h"
#include "driver/pass_flags.h"
#include "fusion/fusion_report.h"
#include "ops/op_table.h"
#include "pass/option_text.h"
#include "pass/pass_manager.h"
#include "pass/pipeline.h"
#include "pass/replay.h"
#include "support/reproducer.h"
#include "text/printer.h"
#include "transforms/all_passes.h"
#include "transforms/fuse.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kOptExamples =
    "  mlgc opt model.mlir                                            parse, verify, print\n"
    "  mlgc opt -O2 model.mlir -o small.mlir                          all passes, in their canonical order\n"
    "  mlgc opt --cse --dce < model.mlir                              passes in the order of their flags\n"
    "  mlgc opt model.mlir --pass-pipeline='canonicalize,cse,dce' --timing --statistics\n"
    "  mlgc opt model.mlir --cse --print-ir-after-change              what each pass did\n"
    "  mlgc opt model.mlir --canonicalize --cse --verify-each=numeric run each function before and after each pass\n"
    "  mlgc opt --form=generic < model.mlir | mlir-opt --allow-unregistered-dialect\n"
    "  mlgc opt tests.mlir --split-input-file --verify-diagnostics    check expected errors\n"
    "  mlgc opt model.mlir --dim=B=8 -O2                              for 8 in the place of B alone\n"
    "  mlgc opt model.mlir --rules=my.rules --cse --dce               apply rewrite rules from a file, then passes\n"
    "  mlgc opt model.mlir -O2 --to=loops --machine=x86-64-v3         kernels with tiles for vectors of 32 bytes\n"
    "  mlgc opt model.mlir -O2 --why-not=add-neg@%7 --explain=%9      ask about values of what is printed\n"
    "Passes are flags too: `mlgc passes` lists them, `--NAME=option=value` sets options. They run in the order of\n"
    "their flags, and a level stands for its passes (--dump-pass-pipeline prints them):\n";

struct OptFlags {
  std::string input = "-", output = "-", weights, machine;
  TextForm form = TextForm::Pretty;
  bool locations = false, split = false, verify_diagnostics = false;
  bool dump_pipeline = false;
  bool replay = false, timing = false, statistics = false, explain_fusion = false;
  VerifyEachOptions verify;
  ReportFormat timing_format = ReportFormat::Text, statistics_format = ReportFormat::Text;
  ReportFormat fusion_format = ReportFormat::Text;
  Numerics numerics = Numerics::LikeEager;
  PrintIrOptions dumps;
  std::optional<std::uint64_t> rewrites_limit;
  std::optional<std::string> pipeline;
  Words pass_flags;
  std::vector<std::string> why_not, explain, rule_files, dims;
  std::string command;  // as given, for reproducers

  [[nodiscard]] PrintOptions print_options() const { return {.form = form, .locations = locations}; }
};

class LogPasses : public PassInstrumentation {
 public:
  void before_pass(const PassStep&, std::size_t, const Module& module) override { ops_before_ = count_all(module); }
  void after_pass(const PassStep& step, std::size_t, PassResult result, const Module& module) override {
    const char* what = result == PassResult::Failed    ? "failed"
                       : result == PassResult::Changed ? "changed"
                                                       : "unchanged";
    log_info("pass " + std::string(step.pass->name) + ": " + what + ", " + std::to_string(ops_before_) + " -> " +
             std::to_string(count_all(module)) + " ops");
  }

 private:
  std::uint64_t ops_before_ = 0;
};

// What `fuse` is about to do, for each of its steps; where there is none, what it would do with the module at the end.
class ExplainFusion : public PassInstrumentation {
 public:
  explicit ExplainFusion(ReportFormat format) : format_(format) {}
  void before_pass(const PassStep& step, std::size_t, const Module& module) override {
    if (step.pass->name != "fuse") return;
    said_ = true;
    say(module, fuse_options(step));
  }
  void at_end(const Module& module) {
    if (!said_) say(module, {});
    said_ = false;
  }

 private:
  void say(const Module& module, const FusionOptions& options) {
    const FusionDecisions decisions = decide_fusion(module, options);
    write_talk(format_ == ReportFormat::Json ? fusion_json(module, decisions) : fusion_text(module, decisions, false));
  }
  ReportFormat format_;
  bool said_ = false;
};

// One run of opt over the parts of an input.
class Opt {
 public:
  Opt(const OptFlags& flags, std::shared_ptr<Context> context, Pipeline pipeline)
      : flags_(flags),
        context_(std::move(context)),
        pipeline_(std::move(pipeline)),
        dumps_(
            flags.dumps, [&flags](const Module& module) { return print(module, flags.print_options()); }, write_talk),
        fusion_(flags.fusion_format),
        checker_({.seed = flags.verify.seed,
                  .numerics = flags.numerics,
                  .non_finite = !flags.verify.finite,
                  .max_work = static_cast<std::int64_t>(flags.verify.limit)}),
        manager_(*context_, PassManagerOptions{.verify_each = flags.verify.each != VerifyEach::Off,
                                               .timing = flags.timing,
                                               .statistics = flags.statistics,
                                               .numerics = flags.numerics,
                                               .rewrites_limit = flags.rewrites_limit,
                                               .check = check_function(),
                                               .verify = verify}) {
    if (flags.dumps.any()) manager_.add(dumps_);
    if (logs(LogLevel::Info)) manager_.add(log_);
    if (flags_.explain_fusion) manager_.add(fusion_);
  }

  // Reads, changes and prints one part; nothing is printed for a part with errors.
  void process(const SourceFile& file, TextRange part, DiagnosticEngine& diagnostics) {
    std::optional<Module> module;
    {
      const TimingTree::Scope scope(manager_.timing(), "Parser");
      module = load_module(context_, file, diagnostics, {.range = part, .any_order = sorts_first()});
    }
    if (!module) return;
    if (!flags_.weights.empty()) module->top().set_attr("weights", context_->attributes().string(flags_.weights));
    if (!state_machine_flag(flags_.machine, *module, diagnostics)) return;
    const bool ok = manager_.run(*module, pipeline_, diagnostics);
    if (flags_.rewrites_limit) write_talk(rewrites_text());
    if (!ok) {
      write_reproducer_of(diagnostics);
      return;
    }
    if (flags_.explain_fusion) fusion_.at_end(*module);
    answer(*module, diagnostics);
    const TimingTree::Scope scope(manager_.timing(), "Output");
    print(out_, *module, flags_.print_options());
  }
  void separate() { out_ += "// -----\n"; }

  [[nodiscard]] const std::string& out() const { return out_; }
  void report() {
    if (flags_.verify.each == VerifyEach::Numeric) write_talk(checker_.counts().text());
    if (flags_.statistics)
      write_talk(flags_.statistics_format == ReportFormat::Json ? manager_.statistics_json()
                                                                : manager_.statistics_text());
    if (flags_.timing)
      write_talk(flags_.timing_format == ReportFormat::Json ? manager_.timing().json() : manager_.timing().text());
  }

 private:
  // No other pass meets values that are used before their definition.
  [[nodiscard]] bool sorts_first() const {
    return !pipeline_.steps.empty() && pipeline_.steps[0].pass->takes_any_order && flags_.rewrites_limit != 0;
  }

  // Questions about values of the module that is printed.
  void answer(const Module& module, DiagnosticEngine& diagnostics) {
    const auto say = [&](Result<std::string, Diagnostic> text) {
      if (text)
        write_talk(*text);
      else
        diagnostics.emit(std::move(text).error());
    };
    for (const std::string& question : flags_.why_not)
      say(explain_why_not(module, question, flags_.rule_files, flags_.numerics));
    for (const std::string& value : flags_.explain) say(explain_origin(module, value));
  }

  // scripts/bisect reads this line.
  [[nodiscard]] std::string rewrites_text() const {
    const AppliedRewrite& last = manager_.rewrites().last();
    std::string text =
        "rewrites: " + std::to_string(last.number) + " made, limit " + std::to_string(*flags_.rewrites_limit);
    if (last.number > 0)
      text += "; last: pass " + std::string(manager_.last_rewriting_pass()->name) + ", " + last.what + " at " +
              place_text(context_->locations(), last.at);
    return text + "\n";
  }

  [[nodiscard]] std::function<bool(const PassedStep&, DiagnosticEngine&)> check_function() {
    if (flags_.verify.each != VerifyEach::Numeric) return {};
    return
        [this](const PassedStep& passed, DiagnosticEngine& diagnostics) { return checker_.check(passed, diagnostics); };
  }

  // Of the pass that failed; there is one only where modules were kept.
  void write_reproducer_of(DiagnosticEngine& diagnostics) {
    if (flags_.replay || !manager_.reproducer()) return;
    std::string failure;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      if (diagnostic.kind->severity == Severity::Error && failure.empty()) failure = diagnostic.message();
    const auto& [module, pipeline] = *manager_.reproducer();
    const Result<std::string> path = write_reproducer_file(
        reproducer_text({pipeline, flags_.numerics, flags_.verify, flags_.command, failure}, module));
    diagnostics.emit(path ? diagnose<kReproducerWritten>({}, *path)
                          : diagnose<kReproducerNotWritten>({}, path.error()));
  }

  const OptFlags& flags_;
  std::shared_ptr<Context> context_;
  Pipeline pipeline_;
  PrintIr dumps_;
  LogPasses log_;
  ExplainFusion fusion_;
  NumericChecker checker_;
  PassManager manager_;
  std::string out_;
};

// A dump that would never be made is a mistake.
std::optional<Diagnostic> check_dumps(const PrintIrOptions& dumps, const Pipeline& pipeline) {
  std::vector<std::string> steps;
  for (const PassStep& step : pipeline.steps) steps.emplace_back(step.pass->name);
  const std::vector<std::string_view> views(steps.begin(), steps.end());
  const auto check = [&](std::string_view flag, const std::vector<std::string>& names) -> std::optional<Diagnostic> {
    for (const std::string& name : names) {
      if (std::find(steps.begin(), steps.end(), name) != steps.end()) continue;
      Diagnostic diagnostic = diagnose<kPassNotRun>({}, flag, name);
      if (const auto best = closest_name(name, views))
        diagnostic.add_note<kDidYouMean>({}, *best);
      else if (!steps.empty())
        diagnostic.add_note<kKnownNames>({}, steps);
      return diagnostic;
    }
    return std::nullopt;
  };
  auto wrong = check("--print-ir-before", dumps.before);
  return wrong ? wrong : check("--print-ir-after", dumps.after);
}

ExitCode opt(const Console& console, OptFlags flags) {
  const std::shared_ptr<Context> context = make_context();
  Result<Pipeline, Diagnostic> pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), std::move(pipeline).error());
  if (auto wrong = specialize_first(*pipeline, flags.dims, "opt")) return console.report(*std::move(wrong));
  if (auto wrong = flags.replay ? std::nullopt : check_dumps(flags.dumps, *pipeline))
    return console.report(*std::move(wrong));
  if (flags.dump_pipeline) {
    const Status<> written = write_product(flags.output, pipeline->print() + "\n");
    return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
  }
  DiagnosticEngine diagnostics(context->locations(), flags.verify_diagnostics ? 0 : console.error_limit);
  std::optional<NamedText> read = read_program(context, flags.input, diagnostics);
  if (!read) return console.report(diagnostics);
  const SourceFile& file = context->locations().add_source(std::move(read->name), std::move(read->text));
  if (flags.replay) {
    if (!flags.pass_flags.empty())
      return console.report(diagnose<kFlagConflict>({}, "--replay", flags.pass_flags.front()));
    Result<ReproducerHead, Diagnostic> head = read_reproducer(file, context->locations());
    if (!head) return console.report(context->locations(), std::move(head).error());
    flags.numerics = head->numerics;
    flags.verify = head->verify;
    pipeline = make_pipeline({}, head->pipeline, context->locations());
    if (!pipeline) return console.report(context->locations(), std::move(pipeline).error());
  }
  const std::vector<TextRange> parts =
      flags.split ? split_input(file.text()) : std::vector<TextRange>{{0, file.text().size()}};

  Opt run(flags, context, *std::move(pipeline));
  for (std::size_t i = 0; i < parts.size() && !diagnostics.at_limit(); ++i) {
    if (i > 0) run.separate();
    run.process(file, parts[i], diagnostics);
  }
  run.report();
  if (flags.verify_diagnostics) {
    DiagnosticEngine verdict(context->locations(), console.error_limit);
    for (Diagnostic& wrong : check_expected(file, diagnostics.sorted(), context->locations()))
      verdict.emit(std::move(wrong));
    return console.report(verdict);
  }
  const ExitCode code = console.report(diagnostics);
  if (code != ExitCode::Ok) return code;
  const Status<> written = write_product(flags.output, run.out());
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

void add_pass_flags(Arguments& arguments, OptFlags& flags) {
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT",
                      "Passes, run in order, with options: 'cse,dce{keep-asserts=false}'");
  arguments.add_flag("--dump-pass-pipeline", flags.dump_pipeline,
                     "Print the passes that would run, as text for --pass-pipeline, and nothing else");
  add_numerics_flag(arguments, flags.numerics);
  arguments.add_list(
      "--dim", flags.dims, "NAME=SIZE",
      "The size of a symbol: it takes its place before all passes, by the pass specialize-dims; repeatable");
  add_machine_flag(arguments, flags.machine);
  arguments.add_choice<VerifyEach>("--verify-each", flags.verify.each,
                                   {{"off", VerifyEach::Off},
                                    {"structure", VerifyEach::Structure},
                                    {"numeric", VerifyEach::Numeric},
                                    {"0", VerifyEach::Off},
                                    {"1", VerifyEach::Structure}},
                                   "After each pass: verify the module (default), and run what changed before and "
                                   "after it on made-up inputs");
  arguments.add_value("--verify-seed", flags.verify.seed, "N", "Other inputs for --verify-each=numeric");
  arguments.add_value("--verify-limit", flags.verify.limit, "N",
                      "Functions that go through more than N index tuples are not run (default 2^26)");
  arguments.add_flag("--verify-finite", flags.verify.finite, "No NaN and no infinities among the inputs");
  arguments.add_flag("--replay", flags.replay, "Take passes and modes from the head of a reproducer");
  arguments.excludes("--replay", "--pass-pipeline");
  arguments.excludes("--replay", "--dim");
  arguments.add_list("--why-not", flags.why_not, "RULE@%VALUE", "Why a rule does not apply to a value of the output");
  arguments.add_list("--explain", flags.explain, "%VALUE", "Which rules made a value of the output, and from what");
  arguments.add_value("--rewrites-limit", flags.rewrites_limit, "N",
                      "Make only the first N rewrites, over all passes; says which was the last");
  arguments.add_comma_list("--print-ir-before", flags.dumps.before, "PASS,…", "Print the module before these passes");
  arguments.add_flag("--print-ir-before-all", flags.dumps.before_all, "Print the module before each pass");
  arguments.add_comma_list("--print-ir-after", flags.dumps.after, "PASS,…", "Print the module after these passes");
  arguments.add_flag("--print-ir-after-all", flags.dumps.after_all, "Print the module after each pass");
  arguments.add_flag("--print-ir-after-change", flags.dumps.after_change, "… after each pass that changed it");
  arguments.add_flag("--print-ir-after-failure", flags.dumps.after_failure, "… after a pass that failed");
  arguments.add_flag("--timing", flags.timing, "Where time went, on standard error");
  arguments.add_format_flag(flags.timing_format, "--timing-format", "How --timing is written");
  arguments.needs("--timing-format", "--timing");
  arguments.add_flag("--statistics", flags.statistics,
                     "What each pass did, and which ops are there after them, on standard error");
  arguments.add_format_flag(flags.statistics_format, "--statistics-format", "How --statistics is written");
  arguments.needs("--statistics-format", "--statistics");
  arguments.add_flag("--explain-fusion", flags.explain_fusion,
                     "Which kernels `fuse` makes, or would make of the output, and why not fewer, on standard error");
  arguments.add_format_flag(flags.fusion_format, "--explain-fusion-format", "How --explain-fusion is written");
  arguments.needs("--explain-fusion-format", "--explain-fusion");
}

}  // namespace

ExitCode run_opt(const Words& words) {
  Arguments arguments("opt", "Reads a module, runs passes over it and prints it.",
                      std::string(kOptExamples) + levels_help());
  OptFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("-o,--output", flags.output, "FILE", "Where it is written; - is standard output");
  arguments.add_choice<TextForm>("--form", flags.form, {{"pretty", TextForm::Pretty}, {"generic", TextForm::Generic}},
                                 "Syntax to print; generic is plain MLIR");
  arguments.add_flag("--locations", flags.locations, "Print where each op comes from");
  arguments.add_value("--weights", flags.weights, "FILE", "The weights, as a file that the printed module names");
  arguments.add_flag("--split-input-file", flags.split,
                     "Treat the parts between lines `// -----` as modules of their own");
  arguments.add_flag("--verify-diagnostics", flags.verify_diagnostics,
                     "Compare errors with `expected-error` comments; print nothing else");
  arguments.excludes("--verify-diagnostics", "--output");
  add_pass_flags(arguments, flags);
  arguments.add_diagnostic_flags();
  add_pass_flags(arguments, flags.pass_flags);
  flags.rule_files = rule_files_of(flags.pass_flags);
  flags.command = quoted_command(words).insert(4, " opt");
  if (const auto over = arguments.parse(words)) return *over;
  return opt(arguments.console(), flags);
}

}  // namespace mlgc
