// How an optimiser changes a weight, as ops: the single-tensor implementations of torch.optim, in their order of
// operations (torch/optim/sgd.py, adam.py; SGD without dampening and nesterov, Adam without amsgrad).
//
//     sgd     g = g + weight_decay*w;  b = momentum*b + g;  w = w - lr*b           (b starts at 0, so it is g at first)
//     adam    g = g + weight_decay*w;  m = lerp(m, g, 1 - beta1);  v = beta2*v + (1 - beta2)*g*g;
//             w = w + (-lr/(1 - beta1^t))*m / (sqrt(v)/sqrt(1 - beta2^t) + eps)
//     adamw   w = w*(1 - lr*weight_decay), then adam without its weight decay
//
// Guarantees
//   - What belongs to no weight (the corrections, the rate) is computed in f64, as Python computes it, and once for all
//     weights; what belongs to a weight in its dtype. The two meet where PyTorch makes them meet: a number that is used
//     with a tensor is rounded to its dtype.
//   - Where PyTorch leaves a term out (momentum or weight decay of 0), it is left out here.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/op_maker.h"

namespace mlgc {

struct OptimiserDef {
  std::string_view name;
  bool momentum = false;  // has the setting
  bool betas = false;     // has beta1, beta2 and eps, counts steps, and keeps two moments of the gradient
  bool decoupled = false;
  double weight_decay = 0;  // PyTorch's default
};
[[nodiscard]] std::span<const OptimiserDef> optimisers();
// Null when there is none of that name.
[[nodiscard]] const OptimiserDef* find_optimiser(std::string_view name);

// PyTorch's names and defaults.
struct OptimiserSettings {
  const OptimiserDef* optimiser = nullptr;
  std::optional<double> learning_rate = 1e-3;  // nothing: an argument of the step
  double momentum = 0, weight_decay = 0, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
};

// What is stored for each weight between steps, beside it: suffixes of names of states, as torch.optim calls them.
[[nodiscard]] std::vector<std::string_view> optimiser_slots(const OptimiserSettings& settings);

class Optimiser {
 public:
  // `rate` is the learning rate (f64, a scalar) unless the settings have it; `step` the number of this step, from 1
  // on (i64, a scalar), of optimisers that count. Makes ops where `ops` does.
  Optimiser(const OptimiserSettings& settings, const OpMaker& ops, Value rate, Value step);

  struct Updated {
    Value weight;
    std::vector<Value> slots;
  };
  // The values after the step. `slots` are those of optimiser_slots(), of the weight's type.
  [[nodiscard]] Updated update(Value weight, Value gradient, std::span<const Value> slots);

 private:
  [[nodiscard]] Updated sgd(Value weight, Value gradient, std::span<const Value> slots);
  [[nodiscard]] Updated adam(Value weight, Value gradient, std::span<const Value> slots);
  // 1 - beta^step, in f64.
  [[nodiscard]] Value correction(double beta, Value step);
  [[nodiscard]] Value times(Value tensor, double number);
  // A scalar in the dtype of weights; made once for each dtype.
  [[nodiscard]] Value rounded(Value scalar, Dtype dtype);

  OptimiserSettings settings_;
  OpMaker ops_;
  Value rate_;
  Value negative_rate_;  // of sgd, where the rate is an argument
  Value negative_step_;  // of adam: -lr/(1 - beta1^t)
  Value root_;           // of adam: sqrt(1 - beta2^t)
  Value decay_;          // of adamw, where the rate is an argument: 1 - lr*weight_decay
  std::map<std::pair<std::uint32_t, Dtype>, Value> rounded_;
  std::map<Dtype, Value> lerp_weights_;
};

}  // namespace mlgc
