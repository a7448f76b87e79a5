// JSON in which every value knows its place in the text: what it takes to say where in a file something is wrong.
//
// Guarantees: the grammar of RFC 8259 and nothing beside it; a name that is repeated in an object is an error (it would
// hide the first one); nesting ends at 64 levels. nlohmann's parser, which the importers use, keeps no places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"

namespace mlgc {

struct JsonNode;
using JsonArray = std::vector<JsonNode>;
struct JsonMember;
using JsonObject = std::vector<JsonMember>;

struct JsonNode {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonArray, JsonObject> value;  // first: null
  std::size_t begin = 0, end = 0;                                                                      // bytes
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
  // Null when this is no object or has no such member.
  [[nodiscard]] const JsonNode* find(std::string_view name) const;
};
struct JsonMember {
  std::string name;
  std::size_t begin = 0, end = 0;  // of the name
  JsonNode node;
};

// A value's kind in words: `a string`.
[[nodiscard]] std::string_view json_kind(const JsonNode& node);

// Nothing after a diagnostic of kind `json-syntax`.
[[nodiscard]] std::optional<JsonNode> parse_located_json(const SourceFile& file, DiagnosticEngine& diagnostics);

}  // namespace mlgc
