"""Cases of the rows that sum products, and of attention: rows_contraction and rows_attention."""

import torch
import torch.nn.functional as F
from harness import Case, floats, mask
from harness import INF, NAN

SHAPES = [((4, 9), (9, 3)), ((1, 1), (1, 1)), ((3, 17), (17, 5)), ((2, 4, 9), (9, 3)), ((4, 9), (2, 9, 3)),
          ((2, 1, 4, 9), (3, 9, 5)), ((5, 2, 3), (5, 3, 2)), ((9,), (9,)), ((9,), (9, 3)), ((4, 9), (9,)),
          ((2, 4, 9), (9,)), ((9,), (2, 9, 3)), ((0, 4), (4, 3)), ((3, 0), (0, 4)), ((2, 3), (3, 0))]
EQUATIONS = [("ij,jk->ik", (4, 5), (5, 3)), ("bij,bjk->bik", (2, 4, 5), (2, 5, 3)), ("ij,j->i", (4, 5), (5,)),
             ("i,j->ij", (4,), (3,)), ("ij->ji", (4, 5)), ("ii->i", (4, 4)), ("ii->", (4, 4)), ("ij->", (4, 5)),
             ("...ij,...jk->...ik", (2, 3, 4), (4, 5)), ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
             ("abc,cd,de->abe", (2, 3, 4), (4, 5), (5, 2)), ("ij,ij->ij", (3, 4), (3, 4)),
             ("iJ,Jk->ik", (3, 4), (4, 2))]
BAD = [[1.0, INF, 0.0], [NAN, 1.0, 0.0], [0.0, 0.0, 0.0], [-INF, INF, 1.0]]


def products():
    for a, b in SHAPES:
        yield Case("matmul", torch.matmul, [floats(*a), floats(*b, seed=1)], integers="full")
    yield Case("matmul", torch.matmul, [torch.tensor(BAD, dtype=torch.float64), floats(3, 2, seed=1)], edge=True)
    for x in ((4, 9), (2, 4, 9), (9,), (0, 9), (1, 2, 3, 9)):
        yield Case("linear", F.linear, [floats(*x), floats(3, 9, seed=1)], integers="full")
        yield Case("linear", F.linear, [floats(*x), floats(3, 9, seed=1), floats(3, seed=2)], integers="full")
    for x in ((4, 3), (3,), (1, 3), (4, 1), ()):
        matrices = [floats(*x), floats(4, 9, seed=1), floats(9, 3, seed=2)]
        batches = [floats(*x), floats(2, 4, 9, seed=1), floats(2, 9, 3, seed=2)]
        yield Case("addmm", torch.addmm, matrices, integers="full")
        yield Case("baddbmm", torch.baddbmm, batches, integers="full")
        for beta, alpha in ((2, 3), (0, 1), (0.5, -1.5), (1, 0), (2.0, 1.75)):
            whole = (-9, 9)  # factors of whole numbers are cut off to such
            for row, function, given in (("addmm", torch.addmm, matrices), ("baddbmm", torch.baddbmm, batches)):
                yield Case(row, lambda x, a, b, f=function, s=beta, t=alpha: f(x, a, b, beta=s, alpha=t), given,
                           f"beta = {beta}, alpha = {alpha}", integers=whole)
    nothing = [torch.full((4, 3), NAN, dtype=torch.float64), floats(4, 9, seed=1), floats(9, 3, seed=2)]
    yield Case("addmm", lambda x, a, b: torch.addmm(x, a, b, beta=0), nothing, "beta = 0", name="NaN that is not read")
    for equation, *shapes in EQUATIONS:
        yield Case("einsum", lambda *xs, e=equation: torch.einsum(e, *xs),
                   [floats(*s, seed=i) for i, s in enumerate(shapes)], f'equation = "{equation}"', integers=(-99, 99))
    yield Case("outer", torch.outer, [floats(4), floats(3, seed=1)], integers="full")
    yield Case("outer", torch.outer, [floats(0), floats(3, seed=1)], integers="full")


def softmax_of_products(q, k, mask):
    return torch.softmax((q @ k.mT / q.shape[-1]**0.5).masked_fill(~mask, -INF), -1)


def attention():
    attend = F.scaled_dot_product_attention
    q, k, v = floats(2, 3, 5, 4), floats(2, 3, 7, 4, seed=1), floats(2, 3, 7, 6, seed=2)
    row = "scaled_dot_product_attention"
    yield Case(row, attend, [q, k, v])
    yield Case(row, attend, [q[0, 0], k[0, 0], v[0, 0]])
    yield Case(row, lambda *x: attend(*x, scale=0.3), [q, k, v], "scale = 0.3")
    yield Case(row, lambda *x: attend(*x, is_causal=True), [q, k, v], "is_causal = true")
    yield Case(row, lambda *x: attend(*x, is_causal=True), [q, k[:, :, :5], v[:, :, :5]], "is_causal = true")
    some = mask(5, 7, seed=3)
    some[:, 0] = True
    none = some.clone()
    none[2] = False
    yield Case(row, attend, [q, k, v, some], name="boolean mask")
    yield Case(row, attend, [q, k, v, none], name="a query that sees nothing")
    yield Case(row, lambda q, k, v, m: softmax_of_products(q, k, m) @ v, [q, k, v, none], "safe = false",
               name="a query that sees nothing, of a plain softmax")
    yield Case(row, attend, [q, k, v, floats(2, 1, 5, 7, seed=4)], name="additive mask")
    cut = floats(5, 7, seed=4)
    cut[cut > 0.5] = -INF
    yield Case(row, attend, [q, k, v, cut], name="additive mask with -inf")
    yield Case(row, lambda *x: attend(*x, enable_gqa=True),
               [floats(2, 6, 5, 4), floats(2, 2, 7, 4, seed=1), floats(2, 2, 7, 6, seed=2)], "enable_gqa = true")
    yield Case(row, attend, [q[:, :, :0], k, v], name="no queries")
    yield Case(row, attend, [q*5, k*5, v], name="large scores")


def cases():
    yield from products()
    yield from attention()
