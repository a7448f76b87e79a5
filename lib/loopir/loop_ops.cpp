// Attributes of loop ops.
#include "loopir/loop_ops.h"

#include <algorithm>
#include <array>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"

namespace mlgc {
namespace {

consteval std::string_view choices_of(LoopOp op, std::string_view attribute) {
  for (const AttrDef& attr : loop_op_definition(op).attrs)
    if (attr.name == attribute) return attr.choices;
  throw "the definition has no attribute of this name";
}
constexpr std::string_view kKinds = choices_of(LoopOp::For, "kind");
static_assert(choice_count(kKinds) == kLoopKindCount);
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Serial)) == "serial");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Parallel)) == "parallel");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Vector)) == "vector");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Unrolled)) == "unrolled");
static_assert(choice(kKinds, static_cast<std::size_t>(LoopKind::Matrix)) == "matrix");
constexpr std::string_view kStream = choices_of(LoopOp::Store, "hint");
static_assert(choice_count(kStream) == 1);

}  // namespace

// ---------------------------------------------------------------------------------------------------- loops

std::string_view loop_kind_name(LoopKind kind) { return choice(kKinds, static_cast<std::size_t>(kind)); }

ForRef ForRef::from(OpRef op) {
  const ForRef ref = LoopOpView::from(op);
  if (!ref.valid() || op.region_count() != 1 || op.region(0).argument_count() == 0) return {};
  const std::size_t bounds = subscripts_of(op).size();
  return bounds == 2 || bounds == 3 ? ref : ForRef();
}

ForRef ForRef::create(Builder& builder, std::vector<Value> operands, Attribute bounds, std::span<const Value> initial,
                      std::string_view index_name) {
  std::vector<Type> carried;
  for (const Value v : initial) carried.push_back(v.type());
  operands.insert(operands.end(), initial.begin(), initial.end());
  const AttrDict attrs = builder.attrs({{attribute_definition("bounds", AttributeKind::Subscripts).name, bounds}});
  const OpRef made = builder.create(builder.context().opcode(LoopOp::For), operands, attrs, carried, 1);
  const RegionRef body = made.region(0);
  body.add_argument(builder.context().types().index()).set_name(index_name);
  for (const Type type : carried) (void)body.add_argument(type);
  return from(made);
}

void ForRef::set_bounds(std::vector<Value> operands, Attribute bounds, std::span<const Value> initial) const {
  operands.insert(operands.end(), initial.begin(), initial.end());
  op_.set_operands(operands);
  op_.set_attr(attribute_definition("bounds", AttributeKind::Subscripts).name, bounds);
}

LoopKind ForRef::kind() const {
  const auto stated = text(attribute_definition("kind", AttributeKind::String));
  for (std::size_t i = 0; stated && i < kLoopKindCount; ++i)
    if (choice(kKinds, i) == *stated) return static_cast<LoopKind>(i);
  return LoopKind::Serial;
}

void ForRef::set_kind(LoopKind kind) const {
  const AttrDef& definition = attribute_definition("kind", AttributeKind::String);
  if (kind == LoopKind::Serial)
    op_.remove_attr(definition.name);
  else
    op_.set_attr(definition.name, op_.module().context().attributes().string(loop_kind_name(kind)));
  if (kind != LoopKind::Matrix) op_.remove_attr(attribute_definition("stages", AttributeKind::Int).name);
  if (kind == LoopKind::Vector) return;
  op_.remove_attr(attribute_definition("lanes", AttributeKind::Int).name);
  op_.remove_attr(attribute_definition("per_lane", AttributeKind::Int).name);
  op_.remove_attr(attribute_definition("combine", AttributeKind::StringList).name);
}

std::int64_t ForRef::lanes() const {
  return attributes().as_int64(op_.attr(attribute_definition("lanes", AttributeKind::Int).name)).value_or(0);
}
void ForRef::set_lanes(std::int64_t lanes) const {
  op_.set_attr(attribute_definition("lanes", AttributeKind::Int).name,
               op_.module().context().attributes().integer(lanes));
}

std::int64_t ForRef::per_lane() const {
  return attributes().as_int64(op_.attr(attribute_definition("per_lane", AttributeKind::Int).name)).value_or(1);
}
void ForRef::set_per_lane(std::int64_t iterations) const {
  const AttrDef& definition = attribute_definition("per_lane", AttributeKind::Int);
  if (iterations == 1)
    op_.remove_attr(definition.name);
  else
    op_.set_attr(definition.name, op_.module().context().attributes().integer(iterations));
}

std::int64_t ForRef::stages() const {
  return attributes().as_int64(op_.attr(attribute_definition("stages", AttributeKind::Int).name)).value_or(3);
}
void ForRef::set_stages(std::int64_t stages) const {
  op_.set_attr(attribute_definition("stages", AttributeKind::Int).name,
               op_.module().context().attributes().integer(stages));
}

std::vector<std::string_view> ForRef::combine() const {
  std::vector<std::string_view> words;
  const Attribute list = op_.attr(attribute_definition("combine", AttributeKind::StringList).name);
  if (!list.valid()) return words;
  for (const StringId word : attributes().as_string_list(list))
    words.push_back(op_.module().context().strings().text(word));
  return words;
}
void ForRef::set_combine(std::span<const std::string_view> words) const {
  Context& context = op_.module().context();
  std::vector<StringId> ids;
  for (const std::string_view word : words) ids.push_back(context.strings().intern(word));
  op_.set_attr(attribute_definition("combine", AttributeKind::StringList).name, context.attributes().string_list(ids));
}

// ---------------------------------------------------------------------------------------------------- accesses

LoadRef LoadRef::create(Builder& builder, std::span<const Value> operands, Attribute at, bool checked) {
  const std::array results{builder.context().types().scalar(operands[operand_number("buffer")].dtype())};
  const AttrDict attrs = builder.attrs({{attribute_definition("at", AttributeKind::Subscripts).name, at}});
  const LoadRef made = from(builder.create(builder.context().opcode(LoopOp::Load), operands, attrs, results));
  if (checked) made.set_flag(attribute_definition("checked", AttributeKind::Bool));
  return made;
}

StoreRef StoreRef::create(Builder& builder, std::span<const Value> operands, Attribute at, bool checked) {
  const AttrDict attrs = builder.attrs({{attribute_definition("at", AttributeKind::Subscripts).name, at}});
  const StoreRef made = from(builder.create(builder.context().opcode(LoopOp::Store), operands, attrs, {}));
  if (checked) made.set_flag(attribute_definition("checked", AttributeKind::Bool));
  return made;
}

bool StoreRef::streams() const { return text(attribute_definition("hint", AttributeKind::String)) == kStream; }

std::optional<IndexExpr> StoreRef::stream_where() const {
  return attributes().as_int(op_.attr(attribute_definition("where", AttributeKind::Int).name));
}

void StoreRef::set_stream(std::optional<IndexExpr> where) const {
  AttributePool& pool = op_.module().context().attributes();
  op_.set_attr(attribute_definition("hint", AttributeKind::String).name, pool.string(kStream));
  if (where) op_.set_attr(attribute_definition("where", AttributeKind::Int).name, pool.integer(*where));
}

void StoreRef::remove_stream() const {
  op_.remove_attr(attribute_definition("hint", AttributeKind::String).name);
  op_.remove_attr(attribute_definition("where", AttributeKind::Int).name);
}

DeallocRef DeallocRef::create(Builder& builder, Value buffer) {
  return from(builder.create(LoopOp::Dealloc, {buffer}, {}));
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

LiteralRef LiteralRef::create(Builder& builder, Dtype dtype, Attribute number) {
  AttributePool& pool = builder.context().attributes();
  const AttrDict attrs = builder.attrs({{attribute_definition("value", AttributeKind::None).name, number},
                                        {attribute_definition("dtype", AttributeKind::Dtype).name, pool.dtype(dtype)}});
  return from(builder.create(LoopOp::Literal, {}, {builder.context().types().scalar(dtype)}, attrs));
}
LiteralRef LiteralRef::create(Builder& builder, Dtype dtype, double real, std::int64_t integer) {
  AttributePool& pool = builder.context().attributes();
  return create(builder, dtype, is_float(dtype) ? pool.real(real) : pool.integer(integer));
}
LiteralRef LiteralRef::create(Builder& builder, Dtype dtype, LiteralRef of) {
  return create(builder, dtype, of.number());
}

ApplyRef ApplyRef::create(Builder& builder, std::span<const Value> operands, Attribute value) {
  const std::array results{builder.context().types().scalar(Dtype::I64)};
  const AttrDict attrs = builder.attrs({{attribute_definition("value", AttributeKind::Subscripts).name, value}});
  return from(builder.create(builder.context().opcode(LoopOp::Apply), operands, attrs, results));
}

GuardRef GuardRef::create(Builder& builder, std::span<const Value> operands, Attribute conditions) {
  const std::array results{builder.context().types().scalar(Dtype::I1)};
  const AttrDict attrs =
      builder.attrs({{attribute_definition("conditions", AttributeKind::Subscripts).name, conditions}});
  return from(builder.create(builder.context().opcode(LoopOp::Guard), operands, attrs, results));
}

CheckRef CheckRef::create(Builder& builder, std::span<const Value> operands, Attribute conditions,
                          std::string_view message) {
  const Attribute text = builder.context().attributes().string(message);
  const AttrDict attrs =
      builder.attrs({{attribute_definition("conditions", AttributeKind::Subscripts).name, conditions},
                     {attribute_definition("message", AttributeKind::String).name, text}});
  return from(builder.create(builder.context().opcode(LoopOp::Check), operands, attrs, {}));
}

FmaRef FmaRef::create(Builder& builder, Value left, Value right, Value addend) {
  return from(builder.create(LoopOp::Fma, {left, right, addend}, {addend.type()}));
}

BitsRef BitsRef::create(Builder& builder, Value of) {
  MLGC_ASSERT(of.dtype() == Dtype::F32 || of.dtype() == Dtype::F64, "bits of a float");
  const Dtype as = of.dtype() == Dtype::F32 ? Dtype::I32 : Dtype::I64;
  return from(builder.create(LoopOp::Bits, {of}, {builder.context().types().scalar(as)}));
}

// ---------------------------------------------------------------------------------------------------- host functions

DataRef DataRef::create(Builder& builder, std::string_view name, Type buffer) {
  const Attribute symbol = builder.context().attributes().symbol(name);
  const AttrDict attrs = builder.attrs({{attribute_definition("symbol", AttributeKind::Symbol).name, symbol}});
  return from(builder.create(LoopOp::Data, {}, {buffer}, attrs));
}

BindSizeRef BindSizeRef::create(Builder& builder, Value buffer, std::string_view size) {
  const Attribute name = builder.context().attributes().string(size);
  const AttrDict attrs = builder.attrs({{attribute_definition("name", AttributeKind::String).name, name}});
  return from(builder.create(LoopOp::BindSize, {buffer}, {}, attrs));
}

AtomId BindSizeRef::size() const {
  Context& context = op_.module().context();
  const std::string_view name = *text(attribute_definition("name", AttributeKind::String));
  return *context.index().as_atom(context.index().symbol(name));
}

bool BindSizeRef::is_known_before() const {
  const OpRef func = op_.parent_op();
  const Value value = underlying_buffer(buffer());
  return func.is(LoopOp::Func) && value.is_argument() && !result_arguments(func).is_result[value.number()];
}

LaunchRef LaunchRef::create(Builder& builder, std::string_view callee, std::span<const Value> buffers,
                            std::span<const std::pair<AtomId, IndexExpr>> sizes) {
  Context& context = builder.context();
  AttributePool& pool = context.attributes();
  const AttrDict attrs =
      builder.attrs({{attribute_definition("callee", AttributeKind::Symbol).name, pool.symbol(callee)}});
  const OpRef made = builder.create(context.opcode(LoopOp::Launch), buffers, attrs, {});
  if (sizes.empty()) return from(made);
  std::vector<StringId> names;
  std::vector<IndexExpr> values;
  for (const auto& [symbol, value] : sizes) {
    names.push_back(context.strings().intern(context.index().symbol_name(symbol)));
    values.push_back(value);
  }
  made.set_attr(attribute_definition("names", AttributeKind::StringList).name, pool.string_list(names));
  made.set_attr(attribute_definition("sizes", AttributeKind::IntList).name, pool.int_list(values));
  return from(made);
}

void LaunchRef::set_callee(std::string_view name) const {
  op_.set_attr(attribute_definition("callee", AttributeKind::Symbol).name,
               op_.module().context().attributes().symbol(name));
}

std::vector<std::pair<AtomId, IndexExpr>> LaunchRef::stated_sizes() const {
  Context& context = op_.module().context();
  const auto names =
      attributes().as_string_list(op_.attr(attribute_definition("names", AttributeKind::StringList).name));
  const auto sizes = attributes().as_int_list(op_.attr(attribute_definition("sizes", AttributeKind::IntList).name));
  std::vector<std::pair<AtomId, IndexExpr>> out;
  for (std::size_t i = 0; i < std::min(names.size(), sizes.size()); ++i)
    out.emplace_back(*context.index().as_atom(context.index().symbol(context.strings().text(names[i]))), sizes[i]);
  return out;
}
std::size_t LaunchRef::stated_name_count() const {
  return attributes().as_string_list(op_.attr(attribute_definition("names", AttributeKind::StringList).name)).size();
}
std::size_t LaunchRef::stated_size_count() const {
  return attributes().as_int_list(op_.attr(attribute_definition("sizes", AttributeKind::IntList).name)).size();
}

ExternalRef ExternalRef::create(Builder& builder, std::string_view target, std::span<const Value> buffers) {
  const Attribute text = builder.context().attributes().string(target);
  const AttrDict attrs = builder.attrs({{attribute_definition("target", AttributeKind::String).name, text}});
  return from(builder.create(builder.context().opcode(LoopOp::External), buffers, attrs, {}, 1));
}

std::size_t ExternalRef::read_count() const {
  return std::min(op_.operand_count(), op_.region_count() == 0 ? 0 : op_.region(0).argument_count());
}

}  // namespace mlgc
