// Private to lib/loops: where the elements of a formula's tensors are while its loops are made.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formula/formula.h"
#include "ir/module.h"

namespace mlgc::loops {

// Each tensor has a buffer, and of those computed at this point the element is a value as well.
class TensorBuffers {
 public:
  explicit TensorBuffers(std::size_t tensors) : buffers_(tensors), left_out_(tensors) {}

  void set_buffer(TensorId tensor, Value buffer) { buffers_[tensor.index()] = buffer; }
  [[nodiscard]] Value buffer(TensorId tensor) const { return buffers_[tensor.index()]; }

  // The tensor's buffer lacks these dims, over which the loops around it iterate.
  void leave_out(TensorId tensor, std::vector<bool> dims) { left_out_[tensor.index()] = std::move(dims); }
  // What belongs to the dims that the tensor's buffer has.
  [[nodiscard]] std::vector<IndexExpr> in_buffer(TensorId tensor, std::span<const IndexExpr> of_dims) const {
    const std::vector<bool>& left_out = left_out_[tensor.index()];
    std::vector<IndexExpr> out;
    for (std::size_t d = 0; d < of_dims.size(); ++d)
      if (left_out.empty() || !left_out[d]) out.push_back(of_dims[d]);
    return out;
  }

  void set_element(TensorId tensor, Value element) { elements_[tensor] = element; }
  void forget_element(TensorId tensor) { elements_.erase(tensor); }
  // An invalid handle where the element is in the buffer alone.
  [[nodiscard]] Value element(TensorId tensor) const {
    const auto found = elements_.find(tensor);
    return found == elements_.end() ? Value() : found->second;
  }

 private:
  std::vector<Value> buffers_;               // by tensor
  std::vector<std::vector<bool>> left_out_;  // by tensor, by dim; empty: none
  std::unordered_map<TensorId, Value> elements_;
};

}  // namespace mlgc::loops
