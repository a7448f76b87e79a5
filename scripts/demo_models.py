#!/usr/bin/env python3
"""The PyTorch half of scripts/demo.

    demo_models.py train FOLDER     trains mlp and cnn on scikit-learn's digits (seconds, seeded) and writes for each
                                    <name>.pt2, <name>.in.npz (the test split) and <name>.torch.npz (PyTorch's outputs
                                    in f32 and f64, and the labels)
    demo_models.py compare FOLDER   holds <name>.out.npz, which mlgc wrote, against them; exit code 4 on disagreement

"Agrees" means what it means everywhere in this project: against PyTorch in f64 the largest error is at most 4 ulp of the
output's largest magnitude, or twice the error of PyTorch's own f32, whichever is more.
"""
import argparse
import copy
import pathlib
import sys
import warnings

import numpy as np

NAMES = ("mlp", "cnn")
SEED = 0
TEST_SHARE = 4  # one in four images


def make_models(torch):
    nn = torch.nn
    mlp = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    cnn = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, 10))
    return {"mlp": (mlp, (64,)), "cnn": (cnn, (1, 8, 8))}


class Classifier:
    """Made inside train(), where torch is known: wraps a network so that its input is called `image`."""

    @staticmethod
    def around(torch, network):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network

            def forward(self, image):
                return torch.softmax(self.net(image), dim=-1)

        return Net()


def train(folder):
    import torch
    from sklearn.datasets import load_digits

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    test, rest = np.split(order, [len(order) // TEST_SHARE])
    images = torch.tensor(digits.data / 16, dtype=torch.float32)
    labels = torch.tensor(digits.target)

    for name, (network, shape) in make_models(torch).items():
        model = Classifier.around(torch, network)
        optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
        x, y = images[rest].reshape(-1, *shape), labels[rest]
        for _ in range(30 if name == "mlp" else 12):
            for batch in torch.randperm(len(x)).split(64):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(network(x[batch]), y[batch]).backward()
                optimiser.step()
        model.eval()

        x = images[test].reshape(-1, *shape).contiguous()
        with torch.no_grad():
            f32 = model(x).numpy()
            f64 = copy.deepcopy(model).double()(x.double()).numpy()
        program = torch.export.export(model, (x[:4],), dynamic_shapes=({0: torch.export.Dim("batch")},))
        torch.export.save(program.run_decompositions({}), folder / f"{name}.pt2")
        np.savez(folder / f"{name}.in.npz", image=x.numpy())
        np.savez(folder / f"{name}.torch.npz", f32=f32, f64=f64, labels=labels[test].numpy())
        print(f"{name}: trained, {sum(p.numel() for p in model.parameters())} parameters, "
              f"accuracy {np.mean(f32.argmax(1) == labels[test].numpy()):.4f} on {len(test)} images")


def compare(folder):
    agree = True
    print(f"{'model':8}{'images':>8}{'PyTorch':>10}{'mlgc':>10}{'largest difference':>22}{'allowed':>12}")
    for name in NAMES:
        reference = np.load(folder / f"{name}.torch.npz")
        outputs = np.load(folder / f"{name}.out.npz")
        if len(outputs.files) != 1:
            sys.exit(f"{name}.out.npz holds {len(outputs.files)} arrays, expected one")
        ours, f32, f64 = outputs[outputs.files[0]], reference["f32"], reference["f64"]
        if ours.shape != f32.shape or ours.dtype != f32.dtype:
            sys.exit(f"{name}: mlgc gives {ours.dtype}{ours.shape}, PyTorch {f32.dtype}{f32.shape}")
        allowed = max(4 * np.spacing(np.float32(np.abs(f64).max())), 2 * np.abs(f32 - f64).max())
        error = np.abs(ours - f64).max()
        ok = bool(np.isfinite(ours).all() and error <= allowed)
        agree = agree and ok
        accuracy = [np.mean(values.argmax(1) == reference["labels"]) for values in (f32, ours)]
        print(f"{name:8}{len(ours):8}{accuracy[0]:10.4f}{accuracy[1]:10.4f}{np.abs(ours - f32).max():22.3g}{allowed:12.3g}"
              f"   {'agrees' if ok else f'DIFFERS: {error:.3g} from f64'}")
    sys.exit(0 if agree else 4)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("step", choices=("train", "compare"))
    arguments.add_argument("folder", type=pathlib.Path)
    options = arguments.parse_args()
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=UserWarning)
    (train if options.step == "train" else compare)(options.folder)


if __name__ == "__main__":
    main()
