"""Whole training steps as programs: forward, loss, backward and update in one call."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from mlgc import exporting, program
from mlgc.errors import UsageError


def training_step(model: torch.nn.Module, loss: str | Callable[[Any, Any], torch.Tensor], optimizer: torch.optim.Optimizer,
                  example_inputs: Sequence[Any], target: Any, *, dynamic: Any = None, numerics: str = "like-eager",
                  threads: int | None = None, device: str | torch.device | None = None) -> program.Program:
    """Compiles a training step. A call takes the model's inputs and then the target, and returns the loss.

    Parameters, buffers and the optimiser's memory are the program's `states`; they begin with the model's values, the memory at
    its start. The model itself is not trained: `model.load_state_dict(step.states.state_dict(), strict=False)` brings it what was
    learned.

    loss: a function of the model's result and the target that gives a scalar, or the name of one in torch.nn.functional.
    optimizer: an SGD, Adam or AdamW over parameters of the model, in one group. dynamic, numerics, threads, device: as of mlgc.compile().
    UsageError: an optimiser, or an option of one, that has no compiled form.
    """
    compute = getattr(torch.nn.functional, loss, None) if isinstance(loss, str) else loss
    if compute is None:
        raise UsageError(f"torch.nn.functional has no {loss!r}")
    forward = model.forward

    def with_loss(*args: Any) -> torch.Tensor:
        return compute(forward(*args[:-1]), args[-1])

    flags = optimizer_flags(model, optimizer)
    with exporting.forward_replaced(model, with_loss):
        return program.compile_derived(model, (*example_inputs, target), None, lambda _: flags, dynamic, numerics, threads, device)


# By class: the driver's name, options of a group as flags, and the only value of those that have none.
_OPTIMIZERS: dict[type, tuple[str, dict[str, str], dict[str, Any]]] = {
    torch.optim.SGD: ("sgd", {"momentum": "momentum", "weight_decay": "weight-decay"}, {"dampening": 0, "nesterov": False}),
    torch.optim.Adam: ("adam", {"eps": "eps", "weight_decay": "weight-decay"}, {"amsgrad": False, "decoupled_weight_decay": False}),
    torch.optim.AdamW: ("adamw", {"eps": "eps", "weight_decay": "weight-decay"}, {"amsgrad": False}),
}


def optimizer_flags(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> list[str]:
    """The flags of `mlgc grad` for an optimiser. UsageError as of training_step()."""
    if type(optimizer) not in _OPTIMIZERS:
        raise UsageError(f"{type(optimizer).__name__} has no compiled form; SGD, Adam and AdamW have one")
    name, options, fixed = _OPTIMIZERS[type(optimizer)]
    if len(optimizer.param_groups) != 1:
        raise UsageError(f"the optimiser has {len(optimizer.param_groups)} groups of parameters; one has a compiled form")
    group = optimizer.param_groups[0]
    for option, value in {**fixed, "maximize": False}.items():
        if group.get(option, value) != value:
            raise UsageError(f"{type(optimizer).__name__}({option}={group[option]!r}) has no compiled form; {option}={value!r} has")
    if optimizer.state:
        raise UsageError("the optimiser has a memory already, and a compiled step begins with none; give it before its first step()")
    names = {id(parameter): path for path, parameter in model.named_parameters()}
    unknown = sum(id(parameter) not in names for parameter in group["params"])
    if unknown:
        raise UsageError(f"{unknown} parameters of the optimiser are not the model's")
    flags = [f"--step={name}", f"--lr={float(group['lr'])!r}", "--wrt=" + ",".join("@" + names[id(p)] for p in group["params"])]
    flags += [f"--{flag}={float(group[option])!r}" for option, flag in options.items()]
    if "betas" in group:
        flags += [f"--beta{number + 1}={float(beta)!r}" for number, beta in enumerate(group["betas"])]
    return flags
