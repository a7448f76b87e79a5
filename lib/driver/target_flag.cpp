// See target_flag.h.
#include "driver/target_flag.h"

#include <string>
#include <utility>
#include <vector>

namespace mlgc {

void add_target_flag(Arguments& arguments, const TargetDef*& target) {
  std::vector<std::pair<std::string_view, const TargetDef*>> choices;
  std::string help = "What it is for: ";
  for (const TargetDef* row : targets()) {
    choices.emplace_back(row->name, row);
    help += (row == targets().front() ? "" : "; ") + std::string(row->name) + ", " + std::string(row->summary);
  }
  arguments.add_choice<const TargetDef*>("--target", target, std::move(choices), help);
}

}  // namespace mlgc
