// Gradients that rows state instead of having them derived: the two agree in f64, whatever the axis, the size and the
// element type; every row that states one is tested here.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "interp/evaluate_formula.h"
#include "ops/instantiate.h"
#include "ops/op_table.h"
#include "ops/row_gradient.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct RowUse {
  std::string_view op;
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::int64_t dim;
  std::string_view flag = "";  // an attribute that is true
};

const std::vector<RowUse> kUses{
    {"softmax", Dtype::F64, {4}, 0},
    {"softmax", Dtype::F32, {2, 3, 5}, 1},
    {"softmax", Dtype::BF16, {2, 3}, -1},
    {"softmax", Dtype::F64, {3, 1}, 1},
    {"softmax", Dtype::F64, {0, 3}, 1},
    {"softmax", Dtype::F64, {2, 3}, 1, "safe"},
    {"log_softmax", Dtype::F64, {4}, 0},
    {"log_softmax", Dtype::F32, {2, 3, 5}, 1},
    {"var", Dtype::F64, {5}, 0},
    {"var", Dtype::F32, {2, 3, 5}, 1, "keepdim"},
    {"var", Dtype::F64, {2, 3}, -1},
    {"std", Dtype::F64, {5}, 0},
    {"std", Dtype::BF16, {2, 3, 5}, 1},
    {"std", Dtype::F64, {2, 3}, -1, "keepdim"},
    {"log_softmax", Dtype::BF16, {2, 3}, -1},
    {"log_softmax", Dtype::F64, {3, 1}, 1},
};

Tensor drawn(const std::vector<std::int64_t>& shape, double phase) {
  Tensor out = Tensor::zeros(Dtype::F64, shape);
  for (std::int64_t i = 0; i < out.size(); ++i)
    out.mutable_data<double>()[static_cast<std::size_t>(i)] = 3 * std::sin(phase + 1.7 * static_cast<double>(i));
  return out;
}

}  // namespace

TEST_CASE("gradients that rows state are those that their formulas derive") {
  const auto context = make_context();
  FormulaPool& pool = formulas(*context);
  for (const RowUse& use : kUses) {
    std::string name(use.op);
    for (const std::int64_t size : use.shape) name += " " + std::to_string(size);
    DYNAMIC_SECTION(name << " along " << use.dim << " " << dtype_info(use.dtype).name << use.flag) {
      std::vector<IndexExpr> dims;
      for (const std::int64_t size : use.shape) dims.push_back(context->index().constant(size));
      const Type type = context->types().tensor(use.dtype, dims);
      const bool list = use.op == "var" || use.op == "std";
      std::vector<NamedAttribute> attributes{
          {context->strings().intern("dim"),
           list ? context->attributes().int_list(std::span(&use.dim, 1)) : context->attributes().integer(use.dim)}};
      if (!use.flag.empty())
        attributes.push_back({context->strings().intern(use.flag), context->attributes().boolean(true)});
      const AttrDict attrs = context->attributes().dict(attributes);
      const Opcode opcode = context->find_op(use.op);
      const auto forward = instantiate_op(*context, opcode, std::span(&type, 1), attrs);
      REQUIRE(forward.ok());
      std::vector<Tensor> inputs{drawn(use.shape, 0.3)};
      const auto result = evaluate(pool, *forward, inputs, {Precision::Judge});
      REQUIRE(result.ok());
      inputs.push_back(result->front());
      inputs.push_back(drawn({result->front().shape().begin(), result->front().shape().end()}, 1.1));

      constexpr std::size_t kFirst[] = {0};
      std::vector<Tensor> found;
      for (const GradientBody body : {GradientBody::Stated, GradientBody::Derived}) {
        const Formula g = row_gradient(*context, opcode, std::span(&type, 1), attrs, {}, kFirst, kFirst, body);
        INFO(print_formula(pool, g));
        CHECK_FALSE(check_formula(pool, g).has_value());
        const auto gradient = evaluate(pool, g, inputs, {Precision::Judge});
        REQUIRE(gradient.ok());
        found.push_back(gradient->front());
      }
      REQUIRE(found[0].shape() == found[1].shape());
      for (std::int64_t i = 0; i < found[0].size(); ++i)
        CHECK(found[0].get_double(i) == Approx(found[1].get_double(i)).epsilon(1e-12).margin(1e-14));
    }
  }
}

TEST_CASE("every row that states a gradient is tested") {
  for (const OpDef* def : op_table()) {
    if (def->hooks.gradient == nullptr) continue;
    if (def->name.starts_with("conv")) continue;  // test/grad/convolution.mlir: against differences, and PyTorch
    INFO(def->name);
    CHECK(std::any_of(kUses.begin(), kUses.end(), [&](const RowUse& use) { return use.op == def->name; }));
  }
}
