// See table_writer.h.
#include "codegen/cpp/table_writer.h"

#include <algorithm>

#include "tensor/dtype.h"

namespace mlgc::codegen {
namespace {

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

}  // namespace

std::string dtype_name(Dtype dtype) { return "MLGC_" + upper(dtype_info(dtype).name); }

std::string number(std::int64_t value) {
  // The least one has no literal.
  return value == INT64_MIN ? "(-MLGC_I64_MAX - 1)" : std::to_string(value);
}

std::string TableWriter::array(const std::string& type, const std::string& stem, const std::vector<std::string>& rows) {
  if (rows.empty()) return "nullptr";
  std::string text;
  for (const std::string& row : rows) text += "    " + row + ",\n";
  const auto [known, is_new] = arrays_.try_emplace(type + text, "mlgc_" + stem + "_" + std::to_string(arrays_.size()));
  if (is_new) out_ << "const " << type << " " << known->second << "[] = {\n" << text << "};\n";
  return known->second;
}

std::string TableWriter::atom(AtomId id) {
  const Atom& a = index_.atom(id);
  const auto both = [&](const char* op) { return words(a.a) + words(a.b) + op; };
  switch (a.kind) {
    case AtomKind::Symbol: return "MLGC_SYMBOL, " + std::to_string(symbols_.at(id)) + ", ";
    case AtomKind::FloorDiv: return both("MLGC_FLOORDIV, ");
    case AtomKind::Mod: return both("MLGC_MOD, ");
    case AtomKind::Min: return both("MLGC_MIN, ");
    case AtomKind::Max: return both("MLGC_MAX, ");
    default: throw InternalError("a size over what is no symbol");
  }
}

std::string TableWriter::words(IndexExpr e) {
  std::string out;
  for (std::size_t i = 0; i < index_.term_count(e); ++i) {
    const Term term = index_.term(e, i);
    const bool ones =
        std::all_of(term.factors.begin(), term.factors.end(), [&](AtomId f) { return ones_.contains(f); });
    std::string product;
    if (term.coefficient != 1 || ones) product = "MLGC_CONSTANT, " + number(term.coefficient) + ", ";
    for (const AtomId factor : term.factors) {
      if (ones_.contains(factor)) continue;
      const bool first = product.empty();
      product += atom(factor) + (first ? "" : "MLGC_MUL, ");
    }
    out += product + (i == 0 ? "" : "MLGC_ADD, ");
  }
  return out.empty() ? "MLGC_CONSTANT, 0, " : out;
}

std::string TableWriter::program(const std::string& words) {
  return array("mlgc_i64", "program", {words + "MLGC_END"});
}

std::string TableWriter::integer(IndexExpr e) {
  const auto constant = index_.as_constant(e);
  return constant ? "{" + number(*constant) + ", nullptr}" : "{0, " + program(words(e)) + "}";
}

std::string TableWriter::integer_or_unknown(std::optional<IndexExpr> e) {
  return !e || *e == index_.overflow() ? "{-1, nullptr}" : integer(*e);
}

}  // namespace mlgc::codegen
