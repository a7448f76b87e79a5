// Callback tables of external targets (runtime/mlgc.h), from shared objects. Loading one runs its code.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "runtime/mlgc.h"
#include "support/result.h"

namespace mlgc {

class Externals {
 public:
  // Of texts `accel=./libaccel.so`, whose shared object exports mlgc_external_accel(). `command` is for messages.
  // Error: kExternalFlag, kCannotLoadExternal.
  [[nodiscard]] static Result<Externals, Diagnostic> load(std::span<const std::string> given,
                                                          const std::string& command);

  // These live as long as a copy of this object.
  [[nodiscard]] std::span<const mlgc_external> tables() const { return tables_; }
  [[nodiscard]] bool has(std::string_view target) const;

 private:
  std::vector<std::shared_ptr<void>> handles_;
  std::vector<mlgc_external> tables_;
};

}  // namespace mlgc
