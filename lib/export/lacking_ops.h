// Ops that a notation lacks, for one message with the number of uses of each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/module.h"

namespace mlgc {

class LackingOps {
 public:
  // `reason` may be empty.
  void add(OpRef op, std::string_view reason);
  [[nodiscard]] std::optional<Diagnostic> error(std::string_view notation) const;

 private:
  std::map<std::string, std::int64_t> counts_;
  std::int64_t total_ = 0;
  Location first_;
};

}  // namespace mlgc
