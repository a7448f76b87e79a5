// See print_segments.h.
#include "codegen/cpp/print_segments.h"

#include <array>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "codegen/cpp/unit.h"
#include "diag/kinds_codegen.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "ops/instantiate_op.h"
#include "text/printer.h"

namespace mlgc::codegen {
namespace {

std::string real(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%a", value);
  if (value != value) return "__builtin_nan(\"\")";
  if (value - value != 0) return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  return text.data();
}

class SegmentPrinter {
 public:
  SegmentPrinter(TableWriter& table, OpRef function, const ModelData& data)
      : table_(table),
        data_(data),
        context_(function.module().context()),
        function_(function),
        external_(external_op(function)) {}

  std::string row() {
    table_.begin_symbols();
    std::vector<std::string> symbols;
    for (const AtomId symbol : symbols_of(function_)) {
      table_.set_symbol(symbol, symbols.size());
      symbols.push_back(c_string(context_.index().symbol_name(symbol)));
    }
    const RegionRef body = external_.region(0);
    number(body);
    const std::string described = region(body);
    const std::string values = this->values();
    const std::string integers = table_.array("mlgc_integer", "integers", integers_);
    const std::string names = table_.array("char* const", "texts", symbols);
    return "{{sizeof(mlgc_segment), " + c_string(*context_.attributes().as_string(external_.attr("target"))) + ", " +
           c_string(function_.symbol()) + ", " + c_string(print(function_)) + ", " + std::to_string(symbols.size()) +
           ", " + std::to_string(values_.size()) + ", " + std::to_string(integers_.size()) + ", " + names + ", " +
           values + ", " + described + "}, " + weights_ + ", " + sizes_ + ", " + scalars_ + ", " + integers + "}";
  }

 private:
  // Values in the order of the text: arguments of a region, then results of its ops.
  void number(RegionRef region) {
    for (const Value v : region.arguments()) add(v);
    for (const OpRef op : region.ops()) {
      for (const Value v : op.results()) add(v);
      for (const RegionRef inner : op.regions()) number(inner);
    }
  }
  void add(Value v) {
    numbers_.emplace(v.id(), values_.size());
    values_.push_back(v);
  }
  [[nodiscard]] std::string number_of(Value v) const { return std::to_string(numbers_.at(v.id())); }

  // --- values

  struct Role {
    std::string name = "MLGC_VALUE_TEMPORARY", number = "-1", data = "nullptr", weight = "-1", scalar = "{0, nullptr}";
  };

  Role role(Value v) {
    Role role;
    const RegionRef body = external_.region(0);
    if (!v.is_result()) {
      if (v.argument_of() == body) role = {.name = "MLGC_VALUE_INPUT", .number = std::to_string(v.number())};
      return role;
    }
    const OpRef op = v.definer();
    if (op.is(GraphOp::Read)) {
      const auto weight = data_.weight_of.find(*context_.attributes().as_symbol(op.attr("symbol")));
      if (weight == data_.weight_of.end())
        throw diagnose<kCannotEmit>(op.location(), "a segment that reads what calls change");
      return {.name = "MLGC_VALUE_CONSTANT", .weight = std::to_string(weight->second)};
    }
    if (op.is(GraphOp::Dim))
      return {.name = "MLGC_VALUE_SIZE", .scalar = table_.integer(*context_.attributes().as_int(op.attr("value")))};
    if (op.is(GraphOp::Constant)) return {.name = "MLGC_VALUE_SPLAT", .data = element(op)};
    const OpRef end = body.terminator();
    for (std::size_t i = 0; i < end.operand_count(); ++i)
      if (end.operand(i) == v) role = {.name = "MLGC_VALUE_OUTPUT", .number = std::to_string(i)};
    return role;
  }

  // One element of a constant whose elements are equal.
  std::string element(OpRef constant) {
    const std::size_t width = dtype_info(constant.result().dtype()).bytes;
    const std::span<const std::byte> bytes = context_.attributes().as_tensor(constant.attr("value")).bytes;
    std::vector<std::string> row;
    for (std::size_t i = 0; i < width; ++i)
      row.push_back(std::to_string(i < bytes.size() ? static_cast<int>(bytes[i]) : 0));
    return table_.array("unsigned char", "element", row);
  }

  std::string values() {
    std::vector<std::string> rows, weights, sizes, scalars;
    for (const Value v : values_) {
      const Role role = this->role(v);
      std::vector<std::string> dims;
      for (const IndexExpr dim : v.dims()) {
        const auto constant = context_.index().as_constant(dim);
        dims.push_back("{" + c_string(context_.index().print(dim)) + ", " + codegen::number(constant.value_or(-1)) +
                       "}");
        sizes.push_back(table_.integer(dim));
      }
      const std::string infos = table_.array("mlgc_dim_info", "infos", dims);
      rows.push_back("{" + c_string(v.name().empty() ? std::to_string(rows.size()) : std::string(v.name())) + ", " +
                     dtype_name(v.dtype()) + ", " + std::to_string(dims.size()) + ", " + infos + ", " + role.name +
                     ", " + role.number + ", " + role.data + "}");
      weights.push_back(role.weight);
      scalars.push_back(role.scalar);
    }
    weights_ = table_.array("mlgc_i32", "numbers", weights);
    sizes_ = table_.array("mlgc_integer", "sizes", sizes);
    scalars_ = table_.array("mlgc_integer", "scalars", scalars);
    return table_.array("mlgc_segment_value", "segment_values", rows);
  }

  // --- ops

  template <class Values>
  std::string numbers(const Values& values) {
    std::vector<std::string> row;
    for (const Value v : values) row.push_back(number_of(v));
    return table_.array("mlgc_i32", "numbers", row);
  }

  std::string region(RegionRef r) {
    std::vector<std::string> ops;
    for (const OpRef op : r.ops())
      if (!op.has_trait(Traits::Terminator) && !op.is(GraphOp::Read) && !op.is(GraphOp::Dim) &&
          !op.is(GraphOp::Constant))
        ops.push_back(this->op(op));
    const OpRef end = r.terminator();
    const std::string arguments = numbers(r.arguments()), yields = numbers(end.operands());
    return "{" + std::to_string(r.argument_count()) + ", " + std::to_string(ops.size()) + ", " +
           std::to_string(end.operand_count()) + ", " + arguments + ", " + table_.array("mlgc_segment_op", "ops", ops) +
           ", " + yields + "}";
  }

  std::string op(OpRef op) {
    std::vector<std::string> regions;
    for (const RegionRef r : op.regions()) regions.push_back(region(r));
    const std::vector<std::string> attributes = this->attributes(op);
    const std::string operands = numbers(op.operands()), results = numbers(op.results());
    const std::string attribute_rows = table_.array("mlgc_attribute", "attributes", attributes);
    std::string place;
    if (const auto position = context_.locations().primary_position(op.location()))
      place = std::string(position->file) + ":" + std::to_string(position->line);
    return "{" + c_string(op.name()) + ", " + c_string(place) + ", " + std::to_string(op.operand_count()) + ", " +
           std::to_string(op.result_count()) + ", " + std::to_string(attributes.size()) + ", " +
           std::to_string(regions.size()) + ", " + operands + ", " + results + ", " + attribute_rows + ", " +
           table_.array("mlgc_segment_region", "regions", regions) + "}";
  }

  // Those that the op states, and what its row says of the others.
  std::vector<std::string> attributes(OpRef op) {
    auto found = check_attributes(context_, op.def(), op.attrs());
    if (!found) throw std::move(found.error());
    std::vector<std::string> rows;
    for (const auto& [name, value] : found->values) rows.push_back(attribute(name, value));
    return rows;
  }

  std::string attribute(const std::string& name, const AttrValue& value) {
    if (const auto* const e = std::get_if<IndexExpr>(&value)) return integers(name, {e, 1}, false);
    if (const auto* const list = std::get_if<std::vector<IndexExpr>>(&value)) return integers(name, *list, true);
    if (const auto* const truth = std::get_if<bool>(&value)) return fixed(name, *truth ? "1" : "0");
    if (const auto* const dtype = std::get_if<Dtype>(&value)) return fixed(name, dtype_name(*dtype));
    if (const auto* const one = std::get_if<double>(&value)) return reals(name, {one, 1}, false);
    if (const auto* const list = std::get_if<std::vector<double>>(&value)) return reals(name, *list, true);
    const std::string text = table_.array("char* const", "texts", {c_string(std::get<std::string>(value))});
    return "{" + c_string(name) + ", MLGC_ATTRIBUTE_TEXTS, 0, 1, 0, nullptr, nullptr, " + text + "}";
  }

  // An integer that no symbol is in.
  std::string fixed(const std::string& name, const std::string& value) {
    const std::size_t first = integers_.size();
    integers_.push_back("{" + value + ", nullptr}");
    return "{" + c_string(name) + ", MLGC_ATTRIBUTE_INTEGERS, 0, 1, " + std::to_string(first) + ", " +
           table_.array("mlgc_i64", "integers", {value}) + ", nullptr, nullptr}";
  }

  std::string integers(const std::string& name, std::span<const IndexExpr> list, bool is_list) {
    const std::size_t first = integers_.size();
    std::vector<std::string> known, texts;
    bool symbolic = false;
    for (const IndexExpr e : list) {
      const auto constant = context_.index().as_constant(e);
      known.push_back(codegen::number(constant.value_or(0)));
      texts.push_back(constant ? "nullptr" : c_string(context_.index().print(e)));
      symbolic = symbolic || !constant;
      integers_.push_back(table_.integer(e));
    }
    const std::string text = symbolic ? table_.array("char* const", "texts", texts) : "nullptr";
    return "{" + c_string(name) + ", MLGC_ATTRIBUTE_INTEGERS, " + (is_list ? "1" : "0") + ", " +
           std::to_string(list.size()) + ", " + std::to_string(first) + ", " +
           table_.array("mlgc_i64", "integers", known) + ", nullptr, " + text + "}";
  }

  std::string reals(const std::string& name, std::span<const double> list, bool is_list) {
    std::vector<std::string> row;
    for (const double value : list) row.push_back(real(value));
    return "{" + c_string(name) + ", MLGC_ATTRIBUTE_REALS, " + (is_list ? "1" : "0") + ", " +
           std::to_string(list.size()) + ", 0, nullptr, " + table_.array("double", "reals", row) + ", nullptr}";
  }

  TableWriter& table_;
  const ModelData& data_;
  Context& context_;
  OpRef function_, external_;
  std::vector<Value> values_;
  std::unordered_map<ValueId, std::size_t> numbers_;
  std::vector<std::string> integers_;  // of attributes
  std::string weights_, sizes_, scalars_;
};

}  // namespace

std::string segment_rows(TableWriter& table, std::span<const OpRef> functions, const ModelData& data) {
  std::vector<std::string> rows;
  for (const OpRef function : functions) rows.push_back(SegmentPrinter(table, function, data).row());
  return table.array("mlgc_segment_row", "segments", rows);
}

}  // namespace mlgc::codegen
