// The table of Python's operators; see python_operators.h.
#include "import/python/python_operators.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "diag/kinds_import.h"
#include "import/python/dtypes.h"

namespace mlgc::python {

namespace {

// One node while it runs: its operands, and how it ends.
class Operation {
 public:
  Operation(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node, std::string_view name)
      : values_(values),
        builder_(builder),
        tensors_(tensors),
        node_(node),
        name_(name),
        operands_(values.inputs(node)) {}

  FunctionBuilder& builder() { return builder_; }
  [[nodiscard]] const Node& node() const { return node_; }
  [[nodiscard]] IndexPool& index() const { return builder_.index(); }
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::span<const PythonValue> operands() const { return operands_; }
  [[nodiscard]] std::size_t size() const { return operands_.size(); }
  // None after the last one.
  [[nodiscard]] PythonValue operand(std::size_t i) const {
    return i < operands_.size() ? operands_[i] : PythonValue{None()};
  }
  template <class T>
  [[nodiscard]] const T* as(std::size_t i) const {
    return i < operands_.size() ? operands_[i].as<T>() : nullptr;
  }
  [[nodiscard]] std::optional<std::int64_t> constant(std::size_t i) const {
    const IndexExpr* const number = as<IndexExpr>(i);
    return number == nullptr ? std::nullopt : index().as_constant(*number);
  }
  [[nodiscard]] bool any_tensor() const {
    return std::any_of(operands_.begin(), operands_.end(),
                       [](const auto& value) { return value.template is<Tensor>(); });
  }
  // The value of a tensor operand; invalid after a diagnostic.
  Value tensor(std::size_t i) { return tensors_.value(node_, *operands_[i].as<Tensor>()); }

  Ran give(PythonValue value) {
    if (node_.outputs.size() > 0) values_.set_output(node_, 0, std::move(value));
    return Ran::Yes;
  }
  Ran give_computed(Value value) { return value.valid() ? give({Computed{value}}) : Ran::Failed; }
  template <const DiagKind& K, class... Args>
  Ran refuse(Args&&... args) {
    builder_.refuse<K>(node_, std::forward<Args>(args)...);
    return Ran::Failed;
  }
  // Whether a list or dict of that depth may be changed here: not from inside a branch or loop that may not run.
  bool may_change(std::size_t depth) {
    if (depth == builder_.depth()) return true;
    if (depth == kOfTheModel)
      return builder_.refuse<kEffectLost>(node_, "a list or dict of the model",
                                          "by a call, which leaves new tensors only");
    return builder_.refuse<kEffectLost>(node_, "a list or dict", "inside of a branch or loop that depends on data");
  }
  Tensor new_tensor(Value value) { return tensors_.create(value); }
  List list(std::vector<PythonValue> items) {
    return {std::make_shared<std::vector<PythonValue>>(std::move(items)), builder_.depth()};
  }
  Ran compute() {
    Computation done = python::compute(builder_, node_, name_, operands_);
    if (!done.known) return Ran::No;
    return done.value.is<Undefined>() ? Ran::Failed : give(std::move(done.value));
  }
  Value emit(std::string_view op, std::span<const Value> operands, const program::NodeScope::Attrs& attrs) {
    return builder_.emit(node_, op, operands, attrs);
  }
  // Where an item stands, counted from the start; nothing after a diagnostic.
  std::optional<std::size_t> place(std::size_t operand, std::size_t size) {
    const auto given = constant(operand);
    const auto count = static_cast<std::int64_t>(size);
    if (!given) {
      refuse<kValueNotKnown>("the number of an item", "sizes or data");
      return std::nullopt;
    }
    if (*given < -count || *given >= count) {
      refuse<kOutOfRange>("item", *given, size);
      return std::nullopt;
    }
    return static_cast<std::size_t>(*given < 0 ? *given + count : *given);
  }

 private:
  Values& values_;
  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  const Node& node_;
  std::string_view name_;
  std::vector<PythonValue> operands_;
};

// --- what is asked of tensors

Ran run_dim(Operation& op) {
  if (op.as<Tensor>(0) == nullptr) return Ran::No;
  const Value x = op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  return op.give({op.index().constant(static_cast<std::int64_t>(x.rank()))});
}

Ran run_size(Operation& op) {
  if (op.as<Tensor>(0) == nullptr) return Ran::No;
  const Value x = op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  if (op.size() == 1) {
    std::vector<PythonValue> sizes;
    for (const IndexExpr dim : x.dims()) sizes.push_back({dim});
    return op.give({op.list(std::move(sizes))});
  }
  const auto axis = op.place(1, x.rank());
  return axis ? op.give({x.dims()[*axis]}) : Ran::Failed;
}

Ran run_numel(Operation& op) {
  if (op.as<Tensor>(0) == nullptr) return Ran::No;
  const Value x = op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  IndexExpr count = op.index().constant(1);
  for (const IndexExpr dim : x.dims()) count = op.index().mul(count, dim);
  return op.give({count});
}

Ran run_dtype(Operation& op) {
  const Value x = op.as<Tensor>(0) == nullptr ? Value() : op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  return op.give({op.index().constant(c10_number(x.dtype()))});
}

Ran run_is_floating_point(Operation& op) {
  const Value x = op.as<Tensor>(0) == nullptr ? Value() : op.tensor(0);
  return x.valid() ? op.give({is_float(x.dtype())}) : Ran::Failed;
}

Ran run_device_type(Operation& op) {
  const Device* const device = op.as<Device>(0);
  return device == nullptr ? Ran::No : op.give({device->name.substr(0, device->name.find(':'))});
}
Ran run_device(Operation& op) { return op.give({Device{"cpu"}}); }
Ran run_strided(Operation& op) { return op.give({op.index().constant(0)}); }
Ran run_false(Operation& op) { return op.give({false}); }
Ran run_true(Operation& op) { return op.give({true}); }
// What is asked about gradients has the answers of a call outside of torch.no_grad(): layers of torch then take the way
// that is made of plain operators.
Ran run_requires_grad(Operation& op) {
  const Value x = op.as<Tensor>(0) == nullptr ? Value() : op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  return op.give({is_float(x.dtype()) && x.is_result() && x.definer().is(GraphOp::Read)});
}
Ran run_nothing(Operation& op) { return op.give({None()}); }

// --- between tensors and numbers

// A tensor of one element as a number of a kind.
Ran run_number_of(Operation& op, Dtype dtype) {
  const Tensor* const tensor = op.as<Tensor>(0);
  if (tensor == nullptr) return Ran::No;
  if ((*tensor)->number && (*tensor)->current() && dtype == Dtype::I64) return op.give({*(*tensor)->number});
  Value x = op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  AttributePool& attributes = op.builder().context().attributes();
  if (x.rank() != 0) {
    const std::array one{x};
    x = op.emit("view", one, {{"shape", attributes.int_list(std::span<const std::int64_t>())}});
    if (!x.valid()) return Ran::Failed;
  }
  if (x.dtype() == dtype) return op.give({Computed{x}});
  const std::array one{x};
  return op.give_computed(op.emit("cast", one, {{"dtype", attributes.dtype(dtype)}}));
}

std::optional<double> constant_real(const Operation& op) {
  if (const double* real = op.as<double>(0)) return *real;
  const auto whole = op.constant(0);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

Ran cast_number(Operation& op, std::string_view round, Dtype dtype) {
  const Computed* const computed = op.as<Computed>(0);
  Value x = computed != nullptr ? computed->value : Value();
  if (const IndexExpr* size = op.as<IndexExpr>(0)) {
    const std::array<Value, 0> none{};
    x = op.emit("dim", none, {{"value", op.builder().context().attributes().integer(*size)}});
  }
  if (!x.valid()) return op.refuse<kArgumentKind>("its operand", kind_name(op.operand(0)), "a number");
  std::array one{x};
  if (!round.empty() && is_float(x.dtype())) one[0] = op.emit(round, one, {});
  if (!one[0].valid() || one[0].dtype() == dtype) return op.give_computed(one[0]);
  return op.give_computed(op.emit("cast", one, {{"dtype", op.builder().context().attributes().dtype(dtype)}}));
}

Ran run_int(Operation& op) {
  if (op.as<Tensor>(0) != nullptr) return run_number_of(op, Dtype::I64);
  if (const IndexExpr* number = op.as<IndexExpr>(0)) return op.give({*number});
  if (const bool* flag = op.as<bool>(0)) return op.give({op.index().constant(*flag ? 1 : 0)});
  if (const double* real = op.as<double>(0); real != nullptr && std::abs(*real) < 9.0e15)
    return op.give({op.index().constant(static_cast<std::int64_t>(*real))});
  return cast_number(op, "trunc", Dtype::I64);
}
Ran run_float(Operation& op) {
  if (op.as<Tensor>(0) != nullptr) return run_number_of(op, Dtype::F64);
  if (const auto real = constant_real(op)) return op.give({*real});
  if (const bool* flag = op.as<bool>(0)) return op.give({*flag ? 1.0 : 0.0});
  return cast_number(op, "", Dtype::F64);
}
Ran run_bool(Operation& op) {
  if (op.as<Tensor>(0) != nullptr) return run_number_of(op, Dtype::I1);
  if (const bool* flag = op.as<bool>(0)) return op.give({*flag});
  if (const auto real = constant_real(op)) return op.give({*real != 0});
  return cast_number(op, "", Dtype::I1);
}
// The kind of number is that of the tensor.
Ran run_item(Operation& op) {
  const Value x = op.as<Tensor>(0) == nullptr ? Value() : op.tensor(0);
  if (!x.valid()) return Ran::Failed;
  return run_number_of(op, is_float(x.dtype()) ? Dtype::F64 : x.dtype() == Dtype::I1 ? Dtype::I1 : Dtype::I64);
}

Ran run_round(Operation& op) {
  if (op.any_tensor()) return Ran::No;
  const auto real = constant_real(op);
  if (!real) return cast_number(op, op.name(), Dtype::I64);
  const double rounded = op.name() == "ceil"    ? std::ceil(*real)
                         : op.name() == "floor" ? std::floor(*real)
                                                : std::nearbyint(*real);
  if (!(std::abs(rounded) < 9.0e15)) return op.refuse<kIntegerRange>(53);
  return op.give({op.index().constant(static_cast<std::int64_t>(rounded))});
}

Ran run_number_to_tensor(Operation& op) {
  if (const IndexExpr* number = op.as<IndexExpr>(0)) {
    const Tensor tensor = op.new_tensor({});
    tensor->number = *number;
    return op.give({tensor});
  }
  const Computed* const computed = op.as<Computed>(0);
  if (computed == nullptr) return op.refuse<kArgumentKind>("its operand", kind_name(op.operand(0)), "a number");
  return op.give({op.new_tensor(computed->value)});
}

// --- arithmetic and comparisons

Ran run_arithmetic(Operation& op) {
  if (op.any_tensor()) return Ran::No;
  const auto numbers = [&] {
    return std::all_of(op.operands().begin(), op.operands().end(), [](const PythonValue& v) { return v.number(); });
  };
  if (numbers()) return op.compute();
  const std::string_view name = op.name();
  if (name == "eq" || name == "ne") {
    const PythonValue a = op.operand(0), b = op.operand(1);
    if (a.items() != nullptr || a.is<std::string>() || a.is<Device>() || a.is<None>())
      return op.give({identical(a, b) == (name == "eq")});
  }
  const std::vector<PythonValue>* const items = op.operand(0).items();
  if (name == "add" && items != nullptr && op.operand(1).items() != nullptr) {
    std::vector<PythonValue> joined = *items;
    joined.insert(joined.end(), op.operand(1).items()->begin(), op.operand(1).items()->end());
    return op.operand(0).is<Tuple>() ? op.give({Tuple{op.list(std::move(joined)).items}})
                                     : op.give({op.list(std::move(joined))});
  }
  if (name == "mul" && items != nullptr && op.constant(1).value_or(1000001) <= 1000000) {
    std::vector<PythonValue> repeated;
    for (std::int64_t i = 0; i < *op.constant(1); ++i) repeated.insert(repeated.end(), items->begin(), items->end());
    return op.give({op.list(std::move(repeated))});
  }
  if (name == "add" && op.as<std::string>(0) != nullptr && op.as<std::string>(1) != nullptr)
    return op.give({*op.as<std::string>(0) + *op.as<std::string>(1)});
  if ((name == "min" || name == "max") && op.size() == 1 && items != nullptr && !items->empty()) {
    PythonValue best = items->front();
    for (std::size_t i = 1; i < items->size(); ++i) {
      const std::array pair{best, (*items)[i]};
      Computation next = compute(op.builder(), op.node(), name, pair);
      if (!next.known || next.value.is<Undefined>()) return Ran::Failed;
      best = std::move(next.value);
    }
    return op.give(std::move(best));
  }
  return Ran::No;
}

Ran run_is(Operation& op) {
  const PythonValue a = op.operand(0), b = op.operand(1);
  if (a.is<Undefined>() || b.is<Undefined>())
    return op.refuse<kArgumentKind>("its operand", "a name without a value", "a value");
  const bool same = a.is<None>() || b.is<None>() ? a.is<None>() && b.is<None>() : identical(a, b);
  return op.give({same == (op.name() == "__is__")});
}

// --- ranges

// How many steps there are from a to b.
Ran run_range_length(Operation& op) {
  const IndexExpr *const a = op.as<IndexExpr>(0), *const b = op.as<IndexExpr>(1);
  const auto step = op.constant(2);
  if (a == nullptr || b == nullptr || !step || *step == 0)
    return op.refuse<kValueNotKnown>("a bound of a range", "data");
  IndexPool& pool = op.index();
  const IndexExpr span = *step > 0 ? pool.sub(*b, *a) : pool.sub(*a, *b);
  return op.give({pool.max(pool.ceildiv(span, pool.constant(std::abs(*step))), pool.constant(0))});
}

Ran run_derive_index(Operation& op) {
  // start + i * step
  const std::array product{op.operand(0), op.operand(2)};
  const Computation scaled = compute(op.builder(), op.node(), "mul", product);
  if (!scaled.known || scaled.value.is<Undefined>()) return Ran::Failed;
  const std::array sum{op.operand(1), scaled.value};
  Computation moved = compute(op.builder(), op.node(), "add", sum);
  return !moved.known || moved.value.is<Undefined>() ? Ran::Failed : op.give(std::move(moved.value));
}

// --- lists, tuples and dicts

Ran run_len(Operation& op) {
  std::int64_t size = 0;
  if (const auto* items = op.operand(0).items())
    size = static_cast<std::int64_t>(items->size());
  else if (const Dict* dict = op.as<Dict>(0))
    size = static_cast<std::int64_t>(dict->items->size());
  else if (const std::string* text = op.as<std::string>(0))
    size = static_cast<std::int64_t>(text->size());
  else if (op.as<Tensor>(0) != nullptr) {
    const Value x = op.tensor(0);
    if (!x.valid()) return Ran::Failed;
    return x.rank() == 0 ? op.refuse<kOperandAxes>("its operand", 0, "at least one") : op.give({x.dims()[0]});
  } else {
    return Ran::No;
  }
  return op.give({op.index().constant(size)});
}

std::string key_text(const PythonValue& key) {
  const std::string* const text = key.as<std::string>();
  return text != nullptr ? *text : kind_name(key);
}

const PythonValue* entry(const Dict& dict, const PythonValue& key) {
  for (const auto& [name, value] : *dict.items)
    if (identical(name, key)) return &value;
  return nullptr;
}

Ran run_get_item(Operation& op) {
  if (const Dict* dict = op.as<Dict>(0)) {
    const PythonValue* const found = entry(*dict, op.operand(1));
    return found == nullptr ? op.refuse<kNoMember>("a dict", "key", key_text(op.operand(1))) : op.give(*found);
  }
  if (const std::string* text = op.as<std::string>(0)) {
    const auto place = op.place(1, text->size());
    return place ? op.give({std::string(1, (*text)[*place])}) : Ran::Failed;
  }
  const auto* const items = op.operand(0).items();
  if (items == nullptr) return Ran::No;
  const auto place = op.place(1, items->size());
  return place ? op.give((*items)[*place]) : Ran::Failed;
}

// A dict's item, or what stands in for it.
Ran run_get(Operation& op) {
  const Dict* const dict = op.as<Dict>(0);
  if (dict == nullptr) return Ran::No;
  const PythonValue* const found = entry(*dict, op.operand(1));
  return op.give(found != nullptr ? *found : op.operand(2));
}

Ran run_set_item(Operation& op) {
  const PythonValue target = op.operand(0);
  if (const Dict* dict = target.as<Dict>()) {
    if (!op.may_change(dict->depth)) return Ran::Failed;
    for (auto& [name, value] : *dict->items)
      if (identical(name, op.operand(1))) {
        value = op.operand(2);
        return op.give({None()});
      }
    dict->items->emplace_back(op.operand(1), op.operand(2));
    return op.give({None()});
  }
  const List* const list = target.as<List>();
  if (list == nullptr) return Ran::No;
  const auto place = op.place(1, list->items->size());
  if (!place || !op.may_change(list->depth)) return Ran::Failed;
  (*list->items)[*place] = op.operand(2);
  return op.give(target);
}

Ran run_append(Operation& op) {
  const PythonValue target = op.operand(0);
  const List* const list = target.as<List>();
  if (list == nullptr) return Ran::No;
  if (!op.may_change(list->depth)) return Ran::Failed;
  if (op.name() == "append") {
    list->items->push_back(op.operand(1));
  } else {
    const auto* const more = op.operand(1).items();
    if (more == nullptr) return op.refuse<kArgumentKind>("what extends a list", kind_name(op.operand(1)), "a list");
    const std::vector<PythonValue> copied = *more;
    list->items->insert(list->items->end(), copied.begin(), copied.end());
  }
  return op.give(target);
}

// Takes an item out: of a list, by default the last one, or of a dict.
Ran run_pop(Operation& op) {
  const PythonValue target = op.operand(0);
  if (const Dict* dict = target.as<Dict>()) {
    if (!op.may_change(dict->depth)) return Ran::Failed;
    const auto at = std::find_if(dict->items->begin(), dict->items->end(),
                                 [&](const auto& item) { return identical(item.first, op.operand(1)); });
    if (at == dict->items->end())
      return op.size() > 2 ? op.give(op.operand(2)) : op.refuse<kNoMember>("a dict", "key", key_text(op.operand(1)));
    PythonValue taken = at->second;
    dict->items->erase(at);
    return op.give(std::move(taken));
  }
  const List* const list = target.as<List>();
  if (list == nullptr) return Ran::No;
  const auto place = op.place(1, list->items->size());
  if (!place || !op.may_change(list->depth)) return Ran::Failed;
  PythonValue taken = (*list->items)[*place];
  list->items->erase(list->items->begin() + static_cast<std::ptrdiff_t>(*place));
  return op.give(std::move(taken));
}

Ran run_insert(Operation& op) {
  const List* const list = op.as<List>(0);
  const auto given = op.constant(1);
  if (list == nullptr) return Ran::No;
  if (!given) return op.refuse<kValueNotKnown>("the place of an item", "sizes or data");
  if (!op.may_change(list->depth)) return Ran::Failed;
  const auto size = static_cast<std::int64_t>(list->items->size());
  const std::int64_t place = std::clamp<std::int64_t>(*given < 0 ? *given + size : *given, 0, size);
  list->items->insert(list->items->begin() + place, op.operand(2));
  return op.give({None()});
}

Ran run_reverse(Operation& op) {
  const List* const list = op.as<List>(0);
  if (list == nullptr) return Ran::No;
  if (!op.may_change(list->depth)) return Ran::Failed;
  std::reverse(list->items->begin(), list->items->end());
  return op.give({None()});
}

Ran run_clear(Operation& op) {
  const List* const list = op.as<List>(0);
  const Dict* const dict = op.as<Dict>(0);
  if (list == nullptr && dict == nullptr) return Ran::No;
  if (!op.may_change(list != nullptr ? list->depth : dict->depth)) return Ran::Failed;
  if (list != nullptr)
    list->items->clear();
  else
    dict->items->clear();
  return op.give({None()});
}

Ran run_update(Operation& op) {
  const Dict* const dict = op.as<Dict>(0);
  const Dict* const more = op.as<Dict>(1);
  if (dict == nullptr || more == nullptr) return Ran::No;
  if (!op.may_change(dict->depth)) return Ran::Failed;
  const std::vector<std::pair<PythonValue, PythonValue>> copied = *more->items;
  for (const auto& [name, value] : copied) {
    const auto at = std::find_if(dict->items->begin(), dict->items->end(),
                                 [&name = name](const auto& item) { return identical(item.first, name); });
    if (at != dict->items->end())
      at->second = value;
    else
      dict->items->emplace_back(name, value);
  }
  return op.give({None()});
}

// A list of numbers or strings that are known, in order: a new list of `sorted`, the list itself of `sort`.
Ran run_sort(Operation& op) {
  const List* const list = op.as<List>(0);
  if (list == nullptr) return Ran::No;
  std::vector<PythonValue> items = *list->items;
  const auto known = [&](const PythonValue& item) {
    const IndexExpr* const number = item.as<IndexExpr>();
    return item.is<std::string>() || item.is<double>() || (number != nullptr && op.index().as_constant(*number));
  };
  if (!std::all_of(items.begin(), items.end(), known))
    return op.refuse<kValueNotKnown>("an item of a list that is sorted", "sizes or data");
  std::stable_sort(items.begin(), items.end(), [&](const PythonValue& a, const PythonValue& b) {
    if (const std::string* text = a.as<std::string>()) return *text < *b.as<std::string>();
    if (const double* real = a.as<double>()) return *real < *b.as<double>();
    return *op.index().as_constant(*a.as<IndexExpr>()) < *op.index().as_constant(*b.as<IndexExpr>());
  });
  if (const bool* backwards = op.as<bool>(1); backwards != nullptr && *backwards)
    std::reverse(items.begin(), items.end());
  if (op.name() == "sorted") return op.give({op.list(std::move(items))});
  if (!op.may_change(list->depth)) return Ran::Failed;
  *list->items = std::move(items);
  return op.give({None()});
}

Ran run_sum(Operation& op) {
  const List* const list = op.as<List>(0);
  if (list == nullptr) return Ran::No;
  const bool real =
      std::any_of(list->items->begin(), list->items->end(), [](const PythonValue& item) { return item.is<double>(); });
  PythonValue sum = real ? PythonValue{0.0} : PythonValue{op.index().constant(0)};
  for (const PythonValue& item : *list->items) {
    if (!item.number()) return op.refuse<kArgumentKind>("an item of a sum", kind_name(item), "a number");
    const std::array pair{sum, item};
    Computation next = compute(op.builder(), op.node(), "add", pair);
    if (!next.known || next.value.is<Undefined>()) return Ran::Failed;
    sum = std::move(next.value);
  }
  return op.give(std::move(sum));
}

// Whether a string begins, or ends, with another.
Ran run_affix(Operation& op) {
  const std::string *const text = op.as<std::string>(0), *const part = op.as<std::string>(1);
  if (text == nullptr || part == nullptr) return Ran::No;
  return op.give({op.name() == "startswith" ? text->starts_with(*part) : text->ends_with(*part)});
}

Ran run_copy(Operation& op) {
  if (const Dict* dict = op.as<Dict>(0)) {
    auto copied = std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(*dict->items);
    return op.give({Dict{std::move(copied), op.builder().depth()}});
  }
  const auto* const items = op.operand(0).items();
  return items == nullptr ? Ran::No : op.give({op.list(*items)});
}

Ran run_slice(Operation& op) {
  const auto* const items = op.operand(0).items();
  if (items == nullptr) return Ran::No;
  const auto size = static_cast<std::int64_t>(items->size());
  const auto step = op.operand(3).is<None>() ? std::optional<std::int64_t>(1) : op.constant(3);
  const auto start = op.operand(1).is<None>() ? std::optional<std::int64_t>(0) : op.constant(1);
  const auto end = op.operand(2).is<None>() ? std::optional(size) : op.constant(2);
  if (!step || *step < 1 || !start || !end) return op.refuse<kValueNotKnown>("a bound of a slice", "sizes or data");
  const auto bounded = [size](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  std::vector<PythonValue> taken;
  for (std::int64_t i = bounded(*start); i < bounded(*end); i += *step)
    taken.push_back((*items)[static_cast<std::size_t>(i)]);
  return op.give({op.list(std::move(taken))});
}

Ran run_contains(Operation& op) {
  if (const Dict* dict = op.as<Dict>(0)) return op.give({entry(*dict, op.operand(1)) != nullptr});
  const auto* const items = op.operand(0).items();
  if (items == nullptr) return Ran::No;
  return op.give({std::any_of(items->begin(), items->end(),
                              [&](const PythonValue& item) { return identical(item, op.operand(1)); })});
}

Ran run_dict_part(Operation& op) {
  const Dict* const dict = op.as<Dict>(0);
  if (dict == nullptr) return Ran::No;
  std::vector<PythonValue> parts;
  for (const auto& [name, value] : *dict->items) {
    if (op.name() == "keys") parts.push_back(name);
    if (op.name() == "values") parts.push_back(value);
    if (op.name() == "items") parts.push_back({Tuple{op.list({name, value}).items}});
  }
  return op.give({op.list(std::move(parts))});
}

// Of a list of bools or numbers, as Python's any() and all().
Ran run_any(Operation& op) {
  const auto* const items = op.operand(0).items();
  if (items == nullptr || op.size() != 1) return Ran::No;
  const bool any = op.name() == "any";
  for (const PythonValue& item : *items) {
    const bool* const flag = item.as<bool>();
    const IndexExpr* const number = item.as<IndexExpr>();
    const auto constant = number == nullptr ? std::nullopt : op.index().as_constant(*number);
    if (flag == nullptr && !constant) return op.refuse<kValueNotKnown>("the truth of an item", kind_name(item));
    if ((flag != nullptr ? *flag : *constant != 0) == any) return op.give({any});
  }
  return op.give({!any});
}

// --- the rest

// Of a member of an enum, which is the pair of its name and value.
Ran run_enum_part(Operation& op) {
  const auto* const items = op.operand(0).items();
  if (items == nullptr || items->size() != 2) return Ran::No;
  return op.give((*items)[op.name() == "EnumName" ? 0 : 1]);
}

Ran run_same(Operation& op) { return op.give(op.operand(0)); }

// Of messages; what has no text is left out.
Ran run_format(Operation& op) {
  const std::string* const text = op.as<std::string>(0);
  return op.give({text == nullptr ? std::string() : *text});
}

Ran run_raise(Operation& op) {
  const std::string* const text = op.as<std::string>(0);
  return op.refuse<kModelRaises>(text == nullptr || text->empty() ? std::string() : ": " + *text);
}

struct Row {
  std::string_view name;
  Ran (*run)(Operation&);
};
// By the name without its overload.
constexpr std::array kRows{
    Row{"aten::dim", run_dim},
    Row{"aten::size", run_size},
    Row{"aten::numel", run_numel},
    Row{"prim::dtype", run_dtype},
    Row{"prim::device", run_device},
    Row{"prim::type", run_device_type},
    Row{"prim::layout", run_strided},
    Row{"prim::is_cuda", run_false},
    Row{"prim::is_sparse", run_false},
    Row{"prim::is_quantized", run_false},
    Row{"prim::is_mkldnn", run_false},
    Row{"prim::is_nested", run_false},
    Row{"prim::requires_grad", run_requires_grad},
    Row{"prim::is_meta", run_false},
    Row{"aten::is_complex", run_false},
    Row{"aten::is_grad_enabled", run_true},
    Row{"aten::is_autocast_enabled", run_false},
    Row{"aten::is_floating_point", run_is_floating_point},
    Row{"aten::Int", run_int},
    Row{"aten::IntImplicit", run_int},
    Row{"aten::Float", run_float},
    Row{"aten::FloatImplicit", run_float},
    Row{"aten::Bool", run_bool},
    Row{"aten::item", run_item},
    Row{"aten::ScalarImplicit", run_item},
    Row{"prim::NumToTensor", run_number_to_tensor},
    Row{"aten::ceil", run_round},
    Row{"aten::floor", run_round},
    Row{"aten::round", run_round},
    Row{"aten::add", run_arithmetic},
    Row{"aten::sub", run_arithmetic},
    Row{"aten::mul", run_arithmetic},
    Row{"aten::div", run_arithmetic},
    Row{"aten::floordiv", run_arithmetic},
    Row{"aten::remainder", run_arithmetic},
    Row{"aten::neg", run_arithmetic},
    Row{"aten::pow", run_arithmetic},
    Row{"aten::sqrt", run_arithmetic},
    Row{"prim::min", run_arithmetic},
    Row{"prim::max", run_arithmetic},
    Row{"aten::eq", run_arithmetic},
    Row{"aten::ne", run_arithmetic},
    Row{"aten::lt", run_arithmetic},
    Row{"aten::le", run_arithmetic},
    Row{"aten::gt", run_arithmetic},
    Row{"aten::ge", run_arithmetic},
    Row{"aten::__and__", run_arithmetic},
    Row{"aten::__or__", run_arithmetic},
    Row{"aten::__not__", run_arithmetic},
    Row{"aten::__is__", run_is},
    Row{"aten::__isnot__", run_is},
    Row{"aten::__range_length", run_range_length},
    Row{"aten::__derive_index", run_derive_index},
    Row{"aten::len", run_len},
    Row{"aten::__getitem__", run_get_item},
    Row{"prim::TupleIndex", run_get_item},
    Row{"aten::_set_item", run_set_item},
    Row{"aten::append", run_append},
    Row{"aten::extend", run_append},
    Row{"aten::list", run_copy},
    Row{"aten::copy", run_copy},
    Row{"aten::dict", run_copy},
    Row{"aten::get", run_get},
    Row{"aten::pop", run_pop},
    Row{"aten::Delete", run_pop},
    Row{"aten::insert", run_insert},
    Row{"aten::reverse", run_reverse},
    Row{"aten::clear", run_clear},
    Row{"aten::update", run_update},
    Row{"aten::sorted", run_sort},
    Row{"aten::sort", run_sort},
    Row{"aten::sum", run_sum},
    Row{"aten::startswith", run_affix},
    Row{"aten::endswith", run_affix},
    Row{"aten::slice", run_slice},
    Row{"aten::__contains__", run_contains},
    Row{"aten::any", run_any},
    Row{"aten::all", run_any},
    Row{"aten::keys", run_dict_part},
    Row{"aten::values", run_dict_part},
    Row{"aten::items", run_dict_part},
    Row{"prim::EnumName", run_enum_part},
    Row{"prim::EnumValue", run_enum_part},
    Row{"prim::unchecked_cast", run_same},
    Row{"aten::format", run_format},
    Row{"aten::warn", run_nothing},
    Row{"prim::Print", run_nothing},
    Row{"prim::RaiseException", run_raise},
};

}  // namespace

Ran run_python_operator(Values& values, FunctionBuilder& builder, TensorMemory& tensors, const Node& node) {
  const std::string_view kind = node.kind;
  const std::string_view full = kind.substr(0, std::min(kind.find('.'), kind.size()));
  for (const Row& row : kRows) {
    if (row.name != full) continue;
    Operation op(values, builder, tensors, node, full.substr(full.find("::") + 2));
    return row.run(op);
  }
  return Ran::No;
}

}  // namespace mlgc::python
