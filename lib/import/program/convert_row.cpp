// Conversion by the row alone: tensors become operands in their order, other arguments attributes of the same name.
//
// Operands of an element type that the row does not take are converted to one that it does, and the results back to
// what the exporter recorded: an average of integers is the average of floats, truncated. A scalar that is given with
// an axis counts as one axis of size 1, as in PyTorch.
#include <algorithm>
#include <array>
#include <cmath>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

namespace {

using Kind = Argument::Kind;

// Arguments that say how to compute or where to put the result, never what it is.
constexpr std::array<std::string_view, 14> kMeaningless{
    "cudnn_enable",       "cudnn_enabled", "device",      "layout", "memory_format",
    "momentum",           "non_blocking",  "output_size", "path",   "pin_memory",
    "scale_grad_by_freq", "sorted",        "sparse",      "stable"};
// The positions in a row's choices that ATen's numbers for a reduction mean.
constexpr std::array<std::string_view, 3> kReductions{"none", "mean", "sum"};
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
      scope_.refuse<kRandomSource>("from a generator of its own");
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
    const OpRef op = build();
    if (!op.valid()) return;
    const std::size_t outputs = scope_.output_names().size();
    for (std::size_t i = 0; i < outputs; ++i) {
      if (i < op.result_count())
        scope_.result(i, settled(i, op.result(i)));
      else if (scope_.used(i))
        scope_.refuse<kResultUsed>(i);
    }
  }

  // An argument as the attribute of a row; nothing when the call leaves it out.
  std::optional<Attribute> given(const BoundArgument& argument, const AttrDef& attr) {
    if (argument.value.none()) return std::nullopt;
    return attribute(argument, attr);
  }

  // The op alone.
  OpRef run(std::span<const RowOperand> operands, NodeScope::Attrs attrs) {
    attrs_ = std::move(attrs);
    for (const RowOperand& operand : operands) {
      if (operand.number)
        add_number(*operand.number);
      else
        add_operand(operand.tensor, nullptr);
    }
    return build();
  }

 private:
  OpRef build() {
    fill_weight();
    if (has(def_.traits, Traits::Elementwise)) promote();
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!operands_[i].valid() && numbers_[i] != nullptr) operands_[i] = scope_.scalar(result_dtype(), *numbers_[i]);
    admit();
    lift();
    add_batch();
    return scope_.emit(def_.name, operands_, attrs_);
  }

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
    add_number(value);
  }

  void add_number(const Argument& value) {
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
    if (absent_ && number == nullptr && def_.operands[operands_.size()].name == "weight" && !weight_left_out_) {
      weight_left_out_ = operands_.size();
      operands_.emplace_back();
      numbers_.push_back(nullptr);
    } else if (absent_ && !weight_left_out_) {
      scope_.refuse<kArgumentMissing>(def_.operands[operands_.size()].name);
    }
    operands_.push_back(value);
    numbers_.push_back(number);
    if (number != nullptr)
      promotion_.add_number(*number);
    else if (value.valid() && operand_class(operands_.size() - 1) != ElementClass::Bool)
      promotion_.add_tensor(value);
  }

  // A weight that is left out before another operand is 1 everywhere.
  void fill_weight() {
    if (!weight_left_out_ || scope_.failed()) return;
    const Value next = operands_[*weight_left_out_ + 1];
    AttributePool& pool = scope_.context().attributes();
    operands_[*weight_left_out_] = scope_.emit_one(
        "full", {},
        {{"size", pool.int_list(next.dims())}, {"value", pool.integer(1)}, {"dtype", pool.dtype(next.dtype())}});
  }

  // Whether all results that are tensors here have recorded types of integers or booleans.
  [[nodiscard]] bool gives_integers() const { return !scope_.output_names().empty() && !is_float(recorded_dtype()); }
  // Of the first result; a node without tensors among its results is refused when it is to give one.
  [[nodiscard]] Dtype recorded_dtype() const {
    if (scope_.output_names().empty()) return Dtype::F32;
    const Result<Type, Diagnostic> type = scope_.graph().recorded_type(scope_.output_names()[0]);
    return type ? scope_.context().types().dtype(*type) : Dtype::F32;
  }

  // The dtype in which an operand is given to the row: its own where the row takes it.
  [[nodiscard]] Dtype admitted(ElementClass wanted, Dtype dtype) const {
    const bool integer = !is_float(dtype) && dtype != Dtype::I1;
    switch (wanted) {
      case ElementClass::Float: return is_float(dtype) ? dtype : gives_integers() ? Dtype::F64 : recorded_dtype();
      case ElementClass::Number:
      case ElementClass::Integer: return dtype == Dtype::I1 ? Dtype::I64 : dtype;
      case ElementClass::Position: return integer && dtype != Dtype::I32 ? Dtype::I64 : dtype;
      default: return dtype;
    }
  }

  void admit() {
    for (std::size_t i = 0; i < operands_.size() && !scope_.failed(); ++i) {
      if (!operands_[i].valid()) continue;
      const Dtype dtype = admitted(operand_class(i), operands_[i].dtype());
      converted_ = converted_ || dtype != operands_[i].dtype();
      operands_[i] = scope_.cast(operands_[i], dtype);
    }
  }

  // A picture without a batch is a batch of one.
  void add_batch() {
    constexpr std::array<std::string_view, 7> kWindows{"avg_pool1d", "avg_pool2d", "avg_pool2d_backward", "avg_pool3d",
                                                       "max_pool1d", "max_pool2d", "max_pool3d"};
    if (scope_.failed() || !contains(kWindows, def_.name)) return;
    const std::size_t axes = static_cast<std::size_t>(def_.name[def_.name.find("pool") + 4] - '0');
    if (operands_[0].rank() != axes + 1) return;
    for (Value& operand : operands_) {
      if (scope_.failed() || !operand.valid() || operand.rank() != axes + 1) return;
      std::vector<IndexExpr> dims(operand.dims().begin(), operand.dims().end());
      dims.insert(dims.begin(), scope_.context().index().constant(1));
      operand = scope_.emit_one("view", {operand}, {{"shape", scope_.context().attributes().int_list(dims)}});
    }
    batched_ = true;
  }

  // Scalars get an axis where the call names one.
  void lift() {
    constexpr std::array<std::string_view, 3> kAxes{"dim", "dims", "dimension"};
    constexpr std::array<std::string_view, 3> kOfResult{"unsqueeze", "stack", "permute"};
    if (scope_.failed() || operands_.empty() || !operands_[0].valid() || operands_[0].rank() > 0) return;
    const bool given =
        std::any_of(attrs_.begin(), attrs_.end(), [&](const auto& a) { return contains(kAxes, a.first); });
    const bool fallback = std::any_of(def_.attrs.begin(), def_.attrs.end(),
                                      [&](const AttrDef& a) { return contains(kAxes, a.name) && !a.fallback.empty(); });
    if (!(given || fallback) || contains(kOfResult, def_.name)) return;
    lifted_ = true;
    const std::array<std::int64_t, 1> one{1};
    const Attribute shape = scope_.context().attributes().int_list(one);
    for (Value& operand : operands_)
      if (operand.valid() && operand.rank() == 0) operand = scope_.emit_one("view", {operand}, {{"shape", shape}});
  }

  // A result in the form that was recorded, where operands were changed for the row.
  Value settled(std::size_t i, Value value) {
    if (batched_ && !scope_.failed()) {
      const auto dims = value.dims().subspan(1);
      value = scope_.emit_one("view", {value}, {{"shape", scope_.context().attributes().int_list(dims)}});
    }
    if (scope_.failed() || (!converted_ && !lifted_ && !narrows_)) return value;
    const Type type = scope_.recorded(i);
    if (scope_.failed()) return value;
    const TypePool& types = scope_.context().types();
    if (lifted_ && value.rank() != types.rank(type))
      value = scope_.emit_one("view", {value}, {{"shape", scope_.context().attributes().int_list(types.dims(type))}});
    return converted_ || narrows_ ? scope_.cast(value, types.dtype(type)) : value;
  }

  [[nodiscard]] ElementClass operand_class(std::size_t i) const {
    if (def_.operands.empty()) return ElementClass::Any;
    return def_.operands[std::min(i, def_.operands.size() - 1)].elements;
  }

  // Integers become the default float where the row computes floats only, or f64 where the result is to be integers.
  [[nodiscard]] Dtype result_dtype() const {
    const Dtype dtype = promotion_.result();
    if (operand_class(0) != ElementClass::Float || is_float(dtype)) return dtype;
    return gives_integers() ? Dtype::F64 : Dtype::F32;
  }

  void promote() {
    converted_ |= gives_integers() && operand_class(0) == ElementClass::Float && !is_float(promotion_.result());
    for (std::size_t i = 0; i < operands_.size() && !scope_.failed(); ++i)
      if (operands_[i].valid() && operand_class(i) != ElementClass::Bool)
        operands_[i] = scope_.cast(operands_[i], result_dtype());
  }

  void add_attribute(const BoundArgument& argument, const AttrDef* attr) {
    const Argument& value = argument.value;
    if (attr == nullptr) {
      const bool harmless =
          argument.neutral || value.none() || contains(kMeaningless, argument.name) ||
          (contains(kOnlyFalse, argument.name) && value.is(Kind::Bool) && value.constant_number() && !value.flags[0]);
      narrows_ = narrows_ || argument.name == "out_int32";
      if (harmless || argument.name == "out_int32") return;
      if (value.is(Kind::Dtype) && !operands_.empty()) {  // the dtype to compute in
        const std::optional<Dtype> dtype = scope_.dtype(argument.name);
        if (dtype) operands_[0] = scope_.cast(operands_[0], *dtype);
        converted_ = dtype.has_value();
        return;
      }
      scope_.refuse<kUnknownArgument>(argument.name);
      return;
    }
    const bool empty = value.is(Kind::Ints) && value.ints.empty();
    if (value.none() || (empty && !attr->required)) return;                     // the row's own fallback
    if (argument.neutral && !attr->required && attr->fallback.empty()) return;  // both mean "not given"
    const Attribute built = attribute(argument, *attr);
    if (scope_.failed()) return;
    const std::optional<Attribute> fallback =
        attr->fallback.empty() ? std::nullopt : read_attribute_text(scope_.context(), attr->fallback, attr->kind);
    if (fallback != built) attrs_.emplace_back(attr->name, built);
  }

  // ATen converts a number to the element type that it computes in: of an integer result, to an integer.
  Attribute number_attribute(const Argument& value) {
    if (!value.constant_number()) return scope_.number(value);
    if (value.is(Kind::Bool)) return scope_.context().attributes().integer(std::int64_t{value.flags[0] ? 1 : 0});
    if (value.is(Kind::Float) && std::isfinite(value.reals[0]) && gives_integers() && recorded_dtype() != Dtype::I1)
      return scope_.context().attributes().integer(static_cast<std::int64_t>(value.reals[0]));
    return scope_.number(value);
  }

  Attribute attribute(const BoundArgument& argument, const AttrDef& attr) {
    AttributePool& pool = scope_.context().attributes();
    const Argument& value = argument.value;
    const bool number = value.is(Kind::Int) || value.is(Kind::Float) || value.is(Kind::Bool);
    switch (attr.kind) {
      case AttributeKind::None:
        if (number) return number_attribute(value);
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
        if (value.is(Kind::Bool)) return pool.boolean(scope_.flag(argument.name));
        break;
      case AttributeKind::String:
        if (value.is(Kind::String)) return pool.string(value.text);
        if (argument.name == "reduction" && value.is(Kind::Int)) {
          const std::int64_t choice = scope_.constant(argument.name);
          if (choice >= 0 && choice < 3) return pool.string(kReductions[static_cast<std::size_t>(choice)]);
        }
        break;
      case AttributeKind::Dtype:
        if (value.is(Kind::Dtype)) return pool.dtype(scope_.dtype(argument.name).value_or(Dtype::F32));
        break;
      default: break;
    }
    scope_.refuse<kArgumentKind>("argument `" + std::string(argument.name) + "`", "something else",
                                 attribute_kind_name(attr.kind));
    return {};
  }

  NodeScope& scope_;
  const OpDef& def_;
  std::vector<Value> operands_;
  std::vector<const Argument*> numbers_;  // by operand: the number that it is made of, else null
  NodeScope::Attrs attrs_;
  Promotion promotion_;
  bool absent_ = false;  // an optional tensor was left out
  std::optional<std::size_t> weight_left_out_;
  bool converted_ = false, lifted_ = false;  // operands have another dtype, or an axis more, than the call's
  bool batched_ = false;                     // the first operand got a batch of one
  bool narrows_ = false;                     // results are i32 where the row gives i64
};

}  // namespace

void convert_by_row(NodeScope& scope, const OpDef& def) { RowCall(scope, def).run(); }

std::optional<Attribute> row_attribute(NodeScope& scope, const OpDef& def, const BoundArgument& argument,
                                       const AttrDef& attr) {
  return RowCall(scope, def).given(argument, attr);
}

OpRef emit_row(NodeScope& scope, const OpDef& def, std::span<const RowOperand> operands, NodeScope::Attrs attrs) {
  return RowCall(scope, def).run(operands, std::move(attrs));
}

}  // namespace mlgc::program
