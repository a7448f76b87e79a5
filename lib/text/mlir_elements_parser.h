// Reads numbers with a type, arrays and constants of MLIR's attributes: each is checked and appended in canonical form.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/context.h"
#include "text/alias_table.h"
#include "text/cursor.h"
#include "text/mlir_type.h"
#include "text/mlir_type_parser.h"
#include "text/resource_sections.h"

namespace mlgc::text {

class MlirElementsParser {
 public:
  MlirElementsParser(Cursor& in, Context& context, MlirTypeParser& mlir_types, ResourceSections& resources,
                     AliasTable& aliases)
      : in_(in), context_(context), mlir_types_(mlir_types), resources_(resources), aliases_(aliases) {}

  // `own`: set to the attribute where that is one of ours.
  bool mlir_number(std::string& out, Attribute* own);
  // After the word.
  bool mlir_array(std::string& out);
  bool mlir_dense(std::string& out);
  bool mlir_sparse(std::string& out);
  bool mlir_dense_resource(std::string& out);

 private:
  bool mlir_constant_type(std::string& out, MlirType& type, Cursor::Place& after);
  bool mlir_element(std::string& out, const MlirType& type);
  bool mlir_elements(std::string& out, std::span<const std::int64_t> dims, const MlirType& element, bool top);
  // Of a static shape; saturated, since no text has so many bytes.
  [[nodiscard]] static std::uint64_t element_count(const MlirType& type);
  bool mlir_hex_elements(std::string& out, const MlirType& type);
  bool mlir_literal(const Token& first, const Token& digits, bool negative, const MlirType& type, std::string& out,
                    Attribute* own);

  Cursor& in_;
  Context& context_;
  MlirTypeParser& mlir_types_;
  ResourceSections& resources_;
  AliasTable& aliases_;
};

}  // namespace mlgc::text
