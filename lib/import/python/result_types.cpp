// See result_types.h.
#include "import/python/result_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/python/dtypes.h"

namespace mlgc::python {

namespace {

using Dims = std::vector<IndexExpr>;

// One call; the first thing that is wrong sticks.
class Call {
 public:
  Call(std::string_view target, std::string_view called, const CallArguments& arguments, Context& context,
       const std::string& fresh_symbol)
      : target_(target), called_(called), arguments_(arguments), context_(context), fresh_symbol_(fresh_symbol) {}

  [[nodiscard]] std::string_view target() const { return target_; }
  [[nodiscard]] IndexPool& pool() const { return context_.index(); }
  [[nodiscard]] IndexExpr fresh_symbol() const { return pool().symbol(fresh_symbol_); }
  template <const DiagKind& K, class... Args>
  void refuse(Args&&... args) {
    if (!out_.wrong) out_.wrong = diagnose<K>({}, called_, std::forward<Args>(args)...);
  }

  [[nodiscard]] const PythonValue* value(std::string_view name) const {
    const CallArguments::Item* item = arguments_.find(name);
    return item == nullptr || item->value.is<None>() ? nullptr : &item->value;
  }
  Value tensor(std::string_view name) {
    const CallArguments::Item* item = arguments_.find(name);
    if (item == nullptr || !item->tensor.valid()) {
      refuse<kArgumentKind>("argument `" + std::string(name) + "`", "something else", "a tensor");
      return {};
    }
    return item->tensor;
  }
  Dims dims_of(Value value) {
    if (!value.valid()) return {};
    const auto dims = value.dims();
    return {dims.begin(), dims.end()};
  }
  // Sizes: a list of integers, or one integer.
  Dims integers(std::string_view name) {
    const PythonValue* const given = value(name);
    Dims out;
    if (given == nullptr) {
      refuse<kArgumentMissing>(name);
      return out;
    }
    const std::array one{*given};
    const std::span<const PythonValue> items =
        given->items() != nullptr ? std::span<const PythonValue>(*given->items()) : std::span<const PythonValue>(one);
    for (const PythonValue& item : items) {
      if (const IndexExpr* size = item.as<IndexExpr>())
        out.push_back(*size);
      else
        refuse<kArgumentKind>("an item of argument `" + std::string(name) + "`", kind_name(item),
                              "a number that is known");
    }
    return out;
  }
  IndexExpr integer(std::string_view name) {
    const Dims all = integers(name);
    return all.size() == 1 ? all[0] : IndexExpr();
  }
  std::int64_t constant(std::string_view name) {
    const auto known = pool().as_constant(integer(name));
    if (!known) refuse<kArgumentNotConstant>("argument `" + std::string(name) + "`", "sizes");
    return known.value_or(0);
  }
  // Counted from the start.
  std::size_t axis(std::int64_t given, std::size_t rank) {
    const auto axes = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
    if (given < -axes || given >= axes) {
      refuse<kOutOfRange>("axis", given, rank);
      return 0;
    }
    return static_cast<std::size_t>(given < 0 ? given + axes : given);
  }
  Dtype dtype(Dtype otherwise) {
    const PythonValue* const given = value("dtype");
    if (given == nullptr || !given->is<IndexExpr>()) return otherwise;
    const std::int64_t number = pool().as_constant(*given->as<IndexExpr>()).value_or(-1);
    const std::optional<Dtype> known = dtype_of_c10(number);
    if (!known)
      refuse<kUnsupportedArgument>("dtype", "element type number " + std::to_string(number), "an element type of mlgc");
    return known.value_or(otherwise);
  }
  [[nodiscard]] IndexExpr product(const Dims& dims) const {
    IndexExpr all = pool().constant(1);
    for (const IndexExpr dim : dims) all = pool().mul(all, dim);
    return all;
  }
  // The one size that is -1 is what is left of `whole`.
  Dims resolved(Dims sizes, IndexExpr whole) {
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (pool().as_constant(sizes[i]) != -1) continue;
      if (open) refuse<kUnsupportedArgument>("size", "-1 twice", "one size of -1");
      open = i;
    }
    if (!open) return sizes;
    sizes[*open] = pool().constant(1);
    const IndexExpr rest = product(sizes);
    if (pool().as_constant(rest) == 0) refuse<kUnsupportedArgument>("size", "-1 beside a size of 0", "-1 without one");
    sizes[*open] = !out_.wrong ? pool().floordiv(whole, rest) : rest;
    return sizes;
  }

  void give(Dtype dtype, const Dims& dims) { out_.types.push_back(context_.types().tensor(dtype, dims)); }
  ResultTypes done() {
    if (out_.wrong) out_.types.clear();
    return std::move(out_);
  }

 private:
  std::string_view target_, called_;
  const CallArguments& arguments_;
  Context& context_;
  const std::string& fresh_symbol_;
  ResultTypes out_;
};

void view(Call& call) {
  const Value x = call.tensor("self");
  const Dims sizes = call.integers(call.value("shape") != nullptr ? "shape" : "size");
  if (x.valid()) call.give(x.dtype(), call.resolved(sizes, call.product(call.dims_of(x))));
}

void flatten(Call& call) {
  const Value x = call.tensor("self");
  if (!x.valid()) return;
  Dims dims = call.dims_of(x);
  const std::size_t first = call.axis(call.constant("start_dim"), dims.size());
  const std::size_t last = call.axis(call.constant("end_dim"), dims.size());
  if (first > last) return call.refuse<kUnsupportedArgument>("start_dim", "an axis after `end_dim`", "one up to that");
  if (dims.empty()) return call.give(x.dtype(), {call.pool().constant(1)});
  const auto begin = dims.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = dims.begin() + static_cast<std::ptrdiff_t>(last) + 1;
  const IndexExpr all = call.product({begin, end});
  call.give(x.dtype(), [&] {
    Dims out(dims.begin(), begin);
    out.push_back(all);
    out.insert(out.end(), end, dims.end());
    return out;
  }());
}

void unflatten(Call& call) {
  const Value x = call.tensor("self");
  if (!x.valid()) return;
  Dims dims = call.dims_of(x);
  const std::size_t axis = call.axis(call.constant("dim"), dims.size());
  if (dims.empty()) return call.refuse<kOperandAxes>("its operand", 0, "at least one");
  const Dims parts = call.resolved(call.integers("sizes"), dims[axis]);
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), parts.begin(), parts.end());
  call.give(x.dtype(), dims);
}

// -1 keeps a size; new axes stand in front.
void expand(Call& call) {
  const Value x = call.tensor("self");
  Dims sizes = call.integers("size");
  if (!x.valid()) return;
  const Dims dims = call.dims_of(x);
  if (sizes.size() < dims.size()) return call.refuse<kCountsDiffer>(sizes.size(), "sizes", dims.size(), "axes");
  const std::size_t front = sizes.size() - dims.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (call.pool().as_constant(sizes[i]) != -1) continue;
    if (i < front) return call.refuse<kUnsupportedArgument>("size", "-1 for a new axis", "its size");
    sizes[i] = dims[i - front];
  }
  call.give(x.dtype(), sizes);
}

// Pieces along one axis.
void pieces(Call& call) {
  const Value x = call.tensor("self");
  if (!x.valid()) return;
  Dims dims = call.dims_of(x);
  const std::size_t axis = call.axis(call.constant("dim"), dims.size());
  if (dims.empty()) return call.refuse<kOperandAxes>("its operand", 0, "at least one");
  Dims sizes;
  if (call.target() == "aten.split_with_sizes.default") {
    sizes = call.integers("split_sizes");
  } else {
    const auto whole = call.pool().as_constant(dims[axis]);
    const bool chunks = call.target() == "aten.chunk.default";
    const std::int64_t given = call.constant(chunks ? "chunks" : "split_size");
    if (!whole) return call.refuse<kArgumentNotConstant>("the size of the axis that it cuts", "sizes");
    if (given <= 0) return call.refuse<kUnsupportedArgument>("split_size", std::to_string(given), "1 or more");
    const std::int64_t step = std::max<std::int64_t>(chunks ? (*whole + given - 1) / given : given, 1);
    for (std::int64_t at = 0; at < *whole || sizes.empty(); at += step)
      sizes.push_back(call.pool().constant(std::min(step, *whole - at)));
  }
  for (const IndexExpr size : sizes) {
    dims[axis] = size;
    call.give(x.dtype(), dims);
  }
}

// An empty tensor of one axis is joined to anything.
void cat(Call& call) {
  const PythonValue* const given = call.value("tensors");
  const std::vector<PythonValue>* const items = given == nullptr ? nullptr : given->items();
  program::Promotion promotion;
  std::optional<Dims> joined;
  std::size_t axis = 0;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const Tensor* const tensor = (*items)[i].as<Tensor>();
    if (tensor == nullptr || !(*tensor)->value.valid())
      return call.refuse<kArgumentKind>("an item of `tensors`", "something else", "a tensor");
    promotion.add_tensor((*tensor)->value);
    const Dims dims = call.dims_of((*tensor)->value);
    if (dims.size() == 1 && call.pool().as_constant(dims[0]) == 0) continue;
    if (!joined) {
      axis = call.axis(call.constant("dim"), dims.size());
      joined = dims;
    } else if (dims.size() != joined->size()) {
      return call.refuse<kRanksDiffer>("its first tensor", joined->size(), "another", dims.size());
    } else if (!dims.empty()) {
      (*joined)[axis] = call.pool().add((*joined)[axis], dims[axis]);
    }
  }
  if (!joined || joined->empty()) return call.refuse<kOperandAxes>("what it joins", 0, "at least one");
  call.give(promotion.result(), *joined);
}

void unbind(Call& call) {
  const Value x = call.tensor("self");
  if (!x.valid()) return;
  Dims dims = call.dims_of(x);
  const std::size_t axis = call.axis(call.constant("dim"), dims.size());
  if (dims.empty()) return call.refuse<kOperandAxes>("its operand", 0, "at least one");
  const auto count = call.pool().as_constant(dims[axis]);
  if (!count) return call.refuse<kArgumentNotConstant>("the size of the axis that it splits into slices", "sizes");
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::int64_t i = 0; i < *count; ++i) call.give(x.dtype(), dims);
}

void filled(Call& call) { call.give(call.dtype(Dtype::F32), call.integers("size")); }
void full(Call& call) {
  const PythonValue* const value = call.value("fill_value");
  call.give(call.dtype(value == nullptr ? Dtype::F32 : dtype_of_number(*value)), call.integers("size"));
}
void like(Call& call) {
  const Value x = call.tensor("self");
  if (x.valid()) call.give(call.dtype(x.dtype()), call.dims_of(x));
}
void new_filled(Call& call) {
  const Value x = call.tensor("self");
  if (x.valid()) call.give(call.dtype(x.dtype()), call.integers("size"));
}
// Whatever the number is; Python's torch.tensor() goes by its type, and states that.
void scalar(Call& call) { call.give(call.dtype(Dtype::F32), {}); }
void random_integers(Call& call) { call.give(call.dtype(Dtype::I64), call.integers("size")); }
void permutation(Call& call) { call.give(call.dtype(Dtype::I64), call.integers("n")); }

// As ATen counts: in f64, for a result of i64 after bounds and step are truncated.
void range_of_reals(Call& call) {
  const Dtype dtype = call.dtype(Dtype::F32);
  const auto bound = [&](std::string_view name, double otherwise) -> std::optional<double> {
    const PythonValue* const value = call.value(name);
    std::optional<double> number = value == nullptr ? std::optional(otherwise) : std::nullopt;
    if (value != nullptr && value->is<double>()) number = *value->as<double>();
    if (value != nullptr && value->is<IndexExpr>())
      if (const auto constant = call.pool().as_constant(*value->as<IndexExpr>()))
        number = static_cast<double>(*constant);
    return number && dtype == Dtype::I64 ? std::trunc(*number) : number;
  };
  const auto start = bound("start", 0), end = bound("end", 0), step = bound("step", 1);
  if (!start || !end || !step)
    return call.refuse<kArgumentNotConstant>("a bound of a range of numbers that are not integers", "sizes or data");
  const double count = std::ceil((*end - *start) / *step);
  if (!(count >= 0 && count < 0x1p53))
    return call.refuse<kUnsupportedArgument>("step", "one that does not lead from start to end", "one that does");
  call.give(dtype, {call.pool().constant(static_cast<std::int64_t>(count))});
}

// Its size follows from its row; only the element type is asked for.
void arange(Call& call) {
  bool whole = true;
  for (const std::string_view name : {"start", "end", "step"})
    if (const PythonValue* bound = call.value(name)) whole = whole && bound->is<IndexExpr>();
  if (!whole) return range_of_reals(call);
  const auto bound = [&](std::string_view name, std::int64_t otherwise) {
    return call.value(name) == nullptr ? call.pool().constant(otherwise) : call.integer(name);
  };
  const auto step = call.pool().as_constant(bound("step", 1));
  if (!step || *step == 0) return call.refuse<kArgumentNotConstant>("argument `step`", "sizes or data");
  IndexPool& pool = call.pool();
  const IndexExpr start = bound("start", 0), end = bound("end", 0);
  const IndexExpr span = *step > 0 ? pool.sub(end, start) : pool.sub(start, end);
  IndexExpr count = pool.ceildiv(span, pool.constant(std::abs(*step)));
  if (!pool.is_non_negative(count)) count = pool.max(count, pool.constant(0));
  call.give(call.dtype(Dtype::I64), {count});
}

void nonzero(Call& call) {
  const Value x = call.tensor("self");
  if (x.valid())
    call.give(Dtype::I64, {call.fresh_symbol(), call.pool().constant(static_cast<std::int64_t>(x.rank()))});
}

// One mask among whole axes gives a size that depends on data.
void index(Call& call) {
  const Value x = call.tensor("self");
  const PythonValue* const given = call.value("indices");
  if (!x.valid() || given == nullptr || given->items() == nullptr) return;
  const std::vector<PythonValue>& items = *given->items();
  const auto is_mask = [](const PythonValue& item) {
    return item.is<Tensor>() && (*item.as<Tensor>())->value.valid() &&
           (*item.as<Tensor>())->value.dtype() == Dtype::I1 && (*item.as<Tensor>())->value.rank() > 0;
  };
  const auto mask = std::find_if(items.begin(), items.end(), is_mask);
  if (mask == items.end()) return;
  const auto axis = mask - items.begin();
  const auto rank = static_cast<std::ptrdiff_t>((*mask->as<Tensor>())->value.rank());
  Dims dims = call.dims_of(x);
  if (axis + rank > static_cast<std::ptrdiff_t>(dims.size()))
    return call.refuse<kOutOfRange>("axis", axis + rank - 1, dims.size());
  dims.erase(dims.begin() + axis, dims.begin() + axis + rank);
  dims.insert(dims.begin() + axis, call.fresh_symbol());
  call.give(x.dtype(), dims);
}

// What a mask chooses, laid flat.
void masked_select(Call& call) {
  const Value x = call.tensor("self");
  if (x.valid()) call.give(x.dtype(), {call.fresh_symbol()});
}

// A line of positions for each axis.
void nonzero_numpy(Call& call) {
  const Value x = call.tensor("self");
  for (std::size_t i = 0; x.valid() && i < std::max<std::size_t>(x.rank(), 1); ++i)
    call.give(Dtype::I64, {call.fresh_symbol()});
}

// Repeats that are data; `output_size` says what they sum up to.
void repeat_interleave(Call& call) {
  const bool positions = call.target() == "aten.repeat_interleave.Tensor";
  const Value x = call.tensor(positions ? "repeats" : "self");
  if (!x.valid()) return;
  const IndexExpr total = call.value("output_size") != nullptr ? call.integer("output_size") : call.fresh_symbol();
  if (positions || call.value("dim") == nullptr) return call.give(x.dtype(), {total});
  Dims dims = call.dims_of(x);
  const std::size_t axis = call.axis(call.constant("dim"), dims.size());
  if (dims.empty()) dims.push_back(total);
  dims[axis] = total;
  call.give(x.dtype(), dims);
}

// Elements or slices, each once; which of them each was; how often each was. What is not asked for is empty.
void unique(Call& call) {
  const Value x = call.tensor("self");
  if (!x.valid()) return;
  const auto asked = [&](std::string_view name) {
    const PythonValue* const flag = call.value(name);
    return flag != nullptr && flag->is<bool>() && *flag->as<bool>();
  };
  const Dims none{call.pool().constant(0)}, found{call.fresh_symbol()};
  Dims dims = call.dims_of(x), inverse = dims;
  if (call.value("dim") == nullptr) {
    dims = found;
  } else {
    const std::size_t axis = call.axis(call.constant("dim"), dims.size());
    if (dims.empty()) return call.refuse<kOperandAxes>("its operand", 0, "at least one");
    inverse = {dims[axis]};
    dims[axis] = found[0];
  }
  call.give(x.dtype(), dims);
  call.give(Dtype::I64, asked("return_inverse") ? inverse : none);
  if (call.target() != "aten._unique.default") call.give(Dtype::I64, asked("return_counts") ? found : none);
}

void upsample(Call& call) {
  const Value x = call.tensor("input");
  if (!x.valid()) return;
  Dims dims = call.dims_of(x);
  if (dims.size() != 4)
    return call.refuse<kOperandAxes>("its operand", dims.size(), "a batch of pictures with channels");
  if (call.value("output_size") != nullptr) {
    const Dims sizes = call.integers("output_size");
    for (std::size_t i = 0; i < 2 && i < sizes.size(); ++i) dims[i + 2] = sizes[i];
    return call.give(x.dtype(), dims);
  }
  const PythonValue* const factors = call.value("scale_factors");
  for (std::size_t i = 0; i < 2; ++i) {
    const bool given = factors != nullptr && factors->items() != nullptr && factors->items()->size() == 2;
    const double* const factor = given ? (*factors->items())[i].as<double>() : nullptr;
    if (factor == nullptr) return call.refuse<kArgumentMissing>("scale_factors");
    const auto size = call.pool().as_constant(dims[i + 2]);
    if (size)
      dims[i + 2] = call.pool().constant(static_cast<std::int64_t>(std::floor(static_cast<double>(*size) * *factor)));
    else if (*factor == std::floor(*factor))
      dims[i + 2] = call.pool().scale(dims[i + 2], static_cast<std::int64_t>(*factor));
    else
      return call.refuse<kArgumentNotConstant>("a size that is scaled by a factor that is not an integer", "sizes");
  }
  call.give(x.dtype(), dims);
}

struct ResultTypeRow {
  std::string_view target;
  void (*run)(Call&);
};
constexpr std::array kResultTypeRows{
    ResultTypeRow{"aten.view.default", view},
    ResultTypeRow{"aten.reshape.default", view},
    ResultTypeRow{"aten._unsafe_view.default", view},
    ResultTypeRow{"aten.flatten.using_ints", flatten},
    ResultTypeRow{"aten.unflatten.int", unflatten},
    ResultTypeRow{"aten.expand.default", expand},
    ResultTypeRow{"aten.chunk.default", pieces},
    ResultTypeRow{"aten.split.Tensor", pieces},
    ResultTypeRow{"aten.split_with_sizes.default", pieces},
    ResultTypeRow{"aten.unbind.int", unbind},
    ResultTypeRow{"aten.cat.default", cat},
    ResultTypeRow{"aten.zeros.default", filled},
    ResultTypeRow{"aten.ones.default", filled},
    ResultTypeRow{"aten.rand.default", filled},
    ResultTypeRow{"aten.randn.default", filled},
    ResultTypeRow{"aten.full.default", full},
    ResultTypeRow{"aten.zeros_like.default", like},
    ResultTypeRow{"aten.ones_like.default", like},
    ResultTypeRow{"aten.full_like.default", like},
    ResultTypeRow{"aten.rand_like.default", like},
    ResultTypeRow{"aten.randn_like.default", like},
    ResultTypeRow{"aten.copy.default", like},
    ResultTypeRow{"aten.new_zeros.default", new_filled},
    ResultTypeRow{"aten.new_ones.default", new_filled},
    ResultTypeRow{"aten.new_full.default", new_filled},
    ResultTypeRow{"aten.scalar_tensor.default", scalar},
    ResultTypeRow{"aten.randint.low", random_integers},
    ResultTypeRow{"aten.randint.default", random_integers},
    ResultTypeRow{"aten.randint_like.default", like},
    ResultTypeRow{"aten.randint_like.low_dtype", like},
    ResultTypeRow{"aten.random.from", like},
    ResultTypeRow{"aten.random.to", like},
    ResultTypeRow{"aten.randperm.default", permutation},
    ResultTypeRow{"aten.uniform.default", like},
    ResultTypeRow{"aten.normal_functional.default", like},
    ResultTypeRow{"aten.normal.float_float", filled},
    ResultTypeRow{"aten.log_normal.default", like},
    ResultTypeRow{"aten.exponential.default", like},
    ResultTypeRow{"aten.cauchy.default", like},
    ResultTypeRow{"aten.geometric.default", like},
    ResultTypeRow{"aten.bernoulli.p", like},
    ResultTypeRow{"aten.bernoulli.Tensor", like},
    ResultTypeRow{"aten.bernoulli.default", like},
    ResultTypeRow{"aten.arange.default", arange},
    ResultTypeRow{"aten.arange.start", arange},
    ResultTypeRow{"aten.arange.start_step", arange},
    ResultTypeRow{"aten.nonzero.default", nonzero},
    ResultTypeRow{"aten.nonzero_numpy.default", nonzero_numpy},
    ResultTypeRow{"aten.index.Tensor", index},
    ResultTypeRow{"aten.masked_select.default", masked_select},
    ResultTypeRow{"aten.repeat_interleave.Tensor", repeat_interleave},
    ResultTypeRow{"aten.repeat_interleave.self_Tensor", repeat_interleave},
    ResultTypeRow{"aten._unique.default", unique},
    ResultTypeRow{"aten._unique2.default", unique},
    ResultTypeRow{"aten.unique_consecutive.default", unique},
    ResultTypeRow{"aten.upsample_bilinear2d.vec", upsample},
    ResultTypeRow{"aten.upsample_nearest2d.vec", upsample},
    ResultTypeRow{"aten._upsample_bicubic2d_aa.vec", upsample},
};

}  // namespace

Dtype dtype_of_number(const PythonValue& number) {
  if (number.is<bool>()) return Dtype::I1;
  if (number.is<IndexExpr>()) return Dtype::I64;
  if (const Computed* computed = number.as<Computed>(); computed != nullptr && !is_float(computed->value.dtype()))
    return computed->value.dtype();
  return Dtype::F32;
}

ResultTypes result_types(std::string_view target, std::string_view called, const CallArguments& arguments,
                         Context& context, const std::string& fresh_symbol) {
  const auto* const row = std::find_if(kResultTypeRows.begin(), kResultTypeRows.end(),
                                       [&](const ResultTypeRow& known) { return known.target == target; });
  if (row == kResultTypeRows.end()) return {};
  Call call(target, called, arguments, context, fresh_symbol);
  row->run(call);
  return call.done();
}

}  // namespace mlgc::python
