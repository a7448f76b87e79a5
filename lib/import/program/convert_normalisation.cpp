// Norms: which statistics a call takes and gives decides the row.
#include <algorithm>
#include <limits>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "tensor/compare.h"

namespace mlgc::program {

namespace {

// The arguments of a batch norm, as each of its overloads has them.
class BatchNorm {
 public:
  explicit BatchNorm(NodeScope& scope) : scope_(scope), attributes_(scope.context().attributes()) {}

  // Whether the overload has such an argument.
  [[nodiscard]] bool names(std::string_view name) const {
    for (const BoundArgument& argument : scope_.arguments())
      if (argument.name == name) return true;
    return false;
  }
  [[nodiscard]] bool given(std::string_view name) const { return names(name) && scope_.is_tensor(name); }

  // x, then the named operands, then weight and bias. A weight that is left out before a bias is 1.
  std::vector<Value> operands(std::initializer_list<std::string_view> statistics) {
    std::vector<Value> values{scope_.tensor("input")};
    for (const std::string_view name : statistics) values.push_back(scope_.tensor(name));
    if (scope_.failed()) return values;
    if (given("weight"))
      values.push_back(scope_.tensor("weight"));
    else if (given("bias"))
      values.push_back(ones_like(scope_.tensor("bias")));
    if (given("bias")) values.push_back(scope_.tensor("bias"));
    return values;
  }

  [[nodiscard]] Attribute eps() const { return attributes_.real(scope_.real("eps")); }
  [[nodiscard]] Attribute momentum() const { return attributes_.real(scope_.real("momentum")); }

  // The results of the row in the order of the call's: -1 stands for a tensor that holds nothing.
  void results(OpRef op, std::initializer_list<int> order) {
    std::size_t i = 0;
    for (const int number : order) {
      if (scope_.failed() || i == scope_.output_names().size()) return;
      if (number >= 0)
        scope_.result(i, op.result(static_cast<std::size_t>(number)));
      else if (scope_.used(i))
        scope_.result(i, nothing(scope_.recorded(i)));
      ++i;
    }
  }

 private:
  Value ones_like(Value x) {
    if (scope_.failed()) return {};
    return scope_.emit_one("full", {},
                           {{"size", attributes_.int_list(x.dims())},
                            {"value", attributes_.integer(std::int64_t{1})},
                            {"dtype", attributes_.dtype(x.dtype())}});
  }

  Value nothing(Type type) {
    if (scope_.failed()) return {};
    const TypePool& types = scope_.context().types();
    return scope_.emit_one("full", {},
                           {{"size", attributes_.int_list(types.dims(type))},
                            {"value", attributes_.integer(std::int64_t{0})},
                            {"dtype", attributes_.dtype(types.dtype(type))}});
  }

  NodeScope& scope_;
  AttributePool& attributes_;
};

// By given statistics. What other programs would keep for a gradient has no elements here, as on a CPU in PyTorch.
void by_running(NodeScope& scope, std::initializer_list<int> order) {
  BatchNorm norm(scope);
  for (const std::string_view name : {"running_mean", "running_var"})
    if (!norm.given(name)) return scope.refuse<kArgumentMissing>(name);
  const OpRef op = scope.emit("batch_norm", norm.operands({"running_mean", "running_var"}), {{"eps", norm.eps()}});
  if (!scope.failed()) norm.results(op, order);
}

// By the batch's own.
void by_batch(NodeScope& scope) {
  BatchNorm norm(scope);
  const OpRef op = scope.emit("batch_norm_stats", norm.operands({}), {{"eps", norm.eps()}});
  if (!scope.failed()) norm.results(op, {0, 1, 2});
}

// By the batch's own, which the running ones follow.
void by_batch_and_running(NodeScope& scope, std::initializer_list<int> order) {
  BatchNorm norm(scope);
  const OpRef op = scope.emit("batch_norm_train", norm.operands({"running_mean", "running_var"}),
                              {{"momentum", norm.momentum()}, {"eps", norm.eps()}});
  if (!scope.failed()) norm.results(op, order);
}

void convert_batch_norm(NodeScope& scope) {
  if (!scope.flag("training")) return by_running(scope, {0});
  if (!BatchNorm(scope).given("running_mean")) return by_batch(scope);
  scope.refuse<kTrainingMode>("it normalises by the statistics of the batch");
}
void convert_no_training(NodeScope& scope) { by_running(scope, {0, -1, -1, -1}); }

void convert_functional(NodeScope& scope) {
  if (scope.flag("training")) return by_batch_and_running(scope, {0, 1, 2, 3, 4});
  by_running(scope, {0, -1, -1});
  for (const auto& [i, name] : {std::pair<std::size_t, std::string_view>{3, "running_mean"}, {4, "running_var"}})
    if (!scope.failed()) scope.result(i, scope.tensor(name));
}
void convert_with_update(NodeScope& scope) { by_batch_and_running(scope, {0, 1, 2, -1, 3, 4}); }

void convert_no_stats(NodeScope& scope) {
  if (!scope.flag("training")) return scope.refuse<kArgumentMissing>("running_mean");
  by_batch(scope);
}

// A sample's own statistics, or given ones, which are a batch norm's.
void convert_instance_norm(NodeScope& scope) {
  BatchNorm norm(scope);
  if (!scope.flag("use_input_stats")) return by_running(scope, {0});
  if (norm.given("running_mean")) return scope.refuse<kTrainingMode>("its running statistics change in place");
  const OpRef op = scope.emit("instance_norm", norm.operands({}), {{"eps", norm.eps()}});
  if (!scope.failed()) norm.results(op, {0});
}

void convert_native_group_norm(NodeScope& scope) {
  BatchNorm norm(scope);
  const OpRef op =
      scope.emit("group_norm", norm.operands({}),
                 {{"num_groups", scope.context().attributes().integer(scope.integer("group"))}, {"eps", norm.eps()}});
  if (!scope.failed()) norm.results(op, {0, 1, 2});
}

// Without `eps` it is the distance between 1 and the next number of the operand's dtype.
void convert_rms_norm(NodeScope& scope) {
  const Value x = scope.tensor("input");
  if (scope.failed()) return;
  AttributePool& attributes = scope.context().attributes();
  const double eps = scope.has("eps") ? scope.real("eps") : ulp_at(x.dtype(), 1);
  std::vector<Value> operands{x};
  if (scope.is_tensor("weight")) operands.push_back(scope.tensor("weight"));
  const OpRef op = scope.emit(
      "rms_norm", operands,
      {{"normalized_shape", attributes.int_list(scope.integers("normalized_shape"))}, {"eps", attributes.real(eps)}});
  if (!scope.failed()) scope.result(0, op.result());
}

// The softmax family along an axis without elements, over which a row finds no largest one: nothing comes of nothing,
// and the logarithm of a sum of nothing is -inf.
void convert_softmax(NodeScope& scope) {
  const std::string_view name = scope.target();
  const bool sums = name.find("logsumexp") != std::string_view::npos;
  const bool logarithm = name.find("log_softmax") != std::string_view::npos;
  const Value x = scope.tensor("self");
  if (scope.failed()) return;
  const IndexPool& pool = scope.context().index();
  std::vector<std::int64_t> axes;
  for (const IntArg& axis : scope.argument("dim").ints) axes.push_back(scope.axis(axis.value, x.rank()));
  if (scope.failed()) return;
  if (sums && axes.empty())
    for (std::size_t axis = 0; axis < x.rank(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  const bool nothing = x.rank() > 0 && std::ranges::any_of(axes, [&](std::int64_t axis) {
                         return pool.as_constant(x.dims()[static_cast<std::size_t>(axis)]) == 0;
                       });
  const std::string_view row = sums ? "logsumexp" : logarithm ? "log_softmax" : "softmax";
  if (!nothing) return convert_by_row(scope, scope.context().def(scope.context().find_op(row)));
  const Type type = scope.recorded(0);
  if (scope.failed()) return;
  const Dtype dtype = scope.context().types().dtype(type);
  AttributePool& attributes = scope.context().attributes();
  const Value y = sums ? scope.emit_one("full", {},
                                        {{"size", attributes.int_list(scope.context().types().dims(type))},
                                         {"value", attributes.real(-std::numeric_limits<double>::infinity())},
                                         {"dtype", attributes.dtype(dtype)}})
                       : scope.cast(x, dtype);
  if (!scope.failed()) scope.result(0, y);
}

constexpr Converter kNormalisationConverters[] = {
    {"aten.softmax.int", convert_softmax},
    {"aten._softmax.default", convert_softmax},
    {"aten._safe_softmax.default", convert_softmax},
    {"aten.special_softmax.default", convert_softmax},
    {"aten.log_softmax.int", convert_softmax},
    {"aten._log_softmax.default", convert_softmax},
    {"aten.special_log_softmax.default", convert_softmax},
    {"aten.logsumexp.default", convert_softmax},
    {"aten.special_logsumexp.default", convert_softmax},
    {"aten.batch_norm.default", convert_batch_norm},
    {"aten._native_batch_norm_legit_no_training.default", convert_no_training},
    {"aten._batch_norm_no_update.default", convert_no_training},
    {"aten._native_batch_norm_legit_functional.default", convert_functional},
    {"aten._batch_norm_with_update_functional.default", convert_with_update},
    {"aten._native_batch_norm_legit.no_stats", convert_no_stats},
    {"aten.instance_norm.default", convert_instance_norm},
    {"aten.native_group_norm.default", convert_native_group_norm},
    {"aten.rms_norm.default", convert_rms_norm},
};

}  // namespace

std::span<const Converter> normalisation_converters() { return kNormalisationConverters; }

}  // namespace mlgc::program
