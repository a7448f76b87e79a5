// Facts about the order of passes, each with its reason: one table, checked when a pipeline is built.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mlgc {

enum class OrderStrength : std::uint8_t {
  Required,  // no `later` may stand before an `earlier`: an error
  Advised,   // after the last `earlier` there should be a `later`, if the pipeline has one at all: a warning
};

struct OrderFact {
  std::string_view earlier, later;
  OrderStrength strength;
  std::string_view reason;  // continues "because"
};

[[nodiscard]] std::span<const OrderFact> order_facts();

}  // namespace mlgc
