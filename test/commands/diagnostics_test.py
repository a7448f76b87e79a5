#!/usr/bin/env python3
"""Every example of lib/diag/examples emits its kind of diagnostic, and with the repair it does not.

An example is what `mlgc explain error ID` shows: files and commands, lines with `-` before the repair, with `+` after it. The
kinds are read from --diagnostics=json, which a wrapper called `mlgc` adds. Before the repair exactly this kind of error or
warning is emitted (and notes); after it no error, and not this kind. A kind without an example says why and names the test
that provokes it, which must name the kind; or that no test can provoke it. So a kind that nothing emits fails here, unless it
says so. docs/diagnostics.md is what the program prints, and for each example what its commands write to standard error;
--update writes it."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What follows in docs/diagnostics.md is printed by the program.
PAGE_MARK = "<!-- docs: printed -->\n"

WRAPPER = """#!/bin/sh
PATH='{path}' exec '{mlgc}' "$@" {flags}
"""

# What is of one run, of one machine or of the version of another program, and what docs/diagnostics.md has for it.
VARYING = ((r"(?<=reproducer-)[0-9a-f]{16}\b", "…"), (r"\btmp\w{8}/", ""), (r"(?<=; code )[0-9.]+ KiB", "… KiB"),
           (r"; (compiled with .*|from the cache)(?=\n|$)", "; compiled with …"), (r"(?<=manifest.json says )\d+", "…"), (r"(?<=LibTorch )[0-9.]+", "…"))

# An example with such a command prints what follows from the machine that it runs on.
OF_THIS_MACHINE = re.compile(r"\bmlgc tune\b|=native\b")


def emitted(kinds, text):
    """Ids of the errors and warnings, and those of the notes, in what was written; those of messages in text, too."""
    errors, notes, hard = set(), set(), set()
    for line in text.splitlines():
        if line.startswith('{"version":'):
            for diagnostic in json.loads(line)["diagnostics"]:
                (notes if diagnostic["severity"] == "note" else errors).add(diagnostic["kind"])
                if diagnostic["severity"] == "error":
                    hard.add(diagnostic["kind"])
                notes |= {note["kind"] for note in diagnostic["notes"]}
        elif found := re.match(r"mlgc: (?:error|warning|note): (.*)", line):
            for kind in kinds:
                if re.fullmatch(kind["pattern"], found[1]):
                    (notes if kind["severity"] == "note" else errors).add(kind["id"])
                    if kind["severity"] == "error":
                        hard.add(kind["id"])
    return errors, notes, hard


def pattern_of(message):
    """Of the messages that come before the flags are read, which are text. Others are read from JSON."""
    return ".+".join(map(re.escape, re.split(r"\{[^}]*\}", message))) if len(re.sub(r"\{[^}]*\}|\W", "", message)) > 8 else r"\b\B"


class Examples:
    def __init__(self, options):
        self.options = options
        self.root = options.root.resolve()
        listed = subprocess.run([options.mlgc, "explain", "error", "--list", "--format=json"], capture_output=True, text=True,
                                check=True)
        self.kinds = json.loads(listed.stdout)["kinds"]
        rows = "".join(table.read_text() for table in sorted((self.root / "lib/diag").glob("kinds_*.h")))
        self.constants = {identifier: name for name, identifier in re.findall(r'DiagKind (k\w+)\s*\{\s*\.id = "([^"]+)"', rows)}
        for kind in self.kinds:
            kind["pattern"] = pattern_of(kind["message"])

    def run(self, example, repaired, flags="--diagnostics=json"):
        """What the commands of one side write to standard error, of each that writes to it."""
        side = "repaired" if repaired else "example"
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder)
            for name in ("ir-samples", "test", "scripts"):
                (base / name).symlink_to(self.root / name)
            for file in example["files"]:
                path = base / file["name"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file[side])
            tools = base / ".tools"
            tools.mkdir()
            for name, program in (("mlgc", self.options.mlgc), ("mlgc-with-faults", self.options.faulty)):
                if program:
                    (tools / name).write_text(WRAPPER.format(path=os.environ["PATH"], mlgc=program, flags=flags))
                    (tools / name).chmod(0o755)
            environment = dict(os.environ, PATH=f"{tools}:{os.path.dirname(self.options.python)}:{os.environ['PATH']}",
                               NO_COLOR="1", LC_ALL="C.UTF-8")
            environment.setdefault("MLGC_CACHE", str(tools / "cache"))
            written = []
            for command in example["commands"]:
                if command[side]:
                    try:
                        done = subprocess.run(["sh", "-c", command[side]], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                              capture_output=True, timeout=300, check=False)
                        written.append(done.stderr.decode(errors="replace").replace(f"{folder}/", ""))
                    except subprocess.TimeoutExpired:
                        written.append(f"{command[side]}: took more than five minutes\n")
            return [text for text in written if text.strip()]

    def printed(self, kind):
        """What stands in docs/diagnostics.md after the example of a kind; None: it cannot be run here."""
        example = kind.get("example")
        if kind.get("unprovoked") or not example:
            return ""
        if any(OF_THIS_MACHINE.search(command["example"] or "") for command in example["commands"]):
            return ""
        if self.lacks(example):
            return None
        text = self.run(example, False, flags="")[-1]  # commands before the last one prepare it
        for pattern, instead in VARYING:
            text = re.sub(pattern, instead, text)
        text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
        return f"\n<details><summary>What is printed</summary>\n\n```text\n{text}\n```\n\n</details>\n"

    def check(self, kind):
        """The complaints about a kind."""
        if kind.get("unprovoked", "").startswith("Not provoked: "):
            return []
        if kind.get("unprovoked"):
            named = re.search(r"\btest/[\w/.-]+\w", kind["unprovoked"])
            path = self.root / named[0] if named else None
            if path is None or not path.exists():
                return [f"{kind['id']}: has no example, and names no test that provokes it"]
            name = rf"\b{self.constants[kind['id']]}\b|[\[\"]{kind['id']}[\]\"]"
            text = path.read_text(errors="replace")
            if not re.search(name, text) and not re.search(kind["pattern"], text):
                return [f"{kind['id']}: {named[0]} does not name it"]
            return []
        if not kind.get("example"):
            return [f"{kind['id']}: has no example (lib/diag/examples)"]
        example = kind["example"]
        if missing := self.lacks(example):
            print(f"skipped {kind['id']}: {missing}")
            return []
        complaints = []
        text = "".join(self.run(example, False))
        errors, notes, _ = emitted(self.kinds, text)
        if kind["severity"] == "note":
            if kind["id"] not in notes:
                complaints.append(f"{kind['id']}: the example emits {sorted(errors)} with notes {sorted(notes)}\n{text}")
            return complaints
        if errors != {kind["id"]}:
            complaints.append(f"{kind['id']}: the example emits {sorted(errors)}\n{text}")
        if example["has_repair"]:
            text = "".join(self.run(example, True))
            errors, _, hard = emitted(self.kinds, text)
            if kind["id"] in errors or hard:
                complaints.append(f"{kind['id']}: with the repair, {sorted(errors)}\n{text}")
        elif not kind["repair"]:
            complaints.append(f"{kind['id']}: no repair, neither in the example nor in words")
        return complaints

    def lacks(self, example):
        needs = example.get("needs", "")
        if needs == "torch" and not self.options.torch:
            return "LibTorch is not there"
        if needs == "faults" and not self.options.faulty:
            return "mlgc-with-faults is not built"
        return ""


def sections(text):
    """Of the reference, by the id of the kind."""
    parts = re.split(r"(?m)^(?=### )", text)
    return {part.split("\n", 1)[0][4:]: part for part in parts if part.startswith("### ")}


def check_page(examples, chosen, pool):
    """The complaints about the reference in docs/diagnostics.md; with --update it is written, and there are none."""
    options = examples.options
    page = options.root / "docs/diagnostics.md"
    listed = subprocess.run([options.mlgc, "explain", "error", "--list", "--format=markdown"], capture_output=True, text=True,
                            check=True).stdout
    head, mark, reference = page.read_text().partition(PAGE_MARK)
    now, wanted = sections(reference), sections(listed.rstrip("\n") + "\n\n")
    printed = dict(zip((kind["id"] for kind in chosen), pool.map(examples.printed, chosen)))
    for kind, text in wanted.items():
        block = printed.get(kind)
        if block is None:  # not run: as it stands in the page
            _, begin, rest = now.get(kind, "").partition("\n<details>")
            block = (begin + rest).rstrip("\n") + "\n" if begin else ""
        wanted[kind] = text.rstrip("\n") + "\n" + block
    text = head + mark + "\n" + "\n".join(wanted.values())
    if options.update:
        page.write_text(text)
    if mark and page.read_text() == text:
        return []
    wrong = [kind for kind in wanted if wanted[kind].strip() != now.get(kind, "").strip()]
    return [f"docs/diagnostics.md is not what the program prints: {', '.join(wrong)} (diagnostics_test.py --update writes it)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlgc", required=True)
    parser.add_argument("--faulty", default="", help="the driver with wrong passes (default: that of the build)")
    parser.add_argument("--python", default="", help="a Python with numpy (default: that of .venv)")
    parser.add_argument("--torch", action="store_true", help="the LibTorch plug-in is there (default: if it lies beside mlgc)")
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="write docs/diagnostics.md, and check nothing")
    parser.add_argument("--only", default="", help="kinds whose id matches")
    options = parser.parse_args()
    mlgc = pathlib.Path(options.mlgc).resolve()
    faulty = pathlib.Path(options.faulty).resolve() if options.faulty else mlgc.parents[2] / "test/faults/mlgc-with-faults"
    venv = options.root.resolve() / ".venv/bin/python"
    options.mlgc, options.faulty = str(mlgc), str(faulty) if faulty.exists() else ""
    options.torch = options.torch or (mlgc.parent / "libmlgc_torch.so").exists()
    options.python = options.python or (str(venv) if venv.exists() else sys.executable)
    examples = Examples(options)
    chosen = [kind for kind in examples.kinds if re.search(options.only, kind["id"])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = check_page(examples, chosen, pool)
        if options.update:
            return
        complaints += [complaint for found in pool.map(examples.check, chosen) for complaint in found]
    for complaint in complaints:
        print(complaint)
    run = sum(1 for kind in chosen if kind.get("example"))
    exempt = sum(1 for kind in chosen if kind.get("unprovoked", "").startswith("Not provoked: "))
    print(f"diagnostics_test: {len(chosen)} kinds; {run} by examples, {exempt} not provoked, the others by other tests")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
