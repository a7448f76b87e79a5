// diag/json_writer.h: nesting, commas, layouts, and what strings become.
#include "diag/json_writer.h"

#include <string>
#include <vector>

#include "support_catch.h"

using namespace mlgc;

namespace {

std::string nested(JsonWriter::Layout layout) {
  JsonWriter out(layout);
  out.member("version", 1);
  out.object("empty", [] {});
  out.objects("none", std::vector<int>{}, [](int) {});
  out.objects("items", std::vector<int>{1, -2}, [&](int item) {
    out.member("n", item);
    out.object("in", [&] { out.strings("names", std::vector<std::string>{"a", "b"}); });
  });
  out.member("last", true);
  return out.take();
}

TEST_CASE("members and items are kept apart at every level") {
  CHECK(nested(JsonWriter::Layout::Compact) ==
        "{\"version\":1,\"empty\":{},\"none\":[],\"items\":[{\"n\":1,\"in\":{\"names\":[\"a\",\"b\"]}},"
        "{\"n\":-2,\"in\":{\"names\":[\"a\",\"b\"]}}],\"last\":true}\n");
  CHECK(nested(JsonWriter::Layout::Spaced) ==
        "{\"version\": 1, \"empty\": {}, \"none\": [], \"items\": [{\"n\": 1, \"in\": {\"names\": [\"a\", \"b\"]}}, "
        "{\"n\": -2, \"in\": {\"names\": [\"a\", \"b\"]}}], \"last\": true}\n");
}

TEST_CASE("lines start where they are asked for, and nowhere else") {
  JsonWriter out(JsonWriter::Layout::Spaced);
  out.new_line(2);
  out.member("a", "x");
  out.new_line(2);
  out.objects_on_lines("b", std::vector<int>{1, 2}, 4, [&](int item) { out.member("n", item); });
  out.new_line(2);
  out.objects_on_lines("c", std::vector<int>{}, 4, [](int) {});
  out.number("d", "1e-3");
  out.new_line(0);
  CHECK(out.take() ==
        "{\n  \"a\": \"x\",\n  \"b\": [\n    {\"n\": 1},\n    {\"n\": 2}\n  ],\n  \"c\": [], \"d\": 1e-3\n}\n");
}

TEST_CASE("each object has a line, and numbers are written in lists as they are given") {
  JsonWriter out(JsonWriter::Layout::Spaced);
  out.objects_by_lines("a", std::vector<int>{1, 2}, [&](int item) {
    out.numbers("n", std::vector<std::int64_t>{item, -item});
    out.numbers("x", std::vector<std::string>{"1.0", "nan"});
  });
  out.objects_by_lines("b", std::vector<int>{}, [](int) {});
  out.numbers("c", std::vector<int>{});
  CHECK(out.take() ==
        "{\"a\": [{\"n\": [1, -1], \"x\": [1.0, nan]},\n{\"n\": [2, -2], \"x\": [1.0, nan]}], \"b\": [], \"c\": []}\n");
}

TEST_CASE("names and texts are escaped, and text that ends in a bracket starts no nesting") {
  JsonWriter out;
  out.member("a\"b", "line\nwith \\ and {");
  out.strings("s", std::vector<std::string>{"[", "\x01\xFF"});
  CHECK(out.take() == "{\"a\\\"b\":\"line\\nwith \\\\ and {\",\"s\":[\"[\",\"\\u0001\xEF\xBF\xBD\"]}\n");
}

}  // namespace
