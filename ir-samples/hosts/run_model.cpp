// Runs a compiled model from C++, loaded when the program runs, in two threads with a context each:
//
//     c++ -std=c++17 run_model.cpp -Ilib -pthread -ldl -o run_model && ./run_model model.mlgcx
//
// The functions of mlgc.h are in the model's own shared object. Nothing of one model meets those of another.
#include <dlfcn.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/mlgc.h"

namespace {

struct Library {
  void* handle;
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle, name));
  }
};

// One thread's calls: its own context, its own count of calls.
void work(const Library& library, const mlgc_program* program, float value, std::string& report) {
  const auto create = library.function<decltype(mlgc_context_create)>("mlgc_context_create");
  const auto destroy = library.function<decltype(mlgc_context_destroy)>("mlgc_context_destroy");
  const auto run = library.function<decltype(mlgc_run)>("mlgc_run");
  const auto error = library.function<decltype(mlgc_error)>("mlgc_error");
  const auto read_state = library.function<decltype(mlgc_state_read)>("mlgc_state_read");
  mlgc_context_options options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  mlgc_context* made = nullptr;
  char reason[512] = "";
  if (create(program, &options, &made, reason, sizeof reason) != MLGC_OK) {
    report = reason;
    return;
  }
  const std::unique_ptr<mlgc_context, decltype(destroy)> context(made, destroy);

  std::vector<float> x(3 * 4, value);
  std::vector<float> y(x.size());
  std::vector<float> sum(3);
  const mlgc_i64 sizes[] = {3, 4};
  const auto tensor = [&](std::vector<float>& data, mlgc_i32 rank) {
    return mlgc_tensor{sizeof(mlgc_tensor),        data.data(), MLGC_F32, MLGC_CPU, 0, rank, sizes, nullptr,
                       data.size() * sizeof(float)};
  };
  const mlgc_tensor input = tensor(x, 2);
  for (int call = 0; call < 5; ++call) {
    mlgc_tensor outputs[] = {tensor(y, 2), tensor(sum, 1)};
    if (run(context.get(), 0, &input, 1, outputs, 2) != MLGC_OK) {
      report = error(context.get());
      return;
    }
  }
  mlgc_i64 calls = 0;
  read_state(context.get(), 0, &calls, sizeof calls);
  report = "sum " + std::to_string(static_cast<int>(sum[2])) + " after " + std::to_string(calls) + " calls";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = std::string(argc > 1 ? argv[1] : "model.mlgcx") + "/model.so";
  const Library library{dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
  if (library.handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto unit = library.function<const mlgc_unit*()>("mlgc_unit_sample");
  mlgc_program* program = nullptr;
  char error[512] = "";
  if (library.function<decltype(mlgc_program_create)>("mlgc_program_create")(unit(), nullptr, &program, error,
                                                                             sizeof error) != MLGC_OK) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  std::string reports[2];
  std::thread other(work, std::cref(library), program, 1.0F, std::ref(reports[0]));
  work(library, program, 2.0F, reports[1]);
  other.join();
  std::printf("%s\n%s\n", reports[0].c_str(), reports[1].c_str());
  library.function<decltype(mlgc_program_destroy)>("mlgc_program_destroy")(program);
  return 0;
}
