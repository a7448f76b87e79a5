#include "codegen/emitter/function_comments.h"

#include <algorithm>
#include <vector>

#include "codegen/loop_cost.h"
#include "ir/walk.h"
#include "text/printer.h"

namespace mlgc::codegen {
// A line of comment, whatever stands in names and files: nothing ends it early or carries it on.
std::string commented(std::string line) {
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  if (line.ends_with('\\')) line += '.';
  return "// " + line + "\n";
}

// What the function costs, and the rest.
std::string cost_comment(OpRef func) {
  return commented("@" + std::string(func.symbol()) + ": " + loop_cost(func).print(func.module().context().index()));
}

// The user's lines that the function came from, and its text.
std::string text_comment(OpRef func) {
  std::string out;
  std::vector<std::string> places;
  std::size_t more = 0;
  walk(func, [&](OpRef op) {
    const auto position = func.module().context().locations().primary_position(op.location());
    if (!position) return;
    const std::string place = std::string(position->file) + ":" + std::to_string(position->line);
    if (std::find(places.begin(), places.end(), place) != places.end()) return;
    places.size() < 8 ? places.push_back(place) : static_cast<void>(++more);
  });
  for (std::size_t i = 0; i < places.size(); ++i) out += (i == 0 ? "from " : ", ") + places[i];
  if (!places.empty()) out = commented(out + (more > 0 ? " and more" : ""));
  const std::string printed = print(func);
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    out += commented("  " + printed.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace mlgc::codegen
