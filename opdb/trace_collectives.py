#!/usr/bin/env python3
"""Measures which operators of c10d the collectives of torch.distributed make, for opdb/build_tables.py:

  trace_collectives.py > opdb/measured/collectives.tsv

Needs torch and no accelerator: two processes are feigned by torch's own fake process group, under a TorchDispatchMode. What a call does
with an operator depends on the process group of the device's backend: see c10d:: in data/other_ops.tsv. Objects are sent as tensors, on some
devices as tensors of the CPU: `c10d::@objects` there.
"""
import datetime
import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dnf
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode


def x(*shape):
    return torch.ones(*(shape or (4,)))


def pair():
    return [x(), x()]


# (name below torch.distributed, condition, call)
CALLS = [
    ("all_gather", "", lambda: dist.all_gather(pair(), x())),
    ("all_gather_into_tensor", "", lambda: dist.all_gather_into_tensor(x(8), x())),
    ("_all_gather_base", "", lambda: dist._all_gather_base(x(8), x())),
    ("all_gather_coalesced", "", lambda: dist.all_gather_coalesced([pair()], [x()])),
    ("all_gather_object", "", lambda: dist.all_gather_object([None, None], 1)),
    ("all_reduce", "", lambda: dist.all_reduce(x())),
    ("all_reduce_coalesced", "", lambda: dist.all_reduce_coalesced(pair())),
    ("all_to_all", "", lambda: dist.all_to_all(pair(), pair())),
    ("all_to_all_single", "", lambda: dist.all_to_all_single(x(), x())),
    ("barrier", "", lambda: dist.barrier()),
    ("broadcast", "", lambda: dist.broadcast(x(), 0)),
    ("broadcast_object_list", "", lambda: dist.broadcast_object_list([1], 0)),
    ("gather", "", lambda: dist.gather(x(), pair(), 0)),
    ("gather_object", "", lambda: dist.gather_object(1, [None, None], 0)),
    ("irecv", "1/src=absent", lambda: dist.irecv(x())),
    ("irecv", "", lambda: dist.irecv(x(), 1)),
    ("isend", "", lambda: dist.isend(x(), 1)),
    ("recv", "1/src=absent", lambda: dist.recv(x())),
    ("recv", "", lambda: dist.recv(x(), 1)),
    ("recv_object_list", "", lambda: dist.recv_object_list([1], 1)),
    ("reduce", "", lambda: dist.reduce(x(), 0)),
    ("reduce_scatter", "", lambda: dist.reduce_scatter(x(), pair())),
    ("reduce_scatter_tensor", "", lambda: dist.reduce_scatter_tensor(x(), x(8))),
    ("_reduce_scatter_base", "", lambda: dist._reduce_scatter_base(x(), x(8))),
    ("scatter", "", lambda: dist.scatter(x(), pair(), 0)),
    ("scatter_object_list", "", lambda: dist.scatter_object_list([None], [1, 2], 0)),
    ("send", "", lambda: dist.send(x(), 1)),
    ("send_object_list", "", lambda: dist.send_object_list([1], 1)),
    ("nn.functional.all_gather", "", lambda: dnf.all_gather(x())),
    ("nn.functional.all_reduce", "", lambda: dnf.all_reduce(x())),
    ("nn.functional.all_to_all", "", lambda: dnf.all_to_all(pair(), pair())),
    ("nn.functional.all_to_all_single", "", lambda: dnf.all_to_all_single(x(), x())),
    ("nn.functional.broadcast", "", lambda: dnf.broadcast(x(), 0)),
    ("nn.functional.gather", "", lambda: dnf.gather(x(), 0)),
    ("nn.functional.reduce", "", lambda: dnf.reduce(x(), 0)),
    ("nn.functional.reduce_scatter", "", lambda: dnf.reduce_scatter(x(), pair())),
    ("nn.functional.scatter", "", lambda: dnf.scatter(pair(), 0)),
]


class Trace(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func._schema.name.startswith("c10d::"):
            self.seen[func._schema.name] = None
        return func(*args, **(kwargs or {}))


def main():
    warnings.simplefilter("ignore")
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    rows = []
    for name, when, call in CALLS:
        with Trace() as trace:
            try:
                call()
            except (RuntimeError, ValueError, EOFError, OSError) as error:  # the answer of the feigned process is no good: the call was made
                print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
            except Exception as error:  # noqa: BLE001, an answer that is no pickle
                print(f"{name}: {type(error).__name__}", file=sys.stderr)
        homes = [""] if "." in name else ["", "distributed_c10d."]
        objects = "c10d::@objects>" if "object" in name else ""
        rows += [(f"torch.distributed.{home}{name}", when, "fw", " ".join(objects + op for op in sorted(trace.seen))) for home in homes]
    print("# Collectives of torch.distributed and the operators of c10d that they make, in the form of data/apis.tsv")
    print(f"# source: torch {torch.__version__} (BSD-3-Clause), measured {datetime.date.today()} by opdb/trace_collectives.py on a CPU")
    print("api\twhen\tdirection\tops")
    # Rows with a condition come before the one without.
    for row in sorted(rows, key=lambda row: (row[0], not row[1])):
        print("\t".join(row))


if __name__ == "__main__":
    main()
