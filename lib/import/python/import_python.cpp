#include "import/python/import_python.h"

#include <algorithm>
#include <array>
#include <set>

#include "diag/kinds_import.h"
#include "import/python/weights.h"
#include "ir/constraint.h"
#include "ir/function.h"
#include "text/parser.h"

namespace mlgc::python {

namespace {

// What messages call the place where results are read.
const Node& return_node() {
  static const Node kReturn{"return", "", {}, {}, {}, {}, "", "", ""};
  return kReturn;
}

class Importer {
 public:
  Importer(std::shared_ptr<Context> context, PythonModel model, const ImportOptions& options, DiagnosticEngine& engine)
      : context_(std::move(context)),
        program_(model.program),
        storages_(model.program, model.location),
        model_(std::move(model)),
        options_(options),
        engine_(engine) {}

  std::optional<ImportedModel> run() {
    if (!read_input_types() || !read_where()) return std::nullopt;
    Module module(context_);
    AttributePool& attributes = context_->attributes();
    if (!options_.module_name.empty()) module.top().set_attr("sym_name", attributes.string(options_.module_name));
    program::Graph graph;
    graph.types_recorded = false;
    program::DataSymbols no_symbols;
    SymbolNames no_names;
    Constraints constraints = model_.constraints;
    constraints.insert(constraints.end(), where_.begin(), where_.end());
    const Facts facts = to_facts(constraints, context_->index());
    program::GraphScope scope(module, graph, no_names, no_symbols, facts, engine_);
    std::vector<Type> arguments;
    for (const std::optional<Type>& type : types_)
      if (type) arguments.push_back(*type);
    const FuncRef function(scope.builder.func("forward", arguments));
    if (!constraints.empty()) function.set_constraints(constraints);
    scope.builder.set_end(function.body());
    Weights weights(*program_, storages_, scope, function.op());
    const std::unique_ptr<Runner> runner = model_.runner(scope, weights);
    Interpreter& interpreter = runner->interpreter();
    TorchCalls& torch = interpreter.torch_calls();
    torch.set_fallback(options_.fallback);
    define_inputs(interpreter, function);
    const bool ran = runner->run();
    if (!torch.all_known() || !ran || !finish(interpreter, scope, weights, function)) return std::nullopt;
    NamedTensors tensors;
    if (!weights.load(tensors, engine_)) return std::nullopt;
    if (!options_.weights_file.empty() && !tensors.empty())
      module.top().set_attr("weights", attributes.string(options_.weights_file));
    for (const Weights::Entry& entry : weights.entries())
      if (entry.names.size() > 1)
        engine_.emit(diagnose<kTiedWeights>(storages_.location(), entry.names[0],
                                            std::vector<std::string>(entry.names.begin() + 1, entry.names.end())));
    if (scope.random())
      engine_.emit(
          diagnose<kRandomKey>(storages_.location(), scope.key().name(), context_->index().print(scope.drawn())));
    if (options_.fallback == Fallback::Warn && !torch.ledger().entries.empty())
      engine_.emit(fallback_warning(torch.ledger(), storages_.location()));
    return ImportedModel{std::move(module), std::move(tensors), torch.ledger()};
  }

 private:
  [[nodiscard]] const std::vector<Input>& inputs() const { return program_->inputs; }

  static bool is_tensor(const Input& input) {
    const std::string_view type = input.type;
    return type == "Tensor" || type == "Tensor?" || type == "Optional[Tensor]";
  }
  // Of a number the only type that it can have here; of others nothing.
  static std::string_view number_type(const Input& input) {
    const std::string_view type = input.type;
    return type == "int" ? "i64" : type == "float" ? "f64" : type == "bool" ? "i1" : "";
  }

  template <const DiagKind& K, class... Args>
  bool wrong_input(const Input& input, Args&&... args) {
    engine_.emit(diagnose<K>(storages_.location(), input.name, input.type, std::forward<Args>(args)...));
    return false;
  }

  // What the inputs are: stated, traced, or what they are by default. Every one that is not known is an error.
  bool read_input_types() {
    bool sound = true;
    for (const auto& [name, text] : options_.input_types) {
      const auto known = std::find_if(inputs().begin(), inputs().end(),
                                      [&name = name](const Input& input) { return input.name == name; });
      if (known != inputs().end()) continue;
      std::vector<std::string> names;
      for (const Input& input : inputs()) names.emplace_back(input.name);
      engine_.emit(diagnose<kScriptNoInput>(storages_.location(), name, std::move(names)));
      sound = false;
    }
    for (const Input& input : inputs()) sound = read_input_type(input) && sound;
    return sound;
  }

  bool read_input_type(const Input& input) {
    types_.emplace_back();
    if (!is_tensor(input) && number_type(input).empty() && !input.default_value)
      return refuse<kInputKind>("input `" + input.name + "`", "a " + input.type);
    const auto stated = std::find_if(options_.input_types.begin(), options_.input_types.end(),
                                     [&](const auto& entry) { return entry.first == input.name; });
    if (stated != options_.input_types.end()) {
      DiagnosticEngine heard(context_->locations());
      const SourceFile& text = context_->locations().add_source("--input-type", "tensor<" + stated->second + ">");
      types_.back() = parse_type(*context_, text, heard);
      if (!types_.back()) return wrong_input<kScriptInputType>(input, stated->second, heard.sorted().front().message());
      const std::string_view number = number_type(input);
      if (!number.empty() && stated->second != number)
        return wrong_input<kScriptNumberType>(input, number, stated->second);
      return true;
    }
    if (input.traced) {
      std::vector<IndexExpr> dims;
      for (const std::int64_t size : input.traced->sizes) dims.push_back(context_->index().constant(size));
      types_.back() = context_->types().tensor(input.traced->dtype, dims);
      return true;
    }
    return input.default_value.has_value() || wrong_input<kScriptInput>(input);
  }

  // Bounds of sizes that the types of the inputs have.
  bool read_where() {
    IndexPool& pool = context_->index();
    std::set<AtomId> known;
    for (const std::optional<Type>& type : types_) {
      if (!type) continue;
      for (const IndexExpr dim : context_->types().dims(*type))
        pool.for_each_atom(dim, [&](AtomId atom) { known.insert(atom); });
    }
    for (const std::string& text : options_.where) {
      const auto wrong = [&](Diagnostic diagnostic) {
        engine_.emit(std::move(diagnostic));
        return false;
      };
      DiagnosticEngine heard(context_->locations());
      const auto parsed = parse_constraints(*context_, context_->locations().add_source("--where", text), heard);
      const auto stated = parsed ? constraints_from(*parsed, *context_) : std::nullopt;
      if (!stated) return wrong(diagnose<kScriptWhere>(storages_.location(), text, heard.sorted().front().message()));
      std::string unknown;
      for (const Constraint& constraint : *stated)
        for (const IndexExpr term : constraint.terms)
          pool.for_each_atom(term, [&](AtomId atom) {
            if (pool.atom(atom).kind == AtomKind::Symbol && !known.contains(atom)) unknown = pool.symbol_name(atom);
          });
      if (!unknown.empty()) return wrong(diagnose<kScriptWhereSize>(storages_.location(), text, unknown));
      where_.insert(where_.end(), stated->begin(), stated->end());
    }
    return true;
  }

  void define_inputs(Interpreter& interpreter, const FuncRef& function) {
    const Block& body = program_->body;
    interpreter.values().set(body.inputs[0], {Object{0, ""}});
    std::size_t next = 0;
    for (std::size_t i = 0; i < inputs().size(); ++i) {
      const Input& input = inputs()[i];
      if (!types_[i]) {
        interpreter.values().set(body.inputs[i + 1], interpreter.attributes().constant(*input.default_value));
        continue;
      }
      const Value value = function.arguments()[next++];
      value.set_name(program::identifier(input.name));
      if (!is_tensor(input)) {
        interpreter.values().set(body.inputs[i + 1], {Computed{value}});
        continue;
      }
      const Tensor tensor = interpreter.tensors().create(value);
      tensor->memory->outside = true;
      given_.emplace_back(tensor, value);
      interpreter.values().set(body.inputs[i + 1], {tensor});
    }
  }

  // Results laid out flat. False after a diagnostic.
  bool flatten(Interpreter& interpreter, const PythonValue& value, std::vector<Value>& results) {
    if (value.is<None>()) return true;
    if (const auto* items = value.items(); items != nullptr)
      return std::all_of(items->begin(), items->end(),
                         [&](const PythonValue& item) { return flatten(interpreter, item, results); });
    if (const Dict* dict = value.as<Dict>())
      return std::all_of(dict->items->begin(), dict->items->end(),
                         [&](const auto& entry) { return flatten(interpreter, entry.second, results); });
    if (!value.is<Tensor>() && !value.number()) return refuse<kInputKind>("an output", kind_name(value));
    results.push_back(interpreter.tensors().value(return_node(), value));
    return results.back().valid();
  }

  template <const DiagKind& K, class... Args>
  bool refuse(Args&&... args) {
    engine_.emit(diagnose<K>(storages_.location(), std::forward<Args>(args)...));
    return false;
  }

  bool finish(Interpreter& interpreter, program::GraphScope& scope, Weights& weights, const FuncRef& function) {
    std::vector<Value> results;
    std::vector<UpdateTarget> updates;
    for (std::size_t i = 0; i < program_->body.outputs.size(); ++i)
      if (!flatten(interpreter, interpreter.values().get(program_->body.outputs[i]), results)) return false;
    for (std::size_t i = 0; i < weights.entries().size(); ++i) {
      const Weights::Entry& entry = weights.entries()[i];
      const std::optional<Value> after = left_behind(interpreter, entry);
      if (!after) return false;
      if (!after->valid() || *after == entry.initial) continue;
      if (after->type() != entry.initial.type())
        return refuse<kStateChanged>(context_->types().print(after->type()), entry.names[0],
                                     context_->types().print(entry.initial.type()));
      for (const Weights::Entry& other : weights.entries())
        if (&other != &entry && other.view->storage == entry.view->storage)
          return refuse<kSharedState>(entry.names[0], other.names[0], "share memory and one of them is changed");
      results.push_back(*after);
      updates.push_back({context_->strings().intern(entry.names[0]), std::nullopt});
      weights.make_state(i);
    }
    for (const auto& [tensor, argument] : given_) {
      const Value now = interpreter.tensors().value(return_node(), tensor);
      if (!now.valid()) return false;
      if (now == argument) continue;
      results.push_back(now);
      updates.push_back({{}, argument.number()});
    }
    scope.builder.set_location({});
    scope.builder.create(context_->opcode(GraphOp::Return), results, {}, {});
    if (!updates.empty()) function.set_updates(updates);
    return true;
  }

  // What a call leaves in place of a tensor of the model: an invalid value where that cannot change; nothing after a
  // diagnostic.
  std::optional<Value> left_behind(Interpreter& interpreter, const Weights::Entry& entry) {
    if (entry.inlined || interpreter.attributes().find(entry.names[0]) == nullptr) {
      if (entry.tensor->memory->version == 0) return Value();
      refuse<kStateChanged>("another value", entry.names.empty() ? "constant" : entry.names[0],
                            "a constant of the program");
      return std::nullopt;
    }
    std::optional<Value> after;
    for (const std::string& name : entry.names) {
      // By its other names, in lists of modules, it is read only.
      const PythonValue* const held = interpreter.attributes().find(name);
      if (held == nullptr) continue;
      const Tensor* const now = held->as<Tensor>();
      const Value value = now == nullptr ? Value() : interpreter.tensors().value(return_node(), *now);
      if (!value.valid()) return std::nullopt;
      if (after && !(*after == value)) {
        refuse<kSharedState>(name, entry.names[0], "are one tensor before a call and two after it");
        return std::nullopt;
      }
      after = value;
    }
    return after;
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<const Program> program_;
  Storages storages_;
  PythonModel model_;
  const ImportOptions& options_;
  DiagnosticEngine& engine_;
  std::vector<std::optional<Type>> types_;  // by input; none: its default
  Constraints where_;
  std::vector<std::pair<Tensor, Value>> given_;
};

}  // namespace

std::optional<ImportedModel> import_python(const std::shared_ptr<Context>& context, PythonModel model,
                                           const ImportOptions& options, DiagnosticEngine& engine) {
  return Importer(context, std::move(model), options, engine).run();
}

}  // namespace mlgc::python
