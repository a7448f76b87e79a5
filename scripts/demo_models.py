#!/usr/bin/env python3
"""The PyTorch half of scripts/demo.

    demo_models.py make FOLDER      trains mlp and cnn on scikit-learn's digits (seconds, seeded), takes the networks of
                                    demo_networks.py as they are, and writes for each <name>.pt2, and for each of its
                                    calls <name>.<k>.in.npz (inputs by name) and <name>.<k>.torch.npz: every result and
                                    new state by name in f64, and beside it, as NAME.eager, in the model's own dtypes.
                                    FOLDER/calls lists the models, each with the numbers of its calls
    demo_models.py report FOLDER    tables <name>.<k>.json, which `mlgc eval --expect` wrote: that alone says what agrees
    demo_models.py sample FOLDER    writes the files of ir-samples/models, which README.md and docs/ use: digits.pt2, an MLP
                                    that gives logits; digits.in.npz and digits.torch.npz, eight images and what PyTorch
                                    computes; digits.batch.npz, a batch to train on
"""
import argparse
import copy
import json
import pathlib
import sys
import warnings

import repository_python

repository_python.use()
import numpy as np

SEED = 0
TEST_SHARE = 4  # one in four images


def digit_networks(torch):
    nn = torch.nn
    mlp = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    cnn = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(128, 10))
    return {"mlp": (mlp, (64,)), "cnn": (cnn, (1, 8, 8))}


class Classifier:
    """Made inside make(), where torch is known: wraps a network so that its input is called `image`."""

    @staticmethod
    def around(torch, network):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network

            def forward(self, image):
                return torch.softmax(self.net(image), dim=-1)

        return Net()


def trained(torch):
    """(name, model, calls, dynamic shapes, labels)"""
    from sklearn.datasets import load_digits

    torch.manual_seed(SEED)
    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    test, rest = np.split(order, [len(order) // TEST_SHARE])
    images = torch.tensor(digits.data / 16, dtype=torch.float32)
    labels = torch.tensor(digits.target)
    for name, (network, shape) in digit_networks(torch).items():
        model = Classifier.around(torch, network)
        optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
        x, y = images[rest].reshape(-1, *shape), labels[rest]
        for _ in range(30 if name == "mlp" else 12):
            for batch in torch.randperm(len(x)).split(64):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(network(x[batch]), y[batch]).backward()
                optimiser.step()
        x = images[test].reshape(-1, *shape).contiguous()
        yield name, model.eval(), [{"image": x}], ({0: torch.export.Dim("batch")},), labels[test].numpy()


def untrained(torch):
    """The same of demo_networks.py; there are no labels."""
    import demo_networks

    generator = torch.Generator().manual_seed(SEED)
    image = torch.randn(1, 3, 224, 224, generator=generator)
    yield "resnet18", demo_networks.make_resnet(), [{"image": image}], None, None
    sizes = ((3, 17), (1, 1), (demo_networks.LARGEST_BATCH, demo_networks.LONGEST))
    tokens = [{"tokens": torch.randint(demo_networks.TOKENS, size, generator=generator)} for size in sizes]
    yield "encoder", demo_networks.make_encoder(), tokens, demo_networks.encoder_shapes(), None
    rows = [{"x": torch.randn(5, 8, generator=generator)} for _ in range(2)]
    yield "centred", demo_networks.make_centred(), rows, ({0: torch.export.Dim("batch")},), None


def widened(value):
    return value.double() if value.is_floating_point() else value


def results_of(model, inputs, names, states):
    """Results and new states under the names that mlgc gives them."""
    outputs = model(**inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    buffers = dict(model.named_buffers())
    tensors = dict(zip(names, outputs, strict=True)) | {f"@{state}": buffers[state] for state in states}
    return {name: value.numpy().copy() for name, value in tensors.items()}


def make(folder):
    import torch

    torch.set_num_threads(1)
    lines = []
    for source in (trained, untrained):
        for name, model, calls, shapes, labels in source(torch):
            program = torch.export.export(model, tuple(calls[0].values()), dynamic_shapes=shapes).run_decompositions({})
            torch.export.save(program, folder / f"{name}.pt2")
            signature = program.graph_signature
            names, states = signature.user_outputs, list(signature.buffers_to_mutate.values())
            eager_model, exact_model = copy.deepcopy(model), copy.deepcopy(model).double()
            for number, inputs in enumerate(calls):
                with torch.no_grad():
                    eager = results_of(eager_model, inputs, names, states)
                    exact = results_of(exact_model, {k: widened(v) for k, v in inputs.items()}, names, states)
                np.savez(folder / f"{name}.{number}.in.npz", **{k: v.numpy() for k, v in inputs.items()})
                floats = [result for result in eager if np.issubdtype(eager[result].dtype, np.floating)]
                np.savez(folder / f"{name}.{number}.torch.npz", **exact, **{f"{k}.eager": eager[k] for k in floats})
            what = f"{sum(p.numel() for p in model.parameters())} parameters"
            if labels is not None:
                np.save(folder / f"{name}.labels.npy", labels)
                right = np.mean(next(iter(eager.values())).argmax(1) == labels)
                what += f", trained to an accuracy of {right:.4f} on {len(labels)} images"
            print(f"{name}: {what}")
            lines.append(" ".join([name, *map(str, range(len(calls)))]))
    (folder / "calls").write_text("\n".join(lines) + "\n", encoding="utf-8")


SAMPLE_IMAGES, SAMPLE_BATCH = 8, 64


def sample(folder):
    """The trained MLP without its softmax; the images are the first of those that it was not trained on."""
    import torch

    torch.set_num_threads(1)
    name, classifier, calls, shapes, labels = next(trained(torch))

    class Digits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = classifier.net

        def forward(self, image):
            return self.net(image)

    model, images = Digits().eval(), calls[0]["image"]
    shown = images[:SAMPLE_IMAGES].clone()  # a view would bring all images into the file
    program = torch.export.export(model, (shown,), dynamic_shapes=({0: torch.export.Dim("B")},)).run_decompositions({})
    for node in program.graph.nodes:  # a file that is the same wherever it is written
        for key in ("stack_trace", "from_node"):
            node.meta.pop(key, None)
    torch.export.save(program, folder / "digits.pt2")
    (result,) = program.graph_signature.user_outputs
    with torch.no_grad():
        eager, exact = model(shown), copy.deepcopy(model).double()(shown.double())
    np.savez(folder / "digits.in.npz", image=shown.numpy())
    np.savez(folder / "digits.torch.npz", **{result: exact.numpy(), f"{result}.eager": eager.numpy()})
    np.savez_compressed(folder / "digits.batch.npz", image=images[:SAMPLE_BATCH].numpy(), target=labels[:SAMPLE_BATCH])
    print(f"{name}: {sum(p.numel() for p in model.parameters())} parameters")


def read_reports(path):
    """The file holds one JSON object after another."""
    text, decoder, at = path.read_text(encoding="utf-8"), json.JSONDecoder(), 0
    while at < len(text.rstrip()):
        report, at = decoder.raw_decode(text, at)
        at += len(text[at:]) - len(text[at:].lstrip())
        yield report


def report(folder):
    print(f"{'model':10}{'result':13}{'type':>13}{'largest error':>16}{'allowed':>12}            accuracy  PyTorch's")
    for line in (folder / "calls").read_text(encoding="utf-8").splitlines():
        name, *numbers = line.split()
        for number in numbers:
            for found in read_reports(folder / f"{name}.{number}.json"):
                verdict = "agrees" if found["agrees"] else "DIFFERS"
                row = (f"{name:10}{found['name']:13}{found['type']:>13}{found['absolute_error']['max']:16.3g}"
                       f"{found['allowed']:12.3g}   {verdict}")
                labels = folder / f"{name}.labels.npy"
                if labels.exists():
                    ours = np.load(folder / f"{name}.{number}.out.npz")[found["name"]]
                    theirs = np.load(folder / f"{name}.{number}.torch.npz")[found["name"] + ".eager"]
                    accuracies = [np.mean(values.argmax(1) == np.load(labels)) for values in (ours, theirs)]
                    row = f"{row:73}{accuracies[0]:11.4f}{accuracies[1]:11.4f}"
                print(row)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("step", choices=("make", "report", "sample"))
    arguments.add_argument("folder", type=pathlib.Path)
    options = arguments.parse_args()
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=UserWarning)
    {"make": make, "report": report, "sample": sample}[options.step](options.folder)


if __name__ == "__main__":
    sys.exit(main())
