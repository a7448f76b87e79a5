// Types of what the exporter recorded, with our names of its symbols.
#pragma once

#include <optional>

#include "import/fx/graph.h"
#include "ir/index_expr.h"
#include "ir/type.h"
#include "support/result.h"

namespace mlgc::fx {

class RecordedTypes {
 public:
  virtual ~RecordedTypes() = default;
  // Error: an element type or a size that cannot be.
  [[nodiscard]] virtual Result<Type> tensor(const Recorded& recorded) = 0;
  // Of sizes of inputs; nothing where it mentions others, or is not understood.
  [[nodiscard]] virtual std::optional<IndexExpr> size(const program::Size& size) = 0;
  // Where inputs have other sizes than recorded, only element types and ranks can be compared.
  [[nodiscard]] virtual bool comparable() const = 0;

 protected:
  RecordedTypes() = default;
  RecordedTypes(const RecordedTypes&) = default;
  RecordedTypes& operator=(const RecordedTypes&) = default;
};

}  // namespace mlgc::fx
