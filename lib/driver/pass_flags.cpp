// See pass_flags.h.
#include "driver/pass_flags.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "driver/dim_flag.h"
#include "pass/option_text.h"
#include "transforms/all_passes.h"
#include "transforms/pipelines.h"

namespace mlgc {
namespace {

const PassDef* pass_of(std::string_view word) {
  if (!word.starts_with("--")) return nullptr;
  word.remove_prefix(2);
  return find_pass(all_passes(), word.substr(0, word.find('=')));
}

// `-O2`
const NamedPipeline* level_of(std::string_view word) {
  return word.starts_with("-O") ? find_pipeline(word.substr(1)) : nullptr;
}

// `--to=fused`
constexpr std::string_view kToFlag = "--to";

bool is_to_flag(std::string_view word) {
  return word == kToFlag || (word.starts_with(kToFlag) && word.substr(kToFlag.size()).starts_with('='));
}

Result<Pipeline, Diagnostic> passes_to(std::string_view flag) {
  const std::string_view level = flag.substr(std::min(flag.size(), kToFlag.size() + 1));
  std::vector<std::string> names;
  for (const NamedPipeline& row : level_pipelines()) {
    if (row.name == level) return parse_pipeline(row.text, all_passes());
    names.emplace_back(row.name);
  }
  Diagnostic diagnostic =
      diagnose<kBadFlag>({}, "`" + std::string(flag) + "`: there is no such level of the program", "opt");
  diagnostic.add_note<kKnownNames>({}, names);
  return Failure{std::move(diagnostic)};
}

// `--rules=FILE` is short for `--apply-rules=file=FILE`.
constexpr std::string_view kRulesFlag = "--rules";

bool is_rules_flag(std::string_view word) {
  return word == kRulesFlag || (word.starts_with(kRulesFlag) && word.substr(kRulesFlag.size()).starts_with('='));
}

Result<PassStep, Diagnostic> step_of(std::string_view flag) {
  const std::size_t equals = flag.find('=');
  if (is_rules_flag(flag)) {
    if (equals == std::string_view::npos)
      return Failure{diagnose<kBadFlag>({}, "`--rules` needs a file: `--rules=FILE`", "opt")};
    const std::string_view value = flag.substr(equals + 1);
    const auto files = read_option_list(value);
    return make_step(*find_pass(all_passes(), "apply-rules"),
                     "file=" + (files ? option_list(*files) : std::string(value)));
  }
  return make_step(*pass_of(flag), equals == std::string_view::npos ? std::string_view() : flag.substr(equals + 1));
}

}  // namespace

std::vector<std::string> rule_files_of(const Words& pass_flags) {
  std::vector<std::string> files;
  for (const std::string& flag : pass_flags)
    if (is_rules_flag(flag) && flag.size() > kRulesFlag.size()) files.push_back(flag.substr(kRulesFlag.size() + 1));
  return files;
}

bool is_pass_flag(const std::string& word, bool with_to) {
  return pass_of(word) != nullptr || level_of(word) != nullptr || (with_to && is_to_flag(word)) || is_rules_flag(word);
}

void add_pass_flags(Arguments& arguments, Words& taken, bool with_to) {
  std::vector<std::string> names;
  for (const PassDef* pass : all_passes()) names.push_back("--" + std::string(pass->name));
  for (const NamedPipeline& level : named_pipelines()) names.push_back("-" + std::string(level.name));
  names.emplace_back(kToFlag);
  names.emplace_back(kRulesFlag);
  const auto is_one = [with_to](const std::string& word) { return is_pass_flag(word, with_to); };
  arguments.add_ordered_flags("passes", taken, is_one, std::move(names), "--pass-pipeline");
}

std::string levels_help() {
  std::string out;
  for (const NamedPipeline& level : named_pipelines())
    out += "-" + std::string(level.name) + ": " + std::string(level.summary) + "\n";
  for (const NamedPipeline& level : level_pipelines())
    out += "--to=" + std::string(level.name) + ": " + std::string(level.summary) + "\n";
  return out;
}

Result<Pipeline, Diagnostic> make_pipeline(const Words& pass_flags, const std::optional<std::string>& pipeline_text,
                                           LocationTable& locations) {
  Pipeline pipeline;
  for (const std::string& flag : pass_flags) {
    if (pipeline_text && !is_rules_flag(flag)) return Failure{diagnose<kFlagConflict>({}, "--pass-pipeline", flag)};
    const NamedPipeline* level = level_of(flag);
    if (level != nullptr || is_to_flag(flag)) {
      Result<Pipeline, Diagnostic> steps =
          level != nullptr ? parse_pipeline(level->text, all_passes()) : passes_to(flag);
      if (!steps) return Failure{std::move(steps).error()};
      // What one level has inlined the next one need not.
      const bool inlined = !steps->steps.empty() && steps->steps.front().pass->name == "inline" &&
                           std::any_of(pipeline.steps.begin(), pipeline.steps.end(), [&](const PassStep& step) {
                             return print(step) == print(steps->steps.front());
                           });
      std::move(steps->steps.begin() + (inlined ? 1 : 0), steps->steps.end(), std::back_inserter(pipeline.steps));
      continue;
    }
    Result<PassStep, Diagnostic> step = step_of(flag);
    if (!step) return Failure{std::move(step).error()};
    pipeline.steps.push_back(*std::move(step));
  }
  if (pipeline_text) {
    auto behind = parse_pipeline(*pipeline_text, all_passes(), &locations, "<pass-pipeline>");
    if (!behind || pipeline.steps.empty()) return behind;
    pipeline.steps.insert(pipeline.steps.end(), behind->steps.begin(), behind->steps.end());
  }
  if (Status<Diagnostic> checked = check_pipeline(pipeline); !checked) return Failure{checked.error()};
  return pipeline;
}

std::optional<Diagnostic> specialize_first(Pipeline& pipeline, const std::vector<std::string>& dims,
                                           std::string_view command) {
  if (dims.empty()) return std::nullopt;
  std::vector<SizeBinding> read;
  if (auto wrong = read_dim_flags(dims, command, read)) return wrong;
  auto step = make_step(*find_pass(all_passes(), "specialize-dims"), "dims=" + option_list(dims));
  if (!step) return std::move(step).error();
  const bool sorts = !pipeline.steps.empty() && pipeline.steps[0].pass->takes_any_order;
  pipeline.steps.insert(pipeline.steps.begin() + (sorts ? 1 : 0), *std::move(step));
  if (Status<Diagnostic> checked = check_pipeline(pipeline); !checked) return checked.error();
  return std::nullopt;
}

}  // namespace mlgc
