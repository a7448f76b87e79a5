"""Families of scripts/sweep that are blocks of networks, and recurrent layers."""
import torch
import torch.nn.functional as F
from torch import nn

from sweep_workload import LEAST_WORK, MOST_WORK, Case, by, family

WORK = {"least": LEAST_WORK, "most": MOST_WORK}


@family("LSTM, GRU and RNN layers, and cells unrolled by hand (no share of the roof)")
def recurrent(draw):
    kind = draw.choice(["LSTM", "GRU", "RNN", "cell"])
    batch, length, inputs, hidden = draw.sizes((1, 32), (1, 64), (1, 256), (4, 256), least=LEAST_WORK, most=4e7,
                                               work=lambda b, n, i, h: b * n * h * (i + h) * {"LSTM": 4, "GRU": 3}.get(kind, 1))
    layers, both = draw.choice([1, 1, 2]), draw.chance(0.2)
    if kind == "cell":
        length = min(length, 8)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.GRUCell(inputs, hidden) if kind == "cell" else getattr(nn, kind)(
                inputs, hidden, num_layers=layers, bidirectional=both, batch_first=True)

        def forward(self, x):
            if kind != "cell":
                return self.cell(x)[0]
            state = x.new_zeros(batch, hidden)
            for step in range(length):
                state = self.cell(x[:, step], state)
            return state

    words = f"{kind}, batch {batch}, length {length}, {inputs} to {hidden}"
    words += (f", {layers} layers" * (layers > 1) + ", both directions" * both) * (kind != "cell")
    return Case(words, lambda: (Layer(), (torch.randn(batch, length, inputs),)), None, roof=False, floats=False)


class Residual(nn.Module):
    def __init__(self, body, skip=None, after=None):
        super().__init__()
        self.body, self.skip, self.after = body, skip or nn.Identity(), after or nn.Identity()

    def forward(self, x):
        return self.after(self.body(x) + self.skip(x))


def conv_norm(inputs, outputs, kernel, stride=1, groups=1, act=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


@family("residual blocks: basic, bottleneck, grouped, with a strided skip, before the norm")
def residual(draw):
    kind = draw.choice(["basic", "bottleneck", "grouped", "strided", "plain"])
    batch, width, height, across = draw.sizes((1, 8), (4, 128), (4, 64), (4, 64), work=lambda b, c, h, w: 18 * b * c * c * h * w, **WORK)
    width = width // 4 * 4

    def build():
        if kind == "basic":
            model = Residual(nn.Sequential(conv_norm(width, width, 3), conv_norm(width, width, 3, act=None)), after=nn.ReLU())
        elif kind in ("bottleneck", "grouped"):
            inner, groups = (max(4, width // 4), 1) if kind == "bottleneck" else (width, 4)
            model = Residual(nn.Sequential(conv_norm(width, inner, 1), conv_norm(inner, inner, 3, groups=groups),
                                           conv_norm(inner, width, 1, act=None)), after=nn.ReLU())
        elif kind == "strided":
            model = Residual(nn.Sequential(conv_norm(width, 2 * width, 3, 2), conv_norm(2 * width, 2 * width, 3, act=None)),
                             conv_norm(width, 2 * width, 1, 2, act=None), nn.ReLU())
        else:
            model = Residual(nn.Sequential(nn.GroupNorm(4, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1)))
        return model, (torch.randn(batch, width, height, across),)

    return Case(f"{kind}, {batch}x{width}x{height}x{across}", build, {0: [0]} if batch > 1 else None)


@family("inverted residual blocks: expand, depthwise, squeeze and excite, project")
def inverted(draw):
    batch, width, height = draw.sizes((1, 8), (4, 96), (5, 60), work=lambda b, c, h: b * h * h * (8 * c * c + 36 * c), **WORK)
    factor, kernel, stride, squeeze = draw.choice([1, 3, 4, 6]), draw.choice([3, 3, 5]), draw.choice([1, 1, 2]), draw.chance(0.4)
    act = draw.choice([nn.ReLU6, nn.SiLU, nn.Hardswish])

    class Squeeze(nn.Module):
        def __init__(self, count):
            super().__init__()
            self.down, self.up = nn.Conv2d(count, max(1, count // 4), 1), nn.Conv2d(max(1, count // 4), count, 1)

        def forward(self, x):
            return x * torch.sigmoid(self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))))

    def build():
        inner = width * factor
        layers = [conv_norm(width, inner, 1, act=act)] * (factor > 1) + [conv_norm(inner, inner, kernel, stride, inner, act)]
        layers += [Squeeze(inner)] * squeeze + [conv_norm(inner, width, 1, act=None)]
        body = nn.Sequential(*layers)
        return Residual(body) if stride == 1 else body, (torch.randn(batch, width, height, height),)

    words = f"{batch}x{width}x{height}x{height}, factor {factor}, kernel {kernel}, stride {stride}{', squeeze' * squeeze}, {act.__name__.lower()}"
    return Case(words, build, {0: [0]} if batch > 1 else None)


class Encoder(nn.Module):
    def __init__(self, heads, size, hidden, before, rms):
        super().__init__()
        width = heads * size
        self.heads, self.size, self.before = heads, size, before
        self.merged, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        norm = nn.RMSNorm if rms else nn.LayerNorm
        self.first, self.second = norm(width), norm(width)

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.merged(x).view(batch, length, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        if self.before:
            x = x + self.attend(self.first(x))
            return x + self.down(F.gelu(self.up(self.second(x))))
        x = self.first(x + self.attend(x))
        return self.second(x + self.down(F.relu(self.up(x))))


@family("encoder layers: norm before or after, layer or RMS norm")
def encoder(draw):
    size = draw.choice([8, 16, 32, 64, draw.size(4, 64)])
    batch, length, heads = draw.sizes((1, 4), (1, 256), (1, 8), work=lambda b, n, h: b * n * (8 * (h * size) ** 2 + 2 * n * h * size), **WORK)
    hidden, before, rms = heads * size * draw.choice([1, 2, 4]), draw.chance(0.5), draw.chance(0.3)
    words = f"batch {batch}, length {length}, {heads} heads of {size}, hidden {hidden}{', norm first' * before}{', rms' * rms}"
    return Case(words, lambda: (Encoder(heads, size, hidden, before, rms), (torch.randn(batch, length, heads * size),)), {0: [0]} if batch > 1 else None)


class Unet(nn.Module):
    def __init__(self, inputs, width, up):
        super().__init__()
        self.first, self.second = conv_norm(inputs, width, 3), conv_norm(width, 2 * width, 3)
        self.middle = conv_norm(2 * width, 2 * width, 3)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2) if up == "transposed" else nn.Sequential(
            nn.Upsample(scale_factor=2, mode=up), nn.Conv2d(2 * width, width, 1))
        self.last, self.head = conv_norm(2 * width, width, 3), nn.Conv2d(width, inputs, 1)

    def forward(self, x):
        kept = self.first(x)
        y = self.middle(self.second(F.max_pool2d(kept, 2)))
        return self.head(self.last(torch.cat([kept, self.up(y)], 1)))


@family("a level of a U-Net: down, middle, up (transposed, nearest, bilinear), joined with the skip")
def unet(draw):
    batch, inputs, width, height = draw.sizes((1, 4), (1, 8), (4, 48), (4, 40), work=lambda b, i, c, h: b * 4 * h * h * (40 * c * c + 9 * c * i), **WORK)
    up = draw.choice(["transposed", "nearest", "bilinear"])
    return Case(f"{batch}x{inputs}x{2 * height}x{2 * height}, width {width}, {up}",
                lambda: (Unet(inputs, width, up), (torch.randn(batch, inputs, 2 * height, 2 * height),)), {0: [0]} if batch > 1 else None)


class Recommend(nn.Module):
    def __init__(self, tables, count, width, dense, hidden):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(count, width) for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(dense, hidden), nn.ReLU(), nn.Linear(hidden, width), nn.ReLU())
        pairs = (tables + 1) * tables // 2
        self.top = nn.Sequential(nn.Linear(pairs + width, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.rows, self.columns = torch.tril_indices(tables + 1, tables + 1, -1)

    def forward(self, dense, sparse):
        x = self.bottom(dense)
        every = torch.stack([x] + [table(sparse[:, n]) for n, table in enumerate(self.tables)], 1)
        products = torch.bmm(every, every.transpose(1, 2))[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([x, products], 1)))


@family("recommendation: embedding tables, dense features, pairwise products, an MLP")
def recommend(draw):
    tables = draw.randint(2, 10)
    batch, count, width, dense, hidden = draw.sizes((1, 1024), (10, 20000), (4, 64), (1, 64), (8, 256), least=LEAST_WORK, most=5e7,
                                                    work=lambda b, n, w, d, h: b * (h * (d + w + w + 50) + 60 * w))
    return Case(f"batch {batch}, {tables} tables of {count}x{width}, {dense} dense, hidden {hidden}",
                lambda: (Recommend(tables, count, width, dense, hidden), (torch.randn(batch, dense), indices(count, batch, tables))),
                {0: [0], 1: [0]} if batch > 1 else None, floats=False)


def indices(high, *shape):
    return torch.randint(0, high, shape)


@family("losses: cross entropy, mean square, smooth l1, binary cross entropy, KL divergence, cosine similarity, pairwise distances")
def loss(draw):
    kind = draw.choice(["cross entropy", "mse", "smooth l1", "bce", "kl", "cosine", "distances"])
    rows, width = draw.sizes((1, 2000), (2, 4000), most=1.5e6)
    if kind == "distances":
        rows, width = draw.sizes((2, 600), (2, 200), work=lambda r, w: r * r * w, **WORK)
    functions = {"cross entropy": F.cross_entropy, "mse": F.mse_loss, "smooth l1": F.smooth_l1_loss,
                 "bce": lambda a, b: F.binary_cross_entropy_with_logits(a, b.sigmoid()),
                 "kl": lambda a, b: F.kl_div(a.log_softmax(-1), b.softmax(-1), reduction="batchmean"), "cosine": F.cosine_similarity,
                 "distances": lambda a, b: (a[:, None] - b[None]).square().sum(-1).sqrt()}

    def build():
        other = indices(width, rows) if kind == "cross entropy" else torch.randn(rows, width)
        return functions[kind], (torch.randn(rows, width), other)

    return Case(f"{kind} of {by((rows, width))}", build, {0: [0], 1: [0]} if rows > 1 else None, floats=kind != "cross entropy")
