// See arguments.h.
#include "driver/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/log.h"
#include "pass/option_text.h"

namespace mlgc {

struct Arguments::Parser {
  Parser(std::string_view command, std::string_view summary)
      : app(std::string(summary), "mlgc " + std::string(command)) {}
  CLI::App app;
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view examples)
    : command_(command), parser_(std::make_unique<Parser>(command, summary)) {
  CLI::App& app = parser_->app;
  app.footer("Examples:\n" + std::string(examples) +
             "\nExit codes: 0 ok, 1 bad input, 2 bad usage, 3 unsupported, 4 numeric mismatch, 5 limit exceeded, "
             "70 internal error.");
  app.get_formatter()->column_width(36);
  app.set_help_flag("--help,-h", "Show this text");
}

Arguments::~Arguments() = default;

void Arguments::add_positional(const std::string& name, std::string& value, const char* value_name,
                               const std::string& help, bool required) {
  parser_->app.add_option(name, value, help)->option_text(value_name)->required(required);
}

void Arguments::add_positional(const std::string& name, std::vector<std::string>& values, const char* value_name,
                               const std::string& help) {
  parser_->app.add_option(name, values, help)->option_text(value_name);
}

void Arguments::add_flag(const std::string& flag, bool& value, const std::string& help) {
  parser_->app.add_flag(flag, value, help);
}

// CLI11 alone lets -1 wrap around, and takes the nearest number for one that is too large.
template <class T>
void Arguments::add_value(const std::string& flag, T& value, const char* value_name, const std::string& help) {
  CLI::Option* option = parser_->app.add_option(flag, value, help)->option_text(value_name);
  if constexpr (std::is_same_v<T, std::size_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
    option->check([](const std::string& text) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool whole = error == std::errc() && end == text.data() + text.size();
      return whole ? std::string() : "`" + text + "` is no number from 0 to 2^64 - 1";
    });
}
template void Arguments::add_value(const std::string&, std::string&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::size_t&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::optional<std::string>&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::optional<std::uint64_t>&, const char*, const std::string&);

void Arguments::add_list(const std::string& flag, std::vector<std::string>& values, const char* value_name,
                         const std::string& help) {
  parser_->app.add_option(flag, values, help)->allow_extra_args(false)->take_all()->option_text(value_name);
}

void Arguments::add_comma_list(const std::string& flag, std::vector<std::string>& values, const char* value_name,
                               const std::string& help) {
  const auto take = [flag, &values](const std::vector<std::string>& given) {
    values.clear();
    for (const std::string& text : given) {
      if (text.empty()) continue;  // it stands without a value
      Result<std::vector<std::string>> items = read_option_list(text);
      if (!items) throw CLI::ValidationError(flag, items.error() + ": " + text);
      values.insert(values.end(), items->begin(), items->end());
    }
  };
  parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
      ->allow_extra_args(false)
      ->take_all()
      ->option_text(value_name);
}

void Arguments::value_is_optional(const std::string& flag, std::function<bool(const std::string&)> is_value) {
  parser_->app.get_option(flag)->expected(0, 1);
  optional_values_.emplace_back(flag, std::move(is_value));
}

bool Arguments::is_given(const std::string& flag) const { return parser_->app.get_option(flag)->count() > 0; }

void Arguments::add_choice_of(const std::string& flag, std::vector<std::string> words,
                              std::function<void(std::size_t)> choose, const std::string& help) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : "|") + word;
  const auto take = [flag, joined, words = std::move(words), choose = std::move(choose)](const std::string& word) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) throw CLI::ValidationError(flag, "`" + word + "` is none of " + joined);
    choose(static_cast<std::size_t>(found - words.begin()));
  };
  parser_->app.add_option_function<std::string>(flag, take, help)->option_text(joined);
}

void Arguments::add_format_flag(ReportFormat& format, const std::string& flag, const std::string& help) {
  add_choice<ReportFormat>(flag, format, {{"text", ReportFormat::Text}, {"json", ReportFormat::Json}}, help);
}

void Arguments::needs(const std::string& flag, const std::string& other) {
  parser_->app.get_option(flag)->needs(parser_->app.get_option(other));
}

void Arguments::excludes(const std::string& flag, const std::string& other) {
  parser_->app.get_option(flag)->excludes(parser_->app.get_option(other));
}

void Arguments::add_diagnostic_flags(bool* log_ops) {
  add_format_flag(console_.diagnostics, "--diagnostics", "How errors are written to standard error");
  add_choice<ColorMode>("--color", console_.color,
                        {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}},
                        "Colours in errors; auto asks the terminal and NO_COLOR");
  std::vector<std::string> words{"off", "info", "debug"};
  if (log_ops != nullptr) words.emplace_back("ops");
  add_choice_of(
      "--log", std::move(words),
      [log_ops](std::size_t word) {
        constexpr std::array kLevels{LogLevel::Off, LogLevel::Info, LogLevel::Debug};
        if (word < kLevels.size())
          set_log_level(kLevels[word]);
        else
          *log_ops = true;
      },
      log_ops == nullptr ? "What the command does, step by step, on standard error"
                         : "What the command does, step by step, or each launch of a kernel, on standard error");
  add_value("--error-limit", console_.error_limit, "N", "Stop listing errors after so many; 0: never");
}

ExitCode Arguments::unexpected(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return console_.report(diagnose<kUnexpectedArgument>({}, word, command_));
  const std::string flag = word.substr(0, word.find('='));
  Diagnostic diagnostic = diagnose<kUnknownFlag>({}, command_, flag);
  std::vector<std::string> names;
  for (const CLI::Option* option : parser_->app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  names.insert(names.end(), more_flags_.begin(), more_flags_.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto best = closest_name(flag, views)) diagnostic.add_note<kDidYouMean>({}, *best);
  return console_.report(std::move(diagnostic));
}

std::optional<ExitCode> Arguments::parse(const Words& words) {
  // CLI11 takes options in the order of their declaration, so that an error in another one would come first.
  for (const std::string& word : words)
    if (word == "--diagnostics=json") console_.diagnostics = ReportFormat::Json;
  // A flag that stands without its value goes to the end, where CLI11 finds no word to take for one.
  Words ordered = words;
  for (const auto& [flag, is_value] : optional_values_) {
    Words kept;
    bool bare = false;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      const bool alone = ordered[i] == flag && (i + 1 == ordered.size() || !is_value(ordered[i + 1]));
      bare = bare || alone;
      if (!alone) kept.push_back(ordered[i]);
    }
    if (bare) kept.push_back(flag);
    ordered = std::move(kept);
  }
  CLI::App& app = parser_->app;
  app.allow_extras();
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(ordered.rbegin(), ordered.rend()));
  } catch (const CLI::CallForHelp&) {
    const Status<> written = write_product("-", app.help());
    return written ? ExitCode::Ok : console_.report(diagnose<kCannotWrite>({}, written.error()));
  } catch (const CLI::ParseError& error) {
    return console_.report(diagnose<kBadFlag>({}, std::string_view(error.what()), command_));
  }
  const std::vector<std::string> rest = app.remaining();
  if (rest.empty()) return std::nullopt;
  // An unknown flag explains what follows it, so it is the one to name.
  const auto flag = std::find_if(rest.begin(), rest.end(), [](const std::string& w) { return w.starts_with('-'); });
  return unexpected(flag == rest.end() ? rest.front() : *flag);
}

}  // namespace mlgc
