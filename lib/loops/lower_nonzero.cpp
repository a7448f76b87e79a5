// See lower_nonzero.h.
#include "loops/lower_nonzero.h"

#include <vector>

#include "loopir/buffers.h"
#include "loops/loop_builder.h"

namespace mlgc {

namespace {

// Elements of a tile. Places within it are i16.
constexpr std::int64_t kTile = 1024;

class NonzeroLowering {
 public:
  NonzeroLowering(Module& module, OpRef nonzero)
      : index_(module.context().index()),
        types_(module.context().types()),
        nonzero_(nonzero),
        ops_(module),
        x_(nonzero.operand(0)),
        count_(element_count(x_)),
        // One tile of nothing, where there is nothing: tables without a row have no place to look at.
        tiles_(index_.as_constant(count_) == 0 ? index_.constant(1) : index_.ceildiv(count_, index_.constant(kTile))) {}

  OpRef count(std::string_view name) {
    const OpRef func = ops_.builder().func(
        name, std::vector<Type>{buffer(x_.dtype(), x_.dims()), found(), ends(), buffer(Dtype::I64, {})});
    const std::vector<Value> arguments = name_arguments(func, {"x", "found", "ends", "count"});
    const IndexExpr none = index_.constant(0);
    const Value flat = ops_.named("buffer_view", {arguments[0]}, buffer(x_.dtype(), std::span(&count_, 1)), "flat");
    const OpRef tiles = ops_.loop(none, tiles_, {}, "t", {}, true);
    const Value tile = tiles.region(0).argument(0);
    const IndexExpr first = index_.scale(index_.opaque(0), kTile);
    const IndexExpr last = index_.min(index_.add(first, index_.constant(kTile)), count_);
    const OpRef elements = ops_.loop(first, last, {tile}, "i", {ops_.number(0)}, false);
    const Value i = elements.region(0).argument(0), so_far = elements.region(0).argument(1);
    elements.region(0).argument(1).set_name("hits");
    // Whether it stays or the next one is written over it, the place is written: no branch to predict.
    const IndexExpr place = index_.sub(index_.opaque(0), index_.scale(index_.opaque(1), kTile));
    ops_.store(ops_.cast(ops_.apply(place, {i, tile}), Dtype::I16), arguments[1], {tile, so_far}, true);
    ops_.end(elements, {ops_.sum(so_far, ops_.cast(is_there(ops_.load(flat, {i})), Dtype::I64))});
    ops_.store(elements.result(), arguments[2], {tile});
    ops_.end(tiles);
    const OpRef sums = ops_.loop(none, tiles_, {}, "t", {ops_.number(0)}, false);
    const Value at = sums.region(0).argument(0);
    const Value end = ops_.sum(sums.region(0).argument(1), ops_.load(arguments[2], {at}));
    ops_.store(end, arguments[2], {at});
    ops_.end(sums, {end});
    ops_.store(sums.result(), arguments[3], {});
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

  OpRef positions(std::string_view name) {
    const Value result = nonzero_.result();
    const OpRef func = ops_.builder().func(name, std::vector<Type>{found(), ends(), buffer(Dtype::I64, result.dims())});
    const std::vector<Value> arguments = name_arguments(func, {"found", "ends", "positions"});
    const OpRef rows = ops_.loop(index_.constant(0), result.dims()[0], {}, "n", {}, true);
    const Value row = rows.region(0).argument(0);
    const Value number = ops_.apply(index_.opaque(0), {row});
    const Value tile = tile_of(number, arguments[1]);
    // What is in front of the tile is what ends where it begins.
    const IndexExpr before = index_.max(index_.sub(index_.opaque(0), index_.constant(1)), index_.constant(0));
    const Value zero = ops_.number(0);
    const Value start =
        ops_.choose(ops_.less(zero, tile), ops_.load(arguments[1], {ops_.apply(before, {tile})}, true), zero);
    const IndexExpr difference = index_.sub(index_.opaque(0), index_.opaque(1));
    const Value place =
        ops_.cast(ops_.load(arguments[0], {tile, ops_.apply(difference, {number, start})}, true), Dtype::I64);
    IndexExpr rest = index_.add(index_.opaque(0), index_.scale(index_.opaque(1), kTile));
    const auto dims = x_.dims();
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      const IndexExpr dim = index_.as_constant(dims[axis]) == 0 ? index_.constant(1) : dims[axis];
      const IndexExpr subscript = axis == 0 ? rest : index_.mod(rest, dim);
      rest = index_.floordiv(rest, dim);
      const IndexExpr at[] = {index_.opaque(0), index_.constant(static_cast<std::int64_t>(axis))};
      ops_.store_at(ops_.apply(subscript, {place, tile}), arguments[2], at, {row}, false);
    }
    ops_.end(rows);
    ops_.builder().create(LoopOp::Return, {}, {});
    return func;
  }

 private:
  Type buffer(Dtype dtype, std::span<const IndexExpr> dims) { return types_.buffer(dtype, dims, Scope::Argument); }
  Type found() {
    const IndexExpr dims[] = {tiles_, index_.constant(kTile)};
    return buffer(Dtype::I16, dims);
  }
  Type ends() { return buffer(Dtype::I64, std::span(&tiles_, 1)); }

  std::vector<Value> name_arguments(OpRef func, std::initializer_list<std::string_view> names) {
    std::vector<Value> arguments;
    for (const std::string_view name : names) {
      arguments.push_back(func.region(0).argument(arguments.size()));
      arguments.back().set_name(name);
    }
    ops_.builder().set_end(func.region(0));
    return arguments;
  }

  // NaN is there.
  Value is_there(Value element) {
    if (element.dtype() == Dtype::I1) return element;
    if (element.dtype() == Dtype::F16 || element.dtype() == Dtype::BF16) element = ops_.cast(element, Dtype::F32);
    const Value zero = ops_.literal(element.dtype(), 0);
    return ops_.scalar("ne", {element, zero}, ops_.i1());
  }

  // The first tile whose end is after the position of that number.
  Value tile_of(Value number, Value ends) {
    const Value zero = ops_.number(0), all = ops_.apply(tiles_, {});
    const Type types[] = {ops_.i64(), ops_.i64()};
    const Value initial[] = {zero, all};
    Builder& builder = ops_.builder();
    const OpRef search = builder.create(nonzero_.module().context().opcode(LoopOp::While), initial, {}, types, 2);
    std::vector<std::vector<Value>> arguments(2);
    for (std::size_t r = 0; r < 2; ++r)
      for (const Type type : types) arguments[r].push_back(search.region(r).add_argument(type));
    builder.set_end(search.region(0));
    const Value low = arguments[0][0], high = arguments[0][1];
    for (const std::vector<Value>& region : arguments) {
      region[0].set_name("low");
      region[1].set_name("high");
    }
    builder.create(LoopOp::Condition, {ops_.less(low, high), low, high}, {});
    builder.set_end(search.region(1));
    const IndexExpr sum = index_.add(index_.opaque(0), index_.opaque(1));
    const Value middle = ops_.apply(index_.floordiv(sum, index_.constant(2)), arguments[1]);
    const Value behind = ops_.less(number, ops_.load(ends, {middle}, true));
    const Value next = ops_.apply(index_.add(index_.opaque(0), index_.constant(1)), {middle});
    ops_.end(search, {ops_.choose(behind, arguments[1][0], next), ops_.choose(behind, middle, arguments[1][1])});
    return search.result(0);
  }

  IndexPool& index_;
  TypePool& types_;
  OpRef nonzero_;
  loops::LoopBuilder ops_;
  Value x_;
  IndexExpr count_, tiles_;
};

}  // namespace

OpRef lower_nonzero_count(Module& module, OpRef nonzero, std::string_view name) {
  return NonzeroLowering(module, nonzero).count(name);
}

OpRef lower_nonzero_positions(Module& module, OpRef nonzero, std::string_view name) {
  return NonzeroLowering(module, nonzero).positions(name);
}

}  // namespace mlgc
