"""Exports small language models of transformers (scripts/export-llm), imports prefill and decode as one module, and generates with them:
in the interpreter, and compiled. Logits of each call are those that transformers computes of the whole sequence without a cache.

Usage: language_models_test.py MLGC [--all] [NAME...]. Without --all a third of the models is compiled, which MLGC_TEST_SEED chooses.
Exit code 77 (skipped) when torch or transformers is missing.
"""

import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
try:
    import numpy as np
    import torch

    import exporting
    import language_models

    language_models.package()
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

from mlgc.precision import InDouble

CONTEXT = 16
# Windows are shorter than the sequence, so that masks of them matter.
MODELS = {
    "llama": {}, "qwen2": {}, "gpt2": {}, "gemma": {}, "phi": {"partial_rotary_factor": 0.5}, "phi3": {}, "qwen3": {},
    "mistral": {"sliding_window": 4},
    "gemma2": {"sliding_window": 4},
    "gemma3_text": {"sliding_window": 4},
}
TOKENS = [17, 4, 33, 60, 9, 21, 5, 5, 48, 12, 7]
# Prefill, three steps, prefill of what follows.
CALLS = [("prefill", 0, 5), ("decode", 5, 1), ("decode", 6, 1), ("decode", 7, 1), ("prefill", 8, 3)]
# An exact result is as far from a good one as PyTorch's own in f32, times this.
SLACK, LEAST = 8, 1e-6


def logits_of(model):
    """Of each position of TOKENS, without a cache."""
    with torch.no_grad():
        return model(input_ids=torch.tensor([TOKENS]), use_cache=False).logits[0]


def references(text, config):
    """Exact logits of each call, and how far those of PyTorch in f32 are from them."""
    model = language_models.model_of(text, config)
    eager = logits_of(model)
    with InDouble():
        exact = logits_of(copy.deepcopy(model).double())
    ends = [position + count - 1 for _, position, count in CALLS]
    return [(exact[end].numpy(), float((eager[end].double() - exact[end]).abs().max())) for end in ends]


def mlgc(driver, *words, code=0):
    done = subprocess.run([driver, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"mlgc {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def call(driver, command, program, folder, function, position, tokens, states=(), code=0):
    """A call with --states, and what it prints; results and new states are in folder/out.npz."""
    np.savez(folder / "in.npz", tokens=np.array([tokens]), position=np.array(position))
    return mlgc(driver, command, program, f"--function={function}", f"--input=@{folder / 'in.npz'}", *states,
                f"--output=@{folder / 'out.npz'}", code=code)


def generate(driver, command, program, folder, expected):
    """Faults of a program that is called as CALLS say."""
    states = ()
    for (function, position, count), (exact, error) in zip(CALLS, expected, strict=True):
        call(driver, command, program, folder, function, position, TOKENS[position:position + count], states)
        with np.load(folder / "out.npz") as made:
            logits = next(made[name] for name in made.files if not name.startswith("@"))[0]
        difference = float(np.abs(logits - exact).max())
        if not difference <= SLACK * error + LEAST * float(np.abs(exact).max()):
            yield f"{command}: {function} at {position} is wrong by {difference:.3g}, PyTorch by {error:.3g}"
        (folder / "out.npz").replace(folder / "states.npz")
        states = (f"--states=@{folder / 'states.npz'}",)
    for position in (CONTEXT - 2, -1):  # some tokens lie outside of the cache, or all that follow it
        said = call(driver, command, program, folder, "prefill", position, TOKENS[:3], states, code=1)
        if "error:" not in said or (folder / "out.npz").exists():
            yield f"{command}: tokens at {position} of {CONTEXT} are not refused: {said}"


def check(driver, name, changes, compiled, folder):
    text = f"transformers:{name}"
    config = language_models.config_of(text, {**changes, "vocab_size": 64})
    expected = references(text, config)
    model = language_models.stepwise(language_models.model_of(text, config), CONTEXT)
    for program, example in language_models.examples(model, CONTEXT).items():
        exporting.save_program(exporting.export(example), folder / f"{program}.pt2", example.shapes)
    module = folder / "llm.mlir"
    said = mlgc(driver, "import", folder / "prefill.pt2", folder / "decode.pt2", "-o", module)
    listed = module.read_text(encoding="utf-8")
    if "is called" in said or listed.count("  state @cache.keys_0 ") != 1 or listed.count("  state @") != 2 * config.num_hidden_layers:
        yield f"weights and states are not shared: {said}"
    if "tensor<1x[length]xi64>" not in listed:
        yield "the size is not called `length`"
    yield from generate(driver, "eval", module, folder, expected)
    if compiled:
        mlgc(driver, "compile", module, "-o", folder / "llm.mlgcx")
        yield from generate(driver, "run", folder / "llm.mlgcx", folder, expected)


def main(driver, *flags):
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    failures, seed = 0, int(os.environ.get("MLGC_TEST_SEED", "0"))
    wanted = [flag for flag in flags if not flag.startswith("--")] or list(MODELS)
    for number, name in enumerate(wanted):
        with tempfile.TemporaryDirectory() as folder:
            compiled = "--all" in flags or (number + seed) % 3 == 0
            faults = list(check(driver, name, MODELS[name], compiled, pathlib.Path(folder)))
        failures += bool(faults)
        print(f"{name}: " + ("\n  ".join(["FAILED", *faults]) if faults else "ok" + (", compiled too" if compiled else "")), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
