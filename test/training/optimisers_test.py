"""Trains an MLP for 100 steps by compiled steps and by torch.optim, on the same data from the same weights, and compares
loss curves and what the optimisers keep.

In f64 the curves are those of PyTorch. In f32 they are for ten steps; then rounding has grown, and a curve may be as far
from that of f64 as PyTorch's own are with one and with two threads, the worse of them three times.

Usage: optimisers_test.py MLGC [CURVES.json]. The curves go to that file (scripts/plot draws them). Exit code 77 (skipped)
when torch is missing.
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

from compiled_step import CompiledStep

STEPS, BATCH, FEATURES, CLASSES = 100, 16, 12, 5
EXACT, START, START_STEPS, GROWTH = 1e-9, 1e-5, 10, 3

# What the flags of `mlgc grad` are in torch.optim.
CASES = {
    "sgd": (["--step=sgd", "--lr=0.1", "--momentum=0.9", "--weight-decay=1e-3"],
            lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3, foreach=False)),
    "adam": (["--step=adam", "--lr=1e-2", "--weight-decay=1e-3"],
             lambda p: torch.optim.Adam(p, lr=1e-2, weight_decay=1e-3, foreach=False)),
    "adamw": (["--step=adamw", "--lr=argument", "--beta1=0.8", "--beta2=0.99", "--eps=1e-7"],
              lambda p: torch.optim.AdamW(p, lr=1e-2, betas=(0.8, 0.99), eps=1e-7, foreach=False)),
}


def network():
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(FEATURES, 24), nn.Tanh(), nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, CLASSES))


def batches():
    generator = torch.Generator().manual_seed(1)
    centres = torch.randn(CLASSES, FEATURES, generator=generator, dtype=torch.float64)
    for _ in range(STEPS):
        target = torch.randint(CLASSES, (BATCH,), generator=generator)
        noise = torch.randn(BATCH, FEATURES, generator=generator, dtype=torch.float64)
        # Rounded, so that f32 and f64 see the same.
        yield (centres[target] + noise).float(), target


def by_torch(dtype, make_optimiser, threads):
    """The losses, and what weights and the optimiser's tensors are at the end."""
    torch.set_num_threads(threads)
    model = network().to(dtype)
    optimiser = make_optimiser(model.parameters())
    losses = []
    for x, target in batches():
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x.to(dtype)), target)
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


def by_mlgc(mlgc, folder, name, dtype, flags):
    stem = f"{name}_{'f64' if dtype == torch.float64 else 'f32'}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(network().to(dtype), (torch.zeros(BATCH, FEATURES, dtype=dtype),),
                                      dynamic_shapes=({0: torch.export.Dim("batch")},))
        torch.export.save(program, folder / f"{stem}.pt2")
    for command in (["grad", folder / f"{stem}.pt2", "--loss=cross_entropy", *flags, "-o", folder / f"{stem}.mlir"],
                    ["compile", folder / f"{stem}.mlir", "--vector-bytes=native", "-o", folder / f"{stem}.mlgcx"]):
        subprocess.run([mlgc, *command], check=True)
    kind = np.float64 if dtype == torch.float64 else np.float32
    step = CompiledStep(folder / f"{stem}.mlgcx", stem)
    losses, loss, scores = [], np.empty((), kind), np.empty((BATCH, CLASSES), kind)
    rate = [np.array(1e-2)] if "--lr=argument" in flags else []
    for x, target in batches():
        step.run([x.to(dtype).numpy(), target.numpy(), *rate], [loss, scores])
        losses.append(float(loss))
    states = step.states()
    step.close()
    return np.array(losses), states


def compare(mlgc, folder, name, flags, make_optimiser, curves):
    exact, kept = by_torch(torch.float64, make_optimiser, 1)
    ours64, states = by_mlgc(mlgc, folder, name, torch.float64, flags)
    counter = states.pop(f"{name}.step", None)
    if counter is not None and counter != STEPS:
        yield f"the counter is {counter}"
    if states.keys() != kept.keys():
        yield f"kept are {sorted(states)}, by PyTorch {sorted(kept)}"
    for key in sorted(states.keys() & kept.keys()):
        if not np.allclose(states[key], kept[key], rtol=0, atol=EXACT):
            yield f"f64: @{key} is off by {abs(states[key] - kept[key]).max():.3g}"
    if not (distance := abs(ours64 - exact).max()) <= EXACT:
        yield f"f64: the curve is {distance:.3g} from PyTorch's"
    theirs = [by_torch(torch.float32, make_optimiser, threads)[0] for threads in (1, 2)]
    ours32, _ = by_mlgc(mlgc, folder, name, torch.float32, flags)
    start = abs(ours32 - theirs[0])[:START_STEPS].max()
    if not start <= START:
        yield f"f32: in the first steps the curve is {start:.3g} from PyTorch's"
    allowed = GROWTH * max(abs(curve - exact).max() for curve in theirs)
    drift = abs(ours32 - exact).max()
    if not drift <= allowed:
        yield f"f32: the curve is {drift:.3g} from that of f64, and {allowed:.3g} is allowed"
    if not exact[-10:].mean() < exact[:10].mean() / 2:
        yield "nothing was learnt"
    curves += [{"name": f"{name} {label}", "values": list(map(float, curve))}
               for label, curve in (("mlgc f64", ours64), ("mlgc f32", ours32), ("torch f64", exact),
                                    ("torch f32", theirs[0]))]
    print(f"{name:6} loss {exact[0]:.4f} to {exact[-1]:.4f}; f64: {distance:.2g} from PyTorch; f32: {start:.2g} in "
          f"{START_STEPS} steps, then {drift:.2g} from f64, PyTorch itself {allowed / GROWTH:.2g}")


def main(mlgc, curves_file=None):
    faults, curves = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, (flags, make_optimiser) in CASES.items():
            faults += [f"{name}: {fault}"
                       for fault in compare(mlgc, pathlib.Path(folder), name, flags, make_optimiser, curves)]
    if curves_file:
        pathlib.Path(curves_file).write_text(json.dumps(curves), encoding="utf-8")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
