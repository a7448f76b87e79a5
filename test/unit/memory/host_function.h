// Host functions from text, for tests of memory plans: one transform is applied, and what the function computes is the
// same as before.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "interp/interpret_module.h"
#include "loopir/loop_ops.h"
#include "memory/plan_transforms.h"
#include "parsed_module.h"
#include "tensor/tensor.h"
#include "verify/verify.h"

namespace mlgc::test {

// Kernels: `twice` may work in place; `turn` reads what it wrote before; `join` reads two; `copy` and `part` store what
// they read, the latter but the last element; `grow` and `shrink` go to rows of 64 and back; `tests` may fail.
inline const std::string kKernels = R"(state @s : tensor<[N]xf32>
func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[%i] : f32
    %g = add %e, %e : f32
    store %g, %b[%i]
  }
  return
}
func @turn(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[N - 1 - %i] : f32
    store %e, %b[%i]
  }
  return
}
func @join(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>, %c: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[%i] : f32
    %g = load %b[%i] : f32
    %h = sub %e, %g : f32
    store %h, %c[%i]
  }
  return
}
func @copy(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[%i] : f32
    store %e, %b[%i]
  }
  return
}
func @part(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N - 1] (%i: index) {
    %e = load %a[%i] : f32
    store %e, %b[%i]
  }
  return
}
func @grow(%a: buffer<[N]xf32, argument>, %b: buffer<[N]x64xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[%i] : f32
    for [0, 64] (%j: index) {
      store %e, %b[%i, %j]
    }
  }
  return
}
func @shrink(%a: buffer<[N]x64xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %e = load %a[%i, 63] : f32
    store %e, %b[%i]
  }
  return
}
func @tests(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  check [N - 1] {message = "empty"}
  for [0, N] (%i: index) {
    %e = load %a[%i] : f32
    store %e, %b[%i]
  }
  return
}
)";

// A host function @f of %x with the result %y, and the new value %n of @s where it updates that.
inline std::string host(const std::string& body, bool updates = false) {
  return kKernels + "func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>" +
         (updates ? ", %n: buffer<[N]xf32, argument>) updates (@s = %n)" : ")") + " attributes {results = 1} {\n" +
         body + "  return" + (updates ? " %n" : "") + "\n}\n";
}
inline std::string alloc(const std::string& name, const std::string& dims = "[N]") {
  return "  %" + name + " = alloc : buffer<" + dims + "xf32, arena>\n";
}
inline std::string launch(const std::string& kernel, const std::vector<std::string>& buffers) {
  std::string out = "  launch @" + kernel;
  for (const std::string& buffer : buffers) out += ", %" + buffer;
  return out + "\n";
}
inline const std::string kOldState = "  %o = data @s : buffer<[N]xf32, weight>\n";

struct Planned {
  explicit Planned(const std::string& text) : parsed(text) { before = computed(); }

  // Applies a transform; the text is valid after it and computes the same.
  template <class Transform>
  auto apply(Transform&& transform) {
    const auto answer = transform(parsed.func());
    INFO(parsed.text());
    CHECK(parsed.module.check_store().empty());
    DiagnosticEngine diagnostics(parsed.context->locations());
    const bool sound = verify(parsed.module, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(sound);
    CHECK(computed() == before);
    return answer;
  }
  std::uint64_t elide(RewriteGate gate = RewriteGate()) {
    return apply([&](OpRef f) {
      InPlaceKernels kernels;
      return elide_copies(f, kernels, gate);
    });
  }
  std::uint64_t reorder(RewriteGate gate = RewriteGate()) {
    return apply([&](OpRef f) { return reorder_launches(f, gate); });
  }
  std::uint64_t share(RewriteGate gate = RewriteGate()) {
    return apply([&](OpRef f) {
      InPlaceKernels kernels;
      return share_memory(f, kernels, gate);
    });
  }
  std::uint64_t states(RewriteGate gate = RewriteGate()) {
    return apply([&](OpRef f) {
      InPlaceKernels kernels;
      return write_states_in_place(f, kernels, gate);
    });
  }
  bool sink() {
    return apply([](OpRef f) { return sink_buffers(f); });
  }

  // The ops of @f, a line each, without those inside: `alloc t`, `alloc t y` in the memory of y, `launch twice x t`.
  [[nodiscard]] std::string ops() const {
    std::string out;
    const std::function<void(RegionRef)> list = [&](RegionRef region) {
      for (const OpRef op : region.ops()) {
        if (op.has_trait(Traits::Terminator)) continue;
        out += std::string(op.name());
        if (op.is(LoopOp::Launch)) out += " " + std::string(LaunchRef::from(op).callee_name());
        for (const Value v : op.results()) out += " " + std::string(v.name());
        for (const Value v : op.operands()) out += " " + std::string(v.name());
        out += "\n";
        for (const RegionRef inner : op.regions()) list(inner);
      }
    };
    list(parsed.func().region(0));
    return out;
  }

  // Results and new states for five elements; bytes, so that equal means equal bits.
  [[nodiscard]] std::string computed() {
    std::string out;
    const std::vector<float> numbers{1.0F, -2.0F, 3.0F, 5.0F, -7.0F}, old{0.5F, 4.0F, -6.0F, 8.0F, 9.0F};
    const auto tensor = [](const std::vector<float>& values) {
      return Tensor::from_values<float>(Shape{5}, std::span<const float>(values));
    };
    const std::vector<Tensor> inputs{tensor(numbers)};
    const auto outputs = interpret(parsed.module, "f", inputs, {{"s", tensor(old)}});
    INFO(parsed.text());
    REQUIRE(outputs.ok());
    const auto add = [&](const Tensor& t) {
      out.append(reinterpret_cast<const char*>(t.bytes().data()), t.bytes().size());
    };
    for (const Tensor& t : outputs->results) add(t);
    for (const auto& update : outputs->updates) add(update.second);
    return out;
  }

  ParsedModule parsed;
  std::string before;
};

}  // namespace mlgc::test
