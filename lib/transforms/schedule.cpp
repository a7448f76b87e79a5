// Steps of a schedule as passes on loop functions: each names a function and a loop in it. A step that is not shown to
// be legal is an error with the reason, and the pass fails.
#include <algorithm>
#include <array>
#include <string>

#include "loopir/loop_ops.h"
#include "schedule/loop_transforms.h"
#include "transforms/passes.h"
#include "transforms/run_step.h"

namespace mlgc {

namespace {

// ---------------------------------------------------------------------------------------------------- tile

struct TileOptions {
  std::string function, loop, tail = "min";
  std::int64_t size = 0;
};
constexpr std::array kTileOptions = step_options<TileOptions>(
    kLoopHelp, pass_option<&TileOptions::size>("size", "iterations of a tile"),
    pass_option<&TileOptions::tail>("tail",
                                    "min: the last tile may be smaller; loop: full tiles, then a loop; overlap: the "
                                    "last tile begins in the one before it"));
PassResult run_tile(Module& module, const TileOptions& options, PassContext& context) {
  if (options.tail != "min" && options.tail != "loop" && options.tail != "overlap") {
    reject_option(context, "tail", "expected min, loop or overlap, found `" + options.tail + "`");
    return PassResult::Failed;
  }
  const Tail tail = options.tail == "min" ? Tail::Min : options.tail == "loop" ? Tail::Loop : Tail::Overlap;
  return run_step(module, options, context,
                  [&](OpRef loop, const Facts& facts) { return tile(loop, options.size, tail, facts); });
}

// ---------------------------------------------------------------------------------------------------- the others

struct RfactorOptions {
  std::string function, loop;
  std::int64_t size = 0;
};
constexpr std::array kRfactorOptions =
    step_options<RfactorOptions>(kLoopHelp, pass_option<&RfactorOptions::size>("size", "iterations of a tile"));
PassResult run_interchange(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options, context, interchange, vectorizing_changes);
}
PassResult run_rfactor(Module& module, const RfactorOptions& options, PassContext& context) {
  return run_step(
      module, options, context, [&](OpRef loop, const Facts& facts) { return rfactor(loop, options.size, facts); },
      vectorizing_changes);
}
PassResult run_collapse(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options, context, [](OpRef loop, const Facts&) { return collapse(loop); });
}
struct NarrowOptions {
  std::string function, loop;
  std::int64_t size = 0;
};
constexpr std::array kNarrowOptions = step_options<NarrowOptions>(
    kLoopHelp, pass_option<&NarrowOptions::size>("size", "terms that are added in f32 at a time; 0: all"));
PassResult run_narrow(Module& module, const NarrowOptions& options, PassContext& context) {
  return run_step(
      module, options, context,
      [&](OpRef loop, const Facts& facts) {
        return options.size == 0 ? narrow(loop) : narrow_blocks(loop, options.size, facts);
      },
      [](OpRef) { return NumericsClass::Reassociate; });
}

struct BlockColumnsOptions {
  std::string function, loop;
  std::int64_t rows = 128, block = 8;
};
constexpr std::array kBlockColumnsOptions = step_options<BlockColumnsOptions>(
    "the name of the index of the loop over columns, without %",
    pass_option<&BlockColumnsOptions::rows>("rows", "rows of a tile, a multiple of block"),
    pass_option<&BlockColumnsOptions::block>("block", "rows of a block"));
PassResult run_block_columns(Module& module, const BlockColumnsOptions& options, PassContext& context) {
  return run_step(
      module, options, context,
      [&](OpRef loop, const Facts& facts) { return block_column_reduction(loop, options.rows, options.block, facts); },
      [](OpRef loop) {
        NumericsClass change = NumericsClass::Exact;
        for (const OpRef op : loop.region(0).ops())
          if (ForRef::from(op).valid()) change = std::max(change, vectorizing_changes(op));
        return change;
      });
}
PassResult run_parallelize(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options, context, parallelize);
}

struct FactorOptions {
  std::string function, loop;
  std::int64_t factor = 0;
};
constexpr std::array kUnrollOptions = step_options<FactorOptions>(
    kLoopHelp, pass_option<&FactorOptions::factor>("factor", "iterations that are written out together; 0: all"));
PassResult run_unroll(Module& module, const FactorOptions& options, PassContext& context) {
  return run_step(module, options, context,
                  [&](OpRef loop, const Facts& facts) { return unroll(loop, options.factor, facts); });
}
constexpr std::array kJamOptions = step_options<FactorOptions>(
    kLoopHelp, pass_option<&FactorOptions::factor>("factor", "iterations that become copies together; 0: all"));
PassResult run_jam(Module& module, const FactorOptions& options, PassContext& context) {
  return run_step(module, options, context,
                  [&](OpRef loop, const Facts& facts) { return jam(loop, options.factor, facts); });
}

struct SplitRangeOptions {
  std::string function, loop;
  std::int64_t pieces = 16;
};
constexpr std::array kSplitRangeOptions = step_options<SplitRangeOptions>(
    kLoopHelp, pass_option<&SplitRangeOptions::pieces>("pieces", "loops that it becomes at most"));
PassResult run_split_range(Module& module, const SplitRangeOptions& options, PassContext& context) {
  if (options.pieces < 2) {
    reject_option(context, "pieces", "a loop becomes at least two");
    return PassResult::Failed;
  }
  return run_step(module, options, context, [&](OpRef loop, const Facts& facts) {
    return split_range(loop, {.pieces = static_cast<std::size_t>(options.pieces)}, facts);
  });
}

struct TransposeTilesOptions {
  std::string function, loop;
  std::int64_t size = 16, group = 4;
};
constexpr std::array kTransposeTilesOptions = step_options<TransposeTilesOptions>(
    "the name of the outer loop's index, without %",
    pass_option<&TransposeTilesOptions::size>("size", "rows and columns of a square"),
    pass_option<&TransposeTilesOptions::group>("group", "squares side by side"));
PassResult run_transpose_tiles(Module& module, const TransposeTilesOptions& options, PassContext& context) {
  return run_step(module, options, context, [&](OpRef loop, const Facts& facts) {
    return transpose_tiles(loop, options.size, options.group, facts);
  });
}

struct VectorizeOptions {
  std::string function, loop;
  std::int64_t lanes = 16, per_lane = 1;
};
constexpr std::array kVectorizeOptions = step_options<VectorizeOptions>(
    kLoopHelp, pass_option<&VectorizeOptions::lanes>("lanes", "iterations of a vector: a power of two from 2 to 1024"),
    pass_option<&VectorizeOptions::per_lane>("per-lane",
                                             "neighbouring iterations that a lane takes at a time, 1 to 16"));
PassResult run_vectorize(Module& module, const VectorizeOptions& options, PassContext& context) {
  return run_step(
      module, options, context,
      [&](OpRef loop, const Facts& facts) { return vectorize(loop, options.lanes, facts, options.per_lane); },
      vectorizing_changes);
}

constexpr std::string_view kCopy = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N] (%i: index) {
    for [0, 8] (%j: index) {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})";

}  // namespace

constexpr PassDef kTilePass{
    .name = "tile",
    .summary = "Splits a loop into two: over tiles, and over the iterations of a tile.",
    .description =
        "The new outer loop is called after the index, `%i_o`; the index keeps its values, so the body stays as it "
        "is. The size may not divide the extent. Then with `tail=min` the last tile is smaller. With `tail=loop` the "
        "remainder is a loop `%i_tail`, so that every tile has as many iterations. With `tail=overlap` the last tile "
        "has as many too, and begins in the one before it, where iterations may run twice.",
    .options = kTileOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N ceildiv 4] (%i_o: index) {
    for [4*%i_o, min(4*%i_o + 4, N)] (%i: index) {
      for [0, 8] (%j: index) {
        %0 = load %x[%i, %j] : f32
        store %0, %y[%i, %j]
      }
    }
    yield
  }
  return
})",
                .options = "loop=i size=4"},
    .body = pass_body<TileOptions, run_tile>(),
};

constexpr PassDef kCollapsePass{
    .name = "collapse",
    .summary = "Makes one loop of a loop and the only loop inside of it.",
    .description =
        "Legal where every access of the two indices is to contiguous elements. The loop runs "
        "over views of the buffers, `buffer_view`. What both carry goes through.",
    .options = kLoopOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  %y_flat = buffer_view %y : buffer<[8*N]xf32, argument>
  %x_flat = buffer_view %x : buffer<[8*N]xf32, argument>
  for [0, 8*N] (%i_j: index) {
    %0 = load %x_flat[%i_j] : f32
    store %0, %y_flat[%i_j]
  }
  return
})",
                .options = "loop=i"},
    .body = pass_body<LoopOptions, run_collapse>(),
};

constexpr PassDef kNarrowPass{
    .name = "narrow",
    .summary = "Carries sums and products of f32 in f32 where they were carried in f64.",
    .description =
        "Of carried values that start as a number. Each step rounds to f32 then, which --numerics=exact does not "
        "admit; accurate where many lanes share the terms. With a size so many terms at a time are added in f32, and "
        "their sums in f64, whatever the value starts as.",
    .options = kNarrowOptions,
    .example = {.before = R"(func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f64, value = 0.0} : f64
  %1 = for [0, N] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 64} {
    %3 = load %x[%i] : f32
    %4 = cast %3 {dtype = f64} : f64
    %5 = add %2, %4 : f64
    yield %5
  } : f64
  %2 = cast %1 {dtype = f32} : f32
  store %2, %y[]
  return
})",
                .after = R"(func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, N] (%i: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 64} {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[]
  return
})",
                .options = "loop=i"},
    .body = pass_body<NarrowOptions, run_narrow>(),
};

constexpr PassDef kRfactorPass{
    .name = "rfactor",
    .summary = "Reduces tiles of a loop on any thread, and then their results.",
    .description =
        "The loop reduces what it carries, and is in no other one. Tiles follow from its extent, never from the "
        "number of threads. Sums and products of floats round in another order, which --numerics=exact does not admit.",
    .options = kRfactorOptions,
    .example = {.before = R"(func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, N] (%i: index, %2 = %0) {
    %3 = load %x[%i] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[]
  return
})",
                .after = R"(func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %partial = alloc : buffer<[N ceildiv 1024]xf32, arena>
  for [0, N ceildiv 1024] (%i_o: index) attributes {kind = "parallel"} {
    %1 = literal {dtype = f32, value = 0.0} : f32
    %2 = for [1024*%i_o, min(1024*%i_o + 1024, N)] (%i: index, %3 = %1) {
      %4 = load %x[%i] : f32
      %5 = add %3, %4 : f32
      yield %5
    } : f32
    store %2, %partial[%i_o]
    yield
  }
  %1 = for [0, N ceildiv 1024] (%i_p: index, %2 = %0) {
    %3 = load %partial[%i_p] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[]
  return
})",
                .options = "loop=i size=1024"},
    .body = pass_body<RfactorOptions, run_rfactor>(),
};

constexpr PassDef kBlockColumnsPass{
    .name = "block-columns",
    .summary = "Blocked column reduction: tiles of rows run in parallel, each accumulates blocks of a few rows.",
    .description =
        "For a loop over columns around one loop over rows: a blocked column reduction. Each tile of rows has a row "
        "of results in a buffer, `partial`. Tiles run in parallel; each iterates over its columns once for each block "
        "of rows. Then the results of the tiles are combined in order. Tiles follow from the number of rows, never "
        "products of floats round in another order, which --numerics=exact does not admit.",
    .options = kBlockColumnsOptions,
    .example = {.before = R"(func @f(%x: buffer<[N]x64xf32, argument>, %y: buffer<64xf32, argument>) {
  for [0, 64] (%j: index) {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, N] (%i: index, %2 = %0) {
      %3 = load %x[%i, %j] : f32
      %4 = add %2, %3 : f32
      yield %4
    } : f32
    store %1, %y[%j]
  }
  return
})",
                .after = R"(func @f(%x: buffer<[N]x64xf32, argument>, %y: buffer<64xf32, argument>) {
  %partial = alloc : buffer<[N ceildiv 128]x64xf32, arena>
  for [0, N ceildiv 128] (%i_t: index) attributes {kind = "parallel"} {
    for [0, 64] (%j_z: index) {
      %0 = literal {dtype = f32, value = 0.0} : f32
      store %0, %partial[%i_t, %j_z]
      yield
    }
    for [0, min(128, N - 128*%i_t) ceildiv 8] (%i_b: index) {
      for [0, 64] (%j_c: index) {
        %0 = literal {dtype = f32, value = 0.0} : f32
        %1 = for [128*%i_t + 8*%i_b, min(128*%i_t + 8*%i_b + 8, N)] (%i: index, %2 = %0) {
          %3 = load %x[%i, %j_c] : f32
          %4 = add %2, %3 : f32
          yield %4
        } : f32
        %2 = load %partial[%i_t, %j_c] : f32
        %3 = add %2, %1 : f32
        store %3, %partial[%i_t, %j_c]
        yield
      }
      yield
    }
    yield
  }
  for [0, 64] (%j: index) {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, N ceildiv 128] (%i_p: index, %2 = %0) {
      %3 = load %partial[%i_p, %j] : f32
      %4 = add %2, %3 : f32
      yield %4
    } : f32
    store %1, %y[%j]
  }
  return
})",
                .options = "loop=j"},
    .body = pass_body<BlockColumnsOptions, run_block_columns>(),
};

constexpr PassDef kTransposeTilesPass{
    .name = "transpose-tiles",
    .summary = "Reads strided elements of the innermost loop through in-register transposes.",
    .description =
        "For a loop around one other loop, with loads that are contiguous in the outer index and strided in the inner "
        "one. Tiles are loaded as vectors along memory, transposed in registers, and read as vectors. `group` of "
        "them, side by side, are processed together. What fills no tile keeps plain loops.",
    .options = kTransposeTilesOptions,
    .example = {.before = R"(func @f(%x: buffer<32x32xf32, argument>, %y: buffer<32x32xf32, argument>) {
  for [0, 32] (%i: index) {
    for [0, 32] (%j: index) {
      %0 = load %x[%j, %i] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .after = R"(func @f(%x: buffer<32x32xf32, argument>, %y: buffer<32x32xf32, argument>) {
  for [0, 1] (%j_o: index) {
    for [0, 4] (%i_o: index) {
      for [4*%j_o, 4*%j_o + 4] (%j_t: index) {
        %x_square = alloc : buffer<8x8xf32, register>
        for [0, 8] (%j_in: index) attributes {kind = "unrolled"} {
          for [0, 8] (%i_in: index) attributes {kind = "vector", lanes = 8} {
            %0 = load %x[%j_in + 8*%j_t, %i_in + 8*%i_o] : f32
            store %0, %x_square[%j_in, %i_in]
            yield
          }
          yield
        }
        transpose_in_place %x_square
        for [0, 8] (%i: index) attributes {kind = "unrolled"} {
          for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
            %0 = load %x_square[%i, %j] : f32
            store %0, %y[%i + 8*%i_o, %j + 8*%j_t]
            yield
          }
          yield
        }
        yield
      }
      yield
    }
    yield
  }
  return
})",
                .options = "loop=i size=8"},
    .body = pass_body<TransposeTilesOptions, run_transpose_tiles>(),
};

constexpr PassDef kSplitRangePass{
    .name = "split-range",
    .summary = "Makes several loops of one, in each of which guards come out alike.",
    .description =
        "Index-set splitting: the range is cut where a guard, a minimum or maximum, a quotient or a remainder in the "
        "loop changes its outcome, and each piece keeps its outcome. Conditions that inner loops vary are decided "
        "where the outcome is the same for all of their iterations. The pieces run in order and pass on what the loop "
        "carries; all but the first are called after it, `%i_2`, `%i_3`.",
    .options = kSplitRangeOptions,
    .example =
        {.before =
             R"(func @f(%x: buffer<[N]xf32, argument>, %z: buffer<5xf32, argument>, %y: buffer<[N + 5]xf32, argument>) {
  for [0, N + 5] (%i: index) {
    %0 = guard [-%i + N - 1] : i1
    %1 = if %0 {
      %2 = load %x[%i] : f32
      yield %2
    } else {
      %2 = load %z[%i - N] : f32
      yield %2
    } : f32
    store %1, %y[%i]
  }
  return
})",
         .after =
             R"(func @f(%x: buffer<[N]xf32, argument>, %z: buffer<5xf32, argument>, %y: buffer<[N + 5]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %x[%i] : f32
    store %0, %y[%i]
  }
  for [N, N + 5] (%i_2: index) {
    %0 = load %z[%i_2 - N] : f32
    store %0, %y[%i_2]
  }
  return
})",
         .options = "loop=i"},
    .body = pass_body<SplitRangeOptions, run_split_range>(),
};

constexpr PassDef kInterchangePass{
    .name = "interchange",
    .summary = "Interchanges a loop and the only loop inside of it.",
    .description =
        "Legal where the iterations of one of them are independent, whatever those of the other do, and both reduce "
        "what "
        "one of them carries.",
    .options = kLoopOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, 8] (%j: index) {
    for [0, N] (%i: index) {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .options = "loop=i"},
    .body = pass_body<LoopOptions, run_interchange>(),
};

constexpr PassDef kUnrollPass{
    .name = "unroll",
    .summary = "Lets code be written out for each iteration of a loop, or of tiles of it.",
    .description = "With a factor the loop is tiled first, and what fills no tile gets a loop of its own.",
    .options = kUnrollOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N] (%i: index) {
    for [0, 8] (%j: index) attributes {kind = "unrolled"} {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .options = "loop=j"},
    .body = pass_body<FactorOptions, run_unroll>(),
};

constexpr PassDef kJamPass{
    .name = "jam",
    .summary = "Makes copies of a loop's iterations inside of the loops in it, which run once for all of them.",
    .description =
        "What the iterations have in common is done once; a loop inside carries what it carried once for each. So a "
        "tile of rows of a product has a sum by name for each row, and shares what is read of the columns. Legal where "
        "iterations are independent. With a factor the loop is tiled first, and what fills no tile gets a loop of its "
        "own.",
    .options = kJamOptions,
    .example =
        {.before =
             R"(func @f(%x: buffer<[N]x8xf32, argument>, %w: buffer<8xf32, argument>, %y: buffer<[N]xf32, argument>) where N mod 2 == 0 {
  %0 = literal {dtype = f32, value = 0.0} : f32
  for [0, N] (%i: index) {
    %1 = for [0, 8] (%k: index, %2 = %0) {
      %3 = load %x[%i, %k] : f32
      %4 = load %w[%k] : f32
      %5 = mul %3, %4 : f32
      %6 = add %2, %5 : f32
      yield %6
    } : f32
    store %1, %y[%i]
  }
  return
})",
         .after =
             R"(func @f(%x: buffer<[N]x8xf32, argument>, %w: buffer<8xf32, argument>, %y: buffer<[N]xf32, argument>) where N mod 2 == 0 {
  %0 = literal {dtype = f32, value = 0.0} : f32
  for [0, N floordiv 2] (%i_o: index) {
    %1, %2 = for [0, 8] (%k: index, %3 = %0, %4 = %0) {
      %5 = load %w[%k] : f32
      %6 = load %x[2*%i_o, %k] : f32
      %7 = mul %6, %5 : f32
      %8 = add %3, %7 : f32
      %9 = load %x[2*%i_o + 1, %k] : f32
      %10 = mul %9, %5 : f32
      %11 = add %4, %10 : f32
      yield %8, %11
    } : f32, f32
    store %1, %y[2*%i_o]
    store %2, %y[2*%i_o + 1]
    yield
  }
  return
})",
         .options = "loop=i factor=2"},
    .body = pass_body<FactorOptions, run_jam>(),
};

constexpr PassDef kVectorizePass{
    .name = "vectorize",
    .summary = "Runs the iterations of a loop as vectors.",
    .description =
        "Values that the loop carries must be reductions; the text then says how the lanes of each are combined. Sums "
        "and products of floats round in another order, which --numerics=exact does not admit.",
    .options = kVectorizeOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N] (%i: index) {
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .options = "loop=j lanes=8"},
    .body = pass_body<VectorizeOptions, run_vectorize>(),
};

constexpr PassDef kParallelizePass{
    .name = "parallelize",
    .summary = "Lets the iterations of a loop run on any thread.",
    .description = "Legal where the loop carries nothing and its iterations are independent in every buffer.",
    .options = kLoopOptions,
    .example = {.before = kCopy,
                .after = R"(func @f(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    for [0, 8] (%j: index) {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .options = "loop=i"},
    .body = pass_body<LoopOptions, run_parallelize>(),
};

}  // namespace mlgc
