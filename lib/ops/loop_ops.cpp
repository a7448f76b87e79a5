// Views of loop ops.
#include "ops/loop_ops.h"

#include <algorithm>

#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/op_def.h"
#include "ir/walk.h"
#include "ops/scalar_ops.h"

namespace mlgc {
namespace {

// States one of the attributes that change what its row computes, as `alpha`.
bool has_row_attributes(OpRef op) {
  const std::span<const AttrDef> attrs = op.def().attrs;
  return std::any_of(attrs.begin(), attrs.end(), [&](const AttrDef& attr) { return op.attr(attr.name).valid(); });
}

// The size as an integer of the loop level: a literal, or `apply`, in any integer type.
bool is_size(Value v, IndexExpr size) {
  OpRef op = v.definer();
  if (op.valid() && op.is("cast") && op.operand_count() == 1) op = op.operand(0).definer();
  if (!op.valid()) return false;
  const Context& context = op.module().context();
  if (op.is("apply")) return subscripts_of(op).size() == 1 && subscripts_of(op)[0] == size;
  if (!op.is("literal")) return false;
  const auto value = context.attributes().as_int64(op.attr("value"));
  return value && value == context.index().as_constant(size);
}

}  // namespace

bool counts_from_end(OpRef access, Value buffer, std::size_t axis) {
  Context& context = access.module().context();
  IndexPool& index = context.index();
  const auto atom = index.as_atom(subscripts_of(access)[axis]);
  if (!atom || index.atom(*atom).kind != AtomKind::Opaque) return false;
  const ScalarOps& scalars = scalar_ops(context);
  const OpRef sum = access.operand(index.atom(*atom).number).definer();
  if (!sum.valid() || sum.opcode() != scalars.find(ScalarFn::Add) || has_row_attributes(sum)) return false;
  const IndexExpr zero = index.constant(0), size = context.types().dims(buffer.type())[axis];
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const OpRef choice = sum.operand(1 - i).definer();
    if (!choice.valid() || choice.opcode() != scalars.choice() || !is_size(choice.operand(1), size)) continue;
    const OpRef test = choice.operand(0).definer();
    if (test.valid() && test.opcode() == scalars.find(ScalarFn::Lt) && test.operand(0) == sum.operand(i) &&
        is_size(test.operand(1), zero) && is_size(choice.operand(2), zero))
      return true;
  }
  return false;
}

std::span<const IndexExpr> subscripts_of(OpRef op) {
  const AttributePool& pool = op.module().context().attributes();
  for (const NamedAttribute& entry : pool.entries(op.attrs()))
    if (pool.kind(entry.value) == AttributeKind::Subscripts) return pool.as_int_list(entry.value);
  return {};
}

ForRef ForRef::from(OpRef op) {
  ForRef ref;
  if (op.valid() && op.is("for") && subscripts_of(op).size() == 2 && op.region_count() == 1 &&
      op.region(0).argument_count() > 0)
    ref.op_ = op;
  return ref;
}

std::string_view ForRef::kind() const {
  return op_.module().context().attributes().as_string(op_.attr("kind")).value_or("serial");
}

IndexExpr SubscriptBuilder::atom(Value value) {
  std::size_t number = first_;
  while (number < operands_->size() && (*operands_)[number] != value) ++number;
  if (number == operands_->size()) operands_->push_back(value);
  return context_->index().opaque(static_cast<std::uint32_t>(number));
}

Attribute SubscriptBuilder::numbered(std::vector<IndexExpr> expressions) {
  IndexPool& pool = context_->index();
  // Expressions print in the order of names: a mark behind each name leads back to the operand.
  constexpr char kMark = '\x01';
  std::vector<std::size_t> order;  // old numbers by new number
  for (const IndexExpr e : expressions) {
    const std::string text = pool.print(e, [&](AtomId id) {
      const std::size_t number = pool.atom(id).number;
      const std::string_view name = (*operands_)[number].name();
      return "%" + (name.empty() ? "0" : std::string(name)) + kMark + std::to_string(number) + kMark;
    });
    for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
      const std::size_t end = text.find(kMark, at + 1);
      const std::size_t number = std::stoul(text.substr(at + 1, end - at - 1));
      if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
      at = end;
    }
  }
  const std::vector<Value> old = *operands_;
  for (std::size_t i = 0; i < order.size(); ++i) (*operands_)[first_ + i] = old[order[i]];
  operands_->resize(first_ + order.size());  // what cancelled out of the expressions is no operand
  for (IndexExpr& e : expressions)
    e = pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
      const auto place = std::find(order.begin(), order.end(), pool.atom(id).number);
      return pool.opaque(static_cast<std::uint32_t>(first_ + static_cast<std::size_t>(place - order.begin())));
    });
  return context_->attributes().subscripts(expressions);
}

namespace {

// The operands that the brackets name stand together: from the first one on, how many. None: at the end.
std::pair<std::size_t, std::size_t> subscript_operands(OpRef op) {
  const IndexPool& pool = op.module().context().index();
  std::size_t begin = op.operand_count(), end = 0;
  for (const IndexExpr e : subscripts_of(op))
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Opaque) return;
      begin = std::min<std::size_t>(begin, pool.atom(id).number);
      end = std::max<std::size_t>(end, pool.atom(id).number + 1);
    });
  return {begin, std::max(end, begin) - begin};
}

}  // namespace

bool is_in_subscripts(const Use& use) {
  const auto [begin, count] = subscript_operands(use.owner());
  return use.operand_number() - begin < count;
}

void replace_in_subscripts(OpRef op, Value value, IndexExpr by, OpRef owner) {
  Context& context = op.module().context();
  IndexPool& pool = context.index();
  const std::vector<Value> before(op.operands().begin(), op.operands().end());
  const auto [begin, count] = subscript_operands(op);
  const auto first = before.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<Value> operands(before.begin(), first);
  SubscriptBuilder builder(context, operands);
  const auto over_values = [&](OpRef of, IndexExpr e, const auto& translate) {
    return pool.substitute(e, [&](AtomId id) -> std::optional<IndexExpr> {
      if (pool.atom(id).kind != AtomKind::Opaque) return std::nullopt;
      return translate(of.operand(pool.atom(id).number));
    });
  };
  std::vector<IndexExpr> expressions;
  for (const IndexExpr e : subscripts_of(op))
    expressions.push_back(over_values(op, e, [&](Value v) {
      return v == value ? over_values(owner, by, [&](Value outer) { return builder.atom(outer); }) : builder.atom(v);
    }));
  const Attribute brackets = builder.numbered(std::move(expressions));
  operands.insert(operands.end(), first + static_cast<std::ptrdiff_t>(count), before.end());
  for (const NamedAttribute& entry : context.attributes().entries(op.attrs()))
    if (context.attributes().kind(entry.value) == AttributeKind::Subscripts) {
      op.set_attr(context.strings().text(entry.name), brackets);
      break;
    }
  op.set_operands(operands);
}

Value underlying_buffer(Value buffer) {
  while (buffer.is_result() && buffer.definer().is("buffer_view")) buffer = buffer.definer().operand(0);
  return buffer;
}

IndexExpr element_count(Value buffer) {
  IndexPool& index = buffer.module().context().index();
  IndexExpr product = index.constant(1);
  for (const IndexExpr dim : buffer.dims()) product = index.mul(product, dim);
  return product;
}

Value memory_of(Value buffer) {
  buffer = underlying_buffer(buffer);
  while (buffer.is_result() && buffer.definer().is("alloc") && buffer.definer().operand_count() == 1)
    buffer = underlying_buffer(buffer.definer().operand(0));
  return buffer;
}

Value new_state(OpRef func, StringId state) {
  const std::vector<UpdateTarget> updates = FuncRef(func).updates();
  const RegionRef body = func.region(0);
  for (std::size_t i = 0; i < updates.size() && updates.size() <= body.argument_count(); ++i)
    if (!updates[i].argument && updates[i].symbol == state)
      return body.argument(body.argument_count() - updates.size() + i);
  return {};
}

Value written_over(OpRef data) {
  const Context& context = data.module().context();
  OpRef func = data.parent_op();
  while (func.valid() && !func.is("func")) func = func.parent_op();
  const auto symbol = context.attributes().as_symbol(data.attr("symbol"));
  if (!func.valid() || !symbol) return {};
  for (const StringId name : context.attributes().as_string_list(func.attr("in_place")))
    if (context.strings().text(name) == *symbol) return new_state(func, name);
  return {};
}

void for_each_access(Value buffer, const std::function<void(const Use&)>& visit) {
  for (const Use& use : buffer.uses()) {
    if (use.owner().is("buffer_view"))
      for_each_access(use.owner().result(), visit);
    else if (!use.owner().is("alloc"))
      visit(use);
  }
}

bool is_loop_function(OpRef func) {
  const TypePool& types = func.module().context().types();
  for (const Value v : func.region(0).arguments())
    if (types.kind(v.type()) == TypeKind::Buffer) return true;
  return false;
}

bool is_driver(OpRef func) {
  return is_loop_function(func) && func.module().context().attributes().as_int64(func.attr("results")).has_value();
}

OpRef external_op(OpRef func) {
  const RegionRef body = func.region(0);
  const OpRef first = body.empty() ? OpRef() : body.front();
  return first.valid() && first.is("external") ? first : OpRef();
}

std::size_t read_count(OpRef external) {
  return std::min(external.operand_count(), external.region_count() == 0 ? 0 : external.region(0).argument_count());
}

std::vector<OpRef> parallel_chain(OpRef nest) {
  std::vector<OpRef> chain;
  for (OpRef at = nest; ForRef::from(at).valid() && ForRef::from(at).kind() == "parallel";) {
    chain.push_back(at);
    const OpRef inner = at.region(0).empty() ? OpRef() : at.region(0).front();
    const OpRef next = ForRef::from(inner).valid() ? inner.next() : OpRef();
    if (!ForRef::from(inner).valid() || (next.valid() && !next.is("yield"))) break;
    at = inner;
  }
  return chain;
}

std::optional<std::int64_t> usual_extent(ForRef loop) {
  IndexPool& pool = loop.op().module().context().index();
  if (const auto exact = pool.as_constant(pool.sub(loop.last(), loop.first()))) return exact;
  const auto id = pool.as_atom(loop.last());
  if (!id || pool.atom(*id).kind != AtomKind::Min) return std::nullopt;
  const Atom atom = pool.atom(*id);
  for (const IndexExpr side : {atom.a, atom.b})
    if (const auto full = pool.as_constant(pool.sub(side, loop.first()))) return full;
  return std::nullopt;
}

std::optional<FusedSum> fused_sum(OpRef op) {
  const Attribute stated = op.is("add") ? op.attr(kFusedAttribute) : Attribute();
  if (!stated.valid() || op.operand_count() != 2) return std::nullopt;
  const auto number = op.module().context().attributes().as_int64(stated);
  if (!number || *number < 0 || *number > 1) return std::nullopt;
  const auto at = static_cast<std::size_t>(*number);
  const OpRef product = op.operand(at).definer();
  const auto is_f32 = [&](Value v) {
    const TypePool& types = op.module().context().types();
    return types.kind(v.type()) == TypeKind::Scalar && v.dtype() == Dtype::F32;
  };
  if (!product.valid() || !product.is("mul") || product.operand_count() != 2) return std::nullopt;
  if (has_row_attributes(op) || has_row_attributes(product)) return std::nullopt;
  if (!is_f32(op.result()) || !is_f32(op.operand(1 - at)) || !is_f32(product.result()) || !is_f32(product.operand(0)) ||
      !is_f32(product.operand(1)))
    return std::nullopt;
  return FusedSum{product, op.operand(1 - at)};
}

bool is_only_fused(OpRef product) {
  if (!product.is("mul") || product.results_unused()) return false;
  for (const Use use : product.result().uses()) {
    const auto sum = fused_sum(use.owner());
    if (!sum || sum->product != product || sum->addend == product.result()) return false;
  }
  return true;
}

std::int64_t vector_bytes(const Module& module) {
  const auto stated = module.context().attributes().as_string(module.top().attr("vector_bytes"));
  return stated == "16" ? 16 : stated == "32" ? 32 : 64;
}
bool states_vector_bytes(const Module& module) { return module.top().attr("vector_bytes").valid(); }
void set_vector_bytes(Module& module, std::int64_t bytes) {
  module.top().set_attr("vector_bytes", module.context().attributes().string(std::to_string(bytes)));
}

OpRef launched(OpRef launch) {
  const auto name = launch.module().context().attributes().as_symbol(launch.attr("callee"));
  return name ? launch.module().lookup(*name) : OpRef();
}

std::vector<std::pair<AtomId, IndexExpr>> stated_sizes(OpRef launch) {
  Context& context = launch.module().context();
  const auto names = context.attributes().as_string_list(launch.attr("names"));
  const auto sizes = context.attributes().as_int_list(launch.attr("sizes"));
  std::vector<std::pair<AtomId, IndexExpr>> out;
  for (std::size_t i = 0; i < std::min(names.size(), sizes.size()); ++i)
    out.emplace_back(*context.index().as_atom(context.index().symbol(context.strings().text(names[i]))), sizes[i]);
  return out;
}

AtomId bound_size(OpRef bind) {
  Context& context = bind.module().context();
  return *context.index().as_atom(context.index().symbol(*context.attributes().as_string(bind.attr("name"))));
}

bool is_known_before(OpRef bind) {
  const OpRef func = bind.parent_op();
  const Value value = underlying_buffer(bind.operand(0));
  return func.is("func") && value.is_argument() && !result_arguments(func).is_result[value.number()];
}

std::vector<OpRef> late_sizes(OpRef func) {
  std::vector<OpRef> found;
  walk(func, [&](OpRef op) {
    if (op.is("bind_size") && !is_known_before(op)) found.push_back(op);
  });
  return found;
}

std::unordered_map<OpId, std::vector<OpRef>> launches_by_kernel(const Module& module) {
  std::unordered_map<OpId, std::vector<OpRef>> found;
  for (const FuncRef& function : functions(module))
    walk(function.op(), [&](OpRef op) {
      if (op.is("launch")) found[launched(op).id()].push_back(op);
    });
  return found;
}

void for_each_written(OpRef op, const std::function<void(Value)>& visit) {
  if (op.is("store")) visit(underlying_buffer(op.operand(1)));
  if (op.is("external"))
    for (std::size_t i = read_count(op); i < op.operand_count(); ++i) visit(underlying_buffer(op.operand(i)));
  if (!op.is("launch")) return;
  const OpRef callee = launched(op);
  if (!callee.valid() || !callee.is("func") || op.is_inside(callee)) return;
  const std::vector<bool> written = written_arguments(callee);
  for (std::size_t i = 0; i < std::min(written.size(), op.operand_count()); ++i)
    if (written[i]) visit(underlying_buffer(op.operand(i)));
}

std::vector<bool> written_arguments(OpRef func) {
  const RegionRef body = func.region(0);
  std::vector<bool> written(body.argument_count());
  walk(func, [&](OpRef op) {
    for_each_written(op, [&](Value buffer) {
      if (buffer.is_argument() && buffer.argument_of() == body) written[buffer.number()] = true;
    });
  });
  return written;
}

ResultArguments result_arguments(OpRef func) {
  const auto stated = func.module().context().attributes().as_int64(func.attr("results"));
  const std::size_t count = func.region(0).argument_count();
  if (!stated) return {written_arguments(func), count};
  const std::size_t updates = FuncRef(func).updates().size();
  const std::size_t first =
      count - std::min(count, updates + static_cast<std::size_t>(std::max<std::int64_t>(*stated, 0)));
  ResultArguments found{std::vector<bool>(count), count - std::min(count, updates)};
  std::fill(found.is_result.begin() + static_cast<std::ptrdiff_t>(first), found.is_result.end(), true);
  return found;
}

std::vector<AtomId> symbols_of(OpRef func) {
  Context& context = func.module().context();
  const IndexPool& pool = context.index();
  std::vector<AtomId> found;
  const auto note = [&](IndexExpr e) {
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind == AtomKind::Symbol) found.push_back(id);
    });
  };
  const auto note_type = [&](Type type) {
    if (context.types().is_shaped(type))
      for (const IndexExpr e : context.types().dims(type)) note(e);
  };
  for (const Value v : func.region(0).arguments()) note_type(v.type());
  const bool of_graph = external_op(func).valid();
  walk(func, [&](OpRef op) {
    if (of_graph) (void)visit_mentioned_sizes(op, note);
    for (const IndexExpr e : subscripts_of(op)) note(e);
    if (op.is("bind_size")) found.push_back(bound_size(op));
    if (op.is("launch"))
      for (const auto& [symbol, size] : stated_sizes(op)) note(size);
    for (const Value v : op.results()) note_type(v.type());
  });
  const auto by_name = [&](AtomId a, AtomId b) { return pool.symbol_name(a) < pool.symbol_name(b); };
  std::sort(found.begin(), found.end(), by_name);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<AtomId> symbols_without_dim(OpRef func) {
  const Context& context = func.module().context();
  std::vector<AtomId> found = symbols_of(func);
  for (const Value v : func.region(0).arguments())
    if (context.types().is_shaped(v.type()))
      for (const IndexExpr dim : context.types().dims(v.type()))
        if (const auto atom = context.index().as_atom(dim)) std::erase(found, *atom);
  return found;
}

}  // namespace mlgc
