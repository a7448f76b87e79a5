// A hand-made .pt2 archive becomes a module; malformed ones are refused by the right kind and never crash.
#include "import/import_models.h"

#include "import/pt2_archive.h"
#include "support/file.h"
#include "tensor/safetensors.h"
#include "text/printer.h"

using mlgc::ExitCode;
using namespace pt2_test;

TEST_CASE("a model imports with names, weights, user locations and lowered bounds") {
  Model model;
  model.program["range_constraints"]["s5"] = {{"min_val", 2}, {"max_val", nullptr}};  // left behind by tracing
  const auto imported = import_model(model, {.model = "", .module_name = "net", .weights_file = "net.safetensors"});
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK(mlgc::print(imported->model->module) ==
        R"(module @net weights "net.safetensors" {
  weight @w : tensor<3xf32>
  func @forward(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> where B <= 64 {
    %p_w = read @w : tensor<3xf32>
    %mul = mul %x, %p_w : tensor<[B]x3xf32>
    %add = add %mul {other = 1} : tensor<[B]x3xf32>
    %relu = relu %add : tensor<[B]x3xf32>
    return %relu
  }
}
)");
  CHECK_THAT(imported->said(), Contains("size `B` may be 0 and more; the file says 2 and more"));
  CHECK(imported->engine.sorted().size() == 1);
  REQUIRE(imported->model->weights.size() == 1);
  CHECK(imported->model->weights[0].first == "w");
  CHECK(imported->model->weights[0].second.get_double(1) == 2.0);
  const std::string located = mlgc::print(imported->model->module, {.locations = true});
  CHECK_THAT(located, Contains("\"shop/model.py\":12"));
  CHECK_THAT(located, Contains("aten.relu.default"));
  CHECK_THAT(located, Contains("module = \"act\""));
  CHECK(located.find("/home/anna") == std::string::npos);
}

TEST_CASE("each lower bound is as low as the types in the file permit") {
  // Elements 0 of axis 0 and 0, 1 of axis 2 are taken; of axis 1 nothing is asked.
  const auto sliced = [](const Json& lower) {
    Model model;
    const char* const a = Model::kBatch;
    const char* const b = "Symbol('s27', positive=True, integer=True)";
    const char* const c = "Symbol('s68', positive=True, integer=True)";
    const auto slice = [](const std::string& from, const std::string& name, int dim, int end) {
      return node("aten.slice.Tensor", name,
                  {{"self", tensor_arg(from)},
                   {"dim", {{"as_int", dim}}},
                   {"start", {{"as_int", 0}}},
                   {"end", {{"as_int", end}}}});
    };
    model.graph()["tensor_values"]["x"] = tensor_meta(7, Json::array({a, b, c}));
    model.graph()["tensor_values"]["first"] = tensor_meta(7, Json::array({1, b, c}));
    model.graph()["tensor_values"]["two"] = tensor_meta(7, Json::array({1, b, 2}));
    model.graph()["nodes"] = Json::array({slice("x", "first", 0, 1), slice("first", "two", 2, 2)});
    model.graph()["outputs"] = Json::array({tensor_arg("two")});
    model.signature()["output_specs"] = Json::array({{{"user_output", {{"arg", tensor_arg("two")}}}}});
    for (const char* name : {"s77", "s27", "s68"})
      model.program["range_constraints"][name] = {{"min_val", lower}, {"max_val", nullptr}};
    return model;
  };
  for (const auto& [lower, other, text] :
       {std::tuple{2, "size `S` may be 0 and more; the file says 2 and more", "where 2 <= S1, 1 <= B {"},
        std::tuple{0, "size `S1` must be 2 or more; the file says 0 and more", "where 2 <= S1, 1 <= B {"},
        std::tuple{1, "size `S1` must be 2 or more; the file says 1 and more", "where 1 <= S, 2 <= S1, 1 <= B {"}}) {
    const auto imported = import_model(sliced(lower));
    INFO(imported->said());
    REQUIRE(imported->model.has_value());
    INFO(mlgc::print(imported->model->module));
    CHECK_THAT(imported->said(), Contains(other));
    CHECK_THAT(mlgc::print(imported->model->module), Contains(text));
  }
  Model tight = sliced(0);
  tight.program["range_constraints"]["s68"]["max_val"] = 1;
  CHECK_THAT(refused(tight, "recorded-type"), Contains("gives tensor<1x[S]x[S1]xf32>"));
}

TEST_CASE("sizes keep the names that the exporter wrote beside them") {
  Model model;
  const char* const other = "Symbol('s5', positive=True, integer=True)";
  for (const char* name : {"x", "mul", "add", "relu"})
    model.graph()["tensor_values"][name] = tensor_meta(7, Json::array({Model::kBatch, other, 3}));
  const auto text_with = [&](const std::string& names) {
    model.members["extra/size_names.json"] = names;
    const auto imported = import_model(model);
    INFO(imported->said());
    REQUIRE(imported->model.has_value());
    return mlgc::print(imported->model->module);
  };
  CHECK_THAT(text_with(R"({"s77": "batch", "s99": "B"})"), Contains("%x: tensor<[batch]x[S]x3xf32>"));
  // A name that was given away is no name of another size; one that no size can have is none.
  CHECK_THAT(text_with(R"({"s77": "S"})"), Contains("%x: tensor<[S]x[S1]x3xf32>"));
  CHECK_THAT(text_with(R"({"s77": "max", "s5": "a b"})"), Contains("%x: tensor<[B]x[S]x3xf32>"));
  model.members["extra/size_names.json"] = R"({"s77": "n", "s5": "n"})";
  CHECK_THAT(refused(model, "model-structure"), Contains("another name than that of another size"));
  model.members["extra/size_names.json"] = R"({"s77": 3})";
  CHECK_THAT(refused(model, "model-structure"), Contains("extra/size_names.json.s77"));
  model.members["extra/size_names.json"] = "[";
  CHECK_THAT(refused(model, "model-json"), Contains("extra/size_names.json"));
}

TEST_CASE("several models become one module: equal weights are one, a tensor that one of them changes is a state") {
  const TemporaryFolder folder;
  Model writes;
  writes.signature()["input_specs"][0] = {
      {"buffer", {{"arg", {{"name", "p_w"}}}, {"buffer_name", "w"}, {"persistent", true}}}};
  writes.graph()["outputs"].insert(writes.graph()["outputs"].begin(), tensor_arg("p_w"));
  Json& specs = writes.signature()["output_specs"];
  const Json spec = {{"buffer_mutation", {{"arg", {{"name", "p_w"}}}, {"buffer_name", "w"}}}};
  specs.insert(specs.begin(), spec);
  Model reads, other;
  other.members["data/weights/weight_0"].replace(3, 1, "\x40");
  writes.write(folder.file("writes.pt2"));
  reads.write(folder.file("reads.pt2"));
  other.write(folder.file("other.pt2"));
  const auto text_of = [&](std::initializer_list<const char*> names, std::string& said) {
    std::vector<std::string> paths;
    for (const char* name : names) paths.push_back(folder.file(name));
    const auto context = mlgc::make_context();
    mlgc::DiagnosticEngine engine(context->locations());
    const auto ledger = mlgc::import_model_files(paths, folder.file("all.mlir"), {}, engine, context);
    said = mlgc::render_text(engine, {.color = false, .source_lines = false});
    INFO(said);
    REQUIRE(ledger.has_value());
    return *mlgc::read_file(folder.file("all.mlir"));
  };
  std::string said;
  const std::string both = text_of({"reads.pt2", "writes.pt2"}, said);
  CHECK_THAT(both, StartsWith("module @all weights \"all.safetensors\" {\n  state @w : tensor<3xf32>"));
  CHECK(both.find("  state @", both.find("  state @") + 1) == std::string::npos);
  CHECK(both.find("  weight @") == std::string::npos);
  CHECK_THAT(both, Contains("func @reads(") && Contains("func @writes(") && Contains("updates (@w = "));
  CHECK(said.find("is called") == std::string::npos);

  const std::string three = text_of({"reads.pt2", "other.pt2"}, said);
  CHECK_THAT(three, Contains("weight @w : ") && Contains("weight @other.w : ") && Contains("read @other.w"));
  CHECK_THAT(said, Contains("other.pt2` is called `@other.w`: another model has the name for something else"));
  const auto weights = mlgc::read_safetensors(folder.file("all.safetensors"));
  REQUIRE(weights.ok());
  CHECK(weights->tensors.size() == 2);
}

TEST_CASE("text and weights are written beside each other") {
  const TemporaryFolder folder;
  Model().write(folder.file("a.pt2"));
  const auto context = mlgc::make_context();
  mlgc::DiagnosticEngine engine(context->locations());
  REQUIRE(mlgc::import_model_file(folder.file("a.pt2"), folder.file("b.mlir"), {}, engine, context));
  CHECK_THAT(*mlgc::read_file(folder.file("b.mlir")), StartsWith("module @b weights \"b.safetensors\" {"));
  CHECK(mlgc::read_file(folder.file("b.safetensors")).ok());
  CHECK(folder.entries() == 3);
  CHECK_FALSE(mlgc::import_model_file(folder.file("a.pt2"), folder.file("no/folder.mlir"), {}, engine, context));
  CHECK(engine.sorted().back().kind->id == "import-write");
}

TEST_CASE("tied weights are kept once and strided views are made contiguous") {
  Model model;
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {2}, 1);
  model.members["data/weights/weight_0"] = std::string(24, '\0') + std::string("\0\0\x80\x3f", 4);
  model.members["data/weights/weight_0"].replace(12, 4, std::string("\0\0\0\x40", 4));
  model.weights["config"]["again"] = model.weight();
  model.graph()["inputs"].insert(model.graph()["inputs"].begin(), tensor_arg("p_again"));
  model.graph()["tensor_values"]["p_again"] = tensor_meta(7, {3});
  Json& specs = model.signature()["input_specs"];
  const Json spec = {{"parameter", {{"arg", {{"name", "p_again"}}}, {"parameter_name", "again"}}}};
  specs.insert(specs.begin(), spec);
  model.graph()["nodes"][2]["inputs"][0]["arg"] = tensor_arg("add2");
  model.graph()["nodes"].insert(
      model.graph()["nodes"].begin() + 2,
      node("aten.add.Tensor", "add2", {{"self", tensor_arg("add")}, {"other", tensor_arg("p_again")}}));
  model.graph()["tensor_values"]["add2"] = model.graph()["tensor_values"]["add"];
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  REQUIRE(imported->model->weights.size() == 1);
  const mlgc::Tensor& tensor = imported->model->weights[0].second;
  CHECK(tensor.get_double(0) == 0.0);
  CHECK(tensor.get_double(1) == 2.0);
  CHECK(tensor.get_double(2) == 0.0);
  CHECK_THAT(imported->said(), Contains("`again` is also called w"));
  CHECK_THAT(mlgc::print(imported->model->module, {.locations = true}), Contains("\"w\""));
}

TEST_CASE("a replaced buffer is a state that the function updates") {
  Model model;
  model.signature()["input_specs"][0] = {
      {"buffer", {{"arg", {{"name", "p_w"}}}, {"buffer_name", "w"}, {"persistent", true}}}};
  model.graph()["nodes"].push_back(
      node("aten.mul.Tensor", "mul_1", {{"self", tensor_arg("p_w")}, {"other", {{"as_float", 0.5}}}}));
  model.graph()["tensor_values"]["mul_1"] = tensor_meta(7, {3});
  model.graph()["outputs"].insert(model.graph()["outputs"].begin(), tensor_arg("mul_1"));
  Json& specs = model.signature()["output_specs"];
  const Json spec = {{"buffer_mutation", {{"arg", {{"name", "mul_1"}}}, {"buffer_name", "w"}}}};
  specs.insert(specs.begin(), spec);
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  const std::string text = mlgc::print(imported->model->module);
  CHECK_THAT(text, Contains("state @w : tensor<3xf32>"));
  CHECK_THAT(text, Contains("updates (@w = %mul_1)"));
}

TEST_CASE("operands of different dtypes are cast as PyTorch promotes them") {
  Model model;
  for (const char* name : {"x", "p_w"}) model.graph()["tensor_values"][name]["dtype"] = 13;
  model.graph()["tensor_values"]["x"]["dtype"] = 5;
  model.weight()["tensor_meta"]["dtype"] = 13;
  for (const char* name : {"mul", "add", "relu"}) model.graph()["tensor_values"][name]["dtype"] = 13;
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK_THAT(mlgc::print(imported->model->module), Contains("cast %x {dtype = bf16} : tensor<[B]x3xbf16>"));
}

TEST_CASE("a weight without bytes is a shape that asks for random weights") {
  Model model;
  model.members["data/weights/weight_0"] = "";
  const auto imported = import_model(model);
  REQUIRE(imported->model.has_value());
  CHECK(imported->model->weights.empty());
  CHECK_THAT(imported->said(), Contains("--random-weights"));
  CHECK(imported->engine.sorted().front().kind->id == "weights-not-stored");
}

TEST_CASE("weights that nothing uses are named and left out") {
  Model model;
  model.graph()["nodes"][0]["inputs"][0]["arg"] = tensor_arg("x");
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK(imported->model->weights.empty());
  CHECK_THAT(imported->said(), Contains("note: nothing uses these weights, which are left out: w\n"));
}

TEST_CASE("random operators draw from stretches of their own behind one key") {
  Model model;
  for (const std::size_t i : {0, 2}) {
    const std::string output = i == 0 ? "mul" : "relu";
    model.graph()["nodes"][i] = node("aten.rand_like.default", output, {{"self", tensor_arg(i == 0 ? "x" : "add")}});
  }
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  const std::string text = mlgc::print(imported->model->module);
  CHECK_THAT(text, Contains("func @forward(%x: tensor<[B]x3xf32>, %key: tensor<2xi64>)"));
  CHECK_THAT(text, Contains("%mul = uniform %key {dtype = f32, size = [B, 3]}"));
  CHECK_THAT(text, Contains("dim [3*B]"));
  CHECK_THAT(imported->said(),
             Contains("note: the model generates random numbers from its last input `key` (seed and offset); an offset "
                      "that is larger by 6*B repeats none of them"));
}

TEST_CASE("distributions are expressions over the rows that draw") {
  const auto text = [](const char* operator_name, Json inputs) {
    Model model;
    model.graph()["nodes"][0] = node(operator_name, "mul", std::move(inputs));
    const auto imported = import_model(model);
    INFO(imported->said());
    REQUIRE(imported->model.has_value());
    const std::string all = mlgc::print(imported->model->module);
    const std::size_t begin = all.find(" {\n    ", all.find("func @forward")) + 3;
    return all.substr(begin, all.find("    %add = ") - begin);
  };
  const Json x = tensor_arg("x"), third = {{"as_float", 0.25}}, half = {{"as_float", 0.5}};
  CHECK(text("aten.exponential.default", {{"self", x}, {"lambd", half}}) ==
        R"(    %0 = uniform %key {dtype = f32, size = [B, 3]} : tensor<[B]x3xf32>
    %1 = neg %0 : tensor<[B]x3xf32>
    %2 = log1p %1 : tensor<[B]x3xf32>
    %3 = neg %2 : tensor<[B]x3xf32>
    %4 = maximum %3 {other = 5.960464477539063e-08} : tensor<[B]x3xf32>
    %mul = div %4 {other = 0.5} : tensor<[B]x3xf32>
)");
  CHECK(text("aten.normal_functional.default", {{"self", x}, {"mean", third}, {"std", half}}) ==
        R"(    %0 = normal %key {dtype = f32, size = [B, 3]} : tensor<[B]x3xf32>
    %1 = mul %0 {other = 0.5} : tensor<[B]x3xf32>
    %mul = add %1 {other = 0.25} : tensor<[B]x3xf32>
)");
  CHECK(text("aten.uniform.default", {{"self", x}, {"from", third}, {"to", half}}) ==
        R"(    %0 = uniform %key {dtype = f32, size = [B, 3]} : tensor<[B]x3xf32>
    %1 = mul %0 {other = 0.25} : tensor<[B]x3xf32>
    %mul = add %1 {other = 0.25} : tensor<[B]x3xf32>
)");
  CHECK(text("aten.randint_like.low_dtype", {{"self", x}, {"low", {{"as_int", 2}}}, {"high", {{"as_int", 5}}}}) ==
        R"(    %0 = randint %key {high = 5, low = 2, size = [B, 3]} : tensor<[B]x3xi64>
    %mul = cast %0 {dtype = f32} : tensor<[B]x3xf32>
)");
  CHECK(
      text("aten.rrelu.default", {{"self", x}, {"lower", third}, {"upper", half}, {"training", {{"as_bool", true}}}}) ==
      R"(    %0 = uniform %key {dtype = f32, size = [B, 3]} : tensor<[B]x3xf32>
    %1 = mul %0 {other = 0.25} : tensor<[B]x3xf32>
    %2 = add %1 {other = 0.25} : tensor<[B]x3xf32>
    %3 = gt %x {other = 0.0} : tensor<[B]x3xi1>
    %4 = full {dtype = f32, size = [B, 3], value = 1.0} : tensor<[B]x3xf32>
    %5 = where %3, %4, %2 : tensor<[B]x3xf32>
    %mul = mul %x, %5 : tensor<[B]x3xf32>
)");
  CHECK(text("aten.rrelu.default",
             {{"self", x}, {"lower", third}, {"upper", half}, {"training", {{"as_bool", false}}}}) ==
        "    %mul = leaky_relu %x {negative_slope = 0.375} : tensor<[B]x3xf32>\n");
  CHECK(text("aten.scaled_dot_product_attention.default",
             {{"query", x}, {"key", x}, {"value", x}, {"dropout_p", half}, {"is_causal", {{"as_bool", true}}}}) ==
        R"(    %0 = transpose %x {dim0 = -2, dim1 = -1} : tensor<3x[B]xf32>
    %1 = matmul %x, %0 : tensor<[B]x[B]xf32>
    %2 = mul %1 {other = 0.5773502691896258} : tensor<[B]x[B]xf32>
    %3 = full {dtype = f32, size = [], value = -inf} : tensor<f32>
    %4 = arange [B] {dtype = i64} : tensor<[B]xi64>
    %5 = view %4 {shape = [B, 1]} : tensor<[B]x1xi64>
    %6 = arange [B] {dtype = i64} : tensor<[B]xi64>
    %7 = view %6 {shape = [1, B]} : tensor<1x[B]xi64>
    %8 = le %7, %5 : tensor<[B]x[B]xi1>
    %9 = where %8, %2, %3 : tensor<[B]x[B]xf32>
    %10 = softmax %9 {dim = -1} : tensor<[B]x[B]xf32>
    %11, %12 = dropout %10, %key {p = 0.5} : tensor<[B]x[B]xf32>, tensor<[B]x[B]xi1>
    %mul = matmul %11, %x : tensor<[B]x3xf32>
)");
}

TEST_CASE("inputs that were fixed when exporting are told") {
  Model model;
  model.graph()["inputs"].push_back({{"as_float", 2.0}});
  model.signature()["input_specs"].push_back({{"constant_input", {{"name", "k"}, {"value", {{"as_float", 2.0}}}}}});
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK_THAT(imported->said(), Contains("input `k` was fixed to 2.0 when the model was exported"));
  CHECK(imported->engine.sorted().front().kind->id == "specialised-input");
}

TEST_CASE("every unknown operator is listed with its count") {
  Model model;
  model.graph()["nodes"][0]["target"] = "torch.ops.aten.no_such_thing.default";
  model.graph()["nodes"][1]["target"] = "torch.ops.higher_order.invented";
  model.graph()["nodes"].push_back(model.graph()["nodes"][0]);
  const std::string said = refused(model, "unknown-operators", ExitCode::Unsupported);
  CHECK_THAT(said, StartsWith("shop/model.py:12:1: error: 2 operators of this model are not known: "
                              "aten.no_such_thing.default (2 calls), higher_order.invented (1 call)"));
}

TEST_CASE("calls that have no counterpart are refused") {
  Model model;
  model.graph()["nodes"][0]["inputs"][1]["name"] = "nobody";
  CHECK_THAT(refused(model, "import-argument-missing", ExitCode::Unsupported), Contains("`self` is missing"));
  model = Model();
  model.graph()["nodes"][0]["inputs"][1]["arg"] = {{"as_custom_obj", {{"name", "q"}, {"class_fqn", "Q"}}}};
  CHECK_THAT(refused(model, "import-unsupported-argument", ExitCode::Unsupported),
             Contains("argument `self` is of the form `as_custom_obj`; supported: tensors, numbers and lists of them"));
  model = Model();
  model.signature()["input_specs"][1] = {{"custom_obj", {{"arg", {{"name", "x"}}}, {"custom_obj_name", "q"}}}};
  refused(model, "import-input-kind", ExitCode::Unsupported);
  model = Model();
  model.graph()["tensor_values"]["x"]["dtype"] = 9;
  CHECK_THAT(refused(model, "unsupported-dtype", ExitCode::Unsupported), Contains("complex32"));
  model.graph()["tensor_values"]["x"]["dtype"] = 10;
  CHECK_THAT(refused(model, "complex-operator", ExitCode::Unsupported),
             StartsWith("shop/model.py:12:1: error: `aten.mul.Tensor` takes or gives complex numbers\n"
                        "shop/model.py:12:1: note: `--fallback=warn` makes a call of PyTorch of it; to compile the "
                        "model, write it with real numbers\n"));
}

TEST_CASE("types that contradict inference are refused") {
  Model model;
  model.graph()["tensor_values"]["add"] = tensor_meta(7, {4, 3});
  CHECK_THAT(refused(model, "recorded-type"), Contains("gives tensor<[B]x3xf32>, but the file says tensor<4x3xf32>"));
  model = Model();
  model.graph()["tensor_values"]["add"] = tensor_meta(7, Json::array({"Frobnicate(Integer(2))", 3}));
  CHECK_THAT(refused(model, "size-expression"), Contains("unknown function `Frobnicate` of 1 arguments"));
}

TEST_CASE("an error at a node without a line of Python names the file and the node") {
  Model model;
  model.graph()["tensor_values"]["add"] = tensor_meta(7, {4, 3});
  model.graph()["nodes"][1]["metadata"] = Json::object();
  const std::string said = refused(model, "recorded-type");
  CHECK_THAT(said, Contains("renamed.pt2:1:1: error: `aten.add.Tensor` gives tensor<[B]x3xf32>, but the file says "
                            "tensor<4x3xf32>\n"));
  CHECK_THAT(said, Contains("renamed.pt2:1:1: note: it is node `add` of renamed.pt2\n"));
}

TEST_CASE("a node without tensors among its results is refused") {
  Model model;
  model.graph()["tensor_values"]["x"]["dtype"] = 4;  // integers, so that the row asks for the dtype of the result
  Json& node = model.graph()["nodes"][0];
  node = Json{{"target", "torch.ops.aten.softmax.int"},
              {"inputs",
               {{{"name", "self"}, {"arg", tensor_arg("x")}, {"kind", 1}},
                {{"name", "dim"}, {"arg", {{"as_int", -1}}}, {"kind", 1}}}},
              {"outputs", {{{"as_nothing", 1}}}},
              {"name", "softmax"}};
  CHECK_THAT(refused(model, "model-structure"), Contains("expected `mul` to be defined before its use"));
}

TEST_CASE("values must be defined once, before their use") {
  Model model;
  std::swap(model.graph()["nodes"][0], model.graph()["nodes"][1]);
  CHECK_THAT(refused(model, "model-structure"), Contains("`mul` to be defined before its use"));
  model = Model();
  model.graph()["nodes"].push_back(model.graph()["nodes"][0]);
  CHECK_THAT(refused(model, "model-structure"), Contains("the name `mul` to be defined once"));
  model = Model();
  model.graph()["outputs"][0] = tensor_arg("ghost");
  model.signature()["output_specs"][0]["user_output"]["arg"] = tensor_arg("ghost");
  CHECK_THAT(refused(model, "model-structure"), Contains("`ghost` to be defined"));
}

TEST_CASE("weights that do not fit their bytes are refused") {
  Model model;
  model.weight()["tensor_meta"] = Model::weight_meta({4}, {1}, 0);
  CHECK_THAT(refused(model, "import-weight-beyond-storage"), Contains("beyond the 12 bytes of"));
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {std::numeric_limits<std::int64_t>::max()}, 0);
  refused(model, "import-weight-beyond-storage");
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {-1}, 2);
  CHECK_THAT(refused(model, "import-weight-negative"), Contains("its stride of axis 0 is -1"));
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {1}, -4);
  CHECK_THAT(refused(model, "import-weight-negative"), Contains("its offset is -4"));
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {0}, 3);
  refused(model, "import-weight-beyond-storage");
  model.weight()["tensor_meta"] = Model::weight_meta({3}, {1, 1}, 0);
  CHECK_THAT(refused(model, "import-weight-ranks"), Contains("1 sizes and 2 strides"));
  model.weight()["tensor_meta"] = Model::weight_meta({1000000, 1000000}, {0, 0}, 0);
  CHECK_THAT(refused(model, "import-weight-expanded"), Contains("1000000000000 elements are more than 64 times"));
  model.weight()["tensor_meta"] = Model::weight_meta({1LL << 40, 1LL << 40}, {0, 0}, 0);
  refused(model, "weight-data");
  model = Model();
  model.weight()["use_pickle"] = true;
  refused(model, "pickled-weight", ExitCode::Unsupported);
  model = Model();
  model.weights["config"].erase("w");
  CHECK_THAT(refused(model, "import-weight-missing"), Contains("no entry"));
  model = Model();
  model.weight()["path_name"] = "../../../etc/passwd";
  refused(model, "archive-member-missing");
}

TEST_CASE("versions, byte order and the choice of a model are checked") {
  Model model;
  model.members["archive_version"] = "1";
  refused(model, "archive-version", ExitCode::Unsupported);
  model = Model();
  model.members["byteorder"] = "big";
  refused(model, "archive-version", ExitCode::Unsupported);
  model = Model();
  model.program["schema_version"]["major"] = 9;
  CHECK_THAT(refused(model, "archive-version", ExitCode::Unsupported), Contains("schema_version.major is `9`"));
  const auto imported = import_model(Model(), {.model = "other", .module_name = "", .weights_file = ""});
  CHECK(imported->kind() == "model-choice");
  CHECK_THAT(imported->said(), Contains("holds model"));
}

TEST_CASE("garbled JSON is refused at its byte") {
  Model model;
  model.members["models/model.json"] = model.program.dump().substr(0, 100);
  CHECK_THAT(refused(model, "model-json"), Contains("at byte 101"));
  model.members["models/model.json"] = std::string(100000, '[');
  refused(model, "model-json");
  model.members["models/model.json"] = "\xff\xfe";
  refused(model, "model-json");
  model = Model();
  model.members["data/weights/model_weights_config.json"] = "{\"config\": 3}";
  refused(model, "model-structure");
}

TEST_CASE("a model with any one value of its JSON replaced is read or refused, never more") {
  // Every leaf and inner value in turn becomes null, a number, a text and an empty list.
  const Model good;
  std::vector<std::string> places;
  const Json flat = good.program.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (std::size_t end = 1; end != std::string::npos; end = pointer.find('/', end + 1)) {
      const std::size_t next = pointer.find('/', end + 1);
      if (pointer.find("stack_trace") == std::string::npos) places.push_back(pointer.substr(0, next));
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  CHECK(places.size() > 140);
  const TemporaryFolder folder;
  for (const std::string& place : places) {
    for (const Json& other : {Json(), Json(-1), Json("Symbol('"), Json::array()}) {
      Model model;
      model.program[Json::json_pointer(place)] = other;
      model.write(folder.file("m.pt2"));
      const auto imported = import_file(folder.file("m.pt2"));
      INFO(place << " = " << other.dump());
      CHECK(imported->model.has_value() != imported->engine.has_errors());
    }
  }
}

TEST_CASE("what is no archive is refused") {
  const TemporaryFolder folder;
  CHECK(import_file(folder.file("absent.pt2"))->kind() == "import-unreadable");
  REQUIRE(mlgc::write_file(folder.file("text.pt2"), "module {}").ok());
  CHECK(import_file(folder.file("text.pt2"))->kind() == "not-an-archive");
  Model().write(folder.file("good.pt2"));
  const std::string good = *mlgc::read_file(folder.file("good.pt2"));
  for (std::size_t size = 0; size < good.size(); size += 97) {
    REQUIRE(mlgc::write_file(folder.file("cut.pt2"), good.substr(0, size)).ok());
    CHECK(import_file(folder.file("cut.pt2"))->kind() == "not-an-archive");
  }
  std::string damaged = good;
  damaged[damaged.find("graph_module")] = 'G';
  REQUIRE(mlgc::write_file(folder.file("damaged.pt2"), damaged).ok());
  CHECK(import_file(folder.file("damaged.pt2"))->kind() == "archive-member");
  CHECK_THAT(import_file(folder.file("damaged.pt2"))->said(), Contains("is damaged: its checksum is"));
  mlgc::Result<mlgc::ZipWriter> writer = mlgc::ZipWriter::create(folder.file("plain.zip"));
  REQUIRE(writer->add("a.txt", std::as_bytes(std::span("text"))).ok());
  REQUIRE(writer->finish().ok());
  CHECK_THAT(import_file(folder.file("plain.zip"))->said(), Contains("no member ends in `/archive_format`"));
  CHECK(import_file(folder.file("plain.zip"))->kind() == "archive-format");
  mlgc::Result<mlgc::ZipWriter> weights_alone = mlgc::ZipWriter::create(folder.file("weights.pt2"));
  for (const auto& [name, content] : Model().members)
    REQUIRE(weights_alone->add("net/" + name, std::as_bytes(std::span<const char>(content))).ok());
  REQUIRE(weights_alone->finish().ok());
  CHECK(import_file(folder.file("weights.pt2"))->kind() == "archive-no-model");
}
