// Attributes of loop ops.
#include "loopir/loop_ops.h"

#include <algorithm>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"

namespace mlgc {
namespace {

consteval std::string_view choices_of(LoopOp op, std::string_view attribute) {
  for (const AttrDef& attr : loop_row(op).attrs)
    if (attr.name == attribute) return attr.choices;
  throw "the row has no attribute of this name";
}
constexpr std::string_view kKinds = choices_of(LoopOp::For, "kind");
static_assert(choice_count(kKinds) == kLoopKindCount);
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Serial)) == "serial");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Parallel)) == "parallel");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Vector)) == "vector");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Unrolled)) == "unrolled");
constexpr std::string_view kStream = choices_of(LoopOp::Store, "hint");
static_assert(choice_count(kStream) == 1);

}  // namespace

// ---------------------------------------------------------------------------------------------------- loops

std::string_view loop_kind_name(LoopKind kind) { return choice(kKinds, static_cast<std::size_t>(kind)); }

ForRef ForRef::from(OpRef op) {
  const ForRef ref = LoopOpView::from(op);
  const bool whole =
      ref.valid() && subscripts_of(op).size() == 2 && op.region_count() == 1 && op.region(0).argument_count() > 0;
  return whole ? ref : ForRef();
}

LoopKind ForRef::kind() const {
  const auto stated = text(attribute_row("kind", AttributeKind::String));
  for (std::size_t i = 0; stated && i < kLoopKindCount; ++i)
    if (choice(kKinds, i) == *stated) return static_cast<LoopKind>(i);
  return LoopKind::Serial;
}

void ForRef::set_kind(LoopKind kind) const {
  const AttrDef& row = attribute_row("kind", AttributeKind::String);
  if (kind == LoopKind::Serial)
    op_.remove_attr(row.name);
  else
    op_.set_attr(row.name, op_.module().context().attributes().string(loop_kind_name(kind)));
  if (kind == LoopKind::Vector) return;
  op_.remove_attr(attribute_row("lanes", AttributeKind::Int).name);
  op_.remove_attr(attribute_row("combine", AttributeKind::StringList).name);
}

std::int64_t ForRef::lanes() const {
  return attributes().as_int64(op_.attr(attribute_row("lanes", AttributeKind::Int).name)).value_or(0);
}
void ForRef::set_lanes(std::int64_t lanes) const {
  op_.set_attr(attribute_row("lanes", AttributeKind::Int).name, op_.module().context().attributes().integer(lanes));
}

std::vector<std::string_view> ForRef::combine() const {
  std::vector<std::string_view> words;
  const Attribute list = op_.attr(attribute_row("combine", AttributeKind::StringList).name);
  if (!list.valid()) return words;
  for (const StringId word : attributes().as_string_list(list))
    words.push_back(op_.module().context().strings().text(word));
  return words;
}
void ForRef::set_combine(std::span<const std::string_view> words) const {
  Context& context = op_.module().context();
  std::vector<StringId> ids;
  for (const std::string_view word : words) ids.push_back(context.strings().intern(word));
  op_.set_attr(attribute_row("combine", AttributeKind::StringList).name, context.attributes().string_list(ids));
}

// ---------------------------------------------------------------------------------------------------- accesses

bool StoreRef::streams() const { return text(attribute_row("hint", AttributeKind::String)) == kStream; }

std::optional<IndexExpr> StoreRef::stream_bytes() const {
  return attributes().as_int(op_.attr(attribute_row("bytes", AttributeKind::Int).name));
}

void StoreRef::set_stream(std::optional<IndexExpr> bytes) const {
  AttributePool& pool = op_.module().context().attributes();
  op_.set_attr(attribute_row("hint", AttributeKind::String).name, pool.string(kStream));
  if (bytes) op_.set_attr(attribute_row("bytes", AttributeKind::Int).name, pool.integer(*bytes));
}

void StoreRef::remove_stream() const {
  op_.remove_attr(attribute_row("hint", AttributeKind::String).name);
  op_.remove_attr(attribute_row("bytes", AttributeKind::Int).name);
}

TransposeInPlaceRef TransposeInPlaceRef::create(Builder& builder, Value buffer) {
  return from(builder.create(LoopOp::TransposeInPlace, {buffer}, {}));
}

AccessRef AccessRef::from(OpRef op) {
  AccessRef ref;
  if (op.valid() && (op.is(LoopOp::Load) || op.is(LoopOp::Store))) ref.op_ = op;
  return ref;
}

void AccessRef::set_place(std::span<const Value> operands, Attribute at) const {
  op_.set_operands(operands);
  op_.set_attr(is_store() ? StoreRef::place_attribute() : LoadRef::place_attribute(), at);
}

// ---------------------------------------------------------------------------------------------------- values

FmaRef FmaRef::create(Builder& builder, Value left, Value right, Value addend) {
  return from(builder.create(LoopOp::Fma, {left, right, addend}, {addend.type()}));
}

// ---------------------------------------------------------------------------------------------------- drivers

AtomId BindSizeRef::size() const {
  Context& context = op_.module().context();
  const std::string_view name = *text(attribute_row("name", AttributeKind::String));
  return *context.index().as_atom(context.index().symbol(name));
}

bool BindSizeRef::is_known_before() const {
  const OpRef func = op_.parent_op();
  const Value value = underlying_buffer(buffer());
  return func.is(LoopOp::Func) && value.is_argument() && !result_arguments(func).is_result[value.number()];
}

void LaunchRef::set_callee(std::string_view name) const {
  op_.set_attr(attribute_row("callee", AttributeKind::Symbol).name, op_.module().context().attributes().symbol(name));
}

std::vector<std::pair<AtomId, IndexExpr>> LaunchRef::stated_sizes() const {
  Context& context = op_.module().context();
  const auto names = attributes().as_string_list(op_.attr(attribute_row("names", AttributeKind::StringList).name));
  const auto sizes = attributes().as_int_list(op_.attr(attribute_row("sizes", AttributeKind::IntList).name));
  std::vector<std::pair<AtomId, IndexExpr>> out;
  for (std::size_t i = 0; i < std::min(names.size(), sizes.size()); ++i)
    out.emplace_back(*context.index().as_atom(context.index().symbol(context.strings().text(names[i]))), sizes[i]);
  return out;
}
std::size_t LaunchRef::stated_name_count() const {
  return attributes().as_string_list(op_.attr(attribute_row("names", AttributeKind::StringList).name)).size();
}
std::size_t LaunchRef::stated_size_count() const {
  return attributes().as_int_list(op_.attr(attribute_row("sizes", AttributeKind::IntList).name)).size();
}

std::size_t ExternalRef::read_count() const {
  return std::min(op_.operand_count(), op_.region_count() == 0 ? 0 : op_.region(0).argument_count());
}

}  // namespace mlgc
