#!/usr/bin/env python3
"""scene_add_test.py ROUNDEL: arguments of Scene.add, and the columns that a layer needs."""
import copy
import itertools
import pickle
import unittest
from decimal import Decimal

import numpy as np
import roundel

from columns_case import RNG, ROWS, TABLE, ColumnsCase, NoAnswer, scene


class SceneAdd(ColumnsCase):
    def unusable(self):
        def objects(*values):
            column = np.empty(ROWS, object)
            column[:] = [values[i % len(values)] for i in range(ROWS)]
            return column

        return {"list": objects([1], None), "dict": objects({}), "tuple": objects((1, 2), (3,)),
                "bytes": objects(b"\xff"), "huge": objects(2**70, 1), "array": objects(np.zeros(2), np.zeros(3)),
                "other": objects(NoAnswer()), "images": np.zeros((ROWS, 2)), "one": 5, "long": np.zeros(ROWS, np.longdouble),
                "record": np.zeros(ROWS, [("a", "f4")]), "it's": np.zeros(ROWS), "gr\u00fc\u00df" * 20: objects([])}

    def test_invalid_columns_are_reported(self):
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

    def test_numbers_to_be_coloured_are_refused_as_color(self):
        """In all kinds of columns, for any number of rows."""
        try:
            from pandas import Series
        except ImportError:
            Series = memoryview
        for rows in (3, 1000, 10**6):
            numbers = np.linspace(0, 9, rows)
            for color in (numbers, numbers.tolist(), Series(numbers)):
                made = scene()
                with self.assertRaises(roundel.SceneError) as caught:
                    made.add(x=numbers, y=0.5, radius="1px", color=color)
                self.assertEqual(str(caught.exception),
                                 "color is one colour or an array [rows, 3]; numbers to be coloured go into values=")
        x = [0.1, 0.2, 0.3]
        for color in (np.array([0, 0.5, 1]), ["#ff0000", "#00ff00", "#0000ff"], [0.1, 0.2, 1.5], [[0, 0, 1]] * 3, b"abc"):
            with self.assertRaisesRegex(roundel.SceneError, "numbers to be coloured go into values="):
                scene().add(x=x, y=x, radius=0.1, color=color)

    def test_three_channels_are_a_color_of_three_rows(self):
        x = np.array([0.1, 0.2, 0.3])
        data = {name: x for name in ("x", "y", "r", "g", "b")}
        for color in (["r", "g", "b"], ("r", 0.5, 0), [{"column": "r"}, 0, 0], [np.float64(0.1), np.float32(0.5), 1],
                      (2.0, 1.5, 0)):
            made = scene()
            made.add(data=data, x="x", y="y", radius=0.1, color=color)
            self.assertEqual(roundel.render(made).shape[2], 3)

    def test_three_numbers_are_one_color(self):
        x = [0.1, 0.2, 0.3]
        expected_circles = roundel.circles(scene().add(x=x, y=x, radius=0.1, color="#0000ff"))
        np.testing.assert_array_equal(expected_circles, roundel.circles(scene().add(x=x, y=x, radius=0.1, color=[0, 0, 1])))
        np.testing.assert_array_equal(expected_circles, roundel.circles(scene().add(x=x, y=x, radius=0.1, color=(0.0, 0.0, 1.0))))
        for color in (np.array([0, 0, 1.5]), [0, 0, 1.5]):  # number of rows other than three
            shown = roundel.circles(scene().add(x=x[:2], y=x[:2], radius=0.1, color=color))
            np.testing.assert_array_equal(shown[:, 4:7], [[0, 0, 1.5]] * 2)

    def test_the_color_of_missing_values(self):
        x = [0.1, 0.2, 0.3]
        found = roundel.circles(scene().add(x=x, y=x, radius=0.1, values=[1, np.nan, 2], missing="#ff0000"))
        np.testing.assert_array_equal(found[1, 4:7], [1, 0, 0])
        with self.assertRaisesRegex(roundel.UsageError, "^missing: needs values"):
            scene().add(x=x, y=x, radius=0.1, missing="#ff0000")

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

    def test_a_scale_of_numbers_belongs_to_the_layer(self):
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

    def test_unused_columns_may_be_anything(self):
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

    def test_unusable_columns_report_why_when_used(self):
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
        # Their numbers would be those of other columns.
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

    def test_conflicts_are_reported_and_add_nothing(self):
        made = scene().add(x=TABLE["x"], y=TABLE["y"], radius=0.01)
        name = roundel.fingerprint(made)
        x, y = TABLE["x"], TABLE["y"]
        for wrong, message in (
                (dict(x=x, y=y[:-1], radius=1), "layers\\[1\\].data: y: expected 5000 rows, like the columns before it, got 4999"),
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
        bad = x.copy()
        bad[7] = np.nan
        with self.assertRaisesRegex(roundel.SceneError, r"row 7: x: expected a number"):
            roundel.render(scene().add(x=bad, y=y, radius=0.1))

    def test_words_of_other_tools_are_understood(self):
        x, y = TABLE["x"], TABLE["y"]
        for word, value, meant in (("cmap", "magma", "colormap"), ("norm", "log", "scale"), ("vmin", 0, "domain"), ("c", x, "values"),
                                   ("c", "red", "color"), ("colour", "#ff0000", "color"), ("s", 3, "radius"), ("zorder", "x", "order"),
                                   ("linewidth", 1, "stroke={'width': '1px'}")):
            with self.subTest(word), self.assertRaises(roundel.SceneError) as caught:
                scene().add(x=x, y=y, radius=0.1, **{word: value})
            self.assertEqual(str(caught.exception), f'layers[0]: unknown key "{word}" (did you mean "{meant}"?)')
        for word, meant in (("figsize", "size"), ("width", "size"), ("bg", "background"), ("backgroud", "background"),
                            ("fit", "view={'fit': 'data'}"),
                            ("xlim", "view={'x': [LOW, HIGH], 'y': [LOW, HIGH]}")):
            with self.subTest(word), self.assertRaises(roundel.SceneError) as caught:
                roundel.Scene(**{word: 1})
            self.assertEqual(str(caught.exception), f'unknown key "{word}" (did you mean "{meant}"?)')
            self.assertEqual(caught.exception.problems[0].message, str(caught.exception))
        with self.assertRaisesRegex(roundel.SceneError, 'got "red" \\(write "#ff0000"\\)'):
            scene().add(x=x, y=y, radius=0.1, color="red")

    def test_a_scene_describes_itself(self):
        made = roundel.Scene(size=(80, 60))
        self.assertEqual(repr(made), "<roundel.Scene 80x60, 0 layers>")
        made.add(x=TABLE["x"], y=TABLE["y"], radius=0.1)
        self.assertEqual(repr(made), f"<roundel.Scene 80x60, 1 layer, {ROWS:,} rows of arrays>")
        with self.assertRaisesRegex(roundel.UsageError, r"^expected a path, got an array \[3, 2\] of float64$"):
            roundel.save(made, np.zeros((3, 2)))


class CallersColumns(unittest.TestCase):
    """Reading columns leaves the caller's own ones unchanged."""

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

    def test_texts_may_be_read_by_number(self):
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

    def test_objects_without_a_text(self):
        class Bad:
            def __str__(self):
                raise RuntimeError("no")

        scene = self.scene({"bad": np.array([Bad()] * self.n, object), "u": self.x}, {"column": "u"})
        roundel.render(scene)
        with self.assertRaisesRegex(roundel.SceneError, "bad: expected numbers or texts, got no"):
            self.scene({"bad": np.array([Bad()] * self.n, object)}, {"column": "bad"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
