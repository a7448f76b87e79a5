// Vector, parallel and unrolled loops: compiled C++ gives the interpreter's bits, for every width and compiler, with
// rows that strips divide and rows that they do not, and touches no memory outside of its buffers.
#include "compiled.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "ops/combine.h"

namespace {

enum class Schedule { Outer, Inner, Parallel };

// No buffer that the loop writes is read in it: then iterations of a lowered formula are independent.
bool is_independent(ForRef loop) {
  if (loop.carried_count() > 0) return false;
  std::vector<Value> read, written;
  walk(loop.op(), [&](OpRef op) {
    if (op.is(LoopOp::Load)) read.push_back(op.operand(0));
    if (op.is(LoopOp::Store)) written.push_back(op.operand(1));
  });
  return std::none_of(written.begin(), written.end(),
                      [&](Value w) { return std::find(read.begin(), read.end(), w) != read.end(); });
}

bool is_reduction(ForRef loop) {
  if (loop.carried_count() == 0) return false;
  for (std::size_t i = 0; i < loop.carried_count(); ++i)
    if (!carried_step(loop, i)) return false;
  return true;
}

void set_kind(ForRef loop, const char* kind, int lanes) {
  AttributePool& attributes = loop.op().module().context().attributes();
  loop.op().set_attr("kind", attributes.string(kind));
  if (lanes == 0) return;
  loop.op().set_attr("lanes", attributes.integer(lanes));
  std::vector<StringId> combine;
  for (std::size_t i = 0; i < loop.carried_count(); ++i)
    combine.push_back(loop.op().module().context().strings().intern(combine_word(carried_step(loop, i)->fn)));
  if (!combine.empty()) loop.op().set_attr("combine", attributes.string_list(combine));
}

void schedule(RegionRef r, Schedule how, int lanes, bool in_parallel) {
  for (const OpRef op : r.ops()) {
    if (!op.is(GraphOp::For)) {
      for (std::size_t i = 0; i < op.region_count(); ++i) schedule(op.region(i), how, lanes, in_parallel);
      continue;
    }
    const ForRef loop = ForRef::from(op);
    bool innermost = true;
    walk(op, [&](OpRef inner) { innermost = innermost && (inner == op || !inner.is(GraphOp::For)); });
    if (how == Schedule::Parallel && !in_parallel && is_independent(loop)) {
      set_kind(loop, "parallel", 0);
      schedule(loop.body(), how, lanes, true);
      continue;
    }
    if (is_reduction(loop) || (is_independent(loop) && (innermost || how != Schedule::Inner)))
      set_kind(loop, "vector", lanes);
    else
      schedule(loop.body(), how, lanes, in_parallel);
  }
}

struct Scheduled {
  const Case* origin;
  Formula formula;
  std::string name;
};

// The formulas of the thread and their gradients, wider sizes, and what element types and functions need.
const std::vector<Case>& wide_cases() {
  static const std::vector<Case> all{
      {"chain",
       "max(a*b + 1.5, 0.0) - tanh(a)/(1.0 + exp(b))",
       {{"a", {"N"}}, {"b", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 0}}, {{"N", 1}}, {{"N", 15}}, {{"N", 16}}, {{"N", 33}}, {{"N", 100}}}},
      {"rows",
       "y[i, j] = x[i, j] - sum[k](x[i, k])/x[i, 0]",
       {{"x", {"R", "C"}}},
       {},
       {},
       {},
       {},
       {{{"R", 3}, {"C", 37}}, {{"R", 17}, {"C", 1}}, {{"R", 5}, {"C", 16}}}},
      {"turned",
       "y[i, j] = x[j, i]*2.0",
       {{"x", {"R", "C"}}},
       {},
       {},
       {},
       {},
       {{{"R", 19}, {"C", 35}}, {{"R", 1}, {"C", 9}}}},
      {"every_other",
       "y[i] = x[3*i + 1] + x[3*i] where i = dim(x, 0) // 3",
       {{"x", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 30}}}},
      {"half",
       "y[i] = sum[j](x[i, j]*x[i, j])*0.5 + b[i]",
       {{"x", {"N", "7"}, Dtype::F16}, {"b", {"N"}, Dtype::F16}},
       {},
       {},
       {},
       {},
       {{{"N", 21}}, {{"N", 0}}}},
      {"bfloat", "exp(x)*0.1 + x", {{"x", {"N"}, Dtype::BF16}}, {}, {}, {}, {}, {{{"N", 67}}}},
      {"double", "sqrt(abs(x)) + x*x - floor(x) // 0.3", {{"x", {"N"}, Dtype::F64}}, {}, {}, {}, {}, {{{"N", 45}}}},
      {"bytes",
       "x*x*x + 100 - x // 3 + x % 7 + min(x, 3) - abs(x)",
       {{"x", {"N"}, Dtype::I8, 128}},
       {},
       {},
       {},
       {},
       {{{"N", 70}}}},
      {"wide",
       "x*4611686018427387904*3 - 9 // (x + 1) + sign(x)",
       {{"x", {"N"}, Dtype::I64, 1000}},
       {},
       {},
       {},
       {},
       {{{"N", 41}}}},
      {"truth",
       "y[i] = any[j](x[i, j] > 2 and x[i, j] < 3) or all[j](x[i, j] >= -3)",
       {{"x", {"N", "5"}}},
       {},
       {},
       {},
       {},
       {{{"N", 35}}}},
      {"most",
       "y[i] = max[j](x[i, j]) + min[j](x[i, j])",
       {{"x", {"N", "C"}}},
       {},
       {},
       {},
       {},
       {{{"N", 9}, {"C", 37}}, {{"N", 2}, {"C", 3}}}},
      {"functions",
       "tanh(x) + sigmoid(x)*erf(x) - log1p(abs(x)) + pow(abs(x), 1.5) + round(x) + x % 0.75 + x // 0.3 + "
       "rsqrt(abs(x)) + "
       "atan2(x, 2.0) + sign(x) + max(x, 0.0) + trunc(x) + ceil(x) - floor(x)",
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
       {{{"N", 19}}, {{"N", 1}}}},
      {"padded",
       "y[i] = x[i - 2]?0*2.0 + x[i + 1]?1 where i = dim(x, 0)",
       {{"x", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 50}}, {{"N", 2}}}},
      {"padded_thirds",
       "y[i] = x[3*i - 2]?0*2.0 + x[3*i + 1]?1 where i = dim(x, 0) // 3 + 1",
       {{"x", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"padded_fourths",
       "y[i] = x[4*i - 2]?0*2.0 + x[4*i + 1]?1 where i = dim(x, 0) // 4 + 1",
       {{"x", {"N"}}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"apart_f64",
       "y[i] = x[4*i + 1] + x[4*i]*2.0 where i = dim(x, 0) // 4",
       {{"x", {"N"}, Dtype::F64}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"apart_f16",
       "y[i] = x[3*i] + x[3*i + 2] where i = dim(x, 0) // 3",
       {{"x", {"N"}, Dtype::F16}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"apart_i8",
       "y[i] = x[3*i] + x[3*i + 1] where i = dim(x, 0) // 3",
       {{"x", {"N"}, Dtype::I8, 100}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"apart_i64",
       "y[i] = x[3*i + 2] - x[3*i] where i = dim(x, 0) // 3",
       {{"x", {"N"}, Dtype::I64, 100}},
       {},
       {},
       {},
       {},
       {{{"N", 100}}, {{"N", 50}}, {{"N", 13}}, {{"N", 2}}, {{"N", 0}}}},
      {"looked_up",
       "y[j, k] = x[i[j], k] + 1.0",
       {{"x", {"R", "C"}}, {"i", {"J"}, Dtype::I64, 4}},
       {},
       {},
       {},
       {},
       {{{"R", 4}, {"C", 18}, {"J", 21}}}},
      {"taken", "y[j] = x[i[j]]", {{"x", {"N"}}, {"i", {"J"}, Dtype::I64, 4}}, {}, {}, {}, {}, {{{"N", 4}, {"J", 21}}}},
  };
  return all;
}

// Every schedule of every formula, in one module.
Module scheduled_module(const std::shared_ptr<Context>& context, std::vector<Scheduled>& programs) {
  Module module(context);
  const auto add = [&](const Case& c, const Formula& formula, const std::string& stem) {
    for (const auto& [how, lanes, suffix] :
         {std::tuple{Schedule::Outer, 4, "_outer"}, std::tuple{Schedule::Inner, 16, "_inner"},
          std::tuple{Schedule::Parallel, 8, "_parallel"}}) {
      programs.push_back({&c, formula, stem + suffix});
      schedule(lower_formula(module, formula, programs.back().name).region(0), how, lanes, false);
    }
  };
  for (const Case& c : wide_cases()) add(c, formula_of(*context, c), c.name);
  for (const Case& c : cases()) {
    const Formula formula = formula_of(*context, c);
    add(c, formula, c.name);
    add(c, gradient_of(*context, formula), std::string(c.name) + "_grad");
  }
  return module;
}

}  // namespace

TEST_CASE("vector and parallel loops agree with the interpreter bit for bit") {
  const auto context = make_context();
  std::vector<Scheduled> programs;
  // The text is what is compiled.
  Module module = read_text(context, print(scheduled_module(context, programs)));
  std::vector<OpRef> functions;
  for (const Scheduled& p : programs) functions.push_back(module.lookup(p.name));
  const CppUnit unit = unit_of(functions, Mathematics::Library);
  std::vector<std::unique_ptr<Library>> libraries;
  const std::vector<std::string>& compilers = host_compiler::compilers();
  for (const int bytes : {64, 32, 16})
    if (host_compiler::runs(bytes))
      libraries.push_back(
          std::make_unique<Library>(unit.text, compilers[bytes == 32 ? compilers.size() - 1 : 0],
                                    std::vector<std::string>{"-O1", "-DMLGC_ONLY=" + std::to_string(bytes)}));
  int outputs = 0;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const Scheduled& p = programs[k];
    for (const Sizes& sizes : p.origin->sizes)
      for (const Values kind : {Values::Plain, Values::Edge}) {
        const std::vector<Tensor> inputs = inputs_of(*context, *p.origin, p.formula, sizes, kind);
        const auto expected = interpret(module, p.name, inputs);
        if (!expected) FAIL(p.name << ": " << expected.error().message());
        for (std::size_t l = 0; l < libraries.size(); ++l) {
          const Ran ran = run(*libraries[l], *context, functions[k], unit.functions[k], inputs,
                              unwritten(*context, p.formula, sizes), sizes);
          INFO(p.name << ", library " << l);
          CHECK(ran.code == 0);
          REQUIRE(ran.results.size() == expected->results.size());
          for (std::size_t i = 0; i < ran.results.size(); ++i) CHECK(same_bits(ran.results[i], expected->results[i]));
          ++outputs;
        }
      }
  }
  CHECK(outputs > 500);
}
