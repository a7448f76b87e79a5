// See compiler.h.
#include "artifact/compiler.h"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "diag/kinds_artifact.h"
#include "support/subprocess.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostOutput = 4000;  // of what a failing compiler says: the first errors explain the others

Result<Compiler> ask(const CompilerDef& def, const std::string& text) {
  Compiler compiler;
  compiler.def = &def;
  std::istringstream words(text);
  for (std::string word; words >> word;) compiler.command.push_back(word);
  if (compiler.command.empty()) return Failure{std::string("its name is empty")};
  std::vector<std::string> question = compiler.command;
  question.emplace_back("--version");
  Result<ProcessResult> answer = run_process(question);
  if (!answer) return Failure{answer.error()};
  if (answer->exit_code != 0) return Failure{"--version ends with exit code " + std::to_string(answer->exit_code)};
  compiler.identity = std::move(answer->output);
  return compiler;
}

}  // namespace

std::string Compiler::command_text() const {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

Result<Compiler, Diagnostic> find_compiler(const CompilerDef& def, const std::string& wanted) {
  const char* const environment = std::getenv(def.variable);
  const std::string named = !wanted.empty() ? wanted : environment != nullptr ? environment : "";
  if (!named.empty()) {
    Result<Compiler> compiler = ask(def, named);
    if (compiler) return *std::move(compiler);
    return Failure{diagnose<kBadHostCompiler>({}, named, def.language, compiler.error(), def.flag)};
  }
  std::vector<std::string> tried;
  for (const std::string_view name : def.usual) {
    Result<Compiler> compiler = ask(def, std::string(name));
    if (compiler) return *std::move(compiler);
    tried.push_back(compiler.error());
  }
  return Failure{def.not_found(std::move(tried))};
}

Status<Diagnostic> run_compiler(const Compiler& compiler, const std::vector<std::string>& flags,
                                const std::string& name, const std::string& folder) {
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), flags.begin(), flags.end());
  const Result<ProcessResult> result = run_process(command);
  if (!result)
    return Failure{diagnose<kBadHostCompiler>({}, compiler.command_text(), compiler.def->language, result.error(),
                                              compiler.def->flag)};
  if (result->exit_code == 0) return {};
  const std::string how = result->exit_code > 128 ? "was ended by signal " + std::to_string(result->exit_code - 128) +
                                                        " (" + strsignal(result->exit_code - 128) + ")"
                                                  : "failed with exit code " + std::to_string(result->exit_code);
  Diagnostic diagnostic = diagnose<kHostCompilerFailed>({}, compiler.command_text(), how, name, folder);
  std::string output = result->output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  if (output.size() > kMostOutput) output = output.substr(0, output.rfind('\n', kMostOutput)) + "\n…";
  if (!output.empty()) diagnostic.add_note<kCompilerOutput>({}, output);
  return Failure{std::move(diagnostic)};
}

}  // namespace mlgc
