#!/usr/bin/env python3
"""How the effort model ranks real ports: effort_history.py TORCHPORT GITDIR…

A port commit is one whose subject says that code was made device-agnostic or taught another accelerator. The Python files that it changes
are scanned as they were before; their likely hours (with fixes, and by hand) are ranked against the lines that people changed in them.
Prints Spearman's rho and n, for each repository with at least five such commits and for all.
"""
import json, os, pathlib, re, subprocess, sys, tempfile

SUBJECT = re.compile(r"device[- ]?agnostic|torch\.accelerator|hard[- ]?cod\w* .*cuda|cuda.*hard[- ]?cod|accelerator api|non[- ]?cuda|"
                     r"\bon xpu\b|xpu support|npu support|support .*\b(xpu|npu|mps|hpu|mlu)\b|enable .*\bxpu\b|add .*\b(xpu|npu|mps)\b", re.I)
NOT_A_PORT = re.compile(r"revert|\bdocs?\b|readme", re.I)


def git(gitdir, *args):
    r = subprocess.run(["git", "-C", gitdir, *args], capture_output=True, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"))
    return r.stdout.decode(errors="replace") if r.returncode == 0 else None


def commits(gitdir):
    for row in (git(gitdir, "log", "--no-merges", "--format=%H%x09%s") or "").splitlines():
        sha, _, subject = row.partition("\t")
        if SUBJECT.search(subject) and not NOT_A_PORT.search(subject):
            yield sha


def measured(tool, gitdir, sha):
    """(lines that people changed, hours with fixes, hours by hand), or nothing where no file used CUDA before."""
    lines = 0
    with tempfile.TemporaryDirectory() as tmp:
        for row in (git(gitdir, "show", "--numstat", "--no-renames", "--format=", sha) or "").splitlines():
            added, removed, path = row.split("\t", 2)
            before = git(gitdir, "show", f"{sha}^:{path}") if path.endswith(".py") and added != "-" else None
            if before is None or not re.search(r"cuda|nccl", before):
                continue
            lines += int(added) + int(removed)
            file = pathlib.Path(tmp, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(before, errors="replace")
        if not lines:
            return None
        run = subprocess.run([tool, "scan", "--format", "json", "--allow-skipped", "--target", "xpu", tmp], capture_output=True, check=True)
    effort = json.loads(run.stdout)["effort"]["targets"]["xpu"]
    return lines, effort["likely"], effort["by_hand"]["likely"]


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    cov = sum((p - mx) * (q - my) for p, q in zip(x, y))
    spread = (sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y)) ** .5
    return cov / spread if spread else 0.0


def said(name, rows):
    lines, fixed, by_hand = zip(*rows)
    print(f"{name}: n {len(rows)}, rho {spearman(lines, fixed):.2f} with fixes, {spearman(lines, by_hand):.2f} by hand")


def main():
    tool, *gitdirs = sys.argv[1:]
    every = []
    for gitdir in gitdirs:
        rows = [row for sha in commits(gitdir) if (row := measured(tool, gitdir, sha))]
        if len(rows) >= 5:
            said(gitdir.rstrip("/").removesuffix("/repo").rsplit("/", 1)[-1], rows)
        every += rows
    if every:
        said("all", every)


if __name__ == "__main__":
    main()
