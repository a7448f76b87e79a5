// mlgc compare: holds every op of programs against PyTorch, and every pass against the program before it.
#include <algorithm>
#include <map>

#include "aten/compare_ops.h"
#include "check/draw_inputs.h"
#include "check/numeric_checker.h"
#include "check/random_program.h"
#include "compile/check_compiled.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_torch.h"
#include "driver/arguments.h"
#include "driver/compare_engines.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "driver/pass_flags.h"
#include "execution/vectors.h"
#include "loopir/functions.h"
#include "loopir/module_machine.h"
#include "ops/op_table.h"
#include "pass/pass_manager.h"
#include "support/activity.h"
#include "support/reproducer.h"
#include "support/subprocess.h"
#include "text/parser.h"
#include "text/printer.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

constexpr std::string_view kCompareExamples =
    "  mlgc compare model.mlir                  each op against the operator of PyTorch that it stands for\n"
    "  mlgc compare model.mlir -O2              the same before and after passes, and each pass against the program "
    "before it\n"
    "  mlgc compare model.mlir --against=torch,compiled --random-inputs=1 --dim=B=4\n"
    "                                           the first value where one of these is further off than it may be\n"
    "  mlgc compare --random=200 --seed=7 -O2   on programs generated from the op table, seeds 7 to 206\n"
    "  mlgc compare --random=200 -O2 --backend=cpp   compiled too, bit for bit against the interpreter\n"
    "  mlgc compare --random=1 --seed=7 --print the program of a seed\n"
    "Inputs, weights and states are made up from what the functions say; sizes that are symbols get several values.\n"
    "Each op runs on both sides with the same operands, so what differs is that op.\n";

struct CompareFlags {
  std::string input;
  std::optional<std::uint64_t> random, seed, ops;
  bool print = false, finite = false, split = false;
  bool compiled = false;  // --backend=cpp
  std::optional<std::string> pipeline;
  Words pass_flags;
  std::vector<std::string> against;
  InputFlags run;  // of --against, as the next
  DataOptions data;
};

struct Tally {
  std::uint64_t programs = 0, functions = 0, runs = 0, not_run = 0, failed = 0;
};

constexpr std::uint64_t kUsualOps = 12, kMostOps = 1000;

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

class Compare {
 public:
  Compare(const CompareFlags& flags, const TorchPlugin& plugin) : flags_(flags), ops_(plugin) {}

  // The program as it is, then the passes and what they left, if there are any. `again` is the command that does the
  // same.
  void process(Module& module, std::uint64_t seed, const std::string& again, DiagnosticEngine& diagnostics) {
    const std::string note = again.empty() ? "" : "; `" + again + "`";
    ++tally_.programs;
    run_functions(module, seed, note, diagnostics);
    Context& context = module.context();
    const auto pipeline = make_pipeline(flags_.pass_flags, flags_.pipeline, context.locations());
    if (!pipeline) return;  // read before, without errors
    if (pipeline->steps.empty()) return compile(module, seed, note, diagnostics);
    NumericChecker checker({.seed = seed, .non_finite = !flags_.finite});
    PassManager manager(
        context, PassManagerOptions{
                     .check = [&](const PassedStep& passed, DiagnosticEngine& to) { return checker.check(passed, to); },
                     .verify = verify});
    const bool passed = manager.run(module, *pipeline, diagnostics);
    checked_.add(checker.counts());
    if (!passed) return;
    run_functions(module, seed, ", after passes" + note, diagnostics);
    compile(module, seed, note, diagnostics);
  }

  // Empty when there was no program.
  [[nodiscard]] std::string summary(std::string_view torch) const {
    if (tally_.programs == 0) return "";
    const OpComparisonCounts& counts = ops_.counts();
    std::string out = counted(tally_.programs, "program") + ", " + counted(tally_.runs, "run") + " of " +
                      counted(tally_.functions, "function") + ", " + counted(counts.ops, "op") + "\n";
    out += "against PyTorch " + std::string(torch) + ": " + std::to_string(counts.agree) + " agree, " +
           std::to_string(differences_) + " differ, " + std::to_string(total(counts.known)) + " differ as known, " +
           std::to_string(counts.refused) + " refused by both, " + std::to_string(total(counts.wider)) +
           " refused by PyTorch only, " + std::to_string(total(counts.left_out)) + " not compared; " +
           counted(counts.rows.size(), "row") + "\n";
    if (checked_.passes > 0) out += checked_.text();
    if (flags_.compiled) out += compiled_.text();
    if (tally_.not_run > 0) out += counted(tally_.not_run, "function") + " not run: no inputs were found\n";
    if (tally_.failed > 0) out += counted(tally_.failed, "run") + " ended in an error of the program\n";
    append(out, "known differences", counts.known);
    append(out, "refused by PyTorch only", counts.wider);
    append(out, "not compared", counts.left_out);
    return out;
  }

 private:
  static std::uint64_t total(const std::map<std::string, std::uint64_t, std::less<>>& counts) {
    std::uint64_t sum = 0;
    for (const auto& [name, count] : counts) sum += count;
    return sum;
  }
  static void append(std::string& out, std::string_view title,
                     const std::map<std::string, std::uint64_t, std::less<>>& counts) {
    if (!counts.empty()) out += std::string(title) + ":\n";
    for (const auto& [name, count] : counts) out += "  " + std::to_string(count) + "  " + name + "\n";
  }

  // As C++, for vectors of one width, another one for each seed. Every other seed with exact numerics, where lowering
  // and schedule keep all bits and are checked like other passes.
  void compile(Module& module, std::uint64_t seed, const std::string& note, DiagnosticEngine& diagnostics) {
    if (!flags_.compiled) return;
    NumericChecker checker({.seed = seed, .non_finite = !flags_.finite});
    const auto passes = [&](Module& to, const Words& words, DiagnosticEngine& engine) {
      const auto pipeline = make_pipeline(words, {}, module.context().locations());
      PassManagerOptions options{.numerics = seed % 2 == 0 ? Numerics::Exact : Numerics::LikeEager, .verify = verify};
      if (options.numerics == Numerics::Exact)
        options.check = [&](const PassedStep& passed, DiagnosticEngine& out) { return checker.check(passed, out); };
      return PassManager(module.context(), options).run(to, *pipeline, engine);
    };
    if (!passes(module, {"--inline"}, diagnostics)) return;
    CheckCompiledOptions options;
    options.seed = seed;
    options.non_finite = !flags_.finite;
    options.compile.flags = {"-O1"};
    const std::vector<const Machine*> machines = host_machines();
    const Machine& machine = *machines[seed / 2 % machines.size()];  // numerics go by seed % 2
    options.compile.vector_bytes = static_cast<std::int32_t>(machine.cpu().vector_bytes);
    state_machine(module, machine);
    check_compiled(
        module, options, note,
        [&](Module& one) -> std::optional<std::string> {
          DiagnosticEngine engine(module.context().locations());
          if (passes(one, {"--to=plan"}, engine)) return std::nullopt;
          for (const Diagnostic& d : engine.sorted()) {
            if (d.kind->severity != Severity::Error) continue;
            // A pass that is wrong is not a program without a lowering.
            if (d.kind->exit == ExitCode::Mismatch)
              diagnostics.emit(d);
            else if (d.kind->exit != ExitCode::Unsupported)
              throw InternalError("lowering made what does not verify: " + d.message());
            return d.message();
          }
          return "(no reason)";
        },
        compiled_, diagnostics);
    checked_.add(checker.counts());
  }

  void run_functions(Module& module, std::uint64_t seed, const std::string& note, DiagnosticEngine& diagnostics) {
    for (const FuncRef& function : functions(module)) {
      if (is_loop_function(function.op())) continue;
      ++tally_.functions;
      const auto draws = draw_inputs(function, {.seed = seed, .non_finite = !flags_.finite});
      if (!draws) {
        ++tally_.not_run;
        if (!flags_.random)
          diagnostics.emit(diagnose<kNotCompared>(function.op().location(), function.name(), "", draws.error()));
        continue;
      }
      for (const Draw& draw : *draws) run(module, function, draw, note, diagnostics);
    }
  }

  void run(Module& module, const FuncRef& function, const Draw& draw, const std::string& note,
           DiagnosticEngine& diagnostics) {
    ++tally_.runs;
    const auto outputs = interpret(module, function.name(), draw.inputs, draw.data, ops_.options());
    std::vector<Diagnostic> found = ops_.take_differences(draw.text(), note);
    differences_ += found.size();
    for (Diagnostic& diagnostic : found) diagnostics.emit(std::move(diagnostic));
    if (outputs) return;
    ++tally_.failed;
    if (!flags_.random && found.empty())
      diagnostics.emit(diagnose<kNotCompared>(outputs.error().at, function.name(), " with " + draw.text(),
                                              outputs.error().message()));
  }

  const CompareFlags& flags_;
  OpComparison ops_;
  NumericCheckerCounts checked_;
  CheckCompiledCounts compiled_;
  Tally tally_;
  std::uint64_t differences_ = 0;
};

Module drawn(const CompareFlags& flags, std::uint64_t seed, const std::shared_ptr<Context>& context) {
  return draw_program(context, {.seed = seed, .ops = static_cast<std::size_t>(flags.ops.value_or(kUsualOps))});
}

// The command for one seed.
std::string again_text(const CompareFlags& flags, std::uint64_t seed) {
  std::string out = "mlgc compare --random=1 --seed=" + std::to_string(seed);
  if (flags.ops) out += " --ops=" + std::to_string(*flags.ops);
  if (flags.finite) out += " --finite";
  if (flags.compiled) out += " --backend=cpp";
  if (flags.pipeline) out += " --pass-pipeline=" + shell_word(*flags.pipeline);
  for (const std::string& word : flags.pass_flags) out += " " + shell_word(word);
  return out;
}

// Prints the programs of the seeds.
ExitCode print_programs(const Console& console, const CompareFlags& flags) {
  std::string out;
  for (std::uint64_t i = 0; i < *flags.random; ++i) {
    if (i > 0) out += "// -----\n";
    out += print(drawn(flags, flags.seed.value_or(0) + i, make_context()));
  }
  const Status<> written = write_product("-", out);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

// An internal error outweighs everything, a mismatch what is left.
ExitCode worse(ExitCode a, ExitCode b) {
  for (const ExitCode worst : {ExitCode::Internal, ExitCode::Mismatch})
    if (a == worst || b == worst) return worst;
  return a == ExitCode::Ok ? b : a;
}

// The program, with what happened, to reproduce it.
Diagnostic internal_error(const CompareFlags& flags, std::uint64_t seed, std::string_view what) {
  const std::string again = again_text(flags, seed);
  const auto file = write_reproducer_file("// " + again + "\n" + print(drawn(flags, seed, make_context())));
  return diagnose<kInternalError>({}, what, file ? *file : again);
}

ExitCode compare_random(const Console& console, const CompareFlags& flags, Compare& compare) {
  ExitCode code = ExitCode::Ok;
  Activity comparing("comparing program");
  comparing.does(*flags.random);
  for (std::uint64_t i = 0; i < *flags.random; ++i) {
    const std::uint64_t seed = flags.seed.value_or(0) + i;
    comparing.next();
    const std::shared_ptr<Context> context = make_context();
    DiagnosticEngine diagnostics(context->locations(), console.error_limit);
    try {
      Module module = drawn(flags, seed, context);
      if (verify(module, diagnostics)) compare.process(module, seed, again_text(flags, seed), diagnostics);
    } catch (const InternalError& error) {  // the other programs are still compared
      diagnostics.emit(internal_error(flags, seed, error.what()));
    }
    // Remarks about what could not be run would be about every other program.
    if (diagnostics.has_errors()) code = worse(code, console.report(diagnostics));
  }
  return code;
}

ExitCode compare_file(const Console& console, const CompareFlags& flags, Compare& compare) {
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::optional<NamedText> read = read_program(context, flags.input, diagnostics);
  if (!read) return console.report(diagnostics);
  const SourceFile& file = context->locations().add_source(std::move(read->name), std::move(read->text));
  for (const TextRange part : flags.split ? split_input(file.text()) : std::vector<TextRange>{{0, file.text().size()}})
    if (auto module = load_module(context, file, diagnostics, {.range = part}))
      compare.process(*module, flags.seed.value_or(0), "", diagnostics);
  return console.report(diagnostics);
}

// What flags do not go together, or say nothing.
std::optional<Diagnostic> check_flags(const CompareFlags& flags) {
  const auto bad = [](std::string_view what) { return diagnose<kBadFlag>({}, what, "compare"); };
  if (flags.random.has_value() != flags.input.empty()) return bad("either a file or --random=N says what to compare");
  if (flags.random == 0U) return bad("--random=0: there is no program to compare");
  if (flags.ops.value_or(kUsualOps) > kMostOps) return bad("--ops: at most " + std::to_string(kMostOps));
  if (flags.print && (flags.pipeline || !flags.pass_flags.empty()))
    return diagnose<kFlagConflict>({}, "--print", flags.pipeline ? "--pass-pipeline" : flags.pass_flags.front());
  return std::nullopt;
}

ExitCode compare(const Console& console, const CompareFlags& flags) {
  if (auto wrong = check_flags(flags)) return console.report(*std::move(wrong));
  if (!flags.against.empty())
    return run_compare_engines(console, {.input = flags.input,
                                         .engines = flags.against,
                                         .run = flags.run,
                                         .data = flags.data,
                                         .seed = flags.seed.value_or(0),
                                         .pipeline = flags.pipeline,
                                         .pass_flags = flags.pass_flags});
  if (flags.print) return print_programs(console, flags);
  const std::shared_ptr<Context> context = make_context();
  auto pipeline = make_pipeline(flags.pass_flags, flags.pipeline, context->locations());
  if (!pipeline) return console.report(context->locations(), std::move(pipeline).error());
  const auto plugin = TorchPlugin::load();
  if (!plugin) return console.report(plugin.error());
  Compare run(flags, **plugin);
  const ExitCode code = flags.random ? compare_random(console, flags, run) : compare_file(console, flags, run);
  const std::string summary = run.summary((*plugin)->torch_version());
  if (summary.empty()) return code;
  const Status<> written = write_product("-", summary);
  return written ? code : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace

ExitCode run_compare(const Words& words) {
  Arguments arguments("compare", "Compares every op with PyTorch, and every pass with the program before it.",
                      std::string(kCompareExamples) + engines_help() + levels_help());
  CompareFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("--random", flags.random, "N", "Programs generated from the op table, instead of a file");
  arguments.add_value("--seed", flags.seed, "N", "Of what is random: the first program, and inputs (0 if left out)");
  arguments.add_value("--ops", flags.ops, "N", "About how many ops a generated program has (12 if left out)");
  arguments.add_flag("--print", flags.print, "Print the generated programs and compare nothing");
  arguments.add_flag("--split-input-file", flags.split,
                     "Treat the parts between lines `// -----` as modules of their own");
  arguments.add_flag("--finite", flags.finite, "No NaN and no infinities among the inputs");
  arguments.add_choice<bool>("--backend", flags.compiled, {{"cpp", true}},
                             "What computes; with cpp, the program after the passes is also compiled, and compared bit "
                             "for bit with its loop text");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, checked in order, with options");
  arguments.add_comma_list("--against", flags.against, "ENGINE,...",
                           "Run functions with these engines instead, and name the first value where one parts");
  add_input_flags(arguments, flags.run);
  add_weight_flags(arguments, flags.data);
  for (const char* const flag :
       {"--function", "--input", "--random-inputs", "--dim", "--states", "--weights", "--random-weights"})
    arguments.needs(flag, "--against");
  for (const char* const flag : {"--random", "--split-input-file", "--backend", "--finite"})
    arguments.excludes("--against", flag);
  arguments.excludes("--weights", "--random-weights");
  arguments.needs("--print", "--random");
  arguments.excludes("--split-input-file", "--random");
  arguments.needs("--ops", "--random");
  arguments.add_diagnostic_flags();
  add_pass_flags(arguments, flags.pass_flags);
  if (const auto over = arguments.parse(words)) return *over;
  if (auto wrong = read_input_flags(flags.run, "compare")) return arguments.console().report(*std::move(wrong));
  return compare(arguments.console(), flags);
}

}  // namespace mlgc
