// The machine's own C++ compiler: finding it and running it.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "support/result.h"

namespace mlgc {

struct HostCompiler {
  std::vector<std::string> command;                // a program and what comes before all flags: `ccache`, `g++`
  std::string identity;                            // all that it answers to --version
  [[nodiscard]] std::string name() const;          // its first line, for people
  [[nodiscard]] std::string command_text() const;  // as a shell takes it
};

// The one that is `wanted`; else what CXX says, else g++, else clang++. A name that was given is not passed over when
// it does not work.
[[nodiscard]] Result<HostCompiler, Diagnostic> find_host_compiler(const std::string& wanted);

// Runs the compiler; `name` stands for what it compiles, `folder` for where that is kept when it fails.
[[nodiscard]] Status<Diagnostic> run_host_compiler(const HostCompiler& compiler, const std::vector<std::string>& flags,
                                                   const std::string& name, const std::string& folder);

}  // namespace mlgc
