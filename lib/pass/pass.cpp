// Option values as text, and look-ups in rows.
#include "pass/pass.h"

#include <array>
#include <charconv>

#include "diag/kinds_pass.h"
#include "pass/option_text.h"

namespace mlgc {

std::string stages_text(Stages stages) {
  if (stages == Stages::Any) return "any stage";
  constexpr std::array<std::pair<Stages, std::string_view>, 4> kNames{
      {{Stages::Graph, "graph"}, {Stages::Fused, "fused"}, {Stages::Loops, "loops"}, {Stages::Plan, "plan"}}};
  std::string text;
  for (const auto& [stage, name] : kNames) {
    if ((stages & stage) == Stages::None) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? "none" : text;
}

const PassDef* find_pass(std::span<const PassDef* const> passes, std::string_view name) {
  for (const PassDef* pass : passes)
    if (pass->name == name) return pass;
  return nullptr;
}

PassContext::PassContext(const PassDef& pass, DiagnosticEngine& diagnostics, Numerics numerics, RewriteGate* gate)
    : pass_(&pass), diagnostics_(&diagnostics), numerics_(numerics), gate_(gate != nullptr ? gate : &own_gate_) {
  for (const PassCounter& counter : pass.counters) counters_.push_back({std::string(counter.name), 0});
}

std::uint64_t& PassContext::count(std::string_view name) {
  for (NamedCount& counter : counters_)
    if (counter.name == name) return counter.count;
  throw InternalError("pass " + std::string(pass_->name) + " lists no counter " + std::string(name));
}

void PassContext::add_rule_hits(std::string_view rule, std::uint64_t hits) {
  for (NamedCount& known : rules_) {
    if (known.name != rule) continue;
    known.count += hits;
    return;
  }
  rules_.push_back({std::string(rule), hits});
}

void reject_option(PassContext& context, std::string_view option, std::string_view problem) {
  context.diagnostics().emit(diagnose<kBadPassOption>({}, option, context.pass().name, problem));
}

namespace pass_detail {

namespace {

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

template <class T>
Status<> read_number(T& value, std::string_view text, std::string_view expected) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc::result_out_of_range) return Failure{quoted(text) + " is out of range"};
  if (error != std::errc() || end != text.data() + text.size())
    return Failure{"expected " + std::string(expected) + ", found " + quoted(text)};
  value = parsed;
  return {};
}

}  // namespace

Status<> read_option(bool& value, std::string_view text) {
  if (text != "true" && text != "false") return Failure{"expected true or false, found " + quoted(text)};
  value = text == "true";
  return {};
}
Status<> read_option(std::int64_t& value, std::string_view text) { return read_number(value, text, "an integer"); }
Status<> read_option(double& value, std::string_view text) { return read_number(value, text, "a number"); }
Status<> read_option(std::string& value, std::string_view text) {
  Result<std::string> read = read_option_text(text);
  if (!read) return Failure{std::move(read).error()};
  value = std::move(*read);
  return {};
}
Status<> read_option(std::vector<std::string>& value, std::string_view text) {
  Result<std::vector<std::string>> read = read_option_list(text);
  if (!read) return Failure{std::move(read).error()};
  value = std::move(*read);
  return {};
}

std::string print_option(bool value) { return value ? "true" : "false"; }
std::string print_option(std::int64_t value) { return std::to_string(value); }
std::string print_option(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  MLGC_ASSERT(error == std::errc(), "a double does not fit its buffer");
  return {buffer.data(), end};
}
std::string print_option(const std::string& value) { return option_text(value); }
std::string print_option(const std::vector<std::string>& value) { return option_list(value); }

}  // namespace pass_detail

}  // namespace mlgc
