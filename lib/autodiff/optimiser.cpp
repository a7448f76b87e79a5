// See optimiser.h.
#include "autodiff/optimiser.h"

#include <algorithm>
#include <array>

namespace mlgc {

namespace {

constexpr std::array kOptimisers{
    OptimiserDef{.name = "sgd", .momentum = true},
    OptimiserDef{.name = "adam", .betas = true},
    OptimiserDef{.name = "adamw", .betas = true, .decoupled = true, .weight_decay = 1e-2},
};

}  // namespace

std::span<const OptimiserDef> optimisers() { return kOptimisers; }

const OptimiserDef* find_optimiser(std::string_view name) {
  const auto* at =
      std::find_if(kOptimisers.begin(), kOptimisers.end(), [&](const OptimiserDef& def) { return def.name == name; });
  return at == kOptimisers.end() ? nullptr : at;
}

std::vector<std::string_view> optimiser_slots(const OptimiserSettings& settings) {
  if (settings.optimiser->betas) return {"exp_avg", "exp_avg_sq"};
  if (settings.momentum != 0) return {"momentum_buffer"};
  return {};
}

Optimiser::Optimiser(const OptimiserSettings& settings, const OpMaker& ops, Value rate, Value step)
    : settings_(settings), ops_(ops), rate_(rate) {
  AttributePool& pool = ops_.context().attributes();
  if (!settings_.optimiser->betas) {
    if (rate_.valid()) negative_rate_ = ops_.make("neg", {rate_});
    return;
  }
  if (!rate_.valid()) rate_ = ops_.scalar(Dtype::F64, *settings_.learning_rate);
  negative_step_ = ops_.make("neg", {ops_.make("div", {rate_, correction(settings_.beta1, step)})});
  root_ = ops_.make("sqrt", {correction(settings_.beta2, step)});
  if (settings_.optimiser->decoupled && !settings_.learning_rate && settings_.weight_decay != 0)
    decay_ = ops_.make("add", {ops_.make("neg", {times(rate_, settings_.weight_decay)})}, {{"other", pool.real(1)}});
}

Value Optimiser::correction(double beta, Value step) {
  const Value power = ops_.make("pow", {ops_.scalar(Dtype::F64, beta), ops_.cast(step, Dtype::F64)});
  return ops_.make("add", {ops_.make("neg", {power})}, {{"other", ops_.context().attributes().real(1)}});
}

Value Optimiser::times(Value tensor, double number) {
  return ops_.make("mul", {tensor}, {{"other", ops_.context().attributes().real(number)}});
}

Value Optimiser::rounded(Value scalar, Dtype dtype) {
  Value& known = rounded_[{scalar.id().index(), dtype}];
  if (!known.valid()) known = ops_.cast(scalar, dtype);
  return known;
}

Optimiser::Updated Optimiser::update(Value weight, Value gradient, std::span<const Value> slots) {
  if (settings_.weight_decay != 0 && !settings_.optimiser->decoupled)
    gradient =
        ops_.make("add", {gradient, weight}, {{"alpha", ops_.context().attributes().real(settings_.weight_decay)}});
  return settings_.optimiser->betas ? adam(weight, gradient, slots) : sgd(weight, gradient, slots);
}

Optimiser::Updated Optimiser::sgd(Value weight, Value gradient, std::span<const Value> slots) {
  Updated out;
  if (!slots.empty()) {
    gradient = ops_.make("add", {times(slots[0], settings_.momentum), gradient});
    out.slots = {gradient};
  }
  if (settings_.learning_rate) {
    out.weight =
        ops_.make("add", {weight, gradient}, {{"alpha", ops_.context().attributes().real(-*settings_.learning_rate)}});
  } else {
    const Dtype dtype = ops_.context().types().dtype(weight.type());
    out.weight = ops_.make("add", {weight, ops_.make("mul", {gradient, rounded(negative_rate_, dtype)})});
  }
  return out;
}

Optimiser::Updated Optimiser::adam(Value weight, Value gradient, std::span<const Value> slots) {
  AttributePool& pool = ops_.context().attributes();
  const Dtype dtype = ops_.context().types().dtype(weight.type());
  if (settings_.optimiser->decoupled && settings_.weight_decay != 0)
    weight = decay_.valid() ? ops_.make("mul", {weight, rounded(decay_, dtype)})
                            : times(weight, 1 - *settings_.learning_rate * settings_.weight_decay);
  Value& share = lerp_weights_[dtype];
  if (!share.valid()) share = ops_.scalar(dtype, 1 - settings_.beta1);
  const Value first = ops_.make("lerp", {slots[0], gradient, share});
  const Value second = ops_.make("addcmul", {times(slots[1], settings_.beta2), gradient, gradient},
                                 {{"value", pool.real(1 - settings_.beta2)}});
  const Value root = ops_.make("div", {ops_.make("sqrt", {second}), rounded(root_, dtype)});
  const Value denominator = ops_.make("add", {root}, {{"other", pool.real(settings_.eps)}});
  const Value numerator = ops_.make("mul", {first, rounded(negative_step_, dtype)});
  return {ops_.make("add", {weight, ops_.make("div", {numerator, denominator})}), {first, second}};
}

}  // namespace mlgc
