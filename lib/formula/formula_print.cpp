// Ground formulas as text. What is printed parses back to the same expressions: literals and index labels are bare
// where the operand they meet gives them its type, and have a cast elsewhere.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "formula/formula_sizes.h"
#include "formula/instantiate.h"

namespace mlgc {
namespace {

class Printer {
 public:
  Printer(FormulaPool& pool, const Formula& formula) : pool_(pool), formula_(formula) {
    // An index label may not share its name with a tensor or a symbol.
    std::unordered_set<std::string> taken{"pi", "inf", "nan",  "true", "false", "and",
                                          "or", "not", "from", "if",   "where", "over"};
    for (const AtomId size : sizes_of(pool, formula)) taken.emplace(pool.index().symbol_name(size));
    for (const FormulaTensor& t : formula.tensors) taken.insert(t.name);
    for (const std::string& wanted : formula.label_names) {
      std::string name = wanted;
      for (int n = 1; !taken.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
      labels_.push_back(std::move(name));
    }
  }

  std::string statement(const Statement& st) {
    over_.clear();
    symbols_ = false;
    std::string out = formula_.tensor(st.result).name + "[";
    for (AtomId l : st.labels) note(l);
    for (std::size_t i = 0; i < st.subscripts.size(); ++i) out += (i ? ", " : "") + index(st.subscripts[i]);
    out += "] ";
    static constexpr std::string_view writes[] = {"=", "+=", "*=", "max=", "min="};
    out += std::string(writes[static_cast<std::size_t>(st.write)]) + " " + alone(st.body);
    if (!st.pull) {
      if (st.base.valid()) {
        out += " from " + formula_.tensor(st.base).name;
      } else {
        out += " from zeros[";
        const auto& shape = formula_.tensor(st.result).shape;
        for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + index(shape[i]);
        out += "]";
      }
    }
    if (st.guard.valid()) out += " if " + expression(st.guard, 0);
    for (std::size_t i = 0; i < over_.size(); ++i) {
      const Atom& a = pool_.index().atom(over_[i]);
      const bool constant = pool_.index().as_constant(a.a).has_value();
      out += (i ? ", " : " over ") + labels_[a.number] + " < " + (constant ? "" : "[") + index(a.a) +
             (constant ? "" : "]");
    }
    // Symbols are names of the ground form only, so a statement without labels states that it is in that form.
    return over_.empty() && symbols_ ? out + " over" : out;
  }

  // An expression that nothing gives a type.
  std::string alone(ExprId e) {
    if (pool_.node(e).kind == NodeKind::Literal) return literal(e, true);
    return expression(e, 0);
  }

 private:
  void note(AtomId l) {
    if (std::find(over_.begin(), over_.end(), l) == over_.end()) over_.push_back(l);
  }

  std::string index(IndexExpr e) {
    pool_.index().for_each_atom(
        e, [this](AtomId id) { symbols_ = symbols_ || pool_.index().atom(id).kind == AtomKind::Symbol; });
    return pool_.index().print(e, [&](AtomId id) {
      const Atom& a = pool_.index().atom(id);
      if (a.kind == AtomKind::IndexLabel) return labels_.at(a.number);
      const ExprId inner(a.number);
      return pool_.node(inner).kind == NodeKind::Read ? expression(inner, 9) : "int(" + expression(inner, 0) + ")";
    });
  }

  std::string literal(ExprId e, bool untyped_place) {
    const Dtype type = pool_.type(e);
    if (type == Dtype::I1) return pool_.literal_integer(e) != 0 ? "true" : "false";
    std::string text;
    if (!is_float(type)) {
      text = std::to_string(pool_.literal_integer(e));
    } else {
      const double v = pool_.literal_real(e);
      if (std::isnan(v)) {
        text = "nan";
      } else if (std::isinf(v)) {
        text = v < 0 ? "-inf" : "inf";
      } else {
        char buffer[40];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
        text.assign(buffer, end);
        if (text.find_first_of(".e") == std::string::npos) text += ".0";
        // The grammar wants a digit after the dot, which to_chars gives, and reads `1e-05` as it is.
      }
    }
    const bool is_default = type == Dtype::F32 || type == Dtype::I64;
    return untyped_place && !is_default ? std::string(dtype_info(type).name) + "(" + text + ")" : text;
  }

  // Operands of one call: a literal stands bare when the other operand has a type of its own.
  std::string operand(ExprId e, ExprId other, int level) {
    if (pool_.node(e).kind == NodeKind::Literal) {
      const bool typed = other.valid() && pool_.node(other).kind != NodeKind::Literal && !is_bare_index(other);
      std::string text = literal(e, !typed);
      return level > 6 && text[0] == '-' ? "(" + text + ")" : text;
    }
    if (is_bare_index(e) && pool_.type(e) != Dtype::I64) {
      const bool typed = other.valid() && pool_.node(other).kind != NodeKind::Literal && !is_bare_index(other);
      const IndexExpr i = pool_.index_of(pool_.arguments(e)[0]);
      if (typed) return "(" + index(i) + ")";
    }
    return expression(e, level);
  }

  bool is_bare_index(ExprId e) const {
    return pool_.node(e).kind == NodeKind::Cast && pool_.node(pool_.arguments(e)[0]).kind == NodeKind::Index;
  }

  // Binding strength: 0 or, 1 and, 2 not, 3 comparison, 4 sum, 5 product, 7 unary, 9 primary.
  std::string expression(ExprId e, int level) {
    auto wrap = [&](int mine, std::string text) { return mine < level ? "(" + text + ")" : std::move(text); };
    const ExprNode& n = pool_.node(e);
    switch (n.kind) {
      case NodeKind::Literal: return wrap(7, literal(e, true));
      case NodeKind::Index: return "(" + index(pool_.index_of(e)) + ")";
      case NodeKind::Read: {
        const ReadParts parts = pool_.read_of(e);
        std::string out = formula_.tensor(parts.tensor).name + "[";
        for (std::size_t i = 0; i < parts.subscripts.size(); ++i) out += (i ? ", " : "") + index(parts.subscripts[i]);
        out += "]";
        if (parts.fill.valid()) {
          const bool is_literal = pool_.node(parts.fill).kind == NodeKind::Literal;
          out += "?" + (is_literal ? literal(parts.fill, false) : expression(parts.fill, 9));
        }
        return out;
      }
      case NodeKind::Stop: return "stop(" + alone(pool_.arguments(e)[0]) + ")";
      case NodeKind::Cast: {
        const ExprId inner = pool_.arguments(e)[0];
        if (pool_.node(inner).kind == NodeKind::Index) {
          const std::string text = index(pool_.index_of(inner));
          if (n.type != Dtype::I64) return std::string(dtype_info(n.type).name) + "(" + text + ")";
          return level > 4 ? "(" + text + ")" : text;
        }
        return std::string(dtype_info(n.type).name) + "(" + alone(inner) + ")";
      }
      case NodeKind::Select: {
        const auto a = pool_.arguments(e);
        return "select(" + expression(a[0], 0) + ", " + operand(a[1], a[2], 0) + ", " + operand(a[2], a[1], 0) + ")";
      }
      case NodeKind::Reduce: {
        const ReduceParts parts = pool_.reduce_of(e);
        std::string out = std::string(reduction_name(parts.reduction)) + "[";
        for (std::size_t i = 0; i < parts.labels.size(); ++i) {
          note(parts.labels[i]);
          out += (i ? ", " : "") + labels_.at(pool_.index().atom(parts.labels[i]).number);
        }
        if (parts.guard.valid()) out += " | " + expression(parts.guard, 0);
        return out + "](" + alone(parts.body) + ")";
      }
      case NodeKind::Call: break;
    }
    const auto args = pool_.arguments(e);
    const ScalarFn fn = pool_.fn(e);
    const std::string name(scalar_fn_info(fn).name);
    auto infix = [&](const std::string& sign, int mine, int left, int right) {
      return wrap(mine, operand(args[0], args[1], left) + sign + operand(args[1], args[0], right));
    };
    switch (fn) {
      case ScalarFn::Neg: return wrap(7, "-" + operand(args[0], {}, 8));
      case ScalarFn::Not: return wrap(2, "not " + expression(args[0], 3));
      case ScalarFn::Or: return infix(" or ", 0, 0, 1);
      case ScalarFn::And: return infix(" and ", 1, 1, 2);
      case ScalarFn::Le:
        // 0 <= e is how conditions on indices are kept; it reads better with the expression in front.
        if (pool_.node(args[0]).kind == NodeKind::Literal && is_bare_index(args[1]))
          return wrap(3, expression(args[1], 4) + " >= " + literal(args[0], false));
        return infix(" <= ", 3, 4, 4);
      case ScalarFn::Lt:
      case ScalarFn::Eq:
      case ScalarFn::Ne: return infix(" " + name + " ", 3, 4, 4);
      case ScalarFn::Add:
      case ScalarFn::Sub: return infix(" " + name + " ", 4, 4, 5);
      case ScalarFn::Mul: return infix("*", 5, 5, 6);
      case ScalarFn::Div:
      case ScalarFn::FloorDiv:
      case ScalarFn::Mod: return infix(" " + name + " ", 5, 5, 6);
      default: {
        std::string out = name + "(";
        for (std::size_t i = 0; i < args.size(); ++i)
          out += (i ? ", " : "") + operand(args[i], args.size() == 2 ? args[1 - i] : ExprId(), 0);
        return out + ")";
      }
    }
  }

  FormulaPool& pool_;
  const Formula& formula_;
  std::vector<std::string> labels_;
  std::vector<AtomId> over_;
  bool symbols_ = false;  // the statement mentions one
};

}  // namespace

std::string print_statement(FormulaPool& pool, const Formula& formula, const Statement& statement) {
  return Printer(pool, formula).statement(statement);
}

std::string print_expression(FormulaPool& pool, const Formula& formula, ExprId e) {
  return Printer(pool, formula).alone(e);
}

std::string print_formula(FormulaPool& pool, const Formula& formula) {
  Printer printer(pool, formula);
  std::string out;
  for (const Statement& st : formula.statements) out += (out.empty() ? "" : ";\n") + printer.statement(st);
  return out;
}

}  // namespace mlgc
