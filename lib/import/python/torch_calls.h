// Calls of PyTorch in place of operators that have no form here: which may be, what they give, and the list of all
// operators that are not known.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "import/program/fallback.h"
#include "import/python/aten_call.h"
#include "plugin/plugin.h"

namespace mlgc::python {

class TorchCalls {
 public:
  TorchCalls(FunctionBuilder& builder, TensorMemory& tensors, CallResults& results)
      : builder_(builder), tensors_(tensors), results_(results) {}

  // What may become a call of PyTorch: by default nothing.
  void set_fallback(Fallback fallback) { fallback_ = fallback; }
  [[nodiscard]] bool allowed() const { return fallback_ != Fallback::Error; }
  // The calls of PyTorch, those that may not be too.
  [[nodiscard]] const FallbackLedger& ledger() const { return ledger_; }
  void count_operator() { ++ledger_.operators; }

  // The node as a call of PyTorch, because its operator is not known or, with `form`, not in this form. False after a
  // diagnostic.
  [[nodiscard]] bool make(AtenCall& call, const std::optional<Diagnostic>& form = std::nullopt);
  // States what LibTorch says of the results of a known operator; false, without a diagnostic, where it says nothing.
  [[nodiscard]] bool state_types(const AtenCall& call) const;
  // Whether every operator that ran is known, or may be a call. Otherwise a diagnostic lists all that are not.
  [[nodiscard]] bool all_known() const;

 private:
  void note_unknown(const AtenCall& call, const std::string& why);

  struct Unknown {
    int calls = 0;
    std::size_t number = 0;  // in the order of the first calls
    Location at;             // of the first one
    std::string line, why;   // its line; why it can be no call of PyTorch either
  };
  FunctionBuilder& builder_;
  TensorMemory& tensors_;
  CallResults& results_;
  Fallback fallback_ = Fallback::Error;
  FallbackLedger ledger_;
  std::map<std::string, Unknown> unknown_;  // by operator
};

}  // namespace mlgc::python
