// See model_flags.h.
#include "driver/model_flags.h"

#include "artifact/compiler.h"

namespace mlgc {

void add_module_argument(Arguments& arguments, std::string& input) {
  arguments.add_positional("module", input, "FILE", "Text of a module, or a model file; - or nothing: standard input");
}

void add_function_flag(Arguments& arguments, std::string& function) {
  arguments.add_value("--function", function, "NAME", "Which function (default: the only one, forward or main)");
}

void add_derivative_flags(Arguments& arguments, std::vector<std::string>& of, std::vector<std::string>& wrt) {
  arguments.add_comma_list("--of", of, "NAME,…", "Results to differentiate; without it the only float one");
  arguments.add_comma_list("--wrt", wrt, "NAME,…",
                           "Arguments by name, weights and states as @name; without it all float ones");
}

void add_weight_flags(Arguments& arguments, DataOptions& data) {
  arguments.add_value("--weights", data.weights, "FILE",
                      "The weights (.safetensors, .npz, .gguf), instead of the file that the module names");
  arguments.add_value("--random-weights", data.random_seed, "SEED", "Made-up weights");
}

void add_numerics_flag(Arguments& arguments, Numerics& numerics, const std::string& help) {
  arguments.add_choice<Numerics>(
      "--numerics", numerics,
      {{"exact", Numerics::Exact}, {"like-eager", Numerics::LikeEager}, {"fast", Numerics::Fast}}, help);
}

void add_host_compiler_flag(Arguments& arguments, std::string& command) {
  const CompilerDef& cpp = compilers().front();
  arguments.add_value(std::string(cpp.flag), command, "COMMAND", std::string(cpp.help));
}

}  // namespace mlgc
