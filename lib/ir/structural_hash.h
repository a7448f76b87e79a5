// A hash of what a program is: opcodes, attributes, types, the flow of values and the nesting of regions, in order.
//
// Guarantees
//   - Independent of ids, interning order, serials, names of values and locations; the same in every process.
//   - Modules that print alike (without locations) hash alike. Ops are not commuted: another order is another hash.
//   - Linear time, no recursion.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace mlgc {

struct HashOptions {
  bool symbol_name = true;  // the sym_name of the root counts; without it two functions that differ in name hash alike
};

// Hashes ops of one context. Keep one for many roots: it remembers what types, attributes and expressions hash to.
class StructuralHasher {
 public:
  explicit StructuralHasher(const Module& module) : module_(&module) {}

  // A whole module.
  std::uint64_t module_hash();
  // One op with its regions. Values from outside are told apart by the order of their first use and by type.
  std::uint64_t op_hash(OpRef root, HashOptions options = {});

  std::uint64_t expr_hash(IndexExpr e);
  std::uint64_t type_hash(Type type);
  std::uint64_t attribute_hash(Attribute attribute);
  std::uint64_t dict_hash(AttrDict dict);

 private:
  std::uint64_t string_hash(StringId id) const;
  std::uint64_t atom_hash(AtomId id);
  // One op without its regions; numbers its results.
  std::uint64_t row_hash(OpRef op, std::uint64_t attrs);

  const Module* module_;
  std::vector<std::uint64_t> exprs_, types_, attributes_, dicts_;  // 0: not known yet
  std::vector<std::uint32_t> numbers_;  // by value; numbers below base_ are from an earlier root
  std::uint32_t base_ = 1, next_ = 1;
};

[[nodiscard]] std::uint64_t structural_hash(const Module& module);
[[nodiscard]] std::uint64_t structural_hash(OpRef op, HashOptions options = {});

// Whether two ops with their regions are the same but for names of values, locations and the sym_name of the roots:
// those that hash alike without it, without a doubt. Values from outside must be the same ones.
[[nodiscard]] bool same_structure(OpRef a, OpRef b);

}  // namespace mlgc
