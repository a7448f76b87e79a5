// One sub-command's flags on top of CLI11: the same help layout, the same flags for diagnostics and the same words
// about bad usage everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/command.h"
#include "driver/console.h"

namespace mlgc {

class Arguments {
 public:
  // `examples` are lines shown under "Examples:" in the help.
  Arguments(std::string_view command, std::string_view summary, std::string_view examples);

  [[nodiscard]] CLI::App& app() { return app_; }
  [[nodiscard]] Console& console() { return console_; }
  [[nodiscard]] const std::string& command() const { return command_; }

  // --diagnostics, --color, --error-limit.
  void add_diagnostic_flags();
  // A flag whose value is one of a few words.
  template <class T>
  void add_choice(const std::string& flag, T& value, std::vector<std::pair<std::string_view, T>> choices,
                  const std::string& help);
  // text|json, for a report.
  void add_format_flag(ReportFormat& format, const std::string& flag, const std::string& help);
  // A flag that may be repeated, one value each.
  CLI::Option* add_list(const std::string& flag, std::vector<std::string>& values, const std::string& help);

  // Names that parse() does not see but that a misspelled flag may have meant.
  void suggest_also(std::vector<std::string> flags) { more_flags_ = std::move(flags); }

  // Nothing: go on. Otherwise the command is over: help was printed, or an error reported.
  [[nodiscard]] std::optional<ExitCode> parse(const Words& words);

 private:
  ExitCode unexpected(const std::string& word);

  std::string command_;
  CLI::App app_;
  Console console_;
  std::vector<std::string> more_flags_;
};

template <class T>
void Arguments::add_choice(const std::string& flag, T& value, std::vector<std::pair<std::string_view, T>> choices,
                           const std::string& help) {
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : "|") + std::string(choice.first);
  const auto choose = [&value, flag, words, choices = std::move(choices)](const std::string& word) {
    for (const auto& [name, meaning] : choices) {
      if (name != word) continue;
      value = meaning;
      return;
    }
    throw CLI::ValidationError(flag, "`" + word + "` is none of " + words);
  };
  app_.add_option_function<std::string>(flag, choose, help)->option_text(words);
}

}  // namespace mlgc
