// fx-code: a torch.nn.Module whose methods call torch.ops.aten, as torch.fx generates code.
#include <utility>

#include "export/notation.h"
#include "export/torch/python_text.h"
#include "export/torch/torch_program.h"
#include "tensor/print.h"

namespace mlgc {
namespace {

constexpr std::string_view kLoadWeights = R"(
    def load_weights(self, path=pathlib.Path(__file__).with_suffix(".safetensors")):
        """Reads parameters and buffers from a .safetensors file, in which they have the names of NAMES."""
        from safetensors.torch import load_file

        tensors = load_file(path)
        if missing := [name for name in NAMES.values() if name not in tensors and name not in INITIAL]:
            raise KeyError(f"{path} lacks {', '.join(missing)}")
        for attribute, name in NAMES.items():
            if name in tensors:
                getattr(self, attribute).data = tensors[name]
        return self
)";

class FxCode {
 public:
  FxCode(const Context& context, const TorchProgram& program) : context_(context), program_(program) {}

  std::string write() {
    const std::string name = program_.name.empty() ? "a module" : "`" + program_.name + "`";
    line("\"\"\"What `mlgc export --to=fx-code` wrote of " + name + ".\"\"\"");
    if (!program_.data.empty()) line("import pathlib\n");
    line("import torch\n");
    line("aten = torch.ops.aten");
    if (!program_.data.empty()) names();
    line("\n\nclass Model(torch.nn.Module):");
    ++depth_;
    if (!program_.data.empty()) {
      line("def __init__(self):");
      ++depth_;
      line("super().__init__()");
      for (const TorchData& data : program_.data) declare(data);
      --depth_;
      out_ += kLoadWeights;
      line("");
    }
    bool first = true;
    for (const auto* functions : {&program_.derived, &program_.functions})
      for (const TorchFunction& function : *functions) {
        if (!std::exchange(first, false)) line("");
        method(function);
      }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    if (!text.empty()) out_.append(4 * depth_, ' ') += text;
    out_ += '\n';
  }

  // Names in the weights file, by attribute; and of those that need not be there.
  void names() {
    line("NAMES = {");
    for (const TorchData& data : program_.data) line("    \"" + data.attribute + "\": \"" + data.name + "\",");
    line("}");
    std::vector<std::string> initial;
    for (const TorchData& data : program_.data)
      if (data.initial) initial.push_back("\"" + data.name + "\"");
    line("INITIAL = [" + joined(initial) + "]");
  }

  void declare(const TorchData& data) {
    const TypePool& types = context_.types();
    const std::string shape = sizes(types.dims(data.type));
    const std::string dtype = ", dtype=" + python_dtype(types.dtype(data.type)) + ")";
    const std::string value = data.initial ? "torch.full(" + shape + ", " + format_number(*data.initial) + dtype
                                           : "torch.zeros(" + shape + dtype;
    if (data.role == TorchDataRole::Parameter)
      line("self." + data.attribute + " = torch.nn.Parameter(" + value + ")");
    else
      line("self.register_buffer(\"" + data.attribute + "\", " + value + ")");
  }
  std::string sizes(std::span<const IndexExpr> dims) const {
    return python_text(context_, {"", std::vector<IndexExpr>(dims.begin(), dims.end()), MLGC_TORCH_INTS});
  }

  void method(const TorchFunction& function) {
    std::string head = "def " + function.method + "(self";
    for (const TorchResult& argument : function.body.arguments) head += ", " + argument.name;
    line(head + "):");
    ++depth_;
    nodes(function.body.nodes);
    for (const auto& [attribute, value] : function.updates) line("self." + attribute + ".data = " + value);
    const std::vector<std::string>& values = function.body.values;
    if (!function.result_names.empty()) line("# returns " + joined(function.result_names));
    line("return " + (values.empty() ? "()" : joined(values)));
    --depth_;
  }

  void nodes(const std::vector<TorchNode>& all) {
    for (const TorchNode& node : all) statement(node);
  }

  static std::vector<std::string> names_of(const std::vector<TorchResult>& results) {
    std::vector<std::string> out;
    for (const TorchResult& result : results) out.push_back(result.name);
    return out;
  }
  static std::vector<std::string> operands_of(const TorchNode& node, std::size_t first = 0) {
    std::vector<std::string> out;
    for (std::size_t i = first; i < node.arguments.size(); ++i)
      out.push_back(std::get<TorchName>(node.arguments[i].value).text);
    return out;
  }
  void assign(const std::vector<std::string>& names, const std::vector<std::string>& values) {
    if (!names.empty()) line(joined(names) + " = " + joined(values));
  }

  void statement(const TorchNode& node) {
    const std::vector<std::string> results = names_of(node.results);
    switch (node.kind) {
      case TorchNodeKind::Call: return call(node, results);
      case TorchNodeKind::Read: return line(results[0] + " = self." + node.target);
      case TorchNodeKind::Constant:
        return line(results[0] + " = " + python_tensor(*context_.attributes().to_host(node.constant)));
      case TorchNodeKind::Method:
        return line((results.empty() ? "" : joined(results) + " = ") + "self." + node.target + "(" +
                    joined(operands_of(node)) + ")");
      case TorchNodeKind::Size: return line(results[0] + " = " + python_size(node));
      case TorchNodeKind::If: return branch(node, results);
      case TorchNodeKind::While: return loop(node, results);
      case TorchNodeKind::Scan: return scan(node, results);
    }
  }

  void call(const TorchNode& node, const std::vector<std::string>& results) {
    const std::string text = python_target(node.target) + "(" + python_arguments(context_, node) + ")";
    if (node.one_tensor) return line(results[0] + " = " + text);
    if (results.size() == 1) return line(results[0] + " = " + text + "[0]");
    // An operator may give more than what the op has.
    line(joined(results) + " = " + text + "[:" + std::to_string(results.size()) + "]");
  }

  void branch(const TorchNode& node, const std::vector<std::string>& results) {
    line("if " + operands_of(node)[0] + ":");
    for (std::size_t i = 0; i < node.blocks.size(); ++i) {
      if (i == 1) line("else:");
      ++depth_;
      nodes(node.blocks[i].nodes);
      if (results.empty() && node.blocks[i].nodes.empty()) line("pass");
      assign(results, node.blocks[i].values);
      --depth_;
    }
  }

  void loop(const TorchNode& node, const std::vector<std::string>& results) {
    const TorchBlock &before = node.blocks[0], &body = node.blocks[1];
    assign(names_of(before.arguments), operands_of(node));
    line("while True:");
    ++depth_;
    nodes(before.nodes);
    assign(results, before.values);
    line("if not " + before.condition + ":");
    line("    break");
    assign(names_of(body.arguments), results);
    nodes(body.nodes);
    assign(names_of(before.arguments), body.values);
    --depth_;
  }

  void scan(const TorchNode& node, const std::vector<std::string>& results) {
    const TorchBlock& body = node.blocks[0];
    const std::vector<std::string> operands = operands_of(node), arguments = names_of(body.arguments);
    const auto part = [](const std::vector<std::string>& all, std::size_t from, std::size_t to) {
      return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                      all.begin() + static_cast<std::ptrdiff_t>(to));
    };
    const std::vector<std::string> carried = part(arguments, 0, node.carried);
    assign(carried, part(operands, 0, node.carried));
    for (std::size_t i = node.carried; i < results.size(); ++i) line(results[i] + " = []");
    const std::string length = operands.size() > node.carried ? operands[node.carried] + ".shape[0]" : "0";
    line("for " + node.counter + " in " + (node.reverse ? "reversed(range(" + length + "))" : "range(" + length + ")") +
         ":");
    ++depth_;
    for (std::size_t i = node.carried; i < operands.size(); ++i)
      line(arguments[i] + " = aten.select.int(" + operands[i] + ", dim=0, index=" + node.counter + ")");
    nodes(body.nodes);
    for (std::size_t i = node.carried; i < results.size(); ++i) line(results[i] + ".append(" + body.values[i] + ")");
    assign(carried, part(body.values, 0, node.carried));
    --depth_;
    assign(part(results, 0, node.carried), carried);
    for (std::size_t i = node.carried; i < results.size(); ++i) stack(node, i);
  }
  // A list of no slices has no shape.
  void stack(const TorchNode& node, std::size_t i) {
    const TorchResult& result = node.results[i];
    const TypePool& types = context_.types();
    if (node.reverse) line(result.name + ".reverse()");
    std::vector<IndexExpr> empty(node.empty_shapes[i]);
    line(result.name + " = aten.stack.default(" + result.name + ") if " + result.name + " else torch.empty(" +
         sizes(empty) + ", dtype=" + python_dtype(types.dtype(result.type)) + ")");
  }

  const Context& context_;
  const TorchProgram& program_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

Result<Exported, Diagnostic> export_fx_code(const ExportRequest& request) {
  Module& module = request.module;
  const FuncRef function = request.function;
  const auto program = make_torch_program(module, {.forward = function.name(), .notation = "fx-code"});
  if (!program) return Failure{program.error()};
  Exported out{.text = FxCode(module.context(), *program).write(), .constants = {}, .data = {}, .ops = program->ops};
  for (const TorchData& data : program->data)
    if (data.role == TorchDataRole::Constant)
      out.constants.emplace_back(data.name, *module.context().attributes().to_host(data.constant));
  return out;
}

}  // namespace mlgc
