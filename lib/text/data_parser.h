// Everything of a text that is not an op: the parsers of expressions, types, attributes and locations of one text, each
// of which is given what it calls.
#pragma once

#include "text/affine_parser.h"
#include "text/alias_table.h"
#include "text/attribute_parser.h"
#include "text/cursor.h"
#include "text/dense_parser.h"
#include "text/expr_parser.h"
#include "text/location_parser.h"
#include "text/mlir_attribute_parser.h"
#include "text/mlir_elements_parser.h"
#include "text/mlir_type_parser.h"
#include "text/resource_sections.h"
#include "text/type_parser.h"

namespace mlgc::text {

class DataParser {
 public:
  DataParser(Context& context, const SourceFile& file, DiagnosticEngine& diagnostics, const ParseOptions& options)
      : in_(context.locations(), file, diagnostics, options),
        resources_(in_),
        aliases_(in_, mlir_types_, mlir_, locations_),
        exprs_(in_, context),
        types_(in_, context, exprs_, aliases_),
        dense_(in_, context, types_, resources_),
        affine_(in_),
        mlir_types_(in_, aliases_, mlir_),
        elements_(in_, context, mlir_types_, resources_, aliases_),
        mlir_(in_, context, aliases_, mlir_types_, elements_, affine_, attributes_),
        attributes_(in_, context, exprs_, types_, dense_, elements_, mlir_),
        locations_(in_, context, aliases_, mlir_) {}
  DataParser(const DataParser&) = delete;
  DataParser& operator=(const DataParser&) = delete;

  [[nodiscard]] Cursor& cursor() { return in_; }
  [[nodiscard]] ResourceSections& resources() { return resources_; }
  [[nodiscard]] AliasTable& aliases() { return aliases_; }
  [[nodiscard]] ExprParser& exprs() { return exprs_; }
  [[nodiscard]] TypeParser& types() { return types_; }
  [[nodiscard]] AttributeParser& attributes() { return attributes_; }
  [[nodiscard]] MlirAttributeParser& mlir() { return mlir_; }
  [[nodiscard]] LocationParser& locations() { return locations_; }

 private:
  Cursor in_;
  ResourceSections resources_;
  AliasTable aliases_;
  ExprParser exprs_;
  TypeParser types_;
  DenseParser dense_;
  AffineParser affine_;
  MlirTypeParser mlir_types_;
  MlirElementsParser elements_;
  MlirAttributeParser mlir_;
  AttributeParser attributes_;
  LocationParser locations_;
};

}  // namespace mlgc::text
