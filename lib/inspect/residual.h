// Residual connections of a region: where a value is added to what was computed of it, or joined with it.
//
// Found by structure alone, whatever blocks of a model are called: what a sum reads has a common dominator, from which
// one path is shorter than the other. The shorter one is the shortcut: nothing but the value (`identity`), or a few
// linear ops of which one is a contraction (`projection`, as where a block changes the number of channels; He et al.,
// "Deep Residual Learning", 2015, section 3.3). A `cat` of a value and of what was computed of it counts too (Huang et
// al., "Densely Connected Convolutional Networks", 2016), with an identity as its shortcut.
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/data_flow.h"

namespace mlgc {

enum class Shortcut : std::uint8_t { Identity, Projection };

struct ResidualConnection {
  OpRef join;               // the `add` or `cat`
  DataFlow::Node from = 0;  // the node whose value goes both ways
  Shortcut shortcut = Shortcut::Identity;
  // Of the ops that compute, in program order: those of the shortcut, and those on the longest path beside it.
  std::vector<OpRef> short_path, body;
};

// In program order of the joins. Linear in the flow and in the paths found.
[[nodiscard]] std::vector<ResidualConnection> find_residuals(const DataFlow& flow);

}  // namespace mlgc
