"""Checks opdb/data/torch_names.tsv and torch_cuda_names.tsv against the torch that is installed here.

Every name must exist and every parameter be accepted, every replacement must exist, and on a host without an accelerator
each call must do what its row says. The probes are how the tables were measured: `--measure` prints what this host gives.
Each probe runs in a process of its own, forked from this one, so that none changes what the next one sees.
"""
import csv
import importlib
import inspect
import os
import pickle
import re
import sys
import warnings

import torch
import torch.distributed

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "opdb", "data")
VERSION = tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2])
MEASURED = (2, 13)
BARE = VERSION == MEASURED and not torch.accelerator.is_available()  # as where the tables were measured
WHEEL = "CUDA wheel without a card" if torch.backends.cuda.is_built() else "CPU wheel"
CUDA_MODULES = ["torch.cuda." + name for name in "amp amp.autocast_mode amp.grad_scaler amp.common comm gds graphs "
                "green_contexts memory nccl nvtx profiler random tunable".split()] + ["torch.backends.cuda"]


def enter(manager):
    with manager:
        return "entered"


def group(**more):
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1, **more)


def ddp(**more):
    group()
    return torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1), **more)


def load(where):
    import io
    buffer = io.BytesIO()
    torch.save(torch.zeros(1), buffer)
    buffer.seek(0)
    return torch.load(buffer, map_location=where)


def sdpa():
    x = torch.zeros(1, 1, 2, 4)
    return torch.nn.functional.scaled_dot_product_attention(x, x, x)


def sdpa_params():
    x = torch.zeros(1, 1, 2, 4)
    return torch.backends.cuda.SDPAParams(x, x, x, None, 0.0, False, False)


# What to evaluate for a name of torch_names.tsv; where nothing is written, the name called without arguments.
PROBES = {
    "torch.accelerator": "torch.accelerator",
    "torch.accelerator.set_device_index": "torch.accelerator.set_device_index(0)",
    "torch.accelerator.set_device_idx": "torch.accelerator.set_device_idx(0)",
    "torch.accelerator.device_index": "enter(torch.accelerator.device_index(0))",
    "torch.accelerator.set_stream": "torch.accelerator.set_stream(torch.Stream())",
    "torch.accelerator.current_accelerator(check_available=)": "torch.accelerator.current_accelerator(check_available=True)",
    "torch.amp.autocast": "enter(torch.amp.autocast('cpu'))",
    "torch.autocast": "enter(torch.autocast('cpu'))",
    "torch.autocast(enabled=)": "enter(torch.autocast('cpu', enabled=False))",
    "torch.amp.GradScaler": "torch.amp.GradScaler('cpu')",
    "torch.amp.GradScaler(enabled=)": "torch.amp.GradScaler('cpu', enabled=False)",
    "torch.amp.custom_fwd": "torch.amp.custom_fwd(device_type='cpu')",
    "torch.amp.custom_bwd": "torch.amp.custom_bwd(device_type='cpu')",
    "torch.amp.is_autocast_available": "torch.amp.is_autocast_available('cpu')",
    "torch.get_autocast_dtype": "torch.get_autocast_dtype('cpu')",
    "torch.set_autocast_dtype": "torch.set_autocast_dtype('cpu', torch.bfloat16)",
    "torch.is_autocast_enabled(device_type=)": "torch.is_autocast_enabled(device_type='cpu')",
    "torch.set_autocast_enabled(device_type=)": "torch.set_autocast_enabled(device_type='cpu', enabled=True)",
    "torch.set_default_device": "torch.set_default_device('cpu')",
    "torch.set_default_dtype": "torch.set_default_dtype(torch.float64)",
    "torch.device": "torch.device('cpu')",
    "torch.device.__enter__": "enter(torch.device('cpu'))",
    "torch.Stream(device=)": "torch.Stream(device='cpu')",
    "torch.Stream.__enter__": "enter(torch.Stream())",
    "torch.Stream.synchronize": "torch.Stream().synchronize()",
    "torch.Stream.wait_stream": "torch.Stream().wait_stream(torch.Stream())",
    "torch.Stream.wait_event": "torch.Stream().wait_event(torch.Event())",
    "torch.Stream.record_event": "torch.Stream().record_event()",
    "torch.Event(enable_timing=)": "torch.Event(enable_timing=True)",
    "torch.Event.record": "torch.Event().record()",
    "torch.Event.wait": "torch.Event().wait()",
    "torch.Event.query": "torch.Event().query()",
    "torch.Event.synchronize": "torch.Event().synchronize()",
    "torch.Event.elapsed_time": "torch.Event(enable_timing=True).elapsed_time(torch.Event(enable_timing=True))",
    "torch.Tensor.record_stream": "torch.zeros(1).record_stream(torch.Stream())",
    "torch.manual_seed": "torch.manual_seed(0)",
    "torch.set_rng_state": "torch.set_rng_state(torch.get_rng_state())",
    "torch.random.fork_rng": "enter(torch.random.fork_rng())",
    "torch.random.fork_rng(devices=)": "enter(torch.random.fork_rng(devices=[]))",
    "torch.random.fork_rng(device_type=)": "enter(torch.random.fork_rng(device_type='cpu'))",
    "torch.Generator(device=)": "torch.Generator(device=torch.device('cpu'))",
    "torch.Generator.manual_seed": "torch.Generator().manual_seed(0)",
    "torch.distributed.get_default_backend_for_device": "torch.distributed.get_default_backend_for_device(torch.device('cpu'))",
    "torch.distributed.init_process_group": "group()",
    "torch.distributed.init_process_group(device_id=)": "group(device_id=torch.device('cpu', 0))",
    "torch.distributed.is_backend_available": "torch.distributed.is_backend_available('gloo')",
    "torch.distributed.init_device_mesh": "(group(), torch.distributed.init_device_mesh('cpu', (1,)))",
    "torch.distributed.device_mesh.init_device_mesh": "(group(), torch.distributed.device_mesh.init_device_mesh('cpu', (1,)))",
    "torch.nn.parallel.DistributedDataParallel": "ddp()",
    "torch.Tensor.to": "torch.zeros(1).to(torch.device('cpu'))",
    "torch.Tensor.to(non_blocking=)": "torch.zeros(1).to('cpu', non_blocking=True)",
    "torch.Tensor.cpu": "torch.zeros(1).cpu()",
    "torch.Tensor.device": "torch.zeros(1).device",
    "torch.Tensor.is_cpu": "torch.zeros(1).is_cpu",
    "torch.Tensor.pin_memory": "torch.zeros(1).pin_memory()",
    "torch.nn.Module.to": "torch.nn.Linear(1, 1).to(torch.device('cpu'))",
    "torch.nn.utils.rnn.PackedSequence.to": "torch.nn.utils.rnn.pack_sequence([torch.ones(1)]).to('cpu')",
    "torch.empty(device=)": "torch.empty(1, device='cpu')",
    "torch.empty(dtype=)": "torch.empty(1, dtype=torch.half)",
    "torch.zeros(device=)": "torch.zeros(1, device='cpu')",
    "torch.ones(device=)": "torch.ones(1, device='cpu')",
    "torch.full(device=)": "torch.full((1,), 2, device='cpu')",
    "torch.tensor(device=)": "torch.tensor([1], device='cpu')",
    "torch.sparse_coo_tensor(device=)": "torch.sparse_coo_tensor([[0]], [1.0], device='cpu')",
    "torch.UntypedStorage.to(device=)": "torch.zeros(1).untyped_storage().to(device='cpu')",
    "torch.OutOfMemoryError": "issubclass(torch.OutOfMemoryError, RuntimeError)",
    "torch.AcceleratorError": "issubclass(torch.AcceleratorError, RuntimeError)",
    "torch.backends.fp32_precision": "setattr(torch.backends, 'fp32_precision', 'ieee')",
    **{f"torch.{dtype}": f"torch.{dtype}" for dtype in
       "float16 bfloat16 float32 float64 uint8 int8 int16 int32 int64 bool complex64 complex128".split()},
    "torch.nn.parallel.DistributedDataParallel(device_ids=)": "ddp(device_ids=None)",
    "torch.load(map_location=)": "load(torch.device('cpu'))",
    "torch.nn.functional.scaled_dot_product_attention": "sdpa()",
    "torch.nn.attention.sdpa_kernel": "enter(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH))",
    "torch.nn.attention.SDPBackend": "torch.nn.attention.SDPBackend.MATH",
    "torch.set_float32_matmul_precision": "torch.set_float32_matmul_precision('high')",
    "torch.use_deterministic_algorithms": "torch.use_deterministic_algorithms(True)",
    "torch.profiler.record_function": "enter(torch.profiler.record_function('x'))",
    "torch.utils.data.DataLoader(pin_memory=)": "list(torch.utils.data.DataLoader([1], pin_memory=True))",
    "torch.compile": "torch.compile(lambda x: x)",
}

# What to evaluate for a name of torch_cuda_names.tsv: arguments where the text starts with a bracket, else all of it.
X = "torch.zeros(1)"
CUDA_PROBES = {
    "torch.cuda.caching_allocator_alloc": "(16)",
    "torch.cuda.caching_allocator_disabled": "enter(torch.cuda.caching_allocator_disabled())",
    "torch.cuda.can_device_access_peer": "(0, 0)",
    "torch.cuda.device": "enter(torch.cuda.device(0))",
    "torch.cuda.device_of": f"enter(torch.cuda.device_of({X}))",
    **{f"torch.cuda.{name}": "(0)" for name in "set_device manual_seed manual_seed_all set_sync_debug_mode check_error CudaError "
       "get_stream_from_external ExternalStream caching_allocator_delete".split()},
    "torch.cuda.set_per_process_memory_fraction": "(0.5)",
    "torch.cuda.set_rng_state": "(torch.zeros(16, dtype=torch.uint8))",
    "torch.cuda.set_rng_state_all": "([torch.zeros(16, dtype=torch.uint8)])",
    "torch.cuda.set_stream": "(torch.Stream())",
    "torch.cuda.stream": "enter(torch.cuda.stream(torch.Stream()))",
    "torch.cuda.StreamContext": "enter(torch.cuda.StreamContext(torch.Stream()))",
    "torch.cuda.CUDAPluggableAllocator": "('', '', '')",
    "torch.cuda.change_current_allocator": "(None)",
    "torch.cuda.OutOfMemoryError": "issubclass(torch.cuda.OutOfMemoryError, RuntimeError)",
    "torch.cuda.AcceleratorError": "issubclass(torch.cuda.AcceleratorError, RuntimeError)",
    "torch.cuda.classproperty": "torch.cuda.classproperty",
    "torch.cuda.GreenContext": "torch.cuda.GreenContext.create(num_sms=1)",
    "torch.cuda.graph": "enter(torch.cuda.graph(None))",
    "torch.cuda.use_mem_pool": "enter(torch.cuda.use_mem_pool(None))",
    "torch.cuda.make_graphed_callables": f"(torch.nn.Linear(1, 1), ({X},))",
    "torch.cuda.profiler.profile": "enter(torch.cuda.profiler.profile())",
    "torch.cuda.nvtx.range": "enter(torch.cuda.nvtx.range('x'))",
    "torch.cuda.nvtx.range_push": "('x')",
    "torch.cuda.nvtx.range_start": "('x')",
    "torch.cuda.nvtx.range_end": "(0)",
    "torch.cuda.nvtx.mark": "('x')",
    "torch.cuda.amp.autocast": "enter(torch.cuda.amp.autocast())",
    "torch.cuda.amp.custom_fwd": "(lambda: 0)",
    "torch.cuda.amp.custom_bwd": "(lambda: 0)",
    "torch.cuda.nccl.init_rank": "(1, b'', 0)",
    "torch.cuda.nccl.all_gather": f"([{X}], [{X}])",
    "torch.cuda.nccl.reduce_scatter": f"([{X}], [{X}])",
    **{f"torch.cuda.nccl.{name}": f"([{X}])" for name in ("is_available", "all_reduce", "reduce", "broadcast")},
    "torch.cuda.comm.broadcast": f"({X}, [0])",
    "torch.cuda.comm.broadcast_coalesced": f"([{X}], [0])",
    "torch.cuda.comm.reduce_add": f"([{X}, {X}])",
    "torch.cuda.comm.reduce_add_coalesced": f"([[{X}], [{X}]])",
    "torch.cuda.comm.scatter": f"({X}, [0])",
    "torch.cuda.comm.gather": f"([{X}])",
    **{f"torch.cuda.tunable.set_{name}": "(1)" for name in
       ("max_tuning_duration", "max_tuning_iterations", "rotating_buffer_size", "numerical_check_tolerances")},
    "torch.cuda.tunable.set_filename": "('x')",
    "torch.cuda.tunable.read_file": "('/nowhere')",
    "torch.cuda.tunable.tune_gemm_in_file": "('/nowhere')",
    "torch.cuda.tunable.mgpu_tune_gemm_in_file": "('/nowhere*', 1)",
    "torch.cuda.gds.gds_register_buffer": f"({X}.untyped_storage())",
    "torch.cuda.gds.gds_deregister_buffer": f"({X}.untyped_storage())",
    "torch.cuda.gds.GdsFile": "('/dev/null', 0)",
    "torch.backends.cuda.SDPAParams": "sdpa_params()",
    **{f"torch.backends.cuda.can_use_{kind}_attention": "(sdpa_params())" for kind in ("flash", "efficient", "cudnn")},
    **{f"torch.backends.cuda.enable_{kind}_sdp": "(True)" for kind in ("flash", "mem_efficient", "math", "cudnn")},
    "torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp": "(True)",
    "torch.backends.cuda.cuFFTPlanCache": "(0)",
    "torch.backends.cuda.cuFFTPlanCacheAttrContextProp": "(None, None)",
    "torch.backends.cuda.sdp_kernel": "enter(torch.backends.cuda.sdp_kernel())",
    "torch.backends.cudnn.flags": "enter(torch.backends.cudnn.flags(enabled=True))",
    "torch.backends.cudnn.is_acceptable": f"({X})",
    "torch.Tensor.cuda": f"{X}.cuda()",
    "torch.Tensor.is_cuda": f"{X}.is_cuda",
    "torch.Tensor.get_device": f"{X}.get_device()",
    "torch.nn.Module.cuda": "torch.nn.Linear(1, 1).cuda()",
    "torch.nn.utils.rnn.PackedSequence.cuda": f"torch.nn.utils.rnn.pack_sequence([{X}]).cuda()",
    "torch.nn.utils.rnn.PackedSequence.is_cuda": f"torch.nn.utils.rnn.pack_sequence([{X}]).is_cuda",
    "torch.UntypedStorage.cuda": f"{X}.untyped_storage().cuda()",
    "torch.set_autocast_gpu_dtype": "(torch.half)",
    "torch.set_default_tensor_type": "(torch.cuda.FloatTensor)",
}
# Switches are set: that is what programs do with them.
SWITCHES = {
    "torch.backends.cuda.matmul": ["allow_tf32", "allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction",
                                   "allow_fp16_accumulation"],
    "torch.backends.cuda.cufft_plan_cache": ["max_size"],
    "torch.backends.cudnn": ["benchmark", "deterministic", "enabled", "allow_tf32"],
}
CUDA_PROBES.update({f"{owner}.{name}": f"setattr({owner}, '{name}', True)" for owner in SWITCHES for name in SWITCHES[owner]})
CUDA_PROBES.update({f"{owner}.fp32_precision": f"setattr({owner}, 'fp32_precision', 'tf32')" for owner in
                    ("torch.backends.cuda.matmul", "torch.backends.cudnn", "torch.backends.cudnn.conv", "torch.backends.cudnn.rnn")})
CUDA_PROBES["torch.backends.cudnn.benchmark_limit"] = "setattr(torch.backends.cudnn, 'benchmark_limit', 3)"
CUDA_PROBES["torch.backends.cudnn.depthwise_kernel"] = "setattr(torch.backends.cudnn, 'depthwise_kernel', 'auto')"


def resolve(name):
    """The object of a dotted name, modules imported on the way; raises where there is none."""
    parts = name.split(".")
    found = importlib.import_module(parts[0])
    for at, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:at]))
        found = getattr(found, part)
    return found


def exists(name):
    try:
        resolve(name)
    except (AttributeError, ImportError):
        return False
    except (AssertionError, RuntimeError):  # an attribute that asks CUDA for its value
        pass
    return True


def measure(expression):
    """What an expression gives in a fork: raises, none, zero, false or works; and a line on it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, globals())
            kind = "none" if value is None else "false" if value is False else "works"
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0:
                kind = "zero"
            answer = (kind, repr(value)[:80])
        except BaseException as error:
            answer = ("raises", f"{type(error).__name__}: {error}".split("\n")[0][:110])
        os.write(write, pickle.dumps(answer))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else ("raises", "the process died")


def agrees(stated, remarks, measured):
    """Whether a host does what a row says; where the two wheels differ, the remarks of the row say what this one does."""
    own = re.search(WHEEL + r": (\w+)", remarks)
    stated = own.group(1) if own else stated
    return measured != "raises" if stated in ("harmless", "works") else stated == measured


def rows(table):
    with open(os.path.join(DATA, table), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAIL", what)


def version(text):
    return tuple(int(n) for n in text.split("."))


def takes(name):
    """Whether the parameter of a pseudo-row is in the signature; None where Python cannot see the signature."""
    callable_name, parameter = re.fullmatch(r"([\w.]+)\((\w+)=\)", name).groups()
    try:
        return parameter in inspect.signature(resolve(callable_name)).parameters
    except (TypeError, ValueError):
        return None


def check_names(tally, show):
    seen = set()
    for row in rows("torch_names.tsv"):
        name = row["name"]
        tally.check(name not in seen, f"{name}: twice in the table")
        seen.add(name)
        tally.check(row["source"] and None not in row and None not in row.values(), f"{name}: a cell is missing")
        tally.check(row["without_accelerator"] in ("works", "raises", "none", "zero"), f"{name}: {row['without_accelerator']}")
        if row["until"] and version(row["until"]) < VERSION or row["since"] and version(row["since"]) > VERSION:
            continue
        if not exists(name.split("(")[0]):
            tally.check(False, f"{name}: not in torch {torch.__version__}")
            continue
        expression = PROBES.get(name, name + "()")  # a parameter without a probe is no Python and fails
        kind, detail = measure(expression)
        if show:
            print(name, expression, kind, detail, sep="\t")
        if "(" in name:
            known = takes(name)
            tally.check(known or known is None and "TypeError" not in detail, f"{name}: no such parameter: {detail}")
        if BARE:
            stated = row["without_accelerator"]
            tally.check(agrees(stated, row["note"], kind), f"{name}: the table says {stated}, {expression} gives {kind} ({detail})")
    for name in torch.accelerator.__all__:
        tally.check(f"torch.accelerator.{name}" in seen, f"torch.accelerator.{name}: no row")


def cuda_expression(name, canonical):
    """The probe of a name; aliases are probed as the name they stand for. Only torch's own callables are called."""
    probe = CUDA_PROBES.get(canonical)
    if probe is None:
        try:
            found = resolve(name)
        except (AssertionError, RuntimeError):
            found = None
        own = str(getattr(found, "__module__", "")).startswith("torch")
        probe = "()" if own and callable(found) else ""
    return name + probe if probe[:1] in ("", "(") else probe


def check_cuda_names(tally, show):
    table = {row["name"]: row for row in rows("torch_cuda_names.tsv")}
    tally.check(len(table) == len(rows("torch_cuda_names.tsv")), "torch_cuda_names.tsv: a name is there twice")
    if VERSION == MEASURED:
        public = [f"torch.cuda.{name}" for name in {*torch.cuda.__all__, *dir(torch.cuda)} if name[0] != "_"]
        for module in CUDA_MODULES:
            public += [f"{module}.{name}" for name in importlib.import_module(module).__all__]
        for name in public:
            tally.check(name in table, f"{name}: no row")
    since = {row["name"]: row["since"] for row in rows("torch_names.tsv")}
    for name, row in table.items():
        portable = row["portable"]
        tally.check(row["portable"] or row["caveat"], f"{name}: neither a replacement nor a reason")
        if portable:
            head = re.match(r"[\w.]+", portable).group()
            later = row["since"] and version(row["since"]) > VERSION
            tally.check(later or exists(head), f"{name}: its replacement {head} does not exist")
            known = since.get(portable, since.get(head, since.get(head + "(device=)")))
            tally.check(known == row["since"], f"{name}: since {row['since']}, torch_names.tsv says {known} of {head}")
        stated = row["without_cuda"]
        tally.check(stated in ("works", "raises", "zero", "none", "false", "harmless"), f"{name}: {stated}")
        if not BARE:
            continue
        tally.check(exists(name), f"{name}: not in torch {torch.__version__}")
        alias = re.match(r"same as ([\w.]+)", row["caveat"])
        expression = cuda_expression(name, alias.group(1) if alias else name)
        kind, detail = measure(expression)
        if show:
            print(name, expression, kind, detail, sep="\t")
        tally.check(agrees(stated, row["caveat"], kind), f"{name}: the table says {stated}, {expression} gives {kind} ({detail})")


def main():
    show = "--measure" in sys.argv
    tally = Tally()
    check_names(tally, show)
    check_cuda_names(tally, show)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
