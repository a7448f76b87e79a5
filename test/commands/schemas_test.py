#!/usr/bin/env python3
"""Every JSON report against its schema in docs/schemas: of every command and flag that the help says writes JSON.

Kinds of reports are read from the help, so that a new one fails here until it has a schema and a run. Schemas are strict: a
member that a schema does not list is an error wherever it is planted."""
import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from command_table import Commands

try:
    import jsonschema
    import referencing
except ImportError:
    print("schemas_test: no jsonschema for this Python; scripts/setup installs it")
    sys.exit(77)

# Reports that are the same in every command that has the flag.
SHARED = ("--diagnostics", "--fallback-report")

# By the name of the schema: command lines, in a folder with ir-samples and what PREPARED makes. `@FILE` in front: the report
# is in that file. Exit codes do not count: a report may say that something is wrong.
REPORTS = {
    "opt.timing": ["opt mlp.mlir -O2 --timing --timing-format=json"],
    "opt.statistics": ["opt layer_norm.mlir -O2 --statistics --statistics-format=json"],
    "opt.explain-fusion": ["opt residual_block.mlir -O1 --explain-fusion --explain-fusion-format=json"],
    "fallback-report": ["@report.json import models/digits.pt2 --fallback=error --fallback-report=report.json -o digits.mlir"],
    "eval": ["eval mlp.mlir --input=x=2x8xf32=rand --random-weights=1 --print-values --format=json",
             "eval casts.mlir --random-inputs=1 --print-values --format=json",
             "eval mlp.mlir --input=x=2x8xf32=rand --random-weights=1 --expect=@expected.npz --format=json",
             "eval mlp.mlir --input=x=2x8xf32=rand --random-weights=2 --expect=@expected.npz --format=json",
             "eval mlp.mlir --input=x=2x8xf32=rand --random-weights=1 --compare=interp,cpp --format=json"],
    "grad": ["grad mlp.mlir --check --seed --dim=B=2 --random-inputs=1 --random-weights=1 --format=json",
             "grad mlp.mlir --seed --explain --format=json -o out.mlir",
             "grad mlp.mlir --loss=mse --memory-limit=12KiB --dim=B=32 --explain --format=json",
             "grad mlp.mlir --loss=mse --memory-limit=64MiB --dim=B=32 --explain --format=json"],
    "run": ["run model.mlgcx --list --format=json", "run state.mlgcx --list --format=json"],
    "tune": ["@tuned.json tune mlp.mlir --random-weights=1 --dim=B=2 --candidates=1 --min-time=0.001 -o tuned.json"],
    "bench": ["bench mlp.mlir --backends=interp,cpp,inductor --dim=B=1,2 --random-weights=1 --min-time=0.001 --format=json",
              "bench mlp.mlir --backends=cpp --ablate=fusion --dim=B=1 --random-weights=1 --min-time=0.001 --format=json"],
    "diff": ["diff before.mlir after.mlir --format=json", "diff before.mlir --specialize-dims=dims=B=8 --format=json",
             "diff chain.mlir --rules=sub.rules --dce --format=json", "diff chain.mlir --to=fused --format=json",
             "diff chain.mlir chain.mlir --format=json", "diff chain.mlir swapped.mlir --format=json"],
    "export": ["export mlp.mlir --to=json", "export while_newton.mlir --to=json"],
    "ops": ["ops --format=json"],
    "cache": ["cache list --format=json"],
    "passes": ["passes --format=json"],
    "explain.model": ["explain model residual_block.mlir --format=json", "explain model node_classes.mlir --format=json"],
    "explain.cache": ["explain cache mlp.mlir --random-weights=1 --vector-bytes=16 --format=json",
                      "explain cache mlp.mlir --random-weights=1 --vector-bytes=32 --format=json",
                      "explain cache casts.mlir --format=json"],
    "explain.deps": ["explain deps node_classes.mlir --format=json", "explain deps residual_block.mlir %3 --format=json"],
    "explain.error": ["explain error unknown-op not-top-level --format=json", "explain error --list --format=json"],
    "explain.fusion": ["explain fusion layer_norm.mlir --format=json", "explain fusion attention.mlir --format=json",
                       "explain fusion conv_net.mlir --format=json"],
    "explain.gradients": ["explain gradients gradients.mlir --format=json", "explain gradients mlp.mlir --format=json",
                          "explain gradients foreign.mlir --format=json"],
    "explain.import": ["explain import branch.fx.json --format=json",
                       "explain import parts.fx.json --format=json --registry=accel/accel.json"],
    "explain.memory": ["explain memory residual_block.mlir --dim=B=2 --dim=H=8 --dim=W=8 --format=json",
                       "explain memory memory-computed.mlir -O0 --dim=B=8 --format=json"],
    "explain.numerics": ["explain numerics residual_block.mlir --format=json", "explain numerics casts.mlir --format=json",
                         "explain numerics numerics-run.mlir -O0 --input=x=3xf32=inf,1,95 --format=json",
                         "explain numerics numerics-run.mlir -O0 --input=x=3xf32=0.001,1,95 %less --format=json",
                         "explain numerics scan.mlir -O0 --random-inputs=1 --dim=T=3 --format=json",
                         "explain numerics index.mlir -O0 --input=x=1xf32=16777216 --random-inputs=1 --format=json",
                         "explain numerics foreign.mlir --format=json"],
    "explain.ops": ["explain ops residual_block.mlir --format=json", "explain ops node_classes.mlir --format=json",
                    "explain ops residual_block.mlir %0 --format=json"],
    "explain.partition": ["explain partition mlp.mlir --registry=accel/accel.json --format=json",
                          "explain partition accel/model.mlir --registry=accel/accel.json --format=json"],
    "explain.residuals": ["explain residuals residual_block.mlir --format=json"],
    "explain.roofline": ["explain roofline residual_block.mlir --format=json"],
    "explain.saved": ["explain saved joint.mlir --results=1 --format=json",
                      "explain saved joint.mlir --results=1 --recompute=cheap --format=json"],
    "explain.schedule": ["explain schedule mlp.mlir --dim=B=8 --format=json",
                         "explain schedule softmax_cross_entropy.mlir --format=json",
                         "explain schedule mlp.mlir --target=cuda --format=json"],
    "explain.shapes": ["explain shapes derived_dims.mlir --format=json", "explain shapes node_classes.mlir --format=json"],
    "explain.target": ["explain target --format=json", "explain target --machine=h200 --format=json",
                       "explain target --machine=x86-64-v4 --format=json"],
    "diagnostics": ["opt wrong.mlir --diagnostics=json", "compile mlp.mlir --random-weights=1 -o m.mlgcx --diagnostics=json"],
}

# What has no loops, and no gradient.
FOREIGN = """func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = torch.call %x {arguments = [], parameters = ["self"], target = "aten::erfc"} : tensor<4xf32>
  return %y
}
"""

# In f64 the index is another one, and outside of the table.
INDEX = """func @index(%t: tensor<1x2xf32>, %x: tensor<1xf32>) -> tensor<1x2xf32> {
  %more = add %x {other = 1.0}
  %less = sub %more, %x
  %i = cast %less {dtype = i64}
  %e = embedding %t, %i
  return %e
}
"""

# The arguments of chain.mlir the other way round.
SWAPPED = ("%x: tensor<4xf32>, %y: tensor<4xf32>", "%y: tensor<4xf32>, %x: tensor<4xf32>")

PREPARED = [
    "compile mlp.mlir --random-weights=1 --vector-bytes=16 -o model.mlgcx",
    "compile state_updates.mlir --random-weights=1 --vector-bytes=16 -o state.mlgcx",
    "eval mlp.mlir --input=x=2x8xf32=rand --random-weights=1 -O1 --output=@expected.npz",
    "grad mlp.mlir --loss=mse --keep -o joint.mlir",
]


def kinds(commands):
    """{name of the schema: [(command, flag)]}, as the help has them."""
    found = {}
    for name in commands.names:
        for flag in commands.flags(name):
            if "json" in flag.choices() or "JSON in a .json file" in flag.text:
                plain = flag.name.removeprefix("--").removesuffix("-format")
                schema = plain if flag.name in SHARED else ".".join(name + ([] if flag.name == "--format" else [plain]))
                found.setdefault(schema, []).append((name, flag.name))
        # Notations that are listed below the flags, and files that a command always writes as JSON.
        text = commands.output(*name, "--help")
        if re.search(r"^  json  +\S", text, re.MULTILINE) or re.search(r"\(default: the input's name, \.\S*json\)", text):
            found.setdefault(".".join(name), []).append((name, "json"))
    return found


class Reports:
    def __init__(self, mlgc, folder):
        self.mlgc, self.folder = mlgc, folder

    def run(self, line):
        return subprocess.run([self.mlgc, *line.split()], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)

    def of(self, line):
        """The JSON values that a command wrote, one behind the other."""
        if line.startswith("@"):
            path, _, line = line[1:].partition(" ")
            done = self.run(line)
            return values(pathlib.Path(self.folder, path).read_text()), done
        done = self.run(line)
        return values(done.stdout) + values(done.stderr), done


def values(text):
    found, at, decoder = [], 0, json.JSONDecoder()
    while True:
        start = re.compile(r"^[\[{]", re.MULTILINE).search(text, at)
        if start is None:
            return found
        value, at = decoder.raw_decode(text, start.start())
        found.append(value)


def objects(value, path=()):
    if isinstance(value, dict):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from objects(item, (*path, key))


def planted(value):
    """The value with a member too many, once for each form of object in it."""
    seen = set()
    for path, one in objects(value):
        form = (tuple(key for key in path if isinstance(key, str)), tuple(sorted(one)))
        if form in seen:
            continue
        seen.add(form)
        changed = copy.deepcopy(value)
        inner = changed
        for key in path:
            inner = inner[key]
        inner["planted member"] = [{"planted": None}]
        yield "/".join(map(str, path)), changed


def loose(schema, path=""):
    """Places of a schema that would let anything in."""
    if isinstance(schema, dict):
        if "properties" in schema and (schema.get("additionalProperties") is not False or "required" not in schema):
            yield path or "the top"
        for key, inner in schema.items():
            yield from loose(inner, f"{path}/{key}")
    elif isinstance(schema, list):
        for i, inner in enumerate(schema):
            yield from loose(inner, f"{path}/{i}")


def read_schemas(folder, fail):
    schemas = {}
    for path in sorted(folder.glob("*.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        if schema.get("$schema") != "https://json-schema.org/draft/2020-12/schema" or not schema.get("title"):
            fail(f"{path.name}: no title, or no $schema of draft 2020-12")
        for place in loose(schema):
            fail(f"{path.name}: {place} has no `required` or lets other members in")
        schemas[path.stem] = schema
    registry = referencing.Registry().with_resources(
        (f"{name}.json", referencing.Resource.from_contents(schema)) for name, schema in schemas.items())
    return {name: jsonschema.Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlgc", required=True)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    failures = []

    def fail(what):
        failures.append(what)
        print(what)

    commands = Commands(str(pathlib.Path(options.mlgc).resolve()))
    found = kinds(commands)
    schemas = read_schemas(root / "docs/schemas", fail)
    for name, flags in found.items():
        if name not in schemas:
            fail(f"`mlgc {' '.join(flags[0][0])}` {flags[0][1]}: docs/schemas/{name}.json is missing")
        if name not in REPORTS:
            fail(f"`mlgc {' '.join(flags[0][0])}` {flags[0][1]}: no run of it in the table of this test")
    for name in schemas:
        if name not in found:
            fail(f"docs/schemas/{name}.json: no command writes such a report")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MLGC_CACHE", str(pathlib.Path(folder, "cache")))
        make_folder(pathlib.Path(folder), root)
        reports = Reports(commands.mlgc, folder)
        for line in PREPARED:
            done = reports.run(line)
            if done.returncode != 0:
                fail(f"`mlgc {line}`: {done.stderr}")
        lines = dict(REPORTS)
        lines["diagnostics"] = lines["diagnostics"] + [" ".join(name) + " --planted --diagnostics=json"
                                                       for name, _ in found.get("diagnostics", [])]
        count = 0
        for name, validator in schemas.items():
            for line in lines.get(name, []):
                count += check(name, validator, line, reports, fail)
    print(f"schemas_test: {len(found)} kinds of reports, {count} reports")
    sys.exit(1 if failures else 0)


def check(name, validator, line, reports, fail):
    said, done = reports.of(line)
    if not said:
        fail(f"{name}: `mlgc {line}` wrote no JSON; exit code {done.returncode}\n{done.stderr}")
    for value in said:
        errors = list(validator.iter_errors(value))
        for error in errors[:3]:
            fail(f"{name}: `mlgc {line}`: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        if not errors:
            for path, changed in planted(value):
                if validator.is_valid(changed):
                    fail(f"{name}: `mlgc {line}`: a member too many at `{path}` is let in")
    return len(said)


def make_folder(folder, root):
    for sample in (root / "ir-samples").iterdir():
        (folder / sample.name).symlink_to(sample)
    (folder / "branch.fx.json").symlink_to(root / "test/fx/Inputs/branch.fx.json")
    (folder / "parts.fx.json").symlink_to(root / "test/explain/Inputs/parts.fx.json")
    for name in ("memory-computed.mlir", "numerics-run.mlir", "gradients.mlir"):
        (folder / name).symlink_to(root / "test/explain" / name)
    for name in ("before.mlir", "after.mlir", "chain.mlir", "sub.rules"):
        (folder / name).symlink_to(root / "test/diff/Inputs" / name)
    (folder / "swapped.mlir").write_text((folder / "chain.mlir").read_text().replace(*SWAPPED))
    (folder / "foreign.mlir").write_text(FOREIGN)
    (folder / "index.mlir").write_text(INDEX)
    (folder / "wrong.mlir").write_text("module {\n  func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n    %y = reluu %x\n    return %x\n  }\n}\n")


if __name__ == "__main__":
    main()
