// Reads MLIR's attributes where no row says what an attribute is: in the generic form, and in `#mlgc.mlir<"…">` of the
// pretty one. Each is checked and appended in canonical form; what is one of our kinds becomes that, everything else
// stays text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ir/context.h"
#include "text/affine_parser.h"
#include "text/alias_table.h"
#include "text/cursor.h"
#include "text/mlir_elements_parser.h"
#include "text/mlir_type_parser.h"

namespace mlgc::text {

class AttributeParser;

class MlirAttributeParser {
 public:
  MlirAttributeParser(Cursor& in, Context& context, AliasTable& aliases, MlirTypeParser& mlir_types,
                      MlirElementsParser& elements, AffineParser& affine, AttributeParser& attributes)
      : in_(in),
        context_(context),
        aliases_(aliases),
        mlir_types_(mlir_types),
        elements_(elements),
        affine_(affine),
        attributes_(attributes) {}

  bool parse_mlir_attribute(Attribute& out);
  // Appends the attribute at hand in MLIR's syntax.
  bool mlir_text(std::string& out);

 private:
  Attribute own_attribute(const SourceFile& file, std::size_t begin, std::size_t end, std::string_view text);
  bool mlir_keyword(std::string& out);
  bool mlir_hash(std::string& out);
  bool mlir_key(std::string& key);
  bool mlir_dict(std::string& out);
  bool mlir_strided(std::string& out);
  bool mlir_location(std::string& out);

  Cursor& in_;
  Context& context_;
  AliasTable& aliases_;
  MlirTypeParser& mlir_types_;
  MlirElementsParser& elements_;
  AffineParser& affine_;
  AttributeParser& attributes_;
};

}  // namespace mlgc::text
