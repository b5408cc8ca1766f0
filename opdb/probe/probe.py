"""MODULE KEY: what torchport-probe prints, of a backend that is a Python module. Run by `torchport opdb probe --python`."""
import importlib
import re
import sys


def registered(key):
    return set(torch._C._dispatch_get_registrations_for_dispatch_key(key))


def place(op, key):
    found = re.search(rf"^{key}: registered at (\S+)", torch._C._dispatch_dump_table(op), re.M)
    return found[1] if found else ""


try:
    import torch
except ImportError:
    sys.exit("this Python has no torch; name one that has it and the backend in $TORCHPORT_PYTHON")
module, key = sys.argv[1:]
if not hasattr(torch._C.DispatchKey, key):
    sys.exit(f"torch {torch.__version__} has no dispatch key {key}")
before = registered(key)
try:
    importlib.import_module(module)
except Exception as error:
    sys.exit(f"cannot be imported: {type(error).__name__}: {error}")
print("torch", torch.__version__, sep="\t")
print("fallback", "yes" if torch._C._dispatch_has_backend_fallback(getattr(torch._C.DispatchKey, key)) else "no", sep="\t")
for op in sorted(registered(key) - before):
    print(op, place(op, key), sep="\t")
