// See calls.h.
#include "import/fx/calls.h"

#include <algorithm>
#include <array>

#include "diag/kinds_import.h"
#include "import/fx/higher_order.h"
#include "import/fx/prelude.h"

namespace mlgc::fx {

namespace {

// Modules of Python whose functions are the ATen operators of their names, where they have no def.
constexpr std::array<std::string_view, 12> kAtenModules{"aten.",
                                                        "torch.",
                                                        "torch.functional.",
                                                        "torch._VF.",
                                                        "torch._C._nn.",
                                                        "torch._C._fft.",
                                                        "torch.fft.",
                                                        "torch._C._linalg.",
                                                        "torch.linalg.",
                                                        "torch._C._special.",
                                                        "torch.special.",
                                                        "torch._C._VariableFunctions."};

// Of torch.nn.functional, whose functions in general take other arguments than the operators of their names, those that
// are the operators themselves.
constexpr std::array<std::string_view, 33> kAtenFunctionals{"adaptive_avg_pool1d",
                                                            "avg_pool1d",
                                                            "avg_pool2d",
                                                            "avg_pool3d",
                                                            "bilinear",
                                                            "celu_",
                                                            "channel_shuffle",
                                                            "conv1d",
                                                            "conv2d",
                                                            "conv3d",
                                                            "conv_tbc",
                                                            "conv_transpose1d",
                                                            "conv_transpose2d",
                                                            "conv_transpose3d",
                                                            "cosine_similarity",
                                                            "elu_",
                                                            "gelu",
                                                            "hardshrink",
                                                            "hardtanh_",
                                                            "leaky_relu_",
                                                            "linear",
                                                            "native_channel_shuffle",
                                                            "one_hot",
                                                            "pairwise_distance",
                                                            "pdist",
                                                            "pixel_shuffle",
                                                            "pixel_unshuffle",
                                                            "prelu",
                                                            "relu_",
                                                            "scaled_dot_product_attention",
                                                            "selu_",
                                                            "softplus",
                                                            "softshrink"};

// Operators of PyTorch's own intermediate levels that are an ATen operator on the same arguments.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPrims{
    {{"prims::convert_element_type.default", "aten::to.dtype"}}};
std::string_view aten_operator(std::string_view name) {
  const auto* const row =
      std::find_if(kPrims.begin(), kPrims.end(), [&](const auto& entry) { return entry.first == name; });
  return row == kPrims.end() ? name : row->second;
}

// Whether a function of Python means the ATen operator of its name.
bool means_aten(std::string_view module, std::string_view base) {
  if (module == "torch.nn.functional.")
    return std::find(kAtenFunctionals.begin(), kAtenFunctionals.end(), base) != kAtenFunctionals.end();
  return std::find(kAtenModules.begin(), kAtenModules.end(), module) != kAtenModules.end();
}

bool knows_function(const python::FunctionBuilder& builder, std::string_view name) {
  name = aten_operator(name);
  // The prelude's own helpers are not for others.
  if (name.find_first_of(".:") == std::string_view::npos) return false;
  if (is_higher_order(name) || Builtins::is_function(name) || find_function(name) != nullptr) return true;
  if (const std::size_t colons = name.find("::"); colons != std::string_view::npos) {
    const std::string_view overload = name.substr(colons + 2);
    return name.starts_with("aten::") &&
           (overload.find('.') == std::string_view::npos ? known_base(builder, overload)
                                                         : known_base(builder, overload.substr(0, overload.find('.'))));
  }
  const std::size_t dot = name.rfind('.');
  const std::string_view base = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (find_function("torch.nn.functional." + std::string(base)) != nullptr && name.starts_with("torch._C._nn."))
    return true;
  return means_aten(name.substr(0, name.size() - base.size()), base) && known_base(builder, base);
}

bool knows_method(const python::FunctionBuilder& builder, std::string_view name) {
  return Builtins::is_method(name) || find_function("Tensor." + std::string(name)) != nullptr ||
         known_base(builder, name);
}

}  // namespace

std::optional<std::string> unknown_target(const python::FunctionBuilder& builder, const Graph& graph,
                                          const Node& node) {
  if (node.opcode == Opcode::CallFunction && !knows_function(builder, node.target)) return node.target;
  if (node.opcode == Opcode::CallMethod && !knows_method(builder, node.target)) return "method " + node.target;
  if (node.opcode != Opcode::CallModule) return std::nullopt;
  const auto module = graph.modules.find(node.target);
  if (module == graph.modules.end() || find_function(module->second.type) != nullptr) return std::nullopt;
  return "module " + module->second.type;
}

Given Calls::attribute(const PythonValue& object, const std::string& name) {
  const Object* const module = object.as<Object>();
  return module != nullptr ? modules_.attribute(*module, name) : builtins_.attribute(object, name);
}

Given Calls::call_module(const std::string& path, Arguments arguments) {
  const std::string* const type = modules_.type(path);
  if (type == nullptr) return place_.refuse<kNoMember>("the file", "module", path);
  const Function* const function = find_function(*type);
  if (function == nullptr) return place_.refuse<kNoMember>("module `" + path + "`", "definition of its class", *type);
  arguments.positional.insert(arguments.positional.begin(), PythonValue{Object{0, path}});
  return prelude_.call(*function, std::move(arguments));
}

Given Calls::call_function(std::string_view name, Arguments arguments) {
  name = aten_operator(name);
  if (Builtins::is_function(name)) return builtins_.call_function(name, arguments);
  if (const Function* function = find_function(name)) return prelude_.call(*function, std::move(arguments));
  if (name.starts_with("aten::")) {
    const std::string_view overload = name.substr(6);
    const std::size_t dot = overload.find('.');
    return operators_.call_aten(overload.substr(0, dot), std::move(arguments),
                                dot == std::string_view::npos ? "" : overload.substr(dot + 1));
  }
  const std::size_t dot = name.rfind('.');
  const std::string base(name.substr(dot == std::string_view::npos ? 0 : dot + 1));
  if (name.starts_with("torch._C._nn."))
    if (const Function* function = find_function("torch.nn.functional." + base))
      return prelude_.call(*function, std::move(arguments));
  return operators_.call_aten(base, std::move(arguments));
}

Given Calls::call_method(std::string_view name, Arguments arguments) {
  if (arguments.positional.empty()) return place_.refuse<kArgumentMissing>("self");
  if (Builtins::is_method(name)) return builtins_.call_method(name, arguments);
  if (!arguments.positional[0].is<Tensor>())
    return place_.refuse<kNoMember>(python::kind_name(arguments.positional[0]), "method", name);
  if (const Function* function = find_function("Tensor." + std::string(name)))
    return prelude_.call(*function, std::move(arguments));
  return operators_.call_aten(name, std::move(arguments));
}

}  // namespace mlgc::fx
