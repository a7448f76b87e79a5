// Statements, names, control flow and addresses of loop functions.
#include "codegen/loop_walk.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "ops/instantiate_op.h"
#include "ops/loop_ops.h"
#include "ops/scalar_ops.h"
#include "text/printer.h"

namespace mlgc::codegen {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
bool is_one_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_letter_or_digit(c) || c == '_'; });
}
std::string factor(const std::string& text) { return is_one_word(text) ? text : "(" + text + ")"; }

class Walk {
 public:
  Walk(OpRef func, const Leaves& leaves)
      : func_(func),
        leaves_(leaves),
        context_(func.module().context()),
        index_(context_.index()),
        types_(context_.types()),
        pool_(formulas(context_)) {}

  std::string run() {
    const std::vector<bool> written = written_arguments(func_);
    const RegionRef body = func_.region(0);
    const std::vector<AtomId> symbols = symbols_of(func_);
    for (const AtomId s : symbols) symbol_names_[s] = fresh(index_.symbol_name(s));
    std::string parameters;
    for (std::size_t i = 0; i < body.argument_count(); ++i) {
      const Value v = body.argument(i);
      if (i > 0) parameters += ", ";
      parameters += (written[i] ? "" : "const ") + std::string(leaves_.element_type(v.dtype())) + "* " + define(v);
    }
    for (const AtomId s : symbols)
      parameters += (parameters.empty() ? "" : ", ") + std::string(leaves_.index_type()) + " " + symbol_names_[s];
    region(body, true);
    std::string unused;
    for (const Value v : body.arguments())
      if (!v.has_uses()) unused += "  (void)" + name(v) + ";\n";
    for (const AtomId s : symbols)
      if (!mentions(symbol_names_[s])) unused += "  (void)" + symbol_names_[s] + ";\n";
    std::string head = "// @" + std::string(func_.symbol()) + " returns 0";
    for (std::size_t i = 0; i < failures_.size(); ++i) head += ", " + std::to_string(i + 1) + " when " + failures_[i];
    return head + ".\n" + std::string(leaves_.function_prefix()) + "int " + sanitized(func_.symbol()) + "(" +
           parameters + ") {\n" + unused + text_ + "  return 0;\n}\n";
  }

 private:
  // --- text
  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }
  void comment(OpRef op) {
    const std::string printed = print(op);
    for (std::size_t at = 0; at < printed.size();) {
      const std::size_t end = std::min(printed.find('\n', at), printed.size());
      line("// " + printed.substr(at, end - at));
      at = end + 1;
    }
  }
  // The name stands in the code that was printed, comments aside.
  [[nodiscard]] bool mentions(const std::string& name) const {
    std::size_t begin = 0;
    for (std::size_t end = 0; begin < text_.size(); begin = end + 1) {
      end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = std::string_view(text_).substr(begin, end - begin);
      const std::size_t first = line.find_first_not_of(' ');
      if (first == std::string_view::npos || line.substr(first, 2) == "//") continue;
      for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        const auto in_word = [&](std::size_t i) {
          return i < line.size() && (is_letter_or_digit(line[i]) || line[i] == '_');
        };
        if ((at == 0 || !in_word(at - 1)) && !in_word(at + name.size())) return true;
      }
    }
    return false;
  }
  std::string failure(std::string what) {
    auto found = std::find(failures_.begin(), failures_.end(), what);
    if (found == failures_.end()) found = failures_.insert(found, std::move(what));
    return std::to_string(found - failures_.begin() + 1);
  }

  // --- names
  std::string sanitized(std::string_view name) const {
    std::string out;
    for (const char c : name) out += is_letter_or_digit(c) ? c : '_';
    if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '_') out = "v" + out;
    if (leaves_.is_reserved(out)) out += "_";
    return out;
  }
  std::string fresh(std::string_view wanted) {
    const std::string stem = sanitized(wanted);
    std::string name = stem;
    for (int n = 2; !used_.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
    return name;
  }
  std::string define(Value v) {
    std::string name = v.name().empty() ? fresh("v" + std::to_string(next_value_++)) : fresh(v.name());
    names_[v.id()] = name;
    return name;
  }
  const std::string& name(Value v) const {
    const auto found = names_.find(v.id());
    MLGC_ASSERT(found != names_.end(), "a value without a name");
    return found->second;
  }
  std::string temporary(Dtype dtype, const std::string& value) {
    std::string name = fresh("t" + std::to_string(next_temporary_++));
    line("const " + std::string(leaves_.variable_type(dtype)) + " " + name + " = " + value + ";");
    return name;
  }
  void declare(Value v, const std::string& value) {
    const std::string type(leaves_.variable_type(v.dtype()));
    line("const " + type + " " + define(v) + " = " + value + ";");
  }

  // --- index expressions; the order of terms follows their text, never ids
  std::string index(OpRef op, IndexExpr e) {
    std::vector<std::pair<bool, std::string>> terms;
    std::int64_t constant = 0;
    for (std::size_t i = 0; i < index_.term_count(e); ++i) {
      const Term term = index_.term(e, i);
      if (term.factors.empty()) {
        constant = term.coefficient;
        continue;
      }
      const bool negative = term.coefficient < 0;
      const std::int64_t magnitude = negative ? -term.coefficient : term.coefficient;
      std::vector<std::string> factors;
      for (const AtomId id : term.factors) factors.push_back(atom(op, id));
      std::sort(factors.begin(), factors.end());
      std::string product = magnitude == 1 ? "" : std::to_string(magnitude);
      for (const std::string& f : factors) product += (product.empty() ? "" : " * ") + f;
      terms.emplace_back(negative, product);
    }
    if (terms.empty()) return std::to_string(constant);
    std::sort(terms.begin(), terms.end());
    std::string out;
    for (const auto& [negative, product] : terms)
      out += out.empty() ? (negative ? "-" : "") + product : (negative ? " - " : " + ") + product;
    if (constant != 0) out += (constant < 0 ? " - " : " + ") + std::to_string(constant < 0 ? -constant : constant);
    return out;
  }
  std::string atom(OpRef op, AtomId id) {
    const Atom atom = index_.atom(id);
    switch (atom.kind) {
      case AtomKind::Symbol: return symbol_names_.at(id);
      case AtomKind::Opaque: return name(op.operand(atom.number));
      case AtomKind::FloorDiv: return leaves_.floor_div(index(op, atom.a), index(op, atom.b));
      case AtomKind::Mod: return leaves_.floor_mod(index(op, atom.a), index(op, atom.b));
      default: break;
    }
    std::string a = index(op, atom.a), b = index(op, atom.b);
    if (b < a) std::swap(a, b);  // which side is which may follow ids
    return atom.kind == AtomKind::Min ? leaves_.minimum(a, b) : leaves_.maximum(a, b);
  }

  // Row-major address, after the tests that the op asks for.
  std::string place(OpRef op, Value buffer) {
    const std::span<const IndexExpr> subscripts = subscripts_of(op);
    const std::span<const IndexExpr> dims = types_.dims(buffer.type());
    const bool checked = context_.attributes().as_bool(op.attr("checked")).value_or(false);
    std::string offset;
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      const std::string at = index(op, subscripts[d]), size = index(op, dims[d]);
      if (checked)
        line("if (" + factor(at) + " < 0 || " + factor(at) + " >= " + factor(size) + ") return " +
             failure("a subscript of `" + std::string(buffer.name()) + "` lies outside") + ";");
      offset = offset.empty() || offset == "0" ? at : factor(offset) + " * " + factor(size) + " + " + at;
    }
    return name(buffer) + "[" + (offset.empty() ? "0" : offset) + "]";
  }
  std::string all_not_negative(OpRef op) {
    std::string out;
    for (const IndexExpr e : subscripts_of(op)) out += (out.empty() ? "" : " && ") + index(op, e) + " >= 0";
    return out.empty() ? "true" : out;
  }

  // --- scalar expressions
  std::string expression(ExprId e, const std::vector<std::string>& operands) {
    const ExprNode node = pool_.node(e);
    switch (node.kind) {
      case NodeKind::Literal:
        return is_float(node.type) ? leaves_.real_literal(node.type, pool_.literal_real(e))
                                   : leaves_.integer_literal(node.type, pool_.literal_integer(e));
      case NodeKind::Read: return operands[pool_.read_of(e).tensor.index()];
      case NodeKind::Stop: return expression(pool_.arguments(e)[0], operands);
      default: break;
    }
    MLGC_ASSERT(node.kind != NodeKind::Index && node.kind != NodeKind::Reduce, "a scalar formula with letters");
    const std::vector<ExprId> args = pool_.arguments(e);
    std::vector<std::string> values;
    for (const ExprId a : args) {
      const std::string value = expression(a, operands);
      const bool literal = pool_.node(a).kind == NodeKind::Literal;
      values.push_back(literal || is_one_word(value) ? value : temporary(pool_.type(a), value));
    }
    if (node.kind == NodeKind::Select) return values[0] + " ? " + values[1] + " : " + values[2];
    const Dtype from = pool_.type(args[0]);
    if (node.kind == NodeKind::Cast) return leaves_.convert(from, node.type, values[0]);
    const ScalarFn fn = pool_.fn(e);
    const bool divides = fn == ScalarFn::FloorDiv || fn == ScalarFn::Mod || fn == ScalarFn::Fmod;
    if (divides && !is_float(from) && pool_.node(args[1]).kind != NodeKind::Literal)
      line("if (" + values[1] + " == 0) return " + failure("an integer is divided by zero") + ";");
    return leaves_.call(fn, from, node.type, values[0], values.size() > 1 ? values[1] : "");
  }
  void scalar(OpRef op) {
    std::vector<Type> types;
    std::vector<std::string> operands;
    for (const Value v : op.operands()) {
      types.push_back(v.type());
      operands.push_back(name(v));
    }
    const auto value = scalar_value(context_, op.opcode(), types, op.attrs());
    MLGC_ASSERT(value.ok() && value.value().has_value(), "`" + std::string(op.name()) + "` has no scalar meaning");
    declare(op.result(), expression(*value.value(), operands));
  }

  // --- ops
  void region(RegionRef r, bool outermost) {
    ++depth_;
    for (const OpRef op : r.ops()) {
      if (outermost && (op.is("for") || op.is("alloc") || op.is("if"))) comment(op);
      one(op);
    }
    --depth_;
  }

  void one(OpRef op) {
    if (op.is("yield") || op.is("return")) return;
    if (op.is("for")) return loop(op);
    if (op.is("if")) return branch(op);
    if (op.is("load")) {
      const std::string at = place(op, op.operand(0));
      return declare(op.result(), leaves_.load(op.operand(0).dtype(), at));
    }
    if (op.is("store")) {
      const std::string at = place(op, op.operand(1));
      return line(leaves_.store(op.operand(1).dtype(), at, name(op.operand(0))) + ";");
    }
    if (op.is("guard")) return declare(op.result(), all_not_negative(op));
    if (op.is("apply")) return declare(op.result(), index(op, subscripts_of(op)[0]));
    if (op.is("check")) {
      const auto message = context_.attributes().as_string(op.attr("message"));
      return line("if (!(" + all_not_negative(op) + ")) return " +
                  failure("a check fails, " + std::string(message ? *message : "")) + ";");
    }
    if (op.is("literal")) {
      const AttributePool& attributes = context_.attributes();
      const Dtype dtype = op.result().dtype();
      const auto real = attributes.as_float(op.attr("value"));
      const auto integer = attributes.as_int64(op.attr("value"));
      const double value = real ? *real : static_cast<double>(integer.value_or(0));
      return declare(op.result(), is_float(dtype) ? leaves_.real_literal(dtype, value)
                                                  : leaves_.integer_literal(dtype, integer.value_or(0)));
    }
    if (op.is("alloc")) {
      std::string count;
      for (const IndexExpr dim : types_.dims(op.result().type()))
        count += (count.empty() ? "" : " * ") + factor(index(op, dim));
      const std::string variable = define(op.result());
      return line(leaves_.allocate(op.result().dtype(), variable, count.empty() ? "1" : count,
                                   failure("there is not enough memory")));
    }
    scalar(op);
  }

  static OpRef last(RegionRef r) { return r.empty() ? OpRef() : r.back(); }

  void loop(OpRef op) {
    const ForRef loop = ForRef::from(op);
    MLGC_ASSERT(loop.valid(), "a `for` without bounds");
    const std::string from = index(op, loop.first());
    std::string to = index(op, loop.last());
    for (std::size_t i = 0; i < loop.carried_count(); ++i) {
      const Value v = loop.carried(i);
      const std::string variable = define(v);
      line(std::string(leaves_.variable_type(v.dtype())) + " " + variable + " = " + name(loop.initial(i)) + ";");
      names_[op.result(i).id()] = variable;
    }
    const std::string variable = define(loop.index());
    if (!is_one_word(to)) {
      const std::string end = fresh(variable + "_end");
      line("const " + std::string(leaves_.index_type()) + " " + end + " = " + to + ";");
      to = end;
    }
    const auto kind = context_.attributes().as_string(op.attr("kind"));
    line(leaves_.loop_head(kind ? *kind : "serial", variable, from, to) + " {");
    region(loop.body(), false);
    ++depth_;
    std::vector<std::string> next, carried;
    for (std::size_t i = 0; i < loop.carried_count(); ++i) {
      carried.push_back(name(loop.carried(i)));
      next.push_back(name(last(loop.body()).operand(i)));
    }
    // All at once: what is overwritten and still needed is saved.
    for (std::size_t i = 0; i < next.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (next[i] == carried[j] && next[j] != carried[j]) next[i] = temporary(loop.carried(i).dtype(), next[i]);
    for (std::size_t i = 0; i < next.size(); ++i)
      if (next[i] != carried[i]) line(carried[i] + " = " + next[i] + ";");
    --depth_;
    line("}");
  }

  void branch(OpRef op) {
    for (const Value v : op.results()) {
      const std::string variable = define(v);
      line(std::string(leaves_.variable_type(v.dtype())) + " " + variable + ";");
    }
    const auto arm = [&](RegionRef r) {
      region(r, false);
      ++depth_;
      for (std::size_t i = 0; i < op.result_count(); ++i)
        line(name(op.result(i)) + " = " + name(last(r).operand(i)) + ";");
      --depth_;
    };
    line("if (" + name(op.operand(0)) + ") {");
    arm(op.region(0));
    if (op.region_count() > 1) {
      line("} else {");
      arm(op.region(1));
    }
    line("}");
  }

  OpRef func_;
  const Leaves& leaves_;
  Context& context_;
  IndexPool& index_;
  TypePool& types_;
  FormulaPool& pool_;
  std::string text_;
  std::size_t depth_ = 0, next_value_ = 0, next_temporary_ = 0;
  std::set<std::string> used_;
  std::unordered_map<ValueId, std::string> names_;
  std::unordered_map<AtomId, std::string> symbol_names_;
  std::vector<std::string> failures_;
};

}  // namespace

std::string print_loop_function(OpRef func, const Leaves& leaves) { return Walk(func, leaves).run(); }

}  // namespace mlgc::codegen
