"""Exports an MLP and a CNN, makes training steps of them, and trains them on scikit-learn's digits from the C program of
ir-samples/hosts; what it writes is read back by mlgc, and gives the accuracy that the program saw.

Usage: digits_test.py MLGC CC REPOSITORY. Exit code 77 (skipped) when torch or scikit-learn is missing.
"""
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import sklearn.datasets
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

EPOCHS, ENOUGH = 8, 0.9
FLAGS = ["--loss=cross_entropy", "--step=adam", "--lr=5e-3", "--keep"]


def networks():
    nn = torch.nn
    torch.manual_seed(0)
    yield "mlp", nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)), (64,)
    yield "cnn", nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1),
                               nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)), (1, 8, 8)


def output_of(command, folder):
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def digits_file(folder):
    packed = pathlib.Path(sklearn.datasets.__file__).parent / "data" / "digits.csv.gz"
    text = gzip.decompress(packed.read_bytes()).decode()
    (folder / "digits.csv").write_text(text, encoding="utf-8")
    rows = np.array([[int(word) for word in line.split(",")] for line in text.split()])
    return rows[::4, :64].astype(np.float32) / 16, rows[::4, 64]


def faults(mlgc, cc, repository, folder, network, shape):
    images, labels = digits_file(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(torch.export.export(network, (torch.zeros(64, *shape),),
                                              dynamic_shapes=({0: torch.export.Dim("batch")},)), folder / "digits.pt2")
    output_of([mlgc, "grad", "digits.pt2", *FLAGS, "-o", "step.mlir"], folder)
    output_of([mlgc, "compile", "step.mlir", "--vector-bytes=native", "-o", "step.mlgcx"], folder)
    output_of([cc, "-std=c99", "-O1", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
               repository / "ir-samples" / "hosts" / "train_digits.c", "-I", repository / "lib",
               "step.mlgcx/model.so", "-o", "train"], folder)
    told = output_of(["./train", "digits.csv", EPOCHS, "trained.safetensors"], folder)
    print(told, end="")
    accuracies = [float(text) for text in re.findall(r"accuracy ([0-9.]+)", told)]
    if len(accuracies) != EPOCHS + 1:
        yield f"{len(accuracies)} lines were printed"
    if accuracies[0] >= ENOUGH / 2 or accuracies[-1] <= ENOUGH:
        yield f"trained from {accuracies[0]} to {accuracies[-1]}"
    # The model as it was exported, with the weights that the program wrote.
    output_of([mlgc, "import", "digits.pt2", "-o", "digits.mlir"], folder)
    np.save(folder / "x.npy", images.reshape(-1, *shape))
    output_of([mlgc, "eval", "digits.mlir", "--weights=trained.safetensors", "--input=@x.npy", "--output=@y.npy"], folder)
    right = float(np.mean(np.load(folder / "y.npy").argmax(1) == labels))
    if abs(right - accuracies[-1]) > 1e-4:
        yield f"the weights that were written have an accuracy of {right}"


def main(mlgc, cc, repository):
    found = []
    for name, network, shape in networks():
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            found += [f"{name}: {fault}" for fault in
                      faults(pathlib.Path(mlgc).resolve(), cc, pathlib.Path(repository).resolve(), pathlib.Path(folder),
                             network, shape)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
