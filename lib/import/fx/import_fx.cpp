// From FX JSON to a module; see import_fx.h.
#include "import/fx/import_fx.h"

#include <algorithm>
#include <filesystem>

#include "diag/kinds_import.h"
#include "import/fx/executor.h"
#include "import/fx/listing.h"
#include "import/fx/read_graph.h"
#include "import/fx/script.h"
#include "import/program/dtypes.h"
#include "import/program/symbolic.h"
#include "import/python/import_python.h"
#include "support/file.h"

namespace mlgc {

namespace fx {

namespace {

// Of an input that is a number.
std::string_view number_type(Recorded::Kind kind) {
  return kind == Recorded::Kind::Int     ? "i64"
         : kind == Recorded::Kind::Float ? "f64"
         : kind == Recorded::Kind::Bool  ? "i1"
                                         : "";
}

class Types final : public RecordedTypes {
 public:
  Types(Context& context, const Graph& graph, bool comparable)
      : context_(context), graph_(graph), comparable_(comparable) {}

  // As text, by input. Symbols are named in the order of the inputs. Nothing after a failure, which is said of a node.
  struct Failed {
    std::string node, reason;
  };
  std::optional<Failed> read_inputs(std::vector<std::pair<std::string, std::string>>& types) {
    for (const Node& node : graph_.nodes) {
      if (node.opcode != Opcode::Placeholder) continue;
      if (node.arguments.empty() && !number_type(node.recorded.kind).empty())
        types.emplace_back(node.name, number_type(node.recorded.kind));
      if (node.recorded.kind != Recorded::Kind::Tensor) continue;
      if (!node.recorded.sizes.empty() && !node.recorded.sizes[0].expression.empty()) {
        names_.set_leading(true);
        (void)parse_size_expression(node.recorded.sizes[0].expression, context_.index(), names_);
        names_.set_leading(false);
      }
      const Result<Type> type = tensor(node.recorded);
      if (!type) return Failed{node.name, type.error()};
      const std::string text = context_.types().print(*type);  // tensor<…>
      types.emplace_back(node.name, text.substr(7, text.size() - 8));
    }
    return std::nullopt;
  }

  Result<Type> tensor(const Recorded& recorded) override {
    const std::optional<Dtype> dtype = program::dtype_of_name(recorded.dtype);
    if (!dtype) return Failure{"the element type " + recorded.dtype + " is not supported"};
    std::vector<IndexExpr> dims;
    for (const program::Size& size : recorded.sizes) {
      if (size.expression.empty() && size.value < 0) return Failure{std::string("a size is less than 0")};
      const Result<IndexExpr> value = expression(size);
      if (!value) return Failure{value.error()};
      dims.push_back(*value);
    }
    return context_.types().tensor(*dtype, dims);
  }
  std::optional<IndexExpr> size(const program::Size& size) override {
    if (!is_of_inputs(size)) return std::nullopt;
    const Result<IndexExpr> value = expression(size);
    return value ? std::optional(*value) : std::nullopt;
  }
  bool comparable() const override { return comparable_; }

  // Of the symbols that inputs have. Fails with the reason for which one is not understood.
  Result<Constraints> constraints() {
    Constraints out;
    for (const program::Range& range : graph_.ranges) {
      if (!names_.knows(range.symbol)) continue;
      IndexPool& pool = context_.index();
      Constraint constraint;
      if (range.lower.value_or(0) > 0) {
        constraint.terms.push_back(pool.constant(*range.lower));
        constraint.relations.push_back(Relation::LessEqual);
      }
      constraint.terms.push_back(pool.symbol(names_.name_of(range.symbol)));
      if (range.upper) {
        constraint.relations.push_back(Relation::LessEqual);
        constraint.terms.push_back(pool.constant(*range.upper));
      }
      if (!constraint.relations.empty()) out.push_back(std::move(constraint));
    }
    for (const SizeRelation& relation : graph_.relations) {
      const auto of_inputs = [&](const program::Size& term) { return is_of_inputs(term); };
      if (!std::all_of(relation.terms.begin(), relation.terms.end(), of_inputs)) continue;
      Constraint constraint{{}, relation.relations};
      for (const program::Size& term : relation.terms) {
        const Result<IndexExpr> value = expression(term);
        if (!value) return Failure{value.error()};
        constraint.terms.push_back(*value);
      }
      out.push_back(std::move(constraint));
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_of_inputs(const program::Size& size) const {
    const std::vector<std::string_view> symbols = symbols_of(size.expression);
    return std::all_of(symbols.begin(), symbols.end(), [&](std::string_view name) { return names_.knows(name); });
  }
  Result<IndexExpr> expression(const program::Size& size) {
    if (size.expression.empty()) return context_.index().constant(size.value);
    Result<IndexExpr> value = parse_size_expression(size.expression, context_.index(), names_);
    if (!value) return Failure{"size `" + size.expression + "`: " + value.error()};
    return value;
  }

  Context& context_;
  const Graph& graph_;
  bool comparable_;
  SymbolNames names_;
};

std::optional<Graph> read(const std::string& path, Location at, DiagnosticEngine& engine) {
  const Result<std::string> text = read_file(path);
  if (!text) {
    engine.emit(diagnose<kModelUnreadable>(at, text.error()));
    return std::nullopt;
  }
  return read_graph(std::as_bytes(std::span(*text)), std::filesystem::path(path).filename().string(), at, engine);
}

// With `support` nodes get verdicts, and what is imported is of no use.
std::optional<ImportedModel> run_import(const std::shared_ptr<Context>& context, const std::string& path,
                                        const ImportOptions& options, const Executor::SupportCheck* support,
                                        DiagnosticEngine& engine) {
  const Location at = context->locations().position(path, 1, 1);
  std::optional<Graph> graph = read(path, at, engine);
  if (!graph) return std::nullopt;
  const std::shared_ptr<Script> script = make_script(*std::move(graph), path, at, engine);
  if (!script) return std::nullopt;
  Types types(*context, script->graph, options.input_types.empty());
  ImportOptions stated = options;
  std::vector<std::pair<std::string, std::string>> recorded;
  if (const auto failed = types.read_inputs(recorded)) {
    engine.emit(
        diagnose<kFxStructure>(at, "node `" + failed->node + "`.meta", "a type that can be: " + failed->reason));
    return std::nullopt;
  }
  for (auto& [name, type] : recorded) {
    const auto same = [&name = name](const auto& entry) { return entry.first == name; };
    if (std::none_of(options.input_types.begin(), options.input_types.end(), same))
      stated.input_types.emplace_back(name, type);
  }
  python::PythonModel model;
  model.program = std::shared_ptr<const python::Program>(script, &script->program);
  model.location = at;
  if (options.input_types.empty()) {
    Result<Constraints> constraints = types.constraints();
    if (!constraints) {
      engine.emit(
          diagnose<kFxStructure>(at, "constraints", "relations of sizes that are understood: " + constraints.error()));
      return std::nullopt;
    }
    model.constraints = *std::move(constraints);
  }
  model.runner = [&](program::GraphScope& scope, python::TensorSource& tensors) {
    auto executor = std::make_unique<Executor>(
        *script, scope, Surroundings{types, tensors, at, std::filesystem::path(path).filename().string()});
    if (support != nullptr) executor->check_support(*support);
    return executor;
  };
  std::optional<ImportedModel> imported = python::import_python(context, std::move(model), stated, engine);
  if (imported && !script->graph.weights_file.empty())
    imported->mapped_from = (std::filesystem::path(path).parent_path() / script->graph.weights_file).string();
  return imported;
}

}  // namespace
}  // namespace fx

std::optional<ImportedModel> import_fx(const std::shared_ptr<Context>& context, const std::string& path,
                                       const ImportOptions& options, DiagnosticEngine& engine) {
  if (options.fallback != Fallback::Error) {
    engine.emit(diagnose<kFxFallback>(context->locations().position(path, 1, 1)));
    return std::nullopt;
  }
  return fx::run_import(context, path, options, nullptr, engine);
}

std::optional<std::vector<FxVerdict>> fx_verdicts(const std::shared_ptr<Context>& context, const std::string& path,
                                                  const RefuseOp& refuse, DiagnosticEngine& engine) {
  // What is wrong with the outputs, or with what nodes leave over, is no node's fault.
  std::vector<FxVerdict> verdicts;
  DiagnosticEngine heard(context->locations());
  const fx::Executor::SupportCheck support{verdicts, refuse};
  if (fx::run_import(context, path, {}, &support, heard) || !verdicts.empty()) return verdicts;
  for (const Diagnostic& diagnostic : heard.sorted()) engine.emit(diagnostic);
  return std::nullopt;
}

std::optional<std::string> fx_listing(Context& context, const std::string& path, DiagnosticEngine& engine) {
  const std::optional<fx::Graph> graph = fx::read(path, context.locations().position(path, 1, 1), engine);
  return graph ? std::optional(fx::listing(*graph)) : std::nullopt;
}

}  // namespace mlgc
