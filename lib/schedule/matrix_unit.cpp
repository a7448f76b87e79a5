// matrix: a tile of a product is computed by the matrix unit.
#include "analysis/attention_nest.h"
#include "analysis/loop_access.h"
#include "analysis/matrix_nest.h"
#include "schedule/loop_edit.h"
#include "schedule/loop_transforms.h"

namespace mlgc {

using namespace schedule;

TransformResult use_matrix_unit(OpRef rows, std::int64_t stages, const Facts& facts) {
  const ForRef of = ForRef::from(rows);
  MLGC_ASSERT(of.valid(), "use_matrix_unit: no loop");
  if (stages < 2 || stages > 8) return refuse<kScheduleParameter>("the number of stages", stages, "from 2 to 8");
  if (auto may = expect_plain(of); !may) return may;
  if (const auto cause = why_no_matrix_loop(of))
    return refuse<kScheduleNotApplicable>(index_name(of), "go to the matrix unit: " + *cause);
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  of.set_kind(LoopKind::Matrix);
  of.set_stages(stages);
  return {};
}

}  // namespace mlgc
