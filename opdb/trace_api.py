#!/usr/bin/env python3
"""Measures which aten overloads the calls of PyTorch's Python API make, and what composite kernels are made of.

  trace_api.py --calls opdb/api_calls.tsv --out opdb/data [--samples N]

Needs torch and no accelerator. Writes traced_apis.tsv (a row a call of api_calls.tsv and direction, and a row an in-place method of PyTorch's
op_db), decompositions.tsv (overload -> the overloads without a composite kernel that it comes to) and composites.tsv (overload with a composite
kernel -> what it calls, nothing where that only looks at memory in another way; such overloads stand in exported programs). Every call runs on small CPU tensors
under a TorchDispatchMode, which sees what autograd and CompositeImplicit kernels leave; each overload that has a CompositeExplicit or a
generated structured kernel is then run by that kernel, under the mode again, so that its parts are seen. What PyTorch does only off the CPU
(dropout, fused recurrent cells, the choice in scaled_dot_product_attention) is not seen here: build_tables.py takes that from elsewhere.
"""
import argparse
import collections
import datetime
import pathlib
import sys
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_map_only

KEYS = ("CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd")
# Allocation, views of memory and copies between devices: every backend has them, and they say nothing of a call.
PLUMBING = {"empty.memory_format", "empty_strided", "as_strided", "_copy_from", "_copy_from_and_resize", "detach", "alias", "_to_copy", "copy_", "to.dtype", "lift_fresh"}


def name_of(func):
    return func._schema.name.removeprefix("aten::") + ("." + func._schema.overload_name if func._schema.overload_name else "")


def clones(values):
    return tree_map_only(torch.Tensor, lambda t: t.detach().clone() if t.layout == torch.strided else t, values)


class Trace(TorchDispatchMode):
    """Writes down the overloads that reach the mode, in order; `parts` is shared by nested traces."""

    def __init__(self, parts, depth=0):
        super().__init__()
        self.seen, self.parts, self.depth = {}, parts, depth

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = name_of(func)
        if not name.startswith("profiler::") and name not in PLUMBING - {"_to_copy", "copy_"}:
            self.seen[name] = None
        if name not in self.parts and self.depth < 6:
            self.parts[name] = None  # being worked out
            self.parts[name] = self.leaves(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def leaves(self, func, args, kwargs):
        for key in KEYS:
            if not torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key):
                continue
            try:
                args, kwargs = clones((args, kwargs))
                with Trace(self.parts, self.depth + 1) as inner:
                    func._op_dk(getattr(torch._C.DispatchKey, key), *args, **kwargs)
            except Exception:  # a composite that refuses these arguments: nothing is known of it
                return None
            found = {}
            for part in inner.seen:
                for leaf in self.parts.get(part) or [part]:
                    found[leaf] = None
            return [leaf for leaf in found if leaf not in PLUMBING]
        return None


def trace(parts, call):
    """The overloads of the call and of the backward pass of its result; None where there is none."""
    with Trace(parts) as forward:
        result = call()
    tensors = [t for t in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(t, torch.Tensor) and t.requires_grad and t.grad_fn]
    if not tensors:
        return list(forward.seen), None
    try:
        with Trace(parts) as backward:
            torch.autograd.grad(tensors, [p for p in INPUTS if p.requires_grad], [torch.ones_like(t) for t in tensors], allow_unused=True)
    except RuntimeError:  # no derivative
        return list(forward.seen), None
    return list(forward.seen), [o for o in backward.seen if o != "ones_like"]


INPUTS = []


def surroundings():
    """The names that the expressions of api_calls.tsv may use."""
    torch.manual_seed(0)

    def leaf(*shape):
        t = torch.rand(*shape) + 0.1
        t.requires_grad_()
        INPUTS.append(t)
        return t

    names = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn}
    names |= {"v": leaf(6), "x": leaf(4, 6), "y": leaf(4, 6), "s": leaf(5, 5), "seq": leaf(2, 5, 6), "img": leaf(2, 4, 8, 8), "vol": leaf(1, 2, 4, 4, 4)}
    names |= {"line": leaf(2, 4, 8), "bits": torch.tensor([[True, False, True, True, False, True]] * 4), "ids": torch.tensor([[0, 2, 1], [3, 1, 0]])}
    names |= {"n": torch.tensor([3, 1, 2, 1]), "i": torch.tensor(1), "labels": torch.tensor([0, 1, 2, 3]), "p": torch.rand(4, 6), "step": step}
    # What is made within a call would count as a part of it.
    names |= {"theta": torch.rand(2, 2, 3), "columns": torch.rand(1, 12, 9), "grid": torch.rand(2, 4, 4, 2), "four": torch.rand(4)}
    names |= {"plain": plain}
    return names


def plain(tensor):
    with _disable_current_modes():  # the copy that an in-place call may change is no part of the call
        return tensor.detach().clone()


def step(kind, **options):
    with _disable_current_modes():  # what makes the weights is no part of the step
        optimizer = optimizer_for(kind, options)
    optimizer.step()


def optimizer_for(kind, options):
    weights = [torch.nn.Parameter(torch.rand(3, 3)) for _ in range(2)]
    optimizer = getattr(torch.optim, kind)(weights, lr=0.1, **options)
    for w in weights:
        w.grad = torch.rand(3, 3)
    return optimizer


def read_calls(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#") or line.startswith("api\t"):
            continue
        cells = line.split("\t")
        if len(cells) != 3:
            sys.exit(f"{path}:{number}: is no row of api, when, call; see the head of the file")
        yield number, *cells


def trace_calls(path, parts):
    rows, names = [], surroundings()
    for number, api, when, call in read_calls(path):
        try:
            ways = trace(parts, lambda code=call: eval(code, names))
        except Exception as e:
            sys.exit(f"{path}:{number}: {call} raised {type(e).__name__}: {e}; mend the call")
        rows += [(api, when, way, " ".join(ops)) for way, ops in zip(("fw", "bw"), ways) if ops is not None]
    return rows


def trace_op_db(parts, most):
    """The in-place methods, and every overload's parts on the way."""
    from torch.testing._internal.common_methods_invocations import op_db
    seen = collections.defaultdict(collections.Counter)
    for info in (i for i in op_db if i.dtypes):
        dtype = torch.float32 if torch.float32 in info.dtypes else sorted(info.dtypes, key=str)[0]
        in_place = info.inplace_variant
        method = "torch.Tensor." + in_place.__name__ if in_place is not None and hasattr(torch.Tensor, getattr(in_place, "__name__", "-")) else None
        try:
            samples = [s for s, _ in zip(info.sample_inputs("cpu", dtype), range(most))]
        except Exception:
            continue
        for sample in samples:
            try:
                trace(parts, lambda s=sample: info.op(s.input, *s.args, **s.kwargs))
                if method and isinstance(sample.input, torch.Tensor):
                    copy = sample.input.detach().clone()
                    seen[method][" ".join(trace(parts, lambda s=sample, c=copy: in_place(c, *s.args, **s.kwargs))[0])] += 1
            except Exception:
                continue
    return [(api, "", "fw", found.most_common(1)[0][0]) for api, found in sorted(seen.items()) if found]


class Implicit(torch.fx.Interpreter):
    """Runs a graph as torch.export would record it, and writes down what each CompositeImplicit overload of it calls."""

    def __init__(self, graph, parts, found):
        super().__init__(graph)
        self.parts, self.found = parts, found

    def call_function(self, target, args, kwargs):
        if not isinstance(target, torch._ops.OpOverload) or not target.name().startswith("aten::"):
            return super().call_function(target, args, kwargs)
        with Trace(self.parts) as inner:
            result = target(*args, **kwargs)
        if torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), "CompositeImplicitAutograd"):
            self.found[name_of(target)][" ".join(o for o in inner.seen if o not in PLUMBING)] += 1
        return result


# Of overloads that no sample reaches: calls that arguments made up from the schema would not give.
MORE = ["F.embedding_bag(ids, x)", "F.nll_loss(s[:4], labels)", "torch.split(x, [1, 3])", "F.conv1d(line, torch.ones(2, 4, 3), padding='same')",
        "F.conv2d(img, torch.ones(2, 4, 3, 3), padding='same')", "F.interpolate(vol, scale_factor=2)",
        "torch.tensor_split(x, 2)", "torch.tensor_split(x, (1, 2))", "torch.meshgrid(v, v)",
        "torch.quantile(x, 0.5)", "torch.where(x > y, x, 0.0)", "torch.where(x > y, 0.0, 1.0)", "x.to(y)", "torch.movedim(x, 0, 1)"]


def made_up(overload, x):
    """Arguments of the kinds that the schema asks for; what has a default keeps it."""
    made = []
    for arg in (a for a in overload._schema.arguments if not a.has_default_value() and not a.kwarg_only):
        kind = str(arg.type)
        made.append(plain(x) if kind == "Tensor" else [plain(x), plain(x)] if kind == "List[Tensor]" else 0 if "dim" in arg.name or "axis" in arg.name
                    else 0.5 if kind in ("float", "number") else False if kind == "bool" else 1)
    return made


def trace_made_up(parts, found, x):
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::") or "backward" in name or "out" in name.partition(".")[2]:
            continue
        base, _, overload = name.removeprefix("aten::").partition(".")
        op = getattr(getattr(torch.ops.aten, base), overload or "default")
        if name_of(op) in found or not torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"):
            continue
        try:
            with Trace(parts) as inner:
                op(*made_up(op, x))
            found[name_of(op)][" ".join(o for o in inner.seen if o not in PLUMBING)] += 1
        except Exception:  # made up too simply
            continue


def trace_composites(calls, parts, most):
    """Overload -> what most of its calls come to."""
    from torch.testing._internal.common_methods_invocations import op_db
    found, names = collections.defaultdict(collections.Counter), surroundings()
    runs = [lambda code=call: eval(code, names) for call in [row[3] for row in read_calls(calls)] + MORE]
    for info in (i for i in op_db if i.dtypes and most):
        dtype = torch.float32 if torch.float32 in info.dtypes else sorted(info.dtypes, key=str)[0]
        try:
            samples = [s for s, _ in zip(info.sample_inputs("cpu", dtype), range(most))]
        except Exception:
            continue
        runs += [lambda i=info, s=sample: i.op(s.input, *s.args, **s.kwargs) for sample in samples]
    for run in runs:
        try:
            Implicit(make_fx(lambda: run(), pre_dispatch=True)(), parts, found).run()
        except Exception:  # what cannot be exported stands in no exported program
            continue
    trace_made_up(parts, found, names["x"])
    rows = {op: " ".join(leaves) for op, leaves in parts.items() if leaves is not None}
    return sorted((rows | {op: seen.most_common(1)[0][0] for op, seen in found.items()}).items())


def write(path, about, header, rows):
    head = [f"# {about}", f"# source: torch {torch.__version__} (BSD-3-Clause), measured {datetime.date.today()} by opdb/trace_api.py on a CPU", header]
    path.write_text("\n".join(head + ["\t".join(row) for row in rows]) + "\n")
    print(path.name, len(rows), "rows")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--calls", type=pathlib.Path, required=True)
    ap.add_argument("--out", type=pathlib.Path, required=True)
    ap.add_argument("--samples", type=int, default=6, help="per entry of op_db")
    a = ap.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    parts = {}
    rows = trace_calls(a.calls, parts)
    if a.samples:
        rows += trace_op_db(parts, a.samples)
    write(a.out / "traced_apis.tsv", "Python API -> aten overloads below autograd, for the calls of opdb/api_calls.tsv and the in-place methods of op_db",
          "api\twhen\tdirection\tops", rows)
    write(a.out / "decompositions.tsv", "aten overload with a composite or structured kernel -> the overloads that this kernel comes to, allocation left out",
          "op\tparts", [(op, " ".join(leaves)) for op, leaves in sorted(parts.items()) if leaves])
    write(a.out / "composites.tsv", "aten overload with a composite kernel -> the overloads that it calls in most of the calls measured, plumbing left out",
          "op\tparts", trace_composites(a.calls, parts, min(a.samples, 3)))


main()
