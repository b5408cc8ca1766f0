#!/usr/bin/env python3
"""Draws kernels at random from scans, to be judged by reading: draw_kernels.py TOOL SEED COUNT TREE... prints a table row a kernel."""
import json
import pathlib
import random
import subprocess
import sys


def kernels(tool, tree):
    run = subprocess.run([tool, "scan", "--format", "json", "--allow-skipped", str(tree)], capture_output=True, text=True, check=True)
    return [(tree.name, f) for f in json.loads(run.stdout)["findings"] if "kernel" in f]


def main():
    tool, seed, count, *trees = sys.argv[1:]
    every = [k for tree in trees for k in kernels(tool, pathlib.Path(tree))]
    random.seed(int(seed))
    print("| tree | kernel | class | features | launches | reached from |\n|---|---|---|---|---|---|")
    for tree, f in random.sample(every, int(count)):
        k = f["kernel"]
        python = [p for p in k["reached_from"] if p["path"].endswith(".py")]
        native = sorted({p["symbol"] for p in k["reached_from"] if not p["path"].endswith(".py")})
        print(f"| {tree} | {f['path']}:{f['line']} {f['symbol']} | {k['class']} | {', '.join(k['features']) or '·'} | {len(k['launches'])} "
              f"| {', '.join(native) or '·'}; {len(python)} calls in Python |")


main()
