// Pipeline text: reading, printing, and the checks that a pipeline has to pass.
#include "pass/pipeline.h"

#include <algorithm>
#include <optional>

#include "diag/kinds_pass.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "pass/option_text.h"

namespace mlgc {

namespace {

constexpr bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// Reads one pipeline; the first error stops it.
class Reader {
 public:
  Reader(std::string_view text, LocationTable* locations, const SourceFile* file)
      : text_(text), locations_(locations), file_(file) {}

  Result<std::vector<PassStep>, Diagnostic> steps(std::span<const PassDef* const> passes) {
    std::vector<PassStep> steps;
    skip_blanks();
    while (!done()) {
      const std::size_t start = at_;
      const std::string_view name = read_name();
      if (name.empty()) return Failure{expected("the name of a pass")};
      const PassDef* pass = find_pass(passes, name);
      if (pass == nullptr) return Failure{unknown_pass(start, name, passes)};
      skip_blanks();
      PassStep step{pass, nullptr, place(start)};
      std::shared_ptr<void> options = pass->body.make_options();
      if (peek() == '{') {
        ++at_;
        if (auto error = read_options(*pass, options.get(), true)) return Failure{std::move(*error)};
        skip_blanks();
      }
      step.options = std::move(options);
      steps.push_back(std::move(step));
      if (done()) break;
      if (peek() != ',') return Failure{expected(peek() == '{' ? "`,`" : "`,` or `{`")};
      ++at_;
      skip_blanks();
      if (done()) return Failure{expected("the name of a pass")};
    }
    return steps;
  }

  // The options of one pass, up to a closing brace or the end of the text.
  std::optional<Diagnostic> read_options(const PassDef& pass, void* options, bool in_braces) {
    std::vector<std::string_view> seen;
    while (true) {
      skip_separators();
      if (done()) return in_braces ? std::optional(expected("`}`")) : std::nullopt;
      if (peek() == '}' && in_braces) {
        ++at_;
        return std::nullopt;
      }
      const std::size_t start = at_;
      const std::string_view name = read_name();
      if (name.empty()) return expected("the name of an option");
      const auto row = std::find_if(pass.options.begin(), pass.options.end(),
                                    [&](const PassOption& option) { return option.name == name; });
      if (row == pass.options.end()) return unknown_option(start, name, pass);
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        return diagnose<kRepeatedPassOption>(place(start), name, pass.name).with_width(name.size());
      seen.push_back(name);
      std::string_view value = "true";  // a bool may be named alone
      std::size_t value_at = start;
      if (peek() == '=' || row->type != "bool") {
        if (peek() != '=') return expected("`=`");
        ++at_;
        value_at = at_;
        const std::optional<std::string_view> read = read_value();
        if (!read) return expected("the end of a quoted or bracketed value");
        value = *read;
      }
      if (const Status<> status = row->set(options, value); !status)
        return diagnose<kBadPassOption>(place(value_at), name, pass.name, status.error()).with_width(value.size());
    }
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (!done() && is_blank(text_[at_])) ++at_;
  }
  void skip_separators() {
    while (!done() && (is_blank(text_[at_]) || text_[at_] == ',')) ++at_;
  }
  std::string_view read_name() {
    const std::size_t start = at_;
    while (!done() && is_name(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  // Nothing when a quote or bracket is not closed.
  std::optional<std::string_view> read_value() {
    const std::size_t start = at_;
    const auto end = option_value_end(text_, start);
    at_ = end.value_or(text_.size());
    return end ? std::optional(text_.substr(start, *end - start)) : std::nullopt;
  }

  [[nodiscard]] Location place(std::size_t offset) const {
    return locations_ == nullptr ? Location() : locations_->position_in(*file_, offset);
  }
  [[nodiscard]] Diagnostic expected(std::string_view what) const {
    const std::string found = done() ? "the end of the text" : "`" + std::string(1, text_[at_]) + "`";
    return diagnose<kPipelineSyntax>(place(std::min(at_, text_.size())), what, found);
  }
  [[nodiscard]] Diagnostic unknown_pass(std::size_t start, std::string_view name,
                                        std::span<const PassDef* const> passes) const {
    std::vector<std::string_view> names;
    for (const PassDef* pass : passes) names.push_back(pass->name);
    Diagnostic diagnostic = diagnose<kUnknownPass>(place(start), name).with_width(name.size());
    if (const auto best = closest_name(name, names)) diagnostic.add_note<kDidYouMean>({}, *best);
    return diagnostic;
  }
  [[nodiscard]] Diagnostic unknown_option(std::size_t start, std::string_view name, const PassDef& pass) const {
    std::vector<std::string_view> names;
    for (const PassOption& option : pass.options) names.push_back(option.name);
    Diagnostic diagnostic = diagnose<kUnknownPassOption>(place(start), pass.name, name).with_width(name.size());
    if (const auto best = closest_name(name, names)) diagnostic.add_note<kDidYouMean>({}, *best);
    return diagnostic;
  }

  std::string_view text_;
  LocationTable* locations_;
  const SourceFile* file_;
  std::size_t at_ = 0;
};

std::optional<Diagnostic> check_stages(const Pipeline& pipeline) {
  Stages possible = Stages::Any;
  for (const PassStep& step : pipeline.steps) {
    if ((possible & step.pass->needs) == Stages::None)
      return diagnose<kPassStage>(step.at, step.pass->name, stages_text(step.pass->needs), stages_text(possible))
          .with_width(step.pass->name.size());
    possible = step.pass->makes != Stages::None ? step.pass->makes : possible & step.pass->needs;
  }
  return std::nullopt;
}

}  // namespace

std::string print(const PassStep& step, bool with_defaults) {
  std::string options;
  const std::shared_ptr<void> defaults = step.pass->body.make_options();
  for (const PassOption& option : step.pass->options) {
    const std::string value = option.print(step.options.get());
    if (!with_defaults && value == option.print(defaults.get())) continue;
    if (!options.empty()) options += ' ';
    options += std::string(option.name) + "=" + value;
  }
  std::string text(step.pass->name);
  if (!options.empty()) text += "{" + options + "}";
  return text;
}

std::string Pipeline::print(bool with_defaults) const {
  std::string text;
  for (const PassStep& step : steps) {
    if (!text.empty()) text += ',';
    text += mlgc::print(step, with_defaults);
  }
  return text;
}

Result<Pipeline, Diagnostic> parse_pipeline(std::string_view text, std::span<const PassDef* const> passes,
                                            LocationTable* locations, std::string_view source_name) {
  const SourceFile* file =
      locations == nullptr ? nullptr : &locations->add_source(std::string(source_name), std::string(text));
  auto steps = Reader(text, locations, file).steps(passes);
  if (!steps) return Failure{std::move(steps).error()};
  Pipeline pipeline{std::move(steps).value(), {}};
  if (Status<Diagnostic> status = check_pipeline(pipeline); !status) return Failure{status.error()};
  return pipeline;
}

Result<PassStep, Diagnostic> make_step(const PassDef& pass, std::string_view options) {
  std::shared_ptr<void> made = pass.body.make_options();
  if (auto error = Reader(options, nullptr, nullptr).read_options(pass, made.get(), false))
    return Failure{std::move(*error)};
  return PassStep{&pass, std::move(made), {}};
}

Status<Diagnostic> check_pipeline(Pipeline& pipeline, std::span<const OrderFact> facts) {
  if (auto error = check_stages(pipeline)) return Failure{std::move(*error)};
  for (const OrderFact& fact : facts) {
    const PassStep* first_later = nullptr;
    const PassStep* last_earlier = nullptr;
    bool followed = false;  // a `later` comes after the last `earlier`
    for (const PassStep& step : pipeline.steps) {
      if (step.pass->name == fact.later) {
        if (first_later == nullptr) first_later = &step;
        followed = true;
      } else if (step.pass->name == fact.earlier) {
        if (fact.strength == OrderStrength::Required && first_later != nullptr)
          return Failure{diagnose<kPassOrder>(first_later->at, fact.later, fact.earlier, fact.reason)
                             .with_width(fact.later.size())};
        last_earlier = &step;
        followed = false;
      }
    }
    if (fact.strength == OrderStrength::Advised && first_later != nullptr && last_earlier != nullptr && !followed)
      pipeline.warnings.push_back(diagnose<kPassOrderAdvice>(last_earlier->at, fact.later, fact.earlier, fact.reason)
                                      .with_width(fact.earlier.size()));
  }
  return {};
}

}  // namespace mlgc
