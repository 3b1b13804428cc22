#!/usr/bin/env python3
"""Foreign names and texts in lines: they never begin a line, and are never a command of a CI or of a terminal. Usage:
untrusted_text_test.py PATH_OF_ROUNDEL
"""

import json
import os
import re
import shutil
import socket
import stat
import subprocess
import unittest
import xml.etree.ElementTree
import zlib

from command_case import RGB, ROUNDEL, CommandCase

EVIL = "\x1b]0;x\x07\n::error::a##vso[task]\u202e\x9b"
SHOWN = r"\x1b]0;x\x07\x0a::error::a\x23#vso[task]\xe2\x80\xae\xc2\x9b"
PLAIN = EVIL.replace("##vso[task]", "")  # "#" stands for a frame's number in names of pictures
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|##(vso)?\\[")
SCENE = "version: 1\nimage: {width: 24, height: 16}\nlayers: [{circles: [{x: 0.5, y: 0.5, radius: %s}]}]\n"


class UntrustedTextTest(CommandCase):
    def check(self, done, expected=None):
        """Returns everything printed; its lines never begin with a command."""
        text = (done.stdout + done.stderr).decode()
        self.assertIsNone(FORBIDDEN.search(text), ascii(text))
        for line in text.splitlines():
            self.assertNotRegex(line, r"^\s*::")
        if expected is not None:
            self.assertIn(expected, text)
        return text

    def run_shown(self, *arguments, code=0, expected=SHOWN):
        return self.check(self.run_roundel(*arguments, code=code), expected)

    def test_names_of_scenes_and_pictures(self):
        scene, picture = f"{EVIL}.yaml", f"{EVIL}.png"
        self.write(scene, RGB)
        self.run_shown("render", scene, "-o", f"{PLAIN}.png", expected=SHOWN.replace(r"\x23#vso[task]", ""))
        os.rename(self.path(f"{PLAIN}.png"), self.path(picture))
        for arguments in (["validate", scene], ["info", picture],
                          ["explain", scene, "--pixel", "1,1"], ["diff", picture, picture], ["diff", "--explain", scene, scene]):
            with self.subTest(command=arguments):
                self.run_shown(*arguments)
        self.write("broken " + scene, "version: 1\nlayers: []\nimage: 7\n")
        for command in (["render", "-o", "b.png"], ["validate"], ["explain", "--pixel", "1,1"]):
            self.run_shown(*command, "broken " + scene, code=3)
        self.run_shown("render", "none " + scene, "-o", "b.png", code=3)
        self.write(PLAIN, "")
        self.run_shown("render", scene, "-o", f"{PLAIN}/a.png", code=4, expected=SHOWN.replace(r"\x23#vso[task]", ""))
        self.run_shown("render", scene, f"--{EVIL}", code=2)
        self.write("::error::y.yaml", RGB)
        self.run_shown("validate", "::error::y.yaml", expected=r"\x3a:error::y.yaml: valid")
        self.run_shown("diff", "::error::y.png", "a.png", code=2, expected="error: ::error::y.png: no such file")

    def test_films(self):
        self.write(f"{EVIL}.yaml", RGB + "animation: {frames: 3}\n")
        for progress in ("plain", "json", "blender", "openjd", "deadline", "bar"):
            with self.subTest(progress=progress):
                done = self.run_roundel("render", f"{EVIL}.yaml", "--frames", "all", "--overwrite", "--progress", progress,
                                        "-o", f"{PLAIN}-####.png")
                text = done.stderr.replace(b"\r\x1b[K", b"").decode()
                self.assertIsNone(FORBIDDEN.search(text), ascii(text))
                self.assertNotRegex(text, r"(?m)^\s*::")
        self.run_shown("verify", f"{PLAIN}-####.png", "--frames", "0-4", code=1, expected="missing: 3-4")
        with open(self.path(f"{PLAIN}-0001.png"), "wb") as file:
            file.write(b"junk")
        self.run_shown("verify", f"{PLAIN}-####.png", "--frames", "0-2", code=1, expected="foreign: 1")

    def test_texts_of_scenes(self):
        text = json.dumps(EVIL)
        self.write("key.yaml", f"version: 1\nimage: {{width: 8, height: 8}}\nlayers: [{{generator: rgb, opacity: {{keys: {{{text}: 1}}}}}}]\n")
        self.write("keys.yaml", "version: 1\nimage: {width: 8, height: 8}\nlayers: [{generator: rgb, opacity: {keys: "
                   "{\"\\n::error::x\\e]0;pwn\\a\": 1}}}]\n")
        self.write("name.yaml", f"version: 1\nimage: {{width: 8, height: 8}}\nlayers: [{{name: {text}, generator: {text}}}]\n")
        self.write("unknown.yaml", f"version: 1\n{text}: 1\nlayers: [{{data: {text}, columns: [{text}]}}]\n")
        for scene in ("key.yaml", "keys.yaml", "name.yaml", "unknown.yaml"):
            for command in (["validate"], ["render", "-o", "a.png"], ["explain", "--pixel", "1,1"]):
                self.run_shown(*command, scene, code=3, expected=None)
        self.write(f"{EVIL}.csv", f"x,y,\"{EVIL}\"\n0.5,0.5,0.25\n")
        self.write("data.yaml", f"version: 1\nimage: {{width: 8, height: 8}}\n"
                   f"layers: [{{data: {json.dumps(EVIL + '.csv')}, map: {{x: x, y: y, radius: {text}}}}}]\n")
        self.run_shown("validate", "data.yaml", code=3)

    def test_metadata_of_pictures(self):
        self.write("s.yaml", RGB)
        self.run_roundel("render", "s.yaml", "-o", "a.exr")
        picture = self.read("a.exr")
        # The attribute keeps its length.
        start = picture.index(b"software\0string\0") + len(b"software\0string\0") + 4
        length = int.from_bytes(picture[start - 4:start], "little")
        text = b"\n::error::\x1b]0;x\x07"[:length].ljust(length, b"x")
        with open(self.path("a.exr"), "wb") as file:
            file.write(picture[:start] + text + picture[start + length:])
        self.run_shown("info", "a.exr", expected=r"\x0a::error::")
        self.run_roundel("render", "s.yaml", "-o", "a.png")
        picture = self.read("a.png")
        chunk = b"tEXt" + b"a\0\x1b\n::error::b"
        chunk = (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
        with open(self.path("t.png"), "wb") as file:
            file.write(picture[:33] + chunk + picture[33:])
        self.run_shown("info", "t.png", expected=None)
        json.loads(self.run_roundel("info", "--json", "t.png", "a.exr").stdout)
        # Axes that Roundel never writes.
        for text in (b'{"window": [[0, 1], [0, 1]], "layers": ' + b"[" * 90_000 + b"]" * 90_000 + b"}",
                     b'{"window": [[0, 1], [0, 1]], "layers": 3}', b'{"window": 1}', b"[", b"\x1b"):
            chunk = b"tEXtAxes\0" + text
            chunk = (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
            own = picture.index(b"tEXtAxes") - 4
            after = own + 12 + int.from_bytes(picture[own:own + 4], "big")
            with open(self.path("t.png"), "wb") as file:
                file.write(picture[:own] + chunk + picture[after:])
            self.run_shown("info", "t.png", expected=None)
            shown = json.loads(self.run_roundel("info", "--json", "t.png").stdout)[0]
            self.assertNotIn("layers", shown)

    def fill(self):
        """Makes a differing, a new and a missing picture with such names."""
        for folder in ("goldens", "actual"):
            os.mkdir(self.path(folder))
        for radius in ("0.2", "0.3"):
            self.write(f"{radius}.yaml", SCENE % radius)
        for name, radius in ((f"goldens/{EVIL}.png", "0.2"), (f"actual/{EVIL}.png", "0.3"), (f"goldens/old{EVIL}.png", "0.2"),
                             (f"actual/new{EVIL}.png", "0.2"), ("goldens/::error::y.png", "0.2"), ("actual/::error::y.png", "0.3")):
            self.run_roundel("render", f"{radius}.yaml", "-o", "a.png")
            os.rename(self.path("a.png"), self.path(name))

    def test_comparisons(self):
        self.fill()
        self.run_shown("diff", "goldens", "actual", code=1, expected=f"{SHOWN}.png: differs: ")
        done = self.run_roundel("diff", "goldens", "actual", "--output", "out", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md",
                                "--report", "page", "--annotations", "github", code=1)
        text = done.stdout.decode()
        self.assertIsNone(FORBIDDEN.search(text), ascii(text))
        commands = [line for line in text.splitlines() if line.startswith("::")]
        self.assertEqual(len(commands), 4)
        for command in commands:
            # Properties, whose colons and commas are numbers, and the message.
            self.assertRegex(command, r"^::error (file=[^:,\n]*,)?title=[^:,\n]*::[a-z]+: ")
        self.assertIn("title=%3A%3Aerror%3A%3Ay.png::", "\n".join(commands))
        names = {picture["name"] for picture in json.loads(self.read("r.json"))["pictures"]}
        self.assertEqual(names, {f"{EVIL}.png", f"old{EVIL}.png", f"new{EVIL}.png", "::error::y.png"})
        self.assertIsNone(re.search("[\x1b\x7f-\x9f\u202e]", self.read("r.json").decode()))
        xml.etree.ElementTree.fromstring(self.read("r.xml"))
        for name in ("r.xml", "page/index.html"):
            self.assertIsNone(re.search("[\x1b\x07\x7f-\x9f\u202e]", self.read(name).decode()), name)
        summary = self.read("r.md").decode()
        self.assertIsNone(re.search("[\x1b\x07\x7f-\x9f\u202e]", summary))
        self.assertEqual(len(summary.splitlines()), 6 + 4 + 6)
        self.assertTrue(summary.splitlines()[-2].startswith("roundel accept "), summary)  # names have no line ends
        for line in summary.splitlines():
            self.assertRegex(line, r"^(### |4 pictures|\||To accept:|```(sh)?$|roundel accept |$)")
        # Results of another job, with arbitrary texts.
        results = json.loads(self.read("r.json"))
        for picture in results["pictures"]:
            picture.update({"reasons": [EVIL], "rule": f"{EVIL} rule", "explanation": [f"scene: {EVIL}", "second"], "line": 7})
        self.write("other.json", json.dumps(results))
        done = self.run_roundel("report", "other.json", "--output", "merged", "--junit", "m.xml", "--markdown", "m.md", "--report", "merged-page",
                                "--annotations", "github", code=1)
        text = done.stdout.decode()
        self.assertIsNone(FORBIDDEN.search(text), ascii(text))
        self.assertEqual(sum(line.startswith("::") for line in text.splitlines()), 4)
        self.assertIn(f"{SHOWN} rule", text)
        xml.etree.ElementTree.fromstring(self.read("m.xml"))
        for name in ("m.xml", "m.md", "merged-page/index.html"):
            self.assertIsNone(re.search("[\x1b\x07\x7f-\x9f\u202e]", self.read(name).decode()), name)
        self.assertEqual(len(self.read("m.md").decode().splitlines()), 6 + 4 + 6)
        self.run_shown("accept", "--all", "--output", "out", "--goldens", "goldens", code=0, expected=r"\x3a:error::y.png: replaced")

    def test_goldens(self):
        self.write(f"{EVIL}.yaml", RGB)
        os.mkdir(self.path("goldens"))
        self.run_shown("regress", f"{EVIL}.yaml", "--goldens", "goldens", code=2)
        self.write("::error::s.yaml", RGB)
        text = self.run_shown("regress", "::error::s.yaml", "--goldens", "goldens", code=1, expected=r"\x3a:error::s.png: new")
        self.assertNotIn("\n::", text)

    def test_data_keep_their_text(self):
        self.write("s.yaml", RGB)
        self.run_roundel("render", "s.yaml", "-o", "a.png")
        self.assertEqual(self.run_roundel("render", "s.yaml", "-o", "-", "--format", "png").stdout, self.read("a.png"))
        self.run_roundel("circles", "s.yaml", "-o", "a.npy")
        self.assertEqual(self.run_roundel("circles", "s.yaml", "-o", "-").stdout, self.read("a.npy"))

    def writes(self, *arguments, code=0):
        """Returns the command's writes to stderr, call by call: each is a datagram."""
        ours, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with ours, other:
            done = subprocess.run([ROUNDEL, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=other, timeout=300, check=False)
            ours.setblocking(False)
            writes = []
            while True:
                try:
                    writes.append(ours.recv(1 << 16).decode())
                except BlockingIOError:
                    self.assertEqual(done.returncode, code, writes)
                    return writes

    def test_each_message_is_one_write(self):
        self.assertEqual(self.writes("render", "a.yaml", "--size", "0x0", "--threads", "x", "--\n::error::a", code=2), [
            'error: --size: expected WIDTHxHEIGHT in pixels, 1..65536 each, such as 800x600, got "0x0"\n',
            'error: --threads: expected a whole number of threads from 1 to 1024, got "x"\n',
            'error: "--\\x0a::error::a": unknown option\n',
            '"roundel render --help" lists the options\n'])

    def test_quiet_and_verbose_choose_the_messages(self):
        self.write("s.yaml", RGB + "animation: {frames: 2}\n")
        draw = ("render", "s.yaml", "--frames", "all", "--overwrite", "-o", "%d.png", "--backend", "cpu")
        detail, warning = "backend cpu: asked for\n", "warning: s.yaml: nothing in this scene depends on the frame"
        for options, begins in ((["--quiet"], []), ([], ["%d.png  64x48", warning]), (["--verbose"], [detail, "%d.png  64x48", warning])):
            writes = self.writes(*draw, *options)
            self.assertEqual(len(writes), len(begins), writes)
            for text, begin in zip(writes, begins):
                self.assertTrue(text.startswith(begin) and text.endswith("\n") and text.count("\n") == 1, writes)
        errors = self.writes("render", "s.yaml", "--frames", "all", "-o", "%d.png", "--quiet", code=4)
        self.assertTrue(all(re.fullmatch("error: .+\n", text) for text in errors) and errors, errors)

    def test_messages_to_a_full_device_keep_the_result(self):
        self.write("s.yaml", RGB)
        for scene, code in (("s.yaml", 0), ("none.yaml", 3)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([ROUNDEL, "render", scene, "-o", "a.png", "--verbose"], cwd=self.folder, stderr=full, check=False)
            self.assertEqual(done.returncode, code)


class ModulesTest(CommandCase):
    def test_foreign_modules_are_ignored(self):
        self.write("s.yaml", RGB)
        self.check_trust("libroundel_exr.so", "render", "s.yaml", "-o", "a.exr")

    def test_foreign_programs_are_ignored(self):
        data = os.path.join(os.path.dirname(__file__), "../fuzz/corpus/hdf5/chunks.h5")
        self.write("s.yaml", f"version: 1\nlayers: [{{data: {json.dumps(os.path.realpath(data))}, columns: [x, y, radius]}}]\n")
        self.check_trust("roundel-hdf5", "validate", "s.yaml")

    def check_trust(self, name, *arguments):
        """The command needs the file of this name in lib/roundel."""
        modules = os.path.join(os.path.dirname(ROUNDEL), "../../lib/roundel")
        for folder in ("me", "lib/roundel", "path"):
            os.makedirs(self.path(folder))
        program, module = self.path("me/roundel"), self.path(f"lib/roundel/{name}")
        shutil.copy(ROUNDEL, program)
        shutil.copy(os.path.join(modules, name), module)
        shutil.copy(module, self.path("path"))

        def refusal():
            done = subprocess.run([program, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": self.path("path") + ":" + os.environ["PATH"]})
            self.assertIn(done.returncode, (0, 1))
            return done.stderr if done.returncode else ""

        self.assertEqual(refusal(), "")
        for path in (module, os.path.dirname(module), os.path.dirname(os.path.dirname(module))):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            os.chmod(path, mode | stat.S_IWOTH)
            self.assertIn(f"{os.path.realpath(path)}: not loaded, because everybody may write to it; type: chmod o-w ", refusal())
            os.chmod(path, mode)
            if os.geteuid() == 0:
                os.chown(path, 65534, -1)
                self.assertIn(f"{os.path.realpath(path)}: not loaded, because another user owns it", refusal())
                os.chown(path, 0, -1)
        # Modules are ignored in the program's own folder, and further up.
        shutil.move(self.path("lib"), self.path("me/lib"))
        self.assertIn("no such file", refusal())


if __name__ == "__main__":
    unittest.main()
