#!/usr/bin/env python3
"""Warnings about valid pictures that are probably mistakes. Usage: warnings_test.py ROUNDEL"""
import unittest
import warnings

import numpy as np
import roundel

from columns_case import ROWS, TABLE, ColumnsCase, scene

X, Y = TABLE["x"], TABLE["y"]
KEYS = {"version": 1, "image": {"width": 120, "height": 90}}
FILM = {**KEYS, "animation": {"frames": 12}, "layers": [{"random": {"count": 9, "radius": 0.1}, "offset": [5, 0]}]}


class Warnings(ColumnsCase):
    def test_rounded_whole_numbers_are_warned_about(self):
        ids = np.arange(ROWS) + 2**53
        def made(**layer):
            return scene().add({"id": ids}, x=X, y=Y, radius="3px", **layer)
        printed = "layers.0..data: row 1: id: 9007199254740993 is rounded to 9007199254740992, as whole numbers beyond 2.53"
        for draw in (roundel.render, roundel.circles, roundel.validate, lambda s: list(roundel.frames(s, [0, 1]))):
            with self.assertWarnsRegex(roundel.RoundelWarning, printed) as caught:
                draw(made(where={"id": {"min": 5}}))
            self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(roundel.RoundelWarning):
                roundel.render(made(values="id"))
            roundel.render(made(order="id"))  # exact
            changed = made(values="id")
            ids[:] = np.arange(ROWS)
            roundel.render(changed)

    def test_probable_mistakes_are_warned_about(self):
        with_gap = np.where(np.arange(ROWS) == 3, np.nan, X)
        for made, printed in ((scene().add(x=X + 5, y=Y, radius=0.1), "no circle touches the picture: they lie in x "),
                           (scene().add(x=X, y=Y, radius=1e-5), "about 100 % of the circles are narrower than a pixel"),
                           (scene().add(x=X, y=Y, radius=0.1, color=(255, 0, 0)), "colours go far above 1"),
                           (scene().add(TABLE, x="x", y="y", radius=0.1, where={"x": {"min": 7}}),
                            f'no circles: "where" and "invalid: skip" keep none of the {ROWS:,} rows'),
                           (scene().add(x=with_gap, y=Y, radius=0.1, invalid="skip"),
                            f"layers.0..data: 1 of {ROWS:,} rows cannot be drawn and is skipped"),
                           (scene().add(x=X, y=Y, radius=5), "every circle's radius is larger than the picture .*radius: 5px"),
                           ({**KEYS, "layers": []}, '"layers" is empty'),
                           (roundel.Scene(size=(120, 90), view={"fit": "data"}).add(x=X * 1e6, y=Y, radius="1px"), "x and y have one scale"),
                           (FILM, "no circle touches the picture")):
            for draw in (roundel.render, lambda s: roundel.render(s, dtype="uint16"), lambda s: list(roundel.frames(s, "0-11")),
                         lambda s: roundel.save(s, self.path("picture.png"))):
                with self.assertWarnsRegex(roundel.RoundelWarning, printed) as caught:
                    draw(made)
                self.assertEqual(caught.filename, __file__)

    def test_intended_pictures_have_no_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            roundel.render({**KEYS, "layers": [{"random": {"count": 0}}]})
            faint = {**KEYS, "image": {**KEYS["image"], "antialias": True},
                     "layers": [{"circles": [{"x": 0.5, "y": 0.5, "radius": 0.4 / 90, "alpha": 0.003}]}]}
            roundel.render(faint, dtype="uint16")
            roundel.render(faint, dtype="float32")
        with self.assertWarnsRegex(roundel.RoundelWarning, "too faint or too small to see"):
            self.assertEqual(roundel.render(faint).min(), 255)

    def test_a_scene_that_stays_warns_once(self):
        self.write("s.yaml", "version: 1\nlayers: [{circles: [{x: 7, y: 7, radius: 1}]}]\n")
        kept = roundel.Scene.from_file(self.path("s.yaml"))
        with self.assertWarnsRegex(roundel.RoundelWarning, "no circle touches"):
            roundel.render(kept)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            roundel.render(kept)

    def test_a_still_film_and_another_aspect_are_warned_about(self):
        still = {**KEYS, "layers": [{"random": {"count": 9, "radius": 0.1}}]}
        with self.assertWarnsRegex(roundel.RoundelWarning, "the 3 pictures are the same; values with keys move"):
            list(roundel.frames(still, "0-2"))
        with self.assertWarnsRegex(roundel.RoundelWarning, "64x24 is wider than the scene's 120x90: the picture shows more"):
            roundel.render(still, size=(64, 24))

    def test_films_name_the_first_empty_frame(self):
        for frame in range(4):
            np.savez(self.path(f"d_{frame}.npz"), x=[9 if frame else 0.5], y=[0.5])
        keys = {**KEYS, "animation": {"frames": 4},
                "layers": [{"data": self.path("d_#.npz"), "map": {"x": "x", "y": "y", "radius": 0.2}}]}
        with self.assertWarnsRegex(roundel.RoundelWarning, "^frame 1: no circle touches the picture: they lie in x 8.8") as caught:
            self.assertEqual(len(list(roundel.frames(keys))), 4)
        self.assertEqual(len(caught.warnings), 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
