"""Shows that compare_rows finds what is planted: usage: compare_rows_test.py COMPARE_ROWS.

Exit code 0: every outcome is as it must be, 1: one is not, 77: no safetensors.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from safetensors.numpy import save_file
except ImportError:
    print("compare_rows_test: skipped: NumPy and safetensors are needed", file=sys.stderr)
    sys.exit(77)

TENSORS = {
    "x": np.array([-1.0, 2.0], np.float32), "relu": np.array([0.0, 2.0], np.float32), "relu64": np.array([0.0, 2.0]),
    "wrong": np.array([0.0, 2.001]), "nan": np.array([0.0, float("nan")]), "n": np.array([3, 4], np.int32),
    "x64": np.array([-1.0, 2.0]), "g": np.array([1.0, 5.0]), "d": np.array([0.0, 5.0]), "shape": np.array([0.0]),
    "off": np.array([0.0, 5.001]), "zeros": np.zeros(2), "u": np.array([3.0, 1.0]), "by x": np.array([6.0, 10.0]),
    "by g": np.array([-6.0, 4.0]), "off by x": np.array([6.0, 10.01]), "off by g": np.array([-6.01, 4.0])}


def value(row, operands, judge, eager=None, attributes=""):
    return {"row": row, "attributes": attributes, "operands": operands, "results": [{"judge": judge, "eager": eager}],
            "edge": False}


def gradient(expected):
    return {"row": "relu", "attributes": "", "operands": ["x64"], "cotangents": ["g"], "gradients": [expected],
            "edge": True}


def second(by_operand, by_cotangent, row="square", cotangent="g"):
    return {"row": row, "attributes": "", "operands": ["x64"], "cotangents": [cotangent], "directions": ["u"],
            "gradients": [by_operand, by_cotangent], "edge": True}


CASES = [
    (value("relu", ["x"], "relu64", "relu"), "agrees", ""),
    (value("relu", ["x"], "wrong", "relu"), "agrees", ""),  # as wrong as eager, and no more than twice
    (value("relu", ["x"], "wrong"), "differs",
     "y: 1 element with an error above what is allowed (at [1]: 2, PyTorch 2.0009999999999999)"),
    (value("relu", ["x"], "nan"), "differs", "y: 1 element NaN on one side only (at [1]: 2, PyTorch nan)"),
    (value("relu", ["x"], "shape"), "differs", "y: the type is 2xf32, expected 1xf32"),
    (value("relu", ["n"], "n", "n"), "agrees", ""),
    (value("exp2", ["x"], "relu64"), None, "no row `exp2`"),
    (value("gelu", ["n"], "relu64"), "not admitted", "operand `x` of `gelu` is tensor<2xi32>, expected one of floats"),
    (value("amax", ["x"], "relu64", attributes="{dim = [1]}"), "refused", "axis 1 in `dim` is out of range for rank 1"),
    (value("relu", ["x"], "nowhere"), None, "no tensor `nowhere`"),
    (gradient("d"), "agrees", ""),
    (gradient("off"), "differs",
     "gradient of x: 1 element with an error above what is allowed (at [1]: 5, PyTorch 5.0010000000000003)"),
    # A row that stops derivatives has zeros.
    ({**gradient("zeros"), "row": "detach"}, "agrees", ""),
    ({**gradient("d"), "row": "detach"}, "differs",
     "gradient of x: 1 element with an error above what is allowed (at [1]: 0, PyTorch 5)"),
    (second("by x", "by g"), "agrees", ""),
    (second("off by x", "by g"), "differs",
     "second derivative by x: 1 element with an error above what is allowed (at [1]: 10, PyTorch 10.01)"),
    (second("by x", "off by g"), "differs",
     "second derivative by the cotangent of y: 1 element with an error above what is allowed (at [0]: -6, PyTorch "
     "-6.0099999999999998)"),
    (second(None, None), "agrees", ""),
    (second("zeros", "zeros", row="detach"), "agrees", ""),
    # A result without a cotangent sends nothing back.
    (second("zeros", None, cotangent=None), "agrees", ""),
    ({**second("by x", "by g"), "gradients": ["by x"]}, None, "1 gradients, expected 2"),
]


def main():
    program, problems = sys.argv[1], []

    def expect(what, got, wanted):
        if got != wanted:
            problems.append(f"{what}: {got!r}, expected {wanted!r}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        save_file(TENSORS, folder / "t.safetensors")
        for number, (case, outcome, detail) in enumerate(CASES):
            path = folder / "cases.jsonl"
            path.write_text(json.dumps({"id": str(number), **case}) + "\n", encoding="ascii")
            done = subprocess.run([program, path, folder / "t.safetensors"], capture_output=True, text=True, check=False)
            if outcome is None:
                expect(f"case {number}", (done.returncode, done.stderr), (2, f"error: {path}:1: {detail}\n"))
                continue
            expect(f"case {number}", (done.returncode, done.stderr), (0, ""))
            expect(f"case {number}", json.loads(done.stdout or "{}"),
                   {"id": str(number), "outcome": outcome, "detail": detail})
    helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
    expect("--help", (helped.returncode, helped.stdout.splitlines()[0]), (0, "usage: compare_rows CASES TENSORS"))
    expect("no arguments", subprocess.run([program], capture_output=True, check=False).returncode, 2)
    print("\n".join(problems) if problems else f"{len(CASES)} cases as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
