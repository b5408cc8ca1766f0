"""Formats for other tools: what their viewers need, and names and code that mean harm. The program is $TORCHPORT."""
import json, re, unittest

from gate_test import FORMATS, Repository, counts_in


class Shapes(Repository):
    def test_sarif_has_what_viewers_need(self):
        self.start()
        self.put("pkg/umlaut.py", 'import torch\nname = "äöü"; torch.cuda.synchronize(); other = torch.zeros(1, device="cuda")\n')
        for command in ("scan", "gate"):
            sarif = json.loads(self.out(command, "--format", "sarif", "pkg", code=command == "gate"))
            self.assertEqual(sarif["version"], "2.1.0")
            self.assertIn("sarif-2.1.0", sarif["$schema"])
            run, = sarif["runs"]
            self.assertEqual(run["tool"]["driver"]["name"], "torchport")
            rules = run["tool"]["driver"]["rules"]
            for rule in rules:
                for key in ("shortDescription", "fullDescription", "help"):
                    self.assertTrue(rule[key]["text"])
                self.assertIn(rule["defaultConfiguration"]["level"], ("error", "warning", "note"))
            fingerprints = set()
            for result in run["results"]:
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
                self.assertIn(result["level"], ("error", "warning", "note"))
                self.assertTrue(result["message"]["text"])
                place, = result["locations"]
                self.assertTrue(place["physicalLocation"]["artifactLocation"]["uri"].startswith("pkg/"))
                region = place["physicalLocation"]["region"]
                self.assertTrue(1 <= region["startLine"] <= region["endLine"] and region.get("startColumn", 1) >= 1)
                fingerprints.add(result["partialFingerprints"]["torchport/v1"])
                for fix in result.get("fixes", []):
                    for change in fix["artifactChanges"]:
                        self.assertTrue(change["replacements"])
                        for replacement in change["replacements"]:
                            self.assertIn("startLine", replacement["deletedRegion"])
                for suppression in result.get("suppressions", []):
                    self.assertEqual((suppression["kind"], suppression["justification"]), ("inSource", "measures the GPU"))
            self.assertEqual(len(fingerprints), len(run["results"]))
            # columns are characters, not bytes
            text = (self.root / "pkg/umlaut.py").read_text().splitlines()[1]
            columns = {r["ruleId"]: r["locations"][0]["physicalLocation"]["region"]["startColumn"] for r in run["results"]
                       if r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "pkg/umlaut.py"}
            self.assertEqual(columns["TP157"], text.index("torch.cuda") + 1)

    def test_sarif_says_where_a_finding_was_allowed(self):
        self.put("a.py", "import torch\ntorch.cuda.synchronize()  # torchport: allow TP157 -- measures\ntorch.cuda.set_device(0)\ntorch.cuda.empty_cache()\n")
        self.put("torchport.yaml", "allow:\n  - {path: a.py, rules: [TP122, TP157], why: one node}\n  - {path: a.py, rules: [cuda-empty-cache]}\n")
        run, = json.loads(self.out("scan", "--format", "sarif"))["runs"]
        said = {r["ruleId"]: [(s["kind"], s["status"], s["justification"]) for s in r["suppressions"]] for r in run["results"]}
        said["empty-cache"], = [v for k, v in said.items() if k not in ("TP157", "TP122")]
        self.assertEqual(said["TP157"], [("inSource", "accepted", "measures")])
        self.assertEqual(said["TP122"], [("external", "accepted", "one node")])
        self.assertEqual([s[0] for s in said["empty-cache"]], ["external"])
        by = {f["rule"]: f["suppressed"]["by"] for f in self.scan()["findings"]}
        self.assertEqual((by["TP157"], by["TP122"]), ("comment", "configuration"))

    def test_fingerprints_do_not_depend_on_the_path_given(self):
        self.start()
        one = {f["fingerprint"] for f in self.scan("pkg")["findings"]}
        self.assertEqual(one, {f["fingerprint"] for f in self.scan(".")["findings"]})

    def test_github_lines_are_commands(self):
        self.put("odd, name: 100%.py", "import torch\ntorch.cuda.synchronize()\n")
        text = self.out("gate", "--format", "github", code=1)
        property_ = r"(?:file|line|endLine|col|endColumn|title)=[^,:\r\n]*"
        for line in text.splitlines():
            self.assertRegex(line, rf"^::(error|warning|notice) {property_}(,{property_})*::[^\r\n]+$")
        self.assertIn("file=odd%2C name%3A 100%25.py,", text)

    def test_levels(self):
        self.put("a.py", "import torch\ntorch.cuda.synchronize()\ntorch.backends.cudnn.benchmark = True\n")
        impacts = [f["impact"] for f in self.scan()["findings"]]
        self.assertEqual(impacts, ["blocks", "cosmetic"])
        self.assertEqual([r["level"] for r in json.loads(self.out("scan", "--format", "sarif"))["runs"][0]["results"]], ["error", "note"])
        self.assertEqual(re.findall(r"^::(\w+)", self.out("scan", "--format", "github"), re.M), ["error", "notice"])
        self.assertEqual([i["severity"] for i in json.loads(self.out("scan", "--format", "gitlab"))], ["critical", "info"])

    def test_junit_is_for_the_gate(self):
        self.assertIn("unknown format", self.err("scan", "--format", "junit", code=2))


HOSTILE = {
    "</script><img src=x>.py": 'import torch\ntorch.zeros(1, device="cuda")  # </script><script>alert(1)</script> & "q" \'q\'\n',
    "rtl\u202e.py": 'import torch\nx = "\u202egnp\u2066"; torch.cuda.synchronize()\n',
    "pipe|`tick`[x](y).py": 'import torch\ntorch.cuda.set_device("cuda|`0`")  # | @someone ]]> --> \x1b[31m\n',
    "long.py": 'import torch\nx = "' + "</b>" * 250000 + '"; torch.cuda.synchronize()\n',
}


class Hostile(Repository):
    def test_names_and_code_are_escaped(self):
        self.git("init", "-q")
        for path, text in HOSTILE.items():
            for part in path.split("/")[:-1]:
                (self.root / part).mkdir(exist_ok=True)
            self.put(path, text)
        total = len(self.scan()["findings"])
        self.assertGreaterEqual(total, 4)
        for form in FORMATS:
            raw = self.run_tool("gate", "--format", form, code=1).stdout
            self.assertLess(len(raw), 100_000, form)
            text = raw.decode()
            if form != "json" and form != "sarif" and form != "gitlab":
                for mark in "\u202e\u2066\x1b":
                    self.assertNotIn(mark, text, form)
            if form in ("markdown", "junit"):
                self.assertNotRegex(text, r"<script|<img|</b>", form)
            if form == "markdown":
                self.assertNotIn("@someone", text)
                for row in re.findall(r"^\| .*\*\*fails.*$", text, re.M):
                    self.assertEqual(len(re.findall(r"(?<!\\)\|", row)), 7, row)
            said = counts_in(form, text)
            if said:
                self.assertEqual(said, ("fail", total, 0, 0, 0), form)


if __name__ == "__main__":
    unittest.main()
