#!/usr/bin/env python3
"""columns_test.py ROUNDEL: scenes of arrays in memory are those of the same arrays in files."""
import array
import copy
import ctypes
import itertools
import pickle
import unittest
import warnings
from decimal import Decimal

import numpy as np
import roundel

from columns_case import RNG, ROWS, TABLE, ColumnsCase, scene


class NoAnswer:  # as an array of another library
    ndim = 1

    def __ne__(self, other):
        raise RuntimeError("no answer")


class Columns(ColumnsCase):
    def expect_as_float32(self, drawn, **columns):
        """`drawn` is what plain float32 columns give."""
        plain = {name: np.ascontiguousarray(column, np.float32) for name, column in columns.items()}
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(**plain)))

    def test_types_and_strides_are_taken_as_they_are(self):
        pairs = RNG.random((ROWS, 3)).astype(np.float32)
        self.assertFalse(pairs[:, 0].flags.c_contiguous)
        radius = np.float32(0.01)
        drawn = self.check_saved(scene().add(x=pairs[:, 0], y=pairs[:, 1], radius=np.broadcast_to(radius, ROWS)))
        self.assertGreater(len(np.unique(drawn)), 10)
        self.expect_as_float32(drawn, x=pairs[:, 0], y=pairs[:, 1], radius=np.full(ROWS, radius))
        for convert in (lambda a: a.astype(np.float64), lambda a: a.astype(">f4"), lambda a: a[::-1][::-1],
                        lambda a: array.array("f", a), memoryview, lambda a: [float(v) for v in a]):
            x, y = (np.ascontiguousarray(pairs[:, i]) for i in (0, 1))
            np.testing.assert_array_equal(drawn, roundel.render(scene().add(
                x=convert(x), y=convert(y), radius=convert(np.full(ROWS, radius)))))
        backwards = roundel.render(scene().add(x=pairs[::-1, 0], y=pairs[::-1, 1], radius=radius.item()))
        np.testing.assert_array_equal(backwards, roundel.render(scene().add(
            x=pairs[::-1, 0].copy(), y=pairs[::-1, 1].copy(), radius=radius.item())))

    def test_masked_colours_and_times(self):
        colors = RNG.integers(0, 256, (ROWS, 3)).astype(np.uint8)
        mask = np.zeros((ROWS, 3), bool)
        mask[7, 0] = True
        x, y = RNG.random((2, ROWS))
        kept = np.arange(ROWS) != 7
        masked = scene().add(x=x, y=y, radius=0.01, color=np.ma.masked_array(colors, mask), invalid="skip")
        plain = scene().add(x=x[kept], y=y[kept], radius=0.01, color=colors[kept])
        np.testing.assert_array_equal(roundel.render(masked), roundel.render(plain))
        times = np.ma.masked_array(np.arange(ROWS).astype("datetime64[s]"), np.arange(ROWS) == 7)
        masked = scene().add({"t": times}, x=x, y=y, radius=0.01, where={"t": {"min": 0}})
        plain = scene().add(x=x[kept], y=y[kept], radius=0.01)
        np.testing.assert_array_equal(roundel.render(masked), roundel.render(plain))
        with self.assertRaisesRegex(roundel.SceneError, r"up to 2\*\*53 in a column of float64"):
            scene().add(x=x, y=y, radius=0.01, values=np.ma.masked_array(np.full(ROWS, 2**60), mask[:, 0]))

    def test_categories_beyond_memory_are_refused(self):
        names = np.array([f"{i:05}" + "n" * 400 for i in range(ROWS)])
        made = scene().add(x=RNG.random(ROWS), y=0.5, radius=0.01, values=names, categories="tab10")
        with self.assertRaisesRegex(roundel.RenderError, "its categories need at least [0-9]+M, got 1M"):
            roundel.render(made, memory=2**20)

    def test_half_floats_and_whole_numbers_are_columns(self):
        x = (np.arange(ROWS) % 256).astype(np.uint8)
        drawn = self.check_saved(roundel.Scene(size=(50, 50), view={"fit": "data"}).add(
            x=x, y=RNG.integers(-100, 100, ROWS), radius="3px", values=RNG.random(ROWS).astype(np.float16)))
        self.assertGreater(len(np.unique(drawn)), 10)

    def test_values_become_colours(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=TABLE["r"], values=TABLE["v"], colormap="magma",
                           scale="log", domain=["2%", "98%"], alpha=0.9)
        drawn = self.check_saved(made)
        np.save(self.path("t.npy"), np.rec.fromarrays([TABLE[k] for k in "xyrv"], names="x,y,r,v"))
        self.write("c.yaml", 'version: 1\nimage: {width: 120, height: 90, background: "#102030"}\nlayers:\n'
                             "  - data: t.npy\n    map: {x: x, y: y, radius: r, alpha: 0.9, color: {column: v, "
                             "colormap: magma, scale: log, domain: [2%, 98%]}}\n")
        np.testing.assert_array_equal(drawn, roundel.render(self.path("c.yaml")))

    def test_texts_are_categories(self):
        drawn = self.check_saved(scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, values=TABLE["kind"],
                                             categories={"a": "#ff0000", "bb": "#00ff00", "c\u00e9": "#0000ff"}))
        as_objects = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, values=TABLE["kind"].astype(object),
                                 categories={"a": "#ff0000", "bb": "#00ff00", "c\u00e9": "#0000ff"})
        np.testing.assert_array_equal(drawn, roundel.render(as_objects))

    def test_numbers_that_are_objects_are_numbers(self):
        def objects(values):
            return np.array(values, dtype=object)

        def drawn(**keys):
            return roundel.render(scene().add(**{"x": [0.2, 0.4, 0.6], "y": 0.5, "radius": [0.1, 0.12, 0.14], **keys}))

        law = {"column": "v", "missing": "#ff00ff", "colormap": "viridis", "domain": [0, 20]}
        for values, plain in (([9, 10, 2], [9.0, 10.0, 2.0]), ([9, 10.5, Decimal("2.5")], [9.0, 10.5, 2.5]),
                              ([9, None, 2], [9.0, np.nan, 2.0]), ([np.float32(9), np.nan, True], [9.0, np.nan, 1.0])):
            np.testing.assert_array_equal(*(drawn(data={"v": column}, map={"color": law})
                                            for column in (objects(values), np.array(plain))))
        large = 2**53 + 1
        order = {"data": {"id": objects([large + 1, large, large - 1])}, "order": "id"}
        exactly = {"data": {"id": np.array([large + 1, large, large - 1])}, "order": "id"}
        np.testing.assert_array_equal(drawn(**order), drawn(**exactly))
        for values, message in (([large, None], r"up to 2\*\*53"), ([large, Decimal(1)], r"up to 2\*\*53"),
                                ([2**70, 1], "that int64 or uint64 holds"), ([2**64 - 1, -1], "that int64 or uint64 holds")):
            with self.assertRaisesRegex(roundel.SceneError, "^x: expected whole numbers " + message):
                drawn(x=objects(values))
        # Which is on top goes by whole numbers that float64 does not tell apart.
        tops = [drawn(x=[0.5] * 3, radius=0.3, data={"id": column, "v": [0, 10, 20]}, order="id", map={"color": law})
                for column in (np.array([2**63 + 3, 2**63 + 1, 5], "u8"), objects([2**63 + 3, 2**63 + 1, 5]),
                               objects([np.uint64(2**63 + 3), np.uint64(2**63 + 1), 5]))]
        np.testing.assert_array_equal(tops[0], tops[1])
        np.testing.assert_array_equal(tops[0], tops[2])
        with self.assertRaisesRegex(roundel.SceneError, r"^id: expected whole numbers up to 2\*\*53"):
            drawn(data={"id": objects([large, 0.5, 0])}, order="id")
        texts = {"data": {"kind": objects([b"star", "gas", None])}, "where": {"kind": {"in": ["star"]}}}
        self.assertEqual(len(roundel.circles(scene().add(x=[0.2, 0.4, 0.6], y=0.5, radius=0.1, **texts))), 1)
        for wrong in (b"\xff", [1], 1j, {1}):
            with self.assertRaisesRegex(roundel.SceneError, "^x: expected numbers or texts"):
                column = objects([None, None])
                column[0] = wrong
                drawn(x=column)
        masked = np.ma.array(objects([9, 10, 2]), mask=[False, True, False])
        np.testing.assert_array_equal(*(drawn(data={"v": column}, map={"color": law}) for column in (masked, [9, np.nan, 2])))
        nested = objects([None, None])
        nested[0] = np.zeros(2)
        with self.assertRaisesRegex(roundel.SceneError, "^x: expected numbers or texts"):
            drawn(x=nested)

    def test_lists_are_what_their_objects_are(self):
        large = 2**60 + 1
        columns = {"x": [0.2, 0.4, 0.6], "y": 0.5, "radius": 0.1}
        for kinds in (["b", float("nan"), "c"], ("b", np.nan, b"c"), [b"b", np.nan, "c"], [b"b", None, b"c"]):
            made = scene().add({"kind": kinds}, **columns, where={"kind": {"not": "nan"}}, values="kind",
                               categories={"b": "#ff0000", "c": "#0000ff"}, invalid="skip")
            with self.assertWarnsRegex(roundel.RoundelWarning, "1 of 3 rows cannot be drawn"):
                roundel.render(made)
            np.testing.assert_array_equal(roundel.circles(made)[:, 4:], [[1, 0, 0], [0, 0, 1]])
        for ids in ([large, np.nan, 1], (np.int64(large), 0.5, 1), [2**70, np.nan, 1]):
            with self.assertRaisesRegex(roundel.SceneError, r"^id: expected whole numbers up to 2\*\*53"):
                scene().add({"id": ids}, **columns, order="id")
        with self.assertRaisesRegex(roundel.SceneError, "^id: expected whole numbers that int64 or uint64 holds"):
            scene().add({"id": [2**64 - 1, -1, 0]}, **columns, order="id")
        for ids, x in (([2**53, np.nan, 1], [0.4, 0.6, 0.2]), ([2**53, 0.5, 1], [0.4, 0.6, 0.2]),
                       ([2**63 + 3, 2**63 + 5, 2**63 + 1], [0.6, 0.2, 0.4])):
            drawn = roundel.circles(scene().add({"id": ids}, **columns, order="id"))
            np.testing.assert_allclose(drawn[:, 0], x, rtol=1e-6)

    def test_arrow_rounds_no_whole_numbers(self):
        class Whole:  # of Arrow, where it is not installed
            type, values = "int64", np.array([2**60 + 1, 7])

            def __len__(self):
                return 3

            def __array__(self, dtype=None, copy=None):
                return np.array([*map(float, self.values), np.nan])

            def drop_null(self):
                return self.values

        columns = [Whole()]
        try:
            import pyarrow

            columns += [pyarrow.array([2**60 + 1, 7, None]), pyarrow.chunked_array([[2**60 + 1], [7, None]])]
        except ImportError:
            pass
        for column in columns:
            with self.assertRaisesRegex(roundel.SceneError, r"^id: expected whole numbers up to 2\*\*53"):
                scene().add({"id": column}, x=[0.2, 0.4, 0.6], y=0.5, radius=0.1, order="id")

    def test_columns_in_which_nothing_is_there_are_numbers_or_texts(self):
        empty = {"x": np.array([], object), "y": np.array([], object), "kind": np.array([], object)}
        texts = {"where": {"kind": {"in": ["a"]}}, "values": "kind", "categories": {"a": "#ff0000"}}
        self.assertEqual(roundel.circles(scene().add(empty, x="x", y="y", radius=0.1)).shape, (0, 7))
        self.assertEqual(roundel.circles(scene().add(empty, x="x", y="y", radius=0.1, **texts)).shape, (0, 7))
        law = {"column": "c", "missing": "#ff00ff"}
        for nothing in ([None, None], [np.nan, None], [np.datetime64("NaT"), None], [np.nan, np.nan]):
            data = {"c": np.array(nothing, object), "d": nothing}
            columns = {"data": data, "x": [0.2, 0.6], "y": 0.5, "radius": 0.1}
            with self.assertRaisesRegex(roundel.SceneError, "row 0: .*x: expected a number"):
                roundel.render(scene().add(data, x="c", y=0.5, radius=0.1))
            for colors in (law, {**law, "categories": {"a": "#ff0000"}}, {**law, "categories": {1: "#ff0000"}},
                           {**law, "categories": "tab10"}):
                made = scene().add(**columns, map={"color": colors})
                self.check_saved(made)
                np.testing.assert_array_equal(roundel.circles(made)[:, 4:], [[1, 0, 1]] * 2)
            for where, count in (({"c": {"in": ["a"]}}, 0), ({"c": {"not": "a"}, "d": {"not": "b"}}, 2),
                                 ({"c": {"in": [1]}}, 0)):
                self.assertEqual(len(roundel.circles(scene().add(**columns, where=where))), count, where)
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(columns=["x", "y"])
        self.assertEqual(len(roundel.circles(scene().add(frame, x="x", y="y", radius=0.1))), 0)
        for nothing in (pandas.Series([pandas.NaT, pandas.NA], dtype=object), pandas.Series([None, None], dtype="string")):
            made = scene().add({"c": nothing}, x=[0.2, 0.6], y=0.5, radius=0.1, map={"color": law})
            np.testing.assert_array_equal(roundel.circles(made)[:, 4:], [[1, 0, 1]] * 2)

    def test_a_zero_with_a_sign_is_no_snow(self):
        made = scene().add(x=[0.2, 0.5], y=0.5, radius=0.1, color=np.array([[1, 0, 0], [0, 1, 0]]), alpha=[-0.0, 1.0])
        np.testing.assert_array_equal(roundel.circles(made)[:, 4:7], [[1, 0, 0], [0, 1, 0]])

    def test_colours_beyond_what_is_shown_are_warned_of(self):
        for channels, message in (([[255, 128, 0]], "color: whole numbers up to 255"), ([[1, 0, 1]], None)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scene().add(x=[0.5], y=[0.5], radius=0.1, color=np.array(channels))
            self.assertEqual([str(w.message)[:len(message or "")] for w in caught], [message] if message else [])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scene().add(x=[0.5], y=[0.5], radius=0.1, color=np.full((1, 3), 65535, ">u2"))
        channels = np.array([[0.5, 0.25, 1.0]])
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        def drawn(color):
            return roundel.render(scene().add(x=[0.5, 0.6], y=[0.5, 0.6], radius=0.1, color=color))

        bytes_ = np.array([[200, 100, 50], [1, 2, 3]], np.uint8)
        for color, same in ((pandas.DataFrame(np.vstack([channels] * 2)), np.vstack([channels] * 2)),
                            (pandas.DataFrame(bytes_).astype("UInt8"), bytes_), (memoryview(bytes_), bytes_)):
            np.testing.assert_array_equal(drawn(color), drawn(same))
        gaps = pandas.DataFrame(bytes_).astype("UInt8")
        gaps.iloc[1, 0] = pandas.NA
        with self.assertRaisesRegex(roundel.SceneError, "row 1: red"):
            drawn(gaps)

    def test_categories_may_be_numpys_scalars(self):
        kinds = RNG.integers(0, 3, ROWS)
        for values, colors in ((TABLE["kind"], {"a": "#ff0000", "bb": "#00ff00", "c\u00e9": "#0000ff"}),
                               (kinds, {0: "#ff0000", 1: "#00ff00", 2: "#0000ff"})):
            drawn = roundel.render(scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, values=values, categories=colors))
            of_numpy = {key: color for key, color in zip(np.array(list(colors)), colors.values())}
            self.assertTrue(all(isinstance(key, np.generic) for key in of_numpy))
            made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, values=values, categories=of_numpy)
            np.testing.assert_array_equal(drawn, self.check_saved(made))
            keys = {"version": 1, "image": {"width": 120, "height": 90, "background": "#102030"}, "layers": [
                {"data": {**TABLE, "k": values},
                 "map": {"x": "x", "y": "y", "radius": 0.01, "color": {"column": "k", "categories": of_numpy}}}]}
            np.testing.assert_array_equal(drawn, roundel.render(keys))

    def test_what_is_masked_is_missing(self):
        masked = np.arange(ROWS) % 3 == 0
        for column in (TABLE["v"], TABLE["v"].astype(np.float32), RNG.integers(1, 100, ROWS), RNG.random(ROWS) < 0.5,
                       TABLE["kind"], TABLE["kind"].astype(object)):
            law = {"column": "c", "missing": "#ff00ff", **({"categories": "tab10"} if column.dtype.kind in "UO" else {})}
            is_text = column.dtype.kind in "UO"
            missing = np.where(masked, "", column.astype(str)) if is_text else np.where(masked, np.nan, column)
            expected = roundel.render(scene().add({**TABLE, "c": missing}, x="x", y="y", radius="r", color=law))
            made = scene().add({**TABLE, "c": np.ma.array(column, mask=masked)}, x="x", y="y", radius="r", color=law)
            np.testing.assert_array_equal(self.check_saved(made), expected, str(column.dtype))
            bare = scene().add({**TABLE, "c": column}, x="x", y="y", radius="r", color=law)
            self.assertFalse(np.array_equal(roundel.render(bare), expected))
            np.testing.assert_array_equal(
                roundel.render(scene().add({**TABLE, "c": np.ma.array(column)}, x="x", y="y", radius="r", color=law)),
                roundel.render(bare))
        with self.assertRaisesRegex(roundel.SceneError, "row 0: .*x"):
            roundel.render(scene().add(x=np.ma.array(TABLE["x"], mask=masked), y=TABLE["y"], radius=0.1))

    def test_colours_are_an_array_of_channels(self):
        colors = RNG.integers(0, 256, (ROWS, 3)).astype(np.uint8)
        drawn = self.check_saved(scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, alpha=1, color=colors))
        in_floats = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01, alpha=1, color=colors / 255.0)
        np.testing.assert_array_equal(drawn, roundel.render(in_floats))
        one = roundel.render(scene().add(x=0.5, y=np.array([0.5]), radius=0.4, alpha=1, color=(1, 0, 0.2)))
        self.assertEqual(one[45, 60].tolist(), [255, 0, 51])

    def test_layers_are_painted_over_each_other(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.02, color="#ffffff", blend="add", name="light")
        made.add(TABLE, x="x", y="y", radius="r", color="#00ff00", where={"v": {"min": 1}}, order="v")
        self.check_saved(made)
        swapped = scene().add(TABLE, x="x", y="y", radius="r", color="#00ff00", where={"v": {"min": 1}}, order="v")
        swapped.add(x=TABLE["x"], y=TABLE["y"], radius=0.02, color="#ffffff", blend="add", name="light")
        self.assertNotEqual(roundel.fingerprint(made), roundel.fingerprint(swapped))

    def test_columns_of_one_name_are_refused(self):
        with self.assertRaisesRegex(roundel.SceneError, "columns of different names, got two named '1'"):
            scene().add({1: [0.5], "1": [0.2]}, x="1", y=0.5, radius=0.1)

    def test_pandas_and_dlpack_columns_are_taken(self):
        drawn = roundel.render(scene().add(TABLE, x="x", y="y", radius="r", color="v"))

        class OnlyDlpack:
            def __init__(self, values):
                self.values = values

            def __dlpack__(self, **keywords):
                return self.values.__dlpack__(**keywords)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

            def __len__(self):
                return len(self.values)

        np.testing.assert_array_equal(drawn, roundel.render(scene().add(
            x=OnlyDlpack(TABLE["x"]), y=OnlyDlpack(TABLE["y"]), radius=OnlyDlpack(TABLE["r"]), values=TABLE["v"])))
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(TABLE)
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(frame, x="x", y="y", radius="r", color="v")))
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(
            x=frame["x"], y=frame.y, radius=frame["r"], values=frame["v"])))
        frame["gaps"] = pandas.array([None if i % 3 == 0 else i for i in range(ROWS)], dtype="Int64")
        gaps = np.where(np.arange(ROWS) % 3 == 0, np.nan, np.arange(ROWS))
        large = pandas.Series(np.arange(ROWS)[::-1] + 2**60, dtype="Int64")
        np.testing.assert_array_equal(
            roundel.render(scene().add({**TABLE, "id": large}, x="x", y="y", radius="r", order="id")),
            roundel.render(scene().add({**TABLE, "id": large.to_numpy(np.int64)}, x="x", y="y", radius="r", order="id")))
        large[3] = pandas.NA
        with self.assertRaisesRegex(roundel.SceneError, r"^id: expected whole numbers up to 2\*\*53"):
            scene().add({**TABLE, "id": large}, x="x", y="y", radius="r", order="id")
        frame["some"] = [(None, np.nan, pandas.NA, kind)[i % 4] for i, kind in enumerate(TABLE["kind"])]
        some = np.where(np.arange(ROWS) % 4 == 3, TABLE["kind"], "")
        for name, column in (("gaps", gaps), ("some", some)):
            law = {"column": name, "missing": "#ff00ff", **({"categories": "tab10"} if name == "some" else {})}
            np.testing.assert_array_equal(
                roundel.render(scene().add(frame, x="x", y="y", radius="r", color=law)),
                roundel.render(scene().add({**TABLE, name: column}, x="x", y="y", radius="r", color=law)))
        self.check_saved(scene().add(frame, x="x", y="y", radius="r", color={"column": "kind", "categories": "tab10"}))

    def test_arrow_columns_are_taken(self):
        class Arrow:  # a table's interface, where pyarrow is not installed
            column_names = list(TABLE)

            def column(self, name):
                return memoryview(TABLE[name]) if name != "kind" else TABLE[name]

        table = Arrow()
        try:
            import pyarrow

            table = pyarrow.table(TABLE)
        except ImportError:
            pass
        np.testing.assert_array_equal(roundel.render(scene().add(table, x="x", y="y", radius="r", color="v")),
                                      roundel.render(scene().add(TABLE, x="x", y="y", radius="r", color="v")))

    def test_columns_on_a_device_are_copied(self):
        """Needs a GPU; without one it is said that there is none."""
        packed = np.stack([TABLE["x"], TABLE["y"], TABLE["r"]], 1).astype(np.float32)

        class Column:
            def __init__(self, address, number):
                self.__cuda_array_interface__ = {"shape": (ROWS,), "typestr": "<f4", "version": 3, "strides": (12,),
                                                 "data": (address + 4 * number, True)}

        if not roundel.info()["devices"]:
            with self.assertRaises(roundel.RenderError):
                scene().add(x=Column(4096, 0), y=0.5, radius=0.1)
            return
        driver, address, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64(), ctypes.c_void_p()
        self.assertEqual(driver.cuInit(0), 0)
        self.assertEqual(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), 0)
        self.assertEqual(driver.cuCtxSetCurrent(context), 0)
        self.assertEqual(driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(packed.nbytes)), 0)
        self.assertEqual(driver.cuMemcpyHtoD_v2(address, packed.ctypes.data_as(ctypes.c_void_p),
                                                ctypes.c_size_t(packed.nbytes)), 0)
        x, y, radius = (Column(address.value, number) for number in range(3))
        drawn = roundel.render(scene().add(x=x, y=y, radius=radius))
        self.assertEqual(driver.cuMemFree_v2(address), 0)
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(x=packed[:, 0], y=packed[:, 1],
                                                                        radius=packed[:, 2])))

    def test_what_is_no_column_is_said(self):
        class Device:
            def __len__(self):
                return 1

        def on_device(**interface):
            column = Device()
            column.__cuda_array_interface__ = interface
            return column

        for column in ({1, 2}, [[1], [1, 2]], on_device(), on_device(shape="x", typestr="<f4", data=(0, False)),
                       on_device(shape=(3,), typestr="bad", data=(0, False)), on_device(shape=(3,), typestr="<f4", data=7)):
            with self.assertRaisesRegex(roundel.SceneError, "^x: expected"):
                scene().add(x=column, y=0.5, radius=0.1)
        with self.assertRaisesRegex(roundel.UsageError, "^expected a path or an array, got a list"):
            roundel.diff([[1], [1, 2]], [[1], [2]])

    def test_wrong_arguments_are_usage_errors(self):
        itself = {}
        itself["self"] = itself
        huge, one = 10**5000, {"x": [0.5], "y": 0.5, "radius": 0.1}
        for draw in (lambda: roundel.Scene(image=3), lambda: roundel.Scene(image=[3]), lambda: scene().add(**one, map=[1]),
                     lambda: roundel.Scene(layers=3).add(**one), lambda: scene().add(**one, stroke=itself),
                     lambda: scene().add(**one, stroke={"width": huge}), lambda: roundel.Scene(size=(huge, 1)),
                     lambda: roundel.render(scene(), seed=huge), lambda: roundel.render(scene(), frame=huge),
                     lambda: roundel.render(scene(), device=np.zeros(3)), lambda: roundel.render(scene(), dtype=("u1", -1)),
                     lambda: roundel.diff(np.zeros((1, 1)), np.zeros((1, 1)), max_delta=np.array([1, 2])),
                     lambda: roundel.diff(np.zeros((1, 1)), np.zeros((1, 1)), max_delta=Decimal("sNaN")),
                     lambda: roundel.frames(scene(), itertools.count())):
            with self.assertRaises(roundel.UsageError):
                draw()
        with self.assertRaises(roundel.SceneError):
            roundel.Scene(layers=["a"]).add(**one)

    def test_arguments_that_exclude_or_need_each_other_are_refused(self):
        one = {"x": [0.5], "y": [0.5], "radius": 0.1}
        for wrong, message in ((dict(colormap="magma"), "colormap: needs values, got 'magma' without them"),
                               (dict(domain=[0, 1]), "domain: needs values, got"),
                               (dict(categories={"a": "#ff0000"}), "categories: needs values, got"),
                               (dict(colormap="magma", color="#ff0000"), "colormap: needs values"),
                               (dict(scale="log"), "scale: needs values; a layer's own is a number, got 'log'"),
                               (dict(values=[1], color="#ff0000"), "values: expected values or color, got both"),
                               (dict(values=[1], map={"color": 0}),
                                'values: expected as an argument or as "color" in map, got both'),
                               (dict(map={"color": 0}, color=0), 'color: .* "color" in map, got both'),
                               *((dict([(key, 0.5)], map={key: 0.5}, data={"t": [1]}), f'{key}: .* "{key}" in map, got both')
                                 for key in ("x", "y", "z", "radius", "alpha"))):
            with self.subTest(wrong), self.assertRaisesRegex(roundel.UsageError, "^" + message):
                scene().add(**{**one, **wrong})
        for wrong, message in ((dict(size=(5, 5), image={"width": 9}), 'size: .* "width" in image, got both'),
                               (dict(size=(5, 5), image={"height": 9}), 'size: .* "height" in image, got both'),
                               (dict(background=0, image={"background": 1}), 'background: .* "background" in image')):
            with self.subTest(wrong), self.assertRaisesRegex(roundel.UsageError, "^" + message):
                roundel.Scene(**wrong)
        made = roundel.Scene(image={"width": 9, "background": "#ff0000"}).add(x=[9.0], y=9.0, radius=0.1)
        self.assertEqual((roundel.validate(made)["width"], roundel.validate(made)["height"]), (9, 1024))

    def test_a_scale_of_numbers_is_the_layers(self):
        columns = {"x": TABLE["x"], "y": TABLE["y"], "radius": 0.01}
        plain = roundel.circles(scene().add(**columns))
        for factor in (2, 2.0, np.float32(2), np.array(2), {"keys": {0: 2, 10: 4}}):
            drawn = roundel.circles(scene().add(**columns, scale=factor))
            np.testing.assert_allclose(drawn[:, :4], plain[:, :4] * [2, 2, 1, 2], rtol=1e-6)
        law = {"column": "v", "scale": "log"}
        both = scene().add({"v": TABLE["v"]}, **columns, map={"color": law}, scale=2)
        expected = roundel.circles(scene().add(**columns, values=TABLE["v"], scale="log"))
        np.testing.assert_allclose(roundel.circles(both)[:, 3:], expected[:, 3:] * [2, 1, 1, 1], rtol=1e-6)
        with self.assertRaisesRegex(roundel.SceneError, "layers.0..scale: expected"):
            scene().add(**columns, values=TABLE["v"], scale=[1])

    def test_texts_are_in_unicode(self):
        for draw in (lambda: scene().add({"\ud800": [0.5]}, x="\ud800", y=0.5, radius=0.1),
                     lambda: scene().add(x=[0.5], y=0.5, radius=0.1, name="\ud800"),
                     lambda: roundel.Scene(background="\ud800").add(x=[0.5], y=0.5, radius=0.1),
                     lambda: roundel.render(scene(), backend="\ud800"), lambda: roundel.render(scene(), dtype="\ud800"),
                     lambda: roundel.render(scene(), set={"gain": "\ud800"}),
                     lambda: roundel.render(scene(), set={"\ud800": 1}), lambda: roundel.frames(scene(), "\ud800")):
            with self.assertRaisesRegex(roundel.UsageError, "expected text in Unicode, got '.ud800'"):
                draw()

    def unusable(self):
        def objects(*values):
            column = np.empty(ROWS, object)
            column[:] = [values[i % len(values)] for i in range(ROWS)]
            return column

        return {"list": objects([1], None), "dict": objects({}), "tuple": objects((1, 2), (3,)),
                "bytes": objects(b"\xff"), "huge": objects(2**70, 1), "array": objects(np.zeros(2), np.zeros(3)),
                "other": objects(NoAnswer()), "images": np.zeros((ROWS, 2)), "one": 5, "long": np.zeros(ROWS, np.longdouble),
                "record": np.zeros(ROWS, [("a", "f4")]), "it's": np.zeros(ROWS), "gr\u00fc\u00df" * 20: objects([])}

    def test_columns_that_are_not_used_may_be_anything(self):
        expected = roundel.render(scene().add(TABLE, x="x", y="y", radius="r", values="v", where={"v": {"min": 1}}))
        made = scene().add({**self.unusable(), **TABLE}, x="x", y="y", radius="r", values="v", where={"v": {"min": 1}})
        np.testing.assert_array_equal(self.check_saved(made), expected)
        for copied in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            np.testing.assert_array_equal(roundel.render(copied), expected)
        self.assertEqual(len(roundel.circles(scene().add({"one": 5, "list": [[1], [2]]}, x=[0.5], y=0.5, radius=0.1))), 1)
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame({**TABLE, "list": [[i] for i in range(ROWS)]})
        np.testing.assert_array_equal(expected, roundel.render(
            scene().add(frame, x="x", y="y", radius="r", values="v", where={"v": {"min": 1}})))

    def test_columns_that_cannot_be_used_say_why_when_they_are(self):
        columns = {"x": TABLE["x"], "y": TABLE["y"], "radius": 0.01}
        table = self.unusable()
        for name, why in zip(table, ("list: expected numbers or texts, got a list", "dict: expected numbers or texts, got a dict",
                                     "tuple: .*, got a tuple", "bytes: .*, got 'utf-8' codec can't",
                                     "huge: .* that int64 or uint64 holds", "array: .*, got a ndarray",
                                     "other: .*, got a NoAnswer", "images: .* one of 2 dimensions", "one: .* array .rows., got a int",
                                     "long: .* elements of type '.f16'", "record: .* elements of type '.V4'",
                                     'data: expected columns with names, without quotes', "gr\u00fc.*, got a list")):
            for use in (dict(where={name: {"min": 1}}), dict(order=name), dict(map={"color": name}),
                        dict(map={"color": [0, name, 0]}), dict(values=name, colormap="magma"), dict(alpha=name)):
                with self.subTest(use), self.assertRaisesRegex(roundel.SceneError, "^" + why) as caught:
                    scene().add(table, **{**columns, **use})
                self.assertRegex(caught.exception.problems[0].key, "^layers.0..(map|where|order)")
        used = {"x": "list", "y": "y", "radius": "nothing"}
        with self.assertRaises(roundel.SceneError) as caught:
            scene().add({"list": table["list"], "y": TABLE["y"]}, **used)
        self.assertEqual([problem.message.split(";")[0] for problem in caught.exception.problems],
                         ["list: expected numbers or texts, got a list", 'layers[0].data has no column "nothing"'])
        varied = roundel.Scene(vars={"size": "r"}).add({**TABLE, **table}, x="x", y="y", radius="$size")
        roundel.render(varied)
        with self.assertRaisesRegex(roundel.SceneError, "^list: expected numbers or texts"):
            roundel.render(varied, set={"size": "list"})
        # Their numbers would be those of others.
        for use in (dict(values=0), dict(map={"color": [0, {"column": 1}, 0]}), dict(order={"column": 1})):
            with self.assertRaisesRegex(roundel.SceneError, "^list: expected numbers or texts"):
                scene().add({"list": table["list"], "v": TABLE["v"]}, **{**columns, **use})
        with self.assertRaisesRegex(roundel.SceneError, "^list: expected numbers or texts"):
            scene().add({"list": table["list"]}, x=0.5, y=0.5, radius=0.1)
        with self.assertRaisesRegex(roundel.SceneError, "^v: expected numbers or texts, got a ndarray"):
            scene().add(**columns, data={"v": table["array"]}, values="v")
        with self.assertRaisesRegex(roundel.SceneError, "^values: expected numbers or texts, got a ndarray"):
            scene().add(**columns, values=table["array"])

    def test_parts_of_structured_arrays_are_columns(self):
        table = np.zeros(ROWS, [("p", "f4", (3,)), ("n", [("a", "u1"), ("b", [("c", "f8")], (2,))]), ("m", "f8", (2, 1))])
        table["p"], table["n"]["b"]["c"], table["m"] = RNG.random((ROWS, 3)), RNG.random((ROWS, 2)), RNG.random((ROWS, 2, 1))
        np.save(self.path("t.npy"), table)
        keys = {"x": "p[1]", "y": "n.b[1].c", "radius": 0.01, "color": ["p[0]", "m[1,0]", "n.b[0].c"]}
        head = {"version": 1, "image": {"width": 120, "height": 90, "background": "#102030"}}
        expected = roundel.render({**head, "layers": [{"data": self.path("t.npy"), "map": keys}]})
        made = roundel.Scene.from_dict({**head, "layers": [{"data": table, "map": keys}]})
        np.testing.assert_array_equal(self.check_saved(made), expected)
        np.testing.assert_array_equal(roundel.render(scene().add(table.view(np.recarray), map=keys)), expected)
        table["p"][:, 1] = 0.5
        self.assertFalse(np.array_equal(roundel.render(made), expected))
        odd = np.zeros(3, [("p", "f4", (2,)), ("none", "f4", (0,)), ("o", "O", (2,)), ("wide", "u1", (70000,))])
        self.assertEqual(len(roundel.circles(scene().add(odd, x="p[0]", y="p[1]", radius=0.1))), 3)
        with self.assertRaisesRegex(roundel.SceneError, "wide: .* one of 2 dimensions"):
            scene().add(odd, x="p[0]", y="p[1]", radius="wide")
        with self.assertRaisesRegex(roundel.SceneError, "data: expected a structured array .rows., got one of 2 dimensions"):
            scene().add(table.reshape(2, -1), x="p[0]", y="p[1]", radius=0.1)

    def test_an_array_does_not_replace_a_column(self):
        for name in ("x", "values"):
            with self.assertRaisesRegex(roundel.SceneError, f"^{name}: data has a column of this name"):
                scene().add({"x": TABLE["x"], "values": TABLE["v"]}, **{"x": 0.5, name: TABLE["y"]}, y=0.5, radius=0.1)

    def test_frames_before_one_with_bad_data_come(self):
        for frame in range(4):
            np.savez(self.path(f"d_{frame}.npz"), x=[0.5, np.nan if frame == 2 else 0.1], y=[0.1 * frame, 0.5])
        keys = {"version": 1, "image": {"width": 30, "height": 20}, "animation": {"frames": 4},
                "layers": [{"data": self.path("d_#.npz"), "map": {"x": "x", "y": "y", "radius": 0.2}}]}
        drawn = roundel.frames(keys)
        for frame in (0, 1):
            np.testing.assert_array_equal(next(drawn), roundel.render(keys, frame=frame))
        with self.assertRaisesRegex(roundel.SceneError, "d_2.npz: row 1: x: x: expected a number from -1e15 to 1e15, got nan"):
            next(drawn)

    def test_datasets_are_not_of_arrays(self):
        with self.assertRaisesRegex(roundel.SceneError, '"dataset" is for files with several tables'):
            scene().add(x=TABLE["x"], y=TABLE["y"], radius=1, dataset="cells")

    def test_integers_sort_exactly(self):
        ids = RNG.permutation(ROWS) + 2**60
        drawn = self.check_saved(scene().add({"id": ids}, x=TABLE["x"], y=TABLE["y"], radius=0.05, alpha=0.9,
                                             values=TABLE["v"], order="id"))
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(
            {"id": ids - 2**60}, x=TABLE["x"], y=TABLE["y"], radius=0.05, alpha=0.9, values=TABLE["v"], order="id")))

    def test_what_does_not_fit_is_said_and_nothing_is_added(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01)
        name = roundel.fingerprint(made)
        x, y = TABLE["x"], TABLE["y"]
        for wrong, message in (
                (dict(x=x, y=y[:-1], radius=1), "layers\\[1\\].data: y: expected 5000 rows, as the columns before have, got 4999"),
                (dict(x=x, y=y), 'layers\\[1\\].map: missing key "radius"'),
                (dict(x=x, y=y, radius="big"), 'layers\\[1\\].map.radius: layers\\[1\\].data has no column "big"'),
                (dict(x=x, y=y, radius=1, blnd="add"), 'layers\\[1\\]: unknown key "blnd" \\(did you mean "blend"'),
                (dict(x=x, y=y, radius=1, values=x, colormap="magmma"), "layers\\[1\\].map.color"),
                (dict(x=x.reshape(-1, 2), y=y, radius=1), "x: expected an array \\[rows\\], got one of 2 dimensions"),
                (dict(x=x, y=y, radius=1, color=np.zeros((ROWS, 4))), "color: expected an array \\[rows, 3\\]"),
                (dict(x=x.astype(complex), y=y, radius=1), "layers\\[1\\].map.x")):
            with self.subTest(message), self.assertRaisesRegex(roundel.SceneError, message):
                made.add(**wrong)
        self.assertEqual(roundel.fingerprint(made), name)
        with self.assertRaisesRegex(roundel.SceneError, "row 7: .*x"):
            bad = x.copy()
            bad[7] = np.nan
            roundel.render(scene().add(x=bad, y=y, radius=0.1))


class LeftAlone(unittest.TestCase):
    """What is asked of columns changes none that are the caller's own."""

    def setUp(self):
        self.n = 10
        self.x = np.linspace(0.1, 0.9, self.n)

    def scene(self, columns, color, radius=0.1, given=None, **layer):
        return roundel.Scene(size=(32, 32), **({"vars": given} if given else {})).add(
            {"x": self.x, **columns}, x="x", y="x", radius=radius, map={"color": color}, **layer)

    def test_arrays_of_nan_are_read_again(self):
        for color, layer in (({"column": "c", "categories": {"1": "#ffffff"}, "missing": "#000000"}, {}),
                             ("#ff0000", {"where": {"c": {"in": ["$k"]}}, "given": {"k": 1}})):
            c = np.full(self.n, np.nan)
            scene = self.scene({"c": c}, color, **layer)
            before = roundel.render(scene)
            c[:] = 1
            self.assertFalse(np.array_equal(roundel.render(scene), before))

    def test_texts_may_be_asked_by_number(self):
        color = {"column": 1, "categories": {"a": "#ffffff"}, "missing": "#000000"}
        by_number = roundel.render(self.scene({"c": [None] * self.n}, color))
        np.testing.assert_array_equal(by_number, roundel.render(self.scene({"c": [None] * self.n}, {**color, "column": "c"})))

    def test_a_var_may_be_a_number(self):
        columns = {"tags": [[1]] * self.n, "u": self.x, "v": self.x[::-1].copy()}
        problem = r"tags: expected an array \[rows\], got one of 2 dimensions"
        for column, given in ((2, None), ("$k", {"k": 2}), ("$k", {"k": "u"})):
            with self.assertRaisesRegex(roundel.SceneError, problem):
                self.scene(columns, {"column": column}, given=given)
        scene = self.scene(columns, {"column": "u"}, radius="$r", given={"r": 0.1})
        roundel.render(scene, set={"r": 0.2})
        for value in ({"column": 2, "range": [0.1, 0.2]}, "{column: 2, range: [0.1, 0.2]}"):
            with self.assertRaisesRegex(roundel.SceneError, problem):
                roundel.render(scene, set={"r": value})

    def test_objects_that_cannot_be_shown(self):
        class Bad:
            def __str__(self):
                raise RuntimeError("no")

        scene = self.scene({"bad": np.array([Bad()] * self.n, object), "u": self.x}, {"column": "u"})
        roundel.render(scene)
        with self.assertRaisesRegex(roundel.SceneError, "bad: expected numbers or texts, got no"):
            self.scene({"bad": np.array([Bad()] * self.n, object)}, {"column": "bad"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
