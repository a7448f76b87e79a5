// Damaged texts: cut off at every byte, and edited at random. A module or a located diagnostic, never a crash.
#include <random>

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

std::string generic_sample() {
  const Parsed parsed(kSample);
  REQUIRE(parsed.module.has_value());
  return print(*parsed.module, {TextForm::Generic, true});
}

// What comes out is a module that prints and reads back, or errors with a place in the text.
bool survives(const std::string& text) {
  const Parsed parsed(text);
  if (parsed.module.has_value() == parsed.diagnostics.has_errors()) return false;
  if (parsed.module.has_value()) {
    const std::string printed = print(*parsed.module);
    const Parsed again(printed, false);
    return again.module.has_value() && print(*again.module) == printed;
  }
  for (const Diagnostic& d : parsed.diagnostics.sorted())
    if (!parsed.context->locations().primary_position(d.at).has_value()) return false;
  return !render_text(parsed.diagnostics).empty();
}

}  // namespace

TEST_CASE("texts cut off at every byte") {
  for (const std::string& text : {kSample, generic_sample()}) {
    std::size_t failures = 0;
    for (std::size_t length = 0; length < text.size(); ++length) failures += survives(text.substr(0, length)) ? 0 : 1;
    CHECK(failures == 0);
  }
}

TEST_CASE("texts edited at random") {
  const std::string samples[] = {kSample, generic_sample()};
  const std::string pieces[] = {"{",  "}",  "(",     ")",    "[",       "]",    "<",    ">", "%x",
                                "@f", "\"", "where", "loc(", "tensor<", "func", "0x",   "-", "9999999999999999999999",
                                "= ", ",",  ":",     "^bb0", "dense<",  "\\",   "\xC3", "x"};
  std::mt19937 random(7);
  std::size_t failures = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = samples[round % 2];
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < edits; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, 1 + random() % 8); break;
        case 2: text.insert(at, pieces[random() % std::size(pieces)]); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
      }
    }
    if (!survives(text)) {
      ++failures;
      INFO(text);
      CHECK(failures == 0);
    }
  }
  CHECK(failures == 0);
}
