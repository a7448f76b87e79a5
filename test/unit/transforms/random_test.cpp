// Random programs: what the interpreter computes before a pass it computes afterwards, bit for bit under `exact`.
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "interp/interpret_module.h"
#include "program.h"

namespace mlgc {
namespace {

// A function of %a, %b: tensor<3xf32> and %k: tensor<i1>, with neutral elements, repeated ops, constants, calls and
// nested ifs.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  std::string text() {
    std::string out =
        "func @g(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {\n  %0 = neg %x\n  %1 = mul %0 {other = 0.5}\n  return "
        "%1\n}\nfunc @f(%a: tensor<3xf32>, %b: tensor<3xf32>, %k: tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>) {\n";
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
      switch (below(depth < 2 ? 9 : 7)) {
        case 0: out += head + kUnary[below(kUnary.size())] + " " + pick(visible) + "\n"; break;
        case 1:
          out += head + kNeutral[below(5)] + " " + pick(visible) + " {other = " + kNumbers[below(7)] + "}\n";
          break;
        case 2:
          out += head + "constant {value = dense<" + kNumbers[below(3)] + "> : tensor<3xf32>} : tensor<3xf32>\n";
          break;
        case 3: out += head + "call @g, " + pick(visible) + " : tensor<3xf32>\n"; break;
        case 4: out += head + (below(2) == 0 ? "softmax " : "log_softmax ") + pick(visible) + " {dim = 0}\n"; break;
        case 7:
        case 8: {
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
        default: {
          const std::string a = pick(visible), b = pick(visible);
          out += head + kBinary[below(kBinary.size())] + " " + a + ", " + b + "\n";
          break;
        }
      }
      visible.push_back(name);
    }
  }
  std::mt19937_64 random_;
  std::size_t next_ = 0;
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
      {"expand", false},
      {"expand{ops=mul,add,div,relu,softmax}", false},
      {"inline,canonicalize,constant-fold,canonicalize,cse,dce", true},
  };
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor a = Tensor::from_values<float>({3}, {1.5F, -0.0F, inf});
  const Tensor b = Tensor::from_values<float>({3}, {-2.25F, 0.0F, std::numeric_limits<float>::quiet_NaN()});
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
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
        const std::array<Tensor, 3> inputs{a, b, Tensor::scalar<bool>(k)};
        const auto x = interpret(before, "f", inputs), y = interpret(after.module, "f", inputs);
        INFO((x.ok() ? std::string() : x.error().message()));
        REQUIRE(x.ok());
        REQUIRE(y.ok());
        for (std::size_t i = 0; i < 2; ++i) CHECK(same(x->results[i], y->results[i], zeros_equal));
      }
      // What was made reads back as what it is.
      CHECK(print(test::parse(context, print(after.module))) == print(after.module));
    }
  }
  CHECK(changed > 1200);
}

}  // namespace
}  // namespace mlgc
