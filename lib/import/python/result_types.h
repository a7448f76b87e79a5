// Result types of ATen operators whose conversion asks for them: torch.export records those, TorchScript does not.
//
// These rows hold for all sizes. LibTorch is asked (torch_types.h) only where there is none: its kernels say sizes as
// numbers, and what is found from numbers is checked against choices of sizes and not proven.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "import/python/python_value.h"
#include "ir/context.h"
#include "ir/type.h"

namespace mlgc::python {

// Of a call, by the names of the schema. Tensors are by value.
struct CallArguments {
  struct Item {
    std::string_view name;
    PythonValue value;
    Value tensor;  // of a tensor
  };
  std::vector<Item> items;

  [[nodiscard]] const Item* find(std::string_view name) const {
    for (const Item& item : items)
      if (item.name == name) return &item;
    return nullptr;
  }
};

struct ResultTypes {
  std::vector<Type> types;          // none: inference says them
  std::optional<Diagnostic> wrong;  // why they are not known; without a location
};

// What Python's number becomes as a tensor of torch.tensor() or torch.full().
[[nodiscard]] Dtype dtype_of_number(const PythonValue& number);

// Of `aten.view.default` and the like, which messages call `called`. `fresh_symbol` names a size that depends on data.
[[nodiscard]] ResultTypes result_types(std::string_view target, std::string_view called, const CallArguments& arguments,
                                       Context& context, const std::string& fresh_symbol);

}  // namespace mlgc::python
