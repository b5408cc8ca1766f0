"""torchport opdb and torchport ops as people call them: what they print, in each format, and their exit codes."""
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

TORCHPORT = os.path.abspath(os.environ.get("TORCHPORT", "build/release/torchport"))
TARGETS = ["neuron", "tpu", "xpu", "mps", "npu", "xla", "rocm", "cuda", "cpu"]
CODE = """import torch
import torch.nn.functional as F

def f(x: torch.Tensor, mode):
    a = F.interpolate(x, scale_factor=2, mode="trilinear")
    b = F.interpolate(x, scale_factor=2, mode=mode)
    return F.relu(a) + b, F.relu(b)
"""


def call(*words, code=0):
    done = subprocess.run([TORCHPORT, *words], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code != 2 else done.stderr


class Opdb(unittest.TestCase):
    def test_show_knows_operators_of_other_libraries(self):
        shown = json.loads(call("opdb", "show", "c10d::send", "--format", "json"))["targets"]
        self.assertEqual(shown["neuron"]["support"], "unsupported")
        self.assertIn("backend.py at 98154b8", shown["neuron"]["evidence"])
        self.assertEqual((shown["tpu"]["support"], shown["mps"]["support"], shown["xpu"]["support"]), ("native", "unsupported", "native"))
        text = call("opdb", "show", "torchvision::nms")
        self.assertRegex(text, r"(?m)^  neuron +fallback +no kernel; ")
        self.assertRegex(text, r"(?m)^  npu +unknown +no kernel; the table is partial")

    def test_a_table_with_more_columns_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "own.tsv")
            table.write_text("# target: neuron\nop\tstatus\tevidence\tlimits\tsince\tuntil\naten::add.out\tnative\there\tno int64\t2.9\t2.12\naten::mul.out\tnative\there\t\t2.9\t\n")
            for op, limits in (("aten::add.out", "no int64"), ("aten::mul.out", "")):
                answer = json.loads(call("opdb", "show", op, "--format", "json", "--opdb", str(table)))["targets"]["neuron"]
                self.assertEqual((answer["support"], answer["limits"]), ("native", limits))
                self.assertTrue(answer["evidence"].startswith("here"), answer)
            self.assertIn("neuron: ", call("opdb", "list", "--opdb", str(table)))
            self.assertIn("aten::", call("opdb", "diff", "neuron", "cuda", "--opdb", str(table)))
            self.assertIn("aten::", call("opdb", "diff", "--old", str(table)))

    def test_show_says_of_each_target(self):
        shown = json.loads(call("opdb", "show", "aten::_adaptive_avg_pool2d", "--format", "json"))
        self.assertEqual(list(shown), ["op", "targets"])
        self.assertEqual(shown["op"], "aten::_adaptive_avg_pool2d")
        self.assertEqual(list(shown["targets"]), TARGETS)
        for answer in shown["targets"].values():
            self.assertEqual(list(answer), ["support", "evidence", "limits"])
            self.assertIn(answer["support"], ["native", "composite", "fallback", "unsupported", "unknown"])
            self.assertRegex(answer["evidence"], r"20\d\d-\d\d-\d\d")
        self.assertEqual([shown["targets"][t]["support"] for t in ("neuron", "tpu", "cuda")], ["fallback", "native", "native"])

    def test_show_takes_an_operator_without_its_overload(self):
        many = json.loads(call("opdb", "show", "aten::div", "--format", "json"))
        self.assertIn("aten::div.Tensor", [shown["op"] for shown in many])
        self.assertIn("reached by: torch.", call("opdb", "show", "aten::upsample_trilinear3d.out"))

    def test_wrong_words_are_errors(self):
        self.assertIn("did you mean \"index_put\"", call("opdb", "show", "aten::indx_put", code=2))
        self.assertIn("did you mean \"list\"", call("opdb", "lisst", code=2))
        self.assertIn("unknown target", call("opdb", "diff", "neuron", "tpy", code=2))
        self.assertIn("one target", call("opdb", "extract", ".", code=2))
        self.assertIn("unknown format", call("opdb", "list", "--format", "csv", code=2))

    def test_list_names_source_and_date(self):
        listed = json.loads(call("opdb", "list", "--format", "json"))
        self.assertEqual(list(listed["targets"]), TARGETS)
        for target, row in listed["targets"].items():
            self.assertEqual(sum(n for key, n in row.items() if key != "source"), 3110, target)
            self.assertRegex(" ".join(row["source"]), r"20\d\d-\d\d-\d\d", target)

    def test_list_says_which_table_is_partial(self):
        heads = [line for line in call("opdb", "list").splitlines() if line.partition(":")[0] in TARGETS]
        self.assertEqual([head.partition(":")[0] for head in heads], TARGETS)
        self.assertEqual([head.partition(":")[0] for head in heads if ": partial, " in head], ["npu"])

    def test_extract_finds_what_runs_and_nothing_else(self):
        """The forms of a backend in one small tree: C++, a loader that skips a package, tables in Python, names that torch has not."""
        files = {
            "backend/csrc/bindings.cpp": 'TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  m.impl("empty.memory_format", &f);\n  // m.impl("abs", &f);\n}\n'
                                         'TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {\n  m.fallback(torch::CppFunction::makeFromBoxedFunction<&at::native::cpu_fallback>());\n}\n',
            "backend/ops/__init__.py": "import pkgutil\nfor _, name, _ in pkgutil.walk_packages(__path__, __name__ + '.'):\n"
                                       "    if '.legacy' in name or '.old.' in name:\n        continue\n    importlib.import_module(name)\n",
            "backend/ops/add.py": "@register(['aten::add.Tensor', 'aten::add.out'])\nclass Add: pass\n\n@register('aten::div')\nclass Div: pass\n",
            "backend/ops/mapping.py": "ATEN_OP_MAPPING = {'erf': ['aten::erf', 'aten::erf.out']}\nNAMES = {'sin': ['aten::sin']}\n",
            "backend/ops/legacy/sub.py": "@register('aten::sub.Tensor')\nclass Sub: pass\n",
            "backend/ops/own.py": "own = torch.library.Library('mine', 'IMPL', 'PrivateUse1')\nown.impl('scale', f)\nown.impl('scale', f, 'CPU')\n"
                                  "aten = torch.library.Library('aten', 'IMPL')\n@torch.library.impl(aten, 'relu', 'PrivateUse1')\ndef relu(x): pass\n",
            "backend/tests/case.py": "@register('aten::mul.Tensor')\nclass Mul: pass\n"}
        with tempfile.TemporaryDirectory() as tmp:
            for name, text in files.items():
                path = pathlib.Path(tmp, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            table = call("opdb", "extract", str(pathlib.Path(tmp, "backend")), "--target", "mydev")
        self.assertIn("# registrations: 8 names under the key PrivateUse1, of which 1 name no overload of torch 2.13 (phantom)", table)
        rows = {row[0]: row[1:3] for row in csv.reader(io.StringIO(table), delimiter="\t") if "::" in row[0]}
        self.assertEqual({op: place for op, (_, place) in rows.items()}, {
            "aten::add.Tensor": "ops/add.py:1", "aten::add.out": "ops/add.py:1", "aten::div": "ops/add.py:4", "aten::empty.memory_format": "csrc/bindings.cpp:2",
            "aten::erf": "ops/mapping.py:1", "aten::erf.out": "ops/mapping.py:1", "aten::relu": "ops/own.py:5", "mine::scale": "ops/own.py:2"})
        self.assertEqual([op for op, (status, _) in rows.items() if status == "phantom"], ["aten::div"])
        self.assertIn("@missing\tcpu_fallback\tboxed fallback, csrc/bindings.cpp:5", table)

    def test_extract_of_two_repositories_names_both(self):
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
        with tempfile.TemporaryDirectory() as tmp:
            for name in ("adapter", "plugin"):
                folder = pathlib.Path(tmp, name)
                folder.mkdir()
                (folder / "k.cpp").write_text('TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("abs", &f); }\n')
                for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "kernels")):
                    subprocess.run([*git, "-C", str(folder), *words], check=True)
            self.assertRegex(call("opdb", "extract", tmp, "--target", "mydev"), r"# source: adapter, commit \w+, 20[-\d]+; plugin, commit \w+, 20[-\d]+\n")

    def test_diff_and_a_table_of_ones_own(self):
        self.assertIn("aten::upsample_linear1d\tfallback\tunsupported", call("opdb", "diff", "neuron", "tpu"))
        with tempfile.TemporaryDirectory() as tmp:
            kernels = pathlib.Path(tmp) / "src" / "k.cpp"
            kernels.parent.mkdir()
            kernels.write_text('TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  m.impl("relu", &f);\n}\n')
            table = pathlib.Path(tmp) / "ours.tsv"
            call("opdb", "extract", str(kernels.parent), "--target", "npu", "--output", str(table))
            shown = json.loads(call("opdb", "show", "aten::relu", "--format", "json", "--opdb", str(table)))
            self.assertEqual(shown["targets"]["npu"]["support"], "native")
            self.assertRegex(shown["targets"]["npu"]["evidence"], r"^k\.cpp:2 \[src, no git")
            self.assertIn("aten::relu\tnative\tunknown", call("opdb", "diff", "--old", str(table)))
            table.write_text("# target: npu\nop\tstatus\nrelu\tmaybe\n")
            self.assertIn("ours.tsv:3: unknown status", call("opdb", "list", "--opdb", str(table), code=2))


    def test_a_device_that_is_not_shipped(self):
        """Its table is made in one command and then it is a target like the others."""
        with tempfile.TemporaryDirectory() as tmp:
            kernels, table, code = (pathlib.Path(tmp) / name for name in ("k.cpp", "ours.tsv", "a.py"))
            kernels.write_text('TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n  m.impl("relu", &f);\n}\n'
                               'TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&at::native::cpu_fallback>()); }\n')
            call("opdb", "extract", tmp, "--target", "tensix", "--output", str(table))
            self.assertIn("# target: tensix\n", table.read_text())
            code.write_text("import torch\n\ndef f(x: torch.Tensor):\n    torch.cuda.synchronize()\n    return torch.relu(x), torch.erfinv(x)\n")
            used = ("--target", "tensix,tpu", "--opdb", str(table), "--format", "json")
            scanned = json.loads(call("scan", str(code), *used))
            self.assertEqual({f["symbol"]: f["targets"]["tensix"]["impact"] for f in scanned["findings"]}, {"torch.cuda.synchronize": "blocks", "torch.erfinv": "degrades"})
            self.assertEqual(scanned["ops"]["tensix"], {"native": 1, "composite": 0, "fallback": 1, "unsupported": 0, "unknown": 0, "possible": 0, "host": 0})
            self.assertIn("k.cpp:2", json.loads(call("opdb", "show", "aten::relu", "--opdb", str(table), "--format", "json"))["targets"]["tensix"]["evidence"])
            self.assertIn("aten::erfinv.out\tfallback\tnative", call("opdb", "diff", "tensix", "cuda", "--opdb", str(table)))
            self.assertIn("tensix", call("opdb", "list", "--opdb", str(table)))
            call("gate", str(code), "--fail-on", "tensix:blocks", *used[:-2], code=1)
            for words in (("scan", str(code), "--target", "tensix"), ("scan", str(code), "--target", "tensixx", "--opdb", str(table))):
                self.assertIn("unknown target", call(*words, code=2))
            self.assertIn("cannot be the name", call("opdb", "extract", tmp, "--target", "Ten six", code=2))
            table.write_text(table.read_text().replace("# target: tensix", "# target: Ten six"))
            self.assertIn("names no target", call("opdb", "list", "--opdb", str(table), code=2))


class Ops(unittest.TestCase):
    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.tmp.name) / "a.py"
        self.path.write_text(CODE)

    def tearDown(self):
        self.tmp.cleanup()

    def test_counts_add_up_and_agree_with_scan(self):
        ops = json.loads(call("ops", str(self.path), "--format", "json"))
        self.assertEqual(ops["schema"], "torchport.ops/1")
        self.assertEqual(ops["uses"], sum(row["uses"] for row in ops["operators"]))
        scanned = json.loads(call("scan", str(self.path), "--format", "json"))["ops"]
        for target in ("neuron", "tpu"):
            self.assertEqual(sum(ops["counts"][target].values()), ops["uses"])
            for word, n in ops["counts"][target].items():
                self.assertEqual(scanned[target][word], n)
        self.assertEqual(ops["counts"]["tpu"]["unsupported"], 1)
        self.assertEqual(ops["counts"]["tpu"]["unknown"], 1)

    def test_worst_come_first_with_places(self):
        ops = json.loads(call("ops", str(self.path), "--format", "json"))
        first = ops["operators"][0]
        self.assertEqual((first["operator"], first["condition"]), ("torch.nn.functional.interpolate", "3/mode=trilinear"))
        self.assertEqual(first["places"], [{"path": "a.py", "line": 5}])
        self.assertEqual(first["targets"]["tpu"], {"support": "unsupported", "lacks": "aten::upsample_trilinear3d.out",
                                                   "evidence": first["targets"]["tpu"]["evidence"]})
        self.assertNotEqual(first["targets"]["tpu"]["evidence"], "")

    def test_tables(self):
        rows = list(csv.DictReader(io.StringIO(call("ops", str(self.path), "--format", "csv", "--target", "tpu,mps"))))
        self.assertEqual((rows[0]["tpu"], rows[0]["mps"], rows[0]["where"]), ("unsupported", "native", "a.py:5"))
        self.assertIn("| `torch.nn.functional.interpolate` 3/mode=trilinear | 1 | fallback | unsupported |", call("ops", str(self.path), "--format", "markdown"))
        self.assertIn("a.py:7", call("ops", str(self.path)))
        for form in ("text", "markdown"):
            self.assertRegex(call("ops", str(self.path), "--format", form), r"(?m)^read from: neuron .* 98154b8, 2026-04-21; tpu .* 0421f1a, read 2026-11-29$")
        self.assertRegex(json.loads(call("ops", str(self.path), "--format", "json"))["database"]["sources"]["tpu"], r"20\d\d-\d\d-\d\d")

    def test_the_same_at_any_number_of_threads(self):
        for i in range(20):
            (self.path.parent / f"b{i}.py").write_text(CODE)
        one = call("ops", self.tmp.name, "--format", "json", "--jobs", "1")
        self.assertEqual(one, call("ops", self.tmp.name, "--format", "json", "--jobs", "4"))


if __name__ == "__main__":
    unittest.main()
