// See functions.h.
#include "loopir/functions.h"

#include <algorithm>

#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"
#include "loopir/buffers.h"

namespace mlgc {

bool is_loop_function(OpRef func) {
  const TypePool& types = func.module().context().types();
  for (const Value v : func.region(0).arguments())
    if (types.kind(v.type()) == TypeKind::Buffer) return true;
  return false;
}

bool is_host_function(OpRef func) {
  return is_loop_function(func) && func.module().context().attributes().as_int64(func.attr("results")).has_value();
}

OpRef external_op(OpRef func) {
  const RegionRef body = func.region(0);
  const OpRef first = body.empty() ? OpRef() : body.front();
  return first.valid() && first.is(LoopOp::External) ? first : OpRef();
}

std::vector<OpRef> late_sizes(OpRef func) {
  std::vector<OpRef> found;
  walk(func, [&](OpRef op) {
    if (const auto bind = BindSizeRef::from(op); bind.valid() && !bind.is_known_before()) found.push_back(op);
  });
  return found;
}

std::unordered_map<OpId, std::vector<OpRef>> launches_by_kernel(const Module& module) {
  std::unordered_map<OpId, std::vector<OpRef>> found;
  for (const FuncRef& function : functions(module))
    walk(function.op(), [&](OpRef op) {
      if (const auto launch = LaunchRef::from(op); launch.valid()) found[launch.callee().id()].push_back(op);
    });
  return found;
}

void for_each_written(OpRef op, const std::function<void(Value)>& visit) {
  if (const auto store = StoreRef::from(op); store.valid()) visit(underlying_buffer(store.buffer()));
  if (const auto turned = TransposeInPlaceRef::from(op); turned.valid()) visit(underlying_buffer(turned.buffer()));
  if (const auto external = ExternalRef::from(op); external.valid())
    for (std::size_t i = external.read_count(); i < op.operand_count(); ++i) visit(underlying_buffer(op.operand(i)));
  const auto launch = LaunchRef::from(op);
  if (!launch.valid()) return;
  const OpRef callee = launch.callee();
  if (!callee.valid() || !callee.is(LoopOp::Func) || op.is_inside(callee)) return;
  const std::vector<bool> written = written_arguments(callee);
  for (std::size_t i = 0; i < std::min(written.size(), op.operand_count()); ++i)
    if (written[i]) visit(underlying_buffer(launch.buffers()[i]));
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
    if (const auto bind = BindSizeRef::from(op); bind.valid()) found.push_back(bind.size());
    if (const auto launch = LaunchRef::from(op); launch.valid())
      for (const auto& [symbol, size] : launch.stated_sizes()) note(size);
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
