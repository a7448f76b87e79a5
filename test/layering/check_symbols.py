"""Fails when a program contains a symbol of LibTorch's namespaces or needs one of its libraries.

usage: check_symbols.py PROGRAM [--expect-symbol TEXT] [--expect-violation TEXT]

--expect-symbol guards against reading nothing: some symbol must contain TEXT. --expect-violation turns the check
around: it passes only when a violation that contains TEXT is found.
"""

import argparse
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--expect-symbol")
    parser.add_argument("--expect-violation")
    args = parser.parse_args()

    def lines(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    symbols = lines("nm", "--demangle", args.program)
    found = [line for line in symbols if re.search(r"(?<![\w:])(?:torch|c10|at|caffe2)::", line)]
    needed = [line for line in lines("readelf", "--dynamic", "--wide", args.program) if "(NEEDED)" in line]
    found += [line for line in needed if re.search(r"lib(torch|c10)", line)]
    if args.expect_violation:
        if any(args.expect_violation in line for line in found):
            print(f"the planted violation was found among {len(symbols)} symbols")
            return 0
        print(f"error: no violation contains {args.expect_violation!r}")
        return 1
    if args.expect_symbol and not any(args.expect_symbol in line for line in symbols):
        print(f"error: none of {len(symbols)} symbols contains {args.expect_symbol!r}; was the right program read?")
        return 1
    print("\n".join(f"error: {line}" for line in found) or f"{len(symbols)} symbols, none of LibTorch")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
