// Attribute form, printing and evaluation of constraints; what they say as Facts is in facts.cpp.
#include "ir/constraint.h"

#include <array>

#include "ir/module.h"

namespace mlgc {
namespace {

constexpr std::array<std::string_view, 6> kRelations{"==", "!=", "<", "<=", ">", ">="};

bool holds(Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case Relation::Equal: return a == b;
    case Relation::NotEqual: return a != b;
    case Relation::Less: return a < b;
    case Relation::LessEqual: return a <= b;
    case Relation::Greater: return a > b;
    case Relation::GreaterEqual: return a >= b;
  }
  throw InternalError("not a relation");
}

}  // namespace

std::string_view relation_text(Relation relation) { return kRelations[static_cast<std::size_t>(relation)]; }

std::optional<Relation> parse_relation(std::string_view text) {
  for (std::size_t i = 0; i < kRelations.size(); ++i)
    if (kRelations[i] == text) return static_cast<Relation>(i);
  return std::nullopt;
}

Attribute to_attribute(std::span<const Constraint> constraints, Context& context) {
  AttributePool& pool = context.attributes();
  std::vector<Attribute> chains;
  for (const Constraint& constraint : constraints) {
    std::vector<Attribute> chain{pool.integer(constraint.terms.at(0))};
    for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
      chain.push_back(pool.string(relation_text(constraint.relations[i])));
      chain.push_back(pool.integer(constraint.terms.at(i + 1)));
    }
    chains.push_back(pool.array(chain));
  }
  return pool.array(chains);
}

std::optional<Constraints> constraints_from(Attribute attribute, const Context& context) {
  const AttributePool& pool = context.attributes();
  if (pool.kind(attribute) != AttributeKind::Array) return std::nullopt;
  Constraints constraints;
  for (const Attribute item : pool.as_array(attribute)) {
    const std::span<const Attribute> chain = pool.as_array(item);
    if (chain.size() < 3 || chain.size() % 2 == 0) return std::nullopt;
    Constraint& constraint = constraints.emplace_back();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (i % 2 == 0) {
        const std::optional<IndexExpr> term = pool.as_int(chain[i]);
        if (!term) return std::nullopt;
        constraint.terms.push_back(*term);
      } else {
        const std::optional<Relation> relation = parse_relation(pool.as_string(chain[i]).value_or(""));
        if (!relation) return std::nullopt;
        constraint.relations.push_back(*relation);
      }
    }
  }
  return constraints;
}

Constraints constraints_of(const OpRef& op) {
  const Context& context = op.module().context();
  return constraints_from(op.attr(context.names().where), context).value_or(Constraints());
}

std::string print(const Constraint& constraint, const IndexPool& pool) {
  std::string out = pool.print(constraint.terms.at(0));
  for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
    out += ' ';
    out += relation_text(constraint.relations[i]);
    out += ' ';
    out += pool.print(constraint.terms.at(i + 1));
  }
  return out;
}

std::string print(std::span<const Constraint> constraints, const IndexPool& pool) {
  std::string out;
  for (const Constraint& constraint : constraints) {
    if (!out.empty()) out += ", ";
    out += print(constraint, pool);
  }
  return out;
}

bool follows(const Constraint& wanted, std::span<const Constraint> known, const Facts& facts, IndexPool& pool) {
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return true;
  const auto at_least = [&](IndexExpr a, IndexExpr b, std::int64_t more) {
    return pool.is_non_negative(pool.sub(pool.sub(a, b), pool.constant(more)), facts);
  };
  for (std::size_t i = 0; i < wanted.relations.size(); ++i) {
    const IndexExpr a = wanted.terms[i], b = wanted.terms[i + 1];
    bool shown = false;
    switch (wanted.relations[i]) {
      case Relation::Equal: shown = pool.equal(a, b, facts) == Truth::Yes; break;
      case Relation::NotEqual: shown = pool.equal(a, b, facts) == Truth::No; break;
      case Relation::Less: shown = at_least(b, a, 1); break;
      case Relation::LessEqual: shown = at_least(b, a, 0); break;
      case Relation::Greater: shown = at_least(a, b, 1); break;
      case Relation::GreaterEqual: shown = at_least(a, b, 0); break;
    }
    if (!shown) return false;
  }
  return true;
}

std::optional<bool> holds(const Constraint& constraint, const IndexPool& pool,
                          const std::function<std::optional<std::int64_t>(AtomId)>& value_of) {
  bool all = true;
  std::optional<std::int64_t> left = pool.evaluate(constraint.terms.at(0), value_of);
  for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
    const std::optional<std::int64_t> right = pool.evaluate(constraint.terms.at(i + 1), value_of);
    if (!left || !right) return std::nullopt;
    all = all && holds(constraint.relations[i], *left, *right);
    left = right;
  }
  return all;
}

}  // namespace mlgc
