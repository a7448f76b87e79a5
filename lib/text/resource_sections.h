// The metadata sections of a text: `{-# dialect_resources: { builtin: { key: "0x…" } } #-}`, the bytes that
// `dense_resource<key> : tensor<…>` stands for. A use stands before the section that defines its key, so sections are
// looked for when the first key is met. What is read becomes a constant like any other; no section is printed.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/cursor.h"

namespace mlgc::text {

class ResourceSections {
 public:
  explicit ResourceSections(Cursor& in) : in_(in) {}

  // A section at the top level, which is at hand.
  void skip_metadata_section();
  // `<key>:` of a use.
  bool parse_resource_handle(Token& use, std::string& key);
  [[nodiscard]] bool contains(const std::string& key) const { return values_.contains(key); }
  // The bytes that a key stands for; `use` is the key where it is used.
  bool resource_bytes(const Token& use, const std::string& key, std::vector<std::byte>& bytes);

 private:
  template <class ParseEntry>
  bool parse_metadata_map(const ParseEntry& parse_entry);
  bool parse_metadata_value();
  bool parse_metadata_section();
  void find_resources();

  Cursor& in_;
  std::unordered_map<std::string, Token> values_;              // by key
  std::unordered_map<std::size_t, std::size_t> section_ends_;  // by where they begin
  bool found_ = false;
};

}  // namespace mlgc::text
