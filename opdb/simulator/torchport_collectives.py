"""torch.distributed on the simulated device: gloo works on the host's view of device memory.

dist.get_default_backend_for_device(target) names it, as it names a real device's own backend.
"""
import torch
import torch.distributed as dist
from torch.utils._pytree import tree_map_only

NAME = "torchport"
COLLECTIVES = """allreduce allreduce_coalesced broadcast reduce allgather allgather_coalesced all_gather_single _allgather_base
    all_gather_single_coalesced allgather_into_tensor_coalesced gather scatter reduce_scatter reduce_scatter_single _reduce_scatter_base
    reduce_scatter_single_coalesced reduce_scatter_tensor_coalesced alltoall alltoall_base all_to_all_single send recv recv_anysource""".split()


class HostGroup(dist.ProcessGroup):
    """A process group that hands every collective to gloo and is done when the call returns."""

    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)
        self.host = dist.ProcessGroup(store, rank, size)
        self.host._register_backend(torch.device("cpu"), dist.ProcessGroup.BackendType.GLOO, dist.ProcessGroupGloo(store, rank, size, timeout))
        self.own_name = ""

    def barrier(self, *args, **kwargs):
        self.host.barrier().wait()
        return done([])

    def getBackendName(self):
        return NAME

    @property
    def pg_name(self):
        return dist.distributed_c10d._world.pg_names[self]

    @property
    def group_name(self):
        return self.own_name

    def _set_group_name(self, name):
        self.own_name = name

    getGroupName = group_name.fget


def done(result):
    """A finished Work; DDP reads the result from its future."""
    future = torch.futures.Future(devices=[torch.device(torch._C._get_privateuse1_backend_name(), 0)])
    future.set_result(result)
    return torch._C._distributed_c10d._create_work_from_future(future)


def collective(name):
    def call(self, first, *rest):
        host = tree_map_only(torch.Tensor, torch.ops.torchport_simulator.host_view, (first, *rest))
        getattr(self.host, name)(*host).wait()
        return done(first)

    return call


for _name in COLLECTIVES:
    setattr(HostGroup, _name, collective(_name))


def register(target):
    dist.Backend.register_backend(NAME, HostGroup, devices=[target])
