// Printing of types and attributes, for the printer.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "text/printer.h"

namespace mlgc::text {

class DataPrinter {
 public:
  DataPrinter(const Context& context, TextForm form) : context_(&context), form_(form) {}

  void type(std::string& out, Type type);
  // MLIR has its own names of complex types.
  [[nodiscard]] std::string_view element_type(Dtype dtype) const;
  void type_list(std::string& out, std::span<const Type> types);
  void attribute(std::string& out, Attribute attribute, AttributeKind wanted);
  void symbol(std::string& out, std::string_view name) const;  // with the @
  void key(std::string& out, std::string_view name) const;

 private:
  // Inside of brackets of the pretty form expressions stand as they are.
  void item(std::string& out, Attribute attribute);
  void list(std::string& out, Attribute attribute, AttributeKind wanted);
  void array(std::string& out, Attribute attribute, AttributeKind wanted);
  void dense(std::string& out, const TensorConstant& tensor);
  void elements(std::string& out, const TensorConstant& tensor, std::span<const IndexExpr> dims, std::size_t& next);
  void function_type(std::string& out, Type type);
  void make_type(std::string& out, Type type);
  void make_generic_type(std::string& out, Type type);
  void dim_names(std::string& out, std::span<const IndexExpr> dims) const;
  void quoted_expressions(std::string& out, std::span<const IndexExpr> values, bool operands) const;

  const Context* context_;
  TextForm form_;
  std::vector<std::string> texts_;  // of types, by id; empty: not printed yet
};

}  // namespace mlgc::text
