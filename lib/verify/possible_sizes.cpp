// Constraints as linear equations and inequalities over integers: atoms and products of atoms are the variables, with
// what is known of remainders, quotients, minima and maxima stated as further equations and inequalities.
#include "verify/possible_sizes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace mlgc {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMostEnumerated = std::int64_t{1} << 22;  // about 10 ms
constexpr std::int64_t kMostValues = 4096;                       // of one size that are tried
constexpr int kRounds = 8;                                       // of bounds
constexpr Wide kNone = Wide{1} << 100;                           // no upper bound; its negation: no lower one

struct Row {
  std::map<std::uint32_t, std::int64_t> factors;  // by variable, none is 0
  std::int64_t constant = 0;
};

Wide floor_quotient(Wide a, Wide b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0); }

class Sizes {
 public:
  explicit Sizes(IndexPool& pool) : pool_(pool) {}

  void state(const Constraint& constraint) {
    for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
      const IndexExpr left = constraint.terms[i], right = constraint.terms[i + 1];
      switch (constraint.relations[i]) {
        case Relation::Equal: equations_.push_back(row(left, right)); break;
        case Relation::NotEqual: break;
        case Relation::Less: at_least(right, left, 1); break;
        case Relation::LessEqual: at_least(right, left, 0); break;
        case Relation::Greater: at_least(left, right, 1); break;
        case Relation::GreaterEqual: at_least(left, right, 0); break;
      }
    }
  }

  [[nodiscard]] bool contradictory(const Constraints& constraints) {
    const std::vector<Row> equations = equations_;  // further ones may not appear below
    for (const Row& equation : equations) {
      Row negated{{}, -equation.constant};
      for (const auto& [variable, factor] : equation.factors) negated.factors[variable] = -factor;
      inequalities_.push_back(equation);
      inequalities_.push_back(std::move(negated));
    }
    return unsolvable(equations) || negative_cycle() || empty_range() || no_value(constraints);
  }

 private:
  // right <= left - margin
  void at_least(IndexExpr left, IndexExpr right, std::int64_t margin) {
    inequalities_.push_back(row(left, right, margin));
  }

  // left - right - margin
  Row row(IndexExpr left, IndexExpr right, std::int64_t margin = 0) {
    Row out;
    const IndexExpr difference = pool_.sub(pool_.sub(left, right), pool_.constant(margin));
    if (difference == pool_.overflow()) return out;  // says nothing
    for (std::size_t i = 0; i < pool_.term_count(difference); ++i) {
      const Term term = pool_.term(difference, i);
      if (term.factors.empty()) {
        out.constant = term.coefficient;
      } else {
        const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
        out.factors[variable(factors)] = pool_.term(difference, i).coefficient;
      }
    }
    return out;
  }

  std::uint32_t fresh() { return count_++; }

  std::uint32_t variable(const std::vector<AtomId>& factors) {
    if (const auto found = variables_.find(factors); found != variables_.end()) return found->second;
    const std::uint32_t id = fresh();
    variables_.emplace(factors, id);
    const bool sizes = std::all_of(factors.begin(), factors.end(),
                                   [&](AtomId atom) { return pool_.atom(atom).kind == AtomKind::Symbol; });
    if (sizes) inequalities_.push_back({{{id, 1}}, 0});
    if (factors.size() != 1) return id;
    const Atom atom = pool_.atom(factors[0]);
    const IndexExpr self = pool_.from_atom(factors[0]);
    if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) {
      for (const IndexExpr side : {atom.a, atom.b})
        atom.kind == AtomKind::Min ? at_least(side, self, 0) : at_least(self, side, 0);
    } else if (atom.kind == AtomKind::Mod || atom.kind == AtomKind::FloorDiv) {
      // a == b*quotient + remainder
      const auto divisor = pool_.as_constant(atom.b);
      if (!divisor || *divisor <= 0) return id;
      const std::uint32_t other = fresh();
      const std::uint32_t quotient = atom.kind == AtomKind::Mod ? other : id;
      const std::uint32_t remainder = atom.kind == AtomKind::Mod ? id : other;
      Row equation = row(atom.a, pool_.constant(0));
      equation.factors[quotient] -= *divisor;
      equation.factors[remainder] -= 1;
      std::erase_if(equation.factors, [](const auto& entry) { return entry.second == 0; });
      equations_.push_back(std::move(equation));
      inequalities_.push_back({{{remainder, 1}}, 0});
      inequalities_.push_back({{{remainder, -1}}, *divisor - 1});
    }
    return id;
  }

  // Adds `times` of `from`, without `skip`; false when a number leaves 64 bits.
  static bool add(Row& to, const Row& from, std::int64_t times, std::uint32_t skip) {
    std::int64_t product = 0;
    for (const auto& [variable, factor] : from.factors) {
      if (variable == skip) continue;
      std::int64_t& sum = to.factors[variable];
      if (__builtin_mul_overflow(factor, times, &product) || __builtin_add_overflow(sum, product, &sum)) return false;
      if (sum == 0) to.factors.erase(variable);
    }
    return !__builtin_mul_overflow(from.constant, times, &product) &&
           !__builtin_add_overflow(to.constant, product, &to.constant);
  }

  // No integers satisfy the equations. Each is brought to a factor of 1 or -1, by changes of variables that have
  // inverses in integers, and solved for that variable.
  bool unsolvable(std::vector<Row> rows) {
    for (std::size_t done = 0; done < rows.size();) {
      Row& equation = rows[done];
      std::int64_t divisor = 0;
      for (const auto& [variable, factor] : equation.factors) divisor = std::gcd(divisor, factor);
      if (divisor == 0 ? equation.constant != 0 : equation.constant % divisor != 0) return true;
      if (divisor == 0) {
        ++done;
        continue;
      }
      for (auto& [variable, factor] : equation.factors) factor /= divisor;
      equation.constant /= divisor;
      const auto least = std::min_element(equation.factors.begin(), equation.factors.end(),
                                          [](auto& a, auto& b) { return std::abs(a.second) < std::abs(b.second); });
      const auto [pivot, factor] = *least;
      if (factor == std::numeric_limits<std::int64_t>::min()) return false;
      // What stands for the pivot: the solution, or the pivot less multiples of the others.
      const bool solved = std::abs(factor) == 1;
      Row stand_in;
      if (solved) {
        if (!add(stand_in, equation, -factor, pivot)) return false;
      } else {
        for (const auto& [variable, other] : equation.factors)
          if (variable != pivot)
            if (const Wide times = floor_quotient(other, factor); times != 0)
              stand_in.factors[variable] = static_cast<std::int64_t>(-times);
      }
      for (std::size_t i = solved ? done + 1 : done; i < rows.size(); ++i) {
        const auto found = rows[i].factors.find(pivot);
        if (found == rows[i].factors.end()) continue;
        const std::int64_t times = found->second;
        if (solved) rows[i].factors.erase(found);
        if (!add(rows[i], stand_in, times, pivot)) return false;
        if ((steps_ += static_cast<std::int64_t>(stand_in.factors.size()) + 1) > kMostEnumerated) return false;
      }
      if (solved) ++done;
    }
    return false;
  }

  // Inequalities of two variables that differ by at most a constant are edges; the last node stands for 0.
  bool negative_cycle() {
    struct Edge {
      std::uint32_t from, to;
      Wide length;  // to <= from + length
    };
    std::vector<Edge> edges;
    for (const Row& row : inequalities_) {
      if (row.factors.empty() || row.factors.size() > 2) continue;
      const auto [first, factor] = *row.factors.begin();
      const auto [second, other] = *row.factors.rbegin();
      const Wide size = factor < 0 ? -Wide{factor} : Wide{factor};
      const Wide length = floor_quotient(row.constant, size);
      if (row.factors.size() == 1) {
        edges.push_back(factor > 0 ? Edge{first, count_, length} : Edge{count_, first, length});
      } else if (Wide{factor} + other == 0) {
        edges.push_back(factor > 0 ? Edge{first, second, length} : Edge{second, first, length});
      }
    }
    std::vector<Wide> distance(count_ + std::size_t{1}, 0);
    for (std::uint32_t round = 0; round <= count_; ++round) {
      bool changed = false;
      for (const Edge& edge : edges) {
        if (distance[edge.from] + edge.length >= distance[edge.to]) continue;
        distance[edge.to] = distance[edge.from] + edge.length;
        changed = true;
      }
      if (!changed) return false;
      if ((steps_ += static_cast<std::int64_t>(edges.size())) > kMostEnumerated) return false;
    }
    return true;
  }

  // Tightens the bounds of all variables, some rounds; true when one has no value left.
  bool empty_range() {
    lower_.assign(count_, -kNone);
    upper_.assign(count_, kNone);
    for (int round = 0; round < kRounds; ++round) {
      for (const Row& row : inequalities_) {
        // The greatest value of the sum, and the variables that it has no bound because of.
        Wide most = row.constant;
        std::size_t unbounded = 0;
        std::uint32_t only = 0;
        const auto greatest = [&](std::uint32_t variable, std::int64_t factor) {
          const Wide end = factor > 0 ? upper_[variable] : lower_[variable];
          return end == kNone || end == -kNone ? kNone : end * factor;
        };
        for (const auto& [variable, factor] : row.factors) {
          const Wide end = greatest(variable, factor);
          if (end == kNone) {
            ++unbounded;
            only = variable;
          } else {
            most += end;
          }
        }
        if (unbounded == 0 && most < 0) return true;
        for (const auto& [variable, factor] : row.factors) {
          if (unbounded > 1 || (unbounded == 1 && variable != only)) continue;
          const Wide rest = unbounded == 1 ? most : most - greatest(variable, factor);
          if (rest > kNone / 4 || rest < -kNone / 4) continue;
          // factor*variable >= -rest
          if (factor > 0) {
            lower_[variable] = std::max(lower_[variable], -floor_quotient(rest, factor));
          } else {
            upper_[variable] = std::min(upper_[variable], floor_quotient(rest, -Wide{factor}));
          }
          if (lower_[variable] > upper_[variable]) return true;
        }
        if ((steps_ += static_cast<std::int64_t>(row.factors.size()) + 1) > kMostEnumerated) return false;
      }
    }
    return false;
  }

  // None of the few values that a size may have agrees with what is said of it and of sizes that have one value.
  bool no_value(const Constraints& constraints) {
    std::map<AtomId, std::pair<std::int64_t, std::int64_t>> ranges;
    for (const auto& [factors, variable] : variables_) {
      if (factors.size() != 1 || pool_.atom(factors[0]).kind != AtomKind::Symbol) continue;
      const Wide low = lower_[variable], high = upper_[variable];
      if (low < 0 || high - low >= kMostValues || high > std::numeric_limits<std::int64_t>::max()) continue;
      ranges[factors[0]] = {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
    }
    for (const auto& [symbol, range] : ranges) {
      bool fits = false;
      for (std::int64_t value = range.first; value <= range.second && !fits; ++value) {
        const auto value_of = [&](AtomId atom) -> std::optional<std::int64_t> {
          if (atom == symbol) return value;
          const auto found = ranges.find(atom);
          if (found == ranges.end() || found->second.first != found->second.second) return std::nullopt;
          return found->second.first;
        };
        fits = true;
        for (const Constraint& constraint : constraints) {
          for (std::size_t i = 0; i < constraint.relations.size() && fits; ++i) {
            const Constraint part{{constraint.terms[i], constraint.terms[i + 1]}, {constraint.relations[i]}};
            fits = holds(part, pool_, value_of) != false;
          }
        }
        if ((steps_ += 64 * static_cast<std::int64_t>(constraints.size())) > kMostEnumerated) return false;
      }
      if (!fits) return true;
    }
    return false;
  }

  IndexPool& pool_;
  std::map<std::vector<AtomId>, std::uint32_t> variables_;
  std::uint32_t count_ = 0;
  std::vector<Row> equations_, inequalities_;  // == 0; >= 0
  std::vector<Wide> lower_, upper_;            // by variable
  std::int64_t steps_ = 0;
};

}  // namespace

bool some_sizes_fit(const Constraints& constraints, IndexPool& pool) {
  Sizes sizes(pool);
  for (const Constraint& constraint : constraints) sizes.state(constraint);
  return !sizes.contradictory(constraints);
}

}  // namespace mlgc
