// A model's shared object in this process: its table and the ABI that it brings. Opening one runs its code.
#pragma once

#include <memory>
#include <string>

#include "diag/diagnostic.h"
#include "runtime/unit.h"
#include "support/bytes.h"
#include "support/result.h"

namespace mlgc {

// What the dynamic loader says of the last call on this thread that failed.
[[nodiscard]] std::string loader_text();

// The functions of mlgc.h, as one shared object has them.
struct RuntimeAbi {
// clang-format off
#define MLGC_ABI_FUNCTIONS(F)                                                                                     \
  F(program_create) F(program_destroy) F(program_name) F(vector_bytes) F(function_count) F(function_signature)    \
  F(find_function) F(context_create) F(context_destroy) F(context_synchronize) F(error) F(output_shapes) F(run)   \
  F(release) F(state_count) F(state) F(state_read) F(state_write) F(states_reset) F(context_memory)
  // clang-format on
#define MLGC_DECLARE(name) decltype(&::mlgc_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  MLGC_ABI_FUNCTIONS(MLGC_DECLARE)
#undef MLGC_DECLARE
};

class SharedObject {
 public:
  // `symbol` gives the table: `mlgc_unit_mlp`.
  [[nodiscard]] static Result<SharedObject, Diagnostic> open(const std::string& path, const std::string& symbol);
  // From memory; `name` stands for it in messages. Nothing is written to a disk.
  [[nodiscard]] static Result<SharedObject, Diagnostic> open(const SharedBytes& code, const std::string& name,
                                                             const std::string& symbol);

  // These live as long as a copy of this object.
  [[nodiscard]] const mlgc_unit* unit() const { return unit_; }
  [[nodiscard]] const RuntimeAbi& abi() const { return abi_; }

 private:
  std::shared_ptr<void> handle_;
  const mlgc_unit* unit_ = nullptr;
  RuntimeAbi abi_;
};

}  // namespace mlgc
