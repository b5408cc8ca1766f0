#!/usr/bin/env python3
"""Writes opdb/data/{aten,neuron,tpu,xpu,xla,npu,apis,composites}.tsv from what was read off the backends and measured of PyTorch.

  build_tables.py SOURCES --native-functions FILE [--measured opdb/measured] [--out opdb/data]

SOURCES holds a table a backend (op, status, evidence, limits or keys), intree.tsv (op, dispatch keys) and api_to_aten.tsv (what each entry of
PyTorch's op_db and module_db made reach a PrivateUse1 device without kernels); their first lines name the repositories, commits and dates and are
kept. FILE is PyTorch's native_functions.yaml, as a wheel has it under torchgen/packaged/ATen/native: which overloads are structured, and so run
through another. A target's table keeps only what does not follow from aten.tsv and its own rows that begin with `@`; README.md says what follows. The
program stops where a row that it leaves out would be read otherwise than the source says.
"""
import argparse
import pathlib
import re
import sys

TARGETS = {"neuron": "torchneuron.tsv", "tpu": "torchtpu.tsv", "xpu": "xpu.tsv", "xla": "torch_xla.tsv", "npu": "torch_npu.tsv"}
MISSING = {"xla": ("cpu_fallback", "a call of the CPU kernel, counted under aten::"), "npu": ("unknown", "the table is partial: kernels of op_plugin were not read")}
# What each answer cites; the first lines of a table say more.
CITE = {"neuron": "parmoham-aws/test-repo-parmoham 98154b8, 2026-04-21", "tpu": "jonathan1920/torch_tpu 0421f1a, read 2026-11-29",
        "xpu": "intel/torch-xpu-ops 21172da, 2026-06-12, and torch 2.13.0", "xla": "pytorch/xla 41398bfff3, 2026-04-23",
        "npu": "Ascend/pytorch 9e73e708a, 2026-08-21"}
FAILURES = {"neuron": "torchneuron_failures.tsv"}
FUNCTIONALIZES = {"xla": "in-place and out overloads run as their functional form: torch_xla traces under functionalization"}
PLUMBING = {"empty.memory_format", "empty_strided", "as_strided", "_copy_from", "_copy_from_and_resize", "detach", "alias", "_to_copy", "copy_", "to.dtype",
            "lift_fresh", "resize_", "set_.source_Storage_storage_offset", "resolve_conj", "resolve_neg"}
# How an entry of op_db differs from its API; `-`: the entry is a variant that people do not write.
VARIANTS = [(r"scatter_reduce\.(\w+)", "4/reduce={}"), (r"index_reduce\.(\w+)", "4/reduce={}"), (r".*\.eval", "-"), (r"nn\.\w+\.train", ""),
            (r".*\.(grad|chunked|chunked_none|singular|hermitian|partial_views|decomposed|triton_optimized|with_dtype|complex|list_args|multiple|unbiased|"
             r"in_place|without_cudnn|grad_oriented|subgradients_at_zero|tensor_overload|without_train|reduction_\w+|binary|mvlgamma_p_[35]|polygamma_n_[1-4]|"
             r"\w*_rounding\w*|decimals_\w+|fro|inf|nuc|offsets|list_of_tensors|number_mean)", "-")]
# The kernel that scaled_dot_product_attention asks the device for.
WHOLE = {"scaled_dot_product_attention": ["_scaled_dot_product_fused_attention_overrideable", "_scaled_dot_product_flash_attention",
                                          "_scaled_dot_product_attention_math_for_mps", "_scaled_dot_product_flash_attention_for_cpu"]}
# What PyTorch does on a device, where a trace on the CPU shows something else, and composites whose arguments the trace cannot make up (what they
# call: pytorch v2.13.0 aten/src/ATen/native, read 2026-11-30).
OFF_CPU = {"convolution": "convolution_overrideable", "dropout": "native_dropout", "gru.input": "@torch.nn.GRU", "lstm.input": "@torch.nn.LSTM",
           "scaled_dot_product_attention": "@torch.nn.functional.scaled_dot_product_attention", "lstm_cell": "@torch.nn.LSTMCell", "gru_cell": "@torch.nn.GRUCell",
           "rnn_tanh_cell": "@torch.nn.RNNCell", "rnn_relu_cell": "@torch.nn.RNNCell", "rnn_tanh.input": "@torch.nn.RNN", "rnn_relu.input": "@torch.nn.RNN",
           "item": "_local_scalar_dense", "nll_loss": "nll_loss_forward", "nll_loss2d": "nll_loss2d_forward", "embedding_bag": "_embedding_bag",
           "split.sizes": "split_with_sizes", "clip": "clamp", "clip_": "clamp_", "inverse": "linalg_inv_ex", "quantile": "@torch.quantile",
           "nanquantile": "@torch.nanquantile", "to.other": ""}
# Backward passes that PyTorch writes otherwise on the CPU, where they were traced: the entry of op_db to take instead.
AS_ENTRY = {("torch.max", "1/dim=absent other=absent", "bw"): "max.reduction_no_dim", ("torch.min", "1/dim=absent other=absent", "bw"): "min.reduction_no_dim"}
# Overloads that a call reaches only with such an argument.
ASKED_FOR = {"argsort.stable": "stable="}
# Entries about sparse tensors: rules judge these by the targets' policies.
NOT_DENSE = ("torch._C._sparse.", "torch.sparse.", "torch.Tensor.to_sparse")


def read(path):
    head, rows = [], []  # programs named in the first lines are not of this project
    for line in path.read_text().splitlines():
        if line.startswith("# ") and not rows:
            head.append(re.sub(r" (?:\(|with )notes/[\w.]+\)?", "", line))
        elif line:
            rows.append(line.split("\t"))
    return head, rows[0], rows[1:]


def bare(op):
    return op.removeprefix("aten::")


def write(path, head, header, rows):
    path.write_text("\n".join(head + [header] + ["\t".join(r) for r in rows]) + "\n")
    print(path.name, len(rows), "rows", path.stat().st_size, "bytes")


def delegates(path):
    """Structured functional and in-place overloads -> the out overload whose kernel does the work."""
    found, name = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("- func: "):
            name = line[len("- func: "):].split("(")[0]
        elif line.strip().startswith("structured_delegate:"):
            found[name] = line.split(":")[1].strip()
    return found


class Aten:
    def __init__(self, sources, native_functions):
        self.delegates = delegates(native_functions)
        self.head, _, rows = read(sources / "intree.tsv")
        self.keys = {bare(r[0]): r[1] for r in rows}

    def composite(self, op):
        return next((k for k in self.keys.get(op, "").split(",") if k.startswith("Composite")), None)


def follows(aten, op, missing, status):
    """What README.md says of an overload without a row of its own; `status`: what the sources say of each."""
    delegate = aten.delegates.get(op)
    if delegate and (aten.composite(op) or "NonFunctional").endswith("NonFunctional"):
        return "native_via_out" if status.get(delegate) == "native" else missing
    if aten.composite(op):
        return "composite"
    on_cpu = "CPU" in aten.keys[op].split(",")
    return "raises" if missing == "cpu_fallback" and not on_cpu else missing


def cells_of(row, header):
    cell = dict(zip(header, row))
    keys, limits = cell.get("keys", "-"), cell.get("limits", "-")
    if keys != "-" and "XPU" not in keys.split(",") and cell["status"] == "native":
        limits = f"layouts: {keys}"
    return bare(cell["op"]), cell["status"], cell["evidence"], "" if limits == "-" else limits


def failing_tests(path, ops):
    """Overload -> limits: the upstream tests that the backend expects to fail, by the longest name of an operator that the test's begins with."""
    found, bases = {}, {}
    for op in ops:
        bases.setdefault(op.split(".")[0], []).append(op)
    for test, _, _, dtypes, variants in read(path)[2]:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", test).lower().split("_")
        name = next((n for k in range(len(words), 0, -1) if (n := "_".join(words[:k])) in bases), None)
        if name:
            what = ", ".join(x for x in (dtypes, variants) if x != "-")
            found.setdefault(name, []).append(test + (f" ({what})" if what else ""))
    return {op: "upstream tests that fail: " + "; ".join(tests[:4]) + ("; …" if len(tests) > 4 else "") for name, tests in found.items() for op in bases[name]}


def write_target(target, sources, out, aten):
    head, header, rows = read(sources / TARGETS[target])
    head = [line for line in head if "every aten overload" not in line] + ["# rows that follow from aten.tsv and the policies are left out: opdb/README.md",
                                                                      f"# cite: {CITE[target]}"]
    kept, seen = {}, {}
    status = {bare(r[0]): r[1] for r in rows}
    missing = next((r[1] for r in rows if r[0] == "@missing"), MISSING.get(target, ("unknown", ""))[0])
    if target in MISSING:
        kept["@missing"] = ("@missing", *MISSING[target], "")
    if target in FUNCTIONALIZES:
        kept["@functionalize"] = ("@functionalize", "native", FUNCTIONALIZES[target], "")
    for row in rows:
        op, word, evidence, limits = cells_of(row, header)
        seen[op] = word
        generic = evidence.startswith("no kernel") and "listed" not in evidence
        plain = word in ("composite", "native_via_out") or generic
        if not op.startswith("@") and op in aten.keys and plain and not limits and follows(aten, op, missing, status) == word:
            continue
        if op in kept and limits == "":
            continue
        kept[op] = (op, word, evidence, limits)
    if target in FAILURES:
        head.append("# limits name upstream tests that the backend's own suite expects to fail" + read(sources / FAILURES[target])[0][1].removeprefix("# source").replace(":", ": ", 1).replace(":  ", ": "))
        registered = [op for op, row in kept.items() if row[1] == "native" and op in aten.keys]
        for op, failing in failing_tests(sources / FAILURES[target], registered).items():
            limits = kept[op][3]
            kept[op] = (*kept[op][:3], f"{limits}; {failing}" if limits else failing)
    wrong = [op for op, word in seen.items() if op in aten.keys and op not in kept and follows(aten, op, missing, status) != word]
    if wrong:
        sys.exit(f"{target}: {wrong[:5]} would be read otherwise than the source says")
    write(out / f"{target}.tsv", head, "op\tstatus\tevidence\tlimits", [kept[k] for k in sorted(kept)])


class Apis:
    def __init__(self, decompositions, taken_whole):
        self.rows, self.parts, self.taken_whole = [], decompositions, taken_whole

    def same_op(self, a, b):
        return a.split(".")[0].rstrip("_") == b.split(".")[0].rstrip("_")

    def explain(self, leaf, top):
        """The call from which the leaf comes, if its own kernel would take the leaf's place."""
        if leaf in top:
            return leaf
        for op in top:
            if self.same_op(op, leaf):
                return op
        for op in top:
            if leaf in self.parts.get(op, ()):
                return op
        return None

    def own_op(self, api, when):
        """Overloads that do all the call does where a device has a kernel for one, although PyTorch by itself takes them apart before any is asked."""
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", api.split(".")[-1]).lower()
        return "|".join(WHOLE.get(name) or [op for op in self.taken_whole if op.split(".")[0] == name and ASKED_FOR.get(op, "") in when])

    def terms(self, api, when, top, leaves):
        out, own = {}, self.own_op(api, when)
        for leaf, share in leaves.items():
            if leaf in PLUMBING:
                continue
            by = own or self.explain(leaf, top)
            term = leaf if by in (None, leaf) else f"{by}>{leaf}"
            out[term] = max(out.get(term, 0), share)
        order = sorted(out.items(), key=lambda z: (-z[1], z[0]))
        return " ".join(t if s >= 0.995 else f"{t}={s:.2f}" for t, s in order)

    def add(self, api, when, way, top, leaves):
        self.rows.append((api, when, way, self.terms(api, when, top, leaves)))


def shares(cell):
    out = {}
    for word in cell.split(" ") if cell != "-" else ():
        op, _, share = word.partition("=")
        out[bare(op)] = float(share) if share else 1.0
    return out


def variant(entry):
    for pattern, when in VARIANTS:
        m = re.fullmatch(pattern, entry)
        if m:
            return when.format(*m.groups())
    return ""


def taken_whole(aten, out):
    """The overloads that are CompositeImplicit in PyTorch and for which some target has a kernel all the same."""
    ops = set()
    for target in TARGETS:
        ops |= {r[0] for r in read(out / f"{target}.tsv")[2] if r[1] == "native" and "CompositeImplicitAutograd" in aten.keys.get(r[0], "")}
    return sorted(ops)


def write_apis(sources, measured, out, aten):
    _, _, rows = read(measured / "decompositions.tsv")
    parts = {r[0]: r[1].split(" ") for r in rows}
    composites = {r[0]: r[1].split(" ") if len(r) > 1 else [] for r in read(measured / "composites.tsv")[2]}

    def taken_apart(op, above=()):
        """An overload that PyTorch itself takes apart never reaches a device."""
        if op in composites and op not in above and "CompositeImplicitAutograd" in aten.keys.get(op, ""):
            return [leaf for part in composites[op] if part for leaf in taken_apart(part, (*above, op))]
        return [leaf for part in parts[op] for leaf in taken_apart(part, (*above, op))] if op in parts and op not in above and above else [op]
    parts = {op: list(dict.fromkeys(leaf for part in leaves for leaf in taken_apart(part))) for op, leaves in parts.items()}
    parts |= {"convolution": ["convolution_overrideable"], "convolution_backward": ["convolution_backward_overrideable"]}
    head, _, rows = read(sources / "api_to_aten.tsv")
    for r in rows:  # a lone overload explains all that its entry made reach the device
        top, leaves = shares(r[6]), shares(r[7])
        if len(top) == 1 and r[4] == "fw" and leaves:
            parts.setdefault(next(iter(top)), [o for o in leaves if o not in PLUMBING])
    apis = Apis(parts, taken_whole(aten, out))
    traced_head, _, traced = read(measured / "traced_apis.tsv")
    own = {}
    for api, when, way, ops in traced:
        if (api, when, way) in AS_ENTRY:
            entry = next(r for r in rows if r[1] == AS_ENTRY[api, when, way] and r[4] == way)
            apis.add(api, when, way, shares(entry[6]), shares(entry[7]))
            continue
        top = [o for o in ops.split(" ") if o]
        leaves = {leaf: 1.0 for o in top for leaf in (parts.get(o) or [o])}
        apis.add(api, when, way, dict.fromkeys(top), leaves)
        own.setdefault(api, set()).add(way)
    entries = {}
    for api, entry, kind, _, way, samples, top, leaves in rows:
        when = variant(entry)
        api = api.replace("torch._ops.aten.", "torch.ops.aten.").replace("._C._sparse._sparse_mm", ".sparse.mm")
        if when == "-" or "bw" in own.get(api, ()) or (api in own and way == "fw") or "<lambda>" in api or "common_methods" in api or "jiterator" in api or api.startswith(NOT_DENSE):
            continue
        entries.setdefault((api, when, way), (shares(top), shares(leaves)))
    for (api, when, way), (top, leaves) in entries.items():
        leaves = leaves or {leaf: s for o, s in top.items() for leaf in (parts.get(o) or [o])}
        if way == "fw" or leaves:
            apis.add(api, when, way, top, leaves)
    same = dict(read(pathlib.Path(__file__).parent / "api_aliases.tsv")[2])
    named = {row[0] for row in apis.rows}
    missing = sorted(other for other in same.values() if other not in named)
    if missing:
        sys.exit(f"api_aliases.tsv: {missing[:3]} are not in the table")
    apis.rows += [(alias, *row[1:]) for alias, other in same.items() if alias not in named for row in apis.rows if row[0] == other]
    apis.rows += [tuple(r) for r in read(pathlib.Path(__file__).parent / "api_others.tsv")[2]]
    apis.rows += [tuple(r) for r in read(measured / "collectives.tsv")[2]]
    apis.rows.sort(key=lambda r: (r[0], r[2] == "bw", r[1] == "", -len(r[1].split(" ")), r[1]))
    write(out / "apis.tsv", ["# Python API -> what reaches a device: `a>b`: b, unless the device has a kernel of its own for a; =x.xx: in that share of the samples"]
          + [h for h in head + traced_head if h.startswith("# source")], "api\twhen\tdirection\tops", apis.rows)


def write_composites(measured, out, aten):
    head, _, rows = read(measured / "composites.tsv")
    parts = {r[0]: r[1] if len(r) > 1 else "" for r in rows if aten.composite(r[0])} | OFF_CPU
    write(out / "composites.tsv", head + ["# @NAME: as the Python API of that name, where a device has a part in how it is taken apart"], "op\tparts", sorted(parts.items()))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sources", type=pathlib.Path)
    ap.add_argument("--native-functions", type=pathlib.Path, required=True)
    ap.add_argument("--measured", type=pathlib.Path, default=pathlib.Path(__file__).parent / "measured")
    ap.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "data")
    a = ap.parse_args()
    aten = Aten(a.sources, a.native_functions)
    head = aten.head + ["# through: the out overload by which a structured one runs, from the same native_functions.yaml"]
    write(a.out / "aten.tsv", head, "op\tkeys\tthrough", [(op, keys, aten.delegates.get(op, "")) for op, keys in sorted(aten.keys.items())])
    for target in TARGETS:
        write_target(target, a.sources, a.out, aten)
    write_apis(a.sources, a.measured, a.out, aten)
    write_composites(a.measured, a.out, aten)


main()
