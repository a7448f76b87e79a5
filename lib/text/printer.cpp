// Printing of modules: the pretty form, and the generic one.
#include "text/printer.h"

#include <algorithm>
#include <vector>

#include "ir/constraint.h"
#include "ir/function.h"
#include "text/lexer.h"
#include "text/names.h"
#include "text/print_data.h"
#include "text/row_syntax.h"

namespace mlgc::text {

namespace {

class Printer {
 public:
  Printer(const Module& module, std::string& out, const PrintOptions& options)
      : module_(module),
        context_(module.context()),
        out_(out),
        options_(options),
        pretty_(options.form == TextForm::Pretty),
        names_(module),
        data_(context_, options.form) {}

  void whole() {
    names_.enter();
    if (pretty_) {
      module_op();
    } else {
      generic(module_.top());
    }
    out_ += '\n';
    names_.leave();
  }

  [[nodiscard]] bool names_missing() const { return names_.missed(); }
  void name_ahead() { names_.name_ahead(); }
  void record_names(std::vector<std::pair<std::string, Value>>& names) { record_ = &names; }

  void one(OpRef op) {
    names_.enter();
    this->op(op);
    names_.leave();
  }

 private:
  void newline() {
    out_ += '\n';
    out_.append(indent_ * 2, ' ');
  }

  void location(OpRef op) {
    if (!options_.locations) return;
    out_ += ' ';
    context_.locations().print(out_, op.location());
  }

  template <class Range>
  void values(const Range& range, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) out_ += ", ";
      names_.append(out_, range[i]);
    }
  }

  template <class Range>
  std::vector<Type> types_of(const Range& range) {
    std::vector<Type> types;
    types.reserve(range.size());
    for (std::size_t i = 0; i < range.size(); ++i) types.push_back(range[i].type());
    return types;
  }

  // T, or (T, T)
  void result_types(std::span<const Type> types) {
    if (types.size() == 1 && context_.types().kind(types[0]) != TypeKind::Function) return data_.type(out_, types[0]);
    out_ += '(';
    data_.type_list(out_, types);
    out_ += ')';
  }

  void typed_arguments(RegionRef region, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (i > first) out_ += ", ";
      const Value argument = region.argument(i);
      names_.append(out_, argument);
      out_ += ": ";
      data_.type(out_, argument.type());
    }
  }

  void define(Value value) {
    names_.define(value);
    if (record_ != nullptr) record_->emplace_back(names_.text(value).substr(1), value);
  }

  void define_arguments(RegionRef region) {
    for (const Value argument : region.arguments()) define(argument);
  }

  void define_results(OpRef op) {
    for (const Value result : op.results()) define(result);
  }

  // ` {` ops `}`; the arguments have names already.
  void block(RegionRef region) {
    out_ += '{';
    lines(region);
    newline();
    out_ += '}';
  }
  // Its ops, a level further in.
  void lines(RegionRef region) {
    ++indent_;
    for (const OpRef inner : region.ops()) {
      newline();
      op(inner);
    }
    --indent_;
  }

  static constexpr AttributeKind wanted_kind(const OpDef& def, std::string_view name) {
    for (const AttrDef& attr : def.attrs)
      if (attr.name == name) return attr.kind;
    return AttributeKind::None;
  }

  // {key = value, …} of the entries not in `skip`; nothing when there are none. `lead` stands before it.
  void dict(OpRef op, std::span<const StringId> skip, std::string_view lead) {
    bool first = true;
    for (const NamedAttribute& entry : context_.attributes().entries(op.attrs())) {
      if (std::find(skip.begin(), skip.end(), entry.name) != skip.end()) continue;
      const std::string_view key = context_.strings().text(entry.name);
      if (first) out_ += lead;
      out_ += first ? "{" : ", ";
      first = false;
      data_.key(out_, key);
      out_ += " = ";
      data_.attribute(out_, entry.value, wanted_kind(op.def(), key));
    }
    if (!first) out_ += '}';
  }

  bool has_where(OpRef op) const {
    const Attribute where = op.attr(context_.names().where);
    return where.valid() && constraints_from(where, context_).has_value() &&
           !constraints_from(where, context_)->empty();
  }

  void where(OpRef op) {
    out_ += " where ";
    out_ += mlgc::print(constraints_of(op), context_.index());
  }

  void module_op() {
    const OpRef top = module_.top();
    const Context::Names& names = context_.names();
    std::vector<StringId> skip;
    out_ += "module";
    if (!top.symbol().empty()) {
      out_ += ' ';
      data_.symbol(out_, top.symbol());
      skip.push_back(names.sym_name);
    }
    if (const auto file = context_.attributes().as_string(top.attr(names.weights))) {
      out_ += " weights ";
      append_quoted(out_, *file);
      skip.push_back(names.weights);
    }
    dict(top, skip, " attributes ");
    out_ += ' ';
    block(module_.body());
    location(top);
  }

  void op(OpRef op) {
    if (pretty_) {
      if (op.is(GraphOp::Func) && func_is_plain(op)) return func(op);
      if ((op.is(GraphOp::Weight) || op.is(GraphOp::State)) && weight_is_plain(op)) return weight(op);
      if (!op.is(GraphOp::Func) && !op.is(GraphOp::Weight) && !op.is(GraphOp::State) && is_plain(op)) return plain(op);
    }
    generic(op);
  }

  // --- functions and weights

  bool func_is_plain(OpRef op) const {
    if (op.symbol().empty() || op.region_count() != 1 || op.operand_count() + op.result_count() != 0) return false;
    const FuncRef func(op);
    const OpRef end = func.return_op();
    const std::size_t updates = func.updates().size();
    if (const Attribute attr = op.attr(context_.names().updates); attr.valid() && updates == 0) return false;
    return updates == 0 || (end.valid() && end.operand_count() >= updates);
  }

  void func(OpRef op) {
    const FuncRef func(op);
    const Context::Names& names = context_.names();
    names_.enter();
    names_.start_item(op);
    define_arguments(func.body());
    out_ += "func ";
    data_.symbol(out_, op.symbol());
    out_ += '(';
    typed_arguments(func.body(), 0, func.body().argument_count());
    out_ += ')';
    const std::vector<Value> results = func.results();
    if (!results.empty()) {
      out_ += " -> ";
      result_types(types_of(results));
    }
    std::vector<StringId> skip{names.sym_name, names.updates};
    if (has_where(op)) {
      where(op);
      skip.push_back(names.where);
    }
    // The names of the new states are known only after the body.
    const std::size_t header_end = out_.size();
    if (const auto gradient = context_.attributes().as_symbol(op.attr(names.gradient))) {
      out_ += " gradient ";
      data_.symbol(out_, *gradient);
      skip.push_back(names.gradient);
    }
    dict(op, skip, " attributes ");
    out_ += ' ';
    block(func.body());
    const std::vector<UpdateTarget> updates = func.updates();
    if (!updates.empty()) {
      const OpRef end = func.return_op();
      std::string text = " updates (";
      for (std::size_t i = 0; i < updates.size(); ++i) {
        if (i > 0) text += ", ";
        if (updates[i].argument) {
          names_.append(text, func.body().argument(*updates[i].argument));
        } else {
          data_.symbol(text, context_.strings().text(updates[i].symbol));
        }
        text += " = ";
        names_.append(text, end.operand(end.operand_count() - updates.size() + i));
      }
      out_.insert(header_end, text + ")");
    }
    location(op);
    names_.leave();
  }

  bool weight_is_plain(OpRef op) const {
    return !op.symbol().empty() && op.region_count() <= 1 && op.operand_count() + op.result_count() == 0 &&
           context_.attributes().as_type(op.attr(context_.names().type)).valid() &&
           (op.region_count() == 0 || op.region().argument_count() == 0);
  }

  void weight(OpRef op) {
    const Context::Names& names = context_.names();
    out_ += op.name();
    out_ += ' ';
    data_.symbol(out_, op.symbol());
    out_ += " : ";
    data_.type(out_, context_.attributes().as_type(op.attr(names.type)));
    const StringId skip[] = {names.sym_name, names.type};
    dict(op, skip, " attributes ");
    if (op.region_count() == 1) {
      names_.enter();
      names_.start_item(op);
      out_ += " = ";
      block(op.region());
      names_.leave();
    }
    location(op);
  }

  // --- other ops

  // The pretty form says all of the op.
  bool is_plain(OpRef op) const {
    const OpDef& def = op.def();
    if (is_reserved_op_name(def.name, op.result_count() > 0) || !is_bare_name(def.name)) return false;
    if (def.regions.empty()) return op.region_count() == 0;
    if (op.region_count() > def.regions.size()) return false;
    for (std::size_t i = op.region_count(); i < def.regions.size(); ++i)
      if (!def.regions[i].optional) return false;
    return op.region_count() > 0 || op.operand_count() == 0 || def.regions[0].optional;
  }

  // `[…]`, when it can say which operands the subscripts name: those are numbered by their first appearance in the
  // text, or listed among the operands. `listed` is the number of operands to list before the bracket, `end` of
  // operands that are no initial values of region arguments. False when the dictionary must say it.
  bool subscript_text(OpRef op, Attribute attribute, std::string& text, std::size_t& listed, std::size_t& end) {
    const IndexPool& pool = context_.index();
    const std::size_t lead = std::min(leading_operands(op.def()), op.operand_count());
    const std::span<const IndexExpr> subscripts = context_.attributes().as_int_list(attribute);
    end = op.operand_count();
    bool in_range = true;
    std::size_t mentioned = lead;
    for (const IndexExpr e : subscripts)
      pool.for_each_atom(e, [&](AtomId atom) {
        if (pool.atom(atom).kind != AtomKind::Opaque) return;
        const std::size_t number = pool.atom(atom).number;
        in_range = in_range && number >= lead && number < end;
        mentioned = std::max(mentioned, number + 1);
      });
    if (!in_range) return false;
    if (op.region_count() > 0) end = mentioned;
    if (end - lead > kMaxSubscriptValues) return false;
    for (std::size_t i = lead; i < end; ++i)
      for (std::size_t j = lead; j < i; ++j)
        if (op.operand(i) == op.operand(j)) return false;
    text = "[";
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      if (i > 0) text += ", ";
      text += pool.print(subscripts[i], [&](AtomId atom) { return names_.text(op.operand(pool.atom(atom).number)); });
    }
    text += ']';
    std::size_t next = lead;
    listed = end;
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      std::size_t stop = at + 1;
      while (stop < text.size() && is_name_character(text[stop])) ++stop;
      const std::string_view name(text.data() + at, stop - at);
      std::size_t number = lead;
      while (number < next && names_.text(op.operand(number)) != name) ++number;
      if (number < next) continue;
      if (next >= end || names_.text(op.operand(next)) != name) return true;
      ++next;
    }
    if (next == end) listed = lead;
    return true;
  }

  // Which arguments of the first region the trailing operands initialise: `count` of them from `first` on.
  struct Binding {
    std::size_t first = 0, count = 0;
  };
  static Binding binding(OpRef op, std::size_t lead) {
    if (op.region_count() == 0 || op.operand_count() <= lead) return {};
    const RegionRef region = op.region(0);
    const std::size_t count = op.operand_count() - lead;
    const std::size_t arguments = region.argument_count();
    if (count > arguments) return {};
    for (const std::size_t first : {arguments - count, std::size_t{0}}) {
      bool fits = true;
      for (std::size_t i = 0; i < count; ++i)
        fits = fits && region.argument(first + i).type() == op.operand(lead + i).type();
      if (fits) return {first, count};
    }
    return {};
  }

  bool same_arguments(RegionRef a, std::span<const std::string> names) {
    if (a.argument_count() != names.size()) return false;
    const RegionRef first = a.parent_op().region(0);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names_.text(a.argument(i)) != names[i] || a.argument(i).type() != first.argument(i).type()) return false;
    return true;
  }

  void regions(OpRef op, Binding bound, std::span<const StringId> skip) {
    const std::size_t lead = op.operand_count() - bound.count;
    std::vector<std::string> first_names;
    for (std::size_t i = 0; i < op.region_count(); ++i) {
      const RegionRef region = op.region(i);
      names_.enter();
      define_arguments(region);
      if (i == 0) {
        if (region.argument_count() > 0) {
          // Arguments were announced before the attributes: see plain().
          for (std::size_t a = 0; a < region.argument_count(); ++a)
            first_names.push_back(names_.text(region.argument(a)));
          std::string text = " (";
          for (std::size_t a = 0; a < region.argument_count(); ++a) {
            if (a > 0) text += ", ";
            text += first_names[a];
            if (a >= bound.first && a < bound.first + bound.count) {
              text += " = ";
              names_.append(text, op.operand(lead + a - bound.first));
            } else {
              text += ": ";
              data_.type(text, region.argument(a).type());
            }
          }
          out_ += text + ")";
        }
        dict(op, skip, " attributes ");
        out_ += ' ';
      } else {
        out_ += ' ';
        out_ += op.def().regions[i].name;
        out_ += ' ';
        if (!same_arguments(region, first_names)) {
          out_ += '(';
          typed_arguments(region, 0, region.argument_count());
          out_ += ") ";
        }
      }
      block(region);
      names_.leave();
    }
  }

  void plain(OpRef op) {
    const OpDef& def = op.def();
    const std::size_t results = op.result_count();
    define_results(op);
    if (results > 0) {
      values(op.results(), 0, results);
      out_ += " = ";
    }
    out_ += def.name;
    std::vector<StringId> skip;
    std::string_view separator = " ";
    if (const AttrDef* attr = symbol_attribute(def)) {
      if (const auto symbol = context_.attributes().as_symbol(op.attr(attr->name))) {
        out_ += separator;
        data_.symbol(out_, *symbol);
        separator = ", ";
        skip.push_back(context_.strings().find(attr->name));
      }
    }
    std::string subscripts;
    std::size_t listed = op.operand_count();
    std::size_t lead = leading_operands(def);
    bool bracketed = false;
    if (const AttrDef* attr = bracket_attribute(def)) {
      const Attribute value = op.attr(attr->name);
      if (value.valid() && context_.attributes().kind(value) == attr->kind) {
        if (attr->kind == AttributeKind::Subscripts) {
          bracketed = subscript_text(op, value, subscripts, listed, lead);
        } else {
          subscripts = "[" + context_.index().print(*context_.attributes().as_int(value)) + "]";
          bracketed = true;
        }
        if (bracketed) skip.push_back(context_.strings().find(attr->name));
      }
    }
    const Binding bound = binding(op, lead);
    if (op.region_count() > 0) {
      // What initialises no argument is listed, unless the bracket names it.
      const std::size_t plain_operands = op.operand_count() - bound.count;
      listed = bracketed && listed < lead && plain_operands == lead ? listed : plain_operands;
    }
    if (listed > 0) {
      out_ += separator;
      values(op.operands(), 0, listed);
    }
    if (bracketed) {
      if (listed == 0) out_ += ' ';
      out_ += subscripts;
    }
    const bool shows_where = has_where(op);
    if (op.region_count() > 0) {
      if (shows_where) skip.push_back(context_.names().where);
      regions(op, bound, skip);
    } else {
      if (shows_where) skip.push_back(context_.names().where);
      dict(op, skip, def.regions.empty() ? " " : " attributes ");
    }
    if (results > 0) {
      out_ += " : ";
      for (std::size_t i = 0; i < results; ++i) {
        if (i > 0) out_ += ", ";
        data_.type(out_, op.result(i).type());
      }
    }
    if (shows_where) where(op);
    location(op);
  }

  // --- the generic form

  void generic_name(OpRef op) {
    out_ += '"';
    if (op.is(GraphOp::Module)) {
      out_ += "builtin.module";
    } else if (op.is(GraphOp::Func)) {
      out_ += "func.func";
    } else if (op.is(GraphOp::Return) && op.parent_op().valid() && op.parent_op().is(GraphOp::Func)) {
      out_ += "func.return";
    } else {
      out_ += "mlgc.";
      out_ += op.name();
    }
    out_ += '"';
  }

  void generic_region(RegionRef region) {
    names_.enter();
    define_arguments(region);
    out_ += '{';
    if (region.argument_count() > 0 || region.empty()) {
      newline();
      out_ += "^bb0";
      if (region.argument_count() > 0) {
        out_ += '(';
        typed_arguments(region, 0, region.argument_count());
        out_ += ')';
      }
      out_ += ':';
    }
    lines(region);
    newline();
    out_ += '}';
    names_.leave();
  }

  void generic_attributes(OpRef op, bool properties) {
    const Context::Names& names = context_.names();
    const bool func = op.is(GraphOp::Func), module = op.is(GraphOp::Module);
    bool first = true;
    const auto begin = [&](const std::string& key) {
      out_ += first ? (properties ? " <{" : " {") : ", ";
      first = false;
      data_.key(out_, key);
      out_ += " = ";
    };
    if (func && properties) {
      begin("function_type");
      const OpRef end = FuncRef(op).return_op();
      std::vector<Type> params = types_of(op.region().arguments()), results;
      if (end.valid()) results = types_of(end.operands());
      out_ += '(';
      data_.type_list(out_, params);
      out_ += ") -> ";
      result_types(results);
    }
    for (const NamedAttribute& entry : context_.attributes().entries(op.attrs())) {
      std::string_view key = context_.strings().text(entry.name);
      const bool shows_where = entry.name == names.where && has_where(op);
      // MLIR's own ops have no properties but theirs, and want a dot in the names of other attributes.
      const bool dotted = key.find('.') != std::string_view::npos;
      const bool foreign = (func || module) && entry.name != names.sym_name;
      if ((!shows_where && !dotted && !foreign) != properties) continue;
      if (shows_where) {
        begin("mlgc.where");
        out_ += '[';
        bool first_chain = true;
        for (const Constraint& chain : constraints_of(op)) {
          if (!first_chain) out_ += ", ";
          first_chain = false;
          append_quoted(out_, mlgc::print(chain, context_.index()));
        }
        out_ += ']';
        continue;
      }
      begin(foreign && !dotted ? "mlgc." + std::string(key) : std::string(key));
      data_.attribute(out_, entry.value, wanted_kind(op.def(), key));
    }
    if (!first) out_ += properties ? "}>" : "}";
  }

  void generic(OpRef op) {
    const bool item = op.parent() == module_.body();
    if (item) {
      names_.enter();
      names_.start_item(op);
    }
    define_results(op);
    const bool was_pretty = pretty_;
    // Inside an op of the generic form everything is generic, types included.
    if (was_pretty) data_ = DataPrinter(context_, TextForm::Generic);
    pretty_ = false;
    if (op.result_count() > 0) {
      values(op.results(), 0, op.result_count());
      out_ += " = ";
    }
    generic_name(op);
    out_ += '(';
    values(op.operands(), 0, op.operand_count());
    out_ += ')';
    generic_attributes(op, true);
    if (op.region_count() > 0) {
      out_ += " (";
      for (std::size_t i = 0; i < op.region_count(); ++i) {
        if (i > 0) out_ += ", ";
        generic_region(op.region(i));
      }
      out_ += ')';
    }
    generic_attributes(op, false);
    out_ += " : (";
    data_.type_list(out_, types_of(op.operands()));
    out_ += ") -> ";
    result_types(types_of(op.results()));
    location(op);
    if (was_pretty) data_ = DataPrinter(context_, TextForm::Pretty);
    pretty_ = was_pretty;
    if (item) names_.leave();
  }

  const Module& module_;
  const Context& context_;
  std::string& out_;
  PrintOptions options_;
  bool pretty_;
  ValueNames names_;
  DataPrinter data_;
  std::size_t indent_ = 0;
  std::vector<std::pair<std::string, Value>>* record_ = nullptr;
};

}  // namespace

}  // namespace mlgc::text

namespace mlgc {

void print(std::string& out, const Module& module, const PrintOptions& options) {
  const std::size_t begin = out.size();
  text::Printer printer(module, out, options);
  printer.whole();
  if (!printer.names_missing()) return;
  // Values are used before they are defined: what is shown before the module is sorted.
  out.resize(begin);
  text::Printer again(module, out, options);
  again.name_ahead();
  again.whole();
}

std::string print(const Module& module, const PrintOptions& options) {
  std::string out;
  out.reserve(module.op_count() * 48);
  print(out, module, options);
  return out;
}

std::vector<std::pair<std::string, Value>> printed_names(const Module& module) {
  std::vector<std::pair<std::string, Value>> names;
  std::string out;
  text::Printer printer(module, out, {});
  printer.record_names(names);
  printer.whole();
  return names;
}

std::string print(OpRef op, const PrintOptions& options) {
  std::string out;
  text::Printer(op.module(), out, options).one(op);
  return out;
}

}  // namespace mlgc
