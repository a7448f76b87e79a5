// Size expressions, schemas and stack traces.
#include "import/pt2/symbolic.h"

#include "import/pt2/locations.h"
#include "import/pt2/schema.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct Reader {
  IndexPool pool;
  SymbolNames names;
  std::string read(std::string_view text) {
    const Result<IndexExpr> value = parse_size_expression(text, pool, names);
    return value ? pool.print(*value) : "error: " + value.error();
  }
};

}  // namespace

TEST_CASE("both spellings of size expressions are read") {
  Reader r;
  r.names.set_leading(true);
  CHECK(r.read("Symbol('s77', positive=True, integer=True)") == "B");
  r.names.set_leading(false);
  CHECK(r.read("Add(Mul(Integer(2), Symbol('s12')), Integer(-1))") == "2*S - 1");
  CHECK(r.read("2*s77 + s12") == "2*B + S");
  CHECK(r.read("(s77 - 1)//2") == "(B + 1) floordiv 2 - 1");
  CHECK(r.read("FloorDiv(Symbol('s77'), Integer(2))") == "B floordiv 2");
  CHECK(r.read("CeilToInt(IntTrueDiv(Symbol('s77'), Integer(2)))") == r.read("CeilDiv(Symbol('s77'), Integer(2))"));
  CHECK(r.read("PythonMod(Symbol('s77'), Integer(8))") == "B mod 8");
  CHECK(r.read("Pow(Symbol('s77'), Integer(2))") == r.read("s77*s77"));
  CHECK(r.read("Max(Integer(1), Symbol('u0', integer=True))") == "max(1, u0)");
  CHECK(r.read("ModularIndexing(Symbol('s77'), Integer(2), Integer(3))") == "(B floordiv 2) mod 3");
}

TEST_CASE("malformed size expressions are refused") {
  Reader r;
  for (const char* text : {"", "Symbol('", "Symbol()", "Symbol('a', positive)", "Integer(x)", "Add(", "Add()", "1 1",
                           "Pow(Symbol('a'), Integer(99))", "Pow(Symbol('a'), Symbol('b'))", "FloorDiv(1, 0)",
                           "9223372036854775808", "9223372036854775807*9223372036854775807", "$", "CeilToInt(3)"})
    CHECK_THAT(r.read(text), StartsWith("error: "));
  CHECK(r.read(std::string(100000, '(')) == "error: nested too deeply");
  std::string product = "1";
  for (int i = 0; i < 40; ++i) product += "*(a" + std::to_string(i) + "+b" + std::to_string(i) + ")";
  CHECK(r.read(product) == "error: a value leaves 64 bits or grows too large, or a divisor is not positive");
}

TEST_CASE("every schema of the table can be read, and the table is sorted") {
  std::string_view previous;
  for (const pt2::SchemaRow& row : pt2::schema_table()) {
    INFO(row.target);
    CHECK(previous < row.target);
    previous = row.target;
    const std::optional<pt2::Schema> schema = pt2::find_schema(row.target);
    REQUIRE(schema.has_value());
    for (const pt2::SchemaArgument& argument : schema->arguments) {
      CHECK_FALSE(argument.name.empty());
      CHECK(argument.kind != pt2::SchemaArgument::Kind::Other);
    }
  }
  CHECK_FALSE(pt2::find_schema("aten.no_such_thing.default").has_value());
}

TEST_CASE("arguments bind by name, with defaults and adapted forms") {
  const std::optional<pt2::Schema> schema = pt2::find_schema("aten.add.Tensor");
  REQUIRE(schema.has_value());
  pt2::Argument tensor;
  tensor.kind = pt2::Argument::Kind::Tensor;
  tensor.names = {"x"};
  const std::vector<pt2::NamedArgument> given{{"other", tensor}, {"self", tensor}};
  const auto bound = pt2::bind_arguments(*schema, given);
  REQUIRE(bound.ok());
  REQUIRE(bound->size() == 3);
  CHECK((*bound)[0].name == "self");
  CHECK((*bound)[2].name == "alpha");
  CHECK((*bound)[2].neutral);
  CHECK((*bound)[2].value.ints[0].value == 1);
  const std::vector<pt2::NamedArgument> missing{{"self", tensor}};
  CHECK(pt2::bind_arguments(*schema, missing).error() == "argument `other` is missing");
  const std::vector<pt2::NamedArgument> twice{{"self", tensor}, {"other", tensor}, {"self", tensor}};
  CHECK(pt2::bind_arguments(*schema, twice).error() == "argument `self` is given twice");
}

TEST_CASE("the innermost user frame is found and its path cut") {
  const char* trace =
      "  File \"/home/a/work/shop/model.py\", line 12, in forward\n    y = self.net(x)\n"
      "  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return F\n";
  const pt2::UserFrame frame = pt2::innermost_user_frame(trace);
  CHECK(frame.file == "shop/model.py");
  CHECK(frame.line == 12);
  CHECK(pt2::innermost_user_frame("File \"/v/site-packages/timm/resnet.py\", line 3, in f").file == "timm/resnet.py");
  CHECK(pt2::innermost_user_frame("File \"/tmp/m.py\", line 3, in f").file == "m.py");
  CHECK(pt2::innermost_user_frame("File \"m.py\", line x").line == 0);
  CHECK(pt2::innermost_user_frame("").line == 0);
  CHECK(pt2::module_path("L__self__,,pkg.Net;L__self___fc,fc,torch.nn.Linear") == "fc");
  CHECK(pt2::module_path("nonsense").empty());
}
