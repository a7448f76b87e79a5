// From a program and its weights to a module; see import_program.h.
#include "import/program/import_program.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "diag/kinds_import.h"
#include "import/program/convert.h"
#include "import/program/program.h"
#include "import/program/symbolic.h"
#include "ir/function.h"

namespace mlgc::program {

namespace {

// torch.export traces with sizes that it takes to be 2 or more. Some versions record that as the least size; others
// record 0, although types in the file may hold from 1 or 2 on only.
constexpr std::int64_t kTracedLowerBound = 2;

// A tensor of the model under all its names; the first one is its symbol.
struct Datum {
  const WeightView* weight = nullptr;
  std::vector<std::string> names;
  bool mutated = false;
};

class Importer {
 public:
  Importer(std::shared_ptr<Context> context, const WeightSource& weights, const Program& program,
           const ImportOptions& options, DiagnosticEngine& engine)
      : context_(std::move(context)), weights_(weights), program_(program), options_(options), engine_(engine) {}

  std::optional<ImportedModel> run() {
    if (!check_signature() ||
        !check_operators(program_, *context_, weights_.location(), options_.fallback != Fallback::Error, engine_) ||
        !collect_data())
      return std::nullopt;
    std::optional<NamedTensors> tensors = load();
    if (!tensors) return std::nullopt;
    std::optional<Module> module = build();
    if (!module) return std::nullopt;
    report();
    return ImportedModel{std::move(*module), std::move(*tensors), std::move(ledger_)};
  }

 private:
  template <const DiagKind& K, class... Args>
  bool error(Args&&... args) {
    engine_.emit(diagnose<K>(weights_.location(), std::forward<Args>(args)...));
    return false;
  }

  bool check_signature() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const InputSpec& spec = program_.inputs[i];
      if (spec.kind == InputSpec::Kind::Other) return error<kInputKind>("an input", "of kind `" + spec.target + "`");
      if (spec.kind == InputSpec::Kind::User && spec.argument.kind == Argument::Kind::Other)
        return error<kInputKind>("input `" + spec.name + "`", "of the form `" + spec.argument.text + "`");
    }
    for (const OutputSpec& spec : program_.outputs) {
      if (spec.kind == OutputSpec::Kind::Other) return error<kInputKind>("an output", "of kind `" + spec.target + "`");
      const Argument::Kind kind = spec.argument.kind;
      if (kind != Argument::Kind::Tensor && kind != Argument::Kind::None && kind != Argument::Kind::Int &&
          kind != Argument::Kind::Float && kind != Argument::Kind::Bool)
        return error<kInputKind>("an output", "neither a tensor nor a number");
    }
    return true;
  }

  // Names of tensors that a node or an output of the graph uses.
  std::set<std::string_view> used_names() const {
    std::set<std::string_view> used;
    const auto use = [&](const Argument& argument) { used.insert(argument.names.begin(), argument.names.end()); };
    for (const Node& node : program_.graph.nodes)
      for (const NamedArgument& input : node.inputs) use(input.value);
    for (const OutputSpec& output : program_.outputs) use(output.argument);
    return used;
  }

  // Parameters, buffers and constants that are used or replaced, tied ones once.
  bool collect_data() {
    const std::set<std::string_view> used = used_names();
    std::set<std::string_view> mutated;
    for (const OutputSpec& spec : program_.outputs)
      if (spec.kind == OutputSpec::Kind::BufferMutation || spec.kind == OutputSpec::Kind::ParameterMutation)
        mutated.insert(spec.target);
    for (const InputSpec& spec : program_.inputs) {
      if (spec.kind == InputSpec::Kind::User || spec.kind == InputSpec::Kind::Specialised) continue;
      if (!used.contains(spec.name) && !mutated.contains(spec.target)) {
        unused_.push_back(spec.target);
        continue;
      }
      const WeightView* weight =
          spec.persistent ? weights_.find_weight(spec.target) : weights_.find_constant(spec.target);
      if (weight == nullptr) return error<kWeightNotInArchive>(spec.target);
      const std::size_t number = datum_for(*weight);
      Datum& datum = data_[number];
      if (std::find(datum.names.begin(), datum.names.end(), spec.target) == datum.names.end())
        datum.names.push_back(spec.target);
      datum.mutated = datum.mutated || mutated.contains(spec.target);
      datum_of_input_.emplace(spec.name, number);
      symbol_of_.emplace(spec.target, datum.names.front());
    }
    return check_aliases();
  }

  // One tensor for equal views of one member.
  std::size_t datum_for(const WeightView& weight) {
    const auto [found, inserted] = datum_of_weight_.emplace(weight, data_.size());
    if (inserted) data_.push_back({&weight, {}, false});
    return found->second;
  }

  // A tensor that is replaced may not share its storage with another view: the other one would have to change too.
  bool check_aliases() {
    std::map<std::string_view, const Datum*> owner;
    for (const Datum& datum : data_) {
      if (program_.training_level && datum.mutated && datum.names.size() > 1)
        return error<kSharedState>(datum.names[0], datum.names[1], "are one tensor, which is changed");
      const auto [found, inserted] = owner.emplace(datum.weight->storage, &datum);
      if (!inserted && (datum.mutated || found->second->mutated))
        return error<kSharedState>(datum.names.front(), found->second->names.front(),
                                   "share memory and one of them is changed");
    }
    return true;
  }

  // Each size is bounded as low as the file permits and inference allows: by what is in bounds_ if that builds, else,
  // since torch.export traced with 2 or more, from there on downwards. With n bounds of which k have to stay
  // higher that takes some k log n builds.
  std::optional<Module> build() {
    std::vector<std::string_view> open;
    for (const Range& range : program_.ranges) {
      const std::int64_t recorded = range.lower.value_or(0);
      if (is_unbacked(range.symbol)) continue;  // its bound is the program's own
      if (recorded > kTracedLowerBound || range.upper.value_or(kTracedLowerBound) < kTracedLowerBound) continue;
      open.emplace_back(range.symbol);
      bounds_[range.symbol] = {recorded, least_of(range), least_of(range)};
    }
    if (open.empty()) return build(engine_);
    DiagnosticEngine warnings(context_->locations());
    if (std::optional<Module> module = build(warnings)) {
      for (const Diagnostic& warning : warnings.sorted()) engine_.emit(warning);
      return module;
    }
    for (auto& [symbol, bound] : bounds_) bound.taken = kTracedLowerBound;
    // A model that is wrong for another reason is found to be so once.
    if (attempt()) {
      for (const std::int64_t to : {1, 0}) {
        std::erase_if(open, [&](std::string_view symbol) {
          const Bound& bound = bounds_[symbol];
          return bound.taken != to + 1 || bound.least > to;
        });
        lower(open, to);
      }
    }
    return build(engine_);
  }

  // A recorded bound of 2 comes from tracing, others from the user.
  static std::int64_t least_of(const Range& range) {
    const std::int64_t recorded = range.lower.value_or(0);
    return recorded == kTracedLowerBound ? 0 : std::max<std::int64_t>(recorded, 0);
  }

  std::optional<Module> attempt() {
    DiagnosticEngine unheard(context_->locations());
    return build(unheard);
  }

  // All of them from one above if that builds, else those that can be, one half after the other.
  void lower(std::span<const std::string_view> symbols, std::int64_t to) {
    if (symbols.empty()) return;
    for (const std::string_view symbol : symbols) bounds_[symbol].taken = to;
    if (attempt()) return;
    for (const std::string_view symbol : symbols) bounds_[symbol].taken = to + 1;
    if (symbols.size() == 1) return;
    const std::size_t half = symbols.size() / 2;
    lower(symbols.first(half), to);
    lower(symbols.subspan(half), to);
  }

  std::optional<Module> build(DiagnosticEngine& engine) {
    names_ = SymbolNames(program_.size_names);
    Module module(context_);
    AttributePool& attributes = context_->attributes();
    if (!options_.module_name.empty()) module.top().set_attr("sym_name", attributes.string(options_.module_name));
    if (!options_.weights_file.empty() && !data_.empty())
      module.top().set_attr("weights", attributes.string(options_.weights_file));
    // Symbols are numbered by their first appearance in the inputs, so inputs are read before constraints.
    Facts none;
    data_symbols_ = DataSymbols();
    from_data_.clear();
    GraphScope types(module, program_.graph, names_, data_symbols_, none, engine);
    std::vector<Type> arguments;
    for (const InputSpec& spec : program_.inputs) {
      if (is_integer(spec)) {
        arguments.push_back(context_->types().tensor(Dtype::I64, {}));
        const auto found = program_.graph.sym_ints.find(spec.argument.ints[0].name);
        if (found != program_.graph.sym_ints.end())
          for (const std::string_view symbol : symbols_of(found->second.expression))
            if (!names_.knows(symbol)) from_data_.emplace(symbol);
        continue;
      }
      if (spec.kind != InputSpec::Kind::User || !spec.argument.is(Argument::Kind::Tensor)) continue;
      const std::optional<Type> type = argument_type(types, spec.argument.names[0], engine);
      if (!type) return std::nullopt;
      arguments.push_back(*type);
    }
    const std::optional<Constraints> constraints = read_ranges(engine);
    if (!constraints) return std::nullopt;
    Constraints known = *constraints;
    for (const auto& [symbol, stated] : data_symbols_.sizes) known.insert(known.end(), stated.begin(), stated.end());
    const Facts facts = to_facts(known, context_->index());
    GraphScope scope(module, program_.graph, names_, data_symbols_, facts, engine);
    ledger_ = FallbackLedger();
    scope.set_ledger(ledger_, options_.fallback != Fallback::Error);
    for (const Datum& datum : data_) {
      const OpRef item = datum.mutated ? scope.builder.state(datum.names.front(), weight_type(*datum.weight))
                                       : scope.builder.weight(datum.names.front(), weight_type(*datum.weight));
      item.set_location(names_location(datum));
    }
    const OpRef func = scope.builder.func("forward", arguments);
    const FuncRef function(func);
    function.set_constraints(*constraints);
    scope.builder.set_end(func.region());
    if (!define_inputs(scope, function) || !convert_nodes(scope) || !finish(scope, function, engine))
      return std::nullopt;
    random_.reset();
    if (scope.random()) random_ = {std::string(scope.key().name()), context_->index().print(scope.drawn())};
    return module;
  }

  // The first size of an input names its symbols as batch-like.
  std::optional<Type> argument_type(GraphScope& scope, const std::string& name, DiagnosticEngine& engine) {
    const auto found = program_.graph.tensors.find(name);
    if (found != program_.graph.tensors.end() && !found->second.sizes.empty()) {
      names_.set_leading(true);
      (void)scope.size(found->second.sizes.front());
      names_.set_leading(false);
    }
    Result<Type, Diagnostic> type = scope.recorded_type(name);
    if (type) return *type;
    type.error().at = weights_.location();
    engine.emit(std::move(type).error());
    return std::nullopt;
  }

  Type weight_type(const WeightView& weight) const {
    std::vector<IndexExpr> dims;
    for (const std::int64_t size : weight.shape) dims.push_back(context_->index().constant(size));
    return context_->types().tensor(weight.dtype, dims);
  }

  Location names_location(const Datum& datum) const {
    if (datum.names.size() < 2) return {};
    std::vector<Location> parts;
    for (const std::string& name : datum.names) parts.push_back(context_->locations().named(name));
    return context_->locations().fused(parts);
  }

  // An integer that is given with each call.
  static bool is_integer(const InputSpec& spec) {
    return spec.kind == InputSpec::Kind::User && spec.argument.is(Argument::Kind::Int) &&
           !spec.argument.ints[0].name.empty();
  }

  // Of the function; what is said of sizes that come from data goes into data_symbols_.
  std::optional<Constraints> read_ranges(DiagnosticEngine& engine) {
    Constraints constraints;
    IndexPool& pool = context_->index();
    for (const Range& range : program_.ranges) {
      const bool from_data = from_data_.contains(range.symbol) || is_unbacked(range.symbol);
      if (from_data && range.lower.value_or(-1) < 0) {
        data_symbols_.numbers.emplace(range.symbol);
        continue;
      }
      if (from_data) (void)names_.name_of(range.symbol);
      SymbolNames names = names_;
      const Result<IndexExpr> expr = parse_size_expression(range.symbol, pool, names);
      if (!expr) {
        engine.emit(diagnose<kSizeExpression>(weights_.location(), range.symbol, expr.error()));
        return std::nullopt;
      }
      if (names.in_order().size() != names_.in_order().size()) continue;  // of sizes that no input has
      const auto bound = bounds_.find(range.symbol);
      const bool open = bound != bounds_.end() && pool.as_atom(*expr).has_value();
      const std::int64_t lower = open ? bound->second.taken : range.lower.value_or(0);
      Constraint constraint;
      if (lower > 0) {
        constraint.terms.push_back(pool.constant(lower));
        constraint.relations.push_back(Relation::LessEqual);
      }
      constraint.terms.push_back(*expr);
      if (range.upper) {
        constraint.relations.push_back(Relation::LessEqual);
        constraint.terms.push_back(pool.constant(*range.upper));
      }
      if (constraint.relations.empty()) continue;
      (from_data ? data_symbols_.sizes[range.symbol] : constraints).push_back(std::move(constraint));
    }
    return constraints;
  }

  // torch calls symbols u0, u1, … that it knows nothing of when it exports.
  static bool is_unbacked(std::string_view symbol) {
    return symbol.size() > 1 && symbol[0] == 'u' &&
           std::all_of(symbol.begin() + 1, symbol.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  bool define_inputs(GraphScope& scope, const FuncRef& function) {
    std::size_t argument = 0;
    bool fresh = true;
    for (const InputSpec& spec : program_.inputs) {
      if (spec.kind == InputSpec::Kind::Specialised) continue;
      if (is_integer(spec)) {
        const Value value = function.arguments()[argument++];
        if (!scope.bind(spec.argument.ints[0].name, value, weights_.location())) return false;
        continue;
      }
      if (spec.kind == InputSpec::Kind::User) {
        if (!spec.argument.is(Argument::Kind::Tensor)) continue;
        argument_of_[spec.argument.names[0]] = argument;
        fresh = scope.define(spec.argument.names[0], function.arguments()[argument++]) && fresh;
        continue;
      }
      const auto number = datum_of_input_.find(spec.name);
      if (number == datum_of_input_.end()) continue;
      const Datum& datum = data_[number->second];
      const std::array attrs{
          NamedAttribute{context_->strings().intern("symbol"), context_->attributes().symbol(datum.names.front())}};
      const std::array types{weight_type(*datum.weight)};
      const Result<Type, Diagnostic> recorded = scope.recorded_type(spec.name);
      if (!recorded || *recorded != types[0])
        return structure(scope.engine(), "tensor_values." + spec.name, "the type of the weight `" + spec.target + "`");
      const OpRef read =
          scope.builder.create(context_->opcode(GraphOp::Read), {}, context_->attributes().dict(attrs), types);
      fresh = scope.define(spec.name, read.result()) && fresh;
    }
    if (!fresh) scope.engine().emit(diagnose<kModelStructure>(weights_.location(), "graph.inputs", "different names"));
    return fresh;
  }

  bool finish(GraphScope& scope, const FuncRef& function, DiagnosticEngine& engine) {
    std::vector<Value> results, states;
    std::vector<UpdateTarget> updates;
    for (const OutputSpec& spec : program_.outputs) {
      if (spec.argument.none()) continue;
      const std::optional<Value> value = graph_output(scope, spec.argument, weights_.location());
      if (!value) return false;
      if (spec.kind == OutputSpec::Kind::Gradient && value->is_result())
        value->set_name("grad_" + identifier(spec.target));
      if (spec.kind == OutputSpec::Kind::User || spec.kind == OutputSpec::Kind::Loss ||
          spec.kind == OutputSpec::Kind::Gradient) {
        results.push_back(*value);
        continue;
      }
      states.push_back(*value);
      if (spec.kind == OutputSpec::Kind::InputMutation) {
        const auto argument = argument_of_.find(spec.target);
        if (argument == argument_of_.end()) return structure(engine, spec.target, "an input of that name");
        updates.push_back({{}, argument->second});
      } else {
        const auto symbol = symbol_of_.find(spec.target);
        if (symbol == symbol_of_.end()) return structure(engine, spec.target, "a buffer or parameter of that name");
        updates.push_back({context_->strings().intern(symbol->second), std::nullopt});
      }
    }
    results.insert(results.end(), states.begin(), states.end());
    scope.builder.set_location({});
    scope.builder.create(context_->opcode(GraphOp::Return), results, {}, {});
    if (!updates.empty()) function.set_updates(updates);
    return true;
  }

  bool structure(DiagnosticEngine& engine, const std::string& place, std::string_view expected) const {
    engine.emit(diagnose<kModelStructure>(weights_.location(), place, expected));
    return false;
  }

  std::optional<NamedTensors> load() {
    NamedTensors tensors;
    std::vector<std::string> missing;
    for (const Datum& datum : data_) {
      LoadedWeight loaded = load_weight(weights_, *datum.weight, datum.names.front(), engine_);
      if (loaded.failed) return std::nullopt;
      if (loaded.tensor)
        tensors.emplace_back(datum.names.front(), std::move(*loaded.tensor));
      else
        missing.push_back(datum.names.front());
    }
    if (!missing.empty())
      engine_.emit(
          diagnose<kWeightsNotStored>(weights_.location(), static_cast<std::int64_t>(missing.size()), missing.front()));
    return tensors;
  }

  void report() {
    if (options_.fallback == Fallback::Warn && !ledger_.entries.empty())
      engine_.emit(fallback_warning(ledger_, weights_.location()));
    for (const Datum& datum : data_) {
      if (datum.names.size() < 2) continue;
      std::vector<std::string> others(datum.names.begin() + 1, datum.names.end());
      engine_.emit(diagnose<kTiedWeights>(weights_.location(), datum.names.front(), std::move(others)));
    }
    if (!unused_.empty()) engine_.emit(diagnose<kUnusedWeights>(weights_.location(), unused_));
    if (random_) engine_.emit(diagnose<kRandomKey>(weights_.location(), random_->first, random_->second));
    for (const InputSpec& spec : program_.inputs)
      if (spec.kind == InputSpec::Kind::Specialised)
        engine_.emit(diagnose<kSpecialisedInput>(weights_.location(), spec.name, spec.target));
    for (const auto& [symbol, bound] : bounds_) {
      if (!names_.knows(symbol)) continue;
      const std::string_view name = names_.name_of(symbol);
      if (bound.taken < bound.recorded)
        engine_.emit(diagnose<kLowerBound>(weights_.location(), name, bound.taken, bound.recorded));
      else if (bound.taken > std::max<std::int64_t>(bound.recorded, 0))
        engine_.emit(diagnose<kRaisedBound>(weights_.location(), name, bound.taken, bound.recorded));
    }
  }

  std::shared_ptr<Context> context_;
  const WeightSource& weights_;
  const Program& program_;
  const ImportOptions& options_;
  DiagnosticEngine& engine_;
  SymbolNames names_;
  std::set<std::string, std::less<>> from_data_;  // torch's names of symbols that integer inputs give
  DataSymbols data_symbols_;
  FallbackLedger ledger_;  // of the last build
  std::vector<Datum> data_;
  std::map<WeightView, std::size_t> datum_of_weight_;               // number in data_
  std::map<std::string, std::size_t, std::less<>> datum_of_input_;  // graph name to number in data_
  std::map<std::string, std::string, std::less<>> symbol_of_;       // fully qualified name to symbol
  std::map<std::string, std::size_t, std::less<>> argument_of_;
  struct Bound {
    std::int64_t recorded = 0, least = 0;  // in the file; as low as it may become
    std::int64_t taken = 0;                // tried, and at last the one of the module
  };
  std::map<std::string_view, Bound> bounds_;  // of sizes that may be as small as 2, by their names in the file
  std::vector<std::string> unused_;           // weights that are left out
  std::optional<std::pair<std::string, std::string>> random_;  // the argument that holds the key, and how much it draws
};

}  // namespace

std::optional<ImportedModel> import_program(const std::shared_ptr<Context>& context, const Program& program,
                                            const WeightSource& weights, const ImportOptions& options,
                                            DiagnosticEngine& engine) {
  return Importer(context, weights, program, options, engine).run();
}

}  // namespace mlgc::program
