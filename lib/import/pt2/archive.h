// The outside of a .pt2 file: members, versions, models, and weights as host tensors.
//
// Guarantees
//   - Nothing in the file is trusted: every failure is a diagnostic that names the archive and the member.
//   - Weights are views of the mapped file where they are contiguous, copies otherwise; what a strided view may expand
//   to
//     is bounded by the bytes it views.
//   - No pickle is ever read.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "support/zip.h"
#include "tensor/tensor.h"

namespace mlgc {

// torch's number of an element type in a .pt2 file (not c10's); nothing for types that are not supported.
[[nodiscard]] std::optional<Dtype> pt2_dtype(std::int64_t number);
// `complex64`; a number when it has no name.
[[nodiscard]] std::string pt2_dtype_name(std::int64_t number);

// One entry of a weights or constants config.
struct Pt2Weight {
  std::string member;  // full name; equal for tied weights
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::vector<std::int64_t> strides;  // in elements
  std::int64_t offset = 0;            // in elements
  // Two entries that are equal are one tensor.
  friend auto operator<=>(const Pt2Weight&, const Pt2Weight&) = default;
};

class Pt2Archive {
 public:
  // `model` may be empty when the archive holds one. Diagnostics go to the engine; nothing comes back after an error.
  [[nodiscard]] static std::optional<Pt2Archive> open(const std::string& path, std::string_view model,
                                                      LocationTable& locations, DiagnosticEngine& engine);

  [[nodiscard]] const std::string& model_name() const { return model_; }
  // The text of models/<name>.json and how to call it in diagnostics.
  [[nodiscard]] const SharedBytes& model_json() const { return json_; }
  [[nodiscard]] const std::string& model_member() const { return json_member_; }

  // By fully qualified name; null when there is none.
  [[nodiscard]] const Pt2Weight* find_weight(std::string_view name) const;
  [[nodiscard]] const Pt2Weight* find_constant(std::string_view name) const;

  // The elements, contiguous. Nothing and no diagnostic: the archive holds the shape only. `name` is for messages.
  struct Loaded {
    std::optional<Tensor> tensor;
    bool failed = false;
  };
  [[nodiscard]] Loaded load(const Pt2Weight& weight, std::string_view name, DiagnosticEngine& engine) const;

  // Where a diagnostic about the file as a whole points.
  [[nodiscard]] Location location() const { return location_; }

 private:
  Pt2Archive(ZipReader zip, Location location) : zip_(std::move(zip)), location_(location) {}
  using Config = std::map<std::string, Pt2Weight, std::less<>>;
  [[nodiscard]] std::optional<SharedBytes> read(const std::string& member, DiagnosticEngine& engine) const;
  bool read_versions(DiagnosticEngine& engine);
  bool choose_model(std::string_view wanted, DiagnosticEngine& engine);
  bool read_config(const std::string& member, const std::string& folder, Config& config, DiagnosticEngine& engine);

  ZipReader zip_;
  Location location_;
  std::string root_;  // ends in `/`
  std::string model_, json_member_;
  SharedBytes json_;
  Config weights_, constants_;
};

}  // namespace mlgc
