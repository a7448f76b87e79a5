// Branches: `if` of one condition, and of a condition for each lane.
#include "codegen/walk.h"

namespace mlgc::codegen {

// What the arm gives for the variable.
SourceText Walk::given(RegionRef arm, std::size_t i, const Spelled& to) {
  const Value v = arm.back().operand(i);
  const Spelled value = to.bits ? as_bits(spelled(v), v.dtype()) : spelled(v);
  return widened(value, v.dtype(), to.lanes);
}

void Walk::branch(OpRef op) {
  for (const Value v : op.results()) {
    const int lanes = strip_ && varying_.contains(v.id()) ? strip_->lanes : 1;
    const SourceText name = fresh(v);
    names_[v.id()] = {name, lanes, is_kept_as_bits(v)};
    line(type_of(v.dtype(), spelled(v)) + " " + name + ";");
  }
  const auto arm = [&](RegionRef r) {
    region(r);
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      const Spelled& to = spelled(op.result(i));
      line(to.text + " = " + given(r, i, to) + ";");
    }
  };
  Touched before, after;
  if (kernel_) before = after = kernel_->since_barrier;
  source_.open("if (" + spelled(op.operand(0)).text + ") {");
  arm(op.region(0));
  if (op.region_count() > 1) {
    source_.next("} else {");
    if (kernel_) std::swap(kernel_->since_barrier, before);
    if (kernel_) after.add(before);
    arm(op.region(1));
  }
  if (kernel_) kernel_->since_barrier.add(after);
  source_.close();
}

// Lanes that take different arms: each arm runs where a lane takes it, for those lanes.
void Walk::masked_branch(OpRef op) {
  const int lanes = strip_->lanes;
  for (const Value v : op.results()) {
    const SourceText name = fresh(v);
    names_[v.id()] = {name, lanes, is_kept_as_bits(v)};
    line(type_of(v.dtype(), spelled(v)) + " " + name + " = " + std::string(leaves_.zeros()) + ";");
  }
  const SourceText condition = spelled(op.operand(0)).text, outer = mask_;
  for (std::size_t a = 0; a < op.region_count(); ++a) {
    SourceText active = a == 0 ? condition : leaves_.call(ScalarFn::Not, Dtype::I1, Dtype::I1, lanes, condition, "");
    if (!outer.empty()) active = leaves_.call(ScalarFn::And, Dtype::I1, Dtype::I1, lanes, outer, active);
    mask_ = temporary(Dtype::I1, {active, lanes}).text;
    source_.open("if (" + leaves_.any(mask_) + ") {");
    region(op.region(a));
    for (std::size_t i = 0; i < op.result_count(); ++i) {
      const Spelled& to = spelled(op.result(i));
      const SourceText value = given(op.region(a), i, to);
      line(to.text + " = " + (a == 0 ? value : leaves_.choose(lanes, mask_, value, to.text)) + ";");
    }
    source_.close();
  }
  mask_ = outer;
}

}  // namespace mlgc::codegen
