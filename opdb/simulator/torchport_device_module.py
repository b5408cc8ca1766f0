"""What a program finds under torch.<target>: the functions that PyTorch itself asks of a backend's module, and those that people call.

Nearly all of them are the generic torch.accelerator calls, since this device is the accelerator of the process.
"""
import contextlib
import types

import torch


def make_module(name):
    """The module to register as torch.<name>."""
    module = types.ModuleType(f"torch.{name}", f"The simulated {name} device.")
    ops = torch.ops.torchport_simulator
    accelerator = torch.accelerator

    class device(contextlib.ContextDecorator):
        """Makes a device current for a while; there is one device, so it only checks the index."""

        def __init__(self, device):
            self.device = device

        def __enter__(self):
            index = self.device if isinstance(self.device, int) else torch.device(self.device).index
            if index is not None:
                accelerator.set_device_index(index)
            return self

        def __exit__(self, *exc):
            return False

    def manual_seed(seed):
        ops.manual_seed(int(seed) & (2**63 - 1))

    def seed():
        manual_seed(torch.seed())

    def get_rng_state(device=name):
        return ops.rng_state()

    def set_rng_state(state, device=name):
        ops.set_rng_state(state)

    def set_rng_state_all(states):
        for state in states:
            set_rng_state(state)

    def get_device_properties(device=None):
        return types.SimpleNamespace(name=get_device_name(), total_memory=accelerator.get_memory_info()[1])

    def get_device_name(device=None):
        return f"simulated {name}"

    members = dict(
        # asked by PyTorch: AMP, torch.load, torch.manual_seed, fork_rng, torch.accelerator
        is_available=lambda: True, is_initialized=lambda: True, init=lambda: None, _lazy_init=lambda: None,
        device_count=lambda: 1, current_device=lambda: 0,
        get_amp_supported_dtype=lambda: [torch.bfloat16, torch.float16],
        _is_in_bad_fork=lambda: False, manual_seed_all=manual_seed,
        get_rng_state=get_rng_state, set_rng_state=set_rng_state,
        # called by programs
        device=device, Stream=torch.Stream, Event=torch.Event,  # theirs are on the accelerator by default
        set_device=accelerator.set_device_index, synchronize=accelerator.synchronize,
        current_stream=accelerator.current_stream, set_stream=accelerator.set_stream, stream=lambda stream: stream,
        default_stream=lambda device=None: torch.Stream(stream_id=0, device_index=0, device_type=20),
        manual_seed=manual_seed, seed=seed, seed_all=seed, initial_seed=lambda: ops.initial_seed(),
        get_rng_state_all=lambda: [get_rng_state()], set_rng_state_all=set_rng_state_all,
        empty_cache=accelerator.empty_cache, mem_get_info=accelerator.get_memory_info, memory_stats=accelerator.memory_stats,
        memory_allocated=accelerator.memory_allocated, max_memory_allocated=accelerator.max_memory_allocated,
        memory_reserved=accelerator.memory_reserved, max_memory_reserved=accelerator.max_memory_reserved,
        reset_peak_memory_stats=accelerator.reset_peak_memory_stats,
        is_bf16_supported=lambda including_emulation=True: True,
        get_device_name=get_device_name, get_device_properties=get_device_properties,
    )
    vars(module).update(members)
    return module
