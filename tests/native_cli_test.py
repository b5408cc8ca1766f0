#!/usr/bin/env python3
"""What a scan joins over C++, CUDA and Python: kernels in full, calls that reach them, sources in strings, translations. $TORCHPORT."""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TORCHPORT") or str(REPO / "build/release/torchport")

KERNEL = """#include <torch/extension.h>
#include "warp.cuh"
__global__ void area_kernel(float* x) {
  warp_sum(x);
}
void area_cuda(torch::Tensor x) {
  area_kernel<<<1, 32>>>(x.data_ptr<float>());
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("area", &area_cuda); }
"""
WARP = "__device__ void warp_sum(float* x) { x[0] += __shfl_xor_sync(0xffffffff, x[0], 1); }\n"
SETUP = 'from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension("pkg.shapes", ["area.cu"])\n'
CALL = """from . import shapes


def area(x):
    return shapes.area(x)


def guarded(x):
    return shapes.area(x) if x.is_cuda else x.sum()


def other(x):
    return x.area()
"""


def scan(files, *flags):
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in files.items():
            path = pathlib.Path(tmp) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([TOOL, "scan", "--format", "json", *flags, tmp], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)


class Joined(unittest.TestCase):
    files = {"csrc/area.cu": KERNEL, "csrc/warp.cuh": WARP, "setup.py": SETUP, "pkg/ops.py": CALL}

    def test_a_kernel_in_full(self):
        found = [f for f in scan(self.files, "--target", "neuron,rocm")["findings"] if f["rule"] == "TP330"]
        self.assertEqual([(f["path"], f["line"], f["symbol"]) for f in found], [("csrc/area.cu", 3, "area_kernel")])
        kernel = found[0]["kernel"]
        self.assertEqual((kernel["class"], kernel["lines"]), ("unknown", 3))
        self.assertEqual(kernel["features"], ["warp-shuffle", "assumes-32-lanes"])
        self.assertEqual([(p["path"], p["line"]) for p in kernel["launches"]], [("csrc/area.cu", 7)])
        self.assertEqual([(p["path"], p["line"], p["symbol"]) for p in kernel["reached_from"]],
                         [("csrc/area.cu", 9, "area"), ("pkg/ops.py", 5, "shapes.area"), ("pkg/ops.py", 9, "shapes.area")])
        self.assertEqual(found[0]["targets"]["rocm"]["impact"], "degrades")

    def test_calls_from_python(self):
        found = [f for f in scan(self.files)["findings"] if f["rule"] == "TP334"]
        self.assertEqual([(f["path"], f["line"], f["impact"]) for f in found], [("pkg/ops.py", 5, "blocks"), ("pkg/ops.py", 9, "degrades")])
        self.assertEqual(found[0]["message"], "reaches 1 CUDA kernel, 3 lines, warp-shuffle, assumes-32-lanes; no code for the CPU was found")

    def test_of_many_modules_the_one_that_is_called(self):
        bind = 'void %s(int a) { %s_kernel<<<1, 1>>>(a); }\n__global__ void %s_kernel(int a) {}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &%s); }\n'
        setup = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('one_x', sources=['a/one.cu'])\nCUDAExtension('two_x', sources=['a/two.cu'])\n"
        found = scan({"a/one.cu": bind % (("one",) * 4), "a/two.cu": bind % (("two",) * 4), "setup.py": setup,
                      "b.py": "import two_x\n\ntwo_x.forward(1)\nother.forward(2)\n"})["findings"]
        self.assertEqual([f["line"] for f in found if f["rule"] == "TP334"], [3])
        reached = {f["symbol"]: [p["path"] for p in f["kernel"]["reached_from"]] for f in found if "kernel" in f}
        self.assertEqual(reached, {"one_kernel": ["a/one.cu"], "two_kernel": ["a/two.cu", "b.py"]})

    def test_names_taken_out_of_an_extension(self):
        ext = ('__global__ void k(int a) {}\nvoid go(int a) { k<<<1, 1>>>(a); }\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n'
               '  m.def("run", &go);\n  m.def("lam", [](int a) { go(a); });\n}\n')
        setup = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('pkg.my_x', sources=['a/x.cu'])\n"
        uses = "from pkg.my_x import run as r\nimport pkg.my_x as M\nfrom pkg.other import run\n\nr(1)\nM.lam(1)\nrun(1)\n"
        found = scan({"a/x.cu": ext, "setup.py": setup, "b.py": uses, "pkg/__init__.py": ""})["findings"]
        self.assertEqual([f["line"] for f in found if f["rule"] == "TP334" and f["path"] == "b.py"], [5, 6])

    def test_an_allowed_call_is_no_unused_comment(self):
        files = dict(self.files, **{"pkg/ops.py": "from . import shapes\nimport torch\nprint(torch.cuda)\nshapes.area(1)  # torchport: allow TP334 -- ours\n"})
        found = scan(files)["findings"]
        self.assertEqual([f["line"] for f in found if f["rule"] == "TP334" and "suppressed" in f], [4])
        self.assertEqual([f for f in found if f["rule"] == "TP003"], [])

    def test_sources_in_strings(self):
        text = 'import x\nSOURCE = """\n__global__ void k(float* p) {\n}\n"""\nNOTE = "__global__ is a word (of CUDA)"\n'
        found = scan({"a.py": text})["findings"]
        self.assertEqual([(f["rule"], f["line"], f["column"], f["symbol"]) for f in found], [("TP330", 3, 1, "k")])

    def test_translations_are_left_out(self):
        data = scan({"a.cu": KERNEL, "a.hip": "// !!! This is a file automatically generated by hipify!!!\n" + KERNEL})
        self.assertEqual({f["path"] for f in data["findings"]}, {"a.cu"})
        self.assertEqual((data["files"]["left_out"], data["files"]["hipified"]), (1, 1))

    # By the names that torch.utils.hipify gives, where the CUDA file is there too.
    def test_translations_are_known_by_their_names(self):
        cuda = ["a/cuda/k.cu", "b/k_cuda.cpp", "c/CUDAThing.cu", "d/k.cu", "e/glue.cpp", "f/k.cu"]
        hip = ["a/hip/k.hip", "b/k_hip.cpp", "c/HIPThing.hip", "d/k.hip", "e/glue_hip.cpp", "f/hip/k.hip"]
        data = scan(dict.fromkeys(cuda + hip, KERNEL))
        self.assertEqual(sorted({f["path"] for f in data["findings"]}), cuda)
        self.assertEqual((data["files"]["left_out"], data["files"]["hipified"]), (6, 6))
        # What has no CUDA file beside it was written for HIP.
        own = scan(dict.fromkeys(hip + ["g/ship.cpp", "g/scuda.cu"], KERNEL))
        self.assertEqual(sorted({f["path"] for f in own["findings"]}), sorted(hip + ["g/ship.cpp", "g/scuda.cu"]))
        self.assertEqual(own["files"]["hipified"], 0)

    def test_the_summary_tells_of_translations(self):
        with tempfile.TemporaryDirectory() as tmp:
            for name in ("k.cu", "k.hip"):
                (pathlib.Path(tmp) / name).write_text(KERNEL)
            run = subprocess.run([TOOL, "scan", tmp], capture_output=True, text=True)
            self.assertIn("1 left out (vendored or generated; 1 by hipify)", run.stdout)
            named = subprocess.run([TOOL, "scan", pathlib.Path(tmp) / "k.hip"], capture_output=True, text=True)
            self.assertIn("TP330", named.stdout)

    # Whatever the file, fix comes to an end and the one beside it is mended.
    def test_fix_beside_files_that_nobody_wrote(self):
        glue = "#include <torch/extension.h>\nvoid f() { cudaDeviceSynchronize(); }\n"
        bombs = "".join(f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}\n" for i in range(1, 40)) + "int y = A39;\n"
        for bad in ("(" * 100000, "{" * 100000, "A<" * 20000, "#if A\n" * 20000, 'auto s = R"x(' + "cuda " * 20000, "\0" * 100, bombs, "int t[] = {" + "1, " * (17 << 20) + "};\n"):
            with tempfile.TemporaryDirectory() as tmp:
                path, good = pathlib.Path(tmp) / "bad.cpp", pathlib.Path(tmp) / "good.cpp"
                path.write_text(glue + bad)
                good.write_text(glue)
                used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
                start = used()
                run = subprocess.run([TOOL, "fix", "--unsafe", tmp], capture_output=True, text=True)
                self.assertLess(used() - start, 20, bad[:40])
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("at::accelerator::synchronizeDevice", good.read_text())
                self.assertTrue(path.read_text().endswith(bad))

    def test_same_bytes_at_any_thread_count(self):
        self.assertEqual(*[json.dumps(scan(self.files, "--jobs", jobs)["findings"]) for jobs in ("1", "4")])


if __name__ == "__main__":
    unittest.main()
