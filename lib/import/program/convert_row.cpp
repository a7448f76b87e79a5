// Conversion by the row alone: tensors become operands in their order, other arguments attributes of the same name.
#include <algorithm>
#include <array>

#include "import/program/convert.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Arguments that say how to compute or where to put the result, never what it is.
constexpr std::array<std::string_view, 11> kMeaningless{
    "cudnn_enable",  "cudnn_enabled",      "device",       "layout",
    "memory_format", "momentum",           "non_blocking", "output_size",
    "pin_memory",    "scale_grad_by_freq", "sparse"};
// Arguments without a default in the schema of which only `false` is known.
constexpr std::array<std::string_view, 3> kOnlyFalse{"training", "train", "half_to_float"};

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const AttrDef* find_attr(const OpDef& def, std::string_view name) {
  const auto* const found =
      std::find_if(def.attrs.begin(), def.attrs.end(), [name](const AttrDef& attr) { return attr.name == name; });
  return found == def.attrs.end() ? nullptr : found;
}

const AttrDef* find_instead_of(const OpDef& def, std::string_view operand) {
  const auto* const found = std::find_if(def.attrs.begin(), def.attrs.end(),
                                         [operand](const AttrDef& attr) { return attr.instead_of == operand; });
  return found == def.attrs.end() ? nullptr : found;
}

// Fills operands and attributes from the arguments of one call.
class RowCall {
 public:
  RowCall(NodeScope& scope, const OpDef& def) : scope_(scope), def_(def) {}

  void run() {
    if (has(def_.traits, Traits::Random)) {
      scope_.unsupported("it draws random numbers from a generator of its own");
      return;
    }
    for (const BoundArgument& argument : scope_.arguments()) {
      if (scope_.failed()) return;
      const AttrDef* const attr = find_attr(def_, argument.name);
      const bool plain_attr = attr != nullptr && attr->instead_of.empty();
      if (argument.is_data() && !plain_attr)
        add_data(argument);
      else
        add_attribute(argument, attr);
    }
    if (has(def_.traits, Traits::Elementwise)) promote();
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].valid() && numbers_[i] != nullptr) operands_[i] = scope_.scalar(result_dtype(), *numbers_[i]);
    const OpRef op = scope_.emit(def_.name, operands_, attrs_);
    if (!op.valid()) return;
    const std::size_t outputs = scope_.output_names().size();
    for (std::size_t i = 0; i < outputs; ++i) {
      if (i < op.result_count())
        scope_.result(i, op.result(i));
      else if (scope_.used(i))
        scope_.unsupported("its result number " + std::to_string(i) + " is used");
    }
  }

 private:
  void add_data(const BoundArgument& argument) {
    const Argument& value = argument.value;
    if (value.is(Kind::Tensors)) {
      for (const Value& tensor : scope_.tensors(argument.name)) add_operand(tensor, nullptr);
      return;
    }
    if (value.none()) {
      absent_ = true;
      return;
    }
    if (value.is(Kind::Tensor)) {
      add_operand(scope_.tensor(argument.name), nullptr);
      return;
    }
    const std::size_t next = operands_.size();
    const AttrDef* const attr = next < def_.operands.size() ? find_instead_of(def_, def_.operands[next].name) : nullptr;
    if (attr != nullptr && value.constant_number()) {
      promotion_.add_number(value);
      attrs_.emplace_back(attr->name, scope_.number(value));
    } else {
      add_operand({}, &value);
    }
  }

  void add_operand(Value value, const Argument* number) {
    if (absent_) scope_.unsupported("a tensor is given after one that is left out");
    operands_.push_back(value);
    numbers_.push_back(number);
    if (number != nullptr)
      promotion_.add_number(*number);
    else if (value.valid() && operand_class(operands_.size() - 1) != ElementClass::Bool)
      promotion_.add_tensor(value);
  }

  [[nodiscard]] ElementClass operand_class(std::size_t i) const {
    if (def_.operands.empty()) return ElementClass::Any;
    return def_.operands[std::min(i, def_.operands.size() - 1)].elements;
  }

  // Integers become the default float where the row computes floats only.
  [[nodiscard]] Dtype result_dtype() const {
    const Dtype dtype = promotion_.result();
    return operand_class(0) == ElementClass::Float && !is_float(dtype) ? Dtype::F32 : dtype;
  }

  void promote() {
    for (std::size_t i = 0; i < operands_.size() && !scope_.failed(); ++i)
      if (operands_[i].valid() && operand_class(i) != ElementClass::Bool)
        operands_[i] = scope_.cast(operands_[i], result_dtype());
  }

  void add_attribute(const BoundArgument& argument, const AttrDef* attr) {
    const Argument& value = argument.value;
    if (attr == nullptr) {
      const bool harmless = argument.neutral || value.none() || contains(kMeaningless, argument.name) ||
                            (contains(kOnlyFalse, argument.name) && value.is(Kind::Bool) && !value.flags[0]);
      if (harmless) return;
      if (value.is(Kind::Dtype) && !operands_.empty()) {  // the dtype to compute in
        const std::optional<Dtype> dtype = scope_.dtype(argument.name);
        if (dtype) operands_[0] = scope_.cast(operands_[0], *dtype);
        return;
      }
      scope_.unsupported("argument `" + std::string(argument.name) + "` has no counterpart");
      return;
    }
    if (value.none() || (value.is(Kind::Ints) && value.ints.empty())) return;   // the row's own fallback
    if (argument.neutral && !attr->required && attr->fallback.empty()) return;  // both mean "not given"
    const Attribute built = attribute(argument, *attr);
    if (scope_.failed()) return;
    const std::optional<Attribute> fallback =
        attr->fallback.empty() ? std::nullopt : read_attribute_text(scope_.context(), attr->fallback, attr->kind);
    if (fallback != built) attrs_.emplace_back(attr->name, built);
  }

  Attribute attribute(const BoundArgument& argument, const AttrDef& attr) {
    AttributePool& pool = scope_.context().attributes();
    const Argument& value = argument.value;
    const bool number = value.is(Kind::Int) || value.is(Kind::Float) || value.is(Kind::Bool);
    switch (attr.kind) {
      case AttributeKind::None:
        if (number) return scope_.number(value);
        break;
      case AttributeKind::Int:
        if (value.is(Kind::Int)) return pool.integer(scope_.integer(argument.name));
        break;
      case AttributeKind::IntList:
        if (value.is(Kind::Int) || value.is(Kind::Ints)) return pool.int_list(scope_.integers(argument.name));
        break;
      case AttributeKind::Float:
        if (number) return pool.real(scope_.real(argument.name));
        break;
      case AttributeKind::FloatList:
        if (value.is(Kind::Floats)) return pool.float_list(value.reals);
        break;
      case AttributeKind::Bool:
        if (value.is(Kind::Bool)) return pool.boolean(value.flags[0]);
        break;
      case AttributeKind::String:
        if (value.is(Kind::String)) return pool.string(value.text);
        break;
      case AttributeKind::Dtype:
        if (value.is(Kind::Dtype)) return pool.dtype(scope_.dtype(argument.name).value_or(Dtype::F32));
        break;
      default: break;
    }
    scope_.unsupported("argument `" + std::string(argument.name) + "` is no " +
                       std::string(attribute_kind_name(attr.kind)));
    return {};
  }

  NodeScope& scope_;
  const OpDef& def_;
  std::vector<Value> operands_;
  std::vector<const Argument*> numbers_;  // by operand: the number that it is made of, else null
  NodeScope::Attrs attrs_;
  Promotion promotion_;
  bool absent_ = false;  // an optional tensor was left out
};

}  // namespace

void convert_by_row(NodeScope& scope, const OpDef& def) { RowCall(scope, def).run(); }

}  // namespace mlgc::program
