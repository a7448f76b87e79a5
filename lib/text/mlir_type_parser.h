// Reads MLIR's builtin types, as they stand in attributes: each is checked and appended in canonical form. Types of
// values are read by TypeParser, which knows what a program here can compute with.
#pragma once

#include <string>

#include "text/alias_table.h"
#include "text/cursor.h"
#include "text/mlir_type.h"

namespace mlgc::text {

class MlirTypeParser {
 public:
  MlirTypeParser(Cursor& in, AliasTable& aliases, MlirAttributeParser& mlir)
      : in_(in), aliases_(aliases), mlir_(mlir) {}

  bool mlir_type(std::string& out, MlirType& info);

 private:
  bool mlir_type_list(std::string& out);
  bool mlir_shape(std::string& out, MlirType& info);
  bool mlir_memref_rest(std::string& out);
  bool mlir_other_type(std::string& out, MlirType& info);

  Cursor& in_;
  AliasTable& aliases_;
  MlirAttributeParser& mlir_;
};

}  // namespace mlgc::text
