// Private to lib/loops: the buffers of a graph function's values while the host function is made of it.
//
// Guarantees
//   - A view is another name of its operand's buffer.
//   - Weights, constants and views get an op where the value stands in the graph, on first use.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "loops/launched_functions.h"

namespace mlgc::loops {

class HostBuffers {
 public:
  // Makes ops at the builder's insertion point, or around it in the open regions. Both must outlive this.
  HostBuffers(Builder& builder, LaunchedFunctions& functions)
      : builder_(builder), types_(builder.context().types()), functions_(functions) {}

  // Regions of the graph that are being lowered, from the function's body inwards. `made` is the op of the host
  // function that the region belongs to; the insertion point is in it until leave().
  void enter_body(RegionRef body) { open_.push_back({body, OpRef()}); }
  void enter(RegionRef region, OpRef made) {
    open_.back().within = made;
    open_.push_back({region, OpRef()});
  }
  void leave() { open_.pop_back(); }

  // The type that the buffer of a value has.
  [[nodiscard]] Type type(Value v, Scope scope) { return types_.buffer(v.dtype(), v.dims(), scope); }
  Value allocate(Type type) { return builder_.create(LoopOp::Alloc, {}, {type}).result(); }

  // The buffer is that of the value.
  void set(Value v, Value buffer) { buffers_[v.id()] = buffer; }
  // The buffer of a value that was computed, or is a weight, known, or a view.
  Value of(Value v);
  // The same of a value that was computed, or is a view; an invalid handle of others.
  Value of_computed(Value v);
  // Of a value that is computed next.
  Value make(Value v);

  // Has the value written to the buffer as soon as it is computed, if that is in the region, which was not begun, and
  // nothing else asked for it. Precondition: nothing in the region reads the buffer.
  bool write_to(Value v, Value target, RegionRef region);

  void launch(OpRef kernel, const std::vector<Value>& given) { launch(kernel, given, builder_); }
  void copy(Value v, Value target);
  // Copies what a buffer holds, which has the type of that of the value.
  void copy_buffer(Value like, Value from, Value target) { launch(functions_.copy(like), {from, target}); }

 private:
  // An open region of the graph, and the op of the host function in this region that is being filled.
  struct Open {
    RegionRef region;
    OpRef within;
  };

  void launch(OpRef kernel, const std::vector<Value>& given, Builder& at);
  Value view(Value of, Value like, Builder& at);
  [[nodiscard]] bool writes_result(OpRef op) const;

  Builder& builder_;
  TypePool& types_;
  LaunchedFunctions& functions_;
  std::vector<Open> open_;
  std::unordered_map<ValueId, Value> buffers_;                      // by value of the graph
  std::unordered_map<ValueId, Value> targets_;                      // where values that are still to be computed belong
  std::unordered_map<OpId, std::vector<AtomId>> sizes_of_kernels_;  // symbols_without_dim()
};

}  // namespace mlgc::loops
