// Random programs: what the interpreter computes before a pass it computes afterwards, bit for bit under `exact`.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "interp/interpret_module.h"
#include "ir/topological_order.h"
#include "program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

// A function of %a, %b: tensor<3xf32>, %k: tensor<i1> and %s: tensor<4x3xf32>, with neutral elements, repeated ops,
// constants, weights, calls, and nested ifs and loops that carry values which never change or which nobody reads.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  std::string text() {
    std::string out =
        "weight @w : tensor<3xf32>\nweight @v : tensor<3xf32>\n"
        "func @g(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {\n  %0 = neg %x\n  %1 = mul %0 {other = 0.5}\n  return "
        "%1\n}\nfunc @f(%a: tensor<3xf32>, %b: tensor<3xf32>, %k: tensor<i1>, %s: tensor<4x3xf32>) -> "
        "(tensor<3xf32>, tensor<3xf32>) {\n";
    std::vector<std::string> visible{"%a", "%b"};
    ops(out, visible, 24, 0);
    return out + "  return " + visible.back() + ", " + pick(visible) + "\n}\n";
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }
  void ops(std::string& out, std::vector<std::string>& visible, std::size_t count, std::size_t depth) {
    constexpr std::array kUnary{"neg", "relu", "abs", "exp", "tanh", "floor", "clone", "gelu"};
    constexpr std::array kBinary{"add", "sub", "mul", "maximum", "minimum", "div"};
    constexpr std::array kNeutral{"mul", "add", "sub", "div", "pow"};
    constexpr std::array kNumbers{"0.0", "-0.0", "1.0", "1", "0", "2.5", "-1.0"};
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "%v" + std::to_string(next_++);
      const std::string head = "  " + name + " = ";
      switch (below(depth < 2 ? 13 : 8)) {
        case 0: out += head + kUnary[below(kUnary.size())] + " " + pick(visible) + "\n"; break;
        case 1:
          out += head + kNeutral[below(5)] + " " + pick(visible) + " {other = " + kNumbers[below(7)] + "}\n";
          break;
        case 2:
          out += head + "constant {value = dense<" + kNumbers[below(3)] + "> : tensor<3xf32>} : tensor<3xf32>\n";
          break;
        case 3: out += head + "call @g, " + pick(visible) + " : tensor<3xf32>\n"; break;
        case 4: out += head + (below(2) == 0 ? "softmax " : "log_softmax ") + pick(visible) + " {dim = 0}\n"; break;
        case 5: out += head + "read @" + (below(2) == 0 ? "w" : "v") + "\n"; break;
        case 8:
        case 9: {
          std::string condition = "%k";
          if (below(2) == 0) {
            condition = "%c" + std::to_string(next_++);
            out += "  " + condition + " = constant {value = dense<" + (below(2) == 0 ? "true" : "false") +
                   "> : tensor<i1>} : tensor<i1>\n";
          }
          out += head + "if " + condition + " {\n";
          for (int arm = 0; arm < 2; ++arm) {
            std::vector<std::string> inner = visible;
            ops(out, inner, below(4), depth + 1);
            out += "  yield " + pick(inner) + (arm == 0 ? "\n  } else {\n" : "\n  } : tensor<3xf32>\n");
          }
          break;
        }
        case 10: scan(out, name, visible, depth); break;
        case 11: counted(out, name, visible, depth); break;
        case 12: repeated(out, name, visible, depth); break;
        default: {
          const std::string a = pick(visible), b = pick(visible);
          out += head + kBinary[below(kBinary.size())] + " " + a + ", " + b + "\n";
          break;
        }
      }
      visible.push_back(name);
    }
  }
  // What a loop hands on for carried value i: itself, another one, what it started with, or something new.
  std::string handed_on(const std::vector<std::string>& arguments, const std::vector<std::string>& initial,
                        const std::vector<std::string>& inner, std::size_t i) {
    switch (below(4)) {
      case 0: return arguments[i];
      case 1: return pick(arguments);
      case 2: return initial[i];
      default: return pick(inner);
    }
  }
  // One result is the last of carried value 0; another one is an element of what was stacked.
  void scan(std::string& out, const std::string& name, std::vector<std::string>& visible, std::size_t depth) {
    const std::size_t carried = 1 + below(3);
    const std::string id = std::to_string(next_++), reverse = below(3) == 0 ? ", reverse = true" : "";
    std::vector<std::string> initial, arguments, inner = visible;
    std::string results = name, operands, header;
    for (std::size_t i = 0; i < carried; ++i) {
      const std::string n = id + "_" + std::to_string(i);
      initial.push_back(pick(visible));
      arguments.push_back("%c" + n);
      if (i > 0) results += ", %r" + n;
      operands += initial.back() + ", ";
      header += "%c" + n + ": tensor<3xf32>, ";
    }
    inner.insert(inner.end(), arguments.begin(), arguments.end());
    const bool reads = below(3) != 0;  // else nobody reads the sequence
    if (reads) inner.push_back("%x" + id);
    const bool two = below(2) == 0;
    out += "  " + results + ", %o" + id + " = scan " + operands + (two ? "%s, %s (" : "%s (") + header +
           (two ? "%z" + id + ": tensor<3xf32>, " : "") + "%x" + id +
           ": tensor<3xf32>) attributes {carried = " + std::to_string(carried) + reverse + "} {\n";
    ops(out, inner, below(5), depth + 1);
    out += "  yield ";
    for (std::size_t i = 0; i < carried; ++i) out += handed_on(arguments, initial, inner, i) + ", ";
    out += pick(inner) + "\n  }\n";
    if (below(2) == 0) {
      out += "  %e" + id + " = select %o" + id + " {dim = 0, index = 2}\n";
      visible.push_back("%e" + id);
    }
  }
  // A while that counts to 0, 1 or 3; where it ends at once its condition is a constant half of the time.
  void counted(std::string& out, const std::string& name, std::vector<std::string>& visible, std::size_t depth) {
    const std::size_t carried = 1 + below(3), turns = std::array<std::size_t, 3>{0, 1, 3}[below(3)];
    const std::string id = std::to_string(next_++);
    std::vector<std::string> initial, arguments, inner = visible;
    out += "  %n" + id + " = constant {value = dense<0> : tensor<i64>}\n";
    std::string results = "%m" + id, header = "%i" + id + " = %n" + id, types = "%i" + id + ": tensor<i64>";
    for (std::size_t i = 0; i < carried; ++i) {
      const std::string n = id + "_" + std::to_string(i);
      initial.push_back(pick(visible));
      arguments.push_back("%c" + n);
      results += ", " + (i == 0 ? name : "%r" + n);
      header += ", %c" + n + " = " + initial.back();
      types += ", %c" + n + ": tensor<3xf32>";
    }
    inner.insert(inner.end(), arguments.begin(), arguments.end());
    out += "  " + results + " = while (" + header + ") {\n";
    std::vector<std::string> before = inner;
    ops(out, before, below(3), depth + 1);
    if (turns == 0 && below(2) == 0)
      out += "  %go" + id + " = constant {value = dense<false> : tensor<i1>}\n";
    else
      out += "  %go" + id + " = lt %i" + id + " {other = " + std::to_string(turns) + "}\n";
    out += "  condition %go" + id + ", %i" + id;
    for (std::size_t i = 0; i < carried; ++i)
      out += ", " + (below(3) != 0 ? arguments[i] : handed_on(arguments, initial, before, i));
    out += "\n  } do (" + types + ") {\n  %j" + id + " = add %i" + id + " {other = 1}\n";
    ops(out, inner, below(5), depth + 1);
    out += "  yield %j" + id;
    for (std::size_t i = 0; i < carried; ++i) out += ", " + handed_on(arguments, initial, inner, i);
    out += "\n  }\n";
  }
  // A for of 0 to 3 turns, half of the time as many as the index of the one around it says; its index is part of a sum.
  void repeated(std::string& out, const std::string& name, std::vector<std::string>& visible, std::size_t depth) {
    const std::size_t carried = 1 + below(2), first = below(3), last = first + below(4);
    const std::string id = std::to_string(next_++), outer = index_;
    std::vector<std::string> initial, arguments, inner = visible;
    std::string results, header = "%i" + id + ": index";
    for (std::size_t i = 0; i < carried; ++i) {
      const std::string n = id + "_" + std::to_string(i);
      initial.push_back(pick(visible));
      arguments.push_back("%c" + n);
      results += i == 0 ? name : ", %r" + n;
      header += ", %c" + n + " = " + initial.back();
    }
    inner.insert(inner.end(), arguments.begin(), arguments.end());
    const bool nested = !outer.empty() && below(2) == 0;
    out += "  " + results + " = for [" + std::to_string(first) + ", " + (nested ? outer : std::to_string(last)) +
           "] (" + header + ") {\n";
    index_ = "%i" + id;
    ops(out, inner, below(4), depth + 1);
    index_ = outer;
    out += "  %a" + id + " = apply [2*%i" + id + (outer.empty() ? "" : " + " + outer + "*%i" + id) + " - 1]\n  %f" +
           id + " = cast %a" + id + " {dtype = f32}\n  %s" + id + " = add " + pick(inner) + ", %f" + id + "\n";
    inner.push_back("%s" + id);
    out += "  yield ";
    for (std::size_t i = 0; i < carried; ++i)
      out += (i > 0 ? ", " : "") + (i == 0 ? inner.back() : handed_on(arguments, initial, inner, i));
    out += "\n  }\n";
  }
  std::mt19937_64 random_;
  std::size_t next_ = 0;
  std::string index_;  // of the innermost for around; empty outside
};

// Equal bits, where every NaN is the same and, if asked, both zeros are.
bool same(const Tensor& a, const Tensor& b, bool zeros_equal) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double x = a.get_double(i), y = b.get_double(i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x != y || (!zeros_equal && std::signbit(x) != std::signbit(y))) return false;
  }
  return true;
}

TEST_CASE("random programs compute the same after every pass") {
  // Where rules of class signed_zero apply, both zeros count as equal; everywhere else the sign of zero must stay.
  const std::vector<std::pair<std::string, bool>> pipelines{
      {"cse", false},
      {"dce", false},
      {"inline", false},
      {"constant-fold", false},
      {"canonicalize", true},  // signed_zero is admitted
      {"canonicalize{disable=add-zero,sub-negative-zero,maximum-constant-right,minimum-constant-right}", false},
      {"inline,canonicalize{disable=add-zero,sub-negative-zero,maximum-constant-right,minimum-constant-right},constant-"
       "fold,cse,dce",
       false},
      {"derive-weights", false},
      {"derive-weights{max-growth=0}", false},
      {"loop-invariant-code-motion", false},
      {"simplify-control-flow", false},
      {"simplify-shapes", false},
      {"simplify-control-flow{unroll=4}", false},
      {"inline,cse,simplify-control-flow,loop-invariant-code-motion,derive-weights,cse,dce", false},
      {"expand", false},
      {"expand{ops=mul,add,div,relu,softmax}", false},
      {"partition{registry=everything},cse,loop-invariant-code-motion,inline{segments=true}", false},
      {"inline,canonicalize,constant-fold,canonicalize,cse,dce", true},
  };
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor a = Tensor::from_values<float>({3}, {1.5F, -0.0F, inf});
  const Tensor b = Tensor::from_values<float>({3}, {-2.25F, 0.0F, std::numeric_limits<float>::quiet_NaN()});
  const Tensor s = Tensor::from_values<float>({4, 3}, {1, -2, 0.5F, 0, 3, -1, 2, inf, -0.25F, 1, 0.75F, -3});
  const ModuleData data{{"w", Tensor::from_values<float>({3}, {0.5F, -1.25F, 2})},
                        {"v", Tensor::from_values<float>({3}, {-0.0F, 3, inf})}};
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const std::string text = Generator(seed).text();
    for (const auto& [pipeline, zeros_equal] : pipelines) {
      INFO(text);
      INFO(pipeline);
      const std::shared_ptr<Context> context = make_context();
      Module before = test::parse(context, text);
      test::Run after = test::run(pipeline, text, Numerics::Exact);
      INFO(after.messages);
      REQUIRE(after.ok);
      INFO(print(after.module));
      changed += after.statistics.find(": changed\n") != std::string::npos ? 1 : 0;
      for (const bool k : {false, true}) {
        const std::array<Tensor, 4> inputs{a, b, Tensor::scalar<bool>(k), s};
        const auto x = interpret(before, "f", inputs, data), y = interpret(after.module, "f", inputs, data);
        INFO((x.ok() ? std::string() : x.error().message()));
        REQUIRE(x.ok());
        REQUIRE(y.ok());
        for (std::size_t i = 0; i < 2; ++i) CHECK(same(x->results[i], y->results[i], zeros_equal));
      }
      // What was made reads back as what it is.
      CHECK(print(test::parse(context, print(after.module))) == print(after.module));
    }
  }
  CHECK(changed > 900);
}

// The text with the ops of each region in another order; terminators stay last.
std::string shuffled(std::string_view text, std::mt19937_64& random) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.emplace_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  const auto first_character = [](const std::string& line) { return line.find_first_not_of(' '); };
  const auto opens = [](const std::string& line) { return line.ends_with("{\n"); };
  std::size_t at = 0;
  // Lines up to the one that closes the region.
  const std::function<std::string()> region = [&] {
    std::vector<std::string> ops;
    while (lines[at][first_character(lines[at])] != '}') {
      ops.push_back(lines[at++]);
      if (!opens(ops.back())) continue;
      do {
        ops.back() += region();
        ops.back() += lines[at];
      } while (opens(lines[at++]));
    }
    std::shuffle(ops.begin(), ops.end() - 1, random);
    std::string out;
    for (const std::string& op : ops) out += op;
    return out;
  };
  std::string out;
  while (at < lines.size()) {
    out += lines[at];
    if (!opens(lines[at++])) continue;
    out += region();
    out += lines[at++];
  }
  return out;
}

TEST_CASE("random programs in any order are sorted into what they were") {
  std::mt19937_64 random(5);
  const Tensor a = Tensor::from_values<float>({3}, {1.5F, -0.0F, 2});
  const Tensor b = Tensor::from_values<float>({3}, {-2.25F, 0.0F, std::numeric_limits<float>::quiet_NaN()});
  const Tensor s = Tensor::from_values<float>({4, 3}, {1, -2, 0.5F, 0, 3, -1, 2, 7, -0.25F, 1, 0.75F, -3});
  const ModuleData data{{"w", Tensor::from_values<float>({3}, {0.5F, -1.25F, 2})},
                        {"v", Tensor::from_values<float>({3}, {-0.0F, 3, 4})}};
  std::size_t moved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = Generator(seed).text(), other = shuffled(text, random);
    INFO(text);
    INFO(other);
    const std::shared_ptr<Context> context = make_context();
    Module wanted = test::parse(context, text);
    CHECK(TopologicalOrder(wanted.top()).sorted());
    Module module = test::parse(context, other, true);
    const std::string unsorted = print(module);
    CHECK(print(test::parse(context, unsorted, true)) == unsorted);
    DiagnosticEngine diagnostics(context->locations());
    CHECK(verify_in_any_order(module, diagnostics));
    moved += TopologicalOrder(module.top()).apply();
    CHECK(TopologicalOrder(module.top()).sorted());
    CHECK(module.check_store().empty());
    CHECK(verify(module, diagnostics));
    INFO(render_text(diagnostics));
    const std::string sorted = print(module);
    CHECK(print(test::parse(context, sorted)) == sorted);
    const std::array<Tensor, 4> inputs{a, b, Tensor::scalar<bool>(seed % 2 == 0), s};
    const auto x = interpret(wanted, "f", inputs, data), y = interpret(module, "f", inputs, data);
    REQUIRE(x.ok());
    REQUIRE(y.ok());
    for (std::size_t i = 0; i < 2; ++i) CHECK(same(x->results[i], y->results[i], false));
  }
  CHECK(moved > 2000);
}

}  // namespace
}  // namespace mlgc
