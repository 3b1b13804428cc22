#!/usr/bin/env python3
"""Summaries for pull requests and annotations. Usage: summary_test.py PATH_OF_ROUNDEL"""

import os
import re
import unittest

from command_case import CommandCase

SAME, DIFFER, COULD_NOT = range(3)
SCENE = "version: 1\nvars: {radius: 0.3}\nimage: {width: 24, height: 16}\nlayers: [{circles: [{x: 0.5, y: 0.5, radius: $radius}]}]\n"
ODD = "a|b[c]`*_,:%é.png"


class SummaryTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.write("s.yaml", SCENE)
        for folder in ("goldens", "actual"):
            os.mkdir(self.path(folder))

    def draw(self, name, radius="0.3"):
        self.run_roundel("render", "s.yaml", "--set", f"radius={radius}", "-o", name)

    def fill(self):
        for name in ("same.png", ODD, "old.png"):
            self.draw(f"goldens/{name}")
        self.draw("actual/same.png")
        self.draw(f"actual/{ODD}", "0.2")
        self.draw("actual/new.png")

    def diff(self, *more, code=DIFFER):
        return self.run_roundel("diff", "goldens", "actual", *more, code=code).stdout.decode()

    def test_a_table_with_pictures_beside_it(self):
        self.fill()
        self.diff("--markdown", "sum mary.md")
        text = self.read("sum mary.md").decode()
        self.assertTrue(text.startswith("### goldens and actual\n\n4 pictures: 1 same, 1 differs, 1 new, 1 missing\n\n| picture |"), text)
        rows = text.splitlines()[6:]
        self.assertEqual(len(rows), 3)
        self.assertRegex(rows[0], r"^\| a\\\|b\\\[c\\\]\\`\\\*\\_,:%é\.png \| differs: \d+ pixels differ, at most 0 may; the scene changed: ")
        addresses = re.findall(r"!\[(\w+)\]\(([^)]*)\)", text)
        self.assertEqual([kind for kind, _ in addresses], ["golden", "actual", "difference", "actual", "golden"])
        for _, address in addresses:
            self.assertTrue(os.path.exists(self.path(address.replace("%20", " "))), address)
        self.run_roundel("diff", "goldens/same.png", "sum mary-pictures/02-golden.png", code=SAME)

    def test_an_earlier_summary_is_removed(self):
        self.fill()
        self.diff("--markdown", "s.md")
        self.write("s-pictures/mine.txt", "mine")
        for name in ("old.png", ODD):
            os.unlink(self.path(f"goldens/{name}"))
        for name in ("new.png", ODD):
            os.unlink(self.path(f"actual/{name}"))
        self.diff("--markdown", "s.md", "--annotations", "github", code=SAME)
        self.assertEqual(self.read("s.md").decode(), "### goldens and actual\n\n1 picture: 1 same\n")
        self.assertEqual(os.listdir(self.path("s-pictures")), ["mine.txt"])
        os.unlink(self.path("s-pictures/mine.txt"))
        self.diff("--markdown", "s.md", code=SAME)
        self.assertFalse(os.path.exists(self.path("s-pictures")))

    def test_many_failures_are_counted(self):
        self.draw("goldens/0.png")
        for number in range(1, 25):
            os.link(self.path("goldens/0.png"), self.path(f"goldens/{number}.png"))
        text = self.diff("--markdown", "s.md", "--annotations", "github")
        self.assertEqual(text.count("::error "), 10)
        self.assertIn("\n::error title=roundel::and 16 more\n", text)
        self.assertIn("\nand 5 more\n", self.read("s.md").decode())
        self.assertEqual(len(os.listdir(self.path("s-pictures"))), 20)

    def test_annotations_use_the_runners_commands(self):
        self.fill()
        lines = [line for line in self.diff("--annotations", "github").splitlines() if line.startswith("::")]
        self.assertRegex(lines[0], r"^::error file=goldens/a\|b\[c\]`\*_%2C%3A%25é\.png,title=a\|b\[c\]`\*_%2C%3A%25é\.png::differs: \d+ pixels")
        self.assertEqual(lines[1:], ["::error title=new.png::new: there is no golden goldens/new.png",
                                     "::error file=goldens/old.png,title=old.png::missing: there is no actual/old.png"])
        self.assertIn("expected github", self.run_roundel("diff", "a", "b", "--annotations", "x", code=COULD_NOT).stderr.decode())
        self.assertIn("--annotations: standard output has the JSON", self.run_roundel(
            "diff", "goldens", "actual", "--json", "--annotations", "github", code=COULD_NOT).stderr.decode())

    def test_regress(self):
        self.draw("goldens/s.png", "0.1")
        done = self.run_roundel("regress", "s.yaml", "--goldens", "goldens", "--markdown", "s.md", "--annotations", "github", code=DIFFER)
        self.assertRegex(done.stdout.decode(), r"\n::error file=s\.yaml,line=1,title=s\.png::differs: .*; [\d.]+ %25 of the pixels, by up to \d+\n")
        text = self.read("s.md").decode()
        self.assertRegex(text, r"<br>[\d.]+ % of the pixels, by up to \d+ \|")
        self.assertTrue(text.endswith("\nTo accept:\n\n```sh\nroundel accept s.png\n```\n"), text)
        self.assertEqual(sorted(os.listdir(self.path("s-pictures"))), ["00-actual.png", "00-difference.png", "00-golden.png"])

    def test_the_cause_is_shown_at_its_line(self):
        for folder in ("old/scenes", "scenes"):
            os.makedirs(self.path(folder))
            self.write(f"{folder}/value.yaml", SCENE.replace("image", "\nseed: 7\nimage"))
            self.write(f"{folder}/circle.yaml", SCENE.replace("vars: {radius: 0.3}", "").replace("[{circles: [", "\n- circles:\n  - ").replace("}]}]", "}")
                       .replace("$radius", "0.3"))
        regress = ["regress", "scenes", "--goldens", "goldens"]
        self.run_roundel(*regress, code=DIFFER)
        self.run_roundel("accept", "--all")
        for name, old, new in (("value", "radius: 0.3", "radius: 0.2"), ("circle", "radius: 0.3}\n", "radius: 0.1}\n")):
            self.write(f"scenes/{name}.yaml", self.read(f"scenes/{name}.yaml").decode().replace(old, new))
        more = ["--explain-from", "old", "--markdown", "s.md", "--annotations", "github", "--json", "r.json", "--title", "run | 7"]
        for workspace, place in (("", "scenes/"), (self.path("scenes"), ""), (self.path("old"), "scenes/")):
            out = self.run_roundel(*regress, *more, code=DIFFER, env={**os.environ, "GITHUB_WORKSPACE": workspace}).stdout.decode()
            self.assertIn(f"::error file={place}circle.yaml,line=6,title=circle.png::circle.yaml:6: differs: ", out)
            self.assertIn(f"::error file={place}value.yaml,line=2,title=value.png::vars.radius 0.3 → 0.2, value.yaml:2: differs", out)
        text = self.read("s.md").decode()
        self.assertTrue(text.startswith("### run \\| 7\n"), text)
        self.assertIn("| value.png | **vars.radius 0.3 → 0.2, value.yaml:2**<br>differs: ", text)
        again = self.run_roundel("report", "r.json", "--goldens", "goldens", "--annotations", "github", code=DIFFER).stdout.decode()
        self.assertIn("::error file=scenes/value.yaml,line=2,", again)

    def test_inputs_are_never_replaced_and_links_never_followed(self):
        os.rmdir(self.path("goldens"))
        os.mkdir(self.path("s-pictures"))
        self.draw("s-pictures/00-golden.png")
        done = self.run_roundel("diff", "s-pictures", "actual", "--markdown", "s.md", code=COULD_NOT)
        self.assertIn(b"would replace", done.stderr)
        self.assertEqual(os.listdir(self.path("s-pictures")), ["00-golden.png"])
        os.rename(self.path("s-pictures"), self.path("goldens"))
        os.symlink("actual", self.path("s-pictures"))
        self.assertIn(b"links are not followed", self.run_roundel("diff", "goldens", "actual", "--markdown", "s.md", code=COULD_NOT).stderr)
        self.assertEqual(os.listdir(self.path("actual")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
