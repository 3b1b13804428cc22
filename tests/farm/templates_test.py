#!/usr/bin/env python3
"""The templates for Kubernetes and Open Job Description: their rules, and their commands run as those engines would.
Usage: templates_test.py PATH_OF_ROUNDEL. Exits with 77 without PyYAML.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import yaml
except ImportError:
    print("skipped: needs PyYAML (python3-yaml)")
    sys.exit(77)

ROUNDEL = ""
TEMPLATES = pathlib.Path(__file__).resolve().parents[2] / "tools/farm"
DONE, FAILED, USAGE, INVALID, REFUSED, SOME_FAILED = range(6)

SCENE = "version: 1\nimage: {width: 32, height: 24}\nlayers: [{generator: bouncingballs}]\nanimation: {frames: 12}\n"
DATA = ("version: 1\nimage: {width: 32, height: 24}\nlayers:\n  - {data: data/d_####.csv, columns: [x, y, radius]}\n"
        "animation: {frames: 6}\n")
VARS = ("version: 1\nvars: {size: 0.5}\nimage: {width: 32, height: 24}\n"
        "layers: [{circles: [{x: 0.5, y: 0.5, radius: $size}]}]\n")
SLOW = ("version: 1\nimage: {width: 1500, height: 1500}\nlayers:\n  - generator: hypnosis\n"
        "  - random: {count: 3000, radius: 0.1, alpha: 0.001}\nanimation: {frames: 500}\n")


class TemplateCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="roundel_farm_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/roundel").symlink_to(ROUNDEL)
        self.environment = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def load(self, name):
        return yaml.safe_load((TEMPLATES / name).read_text(encoding="utf-8"))

    def names(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())


class Kubernetes(TemplateCase):
    def setUp(self):
        super().setUp()
        self.job = self.load("kubernetes-job.yaml")
        (self.container,) = self.job["spec"]["template"]["spec"]["containers"]

    def test_only_temporary_failures_are_retried(self):
        rules = self.job["spec"]["podFailurePolicy"]["rules"]
        self.assertEqual(rules[0], {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]})
        (fails,) = rules[1:]
        self.assertEqual(fails["action"], "FailJob")
        self.assertEqual(fails["onExitCodes"],
                         {"containerName": self.container["name"], "operator": "In", "values": [USAGE, INVALID, REFUSED]})
        self.assertGreater(self.job["spec"]["backoffLimitPerIndex"], 0)
        self.assertEqual(self.job["spec"]["template"]["spec"]["restartPolicy"], "Never")  # required by the policy

    def test_threads_have_a_limit(self):
        self.assertEqual(self.container["resources"]["limits"]["cpu"], self.container["resources"]["requests"]["cpu"])
        self.assertNotIn("--threads", self.container["command"])  # the limit is a quota, which counts

    def test_pods_make_all_frames(self):
        command = self.container["command"]
        (self.folder / "scenes").mkdir()
        (self.folder / command[2]).write_text(SCENE)
        shares = self.job["spec"]["completions"]
        self.assertIn(f"auto/{shares}", command)
        command[command.index("--frames") + 1] = "0-19"
        for index in range(shares):
            subprocess.run(command, cwd=self.folder, check=True, timeout=60, stderr=subprocess.DEVNULL,
                           env={**self.environment, "JOB_COMPLETION_INDEX": str(index)})
        self.assertEqual(self.names("out"), [f"snow_{frame:04}.png" for frame in range(20)])


class OpenJobDescription(TemplateCase):
    """Each task runs in a folder that has only the inputs of the parameters with dataFlow IN."""

    def setUp(self):
        super().setUp()
        self.template = self.load("openjd-job.yaml")
        (self.step,) = self.template["steps"]
        self.action = self.step["script"]["actions"]["onRun"]
        for folder in ("worker", "out"):
            (self.folder / folder).mkdir()

    def start(self, share, **values):
        """Starts a task. Inputs and Scene are copied, as job attachments are; the others are values."""
        known = {}
        for definition in self.template["parameterDefinitions"]:
            value = values.get(definition["name"], definition.get("default"))
            self.assertIsNotNone(value, definition["name"])
            if definition["type"] == "PATH" and definition["dataFlow"] == "IN":
                target = self.folder / "worker" / pathlib.Path(value).relative_to(self.folder)
                copy = shutil.copy if definition["objectType"] == "FILE" else \
                    lambda source, to: shutil.copytree(source, to, dirs_exist_ok=True)
                target.parent.mkdir(parents=True, exist_ok=True)
                copy(value, target)
                value = target
            known["Param." + definition["name"]] = str(value)
        self.assertLessEqual(set(values), {definition["name"] for definition in self.template["parameterDefinitions"]})
        (file,) = self.step["script"]["embeddedFiles"]
        script = self.folder / "run"
        script.write_text(self.resolve(file["data"], known))
        script.chmod(0o755)
        known.update({"Task.File." + file["name"]: str(script), "Task.Param.Share": str(share)})
        return subprocess.Popen([self.resolve(text, known) for text in [self.action["command"], *self.action["args"]]],
                                cwd=self.folder, env=self.environment, text=True, stderr=subprocess.PIPE)

    @staticmethod
    def resolve(text, known):
        return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda found: known[found[1]], text)

    def run_all(self, code=DONE, **values):
        printed = ""
        for share in range(1, int(values["Shares"]) + 1):
            task = self.start(share, OutputFolder=self.folder / "out", **values)
            printed += task.communicate(timeout=60)[1]
            self.assertEqual(task.returncode, code, printed)
        return printed

    def test_the_template_follows_the_specification(self):
        """Checks the parts of version 2023-09 that the template uses."""
        keys = {"PATH": {"name", "type", "default", "description", "objectType", "dataFlow"},
                "STRING": {"name", "type", "default", "description"},
                "INT": {"name", "type", "default", "description", "minValue"}}
        self.assertEqual(self.template["specificationVersion"], "jobtemplate-2023-09")
        self.assertLessEqual(set(self.template), {"specificationVersion", "name", "parameterDefinitions", "steps"})
        for definition in self.template["parameterDefinitions"]:
            self.assertLessEqual(set(definition), keys[definition["type"]])
            self.assertIn(definition.get("objectType", "FILE"), ("FILE", "DIRECTORY"))
            self.assertIn(definition.get("dataFlow", "NONE"), ("NONE", "IN", "OUT", "INOUT"))
            self.assertIsInstance(definition.get("default", ""), int if definition["type"] == "INT" else str)
        self.assertEqual(set(self.step), {"name", "parameterSpace", "script"})
        self.assertEqual(set(self.step["script"]), {"embeddedFiles", "actions"})
        self.assertLessEqual(set(self.action), {"command", "args", "timeout", "cancelation"})
        self.assertGreater(self.action["timeout"], 0)
        self.assertLessEqual(self.action["cancelation"]["notifyPeriodInSeconds"], 600)
        for file in self.step["script"]["embeddedFiles"]:
            self.assertEqual((file["type"], file["runnable"]), ("TEXT", True))
            self.assertNotIn("{{", file["data"])  # values are arguments, which a shell never reads as code
        try:
            from openjd.model import decode_job_template
        except ImportError:
            return
        decode_job_template(template=self.template)

    def test_shares_make_all_frames(self):
        scene = self.folder / "project/a.yaml"
        scene.parent.mkdir()
        scene.write_text(SCENE)
        printed = self.run_all(Scene=scene, Inputs=scene.parent, Shares=5)
        self.assertEqual(self.names("out"), [f"frame_{frame:04}.png" for frame in range(12)])
        self.assertIn("openjd_progress: 100.0\n", printed)
        self.assertNotIn("openjd_fail", printed)

    def test_files_of_each_frame_are_copied(self):
        data = self.folder / "project/data"
        data.mkdir(parents=True)
        for frame in range(6):
            (data / f"d_{frame:04}.csv").write_text(f"x,y,radius\n0.5,0.5,{0.1 + frame / 50}\n")
        (self.folder / "project/d.yaml").write_text(DATA)
        self.run_all(Scene=self.folder / "project/d.yaml", Inputs=data, Frames="0-5", Shares=2)
        self.assertEqual(len(self.names("out")), 6)

    def test_tables_are_copied(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "v.yaml").write_text(VARS)
        (project / "rows.csv").write_text("name,size\n" + "".join(f"n{row},0.{row}\n" for row in range(1, 8)))
        self.run_all(Scene=project / "v.yaml", Inputs=project, Table="rows.csv", OutputName="{name}.png", Shares=2)
        self.assertEqual(self.names("out"), [f"n{row}.png" for row in range(1, 8)])
        shutil.rmtree(self.folder / "out")
        self.run_all(Scene=project / "v.yaml", Inputs=project, Table="rows.csv", OutputName="{name}.png", Frames="2-3",
                     Shares=1)
        self.assertEqual(self.names("out"), ["n3.png", "n4.png"])

    def test_failures_print_a_line(self):
        project = self.folder / "project"
        project.mkdir()
        scene = project / "a.yaml"
        scene.write_text("version: 1\nlayers: [{circles: [{x: 1}]}]\nanimation: {frames: 3}\n")
        printed = self.run_all(code=INVALID, Scene=scene, Inputs=project, Shares=1)
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: .*a\.yaml:2:")
        scene.write_text(SCENE)
        printed = self.run_all(code=USAGE, Scene=scene, Inputs=project, Shares=1, Frames="1-x")
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: .*--frames")
        (self.folder / "out/frame_0003.png").mkdir()
        printed = self.run_all(code=SOME_FAILED, Scene=scene, Inputs=project, Shares=1, Frames="1-5")
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: exit code 5$")
        self.assertEqual(printed.count("openjd_fail"), 1)

    def test_canceling_reaches_roundel(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "slow.yaml").write_text(SLOW)
        task = self.start(1, Scene=project / "slow.yaml", Inputs=project, OutputFolder=self.folder / "out", Shares=1)
        end = time.monotonic() + 60
        while not any(name.endswith(".png") for name in self.names("out")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        task.send_signal(signal.SIGTERM)
        printed = task.communicate(timeout=60)[1]
        self.assertEqual(task.returncode, 128 + signal.SIGTERM, printed)
        self.assertIn("to draw them: the same command with --resume, or with --frames", printed)


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
