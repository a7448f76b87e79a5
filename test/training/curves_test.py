"""Trains networks for 100 steps by compiled steps and by torch.optim, on the same data from the same weights, and compares
loss curves and what the optimisers keep.

In f64 the curves are those of PyTorch. In f32 they are for ten steps; then rounding has grown, and a curve may be as far
from that of f64 as PyTorch's own are with one and with two threads, the worse of them three times.

Usage: curves_test.py MLGC [--curves=CURVES.json] [NAME…]. NAME is one of CASES. The curves go to that file (scripts/plot
draws them). Exit code 77 (skipped) when torch or scikit-learn is missing.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from typing import Callable

try:
    import numpy as np
    import sklearn.datasets
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ir-samples" / "hosts"))
from char_transformer import CharTransformer  # noqa: E402
from compiled_step import CompiledStep  # noqa: E402
from digits_test import networks  # noqa: E402

STEPS, EXACT, START, START_STEPS, GROWTH = 100, 1e-9, 1e-5, 10, 3


@dataclass
class Case:
    """A network and its data, and what the flags of `mlgc grad` are in torch.optim."""

    network: Callable
    batches: Callable
    flags: list
    optimiser: Callable
    extra: list = field(default_factory=list)  # arguments of the step behind the target
    loss: str = "cross_entropy"  # as `--loss` and torch.nn.functional have it


def small_mlp():
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 5))


def clouds():
    """Points around five centres. All floats are rounded to f32, so that f32 and f64 see the same."""
    generator = torch.Generator().manual_seed(1)
    centres = torch.randn(5, 12, generator=generator, dtype=torch.float64)
    for _ in range(STEPS):
        target = torch.randint(5, (16,), generator=generator)
        yield (centres[target] + torch.randn(16, 12, generator=generator, dtype=torch.float64)).float(), target


def members():
    """The clouds, and for each centre whether a point belongs to it."""
    for x, target in clouds():
        yield x, torch.nn.functional.one_hot(target, 5).float()


def digits(*shape):
    def batches():
        images, labels = sklearn.datasets.load_digits(return_X_y=True)
        generator = torch.Generator().manual_seed(1)
        for _ in range(STEPS):
            chosen = torch.randint(len(labels), (64,), generator=generator)
            yield torch.tensor(images / 16)[chosen].float().reshape(64, *shape), torch.tensor(labels)[chosen]

    return batches


def characters():
    """Pieces of a text, and the same one character on."""
    text = torch.tensor(list((ROOT / "docs" / "loops.md").read_bytes())).clamp(max=127)
    generator = torch.Generator().manual_seed(1)
    for _ in range(STEPS):
        first = torch.randint(len(text) - 16, (8, 1), generator=generator)
        places = first + torch.arange(16)
        yield text[places], text[places + 1]


def transformer():
    torch.manual_seed(0)
    return CharTransformer(length=16, width=32, heads=2)


def of_digits(name):
    return lambda: next(network for other, network, _ in networks() if other == name)


CASES = {
    "sgd": Case(small_mlp, clouds, ["--step=sgd", "--lr=0.1", "--momentum=0.9", "--weight-decay=1e-3"],
                lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3, foreach=False)),
    "adam": Case(small_mlp, clouds, ["--step=adam", "--lr=1e-2", "--weight-decay=1e-3"],
                 lambda p: torch.optim.Adam(p, lr=1e-2, weight_decay=1e-3, foreach=False)),
    "adamw": Case(small_mlp, clouds, ["--step=adamw", "--lr=argument", "--beta1=0.8", "--beta2=0.99", "--eps=1e-7"],
                  lambda p: torch.optim.AdamW(p, lr=1e-2, betas=(0.8, 0.99), eps=1e-7, foreach=False),
                  [np.array(1e-2)]),
    "huber": Case(small_mlp, members, ["--step=sgd", "--lr=0.5"], lambda p: torch.optim.SGD(p, lr=0.5, foreach=False),
                  loss="huber_loss"),
    "logits": Case(small_mlp, members, ["--step=adam", "--lr=1e-2"], lambda p: torch.optim.Adam(p, lr=1e-2, foreach=False),
                   loss="binary_cross_entropy_with_logits"),
    "digits_mlp": Case(of_digits("mlp"), digits(64), ["--step=adam", "--lr=5e-3"],
                       lambda p: torch.optim.Adam(p, lr=5e-3, foreach=False)),
    "digits_cnn": Case(of_digits("cnn"), digits(1, 8, 8), ["--step=adam", "--lr=5e-3"],
                       lambda p: torch.optim.Adam(p, lr=5e-3, foreach=False)),
    "transformer": Case(transformer, characters, ["--step=adamw", "--lr=3e-3"],
                        lambda p: torch.optim.AdamW(p, lr=3e-3, foreach=False)),
}


def in_dtype(value, dtype):
    return value.to(dtype) if value.is_floating_point() else value


def by_torch(case, dtype, threads):
    """The losses, and what weights and the optimiser's tensors are at the end."""
    torch.set_num_threads(threads)
    model = case.network().to(dtype)
    optimiser = case.optimiser(model.parameters())
    losses = []
    for x, target in case.batches():
        optimiser.zero_grad()
        loss = getattr(torch.nn.functional, case.loss)(model(in_dtype(x, dtype)), in_dtype(target, dtype))
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    kept = {}
    for name, parameter in model.named_parameters():
        kept[name] = parameter.detach().numpy()
        for slot, value in optimiser.state[parameter].items():
            if slot != "step":
                kept[f"{name}.{slot}"] = value.numpy()
    return np.array(losses), kept


def by_mlgc(mlgc, folder, name, case, dtype):
    stem = f"{name}_{'f64' if dtype == torch.float64 else 'f32'}"
    kind = np.float64 if dtype == torch.float64 else np.float32
    model, example = case.network().to(dtype), in_dtype(next(case.batches())[0], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(model, (example,), dynamic_shapes=({0: torch.export.Dim("batch")},))
        torch.export.save(program, folder / f"{stem}.pt2")
    for command in (["grad", folder / f"{stem}.pt2", f"--loss={case.loss}", *case.flags, "-o", folder / f"{stem}.mlir"],
                    ["compile", folder / f"{stem}.mlir", "--vector-bytes=native", "-o", folder / f"{stem}.mlgcx"]):
        subprocess.run([mlgc, *command], check=True)
    step = CompiledStep(folder / f"{stem}.mlgcx")
    losses, loss, scores = [], np.empty((), kind), np.empty(tuple(model(example).shape), kind)
    for x, target in case.batches():
        step.run([in_dtype(x, dtype).numpy(), in_dtype(target, dtype).numpy(), *case.extra], [loss, scores])
        losses.append(float(loss))
    states = step.states()
    step.close()
    return np.array(losses), states


def compare(mlgc, folder, name, case, curves):
    exact, kept = by_torch(case, torch.float64, 1)
    ours64, states = by_mlgc(mlgc, folder, name, case, torch.float64)
    for counter in [key for key in states if key in ("adam.step", "adamw.step")]:
        if (count := states.pop(counter)) != STEPS:
            yield f"@{counter} is {count}"
    if states.keys() != kept.keys():
        yield f"kept are {sorted(states)}, by PyTorch {sorted(kept)}"
    for key in sorted(states.keys() & kept.keys()):
        if not np.allclose(states[key], kept[key], rtol=0, atol=EXACT):
            yield f"f64: @{key} is off by {abs(states[key] - kept[key]).max():.3g}"
    if not (distance := abs(ours64 - exact).max()) <= EXACT:
        yield f"f64: the curve is {distance:.3g} from PyTorch's"
    theirs = [by_torch(case, torch.float32, threads)[0] for threads in (1, 2)]
    ours32, _ = by_mlgc(mlgc, folder, name, case, torch.float32)
    start = abs(ours32 - theirs[0])[:START_STEPS].max()
    if not start <= START:
        yield f"f32: in the first steps the curve is {start:.3g} from PyTorch's"
    allowed = GROWTH * max(abs(curve - exact).max() for curve in theirs)
    drift = abs(ours32 - exact).max()
    if not drift <= allowed:
        yield f"f32: the curve is {drift:.3g} from that of f64, and {allowed:.3g} is allowed"
    if not exact[-10:].mean() < exact[0] * 3 / 4:
        yield "nothing was learnt"
    curves += [{"name": f"{name} {label}", "values": list(map(float, curve))}
               for label, curve in (("mlgc f64", ours64), ("mlgc f32", ours32), ("torch f64", exact),
                                    ("torch f32", theirs[0]))]
    print(f"{name:11} loss {exact[0]:.4f} to {exact[-1]:.4f}; f64: {distance:.2g} from PyTorch; f32: {start:.2g} in "
          f"{START_STEPS} steps, then {drift:.2g} from f64, PyTorch itself {allowed / GROWTH:.2g}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mlgc")
    parser.add_argument("names", nargs="*", choices=[[], *CASES], metavar="NAME")
    parser.add_argument("--curves", type=pathlib.Path)
    options = parser.parse_args()
    faults, curves = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or CASES:
            faults += [f"{name}: {fault}"
                       for fault in compare(options.mlgc, pathlib.Path(folder), name, CASES[name], curves)]
    if options.curves:
        options.curves.write_text(json.dumps(curves), encoding="utf-8")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
