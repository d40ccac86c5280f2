#!/usr/bin/env python3
"""Generates the cases of levels, samples and depth: images with several levels or samples, or with one number per texel.

usage: textures.py         writes NAME.json.gz to the script's folder; compile.py builds the programs

Expectations follow the equations of the OpenCL specification, in double precision: addressing modes and filters from chapter
"Image Addressing and Filtering", mip levels from cl_khr_mipmap_image, which selects levels as OpenGL does.
"""
import itertools, math, os, struct
from host import family

CLAMP_TO_EDGE, CLAMP, REPEAT, MIRROR = 0x1131, 0x1132, 0x1133, 0x1134
NEAREST, LINEAR = 0x1140, 0x1141
HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"2d": 0x10F1, "3d": 0x10F2, "2darray": 0x10F3, "1d": 0x10F4}


class Image:
    """An image with texels computed from their indices."""

    def __init__(self, kind, form, size, layers=1, levels=1, samples=1):
        self.kind, self.form, self.size, self.layers = KINDS[kind], form, size, layers
        self.levels, self.samples, self.dimensions = levels, samples, int(kind[0])
        self.parts = 1 if form.startswith(("depth", "r32")) else 4
        self.code, self.most = ("B", 255) if "8unorm" in form else ("H", 65535) if "16unorm" in form else \
            ("B", None) if "8uint" in form else ("f", None)
        self.texels, self.data = {}, b""
        for level in range(levels):
            w, h, d = self.size_of(level)
            for layer, z, y, x, sample in itertools.product(*map(range, (layers, d, h, w, samples))):
                n = len(self.texels)
                made = [((n * 37 + 11) * (c + 3) + n * n * 5 >> 2) % 251 for c in range(self.parts)]
                values = [m / 251 for m in made] if self.code == "f" else [m * (257 if self.code == "H" else 1) for m in made]
                self.data += struct.pack(f"<{self.parts}{self.code}", *values)
                stored = struct.unpack(f"<{self.parts}f", struct.pack(f"<{self.parts}f", *values))
                self.texels[level, layer, z, y, x, sample] = [v / self.most if self.most else v for v in stored]

    def size_of(self, level):
        return [max(side >> level, 1) for side in self.size]

    def load(self, level, layer, at, sample=0):
        """Returns a texel by its coordinates; outside the image, the border colour."""
        if all(0 <= i < side for i, side in zip(at, self.size_of(level))):
            texel = self.texels[(level, layer, at[2], at[1], at[0], sample)]
            return texel + [0, 0, 1][:4 - self.parts] if self.parts < 4 else texel
        return [0, 0, 0, 0 if self.parts == 4 else 1]

    def given(self, label, data):
        data[label] = self.data.hex()
        return {"image": {"format": self.form, "size": self.size, "layers": self.layers, "kind": self.kind,
                          "levels": self.levels, "samples": self.samples, "data": label}}


def single(x):
    """Rounds a number to a float."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def axis(mode, linear, s, side):
    """Returns texels along an axis with their weights."""
    if mode == REPEAT:
        u = (s - math.floor(s)) * side
        wrap = lambda i: i % side
    elif mode == MIRROR:
        u = abs(s - 2 * round(0.5 * s)) * side
        wrap = lambda i: min(max(i, 0), side - 1)
    else:
        u = s * side
        wrap = (lambda i: min(max(i, 0), side - 1)) if mode == CLAMP_TO_EDGE else lambda i: i
    if not linear:
        return [(wrap(math.floor(u)), 1.0)]
    low = math.floor(u - 0.5)
    part = u - 0.5 - low
    return [(wrap(low), 1 - part), (wrap(low + 1), part)]


def sample(image, mode, filter_, mix, place, layer, lod):
    """Returns the result of a sampler with normalised coordinates."""
    lod = min(max(lod, 0), image.levels - 1)
    if mix == LINEAR and lod % 1:
        a, b = (sample(image, mode, filter_, NEAREST, place, layer, level) for level in (math.floor(lod), math.floor(lod) + 1))
        return [p * (1 - lod % 1) + q * (lod % 1) for p, q in zip(a, b)]
    level = max(math.ceil(lod + 0.5) - 1, 0)
    sides = image.size_of(level)
    axes = [axis(mode, filter_ == LINEAR, s, sides[d]) for d, s in enumerate(place[:image.dimensions])]
    sum_ = [0.0] * 4
    for corner in itertools.product(*axes):
        at = [i for i, _ in corner] + [0] * (3 - len(corner))
        weight = math.prod(w for _, w in corner)
        sum_ = [s + weight * c for s, c in zip(sum_, image.load(level, layer, at))]
    return sum_


def places(n):
    """Returns the coordinates that the kernels compute in floats."""
    step = lambda a, b: single(single(n * single(a)) - single(b))
    return [step(0.0371, 0.2), step(0.0717, 0.5), step(0.0513, 0.3)], step(0.1543, 0.7)


def gradient_lod(image, gradients):
    return max(0.5 * math.log2(sum((g * side) ** 2 for g, side in zip(row[:image.dimensions], image.size))) for row in gradients)


def floats(values, kind="float", within=2e-3):
    """Returns a check with a tolerance, because weights of real samplers are coarser than floats."""
    flat = [v for value in values for v in value]
    return {"type": kind, "ulp": None, "within": within, "expect": struct.pack(f"<{len(flat)}f", *flat).hex()}


def levels():
    cases, data, items = [], {}, 64
    shapes = {"level2d": ("2d", [13, 9, 1], 1), "level1d": ("1d", [21, 1, 1], 1), "level3d": ("3d", [9, 6, 5], 1),
              "level2darray": ("2darray", [13, 9, 1], 3), "gradient2d": ("2d", [16, 32, 1], 1), "gradient3d": ("3d", [8, 9, 5], 1)}
    for (kernel, (kind, size, layers)), (mode, filter_, mix) in itertools.product(
            shapes.items(), [(CLAMP_TO_EDGE, NEAREST, NEAREST), (REPEAT, LINEAR, NEAREST), (MIRROR, LINEAR, LINEAR), (CLAMP, LINEAR, LINEAR)]):
        image = Image(kind, "rgba8unorm", size, layers, max(size).bit_length() - 1)
        values = []
        for x in range(items):
            place, lod = places(x)
            if kernel.startswith("gradient"):
                lod = gradient_lod(image, [[x * 0.0131, 0.011, 0.02], [0.003, x * 0.0071, x * 0.005]])
            values.append(sample(image, mode, filter_, mix, place, x % 3 if layers > 1 else 0, lod))
        name = f"{mode:x} {filter_:x} {mix:x}"
        cases.append({"name": name, "kernel": kernel, "glob": [items], "loc": [16], "check": [{"arg": 2, **floats(values)}],
                      "args": [image.given(f"{kernel}.{name}", data), {"sampler": [1, mode, filter_, mix]}, {"out": items * 16}]})
    image = Image("2d", "rgba8uint", [13, 9, 1], 1, 4)
    # Every column writes to one level; writes outside it are dropped.
    written, start = bytearray(image.data), [0, 13 * 9, 13 * 9 + 6 * 4]
    for x, y in itertools.product(range(13), range(9)):
        side = image.size_of(x % 3)
        if x < side[0] and y < side[1]:
            at = (start[x % 3] + y * side[0] + x) * 4
            written[at:at + 4] = bytes([x, y, 77, 1])
    cases.append({"kernel": "writes", "glob": [13, 9], "loc": [13, 1], "args": [image.given("writes", data)],
                  "check": [{"arg": 0, "type": "uchar", "ulp": None, "expect": written.hex()}]})
    values = [sample(image, REPEAT, NEAREST, NEAREST, places(x)[0], 0, places(x)[1]) for x in range(items)]
    expect = struct.pack(f"<{items * 4}I", *(int(v) for value in values for v in value)).hex()
    cases.append({"kernel": "levelint", "glob": [items], "loc": [16], "check": [{"arg": 2, "type": "uint", "ulp": None, "expect": expect}],
                  "args": [image.given("levelint", data), {"sampler": [1, REPEAT, NEAREST, NEAREST]}, {"out": items * 16}]})
    cases.append({"kernel": "query", "glob": [1], "loc": [1], "args": [image.given("query", data), {"out": 4}],
                  "check": [{"arg": 1, "type": "int", "ulp": None, "expect": struct.pack("<i", 4013).hex()}]})
    family(os.path.join(HERE, "levels.cl"), cases, data)


def samples():
    cases, data, (w, h) = [], {}, (10, 6)
    places_ = [(x, y) for y in range(h) for x in range(w)]
    for kernel, kind, form, layers, count in (("weighted", "2d", "rgba16unorm", 1, 8), ("layers", "2darray", "rgba8unorm", 2, 4),
                                              ("one", "2d", "rgba8uint", 1, 4), ("deep", "2d", "depth32f", 1, 4)):
        image = Image(kind, form, [w, h, 1], layers, 1, count)
        texel = lambda x, y, i, layer=0: image.load(0, layer, [x, y, 0], i)
        if kernel == "deep":
            values = [[texel(x, y, 1)[0] + 2 * texel(x, y, 3)[0]] for x, y in places_]
        elif kernel == "one":
            values = [texel(x, y, x + y & 3) for x, y in places_]
        else:
            start = 2 if layers > 1 else 0
            values = [[start + sum(texel(x, y, i, x + i & 1 if layers > 1 else 0)[c] * (i + 1) for i in range(count)) for c in range(4)]
                      for x, y in places_]
        check = floats(values, within=1e-5)
        if kernel == "one":
            check = {"type": "uint", "ulp": None, "expect": struct.pack(f"<{w * h * 4}I", *(int(v) for t in values for v in t)).hex()}
        cases.append({"kernel": kernel, "glob": [w, h], "loc": [w, 1], "check": [{"arg": 1, **check}],
                      "args": [image.given(kernel, data), {"out": w * h * len(values[0]) * 4}]})
    family(os.path.join(HERE, "samples.cl"), cases, data)


def depth():
    cases, data, items = [], {}, 48
    for kernel, form, layers in (("plain", "depth32f", 1), ("array", "depth16unorm", 3)):
        for mode, filter_ in ((CLAMP_TO_EDGE, LINEAR), (REPEAT, NEAREST), (CLAMP, LINEAR)):
            image = Image("2darray" if layers > 1 else "2d", form, [13, 9, 1], layers)
            values = [sample(image, mode, filter_, NEAREST, places(x)[0], x % 3 if layers > 1 else 0, 0)[:1] for x in range(items)]
            name = f"{mode:x} {filter_:x}"
            cases.append({"name": name, "kernel": kernel, "glob": [items], "loc": [16], "check": [{"arg": 2, **floats(values)}],
                          "args": [image.given(f"{kernel}.{name}", data), {"sampler": [1, mode, filter_]}, {"out": items * 4}]})
    image, out = Image("2d", "depth32f", [16, 9, 1]), Image("2d", "depth32f", [16, 9, 1])
    values = [[image.load(0, 0, [x, y, 0])[0] / 2] for y in range(9) for x in range(16)]
    cases.append({"kernel": "copy", "glob": [16, 9], "loc": [16, 1], "args": [image.given("copy", data), out.given("copied", data)],
                  "check": [{"arg": 1, **floats(values, within=1e-6)}]})
    image = Image("2darray", "depth32f", [13, 9, 1], 3)
    cases.append({"kernel": "query", "glob": [1], "loc": [1], "args": [image.given("query", data), {"out": 20}],
                  "check": [{"arg": 1, "type": "int", "ulp": None, "expect": struct.pack("<5i", 13, 9, 3, 0, 0).hex()}]})
    family(os.path.join(HERE, "depth.cl"), cases, data)


if __name__ == "__main__":
    levels()
    samples()
    depth()
