"""Builds the simulated device once and puts it into this process under a target's name.

The shared object needs a C++ compiler and the headers that come with torch, no more; it is kept by the contents of its sources and the torch
it was built for, in $TORCHPORT_SIMULATOR_BUILD, else $XDG_CACHE_HOME/torchport, else ~/.cache/torchport.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = [HERE / name for name in ("autocast.cpp", "fused.cpp", "kernels.cpp", "memory.cpp", "runtime.cpp")]
DEFAULT_TARGET = "simx"  # no real device: a program that names one by heart does not run on it


class Error(Exception):
    """The user's or the machine's fault."""


def cache_folder():
    own = os.environ.get("TORCHPORT_SIMULATOR_BUILD")
    if own:
        return pathlib.Path(own)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "torchport"


def compiler():
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        if name and shutil.which(name):
            return name
    raise Error("no C++ compiler found: the simulated device is built on first use (Debian: apt-get install g++)")


def build():
    """The path of the shared object; compiles it when it is not in the cache."""
    root = pathlib.Path(torch.__file__).resolve().parent
    flags = [
        "-std=c++20", "-O1", "-fPIC", "-w", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
        f"-I{HERE}", f"-isystem{root / 'include'}", f"-isystem{root / 'include/torch/csrc/api/include'}",
    ]
    key = hashlib.sha256(f"{torch.__version__} {flags}".encode())
    for path in [HERE / "simulator.h", *SOURCES]:
        key.update(path.read_bytes())
    folder = cache_folder()
    library = folder / f"simulator-{torch.__version__}-{key.hexdigest()[:16]}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    print("torchport: building the simulated device (once, about a minute)", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder) as tmp:
        objects = [pathlib.Path(tmp) / (source.stem + ".o") for source in SOURCES]
        compiles = [subprocess.Popen([compiler(), *flags, "-c", source, "-o", target], stderr=subprocess.PIPE, text=True)
                    for source, target in zip(SOURCES, objects)]
        said = [process.communicate()[1] for process in compiles]
        result = pathlib.Path(tmp) / library.name
        link = [compiler(), "-shared", *objects, f"-L{root / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10", "-o", result]
        if any(process.returncode for process in compiles):
            raise Error("the simulated device does not compile against torch " + torch.__version__ + ":\n" + "".join(said)[-4000:])
        linked = subprocess.run(link, capture_output=True, text=True)
        if linked.returncode:
            raise Error("the simulated device does not link:\n" + linked.stderr[-4000:])
        os.replace(result, library)  # whole or not at all, also with two builders
    return library


def install(target=DEFAULT_TARGET):
    """After this, torch.device(target) is the accelerator of this process. Once per process."""
    if not re.fullmatch("[a-z][a-z0-9_]*", target):
        raise Error(f"'{target}' is no device name")
    if hasattr(torch, target):
        raise Error(f"torch has something of its own called '{target}': only a device that comes as an extension can be simulated (neuron, tpu, npu)")
    torch.ops.load_library(build())
    from torchport_device_module import make_module

    try:
        torch.utils.rename_privateuse1_backend(target)
    except RuntimeError as e:
        raise Error(f"torch does not take '{target}' as a device name: {e}") from None
    torch._register_device_module(target, make_module(target))
    torch.utils.generate_methods_for_privateuse1_backend(for_packed_sequence=True, for_storage=True)
    torch.set_autocast_dtype(target, torch.bfloat16)  # torch's own default, float16, is for chips that have no bfloat16
    if torch.distributed.is_available():
        import torchport_collectives

        torchport_collectives.register(target)
