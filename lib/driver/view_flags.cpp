// See view_flags.h.
#include "driver/view_flags.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "driver/dim_flag.h"
#include "driver/load.h"
#include "driver/machine_flag.h"
#include "driver/model_flags.h"
#include "inspect/symbol_origin.h"
#include "ir/function_facts.h"
#include "loopir/module_machine.h"
#include "ops/op_table.h"
#include "text/printer.h"

namespace mlgc {
namespace {

// An unknown name, with the nearest known one.
template <class Names>
std::optional<Diagnostic> check_name(std::string_view what, std::string_view name, const Names& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return std::nullopt;
  Diagnostic diagnostic = diagnose<kUnknownName>({}, what, name);
  const std::vector<std::string_view> all(names.begin(), names.end());
  if (const auto best = closest_name(name, all)) diagnostic.add_note<kDidYouMean>({}, *best);
  return diagnostic;
}

// A size that a function's `where` clause excludes.
std::optional<Diagnostic> check_bounds(const Module& module, const std::string& name, std::int64_t size,
                                       std::string_view command) {
  IndexPool& index = module.context().index();
  const auto symbol = index.as_atom(index.symbol(name));
  FunctionFacts facts;
  for (const FuncRef& function : functions(module)) {
    const Facts& known = facts.of(function.op());
    if (size < known.lower(*symbol).value_or(size) || size > known.upper(*symbol).value_or(size))
      return diagnose<kBadFlag>({},
                                "--dim: " + name + " = " + std::to_string(size) + " contradicts `where " +
                                    print(function.constraints(), index) + "` of `@" + std::string(function.name()) +
                                    "`",
                                command);
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_options(const Module& module, const ViewOptions& options, std::string_view command) {
  std::vector<std::string> symbols, values;
  for (const FuncRef& function : functions(module))
    for (const SymbolOrigin& symbol : symbol_origins(function)) symbols.push_back(symbol.name);
  for (const auto& [name, size] : options.sizes) {
    if (auto wrong = check_name("symbol", name, symbols)) return wrong;
    if (auto wrong = check_bounds(module, name, size, command)) return wrong;
  }
  if (options.value.empty()) return std::nullopt;
  for (const auto& [name, value] : printed_names(module)) values.push_back("%" + name);
  return check_name("value", options.value, values);
}

}  // namespace

void add_view_flags(Arguments& arguments, ViewFlags& flags, ViewOf of) {
  add_module_argument(arguments, flags.input);
  if (of == ViewOf::Value)
    arguments.add_positional("value", flags.options.value, "%VALUE", "This value alone; nothing: all of them");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE", "The size of a symbol; repeatable. Others count as 64");
  arguments.add_format_flag(flags.format, "--format", "How the report is written");
  arguments.add_diagnostic_flags();
}

namespace {

// `view` says nothing after an error that it reported.
ExitCode run(const Arguments& arguments, ViewFlags& flags, std::string_view command,
             const std::function<std::string(Module&, DiagnosticEngine&)>& view) {
  const Console& console = arguments.console();
  std::vector<SizeBinding> dims;
  if (auto wrong = read_dim_flags(flags.dims, command, dims)) return console.report(*std::move(wrong));
  for (const SizeBinding& dim : dims) flags.options.sizes[dim.name] = dim.size;
  if (!flags.options.value.empty() && !flags.options.value.starts_with("%")) flags.options.value.insert(0, "%");
  flags.options.color = want_color(console.color, ::isatty(STDOUT_FILENO) == 1, std::getenv("NO_COLOR"));
  const std::shared_ptr<Context> context = make_context();
  DiagnosticEngine diagnostics(context->locations(), console.error_limit);
  std::optional<Module> module = load_input(context, flags.input, diagnostics);
  if (!module) return console.report(diagnostics);
  if (auto wrong = check_options(*module, flags.options, command))
    return console.report(context->locations(), *std::move(wrong));
  const std::string text = view(*module, diagnostics);
  if (!text.empty())
    if (const Status<> written = write_product("-", text); !written)
      diagnostics.emit(diagnose<kCannotWrite>({}, written.error()));
  return console.report(diagnostics);
}

}  // namespace

ExitCode run_view(const Arguments& arguments, ViewFlags& flags, std::string_view command,
                  const std::function<std::string(const Module&)>& view) {
  return run(arguments, flags, command, [&](Module& module, DiagnosticEngine&) { return view(module); });
}

ExitCode run_machine_view(const Arguments& arguments, ViewFlags& flags, const std::string& machine,
                          std::string_view command,
                          const std::function<std::string(const Module&, const Machine&)>& view) {
  return run(arguments, flags, command, [&](Module& module, DiagnosticEngine& diagnostics) {
    if (machine.empty()) return view(module, stated_machine(module).value_or(machine_of(module, MachineKind::Cpu)));
    // With the name that a file gives it, which the attribute of a module does not hold.
    const std::optional<Machine> read = read_machine_flag(machine, module.context(), diagnostics);
    if (!read) return std::string();
    state_machine(module, *read);
    return view(module, *read);
  });
}

}  // namespace mlgc
