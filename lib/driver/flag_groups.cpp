// See flag_groups.h.
#include "driver/flag_groups.h"

#include <algorithm>
#include <array>
#include <string>

#include "support/result.h"

namespace mlgc {
namespace {

struct FlagGroup {
  std::string_view name;
  std::string_view flags;  // with blanks around each
};

constexpr std::array kGroups{
    FlagGroup{
        "Input",
        " --function --input --random-inputs --seed --dim --weights --random-weights --states --input-type --where "
        "--model --fallback --fallback-report --registry --split-input-file --replay --random --ops --finite "
        "--results "},
    FlagGroup{
        "Passes",
        " --dtype --group --pass-pipeline --dump-pass-pipeline --numerics --rewrites-limit --verify-each --verify-seed "
        "--verify-limit --verify-finite --print-ir-before --print-ir-before-all --print-ir-after "
        "--print-ir-after-all --print-ir-after-change --print-ir-after-failure "},
    FlagGroup{"Gradients",
              " --of --wrt --mode --loss --step --lr --momentum --weight-decay --beta1 --beta2 --eps --name --raw "
              "--recompute --segments "},
    FlagGroup{"Target",
              " --target --arch --machine --vector-bytes --memory-format --decisions --memory-limit --tile-bytes "
              "--factors-in-memory "
              "--row-bytes --min-ops --max-ops --external --host-compiler --cuda-compiler "
              "--candidates "},
    FlagGroup{
        "Running",
        " --backend --backends --device --compare --expect --precision --threads --copy-weights --min-time --python "
        "--measure --check "
        "--programs --test --max-tests --ablate --against --max-trips "},
    FlagGroup{"Output",
              " --output --to --side-by-side --external-data --form --locations --format --keep --single-file "
              "--in-place --plot --list --memory --steps "
              "--print --top --print-values --print-iterations --save-inputs --functions --fx-listing --aten --summary "
              "--why-not --explain "
              "--explain-fusion --explain-fusion-format --timing --timing-format --statistics --statistics-format "},
    FlagGroup{"Diagnostics", " --diagnostics --color --log --verbose --error-limit --verify-diagnostics "},
    FlagGroup{"General", " --config --print-config --help "},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kGroups.size()> names;
  for (std::size_t i = 0; i < kGroups.size(); ++i) names[i] = kGroups[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> flag_group_names() { return kNames; }

std::string_view flag_group(std::string_view flag) {
  const std::string word = " " + std::string(flag) + " ";
  const auto group = std::ranges::find_if(
      kGroups, [&](const FlagGroup& row) { return row.flags.find(word) != std::string_view::npos; });
  if (group == kGroups.end()) throw InternalError("`" + std::string(flag) + "` is in no group of the help");
  return group->name;
}

}  // namespace mlgc
