#!/usr/bin/env python3
"""A film with every key that moves: the same bytes as its stills, in shares, and after exports that were killed.
ROUNDEL_TEST_BACKEND=cuda: its frames on a device, stills on the CPU. ROUNDEL_TEST_KILLS: number of kills (6). Usage:
every_key_test.py PATH_OF_ROUNDEL
"""

import os
import random
import subprocess
import time
import unittest

from command_case import ROUNDEL, CommandCase

BACKEND = os.environ.get("ROUNDEL_TEST_BACKEND", "cpu")
KILLS = int(os.environ.get("ROUNDEL_TEST_KILLS", "6"))
FRAMES = 24

SCENE = """version: 1
seed: 4
image: {width: 96, height: 64, antialias: %(antialias)s, blend: linear,
        background: {bottom: {keys: {0: "#203040", 23: "#604020"}}, top: "#05070f"}}
view:
  center: {keys: {0: [0.5, 0.5], 8: [0.6, 0.4], 16: [0.4, 0.55], 23: [0.5, 0.5]}, path: spline}
  zoom: {keys: {0: 0.8, 10: {to: 1.5, ease: in-out}, 23: 1}, path: exponential}
  rotate: {keys: {0: 0, 23: 40}, ease: in-out}
layers:
  - random: {count: 400, radius: {uniform: [0.002, 0.05]}, alpha: {uniform: [0.1, 0.6]}, seed: $frame}
    opacity: {keys: {0: 0, 12: 1}, ease: in}
    frames: [0, 14]
  - random: {count: 60, radius: {uniform: [0.01, 0.3]}, color: {choice: ["#ff8040", "#40a0ff"]}}
    shader: soft
    blend: add
    offset: {keys: {0: [0, 0], 6: [0.2, 0.1]}, repeat: ping-pong}
    rotate: {keys: {0: 0, 10: 90}, repeat: loop}
    scale: {keys: {0: 0.5, 23: 1.2}, path: exponential}
  - random: {count: 50, radius: {uniform: [0.02, 0.06]}, depth: {uniform: [0, 1]}}
    shader: snow
    offset: {keys: {0: [0, 0], 23: [0, -0.4]}}
  - data: rows.csv
    map:
      x: {keys: {0: x0, 10: {to: x1, ease: out}}}
      y: {keys: {0: y0, 10: y1}}
      radius: {keys: {0: 0.01, 10: {column: size}}}
      alpha: {keys: {0: 0.2, 5: 1, 10: 0.5}}
      color: {column: value, domain: {keys: {0: [0, 1], 23: [0.4, 0.6]}}, colormap: magma}
      start: {column: start}
  - circles:
      - {x: {keys: {0: 0.1, 7: 0.9, 15: 0.2, 23: 0.8}, path: spline}, y: {keys: {0: 0.2, 23: 0.9}, ease: in-out},
         radius: {keys: {0: 0.02, 23: 0.2}}, alpha: {keys: {0: 0.1, 23: 0.9}}, color: {keys: {0: "#ff0000", 23: "#00ff80"}}}
    stroke: {width: {keys: {0: 1px, 23: 6px}}, color: {keys: {0: "#ffffff", 23: "#2040ff"}}, alpha: 0.8}
    blend: screen
  - circles: [{x: 12px, y: 12px, radius: {keys: {0: 4px, 23: 9px}}, color: "#ffe040", alpha: 0.9}]
    space: screen
    frames: [5, 20]
animation: {fps: 24, frames: 24%(blur)s}
"""


class EveryKeyTest(CommandCase):
    def setUp(self):
        super().setUp()
        rows = random.Random(3)
        lines = [",".join(f"{rows.random():.6f}" for _ in range(5)) + f",{0.05 * rows.random():.6f},{rows.randrange(14)}"
                 for _ in range(300)]
        self.write("rows.csv", "x0,y0,x1,y1,value,size,start\n" + "\n".join(lines) + "\n")
        self.generator = random.Random(5)

    def write_scene(self, antialias, blur):
        self.write("s.yaml", SCENE % {"antialias": antialias, "blur": blur})

    def frames(self, folder):
        names = [f"{folder}/f_{number:04}.png" for number in range(FRAMES)]
        self.assertEqual(sorted(os.listdir(self.path(folder))), [os.path.basename(name) for name in names])
        return [self.read(name) for name in names]

    def export(self, folder, *arguments):
        return ["render", "s.yaml", "--frames", "all", "-q", "--backend", BACKEND, "-o", f"{folder}/f_####.png", *arguments]

    def check(self, antialias, blur):
        self.write_scene(antialias, blur)
        self.run_roundel(*self.export("film"))
        film = self.frames("film")
        self.assertEqual(len(set(film)), FRAMES)
        for number in (0, 5, 11, 20, 23):
            self.run_roundel("render", "s.yaml", "--frame", str(number), "-q", "--backend", "cpu", "-o", f"{number}.png",
                             "--overwrite")
            self.assertEqual(self.read(f"{number}.png"), film[number], number)
        for share in ("2/3", "1/3", "3/3"):
            self.run_roundel(*self.export("shares", "--shard", share))
        self.assertEqual(self.frames("shares"), film)

    def test_films_equal_stills_and_shares(self):
        self.check("false", "")

    def test_smooth_films_equal_stills_and_shares(self):
        self.check("true", "")

    def test_blurred_films_equal_stills_and_shares(self):
        self.check("true", ", samples: 5, shutter: 0.7")

    def test_killed_exports_are_completed(self):
        self.write_scene("true", ", samples: 8")
        begin = time.monotonic()
        self.run_roundel(*self.export("film"))
        whole = time.monotonic() - begin
        film = self.frames("film")
        for _ in range(KILLS):
            with subprocess.Popen([ROUNDEL, *self.export("killed", "--resume")], cwd=self.folder) as export:
                time.sleep(self.generator.random() * whole)
                export.kill()
        self.run_roundel(*self.export("killed", "--resume"))
        self.assertEqual(self.frames("killed"), film)


if __name__ == "__main__":
    unittest.main(verbosity=1)
