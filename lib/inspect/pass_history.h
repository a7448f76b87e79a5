// Which pass made an op, and which removed it, by serial numbers, which ops keep for life.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "pass/instrumentation.h"

namespace mlgc {

class PassHistory : public PassInstrumentation {
 public:
  // Of what is done to the module from now on.
  explicit PassHistory(const Module& start) { note(start); }
  void after_pass(const PassStep& step, std::size_t number, PassResult result, const Module& module) override;

  // Empty where none did.
  [[nodiscard]] std::string_view made_by(std::uint32_t serial) const;
  [[nodiscard]] std::string_view removed_by(std::uint32_t serial) const;

 private:
  struct Life {
    std::uint32_t first = 0, last = 0;  // steps after which the op was there; 0: before all
    bool known = false;
  };
  void note(const Module& module);

  std::vector<std::string> passes_{""};  // those that changed something
  std::vector<Life> lives_;              // by serial
};

}  // namespace mlgc
