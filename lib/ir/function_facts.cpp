// See function_facts.h.
#include "ir/function_facts.h"

#include <iterator>

#include "ir/walk.h"

namespace mlgc {

const Facts& FunctionFacts::of(OpRef op) {
  static const Facts none;
  const Context& context = op.module().context();
  OpRef function = op;
  while (function.valid() && !function.is(GraphOp::Func)) function = function.parent_op();
  if (!function.valid()) return none;
  const auto take = [&](OpRef from) {
    Constraints more = constraints_of(from);
    if (more.empty()) return false;
    constraints_.insert(constraints_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    taken_.insert(from.id());
    return true;
  };
  bool fresh = false;
  if (function.id() != function_) {
    function_ = function.id();
    constraints_.clear();
    taken_.clear();
    walk(function, [&](OpRef inner) { take(inner); });
    fresh = true;
  } else if (op != function && op.attr(context.names().where).valid() && !taken_.contains(op.id())) {
    fresh = take(op);
  }
  if (fresh) facts_ = to_facts(constraints_, op.module().context().index());
  return facts_;
}

}  // namespace mlgc
