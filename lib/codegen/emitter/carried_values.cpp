#include "codegen/emitter/carried_values.h"

#include "loopir/nests.h"
#include "ops/combine.h"

namespace mlgc::codegen {
// All at once: what is overwritten and still needed is saved.
void CarriedValues::carry_on(ForRef loop, const std::vector<SourceText>& carried, const SourceText& mask) {
  std::vector<ValueText> next;
  std::vector<Dtype> dtypes;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    dtypes.push_back(loop.carried(i).dtype());
    const int lanes = text_of(loop.carried(i)).lanes;
    SourceText value = widened(text_of(loop.body().terminator().operand(i)), dtypes[i], lanes);
    if (!mask.empty() && lanes > 1) value = hooks_.choose(lanes, mask, value, carried[i]);
    next.push_back({value, lanes});
  }
  assign(carried, dtypes, std::move(next));
}

// All at once: what would be overwritten first is saved.
void CarriedValues::assign(const std::vector<SourceText>& to, const std::vector<Dtype>& dtypes,
                           std::vector<ValueText> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (values[i].text != to[i] && values[i].text.mentions(to[j]) && values[j].text != to[j]) {
        values[i] = temporary(dtypes[i], values[i]);
        break;
      }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].text != to[i]) line(to[i] + " = " + values[i].text + ";");
}

std::vector<SourceText> CarriedValues::start_carried(ForRef loop) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const Value v = loop.carried(i);
    const Dtype dtype = v.dtype();
    const int lanes = lanes_.lanes_of(v);
    const SourceText initial = widened(text_of(loop.initial(i)), dtype, lanes);
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, lanes};
    writer_.names[loop.op().result(i).id()] = {name, lanes};
    line(hooks_.variable_type(dtype, lanes) + " " + name + " = " + initial + ";");
    out.push_back(name);
  }
  return out;
}

ValueText CarriedValues::neutral(ForRef loop, std::size_t i) {
  const auto step = carried_step(loop, i);
  if (!step) refuse(loop.op(), "a vector loop that does not reduce what it carries");
  const Dtype dtype = loop.carried(i).dtype();
  const NeutralElement neutral = neutral_element(step->fn, dtype);
  return {is_float(dtype) ? hooks_.real_literal(dtype, neutral.real) : hooks_.integer_literal(dtype, neutral.integer),
          1};
}

std::vector<SourceText> CarriedValues::start_lanes(ForRef loop, int lanes) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const Value v = loop.carried(i);
    const ValueText start = neutral(loop, i);
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, lanes};
    line(hooks_.variable_type(v.dtype(), lanes) + " " + name + " = " + widened(start, v.dtype(), lanes) + ";");
    out.push_back(name);
  }
  return out;
}

std::vector<SourceText> CarriedValues::start_neighbours(ForRef loop) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < loop.carried_count(); ++i) {
    const Value v = loop.carried(i);
    const SourceText start = neutral(loop, i).text, name = fresh(v);
    SourceText all;
    for (std::int64_t e = 0; e < loop.per_lane(); ++e) all += (e == 0 ? "" : ", ") + start;
    line(hooks_.variable_type(v.dtype(), 1) + " " + name + "[" + std::to_string(loop.per_lane()) + "] = {" + all +
         "};");
    out.push_back(name);
  }
  return out;
}

std::vector<SourceText> CarriedValues::accumulators_of(ForRef loop, const std::vector<SourceText>& arrays,
                                                       const SourceText& neighbour) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Value v = loop.carried(i);
    const SourceText name = fresh(v);
    writer_.names[v.id()] = {name, 1};
    line(hooks_.variable_type(v.dtype(), 1) + "& " + name + " = " + arrays[i] + "[" + neighbour + "];");
    out.push_back(name);
  }
  return out;
}

std::vector<SourceText> CarriedValues::combine_neighbours(ForRef loop, const std::vector<SourceText>& arrays,
                                                          ScalarEmitter& scalars) {
  std::vector<SourceText> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto element = [&](std::int64_t e) { return arrays[i] + "[" + std::to_string(e) + "]"; };
    for (std::int64_t half = loop.per_lane() / 2; half > 0; half /= 2)
      for (std::int64_t e = 0; e < half; ++e) {
        const ValueText low{element(e), 1}, high{element(e + half), 1};
        line(element(e) + " = " + scalars.expression(combination(loop, i), {low, high}).text + ";");
      }
    out.push_back(element(0));
  }
  return out;
}

// What brings two of them together, over two operands.
ExprId CarriedValues::combination(ForRef loop, std::size_t i) {
  const auto step = carried_step(loop, i);
  MLGC_ASSERT(step.ok(), "a vector loop that does not reduce what it carries");
  return step->combination;
}

}  // namespace mlgc::codegen
