#!/usr/bin/env python3
"""Runs the handed cases before and after `fix`, on the CPU and on the simulated device, against thresholds.yaml.

score.py leaves out those that need more than its own device; ours has it, so they are run here.
"""
import pathlib
import sys
import tempfile

import yaml

from support import REPO, SIMULATOR, TOOL, Checks, call, copy_tree, measures, python

CASES = REPO / "tests/cases"


def run_on_device(checks, case, plan, tmp):
    work = copy_tree(case, tmp / case.name)
    fix = call([TOOL, "fix", "--unsafe", work])
    run = python(*plan["command"][1:], on="simx", cwd=work)
    want = [line.replace("DEVICE cpu", "DEVICE simx") for line in plan["stdout"]]
    checks.check(f"{case.name} runs on the simulated device ({', '.join(plan['accel_needs'])})",
                 fix.returncode == 0 and run.returncode == 0 and run.stdout.splitlines() == want,
                 f"want {want}, got {run.stdout.splitlines()}\n{run.stderr[-800:]}")


def main():
    checks = Checks()
    score = call([sys.executable, CASES / "score.py", TOOL, CASES, "--only", "python", "--run", "--sim", SIMULATOR, "--show"], limit=1800)
    print(score.stdout)
    got = measures(score.stdout.splitlines()[-1]) if score.stdout.strip() else {}
    for measure, least in yaml.safe_load((CASES / "thresholds.yaml").read_text())["run"].items():
        checks.check(f"{measure} at least {least} %", got.get(measure, 0) >= least, f"{got.get(measure)} %\n{score.stderr[-800:]}")
    with tempfile.TemporaryDirectory() as tmp:
        for case in sorted(p.parent for p in CASES.glob("*/case.yaml")):
            plan = yaml.safe_load((case / "case.yaml").read_text())["run"]
            if plan and plan.get("accel_needs"):
                run_on_device(checks, case, plan, pathlib.Path(tmp))
    checks.close()


if __name__ == "__main__":
    main()
