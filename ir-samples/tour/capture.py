"""What torch.compile captures of the residual block, and what mlgc makes of it."""
import torch
from block import make

import mlgc


def show(title):
    print(title)
    for graph in mlgc.ledger()[show.before:]:
        print(f"  {graph.kind}: {graph.nodes} nodes, {len(graph.segments)} compiled segment, {len(graph.outside)} nodes in PyTorch")
    show.before = len(mlgc.ledger())


show.before = 0
block, (x,) = make()
weight = block.fc1.weight

compiled = torch.compile(block, backend=mlgc.mlgc_backend, options={"fallback": "error"})
y = compiled(x)
y.square().sum().backward()
gradient, weight.grad = weight.grad, None
show("training: a graph for the call, and its gradients ahead of time")
block(x).square().sum().backward()
print("  results agree with eager:", torch.allclose(y, block(x)), "gradients:", torch.allclose(gradient, weight.grad))

dynamic = torch.compile(block, backend=mlgc.mlgc_backend, dynamic=True)
with torch.no_grad():
    agree = [torch.allclose(dynamic(x), block(x)) for x in (torch.randn(batch, 8) for batch in (2, 5, 64))]
show(f"batches of 2, 5 and 64, agree: {agree}")

program = mlgc.compile(block, (x,), dynamic=True)
program.save("block.mlgcx")
print("ahead of time: block.mlgcx, for every batch")
