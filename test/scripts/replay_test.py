"""scripts/replay: comments are taken out where C++ has them, and what differs is found and named.

Usage: replay_test.py [Comments | Comparison | Script]...
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import model_exports  # noqa: E402
from source_comments import without_comments  # noqa: E402

REPLAY = ROOT / "scripts/replay"
loader = importlib.machinery.SourceFileLoader("replay", str(REPLAY))
spec = importlib.util.spec_from_loader("replay", loader)
replay = importlib.util.module_from_spec(spec)
loader.exec_module(replay)


class Comments(unittest.TestCase):
    def same(self, source):
        self.assertEqual(without_comments(source), source)

    def becomes(self, source, expected):
        self.assertEqual(without_comments(source), expected)

    def test_lines(self):
        self.becomes("int a;  // one\nint b;\n", "int a;\nint b;\n")
        self.becomes("int a;\n  // alone\nint b;\n", "int a;\nint b;\n")
        self.becomes("int a;\n\nint b;\n", "int a;\n\nint b;\n")

    def test_blocks(self):
        self.becomes("int/*x*/a;\n", "int a;\n")
        self.becomes("int a;\n/* two\n   lines */\nint b;\n", "int a;\nint b;\n")
        self.becomes("a /* no // line */ + b\n", "a   + b\n")
        self.becomes("a // no /* block\nb\n", "a\nb\n")
        self.becomes("a / b / c /* open", "a / b / c")

    def test_continued(self):
        self.becomes("int a;  // one \\\n goes on\nint b;\n", "int a;\nint b;\n")
        self.becomes("int a;  /\\\n/ one\nint b;\n", "int a;\nint b;\n")
        self.becomes("#define F(x) \\\n  f(x)  // end\n", "#define F(x) \\\n  f(x)\n")

    def test_strings(self):
        self.same('f("// none", "\\"// none", "\\\\");\n')
        self.becomes('f("\\\\");  // one\n', 'f("\\\\");\n')
        self.same('f("a \\\n // none");\n')
        self.same('f(R"(" // none)", u8R"x()" /* none */)x");\n')
        self.becomes('f(R"x()")x");  // one\n', 'f(R"x()")x");\n')
        self.becomes('f(FOOR"(", b);  // one)"\n', 'f(FOOR"(", b);\n')

    def test_characters(self):
        self.becomes("f('\"');  // \"\n", "f('\"');\n")
        self.becomes("f('\\'');  // '\n", "f('\\'');\n")
        self.becomes("f(u8'/', u'/');  // '\n", "f(u8'/', u'/');\n")
        self.becomes("f(1'000, 0x1'f);  // '\n", "f(1'000, 0x1'f);\n")
        self.becomes("f(1'000 /* ' */ + 2);\n", "f(1'000   + 2);\n")

    def test_includes(self):
        self.same("#include <a//b.h>\n#  include <c/*d>\n")


class Comparison(unittest.TestCase):
    recorded = {"a": ("1", "2", "3", "4"), "b": ("1", "2", "3", "exit-3")}

    def differences(self, found, **options):
        return [f"{name}: {what}" for name, what in replay.differences(self.recorded, found, **options)]

    def test_equal(self):
        self.assertEqual(self.differences(dict(self.recorded)), [])

    def test_changed(self):
        found = {"a": ("1", "2", "x", "4"), "b": ("1", "x", "3", "y")}
        self.assertEqual(self.differences(found), ["a: cpp", "b: plan cuda (was exit-3)"])

    def test_refused(self):
        self.assertEqual(self.differences(self.recorded | {"a": ("1", "2", "exit-70", "4")}), ["a: cpp (now exit-70)"])

    def test_new_and_gone(self):
        self.assertEqual(self.differences({"a": self.recorded["a"], "c": ("1", "2", "3", "4")}), ["b: gone", "c: new"])

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hashes.txt"
            replay.write(path, self.recorded, "2.13.0")
            self.assertEqual(replay.read(path), (self.recorded, "2.13.0"))

    def test_exports(self):
        recorded = {"a": self.recorded["a"], "export/m": ("1", "2", "3", "4", "g")}
        found = {"export/m": ("1", "x", "3", "4", "g"), "export/n": ("1", "2", "3", "4", "h")}
        kept, skipped = replay.comparable(recorded, found, "2.13.0", "2.14.0")
        self.assertEqual((kept, skipped), ({"export/m": found["export/m"]}, ["export/n"]))
        other = {"export/m": ("1", "x", "3", "4", "other")}
        self.assertEqual(replay.comparable(recorded, other, "2.13.0", "2.14.0"), ({}, ["export/m"]))
        self.assertEqual(replay.comparable(recorded, other, "2.13.0", "2.13.0"), (other, []))


# Stands for the driver: prints the module that it reads, with TEXT put into what is emitted.
DRIVER = """#!/bin/sh
for last; do :; done
case "$*" in
  *refused*) echo "refused" >&2; exit 3 ;;
  opt*) echo '// -----// IR Dump After schedule //----- //' >&2; cat "$last" >&2; cat "$last" ;;
  *cuda*) cat "$last"; echo '// CUDA of this build: COMMENT' ;;
  *) cat "$last"; echo 'TEXT' ;;
esac
"""


class Script(unittest.TestCase):
    """The script on a tree of its own, with programs that stand for the driver."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("ir-samples/a.mlir", "module {\n  func @a\n}\n")
        self.write("ir-samples/refused.mlir", "module {\n  func @a\n}\n")
        self.write("test/opt/two.mlir", "module {\n  func @b\n}\n// -----\nmodule {\n  func @c\n}\n")
        self.write("test/opt/empty.mlir", "module {\n}\n")
        self.before = self.driver("before", "f(1)", "one")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def driver(self, name, text, comment):
        path = self.write(name, DRIVER.replace("TEXT", text).replace("COMMENT", comment))
        path.chmod(0o755)
        return path

    def replay(self, driver, *flags):
        done = subprocess.run([sys.executable, REPLAY, "--mlgc", driver, "--root", self.root, "--no-exports", *flags],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_change_is_found(self):
        self.assertEqual(self.replay(self.before, "--update")[0], 0)
        lines = (self.root / "test/replay/hashes.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.split()[0] for line in lines if not line.startswith("#")],
                         ["ir-samples/a.mlir", "ir-samples/refused.mlir", "test/opt/two.mlir#1", "test/opt/two.mlir#2"])
        self.assertIn("ir-samples/refused.mlir exit-3 exit-3 exit-3 exit-3", lines)
        self.assertEqual(self.replay(self.driver("same", "f(1)", "another comment"))[0], 0)
        code, text = self.replay(self.driver("after", "f(2)", "one"))
        self.assertEqual(code, 1, text)
        for name in ("ir-samples/a.mlir", "test/opt/two.mlir#1", "test/opt/two.mlir#2"):
            self.assertIn(f"{name}: cpp\n", text)
        self.assertEqual(len(text.splitlines()), 5, text)  # three units, the summary, what to do
        code, text = self.replay(self.driver("after", "f(2)", "one"), "--filter=samples")
        self.assertEqual((code, text.count(": cpp\n")), (1, 1))

    def test_update_of_some(self):
        self.assertEqual(self.replay(self.before, "--update")[0], 0)
        after = self.driver("after", "f(2)", "one")
        code, text = self.replay(after, "--update", "--filter=samples")
        self.assertEqual((code, text.splitlines()[0]), (0, "ir-samples/a.mlir: cpp"))
        self.assertEqual(self.replay(after, "--filter=samples")[0], 0)
        code, text = self.replay(after)
        self.assertEqual((code, text.count("mlir#"), text.count("ir-samples")), (1, 2, 0), text)

    def test_two_drivers(self):
        self.assertEqual(self.replay(self.before, "--before", self.before)[0], 0)
        code, text = self.replay(self.driver("after", "f(2)", "one"), "--before", self.before, "--diff", "--filter=a.mlir")
        self.assertEqual(code, 1, text)
        self.assertIn("-f(1)\n+f(2)\n", text)

    def test_a_crash_is_a_failure(self):
        self.assertEqual(self.replay(self.before, "--update")[0], 0)
        record = self.root / "test/replay/hashes.txt"
        before = record.read_text(encoding="utf-8")
        crashing = self.driver("crashing", "f(1)", "one")
        crashing.write_text(crashing.read_text(encoding="utf-8").replace("exit 3", "kill -SEGV $$"), encoding="utf-8")
        code, text = self.replay(crashing)
        self.assertEqual(code, 1, text)
        what = "loops (signal-11) plan (signal-11) cpp (signal-11) cuda (signal-11)"
        self.assertIn(f"ir-samples/refused.mlir: the driver crashes: {what}\n", text)
        code, text = self.replay(crashing, "--update")
        self.assertEqual(code, 1, text)
        self.assertIn("replay: the driver crashes on 1 of 4 units; nothing is recorded\n", text)
        self.assertEqual(record.read_text(encoding="utf-8"), before)
        self.assertEqual(self.replay(crashing, "--filter=a.mlir")[0], 0)  # what does not crash is compared as ever
        # A record of before crashes were refused: equal words are no success.
        record.write_text(before.replace("exit-3", "signal-11"), encoding="utf-8")
        code, text = self.replay(crashing)
        self.assertEqual(code, 1, text)
        self.assertIn(f"ir-samples/refused.mlir: a crash is recorded: {what}\n", text)
        self.assertIn("not a text to keep\n", text)
        self.assertEqual(self.replay(self.before, "--update")[0], 0)
        # The other driver may crash where this one does not, which is a difference like others.
        code, text = self.replay(self.before, "--before", crashing, "--filter=samples")
        self.assertEqual((code, text.count("crash")), (1, 0), text)
        self.assertIn("loops (was signal-11, now exit-3)", text)

    def test_what_is_no_use(self):
        for flags in (["--filter=("], ["--filter=nothing"], ["--diff"], ["--before", self.root / "none"],
                      ["--before", self.before, "--update"], []):
            self.assertEqual(self.replay(self.before, *flags)[0], 2, flags)
        self.assertEqual(self.replay(self.root / "none", "--update")[0], 2)


class Exports(unittest.TestCase):
    def test_the_folder_is_named_after_what_makes_it(self):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            for folder in (first, second):
                (pathlib.Path(folder) / "make.py").write_text("1", encoding="utf-8")
            keys = [model_exports.key([pathlib.Path(folder) / "make.py"], "2.13.0") for folder in (first, second)]
            self.assertEqual(*keys)
            (pathlib.Path(second) / "make.py").write_text("2", encoding="utf-8")
            self.assertNotEqual(keys[0], model_exports.key([pathlib.Path(second) / "make.py"], "2.13.0"))
            self.assertNotEqual(keys[0], model_exports.key([pathlib.Path(first) / "make.py"], "2.14.0"))


if __name__ == "__main__":
    unittest.main()
