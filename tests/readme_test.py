#!/usr/bin/env python3
"""What the documents show and name is so. The program is $TORCHPORT.

Each ```console block of README.md is a session of its own, in a folder that holds a copy of tests/demo:
  $ torchport …   is run; what it prints must be what is shown. A line `…` stands for any number of lines.
  $ cat FILE      makes FILE with the text shown.
Other commands are for readers. TORCHPORT_UPDATE=1 rewrites what is shown, the `…` kept.
"""
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parent.parent
TOOL = str(pathlib.Path(os.environ.get("TORCHPORT") or REPO / "build/release/torchport").resolve())
README = REPO / "README.md"
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "analyzers/README.md", "opdb/README.md", "rules/README.md", "integrations/README.md", "opdb/simulator/README.md"]
UPDATE = os.environ.get("TORCHPORT_UPDATE") == "1"
ANY = "…"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.M | re.S)
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


def call(*args, cwd=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"NO_COLOR": "1", "GIT_CEILING_DIRECTORIES": tempfile.gettempdir()}
    run = subprocess.run([TOOL, *args], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.stdout.decode()


def sessions(text):
    """[[(command line, shown lines), …], …], a list for each block."""
    out = []
    for block in BLOCK.findall(text):
        steps = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
        out.append(steps)
    return out


def chunks(shown):
    """The runs of lines between the elisions."""
    out = [[]]
    for line in shown:
        if line == ANY:
            out.append([])
        else:
            out[-1].append(line)
    return out


def matches(shown, printed):
    parts, at = chunks(shown), 0
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        starts = [0] if i == 0 else [len(printed) - len(part)] if last else range(at, len(printed) - len(part) + 1)
        found = next((s for s in starts if s >= at and printed[s:s + len(part)] == part), None)
        if found is None or (last and found + len(part) != len(printed)):
            return False
        at = found + len(part)
    return True


def renewed(shown, printed):
    """The shown lines with what is printed now, each run of lines at the place that is most like it."""
    parts, at, out = chunks(shown), 0, []
    if len(parts) == 1:
        return printed
    for i, part in enumerate(parts):
        like = lambda s: difflib.SequenceMatcher(None, "\n".join(part), "\n".join(printed[s:s + len(part)])).ratio()
        start = 0 if i == 0 else len(printed) - len(part) if i == len(parts) - 1 else max(range(at, max(at, len(printed) - len(part)) + 1), key=like)
        out += ([ANY] if i else []) + printed[start:start + len(part)]
        at = start + len(part)
    return out


class Readme(unittest.TestCase):
    def test_sessions(self):
        text = README.read_text()
        ran = 0
        for steps in sessions(text):
            with tempfile.TemporaryDirectory() as tmp:
                tmp = pathlib.Path(tmp)
                shutil.copytree(REPO / "tests/demo", tmp / "tests/demo", ignore=shutil.ignore_patterns("__pycache__"))
                for command, shown in steps:
                    words = shlex.split(command, comments=True)
                    while shown and not shown[-1]:
                        shown = shown[:-1]
                    if words[0] == "cat":
                        (tmp / words[1]).parent.mkdir(parents=True, exist_ok=True)
                        (tmp / words[1]).write_text("\n".join(shown) + "\n")
                    if words[0] != "torchport":
                        continue
                    ran += 1
                    printed = [line.rstrip() for line in call(*words[1:], cwd=tmp).splitlines()]
                    if matches(shown, printed):
                        continue
                    if UPDATE:
                        text = text.replace("\n".join([f"$ {command}", *shown]), "\n".join([f"$ {command}", *renewed(shown, printed)]))
                    else:
                        diff = "\n".join(difflib.unified_diff(shown, printed, "README.md", "printed", lineterm="", n=1))
                        self.fail(f"$ {command}\n{diff}\n(TORCHPORT_UPDATE=1 rewrites README.md)")
        self.assertGreater(ran, 5)
        if UPDATE:
            README.write_text(text)

    def test_commands_and_flags(self):
        """Every command and flag of the program has its row, with the commands that take it; every row is true."""
        text = README.read_text()
        commands = re.findall(r"^  ([a-z]+)  ", call("--help").split("Subcommands:")[1], re.M)
        self.assertEqual(sorted(commands), sorted(set(re.findall(r"^\| `torchport ([a-z]+)\b[^|]*\|", text, re.M))))
        taken = {}
        for command in commands:
            for flag in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", call(command, "--help"), re.M):
                taken.setdefault(flag, set()).add(command)
        taken.pop("--help")
        rows = {}
        for flag, where in re.findall(r"^\| `(--[a-z-]+)[^`]*` \| ([^|]+) \|", text, re.M):
            rows[flag] = set(re.findall(r"[a-z]+", where))
        self.assertEqual(rows, taken)
        own = re.sub(r"`(?:ruff|rg) [^`]*`", "", FENCED.sub("", text))
        for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", own)) - set(taken):
            self.assertIn(flag, call("--help"), "README.md speaks of a flag that is not there")

    def test_targets(self):
        told = re.search(r"known are ([a-z, ]+)", call("scan", "--target", "none-such"))[1].split(", ")
        for target in told:
            self.assertIn(f"`{target}`", README.read_text())


class Documents(unittest.TestCase):
    def test_named_files_and_tests_exist(self):
        for name in DOCUMENTS:
            document = REPO / name
            if not document.exists():
                continue
            text = FENCED.sub("", document.read_text())
            for path in re.findall(r"`((?:analyzers|opdb|rules|rewriter|reports|cli|tests|cmake|integrations)/[\w./-]*[\w/])`", text):
                if not path.startswith("build/"):
                    self.assertTrue((REPO / path).exists(), f"{name} names {path}, which is not there")
            for path, tests in re.findall(r"`(tests/[\w/]+\.\w+)`((?:,? `[\w.]+`(?!/))+)", text):
                source = (REPO / path).read_text()
                for test in re.findall(r"`([\w.]+)`", tests):
                    parts = test.split(".")
                    pattern = rf"\(\s*{parts[0]}\s*,\s*{parts[1]}\s*\)" if len(parts) == 2 else rf"\bdef {test}\b"
                    self.assertRegex(source, pattern, f"{name} names {test} in {path}")

    def test_every_row_of_the_tables_cites_its_source(self):
        for table in sorted((REPO / "opdb/data").glob("torch*_names.tsv")):
            head, *rows = (line.split("\t") for line in table.read_text().splitlines())
            for row in rows:
                self.assertEqual(len(row), len(head), f"{table.name}: {row[0]}")
                self.assertRegex(row[head.index("source")], r"^pytorch v\d+\.\d+\.\d+ \S+; .*\d{4}-\d\d-\d\d$", f"{table.name}: {row[0]}")


if __name__ == "__main__":
    unittest.main()
