#!/usr/bin/env python3
"""Stands for nvcc where there is no GPU: compiles and links CUDA with a C++ compiler, on the emulation of emulated/cuda_runtime.h.

    CUDACXX="python3 test/cuda/emulated_nvcc.py" mlgc compile model.mlir --target=cuda

Takes the flags that mlgc gives to nvcc (lib/artifact/compilers.cpp); EMULATED_CXX names the compiler, else g++. Architectures are
checked and have no effect; forms that only nvcc makes are a line that says so. Exit codes: the compiler's; 2 for an architecture
that is not known.
"""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Within a template g++ else calls an initialisation of memory on the chip that there is not.
FLAGS = ["-fno-extern-tls-init", "-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fPIC", "-Wno-unknown-pragmas", "-I", HERE / "emulated"]
IGNORED = re.compile(r"-O\d|-std=c\+\+17|--fmad=false|--threads=\d+|-cudart=static|-arch=native|"
                     r"-gencode=arch=compute_\d+a?,code=(sm_\d+a?|\[sm_\d+,compute_\d+\])")
VERSION = "nvcc: an emulation on the host\nemulated, release 13.0, V13.0.0"


def unit_text(source):
    """A unit with its memory on the chip behind it, and what tests call of it."""
    name = re.search(r"namespace mlgc_model_(\w+)", source.read_text()).group(1)
    return (f'#include "{source.name}"\nnamespace mlgc_model_{name} {{\n'
            "alignas(1024) thread_local char mlgc_shared[emulated::kMostChipBytes];\n}\n"
            f"char* emulated_chip() {{ return mlgc_model_{name}::mlgc_shared; }}\n"
            '#include "host.h"\n')


def main():
    compiler = os.environ.get("EMULATED_CXX", "g++")
    words, given = [], sys.argv[1:]
    if given == ["--version"]:
        print(VERSION)
        return 0
    for word in given:
        if word.startswith("-Xcompiler="):
            words += word.split("=", 1)[1].split(",")
        elif word.startswith("-Xlinker="):
            words.append("-Wl," + word.split("=", 1)[1])
        elif word == "-Xcompiler":
            continue  # the next word is the compiler's
        elif word in ("-ptx", "-cubin"):
            pathlib.Path(given[given.index("-o") + 1]).write_text(f"// no machine code: emulated {word[1:]}\n")
            return 0
        elif word.endswith(".cu"):
            source = pathlib.Path(word).resolve()
            wrapped = source.with_suffix(".emulated.cpp")
            wrapped.write_text(unit_text(source))
            words += [*FLAGS, "-I", source.parent, wrapped]
        elif word.startswith("-gencode") and not IGNORED.fullmatch(word):
            print(f"{word}: no such architecture")
            return 2
        elif not IGNORED.fullmatch(word):
            words.append(word)
    codes = sorted({int(code) * 10 for word in given for code in re.findall(r"arch=compute_(\d+)", word)})
    words.append("-D__CUDA_ARCH_LIST__=" + (",".join(map(str, codes)) or "900"))
    return subprocess.run([compiler, *words]).returncode


if __name__ == "__main__":
    sys.exit(main())
