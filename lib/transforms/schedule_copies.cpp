// Steps of a schedule that put what loops read, or reduce, into memory of its own, as passes on loop functions.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "schedule/loop_transforms.h"
#include "transforms/passes.h"
#include "transforms/run_step.h"

namespace mlgc {

namespace {

struct StageOptions {
  std::string function, loop, buffer;
};
constexpr std::array kStageOptions = step_options<StageOptions>(
    "the name of the outer loop's index, without %",
    pass_option<&StageOptions::buffer>("buffer", "the name of the buffer that is read, without %"));
// Calls the step with the only load of the buffer in the loop.
PassResult run_on_load(Module& module, const StageOptions& options, PassContext& context,
                       const std::function<TransformResult(OpRef load, OpRef nest)>& step) {
  return run_step(module, options, context, [&](OpRef loop, const Facts&) -> TransformResult {
    std::vector<OpRef> loads;
    walk(loop, [&](OpRef op) {
      if (op.is(LoopOp::Load) && op.operand(0).name() == options.buffer) loads.push_back(op);
    });
    if (loads.size() != 1) return Failure{diagnose<kScheduleLoadCount>({}, options.buffer, loads.size(), options.loop)};
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
  return run_step(module, options, context, [](OpRef loop, const Facts&) { return distribute(loop); });
}
PassResult run_fission(Module& module, const LoopOptions& options, PassContext& context) {
  return run_step(module, options, context, [](OpRef loop, const Facts& facts) { return fission(loop, facts); });
}

struct FuseTilesOptions {
  std::string function, loop;
  std::int64_t size = 0;
};
constexpr std::array kFuseTilesOptions =
    step_options<FuseTilesOptions>("the name of the index of the first loop over rows, without %",
                                   pass_option<&FuseTilesOptions::size>("size", "rows of a tile"));
PassResult run_fuse_tiles(Module& module, const FuseTilesOptions& options, PassContext& context) {
  return run_step(module, options, context, [&](OpRef loop, const Facts& facts) {
    return fuse_tiles(loop, options.size, TileSums::InOrder, facts);
  });
}

}  // namespace

constexpr PassDef kStagePass{
    .name = "stage",
    .summary = "Copies what a load reads in two loops over a tile to scratch first.",
    .description =
        "The load is in two nested loops over a tile of a constant size, and reads a buffer that is not written. "
        "The copy iterates over the buffer's own axes, in loops called after the others with `_in`; the "
        "scratch has one column more, so that its rows do not share one set of a cache.",
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
    .summary = "Copies what a load under a guard reads first, with a border of its padding value.",
    .description =
        "The loop is in no other one. The load reads an argument that is not written in the loop. Its subscripts are "
        "sums of multiples of indices, and the guard asks only that they are in bounds. It pays where many iterations "
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
    .summary = "Moves what a nest does after its reduction to a nest of its own, which reads the results from scratch.",
    .description =
        "From the named loop on, each loop is the only op in the one around it, and the innermost one holds one "
        "reduction to one value. Its lanes need not store where the epilogue does, and the epilogue has lanes of its "
        "own.",
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

constexpr PassDef kFissionPass{
    .name = "fission",
    .summary = "Splits a loop into loops before its contractions, of each contraction, and after them (loop fission).",
    .description =
        "Each contraction of which iterations of the named loop share factors becomes a loop, and so does the work "
        "between two of them. Values that pass between the loops are stored for all iterations. Each loop can then "
        "have tiles, vectors and packing of its own.",
    .options = kLoopOptions,
    .example =
        {.before =
             R"(func @f(%x: buffer<8x4xf32, argument>, %w: buffer<6x4xf32, argument>, %y: buffer<8x6xf32, argument>) {
  for [0, 8] (%i: index) {
    %s = alloc : buffer<6xf32, thread>
    for [0, 6] (%j: index) {
      %0 = literal {dtype = f32, value = 0.0} : f32
      %1 = for [0, 4] (%k: index, %a = %0) {
        %2 = load %x[%i, %k] : f32
        %3 = load %w[%j, %k] : f32
        %4 = mul %2, %3 : f32
        %5 = add %a, %4 : f32
        yield %5
      } : f32
      store %1, %s[%j]
    }
    for [0, 6] (%l: index) {
      %6 = load %s[%l] : f32
      %7 = exp %6 : f32
      store %7, %y[%i, %l]
    }
  }
  return
})",
         .after =
             R"(func @f(%x: buffer<8x4xf32, argument>, %w: buffer<6x4xf32, argument>, %y: buffer<8x6xf32, argument>) {
  %s = alloc : buffer<8x6xf32, arena>
  for [0, 8] (%i: index) {
    for [0, 6] (%j: index) {
      %0 = literal {dtype = f32, value = 0.0} : f32
      %1 = for [0, 4] (%k: index, %a = %0) {
        %2 = load %x[%i, %k] : f32
        %3 = load %w[%j, %k] : f32
        %4 = mul %2, %3 : f32
        %5 = add %a, %4 : f32
        yield %5
      } : f32
      store %1, %s[%i, %j]
    }
    yield
  }
  for [0, 8] (%i_2: index) {
    for [0, 6] (%l: index) {
      %0 = load %s[%i_2, %l] : f32
      %1 = exp %0 : f32
      store %1, %y[%i_2, %l]
    }
    yield
  }
  return
})",
         .options = "loop=i"},
    .body = pass_body<LoopOptions, run_fission>(),
};

constexpr PassDef kFuseTilesPass{
    .name = "fuse-tiles",
    .summary = "Runs loops over the same rows, and sums over these, tile by tile.",
    .description =
        "Successive loops, from the named one on, become loops over the rows of a tile, and their scratch has only "
        "these rows. They may touch only their own rows of the scratch that they share. A nest that sums over the "
        "rows adds the results of a tile, in the order of the terms. It keeps its sums in memory between tiles; its "
        "other work comes after all tiles.",
    .options = kFuseTilesOptions,
    .example = {.before =
                    R"(func @f(%x: buffer<2x8x4xf32, argument>, %y: buffer<2x4x4xf32, argument>) {
  for [0, 2] (%b: index) {
    %s = alloc : buffer<8x4xf32, thread>
    for [0, 8] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%b, %i, %j] : f32
        %1 = exp %0 : f32
        store %1, %s[%i, %j]
      }
    }
    for [0, 4] (%k: index) {
      for [0, 4] (%l: index) {
        %2 = literal {dtype = f32, value = 0.0} : f32
        %3 = for [0, 8] (%r: index, %a = %2) {
          %4 = load %s[%r, %k] : f32
          %5 = load %x[%b, %r, %l] : f32
          %6 = mul %4, %5 : f32
          %7 = add %a, %6 : f32
          yield %7
        } : f32
        store %3, %y[%b, %k, %l]
      }
    }
  }
  return
})",
                .after =
                    R"(func @f(%x: buffer<2x8x4xf32, argument>, %y: buffer<2x4x4xf32, argument>) {
  for [0, 2] (%b: index) {
    %sums = alloc : buffer<4x4xf32, thread>
    for [0, 4] (%k_z: index) {
      for [0, 4] (%l_z: index) {
        %0 = literal {dtype = f32, value = 0.0} : f32
        store %0, %sums[%k_z, %l_z]
        yield
      }
      yield
    }
    for [0, 4] (%i_o: index) {
      %s = alloc : buffer<2x4xf32, thread>
      for [2*%i_o, min(2*%i_o + 2, 8)] (%i: index) {
        for [0, 4] (%j: index) {
          %0 = load %x[%b, %i, %j] : f32
          %1 = exp %0 : f32
          store %1, %s[%i - 2*%i_o, %j]
        }
      }
      for [0, 4] (%k: index) {
        for [0, 4] (%l: index) {
          %0 = load %sums[%k, %l] : f32
          %1 = for [2*%i_o, min(2*%i_o + 2, 8)] (%r: index, %a = %0) {
            %2 = load %s[%r - 2*%i_o, %k] : f32
            %3 = load %x[%b, %r, %l] : f32
            %4 = mul %2, %3 : f32
            %5 = add %a, %4 : f32
            yield %5
          } : f32
          store %1, %sums[%k, %l]
        }
      }
      yield
    }
    for [0, 4] (%k_out: index) {
      for [0, 4] (%l_out: index) {
        %0 = load %sums[%k_out, %l_out] : f32
        store %0, %y[%b, %k_out, %l_out]
      }
    }
  }
  return
})",
                .options = "loop=i size=2"},
    .body = pass_body<FuseTilesOptions, run_fuse_tiles>(),
};

}  // namespace mlgc
