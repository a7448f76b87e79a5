// Private to lib/codegen: grids. A function is code of the host that launches a kernel for each nest.
//
// Iterations of the parallel loops at the top are blocks, in which the lanes of vector loops are threads; where nothing
// inside has lanes, they are threads themselves. What stands between such nests, and nests whose bounds the host does
// not know, is run by one block.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/emitter/access_emitter.h"
#include "codegen/emitter/carried_values.h"
#include "codegen/emitter/grid_forms.h"
#include "codegen/emitter/tensor_tile_emitter.h"

namespace mlgc::codegen {

class FunctionEmitter;

class GridEmitter : private EmitterPart {
 public:
  GridEmitter(FunctionWriter& writer, IndexEmitter& indices, PrivateBuffers& own, PieceAccesses& pieces,
              ThreadBlock& block, MatrixEmitter& matrices, FunctionEmitter& function)
      : EmitterPart(writer),
        indices_(indices),
        own_(own),
        pieces_(pieces),
        block_(block),
        matrices_(matrices),
        function_(function),
        forms_(writer, own),
        tensors_(writer, indices, matrices) {}

  // A variable of the host that kernels may be given.
  void add_host_variable(TypedName variable) { host_names_.push_back(std::move(variable)); }
  // The body of a function over buffers.
  void host_region(RegionRef r);
  // A loop over elements of buffers in a host function.
  [[nodiscard]] bool is_nest_of_host_function(OpRef op) const;
  void nest_of_host_function(OpRef op);
  // A check in a host function that a kernel makes (DeviceChecks), computed from `ops`.
  void check_of_host_function(OpRef check, std::vector<OpRef> ops);

 private:
  void host_loop(ForRef loop);
  [[nodiscard]] std::vector<OpRef> stores_before(OpRef nest, std::span<const OpRef> block);
  void find_host_names(std::span<const OpRef> ops);
  [[nodiscard]] bool host_knows_bounds(OpRef loop) const;
  [[nodiscard]] bool is_host_loop(OpRef op) const;
  [[nodiscard]] bool is_portable(Value v) const;
  void import_value(Value v, std::span<const OpRef> inside);
  SourceBlock behind_imports(SourceBlock body);
  [[nodiscard]] ThreadBlock::Kernel kernel_of(std::span<const OpRef> ops, const ThreadBlock::Form& form) const;
  [[nodiscard]] static bool has_matrix_loop(std::span<const OpRef> ops);
  std::string kernel(std::span<const OpRef> ops, const ThreadBlock::Form& form, const SourceText& iterations,
                     const std::function<void()>& emit, const TensorKernel* by_device = nullptr);
  void kernels(std::span<const OpRef> ops, std::span<const TensorKernel> by_device, const ThreadBlock::Form& form,
               const SourceText& iterations, const std::function<void(const TensorKernel*)>& emit);
  void one_block(std::span<const OpRef> ops);
  void grid_loop(OpRef op);

  IndexEmitter& indices_;
  PrivateBuffers& own_;
  PieceAccesses& pieces_;
  ThreadBlock& block_;
  MatrixEmitter& matrices_;
  FunctionEmitter& function_;
  GridForms forms_;
  TensorTileEmitter tensors_;
  // Of the kernel that is emitted: scalars from outside of it, in the order of their definitions.
  struct Import {
    SourceText variable;
    SourceBlock statements;
  };
  std::vector<Import> imports_;
  bool tested_ = false;                            // a kernel of the function can fail
  std::vector<TypedName> host_names_;              // what kernels may be given
  std::unordered_map<ValueId, SourceText> slots_;  // memory through which scalars go between kernels
  std::unordered_set<ValueId> host_values_;        // indices of loops of the host
};

}  // namespace mlgc::codegen
