"""Reports: totals that agree in every format, links that lead to what they count, hostile names, many findings. The program is $TORCHPORT."""
import html.parser, json, re, subprocess, unittest

from cli_test import TOOL, Case
from gate_formats_test import HOSTILE

TIED = """import torch
import flash_attn


class Net(torch.nn.Module):
    def forward(self, x):
        return flash_attn.flash_attn_func(x, x, x).cuda()


def seed():
    torch.cuda.manual_seed(1)
    torch.cuda.synchronize()  # torchport: allow TP157 -- measured
    torch.backends.cudnn.benchmark = True
"""


class Page(html.parser.HTMLParser):
    """The rows, the filters and whether every tag that is opened is closed."""
    VOID = {"meta", "br", "input", "img", "link"}

    def __init__(self, text):
        super().__init__()
        self.rows, self.links, self.ids, self.open, self.outside = [], [], set(), [], []
        self.paths, self.path = [], None
        self.link = None
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in self.VOID and tag != "rect":
            self.open.append(tag)
        if "id" in attrs:
            assert attrs["id"] not in self.ids, attrs["id"]
            self.ids.add(attrs["id"])
        for key in ("src", "href", "action"):
            if key in attrs and not attrs[key].startswith("#"):
                self.outside.append(attrs[key])
        self.path = attrs.get("data-path", self.path)
        if "data-k" in attrs:
            self.paths.append(self.path)
            self.rows.append(set(attrs["data-k"].split()))
        if tag == "a":
            self.link = [attrs.get("href"), attrs.get("data-filter"), ""]

    def handle_data(self, data):
        if self.link:
            self.link[2] += data

    def handle_endtag(self, tag):
        if tag in self.VOID or tag == "rect":
            return
        assert self.open.pop() == tag, tag
        if tag == "a":
            self.links.append(self.link)
            self.link = None

    def picked(self, expression):
        """The files of the rows that a link with this filter shows."""
        return [path for path, row in zip(self.paths, self.rows) if all(set(word.split("|")) & row for word in expression.split())]

    def count(self, expression):
        return len(self.picked(expression))


class Project(Case):
    def project(self):
        self.put("src/net.py", TIED)
        self.put("src/free.py", "import math\n")
        self.put("tests/test_net.py", "import torch\n\ntorch.zeros(1, device='cuda')\ntorch.cuda.synchronize()\n")
        self.put("src/broken.py", "import torch\ndef (:\n    pass\ntorch.cuda.empty_cache()\n")


class Reports(Project):
    def report(self, *args, **kw):
        return json.loads(self.out("report", "--format", "json", *args, **kw))

    def test_totals_agree(self):
        self.project()
        scan = self.scan("--target", "neuron,xpu")
        report = self.report("--target", "neuron,xpu")
        self.assertEqual((report["schema"], report["findings"]), ("torchport.report/1", scan["findings"]))
        page = self.out("report", "--target", "neuron,xpu")
        markdown = self.out("report", "--format", "markdown", "--target", "neuron,xpu")
        text = self.out("scan", "--target", "neuron,xpu")
        parsed = Page(page)
        self.assertEqual(len(parsed.rows), len(scan["findings"]))
        for target in ("neuron", "xpu"):
            counts = scan["summary"]["targets"][target]
            for impact in ("blocks", "degrades", "cosmetic"):
                self.assertEqual(parsed.count(f"{target}:{impact}"), counts[impact])
            row = re.search(rf"(?m)^\| (?:\w+ and )?{target}(?: and \w+)? \| (\d+) \| (\d+) \| (\d+) \|", markdown)
            self.assertTrue(row, markdown)
            self.assertEqual([int(n) for n in row.groups()], [counts[i] for i in ("blocks", "degrades", "cosmetic")])
            for impact, words in (("blocks", "blocking"), ("degrades", "degrading"), ("cosmetic", "cosmetic")):
                self.assertRegex(page, f'data-filter="(neuron|xpu):{impact}">{counts[impact]} {words}<')
            self.assertRegex(text, rf"(?m)^(\w+ and )?{target}( and \w+)?: {counts['blocks']} finding")
            ready = report["readiness"][target]
            for kind in ("files", "ties"):
                self.assertEqual(sum(v for k, v in ready[kind].items() if k != "total"), ready[kind]["total"])
            self.assertEqual(ready["files"]["total"], scan["files"]["scanned"] + scan["files"]["skipped"])
            self.assertEqual(ready["ties"]["total"], sum(1 for f in scan["findings"] if f["family"] != "file" and "suppressed" not in f))

    def test_every_number_leads_to_its_findings(self):
        self.project()
        page = Page(self.out("report"))
        seen = files = 0
        for href, filter_, text in page.links:
            if href and href.startswith("#"):
                self.assertIn(href[1:], page.ids, href)
            number = re.match(r"(\d+)", text.strip())
            if filter_ and number and not filter_.startswith("path:"):
                counted = page.count(filter_)
                if ":file-" in filter_:
                    self.assertEqual(len(set(page.picked(filter_))), int(number[1]), (filter_, text))
                    files += 1
                    continue
                if "files" in text or "understood" in text:
                    continue
                seen += 1
                self.assertGreaterEqual(counted, int(number[1]) if "ties" not in filter_ else 1, (filter_, text))
                if filter_.startswith("r:") and "any:" in filter_ or re.search(r"block|degrade|cosmetic|safe fix|review fix|by hand|redesign|harmless| ×", text):
                    self.assertEqual(counted, int(number[1]), (filter_, text))
        self.assertGreater(seen, 10)
        self.assertGreater(files, 1)
        self.assertEqual(page.outside, [])

    def test_the_page_needs_nothing_from_outside(self):
        self.project()
        page = self.out("report")
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"https?://|@import|url\(")

    def test_text_stands_out_in_both_colour_schemes(self):
        """WCAG 2's contrast: 4.5 for text, 3 for marks that mean something."""
        self.put("free.py", "import math\n")
        page = self.out("report")
        light, dark = (dict(re.findall(r"--([a-z_]+): (#[0-9a-f]+)", block)) for block in re.findall(r":root \{(.*?)\}", page, re.S))
        self.assertEqual(light.keys(), dark.keys())

        def brightness(colour):
            digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
            parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
            return sum(w * (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4) for w, v in zip((0.2126, 0.7152, 0.0722), parts))

        def contrast(a, b):
            low, high = sorted((brightness(a), brightness(b)))
            return (high + 0.05) / (low + 0.05)

        self.assertAlmostEqual(contrast("#000", "#fff"), 21)
        for scheme in (light, dark):
            for ink in ("ink", "soft", "link"):
                for ground in ("page", "card", "mark"):
                    self.assertGreaterEqual(contrast(scheme[ink], scheme[ground]), 4.5, (ink, ground))
            for step in ("as_is", "fix", "review", "manual", "redesign", "unknown"):
                self.assertGreaterEqual(contrast("#ffffff", scheme[step]), 4.5, step)  # the map's words
                self.assertGreaterEqual(contrast(scheme[step], scheme["page"]), 3, step)
            for support in ("native", "composite", "fallback", "unsupported"):
                self.assertGreaterEqual(contrast(scheme[support], scheme["page"]), 3, support)

    def test_what_is_unknown_is_named(self):
        self.project()
        report = self.report()
        self.assertEqual([f["path"] for f in report["unknowns"]["partial"]], ["src/broken.py"])
        self.assertTrue(report["unknowns"]["not_counted"])
        for form in ("html", "markdown"):
            text = self.out("report", "--format", form)
            self.assertIn("src/broken.py", text)
            self.assertIn("not judged", text.lower())

    def test_hostile_names_and_code(self):
        for path, text in HOSTILE.items():
            for part in path.split("/")[:-1]:
                (self.root / part).mkdir(exist_ok=True)
            self.put(path, text)
        page = self.out("report")
        parsed = Page(page)
        self.assertEqual(len(parsed.rows), len(self.scan()["findings"]))
        self.assertLess(len(page), 200_000)
        self.assertEqual(page.count("<script"), 1)
        markdown = self.out("report", "--format", "markdown")
        self.assertNotRegex(markdown, r"<script|<img|</b>|@someone")
        for text in (page, markdown):
            for mark in "\u202e\u2066\x1b":
                self.assertNotIn(mark, text)
        self.report()

    def test_five_thousand_findings(self):
        for i in range(250):
            self.put(f"pkg{i % 9}/sub{i % 4}/m{i}.py", "import torch\n" + "".join(f"x{k} = torch.zeros({k}, device='cuda')\n" for k in range(20)))
        page = self.out("report")
        self.assertEqual(len(Page(page).rows), 5000)
        self.assertLess(len(page), 8_000_000)
        self.assertIn("and 4500 more", self.out("report", "--format", "markdown"))

    def test_json_that_is_there(self):
        self.project()
        self.run_tool("scan", "--format", "json", "--output", "a.json", "src")
        self.run_tool("report", "--format", "json", "--output", "b.json", "src")
        first, second = self.report("a.json"), self.report("b.json")
        self.assertEqual((first["project"], second["project"]), ("a", "src"))
        for key in ("readiness", "plan", "hot_spots", "effort", "findings"):
            self.assertEqual(first[key], second[key])
        self.out("report", "a.json")
        self.put("c.json", "{}")
        self.put("d.json", '{"schema": "torchport.scan/1", "targets": ["tpu"]}')
        for args, words in ((["c.json"], "is no scan or report"), (["d.json"], "lacks what a report needs"), (["a.json", "src"], "is no *.json"),
                            (["--compare", "a.json"], "takes two files"), (["none.json"], "none.json")):
            self.assertIn(words, self.err("report", *args, code=2))

    def test_portfolio(self):
        self.project()
        self.put("other/more.py", "import torch\ntorch.nn.Linear(2, 2).cuda()\ntorch.cuda.synchronize()\ntorch.cuda.set_device(0)\n")
        self.put("other/own.py", "import torch\nimport cupy\n\ncupy.asarray(torch.ones(1))\n")
        for name in ("src", "other"):
            self.run_tool("scan", "--format", "json", "--output", name + ".json", name)
        made = self.report("src.json", "other.json")
        self.assertEqual(made["schema"], "torchport.portfolio/1")
        self.assertEqual({p["project"] for p in made["projects"]}, {"src", "other"})
        hours = [p["targets"]["neuron"]["hours"]["likely"] for p in made["projects"]]
        self.assertEqual(hours, sorted(hours))
        self.assertEqual(max(len(b["projects"]) for b in made["common_blockers"]), 2)
        self.assertTrue(any("cupy" in gap["what"] for gap in made["gaps"]["neuron"]))
        self.assertEqual(Page(self.out("report", "src.json", "other.json")).outside, [])
        self.assertIn("| src |", self.out("report", "--format", "markdown", "src.json", "other.json"))

    def test_every_number_of_a_portfolio_leads_to_its_findings(self):
        self.project()
        self.put("other/own.py", "import torch\nimport cupy\n\ncupy.asarray(torch.ones(1))\n")
        self.put("other/more.py", "import torch\nimport cupy as <\ntorch.nn.Linear(2, 2).cuda()\n")
        for folder in ("a", "b"):
            (self.root / folder).mkdir()
            self.run_tool("scan", "--format", "json", "--output", folder + "/out.json", {"a": "src", "b": "other"}[folder])
        made = self.report("a/out.json", "b/out.json")
        self.assertEqual(sorted(p["project"] for p in made["projects"]), ["out", "out (2)"])
        page = Page(self.out("report", "a/out.json", "b/out.json"))
        scans = {"out": json.loads((self.root / "a/out.json").read_text()), "out (2)": json.loads((self.root / "b/out.json").read_text())}
        self.assertEqual(len(page.rows), sum(len(s["findings"]) for s in scans.values()))
        for n, project in enumerate(made["projects"], 1):
            self.assertEqual(page.count(f"in:{n}"), len(scans[project["project"]]["findings"]))
            for target, on in project["targets"].items():
                for impact in ("blocks", "degrades", "cosmetic"):
                    self.assertEqual(page.count(f"in:{n} {target}:{impact}"), on[impact])
                    self.assertIn([f"#project-{n}", f"in:{n} {target}:{impact}", str(on[impact])], page.links)
        for href, filter_, text in page.links:
            self.assertIn(href[1:], page.ids, href)
            if filter_ and text.isdigit() and ":only:" in filter_:
                self.assertEqual(len(set(page.picked(filter_))), int(text), filter_)
            elif filter_ and text.isdigit() and ":ties" not in filter_:
                self.assertEqual(page.count(filter_), int(text), (filter_, text))
            elif filter_:
                self.assertTrue(page.count(filter_), (filter_, text))
        self.assertTrue(any(":only:cupy" in (filter_ or "") for _, filter_, _ in page.links))
        markdown = self.out("report", "--format", "markdown", "a/out.json", "b/out.json")
        for anchor in re.findall(r"\]\(#(.*?)\)", markdown):
            self.assertIn(f'<a id="{anchor}">', markdown)
        self.assertIn("src/net.py" if "src/net.py" in str(scans) else "net.py", markdown)

    def test_many_findings_are_told_of_in_the_words_of_their_rule(self):
        self.put("k.cu", "__global__ void scale(float* x) {\n  x[threadIdx.x] *= 2;\n}\n")
        one = {g["rule"]: g for g in self.report()["breaks_first"]}["TP330"]
        self.assertRegex(one["message"], "[0-9] lines")
        self.put("k.cu", "__global__ void scale(float* x) {\n  x[threadIdx.x] *= 2;\n}\n\n__global__ void shift(float* x) {\n  int i = threadIdx.x;\n  x[i] += 2;\n}\n")
        many = {g["rule"]: g for g in self.report()["breaks_first"]}["TP330"]
        self.assertEqual((many["count"], many["message"]), (2, "is a CUDA kernel"))
        self.put("own.py", "import flash_attn\nimport torch\nflash_attn.flash_attn_func(1)\nflash_attn.flash_attn_varlen_func(1)\n")
        self.assertNotIn("{symbol}", self.out("report") + self.out("report", "--format", "json"))

    def test_comparison(self):
        self.project()
        self.run_tool("scan", "--format", "json", "--output", "old.json", "src")
        self.put("src/net.py", "\n\n" + TIED.replace("    torch.cuda.manual_seed(1)\n", "    torch.cuda.set_device(1)\n"))
        self.run_tool("scan", "--format", "json", "--output", "new.json", "src")
        made = self.report("--compare", "old.json", "new.json")
        self.assertEqual([f["code"].strip() for f in made["new"]], ["torch.cuda.set_device(1)"])
        self.assertEqual([f["code"].strip() for f in made["fixed"]], ["torch.cuda.manual_seed(1)"])
        page = Page(self.out("report", "--compare", "old.json", "new.json"))
        for n, when in enumerate(("before", "after"), 1):
            for target, on in made["targets"].items():
                for impact in ("blocks", "degrades", "cosmetic"):
                    words = f"in:{n} {target}:{impact}"
                    self.assertEqual(page.count(words), on[when][impact])
                    self.assertIn([f"#project-{n}", words, str(on[when][impact])], page.links)
        self.assertEqual([href for href, _, _ in page.links if href[1:] not in page.ids], [])
        self.assertIn("1 fixed, 1 new", self.out("report", "--format", "markdown", "--compare", "old.json", "new.json"))

    def test_scans_that_hold_something_else_are_named(self):
        self.project()
        scan = self.scan("src")
        self.put("good.json", json.dumps(scan))
        for change in (lambda s: s.update(schema=None), lambda s: s["files"].update(left_out="x"), lambda s: s["findings"][1].update(code=3),
                       lambda s: s["findings"][1].update(symbol=[]), lambda s: s["findings"][1]["targets"]["neuron"].update(impact=None)):
            broken = json.loads(json.dumps(scan))
            change(broken)
            self.put("broken.json", json.dumps(broken))
            for args in (["broken.json"], ["good.json", "broken.json"], ["--compare", "good.json", "broken.json"]):
                run = self.run_report(*args)
                self.assertIn(run.returncode, (0, 2), run.stderr)
                if run.returncode:
                    self.assertRegex(run.stderr, rb"^torchport: broken\.json: [^\n]+\n$")

    def run_report(self, *args):
        return subprocess.run([TOOL, "report", *args], cwd=self.root, capture_output=True)

    def test_flags_that_come_too_late_and_files_that_would_be_lost(self):
        self.project()
        self.run_tool("scan", "--format", "json", "--output", "a.json", "src")
        for args in (["--target", "mps"], ["--rules", "src"], ["--min-torch", "2.6"], ["--show-config"]):
            self.assertIn("says nothing of scans that are made already", self.err("report", "a.json", *args, code=2))
        before = {name: (self.root / name).read_bytes() for name in ("a.json", "src/net.py")}
        for args in (["a.json", "--output", "a.json"], ["--compare", "a.json", "a.json", "--output", "./a.json"], ["src", "--output", "src/net.py"]):
            self.assertIn("would be written over", self.err("report", *args, code=2))
        self.assertEqual(before, {name: (self.root / name).read_bytes() for name in before})

    def test_what_became_worse_is_new(self):
        guarded = "import torch\ndef f(x):\n    if torch.cuda.is_available():\n        x = x.cuda()\n"
        for name, text in (("old", guarded), ("new", guarded.replace("torch.cuda.is_available()", "True"))):
            self.put("src/a.py", text)
            self.run_tool("scan", "--format", "json", "--output", name + ".json", "src")
        made = self.report("--compare", "old.json", "new.json")
        self.assertEqual([(f["rule"], f["impact"]) for f in made["new"]], [("TP102", "blocks")])
        self.assertEqual([f["rule"] for f in self.report("--compare", "new.json", "old.json")["new"]], ["TP104"])

    def test_two_checkouts_compare(self):
        for folder in ("before", "after"):
            self.put(folder + "/net.py", TIED)
            self.run_tool("scan", "--format", "json", "--output", folder + ".json", folder)
        made = self.report("--compare", "before.json", "after.json")
        self.assertEqual((made["new"], made["fixed"]), ([], []))
        self.put("after/net.py", TIED.replace("    torch.cuda.manual_seed(1)\n", "    torch.cuda.manual_seed(1)\n    torch.cuda.manual_seed(1)\n"))
        self.run_tool("scan", "--format", "json", "--output", "after.json", "after")
        made = self.report("--compare", "before.json", "after.json")
        self.assertEqual(([f["code"].strip() for f in made["new"]], made["fixed"]), (["torch.cuda.manual_seed(1)"], []))

    def test_same_bytes_at_any_thread_count(self):
        self.project()
        for form in ("html", "markdown", "json"):
            self.assertEqual(len({self.out("report", "--format", form, "--jobs", n) for n in ("1", "3", "8")}), 1)

    def test_nothing_found(self):
        self.put("free.py", "import math\n")
        for form in ("html", "markdown", "json"):
            self.out("report", "--format", form)


class Effort(Project):
    def effort(self, *args):
        return self.scan(*args)["effort"]["targets"]["neuron"]

    def test_sums_and_shares(self):
        self.project()
        effort = self.effort()
        self.assertLess(effort["low"], effort["likely"])
        self.assertLess(effort["likely"], effort["high"])
        self.assertTrue(0 < effort["fixes_take_away"] < 1)
        self.assertLessEqual(effort["likely"], effort["by_hand"]["likely"])
        for key in ("low", "likely", "high"):
            self.assertAlmostEqual(sum(p[key] for p in effort["parts"].values()), effort[key], delta=0.03)
            for part in effort["parts"].values():
                self.assertAlmostEqual(sum(c[key] for c in part["classes"]), part[key], delta=0.05)
        self.assertGreater(effort["parts"]["tests"]["likely"], 0)

    def test_equal_lines_count_once_and_kernels_each(self):
        self.put("a.py", "import torch\n" + "torch.cuda.set_device(0)\n" * 80)
        classes = self.effort()["parts"]["core"]["classes"]
        self.assertEqual([(c["count"], c["repeated"]) for c in classes if c["class"].startswith("fix")], [(1, 79)])
        self.put("a.py", "import triton\n\n\n" + "".join(f"@triton.jit\ndef k{i}(x):\n    pass\n\n\n" for i in range(3)))
        classes = self.effort()["parts"]["core"]["classes"]
        self.assertEqual([(c["count"], c["repeated"]) for c in classes if c["class"] == "triton-kernel"], [(3, 0)])

    def test_what_is_allowed_or_harmless_costs_nothing(self):
        self.put("a.py", "import torch\ntorch.backends.cudnn.benchmark = True\ntorch.cuda.synchronize()  # torchport: allow TP157 -- so\n")
        self.assertEqual(self.effort()["high"], 0)

    def test_the_configuration_corrects_it(self):
        self.put("a.py", "import torch\ntorch.cuda.set_device(0)\n")
        self.put("torchport.yaml", "effort:\n  fix-safe: [10, 20, 30]\n  fix-review: [10, 20, 30]\n  parity: [0, 0, 0]\n")
        effort = self.effort()
        self.assertEqual((effort["low"], effort["likely"], effort["high"]), (10, 20, 30))
        for text, words in (("effort: {fix-saf: [1, 2, 3]}", 'no class of effort "fix-saf"; did you mean "fix-safe"'), ("effort: {fix-safe: [3, 2, 1]}", "three numbers below a million that rise"),
                            ("effort: {fix-safe: [1, x, 3]}", "three numbers"), ("effort: 3", "must be a map")):
            self.put("torchport.yaml", text + "\n")
            self.assertRegex(self.err("scan", "--format", "json", code=2), r"torchport\.yaml:1: .*" + re.escape(words))


if __name__ == "__main__":
    unittest.main()
