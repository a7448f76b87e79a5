// The outside of a .pt2 file: members, versions, models, and the layout of weights.
//
// Guarantees
//   - Nothing in the file is trusted: every failure is a diagnostic that names the archive and the member.
//   - Storages are views of the mapped file.
//   - No pickle is ever read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "import/program/weights.h"
#include "support/zip.h"

namespace mlgc {

class Pt2Archive final : public program::WeightSource {
 public:
  // `model` may be empty when the archive holds one. Diagnostics go to the engine; nothing comes back after an error.
  [[nodiscard]] static std::optional<Pt2Archive> open(const std::string& path, std::string_view model,
                                                      LocationTable& locations, DiagnosticEngine& engine);

  [[nodiscard]] const std::string& model_name() const { return model_; }
  // What the exporter called sizes, by torch's names of symbols: identifiers that differ.
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& size_names() const { return size_names_; }
  // The text of models/<name>.json and how to call it in diagnostics.
  [[nodiscard]] const SharedBytes& model_json() const { return json_; }
  [[nodiscard]] const std::string& model_member() const { return json_member_; }

  [[nodiscard]] const program::WeightView* find_weight(std::string_view name) const override;
  [[nodiscard]] const program::WeightView* find_constant(std::string_view name) const override;
  [[nodiscard]] std::optional<SharedBytes> storage(const program::WeightView& weight,
                                                   DiagnosticEngine& engine) const override;
  [[nodiscard]] Location location() const override { return location_; }

 private:
  Pt2Archive(ZipReader zip, Location location) : zip_(std::move(zip)), location_(location) {}
  using Config = std::map<std::string, program::WeightView, std::less<>>;
  [[nodiscard]] std::optional<SharedBytes> read(const std::string& member, DiagnosticEngine& engine) const;
  bool read_versions(DiagnosticEngine& engine);
  bool choose_model(std::string_view wanted, DiagnosticEngine& engine);
  bool read_size_names(DiagnosticEngine& engine);
  bool read_config(const std::string& member, const std::string& folder, Config& config, DiagnosticEngine& engine);

  ZipReader zip_;
  Location location_;
  std::string root_;  // ends in `/`
  std::string model_, json_member_;
  SharedBytes json_;
  Config weights_, constants_;
  std::map<std::string, std::string, std::less<>> size_names_;
};

}  // namespace mlgc
