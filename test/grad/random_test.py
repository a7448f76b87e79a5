"""Differentiates models that draw random numbers, and compares with PyTorch's autograd, which is given what mlgc drew.

A model returns what it draws beside its result, or what tells it. The twin of the model takes that as given: its
gradients are those of the model only if backward has used what forward drew. Compared are the joint function and the
two of --mode=split, interpreted and, behind -O2, compiled; backward of a split is given the key, never what was drawn.

Usage: random_test.py MLGC [NAME…]. Exit code 77 (skipped) when torch is missing.
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

from torch import nn
from torch.nn import functional

RUNS = ([], ["-O2", "--backend=cpp"])


class Dropout(nn.Module):
    """Two draws from one key, between layers that have weights."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 5)

    def forward(self, x):
        kept = functional.dropout(self.first(x), 0.4, training=True)
        also = functional.dropout(torch.tanh(self.second(kept)), 0.2, training=True)
        return also * also, kept, also

    def twin(self, seen, x):
        kept = self.first(x) * (seen[0] != 0) / 0.6
        also = torch.tanh(self.second(kept)) * (seen[1] != 0) / 0.8
        return also * also


class Channels(nn.Module):
    """Whole channels are dropped: the mask is smaller than what it is for."""

    def forward(self, x):
        kept = functional.dropout1d(x, 0.4, training=True)
        return torch.sin(kept) * x, kept

    def twin(self, seen, x):
        return torch.sin(x * (seen[0] != 0) / 0.6) * x


class Alpha(nn.Module):
    """Dropped elements become a constant, others are scaled and shifted, so that mean and variance stay."""

    P, SATURATED = 0.3, -1.7580993408473766

    def forward(self, x):
        kept = functional.alpha_dropout(x, self.P, training=True)
        return kept * kept, kept

    def twin(self, seen, x):
        scale = ((1 - self.P) * (1 + self.P * self.SATURATED**2)) ** -0.5
        shift = -scale * self.SATURATED * self.P
        dropped = scale * self.SATURATED + shift
        y = torch.where((seen[0] - dropped).abs() > 1e-4, scale * x + shift, torch.full_like(x, dropped))
        return y * y


class Noise(nn.Module):
    """Noise is multiplied and added; the normal one as in a variational autoencoder."""

    def forward(self, x, spread):
        uniform, normal = torch.rand_like(x), torch.randn_like(x)
        return torch.sigmoid(x * uniform) + torch.exp(spread) * normal, uniform, normal

    def twin(self, seen, x, spread):
        return torch.sigmoid(x * seen[0]) + torch.exp(spread) * seen[1]


class Bits(nn.Module):
    """With probabilities that are computed, and straight through: the gradient goes by the probability."""

    def forward(self, x):
        p = torch.sigmoid(x)
        bits = torch.bernoulli(p)
        straight = bits + p - p.detach()
        return straight * x * bits, bits

    def twin(self, seen, x):
        p = torch.sigmoid(x)
        return (seen[0] + p - p.detach()) * x * seen[0]


class Equal(nn.Module):
    """With one probability, and a factor behind what is drawn."""

    def forward(self, x):
        bits = torch.bernoulli(x.detach(), 0.25)
        return torch.exp(x) * (bits * 4), bits

    def twin(self, seen, x):
        return torch.exp(x) * (seen[0] * 4)


class Rows(nn.Module):
    """Rows of a table at drawn places: the gradient is written where they are."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 3)

    def forward(self, x):
        places = torch.randint(0, 7, (5,))
        return self.table(places) * x, places

    def twin(self, seen, x):
        return self.table(seen[0].long()) * x


class Rectified(nn.Module):
    """The slope of what is negative is drawn."""

    def forward(self, x):
        y = functional.rrelu(x, 0.25, 0.75, training=True)
        return y * y, y

    def twin(self, seen, x):
        y = x * (seen[0].double() / x.detach().double()).to(x.dtype)
        return y * y


class Gumbel(nn.Module):
    """The softmax of scores and noise, and one class straight through."""

    def forward(self, x):
        noise = torch.empty_like(x).exponential_()
        soft = torch.softmax((x - noise.log()) / 0.5, 1)
        one = functional.gumbel_softmax(x, hard=True).detach()
        return soft * soft + one * x, noise, one

    def twin(self, seen, x):
        soft = torch.softmax((x - seen[0].log()) / 0.5, 1)
        return soft * soft + seen[1].round() * x


class InPlace(nn.Module):
    """What is drawn into a tensor of its own."""

    def forward(self, x):
        uniform, normal = torch.empty_like(x).uniform_(-1.0, 2.0), torch.zeros(6).normal_(1.0, 3.0)
        return torch.tanh(x * uniform) * normal, uniform, normal

    def twin(self, seen, x):
        return torch.tanh(x * seen[0]) * seen[1]


class Attention(nn.Module):
    """Weights are dropped out; the identity beside the values tells which."""

    def __init__(self):
        super().__init__()
        self.values = nn.Linear(4, 3)

    def forward(self, q, k):
        both = torch.cat([self.values(k), torch.eye(5).expand(2, 5, 5)], 2)
        y = functional.scaled_dot_product_attention(q, k, both, dropout_p=0.4)
        return y[..., :3], y[..., 3:]

    def twin(self, seen, q, k):
        weights = torch.softmax(q @ k.transpose(1, 2) / 2, 2)
        return weights * (seen[0] != 0) / 0.6 @ self.values(k)


class Hidden(nn.Module):
    """Attention where one query sees nothing, and each head of keys serves two of queries."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]) > 0)

    def forward(self, q, k):
        eye = torch.eye(5).expand(2, 2, 5, 5)
        y = functional.scaled_dot_product_attention(q, k, torch.cat([k, eye], 3), self.mask, 0.4, scale=0.7, enable_gqa=True)
        return y[..., :4], y[..., 4:]

    def twin(self, seen, q, k):
        keys = k.repeat_interleave(2, 1)
        scores = torch.where(self.mask, q @ keys.transpose(2, 3) * 0.7, -torch.inf)
        empty = ~self.mask.any(1, keepdim=True)
        weights = torch.where(empty, 0, torch.softmax(torch.where(empty, 0, scores), 3))
        return weights * (seen[0] != 0) / 0.6 @ keys


def cases():
    """The model, its inputs, and what its backward is given beside cotangents: keys and activations, but no mask and no noise.
    Bits that are drawn with computed probabilities are saved, since the probabilities would have to be."""
    yield Dropout(), (torch.randn(4, 6),), "key, 1 (another key), x, getitem, tanh, getitem_2"
    yield Channels(), (torch.randn(4, 3, 5),), "key, x, mul, sin"
    yield Alpha(), (torch.randn(4, 6),), "key, add_2"
    yield Noise(), (torch.randn(4, 6), torch.randn(4, 6)), "key, 1 (another key), exp, sigmoid"
    yield Bits(), (torch.randn(4, 6),), "bernoulli, sigmoid, sub, x"
    yield Equal(), (torch.randn(4, 6),), "key, exp"
    yield Rows(), (torch.randn(5, 3),), "key, embedding, x"
    yield Rectified(), (torch.randn(4, 6),), "rrelu, 1 (slopes)"
    yield Gumbel(), (torch.randn(4, 6),), "detach_1, softmax"
    yield InPlace(), (torch.randn(4, 6),), "key, 1 (another key), tanh"
    yield Attention(), (torch.randn(2, 3, 4), torch.randn(2, 5, 4)), \
        "cat, 1 (weights that are left), key, 3 (weights), 4 (k turned), q, k"
    yield Hidden(), (torch.randn(2, 4, 3, 4), torch.randn(2, 2, 5, 4)), \
        "0 (values), 1 (weights that are left), key, 3 (who sees nothing), 4 (weights), 5 (k turned), q"


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        wrong = [block for block in re.split(r"^(?=\S)", done.stdout, flags=re.MULTILINE) if ": differs" in block]
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{''.join(wrong)}{done.stderr}")
    return done.stdout


def load(path):
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def reference(model, inputs, seen, seed, kind):
    """Of the twin: the result and its gradients by inputs and parameters, by name."""
    model = model.to(kind)
    leaves = {f"d_{name}": torch.tensor(value).to(kind).requires_grad_() for name, value in inputs.items()}
    drawn = [torch.tensor(value) for value in seen]
    drawn = [value.to(kind) if value.is_floating_point() else value for value in drawn]
    y = model.twin(drawn, *leaves.values())
    named = dict(model.named_parameters())
    found = torch.autograd.grad(y, [*leaves.values(), *named.values()], torch.tensor(seed).to(kind))
    found = dict(zip([*leaves, *(f"d_{name}" for name in named)], found, strict=True))
    return {name: value.detach().numpy() for name, value in {"y": y, **found}.items()}


def expected(model, inputs, seen, seed, names):
    """For --expect: what of the twin the results are called in `names`."""
    own, exact = (reference(model, inputs, seen, seed, kind) for kind in (torch.float32, torch.float64))
    model.float()
    return ({name: exact[key] for name, key in names.items()} |
            {f"{name}.eager": own[key] for name, key in names.items()})


def faults(mlgc, folder, model, inputs, given_back):
    path = folder / "model.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(model, inputs)
        torch.export.save(program.run_decompositions({}), path)
    given = dict(zip(program.graph_signature.user_inputs, (value.numpy() for value in inputs), strict=True))
    seed = torch.randn_like(model(*inputs)[0]).numpy()
    run(mlgc, "grad", path, "--of=result0", "--seed", "-o", folder / "joint.mlir")
    run(mlgc, "grad", path, "--of=result0", "--mode=split", "-o", folder / "split.mlir")
    head = re.search(r"func @forward_grad\((.*?)\).*result_names = \[(.*?)\]", (folder / "joint.mlir").read_text())
    arguments, results = re.findall(r"%([\w.]+):", head[1]), re.findall(r'"(.*?)"', head[2])
    count = len(arguments) - len(inputs) - 2
    if count != 0 or arguments[-2] != "key":
        yield f"the arguments are {arguments}"
        return
    y, seen_names = results[0], [name for name in results if not name.startswith("d_")][1:]
    names = {y: "y"} | {name: name for name in results if name.startswith("d_")}
    np.savez(folder / "in.npz", **given, key=np.array([7, 3]), **{arguments[-1]: seed})
    np.savez(folder / "only.npz", **given, key=np.array([7, 3]))
    np.savez(folder / "other.npz", **given, key=np.array([8, 3]), **{arguments[-1]: seed})
    drawn = []
    for flags in RUNS:
        run(mlgc, "eval", folder / "joint.mlir", "--input=@" + str(folder / "in.npz"), *flags,
            f"--output=@{folder / 'out.npz'}")
        out = load(folder / "out.npz")
        drawn.append([out[name] for name in seen_names])
        np.savez(folder / "ref.npz", **expected(model, given, drawn[-1], seed, names),
                 **dict(zip(seen_names, drawn[-1], strict=True)))
        run(mlgc, "eval", folder / "joint.mlir", "--input=@" + str(folder / "in.npz"), *flags,
            f"--expect=@{folder / 'ref.npz'}")
        run(mlgc, "eval", folder / "split.mlir", "--function=forward_forward", "--input=@" + str(folder / "only.npz"),
            *flags, f"--output=@{folder / 'saved.npz'}")
        saved = load(folder / "saved.npz")
        for name, value in zip(seen_names, drawn[-1], strict=True):
            if not np.array_equal(saved[name], value):
                yield f"forward alone draws another {name}"
        backward = {name: value for name, value in saved.items() if name.startswith("saved_")}
        if backward.keys() != {"saved_" + name for name in re.findall(r"([\w.]+)(?: \(.*?\))?", given_back)}:
            yield f"backward is given {', '.join(backward)}"
        np.savez(folder / "back.npz", **backward, **{arguments[-1]: seed})
        np.savez(folder / "ref.npz", **expected(model, given, drawn[-1], seed,
                                               {name: key for name, key in names.items() if name != y}))
        run(mlgc, "eval", folder / "split.mlir", "--function=forward_backward", "--input=@" + str(folder / "back.npz"),
            *flags, f"--expect=@{folder / 'ref.npz'}")
    run(mlgc, "eval", folder / "joint.mlir", "--input=@" + str(folder / "other.npz"), f"--output=@{folder / 'out.npz'}")
    if all(np.array_equal(load(folder / "out.npz")[name], value)
           for name, value in zip(seen_names, drawn[0], strict=True)):
        yield "another key draws the same"
    print(f"{type(model).__name__:8} compared; backward is given {given_back}", flush=True)


def main(mlgc, names):
    torch.manual_seed(0)
    found = []
    for model, inputs, given_back in cases():
        name = type(model).__name__
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                found += [f"{name}: {fault}" for fault in faults(mlgc, pathlib.Path(folder), model, inputs, given_back)]
            except RuntimeError as error:
                found.append(f"{name}: {error}")
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
