// What reports about a module are written with: names of values, places of ops, bytes over sizes; for people tables,
// for programs the members of JSON objects.
//
// Guarantee: a value is called what print() calls it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/json_writer.h"
#include "ir/module.h"

namespace mlgc {

// `1 op`, `2 ops`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);
// The fewest digits that read back as the number.
[[nodiscard]] std::string number_text(double value);
// Three digits, without an exponent.
[[nodiscard]] std::string short_number(double value);
// `33.3 %`.
[[nodiscard]] std::string share_text(std::size_t part, std::size_t whole);

// Rows whose columns are as wide as the widest entry (of up to 40 bytes), the last one excepted.
struct ReportTable {
  std::vector<std::vector<std::string>> rows;
  void append_to(std::string& out, std::string_view indent) const;
};

// A value that is read or written somewhere.
struct ReportedValue {
  std::string name;
  std::string type;
  IndexExpr bytes;
};

class ModuleReport {
 protected:
  explicit ModuleReport(const Module& module);

  [[nodiscard]] std::string name(Value value) const;  // with its %
  [[nodiscard]] std::string names(OpRef op) const;    // of the results; `-` when there are none
  [[nodiscard]] std::string place(OpRef op) const;
  [[nodiscard]] OpRef function_of(RegionRef region) const;
  // ``body` of scan (file:1:2)`; empty for the body of a function.
  [[nodiscard]] std::string region_text(RegionRef region) const;

  [[nodiscard]] IndexExpr bytes(Type type) const;
  [[nodiscard]] std::string bytes_text(IndexExpr bytes) const;  // `4*B bytes`
  [[nodiscard]] IndexExpr sum(const std::vector<ReportedValue>& values) const;
  [[nodiscard]] ReportedValue reported(std::string name, Type type) const;
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;

  // Members of the object that is written.
  // Of an op: `op`, `results` (their names), and where it has a position `file`, `line` and `column`.
  void json_op(JsonWriter& out, OpRef op) const;
  // Objects of `name`, `type` and `bytes`.
  void json_values(JsonWriter& out, std::string_view name, const std::vector<ReportedValue>& values) const;

  Context& context_;
  bool color_ = false;

 private:
  std::unordered_map<ValueId, std::string> names_;
};

}  // namespace mlgc
