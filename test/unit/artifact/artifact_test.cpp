// Compiled models on disk: what is written, what is read back and run, what is refused.
#include "artifact/artifact.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "artifact/sample_model.h"
#include "diag/kinds_artifact.h"
#include "runtime/check.h"
#include "tensor/safetensors.h"

namespace files = std::filesystem;
using mlgc::Tensor;

namespace {

std::string write_model(const TemporaryFolder& folder, bool single_file, const std::string& name = "m.mlgcx") {
  const mlgc::NamedTensors weights = sample_weights();
  const std::string path = folder.file(name);
  const auto status = mlgc::write_artifact(
      path, {&compiled_sample(), "mlgc_unit_sample", "like-eager", std::span(weights), single_file});
  INFO((status ? "" : status.error().message()));
  REQUIRE(status.ok());
  return path;
}

std::string open_error(const std::string& path, const mlgc::DiagKind& kind) {
  const auto opened = mlgc::open_artifact(path);
  if (opened) return "no error";
  CHECK(opened.error().kind == &kind);
  return opened.error().message();
}

void replace_in(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = *mlgc::read_file(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(mlgc::write_file(path, text.replace(at, from.size(), to)).ok());
}

// Whether a call of @forward gives what it must; the model was opened from `path`.
bool runs(const std::string& path) {
  const auto opened = mlgc::open_artifact(path);
  if (!opened) return false;
  const auto model = mlgc::Model::load(*opened);
  if (!model) return false;
  auto context = mlgc::ModelContext::make(*model, {.threads = 2});
  if (!context) return false;
  const std::vector<Tensor> inputs{Tensor::from_values<float>({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2})};
  const auto outputs = context->run(kForward, inputs);
  return outputs && (*outputs)[1] == Tensor::from_values<float>({2}, {8, 12}) &&
         context->state(0) == Tensor::scalar<std::int64_t>(11);
}

}  // namespace

TEST_CASE("weights are laid out as the hand-written unit says") {
  const mlgc::NamedTensors weights = sample_weights();
  const auto table = mlgc::lay_out_weights(weights);
  REQUIRE(table.ok());
  const mlgc_unit& unit = *mlgc_unit_sample();
  CHECK(table->file_bytes == unit.weights_file_bytes);
  CHECK(table->header_bytes == unit.weights_header_bytes);
  CHECK(table->header_hash == unit.weights_header_hash);
  CHECK(table->offsets ==
        std::vector<std::int64_t>{unit.weights[0].offset, unit.states[0].offset, unit.states[1].offset});
  CHECK(mlgc::lay_out_weights({})->file_bytes == 0);
  CHECK(mlgc::lay_out_weights(mlgc::NamedTensors{{"a", Tensor()}, {"a", Tensor()}}).error() ==
        "two tensors would be called \"a\"");
}

TEST_CASE("the dtypes of the ABI are those of tensors") {
  for (std::size_t i = 0; i < mlgc::kRealDtypeCount; ++i) {
    CHECK(mlgc::runtime::dtype_name(static_cast<mlgc_i32>(i)) == mlgc::kDtypes[i].name);
    CHECK(mlgc::runtime::dtype_bytes(static_cast<mlgc_i32>(i)) == static_cast<mlgc_i64>(mlgc::kDtypes[i].bytes));
  }
  CHECK(static_cast<mlgc_i32>(mlgc::Dtype::F64) == MLGC_F64);
}

TEST_CASE("a model is written as a folder or a file, and runs from both") {
  const TemporaryFolder folder;
  for (const bool single_file : {false, true}) {
    const std::string path = write_model(folder, single_file);
    CHECK(files::is_directory(path) != single_file);
    CHECK(folder.entries() == 1);
    CHECK(runs(path));
    // A newer one takes its place.
    CHECK(runs(write_model(folder, single_file)));
    CHECK(folder.entries() == 1);
    files::remove_all(path);
  }
  write_model(folder, true);
  CHECK(files::is_directory(write_model(folder, false)));
  CHECK(folder.entries() == 1);
}

TEST_CASE("equal calls write equal bytes") {
  const TemporaryFolder folder;
  const std::string a = write_model(folder, true, "a");
  const std::string b = write_model(folder, true, "b");
  CHECK(*mlgc::read_file(a) == *mlgc::read_file(b));
}

TEST_CASE("weights are mapped, not read") {
  const TemporaryFolder folder;
  for (const bool single_file : {false, true}) {
    const std::string path = write_model(folder, single_file);
    const auto opened = mlgc::open_artifact(path);
    REQUIRE(opened.ok());
    CHECK(reinterpret_cast<std::uintptr_t>(opened->weights.bytes.data()) % 64 == 0);
    const auto model = mlgc::Model::load(*opened);
    REQUIRE(model.ok());
    const std::string file = single_file ? path : path + "/weights.safetensors";
    CHECK_THAT(*mlgc::read_file("/proc/self/maps"), Contains(files::canonical(file).string()));
    files::remove_all(path);
  }
}

TEST_CASE("what a model says of itself") {
  const TemporaryFolder folder;
  const auto opened = mlgc::open_artifact(write_model(folder, false));
  REQUIRE(opened.ok());
  const mlgc::Manifest& manifest = opened->manifest;
  CHECK(manifest.name == "sample");
  CHECK(manifest.unit == "mlgc_unit_sample");
  CHECK(manifest.target == "cpp");
  CHECK(manifest.numerics == "like-eager");
  CHECK_THAT(manifest.flags, StartsWith("-std=c++17 -O3 -ffp-contract=off"));
  REQUIRE(manifest.functions.size() == 4);
  CHECK(manifest.functions[0].inputs[0].type() == "tensor<[B]x4xf32>");
  CHECK(manifest.functions[0].where() == "1 <= B <= 256");
  CHECK(manifest.functions[0].outputs[2].updates == "@calls");
  CHECK(manifest.functions[1].where() == "M mod 2 == 0");
  CHECK(manifest.functions[2].outputs[0].updates == "p");
  CHECK(manifest.functions[3].inputs[0].type() == "tensor<[2*K + 1]xf64>");
  CHECK(manifest.functions[3].where().empty());
  REQUIRE(manifest.states.size() == 2);
  CHECK(manifest.states[0].type() == "tensor<i64>");
  CHECK(manifest.states[1].type() == "tensor<4xf32>");
  const auto again = mlgc::parse_manifest(mlgc::print_manifest(manifest), "m");
  REQUIRE(again.ok());
  CHECK(mlgc::print_manifest(*again) == mlgc::print_manifest(manifest));
}

TEST_CASE("manifests that are damaged are refused at the field") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& from, const std::string& to, const mlgc::DiagKind& kind) {
    const std::string path = write_model(folder, false);
    replace_in(path + "/manifest.json", from, to);
    const std::string message = open_error(path, kind);
    REQUIRE_THAT(message, StartsWith("`" + path + "`"));
    return message.substr(path.size() + 2);
  };
  CHECK(refused(R"("format": 1)", R"("format": 2)", mlgc::kArtifactVersion) ==
        ": `format` in manifest.json is 2, this program reads 1");
  CHECK(refused(R"("runtime_abi": 8)", R"("runtime_abi": 9)", mlgc::kArtifactVersion) ==
        ": `runtime_abi` in manifest.json is 9, this program reads 8");
  CHECK(refused(std::string(mlgc::this_architecture()), "pdp11", mlgc::kArtifactVersion) ==
        ": `architecture` in manifest.json is pdp11, this program reads " + std::string(mlgc::this_architecture()));
  CHECK(refused(R"("cpu_features": [)", R"("cpu_features": ["avx9000")", mlgc::kArtifactCpu) ==
        ": `cpu_features` in manifest.json wants avx9000, which this CPU does not have");
  CHECK(refused(R"("numerics")", R"("numbers")", mlgc::kManifestField) == ": `numerics` in manifest.json is missing");
  CHECK(refused(R"("name": "sample")", R"("name": 1)", mlgc::kManifestField) ==
        ": `name` in manifest.json is not a string");
  CHECK(refused(R"("dtype": "f32")", R"("dtype": "f33")", mlgc::kManifestField) ==
        ": `functions[0].inputs[0].dtype` in manifest.json is not an element type");
  CHECK(refused(R"("low": 1)", R"("low": "1")", mlgc::kManifestField) ==
        ": `functions[0].symbols[0].low` in manifest.json is not an integer");
  CHECK(refused(R"("bytes": )", R"("bytes": -)", mlgc::kManifestField) ==
        ": `files[0].bytes` in manifest.json is negative");
  CHECK(refused(R"("states": [)", R"("states": 1, "x": [)", mlgc::kManifestField) ==
        ": `states` in manifest.json is not a list");
  CHECK(refused(R"("name": "model.so")", R"("name": "other.so")", mlgc::kManifestField) ==
        ": `files` in manifest.json has no model.so");
  CHECK(refused("{", "[", mlgc::kNoArtifact) == " is not a compiled model: its manifest.json is not JSON");
  REQUIRE(mlgc::write_file(folder.file("m.mlgcx/manifest.json"), "[]").ok());
  CHECK(open_error(folder.file("m.mlgcx"), mlgc::kManifestField) ==
        "`" + folder.file("m.mlgcx") + "`: `{}` in manifest.json is not an object");
}

TEST_CASE("models that are damaged are refused at the file") {
  const TemporaryFolder folder;
  std::string path = write_model(folder, false);
  const std::string code = *mlgc::read_file(path + "/model.so");
  REQUIRE(mlgc::write_file(path + "/model.so", code.substr(0, 1000)).ok());
  CHECK(open_error(path, mlgc::kArtifactFile) ==
        "`" + path + "`: `model.so` has 1000 bytes, manifest.json says " + std::to_string(code.size()));
  std::string changed = code;
  changed.back() ^= 1;
  REQUIRE(mlgc::write_file(path + "/model.so", changed).ok());
  CHECK(open_error(path, mlgc::kArtifactFile) == "`" + path + "`: `model.so` has another hash than manifest.json says");
  REQUIRE(mlgc::write_file(path + "/model.so", code).ok());
  REQUIRE(mlgc::write_file(path + "/weights.safetensors", "short").ok());
  CHECK(open_error(path, mlgc::kArtifactFile) ==
        "`" + path + "`: `weights.safetensors` has 5 bytes, manifest.json says 232");
  files::remove(path + "/weights.safetensors");
  CHECK(open_error(path, mlgc::kArtifactFile) ==
        "`" + path + "`: `weights.safetensors` cannot be read: " + path +
            "/weights.safetensors: cannot open for reading: No such file or directory");
  files::remove(path + "/manifest.json");
  CHECK_THAT(open_error(path, mlgc::kNoArtifact), StartsWith("`" + path + "` is not a compiled model: "));
  files::remove_all(path);

  path = write_model(folder, true);
  const std::string archive = *mlgc::read_file(path);
  REQUIRE(mlgc::write_file(path, archive.substr(0, archive.size() / 2)).ok());
  CHECK_THAT(open_error(path, mlgc::kNoArtifact), StartsWith("`" + path + "` is not a compiled model: "));
  REQUIRE(mlgc::write_npz(path, sample_weights()).ok());
  CHECK(open_error(path, mlgc::kNoArtifact) == "`" + path + "` is not a compiled model: it has no manifest.json");
}

TEST_CASE("other weights of the same shapes are welcome, others are refused by the runtime") {
  const TemporaryFolder folder;
  const std::string path = write_model(folder, false);
  mlgc::NamedTensors weights = sample_weights();
  weights[0].second = Tensor::splat(mlgc::Dtype::F32, {4}, 10);
  REQUIRE(mlgc::write_safetensors(path + "/weights.safetensors", weights).ok());
  auto opened = mlgc::open_artifact(path);
  REQUIRE(opened.ok());
  CHECK(mlgc::Model::load(*opened).ok());
  weights[0].first = "v";
  REQUIRE(mlgc::write_safetensors(path + "/weights.safetensors", weights).ok());
  opened = mlgc::open_artifact(path);
  REQUIRE(opened.ok());
  const auto refused = mlgc::Model::load(*opened);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == &mlgc::kRunRefused);
  CHECK(refused.error().message() == "`the weights` holds other tensors than the weights of `sample`");
}

TEST_CASE("a model takes the place of a model alone") {
  const TemporaryFolder folder;
  const mlgc::NamedTensors weights = sample_weights();
  files::create_directory(folder.file("mine"));
  REQUIRE(mlgc::write_file(folder.file("mine/thesis.txt"), "…").ok());
  REQUIRE(mlgc::write_file(folder.file("notes"), "…").ok());
  for (const bool single_file : {false, true})
    for (const char* name : {"mine", "notes"}) {
      const auto status = mlgc::write_artifact(
          folder.file(name), {&compiled_sample(), "mlgc_unit_sample", "exact", std::span(weights), single_file});
      REQUIRE_FALSE(status.ok());
      CHECK(status.error().kind == &mlgc::kArtifactInTheWay);
      CHECK(status.error().message() == "`" + folder.file(name) + "` exists and is not a compiled model");
    }
  CHECK(folder.entries() == 2);
  const auto status = mlgc::write_artifact(
      folder.file("no/such/folder"), {&compiled_sample(), "mlgc_unit_sample", "exact", std::span(weights), false});
  CHECK(status.error().message() ==
        folder.file("no/such/folder") + ": cannot make a folder: No such file or directory");
}

TEST_CASE("a model in a single file that was cut off is replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.file("m.mlgcx");
  const mlgc::NamedTensors weights = sample_weights();
  const auto write = [&] {
    return mlgc::write_artifact(path, {&compiled_sample(), "mlgc_unit_sample", "exact", std::span(weights), true});
  };
  REQUIRE(write().ok());
  const std::string whole = *mlgc::read_file(path);
  for (const std::size_t bytes :
       {whole.size() - 1, whole.size() / 2, std::size_t{100}, std::size_t{43}, std::size_t{0}}) {
    INFO(bytes);
    REQUIRE(mlgc::write_file(path, whole.substr(0, bytes)).ok());
    const auto opened = mlgc::open_artifact(path);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == &mlgc::kNoArtifact);
    CHECK(write().ok());
    CHECK(*mlgc::read_file(path) == whole);
  }
  // An archive of something else, cut off.
  REQUIRE(
      mlgc::write_file(path, "PK\3\4" + std::string(22, '\0') + "\x0d" + std::string(3, '\0') + "manifest.yaml").ok());
  const auto refused = write();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() == "`" + path + "` exists and is not a compiled model");
}

TEST_CASE("processes and models use one artefact at the same time") {
  const TemporaryFolder folder;
  for (const bool single_file : {false, true}) {
    const std::string path = write_model(folder, single_file);
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        bool good = true;
        for (int round = 0; round < 20; ++round) good = good && runs(path);
        _exit(good ? 0 : 1);
      }
      children.push_back(child);
    }
    CHECK(runs(path));
    for (const pid_t child : children) {
      int status = -1;
      REQUIRE(waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
    files::remove_all(path);
  }
}

TEST_CASE("a unit runs on weights in memory, without a model on disk") {
  const TemporaryFolder folder;
  const mlgc::NamedTensors weights = sample_weights();
  auto bytes = mlgc::weights_in_memory(weights);
  REQUIRE(bytes.ok());
  REQUIRE(mlgc::write_safetensors(folder.file("w"), weights).ok());
  CHECK(mlgc::as_text(bytes->bytes) == *mlgc::read_file(folder.file("w")));
  auto object = mlgc::SharedObject::open(compiled_sample().path, "mlgc_unit_sample");
  REQUIRE(object.ok());
  const auto model = mlgc::Model::load(*std::move(object), *std::move(bytes));
  REQUIRE(model.ok());
  auto context = mlgc::ModelContext::make(*model, {.threads = 1});
  REQUIRE(context.ok());
  const auto outputs = context->run(kForward, std::vector<Tensor>{Tensor::splat(mlgc::Dtype::F32, {1, 4}, 1)});
  REQUIRE(outputs.ok());
  CHECK((*outputs)[1] == Tensor::from_values<float>({1}, {10}));
}

TEST_CASE("a unit that another runtime wants is refused") {
  OwnCache own;
  std::string source = sample_source();
  const std::string abi = "{MLGC_UNIT_ABI,";
  REQUIRE(source.find(abi) != std::string::npos);
  const auto unit = own.compile(source.replace(source.find(abi), abi.size(), "{77,"));
  REQUIRE(unit.ok());
  auto object = mlgc::SharedObject::open(unit->path, "mlgc_unit_sample");
  REQUIRE(object.ok());
  const auto model = mlgc::Model::load(*std::move(object), {});
  REQUIRE_FALSE(model.ok());
  CHECK(model.error().kind == &mlgc::kRunUnsupported);
  CHECK(model.error().message() == "`sample` was emitted for version 77 of the runtime, this is version 8");
}

TEST_CASE("errors of a run are those of the runtime, by their class") {
  const TemporaryFolder folder;
  const auto opened = mlgc::open_artifact(write_model(folder, false));
  REQUIRE(opened.ok());
  const auto model = mlgc::Model::load(*opened);
  REQUIRE(model.ok());
  std::vector<std::string> launches;
  auto context = mlgc::ModelContext::make(
      *model,
      {.threads = 1, .measure_arena = true, .memory_limit = 4096 + 512, .log = [&](const mlgc_launch_event& event) {
         launches.emplace_back(event.kernel);
       }});
  REQUIRE(context.ok());
  auto outputs = context->run(kForward, std::vector<Tensor>{Tensor::zeros(mlgc::Dtype::F32, {2, 5})});
  REQUIRE_FALSE(outputs.ok());
  CHECK(outputs.error().kind == &mlgc::kRunRefused);
  CHECK(outputs.error().message() == "input `x`: dim 1 is 5, the model has 4");
  outputs = context->run(kForward, std::vector<Tensor>{Tensor::zeros(mlgc::Dtype::F32, {200, 4})});
  REQUIRE_FALSE(outputs.ok());
  CHECK(outputs.error().kind == &mlgc::kRunLimit);
  CHECK(outputs.error().message() == "7296 bytes for temporaries of `forward` are more than the limit of 4608 allows");
  CHECK(launches.empty());
  outputs = context->run(kForward, std::vector<Tensor>{Tensor::splat(mlgc::Dtype::F32, {3, 4}, 1)});
  REQUIRE(outputs.ok());
  CHECK(launches == std::vector<std::string>{"mul", "relu_sum"});
  CHECK(context->memory().arena_touched == 48);
  const Tensor four = Tensor::scalar<std::int64_t>(4);
  CHECK(context->set_state(0, four).ok());
  CHECK(context->state(0) == four);
  CHECK(context->set_state(1, four).error().message() == "state `total` is 4xf32, the value given is i64");
  const auto narrow = mlgc::ModelContext::make(*model, {.threads = 100000});
  REQUIRE_FALSE(narrow.ok());
  CHECK(narrow.error().message() == "100000 threads are asked for, 0 to 1024 are possible");
}
