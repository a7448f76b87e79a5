// See row_binding.h.
#include "aten/row_binding.h"

#include <algorithm>
#include <utility>

#include "aten/aten_overloads.h"
#include "ops/attribute_value.h"

namespace mlgc {
namespace {

// `aten.add.Tensor` of a row as `aten::add.Tensor`.
std::string full_name(std::string_view row_name) {
  std::string out(row_name);
  const std::size_t dot = out.find('.');
  out.replace(dot, 1, "::");
  constexpr std::string_view kDefault = ".default";
  if (out.ends_with(kDefault)) out.resize(out.size() - kDefault.size());
  return out;
}

class Binding {
 public:
  Binding(const RowUse& use, const AtenOp& op, std::span<const OverloadArgument> stated)
      : use_(use), def_(use.def), context_(use.context), op_(op), stated_(stated) {
    values_.resize(op.parameters().size());
    used_operands_.resize(def_.operands.size());
    used_attributes_.resize(def_.attrs.size());
  }

  // Error: what has no place.
  Result<std::vector<BoundArgument>> bind() {
    bind_spelled();
    bind_operands_by_name();
    bind_operands_in_order();
    bind_attributes();
    check_all_used();
    if (!problem_.empty()) return Failure{problem_};
    std::vector<BoundArgument> out;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i]) out.push_back({&parameter(i), std::move(*values_[i])});
    return out;
  }

 private:
  [[nodiscard]] const AtenParameter& parameter(std::size_t i) const { return op_.parameters()[i]; }
  static bool takes_data(const AtenParameter& p) { return p.kind == MLGC_TORCH_TENSOR || p.kind == MLGC_TORCH_TENSORS; }
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  void bind_spelled() {
    for (const OverloadArgument& argument : stated_) {
      const auto found = std::ranges::find(op_.parameters(), argument.parameter, &AtenParameter::name);
      if (found == op_.parameters().end()) {  // of another release
        fail("it has no parameter `" + std::string(argument.parameter) + "`");
        continue;
      }
      auto& value = values_[static_cast<std::size_t>(found - op_.parameters().begin())];
      if (const auto* const named = std::get_if<AttributeNamed>(&argument.value)) {
        value = take_attribute(named->name, *found);
        continue;
      }
      std::visit(
          [&](const auto& literal) {
            using Literal = std::decay_t<decltype(literal)>;
            if constexpr (std::is_same_v<Literal, std::string_view>)
              value = std::string(literal);
            else if constexpr (std::is_same_v<Literal, std::int64_t>)
              value = context_.index().constant(literal);
            else if constexpr (!std::is_same_v<Literal, AttributeNamed>)
              value = literal;
          },
          argument.value);
    }
  }

  void bind_operands_by_name() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      for (std::size_t k = 0; k < def_.operands.size(); ++k)
        if (!values_[i] && takes_data(parameter(i)) && def_.operands[k].name == parameter(i).name) bind_operand(i, k);
  }

  void bind_operands_in_order() {
    std::size_t k = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] || !takes_data(parameter(i))) continue;
      while (k < used_operands_.size() && used_operands_[k]) ++k;
      if (k < used_operands_.size())
        bind_operand(i, k);
      else if (parameter(i).optional)
        values_[i] = std::monostate();
      else
        fail("parameter `" + std::string(parameter(i).name) + "` has no operand");
    }
  }

  void bind_operand(std::size_t i, std::size_t k) {
    used_operands_[k] = true;
    const OperandDef& operand = def_.operands[k];
    if (operand.variadic) {
      BoundOperands all;
      for (std::size_t n = k; n < use_.operands; ++n) all.emplace_back(n);
      if (const auto positions = take_positions(); !positions.empty() || (all.empty() && parameter(i).optional)) {
        BoundOperands spread;
        for (std::size_t n = 0; n < positions.size() && n < all.size(); ++n) {
          spread.resize(std::max(spread.size(), positions[n] + 1));
          spread[positions[n]] = all[n];
        }
        all = std::move(spread);
      }
      values_[i] = std::move(all);
      return;
    }
    if (k < use_.operands) {
      values_[i] = BoundOperand{k};
      return;
    }
    for (const AttrDef& attr : def_.attrs)
      if (attr.instead_of == operand.name && use_.attributes.find(attr.name) != nullptr) {
        values_[i] = take_attribute(attr.name, {.name = parameter(i).name, .kind = MLGC_TORCH_NUMBER});
        return;
      }
    if (parameter(i).optional)
      values_[i] = std::monostate();
    else
      fail("operand `" + std::string(operand.name) + "` is absent");
  }

  // The axes that tensors of subscripts stand for.
  std::vector<std::size_t> take_positions() {
    std::vector<std::size_t> out;
    const AttrValue* const value = use_.attributes.find("positions");
    const auto* const list = value == nullptr ? nullptr : std::get_if<std::vector<IndexExpr>>(value);
    if (list == nullptr) return out;
    mark("positions");
    for (const IndexExpr e : *list) {
      const auto axis = context_.index().as_constant(e);
      if (!axis) fail("attribute `positions` is not a constant");
      out.push_back(static_cast<std::size_t>(axis.value_or(0)));
    }
    return out;
  }

  void bind_attributes() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const AtenParameter& p = parameter(i);
      if (values_[i] || takes_data(p)) continue;
      if (use_.attributes.find(p.name) != nullptr) {
        values_[i] = take_attribute(p.name, p);
      } else if (!p.has_default) {
        if (p.optional)
          values_[i] = std::monostate();
        else
          fail("parameter `" + std::string(p.name) + "` has no attribute");
      }
    }
  }

  void mark(std::string_view attribute) {
    for (std::size_t k = 0; k < def_.attrs.size(); ++k)
      if (def_.attrs[k].name == attribute) used_attributes_[k] = true;
  }

  // Nothing when there is no such attribute or it does not fit the parameter.
  std::optional<BoundValue> take_attribute(std::string_view name, const AtenParameter& p) {
    const AttrValue* const value = use_.attributes.find(name);
    if (value == nullptr) {
      fail("attribute `" + std::string(name) + "` is absent");
      return std::nullopt;
    }
    mark(name);
    auto converted = std::visit([&](const auto& v) { return convert(name, v, p.kind); }, *value);
    if (!converted) fail("attribute `" + std::string(name) + "` does not fit");
    return converted;
  }

  using Converted = std::optional<BoundValue>;
  static Converted convert(std::string_view, bool v, mlgc_torch_kind kind) {
    return kind == MLGC_TORCH_BOOL || kind == MLGC_TORCH_NUMBER ? Converted(v) : std::nullopt;
  }
  static Converted convert(std::string_view, IndexExpr v, mlgc_torch_kind kind) {
    switch (kind) {
      case MLGC_TORCH_INT:
      case MLGC_TORCH_FLOAT:
      case MLGC_TORCH_NUMBER: return v;
      case MLGC_TORCH_INTS: return std::vector<IndexExpr>{v};
      default: return std::nullopt;
    }
  }
  static Converted convert(std::string_view, double v, mlgc_torch_kind kind) {
    return kind == MLGC_TORCH_FLOAT || kind == MLGC_TORCH_NUMBER ? Converted(v) : std::nullopt;
  }
  Converted convert(std::string_view name, const std::string& v, mlgc_torch_kind kind) {
    if (kind == MLGC_TORCH_STRING) return v;
    const std::int64_t number = number_for_word(name, v);
    return kind == MLGC_TORCH_INT && number >= 0 ? Converted(context_.index().constant(number)) : std::nullopt;
  }
  static Converted convert(std::string_view, Dtype v, mlgc_torch_kind kind) {
    return kind == MLGC_TORCH_DTYPE ? Converted(v) : std::nullopt;
  }
  static Converted convert(std::string_view name, const std::vector<IndexExpr>& v, mlgc_torch_kind kind) {
    if (v.empty() && name == "dim") return std::nullopt;  // ATen takes no axes for all of them
    if (kind == MLGC_TORCH_INT && v.size() == 1) return v[0];
    return kind == MLGC_TORCH_INTS ? Converted(v) : std::nullopt;
  }
  static Converted convert(std::string_view, const std::vector<double>& v, mlgc_torch_kind kind) {
    return kind == MLGC_TORCH_FLOATS ? Converted(v) : std::nullopt;
  }

  void check_all_used() {
    for (std::size_t k = 0; k < used_operands_.size(); ++k)
      if (!used_operands_[k] && k < use_.operands)
        fail("operand `" + std::string(def_.operands[k].name) + "` has no parameter");
    for (std::size_t k = 0; k < used_attributes_.size(); ++k) {
      const AttrValue* const value = use_.attributes.find(def_.attrs[k].name);
      if (used_attributes_[k] || value == nullptr) continue;
      if (fallback_attribute(context_, def_, def_.attrs[k].name) != *value)
        fail("attribute `" + std::string(def_.attrs[k].name) + "` has no parameter");
    }
  }

  const RowUse& use_;
  const OpDef& def_;
  Context& context_;
  const AtenOp& op_;
  std::span<const OverloadArgument> stated_;
  std::vector<std::optional<BoundValue>> values_;  // by parameter
  std::vector<bool> used_operands_, used_attributes_;
  std::string problem_;
};

}  // namespace

Result<BoundCall> bind_row(const TorchPlugin& plugin, const RowUse& use) {
  const OpDef& def = use.def;
  if (const std::string_view reason = why_no_overload(def.name); !reason.empty()) return Failure{std::string(reason)};
  std::string problems;
  const auto attempt = [&](std::string_view name,
                           std::span<const OverloadArgument> stated) -> std::optional<BoundCall> {
    const AtenOp op = plugin.find(name);
    std::string problem = "LibTorch does not have it";
    if (op.valid()) {
      auto arguments = Binding(use, op, stated).bind();
      if (arguments) return BoundCall{op, std::move(*arguments)};
      problem = arguments.error();
    }
    problems += (problems.empty() ? "" : "; ") + std::string(name) + ": " + problem;
    return std::nullopt;
  };
  const std::span<const AtenOverload> overloads = aten_overloads_of(def.name);
  for (const AtenOverload& overload : overloads)
    if (auto call = attempt(overload.aten, {overload.arguments.begin(), overload.arguments.size()})) return *call;
  if (overloads.empty())
    for (const std::string_view name : def.aten)
      if (auto call = attempt(full_name(name), {})) return *call;
  return Failure{problems.empty() ? "the row names no operator of ATen" : problems};
}

}  // namespace mlgc
