// What views of a graph have in common: the sizes that numbers are made with, and how amounts are written.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/symbol_origin.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "text/module_report.h"

namespace mlgc {

struct ViewOptions {
  std::map<std::string, std::int64_t> sizes;  // of symbols; others count as typical_size() says
  std::string value;                          // `%name`: of this value alone; empty: of all
  bool color = false;
};

class GraphView : protected ModuleReport {
 public:
  // Both must outlive the view.
  GraphView(const Module& module, const ViewOptions& options);

 protected:
  // Of the function that holds the op, with the sizes that were asked for.
  [[nodiscard]] const Facts& facts_at(OpRef op);
  // `%x of conv2d`, `argument %x`.
  [[nodiscard]] std::string origin(Value value) const;
  // `@name` of what a `read` reads; else empty.
  [[nodiscard]] std::string symbol_read(OpRef op) const;
  // `B: size 0 of argument %x`.
  [[nodiscard]] std::string symbol_text(const SymbolOrigin& symbol) const;
  // `f` of the sequence, with commas between.
  template <class Items, class Text>
  [[nodiscard]] static std::string joined(const Items& items, Text&& text) {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : ", ") + text(item);
    return out;
  }

  const Module& module_;
  const ViewOptions& options_;

 private:
  FunctionFacts function_facts_;
  OpId facts_of_;
  Facts facts_;
};

// `1.82 G`, `46.8 M`, `312`: three digits and a decimal prefix.
[[nodiscard]] std::string amount_text(double value);
// `1.8 ms`, of seconds.
[[nodiscard]] std::string time_text(double seconds);

}  // namespace mlgc
