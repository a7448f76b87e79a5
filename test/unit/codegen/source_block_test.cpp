// Pieces of source know the variables in them, their brackets and numbers; statements form a tree.
#include "codegen/emitter/source_block.h"

#include "support_catch.h"

namespace mlgc::codegen {
namespace {

SourceText variable(const char* name, std::uint32_t number) {
  return SourceText::variable(name, static_cast<VariableId>(number));
}

TEST_CASE("text knows the variables that occur in it, and not those whose names it merely contains") {
  const SourceText i = variable("i", 10), i_end = variable("i_end", 11), pointer = variable("p", 12);
  const SourceText place = pointer + "[" + i + "]";
  CHECK(place.str() == "p[i]");
  CHECK(place.mentions(i));
  CHECK(place.mentions(pointer));
  CHECK_FALSE(place.mentions(i_end));
  CHECK_FALSE(("value.i + " + i_end).mentions(i));
  CHECK((i + i).variables() == i.variables());
}

TEST_CASE("brackets are put where an operand needs them and removed where they are around all of it") {
  const SourceText a = variable("a", 10), sum = a + " + 1";
  CHECK(a.as_operand().str() == "a");
  CHECK(sum.as_operand().str() == "(a + 1)");
  CHECK(SourceText::number(3).as_operand().str() == "3");
  CHECK(SourceText::number(-3).as_operand().str() == "(-3)");
  CHECK(sum.bracketed().without_brackets() == sum);
  // These begin and end with brackets of two operands.
  const SourceText product = sum.bracketed() + " * " + sum.bracketed();
  CHECK(product.without_brackets().str() == "(a + 1) * (a + 1)");
  CHECK(sum.bracketed().without_brackets().mentions(a));
}

TEST_CASE("a number is known as long as nothing is added to it") {
  CHECK(SourceText::number(0).is_number(0));
  CHECK(("" + SourceText::number(7)).is_number(7));
  CHECK_FALSE(("-" + SourceText::number(7)).as_number().has_value());
  CHECK_FALSE(SourceText("7").as_number().has_value());
}

TEST_CASE("statements nest, print with their depth, and tell what they use") {
  const SourceText a = variable("a", 10), b = variable("b", 11), c = variable("c", 12);
  SourceBuilder builder;
  builder.open("if (" + a + ") {");
  CHECK(builder.depth() == 2);
  builder.line("f(" + b + ");");
  builder.next("} else {");
  builder.line("g();");
  builder.close();
  SourceBlock block = builder.take();
  block.add_first("int x;");
  CHECK(block.print(1) == "  int x;\n  if (a) {\n    f(b);\n  } else {\n    g();\n  }\n");
  CHECK(a.is_among(block.variables()));
  CHECK(b.is_among(block.variables()));
  CHECK_FALSE(c.is_among(block.variables()));
  CHECK_FALSE(block.can_return());
}

TEST_CASE("a statement deep inside of a block lets the block return") {
  SourceBuilder builder;
  builder.open("{");
  builder.open("for (;;) {");
  builder.line(SourceText("return fail();").returning());
  builder.close();
  builder.close();
  CHECK(builder.take().can_return());
}

TEST_CASE("the body of a function begins at depth 1, a block where the cursor is; neither is appended by itself") {
  SourceBuilder builder;
  builder.open("{");
  SourceBlock inner = builder.block([&] {
    CHECK(builder.depth() == 2);
    builder.line("inner();");
  });
  const SourceBlock body = builder.body_of_function([&] {
    CHECK(builder.depth() == 1);
    builder.line("body();");
  });
  builder.append(std::move(inner));
  builder.close();
  CHECK(builder.take().print(0) == "{\n  inner();\n}\n");
  CHECK(body.print(1) == "  body();\n");
}

}  // namespace
}  // namespace mlgc::codegen
