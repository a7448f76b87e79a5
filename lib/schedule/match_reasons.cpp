// See match_reasons.h.
#include "schedule/match_reasons.h"

namespace mlgc::schedule::reason_detail {

std::string filled(std::string_view text, std::initializer_list<std::string> arguments) {
  std::string out;
  for (const std::string& argument : arguments) {
    const std::size_t at = text.find("{}");
    out += text.substr(0, at);
    out += argument;
    text.remove_prefix(at + 2);
  }
  return out += text;
}

}  // namespace mlgc::schedule::reason_detail
