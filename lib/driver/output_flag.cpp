// See output_flag.h.
#include "driver/output_flag.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/kinds_torch.h"
#include "tensor/compare.h"
#include "tensor/npy.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

const Tensor* find(const NamedTensors& tensors, std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [name](const auto& t) { return t.first == name; });
  return found == tensors.end() ? nullptr : &found->second;
}

std::string shown(const NamedTensor& output) {
  return output.first + ": " + output.second.type_string() + "\n" + print_tensor(output.second) + "\n";
}

std::string difference_text(const Difference& difference, std::string_view name, ReportFormat format) {
  std::string text =
      format == ReportFormat::Json ? render_json(difference, name) + "\n" : render_text(difference, name);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

ExitCode write_outputs(const Console& console, const std::vector<std::string>& flags, std::string_view function,
                       const NamedTensors& outputs) {
  // Everything is looked at before anything is written.
  struct Target {
    std::string path;
    NamedTensors tensors;
  };
  std::vector<Target> targets;
  std::string text;
  for (const std::string& flag : flags) {
    NamedTensors chosen = outputs;
    std::string target = flag;
    if (flag != "-" && !flag.starts_with('@')) {
      const std::string name = flag.substr(0, flag.find('='));
      const Tensor* tensor = find(outputs, name);
      if (tensor == nullptr) {
        Diagnostic diagnostic = diagnose<kUnknownOutput>({}, function, name);
        std::vector<std::string> names;
        for (const NamedTensor& output : outputs) names.push_back(output.first);
        diagnostic.add_note<kKnownNames>({}, names);
        return console.report(std::move(diagnostic));
      }
      chosen = {{name, *tensor}};
      target = name.size() == flag.size() ? "-" : flag.substr(name.size() + 1);
    }
    if (target == "-") {
      for (const NamedTensor& output : chosen) text += shown(output);
      continue;
    }
    const std::string path = target.starts_with('@') ? target.substr(1) : "";
    const bool archive = path.ends_with(".npz");
    if (path.empty() || (!archive && (!path.ends_with(".npy") || chosen.size() != 1)))
      return console.report(diagnose<kBadFlag>(
          {}, "--output: `" + flag + "` is none of -, @file.npz, NAME=@file.npy and NAME=-", "eval"));
    for (const Target& other : targets)
      if (other.path == path)
        return console.report(diagnose<kBadFlag>({}, "--output: `" + path + "` is named twice", "eval"));
    targets.push_back({path, std::move(chosen)});
  }
  for (const auto& [path, tensors] : targets) {
    const Status<> written =
        path.ends_with(".npz") ? write_npz(path, tensors) : write_npy(path, tensors.front().second);
    if (!written) return console.report(diagnose<kCannotWrite>({}, written.error()));
  }
  if (text.empty()) return ExitCode::Ok;
  const Status<> written = write_product("-", text);
  return written ? ExitCode::Ok : console.report(diagnose<kCannotWrite>({}, written.error()));
}

std::optional<ExitCode> compare_outputs(const Console& console, const std::string& reference,
                                        const EngineOutputs& native,
                                        const std::function<std::optional<NamedTensors>()>& exact,
                                        const NearbyErrors& nearby, ReportFormat format) {
  const Result<NamedTensors> members = read_npz(reference, NpyVoid2::ReadAsBf16);
  if (!members) return console.report(diagnose<kCannotRead>({}, members.error()));
  const auto compared = compare_with_reference(*members, native, exact, nearby);
  if (!compared) return std::nullopt;
  std::string text;
  std::int64_t differing = 0;
  ExitCode code = ExitCode::Ok;
  for (const auto& [name, difference] : *compared) {
    if (!difference) {
      code = std::max(code, console.report(diagnose<kOutputMissing>({}, reference, name)));
      continue;
    }
    if (!difference->agrees) ++differing;
    text += difference_text(*difference, name, format);
  }
  const Status<> written = write_product("-", text);
  if (!written) return console.report(diagnose<kCannotWrite>({}, written.error()));
  if (differing > 0)
    code = std::max(code, console.report(diagnose<kOutputsDiffer>(
                              {}, differing, static_cast<std::int64_t>(native.tensors.size()), reference)));
  return code;
}

ExitCode compare_backends(const Console& console, std::span<const EngineOutputs> backends, const NamedTensors& exact,
                          const NearbyErrors& nearby, const std::map<std::string, std::uint64_t>& not_checked,
                          ReportFormat format) {
  std::string text;
  std::vector<std::string> differing;
  const std::vector<ComparedOutput> compared = compare_with_peers(backends, exact, nearby);
  for (const ComparedOutput& one : compared) {
    const std::string name = one.result + " by " + std::string(one.engine);
    if (!one.difference.agrees) differing.push_back(name);
    text += difference_text(one.difference, name, format);
  }
  for (const auto& [target, calls] : not_checked) {
    if (format == ReportFormat::Json)
      text +=
          nlohmann::ordered_json{{"version", 1}, {"name", target}, {"judged", false}, {"calls", calls}}.dump(2) + "\n";
    else
      text += target + ": not checked: " + std::to_string(calls) + (calls == 1 ? " call" : " calls") +
              " of PyTorch, in every back end\n";
  }
  const Status<> written = write_product("-", text);
  if (!written) return console.report(diagnose<kCannotWrite>({}, written.error()));
  if (differing.empty()) return ExitCode::Ok;
  const auto count = static_cast<std::int64_t>(differing.size());
  return console.report(
      diagnose<kBackendsDiffer>({}, count, static_cast<std::int64_t>(compared.size()), std::move(differing)));
}

}  // namespace mlgc
