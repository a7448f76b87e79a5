"""Training steps of docs/performance.md: each function returns (model, input, target, loss). `loss` is one that
`mlgc grad --loss` has; without one the model takes the target, too, and returns its loss. Seeded.

    .venv/bin/python scripts/bench_peers.py --train [NAME …]       measures them
"""
import torch
import torch.nn.functional as F
from torch import nn

LOSSES = {"cross_entropy": F.cross_entropy, "mse": F.mse_loss}
WORKLOADS = {}


def workload(make):
    WORKLOADS[make.__name__] = make
    return make


def build(name):
    torch.manual_seed(1234)
    model, *rest = WORKLOADS[name]()
    return model.train(), *rest


def step_of(model, loss):
    """The function of (input, target) that computes the loss."""
    return (lambda x, target: model(x, target)) if loss is None else lambda x, target: LOSSES[loss](model(x), target)


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10))


class WithLoss(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, target):
        return F.cross_entropy(self.network(x), target)


@workload
def mlp_train():
    return WithLoss(mlp()), torch.randn(64, 784), torch.randint(0, 10, (64,)), None


@workload
def mlp_b32():
    return mlp(), torch.randn(32, 784), torch.randint(0, 10, (32,)), "cross_entropy"


@workload
def small_cnn():
    network = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                            nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10))
    return network, torch.randn(16, 1, 28, 28), torch.randint(0, 10, (16,)), "cross_entropy"


class Residual(nn.Module):
    """Two convolutions with batch norms, of the batch that is there."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.first_norm, self.second_norm = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        inner = F.relu(self.first_norm(self.first(x)))
        return F.relu(self.second_norm(self.second(inner)) + x)


@workload
def resnet_block():
    return Residual(64), torch.randn(1, 64, 56, 56), torch.randn(1, 64, 56, 56), "mse"


class Block(nn.Module):
    """A layer of a transformer, norms in front of its parts or behind them."""

    def __init__(self, width, heads, hidden, causal, norms_first, gelu):
        super().__init__()
        self.heads, self.causal, self.norms_first, self.gelu = heads, causal, norms_first, gelu
        self.queries_keys_values, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = self.queries_keys_values(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def dense(self, x):
        return self.down(F.gelu(self.up(x), approximate=self.gelu))

    def forward(self, x):
        if self.norms_first:
            x = x + self.attention(self.first_norm(x))
            return x + self.dense(self.second_norm(x))
        x = self.first_norm(x + self.attention(x))
        return self.second_norm(x + self.dense(x))


@workload
def encoder_layer():
    return Block(256, 4, 1024, False, False, "none"), torch.randn(8, 128, 256), torch.randn(8, 128, 256), "mse"


class Gpt(nn.Module):
    """Scores as rows, one for each character: [batch*length, vocabulary]. The table of words is that of the scores."""

    def __init__(self, vocabulary, width, heads, layers, context):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads, 4 * width, True, True, "tanh") for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, text):
        x = self.words(text) + self.places.weight[:text.shape[1]]
        return (self.norm(self.blocks(x)) @ self.words.weight.t()).flatten(0, 1)


@workload
def gpt2_2layer():
    return Gpt(8192, 768, 12, 2, 256), torch.randint(0, 8192, (1, 128)), torch.randint(0, 8192, (128,)), "cross_entropy"


class UnrolledGru(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.of_input, self.of_state, self.hidden = nn.Linear(width, 3 * hidden), nn.Linear(hidden, 3 * hidden), hidden

    def forward(self, xs):
        h = xs.new_zeros(xs.shape[1], self.hidden)
        for x in xs:
            xr, xz, xn = self.of_input(x).chunk(3, -1)
            hr, hz, hn = self.of_state(h).chunk(3, -1)
            r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
            h = (1 - z) * torch.tanh(xn + r * hn) + z * h
        return h


@workload
def gru_unrolled():
    return UnrolledGru(128, 256), torch.randn(16, 8, 128), torch.randn(8, 256), "mse"
