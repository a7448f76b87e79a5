// See pass_history.h.
#include "inspect/pass_history.h"

#include "ir/walk.h"

namespace mlgc {

void PassHistory::after_pass(const PassStep& step, std::size_t /*number*/, PassResult result, const Module& module) {
  if (result != PassResult::Changed) return;
  passes_.emplace_back(step.pass->name);
  note(module);
}

void PassHistory::note(const Module& module) {
  const auto step = static_cast<std::uint32_t>(passes_.size() - 1);
  walk(module, [&](OpRef op) {
    const std::uint32_t serial = op.serial();
    if (serial >= lives_.size()) lives_.resize(serial + serial / 2 + 1);
    Life& life = lives_[serial];
    if (!life.known) life.first = step;
    life.known = true;
    life.last = step;
  });
}

std::string_view PassHistory::made_by(std::uint32_t serial) const {
  return serial < lives_.size() && lives_[serial].known ? std::string_view(passes_[lives_[serial].first]) : "";
}

std::string_view PassHistory::removed_by(std::uint32_t serial) const {
  if (serial >= lives_.size() || !lives_[serial].known || lives_[serial].last + 1 == passes_.size()) return "";
  return passes_[lives_[serial].last + 1];
}

}  // namespace mlgc
