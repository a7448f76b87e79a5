// Rules about ops that move elements and compute none.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "rewrite/driver.h"
#include "rewrite/match.h"
#include "transforms/rules.h"

namespace mlgc {

namespace {

// Ops that keep the row-major order of elements and only say another shape.
constexpr std::array<std::string_view, 3> kReshapes{"view", "squeeze", "unsqueeze"};

bool same_type(OpRef op, Rewriter& rewriter) {
  if (op.operand(0).type() != op.result().type()) return false;
  rewriter.replace(op.operand(0));
  return true;
}

// Where the result type follows from the shape alone: the outer shape is all that counts.
bool reshape_of_reshape(OpRef op, Rewriter& rewriter) {
  const OpRef inner = op.operand(0).definer();
  if (!inner.valid() || op.operand_count() != 1 || inner.operand_count() != 1) return false;
  if (std::find(kReshapes.begin(), kReshapes.end(), inner.name()) == kReshapes.end()) return false;
  rewriter.replace(rewriter.create(op.opcode(), std::array{inner.operand(0)}, op.result().type(), op.attrs()));
  return true;
}

// Back to the shape from which the inner one came.
bool reshape_back(OpRef op, Rewriter& rewriter) {
  const OpRef inner = op.operand(0).definer();
  if (!inner.valid() || op.operand_count() != 1 || inner.operand_count() != 1) return false;
  if (std::find(kReshapes.begin(), kReshapes.end(), inner.name()) == kReshapes.end()) return false;
  if (inner.operand(0).type() != op.result().type()) return false;
  rewriter.replace(inner.operand(0));
  return true;
}

// The two axes of a transpose, not negative, the smaller first; nothing when one is symbolic.
std::optional<std::pair<std::int64_t, std::int64_t>> swapped_axes(OpRef op) {
  const AttributePool& attributes = op.module().context().attributes();
  const auto a = attributes.as_int64(op.attr("dim0")), b = attributes.as_int64(op.attr("dim1"));
  if (!a || !b) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(op.operand(0).rank());
  return std::minmax({*a < 0 ? *a + rank : *a, *b < 0 ? *b + rank : *b});
}

bool transpose_twice(OpRef op, Rewriter& rewriter) {
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid() || inner.operand(0).type() != op.result().type()) return false;
  const auto outer_axes = swapped_axes(op);
  if (!outer_axes || outer_axes != swapped_axes(inner)) return false;
  rewriter.replace(inner.operand(0));
  return true;
}

// The axes of a permute, not negative; nothing when one is symbolic.
std::optional<std::vector<std::int64_t>> axes_of(OpRef op) {
  auto axes = op.module().context().attributes().as_int64_list(op.attr("dims"));
  const auto rank = static_cast<std::int64_t>(op.operand(0).rank());
  if (!axes || static_cast<std::int64_t>(axes->size()) != rank) return std::nullopt;
  for (std::int64_t& axis : *axes) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
  }
  return axes;
}

bool permute_identity(OpRef op, Rewriter& rewriter) {
  const auto axes = axes_of(op);
  if (!axes || !std::is_sorted(axes->begin(), axes->end()) || op.operand(0).type() != op.result().type()) return false;
  rewriter.replace(op.operand(0));
  return true;
}

bool permute_of_permute(OpRef op, Rewriter& rewriter) {
  const OpRef inner = defined_by(op.operand(0), op.opcode());
  if (!inner.valid()) return false;
  const auto outer_axes = axes_of(op), inner_axes = axes_of(inner);
  if (!outer_axes || !inner_axes) return false;
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : *outer_axes) axes.push_back((*inner_axes)[static_cast<std::size_t>(axis)]);
  AttributePool& attributes = rewriter.context().attributes();
  const AttrDict attrs =
      attributes.with(op.attrs(), rewriter.context().strings().intern("dims"), attributes.int_list(axes));
  rewriter.replace(rewriter.create(op.opcode(), std::array{inner.operand(0)}, op.result().type(), attrs));
  return true;
}

constexpr RewriteRule identity(std::string_view name, std::string_view root, std::string_view doc) {
  return {.name = name, .root = root, .doc = doc, .apply = same_type};
}
constexpr RewriteRule composed(std::string_view name, std::string_view root, std::string_view doc,
                               bool (*apply)(OpRef, Rewriter&)) {
  return {.name = name, .root = root, .termination = Termination::ShorterChain, .doc = doc, .apply = apply};
}

constexpr std::array kRules{
    identity("clone", "clone", "a copy of a value is the value"),
    identity("view-same", "view", "a view with the shape it has is x"),
    identity("squeeze-same", "squeeze", "squeezing nothing away is x"),
    identity("expand-same", "expand", "an expand to the shape it has is x"),
    RewriteRule{.name = "view-back", .root = "view", .doc = "there and back is x", .apply = reshape_back},
    RewriteRule{.name = "squeeze-back", .root = "squeeze", .doc = "there and back is x", .apply = reshape_back},
    RewriteRule{.name = "unsqueeze-back", .root = "unsqueeze", .doc = "there and back is x", .apply = reshape_back},
    composed("view-view", "view", "of two reshapes the last shape counts", reshape_of_reshape),
    RewriteRule{.name = "transpose-twice",
                .root = "transpose",
                .doc = "swapping the same axes twice is x",
                .apply = transpose_twice},
    RewriteRule{.name = "permute-identity",
                .root = "permute",
                .doc = "axes in their own order are x",
                .apply = permute_identity},
    composed("permute-permute", "permute", "two permutations are one", permute_of_permute),
};

}  // namespace

std::span<const RewriteRule> movement_rules() { return kRules; }

}  // namespace mlgc
