"""Differentiates the models of the import test (test/import/make_models.py) and compares with PyTorch's autograd: as
derived, and behind -O2 as kernels that are planned and interpreted. As few models as hold every operator are compiled, too; all
where MLGC_TEST_ALL is set.

What is differentiated is the first float result that depends on something, with a random cotangent, by every float
input and parameter. What does not agree, or cannot be differentiated, is a row of EXPECTED with its reason.

Usage: models_test.py CHECK_IMPORT MLGC EXPORTS [NAME...]. The exports are made below that folder where they are not there yet
(scripts/model_exports.py). Exit code 77 (skipped) when torch is missing.
"""

import copy
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "import"))
import make_models  # noqa: E402
import model_exports  # noqa: E402
import model_sample  # noqa: E402

# By the model's name: why its gradient is not compared.
EXPECTED = {
    "assertions": "its results have sizes that the call computes, so their cotangents are no arguments",
    "attention_by_hand_causal": "three inputs are one tensor, which the export merges; PyTorch shares its gradient out",
    "bf16": "numpy has no bf16",
    "bounds": "its results have sizes that the call computes, so their cotangents are no arguments",
    "distributions": "no result depends on a float",
    "random": "no result depends on a float",
}
# By the model's name: why it is the export before it is decomposed that is compared.
RAW = {"regions": "PyTorch decomposes regions under no_grad into their operators, and forgets the mode"}
# By the model's name: why only its first call is compared.
FIRST_CALL = {"loops": "PyTorch's gradient of a `while_loop` whose body never runs is that of a body that runs once"}


class NoGradient(Exception):
    """There is nothing to compare; the text says why."""


def is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def signature(mlgc, model):
    """Of the imported function: names of its arguments, of the symbols that it reads, and the number of results."""
    text = subprocess.run([mlgc, "import", model], capture_output=True, text=True, check=True).stdout
    head = re.search(r"func @forward\((.*?)\) -> (.*?)(?: where .*| updates .*| attributes .*)? \{$", text, re.MULTILINE)
    arguments = re.findall(r"%([\w.]+): tensor<([^>]*)>", head[1])
    results = head[2].count("tensor<")
    symbols = [(name, kind) for name, kind in re.findall(r"^  (?:weight|state) @([\w.]+)\s*: tensor<([^>]*)>", text, re.MULTILINE)
               if f"read @{name} " in text or f"read @{name}\n" in text]
    return arguments, symbols, results


def parameters_of(model):
    return dict(model.named_parameters(remove_duplicate=False))


def gradients(model, inputs, arguments, symbols, number, kind):
    """Of a copy of the model in a dtype: the number of the result that is differentiated, its cotangent, its gradients."""
    model = copy.deepcopy(model)
    if kind is torch.float64:
        model = model.double()
    inputs = [make_models.double(copy.deepcopy(v)) if kind is torch.float64 else copy.deepcopy(v) for v in inputs]
    leaves = []
    for i, value in enumerate(inputs):
        if is_float(value):
            inputs[i] = value.detach().requires_grad_()
    parameters = parameters_of(model)
    tensor_inputs = [v for v in inputs if isinstance(v, torch.Tensor)]
    for name, i in arguments:
        leaves.append(tensor_inputs[i])
    leaves += [parameters[name].requires_grad_() for name in symbols]
    with torch.enable_grad():
        # What a module changes in place must not be a leaf: it gets a copy of what is read.
        outputs = model(*[v.clone() if is_float(v) else v for v in inputs])
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    if number is None:
        number = next((i for i, v in enumerate(outputs) if is_float(v) and v.requires_grad), None)
    if number is None:
        raise NoGradient("no result depends on a float")
    of = outputs[number]
    seed = torch.randn(of.shape, generator=torch.Generator().manual_seed(7))
    if not of.requires_grad:  # in this call nothing leads there
        return number, seed, [torch.zeros_like(leaf).detach() for leaf in leaves]
    found = torch.autograd.grad(of, leaves, seed.to(of.dtype), allow_unused=True)
    found = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves, strict=True)]
    return number, seed, [g.detach() for g in found]


def make_case(case, arrays, arguments, symbols, results):
    """The arrays of the gradient's calls, and the number of the result that is differentiated."""
    out, number = {}, None
    # What changes states is not called again: its copies start from the same states.
    once = f"call0.eager{results}" in arrays or case.name in FIRST_CALL
    for call, inputs in enumerate([case.inputs, *([] if once else case.more_calls)]):
        prefix = f"call{call}."
        floats = [(name, i) for i, (name, kind) in enumerate(arguments) if re.search(r"(?:^|x)b?f\d+$", kind)]
        number, seed, eager = gradients(case.model, inputs, floats, symbols, number, None)
        _, _, judge = gradients(case.model, inputs, floats, symbols, number, torch.float64)
        with torch.backends.mkldnn.flags(enabled=False):
            _, _, plain = gradients(case.model, inputs, floats, symbols, number, None)
        eager = [make_models.further(j, pair) for j, *pair in zip(judge, eager, plain, strict=True)]
        given = [key for key in arrays if key.startswith(f"{prefix}in")]
        out |= {key: arrays[key] for key in given}
        out[f"{prefix}in{len(given)}"] = seed.detach().numpy()
        for which, found in (("eager", eager), ("judge", judge)):
            old = []
            while f"{prefix}{which}{len(old)}" in arrays:
                old.append(arrays[f"{prefix}{which}{len(old)}"])
            values = old[:results] + [g.numpy() for g in found] + old[results:]
            out |= {f"{prefix}{which}{i}": value for i, value in enumerate(values)}
    return out, number


def faults(check_import, mlgc, model, case, folder, compiled):
    name = model.name.split(".")[0]
    arrays = dict(np.load(model.with_name(f"{name}.npz")))
    arguments, symbols, results = signature(mlgc, model)
    # PyTorch gives no gradients of running statistics.
    symbols = [symbol for symbol, _ in symbols if symbol in parameters_of(case.model)]
    expected, number = make_case(case, arrays, arguments, symbols, results)
    np.savez(folder / "grad.npz", **expected)
    wrt = [name for name, kind in arguments if re.search(r"(?:^|x)b?f\d+$", kind)] + ["@" + symbol for symbol in symbols]
    text = subprocess.run([mlgc, "import", model], capture_output=True, text=True, check=True).stdout
    returned = re.search(r"^    return (.*?)(?: loc\(.*)?$", text, re.MULTILINE)[1].split(", ")[number].lstrip("%")
    of = returned if not returned.isdigit() else f"result{number}"
    grad = ["--inline", f"--grad=function=forward name=forward seed=true of={of} wrt={','.join(wrt)}"]
    for flags in ([*grad], [*grad, "-O2", "--to=plan", *(["--compiled"] if compiled else [])]):
        done = subprocess.run([check_import, model, model.with_name(f"{name}.npz"), f"--then={folder / 'grad.npz'}", *flags],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            wrong = make_models.wrong_results(done.stdout)
            if make_models.is_rounding(case.name, wrong):
                continue
            yield f"{flags[-1]}: exit code {done.returncode}: {done.stderr}" + "".join(wrong[:3])


def main(check_import, mlgc, exports, *names):
    failures = compared = known = 0
    exports, cases = model_exports.make_exports(pathlib.Path(exports)), make_models.cases_by_name()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        models = [exports / (case.name + (".raw.pt2" if case.name in RAW else ".pt2")) for case in cases.values()
                  if not case.training and (not names or case.name in names)]
        compiled = model_sample.covering(sorted(models))
        for model in sorted(models):
            case = cases[model.name.split(".")[0]]
            try:
                found = list(faults(check_import, mlgc, model, case, folder, model in compiled))
            except (NoGradient, RuntimeError, TypeError) as error:
                found = [f"PyTorch: {error}"]
            compared += 1
            reason = EXPECTED.get(case.name)
            failures += bool(found) != bool(reason)
            known += bool(found) and bool(reason)
            state = "ok" if not found else f"known: {reason}" if reason else "FAILED: " + "; ".join(found)
            print(f"{model.name}: {state}", flush=True)
    print(f"gradients of {compared - failures - known} of {compared} models agree, {known} are known not to; {len(compiled)} compiled")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
