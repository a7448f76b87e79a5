#!/usr/bin/env python3
"""Installs a build into a temporary folder, and uses the program, the CMake package, the completions and the manual page from
there, with nothing of the user's environment."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODEL = """module @sample {
  func @forward(%x: tensor<[B]x4xf32>) -> (tensor<[B]x4xf32>, tensor<[B]xf32>) where 1 <= B <= 256 {
    %r = relu %x
    %s = constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}
    %y = mul %r, %s
    %sum = sum %y {dim = [1]}
    return %y, %sum
  }
}
"""
CALL = """func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {parameters = ["self"], target = "aten::abs"} : tensor<2xf32>
  return %y
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES C CXX)
find_package(mlgc 0.1 REQUIRED CONFIG)
add_executable(c_host "@HOSTS@/run_model.c")
target_link_libraries(c_host PRIVATE mlgc::runtime "-Wl,${CMAKE_SOURCE_DIR}/model.mlgcx/model.so")
add_executable(cpp_host "@HOSTS@/run_model.cpp")
target_link_libraries(cpp_host PRIVATE mlgc::runtime pthread dl)
foreach(name train_digits train_text)
  add_library(${name} OBJECT "@HOSTS@/${name}.c")
  target_link_libraries(${name} PRIVATE mlgc::runtime)
endforeach()
get_target_property(program mlgc::mlgc IMPORTED_LOCATION)
if(NOT EXISTS "${program}")
  message(FATAL_ERROR "mlgc::mlgc is ${program}, which is not there")
endif()
"""
C_OUTPUT = """1 0 3 4 sum 8
2 4 6 0 sum 12
refused: input `x` has 20 bytes, its sizes ask for 32
"""
# Of words as bash splits them, with the cursor at the last: what is offered has these, and not those.
COMPLETIONS = [
    (["mlgc", "com"], ["compile", "compare", "completion"], ["opt"]),
    (["mlgc", "opt", "--for"], ["--form="], ["--output="]),
    (["mlgc", "opt", "--form", "=", ""], ["pretty", "generic"], []),
    (["mlgc", "opt", "--form", "="], ["pretty", "generic"], []),
    (["mlgc", "opt", "--form", "pre"], ["pretty"], ["generic"]),
    (["mlgc", "opt", "--cs"], ["--cse"], []),
    (["mlgc", "opt", "--output", "=", "sam"], ["sample.mlir"], []),
    (["mlgc", "opt", "sam"], ["sample.mlir"], []),
    (["mlgc", "explain", "mem"], ["memory"], []),
    (["mlgc", "explain", "memory", "--dia"], ["--diagnostics="], []),
    (["mlgc", "completion", ""], ["bash", "zsh", "fish", "man"], []),
]


def run(*words, cwd, environment=None, code=0):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_program(program, folder, environment):
    (folder / "sample.mlir").write_text(MODEL)
    if "func @forward" not in run(program, "opt", "sample.mlir", "-O2", cwd=folder, environment=environment):
        sys.exit("mlgc opt prints no function")
    run(program, "compile", "sample.mlir", "-o", "model.mlgcx", cwd=folder, environment=environment)
    out = run(program, "run", "model.mlgcx", "--input=x=1x4xf32=1,-1,1,1", cwd=folder, environment=environment)
    if "[8.0]" not in out:
        sys.exit(f"mlgc run prints\n{out}")


def check_plugin(program, folder, environment):
    (folder / "call.mlir").write_text(CALL)
    out = run(program, "eval", "call.mlir", "--input=x=1,-2", cwd=folder, environment=environment)
    if "[1.0, 2.0]" not in out:
        sys.exit(f"the LibTorch plug-in gives\n{out}")


def check_completions(prefix, folder):
    script = prefix / "share/bash-completion/completions/mlgc"
    for words, wanted, unwanted in COMPLETIONS:
        line = " ".join("'" + word + "'" for word in words)
        offered = run("bash", "-c", f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _mlgc; "
                      "printf '%s\\n' \"${COMPREPLY[@]}\"", cwd=folder).split("\n")
        if not set(wanted) <= set(offered) or set(unwanted) & set(offered):
            sys.exit(f"{words}: bash offers {offered}")
    for shell, file in (("zsh", "zsh/site-functions/_mlgc"), ("fish", "fish/vendor_completions.d/mlgc.fish")):
        if shutil.which(shell):
            run(shell, "-n", prefix / "share" / file, cwd=folder)
        elif "--form" not in (prefix / "share" / file).read_text() and "-l form" not in (prefix / "share" / file).read_text():
            sys.exit(f"{file} has no flag --form")


def check_manual(prefix, folder, program):
    page = prefix / "share/man/man1/mlgc.1"
    helped = run(program, "--help", cwd=folder)
    text = page.read_text().replace("\\-", "-")
    for command in re.findall(r"^  ([a-z-]+)  +\S", helped.split("Commands:\n")[1].split("\n\n")[0], re.M):
        if f".B {command}\n" not in text:
            sys.exit(f"the manual page has no command {command}")
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-K", "utf8", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=False)
        if done.stderr or done.returncode != 0:
            sys.exit(f"groff: {done.stderr}")


def check_package(options, prefix, folder):
    (folder / "CMakeLists.txt").write_text(PROJECT.replace("@HOSTS@", str(options.root.resolve() / "ir-samples/hosts")))
    run(options.cmake, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=folder)
    run(options.cmake, "--build", "build", cwd=folder)
    out = run("build/c_host", cwd=folder)
    if out != C_OUTPUT:
        sys.exit(f"run_model.c prints\n{out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()
    options.build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder, prefix = pathlib.Path(name, "work"), pathlib.Path(name, "installed")
        folder.mkdir()
        run(options.cmake, "--install", options.build, "--prefix", prefix, cwd=folder)
        if (prefix / "mlgc").exists():
            sys.exit("the files of the wheel are installed too")
        program = prefix / "bin/mlgc"
        environment = {"PATH": "/usr/bin:/bin", "HOME": name, "MLGC_CACHE": os.environ.get("MLGC_CACHE", "off")}
        check_program(program, folder, environment)
        if (prefix / "lib/mlgc/libmlgc_torch.so").exists():
            check_plugin(program, folder, environment)
        check_completions(prefix, folder)
        check_manual(prefix, folder, program)
        check_package(options, prefix, folder)
    print("install_test: the installed program, completions, manual page and CMake package work")


if __name__ == "__main__":
    main()
