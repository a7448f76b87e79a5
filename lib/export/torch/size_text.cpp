// Expressions over sizes in Python, which rounds quotients as mlgc does.
#include "export/torch/torch_program.h"

namespace mlgc {
namespace {

class SizeText {
 public:
  explicit SizeText(const IndexPool& pool) : pool_(pool) {}

  [[nodiscard]] std::string sum(IndexExpr e) const {
    std::string out;
    for (std::size_t i = 0; i < pool_.term_count(e); ++i) {
      const Term term = pool_.term(e, i);
      std::string text = product(term);
      if (out.empty())
        out = (term.coefficient < 0 ? "-" : "") + text;
      else
        out += (term.coefficient < 0 ? " - " : " + ") + text;
    }
    return out.empty() ? "0" : out;
  }

 private:
  // Without its sign.
  [[nodiscard]] std::string product(const Term& term) const {
    const std::string digits = std::to_string(term.coefficient);
    const std::string number = term.coefficient < 0 ? digits.substr(1) : digits;
    std::string out = number == "1" && !term.factors.empty() ? "" : number;
    for (const AtomId factor : term.factors) out += (out.empty() ? "" : "*") + atom(factor);
    return out;
  }
  [[nodiscard]] std::string atom(AtomId id) const {
    const Atom& a = pool_.atom(id);
    switch (a.kind) {
      case AtomKind::Symbol: return std::string(pool_.symbol_name(id));
      case AtomKind::FloorDiv: return "(" + operand(a.a) + "//" + operand(a.b) + ")";
      case AtomKind::Mod: return "(" + operand(a.a) + "%" + operand(a.b) + ")";
      case AtomKind::Min: return "min(" + sum(a.a) + ", " + sum(a.b) + ")";
      case AtomKind::Max: return "max(" + sum(a.a) + ", " + sum(a.b) + ")";
      case AtomKind::IndexLabel:
      case AtomKind::Opaque: break;
    }
    throw InternalError("size_text: not an expression over sizes");
  }
  [[nodiscard]] std::string operand(IndexExpr e) const {
    return pool_.as_atom(e) || pool_.as_constant(e) ? sum(e) : "(" + sum(e) + ")";
  }

  const IndexPool& pool_;
};

}  // namespace

std::string size_text(const Context& context, IndexExpr size) { return SizeText(context.index()).sum(size); }

}  // namespace mlgc
