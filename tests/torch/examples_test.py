#!/usr/bin/env python3
"""What the rules write, runs: the `after` of every example marked `run: true`, on the CPU and on the simulated device.

And every name of torch that stands in the `after` of any Python example exists in the torch installed here.
torch is imported once; each example runs in a fork of its own, in an empty folder.
"""
import ast
import importlib
import os
import signal
import sys
import tempfile
import traceback
import types

import yaml

from support import ENV, REPO, SIMULATOR, Checks

os.environ.update(ENV)
sys.path.insert(0, str(SIMULATOR.parent))
import torch  # noqa: E402
import torch.distributed  # noqa: E402
import torch.utils.data  # noqa: E402

import torchport_simulator  # noqa: E402

LIMIT = 60  # seconds an example


def examples():
    """(name, after, run) of each example of a Python rule that has a rewrite."""
    for path in sorted((REPO / "rules").rglob("*.yaml")):
        if path.parent.name not in ("python", "ops"):
            continue
        rows = yaml.safe_load(path.read_text()) or []
        for rule in rows if isinstance(rows, list) else ():  # a map lists places, not rules
            for number, example in enumerate(rule.get("examples") or [], 1):
                if example.get("after"):
                    yield f"{rule['id']} {rule['name']}, example {number}", example["after"], bool(example.get("run"))


def imported(tree):
    """{name bound in the file: dotted name} for what it imports of torch."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "torch":
                    bound[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "torch":
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return bound


def written_names(text):
    """Every dotted name of torch that a file reads."""
    tree = ast.parse(text)
    bound = imported(tree)
    names = set(bound.values())
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in bound:
            names.add(".".join([bound[node.id], *reversed(parts)]))
    return {n for n in names if not n.endswith("*")}


def exists(name):
    first, *rest = name.split(".")
    thing = importlib.import_module(first)
    for part in rest:
        if not hasattr(thing, part) and isinstance(thing, types.ModuleType):
            try:
                importlib.import_module(f"{thing.__name__}.{part}")
            except ImportError:
                return False
        if not hasattr(thing, part):
            return False
        thing = getattr(thing, part)
    return True


def run(text):
    """Runs a program in this process as a script; the exit code."""
    signal.alarm(LIMIT)
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        sys.argv = ["example.py"]
        try:
            exec(compile(text, "example.py", "exec"), {"__name__": "__main__"})
            return 0
        except SystemExit as e:
            return 0 if not e.code else 1
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            return 1
        finally:
            os.chdir("/")


def forked(call):
    """(worked, output) of a call in a fork."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = 1
            try:
                code = call()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        return status == 0, output.read().decode(errors="replace")[-2000:]


def main():
    checks = Checks()
    torch.set_num_threads(1)
    known = list(examples())
    wrong = 0
    for name, after, _ in known:
        try:
            missing = sorted(n for n in written_names(after) if not exists(n))
        except SyntaxError as e:
            missing = [f"not parsed: {e}"]
        wrong += bool(missing)
        if missing:
            print(f"{name} writes what is not there: {', '.join(missing)}")
    runnable = [(name, after) for name, after, runs in known if runs]
    checks.check(f"the {len(known)} rewrites in the rules' examples write names that torch {torch.__version__} has", known and not wrong)
    checks.check(f"{len(runnable)} of them are run", runnable)
    results = {}
    for device in ("cpu", "simx"):
        if device != "cpu":
            torchport_simulator.install(device)
        for name, after in runnable:
            results[name, device] = forked(lambda: run(after))
    for (name, device), (worked, output) in sorted(results.items()):
        checks.check(f"{name} on {device}", worked, output)
    checks.close()


if __name__ == "__main__":
    main()
