// Dominators and depths of random graphs are those that their definitions give, node by node.
#include "inspect/data_flow.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "parsed_module.h"

namespace mlgc {
namespace {

// Sums and functions of values before them, of weights, and of permutations, which do not count as depth.
std::string random_graph(std::mt19937_64& random, int arguments, int ops) {
  std::string head = "weight @w : tensor<4x4xf32>\nfunc @f(", body = "  %g = read @w : tensor<4x4xf32>\n";
  std::vector<std::string> values{"%g"};
  for (int i = 0; i < arguments; ++i) {
    values.push_back("%x" + std::to_string(i));
    head += (i == 0 ? "" : ", ") + values.back() + ": tensor<4x4xf32>";
  }
  const auto any = [&] {
    // Mostly near ones, so that graphs are deep.
    const std::size_t back = std::min<std::size_t>(values.size(), random() % 4 == 0 ? values.size() : 4);
    return values[values.size() - 1 - random() % back];
  };
  for (int i = 0; i < ops; ++i) {
    const std::string result = "%v" + std::to_string(i), from = any();
    switch (random() % 4) {
      case 0: body += "  " + result + " = relu " + from; break;
      case 1: body += "  " + result + " = permute " + from + " {dims = [1, 0]}"; break;
      default: body += "  " + result + " = add " + from + ", " + any(); break;
    }
    body += " : tensor<4x4xf32>\n";
    values.push_back(result);
  }
  return head + ") -> tensor<4x4xf32> {\n" + body + "  return " + values.back() + "\n}\n";
}

// By definition: what is on every path, which are those that are on every path to each value read, and the node itself.
void check_graph(const std::string& text) {
  INFO(text);
  const test::ParsedModule parsed(text);
  const DataFlow flow(parsed.func().region(0));
  const auto first = flow.ops().empty() ? DataFlow::Node{1} : flow.node(0);
  std::vector<std::set<DataFlow::Node>> on_all(first + flow.ops().size());
  std::vector<std::uint32_t> depth(on_all.size());
  on_all[0] = {0};
  for (DataFlow::Node n = 1; n < on_all.size(); ++n) {
    const OpRef op = flow.op_of(n);
    CHECK(op.valid() == (n >= first));
    std::set<DataFlow::Node> common{0};
    bool any = false;
    for (const DataFlow::Node read : flow.read_by(n)) {
      REQUIRE(read < n);
      std::set<DataFlow::Node> both;
      std::set_intersection(common.begin(), common.end(), on_all[read].begin(), on_all[read].end(),
                            std::inserter(both, both.end()));
      common = any ? both : on_all[read];
      any = true;
      depth[n] = std::max(depth[n], depth[read]);
    }
    if (op.valid() && (op.name() == "add" || op.name() == "relu")) ++depth[n];
    CHECK(flow.depth(n) == depth[n]);
    // The nearest of them is the one that all others are on the way to.
    CHECK(flow.dominator(n) == *std::max_element(common.begin(), common.end()));
    on_all[n] = common;
    on_all[n].insert(n);
  }
}

}  // namespace

TEST_CASE("dominators and depths are those of the definition") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) check_graph(random_graph(random, 1 + i % 3, i % 40));
}

TEST_CASE("what is computed of weights alone is no part of the flow") {
  const test::ParsedModule parsed(
      "weight @w : tensor<4xf32>\n"
      "func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %w = read @w : tensor<4xf32>\n"
      "  %t = tanh %w : tensor<4xf32>\n"
      "  %y = mul %x, %t : tensor<4xf32>\n"
      "  return %y\n"
      "}\n");
  const DataFlow flow(parsed.func().region(0));
  REQUIRE(flow.ops().size() == 2);
  CHECK(flow.ops()[0].name() == "mul");
  CHECK(flow.dominator(flow.node(0)) == 1);
  CHECK(flow.readers(1) == 1);
}

}  // namespace mlgc
