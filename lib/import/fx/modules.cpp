// See modules.h.
#include "import/fx/modules.h"

#include "diag/kinds_import.h"

namespace mlgc::fx {

const std::string* Modules::type(const std::string& path) const {
  const auto module = graph_.modules.find(path);
  return module == graph_.modules.end() ? nullptr : &module->second.type;
}

Given Modules::tensor(const std::string& path) {
  if (const PythonValue* known = attributes_.find(path)) return *known;
  const auto entry = graph_.tensors.find(path);
  if (entry == graph_.tensors.end()) return place_.refuse<kNoMember>("the file", "tensor", path);
  const auto number = static_cast<std::size_t>(std::distance(graph_.tensors.begin(), entry));
  Given found = attributes_.tensor(place_.node(), number, path);
  if (!found) return std::nullopt;
  if (const mlgc::Value read = (*found->as<Tensor>())->value;
      read.valid() && read.is_result() && !read.definer().location().known())
    read.definer().set_location(place_.sites.location(place_.node()));
  return found;
}

Given Modules::attribute(const Object& module, const std::string& name) {
  const std::string path = module.path.empty() ? name : module.path + "." + name;
  if (graph_.tensors.contains(path)) return tensor(path);
  const auto held = graph_.modules.find(module.path);
  if (held != graph_.modules.end()) {
    const auto& parameters = held->second.hyper_parameters;
    if (const auto value = parameters.find(name); value != parameters.end()) {
      // `bias` says whether there is one.
      if (name != "bias" || !value->second.is(Literal::Kind::Bool)) return literals_.value(value->second);
      if (value->second.integer == 0) return PythonValue{None()};
    }
  }
  if (graph_.modules.contains(path)) return PythonValue{Object{0, path}};
  return place_.refuse<kNoMember>("module `" + module.path + "` of the file", "hyper-parameter or tensor", name);
}

// In their order, which only numbers say by themselves.
Given Modules::children(const PythonValue& module) const {
  if (!module.is<Object>())
    return place_.refuse<kArgumentKind>("what has modules", python::kind_name(module), "a module");
  const std::string& path = module.as<Object>()->path;
  const std::string prefix = path + ".";
  auto made = std::make_shared<std::vector<PythonValue>>();
  const auto held = graph_.modules.find(path);
  const auto listed = held->second.hyper_parameters.find("children");
  if (listed != held->second.hyper_parameters.end()) {
    for (const Literal& name : listed->second.items) {
      if (!graph_.modules.contains(prefix + name.text))
        return place_.refuse<kNoMember>("the file", "module", prefix + name.text);
      made->push_back({Object{0, prefix + name.text}});
    }
    return PythonValue{List{made, place_.builder.depth()}};
  }
  std::size_t direct = 0;
  for (auto at = graph_.modules.lower_bound(prefix); at != graph_.modules.end() && at->first.starts_with(prefix); ++at)
    direct += at->first.find('.', prefix.size()) == std::string::npos ? 1 : 0;
  for (std::size_t i = 0; i < direct; ++i) {
    const std::string child = prefix + std::to_string(i);
    if (!graph_.modules.contains(child))
      return place_.refuse<kNoMember>("module `" + path + "` of the file", "list of the order of its modules",
                                      "children");
    made->push_back({Object{0, child}});
  }
  return PythonValue{List{made, place_.builder.depth()}};
}

}  // namespace mlgc::fx
