// See fresh_sizes.h.
#include "autodiff/fresh_sizes.h"

#include "analysis/substitute_symbols.h"
#include "formula/formula_syntax.h"
#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"

namespace mlgc {

FreshSizes::FreshSizes(OpRef function) : context_(&function.module().context()) {
  const auto note = [this](IndexExpr e) {
    context_->index().for_each_atom(e, [this](AtomId atom) {
      if (context_->index().atom(atom).kind == AtomKind::Symbol) taken_.emplace(context_->index().symbol_name(atom));
    });
  };
  walk(function, [&](OpRef op) {
    // Index labels too: a size of the same name would be mistaken for one.
    if (visit_mentioned_sizes(op, note))
      for (const std::string_view word : formula_words(*context_->attributes().as_string(op.attr("formula"))))
        taken_.emplace(word);
    for (const RegionRef region : op.regions())
      for (const Value argument : region.arguments())
        if (context_->types().is_shaped(argument.type()))
          for (const IndexExpr dim : argument.dims()) note(dim);
  });
}

IndexExpr FreshSizes::fresh(std::string_view stem) {
  for (std::size_t n = 0;; ++n) {
    std::string name = std::string(stem) + std::to_string(n);
    if (taken_.insert(name).second) return context_->index().symbol(name);
  }
}

std::vector<OpRef> FreshSizes::copy(RegionRef source, Builder& target, ValueMap& map, bool without_terminator) {
  const OpRef before = target.before();
  const OpRef last = before.valid() ? before.previous() : target.region().back();
  clone_ops(source, target, map, without_terminator);
  std::vector<OpRef> ops;
  SymbolSubstitution renamed(*context_);
  for (OpRef op = last.valid() ? last.next() : target.region().front(); op.valid() && op != before; op = op.next()) {
    ops.push_back(op);
    walk(op, [&](OpRef inner) {
      if (!inner.has_trait(Traits::BindsSize)) return;
      const AtomId size = *context_->index().as_atom(inner.result().dims()[0]);
      if (!renamed.has(size)) renamed.set(size, fresh(std::string(context_->index().symbol_name(size)) + "_again"));
    });
  }
  if (!renamed.is_identity())
    for (const OpRef op : ops) renamed.apply(op);
  return ops;
}

}  // namespace mlgc
