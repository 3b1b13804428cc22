"""Makes random scenes of the whole language, with their data, from a seed.

write_scene(folder, number, seed) writes `folder/NUMBER.yaml` and its tables, and returns a Scene with the
frames and options to draw. Equal seeds and numbers give equal files on every machine with the same NumPy.
About one scene in eight has a mistake: its exit code and the places of its errors count.
"""

import dataclasses
import json
import pathlib

import h5py
import numpy

COLORS = ["#e63946", "#2a9d8f", "#264653", "#e9c46a", "#ffffff", "#101018"]
KINDS = ["alpha", "beta", "gamma", "delta"]
CLASSIC = ["rgb", "rgby", "rand10k", "biglittle", "littlebig", "pattern", "snow", "snowsingle", "bouncingballs",
           "hypnosis", "fireworks"]


@dataclasses.dataclass
class Scene:
    """A scene file and the options to draw it with."""
    path: pathlib.Path
    frames: list[int]  # frame numbers to draw; [] draws a still
    options: list[str]  # for render: crop, scale, threads, memory, layers


class Table:
    """Rows of a random table: x, y, r, z, v, a (numbers), k (texts), n (integers)."""

    def __init__(self, random, rows, origin):
        spread = random.choice([1.0, 1.0, 30.0])
        self.columns = {
            "x": origin[0] + spread * random.random(rows), "y": origin[1] + spread * random.random(rows),
            "r": spread * random.uniform(0.002, 0.05, rows), "z": random.random(rows),
            "v": numpy.exp(random.normal(2, 2, rows)), "a": random.random(rows),
            "n": random.integers(0, 9, rows), "k": random.choice(KINDS, rows)}
        if random.random() < 0.3:
            self.columns["v"][random.random(rows) < 0.1] = numpy.nan

    def write(self, random, folder, name):
        """Writes the table in a random format. Returns its file name and further keys of the layer."""
        ending = random.choice(["csv", "tsv", "npy", "npz", "h5", "ply"])
        path = folder / f"{name}.{ending}"
        numbers = {key: value for key, value in self.columns.items() if key != "k"}
        single = random.random() < 0.3
        numbers = {key: value.astype(numpy.float32) if single and value.dtype.kind == "f" else value
                   for key, value in numbers.items()}
        if ending in ("csv", "tsv"):
            mark = "\t" if ending == "tsv" else random.choice([",", ";"])
            rows = zip(*(value.tolist() for value in self.columns.values()))
            path.write_text(mark.join(self.columns) + "\n" + "".join(
                mark.join("" if field != field else str(field) for field in row) + "\n" for row in rows))
        elif ending == "npy":
            records = numpy.zeros(len(self.columns["x"]), [(key, value.dtype) for key, value in numbers.items()]
                                  + [("k", "U5")])
            for key, value in (numbers | {"k": self.columns["k"]}).items():
                records[key] = value
            numpy.save(path, records)
        elif ending == "npz":
            write = random.choice([numpy.savez, numpy.savez_compressed])
            write(path, **numbers, k=self.columns["k"].astype("U5"))
        elif ending == "h5":
            with h5py.File(path, "w") as file:
                for key, value in numbers.items():
                    file[f"t/{key}"] = value
                file["t/k"] = self.columns["k"].astype("S5")
            return path.name, {"dataset": "t"}
        else:
            self._write_ply(path, numbers, bool(random.random() < 0.5))
        return path.name, {}

    @staticmethod
    def _write_ply(path, numbers, text):
        names = {"float64": "double", "float32": "float", "int64": "int"}
        header = ["ply", f"format {'ascii' if text else 'binary_little_endian'} 1.0",
                  f"element vertex {len(numbers['x'])}"]
        header += [f"property {names[value.dtype.name]} {key}" for key, value in numbers.items()] + ["end_header", ""]
        with open(path, "wb") as file:
            file.write("\n".join(header).encode())
            if text:
                for row in zip(*(value.tolist() for value in numbers.values())):
                    file.write((" ".join(map(str, row)) + "\n").encode())
                return
            records = numpy.zeros(len(numbers["x"]), [(key, "i4" if value.dtype.kind == "i" else value.dtype)
                                                      for key, value in numbers.items()])
            for key, value in numbers.items():
                records[key] = value
            file.write(records.tobytes())


class Generator:
    """Makes one scene. All choices come from one random generator."""

    counts, rows = [1, 30, 1000, 20000], [1, 50, 5000]  # for random layers and data files

    def __init__(self, folder, number, seed):
        self.random = numpy.random.default_rng([seed, number])
        self.folder, self.name = folder, f"{number:04}"
        self.film = self.chance(0.4)
        self.alpha = False

    def chance(self, share):
        return bool(self.random.random() < share)

    def pick(self, values):
        return values[int(self.random.integers(len(values)))]

    def number(self, low, high, digits=4):
        return round(float(self.random.uniform(low, high)), digits)

    def point(self, low=-0.2, high=1.2):
        return [self.number(low, high), self.number(low, high)]

    def color(self):
        kind = self.random.random()
        if kind < 0.6:
            return self.pick(COLORS)
        return self.number(0, 1) if kind < 0.8 else [self.number(0, 1) for _ in range(3)]

    def moving(self, value, share=0.5, paths=()):
        """Returns value(), or keys over time of such values. `paths`: those besides linear ones."""
        if not self.film or not self.chance(share):
            return value()
        keys = {int(frame): value() for frame in sorted(self.random.choice(12, self.pick([1, 2, 3]), replace=False))}
        eases = ["linear", "in", "out", "in-out", "hold"]
        for frame in list(keys)[1:]:
            if self.chance(0.3):
                keys[frame] = {"to": keys[frame], "ease": self.pick(eases)}
        moved = {"keys": keys, "ease": self.pick(eases)}
        if paths and self.chance(0.5):
            moved["path"] = self.pick(paths)
        if len(keys) > 1 and self.chance(0.3):
            moved["repeat"] = self.pick(["loop", "ping-pong"])
        return moved

    def law(self, low, high):
        kind = self.random.random()
        if kind < 0.4:
            return self.number(low, high)
        if kind < 0.7:
            return {"uniform": sorted([self.number(low, high), self.number(low, high)])}
        return {"gaussian": {"mean": self.number(low, high), "sigma": self.number(0, high / 3)}}

    def inline_layer(self):
        return {"circles": [
            {"x": self.moving(lambda: self.number(-0.3, 1.3), paths=["spline"]),
             "y": self.moving(lambda: self.number(-0.1, 1.1), paths=["spline"]),
             "radius": self.moving(lambda: self.number(0.001, 0.3), paths=["exponential"]),
             "color": self.moving(self.color), "alpha": self.moving(lambda: self.number(0, 1))}
            for _ in range(self.pick([0, 1, 3, 40]))]}

    def screen_layer(self):
        return {"space": "screen", "circles": [
            {key: self.moving(lambda: f"{self.number(1, 90)}px", 0.3) for key in ("x", "y", "radius")}
            for _ in range(self.pick([1, 20]))]}

    def random_layer(self):
        places = [
            lambda: {"uniform": [[-0.3, -0.1], [self.number(0.2, 1.3), 1.1]]},
            lambda: {"gaussian": {"mean": self.point(), "sigma": self.number(0.01, 0.4)}},
            lambda: {"disc": {"center": self.point(), "radius": self.number(0.1, 0.7)}},
            lambda: {"ring": {"center": self.point(), "radius": 0.5, "width": self.number(0, 0.5)}},
            lambda: {"polyline": {"points": [self.point() for _ in range(4)], "width": self.number(0, 0.2)}},
            lambda: {"polyline": {"points": [self.point() for _ in range(3)], "sigma": self.number(0.001, 0.1)}},
            lambda: {"grid": {"columns": 13, "rows": 7, "jitter": self.number(0, 1)}}]
        colors = [self.color, lambda: {"uniform": [self.color(), self.color()]},
                  lambda: {"choice": COLORS[:3], "weights": [5, 3, 1]}, lambda: {"gradient": self.pick(["magma", "turbo"])}]
        layer = {"radius": self.law(0.001, self.pick([0.005, 0.05, 0.3])), "color": self.pick(colors)(),
                 "alpha": self.law(0.01, 1), "depth": self.law(0.1, 0.9), "position": self.pick(places)()}
        if "grid" not in layer["position"]:
            layer["count"] = self.pick(self.counts)
        if self.chance(0.2):
            layer["seed"] = "$frame" if self.film and self.chance(0.5) else int(self.random.integers(100))
        return {"random": layer}

    def scale(self, column, **keys):
        scale = {"column": column, "scale": self.pick(["linear", "sqrt", "log", "symlog", "rank"]), **keys}
        if scale["scale"] != "rank" and self.chance(0.6):
            scale["domain"] = self.pick([[1, 50], ["1%", "99%"], [40, 2], ["10%", 30],
                                         self.moving(lambda: [self.number(1, 9), self.number(10, 60)], 1)])
        return scale

    def move_rows(self, columns):
        """Gives a map's keys columns, and rows their own starts."""
        for key, path, others in (("x", "spline", ["y", 0.5]), ("y", "spline", ["x", 0.5]), ("radius", "exponential", [0.02, "r"]),
                                  ("alpha", None, ["a", 0, 1])):
            if self.chance(0.5):
                columns[key] = self.moving(lambda others=others, old=columns[key]: self.pick(
                    [*others, old if isinstance(old, str) else others[0]]), 1, [path] if path else [])
                columns[key].pop("repeat", None)
        if any(isinstance(columns[key], dict) and "keys" in columns[key] for key in ("x", "y", "radius", "alpha")):
            columns["start"] = self.pick(["n", 2, {"column": "n"}])

    def data_layer(self, number):
        origin = self.pick([(0, 0), (0, 0), (500, 1400), (900000, -5e6)])
        name = f"{self.name}_{number}"
        table = Table(self.random, self.pick(self.rows), origin)
        if self.film and self.chance(0.4):
            state = self.random.bit_generator.state
            for frame in range(4):
                self.random.bit_generator.state = state  # one format for all files
                file, keys = Table(numpy.random.default_rng([number, frame]), 60, origin).write(
                    self.random, self.folder, f"{name}_{frame:04}")
            file = file.replace("_0003.", "_####.")
        else:
            file, keys = table.write(self.random, self.folder, name)
        layer = {"data": file, "invalid": "skip", **keys}
        colors = [self.color, lambda: self.scale("v", missing="#606060", colormap=self.pick(["viridis", "magma", COLORS])),
                  lambda: {"column": "n", "categories": self.pick(["tab10", "set2"])}, lambda: [0.3, "z", 0.9]]
        if not file.endswith(".ply"):
            colors.append(lambda: {"column": "k", "categories": dict(zip(KINDS, COLORS))})
        layer["map"] = {
            "x": "x", "y": "y", "color": self.pick(colors)(),
            "radius": self.pick(["r", "3px", self.scale("v", range=[0, "6px"], missing="1px")]),
            "alpha": self.pick([0.5, "a", self.scale("v", range=[0.1, 1], missing=0.1)])}
        if self.film and "####" not in file and self.chance(0.5):
            self.move_rows(layer["map"])
        if self.chance(0.3):
            layer["where"] = self.pick([{"n": {"in": [1, 2, 5]}}, {"v": {"min": 1, "max": 90}}, {"n": {"not": 3}}])
            if not file.endswith(".ply") and self.chance(0.5):
                layer["where"] = {"k": {"not": "beta"}, **layer["where"]}
        if self.chance(0.3):
            layer["order"] = self.pick(["v", "n", {"column": "r", "descending": True}])
        if self.chance(0.2):
            layer["radius_limits"] = ["0.5px", "9px"]
        return layer

    def layer(self, number):
        kind = self.random.random()
        if kind < 0.45:
            layer = self.data_layer(number)
        elif kind < 0.75:
            layer = self.random_layer()
        elif kind < 0.87:
            layer = self.inline_layer()
        elif kind < 0.9:
            layer = self.screen_layer()
        else:
            layer = {"generator": self.pick(CLASSIC)}
        is_solid = not layer.get("generator", "").startswith("snow")
        if self.chance(0.2):
            layer["shader"] = self.pick(["soft", "soft", "snow"] if "random" in layer else ["soft"])
            is_solid = False
        if self.chance(0.25):
            layer["blend"] = self.pick(["over", "add"] if self.alpha else ["over", "add", "multiply", "screen"])
        if is_solid and self.chance(0.2):
            widths = self.pick([["1px", "2px", "5px"], ["1px", "2px", "5px"] if "space" in layer else [0.01, 0.02]])
            layer["stroke"] = {"width": self.moving(lambda: self.pick(widths), 0.3)}
            if self.chance(0.5):
                layer["stroke"].update(color=self.moving(self.color, 0.3), alpha=self.moving(lambda: self.number(0, 1), 0.3))
            layer["fill"] = self.chance(0.7)
        for key, share, value, paths in (("opacity", 0.3, lambda: self.number(0, 1), []),
                                         ("offset", 0.3, lambda: self.point(-0.3, 0.3), ["spline"]),
                                         ("scale", 0.2, lambda: self.number(0.3, 2), ["exponential"]),
                                         ("rotate", 0.2, lambda: self.number(-90, 90), ["spline"])):
            if self.chance(share) and (key == "opacity" or "space" not in layer):
                layer[key] = self.moving(value, paths=paths)
        if self.film and self.chance(0.15):
            layer["frames"] = sorted(int(frame) for frame in self.random.integers(0, 5, 2))
        layer["name"] = f"layer{number}"
        return layer

    def view(self, has_data):
        kind = self.random.random()
        if has_data and kind < 0.8:
            view = {"fit": "data", "margin": self.number(0, 0.2), **({"over": "frame"} if self.chance(0.2) else {})}
        elif kind < 0.4:
            view = {"center": self.moving(self.point, paths=["spline"]),
                    "zoom": self.moving(lambda: self.number(0.3, 9), paths=["exponential"])}
            if self.chance(0.4):
                view["rotate"] = self.moving(lambda: self.number(-180, 180), paths=["spline"])
        elif kind < 0.6:
            view = {"x": [-0.2, 1.3], "y": [self.number(-0.5, 0.4), 0.9], "aspect": self.pick(["contain", "cover"])}
        else:
            return None
        if self.chance(0.3):
            view["flip"] = "y"
        return view

    def scene(self):
        image = {"width": self.pick([1, 33, 96, 160, 257]), "height": self.pick([1, 31, 96, 120, 200])}
        self.alpha = self.chance(0.2)
        image["antialias"] = self.chance(0.5)
        if self.alpha:
            image["alpha"] = True
        elif self.chance(0.5):
            image["background"] = self.pick([self.moving(self.color, 0.3),
                                             {"bottom": self.moving(self.color, 0.3), "top": self.color()}])
        if self.chance(0.2):
            image["blend"] = "linear"
        image.update(self.pick([{}, {}, {"bits": 16}, {"dither": True}]))
        layers = [self.layer(number) for number in range(self.pick([1, 1, 2, 3, 5]))]
        scene = {"version": 1, "image": image, "seed": int(self.random.integers(1000)), "layers": layers}
        view = self.view(any("data" in layer for layer in layers))
        if view:
            scene["view"] = view
        if self.film:
            scene["animation"] = {"fps": self.pick([24, 60, 29.97]), "frames": 4}
            if self.chance(0.3):
                scene["animation"].update(samples=self.pick([2, 3, 8]), shutter=self.pick([0.5, 1]))
        return scene

    def damage(self, scene):
        """Puts one mistake into the scene."""
        layer = self.pick(scene["layers"])
        mistakes = [lambda: scene["image"].update(widht=3), lambda: layer.update(opacity=1.5),
                    lambda: layer.update(blend="additive"), lambda: scene.update(seed=-1),
                    lambda: layer.update(data="missing.csv"), lambda: scene.update(version=2),
                    lambda: layer.setdefault("map", {}).update(x="no such column"),
                    lambda: layer.update(random={"count": "many"}), lambda: layer.update(circles=[{"x": 1}])]
        for _ in range(self.pick([1, 1, 2])):
            self.pick(mistakes)()

    def options(self, scene):
        options = []
        if self.chance(0.25):
            width, height = scene["image"]["width"], scene["image"]["height"]
            left, top = int(self.random.integers(width)), int(self.random.integers(height))
            options += ["--crop", f"{left},{top},{self.random.integers(1, width - left + 1)},"
                                  f"{self.random.integers(1, height - top + 1)}"]
        for share, option in ((0.2, ["--scale", "0.5"]), (0.3, ["--threads", str(self.pick([1, 2, 5]))]),
                              (0.2, ["--memory", self.pick(["12M", "40M"])])):
            if self.chance(share) and not (option[0] == "--scale" and options):
                options += option
        if len(scene["layers"]) > 1 and self.chance(0.15):
            options += ["--layers", scene["layers"][-1]["name"]]
        return options


def write_scene(folder, number, seed):
    """Writes scene `number` of `seed` and its data into `folder`. Returns its Scene."""
    generator = Generator(folder, number, seed)
    scene = generator.scene()
    options = generator.options(scene)
    if generator.chance(0.12):
        generator.damage(scene)
    path = folder / f"{generator.name}.yaml"
    # JSON is YAML, and one key a line gives errors distinct places. Keys of frames are texts in JSON, which the
    # language allows.
    path.write_text(json.dumps(scene, indent=1) + "\n")
    return Scene(path, [0, 3] if generator.film else [], options)
