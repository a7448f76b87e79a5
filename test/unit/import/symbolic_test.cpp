// Size expressions, schemas and stack traces.
#include "import/program/symbolic.h"

#include "import/program/locations.h"
#include "import/program/schema.h"
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
  for (const program::SchemaRow& row : program::schema_table()) {
    INFO(row.target);
    CHECK(previous < row.target);
    previous = row.target;
    const std::optional<program::Schema> schema = program::find_schema(row.target);
    REQUIRE(schema.has_value());
    for (const program::SchemaArgument& argument : schema->arguments) {
      CHECK_FALSE(argument.name.empty());
      CHECK(argument.kind != program::SchemaArgument::Kind::Other);
    }
  }
  CHECK_FALSE(program::find_schema("aten.no_such_thing.default").has_value());
}

TEST_CASE("arguments bind by name, with defaults and adapted forms") {
  const std::optional<program::Schema> schema = program::find_schema("aten.add.Tensor");
  REQUIRE(schema.has_value());
  program::Argument tensor;
  tensor.kind = program::Argument::Kind::Tensor;
  tensor.names = {"x"};
  const std::vector<program::NamedArgument> given{{"other", tensor}, {"self", tensor}};
  const auto bound = program::bind_arguments(*schema, "aten.add.Tensor", given);
  REQUIRE(bound.ok());
  REQUIRE(bound->size() == 3);
  CHECK((*bound)[0].name == "self");
  CHECK((*bound)[2].name == "alpha");
  CHECK((*bound)[2].neutral);
  CHECK((*bound)[2].value.ints[0].value == 1);
  const std::vector<program::NamedArgument> missing{{"self", tensor}};
  CHECK(program::bind_arguments(*schema, "aten.add.Tensor", missing).error().message() ==
        "`aten.add.Tensor`: argument `other` is missing");
  const std::vector<program::NamedArgument> twice{{"self", tensor}, {"other", tensor}, {"self", tensor}};
  CHECK(program::bind_arguments(*schema, "aten.add.Tensor", twice).error().message() ==
        "`aten.add.Tensor`: argument `self` is given twice; supported: one value");
}

TEST_CASE("the innermost user frame is found and its path cut") {
  const char* trace =
      "  File \"/home/a/work/shop/model.py\", line 12, in forward\n    y = self.net(x)\n"
      "  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return F\n";
  const program::UserFrame frame = program::innermost_user_frame(trace);
  CHECK(frame.file == "shop/model.py");
  CHECK(frame.line == 12);
  CHECK(program::innermost_user_frame("File \"/v/site-packages/timm/resnet.py\", line 3, in f").file ==
        "timm/resnet.py");
  CHECK(program::innermost_user_frame("File \"/tmp/m.py\", line 3, in f").file == "m.py");
  CHECK(program::innermost_user_frame("File \"m.py\", line x").line == 0);
  CHECK(program::innermost_user_frame("").line == 0);
  CHECK(program::module_path("L__self__,,pkg.Net;L__self___fc,fc,torch.nn.Linear") == "fc");
  CHECK(program::module_path("nonsense").empty());
}
