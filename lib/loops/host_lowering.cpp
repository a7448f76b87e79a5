// See host_lowering.h: the function as a whole.
#include "loops/host_lowering.h"

#include <set>
#include <utility>

#include "loopir/loop_ops.h"
#include "ops/stated_gradient.h"

namespace mlgc::loops {

HostLowering::HostLowering(Module& module, FuncRef function, KernelFunctions& kernels, LaunchPlan plan)
    : context_(module.context()),
      index_(context_.index()),
      types_(context_.types()),
      function_(function),
      kernels_(kernels),
      builder_(module),
      functions_(module, function, kernels, std::move(plan)),
      buffers_(builder_, functions_) {}

// As evaluation names the function's results, as far as names are free: an argument that is given back has its own.
std::vector<std::string> HostLowering::names_of_returned() const {
  std::set<std::string, std::less<>> taken;
  for (const Value v : function_.arguments()) taken.emplace(v.name());
  std::vector<std::string> names;
  const std::size_t stated = context_.attributes().as_string_list(function_.op().attr("result_names")).size();
  for (const Value v : function_.return_op().operands()) {
    const std::size_t i = names.size();
    std::string name = i < stated ? result_name(function_, i) : v.is_result() ? std::string(v.name()) : std::string();
    const bool free = !name.empty() && taken.insert(name).second;
    names.push_back(free ? std::move(name) : std::string());
  }
  return names;
}

// Names the host function's arguments, notes whose buffers they are, and answers those of results and new states.
std::vector<Value> HostLowering::bind_arguments(RegionRef body, std::vector<std::string> names) {
  std::size_t next = 0;
  std::set<std::string, std::less<>> taken(names.begin(), names.end());
  for (const Value v : function_.arguments()) {
    taken.emplace(v.name());
    buffers_.set(v, body.argument(next));
    body.argument(next++).set_name(v.name());
  }
  std::vector<Value> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value out = body.argument(next++);
    outputs.push_back(out);
    if (names[i].empty()) {
      names[i] = "result" + std::to_string(i);
      while (!taken.insert(names[i]).second) names[i] += "_";
    }
    out.set_name(names[i]);
  }
  return outputs;
}

// The ops of the host function, but for its return.
void HostLowering::fill(RegionRef body, std::span<const Value> returned, std::span<const Value> outputs) {
  buffers_.enter_body(body);
  const LaunchPlan& plan = functions_.plan();
  for (const OpRef op : plan.sizes) {
    if (!plan.is_known_before_call(function_, op)) continue;
    builder_.set_location(op.location());
    bind_size(op, buffers_.of(op.operand(0)));
  }
  // The first return of what is computed here is the buffer that its kernel writes.
  std::vector<bool> written(returned.size());
  for (std::size_t i = 0; i < returned.size(); ++i) written[i] = buffers_.write_to(returned[i], outputs[i], body);
  lower_region(body);
  builder_.set_location(function_.op().location());
  for (std::size_t i = 0; i < returned.size(); ++i)
    if (!written[i]) buffers_.copy(returned[i], outputs[i]);
}

void HostLowering::run() {
  const OpRef old = function_.op();
  const std::vector<std::string> names = names_of_returned();
  // Kernels and weights stand before the host function, in the order of the program.
  functions_.make();
  const auto ends = function_.return_op().operands();
  const std::vector<Value> returned(ends.begin(), ends.end());
  std::vector<Type> types;
  for (const Value v : function_.arguments()) types.push_back(buffers_.type(v, Scope::Argument));
  for (const Value v : returned) types.push_back(buffers_.type(v, Scope::Argument));
  const OpRef func = builder_.func(std::string(function_.name()) + ".host", types);
  func.set_location(old.location());
  const std::vector<Value> outputs = bind_arguments(func.region(0), names);
  builder_.set_end(func.region(0));
  builder_.set_location(old.location());
  kernels_.stand_before(func);
  fill(function_.body(), returned, outputs);
  // The return names the new states.
  const std::vector<Value> states(outputs.begin() + static_cast<std::ptrdiff_t>(function_.result_count()),
                                  outputs.end());
  builder_.create(context_.opcode(LoopOp::Return), states, {}, {});
  AttributePool& pool = context_.attributes();
  const AttrDict attrs = pool.with(old.attrs(), context_.strings().intern("results"),
                                   pool.integer(static_cast<std::int64_t>(function_.result_count())));
  old.erase();
  func.set_attrs(attrs);
  // It is stated of values; there are none any more.
  remove_stated_gradient(FuncRef(func));
}

}  // namespace mlgc::loops
