// What is printed reads back, in both forms.
#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

// Prints and reads back until nothing new can happen, checking text and hash.
void check_round_trip(const Parsed& first, TextForm form, bool locations) {
  const PrintOptions options{form, locations};
  const std::string text = print(*first.module, options);
  INFO(text);
  Parsed second(text, false);
  INFO(second.errors());
  REQUIRE(second.module.has_value());
  CHECK(print(*second.module, options) == text);
  CHECK(structural_hash(*second.module) == structural_hash(*first.module));
  CHECK(second.module->check_store().empty());
  // The other form of what was read back is the other form of the original.
  const PrintOptions other{form == TextForm::Pretty ? TextForm::Generic : TextForm::Pretty, locations};
  CHECK(print(*second.module, other) == print(*first.module, other));
}

}  // namespace

TEST_CASE("the sample prints as it stands") {
  const Parsed parsed(kSample);
  INFO(parsed.errors());
  REQUIRE(parsed.module.has_value());
  CHECK(print(*parsed.module) == kSample);
}

TEST_CASE("both forms of the sample round-trip") {
  const Parsed parsed(kSample);
  REQUIRE(parsed.module.has_value());
  for (const bool locations : {false, true}) {
    check_round_trip(parsed, TextForm::Pretty, locations);
    check_round_trip(parsed, TextForm::Generic, locations);
  }
}

TEST_CASE("an empty text is an empty module") {
  for (const char* text : {"", "// nothing\n", "module {\n}\n", "\"builtin.module\"() ({\n^bb0:\n}) : () -> ()\n"}) {
    const Parsed parsed(text);
    INFO(text << parsed.errors());
    REQUIRE(parsed.module.has_value());
    CHECK(print(*parsed.module) == "module {\n}\n");
    CHECK(print(*parsed.module, {TextForm::Generic}) == "\"builtin.module\"() ({\n^bb0:\n}) : () -> ()\n");
  }
}

TEST_CASE("names are kept, and made different where they clash") {
  const Parsed parsed(R"(func @f(%x: tensor<f32>) {
    %a = relu %x
    if %x { %in = relu %a  yield } else { %in = relu %x  yield }
    %in = relu %x
    %7 = relu %in
    %q:2 = topk %7 {k = 1} : tensor<f32>, tensor<i64>
    misc %q#1, %q#0
    return
  })");
  INFO(parsed.errors());
  REQUIRE(parsed.module.has_value());
  Module copy(*parsed.module);
  for (const OpRef op : find_function(copy, "f").body().ops())
    if (op.name() == "relu") op.result().set_name("a");
  find_function(copy, "f").arguments()[0].set_name("0 b\"");
  CHECK(print(copy) == R"(module {
  func @f(%_0_b_: tensor<f32>) {
    %a = relu %_0_b_ : tensor<f32>
    if %_0_b_ {
      %in = relu %a : tensor<f32>
      yield
    } else {
      %in = relu %_0_b_ : tensor<f32>
      yield
    }
    %a_1 = relu %_0_b_ : tensor<f32>
    %a_2 = relu %a_1 : tensor<f32>
    %0, %1 = topk %a_2 {k = 1} : tensor<f32>, tensor<i64>
    misc %1, %0
    return
  }
}
)");
  Parsed again(print(copy), false);
  INFO(again.errors());
  REQUIRE(again.module.has_value());
  CHECK(print(*again.module) == print(copy));
}

TEST_CASE("attributes of every kind read back as they were") {
  auto context = std::make_shared<Context>(kRows);
  AttributePool& pool = context->attributes();
  IndexPool& index = context->index();
  TypePool& types = context->types();
  const IndexExpr symbolic = index.sub(index.symbol("S"), index.constant(1));
  const IndexExpr ints[] = {symbolic, index.constant(3)};
  const IndexExpr one[] = {symbolic};
  const std::int64_t constants[] = {1, -2};
  const double floats[] = {
      0.1, -0.0, 1e300, 5e-324, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::quiet_NaN()};
  const bool bools[] = {true, false};
  const StringId strings[] = {context->strings().intern("a\"\n"), context->strings().intern("")};
  const IndexExpr subscripts[] = {index.add(index.opaque(1), index.scale(index.opaque(0), 2)), index.constant(0)};
  std::vector<Attribute> all{
      pool.boolean(true),
      pool.boolean(false),
      pool.integer(std::numeric_limits<std::int64_t>::min()),
      pool.integer(7),
      pool.integer(symbolic),
      pool.int_list(std::span<const IndexExpr>(ints)),
      pool.int_list(std::span<const IndexExpr>(one)),
      pool.int_list(std::span<const std::int64_t>(constants)),
      pool.int_list(std::span<const IndexExpr>()),
      pool.float_list(floats),
      pool.float_list({}),
      pool.bool_list(bools),
      pool.bool_list({}),
      pool.string("x\t\x01\xC3\xA9"),
      pool.string_list(strings),
      pool.string_list({}),
      pool.type(types.scalar(Dtype::F32)),
      pool.type(types.tensor(Dtype::BF16, one)),
      pool.type(types.vector(Dtype::F32, one)),
      pool.type(types.buffer(Dtype::F32, one, Scope::Thread, context->strings().intern("a b"))),
      pool.type(types.function({}, {})),
      pool.dtype(Dtype::UI8),
      pool.symbol("a.b"),
      pool.symbol("odd \"name\""),
      pool.subscripts(subscripts),
      pool.array({}),
  };
  for (const double value : floats) all.push_back(pool.real(value));
  const Attribute mixed[] = {all[0], all[3], all[13], all[9]};
  all.push_back(pool.array(mixed));
  const Attribute same[] = {all[3], all[4]};
  all.push_back(pool.array(same));
  const Attribute nested[] = {pool.array(mixed), pool.array({}), all[5]};
  all.push_back(pool.array(nested));
  for (std::size_t kind = 0; kind <= static_cast<std::size_t>(AttributeKind::Subscripts); ++kind) {
    const auto wanted = static_cast<AttributeKind>(kind);
    for (const Attribute attribute : all) {
      for (const TextForm form : {TextForm::Pretty, TextForm::Generic}) {
        const std::string text = print_attribute(attribute, *context, wanted, form);
        INFO(text << " where " << attribute_kind_name(wanted) << " is wanted");
        DiagnosticEngine diagnostics(context->locations());
        const SourceFile& file = context->locations().add_source("a", text);
        const auto read = parse_attribute(*context, file, diagnostics, wanted, form == TextForm::Generic);
        INFO(render_text(diagnostics));
        REQUIRE(read.has_value());
        CHECK(*read == attribute);
      }
    }
  }
}

TEST_CASE("constants read back bit by bit") {
  auto context = std::make_shared<Context>(kRows);
  AttributePool& pool = context->attributes();
  for (std::size_t d = 0; d < kRealDtypeCount; ++d) {
    const auto dtype = static_cast<Dtype>(d);
    const std::size_t width = dtype_info(dtype).bytes;
    for (const std::int64_t count : {0, 1, 2, 7, 64, 65, 1000}) {
      std::vector<std::byte> bytes;
      std::uint32_t state = 12345;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count) * width; ++i) {
        state = state * 1664525 + 1013904223;
        bytes.push_back(static_cast<std::byte>(dtype == Dtype::I1 ? (state >> 24) & 1 : state >> 24));
      }
      const Attribute attribute = pool.tensor(context->types().tensor(dtype, {count}), bytes);
      const std::string text = print_attribute(attribute, *context);
      DiagnosticEngine diagnostics(context->locations());
      const auto read = parse_attribute(*context, context->locations().add_source("a", text), diagnostics);
      INFO(text << render_text(diagnostics));
      REQUIRE(read.has_value());
      CHECK(*read == attribute);
    }
  }
}

TEST_CASE("locations of every kind read back") {
  const std::string text = R"(func @f(%x: tensor<f32>) {
    %0 = relu %x : tensor<f32> loc("model.py":12:9)
    %1 = relu %x : tensor<f32> loc("n")
    %2 = relu %x : tensor<f32> loc("n"("f":1:2))
    %3 = relu %x : tensor<f32> loc(fused["a":1:2, "b"])
    %4 = relu %x : tensor<f32> loc(callsite("a":1:2 at "b"))
    %5 = relu %x : tensor<f32> loc(unknown)
    %6 = relu %x : tensor<f32> loc(fused<{module = "layers.0", node = "relu", opcode = "call", target = "aten.relu"}>["f":3:4])
    return loc(unknown)
  } loc(unknown))";
  const Parsed parsed(text);
  INFO(parsed.errors());
  REQUIRE(parsed.module.has_value());
  const std::string printed = print(*parsed.module, {TextForm::Pretty, true});
  for (const char* part :
       {"loc(\"model.py\":12:9)", "loc(\"n\")\n", "loc(\"n\"(\"f\":1:2))", "loc(fused[\"a\":1:2, \"b\"])",
        "loc(callsite(\"a\":1:2 at \"b\"))", "%5 = relu %x : tensor<f32> loc(unknown)",
        "loc(fused<{module = \"layers.0\", node = \"relu\", opcode = \"call\", target = \"aten.relu\"}>[\"f\":3:4])"})
    CHECK_THAT(printed, Contains(part));
  check_round_trip(parsed, TextForm::Pretty, true);
  check_round_trip(parsed, TextForm::Generic, true);
}
