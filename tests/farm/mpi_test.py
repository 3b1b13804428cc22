#!/usr/bin/env python3
"""Sequences under mpirun: several ranks, slow ones, failing ones, over TCP.
Usage: mpi_test.py PATH_OF_ROUNDEL [CLASS...]. Exits with 77 without mpirun.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROUNDEL = ""
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
MPIRUN = ["mpirun", "--oversubscribe", "--tag-output"]

SCENE = """version: 1
image: {width: 96, height: 64}
layers:
  - generator: hypnosis
  - random: {count: 5000, radius: 0.02, color: {uniform: [[0, 0, 0], [1, 1, 1]]}}
"""
# About half a second a frame and core.
SLOW = """version: 1
image: {width: 1500, height: 1500}
layers:
  - generator: hypnosis
  - random: {count: 3000, radius: 0.1, alpha: 0.001}
"""


class MpiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roundel_mpi_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("a.yaml", SCENE)
        self.write("slow.yaml", SLOW)
        os.mkdir(self.path("out"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def contents(self, folder="out"):
        result = {}
        for name in os.listdir(self.path(folder)):
            with open(self.path(f"{folder}/{name}"), "rb") as file:
                result[name] = file.read()
        return result

    def expect(self, scene, frames):
        """Renders the frames by one process, for comparison."""
        os.mkdir(self.path("expected"))
        subprocess.run([ROUNDEL, "render", scene, "--frames", frames, "-o", "expected/%d.png", "-q"],
                       cwd=self.folder, check=True, timeout=300)
        return self.contents("expected")

    def mpirun(self, ranks, *arguments, code=0, program=None):
        done = subprocess.run([*MPIRUN, "-n", str(ranks), *(program or [ROUNDEL]), *arguments],
                              cwd=self.folder, env=ENVIRONMENT, text=True, timeout=300, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if code is None:
            self.assertNotEqual(done.returncode, 0, done.stderr)
        else:
            self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def rank_script(self, first, other, rank=1):
        """Writes a program that is `first` on one rank and `other` on all others; "$@" are its arguments."""
        return [self.write("rank.sh", f'#!/bin/sh\nif [ "$OMPI_COMM_WORLD_RANK" = {rank} ]; then\n{first}\n'
                                      f'else\n{other}\nfi\n', 0o755)]

    @staticmethod
    def frames_of_ranks(messages):
        """Returns the number of frames that each rank has saved, from --progress=blender."""
        counts = {}
        for rank in re.findall(r"^\[\d+,(\d+)\]<stderr>:Saved: ", messages, re.MULTILINE):
            counts[int(rank)] = counts.get(int(rank), 0) + 1
        return counts

    def has_cuda_device(self):
        return subprocess.run(
            [ROUNDEL, "render", "a.yaml", "--backend", "cuda", "-q", "-o", "cuda.png"],
            cwd=self.folder, stderr=subprocess.DEVNULL, check=False).returncode == 0


class Ranks(MpiTest):
    def test_all_ranks_draw_the_film_together(self):
        expected = self.expect("a.yaml", "0-200")
        for ranks in (1, 2, 3):
            messages = self.mpirun(ranks, "render", "a.yaml", "--frames", "0-200", "-o", "out/%d.png",
                                   "--overwrite", "--progress=blender")
            self.assertEqual(self.contents(), expected)
            self.assertEqual(messages.count("201 frames"), 1)  # one rank reports for all
            saved = re.findall(r"Saved: 'out/(\d+)\.png'", messages)
            self.assertEqual(sorted(map(int, saved)), list(range(201)))
            self.assertEqual(len(self.frames_of_ranks(messages)), ranks)

    def test_rows_of_a_table_are_shared(self):
        self.write("v.yaml", "version: 1\nvars: {size: 0.5}\nimage: {width: 64, height: 64}\n"
                             "layers: [{circles: [{x: 0.5, y: 0.5, radius: $size}]}]\n")
        self.write("t.csv", "name,size\n" + "".join(f"n{row},{row / 50}\n" for row in range(1, 41)))
        arguments = ("render", "v.yaml", "--each", "t.csv", "-o")
        messages = self.mpirun(3, *arguments, "out/{name}.png", "--progress=blender")
        self.assertEqual(len(re.findall(r"Saved: 'out/n\d+\.png'", messages)), 40)
        os.mkdir(self.path("alone"))
        subprocess.run([ROUNDEL, *arguments, "alone/{name}.png", "-q"], cwd=self.folder, check=True, timeout=300)
        self.assertEqual(self.contents(), self.contents("alone"))
        self.write("t.csv", "name,size\na,1\nb,x\n")
        messages = self.mpirun(2, *arguments, "bad/{name}.png", code=3)
        self.assertEqual(messages.count("t.csv: line 3: column size: "), 1)

    def test_the_first_rank_decides_about_existing_files(self):
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png")
        expected = self.contents()
        messages = self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png", code=4)
        self.assertEqual(messages.count("10 of 10 frames exist"), 1)
        for frame in (2, 3, 7):
            os.unlink(self.path(f"out/{frame}.png"))
        messages = self.mpirun(3, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png", "--resume")
        self.assertIn("3 frames (7 kept)", messages)
        self.assertEqual(self.contents(), expected)

    def test_progress_counts_all_ranks(self):
        messages = self.mpirun(3, "render", "a.yaml", "--frames", "0-99", "-o", "out/%d.png",
                               "--progress=deadline")
        self.assertEqual(messages.count("Progress: 100%"), 1)

    def test_shards_are_shared_by_ranks(self):
        expected = self.expect("a.yaml", "0-20")
        self.mpirun(3, "render", "a.yaml", "--frames", "0-20", "-o", "out/%d.png", "--shard", "auto")
        self.assertEqual(self.contents(), expected)

    def test_standard_input_needs_one_rank(self):
        messages = self.mpirun(2, "render", "-", "--frames", "0-3", "-o", "out/%d.png", code=2)
        self.assertEqual(messages.count('"-": several ranks need a file'), 1, messages)
        self.assertEqual(self.contents(), {})

    def test_an_early_refusal_ends_all_ranks(self):
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "a.yaml/ne/%d.png", code=4)
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png")
        messages = self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png", "--resume")
        self.assertIn("0 frames (10 kept)", messages)

    def test_a_stream_needs_one_rank(self):
        messages = self.mpirun(2, "render", "a.yaml", "-o", "-", "--format", "rawvideo", code=2)
        self.assertIn("--output: several ranks need files", messages)


class SplitFrames(MpiTest):
    REFUSAL = ("--split-frame: shares a frame between the devices of one process, got {} ranks; to give each rank "
               "frames of its own, add --shard auto\n")

    def test_splitting_a_frame_over_ranks_is_refused(self):
        for more in (["--frames", "0-9"], ["--frame", "5"], ["--frames", "0-9", "--resume"]):
            messages = self.mpirun(3, "render", "a.yaml", *more, "--split-frame", "-o", "new/%d.png", code=2)
            self.assertEqual(messages.count("error: "), 1, messages)
            self.assertIn("error: " + self.REFUSAL.format(3), messages)
            self.assertFalse(os.path.exists(self.path("new")))
        # Before anything is read.
        messages = self.mpirun(2, "render", "none.yaml", "--frames", "0-9", "--split-frame", "-o", "new/%d.png",
                               code=2)
        self.assertEqual(messages.count("error: "), 1, messages)
        self.assertIn(self.REFUSAL.format(2), messages)

    def test_each_rank_splits_the_frames_of_its_share(self):
        expected = self.expect("a.yaml", "0-9")
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "--split-frame", "-o", "out/%d.png", "--shard", "auto")
        self.assertEqual(self.contents(), expected)

    def test_one_rank_equals_a_single_process(self):
        expected = self.expect("a.yaml", "0-3")
        self.mpirun(1, "render", "a.yaml", "--frames", "0-3", "--split-frame", "-o", "out/%d.png")
        self.assertEqual(self.contents(), expected)


class Speeds(MpiTest):
    """How frames are divided by time; needs an idle machine."""

    def test_ranks_render_without_waiting_for_each_other(self):
        messages = self.mpirun(2, "render", "slow.yaml", "--frames", "0-15", "-o", "out/%d.png",
                               "--threads", "1", "--progress=blender")
        counts = self.frames_of_ranks(messages)
        self.assertGreaterEqual(min(counts.get(0, 0), counts.get(1, 0)), 3, counts)

    def test_a_slow_rank_makes_fewer_frames_without_delaying_others(self):
        expected = self.expect("a.yaml", "0-400")
        for slow_rank in (1, 0):
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))
            write_pid = f'echo $$ >pid; exec {ROUNDEL} "$@"'
            usual = f'exec {ROUNDEL} "$@"'
            scripts = (write_pid, usual) if slow_rank == 1 else (usual, write_pid)
            process = subprocess.Popen(
                [*MPIRUN, "-n", "2", *self.rank_script(*scripts), "render", "a.yaml", "--frames",
                 "0-400", "-o", "out/%d.png", "--progress=blender"], cwd=self.folder, env=ENVIRONMENT,
                text=True, stderr=subprocess.PIPE)
            while not os.path.exists(self.path("pid")) or not os.path.getsize(self.path("pid")):
                time.sleep(0.01)
            with open(self.path("pid"), encoding="ascii") as file:
                pid = int(file.read())
            os.unlink(self.path("pid"))
            # It is stopped for nine tenths of the time.
            while process.poll() is None:
                try:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(0.045)
                    os.kill(pid, signal.SIGCONT)
                    time.sleep(0.005)
                except ProcessLookupError:
                    break
            messages = process.communicate(timeout=120)[1]
            self.assertEqual(process.returncode, 0, messages)
            self.assertEqual(self.contents(), expected)
            counts = self.frames_of_ranks(messages)
            if slow_rank == 1:  # the first rank deals, so its helper is slow as well
                self.assertGreater(counts[0], 2 * counts.get(1, 0), counts)


class FailingRanks(MpiTest):
    def test_frames_of_a_failed_rank_go_to_the_others(self):
        expected = self.expect("a.yaml", "0-100")
        if self.has_cuda_device():
            self.skipTest("there is a CUDA device: that rank would not fail")
        for rank in (1, 0):
            script = self.rank_script(f'exec {ROUNDEL} "$@" --backend cuda', f'exec {ROUNDEL} "$@"', rank)
            messages = self.mpirun(3, "render", "a.yaml", "--frames", "0-100", "-o", "out/%d.png",
                                   "--overwrite", program=script, code=1)
            self.assertIn("--backend cuda: ", messages)
            self.assertIn("  101 frames ", messages)
            self.assertNotIn("missing", messages)
            self.assertEqual(self.contents(), expected)
            shutil.rmtree(self.path("out"))
            os.mkdir(self.path("out"))

    def test_the_exit_code_is_the_worst(self):
        script = self.rank_script(f'exec {ROUNDEL} render none.yaml --frames 0-9 -o out/%d.png',
                                  f'exec {ROUNDEL} "$@"')
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png", program=script, code=3)
        self.assertEqual(len(self.contents()), 10)

    def test_a_failed_first_rank_releases_its_frames(self):
        for folder in ("data", "damaged"):
            os.mkdir(self.path(folder))
            self.write(f"{folder}/d.yaml", "version: 1\nimage: {width: 900, height: 900}\nlayers:\n"
                                           "  - random: {count: 3000, radius: 0.2, alpha: 0.002}\n"
                                           "  - data: d_####.csv\n    columns: [x, y, radius]\n"
                                           "animation: {fps: 30, frames: 60}\n")
            for frame in range(60):
                row = "0.5,0.5,?" if folder == "damaged" and frame > 2 else f"0.5,0.5,{frame / 100 + 0.01}"
                self.write(f"{folder}/d_{frame:04}.csv", f"x,y,radius\n{row}\n")
        script = self.write("rank.sh", '#!/bin/sh\nfolder=data\n[ "$OMPI_COMM_WORLD_RANK" = 0 ] && folder=damaged\n'
                                       f'exec {ROUNDEL} render $folder/d.yaml "$@"\n', 0o755)
        messages = self.mpirun(2, "--frames", "0-59", "-o", "out/%d.png", "--threads", "1", "--resume",
                               program=[script], code=5)
        self.assertIn("stopped after these failures", messages)
        missing = int(re.search(r"incomplete: (\d+) of 60 frames are missing", messages)[1])
        self.assertEqual(len(self.contents()), 60 - missing)  # no temporary files either
        self.assertLess(missing, 60)

    def test_problems_of_all_ranks_are_reported_once(self):
        self.write("bad.yaml", SCENE + "sead: 3\nbackgroud: 1\n")
        messages = self.mpirun(3, "render", "bad.yaml", "--frames", "0-9", "-o", "out/%d.png", code=3)
        for word in ('"sead"', '"backgroud"'):
            self.assertEqual(messages.count(word), 1, messages)
        if not self.has_cuda_device():
            messages = self.mpirun(3, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png",
                                   "--backend", "cuda", code=1)
            self.assertEqual(messages.count("--backend cuda: "), 1, messages)

    def test_problems_of_one_rank_are_reported_with_its_number(self):
        script = self.rank_script(f'exec {ROUNDEL} render none.yaml --frames 0-9 -o out/%d.png',
                                  f'exec {ROUNDEL} "$@"')
        messages = self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png",
                               program=script, code=3)
        self.assertEqual(messages.count("none.yaml: "), 1, messages)
        self.assertIn("rank 1: none.yaml: ", messages)

    def test_resuming_keeps_foreign_frames(self):
        self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png")
        before = self.contents()
        more = ["render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png", "--resume", "--seed", "5"]
        messages = self.mpirun(3, *more, code=4)
        self.assertEqual(messages.count("10 frames are of seed 1, asked 5: 0-9"), 1, messages)
        self.assertEqual(self.contents(), before)
        self.assertIn("10 frames (10 replaced)", self.mpirun(3, *more, "--overwrite"))
        self.assertEqual(set(self.contents()), set(before))

    def test_an_unwritable_frame(self):
        os.mkdir(self.path("out/5.png"))
        messages = self.mpirun(2, "render", "a.yaml", "--frames", "0-9", "-o", "out/%d.png",
                               "--overwrite", code=5)
        self.assertIn("1 of 10 frames are missing; to draw them: the same command with --resume, or with --frames 5", messages)
        self.assertEqual(len(os.listdir(self.path("out"))), 10)

    def test_a_program_without_its_module_reports_it(self):
        os.makedirs(self.path("usr/bin"))  # modules are searched two folders up
        program = shutil.copy(ROUNDEL, self.path("usr/bin/roundel"))
        printed = self.mpirun(2, "render", "a.yaml", "--frames", "0-3", "-o", "out/%d.png", code=1,
                           program=[program])
        self.assertIn("/lib/roundel/libroundel_mpi.so: no such file", printed)

    def test_a_killed_rank_ends_the_job_and_resuming_finishes_it(self):
        expected = self.expect("slow.yaml", "0-15")
        script = self.rank_script(f'echo $$ >pid; exec {ROUNDEL} "$@"', f'exec {ROUNDEL} "$@"')
        process = subprocess.Popen(
            [*MPIRUN, "-n", "2", *script, "render", "slow.yaml", "--frames", "0-15", "-o",
             "out/%d.png"], cwd=self.folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        while len(os.listdir(self.path("out"))) < 3:
            time.sleep(0.01)
        with open(self.path("pid"), encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.assertEqual(process.wait(timeout=60), 137)
        self.assertLess(len(self.contents()), 16)
        self.mpirun(2, "render", "slow.yaml", "--frames", "0-15", "-o", "out/%d.png", "--resume")
        self.assertEqual(self.contents(), expected)

    def interrupt(self, frames):
        """Two ranks draw slow.yaml, and mpirun gets a SIGTERM after their first line. Returns the frames that they list
        as missing and the sentence with that list; all other frames must exist.
        """
        process = subprocess.Popen([*MPIRUN, "-n", "2", ROUNDEL, "render", "slow.yaml", "--threads", "1", "--backend",
                                    "cpu", "--frames", f"0-{frames - 1}", "-o", "out/%d.png", "--progress", "plain"],
                                   cwd=self.folder, env=ENVIRONMENT, text=True, stderr=subprocess.PIPE)
        self.assertRegex(process.stderr.readline(), rf"\b\d+/{frames} frames ")  # after three seconds
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate(timeout=120)
        self.assertNotEqual(process.returncode, 0, messages)
        interruption = re.search(rf"error: interrupted: (\d+) of {frames} frames are (.+): (.*--frames [\d,-]+)\n", messages)
        self.assertTrue(interruption, messages)
        existing = [name for name in os.listdir(self.path("out")) if not name.startswith(".")]
        self.assertGreaterEqual(len(existing), frames - int(interruption[1]), messages)
        return int(interruption[1]), interruption[2], interruption[3]

    def test_remaining_frames_are_reported_before_mpirun_ends_the_ranks(self):
        # A frame takes about a minute of one core: it cannot end in the second that mpirun waits.
        self.write("slow.yaml", SLOW.replace("1500", "4000").replace("count: 3000, radius: 0.1, alpha: 0.001",
                                                                     "count: 1000000, radius: 0.1, alpha: 0.00001"))
        self.assertEqual(self.interrupt(10), (10, "missing so far; to draw them", "--resume --frames 0-9"))

    def test_frames_that_end_after_the_signal_are_counted(self):
        left, state, options = self.interrupt(500)
        self.assertTrue(0 < left < 500, left)
        self.assertIn((state, options.partition("--")[0]),
                      (("missing; to draw them", "the same command with "),  # the current frames ended
                       ("missing so far; to draw them", "")))                # … or too late


class TwoMachines(MpiTest):
    """Two network namespaces with a cable between them, each a machine to Open MPI."""

    NAMES = ("roundel-a", "roundel-b")
    ADDRESSES = ("10.211.7.1", "10.211.7.2")

    def ip(self, *arguments):
        return subprocess.run(["ip", *arguments], stderr=subprocess.PIPE, check=False).returncode == 0

    def setUp(self):
        super().setUp()
        if not shutil.which("ip"):
            self.skipTest("there is no ip command here")
        self.addCleanup(lambda: [self.ip("netns", "del", name) for name in self.NAMES])
        if not all(self.ip("netns", "add", name) for name in self.NAMES):
            self.skipTest("network namespaces cannot be made here")
        a, b = self.NAMES
        steps = [self.ip("link", "add", "roundel-v0", "netns", a, "type", "veth", "peer", "name",
                         "roundel-v1", "netns", b)]
        for name, device, address in zip(self.NAMES, ("roundel-v0", "roundel-v1"), self.ADDRESSES):
            steps += [self.ip("-n", name, "addr", "add", f"{address}/24", "dev", device),
                      self.ip("-n", name, "link", "set", device, "up"),
                      self.ip("-n", name, "link", "set", "lo", "up")]
        if not all(steps):
            self.skipTest("network namespaces cannot be joined here")

    def test_ranks_on_two_machines_over_tcp(self):
        expected = self.expect("a.yaml", "0-150")
        agent = self.write("agent.sh", "#!/bin/sh\nshift\n"  # the machine's address
                                       f"exec ip netns exec {self.NAMES[1]} unshare -u sh -c "
                                       '"hostname machine-b; $*"\n', 0o755)
        network = f"{self.ADDRESSES[0]}/24"
        command = ["ip", "netns", "exec", self.NAMES[0], *MPIRUN, "-n", "2",
                   "-H", ",".join(f"{address}:1" for address in self.ADDRESSES),
                   "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, "--mca", "btl", "tcp,self",
                   "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network,
                   ROUNDEL, "render", "a.yaml", "--frames", "0-150", "-o", "out/%d.png",
                   "--progress=blender"]
        done = subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, text=True, timeout=120,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.contents(), expected)
        self.assertEqual(len(self.frames_of_ranks(done.stderr)), 2, done.stderr)


if __name__ == "__main__":
    ROUNDEL = os.path.abspath(sys.argv.pop(1))
    if not shutil.which("mpirun"):
        print("skipped: needs mpirun")
        sys.exit(77)
    unittest.main(verbosity=2)
