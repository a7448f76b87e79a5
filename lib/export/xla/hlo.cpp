// hlo: text of an HLO module, as XLA prints and parses it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "export/notation.h"
#include "export/xla/xla_notation.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

std::string hlo_element_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::I1: return "pred";
    case Dtype::UI8: return "u8";
    default: break;
  }
  const std::string name(dtype_info(dtype).name);
  return is_integer(dtype) ? "s" + name.substr(1) : name;
}
std::string hlo_list(const XlaList& list, std::string_view between = ",") {
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) out += std::string(i ? between : "") + std::to_string(list[i]);
  return out;
}
std::string hlo_type(const XlaType& type) { return hlo_element_type(type.dtype) + "[" + hlo_list(type.shape) + "]"; }
// `dimensions={1,0}`
std::string hlo_braces(std::string_view name, const XlaList& list) {
  return ", " + std::string(name) + "={" + hlo_list(list) + "}";
}
// `1_1x0_2`
std::string hlo_pads(const XlaList& low, const XlaList& high, const XlaList& interior = {}) {
  std::string out;
  for (std::size_t i = 0; i < low.size(); ++i) {
    out += (i ? "x" : "") + std::to_string(low[i]) + "_" + std::to_string(high[i]);
    if (!interior.empty()) out += "_" + std::to_string(interior[i]);
  }
  return out;
}

std::string hlo_element(Dtype dtype, const std::string& bytes, std::int64_t i) {
  if (dtype == Dtype::I1) return bytes[static_cast<std::size_t>(i)] != 0 ? "true" : "false";
  return visit_dtype(dtype, [&]<class T>() -> std::string {
    T value;
    std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    if constexpr (std::is_integral_v<T>)
      return std::to_string(value);
    else
      return format_number(value);
  });
}

// Computations come before those that call them, the entry last.
class HloWriter {
 public:
  explicit HloWriter(const XlaProgram& program) : program_(program) {
    for (const XlaValue& value : program.values)
      if (!value.name.empty()) names_.insert(value.name);
  }

  std::string write() {
    const std::vector<XlaId>& results = program_.main.results;
    std::string head = "HloModule " + program_.name + "\n";
    for (std::size_t i = 0; i < program_.inputs.size(); ++i)
      head += "// parameter " + std::to_string(i) + ": " + program_.inputs[i].name + "\n";
    for (std::size_t i = 0; i < program_.outputs.size(); ++i)
      head += "// result " + std::to_string(i) + ": " + program_.outputs[i].name + "\n";
    begin();
    for (std::size_t i = 0; i < program_.main.arguments.size(); ++i) parameter(program_.main.arguments[i], i);
    nodes(program_.main);
    tuple_root(results);
    const std::string entry = end("ENTRY %" + name_for("main"));
    return head + done_ + entry;
  }

 private:
  // Names.
  std::string name_for(std::string_view wanted) {
    std::string name(wanted);
    for (int n = 1; !names_.insert(name).second; ++n) name = std::string(wanted) + "." + std::to_string(n);
    return name;
  }
  std::string text(XlaId id) {
    if (const auto found = local_.back().find(id); found != local_.back().end()) return "%" + found->second;
    const std::string& name = program_.values[id].name;
    return "%" + local_.back().emplace(id, name.empty() ? name_for("v") : name).first->second;
  }
  std::string define(const XlaNode& node, std::size_t i) {
    const std::string& name = program_.values[node.results[i]].name;
    const bool again = !name.empty() && !defined_.insert(name).second;
    const std::string_view base = name.empty() || again ? xla_op_info(node.op).hlo : std::string_view(name);
    return "%" + local_.back().emplace(node.results[i], name.empty() || again ? name_for(base) : name).first->second;
  }
  std::string type(XlaId id) const { return hlo_type(program_.type(id)); }
  std::string operands(const std::vector<XlaId>& ids) {
    std::string out;
    for (std::size_t i = 0; i < ids.size(); ++i) out += (i ? ", " : "") + text(ids[i]);
    return out;
  }
  std::string tuple_type(const std::vector<XlaId>& ids) const {
    std::string out;
    for (std::size_t i = 0; i < ids.size(); ++i) out += (i ? ", " : "") + type(ids[i]);
    return "(" + out + ")";
  }

  // Computations.
  void begin() {
    bodies_.emplace_back();
    local_.emplace_back();
  }
  std::string end(const std::string& head) {
    std::string out = "\n" + head + " {\n" + bodies_.back() + "}\n";
    bodies_.pop_back();
    local_.pop_back();
    return out;
  }
  void line(const std::string& text) { bodies_.back() += "  " + text + "\n"; }
  void parameter(XlaId id, std::size_t number) {
    const std::string name = program_.values[id].name.empty() ? "" : program_.values[id].name;
    const bool again = name.empty() || !defined_.insert(name).second;
    local_.back().emplace(id, again ? name_for(name.empty() ? "p" : name) : name);
    line(text(id) + " = " + type(id) + " parameter(" + std::to_string(number) + ")");
  }
  void tuple_root(const std::vector<XlaId>& ids) {
    line("ROOT %" + name_for("tuple") + " = " + tuple_type(ids) + " tuple(" + operands(ids) + ")");
  }
  void root(XlaId id) {
    // The last line may be it.
    std::string& body = bodies_.back();
    const std::size_t last = body.rfind('\n', body.size() - 2) + 1;
    if (body.compare(last, 2 + text(id).size() + 3, "  " + text(id) + " = ") == 0)
      body.insert(last + 2, "ROOT ");
    else
      line("ROOT %" + name_for("root") + " = " + type(id) + " reshape(" + text(id) + ")");
  }
  // Of scalars: what reductions call.
  std::string scalar_computation(const XlaBlock& block) {
    begin();
    for (std::size_t i = 0; i < block.arguments.size(); ++i) parameter(block.arguments[i], i);
    nodes(block);
    if (block.results.size() == 1)
      root(block.results[0]);
    else
      tuple_root(block.results);
    const std::string body = bodies_.back();
    const std::string name = "%" + name_for(block.nodes.size() == 1 ? xla_op_info(block.nodes[0].op).hlo : "combine");
    done_ += end(name);
    return name;
  }
  // Its parameter is a tuple of its arguments and of what it reads of the values around it.
  std::string computation(std::string_view wanted, const XlaBlock& block, const std::vector<XlaId>& arguments,
                          const std::vector<XlaId>& results, bool one_result) {
    begin();
    const std::string all = "%" + name_for("arguments");
    line(all + " = " + tuple_type(arguments) + " parameter(0)");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      local_.back().emplace(arguments[i], name_for("item"));
      line(text(arguments[i]) + " = " + type(arguments[i]) + " get-tuple-element(" + all +
           "), index=" + std::to_string(i));
    }
    nodes(block);
    if (one_result)
      root(results[0]);
    else
      tuple_root(results);
    const std::string name = "%" + name_for(wanted);
    done_ += end(name);
    return name;
  }

  // Operations.
  void nodes(const XlaBlock& block) {
    for (const XlaNode& node : block.nodes) write(node);
  }
  void write(const XlaNode& node) {
    switch (node.op) {
      case XlaOp::Constant: return constant(node);
      case XlaOp::If: return conditional(node);
      case XlaOp::While: return loop(node);
      default: break;
    }
    const std::string arguments = operands(node.operands), rest = attributes(node);
    const std::string call = std::string(xla_op_info(node.op).hlo) + "(" + arguments + ")" + rest;
    if (node.results.size() == 1) return line(define(node, 0) + " = " + type(node.results[0]) + " " + call);
    const std::string all = "%" + name_for("results");
    line(all + " = " + tuple_type(node.results) + " " + call);
    items(node, all);
  }
  void items(const XlaNode& node, const std::string& tuple) {
    for (std::size_t i = 0; i < node.results.size(); ++i)
      line(define(node, i) + " = " + type(node.results[i]) + " get-tuple-element(" + tuple +
           "), index=" + std::to_string(i));
  }
  // What stands for every element is a broadcast scalar.
  void constant(const XlaNode& node) {
    const XlaType& type = program_.type(node);
    const auto element = [&](std::int64_t i) { return hlo_element(type.dtype, node.bytes, i); };
    if (!node.splat)
      return line(define(node, 0) + " = " + hlo_type(type) + " constant(" + nested_elements(type, '{', '}', element) +
                  ")");
    const std::string scalar = hlo_element_type(type.dtype) + "[] constant(" + element(0) + ")";
    if (type.shape.empty()) return line(define(node, 0) + " = " + scalar);
    const std::string one = "%" + name_for("constant");
    line(one + " = " + scalar);
    line(define(node, 0) + " = " + hlo_type(type) + " broadcast(" + one + "), dimensions={}");
  }
  std::string attributes(const XlaNode& node) {
    switch (node.op) {
      case XlaOp::Compare: return ", direction=" + std::string(node.word);
      case XlaOp::Iota: return ", iota_dimension=" + hlo_list(node.list("dimensions"));
      case XlaOp::Broadcast:
      case XlaOp::Transpose:
      case XlaOp::Reverse:
      case XlaOp::Concatenate: return hlo_braces("dimensions", node.list("dimensions"));
      case XlaOp::Slice: {
        std::string out;
        const XlaList &start = node.list("start"), &limit = node.list("limit"), &strides = node.list("strides");
        for (std::size_t i = 0; i < start.size(); ++i)
          out += (i ? ", [" : "[") + std::to_string(start[i]) + ":" + std::to_string(limit[i]) +
                 (strides[i] == 1 ? "" : ":" + std::to_string(strides[i])) + "]";
        return ", slice={" + out + "}";
      }
      case XlaOp::DynamicSlice: return hlo_braces("dynamic_slice_sizes", node.list("sizes"));
      case XlaOp::Pad: return ", padding=" + hlo_pads(node.list("low"), node.list("high"), node.list("interior"));
      case XlaOp::Dot: {
        std::string out;
        for (const std::string_view name : {"lhs_batch", "lhs_contracting", "rhs_batch", "rhs_contracting"})
          if (!node.list(name).empty()) out += hlo_braces(std::string(name) + "_dims", node.list(name));
        return out;
      }
      case XlaOp::Convolution: return convolution(node);
      case XlaOp::Reduce:
        return hlo_braces("dimensions", node.list("dimensions")) + ", to_apply=" + scalar_computation(node.blocks[0]);
      case XlaOp::ReduceWindow:
        return ", window={size=" + hlo_list(node.list("window"), "x") +
               " stride=" + hlo_list(node.list("strides"), "x") +
               " pad=" + hlo_pads(node.list("low"), node.list("high")) +
               " rhs_dilate=" + hlo_list(node.list("window_dilations"), "x") +
               "}, to_apply=" + scalar_computation(node.blocks[0]);
      case XlaOp::Gather:
        return hlo_braces("offset_dims", node.list("offset")) +
               hlo_braces("collapsed_slice_dims", node.list("collapsed")) +
               hlo_braces("start_index_map", node.list("start_map")) + ", index_vector_dim=" + last_axis(node) +
               hlo_braces("slice_sizes", node.list("slice_sizes"));
      case XlaOp::Scatter: {
        XlaList all;
        for (std::size_t i = 0; i < program_.type(node.operands[0]).shape.size(); ++i)
          all.push_back(static_cast<std::int64_t>(i));
        return hlo_braces("update_window_dims", {}) + hlo_braces("inserted_window_dims", all) +
               hlo_braces("scatter_dims_to_operand_dims", all) + ", index_vector_dim=" + last_axis(node) +
               ", to_apply=" + scatter_computation(node.blocks[0]);
      }
      case XlaOp::Sort:
        return hlo_braces("dimensions", node.list("dimensions")) +
               ", is_stable=true, to_apply=" + scalar_computation(node.blocks[0]);
      default: return "";
    }
  }
  std::string last_axis(const XlaNode& node) const {
    return std::to_string(program_.type(node.operands[1]).shape.size() - 1);
  }
  // One that only gives an argument back has no operation to be its root.
  std::string scatter_computation(const XlaBlock& block) {
    if (!block.nodes.empty()) return scalar_computation(block);
    begin();
    for (std::size_t i = 0; i < block.arguments.size(); ++i) {
      const std::string root = block.arguments[i] == block.results[0] ? "ROOT %" : "%";
      line(root + name_for("p") + " = " + type(block.arguments[i]) + " parameter(" + std::to_string(i) + ")");
    }
    const std::string name = "%" + name_for("second");
    done_ += end(name);
    return name;
  }
  std::string convolution(const XlaNode& node) const {
    std::string axes;
    XlaList size;
    const XlaList& weight = program_.type(node.operands[1]).shape;
    for (std::size_t i = 0; i < node.list("strides").size(); ++i) {
      axes += std::to_string(i);
      size.push_back(weight[i + 2]);
    }
    const std::int64_t groups = node.list("groups")[0];
    return ", window={size=" + hlo_list(size, "x") + " stride=" + hlo_list(node.list("strides"), "x") +
           " pad=" + hlo_pads(node.list("low"), node.list("high")) +
           " lhs_dilate=" + hlo_list(node.list("base_dilations"), "x") +
           " rhs_dilate=" + hlo_list(node.list("window_dilations"), "x") + "}, dim_labels=bf" + axes + "_oi" + axes +
           "->bf" + axes + (groups == 1 ? "" : ", feature_group_count=" + std::to_string(groups));
  }

  // Control flow.
  void conditional(const XlaNode& node) {
    std::string calls, names;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<XlaId> captured = captured_values(node.blocks[i]);
      const std::string given = "%" + name_for("given");
      line(given + " = " + tuple_type(captured) + " tuple(" + operands(captured) + ")");
      calls += ", " + given;
      names += std::string(i == 0 ? ", true" : ", false") + "_computation=" +
               computation(i == 0 ? "then" : "otherwise", node.blocks[i], captured, node.blocks[i].results, false);
    }
    const std::string all = "%" + name_for("results");
    line(all + " = " + tuple_type(node.results) + " conditional(" + text(node.operands[0]) + calls + ")" + names);
    items(node, all);
  }
  void loop(const XlaNode& node) {
    std::vector<XlaId> state = node.blocks[0].arguments, initial = node.operands;
    for (const XlaBlock& block : node.blocks)
      for (const XlaId id : captured_values(block))
        if (std::ranges::find(state, id) == state.end()) {
          state.push_back(id);
          initial.push_back(id);
        }
    std::vector<XlaId> next = node.blocks[1].results;
    next.insert(next.end(), initial.begin() + static_cast<std::ptrdiff_t>(node.operands.size()), initial.end());
    const std::string given = "%" + name_for("given"), all = "%" + name_for("results");
    line(given + " = " + tuple_type(initial) + " tuple(" + operands(initial) + ")");
    const std::string condition = computation("condition", node.blocks[0], state, node.blocks[0].results, true);
    const std::string body = computation("body", node.blocks[1], state, next, false);
    line(all + " = " + tuple_type(initial) + " while(" + given + "), condition=" + condition + ", body=" + body);
    items(node, all);
  }

  const XlaProgram& program_;
  std::set<std::string, std::less<>> names_, defined_;
  std::vector<std::map<XlaId, std::string>> local_;  // what values are called in each computation that is open
  std::vector<std::string> bodies_;
  std::string done_;
};

}  // namespace

std::string hlo_text(const XlaProgram& program) { return HloWriter(program).write(); }

Result<Exported, Diagnostic> export_hlo(const ExportRequest& request) {
  Module& module = request.module;
  XlaNotation notation(module.context(), "hlo", false);
  auto written = write_graph(module, request.function, notation);
  if (!written) return Failure{written.error()};
  return Exported{.text = hlo_text(notation.finish(module.top().symbol())),
                  .constants = {},
                  .data = {},
                  .ops = *std::move(written)};
}

}  // namespace mlgc
