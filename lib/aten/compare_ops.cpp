// See compare_ops.h.
#include "aten/compare_ops.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aten/known_differences.h"
#include "aten/row_call.h"
#include "aten/spelling.h"
#include "diag/kinds_torch.h"
#include "tensor/compare.h"
#include "tensor/random.h"

namespace mlgc {
namespace {

constexpr double kMoved = 4;            // spacings
constexpr std::uint64_t kPatterns = 8;  // of signs

// Kernels that a dtype does not have.
bool not_implemented(std::string_view message) {
  return message.find("not implemented for") != std::string_view::npos ||
         message.find("not supported for") != std::string_view::npos ||
         message.find("not currently supported") != std::string_view::npos;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// So that messages about different sizes are counted together.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != 'N')
      out += 'N';
  }
  return out;
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string place(const Shape& position) {
  std::string out = "[";
  for (std::size_t i = 0; i < position.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(position[i]);
  return out + "]";
}

std::string difference_text(const Difference& d) {
  if (d.worst < 0) return d.reason;
  return d.reason + "; at " + place(d.worst_position) + " it is " + number_text(d.worst_actual) + ", LibTorch says " +
         number_text(d.worst_expected);
}

// Spacing of the dtype's numbers, relative to them.
double spacing(Dtype dtype) {
  switch (dtype) {
    case Dtype::F16: return 0x1p-10;
    case Dtype::BF16: return 0x1p-7;
    case Dtype::F32: return 0x1p-23;
    default: return 0x1p-52;
  }
}

// The floats in f64, each moved by a few of its dtype's spacings up or down, as bits that depend on its place say.
std::vector<Tensor> moved(std::span<const Tensor> operands, std::uint64_t seed) {
  std::vector<Tensor> out;
  for (const Tensor& t : operands) {
    out.push_back(is_float(t.dtype()) ? t.to_f64() : t);
    if (!is_float(t.dtype())) continue;
    const double step = kMoved * spacing(t.dtype());
    PhiloxStream stream(seed + out.size());
    for (std::int64_t i = 0; i < t.size(); ++i)
      out.back().set_double(i, t.get_double(i) * (1 + (stream.next_u32() % 2 == 0 ? step : -step)));
  }
  return out;
}

// The largest finite distance of two results.
double distance(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (const double d = std::abs(a.get_double(i) - b.get_double(i)); std::isfinite(d)) largest = std::max(largest, d);
  return largest;
}

// A norm takes a mean off and multiplies by up to 1/sqrt(eps): the rounding of the mean, which ATen keeps in f64 for
// f32, comes out multiplied by as much.
bool is_rounding_of_mean(const OpRun& run, const Tensor& mine, const Tensor& judge) {
  if (!keeps_statistics(run.op.name())) return false;
  const AttrValue* const eps = run.attributes.find("eps");
  const double* const least = eps == nullptr ? nullptr : std::get_if<double>(eps);
  if (least == nullptr || !(*least > 0)) return false;
  double largest = 0;
  for (std::int64_t i = 0; i < run.operands[0].size(); ++i)
    if (const double x = std::abs(run.operands[0].get_double(i)); std::isfinite(x)) largest = std::max(largest, x);
  return distance(mine, judge) <= kMoved * spacing(run.operands[0].dtype()) * largest / std::sqrt(*least);
}

std::string operands_text(const OpRun& run) {
  std::string out;
  for (const Tensor& t : run.operands) out += (out.empty() ? "" : ", ") + t.type_string();
  return out.empty() ? "none" : out;
}

}  // namespace

InterpretOptions OpComparison::options() {
  InterpretOptions options;
  options.around = [this](const OpRun& run, const std::function<OpResults()>& own) { return compare(run, own); };
  return options;
}

void OpComparison::report(const OpRun& run, Diagnostic diagnostic) {
  found_.push_back({std::move(diagnostic), operands_text(run)});
}

OpResults OpComparison::compare(const OpRun& run, const std::function<OpResults()>& own) {
  OpResults mine = own();
  ++counts_.ops;
  const std::string row(run.op.name());
  const auto call = aten_call(plugin_, run);
  const std::string_view unsafe = why_not_called(run);
  if (!call || !unsafe.empty()) {
    ++counts_.left_out[row + ": " + (call ? std::string(unsafe) : call.error())];
    return mine;
  }
  const Results eager = plugin_.call(call->op, call->arguments);
  // Integers are the same on both sides; floats are judged in f64, also those that are computed from integers.
  Results judge = eager;
  const bool from_integers = run.op.has_trait(Traits::Elementwise) && mine.ok() && is_float((*mine)[0].dtype());
  const auto is_wide = [&](const Tensor& t) { return is_float(t.dtype()) || (from_integers && is_integer(t.dtype())); };
  if (std::ranges::any_of(run.operands, is_wide)) {
    std::vector<Tensor> wide;
    for (const Tensor& t : run.operands) wide.push_back(is_wide(t) ? t.to_f64() : t);
    if (const auto again = aten_call(plugin_, {run.op, wide, run.attributes}))
      judge = plugin_.call(again->op, again->arguments);
  }
  if (!mine.ok() || !judge.ok()) {
    if (!mine.ok() && !judge.ok())
      ++counts_.refused;
    else if (const std::string_view reason = mine.ok() ? "" : known_difference(run, nullptr); !reason.empty())
      ++counts_.known[row + ": " + std::string(reason)];
    else if (!mine.ok())
      report(run, diagnose<kRefusedHere>(run.op.location(), row, call->name, mine.error().message()));
    else if (not_implemented(judge.error()))
      ++counts_.left_out[row + ": " + std::string(call->name) + ": " + first_line(judge.error())];
    else
      ++counts_.wider[row + ": " + without_numbers(first_line(judge.error()))];
    return mine;
  }
  compare_results(run, call->name, *mine, eager, judge);
  return mine;
}

void OpComparison::compare_results(const OpRun& run, std::string_view aten, const std::vector<Tensor>& mine,
                                   const Results& eager, const Results& judge) {
  const std::string row(run.op.name());
  ++counts_.rows[row];
  bool all = true;
  for (std::size_t i = 0; i < mine.size() && i < judge->size(); ++i) {
    const std::optional<Tensor>& right = (*judge)[i];
    if (!right || is_unspecified(row, i)) continue;
    const Tensor* const own = eager.ok() && (*eager)[i] ? &*(*eager)[i] : nullptr;
    const bool floating = is_float(own != nullptr ? own->dtype() : right->dtype());
    const Tensor reference = floating ? right->to_f64() : own != nullptr ? *own : *right;
    const Difference d =
        agrees(mine[i], reference, own, {.subject = mine[i].dtype() == Dtype::F64 ? "PyTorch in f64" : ""});
    if (d.agrees) continue;
    all = false;
    std::string_view reason = known_difference(run, &mine[i]);
    if (reason.empty() && floating && d.nan_mismatches == 0 && d.inf_mismatches == 0) {
      if (is_rounding_of_mean(run, mine[i], reference))
        reason = "ATen keeps the mean of f32 in f64";
      else if (is_rounding_of_operands(run, mine[i], reference, i))
        reason = "right for operands that differ from these by rounding: terms cancel";
    }
    if (!reason.empty()) {
      ++counts_.known[row + ": " + std::string(reason)];
      continue;
    }
    report(run,
           diagnose<kDiffersFromTorch>(run.op.location(), row, aten, static_cast<std::int64_t>(i), difference_text(d)));
  }
  if (all) ++counts_.agree;
}

bool OpComparison::is_rounding_of_operands(const OpRun& run, const Tensor& mine, const Tensor& judge,
                                           std::size_t result) const {
  const double wrong = distance(mine, judge);
  double reach = 0;
  for (std::uint64_t seed = 1; seed <= kPatterns; ++seed) {
    const std::vector<Tensor> operands = moved(run.operands, seed);
    const auto call = aten_call(plugin_, {run.op, operands, run.attributes});
    if (!call) return false;
    const Results again = plugin_.call(call->op, call->arguments);
    if (!again || result >= again->size() || !(*again)[result] || (*again)[result]->shape() != judge.shape())
      return false;
    reach = std::max(reach, distance((*again)[result]->to_f64(), judge));
  }
  return wrong <= 2 * reach;
}

std::vector<Diagnostic> OpComparison::take_differences(std::string_view inputs, std::string_view program) {
  std::vector<Diagnostic> out;
  for (Found& found : found_)
    out.push_back(std::move(found.diagnostic).with_note<kComparedOn>({}, found.operands, inputs, program));
  found_.clear();
  return out;
}

}  // namespace mlgc
