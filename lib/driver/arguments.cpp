// See arguments.h.
#include "driver/arguments.h"

#include <algorithm>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"

namespace mlgc {

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view examples)
    : command_(command), app_(std::string(summary), "mlgc " + std::string(command)) {
  app_.footer("Examples:\n" + std::string(examples) +
              "\nExit codes: 0 ok, 1 bad input, 2 bad usage, 3 unsupported, 4 numeric mismatch, 5 limit exceeded, "
              "70 internal error.");
  app_.get_formatter()->column_width(36);
  app_.set_help_flag("--help,-h", "Show this text");
}

void Arguments::add_format_flag(ReportFormat& format, const std::string& flag, const std::string& help) {
  add_choice<ReportFormat>(flag, format, {{"text", ReportFormat::Text}, {"json", ReportFormat::Json}}, help);
}

void Arguments::add_diagnostic_flags() {
  add_format_flag(console_.diagnostics, "--diagnostics", "How errors are written to standard error");
  add_choice<ColorMode>("--color", console_.color,
                        {{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}},
                        "Colours in errors; auto asks the terminal and NO_COLOR");
  app_.add_option("--error-limit", console_.error_limit, "Stop listing errors after so many; 0: never")
      ->option_text("N");
}

CLI::Option* Arguments::add_list(const std::string& flag, std::vector<std::string>& values, const std::string& help) {
  return app_.add_option(flag, values, help)->allow_extra_args(false)->take_all();
}

ExitCode Arguments::unexpected(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return console_.report(diagnose<kUnexpectedArgument>({}, word, command_));
  const std::string flag = word.substr(0, word.find('='));
  Diagnostic diagnostic = diagnose<kUnknownFlag>({}, command_, flag);
  std::vector<std::string> names;
  for (const CLI::Option* option : app_.get_options())
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
  app_.allow_extras();
  try {
    // CLI11 takes the words from the back.
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    const Status<> written = write_product("-", app_.help());
    return written ? ExitCode::Ok : console_.report(diagnose<kCannotWrite>({}, written.error()));
  } catch (const CLI::ParseError& error) {
    return console_.report(diagnose<kBadFlag>({}, std::string_view(error.what()), command_));
  }
  const std::vector<std::string> rest = app_.remaining();
  if (rest.empty()) return std::nullopt;
  // An unknown flag explains what follows it, so it is the one to name.
  const auto flag = std::find_if(rest.begin(), rest.end(), [](const std::string& w) { return w.starts_with('-'); });
  return unexpected(flag == rest.end() ? rest.front() : *flag);
}

}  // namespace mlgc
