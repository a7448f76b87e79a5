// Constant arrays of a unit's table, and integers over symbols in it (lib/runtime/unit.h), as C++.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ir/context.h"
#include "ir/index_expr.h"
#include "ir/type.h"

namespace mlgc::codegen {

// `MLGC_F32`.
[[nodiscard]] std::string dtype_name(Dtype dtype);
[[nodiscard]] std::string number(std::int64_t value);

class TableWriter {
 public:
  explicit TableWriter(const Context& context) : index_(context.index()), types_(context.types()) {}

  // A static array of rows, or null without any; equal ones are one.
  std::string array(const std::string& type, const std::string& stem, const std::vector<std::string>& rows);

  // Integers are over the symbols that follow.
  void begin_symbols() {
    symbols_.clear();
    ones_.clear();
  }
  void set_symbol(AtomId symbol, std::size_t number) { symbols_[symbol] = number; }
  [[nodiscard]] std::string integer(IndexExpr e);
  [[nodiscard]] std::string integer_or_unknown(std::optional<IndexExpr> e);

  const IndexPool& index_;
  const TypePool& types_;

 protected:
  std::string words(IndexExpr e);
  std::string program(const std::string& words);

  std::map<AtomId, std::size_t> symbols_;
  std::set<AtomId> ones_;  // sizes that are 1
  std::ostringstream out_;

 private:
  std::string atom(AtomId id);

  std::map<std::string, std::string> arrays_;  // names by type and rows
};

}  // namespace mlgc::codegen
