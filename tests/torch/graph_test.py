"""`torchport ops` of exported programs: what it lists is what the same modules do, and files made to do harm do none."""
import collections
import io
import json
import os
import pathlib
import pickle
import tempfile
import unittest
import zipfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import support

PLUMBING = {"aten::detach", "aten::lift_fresh_copy", "aten::alias", "aten::_assert_tensor_metadata", "aten::empty.memory_format"}
# What a run does by one overload and torch.export writes as another.
EXPORTED_AS = {"aten::native_batch_norm": "aten::_native_batch_norm_legit_no_training", "aten::upsample_bilinear2d": "aten::upsample_bilinear2d.vec",
               "aten::upsample_nearest2d": "aten::upsample_nearest2d.vec"}


class Vision(nn.Module):
    """Convolutions, a residual, a pyramid by interpolation, a head."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8)
        self.body, self.lateral, self.head = nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.Conv2d(8, 8, 1), nn.Linear(8, 5)

    def forward(self, x):
        low = F.max_pool2d(F.relu(self.norm(self.stem(x))), 2)
        high = F.relu(low + self.body(low))
        up = F.interpolate(self.lateral(high), scale_factor=2, mode="bilinear", align_corners=False)
        return F.log_softmax(self.head(F.adaptive_avg_pool2d(up, 1).flatten(1)), dim=-1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.before, self.after = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out, self.up, self.down = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.before(x)).chunk(3, dim=-1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.after(x))))


class Language(nn.Module):
    """A decoder of two blocks with learned positions and the embedding as its head."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(32, 16)
        self.blocks, self.norm = nn.ModuleList(Block(16, 2) for _ in range(2)), nn.LayerNorm(16)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.t()


class Diffusion(nn.Module):
    """A step of denoising: sines of the time, group norms, attention over pixels, down and up."""

    def __init__(self):
        super().__init__()
        self.time, self.enter, self.norm = nn.Linear(8, 8), nn.Conv2d(4, 8, 3, padding=1), nn.GroupNorm(2, 8)
        self.mix = nn.Conv2d(8, 24, 1)
        self.down, self.up, self.leave = nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1), nn.Conv2d(8, 4, 1)

    def forward(self, x, t):
        angles = t[:, None] * torch.exp(torch.arange(4, dtype=torch.float32) * -0.5)
        when = F.silu(self.time(torch.cat((angles.sin(), angles.cos()), dim=-1)))
        h = F.silu(self.norm(self.enter(x))) + when[:, :, None, None]
        h = self.down(h)
        query, key, value = self.mix(h).flatten(2).chunk(3, dim=1)
        weights = torch.softmax(torch.bmm(query.transpose(1, 2), key) * 8**-0.5, dim=-1)
        h = h + torch.bmm(value, weights.transpose(1, 2)).view(h.shape)
        return self.leave(F.interpolate(self.up(h), scale_factor=2.0, mode="nearest"))


MODELS = {"vision": (Vision, lambda: (torch.rand(2, 3, 16, 16),)), "language": (Language, lambda: (torch.randint(50, (2, 7)),)),
          "diffusion": (Diffusion, lambda: (torch.rand(2, 4, 8, 8), torch.rand(2)))}


# Takes apart what PyTorch takes apart before any device is asked, and nothing else.
IMPLICIT = {op: how for op, how in torch.export.default_decompositions().items()
            if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeImplicitAutograd")}


def name_of(overload):
    return overload._schema.name + ("." + overload._schema.overload_name if overload._schema.overload_name else "")


class Trace(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen[name_of(func)] += 1
        return func(*args, **(kwargs or {}))


def ops(path, *flags, code=0):
    run = support.call([support.TOOL, "ops", path, "--format", "json", *flags])
    assert run.returncode == code, (run.returncode, run.stdout[-500:], run.stderr)
    return json.loads(run.stdout) if code == 0 else run.stderr


def listed(report):
    return {row["operator"]: row["uses"] for row in report["operators"] if row["operator"] not in PLUMBING}


def without_plumbing(counts):
    return {op: n for op, n in counts.items() if op not in PLUMBING}


class Folder(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = pathlib.Path(tmp.name)


class SameAsTrace(Folder):
    maxDiff = None

    def each(self):
        return [(name, kind().eval(), inputs()) for name, (kind, inputs) in MODELS.items()]

    def test_exported(self):
        """The file says what the exported graph holds."""
        for name, model, inputs in self.each():
            program = torch.export.export(model, inputs)
            torch.export.save(program, self.tmp / f"{name}.pt2")
            report = ops(self.tmp / f"{name}.pt2")
            graph = collections.Counter(name_of(n.target) for n in program.graph.nodes if isinstance(n.target, torch._ops.OpOverload))
            self.assertEqual(listed(report), without_plumbing(graph))
            self.assertEqual(report["models"][0]["torch"], torch.__version__)
            for counts in report["counts"].values():
                self.assertEqual(sum(counts.values()), report["uses"])
                self.assertEqual(counts["unknown"], 0, [r for r in report["operators"] if any(t["support"] == "unknown" for t in r["targets"].values())])

    def test_decomposed(self):
        """Once taken apart, it says what a run of the module makes reach the dispatcher below autograd."""
        for name, model, inputs in self.each():
            program = torch.export.export(model, inputs).run_decompositions(IMPLICIT)
            torch.export.save(program, self.tmp / f"{name}.pt2")
            with Trace() as trace:
                model(*inputs)
            seen = {EXPORTED_AS.get(op, op): n for op, n in without_plumbing(trace.seen).items()}
            self.assertEqual(listed(ops(self.tmp / f"{name}.pt2")), seen)

    def test_torchscript(self):
        """Traced and saved, it says what the graph holds, the calls of submodules counted."""
        for name, model, inputs in self.each():
            traced = torch.jit.trace(model, inputs)
            traced.save(self.tmp / f"{name}.pt")
            graph = collections.Counter()
            for node in traced.inlined_graph.nodes():
                schema = node.schema()
                if node.kind().startswith("aten::") and "Tensor" in schema and not schema.startswith("aten::size"):
                    graph[schema.split("(")[0].replace("ScalarImplicit", "item").replace("Int.Tensor", "item")] += 1
            self.assertEqual(listed(ops(self.tmp / f"{name}.pt")), without_plumbing(graph))

    def test_what_a_graph_is_bound_to(self):
        class Bound(nn.Module):
            def forward(self, x):
                return (x.to(torch.float64) + torch.ones(1, dtype=torch.float64)).to(torch.bfloat16)

        batch = torch.export.Dim("batch", max=64)
        torch.export.save(torch.export.export(Bound(), (torch.rand(3, 4),), dynamic_shapes=({0: batch},)), self.tmp / "b.pt2")
        model = ops(self.tmp / "b.pt2")["models"][0]
        self.assertEqual(model["dtypes"], ["bfloat16", "float32", "float64"])
        self.assertEqual(list(model["symbols"].values()), ["0..64"])
        self.assertEqual(set(model["devices"]), {"cpu"})

        class Pinned(nn.Module):
            def forward(self, x):
                for _ in range(3):
                    x = x.to(torch.device("cuda:0")).to(torch.device("cuda:1"))
                return x

        torch.jit.script(Pinned()).save(self.tmp / "p.pt")
        self.assertEqual(ops(self.tmp / "p.pt")["models"][0]["devices"], {"cuda:0": {"constants": 1, "tensors": 0}, "cuda:1": {"constants": 1, "tensors": 0}})


class Evil:
    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


class Hostile(Folder):
    def setUp(self):
        super().setUp()
        self.mark = self.tmp / "ran"
        torch.jit.script(nn.Sequential(nn.Linear(3, 3), nn.ReLU())).save(self.tmp / "good.pt")
        self.parts = {}
        with zipfile.ZipFile(self.tmp / "good.pt") as archive:
            self.parts = {i.filename: archive.read(i) for i in archive.infolist()}

    def refused(self, path, said):
        error = ops(path, code=2)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertTrue(error.startswith(f"torchport: {path}: "), error)
        self.assertIn(said, error)
        self.assertFalse(self.mark.exists(), "it ran what the file told it to")

    def with_parts(self, changes, compression=zipfile.ZIP_STORED):
        path = self.tmp / "bad.pt"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, data in ({**self.parts, **{"good/" + k: v for k, v in changes.items()}}).items():
                archive.writestr(name, data)
        return path

    def test_pickles_are_not_run(self):
        torch.save(Evil(self.mark), self.tmp / "evil.pt")
        self.refused(self.tmp / "evil.pt", "pickled objects")
        (self.tmp / "bare.pt").write_bytes(pickle.dumps(Evil(self.mark)))
        self.refused(self.tmp / "bare.pt", "is no archive")
        for name in ("data.pkl", "constants.pkl"):
            path = self.with_parts({name: pickle.dumps(Evil(self.mark), protocol=2)})
            if name == "data.pkl":
                self.refused(path, "data.pkl")
            else:
                ops(path)  # the constants are never unpickled
        self.assertFalse(self.mark.exists())

    def test_code_is_not_run(self):
        code = next(n for n in self.parts if n.endswith("/__torch__.py") or "container" in n and n.endswith(".py"))
        text = self.parts[code].decode()
        evil = text.replace("input: Tensor)", f'input: Tensor, evil: int=torch.save(1, "{self.mark}"))')
        self.assertNotEqual(evil, text)
        self.refused(self.with_parts({code.removeprefix("good/"): evil}), "default value")
        state = text.replace("class Sequential(Module):", "class Sequential(Module):\n  def __setstate__(self, state: int) -> None:\n    torch.save(1, \"" + str(self.mark) + "\")\n")
        ops(self.with_parts({code.removeprefix("good/"): state}))
        self.assertFalse(self.mark.exists())

    def test_truncated_at_any_place(self):
        whole = (self.tmp / "good.pt").read_bytes()
        for part in (0, 1, 100, len(whole) // 2, len(whole) - 1):
            (self.tmp / "cut.pt").write_bytes(whole[:part])
            self.refused(self.tmp / "cut.pt", "; ")

    def test_other_versions(self):
        self.refused(self.with_parts({"version": b"999\n"}), "version")
        code = next(n for n in self.parts if n.endswith("linear.py") or "linear" in n and n.endswith(".py"))
        self.refused(self.with_parts({code.removeprefix("good/"): self.parts[code].replace(b"torch.linear(", b"torch.linear_of_2035(")}), "another version of torch")

    def test_too_large(self):
        bomb = b"#" * (80 << 20)
        path = self.with_parts({"code/__torch__/bomb.py": bomb}, zipfile.ZIP_DEFLATED)
        self.assertLess(path.stat().st_size, 1 << 20)
        self.refused(path, "larger than any")

    def test_deeply_nested_code(self):
        code = next(n for n in self.parts if "linear" in n and n.endswith(".py"))
        deep = self.parts[code].replace(b"torch.linear(input,", b"torch.linear(" + b"(" * 200000 + b"input" + b")" * 200000 + b",")
        self.refused(self.with_parts({code.removeprefix("good/"): deep}), "")

    def test_calls_that_double(self):
        """Sixty functions that each call the next one twice: 2^60 operators."""
        path, text = self.tmp / "twice.pt", "class Twice(Module):\n  __parameters__ = []\n  __buffers__ = []\n  def forward(self, x: Tensor) -> Tensor:\n    return (self).f0(x, )\n"
        for i in range(60):
            text += f"  def f{i}(self, x: Tensor) -> Tensor:\n    return (self).f{i + 1}((self).f{i + 1}(x, ), )\n"
        text += "  def f60(self, x: Tensor) -> Tensor:\n    return torch.relu(x)\n"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("t/data.pkl", b"\x80\x02c__torch__\nTwice\nq\x00)\x81}b.")
            archive.writestr("t/code/__torch__.py", text)
            archive.writestr("t/version", b"3\n")
        self.refused(path, "two thousand million")


if __name__ == "__main__":
    with torch.no_grad():
        unittest.main(warnings="ignore")  # torch calls TorchScript deprecated; people have such files
