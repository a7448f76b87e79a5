"""What scripts/op-coverage makes of a program that finds a difference, and of one that ends in the middle.

Usage: op_coverage_test.py OP_COVERAGE. Exit code 77 (skipped) when torch or its testing modules are missing.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import traceback

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


def load(script):
    """The script as a module, with what it imports: PyTorch's samples take seconds, which each run would spend again."""
    sys.path.insert(0, str(pathlib.Path(script).parent))
    loader = importlib.machinery.SourceFileLoader("op_coverage", script)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("op_coverage", loader))
    loader.exec_module(module)
    module.load()
    return module


def run(script, folder, act, *options):
    """The exit code of a run in a process of its own with what it printed, and the outcomes."""
    program = folder / "fake"
    program.write_text(FAKE.format(python=sys.executable, act=act))
    program.chmod(0o755)
    report, log = folder / "report.json", folder / "log.txt"
    report.unlink(missing_ok=True)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            sys.argv = list(map(str, [script.__file__, "--programs", program, "--ops", "^sub$", "--samples", "2", "--jobs", "1", "--work",
                                      folder / "exports", "--json", report, "--markdown", folder / "page.md", "--require-all",
                                      *(options or ("--dtype", "f32"))]))
            code = script.main()
        except Exception:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    done = code, log.read_text()
    assert report.exists(), done
    return done, [sample["outcome"] for sample in json.loads(report.read_text())["samples"]]


def main(script):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # The gradients are a section of the page, which the values leave as it is.
        (folder / "page.md").write_text("# Values\n\n## Gradients\n\nOld.\n")
        done, outcomes = run(script, folder, DIFFER, "--gradients")
        title, _, gradients = (folder / "page.md").read_text().partition("\n\n")
        assert done[0] == 4 and outcomes == ["agrees", "differs"], (done, outcomes)
        assert title == "# Values" and gradients.startswith("## Gradients\n") and "Old" not in gradients, gradients
        assert "| `aten.sub.Tensor` | 33 | 1/2 | 50.0 % | 1 differs: planted |" in gradients, gradients
        done, outcomes = run(script, folder, AGREE)
        page = (folder / "page.md").read_text()
        assert page.endswith("\n\n" + gradients) and "# Values" not in page, page
        assert done[0] == 0 and outcomes == ["agrees"]*4, (done, outcomes)
        assert "| `aten.sub.Tensor` |" in page and "| 2/2 | 100 % |" in page, page
        done, outcomes = run(script, folder, DIFFER)
        assert done[0] == 4 and sorted(outcomes) == ["agrees"]*3 + ["differs"], (done, outcomes)
        assert "| 1/2 | 50.0 % | 1 differs: planted |" in (folder / "page.md").read_text()
        # What needs calls of PyTorch does not agree by itself.
        done, outcomes = run(script, folder, CALL)
        assert done[0] == 4 and sorted(outcomes) == ["agrees"]*3 + ["fallback"], (done, outcomes)
        page = (folder / "page.md").read_text()
        assert "| 1/2 | 50.0 % | 1 fallback: planted |" in page, page
        assert "- Core overloads of the census: 1 of 2 samples agree (50.0 %)." in page, page
        # A process that goes on behind the crash ends on its second program again.
        done, outcomes = run(script, folder, END)
        assert done[0] == 4 and sorted(outcomes) == ["agrees"]*2 + ["crash"]*2, (done, outcomes)
    print("op-coverage finds what is planted")


if __name__ == "__main__":
    main(load(sys.argv[1]))
