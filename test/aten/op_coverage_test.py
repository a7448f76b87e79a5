"""What scripts/op-coverage makes of a program that finds a difference, and of one that ends in the middle.

Usage: op_coverage_test.py OP_COVERAGE. Exit code 77 (skipped) when torch or its testing modules are missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

FAKE = """#!{python}
import json, os, sys
for number, line in enumerate(sys.stdin):
    model, case = line.rstrip("\\n").split("\\t")
    if not (os.path.isfile(model) and os.path.isfile(case)):
        sys.exit(2)
    {act}
    print(json.dumps(dict(outcome=outcome, kind="", target="", detail="planted")), flush=True)
"""
AGREE = "outcome = 'agrees'"
DIFFER = "outcome = 'differs' if number == 1 else 'agrees'"
CALL = "outcome = 'fallback' if number == 1 else 'agrees'"
END = "outcome = 'agrees'\n    if number == 1: os.abort()"


def run(script, folder, act, *options):
    program = folder / "fake"
    program.write_text(FAKE.format(python=sys.executable, act=act))
    program.chmod(0o755)
    report = folder / "report.json"
    done = subprocess.run([sys.executable, script, "--programs", program, "--ops", "^sub$", "--samples", "2",
                           "--jobs", "1", "--work", folder / "exports", "--json", report, "--markdown",
                           folder / "page.md", "--require-all", *(options or ("--dtype", "f32"))],
                          capture_output=True, text=True, check=False)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    return done, [sample["outcome"] for sample in json.loads(report.read_text())["samples"]]


def main(script):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # The gradients are a section of the page, which the values leave as it is.
        (folder / "page.md").write_text("# Values\n\n## Gradients\n\nOld.\n")
        done, outcomes = run(script, folder, DIFFER, "--gradients")
        title, _, gradients = (folder / "page.md").read_text().partition("\n\n")
        assert done.returncode == 4 and outcomes == ["agrees", "differs"], (done, outcomes)
        assert title == "# Values" and gradients.startswith("## Gradients\n") and "Old" not in gradients, gradients
        assert "| `aten.sub.Tensor` | 33 | 1/2 | 50.0 % | 1 differs: planted |" in gradients, gradients
        done, outcomes = run(script, folder, AGREE)
        page = (folder / "page.md").read_text()
        assert page.endswith("\n\n" + gradients) and "# Values" not in page, page
        assert done.returncode == 0 and outcomes == ["agrees"]*4, (done, outcomes)
        assert "| `aten.sub.Tensor` |" in page and "| 2/2 | 100 % |" in page, page
        done, outcomes = run(script, folder, DIFFER)
        assert done.returncode == 4 and sorted(outcomes) == ["agrees"]*3 + ["differs"], (done, outcomes)
        assert "| 1/2 | 50.0 % | 1 differs: planted |" in (folder / "page.md").read_text()
        # What needs calls of PyTorch does not agree by itself.
        done, outcomes = run(script, folder, CALL)
        assert done.returncode == 4 and sorted(outcomes) == ["agrees"]*3 + ["fallback"], (done, outcomes)
        page = (folder / "page.md").read_text()
        assert "| 1/2 | 50.0 % | 1 fallback: planted |" in page, page
        assert "- Core overloads of the census: 1 of 2 samples agree (50.0 %)." in page, page
        # A process that goes on behind the crash ends on its second program again.
        done, outcomes = run(script, folder, END)
        assert done.returncode == 4 and sorted(outcomes) == ["agrees"]*2 + ["crash"]*2, (done, outcomes)
    print("op-coverage finds what is planted")


if __name__ == "__main__":
    main(sys.argv[1])
