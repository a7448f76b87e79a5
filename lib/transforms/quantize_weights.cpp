// See quantize_weights.h.
#include "transforms/quantize_weights.h"

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "autodiff/op_maker.h"
#include "ir/function.h"
#include "ir/walk.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

// Of 4 bits the numbers are from -8 to 7, stored with 8 added.
constexpr std::int64_t kZeroOfFourBits = 8;
constexpr double kMostOfEightBits = 127, kLeastOfFourBits = -8;

class WeightQuantizer {
 public:
  WeightQuantizer(Module& module, const QuantizeOptions& options)
      : module_(module), context_(module.context()), options_(options), symbol_(context_.strings().intern("symbol")) {}

  std::vector<QuantizedWeight> run(RewriteGate& gate) {
    find_readers();
    std::vector<OpRef> weights;
    for (const OpRef op : module_.body().ops())
      if (op.is(GraphOp::Weight) && op.region_count() == 0 && is_float(type_of(op))) weights.push_back(op);
    std::vector<QuantizedWeight> out;
    for (const OpRef weight : weights) {
      QuantizedWeight made{.name = std::string(weight.symbol()), .quantized = {}, .scales = {}, .left = left(weight)};
      if (made.left.empty() && !gate.may_rewrite("quantize-weight", weight.location(), NumericsClass::Unequal))
        made.left = "the pass may make no more changes";
      if (made.left.empty()) replace(weight, made);
      out.push_back(std::move(made));
    }
    return out;
  }

  // A derived weight with the values that the readers take.
  OpRef dequantized(const QuantizedWeight& made) {
    const OpRef weight = module_.lookup(made.name);
    return derived(made.name + ".dequantized", module_.lookup(made.quantized),
                   [&](const OpMaker& make) { return dequantize(make, made, context_.types().dtype(type(weight))); });
  }

 private:
  [[nodiscard]] Type type(OpRef weight) const {
    return context_.attributes().as_type(weight.attr(context_.names().type));
  }
  [[nodiscard]] Type type_of(OpRef weight) const { return type(weight); }
  [[nodiscard]] bool is_float(Type of) const {
    return context_.types().is_tensor(of) && mlgc::is_float(context_.types().dtype(of));
  }

  void find_readers() {
    walk(module_, [&](OpRef op) {
      if (!op.is(GraphOp::Read)) return;
      if (const auto name = context_.attributes().as_symbol(op.attr(symbol_)))
        readers_[std::string(*name)].push_back(op);
    });
    for (const FuncRef function : functions(module_))
      for (const UpdateTarget& update : function.updates())
        if (!update.argument) updated_.insert(std::string(context_.strings().text(update.symbol)));
  }

  // Why the weight stays in floats.
  [[nodiscard]] std::string left(OpRef weight) const {
    const std::string name(weight.symbol());
    if (updated_.contains(name)) return "a function updates it";
    const auto readers = readers_.find(name);
    if (readers == readers_.end()) return "nothing reads it";
    for (const OpRef read : readers->second) {
      for (const Use use : read.result().uses()) {
        const OpRef user = use.owner();
        const bool rows = user.name() == "linear" && use.operand_number() == 1;
        const bool table = user.name() == "embedding" && use.operand_number() == 0;
        if (!rows && !table) return "`" + std::string(user.name()) + "` reads it";
      }
    }
    const TypePool& types = context_.types();
    if (!types.is_static(type(weight))) return "its sizes are not known";
    const auto dims = types.dims(type(weight));
    if (dims.size() < 2) return "it has " + std::to_string(dims.size()) + " axes";
    const std::int64_t last = *context_.index().as_constant(dims.back());
    if (last == 0) return "it has no elements";
    if (options_.group > 0 && last % options_.group != 0)
      return "its rows of " + std::to_string(last) + " are no multiple of " + std::to_string(options_.group);
    if (module_.lookup(name + ".quantized").valid() || module_.lookup(name + ".scales").valid())
      return "@" + name + ".quantized or @" + name + ".scales is taken";
    return {};
  }

  template <class Make>
  OpRef derived(const std::string& name, OpRef after, const Make& make) {
    const OpRef weight = module_.create(context_.opcode(GraphOp::Weight), {}, {}, {}, after.location(), 1);
    Builder builder(module_, weight.region());
    builder.set_location(after.location());
    const Value value = make(OpMaker(builder));
    builder.create(GraphOp::Yield, {value}, {});
    weight.set_attr("type", context_.attributes().type(value.type()));
    weight.set_attr("sym_name", context_.attributes().string(name));
    weight.move_before(after.next());
    return weight;
  }
  Value read(const OpMaker& make, std::string_view name, Type of) {
    return make.builder()
        .create(GraphOp::Read, {}, {of}, make.builder().attrs({{"symbol", context_.attributes().symbol(name)}}))
        .result();
  }
  // In f32, and in groups on an axis of their own where there are some.
  Value grouped(const OpMaker& make, OpRef weight) {
    const Value w = make.cast(read(make, weight.symbol(), type(weight)), Dtype::F32);
    if (options_.group == 0) return w;
    std::vector<IndexExpr> shape(w.dims().begin(), w.dims().end());
    IndexPool& index = context_.index();
    shape.back() = index.constant(*index.as_constant(shape.back()) / options_.group);
    shape.push_back(index.constant(options_.group));
    return make.make("view", {w}, {{"shape", context_.attributes().int_list(shape)}});
  }
  Value scales(const OpMaker& make, OpRef weight) {
    const Value w = grouped(make, weight);
    AttributePool& attributes = context_.attributes();
    const std::array<std::int64_t, 1> last{static_cast<std::int64_t>(w.dims().size()) - 1};
    const auto extremum = [&](std::string_view op, Value of) {
      return make.make(op, {of},
                       {{"dim", attributes.int_list(last)}, {"keepdim", attributes.boolean(options_.group == 0)}});
    };
    const auto divided = [&](Value of, double by) { return make.make("div", {of}, {{"other", attributes.real(by)}}); };
    if (options_.bits == 8) return divided(extremum("amax", make.make("abs", {w})), kMostOfEightBits);
    // The element of the largest magnitude, with its sign, becomes the least number.
    const Value most = extremum("amax", w), least = extremum("amin", w);
    const Value of_most = make.make("gt", {most, make.make("neg", {least})});
    return divided(make.make("where", {of_most, most, least}), kLeastOfFourBits);
  }
  Value quantized(const OpMaker& make, OpRef weight, OpRef by) {
    const Value w = make.cast(read(make, weight.symbol(), type(weight)), Dtype::F32);
    return coded("quantize", make, w, read(make, by.symbol(), type(by)));
  }
  Value coded(std::string_view op, const OpMaker& make, Value x, Value by) {
    AttributePool& attributes = context_.attributes();
    if (options_.bits == 8 && options_.group == 0) return make.make(op, {x, by});
    if (options_.bits == 8) return make.make(op, {x, by}, {{"group", attributes.integer(options_.group)}});
    return make.make(op, {x, by},
                     {{"bits", attributes.integer(4)},
                      {"group", attributes.integer(options_.group)},
                      {"zero", attributes.integer(kZeroOfFourBits)}});
  }
  Value dequantize(const OpMaker& make, const QuantizedWeight& made, Dtype dtype) {
    const OpRef q = module_.lookup(made.quantized), s = module_.lookup(made.scales);
    const Value numbers = read(make, q.symbol(), type(q)), by = read(make, s.symbol(), type(s));
    return make.cast(coded("dequantize", make, numbers, by), dtype);
  }

  void replace(OpRef weight, QuantizedWeight& made) {
    made.scales = made.name + ".scales", made.quantized = made.name + ".quantized";
    const OpRef by = derived(made.scales, weight, [&](const OpMaker& make) { return scales(make, weight); });
    derived(made.quantized, by, [&](const OpMaker& make) { return quantized(make, weight, by); });
    for (OpRef read : readers_[made.name]) {
      Builder builder(module_, read.parent());
      builder.set_before(read);
      builder.set_location(read.location());
      const Value w = dequantize(OpMaker(builder), made, read.result().dtype());
      if (!read.result().name().empty()) w.set_name(read.result().name());
      read.result().replace_all_uses_with(w);
      read.erase();
    }
  }

  Module& module_;
  Context& context_;
  const QuantizeOptions& options_;
  StringId symbol_;
  std::unordered_map<std::string, std::vector<OpRef>> readers_;
  std::unordered_set<std::string> updated_;
};

constexpr std::array kQuantizeWeightsOptions{
    pass_option<&QuantizeOptions::bits>("bits", "of a number: 8, or 4, two of which share a byte"),
    pass_option<&QuantizeOptions::group>("group", "elements of a row that share a scale; 0: all of them"),
};
constexpr std::array kQuantizeWeightsCounters{
    PassCounter{"quantized", "weights that became integers"},
    PassCounter{"left", "float weights that stay as they are"},
};

PassResult run(Module& module, const QuantizeOptions& options, PassContext& context) {
  if (const std::string wrong = wrong_options(options); !wrong.empty()) {
    reject_option(context, options.bits != 4 && options.bits != 8 ? "bits" : "group", wrong);
    return PassResult::Failed;
  }
  std::uint64_t &quantized = context.count("quantized"), &left = context.count("left");
  for (const QuantizedWeight& weight : quantize_weights(module, options, context.gate()))
    ++(weight.left.empty() ? quantized : left);
  return PassContext::changed_if(quantized > 0);
}

}  // namespace

std::string wrong_options(const QuantizeOptions& options) {
  if (options.bits != 4 && options.bits != 8) return "must be 4 or 8";
  if (options.group < 0) return "must be at least 0";
  if (options.bits == 4 && (options.group == 0 || options.group % 2 != 0)) return "must be even with 4 bits, and not 0";
  return {};
}

std::vector<QuantizedWeight> quantize_weights(Module& module, const QuantizeOptions& options, RewriteGate& gate) {
  return WeightQuantizer(module, options).run(gate);
}

OpRef add_dequantized_weight(Module& module, const QuantizedWeight& weight, const QuantizeOptions& options) {
  return WeightQuantizer(module, options).dequantized(weight);
}

constexpr PassDef kQuantizeWeightsPass{
    .name = "quantize-weights",
    .summary = "Stores weights of linear layers and embeddings as integers of 8 or 4 bits, with scales.",
    .description =
        "A float weight is quantised where `linear` multiplies by its rows, or `embedding` gathers them, and nothing "
        "else reads it; no function may update it, its sizes are constants, and its rows hold whole groups. The "
        "integers and the scales are derived weights, `@w.quantized` and `@w.scales`, computed from `@w` when a model "
        "is compiled or loaded; readers take `dequantize` of them, which becomes part of their kernels. With 8 bits a "
        "scale is the largest magnitude of its row or group, divided by 127. With 4 bits it is the element of the "
        "largest magnitude, divided by -8: numbers from -8 to 7, as GGUF's Q4_0 has them. Results differ from those "
        "of the float model: `mlgc quantize` says by how much.",
    .options = kQuantizeWeightsOptions,
    .counters = kQuantizeWeightsCounters,
    .needs = Stages::Graph,
    .example = {.before = R"(weight @fc.weight : tensor<3x64xf32>
func @f(%x: tensor<[B]x64xf32>) -> tensor<[B]x3xf32> {
  %w = read @fc.weight : tensor<3x64xf32>
  %y = linear %x, %w : tensor<[B]x3xf32>
  return %y
})",
                .after = R"(weight @fc.weight : tensor<3x64xf32>
weight @fc.weight.scales : tensor<3x1xf32> = {
  %w = read @fc.weight : tensor<3x64xf32>
  %abs = abs %w : tensor<3x64xf32>
  %amax = amax %abs {dim = [1], keepdim = true} : tensor<3x1xf32>
  %div = div %amax {other = 127.0} : tensor<3x1xf32>
  yield %div
}
weight @fc.weight.quantized : tensor<3x64xi8> = {
  %w = read @fc.weight : tensor<3x64xf32>
  %scales = read @fc.weight.scales : tensor<3x1xf32>
  %quantize = quantize %w, %scales : tensor<3x64xi8>
  yield %quantize
}
func @f(%x: tensor<[B]x64xf32>) -> tensor<[B]x3xf32> {
  %q = read @fc.weight.quantized : tensor<3x64xi8>
  %s = read @fc.weight.scales : tensor<3x1xf32>
  %w = dequantize %q, %s : tensor<3x64xf32>
  %y = linear %x, %w : tensor<[B]x3xf32>
  return %y
})"},
    .body = pass_body<QuantizeOptions, run>(),
};

}  // namespace mlgc
