#!/usr/bin/env python3
"""A scene file for each frame, and pictures that are drawn again when their files change. Usage: scene_films_test.py
PATH_OF_ROUNDEL
"""

import collections
import ctypes
import json
import os
import signal
import struct
import subprocess
import time
import unittest

from command_case import CommandCase, ROUNDEL

DONE, FAILED, USAGE, INVALID, REFUSED = 0, 1, 2, 3, 4
FRAMES = range(3, 9)


def scene(frame, image="width: 64, height: 48"):
    """Returns a scene; everything but the size differs between frames."""
    return (f'version: 1\nimage: {{{image}, background: "#{frame:02x}{255 - frame:02x}80"}}\nseed: {frame}\n'
            f"layers:\n  - random: {{count: {50 * frame}, radius: 0.05}}\n"
            + ("  - generator: bouncingballs\n" if frame % 2 else "  - circles: [{x: 0.5, y: 0.5, radius: 0.2}]\n"))


class SceneFilmsTest(CommandCase):
    def setUp(self):
        super().setUp()
        for frame in FRAMES:
            self.write(f"s_{frame:03}.yaml", scene(frame))
        os.mkdir(self.path("out"))

    def render(self, *more, code=DONE, frames="3-8"):
        return self.run_roundel("render", "s_###.yaml", "--frames", frames, "-o", "out/###.png", *more,
                                code=code).stderr.decode()


class SceneFilms(SceneFilmsTest):
    def test_each_frame_matches_its_scene(self):
        self.assertNotIn("depends on the frame", self.render())
        for frame in FRAMES:
            self.run_roundel("render", f"s_{frame:03}.yaml", "--frame", str(frame), "-o", "still.png")
            self.assertEqual(self.read(f"out/{frame:03}.png"), self.read("still.png"))

    def test_films_of_scenes_are_resumed_verified_shared_and_streamed(self):
        self.render()
        whole = {frame: self.read(f"out/{frame:03}.png") for frame in FRAMES}
        self.assertIn("0 frames (6 kept)", self.render("--resume"))
        os.unlink(self.path("out/004.png"))
        self.write("s_006.yaml", scene(6).replace("0.05", "0.06"))
        self.assertIn("1 frame is of another scene: out/006.png", self.render("--resume", code=REFUSED))
        done = self.run_roundel("verify", "out/###.png", "--frames", "3-8", "--scene", "s_###.yaml", code=FAILED)
        self.assertEqual(done.stdout.decode(), "missing: 4\nforeign: 6\n--frames 4,6\n")
        self.assertIn("2 frames (4 kept, 1 replaced)", self.render("--resume", "--overwrite"))
        self.write("s_006.yaml", scene(6))
        for frame in FRAMES:
            os.unlink(self.path(f"out/{frame:03}.png"))
        for share in ("1/2", "2/2"):
            self.render("--shard", share)
        self.assertEqual({frame: self.read(f"out/{frame:03}.png") for frame in FRAMES}, whole)
        self.run_roundel("verify", "out/###.png", "--frames", "3-8", "--scene", "s_###.yaml")
        stream = self.run_roundel("render", "s_###.yaml", "--frames", "3-8", "-o", "-", "--format", "png").stdout
        self.assertEqual(stream, b"".join(whole.values()))
        for frame in FRAMES:
            os.unlink(self.path(f"out/{frame:03}.png"))
        self.render("--split-frame", "--threads", "2")
        self.assertEqual({frame: self.read(f"out/{frame:03}.png") for frame in FRAMES}, whole)

    def opens(self, work):
        """Returns how often each file of the test's folder is opened during work(); the system may merge two in a row.
        """
        inotify_open, head = 0x20, struct.Struct("iIII")
        libc = ctypes.CDLL(None)
        events = libc.inotify_init1(os.O_NONBLOCK)
        libc.inotify_add_watch(events, self.folder.encode(), inotify_open)
        try:
            work()
            data = os.read(events, 1 << 20)
        finally:
            os.close(events)
        counts, at = collections.Counter(), 0
        while at < len(data):
            end = at + head.size + head.unpack_from(data, at)[3]
            counts[data[at + head.size:end].rstrip(b"\0").decode()] += 1
            at = end
        return counts

    def test_each_scene_is_read_once(self):
        for options in ([], ["--resume"], ["--overwrite"]):
            counts = self.opens(lambda more=options: self.render(*more))
            self.assertEqual({name: counts[name] for name in counts if name.startswith("s_")},
                             {f"s_{frame:03}.yaml": 1 for frame in FRAMES}, options)

    def test_a_folder_takes_the_scenes_names(self):
        self.run_roundel("render", "s_###.yaml", "--frames", "3,5", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["s_003.png", "s_005.png"])

    def test_missing_scenes_are_reported_before_drawing(self):
        os.unlink(self.path("s_005.yaml"))
        self.assertEqual(self.render(frames="2-9", code=INVALID),
                         "error: s_###.yaml: no file for 3 of 8 frames: 2,5,9 (s_002.yaml)\n")
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_all_mistakes_are_reported_before_drawing(self):
        self.write("s_005.yaml", scene(5).replace("count", "cuont"))
        self.write("s_007.yaml", scene(7, "width: 48, height: 48"))
        self.write("s_008.yaml", scene(8, "width: 64, height: 48, bits: 16"))
        printed = self.render(code=INVALID)
        self.assertIn('s_005.yaml:5:14: layers[0].random: unknown key "cuont"', printed)
        self.assertIn("s_007.yaml: image: 48x48, but 64x48 in s_003.yaml\n", printed)
        self.assertIn("s_008.yaml: image: expected alpha, bits, dither and blend of s_003.yaml\n", printed)
        self.assertEqual(os.listdir(self.path("out")), [])
        self.run_roundel("render", "s_###.yaml", "--frames", "3-8", "-o", "-", "--format", "rawvideo", code=INVALID)

    def test_all_needs_a_list(self):
        done = self.run_roundel("render", "s_###.yaml", "--frames", "all", "-o", "out/#.png", code=USAGE)
        self.assertIn("--frames: needed, since s_###.yaml names a scene file for each frame", done.stderr.decode())

    def test_scenes_are_never_replaced(self):
        before = self.read("s_004.yaml")
        os.link(self.path("s_004.yaml"), self.path("out/005.png"))
        self.assertIn("would replace", self.render("--overwrite", code=REFUSED))
        self.assertEqual(self.read("s_004.yaml"), before)

    def test_a_file_named_like_the_pattern_is_one_scene(self):
        self.write("s_###.yaml", scene(4))
        self.run_roundel("render", "s_###.yaml", "--frames", "0-1", "-o", "out/#.png")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["0.png", "1.png"])


class Watch(SceneFilmsTest):
    def start(self, *arguments, watch=True):
        process = subprocess.Popen([ROUNDEL, "render", *arguments, *(["--watch"] if watch else [])], cwd=self.folder, text=True,
                                   stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def wait_for(self, process, text):
        while True:
            line = process.stderr.readline()
            self.assertNotEqual(line, "", "it has ended")
            if text in line:
                return line

    def wait_until(self, is_so):
        end = time.monotonic() + 60
        while not is_so():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def picture_of(self, name, *options):
        self.run_roundel("render", name, "-o", "still.png", *options)
        return self.read("still.png")

    def test_a_picture_follows_every_change_of_its_scene(self):
        process = self.start("s_004.yaml", "-o", "a.png", "--scale", "0.5")
        self.wait_for(process, "watching 1 file; Ctrl-C ends")
        self.write("other.yaml", scene(5))
        os.replace(self.path("other.yaml"), self.path("s_004.yaml"))  # as editors do
        self.wait_for(process, "a.png  32x24")
        self.assertEqual(self.read("a.png"), self.picture_of("s_004.yaml", "--scale", "0.5"))
        self.write("s_004.yaml", "version: 2\n")
        self.wait_for(process, "s_004.yaml:1:10: version: expected 1, got 2")
        self.write("s_004.yaml", scene(6))
        self.wait_for(process, "a.png  32x24")
        self.assertEqual(self.read("a.png"), self.picture_of("s_006.yaml", "--scale", "0.5"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)

    def test_pictures_follow_the_data_of_their_scenes(self):
        def write_data(rows):
            self.write("d.csv", "x,y,radius\n" + "".join(f"0.{i},0.5,0.1\n" for i in range(1, rows)))

        write_data(3)
        self.write("data.yaml", "version: 1\nimage: {width: 32, height: 32}\n"
                                "layers: [{data: d.csv, columns: [x, y, radius]}]\n")
        process = self.start("data.yaml", "s_004.yaml", "-o", "out")  # the names were not typed
        self.wait_for(process, "watching 3 files")
        write_data(8)
        self.wait_for(process, "out/data.png")
        self.assertEqual(self.read("out/data.png"), self.picture_of("data.yaml"))
        os.unlink(self.path("d.csv"))
        self.wait_for(process, "d.csv: no such file")
        write_data(5)
        self.wait_for(process, "out/data.png")
        self.assertEqual(self.read("out/data.png"), self.picture_of("data.yaml"))

    def test_data_and_its_folder_may_appear_later(self):
        self.write("data.yaml", "version: 1\nimage: {width: 32, height: 32}\n"
                                "layers: [{data: new/d.csv, columns: [x, y, radius]}]\n")
        process = self.start("data.yaml", "-o", "a.png")
        self.wait_for(process, "new/d.csv: no such file")
        self.wait_for(process, "watching 2 files")
        os.mkdir(self.path("new"))
        self.write("new/d.csv", "x,y,radius\n0.5,0.5,0.1\n")
        self.wait_for(process, "a.png  32x32")
        self.assertEqual(self.read("a.png"), self.picture_of("data.yaml"))

    def test_the_first_try_may_fail_and_pictures_of_others_stay(self):
        self.write("bad.yaml", "version: 2\n")
        process = self.start("bad.yaml", "-o", "a.png")
        self.wait_for(process, "watching 1 file")
        self.write("bad.yaml", scene(4))
        self.wait_until(lambda: os.path.exists(self.path("a.png")))
        self.write("out/s_004.png", "somebody's")
        process = self.start("s_004.yaml", "-o", "out")
        self.wait_for(process, "exists (--overwrite replaces it)")
        self.write("s_004.yaml", scene(5))
        self.wait_for(process, "exists (--overwrite replaces it)")
        self.assertEqual(self.read("out/s_004.png"), b"somebody's")

    def test_a_scene_with_mistakes_does_not_affect_others(self):
        self.write("bad.yaml", "version: 2\n")
        process = self.start("bad.yaml", "s_004.yaml", "-o", "out")
        self.wait_for(process, "bad.yaml:1:10: version: expected 1, got 2")
        self.wait_for(process, "out/s_004.png")
        self.wait_for(process, "watching 2 files")
        self.write("s_004.yaml", scene(5))
        self.wait_for(process, "out/s_004.png")
        self.assertEqual(self.read("out/s_004.png"), self.picture_of("s_004.yaml"))
        self.write("bad.yaml", scene(6))
        self.wait_for(process, "out/bad.png")

    def test_progress_follows_its_option(self):
        self.write("many.yaml", "version: 1\nimage: {width: 64, height: 64}\n"
                                "layers: [{random: {count: 1000000000, radius: 0.00001, alpha: 0.001}}]\n")
        for watch in (False, True):
            process = self.start("many.yaml", "-o", "a.png", "--progress", "json", "-q", watch=watch)
            line = json.loads(self.wait_for(process, "{"))
            self.assertEqual((line["work"], line["total"]), ("a.png", 1000000000))
            process.kill()
        process = self.start("s_004.yaml", "-o", "a.png", "--progress", "blender", "-q")
        self.assertEqual(self.wait_for(process, ""), "Fra:0 | Rendered\n")
        self.assertEqual(self.wait_for(process, ""), "Saved: 'a.png'\n")
        process = self.start("many.yaml", "-o", "b.png", "--progress", "none")
        time.sleep(2.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[1], "")

    def test_a_film_follows_its_keys(self):
        text = ("version: 1\nimage: {width: 64, height: 48}\nlayers:\n  - circles: [{x: {keys: {0: 0, 6: 0.5, 12: LAST}}, y: 0.5, "
                "radius: 0.2, color: '#ff8000', alpha: 1}]\nanimation: {fps: 25, frames: 13}\n")
        self.write("film.yaml", text.replace("LAST", "1"))
        self.write("out/f_00.png", "somebody's")
        arguments = ["film.yaml", "--frames", "all", "--scale", "0.5", "-o", "out/f_##.png"]
        process = self.start(*arguments)
        self.wait_for(process, "1 frame is not Roundel's: out/f_00.png")
        self.write("film.yaml", text.replace("LAST", "1") + "# \n")
        self.wait_for(process, "1 frame is not Roundel's: out/f_00.png")
        self.assertEqual(self.read("out/f_00.png"), b"somebody's")
        os.unlink(self.path("out/f_00.png"))
        self.write("film.yaml", text.replace("LAST", "1"))
        self.wait_for(process, "32x24  13 frames  ")
        self.write("film.yaml", text.replace("LAST", "oops"))
        self.wait_for(process, "film.yaml:4:")
        self.write("film.yaml", text.replace("LAST", "1.1"))
        self.wait_for(process, "32x24  6 frames (7 kept, 6 replaced)")
        for frame in (3, 6, 7, 12):
            self.assertEqual(self.read(f"out/f_{frame:02}.png"), self.picture_of("film.yaml", "--frame", str(frame), "--scale", "0.5"))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        process = self.start(*arguments)  # continues
        self.wait_for(process, "32x24  0 frames (13 kept)")

    def test_pictures_of_rows_follow_their_table(self):
        self.write("row.yaml", scene(4).replace("version: 1", "version: 1\nvars: {r: 0.2}").replace("radius: 0.2", "radius: $r"))
        self.write("t.csv", "name,r\na,0.1\nb,0.2\n")
        process = self.start("row.yaml", "--each", "t.csv", "-o", "out/{name}.png")
        self.wait_for(process, "2 frames  ")
        self.wait_for(process, "watching 2 files")
        self.write("t.csv", "name,r\na,0.1\nb,0.4\nc,0.3\n")
        self.wait_for(process, "2 frames (1 kept, 1 replaced)")
        self.assertEqual(self.read("out/b.png"), self.picture_of("row.yaml", "--set", "r=0.4"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.png", "b.png", "c.png"])

    def test_scenes_of_frames_are_watched(self):
        process = self.start("s_###.yaml", "--frames", "3-5", "-o", "out/#.png")
        self.wait_for(process, "watching 3 files")
        self.write("s_004.yaml", scene(9))
        self.wait_for(process, "1 frame (2 kept, 1 replaced)")

    def test_a_signal_ends_a_round(self):
        self.write("slow.yaml", "version: 1\nimage: {width: 256, height: 256}\nlayers: [{generator: snow}]\n")
        process = self.start("slow.yaml", "--frames", "0-20000", "-o", "out/f_#.png", "--progress", "json")
        self.wait_for(process, '"done"')
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertIn("interrupted: ", messages)

    def test_watch_needs_scenes_and_pictures_in_files(self):
        self.run_roundel("render", "s_004.yaml", "--frames", "0-1", "-o", "-", "--format", "png", "--watch", code=USAGE)
        self.run_roundel("render", "-", "-o", "a.png", "--watch", code=USAGE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
