// See torch_calls.h.
#include "import/python/torch_calls.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "diag/kinds_import_calls.h"
#include "import/python/torch_types.h"

namespace mlgc::python {

namespace {

using Kind = program::SchemaArgument::Kind;

// A parameter as the tables of schemas have it: its name and kind.
program::SchemaArgument parameter_of(const AtenParameter& parameter) {
  constexpr std::array<std::pair<mlgc_torch_kind, Kind>, 11> kKinds{{{MLGC_TORCH_TENSOR, Kind::Tensor},
                                                                     {MLGC_TORCH_TENSORS, Kind::TensorList},
                                                                     {MLGC_TORCH_INT, Kind::Int},
                                                                     {MLGC_TORCH_INTS, Kind::IntList},
                                                                     {MLGC_TORCH_FLOAT, Kind::Float},
                                                                     {MLGC_TORCH_FLOATS, Kind::FloatList},
                                                                     {MLGC_TORCH_BOOL, Kind::Bool},
                                                                     {MLGC_TORCH_BOOLS, Kind::BoolList},
                                                                     {MLGC_TORCH_NUMBER, Kind::Number},
                                                                     {MLGC_TORCH_STRING, Kind::String},
                                                                     {MLGC_TORCH_DTYPE, Kind::Dtype}}};
  program::SchemaArgument out;
  out.name = parameter.name;
  const auto* const known =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.first == parameter.kind; });
  out.kind = known == kKinds.end() ? Kind::Other : known->second;
  return out;
}

}  // namespace

bool TorchCalls::state_types(const AtenCall& call) const {
  const Result<const TorchPlugin*, Diagnostic> plugin = TorchPlugin::load();
  const AtenOp op = plugin ? (*plugin)->find(program::schema_name(call.target)) : AtenOp();
  if (!op.valid() || call.list) return false;
  const Result<std::vector<Type>, Diagnostic> types = torch_result_types(**plugin, op, builder_.scope(), call.made);
  if (!types || types->size() != call.results.size()) return false;
  for (std::size_t i = 0; i < types->size(); ++i) builder_.scope().state_type(call.results[i], (*types)[i]);
  return true;
}

bool TorchCalls::make(AtenCall& call, const std::optional<Diagnostic>& form) {
  const Node& node = call.node;
  // Without leave to fall back the call is made all the same, so that every unknown operator is found in one run.
  const bool listed = fallback_ == Fallback::Error;
  const auto refuse = [&](Diagnostic why) {
    if (listed) return note_unknown(call, ""), false;
    if (form) builder_.report(node, *form);
    why.at = builder_.location(node);
    builder_.report(node, std::move(why));
    return false;
  };
  const Result<const TorchPlugin*, Diagnostic> plugin = TorchPlugin::load();
  if (!plugin) {
    if (listed) return note_unknown(call, ""), false;
    builder_.report(node, plugin.error());
    return false;
  }
  const AtenOp op = (*plugin)->find(program::schema_name(call.target));
  if (!op.valid()) return builder_.refuse<kNoCounterpart>(node);
  call.made = builder_.described(node, "torch.ops." + call.target);
  std::vector<program::SchemaArgument> parameters;
  for (const AtenParameter& parameter : op.parameters()) parameters.push_back(parameter_of(parameter));
  // What says only where and how a result lies is no part of a call.
  for (std::size_t i = 0; i < std::min(call.operands.size(), parameters.size()); ++i)
    if (parameters[i].kind == Kind::Other && !call.operands[i].is<None>()) parameters[i].kind = Kind::Device;
  call.arguments.items.clear();
  if (!bind_operands(builder_, tensors_, call, parameters)) return false;
  if (std::optional<Diagnostic> why = program::why_no_call(call.made)) {
    if (listed) return note_unknown(call, program::no_call_reason(*why)), false;
    return refuse(*std::move(why));
  }
  const Result<std::vector<Type>, Diagnostic> types = torch_result_types(**plugin, op, builder_.scope(), call.made);
  if (!types) return refuse(types.error());
  const bool flat = std::none_of(node.outputs.begin(), node.outputs.end(), [&](std::uint32_t output) {
    return results_.type_of(output) != "Tensor" && (node.outputs.size() > 1 || results_.type_of(output) != "Tensor[]");
  });
  if (!flat) return refuse(diagnose<kNoCallResultKind>({}, call.target));
  call.results.clear();
  if (!results_.state(call, *types)) return false;
  if (types->size() != call.results.size())
    return refuse(diagnose<kNoCallResultCount>({}, call.target, types->size(), call.results.size()));
  auto problem = program::convert_to_call(builder_.scope(), call.made, builder_.location(node),
                                          form ? form->kind->id : std::string_view("unknown-operator"),
                                          form ? form->message() : std::string(), ledger_);
  if (problem) {
    if (form) builder_.report(node, *form);
    problem->at = builder_.location(node);
    builder_.report(node, *std::move(problem));
    return false;
  }
  if (listed) note_unknown(call, "");
  return true;
}

void TorchCalls::note_unknown(const AtenCall& call, const std::string& why) {
  Unknown& entry = unknown_[call.target];
  if (entry.calls++ == 0) {
    entry.at = builder_.location(call.node);
    entry.line = call.node.line;
    entry.number = unknown_.size();
  }
  if (!why.empty()) entry.why = why;
}

bool TorchCalls::all_known() const {
  if (unknown_.empty()) return true;
  std::vector<std::pair<std::string_view, const Unknown*>> found;
  for (const auto& [target, entry] : unknown_) found.emplace_back(target, &entry);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.second->number < b.second->number; });
  std::vector<std::string> listed;
  for (const auto& [target, entry] : found)
    listed.push_back(std::string(target) + " (" + std::to_string(entry->calls) +
                     (entry->calls == 1 ? " call" : " calls") + (entry->why.empty() ? "" : "; " + entry->why) + ")");
  Diagnostic diagnostic = diagnose<kUnknownOperators>(builder_.placed(found[0].second->at),
                                                      static_cast<std::int64_t>(found.size()), std::move(listed));
  for (const auto& [target, entry] : found)
    if (!entry->line.empty()) diagnostic.add_note<kScriptLine>(builder_.placed(entry->at), entry->line);
  builder_.scope().engine().emit(std::move(diagnostic));
  return false;
}

}  // namespace mlgc::python
