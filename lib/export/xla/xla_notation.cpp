// See xla_notation.h: building, inputs and outputs, control flow.
#include "export/xla/xla_notation.h"

#include <algorithm>
#include <utility>

namespace mlgc {
namespace {

// Names of element types, which HLO has reserved.
bool is_reserved_in_hlo(std::string_view name) {
  for (const std::string_view word : {"pred", "token", "opaque", "tuple", "bf16", "ROOT", "ENTRY"})
    if (name == word) return true;
  return name.size() > 1 && std::string_view("subfc").find(name[0]) != std::string_view::npos &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::string xla_key(const XlaNode& node, const XlaType& type) {
  std::string out = std::to_string(static_cast<int>(node.op));
  for (const XlaId id : node.operands) out += " " + std::to_string(id);
  for (const auto& [name, list] : node.lists) {
    out += " " + std::string(name);
    for (const std::int64_t i : list) out += "," + std::to_string(i);
  }
  out += " " + std::string(node.word) + (node.splat ? " splat " : " ") + node.bytes + ":" +
         std::string(dtype_info(type.dtype).name);
  for (const std::int64_t i : type.shape) out += "x" + std::to_string(i);
  return out;
}

}  // namespace

XlaNotation::XlaNotation(Context& context, std::string_view notation, bool chlo)
    : GraphNotation(context.index()), context_(context), notation_(notation), chlo_(chlo) {}

XlaProgram XlaNotation::finish(std::string_view name) {
  program_.name = name.empty() ? "model" : name;
  program_.main = std::move(scopes_.back().block);
  for (const XlaOutput& output : program_.outputs) program_.main.results.push_back(output.value);
  remove_dead_nodes(program_.main);
  return std::move(program_);
}

// Values.
TensorValue XlaNotation::value_of(XlaId id) const {
  TensorValue out{std::to_string(id), program_.type(id).dtype, {}};
  for (const std::int64_t dim : program_.type(id).shape) out.shape.push_back(index().constant(dim));
  return out;
}

XlaId XlaNotation::make(XlaType type) {
  program_.values.push_back({std::move(type), ""});
  return program_.values.size() - 1;
}

std::string XlaNotation::fresh(std::string_view wanted) {
  std::string base(wanted);
  std::ranges::replace_if(
      base, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.'; }, '_');
  if (base.empty() || !(std::isalpha(static_cast<unsigned char>(base[0])) || base[0] == '_')) base.insert(0, "v");
  if (is_reserved_in_hlo(base)) base += "_";
  std::string name = base;
  for (int n = 1; !names_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

TensorValue XlaNotation::named(const TensorValue& value, std::string_view wanted) {
  std::string& name = program_.values[id(value)].name;
  if (name.empty()) name = fresh(wanted);
  return value;
}

std::vector<std::int64_t> XlaNotation::constants(std::span<const IndexExpr> sizes) const {
  std::vector<std::int64_t> out;
  for (const IndexExpr size : sizes) {
    const auto value = index().as_constant(size);
    if (!value) throw NoForm{"its shape depends on data"};
    out.push_back(*value);
  }
  return out;
}

// Nodes.
void XlaNotation::note(XlaOp op) { wrote(chlo_ ? xla_op_info(op).stablehlo : xla_op_info(op).hlo); }

TensorValue XlaNotation::add(XlaNode node, XlaType type) {
  const std::string key = xla_key(node, type);
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (const auto found = scopes_[i].known.find(key); found != scopes_[i].known.end()) return value_of(found->second);
    if (scopes_[i].isolated) break;
  }
  const XlaId made = make(std::move(type));
  if (node.splat) splats_.emplace(made, node.bytes);
  if (node.op == XlaOp::Iota) iotas_.emplace(made, static_cast<std::size_t>(node.list("dimensions")[0]));
  if (node.op == XlaOp::Reshape) reshapes_.emplace(made, node.operands[0]);
  if (node.op != XlaOp::Constant) note(node.op);
  node.results = {made};
  scopes_.back().block.nodes.push_back(std::move(node));
  scopes_.back().known.emplace(key, made);
  return value_of(made);
}

TensorValue XlaNotation::node(XlaOp op, Operands operands, XlaType type, XlaLists lists, std::string_view word) {
  if (is_complex(type.dtype)) throw NoForm{"complex numbers"};
  XlaNode node{.op = op, .lists = std::move(lists), .word = word};
  for (const TensorValue& operand : operands) node.operands.push_back(id(operand));
  return add(std::move(node), std::move(type));
}

TensorValues XlaNotation::add_with_blocks(XlaNode node, const std::vector<XlaType>& results) {
  TensorValues out;
  note(node.op);
  for (const XlaType& type : results) {
    node.results.push_back(make(type));
    out.push_back(value_of(node.results.back()));
  }
  scopes_.back().block.nodes.push_back(std::move(node));
  return out;
}

XlaBlock XlaNotation::block(const std::vector<XlaId>& arguments, bool isolated,
                            const std::function<TensorValues()>& body) {
  scopes_.push_back({.block = {.arguments = arguments}, .isolated = isolated});
  try {
    for (const TensorValue& value : body()) scopes_.back().block.results.push_back(id(value));
  } catch (...) {
    scopes_.pop_back();
    throw;
  }
  XlaBlock out = std::move(scopes_.back().block);
  scopes_.pop_back();
  return out;
}

TensorValues XlaNotation::node_with_block(XlaOp op, Operands operands, const std::vector<XlaType>& results,
                                          XlaLists lists, bool pairs, const Scalars& scalars) {
  XlaNode node{.op = op, .lists = std::move(lists)};
  for (const TensorValue& operand : operands) node.operands.push_back(id(operand));
  const std::size_t count = results.size();
  std::vector<XlaId> arguments(2 * count);
  TensorValues a, b;
  for (std::size_t i = 0; i < count; ++i) {
    const XlaId first = make({results[i].dtype, {}}), second = make({results[i].dtype, {}});
    arguments[pairs ? 2 * i : i] = first;
    arguments[pairs ? 2 * i + 1 : count + i] = second;
    a.push_back(value_of(first));
    b.push_back(value_of(second));
  }
  node.blocks.push_back(block(arguments, true, [&] { return scalars(a, b); }));
  return add_with_blocks(std::move(node), results);
}

// Inputs and outputs.
TensorValue XlaNotation::input(std::string_view name, Type type, GraphInputRole role) {
  const TypePool& types = context_.types();
  // Told by bind_size, which is asked next, where one is symbolic.
  XlaType made{types.dtype(type), {}};
  for (const IndexExpr dim : types.dims(type)) made.shape.push_back(index().as_constant(dim).value_or(0));
  const XlaId value = make(std::move(made));
  program_.values[value].name = fresh(name);
  program_.inputs.push_back({value, (role == GraphInputRole::Argument ? "" : "@") + std::string(name)});
  scopes_[0].block.arguments.push_back(value);
  return value_of(value);
}

void XlaNotation::output(std::string_view name, const TensorValue& value) {
  program_.outputs.push_back({id(value), std::string(name)});
}

void XlaNotation::bind_size(AtomId size, const TensorValue& /*value*/, std::size_t /*axis*/, TellingDim /*telling*/) {
  throw NoForm{std::string(index().symbol_name(size))};
}

TensorValue XlaNotation::constant_value(const TensorConstant& data) {
  const TypePool& types = context_.types();
  XlaType type{types.dtype(data.type), constants(types.dims(data.type))};
  std::string bytes(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
  return constant(std::move(type), std::move(bytes), data.splat || type.shape.empty());
}

TensorValue XlaNotation::range(const TensorValue& /*end*/, IndexExpr extent) {
  return iota(Dtype::I64, constants(std::span(&extent, 1)), 0);
}

TensorValue XlaNotation::nonzero(const TensorValue& /*value*/, IndexExpr /*count*/) {
  throw NoForm{"its shape depends on data"};
}

// Control flow.
TensorValues XlaNotation::branch(const TensorValue& condition, const Block& then, const Block& otherwise,
                                 std::span<const TensorValue> results) {
  std::vector<XlaType> types;
  for (const TensorValue& result : results) types.push_back(type_of(result));
  XlaNode node{.op = XlaOp::If, .operands = {id(resized(condition, {}))}};
  node.blocks.push_back(block({}, false, [&] { return then({}); }));
  node.blocks.push_back(block({}, false, [&] { return otherwise({}); }));
  return add_with_blocks(std::move(node), types);
}

TensorValues XlaNotation::while_loop(std::span<const TensorValue> initial,
                                     const std::function<TensorValue(Operands)>& condition,
                                     const std::function<TensorValues(Operands)>& body) {
  XlaNode node{.op = XlaOp::While};
  std::vector<XlaType> types;
  std::vector<XlaId> arguments;
  TensorValues carried;
  for (const TensorValue& value : initial) {
    node.operands.push_back(id(value));
    types.push_back(type(value));
    arguments.push_back(make(types.back()));
    carried.push_back(value_of(arguments.back()));
  }
  node.blocks.push_back(block(arguments, false, [&] { return TensorValues{resized(condition(carried), {})}; }));
  node.blocks.push_back(block(arguments, false, [&] { return body(carried); }));
  return add_with_blocks(std::move(node), types);
}

TensorValues XlaNotation::loop(std::span<const TensorValue> initial, const Block& condition, const Block& body) {
  const auto taken = [&](Operands given) {
    TensorValues all = condition(given);
    all.erase(all.begin());
    return all;
  };
  return taken(while_loop(
      initial, [&](Operands given) { return condition(given)[0]; },
      [&](Operands given) { return body(taken(given)); }));
}

TensorValues XlaNotation::scan(std::span<const TensorValue> carried, std::span<const TensorValue> sequences,
                               bool reverse, const Block& body, std::span<const TensorValue> results) {
  const std::int64_t length = sequences.empty() ? 0 : type(sequences[0]).shape[0];
  const TensorValue zero = splat_integer(Dtype::I64, 0, {});
  TensorValues state{zero};
  state.insert(state.end(), carried.begin(), carried.end());
  for (std::size_t i = carried.size(); i < results.size(); ++i)
    state.push_back(splat(results[i].dtype, 0, type_of(results[i]).shape));
  const auto starts = [&](const TensorValue& at, std::size_t rank) {
    TensorValues out(rank, zero);
    out[0] = at;
    return out;
  };
  const auto done = [&](Operands given) { return compare("LT", given[0], splat_integer(Dtype::I64, length, {})); };
  const auto step = [&](Operands given) {
    const TensorValue last = splat_integer(Dtype::I64, length - 1, {});
    const TensorValue at = reverse ? binary(XlaOp::Subtract, last, given[0]) : given[0];
    TensorValues taken(given.begin() + 1, given.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
    for (const TensorValue& sequence : sequences) {
      XlaType slice = type(sequence);
      slice.shape[0] = 1;
      TensorValues operands = starts(at, slice.shape.size());
      operands.insert(operands.begin(), sequence);
      const std::vector<std::int64_t> sizes = slice.shape;
      const TensorValue part = node(XlaOp::DynamicSlice, operands, std::move(slice), {{"sizes", sizes}});
      taken.push_back(resized(part, {sizes.begin() + 1, sizes.end()}));
    }
    const TensorValues made = body(taken);
    TensorValues next{binary(XlaOp::Add, given[0], splat_integer(Dtype::I64, 1, {}))};
    next.insert(next.end(), made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carried.size()));
    for (std::size_t i = carried.size(); i < made.size(); ++i) {
      std::vector<std::int64_t> row = type(made[i]).shape;
      row.insert(row.begin(), 1);
      const TensorValue& whole = given[1 + i];
      TensorValues operands = starts(at, row.size());
      operands.insert(operands.begin(), {whole, resized(made[i], row)});
      next.push_back(node(XlaOp::DynamicUpdateSlice, operands, type(whole)));
    }
    return next;
  };
  TensorValues out = while_loop(state, done, step);
  out.erase(out.begin());
  return out;
}

}  // namespace mlgc
