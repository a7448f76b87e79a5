// The sub-commands in the order in which help shows them.
#include <array>

#include "driver/command.h"

namespace mlgc {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"opt", "read a module, run passes, print it", run_opt},
      Command{"eval", "evaluate a function on given or random inputs", run_eval},
      Command{"quantize", "store weights as integers, and say how much that changes", run_quantize},
      Command{"grad", "put gradients beside a function's results", run_grad},
      Command{"emit", "write a model as C++ source", run_emit},
      Command{"compile", "compile a model", run_compile},
      Command{"run", "run a compiled model", run_run},
      Command{"tune", "measure which strategy is fastest for each kernel", run_tune},
      Command{"bench", "measure a model, compiled and in other systems", run_bench},
      Command{"import", "turn a model file into text and weights", run_import},
      Command{"export", "write a model in a notation that other programs read", run_export},
      Command{"explain", "say why the compiler decides as it does", run_explain},
      Command{"diff", "what differs between two models, or between a model and what passes make of it", run_diff},
      Command{"fmt", "format a text, comments kept", run_fmt},
      Command{"ops", "describe the ops", run_ops},
      Command{"compare", "compare ops with PyTorch, and passes with the program before them", run_compare},
      Command{"reduce", "make a program smaller while a failure stays", run_reduce},
      Command{"cache", "what was compiled and is kept", run_cache},
      Command{"passes", "describe the passes", run_passes},
      Command{"rules", "describe rewrite rules", run_rules},
      Command{"completion", "print completions for a shell, or the manual page", run_completion},
  };
  return kCommands;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const Command& subject : explain_subjects()) names.push_back("explain." + std::string(subject.name));
  return names;
}

}  // namespace mlgc
