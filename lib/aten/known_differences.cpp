// See known_differences.h.
#include "aten/known_differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

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

bool has_empty_operand(const OpRun& run) {
  return std::ranges::any_of(run.operands, [](const Tensor& t) { return t.empty(); });
}

// Whether every row along the last axis ascends, without NaN.
bool ascends(const Tensor& t) {
  const std::int64_t length = t.rank() == 0 ? 1 : t.dim(t.rank() - 1);
  for (std::int64_t i = 0; i + 1 < t.size(); ++i)
    if ((i + 1) % length != 0 && !(t.get_double(i) <= t.get_double(i + 1))) return false;
  return t.size() != 1 || !std::isnan(t.get_double(0));
}

bool flag(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  const bool* const set = value == nullptr ? nullptr : std::get_if<bool>(value);
  return set != nullptr && *set;
}

// An attribute that is an integer or a float.
std::optional<double> number(const OpRun& run, std::string_view attribute) {
  const AttrValue* const value = run.attributes.find(attribute);
  if (value == nullptr) return std::nullopt;
  if (const double* const real = std::get_if<double>(value)) return *real;
  const IndexExpr* const whole = std::get_if<IndexExpr>(value);
  return whole == nullptr ? std::nullopt : run.op.module().context().index().as_constant(*whole);
}

// Offsets of bags: they begin with 0 and ascend to at most the number of indices.
bool are_offsets(const Tensor& offsets, std::int64_t count) {
  if (offsets.empty() || offsets.get_int(0) != 0 || offsets.get_int(offsets.size() - 1) > count) return false;
  return ascends(offsets);
}

// Whether some element may be written more than once: a position stands twice among the indices, or they broadcast.
bool writes_twice(const OpRun& run) {
  const bool put = run.op.name() == "index_put";
  const std::span<const Tensor> indices = put ? run.operands.subspan(2) : run.operands.subspan(1, 1);
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t i = 0; i < indices[0].size(); ++i) {
    std::vector<std::int64_t> position;
    for (const Tensor& index : indices) {
      if (index.shape() != indices[0].shape()) return true;
      position.push_back(index.get_int(i));
    }
    if (!seen.insert(position).second) return true;
  }
  return false;
}

}  // namespace

std::string_view why_not_called(const OpRun& run) {
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

bool keeps_statistics(std::string_view row) { return row.ends_with("_norm") || row.starts_with("batch_norm"); }

std::string_view known_difference(const OpRun& run, const Tensor* mine) {
  const std::string_view row = run.op.name();
  if (mine == nullptr) {
    if (is_one_of(row, {"logsumexp", "softmax", "log_softmax"}) && has_empty_operand(run))
      return "the extremum of an empty axis is an error here; ATen gives an empty result, or -inf";
    if (row.starts_with("max_pool")) return "a window that lies outside altogether is an error here; ATen gives -inf";
    if (row == "histc") return "the distance of the bounds overflows, or is lost in rounding";
    if (row == "take_along_dim") return "positions beyond the end on either side: ATen checks one of them only";
    if (has_empty_operand(run)) return "ATen does not look at positions where nothing is to be written";
    return "";
  }
  if (is_one_of(row, {"all", "any"}) && run.operands[0].dtype() == Dtype::UI8)
    return "ATen keeps ui8, here the result is i1 for every dtype";
  if (is_one_of(row, {"bucketize", "searchsorted"}) && !ascends(run.operands[row == "bucketize" ? 1 : 0]))
    return "the bounds do not ascend: a search among them finds any place";
  if (is_one_of(row, {"index_put", "scatter", "index_copy"}) && writes_twice(run))
    return "several values for one element: ATen writes them in any order";
  if (const auto eps = number(run, "eps"); eps && *eps <= 0)
    return "without a positive eps ATen takes 1/sqrt(0) as 0 in some norms and multiplies infinities in others";
  if (is_one_of(row, {"layer_norm", "group_norm"}) && has_non_finite_operand(run))
    return "ATen's running mean over infinities is NaN, the sum of them here is infinite";
  if (keeps_statistics(row) && has_non_finite_operand(run, 1))
    return "an infinite weight or variance: ATen makes a scale and a shift of the operands, which cancel to NaN";
  if (const auto correction = number(run, "correction"); correction && (*correction < 0 || *correction > 1))
    return "with such a correction rounding is divided by 0, or nothing by something";
  if (row == "linalg_vector_norm")
    if (const double order = std::abs(number(run, "ord").value_or(2)); order < 0.5 || order > 8)
      return "powers of an order far from 1 overflow or vanish, and ATen takes none of a single element";
  if (row == "embedding_bag" && has_non_finite_operand(run)) return "the largest of a bag skips NaN in ATen";
  if (is_one_of(row, {"grid_sampler_2d", "histc"}) && dtype_info(run.operands[0].dtype()).bytes == 2)
    return "ATen rounds places, weights and bounds to 16 bits in between";
  if (row.starts_with("max_pool") && has_non_finite_operand(run))
    return "of several NaN in a window ATen names the last, here it is the first, as in argmax";
  if (row == "grid_sampler_2d" && has_non_finite_operand(run))
    return "places and elements that are not finite: a corner outside is 0 times its weight here, nothing in ATen";
  if (row == "scaled_dot_product_attention" && has_empty_operand(run))
    return "one over the root of no features is infinite, and 0 times it NaN";
  if (row == "scaled_dot_product_attention" && has_non_finite_operand(run))
    return "a query whose scores are all -inf attends to nothing here; ATen tells scores from masks";
  if (is_one_of(row, {"addmm", "baddbmm"}) && number(run, "alpha") == 0.0)
    return "with an alpha of 0 ATen does not read the factors, here 0 times NaN is NaN";
  if (row.starts_with("conv") && has_empty_operand(run)) return "ATen gives no channels where there are none to read";
  if (is_one_of(row, {"remainder", "fmod"}) && has_extreme_operand(run))
    return "vectorised ATen multiplies the quotient back, which overflows, and flushes subnormal divisors";
  if (is_one_of(row, {"hardswish", "addcmul", "addcdiv", "lerp", "add", "sub"}) && has_extreme_operand(run))
    return "of several products and sums one overflows, in another order than ATen's";
  if (row.starts_with("conv_transpose") && has_non_finite_operand(run))
    return "a tap outside is 0 times the weight here, and nothing in ATen's transposed convolution";
  if (!run.op.has_trait(Traits::Elementwise) && has_extreme_operand(run))
    return "sums and products of numbers that overflow or vanish depend on their order";
  return "";
}

}  // namespace mlgc
