// Compiles printed C++, loads and calls it, and holds it against the interpreter and the judge.
#pragma once

#include "codegen/cpp/print_cpp.h"

#include <dlfcn.h>

#include "interp/interpret_module.h"
#include "loops/lower.h"
#include "ops/loop_ops.h"
#include "support/file.h"
#include "support/subprocess.h"
#include "support/temporary_folder.h"
#include "tensor/compare.h"
#include "thread_cases.h"

using namespace mlgc;
using namespace mlgc::thread_test;

inline std::string element_type(Dtype dtype) {
  const char* const names[] = {"bool",    "int8_t",   "uint8_t",  "int16_t", "int32_t",
                               "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return names[static_cast<std::size_t>(dtype)];
}

// A function that calls a printed one with arrays of pointers and sizes.
inline std::string wrapper(OpRef func, std::string_view prefix) {
  std::string out = "extern \"C\" int " + std::string(prefix) + std::string(func.symbol()) +
                    "(void** buffers, const int64_t* sizes) {\n  (void)buffers;\n  (void)sizes;\n  return " +
                    std::string(func.symbol()) + "(";
  const std::vector<bool> written = written_arguments(func);
  std::string arguments;
  for (std::size_t i = 0; i < func.region(0).argument_count(); ++i)
    arguments += (i ? ", " : "") + std::string("static_cast<") + (written[i] ? "" : "const ") +
                 element_type(func.region(0).argument(i).dtype()) + "*>(buffers[" + std::to_string(i) + "])";
  for (std::size_t i = 0; i < symbols_of(func).size(); ++i) arguments += ", sizes[" + std::to_string(i) + "]";
  return out + arguments + ");\n}\n";
}

using Entry = int (*)(void**, const std::int64_t*);

// Compiled source in a folder that goes away, kept loaded.
class Library {
 public:
  Library(const std::string& source, const char* compiler) {
    const std::string cpp = folder_.file("f.cpp"), so = folder_.file("f.so");
    REQUIRE(write_file(cpp, source).ok());
    const auto built = run_process({compiler, "-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror",
                                    "-Wno-unused-function", "-shared", "-fPIC", cpp, "-o", so});
    if (!built) FAIL(built.error());
    if (built->exit_code != 0) FAIL(built->output << source);
    handle_ = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) FAIL(dlerror());
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  Entry entry(const std::string& name) const { return reinterpret_cast<Entry>(dlsym(handle_, name.c_str())); }

 private:
  TemporaryFolder folder_;
  void* handle_ = nullptr;
};

struct Program {
  const Case* origin;
  Formula formula;
  OpRef func;
};

struct Ran {
  int code = 0;
  std::vector<Tensor> results;
};

inline Ran run(const Library& library, Context& context, const Program& p, std::vector<Tensor> inputs,
               const Sizes& sizes) {
  std::vector<std::int64_t> numbers;
  const std::vector<AtomId> symbols = symbols_of(p.func);
  for (const AtomId s : symbols) numbers.push_back(sizes.at(std::string(context.index().symbol_name(s))));
  Ran ran;
  for (const TensorId id : p.formula.results()) {
    Shape shape;
    for (const IndexExpr e : p.formula.tensor(id).shape)
      shape.push_back(*context.index().evaluate(
          e, [&](AtomId a) { return std::optional(sizes.at(std::string(context.index().symbol_name(a)))); }));
    Tensor result = Tensor::zeros(p.formula.tensor(id).dtype, shape);
    // Whatever the function leaves unwritten is seen.
    std::fill(result.mutable_bytes().begin(), result.mutable_bytes().end(), std::byte{1});
    ran.results.push_back(std::move(result));
  }
  std::vector<void*> buffers;
  for (Tensor& t : inputs) buffers.push_back(t.mutable_bytes().data());
  for (Tensor& t : ran.results) buffers.push_back(t.mutable_bytes().data());
  numbers.push_back(0);
  const Entry entry = library.entry("call_" + std::string(p.func.symbol()));
  REQUIRE(entry != nullptr);
  ran.code = entry(buffers.data(), numbers.data());
  return ran;
}

inline std::string sources(const std::vector<Program>& programs) {
  std::vector<OpRef> functions;
  for (const Program& p : programs) functions.push_back(p.func);
  std::string source = print_cpp(functions);
  for (const OpRef f : functions) source += wrapper(f, "call_");
  return source;
}

// Runs every program, taken from `read`, with every size and kind of values; returns the number of outputs compared.
inline int check_programs(Module& read, std::vector<Program> programs, const char* compiler) {
  Context& context = read.context();
  for (Program& p : programs) p.func = read.lookup(p.func.symbol());
  const Library library(sources(programs), compiler);
  int outputs = 0;
  for (const Program& p : programs) {
    for (const Sizes& sizes : p.origin->sizes) {
      for (const Values kind : {Values::Plain, Values::Edge}) {
        INFO(p.func.symbol());
        const std::vector<Tensor> inputs = inputs_of(context, *p.origin, p.formula, sizes, kind);
        const auto interpreted = interpret(read, p.func.symbol(), inputs);
        if (!interpreted) FAIL(interpreted.error().message());
        const std::vector<Tensor> native = judged(context, p.formula, inputs, Precision::Native);
        const std::vector<Tensor> judge = judged(context, p.formula, inputs, Precision::Judge);
        const Ran ran = run(library, context, p, inputs, sizes);
        CHECK(ran.code == 0);
        REQUIRE(ran.results.size() == interpreted->results.size());
        for (std::size_t i = 0; i < ran.results.size(); ++i) {
          INFO("result " << i);
          CHECK(same_bits(interpreted->results[i], native[i]));
          CHECK(same_bits(ran.results[i], interpreted->results[i]));
          if (kind == Values::Plain) CHECK(agrees(ran.results[i], judge[i]).reason == "");
          ++outputs;
        }
      }
    }
  }
  return outputs;
}
