// The one list of diagnostic kinds, and the checks of it that the compiler makes.
#include "diag/kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace mlgc {

namespace {

template <std::size_t... N>
constexpr auto concatenate(const std::array<const DiagKind*, N>&... tables) {
  std::array<const DiagKind*, (N + ... + 0)> all{};
  std::size_t next = 0;
  const auto take = [&](const auto& table) {
    for (const DiagKind* kind : table) all[next++] = kind;
  };
  (take(tables), ...);
  return all;
}

constexpr auto kAllKinds = concatenate(
    kTextKinds, kVerifyKinds, kOpsKinds, kTensorKinds, kInterpKinds, kLoopsKinds, kScheduleKinds, kPassKinds,
    kRulesKinds, kMachineKinds, kPartitionKinds, kGradKinds, kTrainingKinds, kCheckKinds, kTorchKinds, kImportKinds,
    kImportCallsKinds, kCodegenKinds, kDecisionsKinds, kArtifactKinds, kExportKinds, kDriverKinds);

constexpr bool is_kebab_case(std::string_view id) {
  if (id.empty() || id.front() == '-' || id.back() == '-') return false;
  return std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// Sorted first: comparing each with each is more than compilers evaluate.
constexpr bool ids_are_unique() {
  std::array<std::string_view, kAllKinds.size()> ids;
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = kAllKinds[i]->id;
  std::sort(ids.begin(), ids.end());
  return std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

static_assert(ids_are_unique());

// A broken row makes this expression not constant; the compiler's message names the function that was called.
constexpr bool are_right(std::span<const DiagKind* const> kinds) {
  for (const DiagKind* kind : kinds) {
    if (!is_kebab_case(kind->id)) throw "the id of a kind is kebab-case";
    if (!diag_detail::slots_of(*kind).well_formed) throw "a template has malformed placeholders";
    if (kind->doc.empty() || kind->message.empty()) throw "a kind has a message and a doc line";
    if (kind->message.back() == '.') throw "messages end without a full stop";
    if (kind->message.front() >= 'A' && kind->message.front() <= 'Z') throw "messages start in lower case";
  }
  return true;
}
// A part each: compilers bound the steps of one constant, and all kinds take more.
constexpr std::size_t kPartSize = 64;
template <std::size_t kPart>
constexpr bool kPartIsRight = are_right(
    std::span(kAllKinds).subspan(kPart * kPartSize, std::min(kPartSize, kAllKinds.size() - kPart * kPartSize)));
template <std::size_t... kParts>
constexpr bool parts_are_right(std::index_sequence<kParts...>) {
  return (kPartIsRight<kParts> && ...);
}
static_assert(parts_are_right(std::make_index_sequence<(kAllKinds.size() + kPartSize - 1) / kPartSize>()));

}  // namespace

std::span<const DiagKind* const> all_kinds() { return kAllKinds; }

const DiagKind* find_kind(std::string_view id) {
  for (const DiagKind* kind : kAllKinds)
    if (kind->id == id) return kind;
  return nullptr;
}

}  // namespace mlgc
