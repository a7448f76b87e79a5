// What values are computed from, through regions of other ops too.
#include "analysis/backward_slice.h"

#include <set>

#include "parsed_module.h"

namespace mlgc {
namespace {

constexpr std::string_view kText =
    R"(func @f(%x: tensor<4xf32>, %p: tensor<i1>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = exp %x
  %b = sin %x
  %c = add %a, %b
  %d = neg %b
  %e = if %p {
    %i = mul %a, %d
    yield %i
  } else {
    yield %x
  } : tensor<4xf32>
  %g = for [0, %n] (%k: index, %s = %e) {
    %t = add %s, %c
    yield %t
  } : tensor<4xf32>
  %h = abs %g
  %u = tanh %d
  return %h, %u
}
)";

std::set<std::string> names(const std::unordered_set<OpId>& ops, const Module& module) {
  std::set<std::string> out;
  for (const OpId id : ops) {
    const OpRef op = module.op(id);
    out.emplace(op.result_count() > 0 ? op.result().name() : op.name());
  }
  return out;
}

}  // namespace

TEST_CASE("values that an op reads, in program order, with repetitions") {
  const test::ParsedModule parsed(kText);
  const auto read = [&](const std::string& result) {
    std::string out;
    for (const Value v : values_read(parsed.op(result))) out += std::string(v.name()) + " ";
    return out;
  };
  CHECK(read("a") == "x ");
  // The condition, then what the arms read of the region around; not what they define themselves.
  CHECK(read("e") == "p a d x ");
  CHECK(read("g") == "n e c ");
  const test::ParsedModule twice("func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = mul %x, %x\n  return %y\n}\n");
  CHECK(values_read(twice.op("y")).size() == 2);
}

TEST_CASE("a slice holds the ops of one region that its roots need, and stops where it may not enter") {
  const test::ParsedModule parsed(kText);
  const auto slice = [&](std::initializer_list<std::string> values, std::initializer_list<std::string> roots = {},
                         const std::string& barred = "") {
    std::vector<Value> of;
    std::vector<OpRef> from;
    for (const std::string& name : values) of.push_back(parsed.value(name));
    for (const std::string& name : roots) from.push_back(parsed.op(name));
    const std::function<bool(OpRef)> enter = [&](OpRef op) {
      return op.result_count() == 0 || op.result().name() != barred;
    };
    return names(backward_slice(of, from, barred.empty() ? std::function<bool(OpRef)>() : enter), parsed.module);
  };
  using Names = std::set<std::string>;
  CHECK(slice({}).empty());
  CHECK(slice({"x"}).empty());
  CHECK(slice({"a"}) == Names{"a"});
  CHECK(slice({"u"}) == Names{"b", "d", "u"});
  CHECK(slice({"e"}) == Names{"a", "b", "d", "e"});
  CHECK(slice({"h"}) == Names{"a", "b", "c", "d", "e", "g", "h"});
  CHECK(slice({"a"}, {"d"}) == Names{"a", "b", "d"});
  // One that may not be entered is none of them, nor a way; another way to what is behind it stays.
  CHECK(slice({"u"}, {}, "d") == Names{"u"});
  CHECK(slice({"h"}, {}, "e") == Names{"a", "b", "c", "g", "h"});
  CHECK(slice({"u"}, {}, "u").empty());
}

}  // namespace mlgc
