"""Shows that scripts/compare-aten reports what is planted; usage: compare_aten_test.py SCRIPT.

Exit code 0: every report is as it must be, 1: one is not, 77: no PyTorch (the script says so).
"""

import importlib.machinery
import importlib.util
import pathlib
import sys


def load(path):
    sys.path.insert(0, str(pathlib.Path(path).resolve().parent))  # as when the script itself is run
    loader = importlib.machinery.SourceFileLoader("compare_aten", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def main():
    script, problems = load(sys.argv[1]), []
    import harness
    import torch

    def expect(what, got, wanted):
        if got != wanted:
            problems.append(f"{what}: {got!r}, expected {wanted!r}")

    def runs_of(case, known=()):
        runs = [run for whole in harness.expand(case) for run in harness.split_by_known(whole, known)]
        return [(run, {"id": str(i), "results": [{"judge": "j", "eager": "e"}]}) for i, run in enumerate(runs)]

    case = harness.Case("relu", torch.relu, [harness.numbers(1.0, -2.0)], dtypes=("f64",), integers=(0, 9))
    runs = runs_of(case)
    expect("runs", [(r.kind, r.dtype) for r, _ in runs],
           [("value", "f64")] + [("value", d) for d in harness.INTEGERS]
           + [("gradient", "f64"), ("second derivative", "f64")])
    outcomes = {r["id"]: {"outcome": "agrees", "detail": ""} for _, r in runs}
    totals, failures, not_admitted, _ = script.tally(runs, outcomes)
    expect("all agree", (totals[("relu", "value")], failures, not_admitted), ({"agree": 7, "known": 0, "differ": 0}, [], 0))
    outcomes["0"] = {"outcome": "differs", "detail": "y: 1 element (at [1]: 3, PyTorch 0)"}
    outcomes["6"] = {"outcome": "not admitted", "detail": "i1"}
    totals, failures, not_admitted, _ = script.tally(runs, outcomes)
    expect("one differs", (totals[("relu", "value")], failures, not_admitted),
           ({"agree": 5, "known": 0, "differ": 1},
            ["differs: relu value f64 [2]: differs: y: 1 element (at [1]: 3, PyTorch 0) for -2.0"], 1))
    # Floats must be taken by every row that has a case of them.
    outcomes["0"] = {"outcome": "not admitted", "detail": "f64"}
    expect("floats refused", script.tally(runs, outcomes)[1], ["differs: relu value f64 [2]: not admitted: f64"])

    # A known difference is about its elements only.
    known = harness.Known("relu", "planted", dtypes=("f64",), where=lambda x: x < 0)
    runs = runs_of(case, [known])
    expect("split", [(r.inputs[0].tolist(), r.known is known) for r, _ in runs[:2]], [([-2.0], True), ([1.0], False)])
    outcomes = {r["id"]: {"outcome": "agrees", "detail": ""} for _, r in runs}
    script.tally(runs, outcomes)
    expect("stale", list(script.unseen([known], [])),
           ["the known difference of relu value is not seen any more: planted"])
    outcomes["0"] = {"outcome": "differs", "detail": "known"}
    expect("known", script.tally(runs, outcomes)[:2],
           ({("relu", "value"): {"agree": 7, "known": 1, "differ": 0},
             ("relu", "gradient"): {"agree": 1, "known": 0, "differ": 0},
             ("relu", "second derivative"): {"agree": 1, "known": 0, "differ": 0}}, []))
    expect("seen", list(script.unseen([known], [])), [])
    # It must be seen in each of its kinds.
    known.kinds = ("value", "gradient")
    expect("half stale", list(script.unseen([known], [])),
           ["the known difference of relu gradient is not seen any more: planted"])

    # Second derivatives are left out where PyTorch refuses them as it is listed, and only there.
    case = harness.Case("hardsigmoid", torch.nn.functional.hardsigmoid, [harness.numbers(1.0, -2.0)], dtypes=("f64",))
    run = next(r for r in harness.expand(case) if r.kind == "second derivative")
    refusal = harness.Refusal("hardsigmoid", "is not implemented", "planted")
    expect("refused", (harness.second_record(run, lambda tensor: "t", [refusal]), refusal.seen), (None, 1))
    other = harness.Refusal("hardsigmoid", "another message", "planted")
    try:
        expect("refused otherwise", harness.second_record(run, lambda tensor: "t", [other]), "an error")
    except harness.BadCase as error:
        expect("refused otherwise", "hardsigmoid second derivative f64 [2]: PyTorch refuses it" in str(error), True)
    expect("no refusal", list(script.unseen([], [refusal, other])),
           ["PyTorch does not refuse the second derivative of hardsigmoid any more: another message"])

    # <u, 2xc> by x and by c.
    case = harness.Case("square", torch.square, [harness.numbers(3.0, -2.0)], dtypes=("f64",))
    run = next(r for r in harness.expand(case) if r.kind == "second derivative")
    record = harness.second_record(run, lambda tensor: tensor.detach(), [])
    (x,), (c,), (u,) = record["operands"], record["cotangents"], record["directions"]
    expect("second derivative", [g.tolist() for g in record["gradients"]], [(2*c*u).tolist(), (2*x*u).tolist()])

    some = {"agree": 1, "known": 0, "differ": 0}
    expect("uncovered", list(script.uncovered(["relu", "module", "eq", "exp", "sin", "hardsigmoid"], {
        ("module", "value"): some, ("eq", "value"): some, ("eq", "gradient"): some, ("eq", "second derivative"): some,
        ("exp", "value"): some, ("sin", "value"): some, ("sin", "gradient"): some, ("hardsigmoid", "value"): some,
        ("hardsigmoid", "gradient"): some}, [refusal])),
        ["relu is not compared", "the gradient of relu is not compared", "module stands in NOT_COMPARED, but is compared",
         "eq stands in WITHOUT_GRADIENT, but has one", "the gradient of exp is not compared",
         "the second derivative of sin is not compared"])
    print("\n".join(problems) if problems else "compare-aten reports what is planted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
