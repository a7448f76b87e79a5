// See pass_flags.h.
#include "driver/pass_flags.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "diag/kinds_driver.h"
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

}  // namespace

Words take_pass_flags(Words& words) {
  Words taken, rest;
  bool more = true;
  for (std::string& word : words) {
    more = more && word != "--";
    (more && (pass_of(word) != nullptr || level_of(word) != nullptr) ? taken : rest).push_back(std::move(word));
  }
  words = std::move(rest);
  return taken;
}

std::vector<std::string> pass_flag_names() {
  std::vector<std::string> names;
  for (const PassDef* pass : all_passes()) names.push_back("--" + std::string(pass->name));
  for (const NamedPipeline& level : named_pipelines()) names.push_back("-" + std::string(level.name));
  return names;
}

std::string levels_help() {
  std::string out;
  for (const NamedPipeline& level : named_pipelines())
    out += "-" + std::string(level.name) + ": " + std::string(level.summary) + "\n";
  return out;
}

Result<Pipeline, Diagnostic> make_pipeline(const Words& pass_flags, const std::optional<std::string>& pipeline_text,
                                           LocationTable& locations) {
  if (pipeline_text) {
    if (!pass_flags.empty()) return Failure{diagnose<kFlagConflict>({}, "--pass-pipeline", pass_flags.front())};
    return parse_pipeline(*pipeline_text, all_passes(), &locations, "<pass-pipeline>");
  }
  Pipeline pipeline;
  for (const std::string& flag : pass_flags) {
    if (const NamedPipeline* level = level_of(flag)) {
      Result<Pipeline, Diagnostic> steps = parse_pipeline(level->text, all_passes());
      if (!steps) return Failure{std::move(steps).error()};
      std::move(steps->steps.begin(), steps->steps.end(), std::back_inserter(pipeline.steps));
      continue;
    }
    const std::size_t equals = flag.find('=');
    Result<PassStep, Diagnostic> step = make_step(
        *pass_of(flag), equals == std::string::npos ? std::string_view() : std::string_view(flag).substr(equals + 1));
    if (!step) return Failure{std::move(step).error()};
    pipeline.steps.push_back(*std::move(step));
  }
  if (Status<Diagnostic> checked = check_pipeline(pipeline); !checked) return Failure{checked.error()};
  return pipeline;
}

}  // namespace mlgc
