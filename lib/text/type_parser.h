// Reads types of values, in the pretty form and in MLIR's (tensor encodings and memref spaces carry what MLIR has
// no syntax for).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "ir/context.h"
#include "text/alias_table.h"
#include "text/cursor.h"
#include "text/expr_parser.h"

namespace mlgc::text {

class TypeParser {
 public:
  TypeParser(Cursor& in, Context& context, ExprParser& exprs, AliasTable& aliases)
      : in_(in), context_(context), exprs_(exprs), aliases_(aliases) {}

  bool parse_type(Type& out);
  bool parse_type_list(std::vector<Type>& out);     // T {, T}
  bool parse_result_types(std::vector<Type>& out);  // T or ( [T {, T}] )
  bool parse_dtype(Dtype& out);
  // Reports complex elements, where `what` is computed with.
  bool check_real(const Token& word, std::string_view what, Dtype dtype);

 private:
  bool parse_shape(std::vector<IndexExpr>& dims, Dtype& dtype, bool& anonymous);
  bool parse_tensor(const Token& word, Type& out);
  bool parse_vector(const Token& word, Type& out);
  bool parse_buffer(Type& out);
  bool parse_memref(const Token& word, Type& out);
  bool parse_dim_names(const Token& word, std::vector<IndexExpr>& dims);
  bool check_named(const Token& word, const std::vector<IndexExpr>& dims);
  bool check_dim(const Token& token, IndexExpr dim);

  Cursor& in_;
  Context& context_;
  ExprParser& exprs_;
  AliasTable& aliases_;
  // Recently read tensor types by their text: most of a program repeats few types.
  struct CachedType {
    std::string_view text;
    Type type;
  };
  std::array<CachedType, 256> type_cache_{};
};

}  // namespace mlgc::text
