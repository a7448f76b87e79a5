// Element types, wrapping and failures: text, interpreter and compiled C++ give the same.
#include "compiled.h"

namespace {

const std::vector<Case>& type_cases() {
  static const std::vector<Case> all{
      {"half_sum",
       "y[i] = sum[j](x[i, j]*x[i, j]) + b[i]",
       {{"x", {"N", "7"}, Dtype::F16}, {"b", {"N"}, Dtype::F16}},
       {},
       {},
       {},
       {},
       {{{"N", 5}}, {{"N", 0}}}},
      {"bfloat_exp", "exp(x)*0.1 + x", {{"x", {"N"}, Dtype::BF16}}, {}, {}, {}, {}, {{{"N", 33}}}},
      {"double_norm",
       "s[i] = sum[j](x[i, j]); y[i, j] = x[i, j]/s[i]",
       {{"x", {"N", "M"}, Dtype::F64}},
       {},
       {},
       {},
       {},
       {{{"N", 4}, {"M", 6}}}},
      {"wrap", "x*x*x + 100 - x // 3 + x % 7", {{"x", {"N"}, Dtype::I8, 128}}, {}, {}, {}, {}, {{{"N", 64}}}},
      {"wide_wrap",
       "x*4611686018427387904*3 - 9 // (x + 1)",
       {{"x", {"N"}, Dtype::I64, 1000}},
       {},
       {},
       {},
       {},
       {{{"N", 64}}}},
      {"most",
       "y[i] = max[j](x[i, j]) + min[j](x[i, j])",
       {{"x", {"N", "4"}, Dtype::I32, 1000}},
       {},
       {},
       {},
       {},
       {{{"N", 9}}}},
      {"tests",
       "y[i] = any[j](x[i, j] > 2 and x[i, j] < 3) or all[j](x[i, j] >= -3)",
       {{"x", {"N", "5"}}},
       {},
       {},
       {},
       {},
       {{{"N", 20}}}},
      {"products", "y[i] = prod[j | j <= i](x[j]) where i = #j", {{"x", {"N"}}}, {}, {}, {}, {}, {{{"N", 9}}}},
      {"functions",
       "tanh(x) + sigmoid(x)*erf(x) - log1p(abs(x)) + pow(abs(x), 1.5) + round(x) + x % 0.75 + x // 0.3 + "
       "rsqrt(abs(x)) + atan2(x, 2.0) + sign(x) + max(x, 0.0)",
       {{"x", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 97}}}},
      {"causal",
       "y[i] = sum[j | j <= i and i - 3*j <= 5](x[i, j])",
       {{"x", {"N", "N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 9}}, {{"N", 1}}, {{"N", 0}}}},
  };
  return all;
}

}  // namespace

TEST_CASE("element types, integer wrapping and scalar functions agree bit for bit") {
  const auto context = make_context();
  Module module(context);
  std::vector<Program> programs;
  for (const Case& c : type_cases()) {
    const Formula formula = formula_of(*context, c);
    programs.push_back({&c, formula, lower_formula(module, formula, c.name)});
  }
  Module read = read_text(context, print(module));
  CHECK(check_programs(read, programs, "g++", {"-O1", "-DMLGC_ONLY=16"}) >= 22);
}

TEST_CASE("what may fail while it runs fails with a code") {
  const auto context = make_context();
  Module module(context);
  const Case gather{"gather", "y[j] = x[i[j]]", {{"x", {"N"}}, {"i", {"J"}, Dtype::I64, 4}}, {}, {}, {}, {}, {}};
  const Case empty{"empty", "y[i] = max[j](x[i, j])", {{"x", {"N", "J"}}}, {}, {}, {}, {}, {}};
  const Case divide{"divide", "x // z", {{"x", {"N"}, Dtype::I64}, {"z", {"N"}, Dtype::I64, 1}}, {}, {}, {}, {}, {}};
  std::vector<Program> programs;
  for (const Case* c : {&gather, &empty, &divide}) {
    const Formula formula = formula_of(*context, *c);
    programs.push_back({c, formula, lower_formula(module, formula, c->name)});
  }
  std::vector<OpRef> functions;
  for (const Program& p : programs) functions.push_back(p.func);
  const CppUnit unit = unit_of(functions, Mathematics::Library);
  const Library library(unit.text, "g++", {"-O1", "-DMLGC_ONLY=16"});
  const std::vector<Sizes> sizes{{{"N", 3}, {"J", 9}}, {{"N", 2}, {"J", 0}}, {{"N", 2}}};
  const char* const messages[] = {"reading `x` at index 3 of axis 0, which has size 3", "`max` over an empty extent",
                                  "`//` of integers by zero"};
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const Program& p = programs[k];
    const std::vector<Tensor> inputs = inputs_of(*context, *p.origin, p.formula, sizes[k], Values::Plain);
    const auto interpreted = interpret(module, p.func.symbol(), inputs);
    REQUIRE(!interpreted.ok());
    CHECK(interpreted.error().message() == messages[k]);
    const Ran ran =
        run(library, *context, p.func, unit.functions[k], inputs, unwritten(*context, p.formula, sizes[k]), sizes[k]);
    CHECK(ran.code == 1);
    CHECK(ran.message == messages[k]);
  }
}
