// Reads attribute values and dictionaries. Where several kinds have the same text, the kind that the op's definition
// wants decides; everything else has the form `#mlgc.<kind><…>`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "text/cursor.h"
#include "text/dense_parser.h"
#include "text/expr_parser.h"
#include "text/mlir_attribute_parser.h"
#include "text/mlir_elements_parser.h"
#include "text/type_parser.h"

namespace mlgc::text {

class AttributeParser {
 public:
  AttributeParser(Cursor& in, Context& context, ExprParser& exprs, TypeParser& types, DenseParser& dense,
                  MlirElementsParser& elements, MlirAttributeParser& mlir)
      : in_(in), context_(context), exprs_(exprs), types_(types), dense_(dense), elements_(elements), mlir_(mlir) {}

  bool parse_attribute(AttributeKind wanted, Attribute& out);
  // `#mlgc.<kind><…>`
  bool parse_escape(Attribute& out);
  // Whether what no row asks for is an attribute of MLIR.
  void read_generic(bool generic) { generic_ = generic; }

  // The attributes of the op at hand.
  [[nodiscard]] std::vector<NamedAttribute>& entries() { return entries_; }
  // { key = value, … }, appended to the entries; the keys are checked against `def` when given.
  bool parse_dict(const OpDef* def, bool generic);
  // Reports a key that stands twice, or that `def` does not have.
  bool check_key(const OpDef* def, const Token& token, std::string_view key);

 private:
  bool parse_number(AttributeKind wanted, bool bracketed, Attribute& out);
  bool parse_special_attribute(AttributeKind wanted, Attribute& out);
  bool parse_typed_number(AttributeKind wanted, Attribute& out);
  bool parse_list(AttributeKind wanted, Attribute& out);
  bool parse_item(AttributeKind wanted, Attribute& out);
  bool parse_keyword_attribute(AttributeKind wanted, Attribute& out, bool& known);
  bool parse_typed_array(Attribute& out);
  bool parse_entries(const OpDef* def, bool generic);

  Cursor& in_;
  Context& context_;
  ExprParser& exprs_;
  TypeParser& types_;
  DenseParser& dense_;
  MlirElementsParser& elements_;
  MlirAttributeParser& mlir_;
  std::vector<NamedAttribute> entries_;
  bool generic_ = false;  // between the braces of a generic op
  std::string scratch_;
};

// A list of the kind that the items have, or that is wanted.
bool make_attribute_list(Context& context, AttributeKind wanted, const std::vector<Attribute>& items, Attribute& out);

}  // namespace mlgc::text
