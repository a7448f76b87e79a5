// Private to lib/codegen: index expressions as text, of scalars and along the lanes of a strip.
#pragma once

#include <optional>

#include "codegen/emitter/lane_scope.h"

namespace mlgc::codegen {

class IndexEmitter : private EmitterPart {
 public:
  IndexEmitter(FunctionWriter& writer, LaneScope& lanes) : EmitterPart(writer), lanes_(lanes) {}

  // What a subscript is along the lanes: uniform + step * lane.
  struct Along {
    bool linear = true;
    IndexExpr step;
  };

  ValueText index(OpRef op, IndexExpr e);
  Along along(OpRef op, IndexExpr e);
  // The row-major offset of what the op accesses in the buffer: of lane 0, and of all lanes.
  SourceText offset(OpRef op, Value buffer);
  ValueText offset_vector(OpRef op, Value buffer);
  // Whether the expression, or a subscript of the op, differs between lanes.
  [[nodiscard]] bool varies(OpRef op, IndexExpr e) const;
  [[nodiscard]] bool is_varying(OpRef op) const;
  // Whether all subscripts of the op are at least 0.
  ValueText all_not_negative(OpRef op);

 private:
  ValueText atom(OpRef op, AtomId id);
  std::optional<SourceText> of_run(OpRef op, const Atom& atom);
  std::optional<SourceText> plain_division(OpRef op, const Atom& atom, const SourceText& dividend);
  std::optional<SourceText> narrow_division(OpRef op, const Atom& atom, const SourceText& dividend);
  bool is_not_negative(OpRef op, IndexExpr e);
  std::optional<ValueText> run_of_lanes(OpRef op, IndexExpr e);

  LaneScope& lanes_;
};

}  // namespace mlgc::codegen
