// --host-compiler and --cuda-compiler: which compiler a target's source goes to.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "codegen/target.h"
#include "diag/diagnostic.h"
#include "driver/arguments.h"

namespace mlgc {

struct CompilerFlags {
  std::map<std::string, std::string> given;  // by the flag
};

void add_compiler_flags(Arguments& arguments, CompilerFlags& flags);
// The command for the target's source, empty where none was given. What is wrong: one that compiles nothing of it.
// `chosen_by` is what chose the target, `--target=cuda`.
[[nodiscard]] std::optional<Diagnostic> read_compiler_flags(const CompilerFlags& flags, const TargetDef& target,
                                                            const std::string& chosen_by, std::string& command);
// Where --target chose it.
[[nodiscard]] std::optional<Diagnostic> read_compiler_flags(const CompilerFlags& flags, const TargetDef& target,
                                                            std::string& command);

}  // namespace mlgc
