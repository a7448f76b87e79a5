# Golden tests of mlgc. Run them with scripts/run-goldens, or `ctest -L golden`.
#
# In RUN lines
#   mlgc        the driver of this build (or the program MLGC_DRIVER names)      not, FileCheck, mlir-opt   LLVM's tools
#               (what FileCheck finds of an error, warning or note must be its whole line: test/tools/whole-lines)
#   mlgc-with-faults   the driver with the passes of test/faults, each of which is wrong
#   %exits N    runs the rest of the command and wants exit code N               %cxx     the C++ compiler of this build
#   pack-sample   writes the model of test/unit/runtime/sample_unit.cpp (REQUIRES: pack-sample)
#   %wrong_plugin      a plug-in for `mlgc compare` that is wrong (test/compare/wrong_plugin.cpp)
#   %samples    ir-samples/   %scripts  scripts/                          %python  a Python with numpy (and torch)
# `-Dmlgc_test_root=DIR` takes the tests from another folder.
# Features for REQUIRES: faults (mlgc-with-faults is built), mlir-opt, python-numpy, python-torch, libtorch; asan in a sanitizer build.

import os
import re
import subprocess

import lit.formats

config.name = "mlgc"
config.suffixes = [".mlir", ".test", ".rules"]
config.excludes = ["unit", "Inputs", "scripts", "tools", "layering", "fuzz"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = lit_config.params.get("mlgc_test_root", os.path.join(config.mlgc_source_dir, "test"))
config.test_exec_root = os.path.join(config.mlgc_build_dir, "test", "lit")

driver = os.environ.get("MLGC_DRIVER", config.mlgc_driver)
if not driver:
    lit_config.fatal("there is no driver in this build: tools/mlgc was not configured, and MLGC_DRIVER is not set")
if not config.mlgc_filecheck or not config.mlgc_not:
    lit_config.fatal("FileCheck or not is missing: scripts/setup installs llvm-19-tools")


def tool(name, program):
    # A whole word of the command line: neither part of a path nor of an option.
    config.substitutions.append((r"(?<![\w./%=-])" + re.escape(name) + r"(?![\w./-])", program.replace("\\", r"\\")))


tool("mlgc", driver)
# The driver with wrong passes (test/faults); MLGC_DRIVER stands for both.
faulty_driver = getattr(config, "mlgc_faulty_driver", "")
if "MLGC_DRIVER" in os.environ or os.path.exists(faulty_driver):
    tool("mlgc-with-faults", os.environ.get("MLGC_DRIVER", faulty_driver))
    config.available_features.add("faults")
# Writes a compiled model without an emitter (test/hosts): pack-sample OUT [--single-file] [FLAG...].
pack_sample = os.path.join(config.mlgc_build_dir, "test", "hosts", "pack-sample")
if os.path.exists(pack_sample):
    tool("pack-sample", pack_sample)
    config.available_features.add("pack-sample")
tool("FileCheck", os.path.join(config.mlgc_source_dir, "test", "tools", "whole-lines") + " " + config.mlgc_filecheck +
     " --dump-input-filter=error")
tool("not", config.mlgc_not)
if config.mlgc_mlir_opt:
    tool("mlir-opt", config.mlgc_mlir_opt)
    config.available_features.add("mlir-opt")
config.substitutions.append(("%samples", os.path.join(config.mlgc_source_dir, "ir-samples")))
config.substitutions.append(("%wrong_plugin", os.path.join(config.mlgc_build_dir, "test", "compare",
                                                           "libmlgc_wrong_plugin.so")))
config.substitutions.append(("%scripts", os.path.join(config.mlgc_source_dir, "scripts")))
config.substitutions.append(("%exits", os.path.join(config.mlgc_source_dir, "test", "tools", "exits-with")))
config.substitutions.append(("%python", config.mlgc_python))
config.substitutions.append(("%cxx", config.mlgc_cxx))


def imports(package):
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    return subprocess.run([config.mlgc_python, "-c", code], capture_output=True, check=False).returncode == 0


for package in ("numpy", "torch", "onnxruntime"):
    if imports(package):
        config.available_features.add("python-" + package)
if config.mlgc_torch:
    config.available_features.add("libtorch")
if config.mlgc_sanitize:
    config.available_features.add("asan")

# What tests compile is kept in the build folder, not in the user's cache.
config.environment["MLGC_CACHE"] = os.path.join(config.mlgc_build_dir, "test", "cache")

# Output is the same on every machine: no colours, one locale. Sanitizer options pass through.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["NO_COLOR"] = "1"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
