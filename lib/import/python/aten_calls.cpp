// See aten_calls.h.
#include "import/python/aten_calls.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/program/schema.h"
#include "import/python/equivalents.h"

namespace mlgc::python {

using program::Sharing;

bool AtenCalls::run(const Node& node) {
  const std::string_view kind = node.kind;
  if (!kind.starts_with("aten::")) return builder_.refuse<kNoCounterpart>(node);
  const std::string_view full = kind.substr(6);
  const std::size_t dot = std::min(full.find('.'), full.size());
  std::string_view base = full.substr(0, dot);
  const std::string overload(dot < full.size() ? full.substr(dot + 1) : "default");
  std::vector<PythonValue> operands = values_.inputs(node);

  Tensor changed;
  if (program::is_in_place(base)) {
    base.remove_suffix(1);
    if (operands.empty() || !operands[0].is<Tensor>())
      return builder_.refuse<kArgumentKind>(node, "what it changes",
                                            operands.empty() ? "missing" : kind_name(operands[0]), "a tensor");
    changed = *operands[0].as<Tensor>();
  }
  if (gives_operand(base, operands)) {
    values_.set_output(node, 0, operands[0]);
    return true;
  }
  if (!changed && run_on_sizes(values_, builder_, tensors_, node, base) == Ran::Yes) return true;
  if (full == "select.int" && operands[2].is<Computed>()) return run_select(values_, builder_, tensors_, node);

  std::string target = std::string(base) + "." + overload;
  if (!to_exported(builder_, tensors_, node, target, operands)) return false;
  target.insert(0, "aten.");
  AtenCall call{node, std::string(base), target, std::move(operands), changed, builder_.described(node, target), {}, {},
                false};
  torch_.count_operator();
  return convert(call) && give_results(call);
}

bool AtenCalls::convert(AtenCall& call) {
  const Node& node = call.node;
  const std::optional<program::Schema> schema = program::find_schema(call.target);
  if (!schema || !builder_.knows(call.target)) return torch_.make(call);

  if (!bind_operands(builder_, tensors_, call, schema->arguments)) return false;
  const std::string fresh = sizes_.fresh();
  ResultTypes types = result_types(call.target, builder_.spelling(node), call.arguments, builder_.context(), fresh);
  if (types.wrong) {
    types.wrong->at = builder_.location(node);
    builder_.report(node, *std::move(types.wrong));
    return false;
  }
  sizes_.note(fresh, types.types);
  if (!results_.state(call, types.types)) return false;
  std::optional<Diagnostic> form;
  if (builder_.convert(node, call.made, form)) return true;
  // The conversion may have asked for types that no row of result_types.cpp says.
  if (form && types.types.empty() && torch_.state_types(call)) {
    form.reset();
    if (builder_.convert(node, call.made, form)) return true;
  }
  if (!form) return false;
  if (torch_.allowed()) return torch_.make(call, form);
  builder_.report(node, *std::move(form));
  return false;
}

bool AtenCalls::change_operand(const AtenCall& call, Value value) {
  const Node& node = call.node;
  const Value before = tensors_.value(node, call.changed);
  if (!before.valid()) return false;
  if (value.dtype() != before.dtype()) {
    const std::array one{value};
    value = builder_.emit(node, "cast", one, {{"dtype", builder_.context().attributes().dtype(before.dtype())}});
  }
  if (!value.valid()) return false;
  const TypePool& pool = builder_.context().types();
  if (value.type() != before.type())
    return builder_.refuse<kTypeChanged>(node, "the change in place", pool.print(value.type()),
                                         pool.print(before.type()));
  if (!tensors_.change(node, call.changed, value)) return false;
  values_.set_output(node, 0, call.operands[0]);
  return true;
}

bool AtenCalls::give_results(const AtenCall& call) {
  const Node& node = call.node;
  std::vector<PythonValue> results;
  const Tensor* const first = call.operands.empty() ? nullptr : call.operands[0].as<Tensor>();
  for (const std::string& name : call.results) {
    const Value value = builder_.scope().find(name);
    if (!value.valid()) {
      results.push_back({Undefined()});
      continue;
    }
    if (call.changed) return change_operand(call, value);
    const Tensor made = tensors_.create(value);
    if (first != nullptr) make_view(call, *first, made, results.size());
    results.push_back({made});
  }
  if (call.list) {
    values_.set_output(node, 0,
                       {List{std::make_shared<std::vector<PythonValue>>(std::move(results)), builder_.depth()}});
    return true;
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) values_.set_output(node, i, results[i]);
  return true;
}

// `made` is result `output` of an operator that may give a view of its first operand.
void AtenCalls::make_view(const AtenCall& call, const Tensor& first, const Tensor& made, std::size_t output) const {
  std::optional<Sharing> sharing = program::sharing_of(call.base, call.target);
  if (call.base == "to" || call.base == "type_as") {
    // Another element type is a copy; the same is the tensor itself, unless a flag asks for a copy.
    if (!(made->value == first->value)) return;
    const bool flagged = std::any_of(call.node.inputs.begin(), call.node.inputs.end(), [&](std::uint32_t i) {
      const bool* const flag = values_.get(i).as<bool>();
      return flag != nullptr && *flag;
    });
    sharing = flagged ? Sharing::Perhaps : Sharing::Same;
  }
  if (!sharing) return;
  made->memory = first->memory;
  made->version = made->memory->version;
  if (*sharing == Sharing::Perhaps) return;
  ViewMaker maker{call.made, {}};
  for (const std::string& name : call.results) {
    const Value value = builder_.scope().find(name);
    maker.types.push_back(value.valid() ? value.type() : Type());
  }
  made->base = first;
  made->maker = std::make_shared<const ViewMaker>(std::move(maker));
  made->output = output;
  made->sharing = *sharing;
}

}  // namespace mlgc::python
