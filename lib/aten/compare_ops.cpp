// See compare_ops.h.
#include "aten/compare_ops.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aten/aten_overloads.h"
#include "aten/known_differences.h"
#include "aten/row_call.h"
#include "aten/run_torch_call.h"
#include "diag/kinds_torch.h"
#include "formula/formula_work.h"
#include "ops/instantiate_op.h"
#include "tensor/compare.h"
#include "tensor/print.h"
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

std::string difference_text(const Difference& d) {
  if (d.worst < 0) return d.reason;
  return d.reason + "; at " + position_text(d.worst_position) + " it is " + format_number(d.worst_actual) +
         ", PyTorch says " + format_number(d.worst_expected);
}

// ATen's result has the operand's dtype, where it is i1 here for every dtype.
bool keeps_ui8(std::string_view row) { return row == "all" || row == "any"; }
bool is_elementwise(OpRef op) { return op.has_trait(Traits::Elementwise) || op.has_trait(Traits::Movement); }

std::string operands_text(const OpRun& run) {
  std::string out;
  for (const Tensor& t : run.operands) out += (out.empty() ? "" : ", ") + t.type_string();
  return out.empty() ? "none" : out;
}

// The floats in f64, each moved by a few of its dtype's spacings up or down, as bits of the seed say.
std::vector<Tensor> moved(std::span<const Tensor> operands, std::uint64_t seed) {
  std::vector<Tensor> out;
  for (const Tensor& t : operands) {
    out.push_back(is_float(t.dtype()) ? t.to_f64() : t);
    if (!is_float(t.dtype())) continue;
    PhiloxStream stream(seed * operands.size() + out.size());
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const double x = t.get_double(i), step = std::isfinite(x) ? kMoved * ulp_at(t.dtype(), std::abs(x)) : 0;
      out.back().set_double(i, stream.next_u32() % 2 == 0 ? x + step : x - step);
    }
  }
  return out;
}

// How many index tuples an op goes through for one element of its results: at least as many as a sum there has terms.
double terms_of(const OpRun& run, std::int64_t elements) {
  if (elements == 0 || run.sizes == nullptr) return 1;
  Context& context = run.op.module().context();
  std::vector<Type> types;
  for (const Value operand : run.op.operands())
    types.push_back(context.types().kind(operand.type()) == TypeKind::Index
                        ? context.types().tensor(Dtype::I64, std::span<const IndexExpr>())
                        : operand.type());
  const auto formula = instantiate_op(context, run.op.opcode(), types, run.op.attrs());
  if (!formula) return 1;
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const std::int64_t work = formula_work(formulas(context), *formula, kMost, [&](IndexExpr extent) {
    return context.index().evaluate(extent, [&](AtomId atom) { return run.sizes->find(atom); });
  });
  return std::max(1.0, static_cast<double>(work) / static_cast<double>(elements));
}

// A norm takes a mean off and multiplies by up to 1/sqrt(eps): the rounding of the mean, which ATen keeps in f64 for
// f32, comes out multiplied by as much.
bool is_rounding_of_mean(const OpRun& run, const Tensor& mine, const Tensor& reference) {
  if (!keeps_statistics(run.op.name())) return false;
  const AttrValue* const eps = run.attributes.find("eps");
  const double* const least = eps == nullptr ? nullptr : std::get_if<double>(eps);
  if (least == nullptr || !(*least > 0)) return false;
  double largest = 0, wrong = 0;
  for (std::int64_t i = 0; i < run.operands[0].size(); ++i)
    if (const double x = std::abs(run.operands[0].get_double(i)); std::isfinite(x)) largest = std::max(largest, x);
  for (std::int64_t i = 0; i < mine.size(); ++i)
    if (const double d = std::abs(mine.get_double(i) - reference.get_double(i)); std::isfinite(d))
      wrong = std::max(wrong, d);
  return wrong <= kMoved * ulp_at(run.operands[0].dtype(), largest) / std::sqrt(*least);
}

}  // namespace

InterpretOptions OpComparison::options() {
  InterpretOptions options;
  options.around = [this](const OpRun& run, const std::function<OpResults()>& own) { return compare(run, own); };
  options.torch_call = [this](const TorchCallRun& run) {
    ++counts_.ops;
    ++counts_.left_out["torch.call: it is PyTorch's on both sides"];
    return run_torch_call(plugin_, run);
  };
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
  // Integers are the same on both sides. Floats are compared in f64, also those computed from integers.
  Results exact = eager;
  const bool from_integers = run.op.has_trait(Traits::Elementwise) && mine.ok() && is_float((*mine)[0].dtype());
  const auto is_wide = [&](const Tensor& t) { return is_float(t.dtype()) || (from_integers && is_integer(t.dtype())); };
  if (std::ranges::any_of(run.operands, is_wide)) {
    std::vector<Tensor> wide;
    for (const Tensor& t : run.operands) wide.push_back(is_wide(t) ? t.to_f64() : t);
    if (const auto again = aten_call(plugin_, {run.op, wide, run.attributes})) {
      Results in_f64 = plugin_.call(again->op, again->arguments);
      if (in_f64.ok()) exact = std::move(in_f64);
    }
  }
  if (mine.ok() && exact.ok()) {
    compare_results(run, call->name, *mine, eager, *exact);
  } else if (mine.ok()) {
    auto& counts = not_implemented(exact.error()) ? counts_.left_out : counts_.wider;
    ++counts[row + ": " + without_numbers(first_line(exact.error()))];
  } else if (!exact.ok()) {
    ++counts_.refused;
  } else if (const std::string_view reason = known_refusal(run, *mine.error().kind); !reason.empty()) {
    ++counts_.known[row + ": " + std::string(reason)];
  } else {
    report(run, diagnose<kRefusedHere>(run.op.location(), row, call->name, mine.error().message()));
  }
  return mine;
}

void OpComparison::compare_results(const OpRun& run, std::string_view aten, const std::vector<Tensor>& mine,
                                   const Results& eager, const std::vector<std::optional<Tensor>>& exact) {
  const std::string row(run.op.name());
  ++counts_.rows[row];
  std::size_t compared = 0, agreed = 0;
  for (std::size_t i = 0; i < mine.size() && i < exact.size(); ++i) {
    if (!exact[i] || is_unspecified(row, i)) continue;
    ++compared;
    const Tensor* const own = eager.ok() && i < eager->size() && (*eager)[i] ? &*(*eager)[i] : nullptr;
    const Tensor& stated = own != nullptr ? *own : *exact[i];
    const bool floating = is_float(stated.dtype());
    Tensor reference = floating ? exact[i]->to_f64() : stated;
    if (keeps_ui8(row) && stated.dtype() == Dtype::UI8) reference = reference.cast(Dtype::I1);
    std::string what;
    std::string_view reason;
    if (is_float(mine[i].dtype()) != floating || mine[i].shape() != reference.shape() ||
        (floating ? own != nullptr && own->dtype() != mine[i].dtype() : reference.dtype() != mine[i].dtype())) {
      what = "the type is " + mine[i].type_string() + ", PyTorch's is " + stated.type_string();
      reason = known_type_difference(run);
    } else {
      const Difference d = agrees(mine[i], reference, floating ? own : nullptr,
                                  {.elementwise_edge = is_elementwise(run.op),
                                   .subject = mine[i].dtype() == Dtype::F64 ? "PyTorch in f64" : ""});
      if (d.agrees) {
        ++agreed;
        continue;
      }
      what = difference_text(d);
      reason = known_difference(run, i, d);
      if (reason.empty() && floating && d.nan_mismatches == 0 && d.inf_mismatches == 0) {
        if (is_rounding_of_mean(run, mine[i], reference))
          reason = "ATen keeps the mean of f32 in f64";
        else if (is_rounding_of_operands(run, mine[i], reference, own, i))
          reason = "right for operands that differ from these by rounding: terms cancel or are many";
      }
    }
    if (reason.empty())
      report(run, diagnose<kDiffersFromTorch>(run.op.location(), row, aten, static_cast<std::int64_t>(i), what));
    else
      ++counts_.known[row + ": " + std::string(reason)];
  }
  if (compared == 0)
    ++counts_.left_out[row + ": " + std::string(aten) + " gives none of the results"];
  else if (agreed == compared)
    ++counts_.agree;
}

bool OpComparison::is_rounding_of_operands(const OpRun& run, const Tensor& mine, const Tensor& reference,
                                           const Tensor* eager, std::size_t result) const {
  if (run.op.has_trait(Traits::Movement) || has_steps(run.op.name())) return false;
  std::vector<double> reach(static_cast<std::size_t>(mine.size()));
  for (std::uint64_t seed = 1; seed <= kPatterns; ++seed) {
    const std::vector<Tensor> operands = moved(run.operands, seed);
    const auto call = aten_call(plugin_, {run.op, operands, run.attributes});
    if (!call) return false;
    const Results again = plugin_.call(call->op, call->arguments);
    if (!again || result >= again->size() || !(*again)[result] || (*again)[result]->shape() != reference.shape())
      return false;
    for (std::int64_t i = 0; i < mine.size(); ++i) {
      double& r = reach[static_cast<std::size_t>(i)];
      r = std::max(r, std::abs((*again)[result]->get_double(i) - reference.get_double(i)));
    }
  }
  // Sums of narrower dtypes accumulate in a wider one; sums of f64 do not. Added in order, each term is as wrong as if
  // it had been rounded once for every term after it, all in one direction where terms are equal (Higham, 4.2).
  const double roundings = mine.dtype() == Dtype::F64 ? terms_of(run, mine.size()) : 1;
  for (std::int64_t i = 0; i < mine.size(); ++i) {
    const double right = reference.get_double(i), wrong = std::abs(mine.get_double(i) - right);
    const double of_eager = eager == nullptr ? 0 : std::abs(eager->get_double(i) - right);
    const double least = std::max(kAllowedUlp * ulp_at(mine.dtype(), std::abs(right)), kAllowedEagerFactor * of_eager);
    if (std::isfinite(wrong) && !(wrong <= 2 * roundings * reach[static_cast<std::size_t>(i)] + least)) return false;
  }
  return true;
}

std::vector<Diagnostic> OpComparison::take_differences(std::string_view inputs, std::string_view program) {
  std::vector<Diagnostic> out;
  for (Found& found : found_)
    out.push_back(std::move(found.diagnostic).with_note<kComparedOn>({}, found.operands, inputs, program));
  found_.clear();
  return out;
}

}  // namespace mlgc
