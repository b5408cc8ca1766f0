"""The tables of operators against the torch installed: every API exists, every overload exists, and what instead.tsv offers gives the same."""
import functools
import inspect
import pathlib
import re
import unittest

import torch
import torch.distributed.nn  # a module that is there once it is imported
import torch.nn.functional as F

DATA = pathlib.Path(__file__).resolve().parents[2] / "opdb/data"


def rows(name):
    lines = [line for line in (DATA / name).read_text().splitlines() if line and not line.startswith("# ")]
    return [line.split("\t") for line in lines[1:]]


def near(a, b):
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


class Names(unittest.TestCase):
    def test_every_api_exists(self):
        for api in {row[0] for row in rows("apis.tsv")} | {row[0] for row in rows("instead.tsv")} | {row[0] for row in rows("tensor_makers.tsv")}:
            if not api.startswith("torchvision.") and not api.startswith("torch.ops."):
                functools.reduce(getattr, api.split("."), __import__("torch")) if api == "torch" else functools.reduce(getattr, api.split(".")[1:], torch)

    def test_conditions_name_the_place_of_their_argument(self):
        """`4/reduce=amax`: reduce is the fifth that the call takes, a method's tensor counted where the row is a function's."""
        for api, condition in sorted({(row[0], c) for row in rows("apis.tsv") for c in row[1].split()}):
            place = re.match(r"(\d+)/(\w+)=", condition)
            if not place or api.startswith("torchvision.") or condition.endswith("=absent"):
                continue
            function, at = functools.reduce(getattr, api.split(".")[1:], torch), int(place[1]) + api.startswith("torch.Tensor.")
            taken = []
            try:
                taken.append(list(inspect.signature(function).parameters))
            except ValueError:
                op = getattr(torch.ops.aten, api.split(".")[-1] if "linalg" not in api else "linalg_" + api.split(".")[-1])
                taken += [[a.name for a in getattr(op, o)._schema.arguments] for o in op.overloads()]
            if taken != [["args", "kwargs"]] and api != "torch.nn.functional.upsample":  # two functions in one; another name of interpolate, and shorter
                self.assertTrue(any(names[at:at + 1] == [place[2]] for names in taken), (api, condition, taken))

    def test_every_overload_exists(self):
        if not torch.__version__.startswith("2.13"):
            self.skipTest("the tables are of torch 2.13")
        known = {name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
        told = {row[0] for row in rows("aten.tsv")}
        self.assertEqual(told - known, set())


class Instead(unittest.TestCase):
    """Each equal form of instead.tsv, run."""

    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(3, 7)
        self.y = torch.randn(3, 7)
        self.img = torch.randn(2, 3, 6, 6)
        self.vol = torch.randn(2, 3, 4, 4, 4)

    def test_pools_of_size_one(self):
        near(F.adaptive_max_pool3d(self.vol, 1), self.vol.amax((-3, -2, -1), keepdim=True))
        near(F.adaptive_max_pool2d(self.img, 1), self.img.amax((-2, -1), keepdim=True))
        near(F.adaptive_avg_pool2d(self.img, 1), self.img.mean((-2, -1), keepdim=True))
        near(F.adaptive_avg_pool3d(self.vol, 1), self.vol.mean((-3, -2, -1), keepdim=True))
        near(F.adaptive_avg_pool2d(self.img, 3), self.img.reshape(2, 3, 3, 2, 3, 2).mean((3, 5)))

    def test_interpolate(self):
        near(F.interpolate(self.img, scale_factor=2), self.img.repeat_interleave(2, -1).repeat_interleave(2, -2))
        weights = F.interpolate(torch.eye(6)[None], size=9, mode="linear")[0]
        line = torch.randn(1, 2, 6)
        near(F.interpolate(line, size=9, mode="linear"), line @ weights)

    def test_activations_and_losses(self):
        x, y = self.x, self.y
        near(F.mish(x), x * torch.tanh(F.softplus(x)))
        d, beta = (x - y).abs(), 1.0
        near(F.smooth_l1_loss(x, y), torch.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta).mean())

    def test_order_statistics(self):
        x = self.x
        near(torch.kthvalue(x, 3).values, torch.topk(x, 3, largest=False).values[..., -1])
        near(torch.median(x, -1).values, torch.topk(x, (7 + 1) // 2, largest=False).values[..., -1])

    def test_order(self):
        x = self.x
        self.assertTrue(torch.equal(x.argmax(1), torch.topk(x, 1, 1).indices.squeeze(1)))
        self.assertTrue(torch.equal(x.argmin(1), torch.topk(x, 1, 1, largest=False).indices.squeeze(1)))
        near(torch.sort(x, 1).values, torch.topk(x, 7, 1, largest=False).values)
        self.assertTrue(torch.equal(torch.argsort(x, 1), torch.topk(x, 7, 1, largest=False).indices))
        near(x.min(1).values, -(-x).max(1).values)

    def test_rounding_and_moments(self):
        x = self.x * 3
        t = torch.trunc(x)
        near(torch.floor(x), torch.where(t > x, t - 1, t))
        near(torch.ceil(x), torch.where(t < x, t + 1, t))
        m = x.mean(1, keepdim=True)
        near(torch.var(x, 1), ((x - m) ** 2).sum(1) / (7 - 1))
        near(torch.std(x, 1), torch.sqrt(((x - m) ** 2).sum(1) / (7 - 1)))
        near(torch.exp2(x), torch.exp(x * 0.6931471805599453))
        near(torch.prod(x.abs(), 1), torch.exp(torch.log(x.abs()).sum(1)))

    def test_more_activations_and_losses(self):
        x, y = self.x, torch.rand(3, 7)
        near(F.mse_loss(x, y), ((x - y) ** 2).mean())
        near(F.leaky_relu(x, 0.1), torch.where(x > 0, x, 0.1 * x))
        near(F.elu(x, 0.5), torch.where(x > 0, x, 0.5 * (torch.exp(x) - 1)))
        near(F.logsigmoid(x), -F.softplus(-x))
        near(F.binary_cross_entropy_with_logits(x, y), (F.softplus(x) - x * y).mean())
        a, b = self.img.chunk(2, -1)
        near(F.glu(self.img), a * torch.sigmoid(b))

    def test_pools_and_norms(self):
        x, blocks = self.img, self.img.reshape(2, 3, 3, 2, 3, 2)
        near(F.max_pool2d(x, 2), blocks.amax((3, 5)))
        near(F.avg_pool2d(x, 2), blocks.mean((3, 5)))
        weight, bias, mean, var = torch.rand(3), torch.rand(3), torch.rand(3), torch.rand(3) + 0.1
        near(F.group_norm(x, 3, weight, bias), F.layer_norm(x.reshape(2, 3, -1), (1 * 6 * 6,)).reshape(x.shape) * weight[:, None, None] + bias[:, None, None])
        scale = weight / torch.sqrt(var + 1e-5)
        near(F.batch_norm(x, mean, var, weight, bias), x * scale[:, None, None] + (bias - mean * scale)[:, None, None])

    def test_scans(self):
        p = self.x.abs() + 0.1
        near(torch.cumprod(p, 1), torch.exp(torch.cumsum(torch.log(p), 1)))
        m = self.x.amax(1, keepdim=True)
        near(torch.logcumsumexp(self.x, 1), torch.log(torch.cumsum(torch.exp(self.x - m), 1)) + m)

    def test_elementwise(self):
        x, y = self.x, self.y
        near(torch.roll(x, 2, -1), torch.cat((x[..., -2:], x[..., :-2]), -1))
        near(torch.linspace(1, 3, 5), 1 + (3 - 1) / (5 - 1) * torch.arange(5))
        near(torch.maximum(x, y), torch.where(x > y, x, y))
        near(torch.minimum(x, y), torch.where(x < y, x, y))
        near(torch.nan_to_num(torch.tensor([1.0, float("nan")])), torch.where(torch.isfinite(torch.tensor([1.0, float("nan")])), torch.tensor([1.0, float("nan")]), 0.0))
        near(torch.addcdiv(x, y, x, value=2.0), x + 2.0 * y / x)
        near(torch.frac(x), x - torch.trunc(x))
        p = y.abs() + 0.1
        near(torch.xlogy(x, p), torch.where(x == 0, 0.0, x * torch.log(p)))
        m = torch.where(x > y, x, y)
        near(torch.logaddexp(x, y), m + torch.log(torch.exp(x - m) + torch.exp(y - m)))

    def test_counts(self):
        n = torch.tensor([3, 1, 3, 0])
        self.assertTrue(torch.equal(torch.bincount(n, minlength=5), F.one_hot(n, 5).sum(0)))
        self.assertEqual(torch.mode(n).values, torch.topk(F.one_hot(n, 5).sum(-2), 1).indices)

    def test_unpool(self):
        pooled, indices = F.max_pool2d(self.img, 2, return_indices=True)
        flat = torch.zeros(2, 3, 36).scatter(-1, indices.flatten(2), pooled.flatten(2))
        near(F.max_unpool2d(pooled, indices, 2), flat.view(2, 3, 6, 6))

    def test_sparse_product_by_index_add(self):
        index, values, x = torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0]), torch.randn(3, 4)
        out = torch.zeros(2, 4)
        out.index_add_(0, index[0], values[:, None] * x.index_select(0, index[1]))
        near(torch.sparse.mm(torch.sparse_coo_tensor(index, values, (2, 3)), x), out)


if __name__ == "__main__":
    unittest.main()
