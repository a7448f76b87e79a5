// See link_models.h.
#include "import/link_models.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "diag/kinds_driver.h"
#include "ir/builder.h"
#include "ir/function.h"
#include "ir/link.h"
#include "ir/structural_hash.h"

namespace mlgc {

namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes().data() == b.bytes().data() || std::ranges::equal(a.bytes(), b.bytes()));
}

bool same_data(const ModuleData& a, std::string_view name_in_a, const ModuleData& b, std::string_view name_in_b) {
  const auto first = a.find(name_in_a), second = b.find(name_in_b);
  if (first == a.end() || second == b.end()) return first == a.end() && second == b.end();
  return same_bytes(first->second, second->second);
}

// The name of a function of a model.
std::string function_name(const ModelToLink& model, std::string_view function) {
  return functions(model.module).size() == 1 ? model.name : model.name + "." + std::string(function);
}

class Linker {
 public:
  Linker(ModelToLink& target, std::span<const ModelToLink> models, DiagnosticEngine& diagnostics)
      : target_(target), diagnostics_(diagnostics) {
    // Functions are called by name from outside: their names come first.
    for (const ModelToLink& model : models)
      for (const FuncRef& function : functions(model.module)) taken_.insert(function_name(model, function.name()));
  }

  void add(const ModelToLink& model) {
    // A weight that is derived from others is the same when those are, which stand before it.
    bool tied = true;
    link_module(model.module, target_.module, [&](OpRef op) -> LinkedSymbol {
      const std::string name(op.symbol());
      if (FuncRef::from(op).valid()) return {function_name(model, name), false};
      const auto [first, last] = called_.equal_range(name);
      for (auto other = first; other != last && (tied || op.region_count() == 0); ++other)
        if (same_structure(target_.module.lookup(other->second), op) &&
            same_data(target_.data, other->second, model.data, name))
          return {other->second, true};
      tied = tied && first == last;
      const std::string given = taken_.contains(name) ? free_name(model.name + "." + name) : name;
      if (given != name) diagnostics_.emit(diagnose<kLinkedSymbolRenamed>(op.location(), name, model.file, given));
      taken_.insert(given);
      called_.emplace(name, given);
      if (const auto found = model.data.find(name); found != model.data.end())
        target_.data.emplace(given, found->second);
      return {given, false};
    });
  }

 private:
  [[nodiscard]] std::string free_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int i = 2; taken_.contains(name); ++i) name = wanted + "_" + std::to_string(i);
    return name;
  }

  ModelToLink& target_;
  DiagnosticEngine& diagnostics_;
  std::set<std::string> taken_;                     // in the target, or soon
  std::multimap<std::string, std::string> called_;  // names in the target, by names in the models
};

// A tensor that one model reads and another one changes is a state in both.
void agree_on_states(std::span<ModelToLink> models) {
  std::map<std::string, std::pair<OpRef, const ModelToLink*>, std::less<>> states;
  for (const ModelToLink& model : models)
    for (const OpRef op : model.module.body().ops())
      if (op.is(GraphOp::State)) states.emplace(op.symbol(), std::pair(op, &model));
  for (ModelToLink& model : models) {
    std::vector<OpRef> read;
    for (const OpRef op : model.module.body().ops()) {
      if (!op.is(GraphOp::Weight) || (op.region_count() != 0 && !op.region(0).empty())) continue;
      const auto state = states.find(op.symbol());
      if (state != states.end() && state->second.first.attrs() == op.attrs() &&
          same_data(state->second.second->data, op.symbol(), model.data, op.symbol()))
        read.push_back(op);
    }
    const Context& context = model.module.context();
    for (const OpRef op : read) {
      Builder builder(model.module);
      const OpRef state = builder.state(op.symbol(), context.attributes().as_type(op.attr(context.names().type)));
      state.set_location(op.location());
      state.move_before(op);
      op.erase();
    }
  }
}

}  // namespace

std::string model_name(const std::string& file) {
  return file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
}

std::optional<Diagnostic> find_equal_names(std::span<const std::string> files) {
  std::map<std::string, std::string> by_name;
  for (const std::string& file : files)
    if (const auto [other, added] = by_name.emplace(model_name(file), file); !added)
      return diagnose<kLinkedTwice>({}, other->first, other->second, file);
  return std::nullopt;
}

ModelToLink link_models(std::vector<ModelToLink> models, DiagnosticEngine& diagnostics) {
  if (models.size() == 1) return std::move(models.front());
  agree_on_states(models);
  // Into an empty module, so that the first model is named as the others are.
  ModelToLink linked{models.front().file, models.front().name, Module(models.front().module.shared_context()), {}};
  linked.module.top().set_attrs(models.front().module.top().attrs());
  Linker linker(linked, models, diagnostics);
  for (const ModelToLink& model : models) linker.add(model);
  return linked;
}

}  // namespace mlgc
