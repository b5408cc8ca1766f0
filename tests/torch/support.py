"""What the tests that run programs share: where things lie, how a program is run on which host, how checks are counted."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("TORCHPORT") or str(REPO / "build/release/torchport")
SIMULATOR = REPO / "opdb/simulator/run.py"
# These tests are about hosts without CUDA: where there is a card, it is hidden.
ENV = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}


def call(argv, cwd=None, env=(), limit=600):
    return subprocess.run([str(a) for a in argv], cwd=cwd, env={**ENV, **dict(env)}, capture_output=True, text=True, timeout=limit)


def python(script, *args, on="cpu", **kwargs):
    """Runs a script on this host's CPU, or on a simulated device by its name."""
    prefix = [] if on == "cpu" else [SIMULATOR, "--target", on]
    return call([sys.executable, *prefix, script, *args], **kwargs)


def copy_tree(source, target):
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and "__pycache__" not in p.parts}


def measures(line):
    """{name: percent} of the last line of score.py."""
    return {m[0]: float(m[3]) for m in re.findall(r"(\S+) (\d+)/(\d+) = ([\d.]+) %", line)}


class Checks:
    """Counts checks; the closing line is `N passed, N failed`."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        print(("ok   " if good else "FAIL ") + name, flush=True)
        if not good and detail:
            print("     " + str(detail).strip().replace("\n", "\n     "), flush=True)
        return bool(good)

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(self.failed > 0 or self.passed == 0)
