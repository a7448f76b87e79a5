// See generic_names.h.
#include "text/generic_names.h"

namespace mlgc::text {

std::string_view short_name(std::string_view name) {
  if (name == "builtin.module") return "module";
  if (name == "func.func") return "func";
  if (name == "func.return") return "return";
  if (name.starts_with("mlgc.")) return name.substr(5);
  return name;
}

std::string_view plain_key(const OpDef& def, std::string_view key) {
  if (!key.starts_with("mlgc.")) return key;
  for (const AttrDef& attr : def.attrs)
    if (attr.name == key.substr(5)) return attr.name;
  return key;
}

}  // namespace mlgc::text
