// Wrong formulas made of right ones, each by one change that people make: a factor, term or function forgotten, a sign
// turned, a branch exchanged, a number off, subscripts exchanged, a guard or an accumulation lost.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formula/formula.h"

namespace mlgc::test {

// Changes in one statement; each gives the formula another body.
class FormulaFaults {
 public:
  FormulaFaults(FormulaPool& pool, const Formula& formula) : pool_(pool), formula_(formula) {
    for (std::size_t s = 0; s < formula.statements.size(); ++s) {
      const ExprId body = formula.statements[s].body;
      if (is_float(pool.type(body))) add(s, body, pool.call(ScalarFn::Neg, body), "a sign turned");
      std::vector<ExprId> seen;
      pool.visit(formula.statements[s].body, [&](ExprId e) {
        for (const ExprId other : seen)
          if (other == e) return;
        seen.push_back(e);
        at(s, e);
      });
    }
  }

  struct Fault {
    std::string what;
    std::function<void(Formula&)> plant;
  };
  [[nodiscard]] const std::vector<Fault>& all() const { return faults_; }

 private:
  void add(std::size_t statement, ExprId from, ExprId to, std::string what) {
    if (from == to) return;
    faults_.push_back({std::move(what), [this, statement, from, to](Formula& formula) {
                         Statement& there = formula.statements[statement];
                         std::unordered_map<std::size_t, ExprId> known;
                         there.body = replaced(there.body, from, to, known);
                       }});
  }

  void at(std::size_t s, ExprId e) {
    switch (pool_.node(e).kind) {
      case NodeKind::Call: return at_call(s, e);
      case NodeKind::Select: {
        const auto parts = pool_.arguments(e);
        add(s, e, parts[1], "the first branch always");
        return add(s, e, parts[2], "the second branch always");
      }
      case NodeKind::Literal:
        if (!is_float(pool_.type(e))) return;
        return add(s, e, pool_.real(pool_.literal_real(e) * 1.01 + 0.01, pool_.type(e), pool_.node(e).weak),
                   "a number that is off");
      case NodeKind::Read: {
        ReadParts parts = pool_.read_of(e);
        if (parts.subscripts.size() < 2) return;
        std::swap(parts.subscripts[parts.subscripts.size() - 1], parts.subscripts[parts.subscripts.size() - 2]);
        return add(s, e, pool_.read(pool_.type(e), parts.tensor, parts.subscripts, parts.fill), "subscripts exchanged");
      }
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        if (parts.reduction != Reduction::Sum || !is_float(pool_.type(e))) return;
        add(s, e, pool_.reduce(Reduction::Max, parts.labels, parts.guard, parts.body), "a maximum for a sum");
        if (parts.guard.valid())
          add(s, e, pool_.reduce(parts.reduction, parts.labels, {}, parts.body), "a guard forgotten");
        return;
      }
      default: return;
    }
  }

  void at_call(std::size_t s, ExprId e) {
    const auto parts = pool_.arguments(e);
    if (!is_float(pool_.type(e)) || !is_float(pool_.type(parts[0]))) return;
    switch (pool_.fn(e)) {
      case ScalarFn::Add:
        add(s, e, parts[0], "the second term forgotten");
        return add(s, e, pool_.call(ScalarFn::Sub, parts[0], parts[1]), "a minus for a plus");
      case ScalarFn::Sub:
        add(s, e, parts[0], "the second term forgotten");
        return add(s, e, pool_.call(ScalarFn::Add, parts[0], parts[1]), "a plus for a minus");
      case ScalarFn::Mul:
        add(s, e, parts[0], "the second factor forgotten");
        return add(s, e, parts[1], "the first factor forgotten");
      case ScalarFn::Div: return add(s, e, pool_.call(ScalarFn::Mul, parts[0], parts[1]), "a product for a quotient");
      case ScalarFn::Sin: return add(s, e, pool_.call(ScalarFn::Cos, parts[0]), "a cosine for a sine");
      case ScalarFn::Cos: return add(s, e, pool_.call(ScalarFn::Sin, parts[0]), "a sine for a cosine");
      default: return add(s, e, parts[0], "a function forgotten");
    }
  }

  ExprId replaced(ExprId e, ExprId from, ExprId to, std::unordered_map<std::size_t, ExprId>& known) {
    if (e == from) return to;
    const auto found = known.find(e.index());
    if (found != known.end()) return found->second;
    const ExprId made = rebuilt(e, from, to, known);
    known.emplace(e.index(), made);
    return made;
  }

  ExprId rebuilt(ExprId e, ExprId from, ExprId to, std::unordered_map<std::size_t, ExprId>& known) {
    const auto part = [&](ExprId inner) { return inner.valid() ? replaced(inner, from, to, known) : inner; };
    switch (pool_.node(e).kind) {
      case NodeKind::Literal:
      case NodeKind::Index: return e;
      case NodeKind::Read: {
        const ReadParts parts = pool_.read_of(e);
        return pool_.read(pool_.type(e), parts.tensor, parts.subscripts, part(parts.fill));
      }
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        return pool_.reduce(parts.reduction, parts.labels, part(parts.guard), part(parts.body));
      }
      default: break;
    }
    std::vector<ExprId> arguments = pool_.arguments(e);
    for (ExprId& argument : arguments) argument = part(argument);
    switch (pool_.node(e).kind) {
      case NodeKind::Select: return pool_.select(arguments[0], arguments[1], arguments[2]);
      case NodeKind::Stop: return pool_.stop(arguments[0]);
      case NodeKind::Cast: return pool_.cast(arguments[0], pool_.type(e));
      default: return pool_.call(pool_.fn(e), arguments);
    }
  }

  FormulaPool& pool_;
  const Formula& formula_;
  std::vector<Fault> faults_;
};

}  // namespace mlgc::test
