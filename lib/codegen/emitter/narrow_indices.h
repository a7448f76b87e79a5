// Private to lib/codegen: which loops count in 32 bits. Multiplications and quotients of 64 bits take several
// instructions each on a GPU, where elements whose places are divisions have several for each element.
#pragma once

#include <span>

#include "codegen/emitter/function_writer.h"

namespace mlgc::codegen {

// Whether the index of an innermost loop, and all that is computed of it, fits in 32 bits with a sign: it stands in
// brackets alone, some of which divide it, and neither the terms of these nor places in the buffers are larger.
[[nodiscard]] bool counts_in_32_bits(FunctionWriter& writer, ForRef loop);
// Whether expressions in the brackets of the op, of the indices of these loops and of nothing else, have room there
// too, with their terms. Some iterations more than there are may be asked for.
[[nodiscard]] bool fits_in_32_bits(FunctionWriter& writer, OpRef op, std::span<const IndexExpr> expressions,
                                   std::span<const ForRef> loops);
// Whether the expression in the brackets of the op is computed in 32 bits: of such indices and numbers, and of one
// index at least.
[[nodiscard]] bool is_narrow(const FunctionWriter& writer, OpRef op, IndexExpr e);

}  // namespace mlgc::codegen
