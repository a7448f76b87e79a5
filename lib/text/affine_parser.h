// Reads affine maps and sets of MLIR's attributes: each is checked and appended in canonical form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/cursor.h"

namespace mlgc::text {

class AffineParser {
 public:
  explicit AffineParser(Cursor& in) : in_(in) {}

  // After the word.
  bool mlir_affine_map(std::string& out);
  bool mlir_affine_set(std::string& out);

 private:
  struct Name {
    std::string_view name;
    bool symbol;
  };
  bool affine_names(std::string& out, std::vector<Name>& names);
  bool affine_expr(std::string& out, const std::vector<Name>& names, bool& symbolic);
  bool affine_factor(std::string& out, const std::vector<Name>& names, bool& symbolic);

  Cursor& in_;
};

}  // namespace mlgc::text
