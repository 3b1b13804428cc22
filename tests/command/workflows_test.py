#!/usr/bin/env python3
"""The workflow files in docs/reports.md: their commands, run in order as GitHub and GitLab would, with stand-ins for
the installation of packages and the transfer of artifacts. Usage: workflows_test.py PATH_OF_ROUNDEL
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml

import yaml

from command_case import ROUNDEL, CommandCase

PAGE = (pathlib.Path(__file__).parent / "../../docs/reports.md").read_text(encoding="utf-8")
SCENE = """version: 1
image: {width: 40, height: 30}
layers: [{circles: [{x: 0.5, y: 0.5, radius: %s}]}]
"""


def block(language, first):
    """Returns the block of code on the page that begins with this line."""
    (text,) = [text for text in re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S) if text.startswith(first)]
    return text


class WorkflowCase(CommandCase):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("tmp"))
        os.symlink(ROUNDEL, self.path("bin/roundel"))
        for name in ("sudo", "apt-get", "xdg-open"):
            self.stand_in(name, "")
        self.write("bin/.gitconfig", "[user]\nname = T\nemail = t@example.org\n")
        # The target branch of pull requests, with its own goldens; then a commit that changes one scene of seven.
        for folder in ("scenes", "goldens", "ci"):
            os.makedirs(self.path(f"project/{folder}"))
        self.write("project/ci/roundel_1_amd64.deb", "")
        self.write("project/.gitignore", "/regress-output\n/report\n")
        for name in "abcdefg":
            self.write(f"project/scenes/{name}.yaml", SCENE % 0.3)
        self.shell("roundel render scenes/*.yaml -o goldens/ -q; git init -q -b main; git add -A; git commit -qm main", "project")
        self.write("project/scenes/d.yaml", SCENE % 0.2)
        self.shell("git checkout -qb change; git commit -qam change", "project")

    def stand_in(self, name, script):
        self.write(f"bin/{name}", f"#!/bin/sh\n{script}\n")
        os.chmod(self.path(f"bin/{name}"), 0o755)

    def shell(self, script, folder, codes=(0,), **variables):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.path(folder), capture_output=True, check=False, timeout=300,
                              env={"PATH": f"{self.path('bin')}:/usr/bin:/bin", "HOME": self.path("bin"), "TMPDIR": self.path("tmp"), **variables})
        self.assertIn(done.returncode, codes, f"{script}: {done.stdout} {done.stderr}")
        return done

    def checkout(self, folder):
        self.shell(f"git clone -q project {folder}", ".")

    def copy(self, source, target):
        """Copies a file, or a folder into one that may exist; a missing source is no artifact."""
        if os.path.isdir(self.path(source)):
            shutil.copytree(self.path(source), self.path(target), dirs_exist_ok=True)
        elif os.path.exists(self.path(source)):
            os.makedirs(os.path.dirname(self.path(target)), exist_ok=True)
            shutil.copy(self.path(source), self.path(target))

    def accept(self, artifact):
        """Runs the page's lines that accept an artifact, and commits."""
        self.stand_in("gh", f'test "$*" = "run download --name pictures" && cp -r {self.path(artifact)}/. .')
        self.checkout("mine")
        self.shell(block("sh", "gh run download"), "mine")
        self.shell("git push -q origin HEAD:refs/heads/accepted", "mine")
        self.shell("git merge -q --ff-only accepted", "project")
        shutil.rmtree(self.path("mine"))


class GitHub(WorkflowCase):
    def run_job(self, job, folder, codes, share=""):
        """Runs the job's steps; after a failure only those that ask for it. Uploads go to artifacts/NAME."""
        done, failed = [], False
        for step in job["steps"]:
            step = json.loads(json.dumps(step).replace("${{ matrix.share }}", share))
            if failed and step.get("if") != "${{ !cancelled() }}":
                continue
            kind = step.get("uses", "run").split("@")[0]
            given = step.get("with", {})
            if kind == "actions/checkout":
                self.checkout(folder)
            elif kind == "actions/upload-artifact":
                for path in given["path"].split():
                    self.copy(f"{folder}/{path}", f"artifacts/{given['name']}/{path}")
            elif kind == "actions/download-artifact":
                for name in sorted(os.listdir(self.path("artifacts"))):
                    self.assertEqual(given["pattern"], "share-*")
                    self.copy(f"artifacts/{name}", f"{folder}/{given['path']}/{name}")
            else:
                self.assertEqual(set(step) - {"if"}, {"run"})
                done.append(self.shell(step["run"], folder, (0, 1, 2), GITHUB_BASE_REF="main", GITHUB_STEP_SUMMARY=self.path("summary.md")))
                failed |= done[-1].returncode != 0
        self.assertEqual(max(step.returncode for step in done), codes)
        return [step.stdout.decode() for step in done]

    def remove_machine(self):
        for folder in ("machine", "old"):
            shutil.rmtree(self.path(folder), ignore_errors=True)

    def run_workflow(self, code, lost=()):
        shutil.rmtree(self.path("artifacts"), ignore_errors=True)
        jobs = yaml.safe_load(block("yaml", "# .github/workflows/pictures.yml"))["jobs"]
        os.makedirs(self.path("artifacts"))
        for share in jobs["draw"]["strategy"]["matrix"]["share"]:
            self.remove_machine()
            if share not in lost:
                self.run_job(jobs["draw"], "machine", code if share == 2 else 0, str(share))
        self.remove_machine()
        self.assertEqual(jobs["report"]["if"], "${{ !cancelled() }}")
        return self.run_job(jobs["report"], "machine", code if not lost else 2)

    def test_a_change_fails_is_reported_and_accepted(self):
        _, report, _ = self.run_workflow(1)
        self.assertIn("7 pictures: 6 same, 1 differs\n", report)
        self.assertIn("::error file=scenes/d.yaml,line=3,title=d.png::d.yaml:3: differs: ", report)
        self.assertRegex(report, r"    cluster 1 of 1: [\d,]+ pixels in ")
        self.assertIn("radius 0.3 -> 0.2\n", report)
        self.assertIn("| d.png | **d.yaml:3**<br>differs: ", self.read("summary.md").decode())
        self.assertIn("roundel accept --goldens goldens d.png", self.read("artifacts/pictures/report/index.html").decode())
        self.run_roundel("report", *(f"machine/shares/share-{share}/results.json" for share in (1, 2, 3)), "--goldens",
                         "machine/goldens", "--json", "merged.json", code=1)
        scenes = [picture["scene"] for picture in json.loads(self.read("merged.json"))["pictures"] if "scene" in picture]
        self.assertIn("machine/scenes/d.yaml", scenes)
        self.assertTrue(all(os.path.exists(self.path(scene)) for scene in scenes), scenes)
        self.accept("artifacts/pictures")
        _, report, _ = self.run_workflow(0)
        self.assertEqual(report, "7 pictures: 7 same\n")

    def test_a_lost_machine_fails(self):
        self.shell("git checkout -q main", "project")
        _, report, _ = self.run_workflow(0, lost=[3])
        self.assertIn("share 3 of 3: not compared", report)


class GitLab(WorkflowCase):
    def run_pipeline(self, code):
        shutil.rmtree(self.path("machine"), ignore_errors=True)
        pipeline = yaml.safe_load(block("yaml", "# .gitlab-ci.yml"))
        draw, report = pipeline["draw"], pipeline["report"]
        self.checkout("machine")
        for index in range(1, draw["parallel"] + 1):
            self.checkout("one")
            self.shell("\n".join(pipeline["default"]["before_script"] + draw["script"]), "one", (code if index == 2 else 0,),
                       CI_NODE_INDEX=str(index), CI_NODE_TOTAL=str(draw["parallel"]), CI_DEFAULT_BRANCH="main")
            for path in draw["artifacts"]["paths"]:
                self.copy(f"one/{path}", f"machine/{path}")
            shutil.rmtree(self.path("one"))
        done = self.shell("\n".join(pipeline["default"]["before_script"] + report["script"]), "machine", (code,))
        for path in report["artifacts"]["paths"]:
            self.copy(f"machine/{path}", f"artifacts/pictures/{path}")
        return done.stdout.decode(), report["artifacts"]

    def test_a_change_fails_is_reported_and_accepted(self):
        text, artifacts = self.run_pipeline(1)
        self.assertIn("radius 0.3 -> 0.2\n", text)
        cases = {case.get("name"): case for case in xml.parse(self.path(f"machine/{artifacts['reports']['junit']}")).getroot()[0]}
        self.assertEqual(len(cases), 7)
        attached = re.findall(r"\[\[ATTACHMENT\|(.*)\]\]", cases["d.png"].find("system-out").text)
        self.assertEqual(attached[0], "regress-output/diff/d.png")
        self.assertTrue(os.path.exists(self.path(f"artifacts/pictures/{attached[0]}")))
        self.accept("artifacts/pictures")
        self.assertEqual(self.run_pipeline(0)[0], "7 pictures: 7 same\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
