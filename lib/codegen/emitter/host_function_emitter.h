// Private to lib/codegen: host functions. Their buffers are places in what the runtime hands over, and their launches
// are calls.
#pragma once

#include "codegen/emitter/index_emitter.h"

namespace mlgc::codegen {

class HostFunctionEmitter : private EmitterPart {
 public:
  HostFunctionEmitter(FunctionWriter& writer, LaneScope& lanes, IndexEmitter& indices)
      : EmitterPart(writer), lanes_(lanes), indices_(indices) {}

  // What the function does before its ops: it names its sizes, inputs and outputs.
  void begin();
  void bind_size(OpRef op);
  void buffer(OpRef alloc);
  void data(OpRef op);
  void launch(OpRef op);

 private:
  void pointer(Value v, Dtype dtype, bool written, const SourceText& place);
  void symbol(std::size_t number);
  [[nodiscard]] SourceText memory_at(std::size_t buffer) const;
  void outputs_of_stage(std::size_t stage);
  void external(OpRef op, std::size_t number);

  LaneScope& lanes_;
  IndexEmitter& indices_;
};

}  // namespace mlgc::codegen
