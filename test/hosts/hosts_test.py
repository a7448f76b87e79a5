#!/usr/bin/env python3
"""Builds the programs of ir-samples/hosts against a compiled model, runs them, and compares what they print.

The example of docs/running.md is compiled as well."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

C_OUTPUT = """1 0 3 4 sum 8
2 4 6 0 sum 12
refused: input `x` has 20 bytes, its sizes ask for 32
"""
CPP_OUTPUT = """sum 10 after 15 calls
sum 20 after 15 calls
"""
PYTHON_OUTPUT = """x: 2x4xf32 = [0, 1, 2, 0, 1, 2, 0, 1]
y: 2x4xf32 = [0, 2, 6, 0, 1, 4, 0, 4]
sum: 2xf32 = [8, 9]
"""
ALLOWED = ("linux-vdso", "libc.so", "libm.so", "libpthread", "libdl", "libstdc++", "libgcc_s", "ld-linux")


def output_of(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what} printed\n{got}and should have printed\n{wanted}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for flag in ("--pack", "--hosts", "--include", "--docs", "--cc", "--cxx", "--cache"):
        parser.add_argument(flag, required=True)
    options = parser.parse_args()
    os.environ["MLGC_CACHE"] = options.cache
    hosts = pathlib.Path(options.hosts)
    with tempfile.TemporaryDirectory() as folder:
        output_of([options.pack, "model.mlgcx"], folder)
        libraries = output_of(["ldd", "model.mlgcx/model.so"], folder).splitlines()
        unknown = [line for line in libraries if not any(name in line for name in ALLOWED)]
        if unknown:
            sys.exit(f"model.so needs {unknown}")
        warnings = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", f"-I{options.include}"]
        output_of([options.cc, "-std=c99", *warnings, hosts / "run_model.c", "model.mlgcx/model.so", "-o", "c_host"],
                  folder)
        example = re.search(r"```c\n(.*?)```", pathlib.Path(options.docs, "running.md").read_text(encoding="utf-8"), re.S)
        pathlib.Path(folder, "example.c").write_text(example.group(1), encoding="utf-8")
        output_of([options.cc, "-std=c99", *warnings, "-c", "example.c", "-o", "example.o"], folder)
        expect("run_model.c", output_of(["./c_host"], folder), C_OUTPUT)
        output_of([options.cxx, "-std=c++17", *warnings, hosts / "run_model.cpp", "-pthread", "-ldl", "-o", "cpp_host"],
                  folder)
        expect("run_model.cpp", output_of(["./cpp_host", "model.mlgcx"], folder), CPP_OUTPUT)
        expect("run_model.py", output_of([sys.executable, hosts / "run_model.py", "model.mlgcx"], folder),
               PYTHON_OUTPUT)
    print("hosts in C, C++ and Python run the model")


if __name__ == "__main__":
    main()
