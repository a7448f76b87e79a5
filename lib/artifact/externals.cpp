// See externals.h.
#include "artifact/externals.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "artifact/shared_object.h"
#include "diag/kinds_artifact.h"

namespace mlgc {
namespace {

std::string symbol_of(std::string_view target) {
  std::string symbol = "mlgc_external_";
  for (const char c : target) symbol += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return symbol;
}

}  // namespace

Result<Externals, Diagnostic> Externals::load(std::span<const std::string> given, const std::string& command) {
  Externals externals;
  for (const std::string& text : given) {
    const std::size_t equal = text.find('=');
    const std::string target = text.substr(0, equal);
    if (equal == std::string::npos || target.empty() || equal + 1 == text.size())
      return Failure{diagnose<kExternalFlag>({}, text, "it names no file", command)};
    if (externals.has(target)) return Failure{diagnose<kExternalFlag>({}, text, "the target is given twice", command)};
    const std::string path = text.substr(equal + 1), symbol = symbol_of(target);
    const auto refused = [&](const std::string& what) {
      return Failure{diagnose<kCannotLoadExternal>({}, path, target, what, symbol)};
    };
    // A name without a slash would be looked for in the system's folders.
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return refused(loader_text());
    externals.handles_.emplace_back(handle, [](void* h) { ::dlclose(h); });
    const auto find = reinterpret_cast<const mlgc_external* (*)()>(::dlsym(handle, symbol.c_str()));
    if (find == nullptr) return refused("it has no symbol `" + symbol + "`");
    const mlgc_external* const found = find();
    if (found == nullptr) return refused("`" + symbol + "` gives no table");
    if (found->struct_size < sizeof(mlgc_external))
      return refused("its table has a struct_size of " + std::to_string(found->struct_size) + ", expected " +
                     std::to_string(sizeof(mlgc_external)));
    if (found->target == nullptr || target != found->target)
      return refused("its table is that of `" + std::string(found->target == nullptr ? "" : found->target) + "`");
    if (found->call == nullptr) return refused("its table has no function `call`");
    mlgc_external table;
    std::memcpy(&table, found, sizeof table);
    table.struct_size = sizeof table;
    externals.tables_.push_back(table);
  }
  return externals;
}

bool Externals::has(std::string_view target) const {
  return std::ranges::any_of(tables_, [&](const mlgc_external& table) { return table.target == target; });
}

}  // namespace mlgc
