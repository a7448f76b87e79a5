// Which memory a buffer is, and who touches it.
#pragma once

#include <functional>

#include "ir/module.h"

namespace mlgc {

// The buffer whose memory this is: through `buffer_view`s of `buffer_view`s; a buffer that is not a view itself.
[[nodiscard]] Value underlying_buffer(Value buffer);

// The buffer that a load reads, or a store writes, without views; an invalid handle of any other op.
[[nodiscard]] Value loaded_buffer(OpRef op);
[[nodiscard]] Value stored_buffer(OpRef op);

// How many elements the buffer has.
[[nodiscard]] IndexExpr element_count(Value buffer);
// The buffer after which the memory is named: through views, and through aliases that the memory plan makes.
[[nodiscard]] Value memory_of(Value buffer);
// The argument of a host function that is the new value of the state; an invalid handle when there is none.
[[nodiscard]] Value new_state(OpRef func, StringId state);
// The argument that is the new value of a state, where the host function says `in_place` of the one that the `data` op
// names: both are one memory. An invalid handle otherwise.
[[nodiscard]] Value written_over(OpRef data);
// Uses of the buffer by ops that touch it, through views too; `dealloc` does not. Buffers in the same memory are
// others.
void for_each_access(Value buffer, const std::function<void(const Use&)>& visit);

}  // namespace mlgc
