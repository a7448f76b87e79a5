// Which engine's error counts, and what is allowed by it.
#include "check/peer_agreement.h"

#include "support_catch.h"

using namespace mlgc;

namespace {

Tensor vector_of(Dtype dtype, std::initializer_list<double> values) {
  Tensor out = Tensor::create(dtype, {static_cast<std::int64_t>(values.size())}).value();
  std::int64_t i = 0;
  for (const double value : values)
    is_inexact(dtype) ? out.set_double(i++, value) : out.set_int(i++, static_cast<std::int64_t>(value));
  return out;
}
NamedTensors named(std::string name, Tensor tensor) {
  NamedTensors out;
  out.emplace_back(std::move(name), std::move(tensor));
  return out;
}
std::vector<double> no_neighbours(std::string_view) { return {0}; }

}  // namespace

TEST_CASE("the peer is PyTorch, of PyTorch compiled code, else the first other engine") {
  const std::vector<std::string_view> all{"interp", "cpp", "torch"};
  CHECK(peer_of(0, all) == 2);
  CHECK(peer_of(1, all) == 2);
  CHECK(peer_of(2, all) == 1);
  const std::vector<std::string_view> own{"interp", "cpp", "onnx"};
  CHECK(peer_of(0, own) == 1);
  CHECK(peer_of(1, own) == 0);
  CHECK(peer_of(2, own) == 0);
  const std::vector<std::string_view> two{"torch", "interp"};
  CHECK(peer_of(0, two) == 1);
  CHECK(peer_of(1, two) == 0);
}

TEST_CASE("a float result may be twice as wrong as its peer, here or on neighbours; an integer result may not") {
  const Tensor exact = vector_of(Dtype::F64, {1, 2});
  const Tensor wrong = vector_of(Dtype::F32, {1, 2.001}), half_as_wrong = vector_of(Dtype::F32, {1.0006, 2});
  const Tensor right = vector_of(Dtype::F32, {1, 2});
  const std::vector<EngineOutputs> by_wrong{{"cpp", named("y", wrong)}, {"torch", named("y", half_as_wrong)}};
  for (const ComparedOutput& one : compare_with_peers(by_wrong, named("y", exact), no_neighbours))
    CHECK(one.difference.agrees);
  const std::vector<EngineOutputs> by_right{{"cpp", named("y", wrong)}, {"torch", named("y", right)}};
  std::vector<ComparedOutput> compared = compare_with_peers(by_right, named("y", exact), no_neighbours);
  REQUIRE(compared.size() == 2);
  CHECK(compared[0].engine == "cpp");
  CHECK_FALSE(compared[0].difference.agrees);
  CHECK(compared[1].difference.agrees);
  std::vector<std::string> asked;
  const NearbyErrors nearby = [&](std::string_view engine) {
    asked.emplace_back(engine);
    return std::vector<double>{0.001};
  };
  CHECK(compare_with_peers(by_right, named("y", exact), nearby)[0].difference.agrees);
  CHECK(asked == std::vector<std::string>{"torch"});

  const std::vector<EngineOutputs> integers{{"cpp", named("n", vector_of(Dtype::I64, {3}))},
                                            {"torch", named("n", vector_of(Dtype::I64, {4}))}};
  compared = compare_with_peers(integers, named("n", vector_of(Dtype::I64, {4})), nearby);
  CHECK_FALSE(compared[0].difference.agrees);
  CHECK(compared[1].difference.agrees);
  CHECK(asked.size() == 1);
}

TEST_CASE("a reference is found by name or by number, and one in f64 is what results are measured against") {
  const EngineOutputs native{"cpp", named("y", vector_of(Dtype::F32, {1.001}))};
  int asked = 0;
  const auto exact = [&] {
    ++asked;
    return std::optional(named("y", vector_of(Dtype::F64, {1})));
  };
  auto compared = compare_with_reference(named("result0", vector_of(Dtype::F64, {1})), native, exact, no_neighbours);
  REQUIRE((compared && compared->size() == 1 && (*compared)[0].difference));
  CHECK_FALSE((*compared)[0].difference->agrees);
  CHECK(asked == 0);
  NamedTensors with_eager = named("y", vector_of(Dtype::F64, {1}));
  with_eager.emplace_back("y.eager", vector_of(Dtype::F32, {0.999}));
  CHECK((*compare_with_reference(with_eager, native, exact, no_neighbours))[0].difference->agrees);
  CHECK(asked == 0);
  // A reference in the result's dtype may be as wrong as the result.
  CHECK((*compare_with_reference(named("y", vector_of(Dtype::F32, {0.999})), native, exact, no_neighbours))[0]
            .difference->agrees);
  CHECK(asked == 1);
  CHECK_FALSE((*compare_with_reference(named("z", vector_of(Dtype::F32, {1})), native, exact, no_neighbours))[0]
                  .difference.has_value());
  const auto no_answer = [] { return std::optional<NamedTensors>(); };
  CHECK_FALSE(compare_with_reference(named("y", vector_of(Dtype::F32, {1})), native, no_answer, no_neighbours));
}
