// See onnx_notation.h: values, sizes, inputs and outputs.
#include "export/onnx/onnx_notation.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

namespace mlgc {

OnnxNotation::OnnxNotation(Context& context, std::string_view notation, const NamedTensors* weights)
    : GraphNotation(context.index()), context_(context), notation_(notation) {
  if (weights != nullptr)
    for (const auto& [name, tensor] : *weights) weights_.emplace(name, &tensor);
}

// Values.
TensorValue OnnxNotation::make(Dtype dtype, std::vector<IndexExpr> shape, std::string name) {
  made_.push_back({std::move(name), shape.size(), scopes_.size(), false});
  return {"#" + std::to_string(made_.size() - 1), dtype, std::move(shape)};
}

OnnxNotation::Made& OnnxNotation::made(const TensorValue& value) { return made_[std::stoul(value.name.substr(1))]; }

TensorValue OnnxNotation::whole(const TensorValue& value) {
  if (made(value).rank == value.shape.size()) return value;
  return reshaped(value, value.shape);
}

TensorValue OnnxNotation::node(std::string_view op_type, const Inputs& inputs, std::vector<OnnxAttribute> attributes,
                               Dtype dtype, std::vector<IndexExpr> shape) {
  return node(op_type, inputs, std::move(attributes), {{"", dtype, std::move(shape)}})[0];
}

TensorValues OnnxNotation::node(std::string_view op_type, const Inputs& inputs, std::vector<OnnxAttribute> attributes,
                                const TensorValues& results) {
  OnnxNode out{std::string(op_type), {}, {}, std::move(attributes)};
  for (const TensorValue* const input : inputs) out.inputs.push_back(input == nullptr ? "" : input->name);
  while (!out.inputs.empty() && out.inputs.back().empty()) out.inputs.pop_back();
  TensorValues values;
  for (const TensorValue& result : results) {
    values.push_back(make(result.dtype, result.shape));
    out.outputs.push_back(values.back().name);
  }
  wrote(op_type);
  scopes_.back().graph.nodes.push_back(std::move(out));
  return values;
}

TensorValue OnnxNotation::named(const TensorValue& value, std::string_view wanted) {
  Made& known = made(value);
  if (known.name.empty()) known.name = wanted;
  return value;
}

TensorValue OnnxNotation::initializer(Tensor tensor, std::vector<IndexExpr> shape) {
  const std::span<const std::byte> bytes = tensor.bytes();
  const auto key = std::tuple(tensor.dtype(), std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end()),
                              std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto known = constants_.find(key);
  if (known != constants_.end()) return known->second;
  TensorValue out = make(tensor.dtype(), std::move(shape));
  made(out).is_fixed = true;
  made(out).depth = 1;
  scopes_.front().graph.initializers.emplace_back(out.name, std::move(tensor));
  return constants_.emplace(key, out).first->second;
}

TensorValue OnnxNotation::constant_value(const TensorConstant& data) {
  std::vector<std::int64_t> shape;
  std::vector<IndexExpr> dims;
  for (const IndexExpr dim : context_.types().dims(data.type)) {
    shape.push_back(*index().as_constant(dim));
    dims.push_back(dim);
  }
  auto tensor = Tensor::from_bytes(context_.types().dtype(data.type), shape, data.bytes);
  MLGC_ASSERT(tensor.ok(), "a constant has the bytes of its type");
  return initializer(*std::move(tensor), std::move(dims));
}

TensorValue OnnxNotation::integer_list(const std::vector<std::int64_t>& numbers) {
  const auto count = static_cast<std::int64_t>(numbers.size());
  return initializer(Tensor::from_values<std::int64_t>({count}, numbers), {constant(count)});
}

// Sizes.
TensorValue OnnxNotation::size_list(const std::vector<IndexExpr>& sizes) {
  std::vector<std::int64_t> numbers;
  for (const IndexExpr size : sizes)
    if (const auto number = index().as_constant(size)) numbers.push_back(*number);
  if (numbers.size() == sizes.size()) return integer_list(numbers);
  TensorValues parts;
  for (const IndexExpr size : sizes) parts.push_back(size_value(size));
  if (parts.size() == 1) return parts[0];
  Inputs inputs;
  for (const TensorValue& part : parts) inputs.push_back(&part);
  return node("Concat", inputs, {onnx_integer("axis", 0)}, Dtype::I64,
              {constant(static_cast<std::int64_t>(parts.size()))});
}

TensorValue OnnxNotation::size_value(IndexExpr size) {
  if (const auto number = index().as_constant(size)) return integer_list({*number});
  for (const Scope& scope : scopes_)
    if (const auto found = scope.sizes.find(size); found != scope.sizes.end()) return found->second;
  TensorValue sum{};
  for (std::size_t i = 0; i < index().term_count(size); ++i) {
    const Term term = index().term(size, i);
    const std::vector<AtomId> factors(term.factors.begin(), term.factors.end());
    const std::int64_t coefficient = term.coefficient;
    TensorValue product{};
    if (coefficient != 1 || factors.empty()) product = integer_list({coefficient});
    for (const AtomId factor : factors)
      product =
          product.name.empty() ? size_atom(factor) : call(ScalarFn::Mul, {product, size_atom(factor)}, Dtype::I64);
    sum = sum.name.empty() ? product : call(ScalarFn::Add, {sum, product}, Dtype::I64);
  }
  scopes_.back().sizes.emplace(size, sum);
  return sum;
}

TensorValue OnnxNotation::size_atom(AtomId atom) {
  const Atom a = index().atom(atom);
  const auto of_both = [&](ScalarFn fn) {
    const TensorValue first = size_value(a.a);
    return call(fn, {first, size_value(a.b)}, Dtype::I64);
  };
  switch (a.kind) {
    case AtomKind::FloorDiv:
      if (index().is_non_negative(a.a) && index().is_non_negative(a.b)) {
        const TensorValue first = size_value(a.a), second = size_value(a.b);
        return node("Div", {&first, &second}, {}, Dtype::I64, {constant(1)});
      }
      return of_both(ScalarFn::FloorDiv);
    case AtomKind::Mod: return of_both(ScalarFn::Mod);
    case AtomKind::Min: return of_both(ScalarFn::Min);
    case AtomKind::Max: return of_both(ScalarFn::Max);
    case AtomKind::Symbol: break;
    case AtomKind::IndexLabel:
    case AtomKind::Opaque: throw NoForm{"a size is not one"};
  }
  const auto found = size_sources_.find(atom);
  if (found == size_sources_.end()) throw NoForm{"a size is not known"};
  const IndexExpr symbol = index().from_atom(atom);
  for (const Scope& scope : scopes_)
    if (const auto known = scope.sizes.find(symbol); known != scope.sizes.end()) return known->second;
  const auto& [value, axis, dim] = found->second;
  const TensorValue source = whole(value);
  const auto at = static_cast<std::int64_t>(axis);
  TensorValue size =
      node("Shape", {&source}, {onnx_integer("start", at), onnx_integer("end", at + 1)}, Dtype::I64, {constant(1)});
  if (dim.offset != 0) size = call(ScalarFn::Sub, {size, integer_list({dim.offset})}, Dtype::I64);
  if (dim.factor != 1) {
    const TensorValue factor = integer_list({dim.factor});
    size = node("Div", {&size, &factor}, {}, Dtype::I64, {constant(1)});
  }
  named(size, context_.index().symbol_name(atom));
  scopes_.back().sizes.emplace(symbol, size);
  return size;
}

void OnnxNotation::bind_size(AtomId size, const TensorValue& value, std::size_t axis, AffineDim affine) {
  size_sources_.insert_or_assign(size, SizeSource{value, axis, affine});
}

// Inputs and outputs.
OnnxValueInfo OnnxNotation::info(const TensorValue& value) const {
  OnnxValueInfo out{value.name, value.dtype, {}};
  for (const IndexExpr dim : value.shape) {
    if (const auto number = index().as_constant(dim))
      out.dims.emplace_back(*number);
    else
      out.dims.emplace_back(index().print(dim));
  }
  return out;
}

TensorValue OnnxNotation::input(std::string_view name, Type type, GraphInputRole role) {
  const std::span<const IndexExpr> dims = context_.types().dims(type);
  TensorValue out = make(context_.types().dtype(type), {dims.begin(), dims.end()}, std::string(name));
  made(out).is_fixed = true;
  const auto data = weights_.find(name);
  const bool known = role != GraphInputRole::Argument && data != weights_.end();
  if (known) scopes_.front().graph.initializers.emplace_back(out.name, *data->second);
  // An initializer of an input is what it is when nothing is given.
  if (!known || role == GraphInputRole::State) scopes_.front().graph.inputs.push_back(info(out));
  return out;
}

TensorValue OnnxNotation::as_output(const TensorValue& value) {
  TensorValue out = whole(value);
  if (made(out).is_fixed || made(out).depth != scopes_.size()) out = node("Identity", {&out}, {}, out.dtype, out.shape);
  made(out).is_fixed = true;
  scopes_.back().graph.outputs.push_back(info(out));
  return out;
}

void OnnxNotation::output(std::string_view name, const TensorValue& value) { made(as_output(value)).name = name; }

namespace {

// Dead code elimination, from the last node to the first; `used` gathers the values that have uses.
void remove_unread(OnnxGraph& graph, std::set<std::string>& used) {
  for (const OnnxValueInfo& output : graph.outputs) used.insert(output.name);
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::ranges::none_of(node->outputs, [&](const std::string& name) { return used.contains(name); })) continue;
    for (OnnxAttribute& attribute : node->attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<OnnxGraph>>(&attribute.value)) remove_unread(**inner, used);
    used.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  std::erase_if(graph.initializers, [&](const auto& named) { return !used.contains(named.first); });
}

// The names of a graph's values, from the numbers that they had.
class Naming {
 public:
  using Wanted = std::function<std::string(const std::string& key)>;
  explicit Naming(Wanted wanted) : wanted_(std::move(wanted)) {}

  // What others see has its names first.
  void outside(const OnnxGraph& graph) {
    for (const OnnxValueInfo& input : graph.inputs) give(input.name, "input");
    for (const OnnxValueInfo& output : graph.outputs) give(output.name, "output");
    for (const auto& [key, tensor] : graph.initializers)
      if (!wanted_(key).empty()) give(key, "weight");
  }
  void rename(OnnxGraph& graph) {
    for (auto& [key, tensor] : graph.initializers) key = give(key, tensor.size() == 1 ? "number" : "constant");
    for (OnnxValueInfo& input : graph.inputs) input.name = give(input.name, "item");
    for (OnnxNode& node : graph.nodes) {
      for (std::string& input : node.inputs)
        if (!input.empty()) input = give(input, "value");
      for (OnnxAttribute& attribute : node.attributes)
        if (const auto* inner = std::get_if<std::shared_ptr<OnnxGraph>>(&attribute.value)) rename(**inner);
      std::string base = node.op_type;
      std::ranges::transform(base, base.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      for (std::string& output : node.outputs) output = give(output, base);
    }
    for (OnnxValueInfo& output : graph.outputs) output.name = give(output.name, "output");
  }

 private:
  const std::string& give(const std::string& key, const std::string& base) {
    const auto [at, fresh] = names_.try_emplace(key);
    if (!fresh) return at->second;
    std::string wanted = wanted_(key);
    if (wanted.empty()) wanted = base;
    std::ranges::replace(wanted, '"', '_');
    std::string name = wanted;
    while (!taken_.insert(name).second) name = wanted + "_" + std::to_string(++counts_[wanted]);
    return at->second = name;
  }

  Wanted wanted_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, int> counts_;
};

}  // namespace

OnnxModel OnnxNotation::finish(std::string_view graph_name) {
  OnnxModel model;
  model.graph = std::move(scopes_.front().graph);
  model.graph.name = graph_name;
  std::set<std::string> used;
  remove_unread(model.graph, used);
  Naming naming([this](const std::string& key) { return made_[std::stoul(key.substr(1))].name; });
  naming.outside(model.graph);
  naming.rename(model.graph);
  return model;
}

}  // namespace mlgc
