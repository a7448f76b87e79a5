// Size expressions of torch.export as index expressions.
//
// Reads both forms that a .pt2 file uses: sympy's srepr (`Mul(Integer(2), Symbol('s77', positive=True))`, torch's
// FloorDiv, Mod, Max … included) in tensor sizes, and plain text (`2*s65`) in range constraints. Symbols get names of
// our own, so that the text of a model does not depend on torch's numbering.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/index_expr.h"
#include "support/result.h"

namespace mlgc {

// torch's names to ours. A symbol gets its name when it is first seen: the one that the exporter gave it, else B, B1, …
// for a leading size of an input, S, S1, … for any other, u0, u1, … for sizes that depend on data.
class SymbolNames {
 public:
  SymbolNames() = default;
  // `given`: by torch's names; identifiers that differ.
  explicit SymbolNames(std::map<std::string, std::string, std::less<>> given) : given_(std::move(given)) {}

  // Expressions read while this is set name a new symbol as a leading size.
  void set_leading(bool leading) { leading_ = leading; }
  const std::string& name_of(std::string_view torch_name);
  // Ours, in the order of first appearance, with torch's.
  struct Pair {
    std::string ours, torch;
  };
  [[nodiscard]] const std::vector<Pair>& in_order() const { return order_; }
  [[nodiscard]] bool knows(std::string_view torch_name) const { return ours_.find(torch_name) != ours_.end(); }

 private:
  std::map<std::string, std::string, std::less<>> given_, ours_;
  std::vector<Pair> order_;
  bool leading_ = false;
  int leading_count_ = 0, inner_count_ = 0, unbacked_count_ = 0;
};

// The names of the symbols in a text in srepr, in the order of their first appearance.
[[nodiscard]] std::vector<std::string_view> symbols_of(std::string_view text);

// Error: what is wrong, without the text. Nesting is limited; a value that leaves 64 bits is an error.
[[nodiscard]] Result<IndexExpr> parse_size_expression(std::string_view text, IndexPool& pool, SymbolNames& names);

}  // namespace mlgc
