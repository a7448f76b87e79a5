// See arguments.h.
#include "driver/arguments.h"

#include <sys/ioctl.h>
#include <unistd.h>

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

namespace {

// Help in columns, with descriptions that go on in their own column, as wide as the terminal.
class WrappedHelp : public CLI::Formatter {
 public:
  static constexpr std::size_t kColumn = 36;
  WrappedHelp() { column_width(kColumn); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::string description =
        wrapped(make_option_desc(option), text_width() - kColumn, std::string(kColumn, ' '));
    if (description.empty()) return name + "\n";
    // A name that reaches into the column has a line of its own.
    return name + (name.size() < kColumn ? std::string(kColumn - name.size(), ' ') : "\n" + std::string(kColumn, ' ')) +
           description + "\n";
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), text_width(), "") + "\n";
  }

  // Lines of examples, of which the first column is two blanks, are left alone, others are wrapped.
  static std::string wrapped_footer(std::string_view text) {
    std::string out, paragraph;
    const auto flush = [&] {
      if (!paragraph.empty()) out += wrapped(paragraph, text_width(), "") + "\n";
      paragraph.clear();
    };
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      // A line that begins like a heading or a level (`-O2: …`) begins a paragraph.
      if (line.empty() || line.starts_with(' ') || line.starts_with('-')) flush();
      if (line.empty() || line.starts_with("  ")) {
        out += std::string(line) + "\n";
      } else {
        paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
        if (line.ends_with(':')) flush();
      }
    }
    flush();
    return out;
  }

 private:
  // Of a terminal at most so many columns: longer lines are hard to read.
  static std::size_t text_width() {
    constexpr std::size_t kLeast = 72, kMost = 120, kNoTerminal = 100;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kNoTerminal;
    return std::clamp<std::size_t>(size.ws_col, kLeast, kMost);
  }

  static std::string wrapped(std::string_view text, std::size_t width, const std::string& indent) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find_first_of(" \n"));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (word.empty()) continue;
      std::size_t letters = 0;  // not bytes: `…` is three
      for (const char c : word) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
      if (column > 0 && column + 1 + letters > width) {
        out += "\n" + indent;
        column = 0;
      }
      if (column > 0) out += ' ';
      out += word;
      column += (column > 0 ? 1 : 0) + letters;
    }
    return out;
  }
};

}  // namespace

struct Arguments::Parser {
  Parser(std::string_view command, std::string_view summary)
      : app(std::string(summary), "mlgc " + std::string(command)) {}
  CLI::App app;
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view examples)
    : command_(command), parser_(std::make_unique<Parser>(command, summary)) {
  CLI::App& app = parser_->app;
  app.formatter(std::make_shared<WrappedHelp>());
  app.footer("Examples:\n" +
             WrappedHelp::wrapped_footer(
                 std::string(examples) +
                 "\nExit codes: 0 ok, 1 bad input, 2 bad usage, 3 unsupported, 4 mismatch, 5 limit exceeded, "
                 "70 internal error."));
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
  parser_->app.add_flag_callback(
      "-v,--verbose", [] { set_log_level(LogLevel::Info); }, "The same as --log=info");
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
