"""What TorchScript becomes as text, and what of it is refused: whole texts and whole messages, with lines of this file.

Usage: script_text_test.py MLGC [CASE]. With a case its output is printed. Exit code 77 (skipped) when torch is missing.
"""

import json
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


class PerhapsView(nn.Module):
    def forward(self, x):
        y = x * 2
        flat = y.reshape(-1)
        y.add_(1)
        return flat


class ManyForOne(nn.Module):
    def forward(self, x):
        y = x * 2
        y.expand(2, 3).add_(1)
        return y


class LoopChanges(nn.Module):
    """Each step reads what the one before changed, under another name."""

    def forward(self, x):
        y = x * 2
        z = y
        while bool(z.sum() < 9):
            z += y
        return z


class Sized(nn.Module):
    def forward(self, x):
        if x.size(0) > 0 and x.size(0) % 8 == 0:
            return x.sum()
        return x.prod()


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


class UnknownOperators(nn.Module):
    def forward(self, x):
        x = torch.linalg.lu_factor(x)[0]
        for _ in range(2):
            x = torch.special.bessel_j0(x)
        return torch.relu(x)


class DataSizes(nn.Module):
    def forward(self, x):
        return torch.bincount(x) + 1


class ManySymbols(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


class FactorsVector(nn.Module):
    def forward(self, x):
        return torch.linalg.lu_factor(x)[0]


class HalfSize(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


class LongWindow(nn.Module):
    def forward(self, x, w):
        return torch.ops.aten.slow_conv3d_forward(x, w, [35, 1, 1], None, [1, 1, 1], [0, 0, 0])


class SomeGradients(nn.Module):
    def forward(self, g, x, w):
        return torch.ops.aten._slow_conv2d_backward(g, x, w, [3, 3], [1, 1], [0, 0], [True, False, False])[0]


@torch.jit.interface
class Layer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Doubling(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Interface(nn.Module):
    layer: Layer

    def __init__(self):
        super().__init__()
        self.layer = Doubling()

    def forward(self, x):
        return self.layer.forward(x)


class Quantised(nn.Module):
    def forward(self, x):
        y = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
        return y.dequantize()


class PythonOnly(nn.Module):
    def forward(self, x):
        names = ["b", "a"]
        return x * names.index("b")


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


class Lengthens(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.ones(2))

    def forward(self, x):
        self.seen = torch.cat([self.seen, x])
        return x + 1


class Grid(nn.Module):
    def forward(self, x):
        return torch.meshgrid([x, x], indexing="ij")[0]


class Text(nn.Module):
    def forward(self, x):
        return x, "text"


class Words(nn.Module):
    def forward(self, x, table: Dict[str, Tensor]):
        return x + table["a"]


class Complex(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("phase", torch.ones(2, dtype=torch.complex32))

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
mlgc: note: 2 weights, 32 bytes, are not in the text: `mlgc import model.pt -o model.mlir` writes them beside it
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
model.pt:1:1: error: input `x` (Tensor): `3yf32` is not a type: expected `x` after a dimension, found `yf32`
model.pt:1:1: note: write sizes and the element type, as in `--input-type=x=[B]x3xf32`
"""),
    "no_such_input": (Plain, ("--input-type=y=3xf32",), 2, """
model.pt:1:1: error: --input-type: the model has no input `y`; it has x, scale
model.pt:1:1: error: input `x` (Tensor): its type is not known
model.pt:1:1: note: state its type, as in `--input-type=x=[B]x3xf32`
"""),
    "perhaps_view": (PerhapsView, ("--input-type=x=2x3xf32",), 3, """
[y.add_(1)]: error: `aten::add_.Scalar`: another view of the memory that it changes in place is read later, by `return`
[y.add_(1)]: note: the line is `y.add_(1)`
[y.add_(1)]: note: copy the view with `.clone()` before the change, or compute out of place
"""),
    "many_for_one": (ManyForOne, ("--input-type=x=1x3xf32",), 3, """
[y.expand(2, 3).add_(1)]: error: `aten::add_.Scalar`: it changes a view that `aten.expand.default` made
[y.expand(2, 3).add_(1)]: note: the line is `y.expand(2, 3).add_(1)`
[y.expand(2, 3).add_(1)]: note: compute out of place, or change the tensor itself
"""),
    "loop_changes": (LoopChanges, ("--input-type=x=3xf32",), 3, """
[while bool(z.sum() < 9):]: error: `prim::Loop`: it changes a tensor from outside of a loop that depends on data in place
[while bool(z.sum() < 9):]: note: the line is `while bool(z.sum() < 9):`
[while bool(z.sum() < 9):]: note: compute out of place and use the result
"""),
    "sized": (Sized, ("--input-type=x=[B]xf32", "--where=1 <= B <= 64, B mod 8 == 0"), 0, """
module @model {
  func @forward(%x: tensor<[B]xf32>) -> tensor<f32> where 1 <= B <= 64, B mod 8 == 0 {
    %sum = sum %x : tensor<f32>
    return %sum
  }
}
"""),
    "where_unknown": (Sized, ("--input-type=x=[B]xf32", "--where=C <= 64"), 2, """
model.pt:1:1: error: --where: `C <= 64`: no input has a size `C`
model.pt:1:1: note: write comparisons of sizes that --input-type names, as in `--where=1 <= B <= 64, B mod 8 == 0`
"""),
    "where_wrong": (Sized, ("--input-type=x=[B]xf32", "--where=B"), 2, """
model.pt:1:1: error: --where: `B`: expected a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`), found the end of the text
model.pt:1:1: note: write comparisons of sizes that --input-type names, as in `--where=1 <= B <= 64, B mod 8 == 0`
"""),
    "raises": (Raises, ("--input-type=x=2x3xf32",), 3, """
[raise ValueError("three axes are needed")]: error: `prim::RaiseException`: the model raises an exception here: three axes are needed
[raise ValueError("three axes are needed")]: note: the line is `raise ValueError("three axes are needed")`
[raise ValueError("three axes are needed")]: note: give inputs of other sizes with `--input-type`, or change the model
"""),
    "raises_by_data": (RaisesByData, ("--input-type=x=2x3xf32",), 3, """
[raise ValueError("too much")]: error: `prim::RaiseException`: the model raises an exception here: too much
[raise ValueError("too much")]: note: the line is `raise ValueError("too much")`
[raise ValueError("too much")]: note: give inputs of other sizes with `--input-type`, or change the model
"""),
    "unknown_operators": (UnknownOperators, ("--input-type=x=3x3xf32",), 3, """
[x = torch.linalg.lu_factor(x)[0]]: error: 2 operators of this model are not known: aten.linalg_lu_factor.default (1 call), aten.special_bessel_j0.default (2 calls)
[x = torch.linalg.lu_factor(x)[0]]: note: the line is `x = torch.linalg.lu_factor(x)[0]`
[x = torch.special.bessel_j0(x)]: note: the line is `x = torch.special.bessel_j0(x)`
[x = torch.linalg.lu_factor(x)[0]]: note: `mlgc ops` lists what is known; `--fallback=warn` makes calls of PyTorch of the others
"""),
    "data_sizes": (DataSizes, ("--input-type=x=3xi64", "--fallback=allow"), 3, """
[return torch.bincount(x) + 1]: error: `aten.bincount.default` cannot be a call of PyTorch: a size of its results depends on data
[return torch.bincount(x) + 1]: note: the line is `return torch.bincount(x) + 1`
[return torch.bincount(x) + 1]: note: use an operator with results of fixed size, such as a mask instead of a selection
"""),
    "many_symbols": (ManySymbols, ("--input-type=x=[A]x[B]x[C]x[D]x[E]xf32", "--fallback=allow"), 3, """
[return torch.special.bessel_j0(x)]: error: `aten.special_bessel_j0.default` cannot be a call of PyTorch: its operands have 5 symbols in their sizes, and the limit is 4
[return torch.special.bessel_j0(x)]: note: the line is `return torch.special.bessel_j0(x)`
[return torch.special.bessel_j0(x)]: note: export the model with fewer sizes that vary
"""),
    "factors_vector": (FactorsVector, ("--input-type=x=3xf32", "--fallback=allow"), 3, """
[return torch.linalg.lu_factor(x)[0]]: error: `aten.linalg_lu_factor.default` cannot be a call of PyTorch: LibTorch refuses its operands: torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [3] instead
[return torch.linalg.lu_factor(x)[0]]: note: the line is `return torch.linalg.lu_factor(x)[0]`
[return torch.linalg.lu_factor(x)[0]]: note: give operands that PyTorch takes
"""),
    "half_size": (HalfSize, ("--input-type=x=[N]xf32", "--fallback=allow"), 3, """
[return torch.fft.rfft(x).abs()]: error: `aten.fft_rfft.default` cannot be a call of PyTorch: how size 0 of result 0 follows from the sizes of its operands is not known
[return torch.fft.rfft(x).abs()]: note: the line is `return torch.fft.rfft(x).abs()`
[return torch.fft.rfft(x).abs()]: note: export the model with fixed sizes
"""),
    "long_window": (LongWindow, ("--input-type=x=1x2x[N]x4x4xf32", "--input-type=w=3x2x35x1x1xf32", "--fallback=allow"), 3, """
[return torch.ops.aten.slow_conv3d_forward(x, w, [35, 1, 1], None, [1, 1, 1], [0, 0, 0])]: error: `aten.slow_conv3d_forward.default` cannot be a call of PyTorch: its types are known at 2 of 9 choices of sizes only: LibTorch refuses its operands: Calculated padded input size per channel: (33 x 4 x 4). Kernel size: (35 x 1 x 1). Kernel size can't be greater than actual input size
[return torch.ops.aten.slow_conv3d_forward(x, w, [35, 1, 1], None, [1, 1, 1], [0, 0, 0])]: note: the line is `return torch.ops.aten.slow_conv3d_forward(x, w, [35, 1, 1], None, [1, 1, 1], [0, 0, 0])`
[return torch.ops.aten.slow_conv3d_forward(x, w, [35, 1, 1], None, [1, 1, 1], [0, 0, 0])]: note: export the model with fixed sizes
"""),
    "some_gradients": (SomeGradients, ("--input-type=g=1x1x2x2xf32", "--input-type=x=1x1x4x4xf32", "--input-type=w=1x1x3x3xf32", "--fallback=allow"), 3, """
[return torch.ops.aten._slow_conv2d_backward(g, x, w, [3, 3], [1, 1], [0, 0], [True, False, False])[0]]: error: `aten._slow_conv2d_backward.output_mask` cannot be a call of PyTorch: one of its results is undefined
[return torch.ops.aten._slow_conv2d_backward(g, x, w, [3, 3], [1, 1], [0, 0], [True, False, False])[0]]: note: the line is `return torch.ops.aten._slow_conv2d_backward(g, x, w, [3, 3], [1, 1], [0, 0], [True, False, False])[0]`
[return torch.ops.aten._slow_conv2d_backward(g, x, w, [3, 3], [1, 1], [0, 0], [True, False, False])[0]]: note: ask the operator for all of its results
"""),
    "no_report": (DataSizes, ("--input-type=x=3xi64", "--fallback=error", "--fallback-report=report.txt"), 3, """
[return torch.bincount(x) + 1]: error: 1 operators of this model are not known: aten.bincount.default (1 call)
[return torch.bincount(x) + 1]: note: the line is `return torch.bincount(x) + 1`
[return torch.bincount(x) + 1]: note: `mlgc ops` lists what is known; `--fallback=warn` makes calls of PyTorch of the others
mlgc: warning: `report.txt` is not written: the model is refused with `--fallback=allow` too
"""),
    "interface": (Interface, ("--input-type=x=3xf32",), 3, """
[return self.layer.forward(x)]: error: `prim::CallMethod`: a call of an interface or a class cannot be inlined
[return self.layer.forward(x)]: note: the line is `return self.layer.forward(x)`
[return self.layer.forward(x)]: note: call the module itself, whose type is then known
"""),
    "quantised": (Quantised, ("--input-type=x=3xf32", "--fallback=allow"), 3, """
[y = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)]: error: `aten::quantize_per_tensor`: argument `dtype` is the quantised type `quint8`; supported: a plain element type
[y = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)]: note: the line is `y = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)`
"""),
    "python_only": (PythonOnly, ("--input-type=x=3xf32",), 3, """
[return x * names.index("b")]: error: `aten::index.list_str` has no counterpart here
[return x * names.index("b")]: note: the line is `return x * names.index("b")`
[return x * names.index("b")]: note: `mlgc ops` lists what is known
"""),
    "data_size": (DataSize, ("--input-type=x=3xi64",), 3, """
[return torch.zeros(int(x.sum()))]: error: `aten::zeros`: an item of argument `size` is a number that depends on data; expected a number that is known
[return torch.zeros(int(x.sum()))]: note: the line is `return torch.zeros(int(x.sum()))`
[return torch.zeros(int(x.sum()))]: note: give a value of that kind
"""),
    "growing_list": (GrowingList, ("--input-type=x=2xf32",), 3, """
[taken.append(x)]: error: `aten::append.t`: a list or dict is changed inside of a branch or loop that depends on data
[taken.append(x)]: note: the line is `taken.append(x)`
[taken.append(x)]: note: return the new value instead
"""),
    "growing_tensor": (GrowingTensor, ("--input-type=x=2xf32",), 3, """
[while bool(x.sum() < 9):]: error: `prim::Loop`: an iteration makes tensor<4xf32> of tensor<2xf32>
[while bool(x.sum() < 9):]: note: the line is `while bool(x.sum() < 9):`
[while bool(x.sum() < 9):]: note: keep the shape and the element type
"""),
    "arms": (Arms, ("--input-type=x=2x3xf32",), 3, """
[if bool(x.sum() > 0):]: error: `prim::If`: its two branches give tensor<3xf32> and tensor<f32>
[if bool(x.sum() > 0):]: note: the line is `if bool(x.sum() > 0):`
[if bool(x.sum() > 0):]: note: give values of one type and shape on both paths
"""),
    "counter": (Counter, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: `prim::SetAttr`: `calls` becomes an int, and a call can leave new tensors only
model.pt:1:1: note: keep what the model remembers in a buffer
"""),
    "lengthens": (Lengthens, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: a call makes tensor<4xf32> of `seen`, which is tensor<2xf32>
model.pt:1:1: note: keep the shape and the element type of buffers, and register constants as buffers
"""),
    "grid": (Grid, ("--input-type=x=2xf32",), 3, """
[return torch.meshgrid([x, x], indexing="ij")[0]]: error: `aten::meshgrid.indexing`: the type of its list of tensors is not known
[return torch.meshgrid([x, x], indexing="ij")[0]]: note: the line is `return torch.meshgrid([x, x], indexing="ij")[0]`
[return torch.meshgrid([x, x], indexing="ij")[0]]: note: export the model with scripts/export, which records all types
"""),
    "text": (Text, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: an output is a string: only tensors and numbers can be inputs and outputs
model.pt:1:1: note: export a function of tensors and numbers, and of lists and dictionaries of them
"""),
    "words": (Words, ("--input-type=x=2xf32", "--input-type=table=2xf32"), 3, """
model.pt:1:1: error: input `table` is a Dict[str, Tensor]: only tensors and numbers can be inputs and outputs
model.pt:1:1: note: export a function of tensors and numbers, and of lists and dictionaries of them
"""),
    "complex": (Complex, ("--input-type=x=2xf32",), 3, """
model.pt:1:1: error: `prim::GetAttr`: `phase` has the element type ComplexHalf, which is not supported
model.pt:1:1: note: convert the tensor before exporting, e.g. by `.to(torch.float32)`
"""),
    "inner_layer": (InnerLayer, ("--input-type=x=1x1x8x8xf32",), 3, """
[return self.pool(x)]: error: 1 operators of this model are not known: aten.fractional_max_pool2d.default (1 call)
[return self.pool(x)]: note: the line is `return self.pool(x)`
[return self.pool(x)]: note: `mlgc ops` lists what is known; `--fallback=warn` makes calls of PyTorch of the others
"""),
    "whole_list": (WholeList, ("--input-type=x=[B]xf32",), 3, """
[pieces = x.chunk(2)]: error: `aten::chunk`: the size of the axis that it cuts depends on sizes, and must be constant
[pieces = x.chunk(2)]: note: the line is `pieces = x.chunk(2)`
[pieces = x.chunk(2)]: note: give a constant there, or export the model with fixed sizes
"""),
}


# Kinds whose messages are mostly arguments.
KINDS = {"arms": "import-paths-differ", "growing_tensor": "import-type-changed"}


# Files that hold no module.
FILES = {
    "weights.pt": """
mlgc: error: `weights.pt` is a file of torch.save, which holds tensors or Python objects and no graph, and a model is wanted here
mlgc: note: export the model: scripts/export, or torch.export.save(torch.export.export(model, inputs), "weights.pt2")
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


def run(mlgc, folder, case, *more):
    module, flags, _, _ = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(module().eval()).save(str(folder / "model.pt"))
    command = [mlgc, "import", "model.pt", *flags, *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def printed(mlgc, folder, case):
    done = run(mlgc, folder, case)
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
        for case, kind in KINDS.items():
            said = json.loads(run(mlgc, folder, case, "--diagnostics=json").stderr)["diagnostics"]
            if [diagnostic["kind"] for diagnostic in said] != [kind]:
                failures += 1
                print(f"{case}: {said}")
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
