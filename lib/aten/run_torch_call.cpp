// See run_torch_call.h.
#include "aten/run_torch_call.h"

#include <algorithm>
#include <utility>

#include "diag/kinds_torch.h"
#include "ops/torch_call.h"

namespace mlgc {
namespace {

class Call {
 public:
  Call(const TorchPlugin& plugin, const TorchCallRun& run)
      : plugin_(plugin), run_(run), context_(run.op.module().context()), pool_(context_.attributes()) {}

  OpResults run() {
    const std::string target(torch_target(run_.op));
    const AtenOp op = plugin_.find(target);
    if (!op.valid()) return Failure{diagnose<kNoTorchOperator>({}, plugin_.torch_version(), target)};
    const auto wrong = [&](std::string_view why) {
      return Failure{diagnose<kTorchCallFailed>({}, target, why.substr(0, why.find('\n')))};
    };
    const std::span<const StringId> parameters = pool_.as_string_list(run_.op.attr("parameters"));
    const std::size_t operands = run_.operands.size();
    for (std::size_t i = 0; i < operands; ++i)
      give_operand(*read_torch_parameter(context_.strings().text(parameters[i])), i);
    const Attribute values = run_.op.attr("arguments");
    for (std::size_t i = operands; i < parameters.size(); ++i) {
      const std::string_view name = context_.strings().text(parameters[i]);
      const auto found = std::ranges::find(op.parameters(), name, &AtenParameter::name);
      if (found == op.parameters().end()) return wrong("it has no parameter `" + std::string(name) + "`");
      arguments_.push_back({name, value(pool_.as_array(values)[i - operands], found->kind)});
    }
    if (op.has(MLGC_TORCH_MUTATES)) return Failure{diagnose<kTorchCallImpure>({}, target, "it changes its operands")};
    if (op.has(MLGC_TORCH_DRAWS) && may_draw(op))
      return Failure{diagnose<kTorchCallImpure>({}, target, "it samples a random generator of its own")};
    auto given = plugin_.call(op, arguments_);
    if (!given) return wrong(given.error());
    if (given->size() != run_.op.result_count())
      return wrong("it gives " + std::to_string(given->size()) + " results, not " +
                   std::to_string(run_.op.result_count()));
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < given->size(); ++i) {
      const Dtype wanted = context_.types().dtype(run_.op.result(i).type());
      if (!(*given)[i]) return wrong("result " + std::to_string(i) + " is undefined");
      Tensor& result = *(*given)[i];
      const bool wide = run_.precision == Precision::F64 && reference_dtype(result.dtype()) == reference_dtype(wanted);
      if (!wide && result.dtype() != wanted)
        return wrong("result " + std::to_string(i) + " is " + std::string(dtype_info(result.dtype()).name) +
                     ", stated is " + std::string(dtype_info(wanted).name));
      out.push_back(wide ? result.to_reference() : std::move(result));
    }
    return out;
  }

 private:
  // What drops out draws only while it trains, and with a share that is not 0, which it is where it is left out.
  [[nodiscard]] bool may_draw(const AtenOp& op) const {
    const auto given = [&](std::string_view name) -> const AtenValue* {
      const auto found = std::ranges::find(arguments_, name, &AtenArgument::name);
      return found == arguments_.end() ? nullptr : &found->value;
    };
    for (const AtenParameter& parameter : op.parameters()) {
      const AtenValue* const value = given(parameter.name);
      if (parameter.name == "train" || parameter.name == "training") {
        const bool* const trains = value == nullptr ? nullptr : std::get_if<bool>(value);
        if (trains != nullptr ? !*trains : parameter.has_default) return false;
      } else if (parameter.name == "dropout" || parameter.name == "dropout_p") {
        const double* const share = value == nullptr ? nullptr : std::get_if<double>(value);
        const std::int64_t* const whole = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
        if (share != nullptr ? *share == 0 : whole != nullptr ? *whole == 0 : parameter.has_default) return false;
      }
    }
    return true;
  }

  void give_operand(const TorchParameter& parameter, std::size_t i) {
    if (!parameter.item) {
      arguments_.push_back({parameter.name, run_.operands[i]});
      return;
    }
    auto list = std::ranges::find(arguments_, parameter.name, &AtenArgument::name);
    if (list == arguments_.end())
      list = arguments_.insert(list, {parameter.name, std::vector<std::optional<Tensor>>()});
    auto& items = std::get<std::vector<std::optional<Tensor>>>(list->value);
    items.resize(std::max(items.size(), *parameter.item + 1));
    items[*parameter.item] = run_.operands[i];
  }

  [[nodiscard]] AtenValue value(Attribute a, mlgc_torch_kind kind) const {
    const auto dtype = [&](Dtype d) { return run_.precision == Precision::F64 ? reference_dtype(d) : d; };
    switch (pool_.kind(a)) {
      case AttributeKind::Bool: return *pool_.as_bool(a);
      case AttributeKind::Int: return run_.size(*pool_.as_int(a));
      case AttributeKind::Float: return *pool_.as_float(a);
      case AttributeKind::String: return std::string(*pool_.as_string(a));
      case AttributeKind::Dtype: return dtype(*pool_.as_dtype(a));
      case AttributeKind::FloatList: {
        const auto items = pool_.as_float_list(a);
        return std::vector<double>(items.begin(), items.end());
      }
      case AttributeKind::BoolList: {
        const auto items = pool_.as_bool_list(a);
        return std::vector<bool>(items.begin(), items.end());
      }
      case AttributeKind::IntList: {
        // An empty list is one of integers in the text.
        std::vector<std::int64_t> items;
        for (const IndexExpr e : pool_.as_int_list(a)) items.push_back(run_.size(e));
        if (kind == MLGC_TORCH_FLOATS) return std::vector<double>(items.begin(), items.end());
        if (kind == MLGC_TORCH_BOOLS && items.empty()) return std::vector<bool>();
        if (kind == MLGC_TORCH_TENSORS && items.empty()) return std::vector<std::optional<Tensor>>();
        return items;
      }
      default: return std::monostate();
    }
  }

  const TorchPlugin& plugin_;
  const TorchCallRun& run_;
  Context& context_;
  const AttributePool& pool_;
  std::vector<AtenArgument> arguments_;
};

}  // namespace

OpResults run_torch_call(const TorchPlugin& plugin, const TorchCallRun& run) { return Call(plugin, run).run(); }

std::function<OpResults(const TorchCallRun&)> torch_calls() {
  return [](const TorchCallRun& run) -> OpResults {
    const auto plugin = TorchPlugin::load();
    if (!plugin) return Failure{plugin.error()};
    return run_torch_call(**plugin, run);
  };
}

}  // namespace mlgc
