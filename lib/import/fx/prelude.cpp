// See prelude.h. Parameters are those of PyTorch 2.13 in their order, the ones too that it takes and ignores
// (`_stacklevel`); the test fx-against-torch compares them with PyTorch's. `aten.x` is the ATen operator of that name,
// by its arguments; `each(x, n)` is a list of n times x unless it is one, `floats` makes its items floats,
// `is_sequence` says whether something is a list or tuple, `children` gives the modules of a ModuleList, `parameters`
// the weights of a recurrent module in the order of its layers, `check` aborts where its condition does not
// hold.
#include "import/fx/prelude.h"

#include <map>
#include <mutex>

namespace mlgc::fx {

namespace {

// A module is in eval mode when what it does depends on that.
constexpr std::string_view kFunctional = R"(
def torch.nn.functional.relu(input, inplace=False):
  return aten.relu_(input) if inplace else aten.relu(input)
def torch.nn.functional.relu6(input, inplace=False):
  return aten.hardtanh_(input, 0, 6) if inplace else aten.relu6(input)
def torch.nn.functional.leaky_relu(input, negative_slope=0.01, inplace=False):
  return aten.leaky_relu_(input, negative_slope) if inplace else aten.leaky_relu(input, negative_slope)
def torch.nn.functional.elu(input, alpha=1.0, inplace=False):
  return aten.elu_(input, alpha) if inplace else aten.elu(input, alpha)
def torch.nn.functional.selu(input, inplace=False):
  return aten.selu_(input) if inplace else aten.selu(input)
def torch.nn.functional.celu(input, alpha=1.0, inplace=False):
  return aten.celu_(input, alpha) if inplace else aten.celu(input, alpha)
def torch.nn.functional.silu(input, inplace=False):
  return aten.silu_(input) if inplace else aten.silu(input)
def torch.nn.functional.mish(input, inplace=False):
  return aten.mish_(input) if inplace else aten.mish(input)
def torch.nn.functional.hardswish(input, inplace=False):
  return aten.hardswish_(input) if inplace else aten.hardswish(input)
def torch.nn.functional.hardsigmoid(input, inplace=False):
  return aten.hardsigmoid_(input) if inplace else aten.hardsigmoid(input)
def torch.nn.functional.hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
  return aten.hardtanh_(input, min_val, max_val) if inplace else aten.hardtanh(input, min_val, max_val)
def torch.nn.functional.threshold(input, threshold, value, inplace=False):
  return aten.threshold_(input, threshold, value) if inplace else aten.threshold(input, threshold, value)
def torch.nn.functional._threshold(input, threshold, value, inplace=False):
  return torch.nn.functional.threshold(input, threshold, value, inplace)
def torch.nn.functional.softsign(input):
  return input / (aten.abs(input) + 1)
def torch.nn.functional.tanhshrink(input):
  return input - aten.tanh(input)
def torch.nn.functional.tanh(input):
  return aten.tanh(input)
def torch.nn.functional.sigmoid(input):
  return aten.sigmoid(input)
def torch.nn.functional.logsigmoid(input):
  return aten.log_sigmoid(input)
def torch.nn.functional.glu(input, dim=-1):
  return aten.glu(input, dim)
def torch.nn.functional.softmax(input, dim=None, _stacklevel=3, dtype=None):
  return aten.softmax(input, _axis(input, dim), dtype)
def torch.nn.functional.log_softmax(input, dim=None, _stacklevel=3, dtype=None):
  return aten.log_softmax(input, _axis(input, dim), dtype)
def torch.nn.functional.softmin(input, dim=None, _stacklevel=3, dtype=None):
  return aten.softmax(-input, _axis(input, dim), dtype)
def _axis(input, dim):
  if dim is None:
    return 0 if input.dim() == 0 or input.dim() == 1 or input.dim() == 3 else 1
  return dim

def torch.nn.functional.dropout(input, p=0.5, training=True, inplace=False):
  if not training:
    return input
  return aten.dropout_(input, p, True) if inplace else aten.dropout(input, p, True)
def torch.nn.functional.dropout1d(input, p=0.5, training=True, inplace=False):
  return _in_eval_mode(input, training)
def torch.nn.functional.dropout2d(input, p=0.5, training=True, inplace=False):
  return _in_eval_mode(input, training)
def torch.nn.functional.dropout3d(input, p=0.5, training=True, inplace=False):
  return _in_eval_mode(input, training)
def torch.nn.functional.alpha_dropout(input, p=0.5, training=False, inplace=False):
  return _in_eval_mode(input, training)
def torch.nn.functional.feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
  return _in_eval_mode(input, training)
def _in_eval_mode(input, training):
  if training:
    raise "it is in training mode; call .eval() before tracing"
  return input

def torch.nn.functional.rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False):
  return aten.rrelu_(input, lower, upper, training) if inplace else aten.rrelu(input, lower, upper, training)
def torch.nn.functional.gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
  y = aten.softmax((logits - aten.exponential(logits, 1.0).log()) / tau, dim)
  if not hard:
    return y
  return aten.scatter(aten.zeros_like(logits), dim, y.max(dim, True)[1], 1.0) - y.detach() + y

def torch.nn.functional.batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
  x = _in_eval_mode(input, training)
  return aten.batch_norm(x, weight, bias, running_mean, running_var, False, 0.0 if momentum is None else momentum, eps, False)
def torch.nn.functional.instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
  if use_input_stats and running_mean is not None:
    raise "it changes running statistics, which has no counterpart here"
  return aten.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, 0.0 if momentum is None else momentum, eps, False)
def torch.nn.functional.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
  return aten.layer_norm(input, normalized_shape, weight, bias, eps, False)
def torch.nn.functional.group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
  return aten.group_norm(input, num_groups, weight, bias, eps, False)
def torch.nn.functional.rms_norm(input, normalized_shape, weight=None, eps=None):
  return aten.rms_norm(input, normalized_shape, weight, eps)
def torch.nn.functional.normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
  if out is not None:
    raise "it writes into a tensor that `out` names"
  norm = aten.linalg_vector_norm(input, p, each(dim, 1), True)
  return input / aten.expand_as(aten.clamp_min(norm, eps), input)

def torch.nn.functional.max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  if return_indices:
    return aten.max_pool1d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
  return aten.max_pool1d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  if return_indices:
    return aten.max_pool2d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
  return aten.max_pool2d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  if return_indices:
    return aten.max_pool3d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
  return aten.max_pool3d(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  return aten.max_pool1d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  return aten.max_pool2d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
  return aten.max_pool3d_with_indices(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)
def torch.nn.functional.adaptive_avg_pool2d(input, output_size):
  return aten.adaptive_avg_pool2d(input, _output_sizes(input, output_size, 2))
def torch.nn.functional.adaptive_avg_pool3d(input, output_size):
  return aten.adaptive_avg_pool3d(input, _output_sizes(input, output_size, 3))
def torch.nn.functional.adaptive_max_pool1d(input, output_size, return_indices=False):
  y, positions = aten.adaptive_max_pool1d(input, each(output_size, 1))
  return (y, positions) if return_indices else y
def torch.nn.functional.adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
  return aten.adaptive_max_pool1d(input, each(output_size, 1))
def torch.nn.functional.adaptive_max_pool2d(input, output_size, return_indices=False):
  y, positions = aten.adaptive_max_pool2d(input, _output_sizes(input, output_size, 2))
  return (y, positions) if return_indices else y
def torch.nn.functional.adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
  return aten.adaptive_max_pool2d(input, _output_sizes(input, output_size, 2))
def torch.nn.functional.adaptive_max_pool3d(input, output_size, return_indices=False):
  y, positions = aten.adaptive_max_pool3d(input, _output_sizes(input, output_size, 3))
  return (y, positions) if return_indices else y
def torch.nn.functional.adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
  return aten.adaptive_max_pool3d(input, _output_sizes(input, output_size, 3))
def torch.nn.functional.max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
  if output_size is not None:
    return aten.max_unpool2d(input, indices, output_size[-2:])
  k = each(kernel_size, 2)
  s = k if stride is None else each(stride, 2)
  p = each(padding, 2)
  first = input.dim() - 2
  rows = (input.size(first) - 1) * s[0] - 2 * p[0] + k[0]
  columns = (input.size(first + 1) - 1) * s[1] - 2 * p[1] + k[1]
  return aten.max_unpool2d(input, indices, [rows, columns])
def _output_sizes(input, output_size, n):
  sizes = each(output_size, n)
  first = input.dim() - n
  a = input.size(first) if sizes[0] is None else sizes[0]
  b = input.size(first + 1) if sizes[1] is None else sizes[1]
  if n == 2:
    return [a, b]
  return [a, b, input.size(first + 2) if sizes[2] is None else sizes[2]]

def torch.nn.functional.pad(input, pad, mode="constant", value=None):
  return aten.pad(input, pad, mode, value)
def torch.nn.functional.interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
  if recompute_scale_factor:
    raise "recompute_scale_factor has no counterpart here"
  n = input.dim() - 2
  sizes = None if size is None else each(size, n)
  factors = None if scale_factor is None else floats(each(scale_factor, n))
  corners = False if align_corners is None else align_corners
  if antialias:
    if mode == "bicubic":
      return aten._upsample_bicubic2d_aa(input, sizes, corners, factors)
    raise "of the antialiased modes only bicubic has a counterpart here"
  if mode == "nearest":
    return _nearest(input, sizes, factors, n)
  if mode == "nearest-exact":
    return _nearest_exact(input, sizes, factors, n)
  if mode == "linear":
    return aten.upsample_linear1d(input, sizes, corners, factors)
  if mode == "bilinear":
    return aten.upsample_bilinear2d(input, sizes, corners, factors)
  if mode == "trilinear":
    return aten.upsample_trilinear3d(input, sizes, corners, factors)
  if mode == "bicubic":
    return aten.upsample_bicubic2d(input, sizes, corners, factors)
  raise "this mode has no counterpart here"
def _nearest(input, sizes, factors, n):
  if n == 1:
    return aten.upsample_nearest1d(input, sizes, factors)
  return aten.upsample_nearest2d(input, sizes, factors) if n == 2 else aten.upsample_nearest3d(input, sizes, factors)
def _nearest_exact(input, sizes, factors, n):
  if n == 1:
    return aten._upsample_nearest_exact1d(input, sizes, factors)
  return aten._upsample_nearest_exact2d(input, sizes, factors) if n == 2 else aten._upsample_nearest_exact3d(input, sizes, factors)
def torch.nn.functional.unfold(input, kernel_size, dilation=1, padding=0, stride=1):
  return aten.im2col(input, each(kernel_size, 2), each(dilation, 2), each(padding, 2), each(stride, 2))
def torch.nn.functional.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
  return aten.col2im(input, each(output_size, 2), each(kernel_size, 2), each(dilation, 2), each(padding, 2), each(stride, 2))

def torch.nn.functional.embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
  if max_norm is not None:
    raise "max_norm changes the weight in place, which has no counterpart here"
  return aten.embedding(weight, input, -1 if padding_idx is None else padding_idx)
def torch.nn.functional.embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
  if max_norm is not None:
    raise "max_norm changes the weight in place, which has no counterpart here"
  way = 0 if mode == "sum" else 1 if mode == "mean" else 2
  if input.dim() == 1:
    return aten.embedding_bag(weight, input, offsets, scale_grad_by_freq, way, sparse, per_sample_weights, include_last_offset, padding_idx)[0]
  starts = aten.arange(0, input.numel(), input.size(1), dtype=input.dtype)
  weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
  return aten.embedding_bag(weight, input.reshape(-1), starts, scale_grad_by_freq, way, sparse, weights, include_last_offset, padding_idx)[0]

def _reduction(reduction, size_average, reduce):
  if size_average is not None or reduce is not None:
    raise "size_average and reduce have no counterpart here; reduction has"
  return 1 if reduction == "mean" else 2 if reduction == "sum" else 0
def torch.nn.functional.mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
  if weight is not None:
    raise "a weight of mse_loss has no counterpart here"
  return aten.mse_loss(input, target, _reduction(reduction, size_average, reduce))
def torch.nn.functional.l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
  if weight is not None:
    raise "a weight of l1_loss has no counterpart here"
  return aten.l1_loss(input, target, _reduction(reduction, size_average, reduce))
def torch.nn.functional.smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
  return aten.smooth_l1_loss(input, target, _reduction(reduction, size_average, reduce), beta)
def torch.nn.functional.cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
  return aten.cross_entropy_loss(input, target, weight, _reduction(reduction, size_average, reduce), ignore_index, label_smoothing)
def torch.nn.functional.nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
  return aten.nll_loss_nd(input, target, weight, _reduction(reduction, size_average, reduce), ignore_index)
def torch.nn.functional.binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
  return aten.binary_cross_entropy(input, target, weight, _reduction(reduction, size_average, reduce))
def torch.nn.functional.binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
  return aten.binary_cross_entropy_with_logits(input, target, weight, pos_weight, _reduction(reduction, size_average, reduce))
)";

constexpr std::string_view kTorch = R"(
def torch.functional.split(tensor, split_size_or_sections, dim=0):
  return tensor.split(split_size_or_sections, dim)
def torch.functional.norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
  if out is not None:
    raise "it writes into a tensor that `out` names"
  return _norm(input, p, dim, keepdim, dtype)
def _norm(input, p, dim, keepdim, dtype):
  order = 2 if p is None or p == "fro" else p
  return aten.linalg_vector_norm(input, order, None if dim is None else each(dim, 1), keepdim, dtype=dtype)
def torch._C._linalg.linalg_norm(input, ord=None, dim=None, keepdim=False, out=None, dtype=None):
  if out is not None:
    raise "it writes into a tensor that `out` names"
  axes = None if dim is None else each(dim, 1)
  count = input.dim() if axes is None else builtins.len(axes)
  if ord is not None and count != 1:
    raise "an order over two axes asks for a norm of matrices, which has no counterpart here"
  return aten.linalg_vector_norm(input, 2 if ord is None else ord, axes, keepdim, dtype=dtype)
def torch.functional.einsum(equation, *operands):
  return aten.einsum(equation, operands[0] if is_sequence(operands[0]) else operands)
def torch.functional.meshgrid(*tensors, indexing=None):
  return aten.meshgrid(tensors[0] if is_sequence(tensors[0]) else tensors, indexing="ij" if indexing is None else indexing)
def torch.functional.broadcast_tensors(*tensors):
  return aten.broadcast_tensors(tensors[0] if is_sequence(tensors[0]) else tensors)
def torch.positive(input):
  return input
def torch._assert(condition, message):
  return check(condition, message)
def torch._C._set_grad_enabled(mode):
  return None
def operator.pos(input):
  return input
def operator.truth(input):
  return input.bool()

def Tensor.float(self):
  return self.to(torch.float32)
def Tensor.double(self):
  return self.to(torch.float64)
def Tensor.half(self):
  return self.to(torch.float16)
def Tensor.bfloat16(self):
  return self.to(torch.bfloat16)
def Tensor.int(self):
  return self.to(torch.int32)
def Tensor.long(self):
  return self.to(torch.int64)
def Tensor.short(self):
  return self.to(torch.int16)
def Tensor.char(self):
  return self.to(torch.int8)
def Tensor.byte(self):
  return self.to(torch.uint8)
def Tensor.bool(self):
  return self.to(torch.bool)
def Tensor.type(self, dtype):
  return self.to(dtype)
def Tensor.cpu(self):
  return self
def Tensor.cuda(self, device=None):
  return self
def Tensor.requires_grad_(self, requires_grad=True):
  return self
def Tensor.nelement(self):
  return self.numel()
def Tensor.ndimension(self):
  return self.dim()
def Tensor.split(self, split_size, dim=0):
  return aten.split_with_sizes(self, split_size, dim) if is_sequence(split_size) else aten.split(self, split_size, dim)
def Tensor.norm(self, p="fro", dim=None, keepdim=False, dtype=None):
  return _norm(self, p, dim, keepdim, dtype)
)";

constexpr std::string_view kModules = R"(
def torch.nn.modules.linear.Identity(self, input):
  return input
def torch.nn.modules.linear.Linear(self, input):
  return aten.linear(input, self.weight, self.bias)
def torch.nn.modules.linear.NonDynamicallyQuantizableLinear(self, input):
  return aten.linear(input, self.weight, self.bias)
def torch.nn.modules.conv.Conv1d(self, input):
  x = _padded(self, input, 1)
  return aten.conv1d(x, self.weight, self.bias, self.stride, _padding(self, 1), self.dilation, self.groups)
def torch.nn.modules.conv.Conv2d(self, input):
  x = _padded(self, input, 2)
  return aten.conv2d(x, self.weight, self.bias, self.stride, _padding(self, 2), self.dilation, self.groups)
def torch.nn.modules.conv.Conv3d(self, input):
  x = _padded(self, input, 3)
  return aten.conv3d(x, self.weight, self.bias, self.stride, _padding(self, 3), self.dilation, self.groups)
def _padded(self, input, n):
  if self.padding_mode == "zeros":
    return input
  if not is_sequence(self.padding):
    raise "a padding by a word with a mode other than zeros has no counterpart here"
  p = self.padding
  if n == 1:
    return aten.pad(input, [p[0], p[0]], self.padding_mode)
  if n == 2:
    return aten.pad(input, [p[1], p[1], p[0], p[0]], self.padding_mode)
  return aten.pad(input, [p[2], p[2], p[1], p[1], p[0], p[0]], self.padding_mode)
def _padding(self, n):
  return self.padding if self.padding_mode == "zeros" else each(0, n)
def torch.nn.modules.conv.ConvTranspose1d(self, input):
  return aten.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)
def torch.nn.modules.conv.ConvTranspose2d(self, input):
  return aten.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)
def torch.nn.modules.conv.ConvTranspose3d(self, input):
  return aten.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)

def torch.nn.modules.batchnorm.BatchNorm1d(self, input):
  return _batch_norm(self, input)
def torch.nn.modules.batchnorm.BatchNorm2d(self, input):
  return _batch_norm(self, input)
def torch.nn.modules.batchnorm.BatchNorm3d(self, input):
  return _batch_norm(self, input)
def _batch_norm(self, input):
  if self.running_mean is None:
    raise "statistics of the batch, without running ones, have no counterpart here"
  return torch.nn.functional.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum, self.eps)
def torch.nn.modules.instancenorm.InstanceNorm1d(self, input):
  return _instance_norm(self, input, 1)
def torch.nn.modules.instancenorm.InstanceNorm2d(self, input):
  return _instance_norm(self, input, 2)
def torch.nn.modules.instancenorm.InstanceNorm3d(self, input):
  return _instance_norm(self, input, 3)
def _instance_norm(self, input, n):
  if self.training and self.track_running_stats:
    raise "it is in training mode; call .eval() before tracing"
  alone = input.dim() == n + 1
  x = input.unsqueeze(0) if alone else input
  y = aten.instance_norm(x, self.weight, self.bias, self.running_mean, self.running_var, not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps, False)
  return y.squeeze(0) if alone else y
def torch.nn.modules.normalization.LayerNorm(self, input):
  return aten.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps, False)
def torch.nn.modules.normalization.RMSNorm(self, input):
  return aten.rms_norm(input, self.normalized_shape, self.weight, self.eps)
def torch.nn.modules.normalization.GroupNorm(self, input):
  return aten.group_norm(input, self.num_groups, self.weight, self.bias, self.eps, False)

def torch.nn.modules.activation.ReLU(self, input):
  return torch.nn.functional.relu(input, self.inplace)
def torch.nn.modules.activation.ReLU6(self, input):
  return torch.nn.functional.relu6(input, self.inplace)
def torch.nn.modules.activation.RReLU(self, input):
  return torch.nn.functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)
def torch.nn.modules.activation.LeakyReLU(self, input):
  return torch.nn.functional.leaky_relu(input, self.negative_slope, self.inplace)
def torch.nn.modules.activation.ELU(self, input):
  return torch.nn.functional.elu(input, self.alpha, self.inplace)
def torch.nn.modules.activation.SELU(self, input):
  return torch.nn.functional.selu(input, self.inplace)
def torch.nn.modules.activation.CELU(self, input):
  return torch.nn.functional.celu(input, self.alpha, self.inplace)
def torch.nn.modules.activation.GELU(self, input):
  return aten.gelu(input, approximate=self.approximate)
def torch.nn.modules.activation.SiLU(self, input):
  return torch.nn.functional.silu(input, self.inplace)
def torch.nn.modules.activation.Mish(self, input):
  return torch.nn.functional.mish(input, self.inplace)
def torch.nn.modules.activation.Hardswish(self, input):
  return torch.nn.functional.hardswish(input, self.inplace)
def torch.nn.modules.activation.Hardsigmoid(self, input):
  return torch.nn.functional.hardsigmoid(input, self.inplace)
def torch.nn.modules.activation.Hardtanh(self, input):
  return torch.nn.functional.hardtanh(input, self.min_val, self.max_val, self.inplace)
def torch.nn.modules.activation.Threshold(self, input):
  return torch.nn.functional.threshold(input, self.threshold, self.value, self.inplace)
def torch.nn.modules.activation.Hardshrink(self, input):
  return aten.hardshrink(input, self.lambd)
def torch.nn.modules.activation.Softshrink(self, input):
  return aten.softshrink(input, self.lambd)
def torch.nn.modules.activation.Softplus(self, input):
  return aten.softplus(input, self.beta, self.threshold)
def torch.nn.modules.activation.Softsign(self, input):
  return torch.nn.functional.softsign(input)
def torch.nn.modules.activation.Tanh(self, input):
  return aten.tanh(input)
def torch.nn.modules.activation.Tanhshrink(self, input):
  return torch.nn.functional.tanhshrink(input)
def torch.nn.modules.activation.Sigmoid(self, input):
  return aten.sigmoid(input)
def torch.nn.modules.activation.LogSigmoid(self, input):
  return aten.log_sigmoid(input)
def torch.nn.modules.activation.PReLU(self, input):
  return aten.prelu(input, self.weight)
def torch.nn.modules.activation.GLU(self, input):
  return aten.glu(input, self.dim)
def torch.nn.modules.activation.Softmax(self, input):
  return torch.nn.functional.softmax(input, self.dim)
def torch.nn.modules.activation.LogSoftmax(self, input):
  return torch.nn.functional.log_softmax(input, self.dim)
def torch.nn.modules.activation.Softmin(self, input):
  return torch.nn.functional.softmin(input, self.dim)
def torch.nn.modules.activation.Softmax2d(self, input):
  return aten.softmax(input, -3)

def torch.nn.modules.pooling.MaxPool1d(self, input):
  return torch.nn.functional.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
def torch.nn.modules.pooling.MaxPool2d(self, input):
  return torch.nn.functional.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
def torch.nn.modules.pooling.MaxPool3d(self, input):
  return torch.nn.functional.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)
def torch.nn.modules.pooling.AvgPool1d(self, input):
  return aten.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)
def torch.nn.modules.pooling.AvgPool2d(self, input):
  return aten.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)
def torch.nn.modules.pooling.AvgPool3d(self, input):
  return aten.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)
def torch.nn.modules.pooling.AdaptiveAvgPool1d(self, input):
  return aten.adaptive_avg_pool1d(input, each(self.output_size, 1))
def torch.nn.modules.pooling.AdaptiveAvgPool2d(self, input):
  return torch.nn.functional.adaptive_avg_pool2d(input, self.output_size)
def torch.nn.modules.pooling.AdaptiveAvgPool3d(self, input):
  return torch.nn.functional.adaptive_avg_pool3d(input, self.output_size)
def torch.nn.modules.pooling.AdaptiveMaxPool1d(self, input):
  return torch.nn.functional.adaptive_max_pool1d(input, self.output_size, self.return_indices)
def torch.nn.modules.pooling.AdaptiveMaxPool2d(self, input):
  return torch.nn.functional.adaptive_max_pool2d(input, self.output_size, self.return_indices)
def torch.nn.modules.pooling.AdaptiveMaxPool3d(self, input):
  return torch.nn.functional.adaptive_max_pool3d(input, self.output_size, self.return_indices)

def torch.nn.modules.sparse.EmbeddingBag(self, input, offsets=None, per_sample_weights=None):
  return torch.nn.functional.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)
def torch.nn.modules.sparse.Embedding(self, input):
  return torch.nn.functional.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
def torch.nn.modules.dropout.Dropout(self, input):
  return torch.nn.functional.dropout(input, self.p, self.training, self.inplace)
def torch.nn.modules.dropout.Dropout1d(self, input):
  return _in_eval_mode(input, self.training)
def torch.nn.modules.dropout.Dropout2d(self, input):
  return _in_eval_mode(input, self.training)
def torch.nn.modules.dropout.Dropout3d(self, input):
  return _in_eval_mode(input, self.training)
def torch.nn.modules.dropout.AlphaDropout(self, input):
  return _in_eval_mode(input, self.training)
def torch.nn.modules.dropout.FeatureAlphaDropout(self, input):
  return _in_eval_mode(input, self.training)
def torch.nn.modules.flatten.Flatten(self, input):
  return aten.flatten(input, self.start_dim, self.end_dim)
def torch.nn.modules.flatten.Unflatten(self, input):
  return aten.unflatten(input, self.dim, self.unflattened_size)
def torch.nn.modules.pixelshuffle.PixelShuffle(self, input):
  return aten.pixel_shuffle(input, self.upscale_factor)
def torch.nn.modules.upsampling.Upsample(self, input):
  return torch.nn.functional.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
def torch.nn.modules.upsampling.UpsamplingNearest2d(self, input):
  return torch.nn.functional.interpolate(input, self.size, self.scale_factor, "nearest")
def torch.nn.modules.upsampling.UpsamplingBilinear2d(self, input):
  return torch.nn.functional.interpolate(input, self.size, self.scale_factor, "bilinear", True)
def torch.nn.modules.padding.ZeroPad1d(self, input):
  return aten.pad(input, self.padding, "constant", 0)
def torch.nn.modules.padding.ZeroPad2d(self, input):
  return aten.pad(input, self.padding, "constant", 0)
def torch.nn.modules.padding.ConstantPad1d(self, input):
  return aten.pad(input, self.padding, "constant", self.value)
def torch.nn.modules.padding.ConstantPad2d(self, input):
  return aten.pad(input, self.padding, "constant", self.value)
def torch.nn.modules.padding.ReflectionPad1d(self, input):
  return aten.pad(input, self.padding, "reflect")
def torch.nn.modules.padding.ReflectionPad2d(self, input):
  return aten.pad(input, self.padding, "reflect")
def torch.nn.modules.padding.ReplicationPad1d(self, input):
  return aten.pad(input, self.padding, "replicate")
def torch.nn.modules.padding.ReplicationPad2d(self, input):
  return aten.pad(input, self.padding, "replicate")
def torch.nn.modules.distance.CosineSimilarity(self, x1, x2):
  return aten.cosine_similarity(x1, x2, self.dim, self.eps)
def torch.nn.modules.loss.MSELoss(self, input, target):
  return torch.nn.functional.mse_loss(input, target, reduction=self.reduction)
def torch.nn.modules.loss.L1Loss(self, input, target):
  return torch.nn.functional.l1_loss(input, target, reduction=self.reduction)
def torch.nn.modules.loss.SmoothL1Loss(self, input, target):
  return torch.nn.functional.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)
def torch.nn.modules.loss.CrossEntropyLoss(self, input, target):
  return torch.nn.functional.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing)
def torch.nn.modules.loss.NLLLoss(self, input, target):
  return torch.nn.functional.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)
def torch.nn.modules.loss.BCELoss(self, input, target):
  return torch.nn.functional.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)
def torch.nn.modules.loss.BCEWithLogitsLoss(self, input, target):
  return torch.nn.functional.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)

def torch.nn.modules.rnn.LSTM(self, input, hx=None):
  x = _sequences(self, input)
  first = _first_state(self, input, x, self.proj_size if self.proj_size > 0 else self.hidden_size)
  cell = _first_state(self, input, x, self.hidden_size)
  if hx is not None:
    first = _batched(input, hx[0])
    cell = _batched(input, hx[1])
  y, h, c = aten.lstm(x, [first, cell], parameters(self), self.has_bias, self.num_layers, 0.0, False, self.bidirectional, self.batch_first and input.dim() == 3)
  return _unbatched(input, y), (_unbatched(input, h), _unbatched(input, c))
def torch.nn.modules.rnn.GRU(self, input, hx=None):
  x = _sequences(self, input)
  first = _first_state(self, input, x, self.hidden_size) if hx is None else _batched(input, hx)
  y, h = aten.gru(x, first, parameters(self), self.has_bias, self.num_layers, 0.0, False, self.bidirectional, self.batch_first and input.dim() == 3)
  return _unbatched(input, y), _unbatched(input, h)
def torch.nn.modules.rnn.RNN(self, input, hx=None):
  x = _sequences(self, input)
  first = _first_state(self, input, x, self.hidden_size) if hx is None else _batched(input, hx)
  if self.mode == "RNN_TANH":
    y, h = aten.rnn_tanh(x, first, parameters(self), self.has_bias, self.num_layers, 0.0, False, self.bidirectional, self.batch_first and input.dim() == 3)
  else:
    y, h = aten.rnn_relu(x, first, parameters(self), self.has_bias, self.num_layers, 0.0, False, self.bidirectional, self.batch_first and input.dim() == 3)
  return _unbatched(input, y), _unbatched(input, h)
def torch.nn.modules.rnn.RNNCell(self, input, hx=None):
  total = _cell_input(self, input) + _cell_state(self, _cell_first(self, input, hx))
  return aten.tanh(total) if self.nonlinearity == "tanh" else aten.relu(total)
def torch.nn.modules.rnn.LSTMCell(self, input, hx=None):
  h = _cell_first(self, input, None if hx is None else hx[0])
  c = _cell_first(self, input, None if hx is None else hx[1])
  i, f, g, o = aten.chunk(_cell_input(self, input) + _cell_state(self, h), 4, -1)
  cell = aten.sigmoid(f) * c + aten.sigmoid(i) * aten.tanh(g)
  return aten.sigmoid(o) * aten.tanh(cell), cell
def torch.nn.modules.rnn.GRUCell(self, input, hx=None):
  h = _cell_first(self, input, hx)
  r, z, n = aten.chunk(_cell_input(self, input), 3, -1)
  own_r, own_z, own_n = aten.chunk(_cell_state(self, h), 3, -1)
  fresh = aten.tanh(n + aten.sigmoid(r + own_r) * own_n)
  return (h - fresh) * aten.sigmoid(z + own_z) + fresh
def _cell_first(self, input, hx):
  if hx is not None:
    return hx
  return input.new_zeros((input.size(0), self.hidden_size) if input.dim() == 2 else [self.hidden_size])
def _cell_input(self, input):
  return aten.linear(input, self.weight_ih, self.bias_ih)
def _cell_state(self, h):
  return aten.linear(h, self.weight_hh, self.bias_hh)
def _sequences(self, input):
  return _batched(input, _in_eval_mode(input, self.training and self.dropout > 0.0))
def _batched(input, x):
  return x.unsqueeze(1) if input.dim() == 2 else x
def _unbatched(input, x):
  return x.squeeze(1) if input.dim() == 2 else x
def _first_state(self, input, x, size):
  cells = self.num_layers * (2 if self.bidirectional else 1)
  batch = x.size(0 if self.batch_first and input.dim() == 3 else 1)
  return x.new_zeros((cells, batch, size))

def torch.nn.modules.container.Sequential(self, input):
  x = input
  for module in children(self):
    x = module(x)
  return x
)";

// Masks are added to the scores: where a mask of truth values says yes, minus infinity.
constexpr std::string_view kAttention = R"(
def torch.nn.modules.activation.MultiheadAttention(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):
  if self.bias_k is not None or self.add_zero_attn:
    raise "add_bias_kv and add_zero_attn have no counterpart here"
  checked = _in_eval_mode(query, self.training and self.dropout > 0.0)
  alone = query.dim() == 2
  q = query.unsqueeze(0) if alone else query if self.batch_first else query.transpose(0, 1)
  k = key.unsqueeze(0) if alone else key if self.batch_first else key.transpose(0, 1)
  v = value.unsqueeze(0) if alone else value if self.batch_first else value.transpose(0, 1)
  b = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
  w = self.in_proj_weight.chunk(3) if self._qkv_same_embed_dim else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
  q = _heads(aten.linear(q, w[0], b[0]), self.num_heads)
  k = _heads(aten.linear(k, w[1], b[1]), self.num_heads)
  v = _heads(aten.linear(v, w[2], b[2]), self.num_heads)
  mask = _attention_mask(attn_mask, key_padding_mask, q, k)
  y, weights = _attend(q, k, v, mask, need_weights)
  y = self.out_proj(y.transpose(1, 2).flatten(2))
  y = y.squeeze(0) if alone else y if self.batch_first else y.transpose(0, 1)
  if not need_weights:
    return y, None
  weights = weights.mean(1) if average_attn_weights else weights
  return y, weights.squeeze(0) if alone else weights
def _heads(x, heads):
  return x.unflatten(2, (heads, -1)).transpose(1, 2)
def _added(mask, x):
  if mask is None or mask.dtype != torch.bool:
    return mask
  return aten.where(mask, -_infinity, 0.0).to(x.dtype)
def _attention_mask(attn_mask, key_padding_mask, q, k):
  mask = _added(attn_mask, q)
  if mask is not None and mask.dim() == 3:
    mask = mask.unflatten(0, (q.size(0), q.size(1)))
  padding = _added(key_padding_mask, q)
  if padding is None:
    return mask
  padding = padding.unsqueeze(-2).unsqueeze(-2)
  return padding if mask is None else mask + padding
def _attend(q, k, v, mask, need_weights):
  if not need_weights:
    return aten.scaled_dot_product_attention(q, k, v, mask), None
  scores = (q / q.size(3) ** 0.5) @ k.transpose(2, 3)
  weights = aten.softmax(scores if mask is None else scores + mask, -1)
  return weights @ v, weights
def torch.nn.modules.transformer.TransformerEncoderLayer(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
  checked = _in_eval_mode(src, self.training)
  if self.norm_first:
    n = self.norm1(src)
    x = src + self.self_attn(n, n, n, src_key_padding_mask, False, src_mask)[0]
    return x + _feed_forward(self, self.norm2(x))
  x = self.norm1(src + self.self_attn(src, src, src, src_key_padding_mask, False, src_mask)[0])
  return self.norm2(x + _feed_forward(self, x))
def _feed_forward(self, x):
  if self.activation_relu_or_gelu == 0:
    raise "its activation is neither relu nor gelu"
  h = self.linear1(x)
  return self.linear2(aten.relu(h) if self.activation_relu_or_gelu == 1 else aten.gelu(h))
def torch.nn.modules.transformer.TransformerEncoder(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
  x = src
  for layer in children(self.layers):
    x = layer(x, mask, src_key_padding_mask)
  return x if self.norm is None else self.norm(x)
)";

class Library {
 public:
  Library() {
    for (const std::string_view text : {kFunctional, kTorch, kModules, kAttention}) {
      constexpr std::string_view kDef = "\ndef ";
      for (std::size_t at = text.find(kDef); at != std::string_view::npos;) {
        const std::size_t next = text.find(kDef, at + 1);
        const std::string_view function = text.substr(at + 1, next == std::string_view::npos ? next : next - at);
        const std::size_t name = kDef.size() - 1;
        entries_.emplace(function.substr(name, function.find('(') - name), Entry{function, {}, false});
        at = next;
      }
    }
  }
  const Function* find(std::string_view name) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return nullptr;
    const std::lock_guard lock(mutex_);
    Entry& entry = found->second;
    if (!entry.parsed) {
      entry.function = parse_function(entry.text);
      entry.parsed = true;
    }
    return &entry.function;
  }
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> out;
    for (const auto& [name, entry] : entries_) out.push_back(name);
    return out;
  }

 private:
  struct Entry {
    std::string_view text;
    Function function;
    bool parsed = false;
  };
  std::map<std::string_view, Entry, std::less<>> entries_;
  std::mutex mutex_;
};

Library& library() {
  static Library only;
  return only;
}

}  // namespace

const Function* find_function(std::string_view name) { return library().find(name); }
std::vector<std::string_view> function_names() { return library().names(); }

}  // namespace mlgc::fx
