"""The gate as CI meets it: a scripted repository, exact exit codes, and the same counts in every format. The program is $TORCHPORT."""
import json, os, re, subprocess, time, unittest
import xml.etree.ElementTree as xml

from cli_test import Case

FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown")
OLD = """import torch
import helpers


def prepare(batch):
    return batch.cuda()


def moved():
    torch.cuda.synchronize()


def deleted():
    torch.cuda.empty_cache()


def allowed():
    torch.cuda.synchronize()  # torchport: allow TP157 -- measures the GPU


def farther(x):
    return helpers.place(x, "cuda")
"""
# `moved` stands elsewhere and deeper, `deleted` has gone, there is a new tie; and helpers.place now takes a device.
NEW = """import torch
import helpers

# a line more


def prepare(batch):
    return batch.cuda()


def added():
    torch.cuda.set_device(0)


def moved():
    if True:
        torch.cuda.synchronize()


def allowed():
    torch.cuda.synchronize()  # torchport: allow TP157 -- measures the GPU


def farther(x):
    return helpers.place(x, "cuda")
"""
HELPERS_OLD = "import torch  # not cuda only\n\n\ndef place(x, name):\n    return x.rename(name)\n"
HELPERS_NEW = "import torch  # not cuda only\n\n\ndef place(x, name):\n    return x.to(torch.device(name))\n"


class Repository(Case):
    def git(self, *args, cwd=None, **kw):
        env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {"GIT_CONFIG_GLOBAL": "/dev/null"}
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always",
                               *args], cwd=cwd or self.root, capture_output=True, check=True, env=env, **kw).stdout

    def commit(self, text="x"):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", text)

    def start(self):
        self.git("init", "-q")
        self.put("pkg/train.py", OLD)
        self.put("pkg/helpers.py", HELPERS_OLD)
        self.commit()

    def gate(self, *args, code=0, **kw):
        return json.loads(self.out("gate", "--format", "json", *args, code=code, **kw))["gate"]

    def counts(self, *args, **kw):
        gate = self.gate(*args, **kw)
        return gate["new"], gate["known"], gate["fixed"], gate["suppressed"]


def counts_in(form, text):
    """(verdict, new, known, fixed, allowed) as the format says it; None where it cannot say."""
    spoken = r"(\d+) new, (\d+) known, (\d+) fixed, (\d+) allowed"
    if form == "json":
        g = json.loads(text)["gate"]
    elif form == "sarif":
        g = json.loads(text)["runs"][0]["properties"]["gate"]
    elif form == "junit":
        suite = xml.fromstring(text).find("testsuite")
        g = {p.get("name"): p.get("value") for p in suite.find("properties")} | {"suppressed": suite.get("skipped")}
    elif form == "gitlab":
        return None
    else:
        verdict = re.search(r"(?:gate|torchport): (pass|fail)", text)[1]
        return (verdict, *map(int, re.search(spoken, text).groups()))
    return (g["verdict"], int(g["new"]), int(g["known"]), int(g["fixed"]), int(g["suppressed"]))


class Scripted(Repository):
    def check_everywhere(self, args, code, verdict, cwd=None):
        for form in FORMATS:
            text = self.out("gate", "--format", form, *args, code=code, cwd=cwd)
            said = counts_in(form, text)
            if said is not None:
                self.assertEqual(said, verdict, form)
            if form == "gitlab":
                self.assertEqual(len(json.loads(text)), verdict[1])
            if form == "github":
                self.assertEqual(len(re.findall(r"^::(?:error|warning|notice) file=", text, re.M)), verdict[1])
            if form == "sarif":
                results = json.loads(text)["runs"][0]["results"]
                self.assertEqual(sum(r.get("baselineState") == "new" for r in results), verdict[1])
                self.assertEqual(sum(r.get("baselineState") == "unchanged" for r in results), verdict[2])
                self.assertEqual(sum("suppressions" in r for r in results), verdict[4])
            if form == "junit":
                cases = xml.fromstring(text).findall(".//testcase")
                self.assertEqual(len(cases), 1 + verdict[1] + verdict[2] + verdict[4])

    def test_counts_are_exact_and_the_same_in_every_format(self):
        self.start()
        base = self.git("rev-parse", "HEAD").decode().strip()
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline", "pkg")
        self.put("pkg/train.py", NEW)
        self.put("pkg/helpers.py", HELPERS_NEW)
        # new: set_device, and the unchanged line that is worse since helpers.place takes a device; known: .cuda(), the moved synchronize; fixed: empty_cache
        expected = ("fail", 2, 2, 1, 1)
        self.check_everywhere(["--baseline", "known.json", "pkg"], 1, expected)
        self.check_everywhere(["--since", base, "pkg"], 1, expected)
        self.check_everywhere(["--since", base, "--baseline", "known.json", "."], 1, expected)
        new = {(f["function"], f["rule"]) for f in json.loads(self.out("gate", "--format", "json", "--since", base, code=1))["findings"] if f.get("state") == "new"}
        self.assertEqual({f for f, _ in new}, {"added", "farther"})
        self.commit("second")
        self.assertEqual(self.counts("--since", base, code=1), (2, 2, 1, 1))
        self.assertEqual(self.counts("--since", "HEAD"), (0, 4, 0, 1))

        clone = self.root / "shallow"
        self.git("clone", "-q", "--depth", "1", "file://" + str(self.root), str(clone))
        r = self.run_tool("gate", "--since", base, cwd=clone, code=2)
        self.assertEqual(r.stdout, b"")
        self.assertRegex(r.stderr.decode(), r"^torchport: .*the clone is shallow: fetch more[^\n]*\n$")
        self.git("fetch", "-q", "--depth", "2", cwd=clone)
        self.check_everywhere(["--since", "HEAD~1"], 1, expected, cwd=clone)
        self.git("checkout", "-q", "--detach", cwd=clone)
        self.assertEqual(self.counts("--since", base, code=1, cwd=clone), (2, 2, 1, 1))

    def test_partial_and_sparse_clones(self):
        self.start()
        self.put("pkg/train.py", NEW)
        self.put("other/more.py", "import torch\ntorch.cuda.synchronize()\n")
        self.commit()
        self.git("config", "uploadpack.allowFilter", "true")
        clone = self.root / "partial"
        self.git("clone", "-q", "--filter=blob:none", "file://" + str(self.root), str(clone))
        self.git("config", "protocol.file.allow", "always", cwd=clone)
        self.assertEqual(self.counts("--since", "HEAD~1", cwd=clone, code=1)[:3], (2, 3, 1))
        self.git("sparse-checkout", "set", "pkg", cwd=clone)
        self.assertFalse((clone / "other").exists())
        self.assertEqual(self.counts("--since", "HEAD~1", cwd=clone, code=1)[:3], (1, 3, 1))
        self.assertEqual(self.counts("--since", "HEAD", cwd=clone)[:3], (0, 4, 0))

    def test_history_that_is_not_there(self):
        self.put("a.py", "import torch\n")
        self.assertIn("lies in no git work tree", self.err("gate", "--since", "HEAD", code=2))
        self.start()
        for name in ("no-such", "--output=x", "HEAD~5", "HEAD:pkg/train.py"):
            self.assertRegex(self.err("gate", "--since=" + name, code=2), r"^torchport: .*revision.*; [^\n]*\n$")

    def test_untracked_dirty_and_staged_files_count(self):
        self.start()
        self.put("pkg/more.py", "import torch\ntorch.cuda.synchronize()\n")
        self.assertEqual(self.counts("--since", "HEAD", code=1), (1, 4, 0, 1))
        self.git("add", "-A")
        self.assertEqual(self.counts("--since", "HEAD", code=1), (1, 4, 0, 1))
        self.git("rm", "-q", "--cached", "pkg/train.py")
        self.assertEqual(self.counts("--since", "HEAD", code=1), (1, 4, 0, 1))
        (self.root / "pkg/train.py").unlink()
        self.assertEqual(self.counts("--since", "HEAD", code=1), (1, 0, 4, 0))

    def test_worktrees_and_folders_below_the_top(self):
        self.start()
        self.git("worktree", "add", "-q", "--detach", str(self.root / "wt"))
        (self.root / "wt/pkg/train.py").write_text(NEW)
        self.assertEqual(self.counts("--since", "HEAD", cwd=self.root / "wt", code=1)[:3], (1, 3, 1))
        self.assertEqual(self.counts("--since", "HEAD", "train.py", cwd=self.root / "wt/pkg", code=1)[:3], (1, 3, 1))


class Baseline(Repository):
    def test_a_renamed_file_carries_its_entries(self):
        self.start()
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.git("mv", "pkg/train.py", "pkg/fit.py")
        for args in (["--baseline", "known.json"], ["--since", "HEAD"], ["--since", "HEAD", "pkg/fit.py"], ["--baseline", "known.json", "pkg/fit.py"]):
            self.assertEqual(self.counts(*args), (0, 4, 0, 1), args)
        file = self.root / "pkg/fit.py"
        file.write_text(file.read_text() + "\n\ndef more():\n    torch.cuda.set_device(1)\n")
        self.assertEqual(self.counts("--baseline", "known.json", code=1), (1, 4, 0, 1))
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.assertEqual({t["path"] for t in json.loads((self.root / "known.json").read_text())["ties"]}, {"pkg/fit.py"})

    def test_one_entry_hides_one_finding(self):
        line = "    torch.cuda.synchronize()\n"
        self.put("a.py", "import torch\n\n\ndef f():\n" + line)
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.put("a.py", "import torch\n\n\ndef f():\n" + 3 * line)
        self.assertEqual(self.counts("--baseline", "known.json", code=1), (2, 1, 0, 0))

    def test_a_worse_impact_is_new(self):
        guarded = "import torch\n\n\ndef f():\n    if torch.cuda.is_available():\n        torch.cuda.set_device(0)\n"
        self.put("a.py", guarded)
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.put("a.py", guarded.replace("torch.cuda.is_available()", "True"))
        gate = self.gate("--baseline", "known.json", code=1)
        self.assertEqual(gate["new"], 1)
        known = (self.root / "known.json").read_text()
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.assertEqual([t["impact"] for t in json.loads((self.root / "known.json").read_text())["ties"] if "set_device" in t["code"]],
                         [t["impact"] for t in json.loads(known)["ties"] if "set_device" in t["code"]])
        self.assertEqual(self.gate("--baseline", "known.json", code=1)["new"], 1)

    def test_writing_over_one_drops_and_takes_nothing_new(self):
        self.start()
        text = self.out("gate", "--baseline", "known.json", "--write-baseline")
        self.assertRegex(text, r"^gate: pass: wrote 4 ties to known\.json")
        self.put("pkg/train.py", NEW)
        self.assertIn("--accept-new", self.out("gate", "--baseline", "known.json", "--write-baseline"))
        self.assertEqual(len(json.loads((self.root / "known.json").read_text())["ties"]), 3)
        self.assertEqual(self.counts("--baseline", "known.json", code=1)[:3], (1, 3, 0))
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline", "--accept-new")
        self.assertEqual(self.counts("--baseline", "known.json")[:3], (0, 4, 0))

    def test_a_part_of_the_tree_leaves_the_rest_of_the_baseline(self):
        self.start()
        self.put("other.py", "import torch\ntorch.cuda.synchronize()\n")
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        before = (self.root / "known.json").read_text()
        self.assertEqual(self.counts("--baseline", "known.json", "other.py"), (0, 1, 0, 0))
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline", "other.py")
        self.assertEqual((self.root / "known.json").read_text(), before)

    def test_a_part_of_the_tree_makes_nothing_milder(self):
        self.start()
        self.put("lib.py", "import torch\n\n\ndef make(n, device):\n    return torch.zeros(n, device=device)\n")
        self.put("main.py", "from lib import make\n\nx = make(3, \"cuda\")\n")
        self.gate("--baseline", "b.json", "--write-baseline")
        self.gate("--baseline", "b.json", "--write-baseline", "main.py")
        self.assertEqual(self.counts("--baseline", "b.json")[0], 0)

    def test_what_this_run_cannot_see_is_not_fixed(self):
        self.start()
        self.put("k.cu", "void go() {\n  cudaDeviceSynchronize();\n}\n")
        self.gate("--baseline", "b.json", "--write-baseline")
        whole, kernel = (self.root / "pkg/train.py").read_text(), (self.root / "k.cu").read_text()
        ties = self.counts("--baseline", "b.json")[1]
        for path, text, kept in (("pkg/train.py", whole.replace("import torch\n", "import torch\n\"\"\"\n", 1), whole), ("k.cu", "/* " + kernel, kernel),
                                 ("pkg/train.py", whole.encode("utf-16"), whole), ("pkg/train.py", whole + "\0", whole)):
            self.put(path, text)
            self.assertEqual(self.counts("--baseline", "b.json")[2], 0, text[:20])
            self.gate("--baseline", "b.json", "--write-baseline")
            self.put(path, kept)
            self.assertEqual(self.counts("--baseline", "b.json")[:3], (0, ties, 0), text[:20])
        self.put("torchport.yaml", "rules: {disable: [TP102]}\n")
        self.assertEqual(self.counts("--baseline", "b.json")[2], 0)
        (self.root / "torchport.yaml").unlink()
        self.put("pkg/train.py", whole.replace("batch.cuda()", "batch.cuda()  # torchport: allow TP102 -- so"))
        self.assertEqual(self.counts("--baseline", "b.json"), (0, ties - 1, 0, 2))

    def test_files_that_git_was_told_not_to_look_at(self):
        self.start()
        self.gate("--baseline", "b.json", "--write-baseline")
        for flag in ("skip-worktree", "assume-unchanged"):
            self.git("update-index", "--" + flag, "pkg/train.py")
            self.put("pkg/train.py", OLD + "\n\ntorch.cuda.set_device(3)\n")
            self.assertEqual(self.counts("--since", "HEAD", code=1)[0], 1)
            self.git("update-index", "--no-" + flag, "pkg/train.py")
            self.put("pkg/train.py", OLD)
        self.put("other/a.py", "import torch\n")
        self.commit()
        self.git("sparse-checkout", "set", "other")
        self.assertFalse((self.root / "pkg/train.py").exists())
        self.assertEqual(self.counts("--baseline", str(self.root / "b.json"))[2], 0)

    def test_the_layout_of_a_line_does_not_count(self):
        self.start()
        self.put("a.py", "import torch\nx = torch.zeros(3, device='cuda')\n")
        self.commit()
        self.put("a.py", "import torch\nx=torch.zeros( 3,device = \"cuda\" )\n")
        self.assertEqual(self.counts("--since", "HEAD")[0], 0)
        self.put("a.py", "import torch\nx = torch.zeros(33, device='cuda')\n")
        self.assertEqual(self.counts("--since", "HEAD", code=1)[0], 1)

    def test_a_reader_that_leaves_changes_no_verdict(self):
        self.start()
        for n in range(40):
            self.put(f"many/m{n}.py", "import torch\ntorch.cuda.set_device(0)\n")
        for form in FORMATS:
            run = subprocess.Popen([os.environ["TORCHPORT"], "gate", "--format", form], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            run.stdout.close()
            self.assertEqual(run.wait(), 1, form)
            run.stderr.close()

    def test_a_baseline_is_not_written_over(self):
        self.start()
        self.gate("--baseline", "b.json", "--write-baseline")
        before = (self.root / "b.json").read_bytes()
        self.assertIn("would be written over", self.err("gate", "--baseline", "b.json", "--output", "b.json", code=2))
        self.assertEqual((self.root / "b.json").read_bytes(), before)

    def test_a_gate_over_nothing_says_so(self):
        self.start()
        self.put("torchport.yaml", "include: [nosuch]\n")
        self.assertIn("nothing was analysed", self.out("gate"))

    def test_what_is_no_baseline(self):
        self.put("a.py", "import torch\n")
        for text, words in (("{", "is no JSON"), ("[]", "is no baseline"), ('{"schema": "torchport.baseline/1", "targets": ["gpu"], "ties": []}', 'unknown target "gpu"'),
                            ('{"schema": "torchport.baseline/1", "targets": ["tpu"], "ties": [{}]}', "tie 1"),
                            ('{"schema": "torchport.baseline/1", "targets": ["tpu"], "ties": []}', "was not written for neuron")):
            self.put("b.json", text)
            self.assertRegex(self.err("gate", "--baseline", "b.json", code=2), r"^torchport: b\.json: .*" + re.escape(words) + r"[^\n]*; [^\n]*\n$")
        self.assertIn("--write-baseline", self.err("gate", "--baseline", "none.json", code=2))


class Limits(Repository):
    TIES = "import torch\ntorch.cuda.synchronize()\ntorch.backends.cudnn.benchmark = True\n"

    def test_fail_on(self):
        self.put("a.py", self.TIES)
        for limit, code in (("blocks", 1), ("degrades", 1), ("cosmetic", 1), ("tpu:blocks", 1), ("cuda-api:blocks", 1), ("amp:cosmetic", 0), ("amp:cosmetic,neuron:blocks", 1)):
            self.run_tool("gate", "--fail-on", limit, code=code)
        self.put("a.py", "import torch\ntorch.backends.cudnn.benchmark = True\n")
        for limit, code in (("blocks", 0), ("tpu:degrades", 0), ("tpu:cosmetic", 1)):
            self.run_tool("gate", "--fail-on", limit, code=code)
        for limit, words in (("bocks", 'did you mean "blocks"'), ("xpu:blocks", "is no target of this run"), ("kernl:blocks", "no target or family"), ("", "unknown impact")):
            self.assertIn(words, self.err("gate", "--fail-on=" + limit, code=2) if limit else words)

    def test_configuration(self):
        self.put("a.py", self.TIES)
        self.put("torchport.yaml", "gate:\n  fail_on: [amp:blocks]\n  max_ties: 1\n")
        self.assertEqual(self.gate(code=1)["why"], "2 ties where max_ties allows 1")
        self.put("torchport.yaml", "gate:\n  fail_on: [amp:blocks]\n  max_ties: 2\n")
        self.assertEqual(self.gate()["why"], "no finding matches amp:blocks")
        self.assertRegex(self.out("gate", "--show-config"), r"(?m)^fail on +amp:blocks +torchport\.yaml:2$")
        self.put("torchport.yaml", "gate:\n  fail_on: [amp:bloks]\n")
        self.assertIn('torchport.yaml:2: unknown impact "bloks"; did you mean "blocks"', self.err("gate", code=2))
        self.put("torchport.yaml", "gate:\n  max_tie: 2\n")
        self.assertIn('torchport.yaml:2: unknown key "max_tie"; did you mean "max_ties"', self.err("gate", code=2))

    def test_ratchet(self):
        self.put("a.py", self.TIES)
        self.put("torchport.yaml", "gate: {fail_on: [amp:blocks], ratchet: true}\n")
        self.assertIn("give --baseline or --since", self.err("gate", code=2))
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.run_tool("gate", "--baseline", "known.json")
        self.put("a.py", self.TIES + "torch.cuda.empty_cache()\n")
        self.assertEqual(self.gate("--baseline", "known.json", code=1)["why"], "a.py has 3 ties, had 2")
        self.put("a.py", self.TIES.replace("torch.cuda.synchronize", "torch.cuda.empty_cache"))
        self.run_tool("gate", "--baseline", "known.json")

    def test_an_unreadable_file_is_no_pass(self):
        with open(self.root / "huge.py", "wb") as huge:
            huge.truncate((64 << 20) + 1)
        self.assertIn("huge.py", self.err("gate", code=2))
        self.run_tool("gate", "--allow-skipped")
        for form in FORMATS:
            for args in ([], ["--baseline", form + ".known", "--write-baseline"]):
                said = counts_in(form, self.out("gate", "--format", form, *args, code=2))
                if said:
                    self.assertEqual(said, ("fail", 0, 0, 0, 0), (form, args))
            said = counts_in(form, self.out("gate", "--allow-skipped", "--format", form))
            if said:
                self.assertEqual(said, ("pass", 0, 0, 0, 0), form)
        self.assertEqual(self.gate(code=2)["why"], "1 file could not be read: huge.py")
        self.put("a.py", self.TIES)
        self.assertRegex(self.gate(code=2)["why"], r"^1 finding matches blocks, at a\.py:2; 1 file could not be read: huge\.py$")

    def test_text_has_paths_as_typed_and_only_what_is_new(self):
        self.put("src/a.py", self.TIES)
        self.assertRegex(self.out("gate", "src", code=1), r"(?m)^src/a\.py:2:1: ")
        self.run_tool("gate", "--baseline", "known.json", "--write-baseline")
        self.assertEqual(self.out("gate", "--baseline", "known.json", "src").count("\n"), 1)
        self.assertIn("src/a.py:2:1", self.out("gate", "--verbose", "--baseline", "known.json", "src"))


class LongHistory(Repository):
    def test_ten_thousand_commits_cost_no_more_than_one(self):
        """A ratio of times on one machine, each the best of several, and not a clock."""
        self.git("init", "-q")
        files = 60
        stream = []
        for i in range(files):
            text = OLD.encode() + b"# %d\n" % i
            stream.append(b"blob\nmark :%d\ndata %d\n%s\n" % (i + 1, len(text), text))
        for n in range(10_000):
            body = b"import torch\n\nversion = %d\n" % n
            stream.append(b"commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata 1\nx\n" % (1_600_000_000 + n))
            if n == 0:
                stream += [b"M 100644 :%d src/m%d.py\n" % (i + 1, i) for i in range(files)]
            stream.append(b"M 100644 inline version.py\ndata %d\n%s\n" % (len(body), body))
        self.git("fast-import", "--quiet", "--force", input=b"".join(stream))
        self.git("checkout", "-q", "-f", "main")
        self.assertEqual(self.git("rev-list", "--count", "HEAD").strip(), b"10000")
        file = self.root / "src/m0.py"
        file.write_text(file.read_text() + "\n\ntorch.cuda.set_device(0)\n")

        def best(*args, code):
            times = []
            for _ in range(5):
                start = time.perf_counter()
                self.run_tool(*args, code=code)
                times.append(time.perf_counter() - start)
            return min(times)

        self.assertEqual(self.counts("--since", "HEAD~9999", code=1)[:3], (1, 4 * files, 0))
        near, far = best("gate", "--since", "HEAD", code=1), best("gate", "--since", "HEAD~9999", code=1)
        # Finding the commit itself is git's work, and walks the history.
        walk = time.perf_counter()
        self.git("rev-parse", "HEAD~9999")
        walk = time.perf_counter() - walk
        self.assertLess(far, 2 * near + 2 * walk, f"near {near:.3f} s, far {far:.3f} s, git's own walk {walk:.3f} s")


if __name__ == "__main__":
    unittest.main()
