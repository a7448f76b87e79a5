// Hand-made .pt2 archives for tests: a small model whose every member can be replaced.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "diag/render.h"
#include "import/pt2/import_pt2.h"
#include "ops/op_table.h"
#include "support/temporary_folder.h"
#include "support/zip.h"
#include "support_catch.h"

namespace pt2_test {

using Json = nlohmann::json;

inline Json tensor_meta(int dtype, const Json& sizes) {
  Json list = Json::array();
  for (const Json& size : sizes) {
    if (size.is_string())
      list.push_back({{"as_expr", {{"expr_str", size}, {"hint", nullptr}}}});
    else
      list.push_back({{"as_int", size}});
  }
  return {{"dtype", dtype}, {"sizes", list}, {"layout", 7}};
}

inline Json tensor_arg(const std::string& name) { return {{"as_tensor", {{"name", name}}}}; }

inline Json node(const std::string& target, const std::string& output, const Json& inputs) {
  Json list = Json::array();
  for (const auto& [name, value] : inputs.items()) list.push_back({{"name", name}, {"arg", value}, {"kind", 1}});
  const std::string trace = "File \"/home/anna/shop/model.py\", line 12, in forward\n    return f(x)\n";
  return {
      {"target", "torch.ops." + target},
      {"name", output},
      {"inputs", list},
      {"outputs", Json::array({tensor_arg(output)})},
      {"metadata", {{"stack_trace", trace}, {"nn_module_stack", "L__self__,,shop.Net;L__self___act,act,torch.ReLU"}}}};
}

// y = relu(x*w + 1) on x: [s77, 3], w: [3].
struct Model {
  static constexpr const char* kBatch = "Symbol('s77', positive=True, integer=True)";
  std::map<std::string, std::string> members{
      {"archive_format", "pt2"},
      {"archive_version", "0"},
      {"byteorder", "little"},
      {"data/weights/weight_0", std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12)}};
  Json weights = {{"config",
                   {{"w",
                     {{"path_name", "weight_0"},
                      {"is_param", true},
                      {"use_pickle", false},
                      {"tensor_meta", weight_meta({3}, {1}, 0)}}}}}};
  Json constants = {{"config", Json::object()}};
  Json program = make_program();

  static Json weight_meta(const Json& sizes, const Json& strides, int offset) {
    Json meta = tensor_meta(7, sizes);
    meta["strides"] = Json::array();
    for (const Json& stride : strides) meta["strides"].push_back({{"as_int", stride}});
    meta["storage_offset"] = {{"as_int", offset}};
    return meta;
  }

  static Json make_program() {
    const Json row = Json::array({kBatch, 3});
    Json graph;
    graph["inputs"] = Json::array({tensor_arg("p_w"), tensor_arg("x")});
    graph["outputs"] = Json::array({tensor_arg("relu")});
    graph["nodes"] =
        Json::array({node("aten.mul.Tensor", "mul", {{"self", tensor_arg("x")}, {"other", tensor_arg("p_w")}}),
                     node("aten.add.Tensor", "add", {{"self", tensor_arg("mul")}, {"other", {{"as_int", 1}}}}),
                     node("aten.relu.default", "relu", {{"self", tensor_arg("add")}})});
    graph["tensor_values"] = {{"p_w", tensor_meta(7, {3})},
                              {"x", tensor_meta(7, row)},
                              {"mul", tensor_meta(7, row)},
                              {"add", tensor_meta(7, row)},
                              {"relu", tensor_meta(7, row)}};
    graph["sym_int_values"] = Json::object();
    Json signature;
    signature["input_specs"] = Json::array({{{"parameter", {{"arg", {{"name", "p_w"}}}, {"parameter_name", "w"}}}},
                                            {{"user_input", {{"arg", tensor_arg("x")}}}}});
    signature["output_specs"] = Json::array({{{"user_output", {{"arg", tensor_arg("relu")}}}}});
    return {{"graph_module", {{"graph", graph}, {"signature", signature}}},
            {"range_constraints", {{"s77", {{"min_val", 2}, {"max_val", 64}}}}},
            {"schema_version", {{"major", 8}, {"minor", 20}}},
            {"verifiers", {"ATEN"}}};
  }

  Json& graph() { return program["graph_module"]["graph"]; }
  Json& signature() { return program["graph_module"]["signature"]; }
  Json& weight() { return weights["config"]["w"]; }

  // Members of JSON that were not given as text are written from the values above.
  void write(const std::string& path) const {
    std::map<std::string, std::string> all{{"models/model.json", program.dump()},
                                           {"data/weights/model_weights_config.json", weights.dump()},
                                           {"data/constants/model_constants_config.json", constants.dump()}};
    for (const auto& [name, content] : members) all[name] = content;
    mlgc::Result<mlgc::ZipWriter> writer = mlgc::ZipWriter::create(path);
    REQUIRE(writer.ok());
    for (const auto& [name, content] : all)
      REQUIRE(writer->add("net/" + name, std::as_bytes(std::span<const char>(content))).ok());
    REQUIRE(writer->finish().ok());
  }
};

// What an import gave: a module, or what it said.
struct Imported {
  std::shared_ptr<mlgc::Context> context = mlgc::make_context();
  mlgc::DiagnosticEngine engine{context->locations()};
  std::optional<mlgc::ImportedModel> model;

  [[nodiscard]] std::string said() const { return mlgc::render_text(engine, {.color = false, .source_lines = false}); }
  // The kind of the first error.
  [[nodiscard]] std::string kind() const {
    for (const mlgc::Diagnostic& diagnostic : engine.sorted())
      if (diagnostic.kind->severity == mlgc::Severity::Error) return std::string(diagnostic.kind->id);
    return "";
  }
};

inline std::unique_ptr<Imported> import_file(const std::string& path, const mlgc::ImportOptions& options = {}) {
  auto result = std::make_unique<Imported>();
  result->model = mlgc::import_pt2(result->context, path, options, result->engine);
  return result;
}

inline std::unique_ptr<Imported> import_model(const Model& model, const mlgc::ImportOptions& options = {}) {
  const TemporaryFolder folder;
  model.write(folder.file("renamed.pt2"));
  return import_file(folder.file("renamed.pt2"), options);
}

// The model is refused with an error of this kind; returns everything that was said.
inline std::string refused(const Model& model, std::string_view kind, mlgc::ExitCode code = mlgc::ExitCode::BadInput) {
  const auto imported = import_model(model);
  CHECK_FALSE(imported->model.has_value());
  CHECK(imported->kind() == kind);
  CHECK(imported->engine.exit_code() == code);
  return imported->said();
}

}  // namespace pt2_test
