// The operators of real models at the core level, with the number of architectures (of 194, and for training graphs of
// 24) that hold them: which op of ours computes each is what the rows say, so an operator no row names is one to write.
#include "ops/aten_names.h"

#include <array>
#include <string>
#include <unordered_map>

#include "ops/op_table.h"

namespace mlgc {
namespace {

struct Counted {
  std::string_view name;
  int models;
};

// clang-format off
constexpr Counted kCounted[] = {
    {"aten.permute.default", 187},
    {"aten.view.default", 187},
    {"aten.add.Tensor", 181},
    {"operator.getitem", 179},
    {"aten.addmm.default", 161},
    {"aten.clone.default", 155},
    {"aten.convolution.default", 140},
    {"aten.mul.Tensor", 134},
    {"aten.mean.dim", 129},
    {"aten.expand.default", 113},
    {"aten.bmm.default", 111},
    {"aten._softmax.default", 103},
    {"aten.where.self", 90},
    {"aten.cat.default", 88},
    {"aten.native_layer_norm.default", 88},
    {"aten.unsqueeze.default", 87},
    {"aten.slice.Tensor", 86},
    {"aten.gelu.default", 83},
    {"aten._native_batch_norm_legit_no_training.default", 80},
    {"aten.relu.default", 79},
    {"aten.arange.start_step", 74},
    {"aten._assert_tensor_metadata.default", 72},
    {"aten.full_like.default", 69},
    {"aten.index.Tensor", 69},
    {"aten.eq.Scalar", 68},
    {"aten.any.dim", 64},
    {"aten.logical_not.default", 64},
    {"aten.mul.Scalar", 64},
    {"aten.scalar_tensor.default", 64},
    {"aten._to_copy.default", 62},
    {"aten.full.default", 62},
    {"aten.embedding.default", 60},
    {"aten.mm.default", 55},
    {"aten.bitwise_and.Tensor", 54},
    {"aten.sigmoid.default", 50},
    {"aten.div.Tensor", 48},
    {"aten.alias.default", 43},
    {"aten.split_with_sizes.default", 43},
    {"aten.le.Tensor", 35},
    {"aten.max_pool2d_with_indices.default", 35},
    {"aten.squeeze.dims", 35},
    {"aten.pow.Tensor_Scalar", 34},
    {"aten.sub.Tensor", 33},
    {"aten.neg.default", 32},
    {"aten.cos.default", 28},
    {"aten.ge.Scalar", 28},
    {"aten.select.int", 28},
    {"aten.sin.default", 28},
    {"aten.avg_pool2d.default", 21},
    {"aten.clamp.default", 21},
    {"aten.rsqrt.default", 21},
    {"aten.constant_pad_nd.default", 20},
    {"aten.tanh.default", 17},
    {"aten.as_strided.default", 15},
    {"aten.cumsum.default", 13},
    {"aten.sum.dim_IntList", 11},
    {"aten.gather.default", 9},
    {"aten.linalg_vector_norm.default", 9},
    {"aten.repeat.default", 9},
    {"aten.copy.default", 8},
    {"aten.exp.default", 8},
    {"aten.upsample_bilinear2d.vec", 8},
    {"aten.div.Tensor_mode", 7},
    {"aten.ne.Scalar", 7},
    {"aten.bitwise_not.default", 6},
    {"aten.gt.Scalar", 6},
    {"aten.gt.Tensor", 6},
    {"aten.native_group_norm.default", 6},
    {"aten.slice_scatter.default", 6},
    {"aten.sqrt.default", 6},
    {"aten._native_batch_norm_legit.no_stats", 5},
    {"aten.hardtanh.default", 5},
    {"aten.index_select.default", 5},
    {"aten.pow.Scalar", 5},
    {"aten.sort.default", 5},
    {"aten.abs.default", 4},
    {"aten.empty_permuted.default", 4},
    {"aten.fmod.Scalar", 4},
    {"aten.histc.default", 4},
    {"aten.index_put.default", 4},
    {"aten.lt.Scalar", 4},
    {"aten.topk.default", 4},
    {"aten.upsample_nearest2d.vec", 4},
    {"transformers.grouped_mm_fallback.default", 4},
    {"aten.le.Scalar", 3},
    {"aten.leaky_relu.default", 3},
    {"aten.log.default", 3},
    {"aten.log1p.default", 3},
    {"aten._adaptive_avg_pool2d.default", 2},
    {"aten._upsample_bicubic2d_aa.default", 2},
    {"aten.eq.Tensor", 2},
    {"aten.flip.default", 2},
    {"aten.max_pool3d_with_indices.default", 2},
    {"aten.minimum.default", 2},
    {"aten.reciprocal.default", 2},
    {"aten.unfold.default", 2},
    {"aten._embedding_bag.default", 1},
    {"aten._fft_c2c.default", 1},
    {"aten.amax.default", 1},
    {"aten.argmax.default", 1},
    {"aten.avg_pool3d.default", 1},
    {"aten.ceil.default", 1},
    {"aten.empty.memory_format", 1},
    {"aten.grid_sampler_2d.default", 1},
    {"aten.logical_and.default", 1},
    {"aten.max.dim", 1},
    {"aten.maximum.default", 1},
    {"aten.pow.Tensor_Tensor", 1},
    {"aten.remainder.Scalar", 1},
    {"aten.scatter.value", 1},
    {"aten.sign.default", 1},
    {"aten.tril_indices.default", 1},
    {"aten.view_as_real.default", 1},
    // Of training graphs alone.
    {"aten._log_softmax.default", 24},
    {"aten.div.Scalar", 20},
    {"aten.convolution_backward.default", 15},
    {"aten.detach.default", 12},
    {"aten.mean.default", 12},
    {"aten.add.Scalar", 7},
    {"aten.avg_pool2d_backward.default", 7},
    {"aten.erf.default", 7},
    {"aten._native_batch_norm_legit_functional.default", 6},
    {"aten.max_pool2d_with_indices_backward.default", 6},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", 3},
    {"aten.as_strided_scatter.default", 3},
    {"aten.bernoulli.p", 2},
    {"aten.lift_fresh_copy.default", 1},
    {"aten.native_dropout.default", 1},
    {"aten.scatter.src", 1},
    {"aten.upsample_bilinear2d_backward.default", 1},
};
// clang-format on

// Operators that compute nothing of their own: an importer resolves them without an op.
constexpr std::array<std::string_view, 2> kWithoutOp{"operator.getitem", "aten._assert_tensor_metadata.default"};

const std::unordered_map<std::string_view, const OpDef*>& rows_by_aten() {
  static const auto table = [] {
    std::unordered_map<std::string_view, const OpDef*> rows;
    for (const OpDef* row : op_table())
      for (std::string_view name : row->aten) rows.emplace(name, row);
    return rows;
  }();
  return table;
}

}  // namespace

const OpDef* row_for_aten(std::string_view name) {
  const auto it = rows_by_aten().find(name);
  return it == rows_by_aten().end() ? nullptr : it->second;
}

std::vector<AtenName> aten_names() {
  std::vector<AtenName> out;
  for (const Counted& c : kCounted) {
    bool without = false;
    for (std::string_view name : kWithoutOp) without = without || name == c.name;
    out.push_back({c.name, c.models, row_for_aten(c.name), without});
  }
  return out;
}

std::optional<int> aten_model_count(std::string_view name) {
  for (const Counted& c : kCounted)
    if (c.name == name) return c.models;
  return std::nullopt;
}

}  // namespace mlgc
