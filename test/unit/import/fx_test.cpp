// The prelude of torch.fx as a whole, and how the listing spells Python's values.
#include <algorithm>
#include <set>

#include "import/fx/listing.h"
#include "import/fx/prelude.h"
#include "import/program/dtypes.h"
#include "import/program/schema.h"
#include "support_catch.h"

using mlgc::fx::Expression;
using mlgc::fx::Function;
using mlgc::fx::Literal;
using mlgc::fx::Statement;
using Kind = Expression::Kind;

namespace {

// Names that a def reads or calls and that nothing defines.
class Unresolved {
 public:
  std::vector<std::string> of(const Function& function) {
    known_ = {"_infinity"};
    for (const Function::Parameter& parameter : function.parameters) known_.insert(parameter.name);
    block(function.body);
    return std::move(found_);
  }

 private:
  static std::string dotted(const Expression& e) {
    if (e.kind == Kind::Name) return e.text;
    if (e.kind != Kind::Attribute) return "";
    const std::string left = dotted(e.items[0]);
    return left.empty() ? "" : left + "." + e.text;
  }
  static bool is_operator(std::string name) {
    if (mlgc::program::is_in_place(name)) name.pop_back();
    const auto rows = mlgc::program::schema_table();
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return row.target.starts_with("aten." + name + "."); });
  }
  static bool callable(const std::string& name) {
    static const std::set<std::string> helpers{"each",       "floats", "is_sequence", "children",
                                               "parameters", "check",  "builtins.len"};
    if (name.starts_with("aten.")) return is_operator(name.substr(5));
    return helpers.contains(name) || mlgc::fx::find_function(name) != nullptr;
  }
  void block(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      expression(statement.value);
      known_.insert(statement.names.begin(), statement.names.end());
      block(statement.body);
      block(statement.otherwise);
    }
  }
  void expression(const Expression& e) {
    std::size_t first = 0;
    const std::string called = e.kind == Kind::Call ? dotted(e.items[0]) : "";
    if (!called.empty() && !known_.contains(called.substr(0, called.find('.')))) {
      if (!callable(called)) found_.push_back(called);
      first = 1;
    }
    const std::string name = dotted(e);
    if (name.starts_with("torch.")) {
      if (!mlgc::program::dtype_of_name(e.text)) found_.push_back(name);
      return;
    }
    if (e.kind == Kind::Name && !known_.contains(e.text)) found_.push_back(e.text);
    for (std::size_t i = first; i < e.items.size(); ++i) expression(e.items[i]);
  }

  std::set<std::string> known_;
  std::vector<std::string> found_;
};

Literal literal(Literal::Kind kind, std::string text = "", std::vector<Literal> items = {}) {
  return {kind, 0, 0, std::move(text), std::move(items)};
}

}  // namespace

TEST_CASE("every def of the prelude parses, and names only what there is") {
  const auto names = mlgc::fx::function_names();
  CHECK(names.size() > 150);
  for (const std::string_view name : names) {
    INFO(name);
    const Function* const function = mlgc::fx::find_function(name);
    REQUIRE(function != nullptr);
    CHECK(function->name == name);
    CHECK(Unresolved().of(*function).empty());
  }
  CHECK(mlgc::fx::find_function("torch.nn.functional.no_such_function") == nullptr);
}

TEST_CASE("what the prelude may not say is refused") {
  for (const std::string_view text :
       {"def f(x)\n  return x\n", "def f(x):\n", "def f(x):\n  return x +\n", "def f(x):\n  return (x\n",
        "def f(x):\n  y\n", "def f(x):\n  return x y\n", "def f(x):\n  return x\nreturn x\n"}) {
    INFO(text);
    CHECK_THROWS_AS(mlgc::fx::parse_function(text), mlgc::InternalError);
  }
}

TEST_CASE("values are spelt as Python does") {
  using mlgc::fx::python_text;
  CHECK(python_text(literal(Literal::Kind::String, "it's")) == "\"it's\"");
  CHECK(python_text(literal(Literal::Kind::String, "a\n\\'\"")) == R"('a\n\\\'"')");
  CHECK(python_text(literal(Literal::Kind::String, "\x01")) == "'\\x01'");
  CHECK(python_text(literal(Literal::Kind::Float, "1e-05")) == "1e-05");
  const Literal none = literal(Literal::Kind::None);
  CHECK(python_text(literal(Literal::Kind::Tuple, "", {none})) == "(None,)");
  CHECK(python_text(literal(Literal::Kind::Tuple)) == "()");
  CHECK(python_text(literal(Literal::Kind::Slice, "", {none, none, none})) == "slice(None, None, None)");
  CHECK(python_text(literal(Literal::Kind::Device, "cuda:1")) == "device(type='cuda', index=1)");
  CHECK(python_text(literal(Literal::Kind::Dtype, "float32")) == "torch.float32");
  const auto complex = [](const std::string& real, const std::string& imaginary) {
    return python_text(literal(Literal::Kind::Complex, "",
                               {literal(Literal::Kind::String, real), literal(Literal::Kind::String, imaginary)}));
  };
  CHECK(complex("0.0", "1.0") == "1j");
  CHECK(complex("1.5", "-2.0") == "(1.5-2j)");
}
