"""PyTorch's samples of its operators as programs of gradients, the graphs that training runs.

The inputs of a program are a sample's tensors and, behind them, a random cotangent for each result that has a gradient.
Its results are those results and the gradients that PyTorch's autograd sends back with the cotangents to every input of
which the sample says that it is to be differentiated. The graph is what autograd does, recorded below it and decomposed
as a joint graph of torch.export is: forward and backward are operators of core ATen where they have a decomposition.
PyTorch's results are those of autograd on the operator itself.
"""

import functools

import torch
from op_samples import NotDifferentiable, Sample, overloads_of
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import _pytree as pytree


@functools.cache
def core_table():
    return torch.export.default_decompositions().materialize()


class Gradient(Sample):
    DTYPES = {"f64": torch.float64}
    LEVELS = {"gradient": None}
    REQUIRES_GRAD = True

    def __init__(self, op, sample):
        super().__init__(op, sample)
        leaves = pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
        self.wanted = [x.requires_grad for x in leaves if isinstance(x, torch.Tensor)]
        # What of the results is a function of the inputs: of eigenvectors, for one, not their signs.
        self.differentiable_part = sample.output_process_fn_grad

    def differentiable(self, tensors):
        """The tensors with those that are to be differentiated as leaves, and the results that have a gradient."""
        leaves = [x.detach().requires_grad_() if wanted else x for x, wanted in zip(tensors, self.wanted, strict=True)]
        # Decomposing the backward operator of the fused attention kernel gives wrong gradients.
        with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):
            first, args, kwargs = self.arguments(leaves)
            results = pytree.tree_leaves(self.differentiable_part(self.op(first, *args, **kwargs)))
        results = [x for x in results if isinstance(x, torch.Tensor) and x.requires_grad]
        # A file of arrays holds no bf16.
        return leaves, [x.float() if x.dtype is torch.bfloat16 else x for x in results]

    def forward(self, *tensors):
        count = len(self.wanted)
        leaves, results = self.differentiable(tensors[:count])
        with sdpa_kernel(SDPBackend.MATH):
            gradients = torch.autograd.grad(results, [x for x in leaves if x.requires_grad], tensors[count:],
                                            allow_unused=True)
        return tuple(x.detach() for x in results) + tuple(x for x in gradients if x is not None)

    def eager(self):
        if not any(self.wanted):
            raise NotDifferentiable("no input of the sample is to be differentiated")
        _, results = self.differentiable([x.clone() for x in self.inputs])
        if not results:
            raise NotDifferentiable("no result has a gradient")
        generator = torch.Generator().manual_seed(0)
        self.inputs += tuple(torch.randn(x.shape, dtype=x.dtype, generator=generator) for x in results)
        try:
            eager = super().eager()
        except (RuntimeError, NotImplementedError) as error:  # a derivative that PyTorch does not have
            raise NotDifferentiable(str(error)) from error
        self.count = len(results)
        if len(eager) == len(results):
            raise NotDifferentiable("no gradient comes back to an input")
        return eager

    def more_about(self, program):
        """The overloads that the results come from, without those of the gradients."""
        outputs = next(node for node in program.graph.nodes if node.op == "output")
        forward, waiting = set(), list(outputs.args[0][:self.count])
        while waiting:
            node = waiting.pop()
            if node not in forward:
                forward.add(node)
                waiting += node.all_input_nodes
        return {"forward": overloads_of(forward)}

    def judge(self, eager):
        return [x.double() if x.is_floating_point() else x for x in eager]

    def export(self):
        graph = make_fx(self.forward, decomposition_table=core_table())(*self.inputs)
        return torch.export.export(graph, self.inputs, strict=False)
