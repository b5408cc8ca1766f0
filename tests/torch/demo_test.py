#!/usr/bin/env python3
"""The demo project needs CUDA as it is; after `fix --unsafe` it trains on the CPU and on simulated devices."""
import pathlib
import re
import socket
import tempfile

from support import REPO, TOOL, Checks, call, contents, copy_tree, python

RESULT = re.compile(r"^RESULT first ([\d.]+) last ([\d.]+)(?: accuracy ([\d.]+) device (\w+))?", re.M)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def learned(run, device=None):
    """Whether a run ended well: the loss fell by half, on the device it should have used."""
    found = RESULT.search(run.stdout)
    if run.returncode or not found:
        return False
    first, last, accuracy, used = found.groups()
    return float(last) < float(first) / 2 and (accuracy is None or float(accuracy) >= 0.9) and (device is None or used == device)


def said(run):
    return f"exit {run.returncode}\n{run.stdout[-1500:]}\n{run.stderr[-1500:]}"


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        demo = copy_tree(REPO / "tests/demo", tmp / "demo")
        for script in ("train.py", "launch_ddp.py"):
            run = python(script, cwd=demo)
            checks.check(f"{script} needs CUDA as it is", run.returncode and re.search("CUDA|NCCL", run.stderr), said(run))

        before = contents(demo)
        fix = call([TOOL, "fix", "--unsafe", demo])
        after = contents(demo)
        checks.check("fix --unsafe rewrites it", fix.returncode == 0 and after != before and after.keys() == before.keys(), said(fix))
        again = call([TOOL, "fix", "--unsafe", demo])
        checks.check("a second fix changes nothing", again.returncode == 0 and contents(demo) == after, said(again))

        for device in ("cpu", "neuron", "tpu"):
            run = python("train.py", on=device, cwd=demo)
            checks.check(f"train.py learns on {device}", learned(run, device), said(run))
            run = python("train.py", "--resume", "bearings.pt", "--epochs", "1", on=device, cwd=demo)
            checks.check(f"train.py goes on from its checkpoint on {device}", run.returncode == 0 and "epoch 5:" in run.stdout, said(run))
        for device in ("cpu", "neuron"):
            run = python("launch_ddp.py", on=device, cwd=demo, env={"MASTER_PORT": free_port()})
            checks.check(f"launch_ddp.py learns on {device}", learned(run), said(run))
    checks.close()


if __name__ == "__main__":
    main()
