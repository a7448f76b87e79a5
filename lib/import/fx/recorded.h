// What the exporter recorded of a graph's values, compared with what the import makes of them.
#pragma once

#include <optional>

#include "import/fx/graph.h"
#include "import/fx/place.h"
#include "import/fx/recorded_types.h"
#include "import/python/data_sizes.h"
#include "import/python/tensor_memory.h"

namespace mlgc::fx {

class RecordedValues {
 public:
  RecordedValues(Place place, RecordedTypes& types, const python::DataSizes& sizes, python::TensorMemory& tensors)
      : place_(place), types_(types), sizes_(sizes), tensors_(tensors) {}

  // Types of tensors, however they are nested; of numbers, only that they are some. False after a diagnostic.
  [[nodiscard]] bool check(const Recorded& recorded, const PythonValue& value) const;
  // The value, or the size that it was recorded as: a number that was computed on the way through floats
  // (`int(1.7 * x.shape[0])`) is still a size where the trace knows it as one.
  [[nodiscard]] PythonValue as_size(const Recorded& recorded, PythonValue value) const;
  // A value of which only the type is known; Foreign where not even that is.
  [[nodiscard]] PythonValue stand_in(const Recorded& recorded) const;

 private:
  [[nodiscard]] bool check_tensor(const Recorded& recorded, mlgc::Value made) const;

  Place place_;
  RecordedTypes& types_;
  const python::DataSizes& sizes_;
  python::TensorMemory& tensors_;
};

}  // namespace mlgc::fx
