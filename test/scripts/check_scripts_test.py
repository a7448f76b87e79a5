"""Each check of scripts/ finds a planted violation, names its place, and stays silent on a clean tree."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Tree(unittest.TestCase):
    script = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_check(self, *args):
        return subprocess.run([ROOT / "scripts" / self.script, "--root", self.root, *args], capture_output=True,
                              text=True, check=False)

    def assert_clean(self, *args):
        result = self.run_check(*args)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_found(self, where, what, *args):
        result = self.run_check(*args)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.startswith(where + ":")]
        self.assertTrue(any(what in line for line in lines), result.stdout + result.stderr)


class Layers(Tree):
    script = "check-layers"

    def setUp(self):
        super().setUp()
        self.write("cmake/MlgcLibrary.cmake", 'set(MLGC_LAYER_EXCEPTIONS\n  "tensor>support"  # both are layer 0\n)\n')
        self.write("lib/support/CMakeLists.txt", "mlgc_library(support LAYER 0)\n")
        self.write("lib/tensor/CMakeLists.txt", "mlgc_library(tensor LAYER 0 DEPENDS support)\n")
        self.write("lib/ir/CMakeLists.txt", "mlgc_library(ir LAYER 2\n  DEPENDS tensor # and below\n  LINK fmt::fmt)\n")
        self.write("lib/support/a.h", "#pragma once\n#include <vector>\n")
        self.write("lib/ir/b.cpp", '#include "ir/b.h"\n#include "support/a.h"\n')
        self.write("tools/mlgc/CMakeLists.txt", "mlgc_program(mlgc SOURCES main.cpp LINK mlgc::tensor)\n")
        self.write("tools/mlgc/main.cpp", '#include "support/a.h"\n')

    def test_clean(self):
        self.assert_clean()

    def test_arrow_up(self):
        self.write("lib/support/c.h", '\n\n#include "ir/b.h"\n')
        self.assert_found("lib/support/c.h:3", "lib/support does not depend on lib/ir")

    def test_declared_arrow_up(self):
        self.write("lib/support/CMakeLists.txt", "mlgc_library(support LAYER 0 DEPENDS ir)\n")
        self.assert_found("lib/support/CMakeLists.txt:1", "arrows point down")

    def test_same_layer_needs_an_exception(self):
        self.write("lib/other/CMakeLists.txt", "mlgc_library(other LAYER 0 DEPENDS support)\n")
        self.assert_found("lib/other/CMakeLists.txt:1", "arrows point down")

    def test_plugin(self):
        self.write("lib/torch/a.h", '#include <ATen/Tensor.h>\n#include "plugin/plugin_api.h"\n')
        self.write("lib/torch/a.cpp", '#include "torch/a.h"\n')
        self.assert_clean()
        self.write("lib/torch/a.cpp", '#include "torch/a.h"\n#include "ir/b.h"\n')
        self.assert_found("lib/torch/a.cpp:2", "a plug-in sees plugin/plugin_api.h alone")

    def test_unknown_folder(self):
        self.write("lib/ir/b.cpp", '#include "nowhere/a.h"\n')
        self.assert_found("lib/ir/b.cpp:1", "no folder lib/nowhere")

    def test_include_without_folder(self):
        self.write("lib/ir/b.cpp", '#include "b.h"\n')
        self.assert_found("lib/ir/b.cpp:1", 'write "folder/b.h"')

    def test_folder_without_cmake(self):
        self.write("lib/lost/a.cpp", "\n")
        self.assert_found("lib/lost/a.cpp:1", "no mlgc_library() call")

    def test_torch_outside_its_folder(self):
        self.write("lib/ir/b.cpp", "#include <ATen/core/Tensor.h>\n")
        self.assert_found("lib/ir/b.cpp:1", "only lib/torch")

    def test_tool_uses_what_it_links(self):
        self.write("tools/mlgc/main.cpp", '#include "ir/b.h"\n')
        self.assert_found("tools/mlgc/main.cpp:1", "does not depend on lib/ir")

    def test_table_of_another_build(self):
        self.write("layers.txt", "support 0\ntensor 0 support\nir 3 tensor\n")
        self.assert_found("lib/ir/CMakeLists.txt:1", "CMake configured", "--table", self.root / "layers.txt")


    def page(self, *rows):
        head = "# Page\n\n<!-- layers: begin -->\n\n| layer | folder | holds | depends on |\n|---|---|---|---|\n"
        self.write("docs/architecture.md", head + "".join(f"| {row} |\n" for row in rows) + "\n<!-- layers: end -->\n")

    def test_page(self):
        self.page("0 | `support` | files |", "0 | `tensor` | tensors | support", "2 | `ir` | modules | tensor")
        self.assert_clean()
        self.page("0 | `support` | files |", "2 | `ir` | modules | support")
        self.assert_found("docs/architecture.md:5", "the table is not what the mlgc_library() calls say")
        self.assert_found("docs/architecture.md:8", "say what the folder holds", "--update")
        self.page("0 | `support` | files |", "0 | `tensor` | tensors | support", "1 | `ir` | modules | support")
        self.run_check("--update")
        self.assert_clean()
        self.write("docs/architecture.md", "# Page\n")
        self.assert_found("docs/architecture.md:1", "no table")


class Executable(unittest.TestCase):
    """What is meant to be called can be called as it stands."""

    def test_scripts(self):
        for folder in ("scripts", "ir-samples/hosts"):
            for path in sorted((ROOT / folder).iterdir()):
                if not path.is_file() or path.suffix not in ("", ".py"):
                    continue
                text = path.read_text(encoding="utf-8")
                if path.suffix == ".py" and "__main__" not in text:
                    continue  # a module of others
                with self.subTest(path.name):
                    self.assertTrue(os.access(path, os.X_OK), f"{path} is not executable")
                    self.assertTrue(text.startswith("#!"), f"{path} names no interpreter")


class RepositoryPython(Tree):
    """A script goes on under the Python of .venv where this one lacks what it needs."""

    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "scripts/repository_python.py", self.root)
        self.write("scripts/repository_python.py", (ROOT / "scripts/repository_python.py").read_text(encoding="utf-8"))
        self.write(".venv/bin/python", "#!/bin/sh\necho of the repository: $(basename $1) $2\n")
        (self.root / ".venv/bin/python").chmod(0o755)

    def output_of(self, module):
        self.write("scripts/some", f"import repository_python\nrepository_python.use('{module}')\nprint('this one')\n")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MLGC_PYTHON")}
        return subprocess.run([sys.executable, self.root / "scripts/some", "word"], env=environment, text=True,
                              capture_output=True, check=True).stdout

    def test_here(self):
        self.assertEqual(self.output_of("json"), "this one\n")

    def test_missing(self):
        self.assertEqual(self.output_of("no_such_module"), "of the repository: some word\n")


class Docs(Tree):
    script = "check-docs"
    PROGRAM = "#!/bin/sh\necho first; echo second $1\n[ $1 != fail ] || { echo 'error: it fails'; exit 3; }\n"

    def setUp(self):
        super().setUp()
        self.write("bin/mlgc", self.PROGRAM)
        (self.root / "bin/mlgc").chmod(0o755)
        self.write("docs/other.md", "# Other\n\n    $ mlgc a\n    first\n    second a\n")

    def page(self, text):
        self.write("README.md", text)
        return ("--mlgc", self.root / "bin/mlgc")

    def block(self, *lines):
        return self.page("# Page\n\n" + "".join(f"    {line}\n" for line in lines))

    def test_same(self):
        self.assert_clean(*self.block("$ mlgc a", "first", "second a", "$ mlgc b", "…", "second …", "$ mlgc c"))
        self.assert_clean(*self.page("```\n$ mlgc a\nfirst\nsecond a\n```\n"))

    def test_other_output(self):
        self.assert_found("README.md:3", "prints something else", *self.block("$ mlgc a", "first", "second b"))
        self.assert_found("README.md:3", "prints something else", *self.block("$ mlgc a", "first"))
        self.assert_found("README.md:3", "prints something else", *self.block("$ mlgc a", "…", "third"))

    def test_exit_code(self):
        self.assert_clean(*self.block("$ mlgc fail", "…", "error: it fails"))
        self.assert_found("README.md:3", "exit code 3", *self.block("$ mlgc fail"))
        self.assert_found("README.md:3", "exit code 0", *self.block("$ mlgc a", "error: it fails"))

    def test_commands_alone(self):
        self.assert_clean(*self.block("mlgc a   # what it is", "mlgc b \\", "  c"))
        self.assert_found("README.md:4", "exit code 3", *self.block("mlgc a", "mlgc fail"))

    def test_files(self):
        self.assert_clean(*self.block("$ cat made", "text", "$ cat made bin/mlgc | head -1", "text"))
        self.assert_found("README.md:3", "prints something else", *self.block("$ cat docs/other.md", "text"))
        self.assert_clean(*self.page("<!-- docs: file a.txt -->\n\n```\ntext\n```\n\n    $ cat a.txt\n    text\n"))

    def test_prepared(self):
        self.assert_clean(*self.page("<!-- docs: run\necho text > a.txt -->\n\n    $ cat a.txt\n    text\n"))
        self.assert_found("README.md:1", "exit code 1", *self.page("<!-- docs: run false -->\n\n    $ mlgc a\n"))

    def test_skipped(self):
        self.assert_clean(*self.page("<!-- docs: skip a GPU -->\n\n    $ mlgc fail\n"))
        self.assert_found("README.md:1", "`docs: skip`", *self.page("<!-- docs: skip -->\n\n    $ mlgc fail\n"))
        self.assert_found("README.md:3", "holds no command", *self.page("<!-- docs: skip it -->\n\n    text\n"))

    def test_link(self):
        self.write("docs/more/deep.md", "# A `deep` page: it\n\n[other](../other.md)\n")
        self.assert_clean(*self.page("# Page\n\n[other](docs/other.md#other), [here](#page), [deep](docs/more/deep.md#a-deep-page-it), "
                                     "[web](https://example.com#part)\n"))
        self.assert_found("README.md:1", "no `docs/none.md`", *self.page("[none](docs/none.md)\n"))
        self.assert_found("README.md:1", "no heading `#part`", *self.page("[other](docs/other.md#part)\n"))
        self.assert_found("README.md:1", "no file `lib/none.h`", *self.page("see `lib/none.h`\n"))
        self.write("docs/more/deep.md", "[none](none.md)\n")
        self.assert_found("docs/more/deep.md:1", "no `none.md`", *self.page("[other](docs/other.md)\n"))

    def table(self, *rows):
        head = "<!-- docs: table -->\n\n| row | command | what comes out | state |\n|---|---|---|---|\n"
        return self.page(head + "".join(f"| {row} |\n" for row in rows))

    def test_table(self):
        self.assert_clean(*self.table("1 | `mlgc a` | `first`, then `sec…a` | works", "2 | `mlgc a \\| tail -1` | `second a` | partly",
                                      "3 | `mlgc fail` | `error: it` | works", "4 | `mlgc fail` | no form | not yet"))
        self.assert_found("README.md:5", "does not print", *self.table("1 | `mlgc a` | `second b` | works"))
        self.assert_found("README.md:5", "does not print", *self.table("1 | `mlgc a` | `second`, `first` | works"))
        self.assert_found("README.md:6", "works now", *self.table("1 | `mlgc a` | `a` | works", "2 | `mlgc b` | no form | not yet"))
        self.assert_clean(*self.table("1 | `mlgc a` | `a` | works", "2 | `mlgc b` | no form | not yet: the command"), "--update")
        self.assertIn("| 2 | `mlgc b` | `first` | works |\n", (self.root / "README.md").read_text(encoding="utf-8"))
        self.assert_found("README.md:5", "exit code 3", *self.table("1 | `mlgc fail` | `first` | works"))
        self.assert_found("README.md:5", "exit code 0", *self.table("1 | `mlgc a` | `error: it` | works"))
        self.assert_found("README.md:5", "nothing is compared", *self.table("1 | `mlgc a` | text | works"))
        self.assert_found("README.md:5", "one command", *self.table("1 | mlgc a | `first` | works"))
        self.assert_found("README.md:5", "the state `maybe`", *self.table("1 | `mlgc a` | `first` | maybe"))
        self.assert_found("README.md:3", "no column `state`",
                          *self.page("<!-- docs: table -->\n\n| command | what comes out |\n|---|---|\n| `mlgc a` | `a` |\n"))

    def test_build_tree(self):
        self.write("tools/python/m.py", "print(3)\n")
        self.assert_clean(*self.block("$ ls build", "release", "$ python3 -c 'import m'", "3"))

    def test_update(self):
        options = self.block("$ mlgc a", "?", "$ mlgc fail", "error: ?")
        self.assert_clean(*options, "--update")
        text = (self.root / "README.md").read_text(encoding="utf-8")
        self.assertEqual(text, "# Page\n\n    $ mlgc a\n    first\n    second a\n    $ mlgc fail\n    first\n    second fail\n"
                               "    error: it fails\n")


class Sizes(Tree):
    script = "check-sizes"

    def test_limit(self):
        self.write("lib/ir/a.cpp", "\n" * 800)
        self.assert_clean()
        self.write("lib/ir/a.cpp", "\n" * 801)
        self.assert_found("lib/ir/a.cpp:801", "801 lines")


class Classes(Tree):
    script = "check-classes"
    RECORD = "docs/decisions/01-why.md"

    def method(self, name, lines):
        return f"void {name}() {{\n" + "  f();\n" * (lines - 2) + "}\n"

    # A class of 3 lines with `methods` outside it, in the file of the class and in another.
    def large(self, lines_here, lines_there):
        self.write("lib/ir/a.h", "namespace m {\nclass A {\n  int x;\n};\n}\n")
        self.write("lib/ir/a.cpp", "namespace m {\n" + self.method("A::f", 90) * (lines_here // 90) + "}\n")
        self.write("lib/ir/b.cpp", "namespace m {\n" + self.method("A::g", 90) * (lines_there // 90) + "}\n")

    def admit(self, line):
        self.write(self.RECORD, "# Why\n")
        self.write("test/scripts/classes.txt", line + "\n")

    def sizes(self):
        result = self.run_check("--sizes", "9")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [" ".join(line.split()) for line in result.stdout.splitlines()]

    def test_class_over_files(self):
        self.large(270, 270)
        self.assert_clean()
        self.large(360, 270)
        self.assert_found("lib/ir/a.h:2", "class `m::A` has 633 lines over 3 files")

    def test_function(self):
        self.write("tools/x/a.cpp", self.method("f", 100))
        self.assert_clean()
        self.write("tools/x/a.cpp", "int x;\n\n" + self.method("f", 101))
        self.assert_found("tools/x/a.cpp:3", "function `f` has 101 lines")
        self.write("tools/x/a.cpp", "struct S {\n  int x{1};\n\n public:\n" + self.method("f", 101) + "};\n")
        self.assert_found("tools/x/a.cpp:5", "function `S::f` has 101 lines")

    def test_what_belongs_to_a_class(self):
        self.write("lib/ir/a.cpp",
                   "namespace m {\nclass B;\nclass A final : public B<int> {\n  struct Part { int x; };\n  class Impl;\n};\n"
                   "class A::Impl {\n  Impl();\n};\n"
                   "A::A(int x) : x_{x}, y_(x) {\n  f();\n}\n"
                   "template <class T>\nbool A::operator()(const T& other) const {\n  return x < other;\n}\n"
                   "A::Impl::Impl() = default;\nstd::vector<A::Part> A::Part::all(int n) {\n  return {};\n}\n}\n")
        self.assertEqual([line for line in self.sizes() if " class " in line], ["17 class m::A, lib/ir/a.cpp:3"])

    def test_what_is_no_class_and_no_function(self):
        self.write("lib/ir/a.cpp",
                   "enum class E { A };\nconst struct { int x; } rows[] = {{1}};\n"
                   "const auto f = [](int x) {\n  return x;\n};\n"
                   "/* class C { */\nconst char* text = R\"(\nclass D {\nvoid f() {\n)\";\n"
                   "#define E(x) \\\n  struct x {\nnamespace n { int y{2}; }\nint z = g(3);\n")
        self.assertEqual(self.sizes(), [])
        self.assert_clean()

    def test_one_name_in_two_files(self):
        text = "namespace {\nstruct S {\n  void f();\n};\n" + self.method("S::f", 90) * 4 + "}\n"
        self.write("lib/ir/a.cpp", text)
        self.write("lib/ir/b.cpp", text)
        self.assertEqual([line for line in self.sizes() if " class " in line],
                         ["363 class S, lib/ir/a.cpp:2", "363 class S, lib/ir/b.cpp:2"])
        # The same name in the open: a method belongs to the class of its folder.
        self.write("lib/ir/a.cpp", "struct S {\n};\n")
        self.write("lib/ir/b.cpp", self.method("S::f", 9))
        self.write("lib/text/a.cpp", "struct S {\n};\n")
        self.assertEqual([line for line in self.sizes() if " class " in line],
                         ["11 class S, lib/ir/a.cpp:1 and 1 more files", "2 class S, lib/text/a.cpp:1"])

    def test_admitted(self):
        self.large(360, 270)
        self.admit(f"class m::A 640 {self.RECORD}  # it is one table")
        self.assert_clean()
        self.admit(f"class m::A 630 {self.RECORD}")
        self.assert_found("lib/ir/a.h:2", "633 lines")
        self.admit("class m::A 640 docs/decisions/02-none.md")
        self.assert_found("test/scripts/classes.txt:1", "there is no docs/decisions/02-none.md")
        self.admit("m::A 640")
        self.assert_found("test/scripts/classes.txt:1", "a line is `class|function NAME LINES RECORD`")
        # What is no longer large loses its line.
        self.large(90, 90)
        self.admit(f"class m::A 640 {self.RECORD}")
        self.assert_found("test/scripts/classes.txt:1", "no class `m::A` has more than 600 lines")

    def test_brackets(self):
        self.write("lib/ir/a.cpp", "void f() {\n")
        self.assert_found("lib/ir/a.cpp:1", "brackets")


class Directives(Tree):
    script = "check-directives"
    RUN = "// RUN: mlgc opt %s | FileCheck %s\n"

    def found(self, line, what, run=RUN):
        self.write("test/text/a.mlir", run + line + "\n")
        self.assert_found("test/text/a.mlir:2", what)

    def clean(self, line, run=RUN):
        self.write("test/text/a.mlir", run + line + "\n")
        self.assert_clean()

    def test_real_directives(self):
        for word in ("CHECK", "CHECK-NEXT", "CHECK-LABEL", "CHECK-COUNT-3", "CHECK-NOT", "CHECK{LITERAL}", "XFAIL"):
            self.clean(f"// {word}: foo")

    def test_prose(self):
        for text in ("Check that the sum folds.", "A note: see below.", "NaN stays.", "RELU is kept.", "Fun: a word"):
            self.clean(f"// {text}")

    def test_missing_colon(self):
        self.found("// CHECK foo", "without a colon")
        self.found("// RUN mlgc opt", "without a colon")
        self.found("// CHECK : foo", "without a colon")
        self.found("// CHECK-NEXT foo", "without a colon")

    def test_wrong_case(self):
        self.found("// check: foo", "wrong case")
        self.found("// Run: foo", "wrong case")

    def test_misspelt(self):
        for word in ("CHCK", "CEHCK", "CHEKC-NEXT", "RNU", "REQIRES", "XFIAL", "UNSUPORTED"):
            self.found(f"// {word}: foo", "is no directive")
        for word in ("CHECK-NXT", "CHECK_NEXT", "CHECKNEXT"):
            self.found(f"// {word}: foo", "misspelt suffix")

    def test_prefix_nobody_reads(self):
        self.found("// CHECK: foo", "no RUN line gives", "// RUN: mlgc opt %s | FileCheck %s --check-prefix=OTHER\n")
        self.found("// FOO-NEXT: foo", "no RUN line gives")
        self.clean("// FOO-NEXT: foo", "// RUN: mlgc opt %s | FileCheck %s --check-prefixes=BAR,FOO\n")

    def test_any_text_in_a_diagnostic(self):
        for pattern in ("{{.*}}", "x {{.+}}", "`{{.*}}` is lost", "{{a|.*}}"):
            self.found(f"// CHECK: a.mlir:1:1: error: {pattern}", "any text fits a part of this diagnostic")
            self.found(f"CHECK-NEXT: mlgc: warning: {pattern}", "any text fits a part of this diagnostic")
            self.found(f"CHECK: note: {pattern}", "any text fits a part of this diagnostic")
        for text in ("{{.*}}a.mlir:1:1: error: lost", "error: {{[^ ]*}}/a: `{{[0-9.]+}}`", "an error: {{[.]*}}", "{{.*}}"):
            self.clean(f"// CHECK: {text}")
        self.clean("// Prose of an error: {{.*}} is refused.")

    def test_expected(self):
        run = "// RUN: mlgc opt --verify-diagnostics %s\n"
        self.clean("// expected-error@+1 {{undefined value}}", run)
        self.found("// expected-eror@+1 {{undefined value}}", "malformed", run)
        self.found("// expected-error {{undefined value}}", "no --verify-diagnostics")

    def test_no_run_line(self):
        self.write("test/text/a.mlir", "// nothing\n")
        self.assert_found("test/text/a.mlir:1", "no RUN line")

    def test_too_much_expected(self):
        self.clean("// CHECK: foo\n" * 40)
        self.write("test/text/a.mlir", self.RUN + "// CHECK: foo\n" * 41)
        self.assert_found("test/text/a.mlir:1", "41 expected lines")


class Rules(Tree):
    script = "check-rules"

    def setUp(self):
        super().setUp()
        self.write("lib/rewrite/rules/some.rules", "set s phase simplify\nrule add-zero : add(x, 0) => x  numerics exact\n")
        self.write("lib/transforms/code.cpp", 'std::array{\n    RewriteRule{.name = "if-same",\n}};\n')
        self.write("test/rules/one.mlir", "// CHECK: rule add-zero: 1\n// RULES-DAG: rule if-same: 12\n")

    def test_clean(self):
        self.assert_clean()

    def test_a_text_rule_without_a_golden(self):
        self.write("lib/rewrite/rules/more.rules", "set s phase once\n\nrule add-neg\n: add(a, neg(b)) => sub(a, b)\n")
        self.assert_found("lib/rewrite/rules/more.rules:3", "`rule add-neg: N`")

    def test_a_rule_in_code_without_a_golden(self):
        self.write("test/rules/one.mlir", "// CHECK: rule add-zero: 1\n")
        self.assert_found("lib/transforms/code.cpp:2", "`rule if-same: N`")

    def test_what_is_no_expectation_of_an_application(self):
        for line in ("// rule add-zero: 1\n", "// CHECK-NOT: rule add-zero: 1\n", "// CHECK: rule add-zero: 0\n",
                     "// CHECK: rule add-zero-float: 1\n", "rule add-zero: 1\n"):
            self.write("test/rules/one.mlir", line + "// CHECK: rule if-same: 1\n")
            self.assert_found("lib/rewrite/rules/some.rules:2", "`rule add-zero: N`")

    def test_a_tree_without_rules(self):
        (self.root / "lib/rewrite/rules/some.rules").unlink()
        (self.root / "lib/transforms/code.cpp").unlink()
        self.assertEqual(self.run_check().returncode, 1)


class Diagnostics(Tree):
    script = "check-diagnostics"
    EXEMPT = "-".join(("of", "no", "test"))  # in parts: the check reads this file too
    TABLE = """
inline constexpr DiagKind kExempt{
    .id = "EXEMPT",
    .message = "{what:text}",
};
inline constexpr DiagKind kUnknownThing{
    .id = "unknown-thing",
    .message = "there is no {what:text} that is "
               "called `{name:text}`",
};
inline constexpr std::array kTestKinds{&kExempt, &kUnknownThing};
"""

    def setUp(self):
        super().setUp()
        self.write("lib/diag/kinds_test.h", self.TABLE.replace("EXEMPT", self.EXEMPT))
        self.write("lib/diag/examples/test.txt", f"# {self.EXEMPT}\n? Not provoked: nothing can.\n")
        self.write("test/errors/other.mlir", "// CHECK: there is no thing\n")

    def test_unprovoked(self):
        self.assert_found("kinds_test.h", "`unknown-thing` is provoked by no test")

    def test_provoked(self):
        for line in ("// CHECK: there is no thing that is called `a`\n", "// expected-error [unknown-thing] {{a}}\n",
                     'CHECK(finds("unknown-thing"));\n', "diagnose<kUnknownThing>({}, 1, 2);\n"):
            self.write("test/errors/one.mlir", line)
            self.assert_clean()

    def test_provoked_by_an_example(self):
        self.write("lib/diag/examples/other.txt", "# unknown-thing\n$ mlgc opt thing.mlir\n")
        self.assert_clean()

    def test_a_row_in_one_line(self):
        row = 'inline constexpr DiagKind kShort{.id = "short", .message = "it is {how:text}; no longer"};\n'
        self.write("test/errors/one.mlir", "// CHECK: there is no thing that is called `a`\n")
        self.write("lib/diag/kinds_test.h", row + self.TABLE.replace("EXEMPT", self.EXEMPT).replace("&kExempt", "&kExempt, &kShort"))
        self.assert_found("kinds_test.h", "`short` is provoked by no test")

    def test_a_kind_that_is_in_no_table(self):
        self.write("test/errors/one.mlir", "// CHECK: there is no thing that is called `a`\n")
        table = self.TABLE.replace("EXEMPT", self.EXEMPT).replace(", &kUnknownThing", "")
        self.write("lib/diag/kinds_test.h", table)
        self.assert_found("kinds_test.h", "kUnknownThing is not in the table")

    def test_idle_exemption(self):
        self.write("test/errors/one.mlir", f"// CHECK: [unknown-thing] [{self.EXEMPT}]\n")
        result = self.run_check()
        self.assertEqual((result.returncode, result.stdout),
                         (1, f"`{self.EXEMPT}` is exempt but provoked: drop the exemption\n"))


class Words(Tree):
    script = "check-words"

    def test_pages(self):
        self.write("README.md", "One op after the other, `one behind the other`.\n\n    behind\n\n```\nbehind\n```\n<!-- behind -->\n")
        self.assert_clean()
        self.write("docs/more/deep.md", "# Page\n\nOne op behind the other.\n")
        self.assert_found("docs/more/deep.md:3", "the field says after")
        self.write("docs/performance-log.md", "behind\n")
        self.write("docs/more/deep.md", "# Page\n")
        self.assert_clean()

    def test_texts(self):
        self.write("lib/ir/a.cpp", '// behind\nconst char* text = "one op";\nconst char* code = "`behind` is code";\n')
        self.assert_clean()
        self.write("lib/ir/a.cpp", '// a\nconst char* text = "one op behind the other";\n')
        self.assert_found("lib/ir/a.cpp:2", "the field says after")
        self.write("test/scripts/words.txt", "1 behind\n")
        self.assert_clean()
        self.write("lib/ir/a.cpp", '// a\nconst char* text = "behind one op", *other = "behind the other";\n')
        self.assert_found("test/scripts/words.txt:1", "`behind` is in 2 texts, 1 are admitted", "--update")
        self.write("lib/ir/a.cpp", '// a\nconst char* text = "one op";\n')
        self.assert_clean("--update")
        self.assertEqual((self.root / "test/scripts/words.txt").read_text(encoding="utf-8"), "")

    def test_other_meanings(self):
        self.write("lib/ir/a.cpp", '#include "aten/spelling.h"\nconst char *pass = "jam", *name = "it starts with a letter";\n')
        self.assert_clean()
        self.write("lib/ir/a.cpp", 'const char* text = "loops jam";\n')
        self.assert_found("lib/ir/a.cpp:1", "the field says unroll-and-jam")
        self.write("lib/ir/a.cpp", 'const char* text = "a\\nletter";\n')
        self.assert_found("lib/ir/a.cpp:1", "the field says index label")


class Format(Tree):
    script = "check-format"

    def test_planted(self):
        (self.root / ".clang-format").write_bytes((ROOT / ".clang-format").read_bytes())
        self.write("lib/ir/a.cpp", "int f() { return 1; }\n")
        if self.run_check().returncode == 77:
            self.skipTest("no clang-format")
        self.assert_clean()
        self.write("lib/ir/a.cpp", "int  f( ) {return 1;}\n")
        self.assert_found("lib/ir/a.cpp:1", "clang-format")
        self.assert_clean("--fix")
        self.assertEqual((self.root / "lib/ir/a.cpp").read_text(encoding="utf-8"), "int f() { return 1; }\n")


class LitTree(Tree):
    """Runs in a build folder of its own, whose lit configuration names only tools."""

    def run_lit(self, script, *args):
        tools = {tool: shutil.which(tool) or shutil.which(tool + "-19") or f"/usr/lib/llvm-19/bin/{tool}"
                 for tool in ("FileCheck", "not")}
        settings = {"source_dir": str(ROOT), "build_dir": str(self.root / "build"), "driver": "/bin/false",
                    "filecheck": tools["FileCheck"], "not": tools["not"], "mlir_opt": "", "python": sys.executable,
                    "cxx": "c++", "torch": False, "sanitize": False}
        self.write("build/test/lit.site.cfg.py",
                   "".join(f"config.mlgc_{name} = {value!r}\n" for name, value in settings.items())
                   + f"lit_config.load_config(config, {str(ROOT / 'test/lit.cfg.py')!r})\n")
        result = subprocess.run([ROOT / "scripts" / script, "--build", self.root / "build", "--python", sys.executable,
                                 *args], capture_output=True, text=True, check=False)
        if result.returncode == 77:
            self.skipTest(result.stderr)
        return result


class Goldens(LitTree):
    def run_check(self, *args):
        return self.run_lit("check-goldens-can-fail", "--root", self.root, *args)

    def test_planted(self):
        self.write("test/text/good.mlir", "// RUN: mlgc opt %s | FileCheck %s\n// CHECK: add\n")
        self.assert_clean()
        self.write("test/text/bad.mlir", "// RUN: mlgc opt %s | FileCheck %s\n// CHECK-NOT: add\n")
        self.assert_found("test/text/bad.mlir:1", "although the driver prints an empty module")


class WholeLines(LitTree):
    """Golden tests that state a part of a diagnostic fail."""

    RUN = ("// RUN: printf 'a.mlir:1:2: error: `x` is lost\\nmlgc: warning: late\\nb.mlir:3:1: note: `x` is here\\n'"
           " | FileCheck %s\n")

    def run_check(self, *args):
        return self.run_lit("run-goldens", f"-Dmlgc_test_root={self.root / 'test'}", *args)

    def result(self, *directives):
        self.write("test/text/a.mlir", self.RUN + "".join(f"// {directive}\n" for directive in directives))
        return self.run_check()

    def test_whole(self):
        for directives in (["CHECK: error: `x` is lost", "CHECK-NEXT: mlgc: warning: late"],
                           ["CHECK: a.mlir:1:2: error: `{{[a-z]}}` is lost"], ["CHECK: error: `x`", "CHECK-SAME: is lost"],
                           ["CHECK-DAG: warning: late", "CHECK-DAG: error: `x` is lost"], ["CHECK-NOT: error: `y`"],
                           ["CHECK: note: `x` is here"]):
            result = self.result(*directives)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_part(self):
        parts = {"a.mlir:1:2: error: `x` is lost": ("error: `x` is", "`x` is lost", "is lost"),
                 "mlgc: warning: late": ("warning: la", "late"), "b.mlir:3:1: note: `x` is here": ("note: `x`", "is here")}
        for whole, part in ((whole, part) for whole, some in parts.items() for part in some):
            result = self.result(f"CHECK: {part}")
            self.assertEqual(result.returncode, 1, part)
            self.assertIn(f"a.mlir:2:11: error: states a part of a diagnostic; the whole line is: {whole}\n", result.stdout)

    def test_part_in_a_file(self):
        self.write("test/text/a.mlir", "// RUN: printf 'error: lost' > %t\n"
                   "// RUN: FileCheck %s --input-file=%t\n// CHECK: error: lo\n")
        self.assertEqual(self.run_check().returncode, 1)


class Update(Tree):
    script = "update-tests"
    OLD = """// RUN: mlgc opt %s | FileCheck %s
// CHECK-LABEL: func @g
// CHECK-NEXT: old
// CHECK: part
// CHECK-NOT: gone
func @g() {
"""
    NEW = """// RUN: mlgc opt %s | FileCheck %s
// CHECK-LABEL: func @g() {
// CHECK-NEXT:   %0 = constant {{\\[\\[}}1, 2]]
// CHECK-EMPTY:
// CHECK-NEXT:   return
// CHECK-NEXT: }
// CHECK: part
// CHECK-NOT: gone
func @g() {
"""

    def run_check(self, *args):
        driver = self.root / "driver"
        driver.write_text("#!/bin/sh\nprintf 'func @gg() {\\n}\\nfunc @g() {\\n  %%0 = constant [[1, 2]]\\n\\n  return\\n}\\n"
                          "a part\\n'\n", encoding="utf-8")
        driver.chmod(0o755)
        return subprocess.run([ROOT / "scripts" / self.script, "--driver", driver, *args, self.root / "a.mlir"],
                              capture_output=True, text=True, check=False)

    def test_shows_then_writes_then_holds(self):
        self.write("a.mlir", self.OLD)
        shown = self.run_check()
        self.assertEqual((shown.returncode, "+// CHECK-EMPTY:" in shown.stdout), (1, True), shown.stdout + shown.stderr)
        self.assertEqual((self.root / "a.mlir").read_text(encoding="utf-8"), self.OLD)
        self.assertEqual(self.run_check("--yes").returncode, 0)
        self.assertEqual((self.root / "a.mlir").read_text(encoding="utf-8"), self.NEW)
        self.assert_clean()

    def test_block_not_printed(self):
        self.write("a.mlir", self.OLD.replace("CHECK: part", "CHECK: nowhere"))
        result = self.run_check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("a.mlir:4: error: nothing printed matches", result.stderr)


class Plot(Tree):
    script = "plot"

    def run_check(self, *args):
        return subprocess.run([ROOT / "scripts" / self.script, *args], capture_output=True, text=True, check=False)

    def curves_of(self, *args):
        """The points of each curve that was drawn."""
        output = self.root / "out.svg"
        self.assert_clean(*args, "-o", output)
        svg = xml.dom.minidom.parse(str(output))
        return [path.getAttribute("d") for path in svg.getElementsByTagName("path")]

    def test_json(self):
        self.write("a.json", '[{"name": "a < b", "values": [2, 1, 0]}, {"name": "c", "values": [0, 2]}]')
        self.assertEqual(self.curves_of(self.root / "a.json"), ["M64.0 40.0 L384.0 196.0 L704.0 352.0",
                                                                "M64.0 352.0 L384.0 40.0"])

    def test_csv_with_a_gap(self):
        self.write("a.csv", "a,b\n1,100\n,10\n100,1\n")
        self.assertEqual(self.curves_of(self.root / "a.csv", "--log"), ["M64.0 352.0 M704.0 40.0",
                                                                        "M64.0 40.0 L384.0 196.0 L704.0 352.0"])

    def test_refused(self):
        for name, text, flags, what in (("a.csv", "a\n0\n", ["--log"], "--log: 0.0 is not above 0"),
                                        ("b.csv", "a\nmuch\n", [], "could not convert string to float: 'much'"),
                                        ("c.json", "[]", [], "there is no number to draw")):
            self.write(name, text)
            result = self.run_check(self.root / name, *flags)
            self.assertEqual(result.returncode, 1)
            self.assertIn(what, result.stderr)
            self.assertFalse((self.root / name).with_suffix(".svg").exists())


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-") and not hasattr(sys.modules[__name__], sys.argv[1]):
        sys.exit(f"no test class {sys.argv[1]}")
    unittest.main()
