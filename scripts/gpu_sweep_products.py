"""The family `products` of scripts/gpu_sweep.py: products of matrices of 16-bit floats, with what follows from them."""
import torch
import torch.nn.functional as F
from torch import nn

from sweep_workload import Case, by, family

LEAST, MOST = 1 << 27, 1 << 37  # products of two numbers: 20 us to 1 ms of a GPU, before what follows
ROUND = [1, 1, 8, 8, 64, 128, 256]  # what a size is a multiple of
# What follows from the product: of it and of a row and a matrix, as far as the function takes them.
FOLLOWS = {"": lambda y: y,
           "bias": lambda y, bias: y + bias,
           "bias, gelu": lambda y, bias: F.gelu(y + bias),
           "bias, relu, added": lambda y, bias, other: F.relu(y + bias) + other}


@family("batches of products, both orders of each factor, sizes that are multiples of up to 256 or of nothing")
def products(draw):
    def size(low, high):
        multiple = draw.choice(ROUND)
        return max(multiple, draw.size(low, high) // multiple * multiple)

    for _ in range(10000):
        batch = draw.size(2, 64) if draw.chance(0.3) else 1
        rows, columns, terms = size(16, 9000), size(16, 9000), size(16, 9000)
        if LEAST <= batch * rows * columns * terms <= MOST and batch * max(rows * columns, rows * terms, columns * terms) <= 1 << 27:
            break
    turned = draw.chance(0.25), draw.chance(0.6)
    follows = draw.choice(list(FOLLOWS))
    lead = [batch] if batch > 1 else []

    function = FOLLOWS[follows]
    more = function.__code__.co_argcount - 1

    class Product(nn.Module):
        def forward(self, x, y, *others):
            x, y = (t.transpose(-1, -2) if is_turned else t for t, is_turned in zip((x, y), turned))
            return function(torch.matmul(x, y), *others)

    def build():
        first, second = [rows, terms], [terms, columns]
        shapes = [first[::-1] if turned[0] else first, second[::-1] if turned[1] else second]
        others = [torch.randn(columns), torch.randn([*lead, rows, columns])][:more]
        return Product(), (*(torch.randn([*lead, *shape]) for shape in shapes), *others)

    words = "".join(" nt"[1 + is_turned] for is_turned in turned)
    return Case(f"{by([*lead, rows, columns, terms])} {words}{', ' * bool(follows)}{follows}", build)
