// See print_table.h.
#include "codegen/cpp/print_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "codegen/cpp/unit.h"
#include "ir/module.h"

namespace mlgc::codegen {
namespace {

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string dtype_name(Dtype dtype) { return "MLGC_" + upper(dtype_info(dtype).name); }

std::string number(std::int64_t value) {
  // The least one has no literal.
  return value == INT64_MIN ? "(-MLGC_I64_MAX - 1)" : std::to_string(value);
}

class Table {
 public:
  Table(const IndexPool& index, const TypePool& types) : index_(index), types_(types) {}

  std::string run(std::span<const ModelFunction> functions, const ModelData& data, const DataPlaces& places,
                  const TableText& text) {
    std::string rows;
    for (std::size_t f = 0; f < functions.size(); ++f) rows += function(functions[f], text.run[f]);
    out_ << "const mlgc_function mlgc_functions[] = {\n" << rows << "};\n";
    const std::string weights = data_rows(data.weights, places.weights, "weights");
    const std::string states = data_rows(data.states, places.states, "states");
    std::ostringstream all;
    all << "\n// --- What the runtime is told (runtime/unit.h)\n\nnamespace {\n\n"
        << out_.str() << "\n}  // namespace\n\n"
        << "extern \"C\" MLGC_API const mlgc_unit* " << text.symbol << "(void) {\n"
        << "  static const mlgc_unit unit = {MLGC_UNIT_ABI, " << c_string(text.module) << ", " << c_string(text.version)
        << ", " << functions.size() << ", " << data.weights.size() << ", " << data.states.size()
        << ",\n    mlgc_functions, " << weights << ", " << states << ", " << places.file_bytes << ", "
        << places.header_bytes << ", " << places.header_hash << "ULL,\n    " << text.prepare << ", " << text.features
        << ", " << text.device << "};\n  return &unit;\n}\n";
    return all.str();
  }

 private:
  // A static array of rows, or null without any.
  std::string array(const std::string& type, const std::string& stem, const std::vector<std::string>& rows) {
    if (rows.empty()) return "nullptr";
    std::string text;
    for (const std::string& row : rows) text += "    " + row + ",\n";
    const auto [known, is_new] =
        arrays_.try_emplace(type + text, "mlgc_" + stem + "_" + std::to_string(arrays_.size()));
    if (is_new) out_ << "const " << type << " " << known->second << "[] = {\n" << text << "};\n";
    return known->second;
  }

  // --- integers over the symbols of `symbols_`, as postfix programs

  std::string atom(AtomId id) {
    const Atom& a = index_.atom(id);
    const auto both = [&](const char* op) { return words(a.a) + words(a.b) + op; };
    switch (a.kind) {
      case AtomKind::Symbol: return "MLGC_SYMBOL, " + std::to_string(symbols_.at(id)) + ", ";
      case AtomKind::FloorDiv: return both("MLGC_FLOORDIV, ");
      case AtomKind::Mod: return both("MLGC_MOD, ");
      case AtomKind::Min: return both("MLGC_MIN, ");
      case AtomKind::Max: return both("MLGC_MAX, ");
      default: throw InternalError("a size over what is no symbol");
    }
  }

  std::string words(IndexExpr e) {
    std::string out;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      const bool ones =
          std::all_of(term.factors.begin(), term.factors.end(), [&](AtomId f) { return ones_.contains(f); });
      std::string product;
      if (term.coefficient != 1 || ones) product = "MLGC_CONSTANT, " + number(term.coefficient) + ", ";
      for (const AtomId factor : term.factors) {
        if (ones_.contains(factor)) continue;
        const bool first = product.empty();
        product += atom(factor) + (first ? "" : "MLGC_MUL, ");
      }
      out += product + (i == 0 ? "" : "MLGC_ADD, ");
    }
    return out.empty() ? "MLGC_CONSTANT, 0, " : out;
  }

  std::string program(const std::string& words) { return array("mlgc_i64", "program", {words + "MLGC_END"}); }

  std::string integer(IndexExpr e) {
    const auto constant = index_.as_constant(e);
    return constant ? "{" + number(*constant) + ", nullptr}" : "{0, " + program(words(e)) + "}";
  }
  std::string integer_or_unknown(std::optional<IndexExpr> e) {
    return !e || *e == index_.overflow() ? "{-1, nullptr}" : integer(*e);
  }

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
      std::vector<std::string> dims;
      for (const IndexExpr dim : types_.dims(value.type))
        dims.push_back("{" + c_string(index_.print(dim)) + ", " + integer(dim) + "}");
      const auto index_or_none = [](const std::optional<std::size_t>& i) { return i ? std::to_string(*i) : "-1"; };
      rows.push_back("{" + c_string(value.name) + ", " + dtype_name(types_.dtype(value.type)) + ", " +
                     std::to_string(dims.size()) + ", " + array("mlgc_dim", "dims", dims) + ", 0, " +
                     index_or_none(value.state) + ", " + index_or_none(value.input) + ", " +
                     (value.in_place ? "1" : "0") + "}");
    }
    return array("mlgc_value", "values", rows);
  }

  std::string function(const ModelFunction& f, const std::string& run) {
    symbols_.clear();
    ones_.clear();
    for (const ToldProduct& told : f.products) ones_.insert(told.ones.begin(), told.ones.end());
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
      const std::string bytes = integer_or_unknown(launch.bytes);
      kernels.push_back("{" + c_string(launch.name) + ", " + bytes + ", " + integer_or_unknown(launch.flops) + "}");
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
    return "    {" + c_string(f.driver.symbol()) + ", " + numbers + names + integer(f.scratch[0]) + ", " + run + ", " +
           std::to_string(late.size()) + ", " + late_scratch + "},\n";
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

  const IndexPool& index_;
  const TypePool& types_;
  std::map<AtomId, std::size_t> symbols_;
  std::set<AtomId> ones_;                      // sizes that are 1
  std::map<std::string, std::string> arrays_;  // names by type and rows
  std::ostringstream out_;
};

}  // namespace

std::string print_table(const IndexPool& index, const TypePool& types, std::span<const ModelFunction> functions,
                        const ModelData& data, const DataPlaces& places, const TableText& text) {
  return Table(index, types).run(functions, data, places, text);
}

}  // namespace mlgc::codegen
