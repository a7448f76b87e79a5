// See script.h.
#include "torch/script.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/serialization/import.h>

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "torch/values.h"

namespace mlgc_torch {

namespace {

namespace jit = torch::jit;

// A program and everything that it points to.
struct Script : mlgc_script {
  jit::Module module;
  std::shared_ptr<jit::Graph> graph;
  std::deque<std::string> texts;
  std::deque<std::vector<std::uint32_t>> numbers;
  std::deque<std::vector<std::int64_t>> sizes;
  std::deque<std::vector<mlgc_script_constant>> constants;
  std::deque<std::vector<mlgc_script_node>> nodes;
  std::deque<std::vector<mlgc_script_block>> blocks;
  std::deque<std::vector<mlgc_script_attribute>> attributes;
  std::vector<mlgc_script_value> value_list;
  std::vector<mlgc_script_input> input_list;
  std::vector<mlgc_script_object> object_list;
  std::vector<mlgc_script_tensor> tensor_list;
};

// `class torch.nn.Linear` inside of torch would be the innermost frame of most nodes, so all frames are given.
struct Origin {
  std::string stack, module, line;
};

class Describer {
 public:
  explicit Describer(Script& script) : script_(script) {}

  void run() {
    object(script_.module._ivalue());
    script_.body = block(*script_.graph->block());
    describe_inputs();
    script_.values = script_.value_list.data();
    script_.value_count = script_.value_list.size();
    script_.inputs = script_.input_list.data();
    script_.input_count = script_.input_list.size();
    script_.objects = script_.object_list.data();
    script_.object_count = script_.object_list.size();
    script_.tensors = script_.tensor_list.data();
    script_.tensor_count = script_.tensor_list.size();
  }

 private:
  const char* text(std::string value) { return script_.texts.emplace_back(std::move(value)).c_str(); }

  std::uint32_t number(const jit::Value* value) {
    const auto [at, fresh] = number_of_.try_emplace(value, static_cast<std::uint32_t>(script_.value_list.size()));
    if (fresh) script_.value_list.push_back({text(value->debugName()), text(value->type()->str())});
    return at->second;
  }
  template <class Values>
  const std::vector<std::uint32_t>& all(const Values& values) {
    std::vector<std::uint32_t>& out = script_.numbers.emplace_back();
    for (const jit::Value* value : values) out.push_back(number(value));
    return out;
  }

  mlgc_script_constant constant(const c10::IValue& value) {
    mlgc_script_constant out{MLGC_SCRIPT_OTHER, 0, 0, "", 0, nullptr};
    std::vector<mlgc_script_constant> items;
    if (value.isNone()) {
      out.form = MLGC_SCRIPT_NONE;
    } else if (value.isBool()) {
      out = {MLGC_SCRIPT_BOOL, value.toBool() ? 1 : 0, 0, "", 0, nullptr};
    } else if (value.isInt()) {
      out = {MLGC_SCRIPT_INT, value.toInt(), 0, "", 0, nullptr};
    } else if (value.isDouble()) {
      out = {MLGC_SCRIPT_FLOAT, 0, value.toDouble(), "", 0, nullptr};
    } else if (value.isString()) {
      out = {MLGC_SCRIPT_STRING, 0, 0, text(value.toStringRef()), 0, nullptr};
    } else if (value.isDevice()) {
      out = {MLGC_SCRIPT_DEVICE, 0, 0, text(value.toDevice().str()), 0, nullptr};
    } else if (value.isTensor()) {
      if (value.toTensor().defined())
        out = {MLGC_SCRIPT_TENSOR, tensor(value.toTensor()), 0, "", 0, nullptr};
      else
        out.form = MLGC_SCRIPT_NONE;
    } else if (value.isList()) {
      out.form = MLGC_SCRIPT_LIST;
      for (const c10::IValue& item : value.toListRef()) items.push_back(constant(item));
    } else if (value.isTuple()) {
      out.form = MLGC_SCRIPT_TUPLE;
      for (const c10::IValue& item : value.toTupleRef().elements()) items.push_back(constant(item));
    } else if (value.isGenericDict()) {
      out.form = MLGC_SCRIPT_DICT;
      for (const auto& entry : value.toGenericDict()) {
        items.push_back(constant(entry.key()));
        items.push_back(constant(entry.value()));
      }
    } else if (value.isEnum()) {
      out.form = MLGC_SCRIPT_TUPLE;
      items.push_back({MLGC_SCRIPT_STRING, 0, 0, text(value.toEnumHolder()->name()), 0, nullptr});
      items.push_back(constant(value.toEnumHolder()->value()));
    } else if (value.isObject()) {
      out = {MLGC_SCRIPT_OBJECT, object(value.toObject()), 0, "", 0, nullptr};
    } else {
      out.text = text(value.type()->str());
    }
    if (!items.empty()) {
      out.count = items.size();
      out.items = script_.constants.emplace_back(std::move(items)).data();
    }
    return out;
  }

  std::int64_t tensor(const at::Tensor& tensor) {
    mlgc_script_tensor out{-1, "", 0, nullptr, nullptr, 0, nullptr, 0};
    const bool dense = tensor.layout() == at::kStrided && tensor.device().is_cpu() && !tensor.is_quantized() &&
                       !tensor.is_conj() && !tensor.is_neg();
    if (!dense || !dtype_of(tensor.scalar_type(), out.dtype))
      out.dtype_name = text(dense ? std::string("element type ") + c10::toString(tensor.scalar_type())
                                  : "layout " + tensor.toString());
    if (dense) {
      out.rank = static_cast<std::size_t>(tensor.dim());
      out.sizes = script_.sizes.emplace_back(tensor.sizes().vec()).data();
      out.strides = script_.sizes.emplace_back(tensor.strides().vec()).data();
      out.offset = tensor.storage_offset();
      out.storage = tensor.storage().data();
      out.storage_bytes = tensor.storage().nbytes();
    }
    script_.tensor_list.push_back(out);
    return static_cast<std::int64_t>(script_.tensor_list.size()) - 1;
  }

  std::int64_t object(const c10::intrusive_ptr<c10::ivalue::Object>& value) {
    const auto [at, fresh] = object_of_.try_emplace(value.get(), static_cast<std::int64_t>(script_.object_list.size()));
    const std::int64_t out = at->second;
    if (!fresh) return out;
    script_.object_list.emplace_back();
    const c10::ClassType& type = *value->type();
    std::vector<mlgc_script_attribute> found;
    for (std::size_t i = 0; i < type.numAttributes(); ++i)
      found.push_back({text(type.getAttributeName(i)), constant(value->getSlot(i))});
    const auto& kept = script_.attributes.emplace_back(std::move(found));
    script_.object_list[static_cast<std::size_t>(out)] = {kept.size(), kept.data()};
    return out;
  }

  mlgc_script_block block(const jit::Block& from) {
    const auto& inputs = all(from.inputs());
    std::vector<mlgc_script_node> found;
    for (const jit::Node* at : from.nodes()) found.push_back(node(*at));
    const auto& outputs = all(from.outputs());
    const auto& nodes = script_.nodes.emplace_back(std::move(found));
    return {inputs.size(), nodes.size(), outputs.size(), inputs.data(), nodes.data(), outputs.data()};
  }

  mlgc_script_node node(const jit::Node& from) {
    mlgc_script_node out{};
    std::string kind = from.kind().toQualString();
    if (const c10::FunctionSchema* schema = from.maybeSchema(); schema != nullptr && !schema->overload_name().empty())
      kind += "." + schema->overload_name();
    out.kind = text(std::move(kind));
    const bool named =
        from.kind() == c10::prim::GetAttr || from.kind() == c10::prim::SetAttr || from.kind() == c10::prim::CallMethod;
    out.name = named ? text(from.s(c10::attr::name)) : "";
    const auto& inputs = all(from.inputs());
    out.input_count = inputs.size();
    out.inputs = inputs.data();
    const auto& outputs = all(from.outputs());
    out.output_count = outputs.size();
    out.outputs = outputs.data();
    if (from.kind() == c10::prim::Constant) {
      const auto value = jit::toIValue(from.output());
      std::vector<mlgc_script_constant> one;
      one.push_back(
          value ? constant(*value)
                : mlgc_script_constant{MLGC_SCRIPT_OTHER, 0, 0, text(from.output()->type()->str()), 0, nullptr});
      out.constant = script_.constants.emplace_back(std::move(one)).data();
    }
    std::vector<mlgc_script_block> found;
    for (const jit::Block* inside : from.blocks()) found.push_back(block(*inside));
    const auto& blocks = script_.blocks.emplace_back(std::move(found));
    out.block_count = blocks.size();
    out.blocks = blocks.data();
    const Origin origin = origin_of(from);
    out.stack = text(origin.stack);
    out.module = text(origin.module);
    out.line = text(origin.line);
    return out;
  }

  static void add_frame(const jit::SourceRange& range, Origin& origin) {
    const auto generated = range.findSourceRangeThatGenerated();
    const jit::SourceRange& written = generated ? *generated : range;
    const auto place = written.file_line_col();
    if (!place) return;
    const auto& [file, line, column] = *place;
    origin.stack += "  File \"" + file + "\", line " + std::to_string(line) + ", in forward\n";
    const auto& source = written.source();
    std::string found = source->get_line(source->lineno_for_offset(written.start())).str();
    const std::size_t begin = found.find_first_not_of(" \t"), end = found.find_last_not_of(" \t\r\n");
    const bool inside = file.find("/torch/") != std::string::npos && file.find("-packages/") != std::string::npos;
    if (!inside) origin.line = begin == std::string::npos ? "" : found.substr(begin, end - begin + 1);
  }

  // The call stack has the place of each call; the node's own is in what was called last.
  static Origin origin_of(const jit::Node& node) {
    Origin origin;
    if (const auto stack = node.callstack()) {
      for (const auto& [function, range, instance] : (*stack)->vec()) {
        add_frame(range, origin);
        if (!instance) continue;
        const std::string& name = instance->instance_name();
        if (name == "SELF" || name.empty()) continue;
        if (!origin.module.empty()) origin.module += ".";
        origin.module += name;
      }
    }
    add_frame(node.sourceRange(), origin);
    return origin;
  }

  void describe_inputs() {
    const c10::FunctionSchema& schema = script_.module.get_method("forward").function().getSchema();
    const auto values = script_.graph->inputs();
    for (std::size_t i = 1; i < values.size() && i < schema.arguments().size(); ++i) {
      const c10::Argument& argument = schema.arguments()[i];
      mlgc_script_input out{text(argument.name()), text(argument.type()->repr_str()), nullptr, 0, 0, 0, nullptr};
      if (argument.default_value())
        out.fallback = script_.constants.emplace_back(std::vector{constant(*argument.default_value())}).data();
      const auto type = values[i]->type()->cast<c10::TensorType>();
      const auto sizes = type ? type->sizes().concrete_sizes() : std::nullopt;
      if (sizes && type->scalarType() && dtype_of(*type->scalarType(), out.dtype)) {
        out.traced = 1;
        const auto& kept = script_.sizes.emplace_back(*sizes);
        out.rank = kept.size();
        out.sizes = kept.data();
      }
      script_.input_list.push_back(out);
    }
  }

  Script& script_;
  std::unordered_map<const jit::Value*, std::uint32_t> number_of_;
  std::unordered_map<const c10::ivalue::Object*, std::int64_t> object_of_;
};

}  // namespace

const mlgc_script* load_script(const char* path) {
  auto script = std::make_unique<Script>();
  jit::ExtraFilesMap extra;
  script->module = jit::import_ir_module(std::make_shared<jit::CompilationUnit>(), path, c10::Device(c10::kCPU), extra,
                                         /*load_debug_files=*/true, /*restore_shapes=*/true);
  script->module.eval();
  const auto forward = script->module.find_method("forward");
  if (!forward) throw std::invalid_argument("the module has no method `forward`");
  script->graph = forward->graph()->copy();
  jit::Inline(*script->graph);
  Describer(*script).run();
  return script.release();
}

void free_script(const mlgc_script* script) { delete static_cast<const Script*>(script); }

}  // namespace mlgc_torch
