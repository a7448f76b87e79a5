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
#include "ops/rewrite_gate.h"

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
  // Without a gate every change is permitted. A gate must outlive the context.
  PassContext(const PassDef& pass, DiagnosticEngine& diagnostics, Numerics numerics, RewriteGate* gate = nullptr);
  PassContext(const PassContext&) = delete;
  PassContext& operator=(const PassContext&) = delete;

  [[nodiscard]] const PassDef& pass() const { return *pass_; }
  [[nodiscard]] DiagnosticEngine& diagnostics() const { return *diagnostics_; }
  [[nodiscard]] Numerics numerics() const { return numerics_; }

  // Asked just before each single change to the program; after a no the pass leaves the program as it is there and goes
  // on, or ends. `what` names the kind of change; its class is Exact unless it may alter numbers.
  [[nodiscard]] bool may_rewrite(std::string_view what, Location at, NumericsClass numerics = NumericsClass::Exact) {
    return gate_->may_rewrite(what, at, numerics);
  }
  [[nodiscard]] RewriteGate& gate() const { return *gate_; }

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
  RewriteGate own_gate_;
  RewriteGate* gate_;
  std::vector<NamedCount> counters_, rules_;
};

// Reports that the value of an option cannot be used; the pass answers Failed then.
void reject_option(PassContext& context, std::string_view option, std::string_view problem);

}  // namespace mlgc
