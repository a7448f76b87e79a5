// Weights from a GGUF file, by the names that a module has for them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "tensor/gguf.h"
#include "tensor/npz.h"

namespace mlgc {

struct GgufWeights {
  NamedTensors tensors;           // by the names that were asked for
  std::vector<std::string> left;  // tensors of the file that no name asked for
};

// The tensors of these names. A tensor is found by its name in the file, or by the one that transformers gives it in
// models of the file's architecture, as `model.layers.0.self_attn.q_proj.weight` for `blk.0.attn_q.weight`; it is then
// what transformers has there: rows of Llama's queries and keys in their own order, scales of Gemma's norms without
// the 1. A file without `output.weight` has that of the embedding. Quantised ones are f32; only those that are asked
// for are dequantised. Error: the file's, or a tensor that its metadata do not fit.
[[nodiscard]] Result<GgufWeights> read_gguf_weights(const std::string& path,
                                                    const std::set<std::string, std::less<>>& names);

}  // namespace mlgc
