// See arguments.h.
#include "driver/arguments.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <type_traits>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/flag_groups.h"
#include "driver/flag_table.h"
#include "driver/log.h"
#include "pass/option_text.h"
#include "support/file.h"

namespace mlgc {

namespace {

// `["a", "b"]`, or nothing for none.
std::string list_text(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "[" : ", ") + config_text(value);
  return out.empty() ? out : out + "]";
}

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
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string out = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const std::string_view group : flag_group_names()) {
      const std::vector<const CLI::Option*> options = app->get_options(
          [&](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
      if (!options.empty()) out += make_group(std::string(group), false, options);
    }
    return out + "\n" + make_footer(app);
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

// What CLI11 does not know of a flag or a word without one.
struct FlagShape {
  enum class Kind : std::uint8_t { Text, Number, Switch, List };
  Kind kind = Kind::Text;
  bool bare = false;         // may stand without its value
  bool required = false;     // a word without a flag
  std::string initial = {};  // what counts without it, as a value of TOML; empty when nothing does
};

namespace {

// A word that is none of those that a flag takes.
class ChoiceError : public CLI::ValidationError {
 public:
  ChoiceError(const std::string& flag, const std::string& what, std::optional<std::string> meant)
      : CLI::ValidationError(flag, what), meant_(std::move(meant)) {}
  [[nodiscard]] const std::optional<std::string>& meant() const { return meant_; }

 private:
  std::optional<std::string> meant_;
};

Diagnostic bad_flag(const CLI::ParseError& error, Location at, const std::string& command) {
  Diagnostic diagnostic = diagnose<kBadFlag>(at, std::string_view(error.what()), command);
  if (const auto* choice = dynamic_cast<const ChoiceError*>(&error); choice != nullptr && choice->meant())
    diagnostic.add_note<kDidYouMean>({}, *choice->meant());
  return diagnostic;
}

std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto best = closest_name(name, views);
  return best ? std::optional<std::string>(*best) : std::nullopt;
}

}  // namespace

struct Arguments::Parser {
  Parser(std::string_view command, std::string_view summary)
      : app(std::string(summary), "mlgc " + std::string(command)) {}
  CLI::Option* add(CLI::Option* option, FlagShape shape) {
    shapes.emplace(option, std::move(shape));
    return option;
  }
  // As a key of a file: long flags, and words without a flag. None for what only the command line has.
  [[nodiscard]] CLI::Option* of_key(const std::string& key) {
    for (const auto& [option, shape] : shapes)
      if (name_of(option) == key) return app.get_option(option->get_name());
    return nullptr;
  }
  static std::string name_of(const CLI::Option* option) {
    return option->get_lnames().empty() ? option->get_name() : option->get_lnames().front();
  }
  [[nodiscard]] std::string shown(const CLI::Option& option) const;

  CLI::App app;
  std::map<const CLI::Option*, FlagShape> shapes;
  // Errors of a file are collected while CLI11 runs.
  std::shared_ptr<FlagPlaces> places;
  std::optional<DiagnosticEngine> file_errors;
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
  // In front of the others: when it is processed the words of the command line are known, but none has taken effect.
  app.add_option_function<std::string>(
         "--config", [this](const std::string& path) { read_config_file(path); },
         "Flags in TOML, for what the command line does not say: numerics = \"exact\"")
      ->option_text("FILE");
  app.add_flag("--print-config", print_config_,
               "Print the flags in effect as a file for --config, and do nothing else");
}

Arguments::~Arguments() = default;

void Arguments::add_positional(const std::string& name, std::string& value, const char* value_name,
                               const std::string& help, bool required) {
  parser_->add(parser_->app.add_option(name, value, help)->option_text(value_name)->required(required),
               {.initial = value.empty() ? "" : config_text(value)});
}

void Arguments::add_positional(const std::string& name, std::vector<std::string>& values, const char* value_name,
                               const std::string& help, bool required) {
  parser_->add(parser_->app.add_option(name, values, help)->option_text(value_name)->required(required),
               {.kind = FlagShape::Kind::List});
}

void Arguments::add_flag(const std::string& flag, bool& value, const std::string& help) {
  parser_->add(parser_->app.add_flag(flag, value, help),
               {.kind = FlagShape::Kind::Switch, .initial = value ? "true" : "false"});
}

// CLI11 alone lets -1 wrap around, and takes the nearest number for one that is too large.
template <class T>
void Arguments::add_value(const std::string& flag, T& value, const char* value_name, const std::string& help) {
  FlagShape shape;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!value.empty()) shape.initial = config_text(value);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    shape.initial = std::to_string(value);
  } else if (value) {
    if constexpr (std::is_same_v<T, std::optional<std::string>>)
      shape.initial = config_text(*value);
    else
      shape.initial = std::to_string(*value);
  }
  if constexpr (std::is_same_v<T, std::size_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
    shape.kind = FlagShape::Kind::Number;
  CLI::Option* option =
      parser_->add(parser_->app.add_option(flag, value, help)->option_text(value_name), std::move(shape));
  if constexpr (std::is_same_v<T, std::size_t> || std::is_same_v<T, std::optional<std::uint64_t>>)
    option->check([](const std::string& text) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool whole = error == std::errc() && end == text.data() + text.size();
      return whole ? std::string() : "`" + text + "` is not a number from 0 to 2^64 - 1";
    });
}
template void Arguments::add_value(const std::string&, std::string&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::size_t&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::optional<std::string>&, const char*, const std::string&);
template void Arguments::add_value(const std::string&, std::optional<std::uint64_t>&, const char*, const std::string&);

void Arguments::add_list(const std::string& flag, std::vector<std::string>& values, const char* value_name,
                         const std::string& help) {
  parser_->add(
      parser_->app.add_option(flag, values, help)->allow_extra_args(false)->take_all()->option_text(value_name),
      {.kind = FlagShape::Kind::List, .initial = list_text(values)});
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
  parser_->add(parser_->app.add_option_function<std::vector<std::string>>(flag, take, help)
                   ->allow_extra_args(false)
                   ->take_all()
                   ->option_text(value_name),
               {.kind = FlagShape::Kind::List, .initial = list_text(values)});
}

void Arguments::value_is_optional(const std::string& flag, std::function<bool(const std::string&)> is_value) {
  CLI::Option* option = parser_->app.get_option(flag)->expected(0, 1);
  parser_->shapes.at(option).bare = true;
  optional_values_.emplace_back(flag, std::move(is_value));
}

bool Arguments::is_given(const std::string& flag) const { return parser_->app.get_option(flag)->count() > 0; }

void Arguments::add_choice_of(const std::string& flag, std::vector<std::string> words,
                              std::optional<std::size_t> current, std::function<void(std::size_t)> choose,
                              const std::string& help) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : "|") + word;
  std::string initial = current ? config_text(words[*current]) : "";
  const auto take = [flag, joined, words = std::move(words), choose = std::move(choose)](const std::string& word) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) throw ChoiceError(flag, "`" + word + "` is none of " + joined, nearest(word, words));
    choose(static_cast<std::size_t>(found - words.begin()));
  };
  parser_->add(parser_->app.add_option_function<std::string>(flag, take, help)->option_text(joined),
               {.initial = std::move(initial)});
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
      "--log", std::move(words), 0,
      [log_ops](std::size_t word) {
        constexpr std::array kLevels{LogLevel::Off, LogLevel::Info, LogLevel::Debug};
        if (word < kLevels.size())
          set_log_level(kLevels[word]);
        else
          *log_ops = true;
      },
      log_ops == nullptr ? "What the command does, step by step, on standard error"
                         : "What the command does, step by step, or each launch of a kernel, on standard error");
  parser_->add(parser_->app.add_flag_callback(
                   "-v,--verbose", [] { set_log_level(LogLevel::Info); }, "The same as --log=info"),
               {.kind = FlagShape::Kind::Switch, .initial = "false"});
  add_value("--error-limit", console_.error_limit, "N", "Stop listing errors after so many; 0: never");
}

void Arguments::add_ordered_flags(const std::string& key, Words& taken, std::function<bool(const std::string&)> is_one,
                                  std::vector<std::string> names, const std::string& instead) {
  ordered_key_ = key;
  ordered_instead_ = instead;
  ordered_ = &taken;
  is_ordered_ = std::move(is_one);
  ordered_names_ = std::move(names);
}

Diagnostic Arguments::unknown_flag(const std::string& flag) const {
  Diagnostic diagnostic = diagnose<kUnknownFlag>({}, command_, flag);
  std::vector<std::string> names;
  for (const CLI::Option* option : parser_->app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  names.insert(names.end(), ordered_names_.begin(), ordered_names_.end());
  if (const auto best = nearest(flag, names)) diagnostic.add_note<kDidYouMean>({}, *best);
  return diagnostic;
}

ExitCode Arguments::unexpected(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return console_.report(diagnose<kUnexpectedArgument>({}, word, command_));
  return console_.report(unknown_flag(word.substr(0, word.find('='))));
}

Words Arguments::without_ordered(const Words& words) {
  if (ordered_ == nullptr) return words;
  Words rest;
  bool more = true;
  for (const std::string& word : words) {
    more = more && word != "--";
    (more && is_ordered_(word) ? *ordered_ : rest).push_back(word);
  }
  return rest;
}

// A flag that stands without its value goes to the end, where CLI11 finds no word to take for one.
Words Arguments::with_bare_last(Words words) const {
  for (const auto& [flag, is_value] : optional_values_) {
    Words kept;
    bool bare = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool alone = words[i] == flag && (i + 1 == words.size() || !is_value(words[i + 1]));
      bare = bare || alone;
      if (!alone) kept.push_back(words[i]);
    }
    if (bare) kept.push_back(flag);
    words = std::move(kept);
  }
  return words;
}

void Arguments::describe(FlagTable& table) {
  for (CLI::Option* option : parser_->app.get_options({})) {
    FlagEntry entry;
    if (option->nonpositional()) {
      for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
      entry.group = flag_group("--" + option->get_lnames().front());
    }
    const bool is_switch = option->get_type_size_max() == 0 || option->get_expected_max() == 0;
    if (!is_switch) entry.value = option->get_option_text();
    const std::string& value = entry.value;
    const bool is_choice = value.find('|') != std::string::npos &&
                           value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_|") == std::string::npos;
    for (std::size_t at = 0; is_choice && at < value.size();) {
      const std::size_t end = std::min(value.find('|', at), value.size());
      entry.choices.push_back(value.substr(at, end - at));
      at = end + 1;
    }
    entry.summary = option->get_description();
    table.flags.push_back(std::move(entry));
  }
  for (const std::string& name : ordered_names_)
    table.flags.push_back({.names = {name}, .value = {}, .choices = {}, .summary = "", .group = ordered_key_});
}

std::optional<ExitCode> Arguments::parse(const Words& words) {
  if (FlagTable* table = wanted_flags(); table != nullptr) {
    describe(*table);
    return ExitCode::Ok;
  }
  // CLI11 takes options in the order of their declaration, so that an error in another one would come first.
  for (const std::string& word : words)
    if (word == "--diagnostics=json") console_.diagnostics = ReportFormat::Json;
  const Words flags = with_bare_last(without_ordered(words));
  CLI::App& app = parser_->app;
  for (CLI::Option* option : app.get_options({}))
    if (option->nonpositional()) option->group(std::string(flag_group("--" + option->get_lnames().front())));
  app.allow_extras();
  const auto file_failed = [this] { return parser_->file_errors && parser_->file_errors->has_errors(); };
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(flags.rbegin(), flags.rend()));
  } catch (const CLI::CallForHelp&) {
    const Status<> written = write_product("-", app.help());
    return written ? ExitCode::Ok : console_.report(diagnose<kCannotWrite>({}, written.error()));
  } catch (const CLI::RequiredError& error) {
    if (file_failed()) return console_.report(*parser_->file_errors);
    if (!print_config_) return console_.report(bad_flag(error, {}, command_));
  } catch (const CLI::ParseError& error) {
    // What is wrong with the file may be the reason.
    return file_failed() ? console_.report(*parser_->file_errors) : console_.report(bad_flag(error, {}, command_));
  }
  if (file_failed()) return console_.report(*parser_->file_errors);
  if (const std::vector<std::string> rest = app.remaining(); !rest.empty()) {
    // An unknown flag explains what follows it, so it is the one to name.
    const auto flag = std::find_if(rest.begin(), rest.end(), [](const std::string& w) { return w.starts_with('-'); });
    return unexpected(flag == rest.end() ? rest.front() : *flag);
  }
  if (print_config_) {
    const Status<> written = write_product("-", config_in_effect());
    return written ? ExitCode::Ok : console_.report(diagnose<kCannotWrite>({}, written.error()));
  }
  return std::nullopt;
}

// While CLI11 runs: the options hold what the command line says, and the errors are told when it is over.
void Arguments::read_config_file(const std::string& path) {
  auto places = std::make_shared<FlagPlaces>();
  DiagnosticEngine& diagnostics = parser_->file_errors.emplace(places->table);
  parser_->places = places;
  Result<std::string> text = read_file(path);
  if (!text) {
    diagnostics.emit(diagnose<kCannotRead>({}, text.error()));
    return;
  }
  const SourceFile& file = places->table.add_source(path == "-" ? "<stdin>" : path, *std::move(text));
  const ConfigFile config = read_config(file, places->table, diagnostics);
  std::vector<std::string> commands = command_names();
  for (const ConfigTable& table : config.tables) {
    if (std::ranges::count(commands, table.name) != 0) continue;
    Diagnostic unknown = diagnose<kUnknownCommand>(table.at, table.name).with_width(table.width);
    if (const auto best = nearest(table.name, commands)) unknown.add_note<kDidYouMean>({}, *best);
    diagnostics.emit(std::move(unknown));
  }
  std::string own = command_;
  std::ranges::replace(own, ' ', '.');
  // Those of the command's own table count before those of all.
  for (const bool of_all : {false, true})
    for (const ConfigEntry& entry : config.entries)
      if (entry.table == (of_all ? "" : own))
        entry.key == ordered_key_&& ordered_ != nullptr ? apply_ordered(entry, diagnostics) : apply(entry, diagnostics);
  console_.flag_places = std::move(places);
}

void Arguments::apply_ordered(const ConfigEntry& entry, DiagnosticEngine& diagnostics) {
  for (const ConfigValue& value : entry.values)
    if (!is_ordered_(value.text)) {
      Diagnostic unknown = unknown_flag(value.text.substr(0, value.text.find('=')));
      unknown.at = value.at;
      diagnostics.emit(std::move(unknown).with_width(value.width));
    }
  const bool replaced =
      !ordered_instead_.empty() && is_given(ordered_instead_) && parser_->places->at.count(ordered_instead_) == 0;
  if (!ordered_->empty() || replaced) return;
  for (const ConfigValue& value : entry.values) ordered_->push_back(value.text);
}

void Arguments::apply(const ConfigEntry& entry, DiagnosticEngine& diagnostics) {
  CLI::Option* option = parser_->of_key(entry.key);
  if (option == nullptr) {
    Diagnostic unknown = unknown_flag("--" + entry.key);
    unknown.at = entry.at;
    diagnostics.emit(std::move(unknown).with_width(entry.width));
    return;
  }
  const FlagShape& shape = parser_->shapes.at(option);
  const bool switched = shape.kind == FlagShape::Kind::Switch;
  const auto wrong = [&](const ConfigValue& value, const std::string& what) {
    diagnostics.emit(diagnose<kBadFlag>(value.at, entry.key + ": " + what, command_).with_width(value.width));
  };
  if (entry.is_list && shape.kind != FlagShape::Kind::List) {
    diagnostics.emit(
        diagnose<kBadFlag>(entry.at, entry.key + ": it takes one value, not a list", command_).with_width(entry.width));
    return;
  }
  for (const ConfigValue& value : entry.values) {
    const bool boolean = value.kind == ConfigValue::Kind::Boolean;
    if (switched && !boolean) return wrong(value, "it is true or false");
    if (!switched && boolean && (!shape.bare || entry.is_list))
      return wrong(value, "it takes a value that is neither true nor false");
    if (boolean && value.text == "false") return;
  }
  // What the command line says counts, and what it says instead.
  const auto said = [&](const CLI::Option* other) {
    return !other->empty() && parser_->places->at.count("--" + Parser::name_of(other)) == 0;
  };
  if (!option->empty() || std::ranges::any_of(option->get_excludes(), said)) return;
  const std::string flag = option->get_lnames().empty() ? entry.key : "--" + entry.key;
  parser_->places->at.emplace(flag, entry.at);
  for (const ConfigValue& value : entry.values)
    option->add_result(!switched && value.kind == ConfigValue::Kind::Boolean ? "" : value.text);
  if (entry.values.empty()) return;
  try {
    option->run_callback();
  } catch (const CLI::ParseError& error) {
    const ConfigValue& first = entry.values.front();
    diagnostics.emit(bad_flag(error, first.at, command_).with_width(first.width));
  }
}

// `key = value` of an option that was given.
std::string Arguments::Parser::shown(const CLI::Option& option) const {
  const FlagShape& shape = shapes.at(&option);
  const std::vector<std::string>& given = option.results();
  const bool bare = shape.bare && std::ranges::all_of(given, [](const std::string& text) { return text.empty(); });
  std::string value;
  if (shape.kind == FlagShape::Kind::Switch || bare)
    value = "true";
  else if (shape.kind == FlagShape::Kind::List)
    value = list_text(given);
  else
    value = shape.kind == FlagShape::Kind::Number ? given.front() : config_text(given.front());
  return name_of(&option) + " = " + value;
}

std::string Arguments::config_in_effect() const {
  std::string own = command_;
  std::ranges::replace(own, ' ', '.');
  std::string out = "# Flags of `mlgc " + command_ + "`, read by --config=FILE. Those after a # were not given.\n";
  if (ordered_ != nullptr)
    out += ordered_->empty() ? "# " + ordered_key_ + " = [\"FLAG\", ...]\n"
                             : ordered_key_ + " = " + list_text(*ordered_) + "\n";
  const auto line = [&](const CLI::Option* option) {
    const auto shape = parser_->shapes.find(option);
    if (shape == parser_->shapes.end()) return;
    if (!option->empty())
      out += parser_->shown(*option) + "\n";
    else
      out += "# " + Parser::name_of(option) + " = " +
             (shape->second.initial.empty() ? option->get_option_text() : shape->second.initial) + "\n";
  };
  for (const CLI::Option* option : parser_->app.get_options())
    if (!option->nonpositional()) line(option);
  for (const std::string_view group : flag_group_names()) {
    const std::size_t before = out.size();
    for (const CLI::Option* option : parser_->app.get_options())
      if (option->nonpositional() && option->get_group() == group) line(option);
    if (out.size() > before) out.insert(before, "\n# " + std::string(group) + "\n");
  }
  return out;
}

}  // namespace mlgc
