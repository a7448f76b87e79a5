// See source_model.h.
#include "codegen/source_model.h"

#include "codegen/identifiers.h"
#include "codegen/print_function.h"
#include "ir/function.h"

namespace mlgc {
namespace {

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// After the first two characters nothing ends the comment.
std::string inside_comment(std::string text) {
  for (std::size_t at = text.find("*/", 2); at != std::string::npos; at = text.find("*/", at)) text.insert(at + 1, " ");
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\n') c = '?';
  return text;
}

std::string join_words(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

// `forward(x: tensor<[B]x4xf32>) -> (y: tensor<[B]xf32>) where …`
std::string signature(const Context& context, const codegen::ModelFunction& f) {
  const auto list = [&](const std::vector<codegen::ModelValue>& values) {
    std::vector<std::string> words;
    for (const codegen::ModelValue& value : values) {
      std::string dims;
      for (const IndexExpr dim : context.types().dims(value.type))
        dims +=
            (context.index().as_constant(dim) ? context.index().print(dim) : "[" + context.index().print(dim) + "]") +
            "x";
      words.push_back(value.name + ": tensor<" + dims +
                      std::string(dtype_info(context.types().dtype(value.type)).name) + ">");
    }
    return join_words(words, ", ");
  };
  const Constraints constraints = FuncRef(f.host_function).constraints();
  return std::string(f.host_function.symbol()) + "(" + list(f.inputs) + ") -> (" + list(f.outputs) + ")" +
         (constraints.empty() ? "" : " where " + print(constraints, context.index()));
}

}  // namespace

std::string model_identifier(const Module& module) { return codegen::underscored(codegen::module_name(module)); }

namespace codegen {

std::string_view module_name(const Module& module) {
  const std::string_view name = module.top().symbol();
  return name.empty() ? "model" : name;
}

EmittedFile model_header(const Module& module, std::span<const ModelFunction> functions, const std::string& symbol,
                         const EmitterHooks& hooks) {
  const std::string guard = upper(symbol) + "_H";
  std::string text =
      std::string(kModelHeaderBegins) + std::string(module_name(module)) +
      "`, for C and C++. A function's number is what mlgc_run() takes; new states are no outputs there.\n";
  for (const ModelFunction& f : functions) text += " *\n *   " + signature(module.context(), f) + "\n";
  text = inside_comment(text);
  text += " */\n#ifndef " + guard + "\n#define " + guard + "\n\n#include \"runtime/mlgc.h\"\n\n" +
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\nconst mlgc_unit* " + symbol + "(void);\n\nenum {";
  std::vector<std::string> numbers;
  std::set<std::string> names;
  for (std::size_t f = 0; f < functions.size(); ++f)
    numbers.push_back(
        " " +
        free_name("number_of_" + model_identifier(module) + "_" + std::string(functions[f].host_function.symbol()),
                  hooks, names) +
        " = " + std::to_string(f));
  return {"model.h", text + join_words(numbers, ",") + " };\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"};
}

std::string free_name(std::string_view symbol, const EmitterHooks& hooks, std::set<std::string>& names) {
  std::string name = identifier_of(symbol, hooks);
  while (!names.insert(name).second) name += "_";
  return name;
}

Result<std::vector<PrintedFunction>, Diagnostic> print_loop_functions(std::span<const OpRef> functions,
                                                                      const EmitterHooks& hooks,
                                                                      std::set<std::string>& names) {
  std::vector<PrintedFunction> out;
  for (const OpRef f : functions) {
    auto printed = print_loop_function(f, free_name(f.symbol(), hooks, names), hooks);
    if (!printed) return Failure{std::move(printed.error())};
    out.push_back(std::move(*printed));
  }
  return out;
}

std::string shared_functions(std::span<const PrintedFunction> functions) {
  std::map<std::string, std::string> all;
  for (const PrintedFunction& function : functions) all.insert(function.shared.begin(), function.shared.end());
  std::string out;
  for (const auto& [name, text] : all) out += "\n" + text;
  return out;
}

std::vector<FunctionMemory> memory_of(std::span<const PrintedFunction> functions) {
  std::vector<FunctionMemory> out;
  for (const PrintedFunction& function : functions) out.push_back(function.memory);
  return out;
}

}  // namespace codegen

}  // namespace mlgc
