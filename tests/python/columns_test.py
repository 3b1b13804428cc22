#!/usr/bin/env python3
"""columns_test.py ROUNDEL: scenes of arrays in memory are those of the same arrays in files."""
import array
import ctypes
import unittest
import warnings
from decimal import Decimal

import numpy as np
import roundel

from columns_case import RNG, ROWS, TABLE, ColumnsCase, scene


class Columns(ColumnsCase):
    def expect_as_float32(self, drawn, **columns):
        """Compares with `drawn`, the picture of plain float32 columns."""
        plain = {name: np.ascontiguousarray(column, np.float32) for name, column in columns.items()}
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(**plain)))

    def test_any_type_and_stride_is_accepted(self):
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
        # The top circle depends on whole numbers that float64 cannot distinguish.
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

    def test_lists_have_the_type_of_their_objects(self):
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

    def test_whole_numbers_of_arrow_are_exact(self):
        class Whole:  # stands for Arrow if that is not installed
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

    def test_empty_columns_are_numbers_or_texts(self):
        empty = {"x": np.array([], object), "y": np.array([], object), "kind": np.array([], object)}
        texts = {"where": {"kind": {"in": ["a"]}}, "values": "kind", "categories": {"a": "#ff0000"}}
        self.assertEqual(roundel.circles(scene().add(empty, x="x", y="y", radius=0.1)).shape, (0, 7))
        self.assertEqual(roundel.circles(scene().add(empty, x="x", y="y", radius=0.1, **texts)).shape, (0, 7))
        law = {"column": "c", "missing": "#ff00ff"}
        for missing in ([None, None], [np.nan, None], [np.datetime64("NaT"), None], [np.nan, np.nan]):
            data = {"c": np.array(missing, object), "d": missing}
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
        for missing in (pandas.Series([pandas.NaT, pandas.NA], dtype=object), pandas.Series([None, None], dtype="string")):
            made = scene().add({"c": missing}, x=[0.2, 0.6], y=0.5, radius=0.1, map={"color": law})
            np.testing.assert_array_equal(roundel.circles(made)[:, 4:], [[1, 0, 1]] * 2)

    def test_negative_zero_is_a_disc(self):
        made = scene().add(x=[0.2, 0.5], y=0.5, radius=0.1, color=np.array([[1, 0, 0], [0, 1, 0]]), alpha=[-0.0, 1.0])
        np.testing.assert_array_equal(roundel.circles(made)[:, 4:7], [[1, 0, 0], [0, 1, 0]])

    def test_colours_out_of_range_are_warned_about(self):
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

    def test_masked_values_are_missing(self):
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

    def test_pandas_and_dlpack_columns_are_accepted(self):
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

    def test_arrow_columns_are_accepted(self):
        class Arrow:  # a table's interface, if pyarrow is not installed
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
        """Needs a GPU; without one the error names it."""
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

    def test_texts_are_in_unicode(self):
        for draw in (lambda: scene().add({"\ud800": [0.5]}, x="\ud800", y=0.5, radius=0.1),
                     lambda: scene().add(x=[0.5], y=0.5, radius=0.1, name="\ud800"),
                     lambda: roundel.Scene(background="\ud800").add(x=[0.5], y=0.5, radius=0.1),
                     lambda: roundel.render(scene(), backend="\ud800"), lambda: roundel.render(scene(), dtype="\ud800"),
                     lambda: roundel.render(scene(), set={"gain": "\ud800"}),
                     lambda: roundel.render(scene(), set={"\ud800": 1}), lambda: roundel.frames(scene(), "\ud800")):
            with self.assertRaisesRegex(roundel.UsageError, "expected text in Unicode, got '.ud800'"):
                draw()

    def test_extra_arrays_cannot_replace_columns(self):
        for name in ("x", "values"):
            with self.assertRaisesRegex(roundel.SceneError, f"^{name}: data has a column of this name"):
                scene().add({"x": TABLE["x"], "values": TABLE["v"]}, **{"x": 0.5, name: TABLE["y"]}, y=0.5, radius=0.1)

    def test_frames_before_bad_data_are_returned(self):
        for frame in range(4):
            np.savez(self.path(f"d_{frame}.npz"), x=[0.5, np.nan if frame == 2 else 0.1], y=[0.1 * frame, 0.5])
        keys = {"version": 1, "image": {"width": 30, "height": 20}, "animation": {"frames": 4},
                "layers": [{"data": self.path("d_#.npz"), "map": {"x": "x", "y": "y", "radius": 0.2}}]}
        drawn = roundel.frames(keys)
        for frame in (0, 1):
            np.testing.assert_array_equal(next(drawn), roundel.render(keys, frame=frame))
        with self.assertRaisesRegex(roundel.SceneError, "d_2.npz: row 1: x: expected a number from -1e15 to 1e15, got nan"):
            next(drawn)

    def test_dataset_is_refused_for_arrays(self):
        with self.assertRaisesRegex(roundel.SceneError, '"dataset" is for files with several tables'):
            scene().add(x=TABLE["x"], y=TABLE["y"], radius=1, dataset="cells")

    def test_integers_sort_exactly(self):
        ids = RNG.permutation(ROWS) + 2**60
        drawn = self.check_saved(scene().add({"id": ids}, x=TABLE["x"], y=TABLE["y"], radius=0.05, alpha=0.9,
                                             values=TABLE["v"], order="id"))
        np.testing.assert_array_equal(drawn, roundel.render(scene().add(
            {"id": ids - 2**60}, x=TABLE["x"], y=TABLE["y"], radius=0.05, alpha=0.9, values=TABLE["v"], order="id")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
