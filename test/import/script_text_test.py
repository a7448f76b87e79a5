"""What TorchScript becomes as text, and what of it is refused: whole texts and whole messages, with lines of this file.

Usage: script_text_test.py MLGC [CASE]. With a case its output is printed. Exit code 77 (skipped) when torch is missing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
from typing import Dict, List, Optional

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from torch import Tensor, nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x, scale: Optional[Tensor] = None):
        y = torch.relu_(self.fc(x))
        if scale is not None:
            y = y * scale
        return y.view(-1), y.size(0) * 2


class Halving(nn.Module):
    def forward(self, x):
        while bool(x.sum() > 1):
            x = x * 0.5
        return x


class StaleView(nn.Module):
    def forward(self, x):
        y = x * 2
        row = y[0]
        y.add_(1)
        return row


class InputView(nn.Module):
    def forward(self, x):
        x[0].add_(1)
        return x


class Raises(nn.Module):
    def forward(self, x):
        if x.dim() != 3:
            raise ValueError("three axes are needed")
        return x


class RaisesByData(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            raise ValueError("too much")
        return x


class UnknownOperator(nn.Module):
    def forward(self, x):
        return torch.linalg.lu_factor(x)[0]


class DataSize(nn.Module):
    def forward(self, x):
        return torch.zeros(int(x.sum()))


class GrowingList(nn.Module):
    def forward(self, x):
        taken: List[Tensor] = []
        while bool(x.sum() > 1):
            x = x * 0.5
            taken.append(x)
        return taken


class GrowingTensor(nn.Module):
    def forward(self, x):
        while bool(x.sum() < 9):
            x = torch.cat([x, x])
        return x


class Arms(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            y = x[0]
        else:
            y = x[:, 0].sum()
        return y


class Counter(nn.Module):
    calls: int

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


class Text(nn.Module):
    def forward(self, x):
        return x, "text"


class Words(nn.Module):
    def forward(self, x, table: Dict[str, Tensor]):
        return x + table["a"]


class Complex(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("phase", torch.ones(2, dtype=torch.complex64))

    def forward(self, x):
        return x * torch.view_as_real(self.phase)[0]


class InnerLayer(nn.Module):
    """No line of the user's own is known: the error is about a file of torch."""

    def __init__(self):
        super().__init__()
        self.pool = nn.FractionalMaxPool2d(2, output_size=2)

    def forward(self, x):
        return self.pool(x)


class WholeList(nn.Module):
    def forward(self, x):
        pieces = x.chunk(2)
        return pieces[0]


# Module, flags, exit code, and all that is printed; of texts without the locations.
CASES = {
    "plain": (Plain, ("--input-type=x=[B]x3xf32",), 0, """
module @model {
  weight @fc.weight : tensor<2x3xf32>
  weight @fc.bias : tensor<2xf32>
  func @forward(%x: tensor<[B]x3xf32>) -> (tensor<[2*B]xf32>, tensor<i64>) {
    %fc_weight = read @fc.weight : tensor<2x3xf32>
    %fc_bias = read @fc.bias : tensor<2xf32>
    %linear = linear %x, %fc_weight, %fc_bias : tensor<[B]x2xf32>
    %y = relu %linear : tensor<[B]x2xf32>
    %view = view %y {shape = [2*B]} : tensor<[2*B]xf32>
    %0 = dim [2*B] : tensor<i64>
    return %view, %0
  }
}
"""),
    "halving": (Halving, ("--input-type=x=4xf32",), 0, """
module @model {
  func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
    %sum = sum %x : tensor<f32>
    %gt = gt %sum {other = 1} : tensor<i1>
    %0, %x0_1 = while (%1 = %gt, %x0 = %x) {
      condition %1, %1, %x0
    } do {
      %x1 = mul %x0 {other = 0.5} : tensor<4xf32>
      %sum_1 = sum %x1 : tensor<f32>
      %gt_1 = gt %sum_1 {other = 1} : tensor<i1>
      yield %gt_1, %x1
    } : tensor<i1>, tensor<4xf32>
    return %x0_1
  }
}
"""),
    "no_type": (Plain, (), 1, """
model.pt:1:1: error: input `x` (Tensor): its type is not known
model.pt:1:1: note: state its type, as in `--input-type=x=[B]x3xf32`
"""),
    "wrong_type": (Plain, ("--input-type=x=3yf32",), 1, """
model.pt:1:1: error: input `x` (Tensor): `3yf32` is no type: expected `x` after a dimension, found `yf32`
model.pt:1:1: note: state its type, as in `--input-type=x=[B]x3xf32`
"""),
    "no_such_input": (Plain, ("--input-type=y=3xf32",), 2, """
model.pt:1:1: error: --input-type: the model has no input `y`; it has x, scale
model.pt:1:1: error: input `x` (Tensor): its type is not known
model.pt:1:1: note: state its type, as in `--input-type=x=[B]x3xf32`
"""),
    "stale_view": (StaleView, ("--input-type=x=2x3xf32",), 3, """
[y.add_(1)]: error: `aten::add_.Scalar`: another view of the memory that it changes in place is read later, by `return`
[y.add_(1)]: note: the line is `y.add_(1)`
"""),
    "input_view": (InputView, ("--input-type=x=2x3xf32",), 3, """
[x[0].add_(1)]: error: `aten::add_.Scalar`: it changes a part or another view of an input, a weight or a buffer in place
[x[0].add_(1)]: note: the line is `x[0].add_(1)`
"""),
    "raises": (Raises, ("--input-type=x=2x3xf32",), 3, """
[raise ValueError("three axes are needed")]: error: `prim::RaiseException`: the model raises an exception here: three axes are needed
[raise ValueError("three axes are needed")]: note: the line is `raise ValueError("three axes are needed")`
"""),
    "raises_by_data": (RaisesByData, ("--input-type=x=2x3xf32",), 3, """
[raise ValueError("too much")]: error: `prim::RaiseException`: the model raises an exception here: too much
[raise ValueError("too much")]: note: the line is `raise ValueError("too much")`
"""),
    "unknown_operator": (UnknownOperator, ("--input-type=x=3x3xf32",), 3, """
[return torch.linalg.lu_factor(x)[0]]: error: `aten::linalg_lu_factor`: `aten.linalg_lu_factor.default` is not known; `mlgc ops` lists what is
[return torch.linalg.lu_factor(x)[0]]: note: the line is `return torch.linalg.lu_factor(x)[0]`
"""),
    "data_size": (DataSize, ("--input-type=x=3xi64",), 3, """
[return torch.zeros(int(x.sum()))]: error: `aten::zeros`: argument `size` holds a number that depends on data
[return torch.zeros(int(x.sum()))]: note: the line is `return torch.zeros(int(x.sum()))`
"""),
    "growing_list": (GrowingList, ("--input-type=x=2xf32",), 3, """
[taken.append(x)]: error: `aten::append.t`: a list or dict is changed inside of a branch or loop that depends on data
[taken.append(x)]: note: the line is `taken.append(x)`
"""),
    "growing_tensor": (GrowingTensor, ("--input-type=x=2xf32",), 3, """
[while bool(x.sum() < 9):]: error: `prim::Loop`: a step makes tensor<4xf32> of tensor<2xf32>
[while bool(x.sum() < 9):]: note: the line is `while bool(x.sum() < 9):`
"""),
    "arms": (Arms, ("--input-type=x=2x3xf32",), 3, """
[if bool(x.sum() > 0):]: error: `prim::If`: its two branches give tensor<3xf32> and tensor<f32>
[if bool(x.sum() > 0):]: note: the line is `if bool(x.sum() > 0):`
"""),
    "counter": (Counter, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: `prim::SetAttr`: `calls` becomes an int, and a call can leave new tensors only
"""),
    "text": (Text, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: an output is a string
model.pt:1:1: note: export a function of tensors and numbers, and of lists and dictionaries of them
"""),
    "words": (Words, ("--input-type=x=2xf32", "--input-type=table=2xf32"), 3, """
model.pt:1:1: error: input `table` is a Dict[str, Tensor]: only tensors and numbers can be inputs
model.pt:1:1: note: export a function of tensors and numbers, and of lists and dictionaries of them
"""),
    "complex": (Complex, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: `prim::GetAttr`: `phase` has the element type ComplexFloat, which is not supported
"""),
    "inner_layer": (InnerLayer, ("--input-type=x=1x1x8x8xf32",), 3, """
[return self.pool(x)]: error: `aten::fractional_max_pool2d`: `aten.fractional_max_pool2d.default` is not known; `mlgc ops` lists what is
[return self.pool(x)]: note: the line is `return self.pool(x)`
"""),
    "whole_list": (WholeList, ("--input-type=x=[B]xf32",), 3, """
[pieces = x.chunk(2)]: error: `aten::chunk`: the size of the axis that it cuts is a symbol, so the number of pieces is not known
[pieces = x.chunk(2)]: note: the line is `pieces = x.chunk(2)`
"""),
}


# Files that hold no module.
FILES = {
    "weights.pt": """
weights.pt:1:1: error: not a TorchScript module: PytorchStreamReader failed locating file constants.pkl: file not found
weights.pt:1:1: note: write the file with `torch.jit.script(model).save(path)` or `torch.jit.trace(model, inputs).save(path)`
""",
    "text.pt": """
text.pt:1:1: error: not a TorchScript module: PytorchStreamReader failed reading zip archive: not a ZIP archive
text.pt:1:1: note: write the file with `torch.jit.script(model).save(path)` or `torch.jit.trace(model, inputs).save(path)`
""",
    "missing.pt": """
missing.pt:1:1: error: not a TorchScript module: open file failed because of errno 2 on fopen: No such file or directory, file path: missing.pt
missing.pt:1:1: note: write the file with `torch.jit.script(model).save(path)` or `torch.jit.trace(model, inputs).save(path)`
""",
}


def printed(mlgc, folder, case):
    module, flags, _, _ = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(module().eval()).save(str(folder / "model.pt"))
    done = subprocess.run([mlgc, "import", "model.pt", *flags], cwd=folder, capture_output=True, text=True, check=False)
    # A place in this file as the line that stands there.
    here = pathlib.Path(__file__).read_text().split("\n")
    errors = re.sub(r"import/script_text_test\.py:(\d+):1", lambda at: f"[{here[int(at[1]) - 1].strip()}]", done.stderr)
    text = re.sub(r' loc\((?:unknown|fused<.*?>\[(?:unknown|".*?":\d+:\d+)\])\)', "", done.stdout)
    return done.returncode, text + errors


def main(mlgc, only=None):
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in [only] if only else CASES:
            code, text = printed(mlgc, folder, case)
            _, _, wanted_code, wanted = CASES[case]
            if only or code != wanted_code or text.strip("\n") != wanted.strip("\n"):
                failures += not only
                print(f"{case}: exit code {code}\n{text}")
        torch.save(CASES["plain"][0]().state_dict(), folder / "weights.pt")
        (folder / "text.pt").write_text("no archive")
        for file, wanted in FILES.items():
            done = subprocess.run([mlgc, "import", file], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 1 or done.stderr.strip("\n") != wanted.strip("\n"):
                failures += 1
                print(f"{file}: exit code {done.returncode}\n{done.stderr}")
    print(f"{len(CASES) + len(FILES) - failures} of {len(CASES) + len(FILES)} outputs are as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
