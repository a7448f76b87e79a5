// See xla_builder.h.
#include "export/xla/xla_builder.h"

#include <algorithm>
#include <cstring>
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

XlaProgram XlaBuilder::finish(std::string_view name) {
  program_.name = name.empty() ? "model" : name;
  program_.main = std::move(scopes_.back().block);
  for (const XlaOutput& output : program_.outputs) program_.main.results.push_back(output.value);
  remove_dead_nodes(program_.main);
  return std::move(program_);
}

// Values.
TensorValue XlaBuilder::value_of(XlaId id) const {
  TensorValue out{std::to_string(id), program_.type(id).dtype, {}};
  for (const std::int64_t dim : program_.type(id).shape) out.shape.push_back(sizes_.constant(dim));
  return out;
}

XlaId XlaBuilder::make(XlaType type) {
  program_.values.push_back({std::move(type), ""});
  return program_.values.size() - 1;
}

std::string XlaBuilder::fresh(std::string_view wanted) {
  std::string base(wanted);
  std::ranges::replace_if(
      base, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.'; }, '_');
  if (base.empty() || !(std::isalpha(static_cast<unsigned char>(base[0])) || base[0] == '_')) base.insert(0, "v");
  if (is_reserved_in_hlo(base)) base += "_";
  std::string name = base;
  for (int n = 1; !names_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

void XlaBuilder::name(const TensorValue& value, std::string_view wanted) {
  std::string& name = program_.values[id(value)].name;
  if (name.empty()) name = fresh(wanted);
}

std::vector<std::int64_t> XlaBuilder::constants(std::span<const IndexExpr> sizes) const {
  std::vector<std::int64_t> out;
  for (const IndexExpr size : sizes) {
    const auto value = sizes_.as_constant(size);
    if (!value) throw NoForm{"its shape depends on data"};
    out.push_back(*value);
  }
  return out;
}

TensorValue XlaBuilder::add(XlaNode node, XlaType type) {
  const std::string key = xla_key(node, type);
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    if (const auto found = scopes_[i].known.find(key); found != scopes_[i].known.end()) return value_of(found->second);
    if (scopes_[i].isolated) break;
  }
  const XlaId made = make(std::move(type));
  if (node.splat) splats_.emplace(made, node.bytes);
  if (node.op == XlaOp::Iota) iotas_.emplace(made, static_cast<std::size_t>(node.list("dimensions")[0]));
  if (node.op == XlaOp::Reshape) reshapes_.emplace(made, node.operands[0]);
  if (node.op != XlaOp::Constant) wrote_(node.op);
  node.results = {made};
  scopes_.back().block.nodes.push_back(std::move(node));
  scopes_.back().known.emplace(key, made);
  return value_of(made);
}

TensorValue XlaBuilder::node(XlaOp op, Operands operands, XlaType type, XlaLists lists, std::string_view word) {
  if (is_complex(type.dtype)) throw NoForm{"complex numbers"};
  XlaNode node{.op = op, .lists = std::move(lists), .word = word};
  for (const TensorValue& operand : operands) node.operands.push_back(id(operand));
  return add(std::move(node), std::move(type));
}

TensorValues XlaBuilder::add_with_blocks(XlaNode node, const std::vector<XlaType>& results) {
  TensorValues out;
  wrote_(node.op);
  for (const XlaType& type : results) {
    node.results.push_back(make(type));
    out.push_back(value_of(node.results.back()));
  }
  scopes_.back().block.nodes.push_back(std::move(node));
  return out;
}

XlaBlock XlaBuilder::block(const std::vector<XlaId>& arguments, bool isolated, const Body& body) {
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

TensorValues XlaBuilder::node_with_block(XlaOp op, Operands operands, const std::vector<XlaType>& results,
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

TensorValue XlaBuilder::input(XlaType type, std::string_view name, std::string full_name) {
  const XlaId value = make(std::move(type));
  program_.values[value].name = fresh(name);
  program_.inputs.push_back({value, std::move(full_name)});
  scopes_[0].block.arguments.push_back(value);
  return value_of(value);
}

void XlaBuilder::output(std::string_view name, const TensorValue& value) {
  program_.outputs.push_back({id(value), std::string(name)});
}

// Control flow: blocks see the values around them.
TensorValues XlaBuilder::conditional(const TensorValue& condition, const std::vector<XlaType>& results,
                                     const Body& then, const Body& otherwise) {
  XlaNode node{.op = XlaOp::If, .operands = {id(resized(condition, {}))}};
  node.blocks.push_back(block({}, false, then));
  node.blocks.push_back(block({}, false, otherwise));
  return add_with_blocks(std::move(node), results);
}

TensorValues XlaBuilder::while_loop(Operands initial, const std::function<TensorValue(Operands)>& condition,
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

TensorValue XlaBuilder::constant(XlaType type, std::string bytes, bool splat) {
  if (is_complex(type.dtype)) throw NoForm{"complex numbers"};
  XlaNode node{.op = XlaOp::Constant, .bytes = std::move(bytes), .splat = splat};
  return add(std::move(node), std::move(type));
}

TensorValue XlaBuilder::splat(Dtype dtype, double value, std::vector<std::int64_t> shape) {
  const Tensor one = Tensor::splat(dtype, {}, value);
  return constant({dtype, std::move(shape)},
                  std::string(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size()), true);
}

TensorValue XlaBuilder::splat_integer(Dtype dtype, std::int64_t value, std::vector<std::int64_t> shape) {
  const Tensor one = Tensor::splat_int(dtype, {}, value);
  return constant({dtype, std::move(shape)},
                  std::string(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size()), true);
}

TensorValue XlaBuilder::numbers(Dtype dtype, const std::vector<std::int64_t>& values) {
  std::string bytes;
  for (const std::int64_t value : values) {
    const Tensor one = Tensor::splat_int(dtype, {}, value);
    bytes.append(reinterpret_cast<const char*>(one.bytes().data()), one.bytes().size());
  }
  return constant({dtype, {static_cast<std::int64_t>(values.size())}}, std::move(bytes), false);
}

TensorValue XlaBuilder::iota(Dtype dtype, std::vector<std::int64_t> shape, std::size_t axis) {
  return node(XlaOp::Iota, {}, {dtype, std::move(shape)}, {{"dimensions", {static_cast<std::int64_t>(axis)}}});
}

// Shapes.
TensorValue XlaBuilder::resized(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  if (type(value).shape == shape) return value;
  // Of a reshape: of what that is of.
  if (const auto found = reshapes_.find(id(value)); found != reshapes_.end())
    return resized(value_of(found->second), shape);
  if (const auto found = splats_.find(id(value)); found != splats_.end())
    return constant({value.dtype, shape}, std::string(found->second), true);
  return node(XlaOp::Reshape, {value}, {value.dtype, shape});
}

TensorValue XlaBuilder::broadcast(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  const std::vector<std::int64_t>& from = type(value).shape;
  if (from == shape) return value;
  if (splats_.contains(id(value))) return resized(value, shape);
  if (const auto found = iotas_.find(id(value)); found != iotas_.end() && from[found->second] == shape[found->second])
    return iota(value.dtype, shape, found->second);
  std::vector<std::int64_t> kept, axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (from[i] == shape[i]) {
      kept.push_back(shape[i]);
      axes.push_back(static_cast<std::int64_t>(i));
    }
  return node(XlaOp::Broadcast, {resized(value, kept)}, {value.dtype, shape}, {{"dimensions", axes}});
}

TensorValue XlaBuilder::aligned(const TensorValue& value, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> whole = type(value).shape;
  whole.insert(whole.begin(), shape.size() - whole.size(), 1);
  if (whole == shape || splats_.contains(id(value))) return resized(value, shape);
  std::vector<std::int64_t> axes;
  for (std::size_t i = shape.size() - type(value).shape.size(); i < shape.size(); ++i) {
    if (whole[i] != shape[i]) return broadcast(resized(value, whole), shape);
    axes.push_back(static_cast<std::int64_t>(i));
  }
  return node(XlaOp::Broadcast, {value}, {value.dtype, shape}, {{"dimensions", axes}});
}

TensorValue XlaBuilder::transposed(const TensorValue& value, const std::vector<std::size_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  XlaType to{value.dtype, {}};
  for (const std::size_t axis : order) to.shape.push_back(type(value).shape[axis]);
  return node(XlaOp::Transpose, {value}, std::move(to), {{"dimensions", {order.begin(), order.end()}}});
}

TensorValue XlaBuilder::sliced(const TensorValue& value, std::size_t axis, std::int64_t start, std::int64_t count,
                               std::int64_t step) {
  XlaType to = type(value);
  if (count == to.shape[axis] && step == 1) return value;
  XlaList starts(to.shape.size(), 0), limits = to.shape, strides(to.shape.size(), 1);
  starts[axis] = start;
  limits[axis] = count == 0 ? start : start + (count - 1) * step + 1;
  strides[axis] = step;
  to.shape[axis] = count;
  return node(XlaOp::Slice, {value}, std::move(to), {{"start", starts}, {"limit", limits}, {"strides", strides}});
}

// Elements.
TensorValue XlaBuilder::converted(const TensorValue& value, Dtype dtype) {
  if (value.dtype == dtype) return value;
  return node(XlaOp::Convert, {value}, {dtype, type(value).shape});
}

TensorValue XlaBuilder::binary(XlaOp op, const TensorValue& a, const TensorValue& b) {
  return node(op, {a, b}, type(a));
}

TensorValue XlaBuilder::compare(std::string_view direction, const TensorValue& a, const TensorValue& b) {
  return node(XlaOp::Compare, {a, b}, {Dtype::I1, type(a).shape}, {}, direction);
}

TensorValue XlaBuilder::select(const TensorValue& condition, const TensorValue& a, const TensorValue& b) {
  return node(XlaOp::Select, {condition, a, b}, {a.dtype, type(condition).shape});
}

// The number that stands for every element of a constant.
std::optional<std::int64_t> XlaBuilder::constant_of(const TensorValue& value) const {
  const auto found = splats_.find(id(value));
  if (found == splats_.end() || value.dtype != Dtype::I64) return std::nullopt;
  std::int64_t out = 0;
  std::memcpy(&out, found->second.data(), sizeof out);
  return out;
}

std::optional<std::size_t> XlaBuilder::iota_axis(const TensorValue& value) const {
  const auto found = iotas_.find(id(value));
  return found == iotas_.end() ? std::nullopt : std::optional(found->second);
}

TensorValues XlaBuilder::first_extremum(Operands a, Operands b, bool largest) {
  TensorValue first = compare(largest ? "GT" : "LT", a[0], b[0]);
  if (is_float(a[0].dtype)) first = binary(XlaOp::Or, first, compare("NE", a[0], a[0]));
  const TensorValue tie = binary(XlaOp::And, compare("EQ", a[0], b[0]), compare("LT", a[1], b[1]));
  return {select(first, a[0], b[0]), select(binary(XlaOp::Or, first, tie), a[1], b[1])};
}

Dtype xla_sum_type(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16 ? Dtype::F32 : dtype; }

}  // namespace mlgc
