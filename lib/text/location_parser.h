// Reads `loc("f":1:2)`, names, fused lists, call sites, and their metadata: what importers note, and any attribute of
// MLIR.
#pragma once

#include <span>
#include <string>

#include "ir/context.h"
#include "text/alias_table.h"
#include "text/cursor.h"

namespace mlgc::text {

class LocationParser {
 public:
  LocationParser(Cursor& in, Context& context, AliasTable& aliases, MlirAttributeParser& mlir)
      : in_(in), context_(context), aliases_(aliases), mlir_(mlir) {}

  bool parse_location(Location& out);  // loc( … )
  bool parse_optional_location(Location& out) { return !in_.at_word("loc") || parse_location(out); }

 private:
  [[nodiscard]] bool at_origin() const;
  bool parse_origin(std::span<std::string> fields);
  bool parse_location_inner(Location& out);

  Cursor& in_;
  Context& context_;
  AliasTable& aliases_;
  MlirAttributeParser& mlir_;
};

}  // namespace mlgc::text
