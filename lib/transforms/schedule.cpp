// Steps of a schedule as passes on loop functions: each names a function and a loop in it. A step that is not shown to
// be legal is an error with the reason, and the pass fails.
#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "diag/kinds_loops.h"
#include "diag/kinds_pass.h"
#include "ir/function.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "schedule/steps.h"
#include "transforms/passes.h"

namespace mlgc {

namespace {

// The function that the option names; without one, the only loop function. An invalid view after reporting.
FuncRef chosen_function(const Module& module, const std::string& name, PassContext& context) {
  FuncRef found;
  std::size_t loop_functions = 0;
  for (const FuncRef& func : functions(module)) {
    if (!is_loop_function(func.op())) continue;
    ++loop_functions;
    if (name.empty() || func.name() == name) found = func;
  }
  if (name.empty() && loop_functions != 1) {
    reject_option(context, "function", "there are " + std::to_string(loop_functions) + " loop functions: name one");
    return {};
  }
  if (!found.valid()) reject_option(context, "function", "there is no loop function `@" + name + "`");
  return found;
}

using Step = std::function<StepResult(OpRef loop, const Facts& facts)>;

PassResult run_step(Module& module, const std::string& function, const std::string& index, PassContext& context,
                    const Step& step, const std::function<NumericsClass(OpRef)>& numerics = {}) {
  const FuncRef func = chosen_function(module, function, context);
  if (!func.valid()) return PassResult::Failed;
  const auto loop = find_loop(func.op(), index);
  if (!loop) {
    reject_option(context, "loop", loop.error());
    return PassResult::Failed;
  }
  const Location at = loop->location();
  const auto refuse = [&](const std::string& reason) {
    context.diagnostics().emit(diagnose<kStepRefused>(at, context.pass().name, index, func.name(), reason));
    return PassResult::Failed;
  };
  const NumericsClass change = numerics ? numerics(*loop) : NumericsClass::Exact;
  if (!admits(context.numerics(), change, true))
    return refuse("it changes the order of roundings, which --numerics=" +
                  std::string(numerics_name(context.numerics())) + " does not admit");
  if (!context.may_rewrite(context.pass().name, at, change)) return PassResult::Unchanged;
  FunctionFacts facts;
  if (const StepResult done = step(*loop, facts.of(*loop)); !done) return refuse(done.error());
  return PassResult::Changed;
}

// ---------------------------------------------------------------------------------------------------- tile

struct TileOptions {
  std::string function, loop, tail = "min";
  std::int64_t size = 0;
};
constexpr std::array kTileOptions{
    pass_option<&TileOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&TileOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&TileOptions::size>("size", "iterations of a tile"),
    pass_option<&TileOptions::tail>("tail", "min: the last tile may be smaller; loop: full tiles, then a loop"),
};
PassResult run_tile(Module& module, const TileOptions& options, PassContext& context) {
  if (options.tail != "min" && options.tail != "loop") {
    reject_option(context, "tail", "expected min or loop, found `" + options.tail + "`");
    return PassResult::Failed;
  }
  const Tail tail = options.tail == "min" ? Tail::Min : Tail::Loop;
  return run_step(module, options.function, options.loop, context,
                  [&](OpRef loop, const Facts& facts) { return tile(loop, options.size, tail, facts); });
}

// ---------------------------------------------------------------------------------------------------- the others

struct LoopOptions {
  std::string function, loop;
};
constexpr std::array kLoopOptions{
    pass_option<&LoopOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&LoopOptions::loop>("loop", "the name of the loop's index, without %"),
};
struct RfactorOptions {
  std::string function, loop;
  std::int64_t size = 0;
};
constexpr std::array kRfactorOptions{
    pass_option<&RfactorOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&RfactorOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&RfactorOptions::size>("size", "iterations of a tile"),
};
PassResult run_interchange(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context, interchange, vectorizing_changes);
}
PassResult run_rfactor(Module& module, const RfactorOptions& options, PassContext& context) {
  return run_step(
      module, options.function, options.loop, context,
      [&](OpRef loop, const Facts& facts) { return rfactor(loop, options.size, facts); }, vectorizing_changes);
}
PassResult run_collapse(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context,
                  [](OpRef loop, const Facts&) { return collapse(loop); });
}
struct NarrowOptions {
  std::string function, loop;
  std::int64_t size = 0;
};
constexpr std::array kNarrowOptions{
    pass_option<&NarrowOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&NarrowOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&NarrowOptions::size>("size", "terms that are added in f32 at a time; 0: all"),
};
PassResult run_narrow(Module& module, const NarrowOptions& options, PassContext& context) {
  return run_step(
      module, options.function, options.loop, context,
      [&](OpRef loop, const Facts& facts) {
        return options.size == 0 ? narrow(loop) : narrow_blocks(loop, options.size, facts);
      },
      [](OpRef) { return NumericsClass::Reassociate; });
}

struct BlockColumnsOptions {
  std::string function, loop;
  std::int64_t rows = 128, block = 8;
};
constexpr std::array kBlockColumnsOptions{
    pass_option<&BlockColumnsOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&BlockColumnsOptions::loop>("loop", "the name of the index of the loop over columns, without %"),
    pass_option<&BlockColumnsOptions::rows>("rows", "rows of a tile, a multiple of block"),
    pass_option<&BlockColumnsOptions::block>("block", "rows of a block"),
};
PassResult run_block_columns(Module& module, const BlockColumnsOptions& options, PassContext& context) {
  return run_step(
      module, options.function, options.loop, context,
      [&](OpRef loop, const Facts& facts) { return block_columns(loop, options.rows, options.block, facts); },
      [](OpRef loop) {
        NumericsClass change = NumericsClass::Exact;
        for (const OpRef op : loop.region(0).ops())
          if (ForRef::from(op).valid()) change = std::max(change, vectorizing_changes(op));
        return change;
      });
}
PassResult run_parallelize(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context, parallelize);
}

struct UnrollOptions {
  std::string function, loop;
  std::int64_t factor = 0;
};
constexpr std::array kUnrollOptions{
    pass_option<&UnrollOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&UnrollOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&UnrollOptions::factor>("factor", "iterations that are written out together; 0: all"),
};
PassResult run_unroll(Module& module, const UnrollOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context,
                  [&](OpRef loop, const Facts& facts) { return unroll(loop, options.factor, facts); });
}

struct JamOptions {
  std::string function, loop;
  std::int64_t factor = 0;
};
constexpr std::array kJamOptions{
    pass_option<&JamOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&JamOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&JamOptions::factor>("factor", "iterations that become copies together; 0: all"),
};
PassResult run_jam(Module& module, const JamOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context,
                  [&](OpRef loop, const Facts& facts) { return jam(loop, options.factor, facts); });
}

struct SplitRangeOptions {
  std::string function, loop;
  std::int64_t pieces = 16;
};
constexpr std::array kSplitRangeOptions{
    pass_option<&SplitRangeOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&SplitRangeOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&SplitRangeOptions::pieces>("pieces", "loops that it becomes at most"),
};
PassResult run_split_range(Module& module, const SplitRangeOptions& options, PassContext& context) {
  if (options.pieces < 2) {
    reject_option(context, "pieces", "a loop becomes at least two");
    return PassResult::Failed;
  }
  return run_step(module, options.function, options.loop, context, [&](OpRef loop, const Facts& facts) {
    return split_range(loop, {.pieces = static_cast<std::size_t>(options.pieces)}, facts);
  });
}

struct StageOptions {
  std::string function, loop, buffer;
};
constexpr std::array kStageOptions{
    pass_option<&StageOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&StageOptions::loop>("loop", "the name of the outer loop's index, without %"),
    pass_option<&StageOptions::buffer>("buffer", "the name of the buffer that is read, without %"),
};
// Calls the step with the only load of the buffer in the loop.
PassResult run_on_load(Module& module, const StageOptions& options, PassContext& context,
                       const std::function<StepResult(OpRef load, OpRef nest)>& step) {
  return run_step(module, options.function, options.loop, context, [&](OpRef loop, const Facts&) -> StepResult {
    std::vector<OpRef> loads;
    walk(loop, [&](OpRef op) {
      if (op.is(LoopOp::Load) && op.operand(0).name() == options.buffer) loads.push_back(op);
    });
    if (loads.size() != 1)
      return Failure{"`" + options.buffer + "` is read at " + std::to_string(loads.size()) + " places, not at one"};
    return step(loads[0], loop);
  });
}
PassResult run_stage(Module& module, const StageOptions& options, PassContext& context) {
  return run_on_load(module, options, context, stage);
}
PassResult run_pack(Module& module, const StageOptions& options, PassContext& context) {
  return run_on_load(module, options, context, pack);
}
PassResult run_pad_load(Module& module, const StageOptions& options, PassContext& context) {
  FunctionFacts facts;
  return run_on_load(module, options, context,
                     [&](OpRef load, OpRef nest) { return pad_load(load, nest, facts.of(load)); });
}
PassResult run_distribute(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context,
                  [](OpRef loop, const Facts&) { return distribute(loop); });
}

struct TransposeTilesOptions {
  std::string function, loop;
  std::int64_t size = 16, group = 4;
};
constexpr std::array kTransposeTilesOptions{
    pass_option<&TransposeTilesOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&TransposeTilesOptions::loop>("loop", "the name of the outer loop's index, without %"),
    pass_option<&TransposeTilesOptions::size>("size", "rows and columns of a square"),
    pass_option<&TransposeTilesOptions::group>("group", "squares side by side"),
};
PassResult run_transpose_tiles(Module& module, const TransposeTilesOptions& options, PassContext& context) {
  return run_step(module, options.function, options.loop, context, [&](OpRef loop, const Facts& facts) {
    return transpose_tiles(loop, options.size, options.group, facts);
  });
}

struct VectorizeOptions {
  std::string function, loop;
  std::int64_t lanes = 16;
};
constexpr std::array kVectorizeOptions{
    pass_option<&VectorizeOptions::function>("function", "the loop function; empty: the only one"),
    pass_option<&VectorizeOptions::loop>("loop", "the name of the loop's index, without %"),
    pass_option<&VectorizeOptions::lanes>("lanes", "iterations of a strip: a power of two from 2 to 1024"),
};
PassResult run_vectorize(Module& module, const VectorizeOptions& options, PassContext& context) {
  return run_step(
      module, options.function, options.loop, context,
      [&](OpRef loop, const Facts& facts) { return vectorize(loop, options.lanes, facts); }, vectorizing_changes);
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
    .summary = "Makes two loops of one: over tiles, and over the iterations of a tile.",
    .description =
        "The new outer loop is called after the index, `%i_o`; the index keeps its values, so the body stays as it is. "
        "Where "
        "the size does not divide the extent, `tail=min` lets the last tile be smaller and `tail=loop` puts what is "
        "left "
        "into a loop `%i_tail`, so that every tile has as many iterations.",
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
        "Legal where every access of the two indices is to elements that follow each other in memory; the loop runs "
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
        "The loop reduces what it carries, and stands in no other one. Tiles follow from its extent, never from the "
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
    .summary = "Reduces tiles of rows for all columns, by blocks of a few rows.",
    .description =
        "Of a loop over columns that holds one loop over rows. What a tile of rows gives is kept in a buffer, "
        "`partial`, "
        "one row of it for each tile; tiles run on any thread, and each goes along its columns once for each block of "
        "rows. Then the results of the tiles come together in their order. Tiles follow from the number of rows, never "
        "from the number of threads. Sums of f32 that are carried in f64 are carried in f32 within a tile. Sums and "
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
    .summary = "Takes what is read across the innermost loop through squares of registers.",
    .description =
        "Of a loop that holds one other loop, in which loads run along the outer index and across the inner one. "
        "Squares are loaded in lanes along memory, transposed in place, and read in lanes; `group` of them, side by "
        "side, go down the rows together. What fills no square keeps plain loops.",
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
        "loop changes its outcome, and each piece keeps what happens in it. What differs between the iterations of "
        "loops inside is decided where it holds for all of them. The pieces follow each other and carry on what the "
        "loop carries; all but the first are called after it, `%i_2`, `%i_3`.",
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

constexpr PassDef kStagePass{
    .name = "stage",
    .summary = "Copies what a load reads in two loops over a tile to scratch first.",
    .description =
        "The load stands in a loop over a tile of a constant size, and in another one in it, and reads a buffer that "
        "nobody writes. The copy runs along the buffer's own axes, in loops called after the others with `_in`; the "
        "scratch has one column more, so that its rows do not meet in one set of a cache.",
    .options = kStageOptions,
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
  %x_tile = alloc : buffer<32x33xf32, thread>
  for [0, 32] (%j_in: index) {
    for [0, 32] (%i_in: index) {
      %0 = load %x[%j_in, %i_in] : f32
      store %0, %x_tile[%j_in, %i_in]
      yield
    }
    yield
  }
  for [0, 32] (%i: index) {
    for [0, 32] (%j: index) {
      %0 = load %x_tile[%j, %i] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
                .options = "loop=i buffer=x"},
    .body = pass_body<StageOptions, run_stage>(),
};

constexpr PassDef kPackPass{
    .name = "pack",
    .summary = "Computes what a load gives in the loops inside of a loop first, into scratch in their order.",
    .description =
        "The load, with the branches around it, reads a buffer that is not written in the loop; its subscripts may be "
        "any. The scratch has an axis for each loop inside whose index they need, in the order of the loops, that of a "
        "vector loop last. Worth it where many iterations read the same elements in an order that is slow.",
    .options = kStageOptions,
    .example = {.before = R"(func @f(%x: buffer<8x4xf32, argument>, %y: buffer<[N]x4x3xf32, argument>) {
  for [0, N] (%i: index) {
    for [0, 4] (%j: index) {
      for [0, 3] (%k: index) {
        %0 = load %x[2*%k + 1, %j] : f32
        store %0, %y[%i, %j, %k]
      }
    }
  }
  return
})",
                .after = R"(func @f(%x: buffer<8x4xf32, argument>, %y: buffer<[N]x4x3xf32, argument>) {
  %packed = alloc : buffer<4x3xf32, arena>
  for [0, 4] (%j_in: index) {
    for [0, 3] (%k_in: index) {
      %0 = load %x[2*%k_in + 1, %j_in] : f32
      store %0, %packed[%j_in, %k_in]
      yield
    }
    yield
  }
  for [0, N] (%i: index) {
    for [0, 4] (%j: index) {
      for [0, 3] (%k: index) {
        %0 = load %packed[%j, %k] : f32
        store %0, %y[%i, %j, %k]
      }
    }
  }
  return
})",
                .options = "loop=i buffer=x"},
    .body = pass_body<StageOptions, run_pack>(),
};

constexpr PassDef kPadLoadPass{
    .name = "pad-load",
    .summary =
        "Copies what a load under a guard reads first, with the number that stands for what lies outside around it.",
    .description =
        "The loop stands in no other one. The load reads an argument that is not written in the loop; its subscripts "
        "are "
        "sums of multiples of indices, and the guard asks only that they lie in bounds. Worth it where many iterations "
        "read each element, as the windows of a convolution do.",
    .options = kStageOptions,
    .example = {.before = R"(func @f(%x: buffer<8xf32, argument>, %y: buffer<8x3xf32, argument>) {
  for [0, 8] (%i: index) {
    for [0, 3] (%p: index) {
      %0 = guard [%i + %p - 1, -%i - %p + 8] : i1
      %1 = if %0 {
        %2 = load %x[%i + %p - 1] : f32
        yield %2
      } else {
        %2 = literal {dtype = f32, value = 0.0} : f32
        yield %2
      } : f32
      store %1, %y[%i, %p]
    }
  }
  return
})",
                .after = R"(func @f(%x: buffer<8xf32, argument>, %y: buffer<8x3xf32, argument>) {
  %padded = alloc : buffer<10xf32, arena>
  for [0, 10] (%pad0: index) attributes {kind = "parallel"} {
    %0 = guard [%pad0 - 1, -%pad0 + 8] : i1
    %1 = if %0 {
      %2 = load %x[%pad0 - 1] : f32
      yield %2
    } else {
      %2 = literal {dtype = f32, value = 0.0} : f32
      yield %2
    } : f32
    store %1, %padded[%pad0]
    yield
  }
  for [0, 8] (%i: index) {
    for [0, 3] (%p: index) {
      %0 = load %padded[%i + %p] : f32
      store %0, %y[%i, %p]
    }
  }
  return
})",
                .options = "loop=i buffer=x"},
    .body = pass_body<StageOptions, run_pad_load>(),
};

constexpr PassDef kDistributePass{
    .name = "distribute",
    .summary = "Gives what a nest does behind its reduction a nest of its own, which reads the results from scratch.",
    .description =
        "The loops from the named one on stand alone in each other, and the innermost one holds one reduction to one "
        "value. Its lanes need not store where what follows does, and what follows has lanes of its own.",
    .options = kLoopOptions,
    .example = {.before = R"(func @f(%x: buffer<[N]x4xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, 4] (%k: index, %s = %0) {
      %2 = load %x[%i, %k] : f32
      %3 = add %s, %2 : f32
      yield %3
    } : f32
    %2 = exp %1 : f32
    store %2, %y[%i]
  }
  return
})",
                .after = R"(func @f(%x: buffer<[N]x4xf32, argument>, %y: buffer<[N]xf32, argument>) {
  %sums = alloc : buffer<[N]xf32, arena>
  for [0, N] (%i: index) {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1 = for [0, 4] (%k: index, %s = %0) {
      %2 = load %x[%i, %k] : f32
      %3 = add %s, %2 : f32
      yield %3
    } : f32
    store %1, %sums[%i]
  }
  for [0, N] (%i_out: index) {
    %0 = load %sums[%i_out] : f32
    %1 = exp %0 : f32
    store %1, %y[%i_out]
  }
  return
})",
                .options = "loop=i"},
    .body = pass_body<LoopOptions, run_distribute>(),
};

constexpr PassDef kInterchangePass{
    .name = "interchange",
    .summary = "Lets a loop and the only loop inside of it change places.",
    .description =
        "Legal where the iterations of one of them keep apart, whatever those of the other do, and both reduce what "
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
    .body = pass_body<UnrollOptions, run_unroll>(),
};

constexpr PassDef kJamPass{
    .name = "jam",
    .summary = "Makes copies of a loop's iterations inside of the loops in it, which run once for all of them.",
    .description =
        "What the iterations have in common is done once; a loop inside carries what it carried once for each. So a "
        "tile of rows of a product has a sum by name for each row, and shares what is read of the columns. Legal where "
        "iterations keep apart. With a factor the loop is tiled first, and what fills no tile gets a loop of its own.",
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
    .body = pass_body<JamOptions, run_jam>(),
};

constexpr PassDef kVectorizePass{
    .name = "vectorize",
    .summary = "Takes the iterations of a loop in strips of lanes.",
    .description =
        "Values that the loop carries must be reductions; the text then says how the lanes of each come together. Sums "
        "and "
        "products of floats round in another order, which --numerics=exact does not admit.",
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
    .description = "Legal where the loop carries nothing and its iterations keep apart in every buffer.",
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
