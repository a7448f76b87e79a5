// Operators without a form here become calls of PyTorch when asked, and the ledger says which and why.
#include "import/program/fallback.h"

#include "pt2_archive.h"
#include "text/printer.h"

using mlgc::Fallback;
using pt2_test::import_model;
using pt2_test::Json;
using pt2_test::Model;
using pt2_test::tensor_arg;
using pt2_test::tensor_meta;

TEST_CASE("an unknown operator becomes a call with its arguments by name") {
  Model model;
  Json& inputs = model.graph()["nodes"][1]["inputs"];
  model.graph()["nodes"][1]["target"] = "torch.ops.shop.own.out_of_stock";
  inputs[0] = {{"name", "count"}, {"arg", {{"as_int", 3}}}, {"kind", 1}};
  inputs.push_back({{"name", "rates"}, {"arg", {{"as_floats", {0.5, 2.0}}}}, {"kind", 1}});
  inputs.push_back({{"name", "other"}, {"arg", {{"as_none", true}}}, {"kind", 1}});
  const auto imported = import_model(model, {.fallback = Fallback::Warn});
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK_THAT(mlgc::print(imported->model->module),
             Contains("%add = torch.call %mul {arguments = [3, [0.5, 2.0], none], parameters = [\"self\", \"count\", "
                      "\"rates\", \"other\"], target = \"shop::own.out_of_stock\"} : tensor<[B]x3xf32>"));
  CHECK_THAT(imported->said(),
             Contains("renamed.pt2:1:1: warning: 1 of 3 operators are calls of PyTorch: shop.own.out_of_stock (1 "
                      "call, unknown-operator)\n"));
  CHECK(mlgc::render_text(imported->model->fallback) ==
        "1 call of PyTorch among 3 operators (33.3 %)\n"
        "shop.own.out_of_stock: 1 call (33.3 %), unknown-operator, 24*B bytes in and out, FLOPs unknown\n");
  const Json report = Json::parse(mlgc::render_json(imported->model->fallback));
  CHECK(report["version"] == 1);
  CHECK(report["calls"] == 1);
  CHECK(report["entries"][0]["operator"] == "shop.own.out_of_stock");
  CHECK(report["entries"][0]["bytes"] == "24*B");
  CHECK(report["entries"][0]["flops"].is_null());
}

TEST_CASE("a known operator in an unknown form becomes a call; nothing is left of what was begun") {
  Model model;
  model.graph()["nodes"][1]["inputs"].push_back({{"name", "zeal"}, {"arg", {{"as_bool", true}}}, {"kind", 1}});
  // The row's op is made before its recorded type is looked at.
  model.graph()["tensor_values"]["mul"] = tensor_meta(10, Json::array({Model::kBatch, 3}));
  CHECK(import_model(model)->kind() == "complex-operator");
  const auto imported = import_model(model, {.fallback = Fallback::Allow});
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK_THAT(imported->said(), !Contains("calls of PyTorch"));
  const std::string text = mlgc::print(imported->model->module);
  CHECK_THAT(text, Contains("%mul = torch.call %p_w, %x {parameters = [\"other\", \"self\"], target "
                            "= \"aten::mul.Tensor\"} : tensor<[B]x3xc64>"));
  CHECK_THAT(text, Contains("%add = torch.call %mul {arguments = [1, true], parameters = "
                            "[\"self\", \"other\", \"zeal\"], target = \"aten::add.Tensor\"} : tensor<[B]x3xf32>"));
  CHECK_THAT(text, !Contains(" = mul "));
  CHECK_THAT(
      mlgc::render_text(imported->model->fallback),
      Contains(
          "aten.mul.Tensor: 1 call (33.3 %), complex-operator (`aten.mul.Tensor` takes or gives complex numbers)"));
}

TEST_CASE("what cannot be a call is refused with the reason") {
  const auto said = [](const Model& model) {
    const auto imported = import_model(model, {.fallback = Fallback::Allow});
    CHECK_FALSE(imported->model.has_value());
    CHECK(imported->engine.exit_code() == mlgc::ExitCode::Unsupported);
    return imported->said();
  };
  Model draws;
  draws.graph()["nodes"][1]["target"] = "torch.ops.aten.binomial.default";
  const std::string refused =
      "error: 1 operators of this model are not known: aten.binomial.default (1 call; it samples "
      "a random generator of its own)\n";
  const std::string remedy =
      "note: random numbers of a distribution that has no counterpart here can be an input: generate "
      "them before the call\n";
  CHECK_THAT(said(draws), Contains(refused) && Contains(remedy));
  const auto without_calls = import_model(draws);
  CHECK_THAT(without_calls->said(), Contains(refused) && Contains(remedy));
  Model in_place;
  in_place.graph()["nodes"][1]["target"] = "torch.ops.shop.fill_.default";
  CHECK_THAT(said(in_place), Contains("shop.fill_.default (1 call; it changes its operand in place)"));
  Model dropping;
  dropping.graph()["nodes"][1]["target"] = "torch.ops.shop.lstm.input";
  dropping.graph()["nodes"][1]["inputs"][0] = {{"name", "dropout"}, {"arg", {{"as_float", 0.5}}}, {"kind", 1}};
  CHECK_THAT(said(dropping), Contains("shop.lstm.input (1 call; it samples a random generator of its own)"));
  Model statistics;
  statistics.graph()["nodes"][1]["target"] = "torch.ops.aten.instance_norm.default";
  statistics.graph()["nodes"][1]["inputs"][0] = {
      {"name", "use_input_stats"}, {"arg", {{"as_bool", true}}}, {"kind", 1}};
  CHECK(said(statistics) ==
        "shop/model.py:12:1: error: `aten.instance_norm.default`: argument `input` is missing\n"
        "shop/model.py:12:1: note: give the argument, which has no default value here\n"
        "shop/model.py:12:1: error: `aten.instance_norm.default` cannot be a call of PyTorch: it updates running "
        "statistics\n"
        "shop/model.py:12:1: note: put the model in eval mode with `.eval()` before exporting\n");
  for (const char* const form : {"as_sym_float", "as_sym_bool"}) {
    Model data;
    data.graph()["nodes"][1]["target"] = "torch.ops.shop.own.default";
    data.graph()["nodes"][1]["inputs"][0]["arg"] = {{form, {{"as_name", "item"}}}};
    CHECK_THAT(said(data), StartsWith("shop/model.py:12:1: error: `shop.own.default` cannot be a call of PyTorch: "
                                      "argument `other` depends on data\n"));
  }
  Model python;
  python.graph()["nodes"][1]["target"] = "torch.ops.shop.own.default";
  python.graph()["nodes"][1]["inputs"][0]["arg"] = {{"as_operator", "aten.relu"}};
  CHECK_THAT(said(python), StartsWith("shop/model.py:12:1: error: `shop.own.default` cannot be a call of PyTorch: "
                                      "argument `other` is of the form `as_operator`\n"));
}

TEST_CASE("what an operator is says whether it can be a call") {
  using namespace mlgc;
  const auto why = [](const std::string& target) {
    program::Node node;
    node.target = target;
    return program::why_no_call(node);
  };
  CHECK_FALSE(why("torch.ops.aten.add.Tensor"));
  REQUIRE(why("torch.ops.higher_order.wrap"));
  CHECK(why("torch.ops.higher_order.wrap")->kind->id == "import-call-no-operator");
  CHECK(why("_operator.add")->kind->id == "import-call-no-operator");
  CHECK(why("torch.ops.aten.add_.Tensor")->kind->id == "import-call-in-place");
  CHECK(why("torch.ops.aten.binomial.default")->kind->id == "import-call-random");
  program::Node norm;
  norm.target = "torch.ops.aten.batch_norm.default";
  program::Argument training;
  training.kind = program::Argument::Kind::Bool;
  training.flags = {true};
  norm.inputs.push_back({"training", training});
  REQUIRE(program::why_no_call(norm));
  CHECK(program::why_no_call(norm)->kind->id == "import-call-running-statistics");
  CHECK(program::no_call_reason(*why("torch.ops.aten.add_.Tensor")) == "it changes its operand in place");
}

TEST_CASE("what a call cannot be given or give has a kind of its own") {
  const auto kind = [](const auto& change) {
    Model model;
    Json& node = model.graph()["nodes"][1];
    node["target"] = "torch.ops.shop.own.default";
    change(node);
    const auto imported = import_model(model, {.fallback = Fallback::Allow});
    INFO(imported->said());
    return std::string(imported->kind());
  };
  const auto given = [&](const Json& argument) {
    return kind([&](Json& node) { node["inputs"][0]["arg"] = argument; });
  };
  CHECK(given({{"as_sym_float", {{"as_name", "item"}}}}) == "import-call-data-argument");
  CHECK(given({{"as_scalar_type", 28}}) == "import-call-argument-dtype");
  CHECK(given({{"as_operator", "aten.relu"}}) == "import-call-argument-form");
  CHECK(given({{"as_optional_tensors", Json::array({{{"as_tensor", {{"name", "mul"}}}}, {{"as_none", true}}})}}) ==
        "import-call-list-end");
  CHECK(kind([](Json& node) { node["outputs"] = Json::array(); }) == "import-call-no-result");
  CHECK(kind([](Json& node) { node["outputs"] = Json::array({{{"as_int", 3}}}); }) == "import-call-result-kind");
}

TEST_CASE("complex tensors, numbers and types go in and out of calls") {
  Model model;
  Json& nodes = model.graph()["nodes"];
  model.graph()["tensor_values"]["x"] = tensor_meta(11, Json::array({Model::kBatch, 3}));
  for (const char* const name : {"mul", "add", "relu"})
    model.graph()["tensor_values"][name] = tensor_meta(11, Json::array({Model::kBatch, 3}));
  nodes[1]["inputs"][0]["arg"] = {{"as_complex", {{"real", 0.5}, {"imag", -2.0}}}};
  nodes[2]["inputs"].push_back({{"name", "dtype"}, {"arg", {{"as_scalar_type", 11}}}, {"kind", 1}});
  const auto imported = import_model(model, {.fallback = Fallback::Allow});
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  const std::string text = mlgc::print(imported->model->module);
  CHECK_THAT(text, Contains("%x: tensor<[B]x3xc128>) -> tensor<[B]x3xc128>"));
  CHECK_THAT(text, Contains("[0.5, -2.0]"));
  CHECK_THAT(text, Contains("{arguments = [c128], parameters = [\"self\", \"dtype\"], target = \"aten::relu\"}"));
  CHECK(imported->model->fallback.calls() == 3);
}

TEST_CASE("operators are counted where none becomes a call") {
  const auto imported = import_model(Model());
  INFO(imported->said());
  REQUIRE(imported->model.has_value());
  CHECK(mlgc::render_text(imported->model->fallback) == "no call of PyTorch among 3 operators\n");
  CHECK(Json::parse(mlgc::render_json(imported->model->fallback))["operators"] == 3);
}
