"""Imports models with operators that mlgc does not have as calls of PyTorch, and evaluates them in both back ends: the
results must be those of eager PyTorch.

Usage: fallback_test.py MLGC. Exit code 77 (skipped) when torch is missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

BATCH = torch.export.Dim("batch")


class Resized(torch.nn.Module):
    """A symbolic size among the arguments."""

    def forward(self, x, s):
        return torch.relu(torch.nn.functional.interpolate(x[None, None] * 2, (s.shape[0], 5), mode="bilinear", antialias=True))


class Spectrum(torch.nn.Module):
    """Complex values, conjugates among them, that stay inside."""

    def forward(self, x):
        f = torch.fft.fft(x)
        return torch.view_as_real(f * f.conj()).sum(-1), torch.fft.ifft(f).abs()


class Phases(torch.nn.Module):
    """Complex inputs, results, parameters, states and numbers; element types among the arguments."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8, dtype=torch.complex64))
        self.register_buffer("seen", torch.zeros(8, dtype=torch.complex128))

    def forward(self, x, z):
        self.seen.add_(z.sum(0))
        turned = torch.polar(x.abs(), x) @ self.weight + 2j * x.to(torch.complex64)
        stack = torch.stack([torch.view_as_complex(torch.view_as_real(turned)), z.to(torch.complex64).conj()])
        return stack, torch.fft.fft2(turned).real, torch.zeros(3, dtype=torch.complex64) + z.imag.sum(), z.T


class Branch(torch.nn.Module):
    def forward(self, x, z):
        return torch.cond(x.sum() > 0, lambda z: z * 2j, lambda z: z.conj().resolve_conj(), (z,))


class Lists(torch.nn.Module):
    """Lists of operands, unused results."""

    def forward(self, x):
        return torch.special.bessel_j0(torch.block_diag(x, x)), torch.linalg.qr(x).R


class Scripted(torch.nn.Module):
    """TorchScript says no types of results: LibTorch does, at several choices of the sizes. What is summed are squares:
    where terms of both signs cancel, the order of a sum alone is many ulp of the result."""

    def forward(self, x):
        y = torch.special.bessel_j0(x * 2)
        joined = torch.block_diag(x, y)
        return torch.relu(torch.linalg.qr(joined)[1]) + 1, torch.linalg.lu_factor(joined)[1], joined.square().sum()


class Turned(torch.nn.Module):
    """The same of complex weights, results and element types."""

    def __init__(self):
        super().__init__()
        self.register_buffer("phase", torch.randn(8, dtype=torch.complex64))

    def forward(self, x):
        f = torch.fft.rfft(x)
        turned = x.to(torch.complex64) * self.phase
        return torch.fft.irfft(f * f.conj()), turned.real, turned + torch.zeros(8, dtype=torch.complex128)


CASES = [  # model, inputs, dynamic shapes or --input-type, operators that become calls
    (Resized(), (torch.randn(4, 3), torch.randn(4, 2)), ({0: BATCH}, {0: BATCH}), {"aten._upsample_bilinear2d_aa.vec"}),
    (Spectrum(), (torch.randn(4, 8),), None, None),
    (Phases(), (torch.randn(4, 8), torch.randn(4, 8, dtype=torch.complex128)), ({0: BATCH}, {0: BATCH}), None),
    (Branch(), (torch.randn(4), torch.randn(4, dtype=torch.complex64)), ({0: BATCH}, {0: BATCH}), None),
    (Lists(), (torch.randn(4, 3),), None,
     {"aten.block_diag.default", "aten.linalg_qr.default", "aten.special_bessel_j0.default"}),
    (Scripted(), (torch.randn(4, 3),), "x=[B]x[N]xf32",
     {"aten.block_diag.default", "aten.linalg_lu_factor.default", "aten.linalg_qr.default",
      "aten.special_bessel_j0.default"}),
    (Turned(), (torch.randn(4, 8),), "x=4x8xf32", None),
]


def run(*words):
    return subprocess.run(list(words), capture_output=True, text=True, check=False)


def faults(mlgc, folder, model, inputs, shapes, calls):
    path = folder / f"{type(model).__name__.lower()}.{'pt' if isinstance(shapes, str) else 'pt2'}"
    types = []
    if isinstance(shapes, str):
        types = [f"--input-type={shapes}"]
        torch.jit.script(model).save(path)
    else:
        program = torch.export.export(model, inputs, dynamic_shapes=shapes).run_decompositions({})
        torch.export.save(program, path)
    would = folder / "would.json"
    refused = run(mlgc, "import", path, *types, "--fallback=error", f"--fallback-report={would}")
    if refused.returncode != 3 or (calls is not None and not any(name in refused.stderr for name in calls)):
        yield f"imported without being asked: {refused.stderr}"
    flags = [*types]
    for i, value in enumerate(inputs):
        np.save(folder / f"{i}.npy", value.numpy())
        flags.append(f"--input=@{folder / f'{i}.npy'}")
    text, report, results = path.with_suffix(".mlir"), path.with_suffix(".json"), path.with_suffix(".npz")
    imported = run(mlgc, "import", path, *types, "--fallback=allow", f"--fallback-report={report}", "-o", text)
    if imported.returncode or imported.stderr:
        yield f"import: {imported.stderr}"
        return
    if json.loads(report.read_text()) != json.loads(would.read_text()):
        yield "another report where calls are an error"
    listed = {entry["operator"] for entry in json.loads(report.read_text())["entries"]}
    if calls is not None and listed != calls:
        yield f"calls of {listed}"
    compared = run(mlgc, "eval", text, *flags[len(types):], "--backend=torch", "--compare=interp")
    if compared.returncode or "by interp: agrees" not in compared.stdout or ": not checked: " not in compared.stdout:
        yield f"eval: {compared.stdout}{compared.stderr}"
    done = run(mlgc, "eval", path, "--fallback=allow", *flags, "--backend=torch", f"--output=@{results}")
    eager = model(*inputs)
    eager = eager if isinstance(eager, tuple) else (eager,)
    ours = list(np.load(results).values()) if done.returncode == 0 else []
    # States are behind the results.
    if len(ours) < len(eager) or not all(np.array_equal(a, b.detach().numpy()) for a, b in zip(ours, eager)):
        yield f"other results than eager: {done.stderr}"


def main(mlgc):
    warnings.filterwarnings("ignore")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for model, *case in CASES:
            found = list(faults(mlgc, pathlib.Path(name), model, *case))
            failures += bool(found)
            print(f"{type(model).__name__}: {'; '.join(found) or 'ok'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
