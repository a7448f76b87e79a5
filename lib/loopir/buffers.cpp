// Views, shared memory, states that are written over.
#include "loopir/buffers.h"

#include "ir/function.h"
#include "loopir/loop_ops.h"

namespace mlgc {

Value underlying_buffer(Value buffer) {
  for (auto view = BufferViewRef::from(buffer.definer()); view.valid(); view = BufferViewRef::from(buffer.definer()))
    buffer = view.of();
  return buffer;
}

Value loaded_buffer(OpRef op) {
  const auto load = LoadRef::from(op);
  return load.valid() ? underlying_buffer(load.buffer()) : Value();
}
Value stored_buffer(OpRef op) {
  const auto store = StoreRef::from(op);
  return store.valid() ? underlying_buffer(store.buffer()) : Value();
}

IndexExpr element_count(Value buffer) {
  IndexPool& index = buffer.module().context().index();
  IndexExpr product = index.constant(1);
  for (const IndexExpr dim : buffer.dims()) product = index.mul(product, dim);
  return product;
}

Value memory_of(Value buffer) {
  buffer = underlying_buffer(buffer);
  for (auto alloc = AllocRef::from(buffer.definer()); alloc.valid() && alloc.memory().valid();
       alloc = AllocRef::from(buffer.definer()))
    buffer = underlying_buffer(alloc.memory());
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
  while (func.valid() && !func.is(LoopOp::Func)) func = func.parent_op();
  const auto read = DataRef::from(data);
  if (!func.valid() || !read.valid()) return {};
  for (const StringId name : context.attributes().as_string_list(func.attr("in_place")))
    if (context.strings().text(name) == read.name()) return new_state(func, name);
  return {};
}

void for_each_access(Value buffer, const std::function<void(const Use&)>& visit) {
  for (const Use& use : buffer.uses()) {
    if (const auto view = BufferViewRef::from(use.owner()); view.valid())
      for_each_access(view.view(), visit);
    else if (!use.owner().is(LoopOp::Alloc) && !use.owner().is(LoopOp::Dealloc))
      visit(use);
  }
}

}  // namespace mlgc
