#include "codegen/emitter/host_function_emitter.h"

#include <algorithm>

#include "loopir/buffers.h"

namespace mlgc::codegen {
void HostFunctionEmitter::begin() {
  const HostFunctionTables& tables = *writer_.tables;
  const ModelFunction& function = tables.function;
  for (const char* const name : {"call", "runtime", "failure", "buffers", "sizes"}) writer_.reserve(name);
  for (const ModelLaunch& launched : function.launches)
    if (!launched.external) writer_.reserve(tables.kernels[launched.kernel].name);
  for (const SourceText& statement : hooks_.begin_host_function()) line(statement);
  for (std::size_t s = 0; s < function.symbols.size(); ++s)
    if (function.symbols[s].stage == 0) symbol(s);
  for (const SolvedProduct& solved : function.products)
    for (const AtomId one : solved.ones)
      line(hooks_.unused() + "const " + std::string(hooks_.index_type()) + " " +
           (writer_.symbol_names[one] = fresh(index_.symbol_name(one))) + " = 1;");
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    const Value v = writer_.func.region(0).argument(function.inputs[i].argument);
    pointer(v, v.dtype(), false, "call->inputs[" + std::to_string(i) + "]");
  }
  outputs_of_stage(0);
}

void HostFunctionEmitter::symbol(std::size_t number) {
  const ModelSymbol& symbol = writer_.tables->function.symbols[number];
  const SourceText name = writer_.symbol_names[symbol.atom] = fresh(symbol.name);
  line(hooks_.unused() + "const " + std::string(hooks_.index_type()) + " " + name + " = call->symbols[" +
       std::to_string(number) + "];");
}

// Those whose sizes are known in that stage, and no earlier.
void HostFunctionEmitter::outputs_of_stage(std::size_t stage) {
  const std::vector<ModelValue>& outputs = writer_.tables->function.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::size_t known = 0;
    for (const IndexExpr dim : types_.dims(outputs[i].type))
      known = std::max(known, writer_.tables->function.stage_of(index_, dim));
    const Value v = writer_.func.region(0).argument(outputs[i].argument);
    if (known == stage) pointer(v, v.dtype(), true, "call->outputs[" + std::to_string(i) + "]");
  }
}

// The runtime makes memory for what the size decides, and what has it is spoken of from here on.
void HostFunctionEmitter::bind_size(OpRef op) {
  if (BindSizeRef::from(op).is_known_before()) return;  // the runtime has done it
  const std::vector<ModelSymbol>& symbols = writer_.tables->function.symbols;
  const auto bound = std::find_if(symbols.begin(), symbols.end(),
                                  [&](const ModelSymbol& s) { return s.atom == BindSizeRef::from(op).size(); });
  const auto number = static_cast<std::size_t>(bound - symbols.begin());
  const Dtype dtype = BindSizeRef::from(op).buffer().dtype();
  if (const SourceText wait = hooks_.before_deciding(); !wait.empty()) line(wait);
  const SourceText value = hooks_.load(dtype, text_of(BindSizeRef::from(op).buffer()).text + "[0]");
  const SourceText bind = hooks_.bind_size(number, hooks_.convert(dtype, Dtype::I64, 1, value));
  if (bind.empty()) refuse(op, "a size that the call computes");
  line(bind);
  symbol(number);
  outputs_of_stage(bound->stage);
}

SourceText HostFunctionEmitter::memory_at(std::size_t buffer) const {
  const std::size_t stage = writer_.tables->function.buffers[buffer].stage;
  const SourceText memory = stage == 0 ? "call->arena" : "call->late[" + std::to_string(stage - 1) + "]";
  return memory + " + call->offsets[" + std::to_string(buffer) + "]";
}

// A name for memory at a `place` of untyped pointers.
void HostFunctionEmitter::pointer(Value v, Dtype dtype, bool written, const SourceText& place) {
  const SourceText name = fresh(v);
  writer_.names[v.id()] = {name, 1};
  const std::string type = (written ? "" : "const ") + std::string(hooks_.element_type(dtype)) + "*";
  line(hooks_.unused() + type + " const " + name + " = " + hooks_.pointer_from_untyped(type, place) + ";");
}

void HostFunctionEmitter::buffer(OpRef op) {
  if (lanes_.strip) refuse(op, "memory that each lane of a vector loop would need for its own");
  if (const Value memory = memory_of(op.result()); memory.is_argument())
    return pointer(op.result(), op.result().dtype(), true, hooks_.untyped(text_of(memory).text));
  const auto known = writer_.tables->function.buffer_of.find(op.id());
  if (known == writer_.tables->function.buffer_of.end())
    refuse(op, "memory that each iteration of a host function's loop has for itself");
  const std::size_t number = known->second;
  pointer(op.result(), op.result().dtype(), true, hooks_.untyped(memory_at(number)));
}

void HostFunctionEmitter::data(OpRef op) {
  if (writer_.tables == nullptr) refuse(op, "`data` inside of a kernel");
  const std::string_view symbol = DataRef::from(op).name();
  const auto weight = writer_.tables->data.weight_of.find(symbol);
  pointer(op.result(), op.result().dtype(), false,
          weight != writer_.tables->data.weight_of.end()
              ? "call->weights[" + std::to_string(weight->second) + "]"
              : "call->states[" + std::to_string(writer_.tables->data.state_of.at(symbol)) + "]");
}

void HostFunctionEmitter::launch(OpRef op) {
  if (writer_.tables == nullptr) refuse(op, "`launch` inside of a kernel");
  const std::size_t number = writer_.tables->function.launch_of.at(op.id());
  const ModelLaunch& launch = writer_.tables->function.launches[number];
  if (launch.external) return external(op, number);
  std::vector<SourceText> given;
  for (const TypedName& context : hooks_.context()) given.push_back(context.name);
  for (std::size_t i = 0; i < op.operand_count(); ++i) given.push_back(text_of(op.operand(i)).text);
  for (const IndexExpr size : launch.sizes) given.push_back(indices_.index(op, size).text);
  if (launch.memory) given.push_back(memory_at(*launch.memory));
  if (const SourceText note = hooks_.note_launch(number); !note.empty()) line(note);
  line(hooks_.call_or_return(writer_.tables->kernels[launch.kernel].name, comma_separated(given)));
}

// The runtime calls the target.
void HostFunctionEmitter::external(OpRef op, std::size_t number) {
  const ModelLaunch& launch = writer_.tables->function.launches[number];
  std::vector<SourceText> buffers, sizes;
  for (const Value v : op.operands()) buffers.push_back(text_of(v).text);
  for (const IndexExpr size : launch.sizes) sizes.push_back(indices_.index(op, size).text);
  if (sizes.empty()) sizes.emplace_back("0");
  if (const SourceText note = hooks_.note_launch(number); !note.empty()) line(note);
  open("{");
  line("const void* const buffers[] = {" + comma_separated(buffers) + "};");
  line("const mlgc_i64 sizes[] = {" + comma_separated(sizes) + "};");
  line(hooks_.call_or_return("runtime->external",
                             SourceText::runtime() + ", " + std::to_string(*launch.external) + ", buffers, sizes"));
  close();
}

}  // namespace mlgc::codegen
