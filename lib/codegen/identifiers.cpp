#include "codegen/identifiers.h"

namespace mlgc::codegen {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string underscored(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (!is_letter_or_digit(c)) c = '_';
  return out;
}

std::string identifier_of(std::string_view symbol, const EmitterHooks& hooks) {
  std::string out = underscored(symbol);
  if (out.empty() || (out[0] >= '0' && out[0] <= '9') || out[0] == '_') out = "v" + out;
  if (hooks.is_reserved(out)) out += "_";
  return out;
}

}  // namespace mlgc::codegen
