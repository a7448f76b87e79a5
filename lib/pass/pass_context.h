// What a pass sees beside the module: diagnostics, the numerics mode, its counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "ops/numerics.h"

namespace mlgc {

struct PassDef;

enum class PassResult : std::uint8_t { Unchanged, Changed, Failed };

// A number with a name: a counter of the row, or how often a rule was used.
struct NamedCount {
  std::string name;
  std::uint64_t count = 0;
  friend bool operator==(const NamedCount&, const NamedCount&) = default;
};

class PassContext {
 public:
  PassContext(const PassDef& pass, DiagnosticEngine& diagnostics, Numerics numerics);

  [[nodiscard]] const PassDef& pass() const { return *pass_; }
  [[nodiscard]] DiagnosticEngine& diagnostics() const { return *diagnostics_; }
  [[nodiscard]] Numerics numerics() const { return numerics_; }

  // A counter that the row lists, else InternalError. The reference stays valid for the life of the context.
  [[nodiscard]] std::uint64_t& count(std::string_view name);
  // How often a rewrite rule was used; rules are not listed in the row.
  void add_rule_hits(std::string_view rule, std::uint64_t hits);

  [[nodiscard]] static PassResult changed_if(bool changed) {
    return changed ? PassResult::Changed : PassResult::Unchanged;
  }

  [[nodiscard]] const std::vector<NamedCount>& counters() const { return counters_; }  // in the order of the row
  [[nodiscard]] const std::vector<NamedCount>& rules() const { return rules_; }        // in the order of addition

 private:
  const PassDef* pass_;
  DiagnosticEngine* diagnostics_;
  Numerics numerics_;
  std::vector<NamedCount> counters_, rules_;
};

// Reports that the value of an option cannot be used; the pass answers Failed then.
void reject_option(PassContext& context, std::string_view option, std::string_view problem);

}  // namespace mlgc
