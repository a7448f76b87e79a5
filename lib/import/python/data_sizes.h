// Symbols of sizes that depend on data: `u0`, `u1`, … as far as no size of an input is called so.
#pragma once

#include <set>
#include <span>
#include <string>

#include "ir/context.h"
#include "ir/handles.h"

namespace mlgc::python {

class DataSizes {
 public:
  // `region` is the function's, whose arguments have the other symbols.
  DataSizes(const Context& context, RegionRef region);

  // The first name that no size has.
  [[nodiscard]] std::string fresh() const;
  // `symbol` is in use from now on if it occurs in one of the types.
  void note(const std::string& symbol, std::span<const Type> types);
  [[nodiscard]] bool depends_on_data(IndexExpr size) const;

 private:
  [[nodiscard]] bool mentions(IndexExpr size, const std::set<std::string, std::less<>>& symbols) const;

  const Context& context_;
  std::set<std::string, std::less<>> of_inputs_, of_data_;
};

}  // namespace mlgc::python
