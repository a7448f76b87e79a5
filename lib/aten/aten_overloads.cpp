// See aten_overloads.h.
#include "aten/aten_overloads.h"

#include <algorithm>
#include <array>

namespace mlgc {
namespace {

// clang-format off
// Sorted by op.
constexpr AtenOverload kOverloads[] = {
    {"all", "aten::all.dims"},
    {"any", "aten::any.dims"},
    {"batch_norm", "aten::batch_norm", {{"training", false}, {"momentum", 0.0}, {"cudnn_enabled", false}}},
    {"batch_norm_stats", "aten::_native_batch_norm_legit.no_stats", {{"training", true}, {"momentum", 0.0}}},
    {"batch_norm_train", "aten::_native_batch_norm_legit_functional", {{"training", true}}},
    {"conv1d", "aten::conv1d"},
    {"conv2d", "aten::conv2d"},
    {"conv3d", "aten::conv3d"},
    {"conv_transpose1d", "aten::conv_transpose1d"},
    {"conv_transpose2d", "aten::conv_transpose2d.input"},
    {"conv_transpose3d", "aten::conv_transpose3d.input"},
    {"floor_divide", "aten::div.Tensor_mode", {{"rounding_mode", std::string_view("floor")}}},
    {"full", "aten::full", {{"fill_value", AttributeNamed{"value"}}}},
    {"instance_norm", "aten::instance_norm", {{"use_input_stats", true}, {"momentum", 0.0}, {"cudnn_enabled", false}}},
    {"layer_norm", "aten::native_layer_norm"},
    {"log_sigmoid", "aten::log_sigmoid"},
    {"matmul", "aten::matmul"},
    {"nll_loss", "aten::nll_loss_nd"},
    {"pad", "aten::constant_pad_nd"},
    {"pad", "aten::pad"},
    {"pow", "aten::pow.Tensor_Scalar", {{"exponent", AttributeNamed{"other"}}}},
    {"pow", "aten::pow.Tensor_Tensor"},
    {"prod", "aten::prod.dim_int"},
    {"prod", "aten::prod"},
    {"scatter", "aten::scatter.value"},
    {"scatter", "aten::scatter.src"},
    {"sort", "aten::sort.stable", {{"stable", true}}},
    {"trunc_divide", "aten::div.Tensor_mode", {{"rounding_mode", std::string_view("trunc")}}},
    {"upsample_nearest2d", "aten::upsample_nearest2d", {{"output_size", AttributeNamed{"size"}}}},
    {"view", "aten::reshape"},
};

static_assert(std::ranges::is_sorted(kOverloads, {}, &AtenOverload::op));

constexpr std::string_view kNumbers = "PyTorch draws other numbers from the same seed";
constexpr std::string_view kScale = "ATen computes the scale that is an attribute here";
constexpr std::pair<std::string_view, std::string_view> kNoOverload[] = {
    {"bernoulli", kNumbers},
    {"compute", "its formula is an attribute"},
    {"conv_weight_gradient", "ATen asks for the weight, of which this row needs the sizes only"},
    {"dropout", kNumbers},
    {"max_pool2d_backward", "ATen asks for the windows, which the indices tell here"},
    {"normal", kNumbers},
    {"philox", kNumbers},
    {"randint", kNumbers},
    {"uniform", kNumbers},
    {"upsample_bicubic2d_aa", kScale},
    {"upsample_bilinear2d", kScale},
    {"upsample_bilinear2d_backward", kScale},
};

struct Words {
  std::string_view attribute;
  std::array<std::string_view, 3> words;  // by their numbers in ATen
};
constexpr Words kWords[] = {
    {"interpolation_mode", {"bilinear", "nearest", "bicubic"}},
    {"mode", {"sum", "mean", "max"}},
    {"padding_mode", {"zeros", "border", "reflection"}},
    {"reduction", {"none", "mean", "sum"}},
};

constexpr std::pair<std::string_view, std::size_t> kUnspecified[] = {
    {"topk", 1},  // of equal elements any may be named
};
// clang-format on

}  // namespace

std::span<const AtenOverload> aten_overloads_of(std::string_view op) {
  const auto [first, last] = std::ranges::equal_range(kOverloads, op, {}, &AtenOverload::op);
  return {first, last};
}

std::string_view why_no_overload(std::string_view op) {
  for (const auto& [name, reason] : kNoOverload)
    if (name == op) return reason;
  return "";
}

std::int64_t number_for_word(std::string_view attribute, std::string_view word) {
  for (const Words& row : kWords) {
    const auto* const found = std::find(row.words.begin(), row.words.end(), word);
    if (row.attribute == attribute && found != row.words.end()) return found - row.words.begin();
  }
  return -1;
}

bool is_unspecified(std::string_view op, std::size_t result) {
  return std::ranges::find(kUnspecified, std::pair(op, result)) != std::end(kUnspecified);
}

}  // namespace mlgc
