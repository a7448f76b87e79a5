// Reading JSON that may be wrong: lookups never throw, and the first thing that is not as expected is remembered with
// its place. Private to the importers.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "support/bytes.h"

namespace mlgc::program {

using Json = nlohmann::json;

// Nothing after a diagnostic.
[[nodiscard]] std::optional<Json> parse_json(std::span<const std::byte> bytes, const std::string& member, Location at,
                                             DiagnosticEngine& engine);

// A value of a document, with the place where it stands: `graph.nodes[3].target`.
class Place {
 public:
  Place(std::string_view label, const Place* parent = nullptr) : label_(label), parent_(parent) {}
  Place(std::size_t index, const Place* parent) : index_(index), is_index_(true), parent_(parent) {}
  [[nodiscard]] std::string text() const;

 private:
  std::string_view label_;
  std::size_t index_ = 0;
  bool is_index_ = false;
  const Place* parent_;
};

// Remembers the first failure. After one every accessor keeps answering with empty values.
class JsonReader {
 public:
  [[nodiscard]] bool ok() const { return error_place_.empty(); }
  [[nodiscard]] const std::string& error_place() const { return error_place_; }
  [[nodiscard]] const std::string& error_expected() const { return error_expected_; }
  void fail(const Place& place, std::string_view expected);

  // The member of an object; a null value (without failure) when it is not there.
  [[nodiscard]] static const Json& find(const Json& object, const char* key);
  // The same with a failure when it is not there.
  const Json& require(const Json& object, const char* key, const Place& place);

  std::string text(const Json& value, const Place& place);
  std::int64_t integer(const Json& value, const Place& place);
  bool boolean(const Json& value, const Place& place);
  // Also "Infinity", "-Infinity" and "NaN", which torch writes as strings.
  double real(const Json& value, const Place& place);
  const Json& array(const Json& value, const Place& place);   // an empty array after a failure
  const Json& object(const Json& value, const Place& place);  // an empty object after a failure
  // `{"as_int": n}`, the form of a size that is a constant.
  std::int64_t constant_size(const Json& value, const Place& place);

 private:
  std::string error_place_, error_expected_;
};

}  // namespace mlgc::program
