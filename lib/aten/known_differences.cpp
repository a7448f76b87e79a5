// See known_differences.h.
#include "aten/known_differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "diag/kinds_interp.h"

namespace mlgc {
namespace {

bool is_one_of(std::string_view row, std::initializer_list<std::string_view> rows) {
  return std::ranges::find(rows, row) != rows.end();
}

// A number so large or small that sums of its powers leave the range of its dtype. 16-bit floats are summed in f32 on
// both sides.
bool is_extreme(double x, Dtype dtype) {
  const double size = std::abs(x);
  if (!std::isfinite(x) || size == 0) return false;
  switch (dtype) {
    case Dtype::F16: return size > 1e4 || size < 1e-6;
    case Dtype::F64: return size > 1e120 || size < 1e-120;
    default: return size > 1e15 || size < 1e-15;
  }
}

bool has_extreme_operand(const OpRun& run) {
  return std::ranges::any_of(run.operands, [](const Tensor& t) {
    if (!is_float(t.dtype())) return false;
    for (std::int64_t i = 0; i < t.size(); ++i)
      if (is_extreme(t.get_double(i), t.dtype())) return true;
    return false;
  });
}

bool has_non_finite_operand(const OpRun& run, std::size_t first = 0) {
  for (std::size_t k = first; k < run.operands.size(); ++k)
    for (std::int64_t i = 0; is_float(run.operands[k].dtype()) && i < run.operands[k].size(); ++i)
      if (!std::isfinite(run.operands[k].get_double(i))) return true;
  return false;
}

// A whole number below 0, where the gamma function has no value.
bool has_pole(const OpRun& run) {
  return std::ranges::any_of(run.operands, [](const Tensor& t) {
    for (std::int64_t i = 0; i < t.size(); ++i)
      if (const double x = t.get_double(i); x < 0 && x == std::floor(x) && std::isfinite(x)) return true;
    return false;
  });
}

bool has_empty_operand(const OpRun& run) {
  return std::ranges::any_of(run.operands, [](const Tensor& t) { return t.empty(); });
}

// Whether every row along the last axis ascends, without NaN.
bool ascends(const Tensor& t) {
  const std::int64_t length = t.rank() == 0 ? 1 : t.dim(t.rank() - 1);
  const auto in_order = [&](std::int64_t i) {
    return is_float(t.dtype()) ? t.get_double(i) <= t.get_double(i + 1) : t.get_int(i) <= t.get_int(i + 1);
  };
  for (std::int64_t i = 0; i + 1 < t.size(); ++i)
    if ((i + 1) % length != 0 && !in_order(i)) return false;
  return t.size() != 1 || !std::isnan(t.get_double(0));
}

bool flag(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  const bool* const set = value == nullptr ? nullptr : std::get_if<bool>(value);
  return set != nullptr && *set;
}

std::string_view text(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  const std::string* const found = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return found == nullptr ? std::string_view() : std::string_view(*found);
}

// An attribute that is an integer or a float.
std::optional<double> number(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  if (value == nullptr) return std::nullopt;
  if (const double* const real = std::get_if<double>(value)) return *real;
  const IndexExpr* const whole = std::get_if<IndexExpr>(value);
  return whole == nullptr ? std::nullopt : run.op.module().context().index().as_constant(*whole);
}

std::optional<std::int64_t> integer(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  const IndexExpr* const whole = value == nullptr ? nullptr : std::get_if<IndexExpr>(value);
  return whole == nullptr ? std::nullopt : run.op.module().context().index().as_constant(*whole);
}

// Offsets of bags: they begin with 0 and ascend to at most the number of indices.
bool are_offsets(const Tensor& offsets, std::int64_t count) {
  if (offsets.empty() || offsets.get_int(0) != 0 || offsets.get_int(offsets.size() - 1) > count) return false;
  return ascends(offsets);
}

// Whether some element may be written more than once: places repeat, or the indices broadcast.
bool writes_twice(const OpRun& run) {
  const bool put = run.op.name() == "index_put";
  const std::span<const Tensor> indices = put ? run.operands.subspan(2) : run.operands.subspan(1, 1);
  const Tensor& x = run.operands[0];
  const auto axis = static_cast<std::size_t>(std::max(0.0, number(run, "dim").value_or(0)));
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t i = 0; i < indices[0].size(); ++i) {
    std::vector<std::int64_t> place;
    for (const Tensor& index : indices) {
      if (index.shape() != indices[0].shape()) return true;
      place.push_back(index.get_int(i));
    }
    if (run.op.name() == "scatter") {  // an index for each element, which keeps its place on the other axes
      const Shape strides = indices[0].strides();
      for (std::size_t d = 0; d < x.rank(); ++d)
        if (d != axis) place.push_back(i / strides[d] % indices[0].dim(d));
    }
    // Negative places count from an end that differs by axis.
    if (put && std::ranges::any_of(place, [](std::int64_t at) { return at < 0; })) return true;
    if (!seen.insert(place).second) return true;
  }
  return false;
}

// Whether the first operand stands for the batch of all: the others' axes but the last two fit into its own.
bool batch_is_of_first(const OpRun& run) {
  const auto batch = [](const Tensor& t) { return t.rank() - std::min<std::size_t>(t.rank(), 2); };
  const Tensor& first = run.operands[0];
  for (const Tensor& t : run.operands.subspan(1)) {
    if (batch(t) > batch(first)) return false;
    for (std::size_t d = 0; d < batch(t); ++d)
      if (t.dim(d) != 1 && t.dim(d) != first.dim(batch(first) - batch(t) + d)) return false;
  }
  return true;
}

// Over how many elements a reduction goes.
double reduced_count(const OpRun& run, const Difference& d) {
  return d.elements == 0 ? 0 : static_cast<double>(run.operands[0].size()) / static_cast<double>(d.elements);
}

// Rows whose formulas add up products or powers, of many elements or of their own.
bool sums(std::string_view row) {
  constexpr std::string_view kRows[] = {"addmm",
                                        "baddbmm",
                                        "binary_cross_entropy",
                                        "binary_cross_entropy_with_logits",
                                        "cross_entropy",
                                        "cumprod",
                                        "cumsum",
                                        "einsum",
                                        "embedding_bag",
                                        "grid_sampler_2d",
                                        "grid_sampler_3d",
                                        "histc",
                                        "huber_loss",
                                        "index_add",
                                        "kl_div",
                                        "l1_loss",
                                        "linalg_vector_norm",
                                        "linear",
                                        "matmul",
                                        "mean",
                                        "mse_loss",
                                        "nll_loss",
                                        "outer",
                                        "prod",
                                        "scatter_add",
                                        "scaled_dot_product_attention",
                                        "scatter_reduce",
                                        "smooth_l1_loss",
                                        "std",
                                        "sum",
                                        "var"};
  return std::ranges::find(kRows, row) != std::end(kRows) || row.starts_with("conv") ||
         row.find("_pool") != std::string_view::npos || row.starts_with("upsample") || row == "batch_norm" ||
         keeps_statistics(row);
}

// In f64, ATen's trigamma and the derivative of digamma differ by the first term that ATen leaves out:
// (x + 6)^-9 / 30 for x > 0.5, to which other x are reflected.
bool is_trigamma(const Difference& d) { return d.dtype == Dtype::F64 && d.relative.max <= 1e-9; }

bool holds(const Tensor& t, std::int64_t value) {
  for (std::int64_t i = 0; is_integer(t.dtype()) && i < t.size(); ++i)
    if (t.get_int(i) == value) return true;
  return false;
}
std::int64_t least_of(Dtype dtype) {
  return dtype == Dtype::I32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
}

// What ATen takes for the greatest divisor of the least integer and another: where the steps end below 0, so does it.
std::int64_t divisor_with_least(std::int64_t least, std::int64_t other) {
  std::int64_t a = least, b = other < 0 && other != least_of(Dtype::I64) ? -other : other;
  while (a != 0) b = std::exchange(a, b % a);
  return b;
}

// ATen divides the least integer by -1, in a type that instructions divide: smaller ones are widened first.
bool divides_least_by_minus_one(const OpRun& run) {
  const Tensor& a = run.operands[0];
  const std::int64_t least = least_of(a.dtype());
  if (!is_integer(a.dtype()) || !holds(a, least)) return false;
  const bool multiple = run.op.name() == "lcm";  // a / divisor * b
  const auto is_minus_one = [&](std::int64_t b) { return (multiple ? divisor_with_least(least, b) : b) == -1; };
  if (run.operands.size() < 2) {
    const auto other = integer(run, "other");
    return other && is_minus_one(*other);
  }
  const Tensor& b = run.operands[1];
  for (std::int64_t i = 0; is_integer(b.dtype()) && i < b.size(); ++i)
    if (is_minus_one(b.get_int(i))) return true;
  return false;
}

// What a difference looks like.
enum Symptoms : unsigned { Nan = 1, Infinite = 2, Numbers = 4 };
unsigned symptoms_of(const Difference& d) {
  unsigned seen = 0;
  if (d.nan_mismatches > 0) seen |= Nan;
  if (d.inf_mismatches > 0) seen |= Infinite;
  if (d.exceeding > 0 || (!is_float(d.dtype) && d.unequal > 0)) seen |= Numbers;
  return seen;
}

struct Known {
  unsigned symptoms;
  bool (*applies)(std::string_view row, const OpRun& run, std::size_t result, const Difference& d);
  std::string_view reason;
};
using Row = std::string_view;
using D = Difference;

constexpr Known kKnown[] = {
    {Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"bucketize", "searchsorted"}) && !ascends(run.operands[row == "bucketize" ? 1 : 0]);
     },
     "the bounds do not ascend: a search among them finds any place"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"index_put", "scatter", "index_copy"}) && writes_twice(run);
     },
     "several values for one element: ATen writes them in any order"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       const auto eps = number(run, "eps");
       return (row == "batch_norm" || keeps_statistics(row)) && eps && *eps <= 0;
     },
     "without a positive eps ATen takes 1/sqrt(0) as 0 in some norms and multiplies infinities in others"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"layer_norm", "group_norm"}) && has_non_finite_operand(run);
     },
     "ATen's running mean over infinities is NaN, the sum of them here is infinite"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return (row == "batch_norm" || keeps_statistics(row)) && has_non_finite_operand(run, 1);
     },
     "an infinite weight or variance: ATen makes a scale and a shift of the operands, which cancel to NaN"},
    {Nan | Infinite,
     [](Row row, const OpRun& run, std::size_t, const D& d) {
       return is_one_of(row, {"var", "std"}) && reduced_count(run, d) - number(run, "correction").value_or(1) <= 0;
     },
     "a correction that leaves no element: rounding, or nothing, divided by 0"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"var", "std"}) && has_empty_operand(run);
     },
     "the variance of nothing is NaN in ATen, whatever the correction"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       const double order = std::abs(number(run, "ord").value_or(2));
       return row == "linalg_vector_norm" && std::isfinite(order) && order != 0 && (order < 0.5 || order > 8);
     },
     "powers of an order far from 1 overflow or vanish, and ATen takes none of a single element"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return row == "embedding_bag" && text(run, "mode") == "max" && has_non_finite_operand(run);
     },
     "the largest of a bag skips NaN in ATen"},
    {Numbers,
     [](Row row, const OpRun& run, std::size_t result, const D&) {
       return row.starts_with("max_pool") && result == 1 && has_non_finite_operand(run);
     },
     "of several NaN in a window ATen names the last, here it is the first, as in argmax"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return row == "scaled_dot_product_attention" && has_empty_operand(run);
     },
     "one over the root of no features is infinite, and 0 times it NaN"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return row == "scaled_dot_product_attention" && has_non_finite_operand(run);
     },
     "a query whose scores are all -inf attends to nothing here; ATen tells scores from masks"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"grid_sampler_2d", "grid_sampler_3d"}) && has_non_finite_operand(run);
     },
     "places and elements that are not finite: a corner outside is 0 times its weight here, nothing in ATen"},
    {Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"grid_sampler_2d", "grid_sampler_3d", "histc"}) &&
              dtype_info(run.operands[0].dtype()).bytes == 2;
     },
     "ATen rounds places, weights and bounds to 16 bits in between"},
    {Nan | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"remainder", "fmod"}) && has_extreme_operand(run);
     },
     "vectorised ATen multiplies the quotient back, which overflows, and flushes subnormal divisors"},
    {Infinite | Nan | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       const bool scaled = is_one_of(row, {"add", "sub"}) && number(run, "alpha").value_or(1) != 1;
       return (scaled || is_one_of(row, {"hardswish", "addcmul", "addcdiv", "lerp"})) && has_extreme_operand(run);
     },
     "of several products and sums one overflows, in another order than ATen's"},
    {Infinite | Nan | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D& d) {
       return row == "polygamma" && number(run, "n") == 1.0 && has_pole(run) && (d.exceeding == 0 || is_trigamma(d)) &&
              (d.nan_mismatches == 0 || has_extreme_operand(run));
     },
     "at a pole ATen divides by what rounding leaves of a sine, NaN where the angle overflows"},
    {Numbers,
     [](Row row, const OpRun& run, std::size_t, const D& d) {
       return row == "polygamma" && number(run, "n") == 1.0 && is_trigamma(d);
     },
     "ATen's trigamma ends its series after four terms, also in f64"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return row == "polygamma" && number(run, "n").value_or(0) > 1 && has_non_finite_operand(run);
     },
     "ATen's sums of powers have no limit at infinity"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return is_one_of(row, {"addmm", "baddbmm"}) && number(run, "alpha") == 0.0 && has_non_finite_operand(run);
     },
     "with an alpha of 0 ATen does not read the factors, here 0 times NaN is NaN"},
    {Nan,
     [](Row row, const OpRun& run, std::size_t, const D&) {
       return row.starts_with("conv_transpose") && has_non_finite_operand(run);
     },
     "a tap outside is 0 times the weight here, and nothing in ATen's transposed convolution"},
    {Nan | Infinite | Numbers,
     [](Row row, const OpRun& run, std::size_t, const D&) { return sums(row) && has_extreme_operand(run); },
     "sums and products of numbers that overflow or vanish depend on their order"},
};

}  // namespace

std::string_view why_not_called(const OpRun& run) {
  if (is_one_of(run.op.name(), {"floor_divide", "fmod", "lcm", "remainder", "trunc_divide"}) &&
      divides_least_by_minus_one(run))
    return "the least integer divided by -1, which ends ATen's process";
  if (run.op.name() == "binary_cross_entropy" && run.operands[0].shape() != run.operands[1].shape())
    return "operands of other sizes, which ATen does not check";
  if (run.op.name() != "embedding_bag") return "";
  if (!are_offsets(run.operands[2], run.operands[1].size()))
    return "the offsets do not ascend from 0 to the number of indices, which ATen does not check";
  const Tensor& offsets = run.operands[2];
  if (flag(run, "include_last_offset") &&
      (offsets.size() < 2 || offsets.get_int(offsets.size() - 1) != run.operands[1].size()))
    return "the last offset is not the number of indices, which ATen does not check";
  for (std::int64_t i = 0; i < run.operands[1].size(); ++i)
    if (const std::int64_t at = run.operands[1].get_int(i); at < 0 || at >= run.operands[0].dim(0))
      return "an index lies outside, which ATen does not check";
  if (run.operands.size() > 3 && run.operands[3].shape() != run.operands[1].shape())
    return "there is no factor for each index, which ATen does not check";
  return "";
}

bool keeps_statistics(std::string_view row) {
  return is_one_of(row,
                   {"batch_norm_stats", "batch_norm_train", "group_norm", "instance_norm", "layer_norm", "rms_norm"});
}

bool has_steps(std::string_view row) {
  return is_one_of(
      row, {"ceil", "floor", "floor_divide", "fmod", "histc", "remainder", "round", "sign", "trunc", "trunc_divide"});
}

std::string_view known_difference(const OpRun& run, std::size_t result, const Difference& difference) {
  const unsigned seen = symptoms_of(difference);
  for (const Known& known : kKnown)
    if ((seen & ~known.symptoms) == 0 && known.applies(run.op.name(), run, result, difference)) return known.reason;
  return "";
}

std::string_view known_type_difference(const OpRun& run) {
  if (run.op.name().starts_with("conv") && has_empty_operand(run))
    return "ATen gives no channels where there are none to read";
  if (run.op.name() == "scaled_dot_product_attention" && has_empty_operand(run) && !batch_is_of_first(run))
    return "with nothing to attend to, or for, ATen does not broadcast: the result has the batch of the queries";
  return "";
}

std::string_view known_refusal(const OpRun& run, const DiagKind& kind) {
  const std::string_view row = run.op.name();
  const bool outside = &kind == &kReadOutOfRange || &kind == &kWriteOutOfRange;
  if (&kind == &kEmptyExtremum && is_one_of(row, {"cross_entropy", "log_softmax", "logsumexp", "softmax"}))
    return "the extremum of an empty axis is an error here; ATen gives an empty result, or -inf";
  if (outside && row.starts_with("max_pool"))
    return "a window that lies outside altogether is an error here; ATen gives -inf";
  if (outside && row == "histc") return "the distance of the bounds overflows, or is lost in rounding";
  if (outside && row == "take_along_dim")
    return "positions beyond the end on either side: ATen checks one of them only";
  if (outside && has_empty_operand(run)) return "ATen does not look at positions where nothing is to be written";
  return "";
}

}  // namespace mlgc
