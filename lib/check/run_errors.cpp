// See run_errors.h.
#include "check/run_errors.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "check/run_path.h"
#include "ir/function.h"
#include "ops/instantiate_op.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

bool is_finite(const Tensor& tensor, std::int64_t i) { return std::isfinite(tensor.get_double(i)); }

// The first element that is NaN, or infinite; nothing for a tensor that is not of floats.
std::optional<std::int64_t> find_non_finite(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) return std::nullopt;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    if (!is_finite(tensor, i)) return i;
  return std::nullopt;
}

bool has_nan(const Tensor& tensor) {
  if (!is_float(tensor.dtype())) return false;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    if (std::isnan(tensor.get_double(i))) return true;
  return false;
}

Shape position_of(std::int64_t element, const Shape& shape) {
  Shape position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) position[d] = element % shape[d];
  return position;
}

// The element of the operand that an element-wise op reads for a position of its result; nothing where shapes do not
// broadcast.
std::optional<std::int64_t> read_for(const Tensor& operand, const Shape& position) {
  if (operand.rank() > position.size()) return std::nullopt;
  std::int64_t element = 0;
  const std::size_t first = position.size() - operand.rank();
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    const std::int64_t extent = operand.dim(d), at = position[first + d];
    if (extent != 1 && at >= extent) return std::nullopt;
    element = element * extent + (extent == 1 ? 0 : at);
  }
  return element;
}

// `[-1.5, 2.0]`, of the finite elements, and how many are not.
std::string range_text(const Tensor& tensor) {
  if (tensor.size() == 0) return "empty";
  if (is_complex(tensor.dtype())) return tensor.type_string();
  std::optional<std::int64_t> least, most;
  std::int64_t others = 0;
  const auto number = [&](std::int64_t i) {
    return is_float(tensor.dtype()) ? tensor.get_double(i) : static_cast<double>(tensor.get_int(i));
  };
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(number(i))) {
      ++others;
      continue;
    }
    if (!least || number(i) < number(*least)) least = i;
    if (!most || number(i) > number(*most)) most = i;
  }
  std::string out;
  if (least) out = "in [" + print_element(tensor, *least) + ", " + print_element(tensor, *most) + "]";
  if (others > 0) out += (out.empty() ? "" : ", ") + std::to_string(others) + " not finite";
  return out;
}

// One run of the function in f64, in the order of running.
struct Trace {
  struct Entry {
    std::uint32_t id;  // of the op, or of the region that is entered
    bool enters;
    std::vector<Tensor> values;
  };
  std::vector<Entry> entries;
  std::size_t bytes = 0, limit = 0;
  bool is_short = false;

  void add(std::uint32_t id, bool enters, std::span<const Tensor> values) {
    if (is_short) return;
    for (const Tensor& value : values) bytes += value.byte_size() + sizeof(Tensor);
    bytes += sizeof(Entry);
    is_short = bytes > limit;
    if (!is_short) entries.push_back({id, enters, std::vector<Tensor>(values.begin(), values.end())});
  }
};

// The finite element that is furthest off by its own magnitude.
std::int64_t furthest(const Tensor& value, const Tensor& exact) {
  std::int64_t found = 0;
  double most = -1;
  for (std::int64_t i = 0; i < value.size(); ++i) {
    const double x = value.get_double(i), right = exact.get_double(i);
    if (!std::isfinite(x) || !std::isfinite(right)) continue;
    const double off = x == right ? 0 : std::abs(x - right) / std::abs(right);
    if (off > most) found = i;
    most = std::max(most, off);
  }
  return found;
}

class RunErrorTracer {
 public:
  RunErrorTracer(Module& module, std::string_view function, const RunErrorOptions& options)
      : module_(module), function_(function), options_(options), path_(module) {}

  Result<RunErrors, Diagnostic> run(std::span<const Tensor> inputs, const ModuleData& data) {
    trace_.limit = options_.kept_bytes;
    InterpretOptions in_f64{.precision = Precision::F64, .max_trips = options_.max_trips};
    in_f64.torch_call = options_.engine.torch_call;
    in_f64.enter = [this](RegionRef region, std::span<const Tensor> values) {
      trace_.add(region.id().value, true, values);
    };
    in_f64.observe = [this](OpRef op, std::span<const Tensor> values) { trace_.add(op.id().value, false, values); };
    if (const auto exact = interpret(module_, function_, inputs, data, in_f64); !exact)
      out_.f64_fails = exact.error().message();
    out_.is_short = trace_.is_short;

    InterpretOptions native = options_.engine;
    native.max_trips = options_.max_trips;
    native.enter = [this](RegionRef region, std::span<const Tensor> values) { enter(region, values); };
    native.around = [this](const OpRun& run, const std::function<OpResults()>& own) { return compute(run, own); };
    native.observe = [this, inner = options_.engine.observe](OpRef op, std::span<const Tensor> values) {
      if (inner) inner(op, values);
      observe(op, values);
    };
    auto outputs = interpret(module_, function_, inputs, data, native);
    if (!outputs) return Failure{std::move(outputs).error()};
    return std::move(out_);
  }

 private:
  // What stands in the trace for this step; null when the runs have parted.
  const std::vector<Tensor>* next(std::uint32_t id, bool enters) {
    if (has_parted_) return nullptr;
    if (next_ >= trace_.entries.size() || trace_.entries[next_].id != id || trace_.entries[next_].enters != enters) {
      has_parted_ = true;
      if (next_ < trace_.entries.size() || !trace_.is_short) out_.parted = last_;
      return nullptr;
    }
    return &trace_.entries[next_++].values;
  }

  void enter(RegionRef region, std::span<const Tensor> values) {
    path_.enter(region);
    const std::vector<Tensor>* const exact = next(region.id().value, true);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value argument = region.argument(i);
      remember(argument, values[i], exact == nullptr ? nullptr : &(*exact)[i]);
      if (path_.levels().size() == 1) note_given(argument, values[i]);
    }
  }

  OpResults compute(const OpRun& run, const std::function<OpResults()>& own) {
    OpResults results = options_.engine.around ? options_.engine.around(run, own) : own();
    if (!results) return results;
    pending_.clear();
    const OpResults exact = run.evaluate(Precision::F64);
    for (std::size_t i = 0; i < results->size(); ++i) {
      OpError& error = pending_.emplace_back();
      const Tensor& value = (*results)[i];
      error.value = run.op.result(i);
      error.elements = value.size();
      find_origin(run, i, value);
      if (!exact || !is_inexact(value.dtype())) continue;
      const Difference difference = agrees(value, (*exact)[i]);
      error.own = ulp_of(difference);
      describe(value, (*exact)[i], difference, error.worst);
    }
    operands_.assign(run.operands.begin(), run.operands.end());
    return results;
  }

  void observe(OpRef op, std::span<const Tensor> values) {
    // The path is that of what the op runs in.
    path_.leave_to(op);
    const std::vector<Tensor>* const exact = next(op.id().value, false);
    last_ = op;
    const bool computes = has_formula(op.def());
    if (!computes) operands_.clear();
    const bool reads = op.is(GraphOp::Read);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value value = op.result(i);
      const double of_operands = computes ? operands_error(op) : 0;
      const std::optional<Error> error = remember(value, values[i], exact == nullptr ? nullptr : &(*exact)[i]);
      if (op.has_trait(Traits::Constant) || (reads && !reads_derived(op))) note_given(value, values[i]);
      if (!computes && !(reads && reads_derived(op))) continue;
      OpError found = computes ? std::move(pending_[i]) : OpError{};
      found.value = value;
      found.elements = values[i].size();
      if (error && error->difference) {
        const Difference& difference = *error->difference;
        if (is_inexact(values[i].dtype())) {
          found.accumulated = ulp_of(difference);
          found.relative = difference.relative.max;
          found.operands = of_operands * error->ulps;
        } else {
          found.other = difference.unequal;
        }
        describe(values[i], (*exact)[i], difference, found.worst);
      }
      add(std::move(found));
    }
  }

  struct Error {
    double relative = 0;                   // to the largest magnitude
    double ulps = 0;                       // that a relative error of 1 is
    std::optional<Difference> difference;  // nothing: it is not known
  };

  static double ulp_of(const Difference& difference) {
    const double ulp = difference.allowed / kAllowedUlp;
    return ulp > 0 ? difference.absolute.max / ulp : 0;
  }

  // The accumulated error of a value from now on.
  std::optional<Error> remember(Value value, const Tensor& tensor, const Tensor* exact) {
    if (exact == nullptr || exact->shape() != tensor.shape()) {
      errors_.erase(value.id());
      return std::nullopt;
    }
    Error error;
    error.difference = agrees(tensor, *exact);
    const Difference& difference = *error.difference;
    const double ulp = difference.allowed / kAllowedUlp;
    if (is_inexact(tensor.dtype()) && difference.scale > 0) {
      error.relative = difference.absolute.max / difference.scale;
      error.ulps = ulp > 0 ? difference.scale / ulp : 0;
    }
    errors_[value.id()] = error.relative;
    return error;
  }

  double operands_error(OpRef op) const {
    double largest = 0;
    for (const Value operand : op.operands())
      if (const auto known = errors_.find(operand.id()); known != errors_.end())
        largest = std::max(largest, known->second);
    return largest;
  }

  void add(OpError found) {
    const auto [at, is_new] = number_of_.try_emplace(found.value.id(), out_.ops.size());
    if (is_new) out_.ops.emplace_back();
    OpError& kept = out_.ops[at->second];
    const std::uint64_t runs = kept.runs + 1;
    if (is_new || found.added() > kept.added() || found.other > kept.other) {
      kept = std::move(found);
      kept.path = path_.text();
      if (kept.value.is_result()) describe_operands(kept.value.definer(), operands_, kept.worst);
    }
    kept.runs = runs;
  }

  bool reads_derived(OpRef read) {
    const auto symbol = module_.context().attributes().as_symbol(read.attr("symbol"));
    const OpRef weight = module_.lookup(symbol.value_or(""));
    return weight.valid() && weight.region_count() != 0 && !weight.region(0).empty();
  }

  // Operands of the element, or their ranges.
  static void describe_operands(OpRef op, std::span<const Tensor> operands, ElementAt& at) {
    const bool elementwise = op.has_trait(Traits::Elementwise) &&
                             std::ranges::none_of(op.results(), [](Value v) { return is_complex(v.dtype()); });
    at.operands.clear();
    for (std::size_t i = 0; i < operands.size() && i < op.operand_count(); ++i) {
      const auto element = elementwise ? read_for(operands[i], at.position) : std::nullopt;
      at.operands.emplace_back(op.operand(i), element ? print_element(operands[i], *element) : range_text(operands[i]));
    }
  }

  static void describe(const Tensor& value, const Tensor& exact, const Difference& difference, ElementAt& at) {
    if (difference.worst < 0 || is_complex(value.dtype())) return;
    const std::int64_t element = is_float(value.dtype()) ? furthest(value, exact) : difference.worst;
    at.position = position_of(element, value.shape());
    at.value = print_element(value, element);
    at.expected = print_element(exact, element);
  }

  // An infinity of finite operands, or a NaN of operands that are none; element by element where the op is
  // element-wise.
  void find_origin(const OpRun& run, std::size_t number, const Tensor& value) {
    if (!find_non_finite(value)) return;
    const Value result = run.op.result(number);
    if (is_origin_.contains(result.id())) return;
    const bool elementwise =
        run.op.has_trait(Traits::Elementwise) && std::ranges::all_of(run.operands, [&](const Tensor& operand) {
          return read_for(operand, position_of(0, value.shape())).has_value();
        });
    const auto all = [&](auto&& holds) {
      return std::ranges::all_of(run.operands, [&](const Tensor& operand) { return holds(operand); });
    };
    const bool finite = !elementwise && all([](const Tensor& operand) { return !find_non_finite(operand); });
    const bool numbers = !elementwise && (finite || all([](const Tensor& operand) { return !has_nan(operand); }));
    NonFinite found;
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < value.size(); ++i) {
      if (is_finite(value, i)) continue;
      const bool nan = std::isnan(value.get_double(i));
      bool fresh = nan ? numbers : finite;
      if (elementwise) {
        const Shape position = position_of(i, value.shape());
        fresh = all([&](const Tensor& operand) {
          const auto read = read_for(operand, position);
          if (!read || !is_float(operand.dtype())) return true;
          const double x = operand.get_double(*read);
          return nan ? !std::isnan(x) : std::isfinite(x);
        });
      }
      if (!fresh || (found.count > 0 && !nan && found.nan)) continue;
      if (found.count == 0 || (nan && !found.nan)) {  // a NaN is what is asked about where both arise
        found.nan = nan;
        found.count = 0;
        first = i;
      }
      ++found.count;
    }
    if (found.count == 0) return;
    found.first.position = position_of(first, value.shape());
    found.first.value = print_element(value, first);
    is_origin_.insert(result.id());
    if (!has_parted_ && next_ < trace_.entries.size() && trace_.entries[next_].id == run.op.id().value) {
      const Tensor& exact = trace_.entries[next_].values[number];
      if (exact.shape() == value.shape()) found.first.expected = print_element(exact, first);
    }
    found.value = result;
    found.path = path_.text();
    describe_operands(run.op, run.operands, found.first);
    out_.origins.push_back(std::move(found));
  }

  void note_given(Value value, const Tensor& tensor) {
    const auto first = find_non_finite(tensor);
    if (!first || !is_origin_.insert(value.id()).second) return;
    NonFinite found;
    found.value = value;
    found.path = path_.text();
    found.first.position = position_of(*first, tensor.shape());
    found.first.value = print_element(tensor, *first);
    found.nan = std::isnan(tensor.get_double(*first));
    for (std::int64_t i = 0; i < tensor.size(); ++i) found.count += is_finite(tensor, i) ? 0 : 1;
    out_.given.push_back(std::move(found));
  }

  Module& module_;
  std::string function_;
  const RunErrorOptions& options_;
  RunPath path_;
  Trace trace_;
  std::size_t next_ = 0;
  bool has_parted_ = false;
  OpRef last_;
  std::vector<OpError> pending_;  // of the op that has just been computed
  std::vector<Tensor> operands_;
  std::unordered_map<ValueId, double> errors_;
  std::unordered_map<ValueId, std::size_t> number_of_;
  std::unordered_set<ValueId> is_origin_;
  RunErrors out_;
};

}  // namespace

Result<RunErrors, Diagnostic> find_run_errors(Module& module, std::string_view function, std::span<const Tensor> inputs,
                                              const ModuleData& data, const RunErrorOptions& options) {
  return RunErrorTracer(module, function, options).run(inputs, data);
}

}  // namespace mlgc
