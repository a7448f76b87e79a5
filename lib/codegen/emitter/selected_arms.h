// Private to lib/codegen: branches without a jump. Where a thread takes neighbouring elements, a jump around each load
// would have it wait for one element before it asks for the next.
#pragma once

#include "codegen/emitter/function_writer.h"

namespace mlgc::codegen {

// Whether both arms of the `if` may be computed, and one of them be selected: they are few cheap ops that cannot fail,
// and loads, each of which may read another element of its buffer in the place of one that is not there.
[[nodiscard]] bool can_be_selected(const FunctionWriter& writer, OpRef branch);

}  // namespace mlgc::codegen
