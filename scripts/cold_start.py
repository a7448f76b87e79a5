#!/usr/bin/env python3
"""From a .pt2 file to the first result, each in a process of its own: what `scripts/cuda-bench cold` measures.

Guarantees
  - `cold` starts with an empty cache, `warm` with what an earlier such process left in it. The file was read before: the disk is
    no part of it.
  - mlgc and PyTorch load the same file and compute on the GPU, mlgc with its own choice of inputs (`--random-inputs`); times are of
    the process, from its start to its end, so Python's start and PyTorch's import are a part of PyTorch's.
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

MODELS = ("unet_small", "resnet18", "gpt2_small")  # of bench_networks.py
WARM = 5


def export(name, path):
    import torch

    import bench_networks
    import exporting

    model, inputs = bench_networks.build(name)
    torch.export.save(exporting.export(exporting.Example(model, inputs)), path)


def peer(path, mode):
    """The program of a process of PyTorch: seconds since it began, by what is done."""
    begin, done = time.perf_counter(), {}
    import torch

    done["import"] = time.perf_counter() - begin
    program = torch.export.load(path)
    given, _ = program.example_inputs
    model, inputs = program.module().cuda(), [tensor.cuda() for tensor in given]
    torch.cuda.synchronize()
    done["load"] = time.perf_counter() - begin
    with torch.no_grad():
        result = (torch.compile(model) if mode == "inductor" else model)(*inputs)
    (result if isinstance(result, torch.Tensor) else result[0]).cpu()
    done["result"] = time.perf_counter() - begin
    print(json.dumps(done))


def timed(words, **environment):
    """The seconds of a process, and what it wrote; RuntimeError."""
    begin = time.perf_counter()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=os.environ | environment)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()[-600:]}")
    return seconds, done.stdout + done.stderr


def of_mlgc(mlgc, model, folder):
    """Rows: cold, warm, and a compiled artefact in a new process; `steps` is what --log=debug says of each."""
    cache = folder / "cache"
    words = [mlgc, "eval", model, "-O2", "--random-inputs=1", "--backend=cuda", "--log=debug", f"--output=@{folder / 'out.npz'}"]
    cold, said = timed(words, MLGC_CACHE=str(cache))
    warm = [timed(words, MLGC_CACHE=str(cache)) for _ in range(WARM)]
    artefact = folder / "model.mlgcx"
    timed([mlgc, "compile", model, "--target=cuda", "--arch=native", "-o", artefact], MLGC_CACHE=str(cache))
    run = [mlgc, "run", artefact, "--random-inputs=1", "--log=debug", f"--output=@{folder / 'out.npz'}"]
    ran = [timed(run) for _ in range(WARM)]
    middle = sorted(warm)[WARM // 2]
    return {"cold": cold, "warm": middle[0], "artefact": statistics.median(seconds for seconds, _ in ran),
            "steps": {"cold": said, "warm": middle[1], "artefact": sorted(ran)[WARM // 2][1]}}


def of_peer(model, mode, folder):
    caches = {name: str(folder / name.lower()) for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")}
    words = [sys.executable, pathlib.Path(__file__).resolve(), model, mode]
    row = {}
    for turn in ("cold", "warm") if mode == "inductor" else ("cold",):
        row[turn], said = timed(words, **caches)
        row[f"{turn}_steps"] = json.loads(said.splitlines()[0])
    return row


def measure(name, folder, mlgc, peers):
    """A row. RuntimeError: a process failed, and what it said. FOLDER keeps the exported model alone."""
    work = folder / f"{name}.cold"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    model = folder / f"{name}.pt2"
    if not model.exists():
        export(name, model)
    model.read_bytes()
    row = {"model": name, "mlgc": of_mlgc(mlgc, model, work)}
    for mode in peers:
        row[mode] = of_peer(model, mode, work / mode)
    shutil.rmtree(work)
    return row


if __name__ == "__main__":
    peer(*sys.argv[1:])
