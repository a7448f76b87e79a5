// The compilers that emitted source goes to: a row for each language, finding the machine's own, running it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "support/result.h"

namespace mlgc {

// A form of the source that a compiler makes beside object files, as text.
struct CompiledForm {
  std::string_view name, summary;
  std::string_view file;  // what the compiler writes
  std::vector<std::string> (*flags)(std::string_view arch);
  // What turns that file into text: tools with their flags, of which the first that is there is taken. None: it is
  // text.
  std::span<const std::vector<std::string_view>> readers;
};

struct CompilerDef {
  std::string_view name;                    // by which a target names it
  std::string_view language;                // `C++`, for messages
  std::string_view flag;                    // of commands that take a name, `--host-compiler`
  std::string_view help;                    // of that flag
  const char* variable;                     // of the environment, that names one
  std::span<const std::string_view> usual;  // names that are tried where none is given
  // What every unit is compiled with; of an architecture (empty: there are none); of this compiler alone.
  std::span<const char* const> unit_flags;
  std::vector<std::string> (*arch_flags)(std::string_view arch);
  std::vector<std::string> (*own_flags)(const std::string& identity);
  std::span<const char* const> link_flags;              // of a shared object, before its parts
  std::string (*version)(const std::string& identity);  // of what it answers to --version, a line for people
  Diagnostic (*not_found)(std::vector<std::string> tried);
  std::span<const CompiledForm> forms;
};

// The first is that of C++.
[[nodiscard]] std::span<const CompilerDef> compilers();
// Precondition: there is one of this name.
[[nodiscard]] const CompilerDef& compiler_named(std::string_view name);

struct Compiler {
  const CompilerDef* def = nullptr;
  std::vector<std::string> command;  // a program and what comes before all flags: `ccache`, `g++`
  std::string identity;              // all that it answers to --version
  [[nodiscard]] std::string name() const { return def->version(identity); }
  [[nodiscard]] std::string command_text() const;  // as a shell takes it
};

// The one that is `wanted`; else what the environment says; else the first usual one that is there. A name that was
// given is not passed over when it does not work.
[[nodiscard]] Result<Compiler, Diagnostic> find_compiler(const CompilerDef& def, const std::string& wanted);

// Runs the compiler; `name` stands for what it compiles, `folder` for where that is kept when it fails.
[[nodiscard]] Status<Diagnostic> run_compiler(const Compiler& compiler, const std::vector<std::string>& flags,
                                              const std::string& name, const std::string& folder);

}  // namespace mlgc
