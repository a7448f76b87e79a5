// mlgc explain: what a model is, and why a decision of the compiler is what it is. Each subject has flags of its own
// and a file of its own, explain_<subject>.cpp.
#include <algorithm>
#include <array>
#include <filesystem>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/command.h"
#include "driver/console.h"

namespace mlgc {

namespace {

constexpr std::array kSubjects{
    Command{"model", "what a model is, on one screen; `mlgc explain FILE` says it too", run_explain_model},
    Command{"cache", "what a compiled model is kept under, whether it is, and if not, what differs", run_explain_cache},
    Command{"deps", "what each op reads and who reads it; of one value: where it comes from and where it goes",
            run_explain_deps},
    Command{"error", "what a diagnostic means, what provokes it, and the repair", run_explain_error},
    Command{"fusion", "which ops become one kernel, and why not more", run_explain_fusion},
    Command{"gradients", "which values have a gradient, through which ops, what ends it, and what is saved",
            run_explain_gradients},
    Command{"import", "which nodes of a graph of torch.fx come in, and why not the others", run_explain_import},
    Command{"memory", "what a call takes for temporaries, and what makes the peak", run_explain_memory},
    Command{"numerics", "where rounding may change, how wrong each op of a run is, and where NaN comes from",
            run_explain_numerics},
    Command{"ops", "which ops a model has, by opcode, and what they compute and move; one of them", run_explain_ops},
    Command{"partition", "which ops a target takes, in which segments, and why not the others", run_explain_partition},
    Command{"residuals", "where values are added to what was computed of them", run_explain_residuals},
    Command{"roofline", "what kernels compute and move, what bounds them, and the least time they can take",
            run_explain_roofline},
    Command{"saved", "which values forward saves for backward, and which backward recomputes", run_explain_saved},
    Command{"schedule", "which strategy each loop nest gets, why, and what it is predicted to take",
            run_explain_schedule},
    Command{"shapes", "what types values have, and where the symbols in their sizes come from", run_explain_shapes},
    Command{"target", "what models can be compiled for, and a machine in numbers", run_explain_target},
};

// What no subject is called like: a path, standard input, a file that is there, or a flag.
bool is_file(const std::string& word) {
  return word.starts_with('-') || word.find_first_of("./") != std::string::npos || std::filesystem::exists(word);
}

std::string explain_help() {
  std::string text =
      "Says what a model is, and why a decision of the compiler is what it is.\n\nusage: mlgc explain FILE\n"
      "       mlgc explain SUBJECT [FLAG…] FILE\n\nSubjects:\n";
  for (const Command& subject : kSubjects) {
    text += "  " + std::string(subject.name);
    text.append(subject.name.size() < 12 ? 12 - subject.name.size() : 1, ' ');
    text += std::string(subject.summary) + "\n";
  }
  return text +
         "\nExamples:\n"
         "  mlgc explain model.pt2                                    a model on one screen\n"
         "  mlgc explain deps model.mlir %y                           where a value comes from, and where it goes\n"
         "  mlgc explain cache model.pt2 -O1                          why a model would be compiled again\n"
         "  mlgc explain partition model.mlir --registry=accel.json   what a target would compute of a model\n"
         "  mlgc explain error unknown-op                             what a message means, and the repair\n"
         "  mlgc explain fusion model.mlir                            the kernels of a model\n"
         "  mlgc explain gradients model.mlir                         what has a gradient, and why not more\n"
         "  mlgc explain memory model.mlir --dim=B=64                 what a call takes\n"
         "  mlgc explain numerics model.mlir --random-inputs=1        where digits are lost\n"
         "  mlgc explain saved step.mlir --results=1                  what is saved for backward\n"
         "  mlgc explain schedule model.mlir --target=cuda            how the kernels of a model run\n"
         "  mlgc explain target --machine=x86-64-v4                   a machine as the compiler sees it\n"
         "  mlgc explain partition --help                             flags of a subject\n";
}

}  // namespace

std::span<const Command> explain_subjects() { return kSubjects; }

ExitCode run_explain(const Words& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--help" || first == "-h") {
    const Status<> written = write_product("-", explain_help());
    return written ? ExitCode::Ok : Console{}.report(diagnose<kCannotWrite>({}, written.error()));
  }
  if (words.empty()) {
    write_talk(explain_help());
    return ExitCode::BadUsage;
  }
  for (const Command& subject : kSubjects)
    if (subject.name == first) return subject.run(Words(words.begin() + 1, words.end()));
  if (is_file(first)) return run_explain_model(words);
  Diagnostic diagnostic = diagnose<kUnknownName>({}, "subject", first);
  std::vector<std::string_view> names;
  for (const Command& subject : kSubjects) names.push_back(subject.name);
  if (const auto best = closest_name(first, names)) diagnostic.add_note<kDidYouMean>({}, *best);
  return Console{}.report(std::move(diagnostic));
}

}  // namespace mlgc
