"""What integrations/ and the files at the top say to other tools is run here as they would run it. The program is $TORCHPORT."""
import json, os, pathlib, pty, re, shlex, subprocess, unittest
import xml.etree.ElementTree as xml

from cli_test import TOOL
from gate_test import Repository

REPO = pathlib.Path(__file__).resolve().parent.parent
TIED = "import torch\n\ntorch.cuda.synchronize()\n"


def items(text, key):
    """The list under `key:` of plain YAML: one item a line."""
    block = re.search(rf"(?m)^( *){key}:\n((?:\1 +-? .*\n)+)", text)[2]
    return [line.strip()[2:] for line in block.splitlines() if line.strip().startswith("- ")]


class Tools(Repository):
    def setUp(self):
        super().setUp()
        self.bin = self.root / ".bin"
        self.bin.mkdir()
        (self.bin / "torchport").symlink_to(TOOL)
        self.git("init", "-q")
        self.put(".gitignore", ".bin\n")
        self.put("old.py", TIED)
        self.commit()

    def sh(self, command, code=0, **env):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT")} | {"PATH": f"{self.bin}:{os.environ['PATH']}"}
        r = subprocess.run(["sh", "-c", command], cwd=self.root, env=clean | env, capture_output=True, text=True)
        self.assertEqual(r.returncode, code, r.stderr + r.stdout)
        return r.stdout


class Integrations(Tools):
    def test_pre_commit_hooks(self):
        text = (REPO / ".pre-commit-hooks.yaml").read_text()
        hooks = {}
        for block in re.split(r"(?m)^- ", text)[1:]:
            hook = dict(re.findall(r"(?m)^(?:  )?(\w+): (.*)$", block))
            hooks[hook["id"]] = hook
            self.assertEqual(hook["language"], "python")
        self.put("new.py", TIED)
        self.git("add", "-A")
        gate, fix = hooks["torchport-gate"], hooks["torchport-fix"]
        arguments = re.findall(r"[^\[\], ]+", gate["args"])
        command = shlex.join([*gate["entry"].split(), *arguments, "new.py"])
        self.assertIn("new.py:3:1: TP157", self.sh(command, code=1))
        self.sh(shlex.join([*gate["entry"].split(), *arguments, "old.py"]))
        self.sh(fix["entry"] + " new.py")
        self.assertNotIn("torch.cuda.sync", (self.root / "new.py").read_text())
        self.sh(command)

    def test_github_action(self):
        action = (REPO / "action.yml").read_text()
        self.assertIn('sh "$GITHUB_ACTION_PATH/integrations/github.sh"', action)
        variables = set(re.findall(r"(TORCHPORT_\w+): \$\{\{ inputs", action))
        script = (REPO / "integrations/github.sh").read_text()
        self.assertEqual(variables, set(re.findall(r"TORCHPORT_\w+", script)))
        # an input never becomes part of a command's text
        self.assertNotRegex(re.sub(r"(?m)^ +TORCHPORT_\w+: .*$", "", action), r"\$\{\{")
        self.put("new.py", TIED)
        run = "sh " + shlex.quote(str(REPO / "integrations/github.sh"))
        env = {"GITHUB_STEP_SUMMARY": str(self.root / "summary.md"), "TORCHPORT_SARIF": "out.sarif", "TORCHPORT_SINCE": "HEAD"}
        text = self.sh(run, code=1, **env)
        self.assertRegex(text, r"(?m)^::error file=new\.py,line=3,")
        self.assertIn("torchport: fail", (self.root / "summary.md").read_text())
        self.assertEqual(json.loads((self.root / "out.sarif").read_text())["runs"][0]["properties"]["gate"]["new"], 1)
        self.sh(run, code=2, TORCHPORT_SINCE="x; touch harm")
        self.sh(run, code=2, TORCHPORT_SINCE="$(touch harm)")
        self.assertFalse((self.root / "harm").exists())
        self.sh(run, TORCHPORT_ARGUMENTS="--fail-on amp:blocks")

    def test_gitlab_template(self):
        text = (REPO / "integrations/gitlab.yml").read_text()
        self.sh("torchport gate --baseline torchport-baseline.json --write-baseline")
        self.put("new.py", TIED)
        arguments = re.search(r'TORCHPORT_ARGUMENTS: "(.*)"', text)[1]
        script = items(text, "script")
        self.assertEqual(len(script), 3)
        self.sh("set -e\n" + "\n".join(script), code=1, TORCHPORT_ARGUMENTS=arguments)
        self.assertEqual([i["location"]["path"] for i in json.loads((self.root / "gl-code-quality-report.json").read_text())], ["new.py"])
        self.assertEqual(xml.parse(self.root / "torchport-junit.xml").find("testsuite").get("failures"), "2")

    def test_problem_matchers(self):
        self.put("new.py", TIED + "torch.cuda.max_memory_allocated()\ntorch.backends.cudnn.benchmark = True\n")
        text = self.sh("torchport gate", code=1)
        impacts = {(f["path"], str(f["line"])): f["impact"] for f in self.scan()["findings"]}
        found = {}
        for matcher in json.loads((REPO / "integrations/problem-matcher.json").read_text())["problemMatcher"]:
            pattern, = matcher["pattern"]
            for line in text.splitlines():
                if m := re.match(pattern["regexp"], line):
                    at = (m[pattern["file"]], m[pattern["line"]])
                    self.assertNotIn(at, found)
                    found[at] = matcher["severity"]
        words = {"blocks": "error", "degrades": "warning", "cosmetic": "notice"}
        self.assertEqual(found, {at: words[impact] for at, impact in impacts.items()})
        self.assertEqual(set(found.values()), set(words.values()))
        task, = json.loads((REPO / "integrations/vscode-tasks.json").read_text())["tasks"]
        pattern = task["problemMatcher"]["pattern"]
        lines = self.sh(task["command"], code=1).splitlines()
        self.assertEqual({m[pattern["line"]] for line in lines if (m := re.match(pattern["regexp"], line))}, {"3", "4", "5"})


class Init(Tools):
    FILES = ("torchport.yaml", "torchport-baseline.json", ".github/workflows/torchport.yml")

    def test_what_it_writes_works(self):
        r = self.run_tool("init", "--target", "xpu,mps")
        self.assertRegex(r.stdout.decode(), r"^gate: pass: wrote 1 tie to torchport-baseline\.json")
        for file in self.FILES:
            self.assertTrue((self.root / file).exists())
        self.assertEqual(self.scan()["targets"], ["xpu", "mps"])
        workflow = (self.root / self.FILES[2]).read_text()
        runs = [line for line in re.findall(r"(?m)^ +run: (.*)$", workflow) if line != "|"]
        self.assertEqual(len(runs), 2)
        self.assertIn("set TORCHPORT_SOURCE", r.stderr.decode())
        guard, = re.findall(r"(?m)^ +(test -n .*)$", workflow)
        self.sh(guard, code=2)
        self.sh(guard, TORCHPORT_SOURCE="torchport.whl")
        self.sh("\n".join(runs), GITHUB_STEP_SUMMARY="summary.md")
        self.put("new.py", TIED)
        self.sh("set -e\n" + "\n".join(runs), code=1, GITHUB_STEP_SUMMARY="summary.md")
        self.assertIn("torchport: fail", (self.root / "summary.md").read_text())

    def test_what_is_there_stays(self):
        for file in self.FILES:
            self.put(file, "# mine\n" if file.endswith("yaml") else "mine\n")
        before = {file: (self.root / file).read_bytes() for file in self.FILES}
        self.assertEqual(self.err("init").count("left "), 3)
        self.assertEqual(before, {file: (self.root / file).read_bytes() for file in self.FILES})

    def test_where_it_does_not_belong(self):
        self.put("torchport.yaml", "targets: [mps]\n")
        self.assertIn("says which targets count", self.err("init", "--target", "neuron", code=2))
        self.git("init", "-q")
        self.put("below/a.py", TIED)
        self.assertIn("GitHub reads workflows at the top", self.err("init", "below"))
        (self.root / "other/torchport-baseline.json").mkdir(parents=True)
        self.assertIn("is a folder", self.err("init", "other", code=2))

    def test_it_asks_at_a_terminal(self):
        for answer, anew in ((b"\n", False), (b"n\n", False), (b"y\n", True)):
            for file in self.FILES:
                self.put(file, "# mine\n")
            master, slave = pty.openpty()
            os.write(master, answer * 3)
            r = subprocess.run([TOOL, "init"], cwd=self.root, stdin=slave, capture_output=True, text=True)
            os.close(slave)
            os.close(master)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertEqual(r.stderr.count("[y/N]"), 3)
            self.assertEqual([(self.root / file).read_text() != "# mine\n" for file in self.FILES], [anew] * 3)

    def test_no_folder(self):
        self.assertIn("is no folder", self.err("init", "none", code=2))


if __name__ == "__main__":
    unittest.main()
