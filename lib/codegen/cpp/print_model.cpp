// See print_model.h.
#include "codegen/cpp/print_model.h"

#include <algorithm>
#include <set>

#include "codegen/cpp/cpp_hooks.h"
#include "codegen/cpp/print_cpp.h"
#include "codegen/cpp/print_table.h"
#include "codegen/cpp/unit.h"
#include "diag/kinds_codegen.h"
#include "ir/function.h"
#include "loopir/module_machine.h"

namespace mlgc {
namespace {

using codegen::PrintedFunction;
using codegen::UnitFunction;

class CppModelPrinter {
 public:
  CppModelPrinter(const Module& module, const codegen::DataPlaces& places, const SourceOptions& options)
      : module_(module),
        places_(places),
        options_(options),
        hooks_(options.mathematics, machine_of(module, MachineKind::Cpu).cpu().pairs_bf16()),
        data_(codegen::model_data(module)),
        name_(model_identifier(module)),
        name_space_("mlgc_model_" + name_) {}

  Result<SourceModel, Diagnostic> run() {
    const std::vector<OpRef> kernel_ops = codegen::launched_kernels(module_);
    std::set<std::string> names;
    auto kernels = codegen::print_loop_functions(kernel_ops, hooks_, names);
    if (!kernels) return Failure{std::move(kernels.error())};
    auto functions = codegen::describe_host_functions(module_, codegen::memory_of(*kernels));
    if (!functions) return Failure{std::move(functions.error())};
    if (functions->empty()) return Failure{diagnose<kCannotEmit>({}, "a module without a function to call")};
    std::vector<PrintedFunction> host_functions;
    for (const codegen::ModelFunction& function : *functions) {
      auto printed = codegen::print_host_function(
          {function, data_, *kernels}, codegen::free_name(function.host_function.symbol(), hooks_, names), hooks_);
      if (!printed) return Failure{std::move(printed.error())};
      host_functions.push_back(*std::move(printed));
    }
    bf16_pairs_ = codegen::adds_pairs(*kernels);
    SourceModel model;
    model.symbol = "mlgc_unit_" + name_;
    const std::span<const PrintedFunction> all(*kernels);
    std::vector<EmittedFile> others;
    const auto groups = groups_of(all);
    const bool one_file = groups.size() <= 1;
    for (std::size_t i = 0; !one_file && i < groups.size(); ++i) others.push_back(kernel_file(groups[i], i + 1));
    const std::span<const PrintedFunction> none;
    model.sources.push_back(
        main_file(*functions, one_file ? all : none, host_functions, one_file ? none : all, others.size()));
    std::move(others.begin(), others.end(), std::back_inserter(model.sources));
    model.header = codegen::model_header(module_, *functions, model.symbol, hooks_);
    return model;
  }

 private:
  // The kernels of each file, of which all have about as much text.
  [[nodiscard]] std::vector<std::span<const PrintedFunction>> groups_of(std::span<const PrintedFunction> all) const {
    std::size_t total = 0;
    for (const PrintedFunction& kernel : all) total += kernel.text.size();
    const std::size_t each = std::max<std::size_t>({1, options_.bytes_per_file, total / options_.most_files});
    const std::size_t files = total / each + 1;
    std::vector<std::span<const PrintedFunction>> groups;
    std::size_t first = 0, text = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      text += all[i].text.size();
      if (i + 1 < all.size() && text < total / files * (groups.size() + 1)) continue;
      groups.push_back(all.subspan(first, i + 1 - first));
      first = i + 1;
    }
    return groups;
  }

  codegen::Unit unit(const std::string& file_name, const std::string& functions) const {
    codegen::Unit unit;
    unit.file_name = file_name;
    unit.head = "#include \"runtime/unit.h\"\n";
    unit.functions = codegen::vector_types(functions) + functions;
    unit.name_space = name_space_;
    unit.bf16_pairs = bf16_pairs_;
    unit.only = options_.vector_bytes;
    return unit;
  }

  static UnitFunction entry(const PrintedFunction& f) { return {"int32_t", f.name, f.parameters, f.arguments}; }

  EmittedFile kernel_file(std::span<const PrintedFunction> kernels, std::size_t number) const {
    std::string text = codegen::shared_functions(kernels);
    std::vector<UnitFunction> entries;
    for (const PrintedFunction& kernel : kernels) {
      text += "\n" + kernel.text;
      entries.push_back(entry(kernel));
    }
    const std::string name = "model_kernels_" + std::to_string(number) + ".cpp";
    codegen::Unit file = unit(name, text);
    file.entry = entries;
    file.prepare = "mlgc_prepare_" + std::to_string(number);
    return {name, codegen::print_unit(file)};
  }

  // Host functions, and the table. Kernels stand here or, when they are many, are declared. A host function only calls
  // what touches vectors, and is compiled once; one that has loops of its own is as a kernel, for each width.
  EmittedFile main_file(std::span<const codegen::ModelFunction> functions, std::span<const PrintedFunction> here,
                        std::span<const PrintedFunction> host_functions, std::span<const PrintedFunction> elsewhere,
                        std::size_t files) const {
    std::string text = codegen::shared_functions(here), hosts;
    std::vector<UnitFunction> entries, declared;
    for (const PrintedFunction& kernel : here) {
      text += "\n" + kernel.text;
      entries.push_back(entry(kernel));
    }
    codegen::TableText table{
        std::string(codegen::module_name(module_)), options_.version, "mlgc_unit_" + name_, "mlgc_prepare", {}};
    for (const PrintedFunction& host_function : host_functions) {
      const bool wide = host_function.has_parallel_loops || !codegen::vector_types(host_function.text).empty();
      (wide ? text : hosts) += "\n" + host_function.text;
      (wide ? entries : declared).push_back(entry(host_function));
      table.run.push_back(host_function.name);
    }
    codegen::Unit file = unit("model.cpp", text);
    file.entry = entries;
    file.hosts = hosts;
    file.declared = declared;
    file.prepare = files == 0 ? "mlgc_prepare" : "mlgc_prepare_drivers";
    if (files > 0) {
      file.head += "\n// Of the other files.\nnamespace " + name_space_ + " {\n";
      for (const PrintedFunction& kernel : elsewhere)
        file.head += "int32_t " + kernel.name + "(" + kernel.parameters + ");\n";
      file.tail += "\nstatic int32_t mlgc_prepare(int32_t bytes) {\n";
      for (std::size_t i = 1; i <= files; ++i) {
        const std::string prepare = "mlgc_prepare_" + std::to_string(i);
        file.head += "int32_t " + prepare + "(int32_t bytes);\n";
        file.tail += "  if (" + prepare + "(bytes) == 0) return 0;\n";
      }
      file.head += "}  // namespace " + name_space_ + "\n";
      file.tail += "  return mlgc_prepare_drivers(bytes);\n}\n";
    }
    file.tail += codegen::print_table(module_, functions, data_, places_, table);
    return {"model.cpp", codegen::print_unit(file)};
  }

  const Module& module_;
  const codegen::DataPlaces& places_;
  const SourceOptions& options_;
  codegen::CppHooks hooks_;
  codegen::ModelData data_;
  std::string name_, name_space_;
  bool bf16_pairs_ = false;  // of any kernel
};

}  // namespace

Result<SourceModel, Diagnostic> print_cpp_model(const Module& module, const codegen::DataPlaces& places,
                                                const SourceOptions& options) {
  try {
    return CppModelPrinter(module, places, options).run();
  } catch (Diagnostic& d) {
    return Failure{std::move(d)};
  }
}

}  // namespace mlgc
