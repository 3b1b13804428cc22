#!/usr/bin/env python3
"""The templates for Kubernetes, Open Job Description, Deadline, OpenCue and Flamenco: their rules, and their commands run
as those engines would. Usage: templates_test.py PATH_OF_ROUNDEL. Exits with 77 without PyYAML.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

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

    def text(self, name):
        """Returns a template whose paths lie in the test's folder instead of /work."""
        return (TEMPLATES / name).read_text(encoding="utf-8").replace("/work", str(self.folder))

    def write_scene(self):
        (self.folder / "scenes").mkdir(exist_ok=True)
        (self.folder / "scenes/snow.yaml").write_text(SCENE)

    def run_task(self, command, code=DONE, **variables):
        run = subprocess.run(command, cwd=self.folder, env={**self.environment, **variables}, capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stderr

    def check_film(self, run_all, frames=20):
        """Runs all tasks, then again without one frame: only that one is made again."""
        names = [f"snow_{frame:04}.png" for frame in range(frames)]
        self.write_scene()
        run_all()
        self.assertEqual(self.names("out"), names)
        (self.folder / "out" / names[3]).unlink()
        times = {name: (self.folder / "out" / name).stat().st_mtime_ns for name in self.names("out")}
        run_all()
        self.assertEqual(self.names("out"), names)
        for name, made in times.items():
            self.assertEqual((self.folder / "out" / name).stat().st_mtime_ns, made, name)


def chunks(frames, size):
    return [frames[first:first + size] for first in range(0, len(frames), size)]


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
        shares = self.job["spec"]["completions"]
        self.assertIn(f"auto/{shares}", command)
        command[command.index("--frames") + 1] = "0-19"
        self.check_film(lambda: [self.run_task(command, JOB_COMPLETION_INDEX=str(index)) for index in range(shares)])

    def test_files_belong_to_a_user(self):
        context = self.job["spec"]["template"]["spec"]["securityContext"]
        self.assertTrue(context["runAsUser"] > 0 and context["runAsGroup"] > 0 and context["fsGroup"] > 0)


class OpenJobDescription(TemplateCase):
    """Each task runs in a folder that has only the inputs of the parameters with dataFlow IN."""

    def setUp(self):
        super().setUp()
        self.template = self.load("openjd-job.yaml")
        self.check, self.step = self.template["steps"]
        self.action = self.step["script"]["actions"]["onRun"]
        for folder in ("worker", "out"):
            (self.folder / folder).mkdir()

    def start(self, frames, **values):
        """Starts the task of a chunk. Inputs and Scene are copied, as job attachments are; the others are values."""
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
        known.update({"Task.File." + file["name"]: str(script), "Task.Param.Frame": frames})
        return subprocess.Popen([self.resolve(text, known) for text in [self.action["command"], *self.action["args"]]],
                                cwd=self.folder, env=self.environment, text=True, stderr=subprocess.PIPE)

    @staticmethod
    def resolve(text, known):
        return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda found: known[found[1]], text)

    def run_all(self, *frames, code=DONE, **values):
        printed = ""
        for chunk in frames:
            task = self.start(chunk, OutputFolder=self.folder / "out", Frames=",".join(frames), **values)
            printed += task.communicate(timeout=60)[1]
            self.assertEqual(task.returncode, code, printed)
        return printed

    def test_the_template_follows_the_specification(self):
        """Checks the parts of version 2023-09 that the template uses."""
        keys = {"PATH": {"name", "type", "default", "description", "objectType", "dataFlow"},
                "STRING": {"name", "type", "default", "description"},
                "INT": {"name", "type", "default", "description", "minValue", "maxValue"}}
        self.assertEqual(self.template["specificationVersion"], "jobtemplate-2023-09")
        self.assertEqual(set(self.template),
                         {"specificationVersion", "extensions", "name", "parameterDefinitions", "steps"})
        for definition in self.template["parameterDefinitions"]:
            self.assertLessEqual(set(definition), keys[definition["type"]])
            self.assertIn(definition.get("objectType", "FILE"), ("FILE", "DIRECTORY"))
            self.assertIn(definition.get("dataFlow", "NONE"), ("NONE", "IN", "OUT", "INOUT"))
            self.assertIsInstance(definition.get("default", ""), int if definition["type"] == "INT" else str)
        self.assertEqual(self.template["extensions"], ["TASK_CHUNKING"])
        self.assertEqual(set(self.step), {"name", "dependencies", "parameterSpace", "script"})
        self.assertEqual(self.step["dependencies"], [{"dependsOn": self.check["name"]}])
        ((parameter,),) = self.step["parameterSpace"].values()
        self.assertEqual((set(parameter), parameter["type"]), ({"name", "type", "range", "chunks"}, "CHUNK[INT]"))
        self.assertEqual(parameter["chunks"], {"defaultTaskCount": "{{Param.ChunkSize}}", "targetRuntimeSeconds": 600,
                                               "rangeConstraint": "NONCONTIGUOUS"})
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
        decode_job_template(template=self.template, supported_extensions=["TASK_CHUNKING"])

    def test_an_invalid_scene_ends_the_job_before_a_chunk(self):
        action = self.check["script"]["actions"]["onRun"]
        scene = self.folder / "a.yaml"
        scene.write_text("version: 1\nlayers: [{circles: [{x: 1}]}]\n")
        command = [self.resolve(text, {"Param.Scene": str(scene)}) for text in [action["command"], *action["args"]]]
        self.run_task(command, code=INVALID)
        scene.write_text(SCENE)
        self.run_task(command)

    def test_chunks_make_all_frames(self):
        scene = self.folder / "project/a.yaml"
        scene.parent.mkdir()
        scene.write_text(SCENE)
        printed = self.run_all("0-2,4", "3-3", "5-11:2", "6,8-10:2", Scene=scene, Inputs=scene.parent)
        self.assertEqual(self.names("out"), [f"frame_{frame:04}.png" for frame in range(12)])
        self.assertIn("openjd_progress: 100.0\n", printed)
        self.assertNotIn("openjd_fail", printed)

    def test_files_of_each_frame_are_copied(self):
        data = self.folder / "project/data"
        data.mkdir(parents=True)
        for frame in range(6):
            (data / f"d_{frame:04}.csv").write_text(f"x,y,radius\n0.5,0.5,{0.1 + frame / 50}\n")
        (self.folder / "project/d.yaml").write_text(DATA)
        self.run_all("0-2", "3-5", Scene=self.folder / "project/d.yaml", Inputs=data)
        self.assertEqual(len(self.names("out")), 6)

    def test_tables_are_copied(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "v.yaml").write_text(VARS)
        (project / "rows.csv").write_text("name,size\n" + "".join(f"n{row},0.{row}\n" for row in range(1, 8)))
        values = {"Scene": project / "v.yaml", "Inputs": project, "Table": "rows.csv", "OutputName": "{name}.png"}
        self.run_all("0-3", "4-6", **values)
        self.assertEqual(self.names("out"), [f"n{row}.png" for row in range(1, 8)])
        shutil.rmtree(self.folder / "out")
        self.run_all("2-3", **values)
        self.assertEqual(self.names("out"), ["n3.png", "n4.png"])

    def test_failures_print_a_line(self):
        project = self.folder / "project"
        project.mkdir()
        scene = project / "a.yaml"
        scene.write_text("version: 1\nlayers: [{circles: [{x: 1}]}]\nanimation: {frames: 3}\n")
        printed = self.run_all("0-2", code=INVALID, Scene=scene, Inputs=project)
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: .*a\.yaml:2:")
        scene.write_text(SCENE)
        printed = self.run_all("1-x", code=USAGE, Scene=scene, Inputs=project)
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: .*--frames")
        (self.folder / "out/frame_0003.png").mkdir()
        printed = self.run_all("1-5", code=SOME_FAILED, Scene=scene, Inputs=project)
        self.assertRegex(printed, r"(?m)^openjd_fail: roundel render: exit code 5$")
        self.assertEqual(printed.count("openjd_fail"), 1)

    def test_canceling_reaches_roundel(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "slow.yaml").write_text(SLOW)
        task = self.start("0-499", Scene=project / "slow.yaml", Inputs=project, OutputFolder=self.folder / "out",
                          Frames="0-499")
        end = time.monotonic() + 60
        while not any(name.endswith(".png") for name in self.names("out")):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        task.send_signal(signal.SIGTERM)
        printed = task.communicate(timeout=60)[1]
        self.assertEqual(task.returncode, 128 + signal.SIGTERM, printed)
        self.assertIn("to draw them: the same command with --resume, or with --frames", printed)


class Deadline(TemplateCase):
    # Keys of the manual's pages on manual job submission and on the plugin CommandLine.
    JOB_KEYS = {"Plugin", "Name", "Comment", "Frames", "ChunkSize", "OutputDirectory0", "OutputFilename0",
                "OverrideTaskFailureDetection", "FailureDetectionTaskErrors", "OverrideJobFailureDetection",
                "FailureDetectionJobErrors", "TaskTimeoutMinutes", "OnTaskTimeout"}
    PLUGIN_KEYS = {"Executable", "Arguments", "StartupDirectory", "ShellExecute", "SingleFramesOnly"}

    def setUp(self):
        super().setUp()
        self.job, self.plugin = (dict(line.split("=", 1) for line in self.text(f"deadline-{name}.txt").splitlines())
                                 for name in ("job", "plugin"))

    def test_keys_are_documented(self):
        self.assertEqual((set(self.job), set(self.plugin)), (self.JOB_KEYS, self.PLUGIN_KEYS))
        self.assertEqual(self.job["Plugin"], "CommandLine")
        for key in ("FailureDetectionTaskErrors", "FailureDetectionJobErrors", "TaskTimeoutMinutes", "ChunkSize"):
            self.assertGreater(int(self.job[key]), 0)
        self.assertEqual((self.job["OverrideTaskFailureDetection"], self.job["OverrideJobFailureDetection"]), ("true", "true"))

    def test_tasks_make_all_frames(self):
        self.assertEqual(pathlib.Path(self.plugin["Executable"]).name, "roundel")

        def run_all():
            for chunk in chunks(range(20), 8):
                arguments = self.plugin["Arguments"]
                for token, value in (("STARTFRAME", chunk[0]), ("ENDFRAME", chunk[-1]), ("QUOTE", '"')):
                    arguments = arguments.replace(f"<{token}>", str(value))
                self.assertIn("Progress: 100%", self.run_task([ROUNDEL, *shlex.split(arguments)]))

        self.check_film(run_all)
        self.assertEqual(pathlib.Path(self.job["OutputDirectory0"]), self.folder / "out")


class OpenCue(TemplateCase):
    # The order of elements in OpenCue's cjsl-1.12.dtd.
    ORDER = {"spec": "facility dept show shot user email uid job depends", "layers": "layer", "services": "service",
             "job": "paused priority maxretries autoeat localbook os env layers", "env": "key", "depends": "depend",
             "layer": "cmd range chunk cores threadable memory gpus gpu gpu_memory timeout timeout_llu tags limits env services",
             "depend": "depjob deplayer depframe onjob onlayer onframe"}

    def setUp(self):
        super().setUp()
        self.spec = xml.etree.ElementTree.fromstring(self.text("opencue-job.xml"))
        self.layers = {layer.get("name"): layer for layer in self.spec.iter("layer")}

    def test_it_keeps_to_the_specification(self):
        for element in self.spec.iter():
            order = self.ORDER.get(element.tag, "").split()
            places = [order.index(child.tag) for child in element]
            self.assertEqual(places, sorted(places), element.tag)
        for layer in self.layers.values():
            self.assertIn(layer.get("type"), ("Render", "Util", "Post"))
            self.assertTrue(all(layer.find(tag) is not None for tag in ("cmd", "range", "chunk")))

    def test_nothing_is_drawn_before_the_check_has_passed(self):
        depend = self.spec.find("depends/depend")
        self.assertEqual(depend.get("type"), "LAYER_ON_LAYER")
        self.assertEqual((depend.findtext("deplayer"), depend.findtext("onlayer")), ("render", "check"))
        name = self.spec.find("job").get("name")
        self.assertEqual((depend.findtext("depjob"), depend.findtext("onjob")), (name, name))
        self.assertEqual(self.layers["check"].findtext("cmd"), self.layers["render"].findtext("cmd"))
        self.run_layer("check", "0", code=INVALID)  # no such scene

    def run_layer(self, name, frames, code=DONE):
        variables = {key.get("name"): key.text for key in self.spec.iter("key")}
        command = self.layers[name].findtext("cmd").replace("#FRAMESPEC#", frames)
        self.run_task(["sh", "-c", command], code, CUE_THREADS="1", **variables)

    def test_frames_make_the_film(self):
        def run_all():
            self.run_layer("check", self.layers["check"].findtext("range"))
            for chunk in chunks(range(20), 8):
                self.run_layer("render", f"{chunk[0]}-{chunk[-1]}")

        self.check_film(run_all)


class Flamenco(TemplateCase):
    # The part of Flamenco's job compiler that the template uses.
    COMPILER = """
        const author = {
          Task: (name, type) => {
            const task = {name, type, commands: [], dependencies: []};
            task.addCommand = command => task.commands.push(command);
            task.addDependency = other => task.dependencies.push(other.name);
            return task;
          },
          Command: (name, parameters) => ({name, parameters}),
        };
        function frameChunker(frames, size) {
          const all = frames.split(",").flatMap(part => {
            const [first, last] = part.split("-").map(Number);
            return Array.from({length: (last ?? first) - first + 1}, (_, i) => first + i);
          });
          const chunks = [];
          for (let i = 0; i < all.length; i += size) chunks.push(all.slice(i, i + size).join(","));
          return chunks;
        }
        const tasks = [];
        compileJob({settings: JSON.parse(process.argv[1]), addTask: task => tasks.push(task)});
        console.log(JSON.stringify({type: JOB_TYPE, tasks}));
    """

    def compile(self, **settings):
        if not shutil.which("node"):
            self.skipTest("needs node (nodejs)")
        settings = {"scene": f"{self.folder}/scenes/snow.yaml", "frames": "0-15,16,17-19", "chunk_size": 8,
                    "output": f"{self.folder}/out/snow_####.png", **settings}
        script = (TEMPLATES / "flamenco-job.js").read_text(encoding="utf-8") + self.COMPILER
        run = subprocess.run(["node", "-e", script, json.dumps(settings)], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    def run_tasks(self, tasks, code=DONE):
        for task in tasks:
            for command in task["commands"]:
                self.assertEqual((command["name"], set(command["parameters"])), ("exec", {"exe", "args"}))
                self.run_task([command["parameters"]["exe"], *command["parameters"]["args"]], code)

    def test_settings_are_those_of_the_compiler(self):
        job_type = self.compile()["type"]
        self.assertEqual(set(job_type), {"label", "settings"})
        for setting in job_type["settings"]:
            self.assertLessEqual(set(setting), {"key", "type", "subtype", "required", "default", "description"})
            self.assertIn(setting["type"], ("string", "int32", "float", "bool"))
            self.assertIn(setting.get("subtype", "file_path"), ("file_path", "dir_path"))

    def test_nothing_is_drawn_before_the_check_has_passed(self):
        check, *others = self.compile()["tasks"]
        self.assertEqual((check["name"], check["dependencies"]), ("check", []))
        self.assertEqual([task["dependencies"] for task in others], [["check"]] * 3)
        self.run_tasks([check], code=INVALID)  # no such scene

    def test_tasks_make_all_frames(self):
        self.check_film(lambda: self.run_tasks(self.compile()["tasks"]))


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
