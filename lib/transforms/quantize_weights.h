// Weights of products in integers of 8 or 4 bits with scales.
//
// A weight is quantised where all its readers are linear layers that multiply by its rows, or embeddings that gather
// them: its last axis is the one that is summed, or one row is read at a time. It must be of floats with constant
// sizes, two axes or more, and updated by no function. Its last axis must hold whole groups; of 4 bits it has groups of
// an even number.
//
// The integers and the scales become derived weights, `@w.quantized` and `@w.scales`, computed from `@w` by ops in the
// text. The readers take `dequantize` of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

struct QuantizeOptions {
  std::int64_t bits = 8;   // or 4
  std::int64_t group = 0;  // elements that share a scale; 0: a row, of 8 bits
};

struct QuantizedWeight {
  std::string name, quantized, scales;  // symbols without @
  std::string left;                     // why it stays in floats; empty: it does not
};

// What became of each float weight that is not derived, in the order of the text. Precondition: the options are valid.
std::vector<QuantizedWeight> quantize_weights(Module& module, const QuantizeOptions& options, RewriteGate& gate);

// What is wrong with the options; empty: nothing.
[[nodiscard]] std::string wrong_options(const QuantizeOptions& options);

// `dequantize` of what stands for the weight, as its readers take it: in the dtype of the weight.
[[nodiscard]] OpRef add_dequantized_weight(Module& module, const QuantizedWeight& weight,
                                           const QuantizeOptions& options);

}  // namespace mlgc
