// Passes that rebuild an op and get an attribute wrong: each finds one op with the attribute and changes its value.
#include <array>

#include "faults/fault_tools.h"
#include "faults/faults.h"

namespace mlgc::test {
namespace {

struct Change {
  std::string_view op, attribute;
  double value;
  bool drop = false;  // remove the attribute, so that the row's fallback counts
};

template <const Change& C>
bool change_attribute(OpRef op, PassContext& context) {
  if (op.name() != C.op) return false;
  Context& ir = op.module().context();
  AttributePool& attributes = ir.attributes();
  const Attribute was = op.attr(C.attribute);
  if (C.drop) {
    if (!was.valid() || !context.may_rewrite("wrong-attribute", op.location())) return false;
    op.remove_attr(C.attribute);
    return true;
  }
  Attribute is = attributes.real(C.value);
  if (attributes.as_int(was)) is = attributes.integer(static_cast<std::int64_t>(C.value));
  if (attributes.as_bool(was)) is = attributes.boolean(C.value != 0);
  if (is == was || !was.valid() || !context.may_rewrite("wrong-attribute", op.location())) return false;
  op.set_attr(C.attribute, is);
  return true;
}

constexpr Change kSlope{"leaky_relu", "negative_slope", 0.25}, kAlpha{"add", "alpha", 1, true},
    kEps{"layer_norm", "eps", 0.1}, kSoftmaxDim{"softmax", "dim", 0}, kCorrection{"var", "correction", 0},
    kClampMax{"clamp", "max", 9, true}, kPadValue{"pad", "value", 0}, kCumsum{"cumsum", "dim", 0},
    kDiagonal{"tril", "diagonal", 0}, kCausal{"scaled_dot_product_attention", "is_causal", 0},
    kBeta{"softplus", "beta", 1}, kEpsBatch{"batch_norm", "eps", 0.5}, kOther{"mul", "other", 1.0000001};

constexpr std::array kPasses{
    step_fault<change_attribute<kSlope>>("fault-attribute-slope", "leaky_relu gets another slope"),
    step_fault<change_attribute<kAlpha>>("fault-attribute-alpha", "add loses its factor"),
    step_fault<change_attribute<kEps>>("fault-attribute-eps", "layer_norm gets another epsilon"),
    step_fault<change_attribute<kSoftmaxDim>>("fault-attribute-softmax-dim", "softmax runs along another axis"),
    step_fault<change_attribute<kCorrection>>("fault-attribute-correction", "var divides by n"),
    step_fault<change_attribute<kClampMax>>("fault-attribute-clamp", "clamp loses its upper bound"),
    step_fault<change_attribute<kPadValue>>("fault-attribute-pad", "pad writes zeros"),
    step_fault<change_attribute<kCumsum>>("fault-attribute-cumsum", "cumsum runs along another axis"),
    step_fault<change_attribute<kDiagonal>>("fault-attribute-tril", "tril keeps another diagonal"),
    step_fault<change_attribute<kCausal>>("fault-attribute-causal", "attention sees the future"),
    step_fault<change_attribute<kBeta>>("fault-attribute-beta", "softplus gets another beta"),
    step_fault<change_attribute<kEpsBatch>>("fault-attribute-batch-norm", "batch_norm gets another epsilon"),
    step_fault<change_attribute<kOther>>("fault-attribute-other", "mul gets a factor that is nearly right"),
};

}  // namespace

std::span<const PassDef> attribute_faults() { return kPasses; }

}  // namespace mlgc::test
