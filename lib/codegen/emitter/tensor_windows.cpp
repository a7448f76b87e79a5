// Factors of tensor tiles that are windows of images; see tensor_tile_emitter.h.
#include "codegen/emitter/narrow_indices.h"
#include "codegen/emitter/tensor_tile_emitter.h"
#include "loopir/subscripts.h"

namespace mlgc::codegen {

SourceText TensorTileEmitter::make_window_map(const SourceText& map, OpRef load, const FactorWindows& windows,
                                              std::int64_t lines, std::int64_t box_terms) {
  const auto text = [&](IndexExpr e) { return indices_.index(load, e).text; };
  TensorWindows factor{
      text_of(LoadRef::from(load).buffer()).text, text(windows.images), text(windows.channels), {}, lines, box_terms};
  for (const FactorWindows::Axis& axis : windows.axes)
    factor.axes.push_back({text(axis.size), text(axis.count), axis.first, axis.step, axis.reach});
  return hooks().make_map(map, factor);
}

TensorCopy TensorTileEmitter::copy_of(const SourceText& map, const MatrixOperand& operand, const FactorCopy& copy,
                                      ForRef lines, ForRef terms, const MatrixEmitter::Bounds& bounds) {
  TensorCopy out{map, {}, {}};
  if (!copy.windows) {
    out.at.push_back(bounds.first);
    for (const FactorBoxes::Further& along : copy.boxes.further) out.at.push_back(text_of(along.loop.index()).text);
    return out;
  }
  const OpRef load = operand.load;
  const auto places = subscripts_of(load);
  // Where a window begins, and what a term adds to that.
  const IndexExpr channel = at_zero(load, places.back(), lines);
  std::vector<IndexExpr> offsets;
  for (std::size_t axis = places.size() - 1; axis-- > 0;) {
    const IndexExpr begin = at_zero(load, places[axis], terms);
    out.at.push_back(indices_.index(load, begin).text);
    if (axis > 0) offsets.push_back(index_.sub(at_zero(load, places[axis], lines), at_zero(load, begin, lines)));
  }
  std::vector<IndexExpr> of_term = offsets;
  of_term.push_back(index_.sub(channel, at_zero(load, channel, terms)));
  const ForRef loops[] = {terms};
  const bool narrow = fits_in_32_bits(writer_, load, of_term, loops);
  out.term_function = fresh("at_" + std::string(writer_.index_name(terms)));
  const SourceText parameter = fresh_index(terms);
  const ValueText outside = writer_.names[terms.index().id()];
  writer_.names[terms.index().id()] = {parameter, 1};
  if (narrow) writer_.narrow.insert(terms.index().id());
  std::vector<SourceText> numbers;
  for (const IndexExpr e : offsets) numbers.push_back(indices_.index(load, e).text);
  line(hooks().window_term(out.term_function, parameter, narrow, indices_.index(load, channel).text, numbers));
  writer_.narrow.erase(terms.index().id());
  writer_.names[terms.index().id()] = outside;
  return out;
}

}  // namespace mlgc::codegen
