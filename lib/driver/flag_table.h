// What commands take, as data: for completions and the manual page.
#pragma once

#include <string>
#include <vector>

#include "driver/command.h"

namespace mlgc {

struct FlagEntry {
  std::vector<std::string> names;    // `-o`, `--output`; of a word without a flag none
  std::string value;                 // `FILE`, `text|json`; empty for a switch
  std::vector<std::string> choices;  // the words that it takes, where these are few
  std::string summary, group;
};

struct FlagTable {
  std::string command, summary;  // `explain memory`
  std::vector<FlagEntry> flags;
};

// The flags of a command: it is run up to where it would read its words.
[[nodiscard]] FlagTable flags_of(const Command& command);
// Of all commands but `explain`, then of all its subjects; names as the command line has them.
[[nodiscard]] std::vector<FlagTable> all_flags();

// The table that is being made by flags_of(); null at other times. Arguments::parse() fills it.
[[nodiscard]] FlagTable* wanted_flags();

}  // namespace mlgc
