// Operators that sample pictures, bags, and sizes that depend on data.
#include <algorithm>

#include "diag/kinds_import.h"
#include "import/program/convert.h"

namespace mlgc::program {

NodeScope::Attrs grid_sampler_attributes(NodeScope& scope) {
  constexpr std::string_view kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr std::string_view kPaddings[] = {"zeros", "border", "reflection"};
  const std::int64_t mode = scope.constant("interpolation_mode"), padding = scope.constant("padding_mode");
  if (scope.failed()) return {};
  if (mode < 0 || mode > 2)
    return scope.refuse<kUnsupportedArgument>("interpolation_mode", std::to_string(mode), "0 to 2"), NodeScope::Attrs();
  if (padding < 0 || padding > 2)
    return scope.refuse<kUnsupportedArgument>("padding_mode", std::to_string(padding), "0 to 2"), NodeScope::Attrs();
  AttributePool& attributes = scope.context().attributes();
  return {{"interpolation_mode", attributes.string(kModes[mode])},
          {"padding_mode", attributes.string(kPaddings[padding])},
          {"align_corners", attributes.boolean(scope.flag("align_corners"))}};
}

namespace {

void convert_grid_sampler(NodeScope& scope) {
  const NodeScope::Attrs attrs = grid_sampler_attributes(scope);
  const Value x = scope.tensor("input"), grid = scope.tensor("grid");
  if (scope.failed()) return;
  const Value y = scope.emit_one(x.rank() == 5 ? "grid_sampler_3d" : "grid_sampler_2d", {x, grid}, attrs);
  if (!scope.failed()) scope.result(0, y);
}

// Steps in the smaller tensor for each step in the other, as ATen computes them: from the scale where one is given,
// else from the sizes.
std::vector<double> steps(NodeScope& scope, Type from, Type to, bool corners) {
  const TypePool& types = scope.context().types();
  std::vector<double> given;
  for (const BoundArgument& argument : scope.arguments()) {
    if (argument.name == "scale_factors" && argument.value.is(Argument::Kind::Floats)) given = argument.value.reals;
    if ((argument.name == "scales_h" || argument.name == "scales_w") && argument.value.is(Argument::Kind::Float))
      given.push_back(argument.value.reals.at(0));
  }
  std::vector<double> out;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto a = scope.context().index().as_constant(types.dims(from)[axis + 2]);
    const auto b = scope.context().index().as_constant(types.dims(to)[axis + 2]);
    if (!corners && given.size() == 2 && given[axis] > 0) {
      out.push_back(1 / given[axis]);
    } else if (a && b) {
      const bool one = *b < 2;
      out.push_back(corners ? one ? 0 : static_cast<double>(*a - 1) / static_cast<double>(*b - 1)
                            : static_cast<double>(*a) / static_cast<double>(*b));
    } else {
      scope.refuse<kArgumentNotConstant>("the size of its picture", "sizes of inputs");
      return {};
    }
  }
  return out;
}

void upsample(NodeScope& scope, std::string_view op, bool flag) {
  const Value x = scope.tensor(scope.arguments()[0].name);  // `input` or `self`
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const bool corners = scope.flag("align_corners");
  if (corners && !flag) return scope.refuse<kUnsupportedArgument>("align_corners", "true", "false");
  const std::vector<double> scale = steps(scope, x.type(), type, corners);
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  NodeScope::Attrs attrs{{"size", attributes.int_list(scope.context().types().dims(type).subspan(2))},
                         {"scale", attributes.float_list(scale)}};
  if (flag) attrs.emplace_back("align_corners", attributes.boolean(corners));
  const Value y = scope.emit_one(op, {x}, attrs);
  if (!scope.failed()) scope.result(0, y);
}
void convert_upsample_bilinear(NodeScope& scope) { upsample(scope, "upsample_bilinear2d", true); }
void convert_upsample_bicubic_aa(NodeScope& scope) { upsample(scope, "upsample_bicubic2d_aa", false); }

void convert_upsample_bilinear_backward(NodeScope& scope) {
  const Value g = scope.tensor("grad_output");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const bool corners = scope.flag("align_corners");
  const std::vector<double> scale = steps(scope, type, g.type(), corners);
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const Value y = scope.emit_one("upsample_bilinear2d_backward", {g},
                                 {{"size", attributes.int_list(scope.context().types().dims(type).subspan(2))},
                                  {"scale", attributes.float_list(scale)},
                                  {"align_corners", attributes.boolean(corners)}});
  if (!scope.failed()) scope.result(0, y);
}

void convert_upsample_nearest(NodeScope& scope) {
  const Value x = scope.tensor("input");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const auto from = x.dims(), to = scope.context().types().dims(type);
  const Argument& factors = scope.argument("scale_factors");
  for (std::size_t axis = 0; axis < 2 && factors.is(Argument::Kind::Floats); ++axis) {
    const double factor = factors.reals.at(axis);
    const auto whole = static_cast<std::int64_t>(factor);
    // A factor that the sizes do not have reads other elements.
    if (factor != static_cast<double>(whole) || scope.context().index().scale(from[axis + 2], whole) != to[axis + 2])
      return convert_nearest_positions(scope);
  }
  const Value y =
      scope.emit_one("upsample_nearest2d", {x}, {{"size", scope.context().attributes().int_list(to.subspan(2))}});
  if (!scope.failed()) scope.result(0, y);
}

// --- bags and sizes that depend on data

// Whether a result is read only where gradients go back, which are derived without it.
bool only_sent_back(const Graph& graph, const std::string& result) {
  for (const Node& node : graph.nodes)
    for (const NamedArgument& input : node.inputs)
      if (input.value.reads(result) && node.target.find("aten._embedding_bag_") == std::string::npos) return false;
  return std::none_of(graph.outputs.begin(), graph.outputs.end(),
                      [&](const Argument& output) { return output.reads(result); });
}

void convert_embedding_bag(NodeScope& scope) {
  constexpr std::string_view kModes[] = {"sum", "mean", "max"};
  const std::int64_t mode = scope.constant("mode");
  std::vector<Value> operands{scope.tensor("weight"), scope.tensor("indices"), scope.tensor("offsets")};
  if (scope.failed()) return;
  // The overloads for users count from the end, or know no padding; for the others -1 means none.
  const bool padded = scope.target() != "aten.embedding_bag.default" && scope.has("padding_idx");
  std::int64_t padding = padded ? scope.constant("padding_idx") : -1;
  if (padding < 0 && padded && scope.target() == "aten.embedding_bag.padding_idx") {
    const auto rows = scope.context().index().as_constant(operands[0].dims()[0]);
    if (!rows)
      return scope.refuse<kArgumentNotConstant>("the length of the table that `padding_idx` is counted in", "sizes");
    padding += *rows;
  }
  if (mode < 0 || mode > 2) return scope.refuse<kUnsupportedArgument>("mode", std::to_string(mode), "0 to 2");
  if (scope.is_tensor("per_sample_weights")) operands.push_back(scope.tensor("per_sample_weights"));
  AttributePool& attributes = scope.context().attributes();
  NodeScope::Attrs attrs{{"mode", attributes.string(kModes[mode])},
                         {"include_last_offset", attributes.boolean(scope.flag("include_last_offset"))}};
  if (padding >= 0) attrs.emplace_back("padding_idx", attributes.integer(padding));
  const OpRef op = scope.emit("embedding_bag", operands, attrs);
  if (scope.failed()) return;
  scope.result(0, op.result());
  for (std::size_t i = 1; i < scope.output_names().size(); ++i)
    if (scope.used(i) && !only_sent_back(scope.graph().graph(), scope.output_names()[i])) scope.refuse<kResultUsed>(i);
}

void convert_nonzero(NodeScope& scope) {
  const Value x = scope.tensor("self");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const auto dims = scope.context().types().dims(type);
  if (scope.context().index().as_constant(dims[0]) == 0) {  // an operand without elements has no positions
    scope.result(0, scope.emit_one("full", {},
                                   {{"size", attributes.int_list(dims)},
                                    {"value", attributes.integer(std::int64_t{0})},
                                    {"dtype", attributes.dtype(Dtype::I64)}}));
    return;
  }
  scope.result(0, scope.emit_stated("nonzero", x, type));
}

// --- copies

void convert_copy(NodeScope& scope) {
  const Value x = scope.tensor("src");
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Value same = scope.cast(x, scope.context().types().dtype(type));
  const Value y =
      same.type() == type
          ? same
          : scope.emit_one("expand", {same},
                           {{"size", scope.context().attributes().int_list(scope.context().types().dims(type))}});
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kSamplingConverters[] = {
    {"aten.grid_sampler_2d.default", convert_grid_sampler},
    {"aten.grid_sampler_3d.default", convert_grid_sampler},
    {"aten.grid_sampler.default", convert_grid_sampler},
    {"aten.upsample_bilinear2d.vec", convert_upsample_bilinear},
    {"aten._upsample_bicubic2d_aa.vec", convert_upsample_bicubic_aa},
    {"aten._upsample_bicubic2d_aa.default", convert_upsample_bicubic_aa},
    {"aten.upsample_nearest2d.vec", convert_upsample_nearest},
    {"aten.embedding_bag.padding_idx", convert_embedding_bag},
    {"aten.embedding_bag.default", convert_embedding_bag},
    {"aten._embedding_bag.default", convert_embedding_bag},
    {"aten._embedding_bag_forward_only.default", convert_embedding_bag},
    {"aten.nonzero.default", convert_nonzero},
    {"aten.upsample_bilinear2d_backward.default", convert_upsample_bilinear_backward},
    {"aten.argwhere.default", convert_nonzero},
    {"aten.copy.default", convert_copy},
};

}  // namespace

std::span<const Converter> sampling_converters() { return kSamplingConverters; }

}  // namespace mlgc::program
