// See link.h.
#include "ir/link.h"

#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "support/result.h"

namespace mlgc {

namespace {

using NewNames = std::unordered_map<std::string_view, std::string>;  // by old name, which the context keeps

// The attribute with new names in the place of old ones, in arrays too.
Attribute renamed(AttributePool& pool, Attribute value, const NewNames& names) {
  if (const auto symbol = pool.as_symbol(value)) {
    const auto found = names.find(*symbol);
    return found == names.end() ? value : pool.symbol(found->second);
  }
  if (pool.kind(value) != AttributeKind::Array) return value;
  std::vector<Attribute> items;
  for (const Attribute item : pool.as_array(value)) items.push_back(renamed(pool, item, names));
  return pool.array(items);
}

void rename_references(OpRef op, const NewNames& names) {
  AttributePool& pool = op.module().context().attributes();
  AttrDict attrs = op.attrs();
  for (const NamedAttribute& entry : pool.entries(op.attrs())) {
    const Attribute value = renamed(pool, entry.value, names);
    if (value != entry.value) attrs = pool.with(attrs, entry.name, value);
  }
  if (attrs != op.attrs()) op.set_attrs(attrs);
}

}  // namespace

void link_module(const Module& from, Module& into, const std::function<LinkedSymbol(OpRef)>& name_of) {
  Context& context = into.context();
  MLGC_ASSERT(&from.context() == &context, "modules are linked within one context");
  NewNames names;
  std::vector<OpRef> copied;
  for (const OpRef op : from.body().ops()) {
    LinkedSymbol linked = name_of(op);
    if (linked.name != op.symbol()) names.emplace(op.symbol(), linked.name);
    if (!linked.shared) copied.push_back(op);
  }
  Builder builder(into);
  for (const OpRef op : copied) {
    const OpRef copy = clone(op, builder);
    const auto found = names.find(op.symbol());
    if (found != names.end()) copy.set_attr("sym_name", context.attributes().string(found->second));
    if (!names.empty()) walk(copy, [&](OpRef inner) { rename_references(inner, names); });
  }
}

}  // namespace mlgc
