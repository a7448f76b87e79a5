// Private to lib/verify: what a text of the loop level must satisfy beyond the types of its ops. Schedules are such
// that every back end can keep them, buffers are used where they live, launches fit what they run.
#pragma once

#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/in_place.h"
#include "diag/diagnostic.h"
#include "ir/constraint.h"
#include "ir/module.h"
#include "loopir/loop_ops.h"

namespace mlgc {

class CalleeSizes;
class LoopAccess;

class LoopChecks {
 public:
  LoopChecks(const Module& module, DiagnosticEngine& diagnostics)
      : context_(module.context()), diagnostics_(diagnostics) {}

  // Precondition: operands are visible and regions complete, results have the types that the row infers.
  void check(OpRef op, const Facts& facts);
  // Arguments and results of a function.
  void check_function(OpRef func);
  // That every access is in bounds, and that iterations which run at the same time are independent. Precondition:
  // the function has no other errors.
  void check_accesses(OpRef func, const Facts& facts);
  // That live ranges of buffers in one memory never overlap in a host function (check_plan.cpp). Precondition:
  // the module has no other errors.
  void check_plan(OpRef func);

 private:
  template <const DiagKind& K, class... Args>
  void report(OpRef op, Args&&... args) {
    diagnostics_.emit(diagnose<K>(op.location(), std::forward<Args>(args)...));
  }
  void check_loop(ForRef loop);
  void check_combine(ForRef loop);
  void check_alloc(OpRef op, const Facts& facts);
  void check_memory(OpRef alloc, const Facts& facts);
  void check_dealloc(DeallocRef dealloc);
  void check_deallocs(const HostFunctionMemory& memory);
  void check_bind(OpRef op);
  void check_external(OpRef op);
  void check_uses_of_size(OpRef bind, OpRef func);
  void check_state_in_place(OpRef func, StringId state, const StateWrites& writes);
  void check_view(OpRef op, const Facts& facts);
  void check_access(OpRef op, Value buffer);
  void check_registers(OpRef op, Value buffer);
  void check_transposition(TransposeInPlaceRef op);
  void check_launch(OpRef op, const Facts& facts);
  void check_places(RegionRef region, LoopAccess& walk, const Facts& facts);
  void check_place(OpRef access, LoopAccess& walk);
  void check_conflicts(ForRef loop, const Facts& facts);
  // What a function says of its sizes and arguments, found once for all of its launches.
  struct Callee {
    std::vector<AtomId> symbols, without_dim;  // symbols_of(), symbols_without_dim()
    std::vector<bool> written;                 // written_arguments()
  };
  const Callee& callee_of(OpRef func);
  void check_names(OpRef launch, OpRef callee, const Facts& facts);
  void check_constraints(OpRef launch, OpRef callee, const CalleeSizes& sizes, const Facts& facts);
  [[nodiscard]] bool fits(Type formal, Type actual, const Facts& facts) const;
  // The innermost loop of one of the kinds around the op, inside of `outside` where that is given.
  [[nodiscard]] OpRef loop_around(OpRef op, std::initializer_list<LoopKind> kinds, RegionRef outside = {}) const;

  Context& context_;
  DiagnosticEngine& diagnostics_;
  InPlaceKernels in_place_;
  std::unordered_map<OpId, Callee> callees_;
};

}  // namespace mlgc
