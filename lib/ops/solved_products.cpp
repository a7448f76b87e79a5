// Sizes whose exponents keep one ratio in all terms of a function are factors of one product.
#include "ops/solved_products.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>

#include "formula/formula_syntax.h"
#include "ir/function.h"
#include "ir/mentioned_sizes.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "ops/infer_structural.h"

namespace mlgc {
namespace {

using Exponents = std::vector<std::int64_t>;
using Visitor = std::function<void(IndexExpr)>;

class Search {
 public:
  explicit Search(OpRef func)
      : func_(func), context_(func.module().context()), pool_(context_.index()), types_(context_.types()) {}

  SolvedProducts run() {
    find_inputs();
    find_sizes();
    if (sizes_.empty()) return {};
    visit_function(func_, [&](IndexExpr e) { note(e); });
    make_products();
    return std::move(out_);
  }

 private:
  // What stands in the place of one product: its sizes, by number.
  struct Class {
    std::vector<std::size_t> sizes;
    std::vector<std::int64_t> powers;  // in the product, by size
    IndexExpr product;
  };

  [[nodiscard]] std::string name(std::size_t size) const { return std::string(pool_.symbol_name(sizes_[size])); }

  void find_inputs() {
    const bool loops = is_loop_function(func_);
    const std::vector<bool> written = loops ? result_arguments(func_).is_result : std::vector<bool>();
    const auto arguments = func_.region(0).arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if ((loops && written[i]) || !types_.is_shaped(arguments[i].type())) continue;
      const std::span<const IndexExpr> dims = types_.dims(arguments[i].type());
      dims_.insert(dims_.end(), dims.begin(), dims.end());
    }
  }

  // Those in the dims of inputs that are inferred from neither a dim nor a value.
  void find_sizes() {
    std::vector<AtomId> all;
    for (const IndexExpr dim : dims_)
      pool_.for_each_atom(dim, [&](AtomId id) {
        if (pool_.atom(id).kind == AtomKind::Symbol) all.push_back(id);
      });
    for (const IndexExpr dim : dims_)
      std::erase_if(all, [&](AtomId id) { return affine_dim(pool_, dim, pool_.from_atom(id)).has_value(); });
    if (all.empty()) return;
    walk(func_, [&](OpRef op) {
      if (op.is(LoopOp::BindSize)) std::erase(all, BindSizeRef::from(op).size());
      if (op.has_trait(Traits::BindsSize))
        if (const auto size = pool_.as_atom(op.result().dims()[0])) std::erase(all, *size);
    });
    std::sort(all.begin(), all.end(), [&](AtomId a, AtomId b) { return pool_.symbol_name(a) < pool_.symbol_name(b); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    sizes_ = std::move(all);
  }

  // Every expression of the function, but `where`; of what it launches too, in its own words.
  void visit_function(OpRef func, const Visitor& visit) {
    const auto visit_type = [&](Type type) {
      if (!types_.is_shaped(type)) return;
      for (const IndexExpr dim : types_.dims(type)) visit(dim);
    };
    for (const Value v : func.region(0).arguments()) visit_type(v.type());
    walk(func, [&](OpRef op) {
      if (op == func) return;
      if (op.is(LoopOp::Launch)) return visit_launched(op, visit);
      if (visit_mentioned_sizes(op, visit)) visit_text(op, visit);
      for (const RegionRef region : op.regions())
        for (const Value v : region.arguments()) visit_type(v.type());
    });
  }

  void visit_launched(OpRef launch, const Visitor& visit) {
    const CalleeSizes sizes = CalleeSizes::of_launch(launch);
    visit_function(LaunchRef::from(launch).callee(), [&](IndexExpr e) { visit(sizes.in_caller(e)); });
  }

  // A formula in text names sizes; what it says of them is not read. Sizes of its operands, which for_each_size() gives
  // too, are none that it names: they may stand in the product.
  void visit_text(OpRef op, const Visitor& visit) {
    for (const std::string_view word : formula_words(*context_.attributes().as_string(op.attr("formula"))))
      for (std::size_t s = 0; s < sizes_.size(); ++s)
        if (name(s) == word) visit(pool_.from_atom(sizes_[s]));
  }

  // Calls visit(exponents of the sizes) for each term, those inside of quotients and extrema too.
  void for_each_term(IndexExpr e, const std::function<void(const Exponents&)>& visit) const {
    const auto terms_of = [&](IndexExpr of) {
      for (std::size_t t = 0; t < pool_.term_count(of); ++t) {
        Exponents exponents(sizes_.size());
        bool any = false;
        for (const AtomId factor : pool_.term(of, t).factors)
          for (std::size_t s = 0; s < sizes_.size(); ++s)
            if (factor == sizes_[s]) {
              ++exponents[s];
              any = true;
            }
        if (any) visit(exponents);
      }
    };
    terms_of(e);
    pool_.for_each_atom(e, [&](AtomId id) {
      const Atom& atom = pool_.atom(id);
      if (atom.kind == AtomKind::Symbol || atom.kind == AtomKind::IndexLabel || atom.kind == AtomKind::Opaque) return;
      terms_of(atom.a);
      terms_of(atom.b);
    });
  }

  void note(IndexExpr e) {
    for_each_term(e, [&](const Exponents& exponents) { terms_.try_emplace(exponents, e); });
  }

  // The exponents of a size by term, over their greatest common divisor.
  [[nodiscard]] std::pair<Exponents, std::int64_t> ratio(std::size_t size) const {
    Exponents row;
    std::int64_t divisor = 0;
    for (const auto& [exponents, where] : terms_) {
      row.push_back(exponents[size]);
      divisor = std::gcd(divisor, exponents[size]);
    }
    for (std::int64_t& exponent : row) exponent /= divisor;
    return {row, divisor};
  }

  void make_products() {
    std::vector<Class> classes;
    std::map<Exponents, std::size_t> known;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const auto [row, power] = ratio(s);
      const auto [at, is_new] = known.try_emplace(row, classes.size());
      if (is_new) classes.push_back({{}, {}, pool_.constant(1)});
      Class& made = classes[at->second];
      made.sizes.push_back(s);
      made.powers.push_back(power);
      for (std::int64_t i = 0; i < power; ++i) made.product = pool_.mul(made.product, pool_.from_atom(sizes_[s]));
    }
    for (const Class& made : classes) make_product(made);
  }

  void make_product(const Class& made) {
    const std::string product = "`" + pool_.print(made.product) + "`";
    if (made.sizes.size() == 1) return refuse(made, why_alone(made.sizes[0]));
    if (std::find(made.powers.begin(), made.powers.end(), 1) == made.powers.end())
      return refuse(made, "none of the sizes of " + product + " stands in it once");
    if (std::none_of(dims_.begin(), dims_.end(),
                     [&](IndexExpr dim) { return affine_dim(pool_, dim, made.product).has_value(); }))
      return refuse(made, "no dim of an input is a multiple of " + product + " and a constant");
    std::vector<std::vector<Constraint>> alone(made.sizes.size());
    for (const Constraint& constraint : constraints_of(func_)) {
      const auto speaks = speaks_of(made, constraint);
      if (!speaks) return refuse(made, "`where " + print(constraint, pool_) + "` says more than of " + product);
      if (*speaks == made.sizes.size()) continue;
      for (std::size_t i = 0; i < constraint.relations.size(); ++i)
        alone[*speaks].push_back({{constraint.terms[i], constraint.terms[i + 1]}, {constraint.relations[i]}});
    }
    for (std::size_t size = 0; size < made.sizes.size(); ++size) {
      const auto low = lowest(made, size, alone);
      if (!low) continue;
      SolvedProduct solved{made.product, sizes_[made.sizes[size]], {}, *low};
      for (const std::size_t other : made.sizes)
        if (other != made.sizes[size]) solved.ones.push_back(sizes_[other]);
      out_.all.push_back(std::move(solved));
      return;
    }
    std::string said;
    for (const std::vector<Constraint>& constraints : alone)
      for (const Constraint& constraint : constraints) said += (said.empty() ? "" : ", ") + print(constraint, pool_);
    refuse(made, "`where " + said + "` admits some splits of " + product + " and not others");
  }

  void refuse(const Class& made, const std::string& reason) {
    for (const std::size_t size : made.sizes) out_.unsolved.push_back({sizes_[size], reason});
  }

  // Of a size that stands in no product with others everywhere.
  [[nodiscard]] std::string why_alone(std::size_t size) const {
    for (const IndexExpr dim : dims_) {
      std::optional<std::size_t> with;
      for_each_term(dim, [&](const Exponents& exponents) {
        for (std::size_t s = 0; s < sizes_.size() && exponents[size] > 0 && !with; ++s)
          if (s != size && exponents[s] > 0) with = s;
      });
      if (!with) continue;
      for (const auto& [exponents, where] : terms_)
        if ((exponents[size] > 0) != (exponents[*with] > 0))
          return "`" + pool_.print(where) + "` depends on how `" + name(std::min(size, *with)) + "*" +
                 name(std::max(size, *with)) + "` splits";
      return "`" + name(size) + "` and `" + name(*with) + "` stand in products of several kinds";
    }
    for (const IndexExpr dim : dims_)
      if (pool_.mentions(dim, sizes_[size]))
        return "the dim `" + pool_.print(dim) + "` is no multiple of it and a constant";
    throw InternalError("a size of no input");
  }

  // Which of the class's sizes the constraint speaks of and of nothing else; their number: of the product, or of other
  // sizes; nothing: of more.
  [[nodiscard]] std::optional<std::size_t> speaks_of(const Class& made, const Constraint& constraint) const {
    bool product = true;
    std::vector<AtomId> symbols;
    for (const IndexExpr e : constraint.terms) {
      for_each_term(e, [&](const Exponents& exponents) { product = product && is_power(made, exponents); });
      pool_.for_each_atom(e, [&](AtomId id) {
        if (pool_.atom(id).kind == AtomKind::Symbol && std::find(symbols.begin(), symbols.end(), id) == symbols.end())
          symbols.push_back(id);
      });
    }
    if (product) return made.sizes.size();
    if (symbols.size() != 1) return std::nullopt;
    for (std::size_t i = 0; i < made.sizes.size(); ++i)
      if (sizes_[made.sizes[i]] == symbols[0]) return i;
    return std::nullopt;
  }

  [[nodiscard]] static bool is_power(const Class& made, const Exponents& exponents) {
    const std::int64_t times = exponents[made.sizes[0]] / made.powers[0];
    for (std::size_t i = 0; i < made.sizes.size(); ++i)
      if (exponents[made.sizes[i]] != times * made.powers[i]) return false;
    return true;
  }

  [[nodiscard]] bool holds_at(const std::vector<Constraint>& constraints, std::int64_t value) const {
    return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& constraint) {
      return holds(constraint, pool_, [&](AtomId) { return std::optional(value); }).value_or(false);
    });
  }

  // `0 <= size` or `1 <= size`: the bound.
  [[nodiscard]] std::optional<std::int64_t> low_bound(const Constraint& constraint) const {
    const IndexExpr a = constraint.terms[0], b = constraint.terms[1];
    const Relation relation = constraint.relations[0];
    const bool turned = pool_.as_constant(b).has_value();
    const auto bound = pool_.as_constant(turned ? b : a);
    if (!bound || !pool_.as_atom(turned ? a : b) || *bound > 1) return std::nullopt;
    const bool strict = relation == (turned ? Relation::Greater : Relation::Less);
    if (!strict && relation != (turned ? Relation::GreaterEqual : Relation::LessEqual)) return std::nullopt;
    const std::int64_t low = std::max<std::int64_t>(*bound + (strict ? 1 : 0), 0);
    return low <= 1 ? std::optional(low) : std::nullopt;
  }

  // The least value of the product, if the size can stand for it: the others may be 1, and then each value that any
  // split has is one of the size.
  [[nodiscard]] std::optional<std::int64_t> lowest(const Class& made, std::size_t size,
                                                   const std::vector<std::vector<Constraint>>& alone) const {
    if (made.powers[size] != 1) return std::nullopt;
    std::int64_t low = 0;
    for (const Constraint& constraint : alone[size]) {
      const auto bound = low_bound(constraint);
      if (!bound) return std::nullopt;
      low = std::max(low, *bound);
    }
    for (std::size_t other = 0; other < made.sizes.size(); ++other) {
      if (other == size) continue;
      const bool may_be_0 = holds_at(alone[other], 0);
      if (!holds_at(alone[other], 1) || (low == 1 && may_be_0)) return std::nullopt;
    }
    return low;
  }

  OpRef func_;
  Context& context_;
  IndexPool& pool_;
  const TypePool& types_;
  std::vector<IndexExpr> dims_;           // of inputs
  std::vector<AtomId> sizes_;             // that are not dims of their own, by name
  std::map<Exponents, IndexExpr> terms_;  // with the first expression that has them
  SolvedProducts out_;
};

}  // namespace

bool SolvedProducts::is_one(AtomId size) const {
  return std::any_of(all.begin(), all.end(), [&](const SolvedProduct& solved) {
    return std::find(solved.ones.begin(), solved.ones.end(), size) != solved.ones.end();
  });
}

const SolvedProduct* SolvedProducts::of(AtomId size) const {
  for (const SolvedProduct& solved : all)
    if (solved.size == size || std::find(solved.ones.begin(), solved.ones.end(), size) != solved.ones.end())
      return &solved;
  return nullptr;
}

SolvedProducts solved_products(OpRef func) { return Search(func).run(); }

std::optional<AffineDim> affine_dim(const IndexPool& pool, IndexExpr dim, IndexExpr size) {
  if (pool.term_count(size) != 1) return std::nullopt;
  const Term wanted = pool.term(size, 0);
  std::optional<AffineDim> found;
  std::int64_t offset = 0;
  for (std::size_t t = 0; t < pool.term_count(dim); ++t) {
    const Term term = pool.term(dim, t);
    if (term.factors.empty())
      offset = term.coefficient;
    else if (!found && term.coefficient > 0 &&
             std::equal(term.factors.begin(), term.factors.end(), wanted.factors.begin(), wanted.factors.end()))
      found = AffineDim{term.coefficient, 0};
    else
      return std::nullopt;
  }
  if (found) found->offset = offset;
  return found;
}

bool is_kept_by(const SolvedProducts& products, const Constraint& constraint, const IndexPool& pool) {
  const SolvedProduct* solved = nullptr;
  std::vector<AtomId> symbols;
  for (const IndexExpr e : constraint.terms)
    pool.for_each_atom(e, [&](AtomId id) {
      if (pool.atom(id).kind != AtomKind::Symbol || std::find(symbols.begin(), symbols.end(), id) != symbols.end())
        return;
      symbols.push_back(id);
      solved = products.of(id);
    });
  return symbols.size() == 1 && solved != nullptr;
}

}  // namespace mlgc
