// Private to lib/schedule: text that keeps only what happens, where more is known than when it was made.
#pragma once

#include "ir/constraint.h"
#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// In the body of the loop: guards whose outcome is known where they stand are gone, with the arms that they do not
// choose; minima, maxima, quotients and remainders that are known are what they are; accesses that are shown to stay
// inside of their buffer are not checked. Pure ops that nothing reads any more are gone too.
void decide_in_loop(ForRef loop, const Facts& facts);

}  // namespace mlgc::schedule
