// See lacking_ops.h.
#include "export/lacking_ops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "diag/kinds_export.h"

namespace mlgc {

void LackingOps::add(OpRef op, std::string_view reason) {
  if (counts_.empty()) first_ = op.location();
  std::string text(op.name());
  if (!reason.empty()) text += " (" + std::string(reason) + ")";
  ++counts_[text];
  ++total_;
}

std::optional<Diagnostic> LackingOps::error(std::string_view notation) const {
  if (counts_.empty()) return std::nullopt;
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [text, count] : counts_) order.emplace_back(-count, text);
  std::ranges::sort(order);
  std::vector<std::string> listed;
  for (const auto& [count, text] : order) listed.push_back(std::to_string(-count) + " " + text);
  return diagnose<kNotExpressible>(first_, notation, total_, std::move(listed));
}

}  // namespace mlgc
