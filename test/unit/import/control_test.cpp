// Nodes that hold graphs, numbers that depend on data and training graphs, from hand-made archives: what is built, and
// what is refused. Exports of PyTorch itself are in test/import.
#include "import/pt2_archive.h"
#include "text/printer.h"

using mlgc::ExitCode;
using namespace pt2_test;

namespace {

const Json kRow = Json::array({Model::kBatch, 3});

Json tensors(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back({{"name", name}});
  return {{"as_tensors", list}};
}

// A graph of one call of relu or of the operator given.
Json graph(const std::string& name, const std::vector<std::string>& inputs,
           const std::string& target = "aten.relu.default") {
  Json g;
  g["inputs"] = g["outputs"] = g["nodes"] = Json::array();
  g["tensor_values"] = {{"y", tensor_meta(7, kRow)}};
  for (const std::string& input : inputs) {
    g["inputs"].push_back(tensor_arg(input));
    g["tensor_values"][input] = tensor_meta(7, kRow);
  }
  g["nodes"].push_back(node(target, "y", {{"self", tensor_arg(inputs.at(0))}}));
  g["outputs"].push_back(tensor_arg("y"));
  g["sym_int_values"] = Json::object();
  return {{"as_graph", {{"name", name}, {"graph", g}}}};
}

// The model's relu is another node, whose arguments have no names.
Model with(const std::string& target, const std::vector<Json>& arguments) {
  Model model;
  Json& last = model.graph()["nodes"][2];
  last["target"] = "torch.ops." + target;
  last["inputs"] = Json::array();
  for (const Json& argument : arguments) last["inputs"].push_back({{"name", ""}, {"arg", argument}, {"kind", 1}});
  return model;
}
Model with_cond(const Json& condition) {
  return with("higher_order.cond",
              {condition, graph("yes", {"a"}), graph("no", {"a"}, "aten.neg.default"), tensors({"add"})});
}

std::string text_of(const Model& model) {
  const auto imported = import_model(model);
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  return mlgc::print(imported->model->module);
}

}  // namespace

TEST_CASE("a condition on sizes is computed where it is asked for") {
  Model model = with_cond({{"as_sym_bool", {{"as_name", "large"}}}});
  Json compare = node("x", "large", {});
  compare["target"] = "_operator.gt";
  compare["inputs"] = Json::array({{{"name", "a"}, {"arg", {{"as_sym_int", {{"as_name", "n"}}}}}, {"kind", 1}},
                                   {{"name", "b"}, {"arg", {{"as_int", 4}}}, {"kind", 1}}});
  compare["outputs"] = Json::array({{{"as_sym_bool", {{"as_name", "large"}}}}});
  model.graph()["nodes"].insert(model.graph()["nodes"].begin(), compare);
  model.graph()["sym_int_values"]["n"] = {{"as_expr", {{"expr_str", Model::kBatch}, {"hint", nullptr}}}};
  CHECK_THAT(text_of(model), Contains(R"(    %0 = dim [B] : tensor<i64>
    %1 = constant {value = dense<4> : tensor<i64>} : tensor<i64>
    %2 = gt %0, %1 : tensor<i1>
    %relu = if %2 {
      %y = relu %add : tensor<[B]x3xf32>
      yield %y
    } else {
      %y = neg %add : tensor<[B]x3xf32>
      yield %y
    } : tensor<[B]x3xf32>
)"));
}

TEST_CASE("a region that says how PyTorch runs it is inlined, and stops gradients where they are off") {
  const auto text = [](bool enabled) {
    return text_of(with("higher_order.wrap_with_set_grad_enabled",
                        {{{"as_bool", enabled}}, graph("body", {"a"}, "aten.tanh.default"), tensor_arg("add")}));
  };
  CHECK_THAT(text(true), Contains("    %y = tanh %add : tensor<[B]x3xf32>\n    return %y\n"));
  CHECK_THAT(text(false), Contains("    %y = tanh %add : tensor<[B]x3xf32>\n"
                                   "    %y_detached = detach %y : tensor<[B]x3xf32>\n    return %y_detached\n"));
}

TEST_CASE("autocast reaches into the branches inside of its region") {
  const Json narrow = tensor_meta(13, kRow);
  Json branch = graph("branch", {"a"}), region = graph("body", {"a"});
  branch["as_graph"]["graph"]["tensor_values"]["y"] = region["as_graph"]["graph"]["tensor_values"]["y"] = narrow;
  Json& cond = region["as_graph"]["graph"]["nodes"][0];
  cond["target"] = "torch.ops.higher_order.cond";
  cond["inputs"] = Json::array();
  for (const Json& argument : {Json{{"as_bool", true}}, branch, branch, tensors({"a"})})
    cond["inputs"].push_back({{"name", ""}, {"arg", argument}, {"kind", 1}});
  for (const bool enabled : {true, false}) {
    Model model = with("higher_order.wrap_with_autocast", {{{"as_string", "cpu"}},
                                                           {{"as_scalar_type", 13}},
                                                           {{"as_bool", enabled}},
                                                           {{"as_bool", false}},
                                                           region,
                                                           tensor_arg("add")});
    model.graph()["tensor_values"]["relu"] = narrow;
    if (enabled)
      CHECK_THAT(text_of(model), Contains("      %a_cast = cast %add {dtype = bf16} : tensor<[B]x3xbf16>\n"
                                          "      %y_1 = relu %a_cast : tensor<[B]x3xbf16>\n"));
    else
      CHECK_THAT(refused(model, "recorded-type", ExitCode::BadInput),
                 Contains("gives tensor<[B]x3xf32>, but the file says tensor<[B]x3xbf16>"));
  }
}

TEST_CASE("a region that does not fit its node is refused") {
  const auto refusal = [](const Model& model) { return refused(model, "model-structure", ExitCode::BadInput); };
  CHECK_THAT(refusal(with("higher_order.wrap", {tensor_arg("add")})),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a graph among its arguments"));
  CHECK_THAT(refusal(with("higher_order.wrap", {graph("body", {"a"}), tensor_arg("add"), tensor_arg("mul")})),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a graph with as many inputs as it is given"));
  CHECK_THAT(refusal(with("higher_order.wrap", {graph("body", {"a", "a"}), tensor_arg("add"), tensor_arg("mul")})),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a graph whose inputs have different names"));
  CHECK_THAT(
      refusal(with("higher_order.wrap", {graph("body", {"a"}), {{"as_int", 1}}})),
      StartsWith("shop/model.py:12:1: error: `relu`: expected a graph of tensors and integers, as they are given"));
  CHECK_THAT(
      refusal(with("higher_order.wrap_with_autocast", {graph("body", {"a"}), tensor_arg("add")})),
      StartsWith("shop/model.py:12:1: error: `relu`: expected whether autocast is enabled as its third argument"));
  CHECK_THAT(
      refusal(with("higher_order.wrap_with_set_grad_enabled", {graph("body", {"a"}), tensor_arg("add")})),
      StartsWith("shop/model.py:12:1: error: `relu`: expected whether gradients are enabled as its first argument"));
  Json empty = graph("body", {"a"});
  empty["as_graph"]["graph"]["outputs"] = Json::array();
  CHECK_THAT(refusal(with("higher_order.wrap", {empty, tensor_arg("add")})),
             StartsWith("shop/model.py:12:1: error: `relu`: expected as many results as its graph has"));
}

TEST_CASE("graphs that do not fit their node are refused") {
  const Json fixed = {{"as_bool", true}};
  CHECK_THAT(refused(with("higher_order.cond", {fixed, tensor_arg("add")}), "model-structure", ExitCode::BadInput),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a graph in its place"));
  Model twice = with_cond(fixed);
  twice.graph()["nodes"][2]["inputs"][3]["arg"] = tensors({"add", "mul"});
  CHECK_THAT(refused(twice, "model-structure", ExitCode::BadInput),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a graph with as many inputs as it is given"));
  Model missing = with_cond(fixed);
  missing.graph()["nodes"][2]["inputs"][3]["arg"] = tensors({"nobody"});
  CHECK_THAT(refused(missing, "model-structure", ExitCode::BadInput),
             Contains("`nobody` to be defined before its use"));
  Model unlike = with_cond(fixed);
  unlike.graph()["nodes"][2]["inputs"][2]["arg"]["as_graph"]["graph"]["outputs"][0] = {{"as_int", 1}};
  (void)refused(unlike, "region-yield", ExitCode::BadInput);
}

TEST_CASE("what a loop of PyTorch may do and one here may not is refused") {
  Model numbers =
      with("higher_order.while_loop", {graph("go_on", {"a"}), graph("step", {"a"}), {{"as_ints", {1}}}, tensors({})});
  CHECK_THAT(
      refused(numbers, "import-argument-kind", ExitCode::Unsupported),
      StartsWith("shop/model.py:12:1: error: `higher_order.while_loop`: what it carries from one step to the next is a "
                 "Python number; expected a tensor"));
  Model random = with("higher_order.scan",
                      {graph("step", {"a"}, "aten.bernoulli.default"), tensors({}), tensors({"add"}), tensors({})});
  random.graph()["nodes"][2]["inputs"][0]["arg"]["as_graph"]["graph"]["tensor_values"] = {{"a", tensor_meta(7, {3})},
                                                                                          {"y", tensor_meta(7, {3})}};
  CHECK_THAT(refused(random, "import-random-source", ExitCode::Unsupported),
             Contains("generates random numbers in a loop, where each iteration would generate the same"));
}

TEST_CASE("graphs inside of each other are limited in depth") {
  Json inner = graph("body", {"a"});
  for (int depth = 0; depth < 120; ++depth) {
    Json outer = graph("body", {"a"});
    Json& call = outer["as_graph"]["graph"]["nodes"][0];
    call["target"] = "torch.ops.higher_order.wrap";
    call["inputs"] = Json::array(
        {{{"name", ""}, {"arg", inner}, {"kind", 1}}, {{"name", ""}, {"arg", tensor_arg("a")}, {"kind", 1}}});
    inner = outer;
  }
  CHECK_THAT(refused(with("higher_order.wrap", {inner, tensor_arg("add")}), "model-structure", ExitCode::BadInput),
             Contains("at most 100 graphs inside of each other"));
}

namespace {

// `assertion` of the number that a node with this target computes from the batch size and 4.
Model with_assertion(const std::string& comparison) {
  Model model;
  Json compare = node("x", "truth", {});
  compare["target"] = comparison;
  compare["inputs"] = Json::array({{{"name", "a"}, {"arg", {{"as_sym_int", {{"as_name", "n"}}}}}, {"kind", 1}},
                                   {{"name", "b"}, {"arg", {{"as_int", 4}}}, {"kind", 1}}});
  compare["outputs"] = Json::array({{{"as_sym_bool", {{"as_name", "truth"}}}}});
  Json assertion = node("aten._assert_scalar.default", "",
                        {{"self", {{"as_sym_bool", {{"as_name", "truth"}}}}}, {"assert_msg", {{"as_string", "four"}}}});
  assertion["outputs"] = Json::array();
  Json& nodes = model.graph()["nodes"];
  nodes.insert(nodes.begin(), {compare, assertion});
  model.graph()["sym_int_values"]["n"] = {{"as_expr", {{"expr_str", Model::kBatch}, {"hint", nullptr}}}};
  return model;
}

}  // namespace

TEST_CASE("an assertion about sizes is checked unless their bounds imply it") {
  CHECK_THAT(text_of(with_assertion("_operator.ge")), Contains(R"(    check [B - 4] {message = "four"})"));
  CHECK_THAT(text_of(with_assertion("_operator.gt")), Contains(R"(    check [B - 5] {message = "four"})"));
  CHECK_THAT(text_of(with_assertion("_operator.lt")), Contains(R"(    check [-B + 3] {message = "four"})"));
  CHECK_THAT(text_of(with_assertion("_operator.le")), Contains(R"(    check [-B + 4] {message = "four"})"));
  CHECK_THAT(text_of(with_assertion("_operator.eq")), Contains(R"(    check [B - 4, -B + 4] {message = "four"})"));
  CHECK_THAT(text_of(with_assertion("_operator.ne")), Contains(R"(    %2 = ne %0, %1 : tensor<i1>
    %3 = cast %2 {dtype = i64} : tensor<i64>
    check [%3 - 1] {message = "four"})"));
  Model implied = with_assertion("_operator.le");
  implied.program["range_constraints"]["s77"]["max_val"] = 4;
  CHECK_THAT(text_of(implied), !Contains("check"));
}

TEST_CASE("an assertion that a tensor is true is checked") {
  Model model;
  model.graph()["tensor_values"]["truth"] = tensor_meta(12, Json::array());
  Json assertion =
      node("aten._assert_async.msg", "", {{"self", tensor_arg("truth")}, {"assert_msg", {{"as_string", "finite"}}}});
  assertion["outputs"] = Json::array();
  Json& nodes = model.graph()["nodes"];
  nodes.insert(nodes.end(), {node("aten.any.default", "truth", {{"self", tensor_arg("relu")}}), assertion});
  CHECK_THAT(text_of(model), Contains(R"(    %truth = any %relu : tensor<i1>
    %0 = cast %truth {dtype = i64} : tensor<i64>
    check [%0 - 1] {message = "finite"})"));
}

TEST_CASE("an assertion that has no form is left out with a warning") {
  const auto imported = import_model(with_assertion("_operator.lshift"));
  REQUIRE(imported->model.has_value());
  CHECK_THAT(mlgc::print(imported->model->module), !Contains("check"));
  CHECK_THAT(
      imported->said(),
      Contains(
          "shop/model.py:12:1: warning: an assertion is left out (`four`): `_operator.lshift`: a number that is "
          "computed in this way depends on data, and must be constant\nshop/model.py:12:1: note: check what it says "
          "before the "
          "call; the program itself does not\n"));
}

TEST_CASE("a number that may be negative is no size") {
  Model model;
  model.graph()["inputs"].push_back({{"as_sym_int", {{"as_name", "k"}}}});
  model.signature()["input_specs"].push_back({{"user_input", {{"arg", {{"as_sym_int", {{"as_name", "k"}}}}}}}});
  model.graph()["sym_int_values"]["k"] = {{"as_expr", {{"expr_str", "Symbol('s5', integer=True)"}, {"hint", nullptr}}}};
  model.program["range_constraints"]["s5"] = {{"min_val", nullptr}, {"max_val", nullptr}};
  model.graph()["nodes"][1]["inputs"][0]["arg"] = {{"as_sym_int", {{"as_name", "k"}}}};
  CHECK_THAT(text_of(model), Contains(R"(%x: tensor<[B]x3xf32>, %k: tensor<i64>)"));
  model.graph()["nodes"][2] = node("aten.narrow.default", "relu",
                                   {{"self", tensor_arg("add")},
                                    {"dim", {{"as_int", 0}}},
                                    {"start", {{"as_sym_int", {{"as_name", "k"}}}}},
                                    {"length", {{"as_int", 2}}}});
  CHECK_THAT(
      refused(model, "size-expression", ExitCode::BadInput),
      StartsWith("shop/model.py:12:1: error: size expression `k`: `k` depends on data and may be negative, so it is "
                 "no size"));
}

TEST_CASE("the outputs of a training graph are named after what they are for") {
  Model model;
  model.signature()["output_specs"] =
      Json::array({{{"gradient_to_parameter", {{"arg", {{"name", "relu"}}}, {"parameter_name", "net.w"}}}}});
  CHECK_THAT(text_of(model), Contains("return %grad_net_w\n"));
}

TEST_CASE("attention whose gradients are wrong in PyTorch is refused") {
  Model model;
  model.graph()["nodes"][2]["target"] = "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default";
  CHECK_THAT(
      refused(model, "wrong-gradients", ExitCode::Unsupported),
      StartsWith("shop/model.py:12:1: error: `aten._scaled_dot_product_flash_attention_for_cpu_backward.default` was "
                 "exported with wrong operands: the gradients of this program are wrong in PyTorch too\n"
                 "shop/model.py:12:1: note: export inside of "
                 "`torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)`"));
}

TEST_CASE("a condition is a tensor or a truth value") {
  CHECK_THAT(refused(with_cond({{"as_string", "yes"}}), "model-structure", ExitCode::BadInput),
             StartsWith("shop/model.py:12:1: error: `relu`: expected a tensor or a truth value as its condition"));
}

TEST_CASE("a number that is computed from itself is refused") {
  Model model;
  Json sum = node("x", "n", {});
  sum["target"] = "_operator.add";
  sum["inputs"] = Json::array({{{"name", "a"}, {"arg", {{"as_sym_int", {{"as_name", "n"}}}}}, {"kind", 1}},
                               {{"name", "b"}, {"arg", {{"as_int", 4}}}, {"kind", 1}}});
  sum["outputs"] = Json::array({{{"as_sym_int", {{"as_name", "n"}}}}});
  model.graph()["nodes"].insert(model.graph()["nodes"].begin(), sum);
  model.graph()["sym_int_values"]["n"] = {{"as_expr", {{"expr_str", "Symbol('u0', integer=True)"}, {"hint", nullptr}}}};
  model.program["range_constraints"]["u0"] = {{"min_val", nullptr}, {"max_val", nullptr}};
  model.graph()["nodes"][2]["inputs"][0]["arg"] = {{"as_sym_int", {{"as_name", "n"}}}};
  CHECK_THAT(refused(model, "import-limit", ExitCode::Unsupported),
             Contains("501 steps to compute a number, and the limit is 500"));
}

TEST_CASE("numbers and shapes that an operator cannot have are refused") {
  const auto last = [](const std::string& kind, const std::string& target, const Json& inputs,
                       const Json& sizes = kRow) {
    Model model;
    model.graph()["nodes"][2] = node(target, "relu", inputs);
    model.graph()["tensor_values"]["relu"] = tensor_meta(7, sizes);
    return refused(model, kind, ExitCode::Unsupported);
  };
  const Json one = {{"as_int", 1}}, x = tensor_arg("add"), yes = {{"as_bool", true}}, no = {{"as_bool", false}};
  CHECK_THAT(
      last("import-argument-kind", "aten.fill.Tensor", {{"self", one}, {"value", x}}),
      StartsWith("shop/model.py:12:1: error: `aten.fill.Tensor`: argument `self` is a number; expected a tensor"));
  CHECK_THAT(last("import-operand-axes", "aten.eye.default", {{"n", one}}, Json::array()),
             Contains("its result has 0 axes; expected a matrix"));
  CHECK_THAT(last("import-unsupported-argument", "aten.diff.default",
                  {{"self", x}, {"n", {{"as_int", std::int64_t{1} << 62}}}}),
             Contains("argument `n` is 4611686018427387904; supported: 0 to 1000"));
  CHECK_THAT(last("import-operand-axes", "aten.adaptive_avg_pool3d.default",
                  {{"self", x}, {"output_size", {{"as_ints", {1, 1, 1}}}}}),
             Contains("its operand has 2 axes; expected at least three"));
  CHECK_THAT(last("import-ranks-differ", "aten.bilinear.default",
                  {{"input1", x}, {"input2", tensor_arg("p_w")}, {"weight", x}, {"bias", {{"as_none", true}}}}),
             Contains("its first operand has 2 axes, and its second 1"));
  CHECK_THAT(last("import-training-mode", "aten.batch_norm.default",
                  {{"input", x},
                   {"weight", {{"as_none", true}}},
                   {"bias", {{"as_none", true}}},
                   {"running_mean", tensor_arg("p_w")},
                   {"running_var", tensor_arg("p_w")},
                   {"training", yes},
                   {"momentum", {{"as_float", 0.1}}},
                   {"eps", {{"as_float", 0.1}}},
                   {"cudnn_enabled", no}}),
             Contains("is in training mode: it normalises by the statistics of the batch"));
  Model masked;
  masked.graph()["nodes"][2] =
      node("aten.native_dropout.default", "relu", {{"input", x}, {"p", {{"as_float", 0.5}}}, {"train", no}});
  masked.graph()["nodes"][2]["outputs"].push_back(tensor_arg("mask"));
  masked.graph()["tensor_values"]["mask"] = tensor_meta(12, kRow);
  CHECK_THAT(refused(masked, "import-result-used", ExitCode::Unsupported),
             Contains("its result 1 is used, and has no counterpart here"));
}

TEST_CASE("a number that the program computes keeps the precision of Python's") {
  Model model;
  Json item = node("aten.item.default", "number", {{"self", tensor_arg("total")}});
  item["outputs"] = Json::array({{{"as_sym_float", {{"as_name", "number"}}}}});
  model.graph()["nodes"][1] = node("aten.sum.default", "total", {{"self", tensor_arg("mul")}});
  model.graph()["tensor_values"]["total"] = tensor_meta(7, Json::array());
  model.graph()["nodes"][2] = item;
  const Json number = {{"as_sym_float", {{"as_name", "number"}}}};
  model.graph()["outputs"] = Json::array({number});
  model.signature()["output_specs"] = Json::array({{{"user_output", {{"arg", number}}}}});
  CHECK_THAT(text_of(model), Contains("    %number = cast %total {dtype = f64} : tensor<f64>\n    return %number\n"));
}

TEST_CASE("a node may be called as the argument that random numbers follow from") {
  Model model;
  model.graph()["nodes"][1] = node("aten.rand_like.default", "noise", {{"self", tensor_arg("mul")}});
  model.graph()["tensor_values"]["noise"] = tensor_meta(7, kRow);
  model.graph()["nodes"][2] =
      node("aten.add.Tensor", "key", {{"self", tensor_arg("mul")}, {"other", tensor_arg("noise")}});
  model.graph()["tensor_values"]["key"] = tensor_meta(7, kRow);
  model.graph()["outputs"] = Json::array({tensor_arg("key")});
  model.signature()["output_specs"] = Json::array({{{"user_output", {{"arg", tensor_arg("key")}}}}});
  const std::string text = text_of(model);
  CHECK_THAT(text, Contains("%key: tensor<2xi64>"));
  CHECK_THAT(text, Contains("return %key_1\n"));
}
