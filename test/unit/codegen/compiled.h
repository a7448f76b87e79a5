// Compiles printed C++, loads and calls it, and holds it against the interpreter and the reference in f64.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "codegen/cpp/print_cpp.h"
#include "host_compiler.h"
#include "interp/interpret_module.h"
#include "loopir/functions.h"
#include "loops/lower.h"
#include "runtime/unit.h"
#include "tensor/compare.h"
#include "thread_cases.h"

using namespace mlgc;
using namespace mlgc::thread_test;
using mlgc::host_compiler::Library;

inline std::string element_type(Dtype dtype) {
  const char* const names[] = {"bool",    "int8_t",   "uint8_t",  "int16_t", "int32_t",
                               "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  return names[static_cast<std::size_t>(dtype)];
}

// A function that calls a printed one with arrays of pointers and sizes.
inline std::string wrapper(OpRef func, const codegen::PrintedFunction& printed) {
  std::string out = "#ifndef MLGC_BYTES\nextern \"C\" int32_t call_" + printed.name +
                    "(const mlgc_runtime* runtime, void** buffers, const int64_t* sizes, char* memory) {\n"
                    "  (void)buffers;\n  (void)sizes;\n  (void)memory;\n  return " +
                    printed.name + "(runtime";
  const std::vector<bool> written = written_arguments(func);
  for (std::size_t i = 0; i < func.region(0).argument_count(); ++i)
    out += ", static_cast<" + std::string(written[i] ? "" : "const ") +
           element_type(func.region(0).argument(i).dtype()) + "*>(buffers[" + std::to_string(i) + "])";
  for (std::size_t i = 0; i < symbols_of(func).size(); ++i) out += ", sizes[" + std::to_string(i) + "]";
  return out + (printed.memory.takes_memory ? ", memory" : "") + ");\n}\n#endif\n";
}

// A runtime of one thread, which cuts loops into pieces that are as small as allowed, last to first.
struct TestRuntime {
  mlgc_runtime base{};
  std::string message;
  std::vector<std::byte> scratch;

  explicit TestRuntime(std::size_t scratch_bytes) : scratch(scratch_bytes + 64) {
    base.threads = 1;
    base.parallel_for = [](const mlgc_runtime* runtime, mlgc_i64 n, mlgc_i64, mlgc_body* body,
                           void* argument) -> mlgc_i32 {
      const auto* self = reinterpret_cast<const TestRuntime*>(runtime);
      auto* memory = const_cast<std::byte*>(self->scratch.data());
      memory += 64 - reinterpret_cast<std::uintptr_t>(memory) % 64;
      for (mlgc_i64 end = n; end > 0; end -= 3) {
        const mlgc_i32 failed = body(argument, end < 3 ? 0 : end - 3, end, memory);
        if (failed != 0) return failed;
      }
      return 0;
    };
    base.fail = [](const mlgc_runtime* runtime, const char* message, const mlgc_i64* values,
                   mlgc_i32 count) -> mlgc_i32 {
      auto* self = const_cast<TestRuntime*>(reinterpret_cast<const TestRuntime*>(runtime));
      self->message = message;
      for (mlgc_i32 i = 0; i < count; ++i) {
        const std::string slot = "{" + std::to_string(i) + "}";
        const std::size_t at = self->message.find(slot);
        if (at != std::string::npos) self->message.replace(at, slot.size(), std::to_string(values[i]));
      }
      return 1;
    };
  }
};

using Entry = std::int32_t(const mlgc_runtime*, void**, const std::int64_t*, char*);

struct Ran {
  int code = 0;
  std::string message;
  std::vector<Tensor> results;
};

// Memory between two pages that nobody may touch, at the end of its own: what reads or writes behind it is killed.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes / page_ + 1) * page_;
    void* all = mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    begin_ = static_cast<std::byte*>(all);
    REQUIRE(mprotect(begin_ + page_, inner_, PROT_READ | PROT_WRITE) == 0);
    data_ = begin_ + page_ + inner_ - bytes;
  }
  ~Guarded() { munmap(begin_, inner_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::size_t page_, inner_ = 0;
  std::byte *begin_ = nullptr, *data_ = nullptr;
};

inline Ran run(const Library& library, Context& context, OpRef func, const codegen::PrintedFunction& printed,
               std::vector<Tensor> inputs, std::vector<Tensor> results, const Sizes& sizes) {
  const auto size_of = [&](IndexExpr e) {
    return *context.index().evaluate(
        e, [&](AtomId a) { return std::optional(sizes.at(std::string(context.index().symbol_name(a)))); });
  };
  std::vector<std::int64_t> numbers;
  for (const AtomId s : symbols_of(func)) numbers.push_back(sizes.at(std::string(context.index().symbol_name(s))));
  numbers.push_back(0);
  TestRuntime runtime(static_cast<std::size_t>(size_of(printed.memory.scratch)));
  std::vector<std::byte> memory(static_cast<std::size_t>(size_of(printed.memory.bytes)) + 64);
  const std::vector<bool> written = written_arguments(func);
  std::vector<Tensor*> tensors;
  std::vector<std::unique_ptr<Guarded>> guarded;
  std::vector<void*> buffers;
  std::size_t next_input = 0, next_result = 0;
  for (const bool is_result : written) {
    tensors.push_back(is_result ? &results[next_result++] : &inputs[next_input++]);
    const auto bytes = tensors.back()->mutable_bytes();
    guarded.push_back(std::make_unique<Guarded>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), guarded.back()->data());
    buffers.push_back(guarded.back()->data());
  }
  Ran ran;
  ran.code = library.find<Entry>("call_" + printed.name)(&runtime.base, buffers.data(), numbers.data(),
                                                         reinterpret_cast<char*>(memory.data()));
  ran.message = runtime.message;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = tensors[i]->mutable_bytes();
    std::copy(guarded[i]->data(), guarded[i]->data() + bytes.size(), bytes.begin());
  }
  ran.results = std::move(results);
  return ran;
}

struct Program {
  const Case* origin;
  Formula formula;
  OpRef func;
};

// The results of a program before it ran: whatever it leaves unwritten is seen.
inline std::vector<Tensor> unwritten(Context& context, const Formula& formula, const Sizes& sizes) {
  std::vector<Tensor> out;
  for (const TensorId id : formula.results()) {
    Shape shape;
    for (const IndexExpr e : formula.tensor(id).shape)
      shape.push_back(*context.index().evaluate(
          e, [&](AtomId a) { return std::optional(sizes.at(std::string(context.index().symbol_name(a)))); }));
    Tensor result = Tensor::zeros(formula.tensor(id).dtype, shape);
    std::fill(result.mutable_bytes().begin(), result.mutable_bytes().end(), std::byte{1});
    out.push_back(std::move(result));
  }
  return out;
}

// One file with these functions and their wrappers.
inline CppUnit unit_of(const std::vector<OpRef>& functions, Mathematics mathematics) {
  auto unit = print_cpp(functions, {mathematics, "unit.cpp"});
  if (!unit) FAIL(unit.error().message());
  for (std::size_t i = 0; i < functions.size(); ++i) unit->text += wrapper(functions[i], unit->functions[i]);
  return std::move(*unit);
}

// Runs every program, taken from `read`, with every size and kind of values; returns the number of outputs compared.
inline int check_programs(Module& read, std::vector<Program> programs, const std::string& compiler,
                          const std::vector<std::string>& flags) {
  Context& context = read.context();
  std::vector<OpRef> functions;
  for (Program& p : programs) functions.push_back(p.func = read.lookup(p.func.symbol()));
  const CppUnit unit = unit_of(functions, Mathematics::Library);
  const Library library(unit.text, compiler, flags);
  int outputs = 0;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const Program& p = programs[k];
    for (const Sizes& sizes : p.origin->sizes) {
      for (const Values kind : {Values::Plain, Values::Edge}) {
        INFO(p.func.symbol());
        const std::vector<Tensor> inputs = inputs_of(context, *p.origin, p.formula, sizes, kind);
        const auto interpreted = interpret(read, p.func.symbol(), inputs);
        if (!interpreted) FAIL(interpreted.error().message());
        const std::vector<Tensor> native = evaluate_all(context, p.formula, inputs, Precision::Native);
        const std::vector<Tensor> reference = evaluate_all(context, p.formula, inputs, Precision::F64);
        const Ran ran =
            run(library, context, p.func, unit.functions[k], inputs, unwritten(context, p.formula, sizes), sizes);
        CHECK(ran.code == 0);
        REQUIRE(ran.results.size() == interpreted->results.size());
        for (std::size_t i = 0; i < ran.results.size(); ++i) {
          INFO("result " << i);
          CHECK(same_bits(interpreted->results[i], native[i]));
          CHECK(same_bits(ran.results[i], interpreted->results[i]));
          if (kind == Values::Plain) CHECK(agrees(ran.results[i], reference[i]).reason == "");
          ++outputs;
        }
      }
    }
  }
  return outputs;
}
