// What lib/ops keeps for a context: the formula pool, the parsed formulas of rows, and what was inferred so far.
// Private to lib/ops.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "formula/formula.h"
#include "formula/formula_syntax.h"
#include "ir/context.h"
#include "support/hash.h"

namespace mlgc {

class ScalarOps;

class OpServices {
 public:
  explicit OpServices(Context& context) : pool(context.index()), syntaxes(context.ops().size()) {}

  struct Key {
    Opcode opcode;
    AttrDict attrs;
    std::vector<Type> operands;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = hash_mix(static_cast<std::uint64_t>(key.opcode), key.attrs.id);
      for (Type t : key.operands) h = hash_mix(h, t.id);
      return static_cast<std::size_t>(h);
    }
  };
  struct Known {
    std::shared_ptr<const Formula> formula;
    std::vector<Type> results;
  };

  FormulaPool pool;
  std::shared_ptr<const ScalarOps> scalar_ops;                 // null: not asked for yet
  std::vector<std::shared_ptr<const FormulaSyntax>> syntaxes;  // by opcode; null: not parsed yet, or built per op
  std::unordered_map<Key, Known, KeyHash> known;               // without facts
  // What holds under the facts of the function that is being worked on.
  Facts facts;
  std::unordered_map<Key, Known, KeyHash> known_under_facts;
};

// The services of a context, made on first use.
[[nodiscard]] OpServices& op_services(Context& context);

}  // namespace mlgc
