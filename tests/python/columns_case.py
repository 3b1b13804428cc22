"""Shared by the tests of scenes of arrays."""
import numpy as np
import roundel

from command_case import CommandCase

RNG = np.random.default_rng(5)
ROWS = 5000
TABLE = {"x": RNG.random(ROWS), "y": RNG.random(ROWS), "r": RNG.random(ROWS) * 0.02, "v": RNG.lognormal(size=ROWS),
         "kind": RNG.choice(["a", "bb", "c\u00e9"], ROWS)}


def scene():
    return roundel.Scene(size=(120, 90), background="#102030")


class ColumnsCase(CommandCase):
    def check_saved(self, made):
        """The command draws the saved scene byte for byte as the module draws it from the arrays."""
        made.save(self.path("s.yaml"))
        self.run_roundel("render", "s.yaml", "-o", "command.png")
        roundel.save(made, self.path("module.png"))
        self.assertEqual(self.read("module.png"), self.read("command.png"))
        return roundel.render(made)


class NoAnswer:  # like an array of another library
    ndim = 1

    def __ne__(self, other):
        raise RuntimeError("no answer")
