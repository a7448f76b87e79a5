// See replay.h.
#include "pass/replay.h"

#include <array>
#include <charconv>
#include <optional>

#include "diag/kinds_check.h"
#include "text/printer.h"

namespace mlgc {
namespace {

constexpr std::array<std::string_view, 3> kVerifyNames{"off", "structure", "numeric"};

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '\n' || c == '\r') c = ' ';
  return out;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string reproducer_text(const ReproducerHead& head, const Module& module) {
  const auto line = [](std::string_view key, std::string_view value) {
    return "// " + std::string(key) + ": " + one_line(value) + "\n";
  };
  return line("mlgc-reproducer", "1") + line("version", MLGC_VERSION) + line("pipeline", head.pipeline) +
         line("numerics", numerics_name(head.numerics)) +
         line("verify-each", kVerifyNames[static_cast<std::size_t>(head.verify.each)]) +
         line("verify-seed", std::to_string(head.verify.seed)) +
         line("verify-limit", std::to_string(head.verify.limit)) +
         line("verify-finite", head.verify.finite ? "true" : "false") + line("command", head.command) +
         line("failure", head.failure) + print(module, {.locations = true});
}

Result<ReproducerHead, Diagnostic> read_reproducer(const SourceFile& file, const LocationTable& table) {
  const std::string_view text = file.text();
  std::size_t at = 0;
  const auto wrong = [&](std::size_t offset, const std::string& reason) {
    return Failure{diagnose<kNotAReproducer>(table.position_in(file, offset), file.name(), reason)};
  };
  // The value of the next line, which must have this key; its offset is in `at` before.
  std::size_t value_at = 0;
  const auto next = [&](std::string_view key) -> std::optional<std::string_view> {
    const std::string start = "// " + std::string(key) + ": ";
    if (!text.substr(at).starts_with(start)) return std::nullopt;
    value_at = at + start.size();
    const std::size_t end = std::min(text.find('\n', value_at), text.size());
    at = std::min(end + 1, text.size());
    return text.substr(value_at, end - value_at);
  };
  const auto missing = [&](std::string_view key) {
    return wrong(at, "it has no line `// " + std::string(key) + ": …` here");
  };

  const auto form = next("mlgc-reproducer");
  if (!form) return missing("mlgc-reproducer");
  const auto version = next("version");
  if (!version) return missing("version");
  if (*form != "1" || *version != MLGC_VERSION)
    return Failure{diagnose<kReproducerVersion>(table.position_in(file, value_at), *version, MLGC_VERSION)};
  ReproducerHead head;
  const auto pipeline = next("pipeline");
  if (!pipeline) return missing("pipeline");
  head.pipeline = *pipeline;
  const auto numerics = next("numerics");
  if (!numerics) return missing("numerics");
  if (const auto mode = parse_numerics(*numerics))
    head.numerics = *mode;
  else
    return wrong(value_at, "`" + std::string(*numerics) + "` is no mode of --numerics");
  const auto each = next("verify-each");
  if (!each) return missing("verify-each");
  bool known = false;
  for (std::size_t i = 0; i < kVerifyNames.size(); ++i)
    if (kVerifyNames[i] == *each) {
      head.verify.each = static_cast<VerifyEach>(i);
      known = true;
    }
  if (!known) return wrong(value_at, "`" + std::string(*each) + "` is no value of --verify-each");
  for (const auto& [key, target] :
       {std::pair{"verify-seed", &head.verify.seed}, {"verify-limit", &head.verify.limit}}) {
    const auto value = next(key);
    if (!value) return missing(key);
    const auto parsed = number(*value);
    if (!parsed) return wrong(value_at, "`" + std::string(*value) + "` is not a number");
    *target = *parsed;
  }
  const auto finite = next("verify-finite");
  if (!finite) return missing("verify-finite");
  head.verify.finite = *finite == "true";
  return head;
}

}  // namespace mlgc
