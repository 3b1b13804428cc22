#!/usr/bin/env python3
"""The results of many pictures as JSON: their schema, roundel report. Usage: results_test.py PATH_OF_ROUNDEL"""

import json
import os
import re
import shutil
import unittest
import xml.etree.ElementTree as xml

import jsonschema

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
SCENE = """version: 1
image: {width: 40, height: 30}
layers: [{circles: [{x: 0.5, y: 0.5, radius: %s}]}]
"""
MANIFEST = """version: 1
tolerances:
  - {pictures: b*, max-delta: 1, max-pixels: {percent: 0.5}, ignore: [{x: 1, y: 2, width: 9, height: 8}], mask: mask.png, flip-mean: 0.001}
  - {pictures: e*, max-density: {pixels: 300, width: 16, height: 16}, ignore-antialiasing: true, shape-tolerant: true}
"""
SCENES = [f"{name}.yaml" for name in "abcdef"]


class ResultsCase(CommandCase):
    def setUp(self):
        super().setUp()
        self.make_project("whole")

    def make_project(self, folder):
        """Makes goldens of five scenes, two of them changed, one within its rule; a new scene; a broken one; an unused
        golden.
        """
        os.makedirs(self.path(f"{folder}/goldens"))
        for scene in SCENES:
            self.write(f"{folder}/{scene}", SCENE % 0.3)
        self.roundel(folder, "render", *SCENES, "-o", "goldens/", "-q")
        os.rename(self.path(f"{folder}/goldens/f.png"), self.path(f"{folder}/goldens/old.png"))
        self.write(f"{folder}/mask.yaml", "version: 1\nimage: {width: 40, height: 30, background: '#000000'}\n"
                   "layers: [{circles: [{x: 0.5, y: 0.5, radius: 0.05, color: '#ffffff'}]}]\n")
        self.roundel(folder, "render", "mask.yaml", "-o", "goldens/mask.png", "-q")
        self.write(f"{folder}/goldens/goldens.yaml", MANIFEST)
        for name, radius in (("b", 0.2), ("d", 0.31), ("e", 0.31)):
            self.write(f"{folder}/{name}.yaml", SCENE % radius)
        self.write(f"{folder}/c.yaml", "version: 2\n")

    def roundel(self, folder, *arguments, code=0):
        home, self.folder = self.folder, self.path(folder)
        try:
            return self.run_roundel(*arguments, code=code)
        finally:
            self.folder = home

    def regress(self, folder, *more, code=COULD_NOT):
        return self.roundel(folder, "regress", *SCENES, "--goldens", "goldens", "--strict", "--flip", *more, code=code)

    def report(self, *arguments, code=COULD_NOT, folder="whole"):
        done = self.roundel(folder, "report", *arguments, code=code)
        return done.stdout.decode(), done.stderr.decode()

    def shares(self, folder="whole", count=3):
        for share in range(1, count + 1):
            self.roundel(folder, "regress", *SCENES, "--goldens", "goldens", "--strict", "--flip", "-q", "--shard", f"{share}/{count}",
                         "--output", f"out{share}", "--json", f"{share}.json", code=self.any_code(share, count))
        return [f"{share}.json" for share in range(1, count + 1)]

    def any_code(self, share, count):
        return (COULD_NOT, DIFFER, DIFFER)[share - 1] if count == 3 else COULD_NOT

    def files(self, folder):
        return {os.path.relpath(os.path.join(at, name), self.path(folder)): self.read(os.path.join(at, name))
                for at, _, names in os.walk(self.path(folder)) for name in names}

    def without_times(self, name):
        return re.sub(rb',?"seconds":[0-9.e-]+|time="[0-9.]+"', b"", self.read(name))


OUTPUTS = ("--report", "report", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md")


class Merging(ResultsCase):
    def test_merged_shares_equal_one_run(self):
        self.regress("whole", *OUTPUTS)
        whole = {name: self.without_times(f"whole/{name}") for name in ("r.json", "r.xml", "r.md")}
        report, pictures, kept = (self.files(f"whole/{name}") for name in ("report", "r-pictures", "regress-output"))
        self.assertEqual(json.loads(whole["r.json"])["counts"],
                         {"same": 2, "differ": 2, "new": 1, "missing": 1, "not_compared": 1})
        shutil.rmtree(self.path("whole/regress-output"))
        out, _ = self.report(*self.shares(), *OUTPUTS, "-o", "regress-output")
        self.assertIn("7 pictures: 2 same, 2 differ, 1 new, 1 missing, 1 not compared\n", out)
        self.assertEqual({name: self.without_times(f"whole/{name}") for name in whole}, whole)
        self.assertEqual([self.files(f"whole/{name}") for name in ("report", "r-pictures", "regress-output")], [report, pictures, kept])
        # Merged results can be merged again.
        self.report("r.json", "--json", "again.json", "--report", "again")
        self.assertEqual(self.read("whole/again.json"), self.read("whole/r.json"))
        self.assertEqual(self.files("whole/again"), report)
        self.roundel("whole", "accept", "d", code=SAME)
        self.roundel("whole", "accept", "--prune", code=SAME)
        self.assertFalse(os.path.exists(self.path("whole/goldens/old.png")))

    def test_the_accept_command_is_repeated(self):
        self.write("whole/b.yaml", SCENE % 0.3)
        arguments = ("regress", "a.yaml", "b.yaml", "--goldens", "goldens", "--json", "r.json")
        self.roundel("whole", *arguments)
        self.write("whole/a.yaml", SCENE % 0.2)
        self.write("whole/b.yaml", SCENE % "0.3, alpha: 0.5")  # unchanged
        printed = self.roundel("whole", *arguments, code=DIFFER).stdout.decode()
        self.assertIn("pictures are in regress-output, to accept them: roundel accept a.png\n", printed)
        self.assertIn("1 golden has the right pixels but another fingerprint", printed)
        self.assertEqual(self.report("r.json", code=DIFFER)[0], "".join(
            line for line in printed.splitlines(True) if "unused golden" not in line))
        shutil.rmtree(self.path("whole/regress-output"))
        self.assertNotIn("accept", self.report("r.json", code=DIFFER)[0])

    def test_artifacts_of_other_machines(self):
        self.regress("whole", "--report", "report")
        report = self.files("whole/report")
        self.make_project("elsewhere/ci")
        for share in self.shares("elsewhere/ci"):
            number = share[0]
            os.makedirs(self.path(f"whole/in/{number}"))
            for name in (share, f"out{number}"):
                os.rename(self.path(f"elsewhere/ci/{name}"), self.path(f"whole/in/{number}/{name}"))
        shutil.rmtree(self.path("elsewhere"))
        shares = [f"in/{number}/{number}.json" for number in "123"]
        _, printed = self.report(*shares, "--goldens", "goldens", "--report", "report", "-o", "regress-output")
        self.assertEqual(printed, "")
        self.assertEqual(self.files("whole/report"), report)
        _, printed = self.report(*shares, "-o", "out")
        self.assertEqual(printed.splitlines()[0], "error: --output: needs --goldens DIR: the results name several folders "
                         "of goldens, or none")
        self.assertFalse(os.path.exists(self.path("whole/out")))
        out, printed = self.report(*shares, "--report", "report", "--markdown", "s.md", "--json", "r.json")
        self.assertIn("b.png: in/2/goldens/b.png: no such file", printed)
        self.assertNotIn("accept", out)
        failures = json.loads(self.read("whole/report/index.html").decode().split('type="application/json">')[1].split("</script>")[0])["failures"]
        left_out = {failure["name"]: failure.get("left_out") for failure in failures}
        self.assertRegex(left_out["d.png"], "in/./goldens/d.png: no such file")
        self.assertIsNone(left_out["f.png"])  # a new one needs no golden
        jsonschema.Draft7Validator(self.schema()).validate(json.loads(self.read("whole/r.json")))

    def test_a_missing_share_fails(self):
        for scene in SCENES:
            self.write(f"whole/{scene}", SCENE % 0.3)
        os.rename(self.path("whole/goldens/old.png"), self.path("whole/goldens/f.png"))
        for share in "12":
            self.roundel("whole", "regress", *SCENES, "--goldens", "goldens", "--shard", f"{share}/2", "--json", f"{share}.json", code=SAME)
        out, _ = self.report("1.json", code=COULD_NOT)
        self.assertIn("share 2 of 2: not compared: its results are missing; give the files of all shares\n", out)
        self.assertEqual(self.report("1.json", "2.json", code=SAME), ("6 pictures: 6 same\n", ""))
        self.assertEqual(self.report("2.json", "1.json", "1.json", code=SAME), ("6 pictures: 6 same\n", ""))

    def test_junit_has_times_files_and_attachments(self):
        self.regress("whole", "--junit", "r.xml")
        suite = xml.parse(self.path("whole/r.xml")).getroot()[0]
        cases = {case.get("name"): case for case in suite}
        self.assertAlmostEqual(float(suite.get("time")), sum(float(case.get("time")) for case in suite), places=4)
        self.assertGreater(float(cases["a.png"].get("time")), 0)
        self.assertEqual({name: case.get("file") for name, case in cases.items()},
                         {**{f"{name}.png": f"{name}.yaml" for name in "abcdef"}, "old.png": "goldens/old.png"})
        attached = {name: re.findall(r"^\[\[ATTACHMENT\|(.*)\]\]$", case.findtext("system-out", ""), re.M) for name, case in cases.items()}
        kept = [f"regress-output/{part}/d.png" for part in ("diff", "actual")]
        self.assertEqual(attached, {"a.png": [], "b.png": [path.replace("d.png", "b.png") for path in kept + ["goldens/d.png"]], "c.png": [], "d.png": kept + ["goldens/d.png"], "e.png": [],
                                    "f.png": ["regress-output/actual/f.png", "goldens/old.png"], "old.png": ["goldens/old.png"]})
        for path in sum(attached.values(), []):
            self.assertTrue(os.path.isfile(self.path(f"whole/{path}")), path)

    def test_two_results_of_a_name_must_agree(self):
        self.regress("whole", "--json", "1.json")
        self.write("whole/d.yaml", SCENE % 0.3)
        self.regress("whole", "--json", "2.json", "-o", "other")
        self.write("whole/r.xml", "<old/>")
        out, printed = self.report("1.json", "2.json", "--junit", "r.xml")
        self.assertEqual(printed, 'error: 2.json:5:1: pictures[3]: "d.png" has another result in 1.json:5: they differ in state, reasons, '
                               "origin, difference, ppd\n")
        self.assertEqual(out, "")
        self.assertFalse(os.path.exists(self.path("whole/r.xml")))

    def test_results_of_diff_can_be_merged(self):
        os.mkdir(self.path("whole/now"))
        for name in ("a", "b"):
            self.write(f"whole/{name}.yaml", SCENE % 0.25)
            self.roundel("whole", "render", f"{name}.yaml", "-o", f"now/{name}.png")
        self.roundel("whole", "diff", "goldens", "now", "--json=r.json", "--report", "report", code=DIFFER)
        report = self.files("whole/report")
        out, _ = self.report("r.json", "--report", "report", code=DIFFER)
        self.assertEqual(self.files("whole/report"), report)
        self.assertIn("d.png: missing: there is no now/d.png", out)
        self.report("r.json", "-o", "kept", code=DIFFER)
        self.roundel("whole", "accept", "--all", "--output", "kept", "--goldens", "goldens", code=SAME)
        self.assertEqual(self.read("whole/goldens/a.png"), self.read("whole/now/a.png"))

    def schema(self):
        return json.loads(self.run_roundel("schema", "results").stdout)


class Files(ResultsCase):
    def test_the_schema_accepts_results_and_rejects_mistakes(self):
        schema = json.loads(self.run_roundel("schema", "results").stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        with open(os.path.join(os.path.dirname(__file__), "../../scenes/results.schema.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), schema, "write it anew: roundel schema results > scenes/results.schema.json")
        self.regress("whole", "--json", "r.json", "--ssim")
        self.shares()
        self.write("whole/e.yaml", SCENE.replace("40", "41") % 0.3)
        self.regress("whole", "--json", "shape.json")
        self.roundel("whole", "diff", "goldens", "regress-output/actual", "--json=diff.json", code=DIFFER)
        for name in ("r", "1", "2", "shape", "diff"):
            validator.validate(json.loads(self.read(f"whole/{name}.json")))
        results = json.loads(self.read("whole/r.json"))
        self.assertEqual({name: [r["reasons"] for r in results["pictures"] if r["state"] == name] for name in ("new", "missing")},
                         {"new": [["there is no golden goldens/f.png", "goldens/old.png is of this scene and frame, under another name"]],
                          "missing": [["no scene of this run draws it"]]})
        self.assertTrue(all(r["seconds"] > 0 for r in results["pictures"] if "actual" in r))
        for wrong in ({"version": 2}, {"pictures": {}}, {"counts": {}}, {"pictures": [{"name": "a"}]},
                      {"pictures": [{"name": "a", "state": "good"}]}, {"title": None}):
            self.assertFalse(validator.is_valid({**results, **wrong}), wrong)
            self.write("whole/bad.json", json.dumps({**results, **wrong}))
            self.report("bad.json")
        self.assertIn(b'expected scene, results or validation, got "scenes"', self.run_roundel("schema", "scenes", code=2).stderr)

    def test_mistakes_are_reported_with_their_places(self):
        self.write("whole/bad.json", """{"version": 1, "title": "t", "counts": {"same": 1, "differ": 0, "new": 0, "missing": 0, "not_compared": 0},
 "pictures": [
  {"name": "a.png", "state": "sane", "reason": []},
  {"name": "b.png", "state": "differs"}]}""")
        self.write("whole/twice.json", """{"version": 1, "title": "t", "counts": {"same": 0, "differ": 0, "new": 2, "missing": 1, "not_compared": 0},
 "shard": {"share": 3, "of": 2}, "pictures": [
  {"name": "a.png", "state": "new"}, {"name": "a.png", "state": "new"}]}""")
        self.write("whole/huge.json", """{"version": 1, "title": "t", "counts": {"same": 0, "differ": 0, "new": 1, "missing": 0, "not_compared": 0},
 "pictures": [{"name": "a.png", "state": "new", "seconds": 1e400}]}""")
        self.write("whole/torn.json", '{"version": 1, "pictures": [')
        _, printed = self.report("bad.json", "none.json", "twice.json", "huge.json", "torn.json")
        self.assertEqual(printed, """error: bad.json:3:30: pictures[0].state: expected one of same, differs, new, missing or not compared, got "sane" (did you mean "same"?)
error: bad.json:3:38: pictures[0]: unknown key "reason" (did you mean "reasons"?)
error: bad.json:4:3: pictures[1]: missing key "difference", which this state needs
error: none.json: no such file
error: twice.json:1:86: counts.missing: expected 0, the number of such pictures, got 1
error: twice.json:2:11: shard: expected a share from 1 to 2, got 3
error: twice.json:3:47: pictures: "a.png" occurs twice, first in line 3
error: huge.json:2:60: expected a number, got 1e400 (beyond the range of binary64 numbers)
error: torn.json:1:29: not valid JSON
""")

    def test_inputs_are_never_replaced(self):
        self.regress("whole", "--json", "r.json", "-o", "out")
        before = self.files("whole")
        for arguments, message in (
                (["--json", "./r.json"], 'would replace "r.json"'),
                (["--junit", "goldens/d.png"], 'goldens/d.png: would replace'),
                (["--markdown", "out/actual/f.png"], 'out/actual/f.png: would replace'),
                (["--junit", "d.yaml"], 'd.yaml: would replace'),
                (["--json", "a", "--junit", "a"], "two outputs have this name"),
                (["-o", "out"], "lies in out/actual"),
                (["-o", ""], "expected a folder"), ([], "")):
            _, printed = self.report("r.json", *arguments)
            self.assertIn(message, printed)
        self.assertEqual(self.files("whole"), before)
        _, printed = self.report(code=COULD_NOT)
        self.assertIn("expected RESULT.json", printed)

    def from_elsewhere(self, **paths):
        """Returns results of another machine, for one differing picture, with these paths."""
        self.write("whole/in/r.json", json.dumps({
            "version": 1, "title": "t", "counts": {"same": 0, "differ": 1, "new": 0, "missing": 0, "not_compared": 0}, "goldens": "../goldens",
            "pictures": [{"name": "d.png", "state": "differs", "difference": {"kind": "other_shape", "shape": "s"}, **paths}]}))

    def test_a_picture_outside_the_results_folder_is_refused(self):
        os.makedirs(self.path("whole/in/out"))
        for name in ("in/out/d.png", "secret.png"):
            shutil.copy(self.path("whole/goldens/d.png"), self.path(f"whole/{name}"))
        os.symlink("../..", self.path("whole/in/out/up"))
        os.symlink("../../secret.png", self.path("whole/in/out/link.png"))
        secret = self.path("whole/secret.png")
        for key in ("image", "actual"):
            for path, refusal in (("/etc/passwd", "is not below in"), ("../secret.png", "is not below in"), (secret, "is not below in"),
                                  ("out/../../secret.png", "is not below in"), ("out/link.png", "is reached by a link"),
                                  ("out/up/secret.png", "is reached by a link")):
                with self.subTest(f"{key} {path}"):
                    self.from_elsewhere(**{"actual": "out/d.png", key: path})
                    out, printed = self.report("in/r.json", "--goldens", "goldens", "-o", "gathered", "--junit", "r.xml")
                    self.assertRegex(printed, rf'^error: in/r\.json:1:\d+: pictures\[0\]\.{key}: "[^"]*{os.path.basename(path)}" {refusal}: '
                                           "expected a picture beside the results\n")
                    self.assertIn("d.png: differs", out)
                    kept = [name for name in self.files("whole/gathered") if not name.startswith("pending/")]
                    self.assertEqual(kept, ["actual/d.png"] if key == "image" else [])
                    self.assertNotIn(os.path.basename(path), self.read("whole/r.xml").decode())

    def test_only_valid_pictures_are_gathered(self):
        os.makedirs(self.path("whole/in/out"))
        whole = self.read("whole/goldens/d.png")
        self.write("whole/in/out/notes.txt", "notes")
        self.write("whole/in/out/notes.png", "notes")
        for name, data in (("d.png", whole), ("torn.png", whole[:-20])):
            with open(self.path(f"whole/in/out/{name}"), "wb") as file:
                file.write(data)
        os.mkfifo(self.path("whole/in/out/pipe.png"))
        for image in ("notes.txt", "notes.png", "torn.png", "pipe.png", "."):
            with self.subTest(image):
                self.from_elsewhere(actual="out/d.png", image=f"out/{image}")
                _, printed = self.report("in/r.json", "--goldens", "goldens", "-o", "gathered", "--junit", "r.xml")
                self.assertIn(f"in/out/{image}" if image != "." else "in/out", printed)
                self.assertEqual(sorted(self.files("whole/gathered")), ["actual/d.png", "pending/d.png.json"])
                self.assertNotIn("notes", self.read("whole/r.xml").decode())
        self.from_elsewhere(actual="out/d.png", image="out/d.png")
        self.report("in/r.json", "--goldens", "goldens", "-o", "gathered", code=DIFFER)
        self.assertEqual(sorted(self.files("whole/gathered")), ["actual/d.png", "diff/d.png", "pending/d.png.json"])

    def test_goldens_lie_beside_the_results_or_in_a_named_folder(self):
        os.makedirs(self.path("whole/in/out"))
        shutil.copy(self.path("whole/goldens/d.png"), self.path("whole/in/out/d.png"))
        printed = "warning: d.png: {} is not below in, so it is not shown; name the folder of goldens with --goldens DIR\n"
        for golden, name in (("../goldens/d.png", "goldens/d.png"), (self.path("whole/goldens/d.png"),) * 2):
            self.from_elsewhere(actual="out/d.png", golden=golden)
            self.assertEqual(self.report("in/r.json", "--junit", "r.xml", code=DIFFER)[1], printed.format(name))
            self.assertNotIn("goldens/d.png", self.read("whole/r.xml").decode())
        self.from_elsewhere(actual="out/d.png", golden="../goldens/d.png")
        self.assertEqual(self.report("in/r.json", "--goldens", "goldens/", "--junit", "r.xml", code=DIFFER)[1], "")
        self.assertIn("[[ATTACHMENT|goldens/d.png]]", self.read("whole/r.xml").decode())
        self.from_elsewhere(actual="out/d.png", golden="../d.png")
        self.assertIn("d.png is not below in", self.report("in/r.json", "--goldens", "goldens", code=DIFFER)[1])

    def test_names_cannot_forge_attachments(self):
        folder = "x]] [[ATTACHMENT|/etc/passwd]]"
        os.makedirs(self.path(f"a/{folder}"))
        os.makedirs(self.path(f"b/{folder}"))
        for name, pictures in (("s.png", ("whole/goldens/d.png", "whole/goldens/mask.png")), ("same.png", ("whole/goldens/d.png",) * 2)):
            for side, picture in zip("ab", pictures):
                shutil.copy(self.path(picture), self.path(f"{side}/{folder}/{name}"))
        self.run_roundel("diff", "a", "b", "--junit", "r.xml", code=DIFFER)
        outputs = [node.text for node in xml.parse(self.path("r.xml")).getroot().iter("system-out")]
        self.assertEqual([text for text in outputs if "[[ATTACHMENT" in text], [])

    def test_pictures_are_gathered_inside_the_folder_only(self):
        self.write("whole/r.json", """{"version": 1, "title": "t", "counts": {"same": 0, "differ": 0, "new": 3, "missing": 0, "not_compared": 0},
"goldens": "goldens", "pictures": [{"name": "../../x.png", "state": "new", "actual": "goldens/a.png"},
{"name": "link/x.png", "state": "new", "actual": "goldens/a.png"}, {"name": "y.png", "state": "new", "actual": "goldens/a.png"}]}""")
        os.makedirs(self.path("whole/out/actual"))
        os.symlink("../..", self.path("whole/out/actual/link"))
        _, printed = self.report("r.json", "-o", "out")
        self.assertIn('expected the name of a PNG or EXR file in the folder of goldens, got "../../x.png"', printed)
        self.assertIn("links are not followed", printed)
        self.assertEqual(sorted(name for name in self.files(".") if name.endswith(("x.png", "y.png"))), ["whole/out/actual/y.png"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
