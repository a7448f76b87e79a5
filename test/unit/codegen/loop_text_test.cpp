// Loop text as a schedule writes it by hand: what is printed for it, what it gives, and what is refused.
#include "compiled.h"

namespace {

struct Hand {
  std::string name, text;
  std::vector<Operand> operands;  // in the order of the arguments that are only read
  std::vector<std::pair<Dtype, std::vector<const char*>>> results;
  std::vector<Sizes> sizes;
};

// A vector loop that converts elements of the dtype to every dtype.
Hand conversions(Dtype from) {
  const std::string type(dtype_info(from).name);
  Hand out{"from_" + type, "", {{"x", {"N"}, from}}, {}, {{{"N", 0}}, {{"N", 27}}, {{"N", 64}}}};
  std::string arguments, body;
  for (const DtypeInfo& info : std::span(kDtypes).first(kRealDtypeCount)) {
    const std::string to(info.name);
    arguments += ", %" + to + ": buffer<[N]x" + to + ", argument>";
    if (to != type) body += "    %c_" + to + " = cast %v {dtype = " + to + "} : " + to + "\n";
    body += "    store %" + (to == type ? "v" : "c_" + to) + ", %" + to + "[%i]\n";
    out.results.push_back({*parse_dtype(to), {"N"}});
  }
  out.text =
      "func @" + out.name + "(%x: buffer<[N]x" + type + ", argument>" + arguments +
      ") {\n  for [0, N] (%i: index) attributes {kind = \"vector\", lanes = 8} {\n    %v = load %x[%i] : " + type +
      "\n" + body + "  }\n  return\n}";
  return out;
}

const std::vector<Hand>& hands() {
  static const std::vector<Hand> written{
      {"named",
       R"(func @named(%x: buffer<[N]x6xf32, argument>, %y: buffer<[N]x6xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 8} {
    %t = alloc : buffer<6xf32, register>
    for [0, 6] (%k: index) attributes {kind = "unrolled"} {
      %0 = load %x[%i, %k] : f32
      store %0, %t[%k]
    }
    for [0, 6] (%k: index) attributes {kind = "unrolled"} {
      %0 = load %t[5 - %k] : f32
      store %0, %y[%i, %k]
    }
  }
  return
})",
       {{"x", {"N", "6"}}},
       {{Dtype::F32, {"N", "6"}}},
       {{{"N", 0}}, {{"N", 7}}, {{"N", 8}}, {{"N", 27}}}},
      {"tile",
       R"(func @tile(%a: buffer<[K]x4xf32, argument>, %b: buffer<[K]x16xf32, argument>, %y: buffer<4x16xf32, argument>) {
  %c = alloc : buffer<4x16xf32, register>
  for [0, K] (%k: index) {
    for [0, 4] (%i: index) attributes {kind = "unrolled"} {
      %0 = load %a[%k, %i] : f32
      for [0, 16] (%j: index) attributes {kind = "vector", lanes = 16} {
        %1 = load %b[%k, %j] : f32
        %2 = load %c[%i, %j] : f32
        %3 = mul %0, %1 : f32
        %4 = add %2, %3 : f32
        store %4, %c[%i, %j]
      }
    }
  }
  for [0, 4] (%i: index) attributes {kind = "unrolled"} {
    for [0, 16] (%j: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %c[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
})",
       {{"a", {"K", "4"}}, {"b", {"K", "16"}}},
       {{Dtype::F32, {"4", "16"}}},
       {{{"K", 0}}, {{"K", 1}}, {{"K", 9}}}},
      {"repeated",
       R"(func @repeated(%n: buffer<[N]xi64, argument>, %y: buffer<[N]x3xi64, argument>) {
  for [0, N] (%r: index) attributes {kind = "parallel"} {
    %given = load %n[%r] : i64
    %end = remainder %given {other = 40}
    %zero = literal {dtype = i64, value = 0}
    %one = literal {dtype = i64, value = 1}
    %i, %a, %b = while (%j = %zero, %p = %zero, %q = %one) {
      %go = lt %j, %end
      %twice = add %j, %j
      condition %go, %twice, %p, %q
    } do (%k: i64, %c: i64, %d: i64) {
      %half = floor_divide %k {other = 2}
      %next = add %half, %one
      %sum = add %c, %d
      yield %next, %d, %sum
    }
    store %i, %y[%r, 0]
    store %a, %y[%r, 1]
    store %b, %y[%r, 2]
  }
  return
})",
       {{"n", {"N"}, Dtype::I64}},
       {{Dtype::I64, {"N", "3"}}},
       {{{"N", 0}}, {{"N", 5}}}},
      {"carried",
       R"(func @carried(%x: buffer<[N]xf32, argument>, %y: buffer<2xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.5} : f32
  %low = literal {dtype = f32, value = -3.0} : f32
  %s, %m = for [0, N] (%i: index, %a = %zero, %b = %low) attributes {combine = ["add", "max"], kind = "vector", lanes = 16} {
    %0 = load %x[%i] : f32
    %1 = add %0, %a : f32
    %2 = maximum %b, %0 : f32
    yield %1, %2
  } : f32, f32
  store %s, %y[0]
  store %m, %y[1]
  return
})",
       {{"x", {"N"}}},
       {{Dtype::F32, {"2"}}},
       {{{"N", 0}}, {{"N", 5}}, {{"N", 16}}, {{"N", 77}}}},
      {"streamed",
       R"(func @streamed(%x: buffer<[R]x[C]xf32, argument>, %y: buffer<[R]x[C]xf32, argument>) {
  for [0, R] (%i: index) attributes {kind = "parallel"} {
    %t = alloc : buffer<[C]xf32, thread>
    for [0, C] (%j: index) attributes {kind = "vector", lanes = 32} {
      %0 = load %x[%i, %j] : f32
      %1 = add %0, %0 : f32
      store %1, %t[%j]
    }
    for [0, C] (%j: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %t[C - 1 - %j] : f32
      store %0, %y[%i, %j] {hint = "stream"}
    }
  }
  return
})",
       {{"x", {"R", "C"}}},
       {{Dtype::F32, {"R", "C"}}},
       {{{"R", 7}, {"C", 50}}, {{"R", 1}, {"C", 3}}, {{"R", 4}, {"C", 64}}, {{"R", 0}, {"C", 8}}}},
      {"viewed",
       R"(func @viewed(%x: buffer<[R]x6xf32, argument>, %y: buffer<2x[R]x3xf32, argument>) {
  %flat = buffer_view %x : buffer<[6*R]xf32, argument>
  %out = buffer_view %y : buffer<[2*R]x3xf32, argument>
  for [0, 2*R] (%i: index) attributes {kind = "parallel"} {
    %t = alloc : buffer<3xf32, thread>
    %u = buffer_view %t : buffer<3x1xf32, thread>
    for [0, 3] (%j: index) attributes {kind = "vector", lanes = 4} {
      %0 = load %flat[3*%i + %j] : f32
      store %0, %u[%j, 0]
    }
    for [0, 3] (%j: index) {
      %0 = load %t[2 - %j] : f32
      %1 = load %x[%i floordiv 2, 0] : f32
      %2 = add %0, %1 : f32
      store %2, %out[%i, %j]
    }
  }
  return
})",
       {{"x", {"R", "6"}}},
       {{Dtype::F32, {"2", "R", "3"}}},
       {{{"R", 0}}, {{"R", 1}}, {{"R", 7}}}},
      {"triangle",
       R"(func @triangle(%x: buffer<[N]x[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0} : f32
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 8} {
    %s = for [%i floordiv 2, %i + 1] (%j: index, %a = %zero) {
      %0 = load %x[%i, %j] : f32
      %1 = add %a, %0 : f32
      yield %1
    } : f32
    %g = guard [%i - 3, N - 5 - %i] : i1
    %r = if %g {
      %0 = load %x[%i - 3, %i + 4] : f32
      %1 = mul %0, %s : f32
      yield %1
    } else {
      yield %s
    } : f32
    store %r, %y[%i]
  }
  return
})",
       {{"x", {"N", "N"}}},
       {{Dtype::F32, {"N"}}},
       {{{"N", 1}}, {{"N", 4}}, {{"N", 21}}}},
      {"names",
       R"(func @names(%end: buffer<[begin]x[loop]xf32, argument>, %f32x8: buffer<[begin]x[loop]xf32, argument>) {
  for [0, begin] (%exp: index) attributes {kind = "parallel"} {
    for [0, loop] (%runtime: index) attributes {kind = "vector", lanes = 8} {
      %values = load %end[%exp, %runtime] : f32
      %int = add %values, %values : f32
      store %int, %f32x8[%exp, %runtime]
    }
  }
  return
})",
       {{"end", {"begin", "loop"}}},
       {{Dtype::F32, {"begin", "loop"}}},
       {{{"begin", 5}, {"loop", 9}}}},
      {"bits_of_floats",
       R"(func @bits_of_floats(%x: buffer<[N]xf32, argument>, %z: buffer<[N]xf64, argument>,
                     %y: buffer<[N]xi32, argument>, %w: buffer<[N]xi64, argument>, %s: buffer<[N]xi32, argument>) {
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 16} {
    %0 = load %x[%i] : f32
    %1 = bits %0 : i32
    store %1, %y[%i]
    %2 = load %z[%i] : f64
    %3 = bits %2 : i64
    store %3, %w[%i]
  }
  for [0, N] (%i: index) {
    %0 = load %x[%i] : f32
    %1 = bits %0 : i32
    store %1, %s[%i]
  }
  return
})",
       {{"x", {"N"}}, {"z", {"N"}, Dtype::F64}},
       {{Dtype::I32, {"N"}}, {Dtype::I64, {"N"}}, {Dtype::I32, {"N"}}},
       {{{"N", 0}}, {{"N", 37}}, {{"N", 64}}}},
  };
  static const std::vector<Hand> all = [] {
    std::vector<Hand> out = written;
    for (const DtypeInfo& from : std::span(kDtypes).first(kRealDtypeCount))
      out.push_back(conversions(*parse_dtype(from.name)));
    return out;
  }();
  return all;
}

std::vector<Tensor> tensors(const std::vector<std::pair<Dtype, std::vector<const char*>>>& shapes, const Sizes& sizes,
                            bool edge) {
  Numbers numbers;
  constexpr double kEdge[] = {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(),
                              -0.0,
                              3e38,
                              -1e10,
                              70000.0,
                              1e-7,
                              -1e300};
  std::vector<Tensor> out;
  for (const auto& [dtype, dims] : shapes) {
    Shape shape;
    for (const char* d : dims) shape.push_back(*d >= '0' && *d <= '9' ? std::atoll(d) : sizes.at(d));
    Tensor t = Tensor::zeros(dtype, shape);
    for (std::int64_t k = 0; k < t.size(); ++k) {
      const std::uint64_t n = numbers.next();
      if (!is_float(dtype))
        t.set_int(k, static_cast<std::int64_t>(dtype == Dtype::I1 ? n % 2 : n * (edge ? 0x123456789ULL : 1)));
      else
        t.set_double(k, edge && n % 3 == 0 ? kEdge[n / 3 % 8] : static_cast<double>(n % 800001) / 1000.0 - 400.0);
    }
    out.push_back(std::move(t));
  }
  return out;
}

std::string printed(Module& module, std::string_view name) {
  const OpRef functions[] = {module.lookup(name)};
  const auto unit = print_cpp(functions, {});
  return unit ? unit->functions[0].text : unit.error().message();
}

}  // namespace

TEST_CASE("schedules written by hand agree with the interpreter bit for bit") {
  const auto context = make_context();
  std::string text;
  for (const Hand& h : hands()) text += h.text + std::string("\n");
  Module module = read_text(context, text);
  std::vector<OpRef> functions;
  for (const Hand& h : hands()) functions.push_back(module.lookup(h.name));
  const CppUnit unit = unit_of(functions, Mathematics::Library);
  const int widths[] = {64, 32, 16};
  for (std::size_t c = 0; c < host_compiler::compilers().size(); ++c)
    for (std::size_t w = 0; w < std::size(widths); ++w) {
      const std::string& compiler = host_compiler::compilers()[c];
      const int bytes = widths[w];
      if (!host_compiler::runs(bytes) || !host_compiler::is_sampled(c, w)) continue;
      const Library library(unit.text, compiler, {"-O3", "-DMLGC_ONLY=" + std::to_string(bytes)});
      for (std::size_t k = 0; k < hands().size(); ++k) {
        const Hand& h = hands()[k];
        std::vector<std::pair<Dtype, std::vector<const char*>>> shapes;
        for (const Operand& o : h.operands) shapes.emplace_back(o.dtype, o.dims);
        for (const Sizes& sizes : h.sizes)
          for (const bool edge : {false, true}) {
            const std::vector<Tensor> inputs = tensors(shapes, sizes, edge);
            const auto expected = interpret(module, h.name, inputs);
            if (!expected) FAIL(expected.error().message());
            const Ran ran = run(library, *context, functions[k], unit.functions[k], inputs,
                                tensors(h.results, sizes, false), sizes);
            INFO(h.name << ", " << compiler << " " << bytes);
            CHECK(ran.code == 0);
            for (std::size_t i = 0; i < ran.results.size(); ++i) CHECK(same_bits(ran.results[i], expected->results[i]));
          }
      }
    }
}

TEST_CASE(
    "a unit builds without a warning with every optimisation, width and language, and chooses when it is loaded") {
  const auto context = make_context();
  std::string text;
  for (const Hand& h : hands()) text += h.text + std::string("\n");
  text +=
      R"(func @functions(%x: buffer<[N]xf32, argument>, %z: buffer<[N]xf64, argument>, %h: buffer<[N]xf16, argument>,
                %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 16} {
    %0 = load %x[%i] : f32
    %1 = load %z[%i] : f64
    %2 = load %h[%i] : f16
    %3 = sin %1 : f64
    %4 = cast %3 {dtype = f32} : f32
    %5 = cast %2 {dtype = f32} : f32
    %6 = sqrt %0 : f32
    %7 = erf %6 : f32
    %8 = pow %7, %5 : f32
    %9 = exp %8 : f32
    %10 = add %9, %4 : f32
    store %10, %y[%i] {hint = "stream"}
  }
  return
})";
  Module module = read_text(context, text);
  std::vector<OpRef> functions;
  for (const Hand& h : hands()) functions.push_back(module.lookup(h.name));
  functions.push_back(module.lookup("functions"));
  const CppUnit unit = unit_of(functions, Mathematics::Prelude);
  CHECK_THAT(unit.text, !Contains("#include <"));
  // With the width that the processor must have, where the compiler is told one.
  const std::vector<std::pair<std::vector<std::string>, int>> flags{
      {{"-O0", "-std=c++14"}, 0},        {{"-O1"}, 0},
      {{"-O3", "-std=c++20"}, 0},        {{"-O1", "-march=x86-64-v4"}, 64},
      {{"-O3", "-march=x86-64-v3"}, 32}, {{"-O3", "-march=x86-64-v4"}, 64}};
  const std::vector<Tensor> inputs =
      tensors({{Dtype::F32, {"N"}}, {Dtype::F64, {"N"}}, {Dtype::F16, {"N"}}}, {{"N", 37}}, true);
  const std::vector<Tensor> empty = tensors({{Dtype::F32, {"N"}}}, {{"N", 37}}, false);
  std::optional<Tensor> first;
  for (std::size_t c = 0; c < host_compiler::compilers().size(); ++c) {
    const std::string& compiler = host_compiler::compilers()[c];
    for (std::size_t k = 0; k < flags.size(); ++k) {
      if (!host_compiler::is_sampled(c, k)) continue;
      const auto& [f, bytes] = flags[k];
      const Library library(unit.text, compiler, f);
      if (bytes > 0 && !host_compiler::runs(bytes)) continue;
      const Ran ran = run(library, *context, functions.back(), unit.functions.back(), inputs, empty, {{"N", 37}});
      REQUIRE(ran.code == 0);
      if (!first) first = ran.results[0];
      INFO(compiler << " " << f[0]);
      CHECK(same_bits(*first, ran.results[0]));
    }
    if (compiler.find("clang") == std::string::npos) continue;
    TemporaryFolder folder;
    REQUIRE(write_file(folder.file("unit.cpp"), unit.text).ok());
    const auto arm = run_process({compiler, "--target=aarch64-linux-gnu", "-O1", "-Wall", "-Wextra", "-Werror", "-c",
                                  folder.file("unit.cpp"), "-o", folder.file("unit.o")});
    REQUIRE(arm.ok());
    if (arm->output.find("unable to create target") == std::string::npos) {
      INFO(arm->output);
      CHECK(arm->exit_code == 0);
    }
  }
}

TEST_CASE("register tiles are names, rows are strips with a masked rest, parallel loops are functions over ranges") {
  const auto context = make_context();
  std::string text;
  for (const Hand& h : hands()) text += h.text + std::string("\n");
  Module module = read_text(context, text);
  const std::string tile = printed(module, "tile");
  CHECK_THAT(tile, Contains("f32x16 c_3 = {};"));
  CHECK_THAT(tile, !Contains("_mask"));
  const std::string carried = printed(module, "carried");
  CHECK_THAT(carried, Contains("for (; i + 16 <= N; i += 16) {"));
  CHECK_THAT(carried, Contains("mlgc_load_part<f32x16>(x + i, i_count)"));
  const std::string streamed = printed(module, "streamed");
  CHECK_THAT(streamed,
             Contains("streamed_loop1_range(void* argument, int64_t begin, int64_t end, void* memory_of_range)"));
  CHECK_THAT(streamed, Contains("mlgc_stream(y + "));
  CHECK_THAT(streamed, Contains("mlgc_stream_end();"));
}

TEST_CASE("schedules without a form in source are refused at their place") {
  const auto context = make_context();
  // Written along its rows, `between`, and read along its columns.
  const auto square = [](const std::string& between, int lanes) {
    const std::string n = std::to_string(lanes);
    const auto loop = [&](const std::string& index) {
      return "  for [0, " + n + "] (%" + index + ": index) attributes {kind = \"vector\", lanes = " + n + "} {\n";
    };
    return "func @f(%y: buffer<[N]xf32, argument>) where " + n + " <= N {\n  %t = alloc : buffer<" + n + "x" + n +
           "xf32, register>\n  %z = literal {dtype = f32, value = 0.0} : f32\n" + loop("i") +
           "    store %z, %t[0, %i]\n  }\n" + between + loop("j") + "    %0 = load %t[" +
           (between.empty() ? "%j, 0" : "0, %j") + "] : f32\n    store %0, %y[%j]\n  }\n  return\n}";
  };
  const std::pair<const char*, std::string> texts[] = {
      {"a register buffer whose subscripts are no constants after unrolling",
       "func @f(%y: buffer<[N]xf32, argument>) {\n  %t = alloc : buffer<4xf32, register>\n  for [0, 4] (%i: index) {\n"
       "    %0 = load %t[%i] : f32\n    store %0, %y[%i]\n  }\n  return\n}"},
      {"a register buffer that is read across the lanes of a vector loop", square("", 8)},
      {"a transposition of 32 lanes in place", square("  transpose_in_place %t\n", 32)},
      {"an unrolled loop whose bounds are no constants",
       "func @f(%y: buffer<[N]xf32, argument>) {\n  %z = literal {dtype = f32, value = 0.0} : f32\n"
       "  for [0, N] (%i: index) attributes {kind = \"unrolled\"} {\n    store %z, %y[%i]\n  }\n  return\n}"},
      {"a register buffer whose size is no constant",
       "func @f(%y: buffer<[N]xf32, argument>) {\n  %t = alloc : buffer<[N]xf32, register>\n  %0 = load %t[0] : f32\n"
       "  store %0, %y[0]\n  return\n}"},
      {"a register buffer of around a parallel loop inside of it",
       "func @f(%y: buffer<[N]xf32, argument>) {\n  %t = alloc : buffer<1xf32, register>\n"
       "  for [0, N] (%i: index) attributes {kind = \"parallel\"} {\n    %0 = load %t[0] : f32\n    store %0, %y[%i]\n "
       " }\n"
       "  return\n}"},
      {"a `while` inside of a vector loop",
       "func @f(%y: buffer<[N]xi64, argument>) {\n  for [0, N] (%i: index) attributes {kind = \"vector\", lanes = 4} "
       "{\n    while {\n      %go = guard [%i - 1]\n      condition %go\n    } do {\n    }\n  }\n  return\n}"},
      {"memory that each lane of a vector loop would need for its own",
       "func @f(%y: buffer<[N]xf32, argument>) {\n  for [0, N] (%i: index) attributes {kind = \"vector\", lanes = 4} "
       "{\n"
       "    %t = alloc : buffer<4xf32, thread>\n    %0 = load %t[0] : f32\n    store %0, %y[%i]\n  }\n  return\n}"},
  };
  for (const auto& [what, text] : texts) {
    Module module = read_text(context, text);
    const OpRef functions[] = {module.lookup("f")};
    const auto unit = print_cpp(functions, {});
    REQUIRE(!unit.ok());
    CHECK(unit.error().message() == "source cannot be emitted for " + std::string(what));
    CHECK(context->locations().text_place(unit.error().at).has_value());
  }
}

TEST_CASE("functions whose names C++ cannot tell apart get names of their own") {
  const auto context = make_context();
  const std::string body = "(%y: buffer<1xf32, argument>) {\n  return\n}\n";
  Module module = read_text(context, "func @a.b" + body + "func @a_b" + body);
  const OpRef functions[] = {module.lookup("a.b"), module.lookup("a_b")};
  const auto unit = print_cpp(functions, {});
  REQUIRE(unit.ok());
  CHECK(unit->functions[0].name == "a_b");
  CHECK(unit->functions[1].name == "a_b_");
}
