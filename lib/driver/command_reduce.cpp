// mlgc reduce: makes a program smaller while the same failure stays.
#include <algorithm>

#include "check/reduce.h"
#include "diag/kinds_check.h"
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/failure.h"
#include "driver/load.h"
#include "driver/model_flags.h"
#include "ops/op_table.h"
#include "pass/statistics.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/scratch_folder.h"
#include "support/subprocess.h"
#include "text/printer.h"
#include "transforms/all_passes.h"

namespace mlgc {
namespace {

constexpr std::string_view kReduceExamples =
    "  mlgc reduce bad.mlir --keep=mismatch --pass-pipeline='canonicalize,cse' -o small.mlir\n"
    "  mlgc reduce bad.mlir --keep=crash --test='mlgc opt {} -O2 -o /dev/null'\n"
    "  mlgc reduce bad.mlir --keep=error:result-type --test='mlgc opt --diagnostics=json {}'\n"
    "The test is run by sh; `{}` stands for the file, without one it is appended. Kept is what fails in the same way: "
    "a\n"
    "crash (a signal, exit code 70), a mismatch (exit code 4), or an error of a kind, with the same pass, the same\n"
    "rewrite and, but for a mismatch, the same message without names and numbers. The kind of an error is read from\n"
    "--diagnostics=json. Without --test, `mlgc opt` runs the pipeline and checks every pass by numbers.\n";

struct ReduceFlags {
  std::string input = "-", output = "-", keep, test;
  std::optional<std::string> pipeline;
  std::size_t max_tests = 2000;
};

// Runs the command on a text, which it finds in a file of a folder. What the command leaves in TMPDIR, reproducers for
// example, goes with the folder.
class FailingCommand {
 public:
  FailingCommand(const ReduceFlags& flags, KeepFlag keep, const ScratchFolder& folder)
      : keep_(std::move(keep)), folder_(folder.path()), file_(folder.file("module.mlir")) {
    const std::string file = shell_word(file_);
    if (flags.test.empty()) {
      command_ = shell_word(own_path()) + " opt " + file + " --verify-each=numeric --diagnostics=json -o /dev/null " +
                 shell_word("--pass-pipeline=" + flags.pipeline.value_or(""));
      return;
    }
    command_ = flags.test;
    const std::size_t first = command_.find("{}");
    if (first == std::string::npos) command_ += " " + file;
    for (std::size_t at = first; at != std::string::npos; at = command_.find("{}", at + file.size()))
      command_.replace(at, 2, file);
  }

  // Nothing where the command fails otherwise or not at all, and once it could not be run: see broken().
  std::optional<FailureSignature> operator()(const std::string& text) {
    if (broken_) return std::nullopt;
    if (const Status<> written = write_file(file_, text); !written) {
      broken_ = diagnose<kCannotWrite>({}, written.error());
      return std::nullopt;
    }
    const auto ran = run_process({"env", "TMPDIR=" + folder_, "sh", "-c", command_});
    if (!ran) {
      broken_ = diagnose<kCannotRun>({}, ran.error());
      return std::nullopt;
    }
    return signature_of(ran->exit_code, ran->output, keep_);
  }

  // Why the command could not be run at some time: its verdicts since then say nothing about the program.
  [[nodiscard]] const std::optional<Diagnostic>& broken() const { return broken_; }

 private:
  KeepFlag keep_;
  std::string folder_, file_, command_;
  std::optional<Diagnostic> broken_;
};

std::optional<Module> read_module(const std::string& text) {
  const std::shared_ptr<Context> context = make_context();
  const SourceFile& file = context->locations().add_source("module.mlir", text);
  DiagnosticEngine diagnostics(context->locations());
  return load_module(context, file, diagnostics);
}

ExitCode reduce(const Console& console, const ReduceFlags& flags) {
  Result<KeepFlag> keep = parse_keep_flag(flags.keep);
  if (!keep) return console.report(diagnose<kBadFlag>({}, "--keep=" + flags.keep + ": " + keep.error(), "reduce"));
  if (flags.test.empty() && !flags.pipeline)
    return console.report(diagnose<kBadFlag>({}, "neither --test nor --pass-pipeline says what fails", "reduce"));
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  const std::optional<NamedText> read = read_program(context, flags.input, diagnostics);
  if (const ExitCode code = console.report(diagnostics); !read) return code;

  const Result<ScratchFolder> folder = ScratchFolder::make("mlgc-reduce-");
  if (!folder) return console.report(diagnose<kCannotWrite>({}, folder.error()));
  FailingCommand command(flags, *keep, *folder);
  const auto nothing_to_reduce = [&] {
    return console.report(command.broken() ? *command.broken()
                                           : diagnose<kNothingToReduce>({}, read->name, flags.keep));
  };
  const std::optional<FailureSignature> wanted = command(read->text);
  if (!wanted) return nothing_to_reduce();
  write_talk("keeps: " + wanted->text() + "\n");
  const Activity reducing("reducing");
  ReduceOptions options{.max_tests = flags.max_tests,
                        .test = [&](const std::string& text) { return command(text) == wanted; },
                        .read = read_module,
                        .simplify = {find_pass(all_passes(), "inline")}};
  const std::optional<Module> module = read_module(read->text);
  std::uint64_t before = 0;
  Reduced reduced;
  if (module) {
    before = count_all(*module);
    options.progress = [&](std::size_t ops, std::size_t tests) {
      write_talk("  " + std::to_string(tests) + " tests: " + std::to_string(ops) + " ops\n");
    };
    // What the printer writes must fail as the text does.
    if (command(print(*module)) != wanted) return nothing_to_reduce();
    reduced = reduce_module(*module, options);
    write_talk("reduced " + std::to_string(before) + " ops to " +
               std::to_string(count_all(*read_module(reduced.text))));
  } else {
    options.progress = [&](std::size_t lines, std::size_t tests) {
      write_talk("  " + std::to_string(tests) + " tests: " + std::to_string(lines) + " lines\n");
    };
    reduced = reduce_lines(read->text, options);
    const auto lines = [](const std::string& text) {
      return std::to_string(std::count(text.begin(), text.end(), '\n'));
    };
    write_talk("reduced " + lines(read->text) + " lines to " + lines(reduced.text));
  }
  write_talk(" in " + std::to_string(reduced.tests) + " tests" + (reduced.at_limit ? ", the limit\n" : "\n"));
  if (command.broken()) return console.report(*command.broken());
  const Status<> written = write_product(flags.output, reduced.text);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

}  // namespace

ExitCode run_reduce(const Words& words) {
  Arguments arguments("reduce", "Makes a program smaller while the same failure stays.", kReduceExamples);
  ReduceFlags flags;
  add_module_argument(arguments, flags.input);
  arguments.add_value("-o,--output", flags.output, "FILE", "Where it is written; - is standard output");
  arguments.add_value("--keep", flags.keep, "FAILURE", "What stays: crash, mismatch or error:KIND");
  arguments.add_value("--test", flags.test, "COMMAND", "What fails; {} stands for the file");
  arguments.add_value("--pass-pipeline", flags.pipeline, "TEXT", "Passes, which fail; instead of --test");
  arguments.excludes("--pass-pipeline", "--test");
  arguments.add_value("--max-tests", flags.max_tests, "N", "Stop after that many tests (default 2000)");
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  return reduce(arguments.console(), flags);
}

}  // namespace mlgc
