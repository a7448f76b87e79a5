// torchscript: text like that of a graph of TorchScript. Numbers and lists stand where they are used.
#include "export/notation.h"
#include "export/torch/python_text.h"
#include "export/torch/torch_program.h"

namespace mlgc {
namespace {

std::string_view script_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::I1: return "Bool";
    case Dtype::I8: return "Char";
    case Dtype::UI8: return "Byte";
    case Dtype::I16: return "Short";
    case Dtype::I32: return "Int";
    case Dtype::I64: return "Long";
    case Dtype::F16: return "Half";
    case Dtype::BF16: return "BFloat16";
    case Dtype::F32: return "Float";
    case Dtype::F64: return "Double";
    case Dtype::C64: return "ComplexFloat";
    case Dtype::C128: return "ComplexDouble";
  }
  return "Tensor";
}

class Script {
 public:
  explicit Script(const Context& context) : context_(context) {}

  std::string write(const TorchFunction& function) {
    out_ += "graph(%self : __torch__.Model";
    for (const TorchResult& argument : function.body.arguments) out_ += ",\n      " + declared(argument);
    out_ += "):\n";
    ++depth_;
    nodes(function.body.nodes);
    for (const auto& [attribute, value] : function.updates)
      line(" = prim::SetAttr[name=\"" + attribute + "\"](%self, %" + value + ")");
    line("return (" + values(function.body.values) + ")");
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.append(2 * depth_, ' ') += text + "\n"; }

  // `%x : Float(*, 4)`.
  [[nodiscard]] std::string declared(const TorchResult& result) const {
    if (!result.type.valid()) return "%" + result.name + " : int";
    const TypePool& types = context_.types();
    std::string sizes;
    for (const IndexExpr dim : types.dims(result.type)) {
      const auto size = context_.index().as_constant(dim);
      sizes += (sizes.empty() ? "" : ", ") + (size ? std::to_string(*size) : "*");
    }
    return "%" + result.name + " : " + std::string(script_dtype(types.dtype(result.type))) + "(" + sizes + ")";
  }
  [[nodiscard]] std::string declared(const std::vector<TorchResult>& results) const {
    std::vector<std::string> all;
    for (const TorchResult& result : results) all.push_back(declared(result));
    return joined(all);
  }
  static std::string values(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) all.push_back("%" + name);
    return joined(all);
  }
  [[nodiscard]] std::string text(const TorchArgument& argument) const {
    if (const auto* const name = std::get_if<TorchName>(&argument.value)) return "%" + name->text;
    const auto* const names = std::get_if<TorchNames>(&argument.value);
    if (names == nullptr) return python_text(context_, argument);
    std::vector<std::string> all;
    for (const auto& name : *names) all.push_back(name ? "%" + *name : "None");
    return "[" + joined(all) + "]";
  }
  [[nodiscard]] std::string arguments(const TorchNode& node, bool named) const {
    std::vector<std::string> all;
    bool by_position = true;
    for (const TorchArgument& argument : node.arguments) {
      by_position = by_position && (std::holds_alternative<TorchName>(argument.value) ||
                                    std::holds_alternative<TorchNames>(argument.value));
      all.push_back((named && !by_position ? argument.parameter + "=" : "") + text(argument));
    }
    return joined(all);
  }

  void nodes(const std::vector<TorchNode>& all) {
    for (const TorchNode& node : all) statement(node);
  }
  void statement(const TorchNode& node) {
    const std::string results = declared(node.results) + " = ";
    switch (node.kind) {
      case TorchNodeKind::Call: return line(results + node.target + "(" + arguments(node, true) + ")");
      case TorchNodeKind::Read: return line(results + "prim::GetAttr[name=\"" + node.target + "\"](%self)");
      case TorchNodeKind::Constant:
        return line(results + "prim::Constant[value=" + python_tensor(*context_.attributes().to_host(node.constant)) +
                    "]()");
      case TorchNodeKind::Method:
        return line(results + "prim::CallMethod[name=\"" + node.target + "\"](%self" +
                    (node.arguments.empty() ? "" : ", ") + arguments(node, false) + ")");
      case TorchNodeKind::Size: return line(results + "prim::Size[value=" + python_size(node) + "]()");
      case TorchNodeKind::If:
        line(results + "prim::If(" + arguments(node, false) + ")");
        for (std::size_t i = 0; i < node.blocks.size(); ++i) block(node.blocks[i], i);
        return;
      case TorchNodeKind::While: return loop(node);
      case TorchNodeKind::Scan: break;
    }
    throw InternalError("torchscript: scan");
  }
  void block(const TorchBlock& block, std::size_t number) {
    ++depth_;
    line("block" + std::to_string(number) + "():");
    ++depth_;
    nodes(block.nodes);
    line("-> (" + values(block.values) + ")");
    depth_ -= 2;
  }
  // One block of prim::Loop: what stands before the test, then, where it goes on, the body.
  void loop(const TorchNode& node) {
    const TorchBlock &before = node.blocks[0], &body = node.blocks[1];
    line(declared(node.results) + " = prim::Loop(9223372036854775807, True" + (node.arguments.empty() ? "" : ", ") +
         arguments(node, false) + ")");
    ++depth_;
    line("block0(%" + node.counter + " : int" + (before.arguments.empty() ? "" : ", ") + declared(before.arguments) +
         "):");
    ++depth_;
    nodes(before.nodes);
    std::vector<TorchResult> next;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
      names.push_back(body.arguments[i].name + "." + node.counter);  // which no other value is called
      next.push_back({names.back(), body.arguments[i].type});
    }
    line(declared(next) + " = prim::If(%" + before.condition + ")");
    TorchBlock go = body;
    for (std::size_t i = 0; i < body.arguments.size(); ++i)
      go.nodes.insert(go.nodes.begin() + static_cast<std::ptrdiff_t>(i),
                      {.target = "aten::alias",
                       .arguments = {{"self", TorchName{before.values[i]}, MLGC_TORCH_TENSOR}},
                       .results = {body.arguments[i]}});
    block(go, 0);
    block({{}, {}, "", before.values}, 1);
    line("-> (%" + before.condition + (names.empty() ? "" : ", ") + values(names) + ")");
    depth_ -= 2;
  }

  const Context& context_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

Result<Exported, Diagnostic> export_torchscript(const ExportRequest& request) {
  Module& module = request.module;
  const FuncRef function = request.function;
  const auto program =
      make_torch_program(module, {.forward = function.name(), .notation = "torchscript", .lacks = {GraphOp::Scan}});
  if (!program) return Failure{program.error()};
  Exported out{.text = {}, .constants = {}, .data = {}, .ops = program->ops};
  for (const auto* functions : {&program->derived, &program->functions})
    for (const TorchFunction& one : *functions) {
      if (one.method != "forward") out.text += "# " + one.method + "\n";
      out.text += Script(module.context()).write(one);
    }
  return out;
}

}  // namespace mlgc
