// Private to lib/fusion: whether a formula may be a kernel, and whether it costs more than its parts.
#pragma once

#include <cstdint>
#include <optional>

#include "formula/formula.h"
#include "fusion/fusion_reason.h"
#include "fusion/kernel_formula.h"
#include "ir/constraint.h"
#include "ir/module.h"

namespace mlgc {

class FusionLegality {
 public:
  // What is passed by reference outlives this. `row_bytes`: scratch that a kernel may keep of a row.
  FusionLegality(Context& context, KernelFormulas& shared, const Facts& facts, std::int64_t row_bytes);

  // The kernel that another one grew from.
  struct Before {
    bool reduces = false;
    double rows = 0;
    std::size_t contractions = 0;  // that the op which is added may follow
  };
  // The op that is added to it.
  struct Member {
    OpRef op;
    const OpFormula* formula;
  };
  // Why the formula is not a kernel; nothing: it may be one. The part that is added has `own` rows by itself; `added`
  // is null where two kernels are merged.
  [[nodiscard]] std::optional<FusionReason> refusal(const Before& before, double own, const KernelFormula& kernel,
                                                    const Member* added = nullptr) const;
  // How many rows a kernel has, at typical sizes.
  [[nodiscard]] double rows_of(const KernelShape& shape) const;
  // Whether the op, which has the formula, unpacks what contractions of few rows alone read: they do so themselves.
  [[nodiscard]] bool unpacks_for_few_rows(OpRef op, const OpFormula& formula) const;

 private:
  [[nodiscard]] bool leaves_short_rows(OpRef op, const KernelFormula& kernel) const;
  [[nodiscard]] bool has_inner(const KernelShape& shape, const Formula& formula, const KernelFormula& kernel) const;
  static bool is_row(const KernelShape& shape, const KernelFormula& kernel, AtomId label);
  [[nodiscard]] bool out_of_order(OpRef op, const KernelShape& shape, const KernelFormula& kernel) const;
  [[nodiscard]] bool alone_out_of_order(const Member& member) const;
  [[nodiscard]] bool columns(const KernelShape& shape, const Formula& formula) const;

  IndexPool& index_;
  FormulaPool& pool_;
  KernelFormulas& shared_;
  const Facts& facts_;
  std::int64_t row_bytes_;
};

}  // namespace mlgc
