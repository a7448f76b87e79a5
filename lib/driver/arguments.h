// One sub-command's flags: the same help layout, the same flags for diagnostics and the same words about bad usage
// everywhere. CLI11 parses; only arguments.cpp sees it, as its header costs more to compile than any command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/command.h"
#include "driver/config_file.h"
#include "driver/console.h"

namespace mlgc {

struct FlagTable;

// What a flag refers to must outlive parse(). `value_name` is how the help writes the value, as in `--output FILE`.
//
// Every command has --config=FILE (config_file.h), which sets what the words of the command line do not set, and
// --print-config, which prints such a file for what was given. Words without a flag count as flags there.
class Arguments {
 public:
  // `examples` are lines shown under "Examples:" in the help.
  Arguments(std::string_view command, std::string_view summary, std::string_view examples);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  [[nodiscard]] Console& console() { return console_; }
  [[nodiscard]] const Console& console() const { return console_; }
  [[nodiscard]] const std::string& command() const { return command_; }

  // Words without a flag.
  void add_positional(const std::string& name, std::string& value, const char* value_name, const std::string& help,
                      bool required = false);
  void add_positional(const std::string& name, std::vector<std::string>& values, const char* value_name,
                      const std::string& help, bool required = false);

  void add_flag(const std::string& flag, bool& value, const std::string& help);
  // T: std::string, std::size_t, or an optional std::string or std::uint64_t. Numbers that do not fit are errors.
  template <class T>
  void add_value(const std::string& flag, T& value, const char* value_name, const std::string& help);
  // A flag that may be repeated, one value each.
  void add_list(const std::string& flag, std::vector<std::string>& values, const char* value_name,
                const std::string& help);
  // A flag whose value holds several, with commas between them, as in options of passes: what has a comma stands in
  // quotes (pass/option_text.h). It may be repeated.
  void add_comma_list(const std::string& flag, std::vector<std::string>& values, const char* value_name,
                      const std::string& help);
  // A list that was added may stand without a value too: the word after it is its value only where `is_value` says so.
  void value_is_optional(const std::string& flag, std::function<bool(const std::string&)> is_value);
  // A flag whose value is one of a few words.
  template <class T>
  void add_choice(const std::string& flag, T& value, std::vector<std::pair<std::string_view, T>> choices,
                  const std::string& help);
  // text|json, for a report.
  void add_format_flag(ReportFormat& format, const std::string& flag, const std::string& help);
  // Between flags that were added: the first has no effect without the second, or beside it.
  void needs(const std::string& flag, const std::string& other);
  void excludes(const std::string& flag, const std::string& other);
  // --diagnostics, --color, --error-limit, --log. With `log_ops` the last has a word more, `ops`, which sets it.
  void add_diagnostic_flags(bool* log_ops = nullptr);

  // After parse(): whether the flag stood there.
  [[nodiscard]] bool is_given(const std::string& flag) const;

  // Flags whose order counts, such as passes: the words that `is_one` takes, wherever they stand before a `--`. In a
  // file they are a list of words, called `key`, which counts unless one of them or `instead` is on the command line.
  // `names` are what a misspelled flag may have meant.
  void add_ordered_flags(const std::string& key, Words& taken, std::function<bool(const std::string&)> is_one,
                         std::vector<std::string> names, const std::string& instead = "");

  // Nothing: go on. Otherwise the command is over: help was printed, or an error reported.
  [[nodiscard]] std::optional<ExitCode> parse(const Words& words);

 private:
  struct Parser;

  // `choose` gets the index of the word that was given; `current` is the one that counts without it.
  void add_choice_of(const std::string& flag, std::vector<std::string> words, std::optional<std::size_t> current,
                     std::function<void(std::size_t)> choose, const std::string& help);
  void describe(FlagTable& table);
  Words without_ordered(const Words& words);
  Words with_bare_last(Words words) const;
  Diagnostic unknown_flag(const std::string& flag) const;
  ExitCode unexpected(const std::string& word);

  void read_config_file(const std::string& path);
  void apply(const ConfigEntry& entry, DiagnosticEngine& diagnostics);
  void apply_ordered(const ConfigEntry& entry, DiagnosticEngine& diagnostics);
  [[nodiscard]] std::string config_in_effect() const;

  std::string command_;
  std::unique_ptr<Parser> parser_;
  Console console_;
  std::string ordered_key_, ordered_instead_;
  Words* ordered_ = nullptr;
  std::function<bool(const std::string&)> is_ordered_;
  std::vector<std::string> ordered_names_;
  bool print_config_ = false;
  std::vector<std::pair<std::string, std::function<bool(const std::string&)>>> optional_values_;
};

template <class T>
void Arguments::add_choice(const std::string& flag, T& value, std::vector<std::pair<std::string_view, T>> choices,
                           const std::string& help) {
  std::vector<std::string> words;
  std::optional<std::size_t> current;
  for (const auto& choice : choices) {
    if (!current && choice.second == value) current = words.size();
    words.emplace_back(choice.first);
  }
  const auto choose = [&value, choices = std::move(choices)](std::size_t index) { value = choices[index].second; };
  add_choice_of(flag, std::move(words), current, choose, help);
}

}  // namespace mlgc
