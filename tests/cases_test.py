#!/usr/bin/env python3
"""Scores the program on the handed cases (tests/cases) and holds it to tests/cases/thresholds.yaml.

A case that falls short in an area must be listed there under not_yet_met, with the reason; one that is listed and passes is an error too, so the
list only shrinks. $TORCHPORT names the program (default build/release/torchport). TORCHPORT_UPDATE=1 rewrites the list.
"""
import os
import pathlib
import re
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE / "cases"
THRESHOLDS = CASES / "thresholds.yaml"
TOOL = os.environ.get("TORCHPORT") or str(HERE.parent / "build/release/torchport")
AREAS = {"python": "needs a look", "ops": "needs the op database", "cpp": "needs C++ analysis", "files": "needs file analyzers",
         "semantics": "needs a look"}


def score(area):
    """({case: what is wrong}, {measure: percent}) of one area."""
    argv = [sys.executable, CASES / "score.py", TOOL, CASES, "--only", area, "--show"]
    out = subprocess.run(argv, capture_output=True, text=True)
    if out.returncode or "no JSON from scan" in out.stdout:
        sys.exit(f"score.py --only {area} failed:\n{out.stdout}{out.stderr}")
    cases, name = {}, None
    for line in out.stdout.splitlines():
        if line.startswith(("ok   ", "FAIL ")):
            name = line[5:]
            cases[name] = []
        elif line.startswith("     ") and name:
            cases[name].append(line.strip())
    last = out.stdout.splitlines()[-1] if out.stdout.strip() else ""
    return cases, {m[0]: float(m[3]) for m in re.findall(r"(\S+) (\d+)/(\d+) = ([\d.]+) %", last)}


def update(failing, listed):
    head = THRESHOLDS.read_text().split("not_yet_met:")[0]
    rows = [f"  - {{case: {case}, area: {area}, why: {listed.get((case, area), AREAS[area])}}}\n" for case, area in sorted(failing)]
    THRESHOLDS.write_text(head + ("not_yet_met:\n" + "".join(rows) if rows else "not_yet_met: []\n"))


def main():
    wanted = yaml.safe_load(THRESHOLDS.read_text())
    listed = {(row["case"], row["area"]): row["why"] for row in wanted["not_yet_met"]}
    failing, seen, errors = {}, set(), []
    for area in AREAS:
        cases, measures = score(area)
        if not cases:
            continue
        seen |= {(case, area) for case in cases}
        failing |= {(case, area): wrong for case, wrong in cases.items() if wrong}
        print(f"{area}: {sum(not w for w in cases.values())} of {len(cases)} cases; " + ", ".join(f"{n} {p:.1f} %" for n, p in measures.items()))
        for measure, least in (wanted["least"].get(area) or {}).items():
            if measures.get(measure, 0) < least:
                errors.append(f"{area}: {measure} is {measures.get(measure, 0):.1f} %, at least {least} % is due")
    if os.environ.get("TORCHPORT_UPDATE") == "1":
        update(failing, listed)
        listed = {key: listed.get(key, AREAS[key[1]]) for key in failing}
    print("\nnot yet met:" if listed or failing else "\nall cases met")
    for (case, area), why in sorted(listed.items()):
        print(f"  {case} ({area}): {why}")
    errors += [f"{case} ({area}) falls short and is not listed:\n    " + "\n    ".join(wrong) for (case, area), wrong in sorted(failing.items())
               if (case, area) not in listed]
    errors += [f"{case} ({area}) is listed as not yet met, but passes: strike it from thresholds.yaml" for case, area in sorted(listed)
               if (case, area) in seen and (case, area) not in failing]
    errors += [f"{case} ({area}) is listed, but there is no such case" for case, area in sorted(listed) if (case, area) not in seen]
    for error in errors:
        print("ERROR " + error)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
