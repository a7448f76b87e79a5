// See place.h.
#include "import/fx/place.h"

#include "diag/kinds_import.h"

namespace mlgc::fx {

std::optional<bool> truth(const Place& place, const PythonValue& value) {
  if (const bool* flag = value.as<bool>()) return *flag;
  if (value.is<None>()) return false;
  if (const IndexExpr* number = value.as<IndexExpr>())
    if (const auto constant = place.index().as_constant(*number)) return *constant != 0;
  if (const std::string* text = value.as<std::string>()) return !text->empty();
  if (value.items() != nullptr) return !value.items()->empty();
  return place.refuse<kValueNotKnown>("a decision", python::kind_name(value));
}

}  // namespace mlgc::fx
