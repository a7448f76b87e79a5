"""Sweeps `mlgc grad --memory-limit` over 20 limits between the least and the most that a program takes: each is met, by
the plan and by what a compiled call touches; a smaller limit never has a larger peak or a smaller cost; the gradients
are the same but for rounding; what keeps everything, and what computes everything again, are among the choices; and most of those that
take more are not planned.

Usage: memory_limit_test.py MLGC
"""

import array
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LAYERS, DEEP, LIMITS, BATCH = 5, 24, 20, 256


def program(layers=LAYERS):
    weights = "".join(f"  weight @w{i} : tensor<64x64xf32>\n" for i in range(layers))
    body = ""
    for i in range(layers):
        of = "%x" if i == 0 else f"%h{i - 1}"
        body += f"    %w{i} = read @w{i}\n    %m{i} = matmul {of}, %w{i}\n"
        body += f"    %n{i}, %a{i}, %r{i} = layer_norm %m{i} {{normalized_shape = [64]}}\n    %h{i} = gelu %n{i}\n"
    return (f"module {{\n{weights}  func @deep(%x: tensor<[B]x64xf32>) -> tensor<f32> {{\n{body}"
            f"    %loss = mean %h{layers - 1} {{dim = [0, 1]}}\n    return %loss\n  }}\n}}\n")


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def touched(mlgc, text, folder):
    """The arena and scratch of a compiled call, and its results: for the machine that the report is made for."""
    model, results = folder / "model.mlgcx", folder / "results.npz"
    run("rm", "-rf", model)
    for words in (["compile", text, "-o", model, "--random-weights=1", "--machine=x86-64-v4", "--vector-bytes=native"],
                  ["run", model, f"--dim=B={BATCH}", "--random-inputs=1", "--threads=1", "--memory", f"--output=@{results}"]):
        done = run(mlgc, *words)
        assert done.returncode == 0, done.stderr
    planned, scratch = re.search(r"temporaries: (\d+) bytes planned.*; scratch (\d+) bytes", done.stderr).groups()
    return int(planned) + int(scratch), results.read_bytes()


def values_of(archive):
    """The f32 values of each member of an .npz, by name."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        for name in members.namelist():
            content = members.read(name)
            assert b"'<f4'" in content[:128], name
            found[name] = array.array("f", content[10 + int.from_bytes(content[8:10], "little"):])
    return found


def near(first, second):
    """Whether two sets of results differ by rounding: which ops share a kernel decides in which order it adds."""
    return first.keys() == second.keys() and all(
        max(map(lambda a, b: abs(a - b), one, second[name])) <= 1e-5 * max(map(abs, one)) for name, one in first.items())


def main(mlgc):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text, out = folder / "deep.mlir", folder / "grad.mlir"
        text.write_text(program())
        explain = ["grad", text, f"--dim=B={BATCH}", "--explain", "--format=json"]
        known = json.loads(run(mlgc, *explain).stdout)["choices"]
        names = {(choice["recompute"], choice["segments"]) for choice in known}
        assert ("none", 1) in names and ("all", 1) in names, names
        peaks = [choice["peak_bytes"] for choice in known]
        least, most = min(peaks), max(peaks)
        assert least < 0.7 * next(c["peak_bytes"] for c in known if c["recompute"] == "none"), peaks
        peak_of = {(choice["recompute"], choice["segments"]): choice["peak_bytes"] for choice in known}
        rows, found = [], {}
        for i in range(LIMITS):
            limit = least + (most - least) * i // (LIMITS - 1)
            done = run(mlgc, *explain, f"--memory-limit={limit}", "-o", out)
            assert done.returncode == 0, done.stderr
            report = json.loads(done.stdout)
            choice = report["choices"][report["chosen"]]
            assert choice["peak_bytes"] <= limit, (choice, limit)
            for one in report["choices"]:
                if "least_bytes" in one:
                    peak = peak_of[one["recompute"], one["segments"]]
                    assert limit < one["least_bytes"] <= peak, (limit, one, peak)
            rows.append((limit, choice["peak_bytes"], choice["cost"]))
            found[choice["recompute"], choice["segments"]] = out.read_text(), choice["peak_bytes"]
        for limit, peak, cost in rows:
            print(f"limit {limit}: peak {peak}, cost {cost:.3f}")
        for smaller, larger in zip(rows, rows[1:], strict=False):
            assert smaller[1] <= larger[1] and smaller[2] >= larger[2], (smaller, larger)
        assert len(found) >= 4, found.keys()
        results = []
        for gradient, peak in found.values():
            out.write_text(gradient)
            arena, values = touched(mlgc, out, folder)
            assert arena == peak, (arena, peak)
            results.append(values_of(values))
        assert all(near(results[0], other) for other in results), "the results depend on what is computed again"
        refused = run(mlgc, "grad", text, f"--dim=B={BATCH}", f"--memory-limit={least - 1}")
        assert refused.returncode == 5 and "takes at least" in refused.stderr, refused
        text.write_text(program(DEEP))
        done = run(mlgc, *explain, f"--memory-limit={DEEP * BATCH * 64 * 4}")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        planned, tried = sum("peak_bytes" in one for one in report["choices"]), report["chosen"] + 1
        assert tried > 10 and planned <= 2, (planned, tried)
    print(f"of {DEEP} layers: {planned} choices were planned of {tried} that were looked at")
    print(f"{LIMITS} limits, {len(found)} choices: peaks and costs are in order, and are what calls take")


if __name__ == "__main__":
    main(sys.argv[1])
