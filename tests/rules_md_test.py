#!/usr/bin/env python3
"""rules/RULES.md is what `torchport rules` says; TORCHPORT_UPDATE=1 rewrites it. The program is $TORCHPORT."""
import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parent.parent
TOOL = os.environ.get("TORCHPORT") or str(REPO / "build/release/torchport")
FILE = REPO / "rules/RULES.md"
RANK = ["blocks", "degrades", "cosmetic", "none"]
HEAD = """# The rules

Made by tests/rules_md_test.py from what `torchport rules` prints; change the rows under rules/ and let it write this page anew
(`TORCHPORT_UPDATE=1`). `torchport explain ID` shows one rule in full, with its examples.

Impact: what holds for most targets first, then the others by name; in brackets what changes under a condition that asks for the device. Fix: safe
or review, and by hand where there is none; "case by case": a check decides at each place, which may also change the impact.

"""


def run(*args):
    return subprocess.run([TOOL, *args], capture_output=True, text=True, check=True).stdout


def impact(of):
    """`blocks; none: rocm, cuda`: what holds for most targets stands alone."""
    groups = collections.defaultdict(list)
    for target, word in of.items():
        groups[word].append(target)
    most = max(groups, key=lambda word: (len(groups[word]), -RANK.index(word)))
    return "; ".join([most] + [f"{word}: {', '.join(groups[word])}" for word in RANK if word in groups and word != most])


def fix(rule, word):
    if rule["fixes"]:
        return ", ".join(dict.fromkeys(f["applicability"] + (f" from torch {f['since']}" if f["since"] else "") for f in rule["fixes"]))
    return "·" if rule["family"] == "file" else {"by check": "case by case"}.get(word, word)


def cell(text):
    return re.sub(r"([|<*])", r"\\\1", text)


def catalogue():
    rules = json.loads(run("rules", "--format", "json"))["rules"]
    words = {line.split()[0]: re.split(r"\s{2,}", line)[4] for line in run("rules").splitlines()[1:]}
    families = list(dict.fromkeys(r["family"] for r in rules))
    text = HEAD + f"{len(rules)} rules.\n"
    for family in families:
        text += f"\n## {family}\n\n| id | name | what | impact | fix |\n|---|---|---|---|---|\n"
        for rule in (r for r in rules if r["family"] == family):
            judged = impact(rule["impact"])
            guarded = {target: word for target, word in rule["guarded"].items() if word != rule["impact"][target]}
            judged += f" [{impact(guarded)}]" if guarded else ""
            text += f"| {rule['id']} | {rule['name']} | {cell(rule['message'])} | {judged} | {fix(rule, words[rule['id']])} |\n"
    return text


def main():
    want, have = catalogue(), FILE.read_text() if FILE.exists() else ""
    if os.environ.get("TORCHPORT_UPDATE") == "1":
        FILE.write_text(want)
        return 0
    sys.stdout.writelines(difflib.unified_diff(have.splitlines(True), want.splitlines(True), "rules/RULES.md", "torchport rules", n=0))
    if have != want:
        print("rules/RULES.md is not what the rules say; TORCHPORT_UPDATE=1 rewrites it")
    return have != want


if __name__ == "__main__":
    sys.exit(main())
