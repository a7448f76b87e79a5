// Gradients that rows state instead of having them derived: the two agree in f64, whatever the axis, the size and the
// element type; every row that states one is tested here. `test_interp "[figures]"` prints what each is good for.
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "ops/row_gradient.h"
#include "support_catch.h"

using namespace mlgc;

namespace {

struct StatedOperand {
  Dtype dtype;
  std::vector<std::int64_t> shape;
};

// An op with a cotangent of its first result.
struct RowUse {
  std::string_view op, attributes;
  std::vector<StatedOperand> operands;  // an absent one has dtype i8
  std::vector<std::size_t> wanted;      // numbers of operands
};

constexpr Dtype F64 = Dtype::F64, F32 = Dtype::F32, BF16 = Dtype::BF16, I64 = Dtype::I64, I1 = Dtype::I1;
const StatedOperand kAbsent{Dtype::I8, {}};

const std::vector<RowUse> kUses{
    {"softmax", "{dim = 0}", {{F64, {4}}}, {0}},
    {"softmax", "{dim = 1}", {{F32, {2, 3, 5}}}, {0}},
    {"softmax", "{dim = -1}", {{BF16, {2, 3}}}, {0}},
    {"softmax", "{dim = 1}", {{F64, {3, 1}}}, {0}},
    {"softmax", "{dim = 1}", {{F64, {0, 3}}}, {0}},
    {"softmax", "{dim = 1, safe = true}", {{F64, {2, 3}}}, {0}},
    {"log_softmax", "{dim = 0}", {{F64, {4}}}, {0}},
    {"log_softmax", "{dim = 1}", {{F32, {2, 3, 5}}}, {0}},
    {"log_softmax", "{dim = -1}", {{BF16, {2, 3}}}, {0}},
    {"log_softmax", "{dim = 1}", {{F64, {3, 1}}}, {0}},
    {"var", "{dim = [0]}", {{F64, {5}}}, {0}},
    {"var", "{dim = [1], keepdim = true}", {{F32, {2, 3, 5}}}, {0}},
    {"var", "{dim = [-1]}", {{F64, {2, 3}}}, {0}},
    {"std", "{dim = [0]}", {{F64, {5}}}, {0}},
    {"std", "{dim = [1]}", {{BF16, {2, 3, 5}}}, {0}},
    {"std", "{dim = [-1], keepdim = true}", {{F64, {2, 3}}}, {0}},
    {"hypot", "", {{F64, {7}}, {F64, {7}}}, {0, 1}},
    {"hypot", "", {{F32, {2, 3}}, {F32, {2, 3}}}, {1}},
    {"conv1d", "{padding = [1]}", {{F64, {2, 3, 5}}, {F64, {4, 3, 3}}}, {0, 1}},
    {"conv1d", "{dilation = [2], stride = [3]}", {{F32, {1, 2, 9}}, {F32, {1, 2, 2}}}, {0, 1}},
    {"conv2d",
     "{padding = [1, 1], stride = [2, 1]}",
     {{F64, {2, 3, 5, 4}}, {F64, {4, 3, 3, 2}}, {F64, {4}}},
     {0, 1, 2}},
    {"conv2d", "{padding = [2, 0]}", {{F64, {1, 1, 4, 4}}, {F64, {2, 1, 1, 3}}}, {0, 1}},
    {"conv2d", "", {{BF16, {0, 2, 4, 4}}, {BF16, {3, 2, 2, 2}}}, {0, 1}},
    {"conv3d", "{padding = [1, 0, 1]}", {{F64, {1, 2, 3, 4, 3}}, {F64, {2, 2, 2, 3, 3}}}, {0, 1}},
    {"max_pool1d", "{kernel_size = [3], padding = [1], stride = [2]}", {{F64, {2, 3, 7}}}, {0}},
    {"max_pool2d", "{kernel_size = [2, 2], stride = [2, 2]}", {{F32, {2, 3, 4, 6}}}, {0}},
    {"max_pool2d",
     "{kernel_size = [3, 2], padding = [1, 0], dilation = [1, 2], stride = [1, 2]}",
     {{BF16, {1, 2, 5, 6}}},
     {0}},
    {"max_pool2d", "{kernel_size = [2, 2], stride = [1, 1]}", {{F64, {0, 3, 4, 6}}}, {0}},
    {"max_pool3d", "{kernel_size = [2, 3, 2], padding = [0, 1, 1], stride = [1, 2, 2]}", {{F64, {2, 1, 4, 5, 3}}}, {0}},
    {"gelu", "{approximate = \"tanh\"}", {{BF16, {2, 3}}}, {0}},
    {"gelu", "{approximate = \"tanh\"}", {{F32, {7}}}, {0}},
    {"layer_norm", "{normalized_shape = [5]}", {{F32, {2, 3, 5}}, {F32, {5}}, {F32, {5}}}, {0, 1, 2}},
    {"layer_norm", "{normalized_shape = [3, 5]}", {{F64, {2, 3, 5}}}, {0}},
    {"layer_norm", "{normalized_shape = [5]}", {{F64, {5}}, {F64, {5}}}, {1}},
    {"layer_norm", "{normalized_shape = [5]}", {{BF16, {4, 5}}, {BF16, {5}}, {BF16, {5}}}, {0, 1, 2}},
    {"layer_norm", "{normalized_shape = [5]}", {{BF16, {4, 5}}, {F32, {5}}, {F32, {5}}}, {0, 1, 2}},
    {"layer_norm", "{normalized_shape = [1]}", {{F64, {4, 1}}, {F64, {1}}, {F64, {1}}}, {0, 2}},
    {"group_norm", "{num_groups = 2}", {{F32, {2, 6, 5}}, {F32, {6}}, {F32, {6}}}, {0, 1, 2}},
    {"group_norm", "{num_groups = 3}", {{F64, {2, 6}}}, {0}},
    {"group_norm", "{num_groups = 1}", {{F64, {2, 4, 3, 2}}, {F64, {4}}, {F64, {4}}}, {0, 1, 2}},
    {"batch_norm_train", "", {{F32, {4, 3, 5}}, {F32, {3}}, {F32, {3}}, {F32, {3}}, {F32, {3}}}, {0, 3, 4}},
    {"batch_norm_train", "", {{F64, {4, 3}}, {F64, {3}}, {F64, {3}}}, {0}},
    {"batch_norm_stats", "", {{F32, {4, 3, 5}}, {F32, {3}}, {F32, {3}}}, {0, 1, 2}},
    {"batch_norm_stats", "", {{F64, {4, 3, 2, 2}}}, {0}},
    {"cross_entropy", "", {{F32, {6, 4}}, {I64, {6}}}, {0}},
    {"cross_entropy", "{ignore_index = 1}", {{F64, {6, 4, 3}}, {I64, {6, 3}}, {F64, {4}}}, {0}},
    {"cross_entropy", "{reduction = \"none\"}", {{BF16, {6, 4}}, {I64, {6}}, {BF16, {4}}}, {0}},
    {"cross_entropy", "{reduction = \"sum\", label_smoothing = 0.2}", {{F64, {6, 4}}, {I64, {6}}}, {0}},
    {"cross_entropy", "{label_smoothing = 0.1, ignore_index = 2}", {{F64, {6, 4}}, {I64, {6}}, {F64, {4}}}, {0}},
    {"cross_entropy", "", {{F64, {4}}, {I64, {}}}, {0}},
    {"cross_entropy", "{ignore_index = -1}", {{F64, {0, 4}}, {I64, {0}}}, {0}},
    {"scaled_dot_product_attention", "", {{F32, {2, 3, 4}}, {F32, {2, 5, 4}}, {F32, {2, 5, 6}}}, {0, 1, 2}},
    {"scaled_dot_product_attention", "{is_causal = true}", {{F64, {3, 4}}, {F64, {5, 4}}, {F64, {5, 6}}}, {0, 1}},
    {"scaled_dot_product_attention",
     "{scale = 0.7}",
     {{BF16, {2, 3, 4}}, {BF16, {2, 5, 4}}, {BF16, {2, 5, 6}}, {I1, {3, 5}}},
     {0, 1, 2}},
    {"scaled_dot_product_attention",
     "{safe = false, is_causal = true}",
     {{F64, {2, 3, 4}}, {F64, {2, 5, 4}}, {F64, {2, 5, 6}}, {I1, {2, 1, 5}}},
     {0, 1, 2}},
    {"scaled_dot_product_attention",
     "",
     {{F64, {2, 1, 3, 4}}, {F64, {2, 1, 5, 4}}, {F64, {2, 1, 5, 6}}, {F64, {1, 1, 3, 5}}},
     {2}},
};

// Operands that a body is stated for only in part: then the derived one serves.
const std::vector<RowUse> kDerived{
    {"layer_norm", "{normalized_shape = [5]}", {{F64, {4, 5}}}, {0}},  // with a cotangent of the mean, see below
    {"group_norm", "{num_groups = 2}", {{BF16, {2, 6, 5}}}, {0}},
    {"gelu", "", {{F64, {7}}}, {0}},
    {"hypot", "", {{F64, {2, 3}}, {F64, {3}}}, {0, 1}},
    {"batch_norm_train", "", {{F64, {4, 3}}, {F64, {3}}, {F64, {3}}}, {0, 1, 2}},
    {"cross_entropy", "", {{F64, {6, 4}}, {F64, {6, 4}}}, {0}},
    {"cross_entropy", "", {{F64, {6, 4}}, {I64, {6}}, {F64, {4}}}, {0, 2}},
    {"scaled_dot_product_attention",
     "{enable_gqa = true}",
     {{F64, {4, 3, 4}}, {F64, {2, 5, 4}}, {F64, {2, 5, 6}}},
     {0}},
    {"scaled_dot_product_attention", "", {{F64, {2, 3, 4}}, {F64, {1, 5, 4}}, {F64, {1, 5, 6}}}, {0, 1, 2}},
    {"scaled_dot_product_attention", "", {{F64, {3, 4}}, {F64, {5, 4}}, {F64, {5, 6}}, {F64, {3, 5}}}, {0, 3}},
    {"scaled_dot_product_attention", "", {{F64, {3, 4}}, {F64, {5, 4}}, {F64, {5, 6}}, {I1, {2, 3, 5}}}, {0}},
};

// Floats of some size; classes 0 .. 3 and `ignored`; masks with a row of nothing.
Tensor drawn(const StatedOperand& operand, double phase, std::int64_t ignored = -100) {
  const Dtype dtype = is_float(operand.dtype) ? Dtype::F64 : operand.dtype;
  Tensor out = Tensor::zeros(dtype, operand.shape);
  for (std::int64_t i = 0; i < out.size(); ++i) {
    if (dtype == Dtype::F64)
      out.mutable_data<double>()[static_cast<std::size_t>(i)] = 3 * std::sin(phase + 1.7 * static_cast<double>(i));
    else if (dtype == Dtype::I1)
      out.set_int(i, i >= operand.shape.back() && i % 2 == 0 ? 1 : 0);
    else
      out.set_int(i, i == 2 ? ignored : i * 7 % 4);
  }
  return out;
}

// A use, run once.
struct Ran {
  Opcode opcode;
  AttrDict attrs;
  std::vector<Type> types;
  std::vector<Tensor> inputs, results;
};

Ran run(Context& context, const RowUse& use) {
  Ran out;
  out.opcode = context.find_op(use.op);
  const auto attrs = parse_example_attributes(context, *find_op_def(use.op), use.attributes);
  REQUIRE(attrs);
  out.attrs = *attrs;
  for (std::size_t i = 0; i < use.operands.size(); ++i) {
    const StatedOperand& operand = use.operands[i];
    std::vector<IndexExpr> dims;
    for (const std::int64_t size : operand.shape) dims.push_back(context.index().constant(size));
    const bool absent = operand.dtype == kAbsent.dtype;
    out.types.push_back(absent ? Type() : context.types().tensor(operand.dtype, dims));
    // Variances are positive.
    const bool other = use.attributes.find("ignore_index") != std::string_view::npos;
    Tensor value = drawn(operand, 0.3 + 0.9 * static_cast<double>(i), other ? 1 : -100);
    if (use.op == "batch_norm_train" && i == 2)
      for (std::int64_t k = 0; k < value.size(); ++k)
        value.mutable_data<double>()[static_cast<std::size_t>(k)] = 1 + std::abs(value.get_double(k));
    out.inputs.push_back(std::move(value));
  }
  const auto forward = instantiate_op(context, out.opcode, out.types, out.attrs);
  if (!forward) FAIL(forward.error().message());
  out.inputs.resize(forward->operand_count(), Tensor::zeros(Dtype::F64, {}));
  auto results = evaluate(formulas(context), *forward, out.inputs, {Precision::F64});
  if (!results) FAIL(results.error().message());
  out.results = std::move(*results);
  return out;
}

// Cotangents of `results`; one gradient for each of `wanted`.
std::vector<Tensor> gradients(Context& context, const Ran& op, const std::vector<std::size_t>& results,
                              const std::vector<std::size_t>& wanted, GradientBody body, Precision precision) {
  FormulaPool& pool = formulas(context);
  const RowGradient g = row_gradient(context, op.opcode, op.types, op.attrs, {}, results, wanted, body);
  INFO(print_formula(pool, g.formula));
  CHECK_FALSE(check_formula(pool, g.formula).has_value());
  CHECK(g.operands == op.inputs.size());
  CHECK(g.formula.operand_count() == g.operands + 2 * results.size() + g.others.size());
  for (std::size_t k = 0; k < wanted.size(); ++k)
    CHECK(g.formula.tensor(g.formula.results()[k]).dtype == context.types().dtype(op.types[wanted[k]]));
  std::vector<Tensor> given = op.inputs;
  for (const std::size_t i : results) given.push_back(op.results[i]);
  for (const std::size_t i : results) {
    const Shape& shape = op.results[i].shape();
    given.push_back(drawn({F64, {shape.begin(), shape.end()}}, 1.1 + static_cast<double>(i)));
  }
  for (const std::size_t i : g.others) given.push_back(op.results[i]);
  if (precision == Precision::Native)
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Dtype wanted_dtype = g.formula.tensors[i].dtype;
      if (given[i].dtype() != wanted_dtype && is_float(given[i].dtype())) given[i] = given[i].cast(wanted_dtype);
    }
  auto found = evaluate(pool, g.formula, given, {precision});
  if (!found) FAIL(found.error().message());
  return std::move(*found);
}

std::string name_of(const RowUse& use) {
  std::string name(use.op);
  for (const StatedOperand& operand : use.operands) {
    name += " " + std::string(dtype_info(operand.dtype).name);
    for (const std::int64_t size : operand.shape) name += "x" + std::to_string(size);
  }
  name += " " + std::string(use.attributes) + " by";
  for (const std::size_t i : use.wanted) name += " " + std::to_string(i);
  return name;
}

// As texts: whether the row states a body for the use at all.
bool states(Context& context, const Ran& op, const std::vector<std::size_t>& results,
            const std::vector<std::size_t>& wanted) {
  const auto text = [&](GradientBody body) {
    return print_formula(formulas(context),
                         row_gradient(context, op.opcode, op.types, op.attrs, {}, results, wanted, body).formula);
  };
  return text(GradientBody::Stated) != text(GradientBody::Derived);
}

}  // namespace

TEST_CASE("gradients that rows state are those that their formulas derive") {
  const auto context = make_context();
  for (const RowUse& use : kUses) {
    DYNAMIC_SECTION(name_of(use)) {
      const Ran op = run(*context, use);
      CHECK(states(*context, op, {0}, use.wanted));
      const auto stated = gradients(*context, op, {0}, use.wanted, GradientBody::Stated, Precision::F64);
      const auto derived = gradients(*context, op, {0}, use.wanted, GradientBody::Derived, Precision::F64);
      REQUIRE(stated.size() == derived.size());
      for (std::size_t k = 0; k < stated.size(); ++k) {
        INFO("operand " << use.wanted[k]);
        REQUIRE(stated[k].shape() == derived[k].shape());
        double largest = 0;
        for (std::int64_t i = 0; i < stated[k].size(); ++i)
          if (std::isfinite(derived[k].get_double(i))) largest = std::max(largest, std::abs(derived[k].get_double(i)));
        for (std::int64_t i = 0; i < stated[k].size(); ++i)
          if (std::isnan(derived[k].get_double(i)))
            CHECK(std::isnan(stated[k].get_double(i)));
          else
            CHECK(stated[k].get_double(i) ==
                  Approx(derived[k].get_double(i)).epsilon(1e-12).margin(1e-12 * largest + 1e-14));
      }
    }
  }
}

TEST_CASE("where a row states no gradient, the derived one serves") {
  const auto context = make_context();
  for (const RowUse& use : kDerived) {
    DYNAMIC_SECTION(name_of(use)) {
      const Ran op = run(*context, use);
      // Of the norm the mean has a cotangent too.
      const std::vector<std::size_t> results =
          use.op == "layer_norm" ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0};
      CHECK_FALSE(states(*context, op, results, use.wanted));
      CHECK(gradients(*context, op, results, use.wanted, GradientBody::Stated, Precision::F64).size() ==
            use.wanted.size());
    }
  }
}

TEST_CASE("every row that states a gradient is tested") {
  for (const OpDef* def : op_table()) {
    if (def->hooks.gradient == nullptr) continue;
    INFO(def->name);
    CHECK(std::any_of(kUses.begin(), kUses.end(), [&](const RowUse& use) { return use.op == def->name; }));
  }
}

TEST_CASE("in f32 a stated gradient is about as near to f64 as the derived one") {
  const auto context = make_context();
  const std::vector<RowUse> uses{
      {"layer_norm", "{normalized_shape = [512]}", {{F32, {32, 512}}, {F32, {512}}, {F32, {512}}}, {0, 1, 2}},
      {"group_norm", "{num_groups = 8}", {{F32, {4, 32, 64}}, {F32, {32}}, {F32, {32}}}, {0, 1, 2}},
      {"batch_norm_train", "", {{F32, {16, 8, 64}}, {F32, {8}}, {F32, {8}}, {F32, {8}}, {F32, {8}}}, {0, 3, 4}},
      {"cross_entropy", "", {{F32, {64, 4}}, {I64, {64}}}, {0}},
      {"scaled_dot_product_attention", "", {{F32, {2, 64, 32}}, {F32, {2, 64, 32}}, {F32, {2, 64, 32}}}, {0, 1, 2}},
      {"gelu", "{approximate = \"tanh\"}", {{F32, {4096}}}, {0}},
  };
  for (const RowUse& use : uses) {
    DYNAMIC_SECTION(name_of(use)) {
      const Ran op = run(*context, use);
      const auto reference = gradients(*context, op, {0}, use.wanted, GradientBody::Derived, Precision::F64);
      // Of each gradient the largest error, in units of the last place of its largest element.
      const auto errors = [&](GradientBody body) {
        const auto found = gradients(*context, op, {0}, use.wanted, body, Precision::Native);
        std::vector<double> out;
        for (std::size_t k = 0; k < found.size(); ++k) {
          double largest = 0, worst = 0;
          for (std::int64_t i = 0; i < reference[k].size(); ++i) {
            largest = std::max(largest, std::abs(reference[k].get_double(i)));
            worst = std::max(worst, std::abs(reference[k].get_double(i) - found[k].get_double(i)));
          }
          out.push_back(worst / largest / 0x1p-23);
        }
        return out;
      };
      const auto stated = errors(GradientBody::Stated), derived = errors(GradientBody::Derived);
      for (std::size_t k = 0; k < stated.size(); ++k) {
        INFO("operand " << use.wanted[k]);
        CHECK(stated[k] <= 1.2 * derived[k]);
      }
    }
  }
}
