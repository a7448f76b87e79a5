// See literals.h.
#include "import/fx/literals.h"

#include <algorithm>
#include <array>

#include "import/program/dtypes.h"
#include "import/python/dtypes.h"

namespace mlgc::fx {

namespace {

// Of memory formats, by c10's numbers.
constexpr std::array<std::string_view, 4> kMemoryFormats{"contiguous_format", "preserve_format", "channels_last",
                                                         "channels_last_3d"};

}  // namespace

PythonValue Literals::value(const Literal& literal) const {
  const auto items = [&] {
    auto made = std::make_shared<std::vector<PythonValue>>();
    for (const Literal& item : literal.items) made->push_back(value(item));
    return made;
  };
  switch (literal.kind) {
    case Literal::Kind::None: return {None()};
    case Literal::Kind::Bool: return {literal.integer != 0};
    case Literal::Kind::Int: return {builder_.index().constant(literal.integer)};
    case Literal::Kind::Float: return {literal.real};
    case Literal::Kind::String: return {literal.text};
    case Literal::Kind::Node: return values_.get(numbers_.node(static_cast<std::size_t>(literal.integer)));
    case Literal::Kind::List: return {List{items(), builder_.depth()}};
    case Literal::Kind::Tuple: return {Tuple{items()}};
    case Literal::Kind::Slice: return {Slice{items()}};
    case Literal::Kind::Ellipsis: return {python::Ellipsis()};
    case Literal::Kind::Device: return {Device{literal.text}};
    case Literal::Kind::Layout:
      if (literal.text != "strided") return {Foreign{"the layout " + literal.text}};
      return {TorchConstant{TorchConstant::Kind::Layout, 0}};
    case Literal::Kind::Complex: return {Foreign{"complex"}};
    case Literal::Kind::Graph: return {Foreign{"a graph"}};
    case Literal::Kind::Dtype: {
      const std::optional<Dtype> dtype = program::dtype_of_name(literal.text);
      if (!dtype) return {Foreign{"the element type " + literal.text}};
      return {TorchConstant{TorchConstant::Kind::Dtype, python::c10_number(*dtype)}};
    }
    case Literal::Kind::MemoryFormat: {
      const auto* const found = std::find(kMemoryFormats.begin(), kMemoryFormats.end(), literal.text);
      return {TorchConstant{TorchConstant::Kind::MemoryFormat, found - kMemoryFormats.begin()}};
    }
    case Literal::Kind::Dict: {
      Dict dict{std::make_shared<std::vector<std::pair<PythonValue, PythonValue>>>(), builder_.depth()};
      for (std::size_t i = 0; i + 1 < literal.items.size(); i += 2)
        dict.items->emplace_back(value(literal.items[i]), value(literal.items[i + 1]));
      return {dict};
    }
  }
  return {};
}

}  // namespace mlgc::fx
