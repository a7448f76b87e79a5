// Aliases of MLIR's text: `#loc1 = loc("a")`, `#map = affine_map<…>`, `!t = tensor<4xf32>` at the top level. A use may
// stand before the definition, so definitions are found by a walk over the text when the first name is met.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/attribute.h"
#include "ir/type.h"
#include "text/cursor.h"
#include "text/mlir_type.h"

namespace mlgc::text {

class LocationParser;
class MlirAttributeParser;
class MlirTypeParser;

struct Alias {
  enum class State : std::uint8_t { Unread, Reading, Done, Wrong };
  Token name;
  std::size_t body = 0;  // offset of what it stands for
  std::size_t end = 0;   // after that
  State state = State::Unread;
  bool is_location = false;
  Location location;
  Attribute attribute;  // where one was asked for
  MlirType type;
  Type value_type;  // where one was asked for
  std::string text;
  std::size_t depth = 0;  // of its nesting
};

class AliasTable {
 public:
  AliasTable(Cursor& in, MlirTypeParser& mlir_types, MlirAttributeParser& mlir, LocationParser& locations)
      : in_(in), mlir_types_(mlir_types), mlir_(mlir), locations_(locations) {}

  // `#name = …` or `!name = …`, at the top level.
  bool parse_alias();
  // The alias of that name, which starts with its `#` or `!`, and what it stands for; null: an error was reported.
  [[nodiscard]] Alias* use(const Token& name);
  // Parses `#name` where a location is wanted. Null: an error was reported.
  [[nodiscard]] Alias* use_location();
  // How often something stood for what the text has elsewhere.
  [[nodiscard]] std::size_t uses() const { return uses_; }
  void note_use() { ++uses_; }

 private:
  void find_aliases();
  Alias* find_alias(const Token& name);
  bool read(const Token& use, Alias& alias);
  bool read_body(Alias& alias);

  Cursor& in_;
  MlirTypeParser& mlir_types_;
  MlirAttributeParser& mlir_;
  LocationParser& locations_;
  std::unordered_map<std::string_view, Alias> aliases_;
  bool found_ = false;
  std::size_t uses_ = 0;
};

}  // namespace mlgc::text
