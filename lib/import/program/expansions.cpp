// Operators that are an expression over rows, so that none of them needs a row or a function of its own. The syntax
// stands in expand.cpp; the result is converted to the recorded element type. Of a function that is composed of others,
// values where ATen's own has a NaN or an infinity are its values too.
#include "import/program/convert.h"

namespace mlgc::program {

namespace {

// clang-format off
constexpr Expansion kExpansions[] = {
    // Other names.
    {"aten.subtract.Tensor", "sub(self, other){alpha = alpha}"},
    {"aten.divide.Tensor", "div(self, other)"},
    {"aten.divide.Scalar", "div(self, other)"},
    {"aten.true_divide.Tensor", "div(self, other)"},
    {"aten.true_divide.Scalar", "div(self, other)"},
    {"aten.subtract.Scalar", "sub(self, other){alpha = alpha}"},
    {"aten.ger.default", "outer(self, vec2)"},
    {"aten.frobenius_norm.dim", "linalg_vector_norm(self){dim = dim, keepdim = keepdim}"},
    {"aten.clamp_min.Tensor", "maximum(self, min)"},
    {"aten.clamp_max.Tensor", "minimum(self, max)"},
    {"aten.lerp.Scalar", "lerp(self, end, weight)"},
    {"aten.sgn.default", "sign(self)"},
    {"aten.log_sigmoid.default", "log_sigmoid(self)"},
    {"aten.relu6.default", "hardtanh(self){min_val = 0, max_val = 6}"},
    {"aten.selu.default", "elu(self){alpha = 1.6732632423543772, scale = 1.0507009873554805}"},
    {"aten.fill.Scalar", "where(logical_or(eq(self, self), isnan(self)), value, self)"},
    // Arithmetic.
    {"aten.fmax.default", "where(isnan(self), other, where(isnan(other), self, maximum(other, self)))"},
    {"aten.fmin.default", "where(isnan(self), other, where(isnan(other), self, minimum(other, self)))"},
    {"aten.signbit.default", "logical_or(lt(self, 0), lt(reciprocal(self), 0))"},
    {"aten.copysign.Tensor", "where(logical_or(lt(other, 0), lt(reciprocal(other), 0)), -abs(1.0*self), abs(1.0*self))"},
    {"aten.copysign.Scalar", "where(logical_or(lt(other, 0), lt(reciprocal(other), 0)), -abs(1.0*self), abs(1.0*self))"},
    {"aten.heaviside.default", "where(eq(self, 0), values, where(gt(self, 0), 1, 0))"},
    {"aten.ldexp.Tensor", "wide: self*pow(2.0, other)"},
    {"aten.exp2.default", "wide: pow(2.0, self)"},
    {"aten.special_exp2.default", "wide: pow(2.0, self)"},
    {"aten.log10.default", "wide: log(self)/2.302585092994046"},
    {"aten.frac.default", "wide: self - trunc(self)"},
    {"aten.deg2rad.default", "wide: self*0.017453292519943295"},
    {"aten.rad2deg.default", "wide: self*57.29577951308232"},
    {"aten.angle.default", "where(lt(self, 0), 3.141592653589793, where(isnan(self), self, 0.0))"},
    {"aten.sinc.default", "wide: where(eq(self, 0), 1.0, sin(self*3.141592653589793)/(self*3.141592653589793))"},
    {"aten.special_sinc.default", "wide: where(eq(self, 0), 1.0, sin(self*3.141592653589793)/(self*3.141592653589793))"},
    {"aten.logaddexp.default", "wide: where(eq(self, other), self + 0.6931471805599453, maximum(self, other) + log1p(exp(-abs(self - other))))"},
    {"aten.logaddexp2.default", "wide: where(eq(self, other), self + 1, maximum(self, other) + log1p(pow(2.0, -abs(self - other)))/0.6931471805599453)"},
    {"aten.xlogy.Tensor", "wide: where(isnan(other), other, where(eq(self, 0), 0, self*log(other)))"},
    {"aten.special_xlogy.default", "wide: where(isnan(other), other, where(eq(self, 0), 0, self*log(other)))"},
    {"aten.xlogy.Scalar_Self", "wide: where(isnan(other), other, where(eq(self, 0), 0, self*log(other)))"},
    {"aten.special_xlogy.self_scalar", "wide: where(isnan(other), other, where(eq(self, 0), 0, self*log(other)))"},
    {"aten.xlogy.Scalar_Other", "wide: where(eq(self, 0), 0, self*log(other))"},
    {"aten.special_xlogy.other_scalar", "wide: where(eq(self, 0), 0, self*log(other))"},
    {"aten.special_xlog1py.default", "wide: where(isnan(other), other, where(eq(self, 0), 0, self*log1p(other)))"},
    {"aten.special_entr.default", "wide: where(isnan(self), self, where(gt(self, 0), -self*log(self), where(eq(self, 0), 0, -inf)))"},
    {"aten.special_ndtr.default", "wide: 0.5*(1 + erf(self*0.7071067811865476))"},
    {"aten.logit.default", "wide: eps ? log(minimum(maximum(self, eps), 1 - eps)/(1 - minimum(maximum(self, eps), 1 - eps))) : log(self/(1 - self))"},
    {"aten.special_logit.default", "wide: eps ? log(minimum(maximum(self, eps), 1 - eps)/(1 - minimum(maximum(self, eps), 1 - eps))) : log(self/(1 - self))"},
    {"aten.float_power.Tensor_Tensor", "pow(cast(self){dtype = f64}, cast(exponent){dtype = f64})"},
    {"aten.float_power.Tensor_Scalar", "pow(cast(self){dtype = f64}, exponent)"},
    {"aten.float_power.Scalar", "pow(self, cast(exponent){dtype = f64})"},
    {"aten.silu_backward.default", "wide: grad_output*sigmoid(self)*(1 + self*(1 - sigmoid(self)))"},
    {"aten.mish_backward.default",
     "wide: grad_output*(tanh(softplus(self)) + self*sigmoid(self)*(1 - square(tanh(softplus(self)))))"},
    {"aten.native_dropout_backward.default", "wide: grad_output*mask*scale"},
    {"aten._softmax_backward_data.default", "wide: output*(grad_output - sum(grad_output*output){dim = dim, keepdim = true})"},
    // Predicates.
    {"aten.isfinite.default", "logical_not(logical_or(isnan(self), isinf(self)))"},
    {"aten.isposinf.default", "logical_and(isinf(self), gt(self, 0))"},
    {"aten.isneginf.default", "logical_and(isinf(self), lt(self, 0))"},
    {"aten.isreal.default", "logical_or(eq(self, self), ne(self, self))"},
    {"aten.isin.Tensor_Tensor",
     "invert ? logical_not(any(eq(unsqueeze(elements){dim = -1}, flat(test_elements))){dim = [-1]}) : "
     "any(eq(unsqueeze(elements){dim = -1}, flat(test_elements))){dim = [-1]}"},
    {"aten.isclose.default",
     "logical_or(logical_or(eq(self, other), logical_and(equal_nan, logical_and(isnan(self), isnan(other)))), "
     "logical_and(lt(abs(cast(self){dtype = f64} - other), inf), "
     "le(abs(cast(self){dtype = f64} - other), atol + rtol*abs(cast(other){dtype = f64}))))"},
    // Activations.
    {"aten.celu.default", "wide: where(gt(self, 0), self, alpha*expm1(self/alpha))"},
    {"aten.hardshrink.default", "where(logical_and(ge(self, 0 - lambd), le(self, lambd)), 0, self)"},
    {"aten.hardshrink_backward.default", "where(logical_and(ge(self, 0 - lambd), le(self, lambd)), 0, grad_out)"},
    {"aten.softshrink_backward.default", "where(logical_and(ge(self, 0 - lambd), le(self, lambd)), 0, grad_output)"},
    {"aten.softshrink.default", "wide: where(gt(self, lambd), self - lambd, where(lt(self, 0 - lambd), self + lambd, where(isnan(self), self, 0.0)))"},
    {"aten.threshold.default", "where(le(self, threshold), value, self)"},
    // Products.
    {"aten.addr.default", "wide: beta ? beta*self + outer(alpha*vec1, vec2) : outer(alpha*vec1, vec2)"},
    {"aten.addmv.default", "wide: beta ? beta*self + alpha*matmul(mat, vec) : alpha*matmul(mat, vec)"},
    {"aten.addbmm.default", "wide: beta ? beta*self + alpha*sum(matmul(batch1, batch2)){dim = [0]} : alpha*sum(matmul(batch1, batch2)){dim = [0]}"},
    {"aten.linalg_vecdot.default", "wide: sum(x*y){dim = dim}"},
    {"aten.vdot.default", "wide: sum(self*other)"},
    {"aten.cdist.default",
     "wide: linalg_vector_norm(unsqueeze(x1){dim = -2} - unsqueeze(x2){dim = -3}){ord = p, dim = [-1]}"},
    {"aten._cdist_forward.default",
     "wide: linalg_vector_norm(unsqueeze(x1){dim = -2} - unsqueeze(x2){dim = -3}){ord = p, dim = [-1]}"},
    {"aten.linalg_cross.default",
     "wide: roll(self){shifts = [-1], dims = dim}*roll(other){shifts = [-2], dims = dim} - "
     "roll(self){shifts = [-2], dims = dim}*roll(other){shifts = [-1], dims = dim}"},
    // Reductions and orders.
    {"aten.std.dim", "unbiased ? std(self){dim = dim, keepdim = keepdim} : std(self){correction = 0, dim = dim, keepdim = keepdim}"},
    {"aten.var.dim", "unbiased ? var(self){dim = dim, keepdim = keepdim} : var(self){correction = 0, dim = dim, keepdim = keepdim}"},
    {"aten.std.default", "unbiased ? std(self) : std(self){correction = 0}"},
    {"aten.var.default", "unbiased ? var(self) : var(self){correction = 0}"},
    {"aten.std_mean.correction", "std(self){dim = dim, correction = correction, keepdim = keepdim}; mean(cast(self){dtype = f64}){dim = dim, keepdim = keepdim}"},
    {"aten.var_mean.correction", "var(self){dim = dim, correction = correction, keepdim = keepdim}; mean(cast(self){dtype = f64}){dim = dim, keepdim = keepdim}"},
    {"aten.std_mean.dim",
     "unbiased ? std(self){dim = dim, keepdim = keepdim} : std(self){correction = 0, dim = dim, keepdim = keepdim}; "
     "mean(cast(self){dtype = f64}){dim = dim, keepdim = keepdim}"},
    {"aten.std_mean.default", "unbiased ? std(self) : std(self){correction = 0}; mean(cast(self){dtype = f64})"},
    {"aten.var_mean.dim",
     "unbiased ? var(self){dim = dim, keepdim = keepdim} : var(self){correction = 0, dim = dim, keepdim = keepdim}; "
     "mean(cast(self){dtype = f64}){dim = dim, keepdim = keepdim}"},
    {"aten.var_mean.default", "unbiased ? var(self) : var(self){correction = 0}; mean(cast(self){dtype = f64})"},
    {"aten.nansum.default", "wide: sum(where(isnan(self), 0, self)){dim = dim, keepdim = keepdim}"},
    {"aten.nanmean.default",
     "wide: sum(where(isnan(self), 0, self)){dim = dim, keepdim = keepdim}/sum(logical_not(isnan(self))){dim = dim, keepdim = keepdim}"},
    {"aten.count_nonzero.default", "sum(ne(self, 0)){dim = dim}"},
    {"aten.count_nonzero.dim_IntList", "sum(ne(self, 0)){dim = dim}"},
    {"aten.aminmax.default", "amin(self){dim = dim, keepdim = keepdim}; amax(self){dim = dim, keepdim = keepdim}"},
    {"aten.argsort.default", "sort(self){dim = dim, descending = descending}.1"},
    {"aten.argsort.stable", "sort(self){dim = dim, descending = descending}.1"},
    {"aten.msort.default", "sort(self){dim = 0}"},
    {"aten.dist.default", "wide: linalg_vector_norm(self - other){ord = p}"},
    {"aten.pairwise_distance.default", "wide: linalg_vector_norm(x1 - x2 + eps){ord = p, dim = [-1], keepdim = keepdim}"},
    {"aten.cosine_similarity.default",
     "wide: sum(broadcast(x1, x2)/maximum(linalg_vector_norm(broadcast(x1, x2)){dim = dim, keepdim = true}, eps)*"
     "(broadcast(x2, x1)/maximum(linalg_vector_norm(broadcast(x2, x1)){dim = dim, keepdim = true}, eps))){dim = dim}"},
    // Random numbers. Tensors that parametrise a distribution get no gradient, as in PyTorch.
    {"aten.rand.default", "random(uniform)"},
    {"aten.rand_like.default", "random(uniform)"},
    {"aten.uniform.default", "random(uniform)*(to - from) + from"},
    {"aten.randn.default", "random(normal)"},
    {"aten.randn_like.default", "random(normal)"},
    {"aten.normal_functional.default", "random(wide normal)*std + mean"},
    {"aten.normal.Tensor_float", "detach(mean) + random(wide normal)*std"},
    {"aten.normal.float_Tensor", "random(wide normal)*detach(std) + mean"},
    {"aten.normal.Tensor_Tensor", "detach(mean) + random(wide normal)*detach(std)"},
    {"aten.normal.float_float", "random(wide normal)*std + mean"},
    {"aten.log_normal.default", "exp(random(wide normal)*std + mean)"},
    {"aten.exponential.default", "maximum(-log1p(-random(wide uniform)), 5.9604644775390625e-08)/lambd"},
    {"aten.cauchy.default", "tan((random(wide uniform) - 0.5)*3.141592653589793)*sigma + median"},
    {"aten.geometric.default",
     "maximum(ceil(log1p(-random(wide uniform))/log1p(cast(blank()){dtype = f64} - p)), 1)"},
    {"aten.randint.default", "random(randint{high = high})"},
    {"aten.randint.low", "random(randint{low = low, high = high})"},
    {"aten.randint_like.default", "random(randint{high = high})"},
    {"aten.randint_like.low_dtype", "random(randint{low = low, high = high})"},
    {"aten.random.from", "random(randint{low = from, high = to})"},
    {"aten.random.to", "random(randint{high = to})"},
    {"aten.randperm.default", "sort(random(randint{high = 4611686018427387904})).1"},
    // Losses.
    {"aten.hinge_embedding_loss.default",
     "wide: reduced(where(ne(target, 1), maximum(margin - self, 0), 0) + where(ne(target, -1), self, 0))"},
    {"aten.cosine_embedding_loss.default",
     "wide: reduced(where(eq(target, 1), 1 - sum(input1*input2){dim = [-1]}/sqrt((sum(input1*input1){dim = [-1]} + 1e-12)*"
     "(sum(input2*input2){dim = [-1]} + 1e-12)), where(eq(target, -1), maximum(sum(input1*input2){dim = [-1]}/"
     "sqrt((sum(input1*input1){dim = [-1]} + 1e-12)*(sum(input2*input2){dim = [-1]} + 1e-12)) - margin, 0), 0)))"},
    {"aten.margin_ranking_loss.default", "wide: reduced(maximum(margin - target*(input1 - input2), 0))"},
    {"aten.soft_margin_loss.default", "wide: reduced(log1p(exp(-target*self)))"},
    {"aten.poisson_nll_loss.default",
     "wide: reduced((log_input ? exp(input) - target*input : input - target*log(input + eps)) + "
     "(full ? where(le(target, 1), 0, target*log(target) - target + 0.5*log(6.283185307179586*target)) : 0))"},
    {"aten.triplet_margin_loss.default",
     "wide: reduced(maximum(margin + linalg_vector_norm(anchor - positive + eps){ord = p, dim = [-1]} - "
     "(swap ? minimum(linalg_vector_norm(anchor - negative + eps){ord = p, dim = [-1]}, "
     "linalg_vector_norm(positive - negative + eps){ord = p, dim = [-1]}) : "
     "linalg_vector_norm(anchor - negative + eps){ord = p, dim = [-1]}), 0))"},
    // Movement.
    {"aten.fliplr.default", "flip(self){dims = [1]}"},
    {"aten.flipud.default", "flip(self){dims = [0]}"},
    {"aten.permute_copy.default", "permute(self){dims = dims}"},
    {"aten.transpose_copy.int", "transpose(self){dim0 = dim0, dim1 = dim1}"},
    {"aten.diagonal_copy.default", "diagonal(self){offset = offset, dim1 = dim1, dim2 = dim2}"},
    {"aten.as_strided_copy.default", "as_strided(self){size = size, stride = stride, storage_offset = storage_offset}"},
    {"aten.unfold_copy.default", "unfold(self){dimension = dimension, size = size, step = step}"},
    {"aten.select_copy.int", "select(self){dim = dim, index = index}"},
    {"aten.trace.default", "sum(diagonal(self))"},
    {"aten.linalg_diagonal.default", "diagonal(A){offset = offset, dim1 = dim1, dim2 = dim2}"},
    // Through a view of the positions: what is written to the view stands where the view would read.
    {"aten.as_strided_scatter.default",
     "shaped(index_put(flat(self), src, as_strided(positions(self)){size = size, stride = stride, storage_offset = storage_offset})"
     "{positions = [0]})"},
    {"aten.diagonal_scatter.default",
     "shaped(index_put(flat(self), src, diagonal(positions(self)){offset = offset, dim1 = dim1, dim2 = dim2}){positions = [0]})"},
    {"aten.diag_embed.default",
     "shaped(index_put(flat(blank()), self, diagonal(positions(blank())){offset = offset, dim1 = dim1, dim2 = dim2}){positions = [0]})"},
    {"aten.diagflat.default",
     "shaped(index_put(flat(blank()), flat(self), diagonal(positions(blank())){offset = offset}){positions = [0]})"},
    {"aten.take.default", "shaped(index(flat(self), flat(index)){positions = [0]})"},
    {"aten.put.default",
     "shaped(index_put(flat(self), flat(source), flat(index)){positions = [0], accumulate = accumulate})"},
    {"aten.embedding_renorm.default",
     "wide: index_put(self, index(self*where(gt(linalg_vector_norm(self){ord = norm_type, dim = [1], keepdim = true}, max_norm), "
     "max_norm/(linalg_vector_norm(self){ord = norm_type, dim = [1], keepdim = true} + 1e-7), 1.0), flat(indices))"
     "{positions = [0]}, flat(indices)){positions = [0]}"},
};
// clang-format on

}  // namespace

std::span<const Expansion> expansions() { return kExpansions; }

}  // namespace mlgc::program
