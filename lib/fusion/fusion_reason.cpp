// See fusion_reason.h.
#include "fusion/fusion_reason.h"

#include <array>

namespace mlgc {

namespace {

struct ReasonRow {
  std::string_view name, text, remedy;
};
// In the order of the enumeration.
constexpr std::array kReasons{
    ReasonRow{"element", "the reader needs the element that was just computed", ""},
    ReasonRow{"reduced", "the reader reduces rows that were just computed", ""},
    ReasonRow{"epilogue", "it is applied to the element that the contraction has just summed up", ""},
    ReasonRow{"tile", "the reader reads rows of a tile that was just computed, which is smaller than all of them", ""},
    ReasonRow{"movement", "one of the two only moves elements: index arithmetic in the other", ""},
    ReasonRow{"view", "every element stays where it is: no kernel and no copy", ""},
    ReasonRow{"no-kernel", "one of the two is not a kernel", ""},
    ReasonRow{"fusion", "one of the two is a `fusion` already", "expanding it: the pass inline{fusions=true}"},
    ReasonRow{"region", "they stand in different regions, of which one may run never, or many times", ""},
    ReasonRow{"cycle", "between the two another kernel may have to run", "fusing or moving what stands between them"},
    ReasonRow{"contraction",
              "a contraction reads each element of its operands many times, and its result is complete "
              "only after its last step",
              "a schedule that packs the operand, or computes blocks of whole rows"},
    ReasonRow{"scatter", "what a scatter writes is complete only when all of it has run", "a gather in its place"},
    ReasonRow{"window", "vectors iterate over adjacent windows, and a reduction of their results is in the way",
              "a schedule that splits a nest between windows and their reduction"},
    ReasonRow{"rows", "together they would have too few parallel rows for all threads", "larger leading sizes"},
    ReasonRow{"row-memory", "what a row keeps for its later steps would not fit in cache",
              "a larger row-bytes, or shorter rows"},
    ReasonRow{"division",
              "a contraction or a window would divide, or reflect at a border, to find the elements that it reads, "
              "for each of its uses: they are arranged in memory first",
              "a view that merges dims in the order in which they lie, or splits none; a border of one number"},
    ReasonRow{"order", "moved like this, the rows that a contraction writes would be too short for vectors",
              "an order of dims that ends with a longer one"},
    ReasonRow{"repeated", "it would be recomputed for each element of another dim",
              "moving the smaller one to where its size is the larger one's"},
    ReasonRow{"subscripts", "computing a subscript of an element would take longer than another pass over memory",
              "fewer ops in a row that move elements"},
    ReasonRow{"limit", "the kernel has as many ops as it may", "a larger max-ops"},
};
static_assert(kReasons.size() == kFusionReasonCount);

}  // namespace

std::string_view fusion_reason_name(FusionReason reason) { return kReasons[static_cast<std::size_t>(reason)].name; }
std::string_view fusion_reason_text(FusionReason reason) { return kReasons[static_cast<std::size_t>(reason)].text; }
std::string_view fusion_reason_remedy(FusionReason reason) { return kReasons[static_cast<std::size_t>(reason)].remedy; }
bool is_fused(FusionReason reason) { return reason < FusionReason::NoKernel; }

}  // namespace mlgc
