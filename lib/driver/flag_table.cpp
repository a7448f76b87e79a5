// See flag_table.h.
#include "driver/flag_table.h"

#include "driver/arguments.h"

namespace mlgc {
namespace {

FlagTable*& table_in_the_making() {
  static FlagTable* table = nullptr;
  return table;
}

}  // namespace

FlagTable* wanted_flags() { return table_in_the_making(); }

FlagTable flags_of(const Command& command) {
  FlagTable table{.command = std::string(command.name), .summary = std::string(command.summary), .flags = {}};
  table_in_the_making() = &table;
  static_cast<void>(command.run({}));
  table_in_the_making() = nullptr;
  return table;
}

std::vector<FlagTable> all_flags() {
  std::vector<FlagTable> tables;
  for (const Command& command : commands())
    if (command.name != "explain") tables.push_back(flags_of(command));
  for (const Command& subject : explain_subjects()) {
    tables.push_back(flags_of(subject));
    tables.back().command = "explain " + tables.back().command;
  }
  return tables;
}

}  // namespace mlgc
