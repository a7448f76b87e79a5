// compose-views: random chains of ops that move elements keep their elements, and do become shorter.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "interp/interpret_module.h"
#include "program.h"

namespace mlgc {
namespace {

std::string list(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const std::int64_t v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return "[" + out + "]";
}

// A chain of `length` ops on a 2x3x4 tensor, which may branch; the last value is returned.
class Chain {
 public:
  explicit Chain(std::uint64_t seed) : random_(seed) {}
  std::string text(std::size_t length) {
    std::string out;
    for (std::size_t i = 0; i < length; ++i) {
      const std::string name = below(8) == 0 ? pick_any() : "%v" + std::to_string(shapes_.size() - 1);
      const auto shape = shapes_[static_cast<std::size_t>(std::stoul(name.substr(2)))];
      const std::string result = "  %v" + std::to_string(shapes_.size());
      out += result + " = " + op(name, shape) + "\n";
    }
    std::string type;
    for (const std::int64_t d : shapes_.back()) type += std::to_string(d) + "x";
    return "func @f(%v0: tensor<2x3x4xf32>) -> tensor<" + type + "f32> {\n" + out + "  return %v" +
           std::to_string(shapes_.size() - 1) + "\n}\n";
  }

 private:
  using Dims = std::vector<std::int64_t>;
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string pick_any() { return "%v" + std::to_string(below(shapes_.size())); }

  std::string op(const std::string& x, const Dims& shape) {
    const std::size_t rank = shape.size();
    Dims dims = shape;
    const std::size_t axis = rank == 0 ? 0 : below(rank);
    const std::string at = std::to_string(axis);
    switch (rank == 0 ? 0 : below(8)) {
      case 0: dims.insert(dims.begin(), 1); return made(dims, "unsqueeze " + x + " {dim = 0}");
      case 1: {
        Dims axes(rank);
        std::iota(axes.begin(), axes.end(), 0);
        std::shuffle(axes.begin(), axes.end(), random_);
        for (std::size_t i = 0; i < rank; ++i) dims[i] = shape[static_cast<std::size_t>(axes[i])];
        return made(dims, "permute " + x + " {dims = " + list(axes) + "}");
      }
      case 2: {  // two axes become one, or one becomes two
        if (axis + 1 < rank) {
          dims[axis] *= dims[axis + 1];
          dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
        } else if (dims[axis] % 2 == 0) {
          dims[axis] /= 2;
          dims.push_back(2);
        }
        return made(dims, "view " + x + " {shape = " + list(dims) + "}");
      }
      case 3: {
        if (shape[axis] < 2) break;
        const bool strided = below(2) == 0;
        dims[axis] = strided ? (shape[axis] + 1) / 2 : shape[axis] - 1;
        return made(dims, "slice " + x + " {dim = " + at + (strided ? ", step = 2}" : ", start = 1}"));
      }
      case 4:
        if (shape[axis] == 0) break;
        dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
        return made(dims, "select " + x + " {dim = " + at +
                              ", index = " + std::to_string(below(static_cast<std::size_t>(shape[axis]))) + "}");
      case 5: return made(dims, "flip " + x + " {dims = [" + at + "]}");
      case 6:
        if (shape[axis] != 1 || rank > 5) break;
        dims[axis] = 2;
        return made(dims, "expand " + x + " {size = " + list(dims) + "}");
      default: break;
    }
    std::reverse(dims.begin(), dims.end());
    Dims axes(rank);
    std::iota(axes.rbegin(), axes.rend(), 0);
    return made(dims, "permute " + x + " {dims = " + list(axes) + "}");
  }
  std::string made(Dims dims, std::string text) {
    shapes_.push_back(std::move(dims));
    return text;
  }

  std::mt19937_64 random_;
  std::vector<Dims> shapes_{{2, 3, 4}};
};

TEST_CASE("random chains of views keep their elements") {
  Tensor x = Tensor::zeros(Dtype::F32, {2, 3, 4});
  for (std::int64_t i = 0; i < x.size(); ++i) x.set_double(i, static_cast<double>(i));
  std::size_t shorter = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::string text = Chain(seed).text(2 + seed % 12);
    INFO(text);
    const std::shared_ptr<Context> context = make_context();
    Module before = test::parse(context, text);
    const std::size_t ops = before.op_count();
    test::Run after = test::run("compose-views,dce", text);
    INFO(after.messages);
    REQUIRE(after.ok);
    INFO(print(after.module));
    shorter += after.module.op_count() < ops ? 1 : 0;
    const std::array<Tensor, 1> inputs{x};
    const auto a = interpret(before, "f", inputs), b = interpret(after.module, "f", inputs);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    REQUIRE(a->results[0].shape() == b->results[0].shape());
    for (std::int64_t i = 0; i < a->results[0].size(); ++i)
      REQUIRE(a->results[0].get_double(i) == b->results[0].get_double(i));
  }
  CHECK(shorter > 200);
}

TEST_CASE("a long chain of transposes is followed to its end") {
  std::string text = "func @f(%v0: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> {\n";
  for (int i = 0; i < 100; ++i)
    text += "  %v" + std::to_string(i + 1) + " = transpose %v" + std::to_string(i) + " {dim0 = 0, dim1 = 1}\n";
  CHECK(test::after("compose-views,dce", text + "  return %v100\n}") ==
        test::canonical("func @f(%v0: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> {\n  return %v0\n}"));
}

}  // namespace
}  // namespace mlgc
