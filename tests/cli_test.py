"""The commands as people and scripts meet them: exit codes, streams, files. The program is $TORCHPORT or the first argument."""
import json, os, pathlib, pty, subprocess, sys, tempfile, unittest

TOOL = str(pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else os.environ["TORCHPORT"]).resolve())
TIED = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\ntorch.cuda.synchronize()\n"
FREE = "import math\n\nprint(math.pi)\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.keep = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.keep.name).resolve()

    def tearDown(self):
        self.keep.cleanup()

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def run_tool(self, *args, code=0, stdin=None, env=None, cwd=None):
        r = subprocess.run([TOOL, *args], cwd=cwd or self.root, input=stdin, capture_output=True, env={**os.environ, **(env or {})})
        self.assertEqual(r.returncode, code, r.stderr.decode(errors="replace")[-400:] + r.stdout.decode(errors="replace")[-400:])
        return r

    def out(self, *args, **kw):
        return self.run_tool(*args, **kw).stdout.decode(errors="replace")

    def err(self, *args, **kw):
        return self.run_tool(*args, **kw).stderr.decode(errors="replace")

    def scan(self, *args, **kw):
        return json.loads(self.out("scan", "--format", "json", *args, **kw))

    def paths(self, *args, **kw):
        return sorted({f["path"] for f in self.scan(*args, **kw)["findings"]})


class Usage(Case):
    def test_texts(self):
        self.assertRegex(self.out("--version"), r"^torchport \d+\.\d+\.\d+\n$")
        for command in ("scan", "fix", "gate", "report", "init", "explain", "rules", "facts"):
            self.assertIn(command, self.out("--help"))
            self.assertIn("Usage: torchport " + command, self.out(command, "--help"))

    def test_complaints_are_one_line_and_exit_2(self):
        self.put("bad/torchport.yaml", "targets: [tpu]\nexlude: [a]\n")
        self.put("rule/torchport.yaml", "rules:\n  disable: [TPnone]\n")
        for args, words in (
            ([], "no command given"), (["scna"], 'did you mean "scan"'), (["scan", "--bogus"], "torchport scan --help"),
            (["scan", "nowhere"], "nowhere: no such file or folder"), (["scan", "--target", "gpu"], "known are neuron, tpu"),
            (["rules", "--format", "sarif"], "known are text or json"), (["scan", "--min-torch", "two"], "write it as 2.6"),
            (["fix", "--jobs", "-1"], "--jobs"), (["explain", "no-such-rule-anywhere"], "torchport rules"), (["facts", "nowhere.py"], "nowhere.py"),
            (["scan", "bad"], 'bad/torchport.yaml:2: unknown key "exlude"; did you mean "exclude"'), (["scan", "rule"], "rule/torchport.yaml:2: no rule or family"),
            (["scan", "--config", "none.yaml"], "none.yaml"), (["gate", "--since", ""], "--since is given an empty value"),
            (["scan", "--output", ""], "--output is given an empty value"), (["opdb", "list", "--opdb", ""], "--opdb is given an empty value"),
        ):
            r = self.run_tool(*args, code=2)
            self.assertEqual(r.stdout, b"")
            self.assertRegex(r.stderr.decode(), r"^torchport: [^\n]*\n$")
            self.assertIn(words, r.stderr.decode())

    def test_nothing_to_do_is_success(self):
        (self.root / "empty").mkdir()
        self.assertEqual(self.scan("empty")["findings"], [])
        self.put("a.txt", "no source")
        self.assertEqual(self.scan("a.txt")["findings"], [])
        self.run_tool("fix", "--check", "empty")

    def test_closed_pipe_is_success(self):
        for i in range(300):
            self.put(f"f{i}.py", TIED * 5)
        r = subprocess.run(["sh", "-c", '{ "$0" scan --format json .; echo $? >&2; } | head -c 1', TOOL], cwd=self.root, capture_output=True)
        self.assertEqual(r.stderr, b"0\n")

    def test_full_disk_is_not(self):
        with open("/dev/full", "w") as full:
            r = subprocess.run([TOOL, "rules"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(r.returncode, 2)

    def test_output_file(self):
        self.put("a.py", TIED)
        self.assertEqual(self.out("scan", "--format", "json", "--output", "r.json", "."), "")
        self.assertTrue(json.loads((self.root / "r.json").read_text())["findings"])
        self.assertEqual(sorted(p.name for p in self.root.iterdir()), ["a.py", "r.json"])
        self.run_tool("scan", "--output", "none/r.json", ".", code=2)

    def test_colours_only_on_a_terminal_that_wants_them(self):
        self.put("a.py", TIED)
        self.assertNotIn("\x1b", self.out("scan"))
        for env, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
            master, slave = pty.openpty()
            environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | env
            child = subprocess.Popen([TOOL, "scan"], cwd=self.root, stdout=slave, stderr=subprocess.DEVNULL, env=environment)
            os.close(slave)
            text = b""
            try:
                while part := os.read(master, 65536):
                    text += part
            except OSError:
                pass
            os.close(master)
            self.assertEqual(child.wait(), 0)
            self.assertEqual(b"\x1b" in text, coloured, env)


class Scan(Case):
    def test_json(self):
        self.put("src/a.py", TIED)
        self.put("src/b.py", FREE)
        report = self.scan("--target", "xpu", "src")
        self.assertEqual((report["schema"], report["root"], report["targets"]), ("torchport.scan/1", "src", ["xpu"]))
        self.assertEqual({f["path"] for f in report["findings"]}, {"a.py"})
        self.assertEqual({f["line"] for f in report["findings"]}, {3, 4})
        for f in report["findings"]:
            self.assertEqual(list(f["targets"]), ["xpu"])
            self.assertEqual(f["impact"], f["targets"]["xpu"]["impact"])
        counts = report["summary"]["targets"]["xpu"]
        self.assertEqual(counts["blocks"] + counts["degrades"] + counts["cosmetic"], len(report["findings"]))
        self.assertEqual(report["files"]["scanned"] + report["files"]["skipped"], 2)

    def test_paths(self):
        for p in ("a/x.py", "a/b/y.py", "c.py"):
            self.put(p, TIED)
        self.assertEqual(self.paths(), ["a/b/y.py", "a/x.py", "c.py"])
        self.assertEqual(self.paths("a/b/y.py"), ["y.py"])
        self.assertEqual(self.paths("a", "--verbose"), ["b/y.py", "x.py"])
        both = self.scan("c.py", "a/b", "./a/../a/b/y.py", str(self.root / "a" / "b"))
        self.assertEqual((both["root"], sorted({f["path"] for f in both["findings"]})), (".", ["a/b/y.py", "c.py"]))
        self.assertEqual(len(both["findings"]), 2 * len(self.scan("c.py")["findings"]))

    def test_same_bytes_at_any_thread_count(self):
        for i in range(60):
            self.put(f"d{i % 7}/f{i}.py", TIED * (i % 5))
        for form in ("json", "text"):
            texts = {self.out("scan", "--format", form, "--jobs", n) for n in ("1", "2", "7", "64")}
            self.assertEqual(len(texts), 1)

    def test_a_projects_own_package_is_no_library_of_others(self):
        self.put("torchsparse/__init__.py", "")
        self.put("torchsparse/nn/__init__.py", "from torchsparse.utils import hash\nimport spconv\n")
        self.put("examples/run.py", "import torchsparse\n")
        found = lambda *args, **kw: [f["symbol"] for f in self.scan(*args, **kw)["findings"] if f["family"] == "library"]
        self.assertEqual((found(), found("torchsparse/nn"), found("examples/run.py")), (["spconv"], ["spconv"], ["torchsparse"]))
        for folder in ("src", "python", "lib"):
            (self.root / folder).mkdir()
            (self.root / "torchsparse").rename(self.root / folder / "torchsparse")
            self.assertEqual(found(), ["spconv"], folder)
            (self.root / folder / "torchsparse").rename(self.root / "torchsparse")
        (self.root / "torchsparse").rename(self.root / "other")
        self.assertEqual(found(), ["torchsparse", "torchsparse.utils.hash", "spconv"])

    def test_an_unreadable_file_is_a_finding(self):
        self.put("a.py", TIED)
        with open(self.root / "huge.py", "wb") as huge:
            huge.truncate((64 << 20) + 1)
        r = self.run_tool("scan", "--format", "json", code=2)
        self.assertIn("huge.py", r.stderr.decode())
        report = json.loads(r.stdout)
        self.assertEqual([u["path"] for u in report["files"]["unreadable"]], ["huge.py"])
        self.assertEqual({f["path"] for f in report["findings"]}, {"a.py", "huge.py"})
        self.assertEqual({f["family"] for f in report["findings"] if f["path"] == "huge.py"}, {"file"})
        self.run_tool("scan", "--allow-skipped")

    def test_a_file_understood_in_part_changes_no_exit_code(self):
        self.put("a.py", "def (:\n    pass\n\n" + TIED)
        report = self.scan()
        self.assertEqual([p["path"] for p in report["files"]["partial"]], ["a.py"])
        self.assertIn("file", {f["family"] for f in report["findings"]})

    def test_text(self):
        self.put("a.py", TIED)
        text = self.out("scan")
        self.assertRegex(text, r"(?m)^a\.py:4:1: \w+ [a-z0-9-]+: .*\[.*neuron.*\]$")
        self.assertIn("    torch.cuda.synchronize()\n    ^^^^", text)
        self.assertIn("torchport fix --diff", text)
        self.assertLessEqual(len(text.split("family ")[1].split("\n\n")[1].strip().splitlines()), 10)

    def test_bytes_that_are_no_text(self):
        self.put(b"caf\xe9.py".decode(errors="surrogateescape"), b"# -*- coding: latin-1 -*-\nx = '\xe9'\n" + TIED.encode())
        self.assertTrue(self.scan()["findings"])
        self.out("scan")

    def test_stdin(self):
        report = self.scan("--stdin", "--stdin-path", "pkg/a.py", stdin=TIED.encode())
        self.assertEqual({f["path"] for f in report["findings"]}, {"pkg/a.py"})
        self.put("torchport.yaml", "exclude: [pkg/]\n")
        self.assertEqual(self.scan("--stdin", "--stdin-path", "pkg/a.py", stdin=TIED.encode())["findings"], [])

    def test_torch_version_is_said(self):
        self.put("a.py", TIED)
        self.assertIn("newest known", self.scan()["torch"]["source"])
        self.put("requirements.txt", "numpy\ntorch>=2.4\n")
        self.assertEqual(self.scan()["torch"], {"version": "2.4", "source": "requirements.txt:2"})
        self.assertEqual(self.scan("--min-torch", "2.7")["torch"], {"version": "2.7", "source": "--min-torch"})
        old = "2.4 and later (requirements.txt:2); most fixes write torch.accelerator, which came in 2.6: --min-torch 2.6 offers them"
        self.assertIn(old, self.out("scan"))
        self.assertIn(old, self.err("fix", "--diff"))
        self.assertNotIn("most fixes", self.out("scan", "--min-torch", "2.6"))


class Config(Case):
    def test_scope_holds_for_explicit_paths(self):
        self.put("torchport.yaml", "exclude: [legacy/, '*_old.py']\n")
        for p in ("a.py", "a_old.py", "legacy/b.py"):
            self.put(p, TIED)
        self.assertEqual(self.paths(), ["a.py"])
        self.assertEqual(self.paths("legacy"), [])
        self.assertEqual(self.paths("legacy/b.py"), [])
        self.assertEqual(self.paths("a.py", "a_old.py"), ["a.py"])
        self.put("torchport.yaml", "include: ['legacy/**']\n")
        self.assertEqual(self.paths(), ["legacy/b.py"])

    def test_rules(self):
        self.put("a.py", TIED)
        found = self.scan()["findings"]
        first = found[0]
        for word in (first["rule"], first["name"]):
            self.put("torchport.yaml", f"rules: {{disable: [{word}]}}\n")
            self.assertEqual({f["rule"] for f in self.scan()["findings"]}, {f["rule"] for f in found} - {first["rule"]})
        self.put("torchport.yaml", f"rules: {{only: [{first['family']}]}}\n")
        self.assertEqual({f["family"] for f in self.scan()["findings"]}, {first["family"]})

    def test_allowances(self):
        self.put("tests/a.py", TIED)
        self.put("b.py", TIED)
        self.put("torchport.yaml", "allow:\n  - {path: tests/, why: these test CUDA}\n")
        report = self.scan()
        self.assertEqual({f["path"]: f.get("suppressed") for f in report["findings"]}, {"tests/a.py": {"why": "these test CUDA", "by": "configuration"}, "b.py": None})
        self.assertEqual(report["summary"]["suppressed"], len(report["findings"]) // 2)
        before = (self.root / "tests/a.py").read_bytes()
        self.run_tool("fix", "--unsafe")
        self.assertEqual((self.root / "tests/a.py").read_bytes(), before)

    def test_targets_and_show_config(self):
        self.put("torchport.yaml", "targets: [mps]\nmin_torch: 2.5\n")
        self.put("src/a.py", TIED)
        self.assertEqual(self.scan()["targets"], ["mps"])
        self.assertEqual(self.scan("--target", "tpu")["targets"], ["tpu"])
        shown = self.out("scan", "--show-config", "src", "--jobs", "3")
        self.assertRegex(shown, r"(?m)^targets +mps +torchport\.yaml:1$")
        self.assertRegex(shown, r"(?m)^min torch +2\.5 +torchport\.yaml:2$")
        self.assertRegex(shown, r"(?m)^jobs +3 +--jobs$")
        self.put("torchport.yaml", "targets: [neurn]\n")
        self.assertIn('torchport.yaml:1: unknown target "neurn", did you mean "neuron"', self.err("scan", code=2))


class Fix(Case):
    def git(self, *args, **kw):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=self.root, capture_output=True, check=True, **kw)

    def test_diff_is_what_fix_does(self):
        self.git("init", "-q")
        for p in ("a.py", "sub/b.py"):
            self.put(p, TIED)
        self.put("sub/crlf.py", TIED.replace("\n", "\r\n").encode()[:-2])
        before = {p: p.read_bytes() for p in self.root.rglob("*.py")}
        patch = self.run_tool("fix", "--unsafe", "--diff", "sub", cwd=self.root)
        self.assertEqual({p: p.read_bytes() for p in before}, before)
        self.assertIn("would fix", patch.stderr.decode())
        self.git("apply", input=patch.stdout)
        applied = {p: p.read_bytes() for p in before}
        self.assertNotEqual(applied, before)
        for p, text in before.items():
            p.write_bytes(text)
        self.run_tool("fix", "--unsafe", "sub")
        self.assertEqual({p: p.read_bytes() for p in before}, applied)

    def test_check_writes_nothing_and_second_fix_changes_nothing(self):
        file = self.put("a.py", TIED)
        self.assertIn("would change a.py", self.out("fix", "--unsafe", "--check", code=1))
        self.assertEqual(file.read_text(), TIED)
        self.assertRegex(self.out("fix", "--unsafe"), r"(?m)^fixed \d+ finding")
        fixed = file.read_bytes()
        self.run_tool("fix", "--unsafe", "--check")
        self.assertIn("fixed nothing", self.out("fix", "--unsafe"))
        self.assertEqual(file.read_bytes(), fixed)

    def test_what_cannot_be_written_is_named_and_the_rest_is_fixed(self):
        locked, other = self.put("locked.py", TIED), self.put("other.py", TIED)
        locked.chmod(0o444)
        self.assertIn("locked.py: is read-only", self.out("fix", "--unsafe", code=2))
        self.assertEqual(locked.read_text(), TIED)
        self.assertNotEqual(other.read_text(), TIED)

    def test_unsafe_takes_more(self):
        self.put("a.py", TIED)
        safe = self.out("fix", "--diff")
        self.assertGreaterEqual(self.out("fix", "--diff", "--unsafe").count("\n+"), safe.count("\n+"))

    def test_stdin(self):
        file = self.put("a.py", TIED)
        fixed = self.run_tool("fix", "--unsafe", "--stdin", "--stdin-path", "a.py", stdin=TIED.encode()).stdout
        self.assertEqual(file.read_text(), TIED)
        self.run_tool("fix", "--unsafe")
        self.assertEqual(file.read_bytes(), fixed)
        self.assertEqual(self.out("fix", "--stdin", "--stdin-path", "a.txt", stdin=TIED.encode()), TIED)
        self.run_tool("fix", "--unsafe", "--check", "--stdin", stdin=TIED.encode(), code=1)


class AddAllows(Case):
    def test_allows_are_added(self):
        text = 'import torch\nx = torch.zeros(3).cuda()  # a note\ny = f"""\n{torch.cuda.device_count()}\n"""\nz = torch.zeros(\n    3, device="cuda")\n'
        self.put("a.py", text)
        self.run_tool("fix", "--add-allows", "--check", code=1)
        self.run_tool("fix", "--add-allows")
        after = (self.root / "a.py").read_text()
        self.assertEqual([line.split("  # torchport")[0] for line in after.splitlines()], text.splitlines())
        self.assertIn("# a note  # torchport: allow TP102 -- was there before", after)
        report = self.scan()
        self.assertEqual([f["rule"] for f in report["findings"] if "suppressed" not in f], [])
        self.assertEqual(len(report["findings"]), 3)
        self.run_tool("fix", "--add-allows", "--check")
        self.run_tool("fix", "--add-allows", "--unsafe", code=2)

    def test_where_no_comment_can_stand_is_named(self):
        self.put("a.py", "import torch\nif torch.cuda.device_count() > 1 and \\\n   x:\n    pass\n    pass\n")
        r = self.run_tool("fix", "--add-allows")
        self.assertIn(b"no comment can stand there", r.stdout)
        self.assertNotIn("torchport", (self.root / "a.py").read_text())


class Rules(Case):
    def test_explain_knows_every_rule(self):
        rules = json.loads(self.out("rules", "--format", "json"))["rules"]
        self.assertTrue(rules)
        table = self.out("rules")
        for rule in rules:
            self.assertIn(rule["id"], table)
            self.assertEqual(self.out("explain", rule["id"]), self.out("explain", rule["name"]))
        self.assertEqual(len({r["id"] for r in rules}), len(rules))

    def test_facts(self):
        self.put("a.py", TIED)
        self.assertRegex(self.out("facts", "a.py"), r"(?m)^call torch\.cuda\.synchronize 4:1 via import")
        facts = json.loads(self.out("facts", "--format", "json", "a.py"))
        self.assertEqual(facts["status"], "full")
        self.assertIn("torch.cuda.synchronize", {u["symbol"] for u in facts["uses"]})


if __name__ == "__main__":
    unittest.main()
