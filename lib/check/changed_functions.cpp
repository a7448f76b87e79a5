// See changed_functions.h.
#include "check/changed_functions.h"

#include <map>
#include <vector>

#include "ir/function.h"
#include "ir/structural_hash.h"
#include "ir/walk.h"
#include "loopir/functions.h"

namespace mlgc {
namespace {

std::map<std::string, std::uint64_t> hashes(const Module& module) {
  StructuralHasher hasher(module);
  std::map<std::string, std::uint64_t> out;
  for (const OpRef op : module.body().ops())
    if (op.has_trait(Traits::Symbol)) out.emplace(op.symbol(), hasher.op_hash(op));
  return out;
}

// The symbols that attributes of the op name, at any depth of lists.
void symbols_of(OpRef op, std::set<std::string>& out) {
  const AttributePool& attributes = op.module().context().attributes();
  std::vector<Attribute> open;
  for (const NamedAttribute& entry : attributes.entries(op.attrs())) open.push_back(entry.value);
  while (!open.empty()) {
    const Attribute at = open.back();
    open.pop_back();
    for (const Attribute item : attributes.as_array(at)) open.push_back(item);
    if (const auto name = attributes.as_symbol(at)) out.insert(std::string(*name));
  }
}

}  // namespace

std::set<std::string> changed_functions(const Module& before, const Module& after) {
  const std::map<std::string, std::uint64_t> old_hashes = hashes(before), new_hashes = hashes(after);
  std::vector<std::string> open;
  for (const auto& [name, hash] : new_hashes)
    if (const auto old = old_hashes.find(name); old == old_hashes.end() || old->second != hash) open.push_back(name);
  std::map<std::string, std::vector<std::string>> used_by;
  for (const OpRef op : after.body().ops()) {
    if (!op.has_trait(Traits::Symbol)) continue;
    std::set<std::string> used;
    walk(op, [&](OpRef inner) { symbols_of(inner, used); });
    for (const std::string& name : used) used_by[name].emplace_back(op.symbol());
  }
  std::set<std::string> changed(open.begin(), open.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    for (const std::string& user : used_by[name])
      if (changed.insert(user).second) open.push_back(user);
  }
  std::erase_if(changed, [&](const std::string& name) { return !find_function(after, name).valid(); });
  return changed;
}

}  // namespace mlgc
