// See compiler_flags.h.
#include "driver/compiler_flags.h"

#include "compile/compile_model.h"
#include "diag/kinds_driver.h"

namespace mlgc {

void add_compiler_flags(Arguments& arguments, CompilerFlags& flags) {
  for (const CompilerDef& def : compilers())
    arguments.add_value(std::string(def.flag), flags.given[std::string(def.flag)], "COMMAND", std::string(def.help));
}

std::optional<Diagnostic> read_compiler_flags(const CompilerFlags& flags, const TargetDef& target,
                                              const std::string& chosen_by, std::string& command) {
  for (const auto& [flag, given] : flags.given) {
    if (given.empty()) continue;
    if (flag != compiler_of(target).flag) return diagnose<kFlagConflict>({}, flag, chosen_by);
    command = given;
  }
  return std::nullopt;
}

std::optional<Diagnostic> read_compiler_flags(const CompilerFlags& flags, const TargetDef& target,
                                              std::string& command) {
  return read_compiler_flags(flags, target, "--target=" + std::string(target.name), command);
}

}  // namespace mlgc
