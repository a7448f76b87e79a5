// Drivers: host code whose buffers are places in what the runtime hands over, and whose launches are calls.
#include <algorithm>

#include "codegen/walk.h"
#include "diag/kinds_codegen.h"
#include "loopir/buffers.h"
#include "loopir/loop_ops.h"

namespace mlgc::codegen {

PrintedFunction Walk::run_driver(const DriverTables& tables) {
  tables_ = &tables;
  const ModelFunction& function = tables.function;
  PrintedFunction out;
  out.name = name_;
  out.parameters = "const mlgc_call* call";
  out.arguments = "call";
  used_.insert({out.name, "call", "runtime", "failure", "buffers", "sizes"});
  for (const ModelLaunch& launched : function.launches)
    if (!launched.external) used_.insert(tables.kernels[launched.kernel].name);
  for (const SourceText& statement : leaves_.begin_driver()) line(statement);
  for (std::size_t s = 0; s < function.symbols.size(); ++s)
    if (function.symbols[s].stage == 0) symbol(s);
  for (const ToldProduct& told : function.products)
    for (const AtomId one : told.ones)
      line(leaves_.unused() + "const " + std::string(leaves_.index_type()) + " " +
           (symbol_names_[one] = fresh(index_.symbol_name(one))) + " = 1;");
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    const Value v = func_.region(0).argument(function.inputs[i].argument);
    pointer(v, v.dtype(), false, "call->inputs[" + std::to_string(i) + "]");
  }
  outputs_of_stage(0);
  region(func_.region(0));
  line(leaves_.end_driver());
  const std::string status(leaves_.status_type());
  out.has_parallel_loops = loops_ > 0;
  out.text = bodies_ + commented("@" + std::string(func_.symbol())) + text_comment() +
             std::string(leaves_.function_prefix()) + status + " " + out.name + "(" + out.parameters + ") {\n" +
             source_.take().print(1) + "}\n";
  return out;
}

void Walk::symbol(std::size_t number) {
  const ModelSymbol& symbol = tables_->function.symbols[number];
  const SourceText name = symbol_names_[symbol.atom] = fresh(symbol.name);
  line(leaves_.unused() + "const " + std::string(leaves_.index_type()) + " " + name + " = call->symbols[" +
       std::to_string(number) + "];");
}

// Those whose sizes are known in that stage, and no earlier.
void Walk::outputs_of_stage(std::size_t stage) {
  const std::vector<ModelValue>& outputs = tables_->function.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::size_t known = 0;
    for (const IndexExpr dim : types_.dims(outputs[i].type))
      known = std::max(known, tables_->function.stage_of(index_, dim));
    const Value v = func_.region(0).argument(outputs[i].argument);
    if (known == stage) pointer(v, v.dtype(), true, "call->outputs[" + std::to_string(i) + "]");
  }
}

// The runtime makes memory for what the size decides, and what has it is spoken of from here on.
void Walk::bind_size(OpRef op) {
  if (BindSizeRef::from(op).is_known_before()) return;  // the runtime has done it
  const std::vector<ModelSymbol>& symbols = tables_->function.symbols;
  const auto bound = std::find_if(symbols.begin(), symbols.end(),
                                  [&](const ModelSymbol& s) { return s.atom == BindSizeRef::from(op).size(); });
  const auto number = static_cast<std::size_t>(bound - symbols.begin());
  const Dtype dtype = BindSizeRef::from(op).buffer().dtype();
  if (const SourceText wait = leaves_.before_deciding(); !wait.empty()) line(wait);
  const SourceText value = leaves_.load(dtype, spelled(BindSizeRef::from(op).buffer()).text + "[0]");
  const SourceText bind = leaves_.bind_size(number, leaves_.convert(dtype, Dtype::I64, 1, value));
  if (bind.empty()) refuse(op, "a size that the call computes");
  line(bind);
  symbol(number);
  outputs_of_stage(bound->stage);
}

SourceText Walk::memory_at(std::size_t buffer) const {
  const std::size_t stage = tables_->function.buffers[buffer].stage;
  const SourceText memory = stage == 0 ? "call->arena" : "call->late[" + std::to_string(stage - 1) + "]";
  return memory + " + call->offsets[" + std::to_string(buffer) + "]";
}

// A name for memory at a `place` of untyped pointers.
void Walk::pointer(Value v, Dtype dtype, bool written, const SourceText& place) {
  const SourceText name = fresh(v);
  names_[v.id()] = {name, 1};
  const std::string type = (written ? "" : "const ") + std::string(leaves_.element_type(dtype)) + "*";
  line(leaves_.unused() + type + " const " + name + " = " + leaves_.pointer_from_untyped(type, place) + ";");
}

void Walk::planned_buffer(OpRef op) {
  if (strip_) refuse(op, "memory that each lane of a vector loop would need for its own");
  if (const Value memory = memory_of(op.result()); memory.is_argument())
    return pointer(op.result(), op.result().dtype(), true, leaves_.untyped(spelled(memory).text));
  const auto known = tables_->function.buffer_of.find(op.id());
  if (known == tables_->function.buffer_of.end())
    refuse(op, "memory that each iteration of a driver's loop has for itself");
  const std::size_t number = known->second;
  pointer(op.result(), op.result().dtype(), true, leaves_.untyped(memory_at(number)));
}

void Walk::data(OpRef op) {
  if (tables_ == nullptr) refuse(op, "`data` inside of a kernel");
  const std::string_view symbol = DataRef::from(op).name();
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
  if (launch.external) return external(op, number);
  std::vector<SourceText> given;
  for (const TypedName& context : leaves_.context()) given.push_back(context.name);
  for (std::size_t i = 0; i < op.operand_count(); ++i) given.push_back(spelled(op.operand(i)).text);
  for (const IndexExpr size : launch.sizes) given.push_back(index(op, size).text);
  if (launch.memory) given.push_back(memory_at(*launch.memory));
  if (const SourceText note = leaves_.note_launch(number); !note.empty()) line(note);
  line(leaves_.call_or_return(tables_->kernels[launch.kernel].name, comma_separated(given)));
}

// The runtime calls the target.
void Walk::external(OpRef op, std::size_t number) {
  const ModelLaunch& launch = tables_->function.launches[number];
  std::vector<SourceText> buffers, sizes;
  for (const Value v : op.operands()) buffers.push_back(spelled(v).text);
  for (const IndexExpr size : launch.sizes) sizes.push_back(index(op, size).text);
  if (sizes.empty()) sizes.emplace_back("0");
  if (const SourceText note = leaves_.note_launch(number); !note.empty()) line(note);
  source_.open("{");
  line("const void* const buffers[] = {" + comma_separated(buffers) + "};");
  line("const mlgc_i64 sizes[] = {" + comma_separated(sizes) + "};");
  line(leaves_.call_or_return("runtime->external",
                              SourceText::runtime() + ", " + std::to_string(*launch.external) + ", buffers, sizes"));
  source_.close();
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
