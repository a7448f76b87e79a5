// pack-sample OUT [--single-file] [FLAG...]: compiles the hand-written unit with these flags and writes it as a model.
#include <cstdio>
#include <cstring>

#include "artifact/artifact.h"
#include "runtime/sample_weights.h"
#include "support/file.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  mlgc::CompileRequest request{"sample", {}, {"-O1"}, ""};
  bool single_file = false;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--single-file") == 0)
      single_file = true;
    else
      request.flags.emplace_back(argv[i]);
  }
  const auto fail = [](const mlgc::Diagnostic& diagnostic) {
    std::fprintf(stderr, "pack-sample: %s\n", diagnostic.message().c_str());
    return 1;
  };
  const mlgc::Result<std::string> source = mlgc::read_file(MLGC_SAMPLE_UNIT);
  if (!source) return 2;
  request.sources.push_back({"sample.cpp", *source});
  const mlgc::LocationTable locations;
  mlgc::DiagnosticEngine diagnostics(locations);
  const mlgc::Cache cache = mlgc::Cache::open(diagnostics);
  const auto unit = mlgc::compile_unit(request, cache, diagnostics);
  if (!unit) return fail(unit.error());
  const mlgc::NamedTensors weights = sample_weights();
  const auto written = mlgc::write_artifact(argv[1], {&*unit, "mlgc_unit_sample", "like-eager", weights, single_file});
  if (!written) return fail(written.error());
  for (const mlgc::Diagnostic& diagnostic : diagnostics.sorted()) (void)fail(diagnostic);
  return 0;
}
