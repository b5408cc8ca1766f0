"""`torchport opdb probe`: what the dispatcher says of a backend is what the backend registers, from C++ and from Python."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch

import support

ROOT = pathlib.Path(torch.__file__).resolve().parent
# A backend that registers four names, of which torch has no `absolutely`, and, when asked to, a fallback for all others.
LIBRARY = """#include <torch/library.h>
#include <cstdlib>
static void nothing(const c10::OperatorHandle&, c10::Stack*) {}
#define NOTHING torch::CppFunction::makeFromBoxedFunction<&nothing>()
TORCH_LIBRARY(own, m) { m.def("scale(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(own, PrivateUse1, m) { m.impl("scale", NOTHING); }
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("add.out", NOTHING);
  m.impl("view", NOTHING);
  m.impl("absolutely", NOTHING);
}
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) { m.impl("relu", NOTHING); }
TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { if (std::getenv("OWN_FALLBACK")) m.fallback(NOTHING); }
"""
MODULE = """import torch
print("own backend\\tloaded")
KERNELS = torch.library.Library("aten", "IMPL", "PrivateUse1")
KERNELS.impl("mul.Tensor", lambda *a: a[0])
KERNELS.impl("relu", lambda x: x)
"""


def probe(*words, code=0, env=()):
    run = support.call([support.TOOL, "opdb", "probe", *words], env={"TORCHPORT_PYTHON": sys.executable, **dict(env)})
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run.stdout if code == 0 else run.stderr


def rows(table):
    lines = [line.split("\t") for line in table.splitlines() if not line.startswith("# ")]
    assert lines[0] == ["op", "status", "evidence", "limits"]
    return {row[0]: row[1:] for row in lines[1:]}


class Probe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.tmp = pathlib.Path(cls.folder.name)
        cls.library = cls.tmp / "libown.so"
        (cls.tmp / "own.cpp").write_text(LIBRARY)
        subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-w", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "own.cpp", f"-L{ROOT / 'lib'}",
                        "-ltorch_cpu", "-lc10", "-o", cls.library], cwd=cls.tmp, check=True)

    def test_library(self):
        table = probe("--library", self.library, "--target", "npu")
        found = rows(table)
        self.assertEqual({op: row[0] for op, row in found.items()}, {"@missing": "raises", "aten::absolutely": "phantom", "aten::add.out": "native",
                                                                     "aten::view": "native", "own::scale": "native"})
        self.assertEqual(found["aten::view"][1], "own.cpp:7")
        self.assertRegex(table, rf"(?m)^# source: libown\.so, loaded into torch {torch.__version__.split('+')[0]}.*, \d{{4}}-\d\d-\d\d$")
        self.assertEqual(rows(probe("--library", self.library, "--target", "npu", env={"OWN_FALLBACK": "1"}))["@missing"][0], "unknown")

    def test_another_key(self):
        self.assertEqual(set(rows(probe("--library", self.library, "--target", "npu", "--key", "AutogradPrivateUse1"))), {"@missing", "aten::relu"})

    def test_module(self):
        (self.tmp / "own_backend.py").write_text(MODULE)
        table = probe("--python", "own_backend", "--target", "npu", env={"PYTHONPATH": str(self.tmp)})
        self.assertEqual({op: row[0] for op, row in rows(table).items()}, {"@missing": "raises", "aten::mul.Tensor": "native", "aten::relu": "native"})

    def test_the_table_is_used(self):
        table = self.tmp / "own.tsv"
        probe("--library", self.library, "--target", "npu", "--output", table)
        shown = lambda op: json.loads(support.call([support.TOOL, "opdb", "show", op, "--opdb", table, "--format", "json"]).stdout)["targets"]["npu"]
        self.assertEqual([shown(op)["support"] for op in ("aten::add.Tensor", "aten::view", "aten::relu", "aten::einsum")], ["native", "native", "unsupported", "composite"])

    def test_what_cannot_be_probed(self):
        (self.tmp / "no.so").write_text("no library\n")
        for words, said in ((("--library", self.tmp / "no.so"), "cannot be loaded"), (("--library", self.library, "--key", "NoSuchKey"), "NoSuchKey"),
                            (("--library", self.library, "--key", "XPU"), "registers nothing"), (("--python", "no_such_backend"), "cannot be imported"),
                            ((), "wants a backend"), (("--python", "a", "--library", "b"), "wants a backend")):
            error = probe(*words, "--target", "npu", code=2)
            self.assertIn(said, error)
            self.assertEqual(error.count("\n"), 1, error)
        self.assertIn("./dev torch", probe("--library", self.library, "--target", "npu", code=2, env={"TORCHPORT_PROBE": "/no/such/program"}))


if __name__ == "__main__":
    unittest.main()
