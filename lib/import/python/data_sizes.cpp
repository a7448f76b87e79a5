// See data_sizes.h.
#include "import/python/data_sizes.h"

#include <algorithm>

namespace mlgc::python {

DataSizes::DataSizes(const Context& context, RegionRef region) : context_(context) {
  const IndexPool& index = context.index();
  for (const Value input : region.arguments())
    for (const IndexExpr dim : input.dims())
      index.for_each_atom(dim, [&](AtomId atom) {
        if (index.atom(atom).kind == AtomKind::Symbol) of_inputs_.emplace(index.symbol_name(atom));
      });
}

std::string DataSizes::fresh() const {
  for (int number = 0;; ++number)
    if (std::string name = "u" + std::to_string(number); !of_inputs_.contains(name) && !of_data_.contains(name))
      return name;
}

bool DataSizes::mentions(IndexExpr size, const std::set<std::string, std::less<>>& symbols) const {
  const IndexPool& index = context_.index();
  bool found = false;
  index.for_each_atom(size, [&](AtomId atom) {
    found = found || (index.atom(atom).kind == AtomKind::Symbol && symbols.contains(index.symbol_name(atom)));
  });
  return found;
}

void DataSizes::note(const std::string& symbol, std::span<const Type> types) {
  const std::set<std::string, std::less<>> wanted{symbol};
  for (const Type type : types)
    for (const IndexExpr dim : context_.types().dims(type))
      if (mentions(dim, wanted)) of_data_.insert(symbol);
}

bool DataSizes::depends_on_data(IndexExpr size) const { return mentions(size, of_data_); }

}  // namespace mlgc::python
