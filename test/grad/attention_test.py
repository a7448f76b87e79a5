"""Gradients of attention by tiles of queries, against PyTorch's autograd.

Attention of random heads, lengths, masks and dtypes is differentiated and scheduled with `fuse{tile-bytes=1}`, so that
what passes between its products is computed by tiles at any length; the loops are interpreted and compiled, with the
default numerics and exact ones. Gradients may be 4 times as far from those in f64 as PyTorch's are.

Usage: attention_test.py MLGC [FIRST:LAST] runs the seeds (default 0:24). Exit code 77 (skipped) when torch is missing.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from torch.nn import functional

PIPELINE = "inline,fuse{tile-bytes=1},lower-to-loops,layout,weight-panels,schedule"
MOST_INTERPRETED = 6000  # scores of a head
NAMES = ("y", "d_q", "d_k", "d_v")


class Case:
    """Operands of an attention, and its text."""

    def __init__(self, seed):
        draw = random.Random(seed)
        numbers = torch.Generator().manual_seed(seed)
        self.batch, self.heads = draw.choice([1, 2, 3]), draw.choice([4, 8, 9, 12])
        self.size, self.width = draw.choice([1, 3, 8, 17, 32]), draw.choice([1, 5, 8, 24])
        self.queries = draw.choice([0, 1, 2, 47, 48, 49, 97, 101, 130, 193])
        self.keys = self.queries if draw.random() < 0.6 else draw.choice([1, 5, 53, 64, 131])
        self.dtype = draw.choice([torch.float32, torch.float32, torch.float64])
        self.dynamic, self.numerics = draw.random() < 0.4, draw.choice(["like-eager", "exact"])
        self.causal = draw.random() < 0.35
        scale = draw.choice([1, 1, 1, 30])
        shape = lambda length, width: (self.batch, self.heads, length, width)
        sample = lambda length, width: torch.randn(shape(length, width), generator=numbers, dtype=torch.float64).to(self.dtype)
        self.values = {"q": sample(self.queries, self.size) * scale, "k": sample(self.keys, self.size),
                       "v": sample(self.keys, self.width), "g_y": sample(self.queries, self.width)}
        self.mask, kind = None, draw.choice(["none", "bool", "float"])
        if not self.causal and kind != "none":
            shapes = [(self.queries, self.keys), (self.batch, 1, self.queries, self.keys), (1, 1, 1, self.keys)]
            seen = torch.rand(draw.choice(shapes), generator=numbers) < 0.7
            if seen.shape[-2] == self.queries and self.queries > 1:
                seen[..., self.queries // 2, :] = False  # a query that sees nothing
            self.mask = seen
            if kind == "float":
                self.mask = torch.randn(seen.shape, generator=numbers, dtype=torch.float64).to(self.dtype).masked_fill(~seen, -torch.inf)

    def type(self, shape, dtype):
        sizes = [str(n) for n in shape]
        if self.dynamic:
            sizes[-2] = {self.keys: "[M]", self.queries: "[N]"}.get(shape[-2], sizes[-2]) if shape[-2] > 1 else sizes[-2]
        return f"tensor<{'x'.join(sizes + [dtype])}>"

    def text(self):
        dtype = {torch.float32: "f32", torch.float64: "f64"}[self.dtype]
        arguments = [f"%{name}: {self.type(self.values[name].shape, dtype)}" for name in "qkv"]
        if self.mask is not None:
            sizes = list(self.mask.shape)
            text = "x".join(map(str, sizes[:-2]))
            rows = "[N]" if self.dynamic and sizes[-2] == self.queries > 1 else str(sizes[-2])
            columns = str(sizes[-1])
            if self.dynamic and sizes[-1] == self.keys > 1:
                columns = "[N]" if self.keys == self.queries else "[M]"
            kind = "i1" if self.mask.dtype == torch.bool else dtype
            arguments.append(f"%mask: tensor<{text + 'x' if text else ''}{rows}x{columns}x{kind}>")
        operands = "%q, %k, %v" + (", %mask" if self.mask is not None else "")
        result = self.type((self.batch, self.heads, self.queries, self.width), dtype)
        return (f"func @f({', '.join(arguments)}) -> {result} {{\n"
                f"  %y = scaled_dot_product_attention {operands} {{is_causal = {str(self.causal).lower()}}}\n"
                "  return %y\n}\n")

    def torch(self, dtype):
        operands = [self.values[name].to(dtype).requires_grad_() for name in "qkv"]
        mask = self.mask if self.mask is None or self.mask.dtype == torch.bool else self.mask.to(dtype)
        y = functional.scaled_dot_product_attention(*operands, attn_mask=mask, is_causal=self.causal)
        return [t.detach().double() for t in (y, *torch.autograd.grad(y, operands, self.values["g_y"].to(dtype)))]

    def __str__(self):
        mask = "no mask" if self.mask is None else f"mask {self.mask.dtype} {tuple(self.mask.shape)}"
        return (f"{self.batch}x{self.heads}, {self.queries} queries, {self.keys} keys, {self.size} and {self.width} wide, "
                f"{self.dtype}, {mask}{', causal' * self.causal}{', dynamic' * self.dynamic}, {self.numerics}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:3])}: exit code {done.returncode}\n{done.stderr[:1000]}")


def differences(case, got, eager, exact):
    """What of the results is wrong."""
    for name, ours, theirs, true in zip(NAMES, got, eager, exact):
        ours = torch.from_numpy(ours).double()
        if ours.shape != true.shape:
            yield f"{name} has the shape {tuple(ours.shape)}"
        elif not torch.equal(ours.isnan(), theirs.isnan()):
            yield f"{name} has {int(ours.isnan().sum())} NaN, PyTorch {int(theirs.isnan().sum())}"
        elif true.numel() > 0:
            error = lambda t: (t - true).nan_to_num().abs().max().item()
            least = (2e-5 if case.dtype == torch.float32 else 1e-11) * max(1, true.nan_to_num().abs().max().item())
            if error(ours) > max(4 * error(theirs), least):
                yield f"{name} is off by {error(ours):.2e}, PyTorch by {error(theirs):.2e}"


def check(mlgc, seed, folder):
    """Whether tiles were taken, and what is wrong."""
    case = Case(seed)
    path = lambda name: str(folder / name)
    (folder / "f.mlir").write_text(case.text())
    run(mlgc, "grad", path("f.mlir"), "--seed", "--wrt=q,k,v", "-o", path("g.mlir"))
    inputs = {name: value.numpy() for name, value in case.values.items()}
    if case.mask is not None:
        inputs["mask"] = case.mask.numpy()
    np.savez(folder / "in.npz", **inputs)
    run(mlgc, "opt", path("g.mlir"), f"--numerics={case.numerics}", f"--pass-pipeline={PIPELINE}", "-o", path("l.mlir"))
    eager, exact = case.torch(case.dtype), case.torch(torch.float64)
    wrong = []
    for backend in ["interp"] * (case.queries * case.keys < MOST_INTERPRETED) + ["cpp"]:
        run(mlgc, "eval", path("l.mlir"), "--function=f_grad", f"--backend={backend}", f"--input=@{path('in.npz')}",
            f"--output=@{path('out.npz')}")
        with np.load(folder / "out.npz") as results:
            got = [results[name] for name in NAMES]
        wrong += [f"{backend}: {text}" for text in differences(case, got, eager, exact)]
    return "fused-row-tiles" in (folder / "l.mlir").read_text(), [f"seed {seed} ({case}): {text}" for text in wrong]


def main():
    first, last = map(int, (sys.argv[2] if len(sys.argv) > 2 else "0:24").split(":"))
    torch.set_num_threads(1)
    tiled, failures = 0, []
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as folder:
            try:
                taken, wrong = check(sys.argv[1], seed, pathlib.Path(folder))
            except RuntimeError as error:
                taken, wrong = False, [f"seed {seed} ({Case(seed)}): {error}"]
        tiled += taken
        failures += wrong
    print("\n".join(failures + [f"{last - first} attentions, {tiled} of them by tiles, {len(failures)} differences"]))
    sys.exit(1 if failures or (last - first >= 24 and tiled < (last - first) // 4) else 0)


if __name__ == "__main__":
    main()
