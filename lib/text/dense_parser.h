// Reads tensor constants: `dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>`, a single element for all, bytes as `"0x…"`, or a
// resource; and the numbers `inf` and `nan`, which are elements too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/context.h"
#include "text/cursor.h"
#include "text/resource_sections.h"
#include "text/type_parser.h"

namespace mlgc::text {

class DenseParser {
 public:
  DenseParser(Cursor& in, Context& context, TypeParser& types, ResourceSections& resources)
      : in_(in), context_(context), types_(types), resources_(resources) {}

  bool parse_dense(Attribute& out);
  bool parse_dense_resource(Attribute& out);
  // `inf`, `-inf` and `nan`; of a float type, as bits.
  [[nodiscard]] bool at_special_number() const;
  bool parse_special_number(Dtype dtype, std::uint64_t& bits);

 private:
  bool parse_elements(std::span<const IndexExpr> dims, Dtype dtype, std::vector<std::byte>& bytes, bool& splat);
  bool parse_element(Dtype dtype, std::vector<std::byte>& bytes);
  bool parse_hex_bytes(const Token& token, Type type, std::vector<std::byte>& bytes);

  Cursor& in_;
  Context& context_;
  TypeParser& types_;
  ResourceSections& resources_;
};

}  // namespace mlgc::text
