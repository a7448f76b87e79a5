// The hand-written unit of test/unit/runtime/sample_unit.cpp, compiled, and a cache of the test's own.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "artifact/model.h"
#include "runtime/sample.h"
#include "support/file.h"

// An environment variable for as long as this object; nothing: unset.
class Environment {
 public:
  Environment(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_, value->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

inline std::string sample_source() { return *mlgc::read_file(MLGC_SAMPLE_UNIT); }

inline std::vector<std::string> messages(const mlgc::DiagnosticEngine& diagnostics) {
  std::vector<std::string> all;
  for (const mlgc::Diagnostic& diagnostic : diagnostics.sorted()) all.push_back(diagnostic.message());
  return all;
}

// A folder with a cache in it, which MLGC_CACHE names.
struct OwnCache {
  TemporaryFolder folder;
  Environment variable{"MLGC_CACHE", folder.file("cache")};
  mlgc::LocationTable locations;
  mlgc::DiagnosticEngine diagnostics{locations};
  mlgc::Cache cache = mlgc::Cache::open(diagnostics);

  mlgc::Result<mlgc::CompiledUnit, mlgc::Diagnostic> compile(const std::string& source,
                                                             std::vector<std::string> flags = {"-O1"},
                                                             const std::string& compiler = "") {
    return mlgc::compile_unit({"sample", {{"sample.cpp", source}}, std::move(flags), compiler}, cache, diagnostics);
  }
};

// Compiled once for all tests of this program.
inline const mlgc::CompiledUnit& compiled_sample() {
  static OwnCache cache;
  static const mlgc::CompiledUnit unit = [] {
    auto compiled = cache.compile(sample_source());
    if (!compiled) FAIL(compiled.error().message());
    return *compiled;
  }();
  return unit;
}
