// The generic form is MLIR: the real tool accepts it, and what it prints reads back as the same program.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "text_support.h"

using namespace mlgc;
using namespace mlgc::test;

namespace {

std::string run(const std::string& command, int& status) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  status = pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("mlir-opt accepts the generic form and gives the same program back") {
  int status = 0;
  run("command -v mlir-opt-19", status);
  if (status != 0) {
    WARN("mlir-opt-19 is not installed: the generic form is not checked");
    return;
  }
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/mlgc-generic-form.mlir";
  const Parsed parsed(kSample);
  REQUIRE(parsed.module.has_value());
  for (const bool locations : {false, true}) {
    std::ofstream(path) << print(*parsed.module, {TextForm::Generic, locations});
    const std::string output =
        run("mlir-opt-19 --allow-unregistered-dialect --verify-roundtrip --mlir-print-op-generic " + path + " 2>&1",
            status);
    INFO(output);
    CHECK(status == 0);
    const Parsed again(output, false);
    INFO(again.errors());
    REQUIRE(again.module.has_value());
    CHECK(structural_hash(*again.module) == structural_hash(*parsed.module));
  }
  std::remove(path.c_str());
}
