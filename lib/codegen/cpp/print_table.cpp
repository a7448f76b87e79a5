// See print_table.h.
#include "codegen/cpp/print_table.h"

#include "codegen/cpp/print_segments.h"
#include "codegen/cpp/table_writer.h"
#include "codegen/cpp/unit.h"
#include "ir/module.h"

namespace mlgc::codegen {
namespace {

class Table : private TableWriter {
 public:
  explicit Table(const Module& module) : TableWriter(module.context()), module_(module) {}

  std::string run(std::span<const ModelFunction> functions, const ModelData& data, const DataPlaces& places,
                  const TableText& text) {
    std::string rows;
    for (std::size_t f = 0; f < functions.size(); ++f) rows += function(functions[f], text.run[f]);
    out_ << "const mlgc_function mlgc_functions[] = {\n" << rows << "};\n";
    const std::string weights = data_rows(data.weights, places.weights, "weights");
    const std::string states = data_rows(data.states, places.states, "states");
    const std::vector<OpRef> externals = launched_externals(module_);
    const std::string segments = segment_rows(*this, externals, data);
    std::ostringstream all;
    all << "\n// --- What the runtime is told (runtime/unit.h)\n\nnamespace {\n\n"
        << out_.str() << "\n}  // namespace\n\n"
        << "extern \"C\" MLGC_API const mlgc_unit* " << text.symbol << "(void) {\n"
        << "  static const mlgc_unit unit = {MLGC_UNIT_ABI, " << c_string(text.module) << ", " << c_string(text.version)
        << ", " << functions.size() << ", " << data.weights.size() << ", " << data.states.size()
        << ",\n    mlgc_functions, " << weights << ", " << states << ", " << places.file_bytes << ", "
        << places.header_bytes << ", " << places.header_hash << "ULL,\n    " << text.prepare << ", " << text.features
        << ", " << text.device << ", " << externals.size() << ", " << segments << "};\n  return &unit;\n}\n";
    return all.str();
  }

 private:
  std::string truth(const Constraint& constraint) {
    std::string out;
    for (std::size_t i = 0; i < constraint.relations.size(); ++i) {
      out += words(constraint.terms[i]) + words(constraint.terms[i + 1]);
      switch (constraint.relations[i]) {
        case Relation::Equal: out += "MLGC_EQ, "; break;
        case Relation::NotEqual: out += "MLGC_NE, "; break;
        case Relation::Less: out += "MLGC_LT, "; break;
        case Relation::LessEqual: out += "MLGC_LE, "; break;
        case Relation::Greater: out += "MLGC_GT, "; break;
        case Relation::GreaterEqual: out += "MLGC_GE, "; break;
      }
      if (i > 0) out += "MLGC_AND, ";
    }
    return out;
  }

  // --- rows

  std::string values(const std::vector<ModelValue>& list) {
    std::vector<std::string> rows;
    for (const ModelValue& value : list) {
      const std::string dims = this->dims(value.type);
      const auto index_or_none = [](const std::optional<std::size_t>& i) { return i ? std::to_string(*i) : "-1"; };
      rows.push_back("{" + c_string(value.name) + ", " + dtype_name(types_.dtype(value.type)) + ", " +
                     std::to_string(types_.rank(value.type)) + ", " + dims + ", 0, " + index_or_none(value.state) +
                     ", " + index_or_none(value.input) + ", " + (value.in_place ? "1" : "0") + "}");
    }
    return array("mlgc_value", "values", rows);
  }

  std::string dims(Type type) {
    std::vector<std::string> rows;
    for (const IndexExpr dim : types_.dims(type))
      rows.push_back("{" + c_string(index_.print(dim)) + ", " + integer(dim) + "}");
    return array("mlgc_dim", "dims", rows);
  }

  std::string operands(const std::vector<ModelOperand>& list) {
    std::vector<std::string> rows;
    for (const ModelOperand& operand : list) {
      const std::string dims = this->dims(operand.type);
      rows.push_back("{" + c_string(operand.name) + ", " + dtype_name(types_.dtype(operand.type)) + ", " +
                     std::to_string(types_.rank(operand.type)) + ", " + dims + "}");
    }
    return array("mlgc_operand", "operands", rows);
  }

  std::string function(const ModelFunction& f, const std::string& run) {
    begin_symbols();
    for (const SolvedProduct& solved : f.products) ones_.insert(solved.ones.begin(), solved.ones.end());
    std::vector<std::string> symbols, bindings, constraints, buffers, kernels;
    for (std::size_t s = 0; s < f.symbols.size(); ++s) {
      symbols_[f.symbols[s].atom] = s;
      symbols.push_back("{" + c_string(f.symbols[s].name) + ", " + number(f.symbols[s].low) + ", " +
                        (f.symbols[s].high ? number(*f.symbols[s].high) : "MLGC_I64_MAX") + ", " +
                        std::to_string(f.symbols[s].stage) + "}");
    }
    for (const ModelBinding& b : f.bindings)
      bindings.push_back("{" + std::to_string(b.symbol) + ", " + std::to_string(b.input) + ", " +
                         (b.axis ? std::to_string(*b.axis) : "-1") + ", " + number(b.factor) + ", " + number(b.offset) +
                         "}");
    for (const Constraint& c : f.constraints)
      constraints.push_back("{" + c_string(print(c, index_)) + ", " + program(truth(c)) + "}");
    for (const ModelBuffer& b : f.buffers)
      buffers.push_back("{" + c_string(b.name) + ", " + integer(b.bytes) + ", " + std::to_string(b.first) + ", " +
                        std::to_string(b.last) + "}");
    for (const ModelLaunch& launch : f.launches) {
      const std::string bytes = integer_or_unknown(launch.bytes), flops = integer_or_unknown(launch.flops);
      kernels.push_back("{" + c_string(launch.name) + ", " + bytes + ", " + flops + ", " +
                        (launch.external ? std::to_string(*launch.external) : "-1") + ", " + c_string(launch.within) +
                        ", " + std::to_string(launch.operands.size()) + ", " + std::to_string(launch.written) + ", " +
                        operands(launch.operands) + "}");
    }
    // One after the other: arrays are numbered in the order in which they are made.
    std::string numbers;
    std::string names;
    const auto add = [&](std::size_t count, const std::string& name) {
      numbers += std::to_string(count) + ", ";
      names += name + ", ";
    };
    add(symbols.size(), array("mlgc_symbol", "symbols", symbols));
    add(bindings.size(), array("mlgc_binding", "bindings", bindings));
    add(constraints.size(), array("mlgc_constraint", "constraints", constraints));
    add(f.inputs.size(), values(f.inputs));
    add(f.outputs.size(), values(f.outputs));
    add(buffers.size(), array("mlgc_buffer", "buffers", buffers));
    add(kernels.size(), array("mlgc_kernel", "kernels", kernels));
    std::vector<std::string> late;
    for (std::size_t stage = 1; stage < f.scratch.size(); ++stage) late.push_back(integer(f.scratch[stage]));
    const std::string late_scratch = array("mlgc_integer", "scratch", late);
    return "    {" + c_string(f.host_function.symbol()) + ", " + numbers + names + integer(f.scratch[0]) + ", " + run +
           ", " + std::to_string(late.size()) + ", " + late_scratch + "},\n";
  }

  std::string data_rows(const std::vector<OpRef>& list, const std::vector<std::int64_t>& offsets,
                        const std::string& stem) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Type type = list[i].module().context().attributes().as_type(list[i].attr("type"));
      std::int64_t bytes = static_cast<std::int64_t>(dtype_info(types_.dtype(type)).bytes);
      std::vector<std::string> sizes;
      for (const IndexExpr dim : types_.dims(type)) {
        sizes.push_back(index_.print(dim));
        bytes *= *index_.as_constant(dim);
      }
      rows.push_back("{" + c_string(list[i].symbol()) + ", " + dtype_name(types_.dtype(type)) + ", " +
                     std::to_string(sizes.size()) + ", " + array("mlgc_i64", "sizes", sizes) + ", " +
                     std::to_string(offsets[i]) + ", " + std::to_string(bytes) + "}");
    }
    return array("mlgc_data", stem, rows);
  }

  const Module& module_;
};

}  // namespace

std::string print_table(const Module& module, std::span<const ModelFunction> functions, const ModelData& data,
                        const DataPlaces& places, const TableText& text) {
  return Table(module).run(functions, data, places, text);
}

}  // namespace mlgc::codegen
