"""Compares what `mlgc grad --loss=NAME` makes with torch.nn.functional: the loss and its gradient, of every loss there is.

Operands are drawn, and beside them stand those where the slope jumps or a branch changes: equal operands, differences of
exactly beta and delta, probabilities of 0 and 1, targets of 0, classes that do not count. In f64 all of it is within
1e-12 of PyTorch, relative to the largest element; joint and, with the cotangent, split in forward and backward.

Usage: losses_test.py MLGC. Exit code 77 (skipped) when torch is missing.
"""
import pathlib
import re
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

from torch.nn import functional

TOLERANCE = 1e-12
# Where autograd has another slope than the loss: what PyTorch computes is held against the exact slope instead.
EXACT = {("binary_cross_entropy", "sure"): "ATen divides by max(x*(1 - x), 1e-12); the slope of a cut-off logarithm is 0"}


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def numbers(*values):
    return torch.tensor(values, dtype=torch.float64)


def differences():
    """Of 0, of less and more than 1 and of exactly 1, which is beta and delta, in both directions."""
    yield "drawn", drawn(5, 3), drawn(5, 3, seed=1)
    yield "kinks", numbers(1.0, 2.0, 0.0, -1.0, 2.0, 0.5, -3.0), numbers(1.0, 1.0, 1.0, 0.0, 1.5, 1.0, 2.0)
    yield "scalar", drawn(), drawn(seed=1)


def probabilities():
    yield "drawn", torch.sigmoid(drawn(5, 3)), torch.sigmoid(drawn(5, 3, seed=1))
    yield "certain targets", torch.sigmoid(drawn(4)), numbers(0.0, 1.0, 1.0, 0.0)
    yield "sure", numbers(0.0, 1.0, 0.0, 1.0), numbers(0.0, 1.0, 1.0, 0.0)


def logits():
    yield "drawn", drawn(5, 3), torch.sigmoid(drawn(5, 3, seed=1))
    yield "kinks", numbers(0.0, 0.0, -0.0, 4.0, -4.0), numbers(0.0, 1.0, 0.5, 1.0, 1.0)


def divergences():
    yield "drawn", functional.log_softmax(drawn(5, 3), 1), functional.softmax(drawn(5, 3, seed=1), 1)
    yield "target 0", functional.log_softmax(drawn(4), 0), numbers(0.0, 0.5, 0.25, 0.25)


def scores(prepare):
    yield "drawn", prepare(drawn(5, 3), 1), torch.tensor([0, 2, 1, 1, 0])
    yield "one ignored", prepare(drawn(4, 3), 1), torch.tensor([0, -100, 2, 1])
    yield "one sample", prepare(drawn(3), 0), torch.tensor(2)
    yield "pictures", prepare(drawn(2, 3, 4), 1), torch.tensor([[0, 1, 2, 0], [2, 2, 1, 0]])
    yield "ties", prepare(torch.zeros(2, 3, dtype=torch.float64), 1), torch.tensor([1, 0])


def cases():
    """The name of the loss, PyTorch's function, and operands with what they are about."""
    for name in ("mse", "l1", "smooth_l1", "huber"):
        yield name, getattr(functional, name + "_loss"), differences()
    yield "binary_cross_entropy", functional.binary_cross_entropy, probabilities()
    yield "binary_cross_entropy_with_logits", functional.binary_cross_entropy_with_logits, logits()
    yield "kl_div", functional.kl_div, divergences()
    yield "nll", functional.nll_loss, scores(functional.log_softmax)
    yield "cross_entropy", functional.cross_entropy, scores(lambda x, _: x)


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def load(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def known_losses(mlgc):
    """What the error about a loss that there is not lists."""
    done = subprocess.run([mlgc, "grad", "-", "--loss=?"], capture_output=True, text=True, check=False)
    return set(re.search(r"known names: (.*)", done.stderr)[1].split(", "))


def text_of(x):
    shape = "x".join(map(str, [*x.shape, "f64"]))
    return f"module {{\n  func @f(%x: tensor<{shape}>) -> tensor<{shape}> {{\n    return %x\n  }}\n}}\n"


def error_of(got, wanted):
    wanted = np.asarray(wanted)
    if got.shape != wanted.shape:
        return float("inf")
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    return float(np.abs(got - wanted).max(initial=0))/scale


def expected(name, about, function, x, target):
    """The loss and its gradient by x."""
    x = x.clone().requires_grad_()
    loss = function(x, target)
    gradient, = torch.autograd.grad(loss, x)
    if (name, about) in EXACT:
        gradient = torch.zeros_like(x)
        certain = x.detach() == target  # -log(1 - 0) and -log(1): the slope of what is not cut off
        gradient[certain] = torch.where(target[certain] == 1, -1.0, 1.0).to(x.dtype)/x.numel()
    return loss.detach().numpy(), gradient.numpy()


def worst_error(mlgc, folder, name, about, function, x, target):
    (folder / "f.mlir").write_text(text_of(x))
    loss, gradient = expected(name, about, function, x, target)
    np.savez(folder / "in.npz", x=x.numpy(), target=target.numpy())
    run(mlgc, "grad", folder / "f.mlir", f"--loss={name}", "--wrt=x", "-o", folder / "joint.mlir")
    run(mlgc, "eval", folder / "joint.mlir", f"--input=@{folder / 'in.npz'}", f"--output=@{folder / 'out.npz'}")
    out = load(folder / "out.npz")
    errors = [error_of(out["loss"], loss), error_of(out["d_x"], gradient)]
    run(mlgc, "grad", folder / "f.mlir", f"--loss={name}", "--wrt=x", "--mode=split", "-o", folder / "split.mlir")
    run(mlgc, "eval", folder / "split.mlir", "--function=f_forward", f"--input=@{folder / 'in.npz'}",
        f"--output=@{folder / 'saved.npz'}")
    saved = load(folder / "saved.npz")
    np.savez(folder / "back.npz", g_loss=np.array(2.5),
             **{key: value for key, value in saved.items() if key.startswith("saved_")})
    run(mlgc, "eval", folder / "split.mlir", "--function=f_backward", f"--input=@{folder / 'back.npz'}",
        f"--output=@{folder / 'out.npz'}")
    return max(*errors, error_of(load(folder / "out.npz")["d_x"], 2.5*gradient))


def main(mlgc):
    warnings.filterwarnings("ignore", message="reduction: .mean. divides")
    failures, compared = 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for name, function, operands in cases():
            compared.add(name)
            for about, x, target in operands:
                try:
                    worst = worst_error(mlgc, pathlib.Path(folder), name, about, function, x, target)
                except (RuntimeError, KeyError) as error:
                    print(f"FAILED: {name}, {about}: {error}")
                    failures += 1
                    continue
                failures += not worst <= TOLERANCE
                print(f"{'' if worst <= TOLERANCE else 'FAILED: '}{name}, {about}: within {worst:.1e} of PyTorch", flush=True)
    for name in sorted(known_losses(mlgc) ^ compared):
        print(f"FAILED: {name} is compared or a loss, but not both")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
