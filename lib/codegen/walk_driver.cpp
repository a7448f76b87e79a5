// Drivers: host code whose buffers are places in what the runtime hands over, and whose launches are calls.
#include "codegen/walk.h"
#include "diag/kinds_codegen.h"

namespace mlgc::codegen {

PrintedFunction Walk::run_driver(const DriverTables& tables) {
  tables_ = &tables;
  const ModelFunction& function = tables.function;
  PrintedFunction out;
  out.name = name_;
  out.parameters = "const mlgc_call* call";
  out.arguments = "call";
  used_.insert({out.name, "call", "runtime", "failure"});
  for (const ModelLaunch& launched : function.launches) used_.insert(tables.kernels[launched.kernel].name);
  ++depth_;
  line("const mlgc_runtime* const runtime = call->runtime;");
  for (const std::string& statement : leaves_.begin_driver()) line(statement);
  for (std::size_t s = 0; s < function.symbols.size(); ++s) {
    const std::string name = symbol_names_[function.symbols[s].atom] = fresh(function.symbols[s].name);
    line(leaves_.unused() + "const " + std::string(leaves_.index_type()) + " " + name + " = call->symbols[" +
         std::to_string(s) + "];");
  }
  std::vector<bool> written(func_.region(0).argument_count());
  for (const ModelValue& output : function.outputs) written[output.argument] = true;
  const auto arguments = [&](const std::vector<ModelValue>& values, const char* array) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Value v = func_.region(0).argument(values[i].argument);
      pointer(v, v.dtype(), written[values[i].argument], "call->" + std::string(array) + "[" + std::to_string(i) + "]");
    }
  };
  arguments(function.inputs, "inputs");
  arguments(function.outputs, "outputs");
  --depth_;
  region(func_.region(0));
  const std::string status(leaves_.status_type());
  out.text = bodies_ + commented("@" + std::string(func_.symbol())) + text_comment() +
             std::string(leaves_.function_prefix()) + status + " " + out.name + "(" + out.parameters + ") {\n" + text_ +
             "  " + leaves_.end_driver() + "\n}\n";
  return out;
}

// A name for memory at a `place` of untyped pointers.
void Walk::pointer(Value v, Dtype dtype, bool written, const std::string& place) {
  const std::string name = fresh(v.name().empty() ? "v" + std::to_string(next_value_++) : std::string(v.name()));
  names_[v.id()] = {name, 1};
  const std::string type = (written ? "" : "const ") + std::string(leaves_.element_type(dtype)) + "*";
  line(leaves_.unused() + type + " const " + name + " = static_cast<" + type + ">(" + place + ");");
}

void Walk::planned_buffer(OpRef op) {
  if (strip_) refuse(op, "memory that each lane of a vector loop would need for its own");
  if (const Value memory = memory_of(op.result()); memory.is_argument())
    return pointer(op.result(), op.result().dtype(), true, "static_cast<void*>(" + spelled(memory).text + ")");
  const std::size_t number = tables_->function.buffer_of.at(op.id());
  pointer(op.result(), op.result().dtype(), true,
          "static_cast<void*>(call->arena + call->offsets[" + std::to_string(number) + "])");
}

void Walk::data(OpRef op) {
  if (tables_ == nullptr) refuse(op, "`data` inside of a kernel");
  const std::string_view symbol = *context_.attributes().as_symbol(op.attr("symbol"));
  const auto weight = tables_->data.weight_of.find(symbol);
  pointer(op.result(), op.result().dtype(), false,
          weight != tables_->data.weight_of.end()
              ? "call->weights[" + std::to_string(weight->second) + "]"
              : "call->states[" + std::to_string(tables_->data.state_of.at(symbol)) + "]");
}

void Walk::launch(OpRef op) {
  if (tables_ == nullptr) refuse(op, "`launch` inside of a kernel");
  const std::size_t number = tables_->function.launch_of.at(op.id());
  const ModelLaunch& launch = tables_->function.launches[number];
  std::string given(leaves_.context_arguments());
  for (std::size_t i = 0; i < op.operand_count(); ++i) given += ", " + spelled(op.operand(i)).text;
  for (const IndexExpr size : launch.sizes) given += ", " + index(op, size).text;
  if (launch.memory) given += ", call->arena + call->offsets[" + std::to_string(*launch.memory) + "]";
  const std::string status(leaves_.status_type());
  line("if (runtime->launch != nullptr) runtime->launch(runtime, " + std::to_string(number) + ");");
  line("if (const " + status + " failed = " + tables_->kernels[launch.kernel].name + "(" + given + ")) return failed;");
}

Result<PrintedFunction, Diagnostic> print_driver(const DriverTables& tables, const std::string& name,
                                                 const Leaves& leaves) {
  try {
    return Walk(tables.function.driver, name, leaves).run_driver(tables);
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

}  // namespace mlgc::codegen
