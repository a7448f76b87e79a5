// See driver.h.
#include "driver/driver.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/command.h"
#include "driver/console.h"
#include "support/activity.h"
#include "support/file.h"
#include "support/interruption.h"
#include "support/reproducer.h"
#include "support/stack_overflow.h"
#include "tensor/too_large.h"

namespace mlgc {
namespace {

ExitCode print_out(std::string_view text) {
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : Console{}.report(diagnose<kCannotWrite>({}, written.error()));
}

std::string help() {
  std::string text = "mlgc: an ML graph compiler\n\nusage: mlgc COMMAND [FLAG…] [FILE]\n\nCommands:\n";
  for (const Command& command : commands()) {
    text += "  " + std::string(command.name);
    text.append(command.name.size() < 12 ? 12 - command.name.size() : 1, ' ');
    text += std::string(command.summary) + "\n";
  }
  text +=
      "\nExamples:\n"
      "  mlgc opt model.mlir --form=generic                       the module in plain MLIR syntax\n"
      "  mlgc eval model.mlir --input=x=8x4xf32=rand:seed=1       the results on random inputs\n"
      "  mlgc ops softmax                                         what an op means\n"
      "  mlgc bench --config=flags.toml                           flags from a file; --print-config prints such a "
      "file\n"
      "  mlgc COMMAND --help                                      flags and examples of a command\n"
      "\nExit codes: 0 ok, 1 bad input, 2 bad usage, 3 unsupported, 4 mismatch, 5 limit exceeded,\n"
      "70 internal error.\n";
  return text;
}

ExitCode dispatch(std::span<const std::string> words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--help" || first == "-h" || first == "help") return print_out(help());
  if (first == "--version") return print_out("mlgc " MLGC_VERSION "\n");
  if (words.empty()) {
    write_talk(help());
    return ExitCode::BadUsage;
  }
  for (const Command& command : commands())
    if (command.name == first) {
      const Progress progress(first);
      return command.run(Words(words.begin() + 1, words.end()));
    }
  Diagnostic diagnostic = diagnose<kUnknownCommand>({}, first);
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  if (const auto best = closest_name(first, names)) diagnostic.add_note<kDidYouMean>({}, *best);
  return Console{}.report(std::move(diagnostic));
}

// As Arguments::parse() finds it, for what can fail before and after.
Console console_of(std::span<const std::string> words) {
  const bool json = std::ranges::find(words, "--diagnostics=json") != words.end();
  return {.diagnostics = json ? ReportFormat::Json : ReportFormat::Text};
}

// The message is made now: when the stack has overflowed, nothing can be.
void end_with_message_on_stack_overflow(std::span<const std::string> words) {
  constexpr std::string_view kDoing = "{doing}";
  const LocationTable nowhere;
  DiagnosticEngine engine(nowhere, 0);
  engine.emit(diagnose<kOutOfStack>({}, kDoing));
  const Console console = console_of(words);
  const std::string text = console.rendered(engine);
  const std::size_t at = text.find(kDoing);
  end_on_stack_overflow(
      {text.substr(0, at), text.substr(at + kDoing.size()), console.diagnostics == ReportFormat::Json},
      static_cast<int>(kOutOfStack.exit));
}

}  // namespace

ExitCode guard(std::span<const std::string> words, const std::function<ExitCode()>& body) {
  std::string what = "unknown exception";
  try {
    const Activity running("running", "`mlgc " + (words.empty() ? std::string() : words.front()) + "`");
    return body();
  } catch (const std::bad_alloc&) {
    return console_of(words).report(diagnose<kOutOfMemory>({}, current_activity()));
  } catch (const TensorTooLarge& error) {
    return console_of(words).report(
        diagnose<kOutOfMemory>({}, current_activity() + (": " + std::string(error.what()))));
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  return console_of(words).report(diagnose<kInternalError>({}, what, write_reproducer(words, what)));
}

ExitCode run_driver(int argc, const char* const* argv) {
  // A reader that closes its end (`mlgc … | head`) is seen as a failed write, not as a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const Words words(argv + std::min(argc, 1), argv + argc);
  clean_up_on_signals();
  end_with_message_on_stack_overflow(words);
  return guard(words, [&] { return dispatch(words); });
}

}  // namespace mlgc
