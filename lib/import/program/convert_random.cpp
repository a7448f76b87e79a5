// Operators that generate random numbers and are more than an expression over the random ops; the others are texts of
// expansions.cpp. Every op uses a range of its own after the offset of the function's key.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/op_chain.h"

namespace mlgc::program {

namespace {

using Dims = std::vector<IndexExpr>;

// 16-bit floats have too few values for what is computed from uniform numbers.
Dtype at_least_32_bits(Dtype dtype) { return dtype == Dtype::F64 ? dtype : Dtype::F32; }

Value draw_uniform(NodeScope& scope, OpChain& chain, const Dims& dims, Dtype dtype) {
  const Value key = scope.next_key(chain.count(dims));
  return chain.call("uniform", {key},
                    {{"size", chain.sizes(dims)}, {"dtype", scope.context().attributes().dtype(dtype)}});
}

void convert_bernoulli(NodeScope& scope) {
  OpChain chain(scope);
  const Value self = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const TypePool& types = scope.context().types();
  const auto dims = types.dims(type);
  Value p = self;
  if (scope.target() == "aten.bernoulli.p")
    p = chain.full(dims, scope.real("p"), is_float(types.dtype(type)) ? types.dtype(type) : Dtype::F32);
  else if (scope.target() == "aten.bernoulli.Tensor")
    p = chain.expand(scope.tensor("p"), dims);
  chain.result(0, chain.call("bernoulli", {p, scope.next_key(chain.count(dims))}));
}

// The share of elements that is dropped.
Value dropped(NodeScope& scope, OpChain& chain, Value x, double p) {
  const Value key = scope.next_key(chain.count(OpChain::dims(x)));
  const OpRef op = chain.several("dropout", std::array{x, key}, {{"p", scope.context().attributes().real(p)}});
  return op.valid() ? op.result(0) : Value();
}

void convert_dropout(NodeScope& scope) {
  const Value x = scope.tensor("input");
  if (scope.failed()) return;
  const bool native = scope.target() == "aten.native_dropout.default";
  const bool training = scope.argument("train").none() || scope.flag("train");
  if (!training || (!native && scope.real("p") == 0)) {
    scope.result(0, x);
    if (native && scope.used(1)) scope.refuse<kResultUsed>(1);
    return;
  }
  OpChain chain(scope);
  const Value y = dropped(scope, chain, x, scope.real("p"));
  if (scope.failed()) return;
  scope.result(0, y);
  if (native) scope.result(1, y.definer().result(1));
}

// Whole channels drop out, or elements go to where SELU sends what is far below 0, with the mean and variance that they
// had; both at once where the name says so.
void convert_feature_dropout(NodeScope& scope) {
  const Value x = scope.tensor("input");
  const double p = scope.real("p");
  const bool training = scope.flag("train");
  if (scope.failed()) return;
  if (!training || p == 0) return scope.result(0, x);
  const bool features = scope.target().starts_with("aten.feature"),
             alpha = scope.target().find("alpha") != std::string_view::npos;
  if (features && x.rank() < 2) return scope.refuse<kOperandAxes>("its operand", x.rank(), "a batch with channels");
  OpChain chain(scope);
  AttributePool& attributes = scope.context().attributes();
  Dims dims = OpChain::dims(x);
  if (features) std::fill(dims.begin() + 2, dims.end(), chain.size(1));
  const auto with = [&](std::string_view op, Value value, double number) {
    return chain.call(op, {value}, {{"other", attributes.real(number)}});
  };
  if (p == 1) return scope.result(0, chain.full(OpChain::dims(x), 0.0, x.dtype()));
  const Dtype wide = at_least_32_bits(x.dtype());
  const Value drawn = draw_uniform(scope, chain, dims, wide);
  const Value kept = chain.cast(with("ge", drawn, p), wide);
  Value y = chain.cast(x, wide);
  if (alpha) {
    constexpr double kLeast = 1.7580993408473766;  // -alpha*scale of SELU is where it ends
    const double a = 1 / std::sqrt((kLeast * kLeast * p + 1) * (1 - p));
    // x*a where it is kept; b and, where it is not, kLeast*a less
    const Value shift = with("add", with("mul", with("sub", kept, 1), kLeast * a), kLeast * a * p);
    y = chain.call("add", {chain.call("mul", {y, with("mul", kept, a)}), shift});
  } else {
    y = chain.call("mul", {y, with("div", kept, 1 - p)});
  }
  y = chain.cast(y, x.dtype());
  if (!scope.failed()) scope.result(0, y);
}

// In training the slope of an element that is not positive is random; else it is the mean of the bounds. A second
// result, and what the operator wrote into an operand before it became a functional one, holds the slopes.
void convert_rrelu(NodeScope& scope) {
  OpChain chain(scope);
  const Value x = scope.tensor("self");
  const double lower = scope.real("lower"), upper = scope.real("upper");
  const bool training = scope.flag("training"), slopes = scope.target() == "aten.rrelu_with_noise_functional.default";
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  if (!training) {
    scope.result(0, chain.call("leaky_relu", {x}, {{"negative_slope", attributes.real((lower + upper) / 2)}}));
    if (slopes && scope.used(1)) scope.result(1, scope.tensor("noise"));
    return;
  }
  const auto with = [&](std::string_view op, Value value, double number) {
    return chain.call(op, {value}, {{"other", attributes.real(number)}});
  };
  const Value drawn = draw_uniform(scope, chain, OpChain::dims(x), at_least_32_bits(x.dtype()));
  const Value slope = with("add", with("mul", drawn, upper - lower), lower);
  const Value positive = chain.call("gt", {x}, {{"other", attributes.real(0)}});
  const Value one = chain.full(OpChain::dims(x), 1.0, scope.failed() ? Dtype::F32 : slope.dtype());
  const Value noise = chain.cast(chain.call("where", {positive, one, slope}), x.dtype());
  const Value y = chain.call("mul", {x, noise});
  if (scope.failed()) return;
  scope.result(0, y);
  if (slopes) scope.result(1, noise);
}

// The places of the largest quotients of weights and exponential numbers: each is the largest with a probability in
// proportion to its weight, and so is each of what is left without it (Efraimidis and Spirakis, 2006).
void convert_multinomial(NodeScope& scope) {
  OpChain chain(scope);
  Value weights = scope.tensor("self");
  const std::int64_t samples = scope.constant("num_samples");
  const bool replacement = scope.flag("replacement");
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  Dims dims = OpChain::dims(weights);
  if (dims.empty() || samples < 1)
    return scope.refuse<kOperandAxes>("its operand", dims.size(), "an axis of weights and one sample or more");
  const Dtype wide = at_least_32_bits(weights.dtype());
  weights = chain.cast(weights, wide);
  if (replacement) {  // each sample is the first of a row of its own
    dims.insert(dims.end() - 1, chain.size(1));
    weights = chain.view(weights, dims);
    dims[dims.size() - 2] = chain.size(samples);
    weights = chain.expand(weights, dims);
  }
  const Value u = draw_uniform(scope, chain, dims, wide);
  const Value exponential = chain.call("neg", {chain.call("log1p", {chain.call("neg", {u})})});
  // 0 is possible too.
  const Value least = chain.call("maximum", {exponential}, {{"other", attributes.real(0x1p-24)}});
  const Value quotients = chain.call("div", {weights, least});
  if (replacement) {
    const Value first = chain.call("argmax", {quotients}, {{"dim", chain.list({-1})}});
    if (!scope.failed()) scope.result(0, first);
    return;
  }
  if (scope.failed()) return;
  const OpRef largest = chain.several("topk", std::array{quotients}, {{"k", chain.integer(samples)}});
  if (!scope.failed()) scope.result(0, largest.result(1));
}

// Keys and values as heads of queries: each serves a group of them.
Value heads_like(NodeScope& scope, OpChain& chain, Value x, Value queries) {
  if (scope.failed()) return {};
  IndexPool& pool = scope.context().index();
  Dims dims = OpChain::dims(x);
  const auto heads = pool.as_constant(queries.dims()[queries.rank() - 3]),
             own = pool.as_constant(dims[dims.size() - 3]);
  if (!heads || !own || *own < 1 || *heads % *own != 0) {
    scope.refuse<kUnsupportedArgument>("enable_gqa", "true for other numbers of heads",
                                       "a constant number of query heads that is a multiple of that of keys");
    return {};
  }
  if (*heads == *own) return x;
  Dims grouped = dims;
  grouped.insert(grouped.end() - 2, pool.constant(1));
  const Value split = chain.view(x, grouped);
  grouped[grouped.size() - 3] = pool.constant(*heads / *own);
  dims[dims.size() - 3] = pool.constant(*heads);
  return chain.view(chain.expand(split, grouped), dims);
}

// Attention whose weights are dropped out, which the row does not say: in steps, as PyTorch takes them where it has no
// kernel for it. A query with nothing to attend to has weights of 0, and no gradient passes it.
void convert_attention(NodeScope& scope) {
  const double p = scope.real("dropout_p");
  if (scope.failed()) return;
  if (p == 0)
    return convert_by_row(scope, scope.context().def(scope.context().find_op("scaled_dot_product_attention")));
  OpChain chain(scope);
  Value q = scope.tensor("query"), k = scope.tensor("key"), v = scope.tensor("value");
  if (scope.failed()) return;
  if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2)
    return scope.refuse<kOperandAxes>("an operand", std::min({q.rank(), k.rank(), v.rank()}), "at least two");
  const Dtype own = q.dtype(), wide = at_least_32_bits(own);
  q = chain.cast(q, wide), k = chain.cast(k, wide), v = chain.cast(v, wide);
  if (scope.flag("enable_gqa")) {
    if (q.rank() < 3 || k.rank() < 3 || v.rank() < 3)
      return scope.refuse<kOperandAxes>("an operand", std::min({q.rank(), k.rank(), v.rank()}), "an axis of heads");
    k = heads_like(scope, chain, k, q), v = heads_like(scope, chain, v, q);
  }
  AttributePool& attributes = scope.context().attributes();
  const Value turned = chain.call("transpose", {k}, {{"dim0", chain.integer(-2)}, {"dim1", chain.integer(-1)}});
  Value scores = chain.call("matmul", {q, turned});
  if (scope.failed()) return;
  const IndexExpr width = q.dims()[q.rank() - 1];
  const auto known_width = scope.context().index().as_constant(width);
  if (scope.has("scale") || known_width) {
    const double scale = scope.has("scale") ? scope.real("scale") : 1 / std::sqrt(static_cast<double>(*known_width));
    scores = chain.call("mul", {scores}, {{"other", attributes.real(scale)}});
  } else {
    const Value size = chain.call("dim", {}, {{"value", attributes.integer(width)}});
    scores = chain.call("div", {scores, chain.call("sqrt", {chain.cast(size, wide)})});
  }
  const bool masked = scope.has("attn_mask"), causal = scope.flag("is_causal");
  if (scope.failed()) return;
  const auto scalar = [&](double value) {
    return chain.call("full", {},
                      {{"size", chain.list({})}, {"value", attributes.real(value)}, {"dtype", attributes.dtype(wide)}});
  };
  const Value lowest = scalar(-std::numeric_limits<double>::infinity());
  if (masked) {
    const Value mask = scope.tensor("attn_mask");
    if (scope.failed()) return;
    scores = mask.dtype() == Dtype::I1 ? chain.call("where", {mask, scores, lowest})
                                       : chain.call("add", {scores, chain.cast(mask, wide)});
  }
  if (causal) {
    const Dims dims = OpChain::dims(scores);
    if (scope.failed()) return;
    const auto line = [&](std::size_t axis) {
      return chain.along(chain.positions(std::array{dims[dims.size() - 2 + axis]}), axis, 2);
    };
    const Value rows = line(0), columns = line(1);
    scores = chain.call("where", {chain.call("le", {columns, rows}), scores, lowest});
  }
  const Value zero = masked ? scalar(0) : Value();
  Value nothing;
  if (masked) {
    const Value largest = chain.call("amax", {scores}, {{"dim", chain.list({-1})}, {"keepdim", chain.flag(true)}});
    nothing = chain.call("eq", {largest, lowest});
    scores = chain.call("where", {nothing, zero, scores});
  }
  Value weights = chain.call("softmax", {scores}, {{"dim", chain.integer(-1)}});
  if (masked) weights = chain.call("where", {nothing, zero, weights});
  const Value left = dropped(scope, chain, weights, p);
  const Value y = chain.cast(chain.call("matmul", {left, v}), own);
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kRandomConverters[] = {
    {"aten.bernoulli.p", convert_bernoulli},
    {"aten.bernoulli.Tensor", convert_bernoulli},
    {"aten.bernoulli.default", convert_bernoulli},
    {"aten.dropout.default", convert_dropout},
    {"aten.native_dropout.default", convert_dropout},
    {"aten.feature_dropout.default", convert_feature_dropout},
    {"aten.alpha_dropout.default", convert_feature_dropout},
    {"aten.feature_alpha_dropout.default", convert_feature_dropout},
    {"aten.rrelu.default", convert_rrelu},
    {"aten.rrelu_with_noise_functional.default", convert_rrelu},
    {"aten.multinomial.default", convert_multinomial},
    {"aten.scaled_dot_product_attention.default", convert_attention},
};

}  // namespace

std::span<const Converter> random_converters() { return kRandomConverters; }

}  // namespace mlgc::program
