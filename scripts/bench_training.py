#!/usr/bin/env python3
"""Measures training steps beside other systems: what `scripts/bench_peers.py --train` runs.

    bench_peers.py --train [--mlgc=FILE] [--threads=1,2] [--backends=mlgc,eager,…] [--min-time=0.5] [--json=FILE] [NAME …]

A step computes the loss and its gradient by every parameter (scripts/training_workloads.py; --list names them). Each
system is a process of its own for each number of threads. They are called in rounds of short blocks, each round
beginning with another one.

  mlgc      `mlgc grad` of the exported model, compiled for this machine, called by ctypes
  eager     the model in PyTorch, torch.autograd.grad
  inductor  its loss behind torch.compile, static sizes, then torch.autograd.grad
  xla       the exported model by jax.numpy (scripts/bench_xla.py), jax.jit of jax.value_and_grad

Columns: `prepare`, what it takes to get from the model to the first result; `median` and `least` of a step; `ratio`, the
median over rounds of the time over mlgc's, and the interval that holds the true one with 95 % probability; `rounds`
that count, and `disturbed` ones, in which the system took a core away and which do not (docs/benchmarking.md);
`memory`, by how much the process' resident peak over some steps is above what it was with input, target and weights in
memory; `agrees`, whether loss and gradients do, by `mlgc eval --expect` against PyTorch in f64 and eager.

Exit codes: 0 all were measured and mlgc agrees, 1 some were not or it does not, 2 bad usage, 77 no PyTorch.
"""
import argparse
import copy
import ctypes
import gc
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import bench_peers
from agreement import differences  # noqa: I001, finds the package
from mlgc.measuring import interval, time_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
M_MMAP_THRESHOLD = -3  # of malloc.h
BLOCK_SECONDS, LEAST_ROUNDS, MOST_ROUNDS, LEAST_UNDISTURBED, MEMORY_STEPS = 0.01, 7, 400, 5, 3


# --- a system, in a process of its own


def resident(field):
    """VmRSS or VmHWM, its peak, in bytes."""
    return int(re.search(rf"{field}:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) * 1024


def settled():
    """What is resident without garbage and free memory; the peak begins there."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS")


class Mlgc:
    def __init__(self, request, threads):
        self.request, self.threads = request, threads
        self.start, self.call, self.version = bench_peers.prepare_ctypes(request, threads)

    def memory(self):
        """Of a second context with inputs and results of its own, beside the one that has loaded the code. Weights are
        mapped from their file, and inputs copied: neither counts."""
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 1 << 17)  # arrays that are freed leave no hole in the heap
        before = settled() + os.path.getsize(os.path.join(self.request["artifact"], "weights.safetensors"))
        before += sum(array.nbytes for array in bench_peers.arrays(self.request).values())
        _, call, _ = bench_peers.prepare_ctypes(self.request, self.threads)
        for _ in range(MEMORY_STEPS):
            call()
        return resident("VmHWM") - before


class Torch:
    def __init__(self, request, threads, change):
        import torch

        import training_workloads

        torch.set_num_threads(threads)
        self.start = time.perf_counter()
        model, x, target, loss = training_workloads.build(request["workload"])
        parameters = list(model.parameters())
        changed = change(torch, training_workloads.step_of(model, loss))

        def call():
            value = changed(x, target)
            return [value, *torch.autograd.grad(value, parameters)]

        self.call, self.version = call, f"torch {torch.__version__}"

    def memory(self):
        """Of later steps: what the first one has left behind, such as what compiling took, is there before."""
        before = settled()
        for _ in range(MEMORY_STEPS):
            self.call()
        return resident("VmHWM") - before


class Xla(Torch):
    """Keeps what steps have used; so its memory is that of the first ones, which come after compiling."""

    def __init__(self, request, threads):
        import bench_xla

        self.start, self.call, self.version = bench_xla.prepare(request, threads)
        self.peak = super().memory()

    def memory(self):
        return self.peak


BACKENDS = {
    "mlgc": Mlgc,
    "eager": lambda request, threads: Torch(request, threads, lambda torch, step: step),
    "inductor": lambda request, threads: Torch(request, threads, lambda torch, step: torch.compile(step, dynamic=False)),
    "xla": Xla,
}


def work(backend, threads, folder):
    """Answers questions, as bench_peers.main does; `memory` is a further one."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    system = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                system = BACKENDS[backend](request, threads)
                results = system.call()
                answer = {"version": system.version, "prepare_seconds": time.perf_counter() - system.start}
                bench_peers.save(request["results"], results)
                del results
            elif request["do"] == "memory":
                answer = {"memory": system.memory()}
            else:
                answer = bench_peers.timed(system.call, request["calls"])
        except Exception as error:  # whatever a system throws is its row's reason
            answer = {"reason": bench_peers.reason_of(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    return 0


class Process:
    def __init__(self, backend, threads, folder):
        self.name, self.samples, self.log = backend, [], open(folder / f"{backend}.{threads}.log", "w+", encoding="utf-8")
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads),
                           TORCHINDUCTOR_CACHE_DIR=str(folder / f"inductor.{threads}"), TORCHINDUCTOR_COMPILE_THREADS="1")
        if backend == "xla":
            flags = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
            environment |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags, "NPROC": str(threads)}
        command = [sys.executable, __file__, "--worker", backend, str(threads), str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        env=environment)

    def ask(self, **question):
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"reason": f"it ended with {self.process.wait()}"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


# --- what is measured


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"mlgc {command[1]}: exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def reference(name):
    """Loss and gradients, in f64 and as eager computes them: with one or two threads, with oneDNN or without, whichever is
    furthest from f64."""
    import torch
    import training_workloads

    def compute(kind, threads=1, onednn=True):
        torch.set_num_threads(threads)
        model, x, target, loss = training_workloads.build(name)
        model = model.to(kind)
        x, target = (value.to(kind) if value.is_floating_point() else value for value in (x, target))
        with torch.backends.mkldnn.flags(enabled=onednn):
            value = training_workloads.step_of(model, loss)(x, target)
            return [value.detach(), *torch.autograd.grad(value, list(model.parameters()))]

    exact = compute(torch.float64)
    found = [compute(torch.float32, threads, onednn) for threads in (1, 2) for onednn in (True, False)]
    eager = [max(values, key=lambda value: float((value.double() - judge).abs().max()))
             for judge, *values in zip(exact, *found, strict=True)]
    return exact, eager


def build_mlgc(mlgc, name, folder):
    """What its process is asked to prepare, and how long each step took."""
    import numpy
    import torch
    import training_workloads

    model, x, target, loss = training_workloads.build(name)
    program = torch.export.export(copy.deepcopy(model), (x, target) if loss is None else (x,))
    torch.export.save(program, folder / "model.pt2")
    os.environ["MLGC_CACHE"] = str(folder / "cache")  # compiling is from nothing, as it is for the others
    start = time.perf_counter()
    names = [key for key, _ in model.named_parameters()]
    run(mlgc, "grad", folder / "model.pt2", "--wrt=" + ",".join("@" + key for key in names),
        "--of=result0" if loss is None else f"--loss={loss}", "-o", folder / "step.mlir")
    run(mlgc, "compile", folder / "step.mlir", "--vector-bytes=native", "-o", folder / "step.mlgcx")
    seconds = time.perf_counter() - start
    manifest = json.loads((folder / "step.mlgcx" / "manifest.json").read_text())
    results = re.search(r"result_names = \[(.*?)\]", (folder / "step.mlir").read_text())[1].replace('"', "").split(", ")
    numpy.savez(folder / "in.npz", x=x.numpy(), target=target.numpy())
    function = re.search(r"func @([\w.]+)\(", (folder / "step.mlir").read_text())[1]
    chosen = [0, *(results.index(f"d_{key}") for key in names)]
    return {"artifact": str(folder / "step.mlgcx"), "inputs": str(folder / "in.npz"), "symbol": manifest["unit"],
            "function": function, "outputs": len(results)}, chosen, ["loss", *(f"d_{key}" for key in names)], seconds


def agreement(mlgc, folder, names, values, exact, eager):
    """The names of what does not agree."""
    found = differences(mlgc, values, [value.numpy() for value in exact], [value.numpy() for value in eager], folder)
    return [names[number] for number in sorted(found)]


def undisturbed(rows):
    kept = [row for row in rows if not any(sample["disturbed"] for sample in row)]
    return kept if len(kept) >= LEAST_UNDISTURBED else rows


def measure(processes, min_time):
    """Rounds until each has run for so long; a system that fails drops out."""
    for process in processes:
        once = process.ask(do="block", calls=1)
        process.calls = max(1, round(BLOCK_SECONDS / max(once.get("seconds", 1), 1e-6)))
    for number in range(MOST_ROUNDS):
        if number >= LEAST_ROUNDS and all(sum(s["total"] for s in p.samples) >= min_time for p in processes):
            break
        first = number % len(processes)
        for process in processes[first:] + processes[:first]:
            answer = process.ask(do="block", calls=process.calls)
            if "reason" in answer:
                raise RuntimeError(f"{process.name}: {answer['reason']}")
            process.samples.append({"seconds": answer["seconds"] / process.calls, "total": answer["seconds"],
                                    "disturbed": answer["involuntary_switches"] > 0})


def summary(process, baseline):
    own = [sample["seconds"] for sample, in undisturbed([(sample,) for sample in process.samples])]
    row = {"median": statistics.median(own), "least": min(own), "rounds": len(own),
           "disturbed": sum(sample["disturbed"] for sample in process.samples)}
    if baseline is not None and baseline is not process:
        pairs = undisturbed(list(zip(process.samples, baseline.samples, strict=True)))
        ratios = [a["seconds"] / b["seconds"] for a, b in pairs]
        low, high, _ = interval(ratios)
        row["ratio"] = {"median": statistics.median(ratios), "low": low, "high": high}
    return row


def bench(options, name, threads, made, judged, folder):
    """The rows of one workload with so many threads."""
    import numpy

    request, chosen, names, seconds = made
    rows, ready = [], []
    for backend in options.backends:
        process = Process(backend, threads, folder)
        question = {"workload": name, "model": str(folder / "model.pt2"), "results": str(folder / f"{backend}.npz")}
        answer = {"reason": request} if backend == "mlgc" and isinstance(request, str) else process.ask(
            do="prepare", **question, **(request if backend == "mlgc" else {}))
        row = {"name": backend}
        rows.append((row, process))
        if "reason" in answer:
            row["reason"] = answer["reason"]
            process.close()
            continue
        row |= {"version": answer["version"], "prepare": answer["prepare_seconds"] + (seconds if backend == "mlgc" else 0)}
        with numpy.load(folder / f"{backend}.npz") as file:
            values = [file[f"result{i}"] for i in range(len(file.files))]
        values = [values[i] for i in chosen] if backend == "mlgc" else values
        row["disagree"] = agreement(options.mlgc, folder, names, values, *judged)
        ready.append(process)
    measure(ready, options.min_time)
    baseline = next((process for process in ready if process.name == "mlgc"), None)
    for row, process in rows:
        if process in ready:
            row |= summary(process, baseline)
            row |= process.ask(do="memory")
            process.close()
    return [row for row, _ in rows]


# --- how it is written


def table(rows):
    cells = [["", "prepare", "median", "least", "ratio", "interval", "rounds", "disturbed", "memory", "agrees"]]
    for row in rows:
        if "reason" in row:
            cells.append([row["name"], row["reason"]])
            continue
        ratio = row.get("ratio")
        cells.append([row["name"], time_text(row["prepare"]), time_text(row["median"]), time_text(row["least"]),
                      f"{ratio['median']:.2f}" if ratio else "-", f"{ratio['low']:.2f}..{ratio['high']:.2f}" if ratio else "",
                      str(row["rounds"]), str(row["disturbed"]),
                      f"{row['memory'] / 2**20:.1f} MiB" if "memory" in row else "?",
                      "yes" if not row["disagree"] else "not " + ", ".join(row["disagree"])])
    full = [line for line in cells if len(line) > 2]
    widths = [max(len(line[i]) for line in full) for i in range(len(cells[0]))]
    for line in cells:
        if len(line) == 2:
            yield f"  {line[0].ljust(widths[0])}  {line[1]}"
            continue
        *columns, last = line
        yield "  " + "  ".join([columns[0].ljust(widths[0])] + [c.rjust(w) for c, w in
                                                                  zip(columns[1:], widths[1:], strict=False)] + [last])


def arguments(words, names):
    parser = argparse.ArgumentParser(prog="bench_peers.py --train", description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--mlgc", type=pathlib.Path, default=ROOT / "build" / "release" / "tools" / "mlgc" / "mlgc")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--backends", default=",".join(BACKENDS), type=lambda text: text.split(","))
    parser.add_argument("--min-time", type=float, default=0.5, help="seconds that each system is timed for, at least")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="the figures, too, in seconds and bytes")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(words)
    for what, unknown in (("workload", set(options.names) - set(names)), ("backend", set(options.backends) - set(BACKENDS))):
        if unknown:
            parser.error(f"there is no {what} {', '.join(sorted(unknown))}")
    if not options.mlgc.exists():
        parser.error(f"{options.mlgc} does not exist")
    return options


def main(words):
    if words[:1] == ["--worker"]:
        return work(words[1], int(words[2]), words[3])
    try:
        import torch  # noqa: F401
        import training_workloads
    except ImportError as error:
        print(f"bench_peers: skipped: {error}", file=sys.stderr)
        return 77
    warnings.filterwarnings("ignore")
    options = arguments(words, training_workloads.WORKLOADS)
    if options.list:
        print("\n".join(training_workloads.WORKLOADS))
        return 0
    options.mlgc = options.mlgc.resolve()
    report, failed = [], False
    for name in options.names or training_workloads.WORKLOADS:
        with tempfile.TemporaryDirectory() as text:
            folder, judged = pathlib.Path(text), reference(name)
            try:
                made = build_mlgc(options.mlgc, name, folder)
            except RuntimeError as error:
                made = str(error), [], [str(i) for i in range(len(judged[0]))], 0
            for threads in options.threads:
                rows = bench(options, name, threads, made, judged, folder)
                print("\n".join([f"{name}, {threads} thread{'s'[:threads > 1]}", *table(rows)]), flush=True)
                report.append({"workload": name, "threads": threads, "backends": rows})
                failed |= any(row["name"] == "mlgc" and (row.get("reason") or row["disagree"]) for row in rows)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
