// Calls that are refused: what each message says.
#include "runtime/sample.h"
#include "support/file.h"

namespace {

std::string program_error(const mlgc_unit& unit, const mlgc_program_options& options, mlgc_i32 wanted) {
  char error[512] = "";
  mlgc_program* program = nullptr;
  CHECK(mlgc_program_create(&unit, &options, &program, error, sizeof error) == wanted);
  CHECK(program == nullptr);
  return error;
}

}  // namespace

TEST_CASE("inputs that do not fit are refused by name, dim and range") {
  const Program program;
  const Context context(program);
  const std::vector<mlgc_tensor> outputs{lent(), lent()};
  HostTensor<float> x = f32({2, 4});
  const auto refused = [&](const mlgc_tensor& input) {
    return context.refused(MLGC_BAD_INPUT, kForward, {input}, outputs);
  };
  CHECK(refused(f64({2, 4}).view()) == "input `x` is of dtype f64, the model has f32");
  CHECK(refused(f32({4}).view()) == "input `x` is of rank 1, the model has rank 2: [B]x4xf32");
  CHECK(refused(f32({2, 5}).view()) == "input `x`: dim 1 is 5, the model has 4");
  CHECK(refused(f32({257, 4}).view()) == "input `x`: dim 0 (`B`) is 257, the model has 1 <= B <= 256");
  CHECK(refused(f32({0, 4}).view()) == "input `x`: dim 0 (`B`) is 0, the model has 1 <= B <= 256");
  mlgc_tensor wrong = x.view();
  const std::vector<mlgc_i64> negative{-2, 4};
  wrong.sizes = negative.data();
  CHECK(refused(wrong) == "input `x`: dim 0 is -2");
  wrong = x.view();
  wrong.dtype = 99;
  CHECK(refused(wrong) == "input `x` is of dtype unknown, the model has f32");
  wrong = x.view();
  wrong.device = MLGC_CUDA;
  CHECK(refused(wrong) == "input `x` is on a CUDA device, the model runs on the CPU");
  wrong = x.view();
  wrong.data = nullptr;
  CHECK(refused(wrong) == "input `x` has no data");
  wrong = x.view();
  wrong.bytes = 31;
  CHECK(refused(wrong) == "input `x` has 31 bytes, its sizes ask for 32");
  wrong = x.view();
  wrong.data = reinterpret_cast<char*>(wrong.data) + 2;
  CHECK(refused(wrong) == "input `x`: the data are not aligned to 4 bytes");
  wrong = x.view();
  const std::vector<mlgc_i64> strides{1, 2};
  wrong.strides = strides.data();
  CHECK(refused(wrong) == "input `x`: the stride of dim 1 is 2, the model has row-major data, where it is 1");
  const std::vector<mlgc_i64> padded{8, 1};
  wrong.strides = padded.data();
  CHECK(refused(wrong) == "input `x`: the stride of dim 0 is 8, the model has row-major data, where it is 4");
}

TEST_CASE("strides of dims of size 1 are anything") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({1, 4}, {1, 1, 1, 1});
  mlgc_tensor view = x.view();
  const std::vector<mlgc_i64> strides{77, 1};
  view.strides = strides.data();
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  CHECK(context.run(kForward, {view}, outputs) == MLGC_OK);
}

TEST_CASE("sizes that contradict each other are refused") {
  const Program program;
  const Context context(program);
  const auto refused = [&](const std::vector<mlgc_i64>& x, const std::vector<mlgc_i64>& y,
                           const std::vector<mlgc_i64>& z) {
    return context.refused(MLGC_BAD_INPUT, kOdd, {f64(x).view(), f64(y).view(), f64(z).view()}, {lent()});
  };
  CHECK(refused({8}, {3}, {8, 3}) == "input `x`: dim 0 (`2*K + 1`) is 8, the model has K >= 0");
  CHECK(refused({9}, {3}, {9, 3}) == "input `y`: dim 0 (`K`) is 3, the model has 4 by dim 0 of `x`");
  CHECK(refused({9}, {4}, {7, 3}) == "input `z`: dim 0 (`2*K + 1`) is 7, the model has 9");
  CHECK(refused({3}, {1}, {3, 3}) == "output `r`: dim 0 (`K - 2`) has no size for these inputs");
  std::vector<mlgc_tensor> outputs{lent()};
  CHECK(context.run(kOdd, {f64({9}).view(), f64({4}).view(), f64({9, 3}).view()}, outputs) == MLGC_OK);
  CHECK(outputs[0].sizes[0] == 2);
  HostTensor<mlgc_i64> at = i64({0, 0, 0});
  CHECK(context.refused(MLGC_BAD_INPUT, kPick, {f32({2, 2}).view(), at.view()}, {lent()}) ==
        "the model wants `M mod 2 == 0`, and M is 3");
  const std::vector<mlgc_i64> huge{MLGC_I64_MAX / 2, 2};
  mlgc_tensor table = f32({2, 2}).view();
  table.sizes = huge.data();
  at = i64({0, 0});
  CHECK(context.refused(MLGC_BAD_INPUT, kPick, {table, at.view()}, {lent()}) ==
        "input `table` has more than 2^63 bytes");
}

TEST_CASE("outputs that do not fit are refused") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({2, 4});
  HostTensor<float> y = f32({2, 4});
  HostTensor<float> sum = f32({2});
  const auto refused = [&](const mlgc_tensor& first, const mlgc_tensor& second) {
    return context.refused(MLGC_BAD_INPUT, kForward, {x.view()}, {first, second});
  };
  CHECK(refused(f32({3, 4}).view(), sum.view()) == "output `y`: dim 0 (`B`) is 3, for these inputs it is 2");
  CHECK(refused(y.view(), f64({2}).view()) == "output `sum` is of dtype f64, the model has f32");
  CHECK(refused(y.view(), f32({2, 1}).view()) == "output `sum` is of rank 2, the model has rank 1: [B]xf32");
  mlgc_tensor small = y.view();
  small.bytes = 4;
  CHECK(refused(small, sum.view()) == "output `y` has 4 bytes, its sizes ask for 32");
}

TEST_CASE("outputs that share memory are refused") {
  const Program program;
  const Context context(program);
  HostTensor<float> all = f32({100});
  const auto at = [&](std::size_t first, HostTensor<float>& shape) {
    mlgc_tensor view = shape.view();
    view.data = all.data.data() + first;
    return view;
  };
  HostTensor<float> x = f32({2, 4});
  HostTensor<float> sum = f32({2});
  const auto run = [&](std::size_t input, std::size_t first, std::size_t second) {
    return context.refused(MLGC_BAD_INPUT, kForward, {at(input, x)}, {at(first, x), at(second, sum)});
  };
  CHECK(run(0, 0, 50) == "output `y` shares memory with input `x`");
  CHECK(run(0, 7, 50) == "output `y` shares memory with input `x`");
  CHECK(run(7, 0, 50) == "output `y` shares memory with input `x`");
  CHECK(run(40, 0, 7) == "output `sum` shares memory with output `y`");
  CHECK(run(40, 0, 41) == "output `sum` shares memory with input `x`");
  std::vector<mlgc_tensor> outputs{at(8, x), at(16, sum)};
  CHECK(context.run(kForward, {at(0, x)}, outputs) == MLGC_OK);
  // In place is for the input that is replaced, at its address.
  HostTensor<float> p = f32({4});
  alignas(16) float memory[12] = {};
  const auto in = [&](std::size_t first) {
    mlgc_tensor view = p.view();
    view.data = memory + first;
    return view;
  };
  CHECK(context.refused(MLGC_BAD_INPUT, kStep, {in(0), in(4)}, {in(0)}) == "output `p` shares memory with input `x`");
  CHECK(context.refused(MLGC_BAD_INPUT, kStep, {in(4), in(4)}, {in(4)}) == "output `p` shares memory with input `x`");
  outputs = {in(4)};
  CHECK(context.run(kStep, {in(0), in(4)}, outputs) == MLGC_OK);
  CHECK(context.refused(MLGC_BAD_INPUT, kStep, {in(0), in(1)}, {in(8)}) ==
        "input `p`: the data are not aligned to 16 bytes");
}

TEST_CASE("a kernel that fails says why, the same with any number of threads") {
  const Program program;
  for (const mlgc_i32 threads : {1, 2, 5}) {
    mlgc_context_options options = {};
    options.threads = threads;
    const Context context(program, options);
    std::vector<mlgc_i64> wanted(1000, 1);
    wanted[313] = 9;
    wanted[314] = -4;
    wanted[900] = 77;
    HostTensor<mlgc_i64> at = i64(wanted);
    for (int round = 0; round < 20; ++round)
      REQUIRE(context.refused(MLGC_BAD_INPUT, kPick, {f32({3, 2}).view(), at.view()}, {lent()}) ==
              "`pick`: index 9 at 313 is out of 0 .. 2");
    CHECK(context.memory().pool_lent == 0);
    at = i64({1, 2});
    std::vector<mlgc_tensor> outputs{lent()};
    CHECK(context.run(kPick, {f32({3, 2}).view(), at.view()}, outputs) == MLGC_OK);
    CHECK(context.error().empty());
  }
}

TEST_CASE("wrong use of the ABI is refused") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({2, 4});
  CHECK(context.refused(MLGC_BAD_USAGE, 9, {x.view()}, {}) == "there is no function 9, `sample` has 4");
  CHECK(context.refused(MLGC_BAD_USAGE, kForward, {}, {}) == "`forward` has 1 inputs, 0 are given");
  mlgc_tensor old = x.view();
  old.struct_size = 8;
  CHECK(context.refused(MLGC_BAD_USAGE, kForward, {old}, {lent(), lent()}) ==
        "struct_size of input 0 is 8, and not that of an mlgc_tensor, " + std::to_string(sizeof(mlgc_tensor)));
  CHECK(mlgc_run(context.get(), kForward, nullptr, 1, nullptr, 2) == MLGC_BAD_USAGE);
  CHECK(context.error() == "the array of inputs is null");
  char error[512] = "";
  mlgc_context* none = nullptr;
  mlgc_context_options options = {};
  CHECK(mlgc_context_create(program.get(), &options, &none, error, sizeof error) == MLGC_BAD_USAGE);
  CHECK(std::string(error) == "mlgc_context_create: no program, no context, or options without struct_size");
  options.struct_size = sizeof options;
  options.threads = 5000;
  CHECK(mlgc_context_create(program.get(), &options, &none, error, sizeof error) == MLGC_BAD_USAGE);
  CHECK(std::string(error) == "5000 threads are asked for, 0 to 1024 are possible");
  CHECK(mlgc_program_create(nullptr, nullptr, nullptr, error, sizeof error) == MLGC_BAD_USAGE);
  CHECK(std::string(error) == "mlgc_program_create: no unit, no program, or options without struct_size");
  CHECK(mlgc_program_create(nullptr, nullptr, nullptr, nullptr, 0) == MLGC_BAD_USAGE);
}

TEST_CASE("hosts of older and newer headers are understood") {
  const Program program;
  // Newer: a larger tensor, and options with fields that this runtime does not know.
  struct Larger {
    mlgc_tensor tensor;
    mlgc_i64 more;
  };
  HostTensor<float> x = f32({2, 4}, {1, 1, 1, 1, 1, 1, 1, 1});
  Larger input = {x.view(), -1};
  input.tensor.struct_size = sizeof(Larger);
  Larger outputs[2] = {{lent(), -1}, {lent(), -1}};
  for (Larger& output : outputs) output.tensor.struct_size = sizeof(Larger);
  struct {
    mlgc_context_options options;
    mlgc_i64 more;
  } options = {{}, -1};
  options.options.struct_size = sizeof options;
  options.options.threads = 1;
  mlgc_context* context = nullptr;
  REQUIRE(mlgc_context_create(program.get(), &options.options, &context, nullptr, 0) == MLGC_OK);
  REQUIRE(mlgc_run(context, kForward, &input.tensor, 1, &outputs[0].tensor, 2) == MLGC_OK);
  CHECK(static_cast<const float*>(outputs[1].tensor.data)[1] == 10);
  CHECK(outputs[1].more == -1);
  // Older: only what it knows is written.
  mlgc_memory memory = {};
  memory.struct_size = 2 * sizeof(mlgc_i64);
  memory.arena_touched = 77;
  REQUIRE(mlgc_context_memory(context, &memory) == MLGC_OK);
  CHECK(memory.arena_planned == 64);
  CHECK(memory.arena_touched == 77);
  mlgc_context_destroy(context);
}

TEST_CASE("weights that are not those of the model are refused") {
  const TemporaryFolder folder;
  const mlgc_unit& unit = *mlgc_unit_sample();
  mlgc_program_options options = {};
  options.struct_size = sizeof options;
  const std::string path = folder.file("w");
  options.weights_path = path.c_str();
  CHECK(program_error(unit, options, MLGC_BAD_INPUT) == "`" + path + "`: No such file or directory");
  REQUIRE(mlgc::write_file(path, "").ok());
  CHECK(program_error(unit, options, MLGC_BAD_INPUT) == "`" + path + "` is empty or no file");
  REQUIRE(mlgc::write_file(path, "short").ok());
  CHECK(program_error(unit, options, MLGC_BAD_INPUT) == "`" + path + "` has 5 bytes, the weights of `sample` have 232");
  mlgc::NamedTensors others = sample_weights();
  others[0].first = "v";
  REQUIRE(mlgc::write_safetensors(path, others).ok());
  CHECK(program_error(unit, options, MLGC_BAD_INPUT) ==
        "`" + path + "` holds other tensors than the weights of `sample`");
  // Other values are welcome: the same model, trained again.
  others = sample_weights();
  others[0].second = mlgc::Tensor::splat(mlgc::Dtype::F32, {4}, 5);
  REQUIRE(mlgc::write_safetensors(path, others).ok());
  mlgc_program* program = nullptr;
  CHECK(mlgc_program_create(&unit, &options, &program, nullptr, 0) == MLGC_OK);
  mlgc_program_destroy(program);
  // From memory.
  alignas(64) char bytes[256] = {};
  const std::string content = *mlgc::read_file(path);
  std::copy(content.begin(), content.end(), bytes);
  options.weights = bytes;
  options.weights_bytes = content.size();
  CHECK(mlgc_program_create(&unit, &options, &program, nullptr, 0) == MLGC_OK);
  mlgc_program_destroy(program);
  options.weights_bytes = 200;
  CHECK(program_error(unit, options, MLGC_BAD_INPUT) ==
        "`the weights` has 200 bytes, the weights of `sample` have 232");
  options.weights = bytes + 1;
  CHECK(program_error(unit, options, MLGC_BAD_USAGE) == "the weights are not aligned to 64 bytes");
  // Beside the program, where there are none.
  options = {};
  options.struct_size = sizeof options;
  CHECK_THAT(program_error(unit, options, MLGC_BAD_INPUT),
             EndsWith("/weights.safetensors`: No such file or directory"));
}

TEST_CASE("units of another version or for another CPU are refused") {
  mlgc_unit unit = *mlgc_unit_sample();
  unit.abi = 77;
  CHECK(program_error(unit, {sizeof(mlgc_program_options), nullptr, 0, nullptr, 0, nullptr, 0, 0, 0},
                      MLGC_UNSUPPORTED) == "`sample` was emitted for version 77 of the runtime, this is version 8");
  unit = *mlgc_unit_sample();
  unit.prepare = [](mlgc_i32 bytes) { return bytes == 16 ? mlgc_i32{16} : mlgc_i32{0}; };
  unit.cpu_features = "avx2, fma";
  CHECK(
      program_error(unit, {sizeof(mlgc_program_options), nullptr, 0, nullptr, 0, nullptr, 0, 0, 0}, MLGC_UNSUPPORTED) ==
      "this CPU cannot run `sample`, which needs avx2, fma; `mlgc compile --vector-bytes=all` makes "
      "kernels for all CPUs");
  CHECK(program_error(unit, {sizeof(mlgc_program_options), nullptr, 0, nullptr, 64, nullptr, 0, 0, 0},
                      MLGC_UNSUPPORTED) ==
        "`sample` has no kernels for vectors of 64 bytes that this CPU can run; `mlgc compile "
        "--vector-bytes=all` makes them for all widths");
  mlgc_program_options options = {};
  options.vector_bytes = 16;
  CHECK(mlgc_vector_bytes(Program(&unit, options).get()) == 16);
}
