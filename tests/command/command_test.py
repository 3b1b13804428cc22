#!/usr/bin/env python3
"""The command from outside: exit codes, messages, files. Usage: command_test.py PATH_OF_ROUNDEL"""

import os
import re
import resource
import shutil
import stat
import subprocess
import time
import unittest

from command_case import MIXED, RANDOM, RGB, ROUNDEL, is_sanitized
from scenes_case import FAILED, INVALID, REFUSED, SOME_FAILED, USAGE, ScenesCase

MALFORMED = {
    "empty": "",
    "not_a_map": "- 1\n- 2\n",
    "not_yaml": "image: {width: [\n",
    "binary": "\x00\x01\x02\x7f",
    "no_version": RGB.replace("version: 1\n", ""),
    "other_version": RGB.replace("version: 1", "version: 99"),
    "no_layers": "version: 1\nimage: {width: 8, height: 8}\n",
    "unknown_key": RGB + "backgroud: 1\n",
    "unknown_generator": RGB.replace("generator: rgb", "generator: rgbb"),
    "duplicate_key": RGB + "version: 1\n",
    "width_is_text": RGB.replace("width: 64", "width: wide"),
    "width_is_zero": RGB.replace("width: 64", "width: 0"),
    "width_is_fraction": RGB.replace("width: 64", "width: 1.5"),
    "width_is_octal": RGB.replace("width: 64", "width: 010"),
    "width_is_absurd": RGB.replace("width: 64", "width: 1000000000000"),
    "radius_is_text": MIXED.replace("radius: 0.25", "radius: big"),
    "radius_is_nan": MIXED.replace("radius: 0.25", "radius: .nan"),
    "x_is_infinite": MIXED.replace("x: 0.5", "x: .inf"),
    "alpha_beyond_1": MIXED.replace("alpha: 1", "alpha: 1.5"),
    "missing_data": "version: 1\nlayers:\n  - {data: none.npy, columns: [x, y, radius]}\n",
    "deep": "[" * 100000,
    "alias_bomb": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{c}: &{c} [{', '.join(['*' + chr(ord(c) - 1)] * 9)}]\n" for c in "bcdefgh"),
}
# Layers beyond the limit must not be read.
MALFORMED.update(
    (f"1001_layers_{i}", "version: 1\nlayers:\n" + "  - generator: rgb\n" * 1000 + f"  - {last}\n")
    for i, last in enumerate((
        "{generator: rgb}",
        "{random: {count: 1, color: []}}",
        "{random: {count: 1, position: {uniform: []}}}",
        "{circles: [{x: 1, y: 1, radius: 1, color: []}]}",
        "{random: {count: 1, radius: {uniform: 5}}}",
        "{generator: {}}",
        "{circles: [{x: a, y: b, radius: c}]}",
        "{data: {}}",
        "{generator: foo}",
    ))
)

OPTIONS = {
    "render": "output overwrite watch size antialias no-antialias scale crop layers format exr frames renumber each resume shard split-frame "
              "pixel-format audio set seed frame backend device threads memory progress stats quiet verbose",
    "verify": "delete size antialias no-antialias scale crop layers frames renumber each scene set seed manifest threads quiet",
    "validate": "output format size antialias no-antialias scale crop layers set seed frame json backend device threads memory quiet",
    "diff": "explain clusters limit size antialias no-antialias set seed frame max-delta channel-delta max-pixels max-density ignore mask "
            "ignore-antialiasing shape-tolerant flip-mean flip ppd ssim align manifest diff-image diff-image-kind report junit markdown annotations title output json threads quiet",
    "regress": "goldens shard keep-same strict retries explain-from size antialias no-antialias format frames set seed manifest max-delta channel-delta max-pixels "
               "max-density ignore mask ignore-antialiasing shape-tolerant flip-mean flip ppd ssim align output report junit markdown annotations title json "
               "backend device threads memory quiet verbose",
    "accept": "all prune check add hashes files goldens output quiet",
    "report": "goldens output report junit markdown annotations title json quiet verbose",
    "circles": "size antialias no-antialias scale layers frames set seed frame output columns",
    "explain": "pixel limit heatmap size antialias no-antialias scale crop layers set seed frame output json threads memory quiet",
    "legend": "size antialias no-antialias layers set output",
    "info": "json",
    "selftest": "backend threads vectors quiet verbose",
    "schema": "",
}


class Help(ScenesCase):
    def test_every_command_lists_its_options(self):
        for command, names in OPTIONS.items():
            text = self.run_roundel(command, "--help").stdout
            self.assertTrue(text.startswith(f"Usage: roundel {command} "), text)
            listed = re.findall(r"^  (?:-., |    )--([a-z-]+)", text, re.MULTILINE)
            self.assertEqual(listed, names.split() + ["help", "version"])
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)
            self.assertEqual(self.run_roundel(command, "no.yaml", "--nonsense", "--help").stdout, text)
            self.assertEqual(self.run_roundel("help", command).stdout, text)

    def test_help_lists_only_exit_codes_of_the_command(self):
        for command, last in (("render", SOME_FAILED), ("circles", REFUSED), ("explain", REFUSED), ("legend", REFUSED),
                              ("validate", INVALID), ("info", INVALID), ("schema", USAGE)):
            text = self.run_roundel(command, "--help").stdout.split("Exit codes:\n")[1]
            self.assertEqual(re.findall(r"(?m)^  (\d) ", text), [str(code) for code in range(last + 1)], command)
            self.assertIn("\n  130, 143  after SIGINT (Ctrl-C), SIGTERM\n", text)

    def test_the_program_lists_its_commands(self):
        text = self.run_roundel("--help").stdout
        self.assertEqual(re.findall(r"(?m)^  ([a-z]+)  ", text), list(OPTIONS))
        self.assertEqual(self.run_roundel("help").stdout, text)

    def test_version(self):
        text = self.run_roundel("--version").stdout
        self.assertRegex(text, r"^roundel \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_roundel("-V").stdout, text)
        for command in OPTIONS:
            self.assertEqual(self.run_roundel(command, "--version").stdout, text)

    def test_wrong_commands(self):
        done = self.assert_fails(code=USAGE, mentions=["\nerror: expected a command\n"])
        self.assertTrue(done.stderr.startswith(self.run_roundel("-h").stdout))
        self.assert_fails("version", code=USAGE, mentions=['(did you mean "--version"?)'])
        self.assert_fails("rendr", code=USAGE, mentions=['(did you mean "render"?)'])
        for arguments in (["bench"], ["bench", "rgb.yaml", "--repeat", "1"], ["help", "bench"]):
            self.assert_fails(*arguments, code=USAGE, mentions=["the program roundel-bench", "-DROUNDEL_LAB=ON"])
        self.assert_fails("help", "rendr", code=USAGE, mentions=['(did you mean "render"?)'])


class SmallStacks(ScenesCase):
    def test_drawing_works_with_the_stack_that_starting_needs(self):
        if is_sanitized():
            self.skipTest("sanitizers need a larger stack to start")
        # The environment lies on the stack, too.
        for limit in (32 << 10, 64 << 10, 256 << 10):
            def limit_stack(limit=limit):
                resource.setrlimit(resource.RLIMIT_STACK, (limit, limit))
            for arguments in (["render", "random.yaml", "-o", "a.png"],
                              ["render", "snow.yaml", "--frames", "0-3", "--overwrite", "-o", "f#.png"],
                              ["explain", "random.yaml", "--heatmap", "layers", "-o", "a.png"]):
                with self.subTest(limit=limit, arguments=arguments):
                    self.run_roundel(*arguments, preexec_fn=limit_stack, env={})


class Usage(ScenesCase):
    def test_all_problems_are_reported_together(self):
        done = self.assert_fails(
            "render", "rgb.yaml", "--size", "10x", "--sead=1", "--threads", "-3", "-o", "a.jpg",
            code=USAGE,
            mentions=['--size: expected WIDTHxHEIGHT in pixels, 1..65536 each, such as 800x600, got "10x"',
                  'unknown option (did you mean "--seed"?)', 'got "-3"'])
        *problems, advice = done.stderr.splitlines()
        self.assertTrue(all(line.startswith("error: ") for line in problems), done.stderr)
        self.assertEqual(advice, '"roundel render --help" lists the options')

    def test_a_picture_needs_a_name(self):
        self.assert_fails("render", "rgb.yaml", code=USAGE, mentions=["rgb.yaml: expected -o FILE"])

    def test_standard_output_needs_a_format(self):
        self.assert_fails("render", "rgb.yaml", "--frames", "0-1", "-o", "-", code=USAGE,
                          mentions=["--output: standard output needs --format"])

    def test_two_scenes_need_two_files(self):
        os.mkdir(self.path("sub"))
        shutil.copy(self.path("rgb.yaml"), self.path("sub"))
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "sub/rgb.yaml", "-o", "out", code=USAGE)
        self.assertIn("both be written to out/rgb.png", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])


class Scenes(ScenesCase):
    def test_malformed_scenes_have_a_place_and_leave_no_file(self):
        for name, text in MALFORMED.items():
            with self.subTest(name):
                self.write("bad.yaml", text)
                for arguments in (["render", "-o", "a.png"], ["validate"], ["circles", "-o", "a.npy"]):
                    started = time.monotonic()
                    done = self.assert_fails(arguments[0], "bad.yaml", *arguments[1:], code=INVALID)
                    self.assertLess(time.monotonic() - started, 20)
                    self.assertRegex(done.stderr.splitlines()[0], r"^error: bad\.yaml(:\d+:\d+)?: ")

    def test_messages_about_long_words_are_short(self):
        data = "  - {data: %s.npy, columns: [x, y, radius]}\n" % ("d" * 200_000)
        for text, arguments, code in (
                (RGB + "output: " + "word " * 2_400_000 + "\n", ["render"], INVALID),
                (RGB + "output: " + "word " * 2_400_000 + "\n", ["validate"], INVALID),
                (RGB + "output: " + "o" * 200_000 + ".png\n", ["render"], REFUSED),
                ("version: 1\nlayers:\n" + data, ["render", "-o", "a.png"], INVALID)):
            self.write("long.yaml", text)
            done = self.assert_fails(arguments[0], "long.yaml", *arguments[1:], code=code)
            for line in done.stderr.splitlines():
                self.assertLessEqual(len(line), 500)
                self.assertIn("\N{HORIZONTAL ELLIPSIS}", line)

    def test_errors_of_all_scenes_are_reported_together_before_drawing(self):
        self.write("bad1.yaml", MALFORMED["unknown_key"])
        self.write("bad2.yaml", MALFORMED["width_is_zero"] + "sead: 3\n")
        os.mkdir(self.path("out"))
        done = self.run_roundel("render", "rgb.yaml", "bad1.yaml", "none.yaml", "bad2.yaml", "-o",
                                "out", code=INVALID)
        for text in ("bad1.yaml:5:1: ", '"backgroud"', "none.yaml: ", "bad2.yaml:2:", '"sead"'):
            self.assertIn(text, done.stderr)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_a_missing_scene_and_a_folder(self):
        for path in ("none.yaml", self.folder, ""):
            self.assert_fails("render", path, "-o", "a.png", code=INVALID)
            self.assert_fails("validate", path, code=INVALID)

    def test_valid_scenes_are_described(self):
        text = self.run_roundel("validate", "rgb.yaml", "random.yaml", "--size", "100x50").stdout
        self.assertRegex(text, r"rgb\.yaml: valid\n +size +100x50 pixels\n +circles +3\n"
                               r" +overlaps +\d+ .*\n +view +x -0.5 to 1.5, y 0 to 1\n +center .*\n +memory +at most .*iB \(\d+ bytes\)\n"
                               r" +program .*iB, data .*iB, circles .*iB, lists .*iB, picture .*iB\n +--memory +\d+M is enough\n +fingerprint +[0-9a-f]{32}\n")
        self.assertIn("circles      5,000\n", text)
        self.assertEqual(self.run_roundel("validate", "rgb.yaml", "--quiet").stdout, "")

    def test_one_invalid_scene_of_several_is_an_error(self):
        self.write("bad.yaml", MALFORMED["unknown_key"])
        done = self.run_roundel("validate", "bad.yaml", "rgb.yaml", code=INVALID)
        self.assertIn("rgb.yaml: valid", done.stdout)

    def test_more_memory_than_the_machine_has_is_refused(self):
        page = os.sysconf("SC_PAGE_SIZE")
        if os.sysconf("SC_PHYS_PAGES") * page > 30e9:
            self.skipTest("this machine has room for a billion circles")
        self.write("huge.yaml", RANDOM.replace("5000", "1000000000"))
        done = self.run_roundel("circles", "huge.yaml", "-o", "a.npy", code=FAILED)
        self.assertRegex(done.stderr, r"huge\.yaml: needs \d+\.\d GiB of memory, this machine has")
        done = self.run_roundel("render", "huge.yaml", "--split-frame", "-o", "a.png",
                                code=FAILED)  # bands are chosen from all circles
        self.assertRegex(done.stderr, r"huge\.yaml: needs \d+\.\d GiB of memory, this machine has")
        self.assert_only_scenes()

    def test_a_billion_circles(self):
        """They need not fit in memory; circles behind a saturated image are never fetched."""
        self.write("huge.yaml", RANDOM.replace("5000", "1000000000").replace("300", "200"))
        self.run_roundel("render", "huge.yaml", "-o", "a.png", "--backend", "cpu")
        self.run_roundel("render", "huge.yaml", "--frames", "0-2", "-o", "film%d.png", "--backend", "cpu")
        self.assertEqual(self.read("film0.png"), self.read("a.png"))

    def test_running_out_of_memory_prints_a_message(self):
        if is_sanitized():
            self.skipTest("sanitizers reserve more address space than any limit")
        self.write("large.yaml", RANDOM.replace("5000", "30000000"))
        limit = 600 << 20
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        self.assert_fails("circles", "large.yaml", "-o", "a.npy", code=FAILED, mentions=["memory"],
                          **limited)
        # Painting takes circles in chunks, and never needs all 0.96 GB at once.
        self.run_roundel("render", "large.yaml", "-o", "a.png", "--threads", "2", "--backend",
                         "cpu", **limited)


class Refusals(ScenesCase):
    def test_an_impossible_folder(self):
        self.assert_fails("render", "rgb.yaml", "-o", "rgb.yaml/ne/a.png", code=REFUSED,
                          mentions=['rgb.yaml/ne/a.png: cannot write, expected a folder, got the file "rgb.yaml"'])
        self.assert_fails("circles", "rgb.yaml", "-o", "rgb.yaml/ne/a.npy", code=REFUSED, mentions=['"rgb.yaml"'])

    def test_a_missing_folder_is_made_and_removed_if_it_stays_empty(self):
        for name, arguments in (("a", ["render", "rgb.yaml", "-o", "a/"]),
                                ("b", ["render", "rgb.yaml", "snow.yaml", "-o", "b/"]),
                                ("c", ["render", "rgb.yaml", "-o", "c/x.png"]),
                                ("d", ["circles", "rgb.yaml", "-o", "d/x.npy"]),
                                ("e", ["explain", "rgb.yaml", "--heatmap", "overlaps", "-o", "e/x.png"])):
            self.run_roundel(*arguments)
            self.assertEqual(len(os.listdir(self.path(name))), 2 if name == "b" else 1)
            shutil.rmtree(self.path(name))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.assert_fails("render", "random.yaml", "-o", "new/", code=FAILED, preexec_fn=limit)
        self.assert_fails("circles", "random.yaml", "-o", "new/a.npy", code=FAILED, preexec_fn=limit)

    def test_a_single_picture_follows_links(self):
        self.run_roundel("render", "rgb.yaml", "-o", "b.png")
        os.mkdir(self.path("there"))
        self.write("there/old.png", "old")
        for target in ("there/old.png", "there/new.png", "there/made/deep.png",
                       "there/two/levels/deep.png"):
            os.symlink(target, self.path("a.png"))
            self.run_roundel("render", "rgb.yaml", "-o", "a.png")
            self.assertTrue(os.path.islink(self.path("a.png")))
            self.assertEqual(self.read(target), self.read("b.png"))
            os.unlink(self.path("a.png"))
        os.symlink("b.png/folder/a.png", self.path("a.png"))
        done = self.run_roundel("render", "rgb.yaml", "-o", "a.png", code=REFUSED)
        self.assertIn('a.png: cannot write, expected a folder, got the file "b.png"', done.stderr)
        self.assertTrue(os.path.islink(self.path("a.png")))
        os.mkdir(self.path("out"))
        os.symlink("snow.png", self.path("out/rgb.png"))
        done = self.run_roundel("render", "rgb.yaml", "snow.yaml", "-o", "out", "--overwrite",
                                code=USAGE)
        self.assertIn("rgb.yaml and snow.yaml would both be written to out/snow.png", done.stderr)

    def test_a_replaced_picture_keeps_its_mode(self):
        self.write("a.png", "old")
        os.chmod(self.path("a.png"), 0o600)
        os.link(self.path("a.png"), self.path("hard.png"))
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.png")).st_mode), 0o600)
        self.assertEqual(self.read("hard.png"), b"old")

    def test_a_file_in_place_of_a_folder(self):
        self.assert_fails("render", "rgb.yaml", "-o", "rgb.yaml/a.png", code=REFUSED)

    def test_a_pipe_gets_the_picture_and_stays(self):
        self.run_roundel("render", "rgb.yaml", "-o", "b.png")
        os.mkfifo(self.path("a.png"))
        reader = subprocess.Popen(["cat", self.path("a.png")], stdout=subprocess.PIPE)
        self.run_roundel("render", "rgb.yaml", "-o", "a.png")
        self.assertEqual(reader.communicate(timeout=30)[0], self.read("b.png"))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("a.png")).st_mode))

    def test_folder_without_permission(self):
        os.mkdir(self.path("locked"))
        os.chmod(self.path("locked"), 0o555)
        program, keywords = ROUNDEL, {}
        if os.geteuid() == 0:  # root may write anywhere
            program = shutil.copy(ROUNDEL, self.path("roundel.yaml"))
            keywords = {"user": 65534, "group": 65534}
        done = self.run_roundel("render", "rgb.yaml", "-o", "locked/a.png", code=REFUSED,
                                program=program, **keywords)
        self.assertIn("locked", done.stderr)
        self.assertEqual(os.listdir(self.path("locked")), [])

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.assert_fails("render", "random.yaml", "-o", "a.png", code=FAILED, mentions=["a.png"],
                          preexec_fn=limit)
        self.write("a.png", "old")
        self.run_roundel("render", "random.yaml", "-o", "a.png", code=FAILED, preexec_fn=limit)
        self.assertEqual(self.read("a.png"), b"old")
        os.unlink(self.path("a.png"))
        self.assert_fails("circles", "random.yaml", "-o", "a.npy", code=FAILED, preexec_fn=limit)

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs",
                                  self.path("disk")], stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting is not allowed here; test_file_size_limit is much the same")
        try:
            done = self.run_roundel("render", "random.yaml", "-o", "disk/a.png", code=FAILED)
            self.assertIn("No space left on device", done.stderr)
            self.assertEqual(os.listdir(self.path("disk")), [])
        finally:
            subprocess.run(["umount", self.path("disk")], check=True)

    def test_one_failed_picture_of_two_is_exit_code_5(self):
        os.mkdir(self.path("out"))
        os.mkdir(self.path("out/random.png"))
        self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out", "--overwrite", code=REFUSED)
        self.assertEqual(os.listdir(self.path("out")), ["random.png"])  # noticed before rendering
        os.rmdir(self.path("out/random.png"))

        def limit():  # enough for the small picture only
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

        done = self.run_roundel("render", "rgb.yaml", "random.yaml", "-o", "out", preexec_fn=limit,
                                code=SOME_FAILED)
        self.assertIn("out/random.png", done.stderr)
        self.assertEqual(os.listdir(self.path("out")), ["rgb.png"])


class Inputs(ScenesCase):
    """Outputs never replace inputs of the same command, under any name."""

    def setUp(self):
        super().setUp()
        self.run_roundel("circles", "rgb.yaml", "-o", "d.npy")
        self.write("d.yaml", "version: 1\nimage: {width: 16, height: 16}\nlayers:\n"
                             "  - {data: d.npy, columns: [x, y, _, radius, red, green, blue]}\n")
        shutil.copy(self.path("rgb.yaml"), self.path("scene.png"))
        shutil.copy(self.path("rgb.yaml"), self.path("scene.npy"))
        os.mkdir(self.path("out"))

    def everything(self):
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[path] = (os.lstat(path).st_mtime_ns, file.read())
        return found

    def assert_refused(self, *arguments, reads):
        before = self.everything()
        done = self.run_roundel(*arguments, code=REFUSED)
        self.assertRegex(done.stderr, rf"would replace (a file|\"{re.escape(reads)}\"), which this command "
                                      "reads")
        self.assertEqual(self.everything(), before)

    def test_circles(self):
        self.assert_refused("circles", "d.yaml", "-o", "d.npy", reads="d.npy")
        self.assert_refused("circles", "d.yaml", "-o", "out/../d.npy", reads="d.npy")
        self.assert_refused("circles", "scene.npy", "-o", "scene.npy", reads="scene.npy")
        for make in (os.symlink, os.link):
            make(self.path("d.npy"), self.path("link.npy"))
            self.assert_refused("circles", "d.yaml", "-o", "link.npy", reads="d.npy")
            os.unlink(self.path("link.npy"))

    def test_pictures(self):
        self.assert_refused("render", "scene.png", "-o", "scene.png", reads="scene.png")
        self.assert_refused("render", "scene.png", "-o", "./", "--overwrite", reads="scene.png")
        self.assert_refused("render", "rgb.yaml", "scene.png", "-o", ".", "--overwrite",
                            reads="scene.png")
        self.assert_refused("explain", "scene.png", "--heatmap", "overlaps", "-o", "scene.png", reads="scene.png")
        for target in ("d.npy", "d.yaml"):
            for make in (os.symlink, os.link):
                make(self.path(target), self.path("out/d.png"))
                self.assert_refused("render", "d.yaml", "-o", "out/d.png", reads=target)
                self.assert_refused("render", "d.yaml", "-o", "out/", "--overwrite", reads=target)
                self.assert_refused("render", "rgb.yaml", "d.yaml", "-o", "out/", "--overwrite",
                                    reads=target)
                os.unlink(self.path("out/d.png"))

    def test_frames(self):
        for target in ("d.npy", "d.yaml"):
            for make in (os.symlink, os.link):
                make(self.path(target), self.path("out/f2.png"))
                for options in (["--overwrite"], ["--resume", "--overwrite"]):
                    self.assert_refused("render", "d.yaml", "--frames", "0-3", "-o", "out/f#.png",
                                        *options, reads=target)
                os.unlink(self.path("out/f2.png"))
        self.assert_refused("render", "scene.png", "--frames", "1", "-o", "scene.png", "--overwrite",
                            reads="scene.png")
        self.write("list1.png", "1")
        self.assert_refused("render", "rgb.yaml", "--frames", "@list1.png", "-o", "list#.png",
                            "--overwrite", reads="list1.png")
        self.assert_refused("render", "scene.png", "--split-frame", "-o", "scene.png", "--overwrite",
                            reads="scene.png")


if __name__ == "__main__":
    unittest.main(verbosity=2)
