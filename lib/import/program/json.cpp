// JSON without exceptions; see json.h.
#include "import/program/json.h"

#include <limits>

#include "diag/kinds_import.h"

namespace mlgc::program {

namespace {

// Remembers where parsing stopped; nlohmann's own message is not kept, since its wording differs between versions.
class SyntaxHandler : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  explicit SyntaxHandler(Json& root) : json_sax_dom_parser(root, false) {}
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    position_ = position;
    return false;
  }
  // Nesting is bounded, so that nothing that walks a document can run out of stack.
  bool start_object(std::size_t size) { return enter() && json_sax_dom_parser::start_object(size); }
  bool start_array(std::size_t size) { return enter() && json_sax_dom_parser::start_array(size); }
  bool end_object() {
    --depth_;
    return json_sax_dom_parser::end_object();
  }
  bool end_array() {
    --depth_;
    return json_sax_dom_parser::end_array();
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  static constexpr int kMaxDepth = 1000;
  bool enter() { return ++depth_ <= kMaxDepth; }
  int depth_ = 0;
  std::size_t position_ = 0;
};

const Json& null_value() {
  static const Json value;
  return value;
}

}  // namespace

std::optional<Json> parse_json(std::span<const std::byte> bytes, const std::string& member, Location at,
                               DiagnosticEngine& engine) {
  const std::string_view text = as_text(bytes);
  Json document;
  SyntaxHandler handler(document);
  if (!Json::sax_parse(text.begin(), text.end(), &handler)) {
    engine.emit(diagnose<kModelJson>(at, member, static_cast<std::int64_t>(handler.position())));
    return std::nullopt;
  }
  return document;
}

std::string Place::text() const {
  std::string own = is_index_ ? "[" + std::to_string(index_) + "]" : std::string(label_);
  if (parent_ == nullptr) return own;
  return parent_->text() + (is_index_ ? "" : ".") + own;
}

void JsonReader::fail(const Place& place, std::string_view expected) {
  if (!ok()) return;
  error_place_ = place.text();
  error_expected_ = expected;
}

const Json& JsonReader::find(const Json& object, const char* key) {
  if (!object.is_object()) return null_value();
  const auto found = object.find(key);
  return found == object.end() ? null_value() : *found;
}

const Json& JsonReader::require(const Json& object, const char* key, const Place& place) {
  const Json& value = find(object, key);
  if (value.is_null()) fail(place, std::string("a member `") + key + "`");
  return value;
}

std::string JsonReader::text(const Json& value, const Place& place) {
  if (value.is_string()) return value.get_ref<const std::string&>();
  fail(place, "a string");
  return {};
}

std::int64_t JsonReader::integer(const Json& value, const Place& place) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    fail(place, "an integer of 64 bits");
  else if (value.is_number_integer())
    return value.get<std::int64_t>();
  else
    fail(place, "an integer");
  return 0;
}

bool JsonReader::boolean(const Json& value, const Place& place) {
  if (value.is_boolean()) return value.get<bool>();
  fail(place, "true or false");
  return false;
}

double JsonReader::real(const Json& value, const Place& place) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  fail(place, "a number, \"Infinity\", \"-Infinity\" or \"NaN\"");
  return 0;
}

const Json& JsonReader::array(const Json& value, const Place& place) {
  static const Json empty = Json::array();
  if (value.is_array()) return value;
  fail(place, "an array");
  return empty;
}

const Json& JsonReader::object(const Json& value, const Place& place) {
  static const Json empty = Json::object();
  if (value.is_object()) return value;
  fail(place, "an object");
  return empty;
}

std::int64_t JsonReader::constant_size(const Json& value, const Place& place) {
  const Json& number = find(value, "as_int");
  if (!number.is_null()) return integer(number, place);
  fail(place, "a constant size `{\"as_int\": n}`");
  return 0;
}

}  // namespace mlgc::program
