#!/usr/bin/env python3
"""What a scan says with torchport-clang beside it, and that nothing that it is given to read does harm. $TORCHPORT_RELEASE."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parent.parent
TOOL = pathlib.Path(os.environ.get("TORCHPORT_RELEASE") or REPO / "build/release/torchport")
WORKER = TOOL.parent / "torchport-clang"

FILES = {
    "csrc/area.cu": """#include <torch/extension.h>
#include "warp.cuh"
#define LAUNCH(kernel, n, ...) kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(__VA_ARGS__)
template <typename T, int N>
__global__ void area_kernel(const T* x, float* out) {
  __shared__ float tile[64];
  out[threadIdx.x] += WARP_SUM(x[0]);
  atomicAdd(&out[0], sum_all(tile));
}
template <typename T>
__global__ void other_kernel(T* x) { asm volatile("{ .reg .pred p; membar.gl; }"); }
at::Tensor area_cuda(at::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "no");
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "area", [&] {
    LAUNCH((area_kernel<scalar_t, 4>), x.numel(), x.data_ptr<scalar_t>(), out.data_ptr<float>());
  });
  auto chosen = &other_kernel<float>;
  chosen<<<1, 32>>>(x.data_ptr<float>());
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("area", &area_cuda); }
""",
    "csrc/include/warp.cuh": """#pragma once
#define WARP_SUM(v) __shfl_xor_sync(0xffffffff, v, 1)
struct Sum { __device__ float operator()(float* t) const { __syncwarp(); return t[0]; } };
__device__ inline float sum_all(float* t) { return Sum{}(t); }
""",
    "csrc/other.cuh": "__device__ inline float sum_all(float* t) { return __ldg(t); }\n",
}


def scan(files, *flags, worker=True, stderr=None):
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in files.items():
            path = pathlib.Path(tmp) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        env = {k: v for k, v in os.environ.items() if k != "TORCHPORT_CLANG_WORKER"}
        if not worker:
            env["TORCHPORT_CLANG_WORKER"] = ""
        flags = [f.replace("TMP", tmp) for f in flags]
        run = subprocess.run([TOOL, "scan", "--format", "json", *flags, tmp], capture_output=True, text=True, env=env)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout.replace(tmp, "TMP"))


def kernels(data):
    return {f["symbol"]: f["kernel"] for f in data["findings"] if "kernel" in f}


class Facts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = scan(FILES)

    def test_the_stubs_are_without_fault(self):
        run = subprocess.run([WORKER, "--check-stubs"], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_a_kernel_in_full(self):
        kernel = kernels(self.data)["area_kernel"]
        self.assertEqual(kernel["source"], "ast")
        self.assertEqual((kernel["parameters"], kernel["template"]), (["const T *x", "float *out"], ["typename T", "int N"]))
        self.assertEqual((kernel["shared_bytes"], kernel["shared_bytes_open"], kernel["atomics"]), (256, False, ["atomicAdd(float)"]))
        # Through a macro, and through a member of a helper in the header that is included, not through one of its name elsewhere.
        self.assertEqual(kernel["features_beyond_tokens"], ["warp-shuffle"])
        self.assertEqual(kernel["features"], ["shared-memory", "warp-shuffle", "warp-barrier", "atomics"])
        self.assertEqual(kernels(self.data)["other_kernel"]["instructions"], ["membar.gl"])

    def test_a_launch_within_a_macro(self):
        kernel = kernels(self.data)["area_kernel"]
        self.assertEqual([(p["path"], p["line"]) for p in kernel["launches"]], [("csrc/area.cu", 16)])
        self.assertEqual([p["symbol"] for p in kernel["reached_from"]], ["area"])
        found = {f["line"]: f for f in self.data["findings"] if "launch" in f}
        launch = found[3]["launch"]
        self.assertEqual([k["symbol"] for k in launch["kernels"]], ["area_kernel"])
        self.assertEqual([(u["line"], u["block"]) for u in launch["uses"]], [(16, "256")])
        self.assertEqual(launch["dispatch"], "AT_DISPATCH_FLOATING_TYPES")
        self.assertTrue(found[3]["message"].endswith("kernel: area_kernel"), found[3]["message"])

    def test_a_launch_through_a_variable(self):
        launch = [f["launch"] for f in self.data["findings"] if "launch" in f and f["line"] == 19][0]
        self.assertEqual([k["symbol"] for k in launch["kernels"]], ["other_kernel"])
        self.assertEqual((launch["grid"], launch["block"], launch["tensors"]), ("1", "32", ["x"]))

    def test_launches_through_fields_and_functions(self):
        text = """struct Choice { void* kernel; int n; };
template <class T> __global__ void one(T* x) {}
template <class T> __global__ void two(T* x) {}
template <class T> __global__ void three(T* x) {}
__global__ void never(int* x) { one<int><<<1, 1>>>(x); }
template <class T> Choice choose(int n) { if (n > 1) return {(void*)one<T>, 1}; Choice c; c = {(void*)two<T>, 2}; return c; }
template <class T> void* pick() { return (void*)three<T>; }
void run(at::Tensor x, void** args) {
  Choice choice = choose<float>(3);
  float* data = x.data_ptr<float>();
  cudaLaunchKernel(choice.kernel, dim3(1), dim3(32), args, 0, 0);
  void* kernel = pick<float>();
  cudaLaunchKernel(kernel, dim3(1), dim3(32), args, 0, 0);
  one<float><<<1, 1>>>(data);
}
"""
        data = scan({"a.cu": text})
        launches = {f["line"]: f["launch"] for f in data["findings"] if "launch" in f}
        self.assertEqual({line: [k["symbol"] for k in launch["kernels"]] for line, launch in launches.items()}, {5: ["one"], 11: ["one", "two"], 13: ["three"], 14: ["one"]})
        self.assertEqual(launches[14]["tensors"], ["x"])
        self.assertIn("dynamic-parallelism", kernels(data)["never"]["features"])

    def test_what_a_member_belongs_to(self):
        self.assertEqual([f["receiver"] for f in self.data["findings"] if f["rule"] == "TP376"], ["at::Tensor"])

    def test_without_it_the_same_findings(self):
        key = lambda f: (f["path"], f["line"], f["column"], f["rule"], f["fingerprint"])
        without = scan(FILES, worker=False)
        self.assertEqual([key(f) for f in without["findings"]], [key(f) for f in self.data["findings"]])
        self.assertEqual({k["source"] for k in kernels(without).values()}, {"token"})

    def test_same_bytes_at_any_thread_count(self):
        many = dict(FILES, **{f"more/k{i}.cu": FILES["csrc/area.cu"].replace("area", f"area{i}") for i in range(12)})
        self.assertEqual(*[json.dumps(scan(many, "--jobs", jobs)) for jobs in ("1", "5")])

    def test_defines_of_a_build(self):
        files = {"csrc/k.cu": '#ifdef MY_WITH_CUDA\n#define K fast\n#else\n#define K slow\n#endif\n__global__ void fast(int) {}\n__global__ void slow(int) {}\nvoid f() { K<<<1, 1>>>(0); }\n'}
        launched = lambda data: [name for name, k in sorted(kernels(data).items()) if k["launches"]]
        self.assertEqual(launched(scan(files)), ["slow"])
        setup = {"setup.py": 'from torch.utils.cpp_extension import CUDAExtension\nmacros = []\nmacros += [("MY_WITH_CUDA", None)]\nCUDAExtension("a", ["csrc/k.cu"], define_macros=macros)\n'}
        self.assertEqual(launched(scan({**files, **setup})), ["fast"])
        database = [{"directory": "TMP", "file": "csrc/k.cu", "command": "nvcc -DMY_WITH_CUDA=1 -I/usr/include -c csrc/k.cu"}]
        with tempfile.TemporaryDirectory() as tmp:
            for name, text in files.items():
                path = pathlib.Path(tmp) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            (pathlib.Path(tmp) / "compile_commands.json").write_text(json.dumps(database).replace("TMP", tmp))
            run = subprocess.run([TOOL, "scan", "--format", "json", "-p", tmp, tmp], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(launched(json.loads(run.stdout)), ["fast"])


    def test_links_and_what_lies_outside_are_not_read(self):
        with tempfile.TemporaryDirectory() as tmp:
            outside, tree = pathlib.Path(tmp) / "outside", pathlib.Path(tmp) / "tree"
            outside.mkdir()
            tree.mkdir()
            (outside / "real.cuh").write_text("#define K fast\n")
            (tree / "link.cuh").symlink_to(outside / "real.cuh")
            for include in ("link.cuh", "../outside/real.cuh", str(outside / "real.cuh")):
                (tree / "k.cu").write_text(f'#include "{include}"\n#ifndef K\n#define K slow\n#endif\n__global__ void fast() {{}}\n__global__ void slow() {{}}\nvoid f() {{ K<<<1, 1>>>(); }}\n')
                run = subprocess.run([TOOL, "scan", "--format", "json", tree], capture_output=True, text=True)
                launched = [name for name, k in kernels(json.loads(run.stdout)).items() if k["launches"]]
                self.assertEqual(launched, ["slow"], include)


class Hostile(unittest.TestCase):
    GOOD = "__global__ void good(int* x) { x[0] = 1; }\nvoid f(int* x) { good<<<1, 1>>>(x); }\n"

    def partial(self, bad, most=12):
        # Of the processor, those of the worker too: the machine may be busy.
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        start = used()
        data = scan({"bad.cu": bad, "good.cu": self.GOOD}, "--jobs", "1")
        self.assertLess(used() - start, most)
        self.assertEqual(kernels(data)["good"]["source"], "ast")
        return [(p["path"], p["why"]) for p in data["files"]["partial"]]

    def test_deep_nesting(self):
        kernel = "__global__ void k() {}\n"
        for bad in ("(" * 200000, "{" * 100000, "[" * 100000, "int x = " + "-" * 200000 + "1;", "int x = " + "1+" * 200000 + "1;", "void f() {" + "if (1) " * 50000 + ";}"):
            self.partial(kernel + bad)

    def test_endless_templates_and_constants(self):
        self.partial("__global__ void k() {}\ntemplate <int N> struct A { static const int v = A<N + 1>::v + A<N + 2>::v; };\nint x = A<0>::v;\n")
        self.partial("__global__ void k() {}\nconstexpr int f(int n) { return n == 0 ? 0 : f(n - 1) + f(n - 1); }\nstatic_assert(f(60) == 0);\nconstexpr int g() { while (true) {} return 0; }\nint y[g()];\n")

    def test_a_macro_that_grows(self):
        bomb = "__global__ void k() {}\n#define A0 x + x + x + x + x + x + x + x\n" + "".join(f"#define A{i} A{i-1} + A{i-1} + A{i-1} + A{i-1} + A{i-1} + A{i-1} + A{i-1} + A{i-1}\n" for i in range(1, 12))
        partial = self.partial(bomb + "int x; int y = A11;\n")
        self.assertEqual([path for path, _ in partial], ["bad.cu"])
        self.assertIn("Clang", partial[0][1])

    def test_a_file_that_includes_itself(self):
        self.assertEqual(self.partial('__global__ void k() {}\n#include "bad.cu"\n'), [])

    def test_a_large_file(self):
        large = b"__global__ void k() {}\n" + b"int table[] = {" + b"1, " * (17 << 20) + b"};\n"
        self.assertEqual([path for path, _ in self.partial(large)], ["bad.cu"])

    def test_no_text(self):
        self.partial(b"__global__ void k() {}\n" + bytes(range(256)) * 1000)

    def test_marks_line_ends_and_what_is_not_closed(self):
        kernel = b"__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n"
        windows, mark = kernel.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf"
        for bad in (mark + kernel, windows, mark + windows, kernel + b'auto s = R"x(' + b"cuda " * 100000, kernel + b'auto s = R"',
                    kernel + b"\0\0int a;\0", kernel + b"#define A \\\n" * 100000 + b"cuda\n", kernel + b"#if A\n" * 50000):
            self.assertEqual(self.partial(bad), [])
            data = scan({"bad.cu": bad})
            self.assertEqual([(k["source"], [p["line"] for p in k["launches"]]) for k in kernels(data).values()], [("ast", [2])], bad[:80])
            without = scan({"bad.cu": bad}, worker=False)
            self.assertEqual([f["fingerprint"] for f in data["findings"]], [f["fingerprint"] for f in without["findings"]])
        self.assertEqual(self.partial(kernel + b"/*" + b"cuda " * 100000), [("bad.cu", "a comment is not closed; what it swallows was not analysed")])

    def test_a_worker_that_is_none(self):
        with tempfile.TemporaryDirectory() as tmp:
            (pathlib.Path(tmp) / "good.cu").write_text(self.GOOD)
            for worker in ("/bin/false", "/bin/cat"):
                run = subprocess.run([TOOL, "scan", "--format", "json", tmp], capture_output=True, text=True, env=dict(os.environ, TORCHPORT_CLANG_WORKER=worker))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual([p["path"] for p in json.loads(run.stdout)["files"]["partial"]], ["good.cu"])
            run = subprocess.run([TOOL, "scan", tmp], capture_output=True, text=True, env=dict(os.environ, TORCHPORT_CLANG_WORKER="/nowhere"))
            self.assertEqual(run.returncode, 2)
            self.assertIn("TORCHPORT_CLANG_WORKER", run.stderr)


if __name__ == "__main__":
    if not WORKER.exists():
        print(f"skipped: no {WORKER}; it is built where Clang's libraries are")
        sys.exit(77)
    unittest.main()
