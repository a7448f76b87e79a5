// Private to lib/loops: a function of the graph level as the driver that launches its kernels.
//
// Guarantees
//   - Buffers have one writer, but for those of values that loops carry: what runs around such a loop, and all in it,
//     reads them before they are written again.
//   - A result of the function, of an `if` or of a loop is written where it belongs by the kernel that computes it,
//     where that is of the same region; else it is copied.
//   - A view is another name of its operand's buffer.
//   - A size that is the value of an input is bound when the driver begins, any other where its op stands.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fusion/fusion_kernel.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "loops/kernel_functions.h"
#include "loops/lower_segment.h"

namespace mlgc::loops {

// An op that has no lowering, and why.
struct NotLowered {
  OpRef op;
  std::string reason;
};

class DriverLowering {
 public:
  DriverLowering(Module& module, FuncRef function, KernelFunctions& kernels);

  // The ops that have no lowering; what the others become is noted.
  std::vector<NotLowered> plan();
  // Makes kernels and driver, in whose place the function is then. Precondition: plan() was empty.
  void run();

 private:
  // What is launched for an op: its kernel on the buffers of these values.
  struct Launch {
    std::optional<FusionKernel> kernel = {};
    OpRef sort = {}, extremum = {}, segment = {};  // in place of a kernel
    std::vector<Value> operands = {}, results = {};
    std::string words = {};  // for its name
    OpRef function = {};     // once it is made
    OpRef like = {};  // valid: an equal op before it, whose function it launches; then there is nothing in place of it
  };
  // What is launched for `nonzero`: before its size is known, and after.
  struct Positions {
    OpRef count, write;
  };
  // An open region of the graph, and the op of the driver in this region that is being filled.
  struct Open {
    RegionRef region;
    OpRef within;
  };

  // --- planning
  void plan_region(RegionRef region);
  void plan_op(OpRef op);
  [[nodiscard]] std::string why_call(OpRef call) const;
  // `shared`: with equal ops before it. Precondition then: it is in its place in the program.
  bool plan_launch(OpRef op, bool shared = true);
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> words_of(OpRef op) const;
  void plan_segment(OpRef op);
  [[nodiscard]] bool is_known_before_call(OpRef range) const;
  void lower_sizes();
  void simplify_segments();
  std::string derive_constant(OpRef constant);
  Positions make_positions(OpRef op);
  OpRef make_kernel(OpRef op, const Launch& launch);
  void miss(OpRef op, std::string reason) { missing_.push_back({op, std::move(reason)}); }

  // --- buffers
  Type buffer_type(Value v, Scope scope) { return types_.buffer(v.dtype(), v.dims(), scope); }
  Value buffer(Value v);
  Value make_buffer(Value v);
  Value view(Value of, Value like, Builder& at);
  [[nodiscard]] bool writes_result(OpRef op) const;
  bool write_to(Value v, Value target, RegionRef region);
  void launch(OpRef kernel, const std::vector<Value>& given, Builder& at);
  void copy(Value v, Value target);
  Value scalar(Value v);
  Attribute brackets(OpRef op, std::vector<Value>& operands);

  // --- regions
  void lower_region(RegionRef region);
  void lower_op(OpRef op);
  void lower_launch(const Launch& launched);
  void bind_size(OpRef op, Value buffer);
  void lower_nonzero(OpRef op);
  void inside(RegionRef graph, OpRef made, std::size_t region, const std::function<void()>& fill);
  void lower_if(OpRef op);
  void lower_while(OpRef op);
  void lower_for(OpRef op);
  void lower_scan(OpRef op);
  std::vector<Value> start_carried(std::span<const Value> initial, std::span<const Value> results);
  void carry(std::span<const Value> next, std::span<const Value> into);
  OpRef make_for(Attribute bounds, const std::vector<Value>& operands, std::string_view index);
  void copy_row(Value from, Value to, bool from_row, Value index, IndexExpr row);
  [[nodiscard]] std::vector<std::string> names_of_returned() const;
  std::vector<Value> bind_arguments(RegionRef body, std::vector<std::string> names);

  Module& module_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FuncRef function_;
  KernelFunctions& kernels_;
  Builder builder_;
  FunctionFacts facts_;
  std::vector<NotLowered> missing_;
  std::unordered_map<OpId, Launch> launches_;
  std::map<std::vector<std::uint32_t>, OpRef> planned_;  // by words_of(): the first op that is launched
  std::vector<OpRef> sizes_;                             // ops whose result has a size of its own
  std::unordered_map<OpId, Positions> positions_;
  std::unordered_map<OpId, std::size_t> views_;  // by op: the operand that its result is a view of
  std::vector<Open> open_;
  std::unordered_map<ValueId, Value> buffers_;                      // by value of the graph
  std::unordered_map<ValueId, Value> targets_;                      // where values that are still to be computed belong
  std::unordered_map<ValueId, Value> scalars_;                      // indices, truths and sizes that are no tensors
  std::unordered_map<ValueId, std::string> constants_;              // the derived weights that they are
  std::optional<ChangedSymbols> changed_;                           // once a segment asks
  std::unordered_map<OpId, std::vector<AtomId>> sizes_of_kernels_;  // symbols_without_dim()
  std::size_t derived_ = 0;                                         // weights that were made of constants
};

}  // namespace mlgc::loops
